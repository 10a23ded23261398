#!/usr/bin/env bash
# A sweep on a real SLURM and by GNU parallel: the same bytes as in one process, whatever happens to tasks on the way. Takes about a minute.
# Usage: cargo build --release && tests/cluster.sh. Where there is no SLURM and none can be installed, it says so and ends well.
set -euo pipefail
cd "$(dirname "$0")/.."
PROGRAM=$PWD/target/release/rankguard
. tests/slurm.sh

WORK=$(mktemp -d)
# munged wants its socket within reach of everyone.
chmod 755 "$WORK"
clean_up() {
    local code=$?
    slurm_stop "$WORK/slurm"
    [ $code -eq 0 ] || tail -n 20 "$WORK"/*.log "$WORK"/slurm/*.log "$WORK"/*/logs/*.log 2>/dev/null || true
    rm -rf "$WORK"
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

say() { printf '%s  %s\n' "$(date +%T)" "$1"; }

fail() {
    printf 'failed: %s\n' "$1" >&2
    exit 1
}

# Waits at most so many seconds until a command succeeds.
wait_for() {
    local seconds=$1 what=$2
    shift 2
    local end=$((SECONDS + seconds))
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "waited $seconds s for $what"
        sleep 0.2
    done
}

sweep() { timeout 200 "$PROGRAM" sweep "$@"; }

write_sweep() {
    cat <<'END'
(
    name: "cluster",
    base: (
        name: "small",
        seed: 1,
        nodes: 30,
        malicious_share: 0.2,
        stop: Sessions(20000),
        evaluate_every: Sessions(1000),
        dataset: Synthetic(like: Mq2007, train_queries: 200, test_queries: 50),
        shown: 10,
        ndcg_cutoff: 10,
        users: Perfect,
        ranker: Linear(eta: 0.1),
        defense: Undefended,
        attack: Flip,
        malicious_aggregate: Never,
        arrivals: Poisson(every: "20min"),
        latency: Constant("80ms"),
        loss: 0.0,
        churn: AlwaysOnline,
        peers: (among: All, fanout: Log2),
        record: (receipts: OneIn(20)),
    ),
    axes: [
        Axis(defense: [RankGuard(kappa: 4.0), Undefended, Oracle]),
        Axis(attack: [Flip, Lie(z: Majority)]),
    ],
    seeds: Range(first: 1, count: 4),
    tasks: 8,
)
END
}

plan() { sweep plan "$WORK/sweep.ron" --out "$WORK/$1" >/dev/null; }

# Sends the tasks without results; `ARRAY` and `COLLECT` become the numbers of the two jobs.
submit() {
    local said
    said=$(sweep submit slurm "$WORK/$1" --now)
    COLLECT=$(head -n 1 <<< "$said")
    ARRAY=$(sed -n 's/^sent .* as job \([0-9]*\),.*/\1/p' <<< "$said")
    [ -n "$ARRAY" ] && [ -n "$COLLECT" ] || fail "no numbers of jobs in: $said"
}

queue_is_empty() { [ -z "$(timeout 10 squeue -h)" ]; }
state_of() { timeout 10 scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | head -n 1; }

# The tables of a sweep, task by task and collected, have the bytes of the sweep that ran in one process.
same_bytes() {
    diff -r "$WORK/alone/tasks" "$WORK/$1/tasks" && diff -r "$WORK/alone/tables" "$WORK/$1/tables" || fail "the tables of $1 differ"
    say "$1: $(find "$WORK/$1/tables" -name '*.parquet' | wc -l) files are the same"
}

in_one_process() {
    plan alone
    sweep run "$WORK/alone" --quiet
    sweep collect "$WORK/alone" >/dev/null
    say "24 runs in one process"
}

on_slurm() {
    plan calm
    submit calm
    wait_for 120 "the array and its collecting job" queue_is_empty
    [ "$(state_of "$COLLECT")" = COMPLETED ] || fail "the collecting job ended as $(state_of "$COLLECT")"
    same_bytes calm
}

# The process of a task that goes on, once it has begun a run.
process_of() { pgrep -f "^$PROGRAM sweep run $WORK/$1 --task auto" | while read -r pid; do
    ! tr '\0' '\n' < "/proc/$pid/environ" 2>/dev/null | grep -qx "SLURM_ARRAY_TASK_ID=$2" || echo "$pid"
done; }
has_begun() { compgen -G "$WORK/$1/work/t0000$2/.*.staging" >/dev/null && [ -n "$(process_of "$1" "$2")" ]; }

# One task is queued again in the middle of a run, another is killed, and a finished one loses half of a file.
on_slurm_with_troubles() {
    local log
    plan troubled
    submit troubled
    wait_for 30 "task 1 to begin" has_begun troubled 1
    timeout 10 scontrol requeue "${ARRAY}_1"
    say "task 1 is queued again in the middle"
    wait_for 60 "task 3 to begin" has_begun troubled 3
    kill -KILL "$(process_of troubled 3)"
    say "task 3 is killed"
    wait_for 30 "task 1 to wait" has_stopped 1
    timeout 10 scontrol update jobid="${ARRAY}_1" StartTime=now
    wait_for 120 "all tasks" queue_is_empty
    log=$WORK/troubled/logs/${ARRAY}_1.log
    [ "$(grep -c '^task 1, as SLURM_ARRAY_TASK_ID says' "$log")" -eq 2 ] || fail "task 1 was not begun twice"
    grep -q 'interrupted' "$log" || fail "task 1 was not interrupted"
    truncate -s -100 "$WORK/troubled/tasks/t00005/evaluations.parquet"
    say "a file of task 5 is cut"
    repair
    same_bytes troubled
}

has_stopped() { [ -z "$(process_of troubled "$1")" ] && [ "$(state_of "${ARRAY}_$1")" = PENDING ]; }

repair() {
    ! sweep collect "$WORK/troubled" >/dev/null 2>&1 || fail "an incomplete sweep was collected"
    [ "$(sweep status "$WORK/troubled" --missing)" = 3,5 ] || fail "$(sweep status "$WORK/troubled")"
    submit troubled
    wait_for 60 "what was missing" queue_is_empty
    [ "$(state_of "$COLLECT")" = COMPLETED ] || fail "the collecting job ended as $(state_of "$COLLECT")"
}

with_parallel() {
    if ! install_missing parallel=parallel; then
        say "skipped: GNU parallel is not installed and cannot be"
        return
    fi
    plan parallel
    sweep submit parallel "$WORK/parallel" --now >/dev/null 2>"$WORK/parallel.log"
    same_bytes parallel
}

[ -x "$PROGRAM" ] || fail "there is no $PROGRAM; build it with cargo build --release"
write_sweep > "$WORK/sweep.ron"
in_one_process
with_parallel
obstacle=$(slurm_obstacle)
if [ -n "$obstacle" ]; then
    echo "skipped: $obstacle"
    exit 0
fi
slurm_start "$WORK/slurm"
on_slurm
on_slurm_with_troubles
