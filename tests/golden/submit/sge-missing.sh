#!/bin/sh
# Tasks 2-3,7,1001,2500 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p '/my sweeps/it'\''s "100%" $HOME/logs'
# The parallel environment `smp` and the resource `h_vmem`, which counts per slot, have other names at some sites.
submit() {
    qsub -o '/my sweeps/it'\''s "100%" $HOME/logs'/ "$@" <<'SCRIPT'
#!/bin/bash
#$ -N rankguard-robustness
#$ -S /bin/bash
#$ -cwd
#$ -r y
#$ -j y
#$ -pe smp 2
#$ -l h_vmem=850M
/opt/rankguard sweep run '/my sweeps/it'\''s "100%" $HOME' --task auto
CODE=$?
# Exit code 75 means that the state is saved: SGE begins the task again.
[ $CODE -ne 75 ] || exit 99
exit $CODE
SCRIPT
}
submit -t 2-3
submit -t 7-7
submit -t 1001-1001
submit -t 2500-2500
# When all tasks have ended:
# /opt/rankguard sweep collect '/my sweeps/it'\''s "100%" $HOME'
