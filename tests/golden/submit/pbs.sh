#!/bin/sh
# Tasks 1-4 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
submit() {
    qsub -o /data/sweeps/robustness/logs/ "$@" <<'SCRIPT'
#!/bin/bash
#PBS -N rankguard-robustness
#PBS -r y
#PBS -j oe
#PBS -l select=1:ncpus=2:mem=1700mb
cd /home/ada
/opt/rankguard sweep run /data/sweeps/robustness --task auto
CODE=$?
# Exit code 75 means that the state is saved: the task is queued again.
[ $CODE -ne 75 ] || qrerun "$PBS_JOBID"
exit $CODE
SCRIPT
}
submit -J 1-4
# When all tasks have ended:
# /opt/rankguard sweep collect /data/sweeps/robustness
