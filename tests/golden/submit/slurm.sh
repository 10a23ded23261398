#!/bin/sh
# Tasks 1-4 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
JOBS=afterok
JOB=$(sbatch --parsable --output=/data/sweeps/robustness/logs/%A_%a.log <<'SCRIPT'
#!/bin/bash
#SBATCH --job-name=rankguard-robustness
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=2
#SBATCH --mem=1700M
# SLURM signals this script, which passes the signal on. Exit code 75 means that the state is saved: the task is queued again, unless it was
# cancelled or preempted, which SLURM tells by SIGTERM and handles by itself.
/opt/rankguard sweep run /data/sweeps/robustness --task auto &
PROGRAM=$!
ENDED=
trap 'kill -USR1 $PROGRAM' USR1
trap 'ENDED=yes; kill -TERM $PROGRAM' TERM
wait $PROGRAM
CODE=$?
# A signal ends the waiting, but not the program.
while kill -0 $PROGRAM 2>/dev/null; do
    wait $PROGRAM
    CODE=$?
done
if [ $CODE -eq 75 ] && [ -z "$ENDED" ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit $CODE
SCRIPT
)
JOBS="$JOBS:${JOB%%;*}"
sbatch --parsable --dependency="$JOBS" --kill-on-invalid-dep=yes --job-name=rankguard-robustness-collect --output=/data/sweeps/robustness/logs/collect-%j.log <<'SCRIPT'
#!/bin/bash
exec /opt/rankguard sweep collect /data/sweeps/robustness
SCRIPT
echo "sent rankguard-robustness as job ${JOBS#afterok:}, and a job that collects its tables"
