#!/bin/sh
# Send it with: QUEUE=my-queue DEFINITION=my-definition sh submit.sh
# The definition names the image and the volume that holds the sweep at /my sweeps/it's "100%" $HOME.
set -eu
aws batch submit-job --job-name rankguard-robustness --job-queue "${QUEUE:?}" --job-definition "${DEFINITION:?}" --array-properties size=5 \
    --retry-strategy '{"attempts":10,"evaluateOnExit":[{"action":"RETRY","onExitCode":"75"},{"action":"RETRY","onStatusReason":"Host EC2*"},{"action":"EXIT","onReason":"*"}]}' \
    --container-overrides '{"command":["sh","-c","set -- 2 3 7 1001 2500; shift \"$AWS_BATCH_JOB_ARRAY_INDEX\"; exec /opt/rankguard sweep run '\''/my sweeps/it'\''\\'\'''\''s \"100%\" $HOME'\'' --task \"$1\""],"resourceRequirements":[{"type":"VCPU","value":"2"},{"type":"MEMORY","value":"1700"}]}'
