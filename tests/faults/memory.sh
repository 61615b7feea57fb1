#!/bin/sh
# Requests for memory that fail, one in each run, in clerk or a library of its own: whatever a verb says then is what
# it says with all of them served, or it says that it could not (exit status 2). Never that all is well.
#
#     memory.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY [RUNS]
#
# CASE is a function below. RUNS of each command line, at requests spread over all (24); 0: at every one.
set -eu
case_name=$1
source_directory=$2
build=$3
runs=${4:-24}
clerk=$build/bin/clerk
. "$source_directory/tests/cli/checks.sh"
CLERK_CACHE=$build/tests/cache
FAIL_NOTE=$work/note
export CLERK_CACHE FAIL_NOTE

if ldd "$clerk" | grep -q 'lib[a-z]*san'; then
    echo 'skipped: sanitizers have an allocator of their own'
    exit 77
fi

# perform N COMMAND...: the N-th request fails, in each process; the status is in `got`
perform() {
    at=$1
    shift
    rm -f note
    got=0
    FAIL_AT=$at LD_PRELOAD=$build/tests/libfails_malloc.so timeout 100 "$@" >out 2>err </dev/null || got=$?
}

# try COMMAND...
try() {
    "$@" >out 2>err </dev/null || true # what is kept for later runs is there
    perform 0 "$@"
    cp out wanted
    cp err wanted_err
    wanted=$got
    [ -s note ] || fail "the requests of '$*' are not counted"
    total=$(sort -n note | tail -1)
    step=1
    [ "$runs" -eq 0 ] || step=$((total / runs + 1))
    at=1
    while [ "$at" -le "$total" ]; do
        perform "$at" "$@"
        if grep -q failed note 2>/dev/null; then
            "$judge" "$at" "$*"
        fi
        at=$((at + step))
    done
    echo "$*: $total requests"
}

judge=judge_verb

# It says that it could not, and nothing that sounds as if it could; or all is as ever.
judge_verb() {
    if [ "$got" -eq 2 ] && [ "$wanted" -ne 2 ]; then
        [ -s err ] || fail "request $1 of '$2' failed, and the exit status is 2 without a word"
        if grep -e 'no findings' -e 'race: none' -e 'all equal' err >bad || grep -e 'no findings' -e 'race: none' out >bad; then
            fail "request $1 of '$2' failed, and yet: $(cat bad)"
        fi
    elif [ "$got" -ne "$wanted" ]; then
        fail "request $1 of '$2' failed: exit status $got, $(cat err)"
    elif ! cmp -s out wanted || grep -qi 'memory' err; then
        fail "request $1 of '$2' failed: exit status $got, and other words: $(cat err) $(diff wanted out | head -5)"
    fi
}

recorded() {
    for name in first second; do
        status 0 "$clerk" run --device reference --contents all -o $name.db -- "$build/tests/replay_kernels"
    done
}

replaying() {
    recorded
    try "$clerk" replay first.db
    try "$clerk" replay --json first.db
    try "$clerk" replay --shard 1/1 first.db
}

reading() {
    recorded
    try "$clerk" check first.db
    try "$clerk" diff first.db second.db
    for list in calls objects launches findings programs memory commands; do
        try "$clerk" show first.db $list
    done
    try "$clerk" show first.db calls --json
}

merging() {
    recorded
    for shard in 1 2; do
        "$clerk" replay first.db --shard $shard/2 --json >$shard.json || true
        "$clerk" replay first.db --personalities ftz,big-endian --shard $shard/2 --json >like-$shard.json || true
        "$clerk" kernel "$source_directory/tests/litmus/atomic-and-plain-read.litmus" --sample 20 --shard $shard/2 --json >sample-$shard.json || true
        "$clerk" check first.db second.db --shard $shard/2 --report check-$shard.json || true
    done
    try "$clerk" replay --merge 1.json 2.json
    try "$clerk" replay --merge like-1.json like-2.json
    try "$clerk" replay --merge --json like-1.json like-2.json
    try "$clerk" kernel --merge sample-1.json sample-2.json
    try "$clerk" check first.db second.db
    try "$clerk" report check-1.json check-2.json
}

exporting() {
    recorded
    for form in html perfetto chrome csv; do
        try "$clerk" export first.db --format $form -o /dev/stdout
    done
}

kernels() {
    cat >kernel.cl <<'END'
kernel void right(global int *a) { a[get_global_id(0)] = 1; }
kernel void racy(global int *a) { a[get_global_id(0) / 2] = 1; }
END
    for kernel in right racy; do
        try "$clerk" kernel kernel.cl -k $kernel -g 4 -l 2 -a 'buf:int[4]=0'
        try "$clerk" kernel kernel.cl -k $kernel -g 2 -l 1 -a 'buf:int[4]=0' --explore
    done
    try "$clerk" kernel "$source_directory/tests/litmus/store-buffering.litmus" --explore
    try "$clerk" kernel "$source_directory/tests/litmus/store-buffering.litmus" --explore --json
}

# The device has no memory for the program either, which may end therefore, and leave its objects; that is no error of
# the program's. A loader that has none to load the layer goes on without it, and does not say why: then nothing was checked.
judge_run() {
    if ! cmp -s err wanted_err && ! grep -qi -e 'memory' -e 'none was checked' err; then
        fail "request $1 of '$2' failed, and this is said: $(cat err)"
    fi
    if grep -qi 'memory' err && grep 'no findings' err >bad; then
        fail "request $1 of '$2' failed, and yet: $(cat bad)"
    fi
    grep '^error: \[' err >bad && fail "request $1 of '$2' failed, and the program is blamed: $(cat bad)"
    return 0
}

running() {
    judge=judge_run
    try "$clerk" run --device reference -o run.db -- "$build/tests/replay_kernels"
    try "$clerk" run --device reference -- "$build/tests/replay_kernels"
}

$case_name
