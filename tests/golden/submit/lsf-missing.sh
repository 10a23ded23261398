#!/bin/sh
# Tasks 2-3,7,1001,2500 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p '/my sweeps/it'\''s "100%" $HOME/logs'
# Exit code 75 means that the state is saved: LSF queues the task again.
bsub -J 'rankguard-robustness[2-3,7,1001,2500]' -r -Q 75 -n 2 -R 'span[hosts=1]' -M 1700MB -o '/my sweeps/it'\''s "100%" $HOME/logs'/%J_%I.log <<'SCRIPT'
#!/bin/bash
exec /opt/rankguard sweep run '/my sweeps/it'\''s "100%" $HOME' --task auto
SCRIPT
# When all tasks have ended:
# /opt/rankguard sweep collect '/my sweeps/it'\''s "100%" $HOME'
