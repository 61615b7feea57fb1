#!/bin/sh
# Recordings that something happens to: a kill, a crash in the driver, a full disk. Whatever it is, the program goes
# on if it lives, clerk says what happened, and the trace has every call up to then.
#
#     faults.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below; one that this machine does not allow is skipped (status 77).
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
victim=$build/tests/fault_victim
. "$source_directory/tests/cli/checks.sh"
unset CLERK_CHECKS CLERK_CONTENTS 2>/dev/null || true
OCL_ICD_VENDORS=$build/tests/bench/vendors
export OCL_ICD_VENDORS

# numbers TRACE WANTED: the arguments of clSetKernelArg in the trace are 0, 1, 2 and so on, as the one thread gave them,
# and WANTED at least; `count` is how many they are
numbers() {
    status 0 "$clerk" show "$1" calls --call clSetKernelArg --json
    sed -n 's/.*"arg_value":"\([0-9a-f]*\)".*/\1/p' out >numbers
    awk '{ if ($1 != sprintf("%02x%02x%02x0000000000", (NR - 1) % 256, int((NR - 1) / 256) % 256, int((NR - 1) / 65536)))
        exit 1 }' numbers || fail "the calls in $1 are not as they were made"
    count=$(wc -l <numbers)
    [ "$count" -ge "$2" ] || fail "the trace has $count calls only"
}

# The first call of the application's that the program made after clerk had stopped is not there, which is said.
runs_on_unobserved() {
    says out "the program is done"
    says err "; the program runs on, unobserved"
    says err "the run was observed in part only"
}

killed_anywhere() {
    CLERK_TRACE=$work/t.db CLERK_CHECKS=none OPENCL_LAYERS=$build/lib/clerk/libclerk_layer.so \
        "$build/tests/kill_anywhere" ${ROUNDS:-200} "$victim"
}

driver_crashes() {
    ! ldd "$victim" | grep -q -e libasan -e libtsan -e libclang_rt || skip "a sanitizer catches the crash"
    NULL_DRIVER_CRASHES=1 status 139 "$clerk" run --checks none -o t.db -- "$victim" 1 3000
    says err "the program was ended by signal 11"
    says err ", clFinish by thread 1, never returned"
    numbers t.db 3000
    status 0 "$clerk" show t.db
    says out "1 never returned"
}

# On a file system of its own, of each size: from one where nothing fits to one where most does.
disk_fills() {
    unshare --mount mount -t tmpfs none "$work" 2>/dev/null || skip "no file system may be mounted here"
    unshare --mount sh "$0" disks_of_each_size "$source_directory" "$build"
}

disks_of_each_size() {
    mkdir disk
    for size in 1 4 8 9 11; do
        mount -t tmpfs -o size=${size}m none disk
        status 2 "$clerk" run --checks none -o disk/t.db -- "$victim" 1 100000
        runs_on_unobserved
        if [ -e disk/t.db.spool ]; then
            says err "cannot be stored: cannot write 'disk/t.db': the disk is full"
            status 2 "$clerk" show disk/t.db
            says err "the disk is full"
            mount -o remount,size=100m disk
            numbers disk/t.db 1
            says err "was recovered" # and, where the spool had no room either, that recording stopped
        elif [ -e disk/t.db ]; then
            numbers disk/t.db 1
            says err "recording stopped before the program ended"
        else
            says err "No space left on device"
            count=no
        fi
        echo "$size MiB: $count calls"
        umount disk
    done
}

# The same by a limit on the sizes of files, which would end the program by a signal. In blocks of 512 bytes.
files_may_not_grow() {
    for blocks in 20 1000 2100 8000; do
        rm -rf t.db*
        (
            ulimit -f $blocks
            status 2 "$clerk" run --checks none -o t.db -- "$victim" 1 100000
            runs_on_unobserved
        ) || exit 1
        if [ -e t.db ]; then
            numbers t.db 1
        else
            says err "here (ulimit -f)"
            count=no
        fi
        echo "$blocks blocks: $count calls"
    done
}

