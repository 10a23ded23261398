#!/bin/sh
# Tasks 1-4 of the sweep robustness. Begin them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p /data/sweeps/robustness/logs
parallel --quote --joblog /data/sweeps/robustness/logs/parallel.log -j $(( ($(nproc) + 2 - 1) / 2 )) \
    /opt/rankguard sweep run /data/sweeps/robustness --task {} --jobs 2 --threads 1 ::: 1 2 3 4
/opt/rankguard sweep collect /data/sweeps/robustness
