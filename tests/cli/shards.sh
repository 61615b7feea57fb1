#!/bin/sh
# Work in shards, under schedulers: what they tell, and shards that are killed and done again.
#
#     shards.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below. A case whose scheduler is not installed, or cannot start here, is skipped (status 77).
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
. "$source_directory/tests/cli/checks.sh"
CLERK_CACHE=$work/cache
HOME=$work
export CLERK_CACHE HOME
# This test may be a job of one itself.
unset $(sed -n 's/^SCHEDULER(.*, *"\([A-Z_]*\)", *[01],.*/\1/p' "$source_directory/viewer-cli/schedulers.def")

# Five launches, one of which has a race.
record() {
    status 0 "$clerk" run --device reference --contents all --fail-on never -o run.db -- "$build/tests/replay_launches"
}

# tells SHARD VARIABLE=VALUE...: --shard auto, or with the N before the variables, is that shard then
tells() {
    shard=$1
    value=auto
    shift
    case $1 in
    auto*) value=$1 && shift ;;
    esac
    status 0 env "$@" "$clerk" replay run.db --shard $value --json --fail-on never
    says err "clerk replay: shard $shard, as "
    says err "${1%=*}=${1#*=}"
    says out "\"shard\":${shard%/*},\"shard_count\":${shard#*/},"
}

# refuses SENTENCE OPTION VARIABLE=VALUE...
refuses() {
    sentence=$1
    value=$2
    shift 2
    status 2 env "$@" "$clerk" replay run.db --shard $value
    says err "$sentence"
    silent out
}

# slurm ID MIN MAX STEP COUNT: the variables of a task
slurm_task() {
    echo "SLURM_ARRAY_TASK_ID=$1 SLURM_ARRAY_TASK_MIN=$2 SLURM_ARRAY_TASK_MAX=$3 SLURM_ARRAY_TASK_STEP=$4 SLURM_ARRAY_TASK_COUNT=$5"
}

variables() {
    record
    tells 2/4 $(slurm_task 2 1 4 1 4)
    tells 3/4 $(slurm_task 2 0 3 1 4)
    tells 3/4 $(slurm_task 5 1 7 2 4)
    tells 3/8 auto/8 $(slurm_task 3 3 3 1 1)
    tells 2/3 SGE_TASK_ID=3 SGE_TASK_FIRST=1 SGE_TASK_LAST=5 SGE_TASK_STEPSIZE=2
    tells 2/3 LSB_JOBINDEX=2 LSB_JOBINDEX_END=3 LSB_JOBINDEX_STEP=1
    tells 2/3 auto/3 PBS_ARRAY_INDEX=2
    tells 2/3 auto/3 JOB_COMPLETION_INDEX=1
    tells 2/3 AWS_BATCH_JOB_ARRAY_INDEX=1 AWS_BATCH_JOB_ARRAY_SIZE=3
    tells 2/3 BATCH_TASK_INDEX=1 BATCH_TASK_COUNT=3
    tells 2/3 auto/3 PARALLEL_SEQ=2
    tells 2/3 CI_NODE_INDEX=2 CI_NODE_TOTAL=3 SGE_TASK_ID=undefined LSB_JOBINDEX=0
    tells 1/1 CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=1
    tells 2/3 BUILDKITE_PARALLEL_JOB=1 BUILDKITE_PARALLEL_JOB_COUNT=3
    refuses "no scheduler says which of how many this is: none of SLURM_ARRAY_TASK_ID, " auto A=B
    refuses "GNU parallel does not say how many there are; say it, as in --shard auto/8" auto PARALLEL_SEQ=2
    refuses "both JOB_COMPLETION_INDEX and PARALLEL_SEQ are there" auto/3 PARALLEL_SEQ=2 JOB_COMPLETION_INDEX=1
    refuses "PARALLEL_SEQ is 'two', not a number" auto/3 PARALLEL_SEQ=two
    refuses "PARALLEL_SEQ is 4, and shards of GNU parallel are numbered from 1 to 3" auto/3 PARALLEL_SEQ=4
    refuses "SLURM_ARRAY_TASK_ID is 0, and shards of a job array of Slurm are numbered from 1 to 4" auto/4 $(slurm_task 0 0 3 1 4)
    # Tasks that are done again alone, and a list of some.
    for task in "3 3 3 1 1" "1 1 1 1 1" "3 3 4 1 2" "5 1 7 1 3"; do
        refuses "may be a part of a larger one that is done again; say how many shards there are" auto $(slurm_task $task)
    done
    refuses "CI_NODE_INDEX is 4, of 3 that a parallel job of GitLab has" auto CI_NODE_INDEX=4 CI_NODE_TOTAL=3
    for variable in $(awk -F '"' '/^SCHEDULER/ { print $4 }' "$source_directory/viewer-cli/schedulers.def"); do
        grep -q "\`$variable\`" "$source_directory/docs/SHARDS.md" || fail "docs/SHARDS.md does not name $variable"
    done
    for value in 0/3 4/3 3/x auto/0 auto/ autos /3 1/1/1; do
        refuses "--shard $value: which of how many, as in 1/8, or auto" $value PARALLEL_SEQ=1
    done
}

