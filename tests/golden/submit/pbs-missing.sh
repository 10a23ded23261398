#!/bin/sh
# Tasks 2-3,7,1001,2500 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p '/my sweeps/it'\''s "100%" $HOME/logs'
submit() {
    qsub -o '/my sweeps/it'\''s "100%" $HOME/logs'/ "$@" <<'SCRIPT'
#!/bin/bash
#PBS -N rankguard-robustness
#PBS -r y
#PBS -j oe
#PBS -l select=1:ncpus=2:mem=1700mb
cd /home/ada
/opt/rankguard sweep run '/my sweeps/it'\''s "100%" $HOME' --task auto
CODE=$?
# Exit code 75 means that the state is saved: the task is queued again.
[ $CODE -ne 75 ] || qrerun "$PBS_JOBID"
exit $CODE
SCRIPT
}
submit -J 2-3
submit -v PBS_ARRAY_INDEX=7
submit -v PBS_ARRAY_INDEX=1001
submit -v PBS_ARRAY_INDEX=2500
# When all tasks have ended:
# /opt/rankguard sweep collect '/my sweeps/it'\''s "100%" $HOME'
