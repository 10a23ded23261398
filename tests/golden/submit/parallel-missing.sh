#!/bin/sh
# Tasks 2-3,7,1001,2500 of the sweep robustness. Begin them with: sh submit.sh
set -eu
cd /home/ada
mkdir -p '/my sweeps/it'\''s "100%" $HOME/logs'
parallel --quote --joblog '/my sweeps/it'\''s "100%" $HOME/logs'/parallel.log -j $(( ($(nproc) + 2 - 1) / 2 )) \
    /opt/rankguard sweep run '/my sweeps/it'\''s "100%" $HOME' --task {} --jobs 2 --threads 1 ::: 2 3 7 1001 2500
/opt/rankguard sweep collect '/my sweeps/it'\''s "100%" $HOME'