directory_vanishes() {
    mkdir there
    head -c 64 /dev/zero >counts
    "$clerk" run --checks none -o there/t.db -- "$victim" 1 1000000 counts >out 2>err &
    id=$!
    # The second number is of calls that returned.
    until [ "$(od -A n -t u8 -j 8 -N 8 counts | tr -d ' ')" -gt 20000 ]; do
        kill -0 $id 2>/dev/null || fail "the program ended: $(cat err)"
        sleep 0.01
    done
    # Files may be made in it meanwhile.
    rm -rf there 2>/dev/null || rm -rf there 2>/dev/null || rm -rf there
    got=0
    wait $id || got=$?
    [ $got -eq 2 ] || fail "clerk run exited with $got: $(cat err)"
    runs_on_unobserved
    says err "No such file or directory"
    [ ! -e there ] || fail "the directory is there again"
}

# Threads with the smallest stacks that there are find what others find, by either way and with what takes most room.
small_stacks() {
    for via in layer preload; do
        for options in "--checks all" "--checks all --contents all -o t.db" "--watch-transfers --watch-maps"; do
            status 99 "$clerk" run --via $via $options -- "$build/tests/pressed" stacks
            says out "the program is done"
            says err "arg_index is 7; the kernel has 2 arguments"
            says err "at set_wrong_arguments ("
            says err "work_dim is 9, more than the device's 3"
            says err "[release-excess]"
            says err "buffer#2 (64 bytes) is never released"
        done
    done
}

# What the program does once it has left a call so, clerk cannot know, and says so: no object counts as left.
left_by_longjmp() {
    ! ldd "$build/tests/pressed" | grep -q -e libasan -e libtsan -e libclang_rt || skip "a sanitizer catches the crash"
    for via in layer preload; do
        NULL_DRIVER_CRASHES=1 status 2 "$clerk" run --via $via -o t.db -- "$build/tests/pressed" longjmp
        says out "the program is done"
        says err "observed in part only (the program left clFinish by a longjmp)"
        ! grep -e "never released" -e "did not end by itself" err || fail "the program is blamed"
        status 0 "$clerk" show t.db
        says out "state       stopped"
    done
}

# The layer changes the tables of libraries, so that it sees what they free, but none that is still being loaded.
libraries_come_and_go() {
    for via in layer preload; do
        status 99 "$clerk" run --via $via -- "$build/tests/pressed" "$build/tests/libmany_slots.so"
        says out "the program is done"
        says err "[memory-freed] the program calls free on memory while clEnqueueWriteBuffer may still"
        says err "at free_there ("
    done
}

# What kill -9 leaves in the temporary directory goes with the next run; what others have there stays.
killed_runs_leave_nothing() {
    mkdir tmp tmp/clerk-scratch-others0 there
    chmod 755 tmp/clerk-scratch-others0
    echo kept >there/file
    ln -s "$work/there" tmp/clerk-scratch-link00
    TMPDIR=$work/tmp
    for round in 1 2 3; do
        "$clerk" run -- "$victim" 1 1000000 >/dev/null 2>&1 &
        id=$!
        until [ -n "$(find tmp -type f)" ]; do sleep 0.01; done
        kill -9 $id
        wait $id 2>/dev/null || true
    done
    mkdir -m 700 tmp/clerk-scratch-left00
    echo header >tmp/clerk-scratch-left00/header.h
    # A program that was being started when its clerk was killed has the lock until it has begun.
    for try in 1 2 3 4 5 6 7 8; do
        status 0 "$clerk" run --checks none -- "$victim" 1 10
        left=$(ls tmp | tr '\n' ' ')
        [ "$left" != "clerk-scratch-link00 clerk-scratch-others0 " ] || break
        sleep 0.5
    done
    [ "$left" = "clerk-scratch-link00 clerk-scratch-others0 " ] || fail "there is left: $left"
    says there/file kept
}

$case_name