# comes COMMAND...: soon the command succeeds
comes() {
    for try in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    fail "'$*' does not come about"
}

# What all shards give that nobody disturbs, in merged.
undisturbed() {
    mkdir alone
    for shard in 1 2 3; do
        "$clerk" replay run.db --shard $shard/3 --json --fail-on never >alone/$shard.json
    done
    status 1 "$clerk" replay --merge alone/*.json
    says out "merged 3 shards: compared what 5 launches left in memory: none differs"
    says out "error: [race-global]"
    mv out merged
}

# compares FILE...: they give the same, byte for byte, in any order
compares() {
    status 1 "$clerk" replay --merge "$@"
    cmp out merged || fail "the merged report is another one: $(diff merged out)"
}

# A compiler that is under way until its clerk is killed.
make_slow_clang() {
    cat >slow-clang <<'CLANG'
#!/bin/sh
: >"$(dirname "$0")/compiling"
while kill -0 $PPID 2>/dev/null; do
    sleep 0.1
done
CLANG
    chmod +x slow-clang
}

parallel_jobs() {
    command -v parallel >/dev/null || skip "parallel is not installed (Debian: parallel)"
    parallel --version 2>/dev/null | grep -q '^GNU parallel' || skip "parallel is not GNU parallel (Debian: parallel)"
    record
    undisturbed
    make_slow_clang
    # The second is killed while its compiler is at work, the first time.
    cat >job <<'JOB'
#!/bin/sh
shard() { exec "$clerk" replay run.db --shard auto/3 --json --fail-on never; }
if [ $PARALLEL_SEQ -ne 2 ] || [ -e compiling ]; then shard; fi
(CLERK_CACHE=none CLERK_CLANG=$PWD/slow-clang shard) &
for try in $(seq 1200); do [ -e compiling ] || sleep 0.05; done
kill -KILL $!
wait $!
JOB
    chmod +x job
    export clerk
    mkdir jobs
    status 1 parallel --will-cite --joblog log 'sh job >jobs/{#}.json' ::: 1 2 3
    says err "clerk replay: shard 3/3, as GNU parallel has PARALLEL_SEQ=3"
    status 2 "$clerk" replay --merge jobs/*.json
    says err "'jobs/2.json' does not count: its replay did not come to its end"
    says err "of 3 shards there is no 2"
    status 0 parallel --will-cite --retry-failed --joblog log
    says err "clerk replay: shard 2/3, as GNU parallel has PARALLEL_SEQ=2"
    compares jobs/*.json
    compares jobs/3.json jobs/1.json jobs/2.json
    # What a killed one left does not count beside the one that was done again.
    head -c 100 jobs/2.json >jobs/killed.json
    compares jobs/*.json
}

# ---- Slurm: a controller and a node of the test's own ----

# A daemon that has ended may stay a zombie, where nobody waits for it.
is_at_work() {
    kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null
}

stop_slurm() {
    pids=$(cat slurmd.pid slurmctld.pid munged.pid 2>/dev/null || true)
    for pid in $pids; do
        kill "$pid" 2>/dev/null || true
    done
    for pid in $pids; do
        while is_at_work "$pid"; do sleep 0.1; done
    done
    rm -rf "$work"
}

# does_not_start DAEMON: skips, with what it says
does_not_start() {
    skip "$1 does not start here: $(tail -q -n 1 err "$1.log" 2>/dev/null | tail -n 1)"
}

start_slurm() {
    for program in munged:munge slurmctld:slurm-wlm slurmd:slurm-wlm sbatch:slurm-wlm; do
        PATH=$PATH:/usr/sbin command -v "${program%:*}" >/dev/null || skip "${program%:*} is not installed (Debian: ${program#*:})"
    done
    PATH=$PATH:/usr/sbin
    node=$(hostname -s)
    port=$((20000 + $$ % 20000))
    user=$(id -un)
    (umask 077 && mkdir state spool && head -c 1024 /dev/urandom >key)
    chmod 755 . # munged looks whether others could change what it uses
    trap stop_slurm EXIT
    munged --force --key-file="$work/key" --socket="$work/munge" --pid-file="$work/munged.pid" --log-file="$work/munged.log" \
        --seed-file="$work/seed" 2>err || does_not_start munged
    cat >slurm.conf <<CONF
ClusterName=clerk
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$work/munge
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
KillWait=1
SchedulerParameters=sched_interval=1,batch_sched_delay=0
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP
CONF
    case $(slurmd -V) in
    *" 22."* | *" 23."*) ;; # they need no control groups for this configuration, and know no word for none
    *) echo CgroupPlugin=disabled >cgroup.conf ;;
    esac
    SLURM_CONF=$work/slurm.conf
    export SLURM_CONF
    slurmctld -c 2>err || does_not_start slurmctld
    slurmd 2>err || does_not_start slurmd
    for try in $(seq 100); do
        ! sinfo --noheader --format %T 2>/dev/null | grep -q '^idle' || return 0
        sleep 0.1
    done
    skip "slurmctld has no node here: $(tail -n 1 slurmctld.log)"
}

is_over() {
    [ -z "$(squeue --noheader --jobs "$1" 2>/dev/null)" ]
}

slurm_array() {
    start_slurm
    record
    undisturbed
    make_slow_clang
    mkdir jobs
    cat >job <<JOB
#!/bin/sh
if [ \$SLURM_ARRAY_TASK_ID -eq 2 ] && [ ! -e compiling ]; then
    export CLERK_CACHE=none CLERK_CLANG=$work/slow-clang
fi
exec "$clerk" replay run.db --shard \$SHARD --json --fail-on never >jobs/\$SLURM_ARRAY_TASK_ID.json
JOB
    SHARD=auto
    export SHARD
    status 0 sbatch --parsable --array=1-3 --output=jobs/%a.err job
    job=$(cat out)
    comes [ -e compiling ]
    scancel --signal=KILL "${job}_2"
    comes is_over "$job"
    says jobs/3.err "clerk replay: shard 3/3, as a job array of Slurm has SLURM_ARRAY_TASK_ID=3"
    status 2 "$clerk" replay --merge jobs/*.json
    says err "of 3 shards there is no 2"
    # The array of one task does not say of how many it was.
    status 2 sbatch --wait --array=2 --output=jobs/2.err job
    says jobs/2.err "a job array of Slurm from 2 to 2, 1 in number, may be a part of a larger one that is done again"
    SHARD=auto/3
    status 0 sbatch --wait --array=2 --output=jobs/2.err job
    compares jobs/*.json
}

# Traces are checked in shards, whose reports become one: all must be there.
checks_of_many() {
    ln -s "$build/tests/mistaken" .
    for trace in 1:size 2:local 3:none 4:size; do
        status 0 "$clerk" run --device reference --checks none -o "${trace%:*}.db" -- ./mistaken build "${trace#*:}"
    done
    status 1 "$clerk" check ?.db
    says out "seen:   2 times, in ./mistaken build size in 1.db, ./mistaken build size in 4.db"
    says out "seen:   in ./mistaken build local in 2.db"
    says out "clerk: 2 errors"
    mv out whole
    for shard in 1 2 3; do
        CI_NODE_INDEX=$shard CI_NODE_TOTAL=3 status $((shard == 3 ? 0 : 1)) "$clerk" check ?.db --shard auto --max-per-rule 0 --report $shard.json
        says err "clerk check: shard $shard/3, as a parallel job of GitLab has CI_NODE_INDEX=$shard"
    done
    status 1 "$clerk" report [123].json
    cmp out whole || fail "the report of the shards is another one: $(diff whole out)"
    status 2 "$clerk" report 1.json 3.json
    says err "of 3 shards there is no 2"
    status 2 "$clerk" report [123].json 1.json
    says err "'1.json' has shard 1/3 once more"
    status 0 "$clerk" check 1.db --shard 2/2
    says err "clerk check: shard 2/2 has no trace: nothing is checked"
    status 1 "$clerk" check ?.db --shard 1/2 --report half.json
    status 2 "$clerk" report 2.json half.json
    says err "cut into other shards"
    # One that cannot be read does not keep the others from being checked, and is not forgotten.
    head -c 5000 2.db >2.cut && mv 2.cut 2.db
    status 1 "$clerk" check ?.db
    says out "clerk: a trace was not checked: '2.db' is cut short"
    says out "./mistaken build size in 4.db"
    status 2 "$clerk" check 2.db 3.db
    status 2 "$clerk" check 2.db
    says err "clerk check: '2.db' is cut short"
}

# Samples in shards: what any finds is found, and together they are as many as were asked for.
samples() {
    kernel=$source_directory/tests/kernels/explore/dekker.cl
    litmus=$source_directory/tests/litmus/atomic-and-plain-read.litmus
    for shard in 1 2 3; do
        JOB_COMPLETION_INDEX=$((shard - 1)) status 1 "$clerk" kernel "$litmus" --sample 100 --shard auto/3 --json
        says err "clerk kernel: shard $shard/3, as an indexed Job of Kubernetes has JOB_COMPLETION_INDEX=$((shard - 1))"
        mv out $shard.json
    done
    grep -h '"executions"' [123].json | sed 's/.*"executions":\([0-9]*\),.*/\1/' | tr '\n' ' ' >counts
    says counts "34 33 33 "
    status 1 "$clerk" kernel --merge 3.json 1.json 2.json
    says out '"reason":"100 executions were chosen at random, and no hang looked for"'
    says out '"race":"found"'
    says out '"races":1,"executions":100,'
    for kind in race incomplete litmus; do
        [ "$(grep -c "\"kind\":\"$kind\"" out)" -eq 1 ] || fail "there is not one line of kind $kind: $(cat out)"
    done
    [ "$(grep -c '"kind":"outcome"' out)" -eq 2 ] || fail "there are not two outcomes: $(cat out)"
    mv out merged
    status 1 "$clerk" kernel --merge 1.json 2.json 3.json
    cmp out merged || fail "the order of the outputs shows"
    status 2 "$clerk" kernel --merge 1.json 3.json
    says err "of 3 shards there is no 2"
    head -c 100 2.json >killed.json
    status 2 "$clerk" kernel --merge 1.json killed.json 3.json
    says err "'killed.json' is not the whole output of a clerk kernel --sample N --shard I/N --json"
    # Of a kernel, with an assertion that the second of two executions violates.
    for shard in 1 2; do
        status $((3 - shard)) "$clerk" kernel "$kernel" -k seq_cst -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 \
            --assert 'data != 0' --sample 2:5 --shard $shard/2 --json
        mv out k$shard.json
    done
    says k1.json '"verdict":"not decided"'
    says k2.json '"verdict":"violated"'
    status 1 "$clerk" kernel --merge k1.json k2.json
    says out '"kind":"assertion","text":"data != 0","verdict":"violated"'
    says out '"kind":"exploration","kernel":"seq_cst"'
    [ "$(grep -c '"kind":"assertion"' out)" -eq 1 ] || fail "the assertion is told twice: $(cat out)"
    status 2 "$clerk" kernel --merge 1.json 2.json k1.json
    says err "cut into other shards"
    status 2 "$clerk" kernel "$litmus" --explore --shard 1/2
    says err "--shard divides the executions of --sample"
    status 2 "$clerk" kernel "$litmus" --sample 2 --shard 1/3
    says err "--sample 2 has fewer executions than there are shards"
    status 2 "$clerk" kernel --merge
    says err "which outputs?"
}

$case_name
