#!/bin/sh
# Tasks 2-3,7,1001,2500 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p '/my sweeps/it'\''s "100%" $HOME/logs'
# A task that ends with exit code 75 goes on where it stopped when it is sent again.
hq submit --name rankguard-robustness --array 2-3,7,1001,2500 --cpus 2 --stdout '/my sweeps/it'\''s "100%" $HOME/logs'/%{TASK_ID}.log --stderr '/my sweeps/it'\''s "100%" $HOME/logs'/%{TASK_ID}.err \
    -- /opt/rankguard sweep run '/my sweeps/it'\''s "100%" $HOME' --task auto
# When all tasks have ended:
# /opt/rankguard sweep collect '/my sweeps/it'\''s "100%" $HOME'
