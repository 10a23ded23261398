#!/bin/sh
# Send it with: QUEUE=my-queue DEFINITION=my-definition sh submit.sh
# The definition names the image and the volume that holds the sweep at /data/sweeps/robustness.
set -eu
aws batch submit-job --job-name rankguard-robustness --job-queue "${QUEUE:?}" --job-definition "${DEFINITION:?}" --array-properties size=4 \
    --retry-strategy '{"attempts":10,"evaluateOnExit":[{"action":"RETRY","onExitCode":"75"},{"action":"RETRY","onStatusReason":"Host EC2*"},{"action":"EXIT","onReason":"*"}]}' \
    --container-overrides '{"command":["/opt/rankguard","sweep","run","/data/sweeps/robustness","--task","auto"],"resourceRequirements":[{"type":"VCPU","value":"2"},{"type":"MEMORY","value":"1700"}]}'
