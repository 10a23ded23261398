#!/bin/sh
# Tasks 1-4 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
# Exit code 75 means that the state is saved: LSF queues the task again.
bsub -J 'rankguard-robustness[1-4]' -r -Q 75 -n 2 -R 'span[hosts=1]' -M 1700MB -o /data/sweeps/robustness/logs/%J_%I.log <<'SCRIPT'
#!/bin/bash
exec /opt/rankguard sweep run /data/sweeps/robustness --task auto
SCRIPT
# When all tasks have ended:
# /opt/rankguard sweep collect /data/sweeps/robustness
