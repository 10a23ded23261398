# What paired and scenarios/answers share. Sourced by them from the project's folder.

# Says the first comment of the script, which is its manual, and ends.
usage() {
    sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# A path as it was meant where the script was started.
from_start() {
    case $1 in
        /*) echo "$1" ;;
        *) if [ "$start" -ef . ]; then echo "$1"; else echo "$start/$1"; fi ;;
    esac
}

# Reads what follows STUDY: FOLDER, then options into variables of their names, --set and --threads into lists.
read_arguments() {
    folder=$(from_start "${1%/}")
    shift
    passed_on=() threads=()
    while [ $# -gt 0 ]; do
        [ $# -ge 2 ] || usage
        case $1 in
            --seeds) seeds=$2 ;;
            --normalize) normalize=$2 ;;
            --out) out=$(from_start "$2") ;;
            --set) passed_on+=(--set "$2") ;;
            --threads) threads=(--threads "$2") ;;
            *) usage ;;
        esac
        shift 2
    done
    if [ -z "${out:-}" ]; then
        # Runs of other settings in the same place would be taken for these.
        [ ${#passed_on[@]} -eq 0 ] || { echo "--set wants an --out of its own" >&2; exit 2; }
        out=out/paper/$(basename "$(dirname "$folder")")-$(basename "$folder")
    fi
    dataset="Letor(path: \"$folder\", normalize: ${normalize:-AsIs})"
}

# The program: RANKGUARD if that is set, else what cargo builds.
find_program() {
    program=${RANKGUARD:-}
    if [ -z "$program" ]; then
        cargo build --release --quiet
        program=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release/rankguard
    fi
}

# Runs a scenario into a folder, unless its results are there: run_once FOLDER SCENARIO SEED [--set FIELD=VALUE]...
run_once() {
    local to=$1 scenario=$2 seed=$3
    shift 3
    if [ ! -f "$to/manifest.ron" ]; then
        echo "$(date +%H:%M:%S) $to" >&2
        "$program" run "$scenario" --quiet --out "$to" --seed "$seed" --set "dataset=$dataset" \
            --set 'record=(evaluations: Nothing, receipts: Nothing, searches: Nothing, presence: Nothing)' "$@" \
            ${passed_on[@]+"${passed_on[@]}"} ${threads[@]+"${threads[@]}"}
    fi
}
