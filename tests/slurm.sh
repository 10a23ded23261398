# A SLURM of two nodes on this one machine, for tests/cluster.sh, which sources this file. Everything of it is in one folder: keys, sockets,
# states and logs. It needs neither systemd nor control groups, and touches no SLURM that may run here already.

# Ports of this cluster alone, so that two of them can run at a time.
PORT=$((20000 + $$ % 10000))

# Installs what is missing of these Debian packages, each given as PROGRAM=PACKAGE.
install_missing() {
    local missing=() program
    for program in "$@"; do
        command -v "${program%=*}" >/dev/null || missing+=("${program#*=}")
    done
    [ ${#missing[@]} -eq 0 ] && return
    command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ] || return
    timeout 120 apt-get update -qq >/dev/null &&
        DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Why no SLURM can be started here; nothing if it can.
slurm_obstacle() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "only root can start the daemons of SLURM"
    elif ! getent hosts "$(hostname -s)" >/dev/null; then
        echo "the name of this machine has no address"
    elif ! install_missing slurmctld=slurmctld slurmd=slurmd sbatch=slurm-client munged=munge; then
        echo "SLURM is not installed and cannot be"
    fi
}

slurm_settings() {
    local folder=$1 host megabytes
    host=$(hostname -s)
    megabytes=$(awk '/MemTotal/ { print int($2 / 1024 / 4) }' /proc/meminfo)
    cat <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$PORT
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1
SlurmdParameters=config_overrides
ReturnToService=2
DefMemPerCPU=256
KillWait=15
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((PORT + 1))-$((PORT + 2))] CPUs=1 RealMemory=$megabytes
PartitionName=all Nodes=n[1-2] Default=YES MaxTime=30 State=UP
END
}

# Starts the daemons and waits until both nodes are idle. From then on SLURM_CONF is exported.
slurm_start() {
    local folder=$1
    mkdir -p "$folder/munge" "$folder/state" "$folder/spool-n1" "$folder/spool-n2"
    chmod 755 "$folder" "$folder/munge"
    head -c 1024 /dev/urandom > "$folder/munge/key"
    chmod 400 "$folder/munge/key"
    munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munge/munged.pid" \
        --log-file="$folder/munge/munged.log" --seed-file="$folder/munge/seed"
    export SLURM_CONF=$folder/slurm.conf
    slurm_settings "$folder" > "$SLURM_CONF"
    slurmctld -f "$SLURM_CONF"
    slurmd -f "$SLURM_CONF" -N n1
    slurmd -f "$SLURM_CONF" -N n2
    wait_for 30 "both nodes to be idle" both_idle
}

both_idle() { [ "$(timeout 5 sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq 2 ]; }

# Ends the daemons of this folder, by their process ids, and waits for their end.
slurm_stop() {
    local folder=$1 file pid
    [ ! -e "$folder/slurmctld.pid" ] || timeout 10 scancel --user=root >/dev/null 2>&1 || true
    for file in "$folder"/slurmd-*.pid "$folder/slurmctld.pid" "$folder/munge/munged.pid"; do
        [ -s "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null || continue
        for _ in $(seq 100); do
            kill -0 "$pid" 2>/dev/null || continue 2
            sleep 0.1
        done
        kill -KILL "$pid" 2>/dev/null || true
    done
}
