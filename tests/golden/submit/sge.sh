#!/bin/sh
# Tasks 1-4 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
# The parallel environment `smp` and the resource `h_vmem`, which counts per slot, have other names at some sites.
submit() {
    qsub -o /data/sweeps/robustness/logs/ "$@" <<'SCRIPT'
#!/bin/bash
#$ -N rankguard-robustness
#$ -S /bin/bash
#$ -cwd
#$ -r y
#$ -j y
#$ -pe smp 2
#$ -l h_vmem=850M
/opt/rankguard sweep run /data/sweeps/robustness --task auto
CODE=$?
# Exit code 75 means that the state is saved: SGE begins the task again.
[ $CODE -ne 75 ] || exit 99
exit $CODE
SCRIPT
}
submit -t 1-4
# When all tasks have ended:
# /opt/rankguard sweep collect /data/sweeps/robustness
