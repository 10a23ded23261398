#!/bin/sh
# Tasks 1-4 of the sweep robustness. Send them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
# A task that ends with exit code 75 goes on where it stopped when it is sent again.
hq submit --name rankguard-robustness --array 1-4 --cpus 2 --stdout /data/sweeps/robustness/logs/%{TASK_ID}.log --stderr /data/sweeps/robustness/logs/%{TASK_ID}.err \
    -- /opt/rankguard sweep run /data/sweeps/robustness --task auto
# When all tasks have ended:
# /opt/rankguard sweep collect /data/sweeps/robustness
