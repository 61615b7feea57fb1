#!/bin/sh
# What stands where clerk writes, or lies beside a trace that somebody else made. Nothing that is not clerk's is
# removed, replaced, written into, or waited for.
#
#     strangers.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
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

# record TRACE: a whole recording of a few calls
record() {
    status 0 "$clerk" run --checks none -o "$1" -- "$victim" 1 20
}

# leave TRACE: what a recording leaves whose process died in the driver
leave() {
    CLERK_TRACE=$1 CLERK_CHECKS=none OPENCL_LAYERS=$build/lib/clerk/libclerk_layer.so NULL_DRIVER_CRASHES=1 \
        "$victim" 1 3000 >out 2>err && fail "the victim lives"
    [ -d "$1.spool" ] || fail "there is no spool"
}

# ends N COMMAND...: as status, but within ten seconds
ends() {
    wanted=$1
    shift
    status "$wanted" timeout 10 "$@"
}

every_verb() {
    for verb in "show $1" "show $1 calls" "check $1" "replay $1" "diff $1 $1" "export $1 --format csv -o exported"; do
        # shellcheck disable=SC2086 # words
        ends "$2" "$clerk" $verb
    done
}

spool_is_a_link() {
    record bug.db
    mkdir home
    echo dear >home/letter
    : >home/1.segment
    ln -s home bug.db.spool
    every_verb bug.db 2
    says err "'bug.db.spool' is a symbolic link"
    status 2 "$clerk" run --checks none -o bug.db -- "$victim" 1 20
    says err "'bug.db.spool' is a symbolic link"
    [ -e home/letter ] && [ -e home/1.segment ] && [ -h bug.db.spool ] || fail "files are gone: $(ls home)"
    # its members
    rm bug.db.spool bug.db
    leave bug.db
    rm bug.db.spool/1.segment
    ln -s ../home/letter bug.db.spool/1.segment
    every_verb bug.db 2
    says err "'bug.db.spool/1.segment' is a symbolic link"
    rm bug.db.spool/1.segment
    ln home/letter bug.db.spool/1.segment
    every_verb bug.db 2
    says err "'bug.db.spool/1.segment' has another owner, another name"
    [ "$(cat home/letter)" = dear ] || fail "the letter is gone"
}

other_files_stay() {
    leave bug.db
    echo dear >bug.db.spool/letter
    mkdir bug.db.spool/7.segment.d
    status 0 "$clerk" show bug.db
    [ "$(ls bug.db.spool)" = "7.segment.d
letter" ] || fail "not clerk's files alone are gone, but: $(ls bug.db.spool)"
    status 0 "$clerk" show bug.db calls
    says out "clSetKernelArg"
    # A directory that no recording left, and nothing else, keeps nobody from reading.
    rm -r bug.db.spool
    mkdir bug.db.spool
    echo dear >bug.db.spool/letter
    status 0 "$clerk" show bug.db
    [ -e bug.db.spool/letter ] || fail "the letter is gone"
    status 2 "$clerk" run --checks none -o bug.db -- "$victim" 1 20
    says err "'bug.db.spool' holds more than clerk's files"
    [ -e bug.db.spool/letter ] && [ -e bug.db ] || fail "the letter is gone"
}

spool_of_others() {
    leave bug.db
    chmod 777 bug.db.spool
    every_verb bug.db 2
    says err "'bug.db.spool' may be written to by other users"
    chmod 700 bug.db.spool
    if [ "$(id -u)" -eq 0 ]; then
        chown 12345 bug.db.spool
        every_verb bug.db 2
        says err "'bug.db.spool' belongs to another user"
        chown 0 bug.db.spool
    fi
    ln bug.db second.db
    every_verb bug.db 2
    says err "'bug.db' has another owner, another name"
    rm second.db
    ends 0 "$clerk" show bug.db
}

pipes_beside_a_trace() {
    record whole.db
    for name in -wal -shm -journal .spool; do
        cp whole.db bug.db
        mkfifo bug.db$name
        every_verb bug.db 2
        says err "'bug.db$name' is not a "
        rm bug.db$name
    done
    rm bug.db
    for name in process 1.segment; do
        leave bug.db
        rm bug.db.spool/$name
        mkfifo bug.db.spool/$name
        every_verb bug.db 2
        rm -r bug.db*
    done
    mkfifo bug.db
    every_verb bug.db 2
    says err "'bug.db' is not a regular file"
}

# SQLite takes the end of a rollback journal for the name of a file that goes with the journal.
journal_names_a_file() {
    leave bug.db
    echo dear >letter
    printf '\331\325\005\371\040\241\143\327' >magic
    { head -c 4096 /dev/zero; cat magic; } >bug.db-journal
    every_verb bug.db 2
    says err "'bug.db-journal' names a further file"
    [ -e letter ] || fail "the letter is gone"
}

only_a_trace_is_replaced() {
    mkfifo pipe.db
    : >letter
    echo dear >letter
    ln -s letter link.db
    ln -s nowhere dangling.db
    mkdir directory.db
    for name in /dev/null pipe.db link.db dangling.db directory.db letter; do
        [ -e "$name" ] && before=$(ls -lid "$name") || before=
        ends 2 "$clerk" run --checks none -o "$name" -- "$victim" 1 20
        says err "'$name'"
        [ ! -e "$name" ] || [ "$(ls -lid "$name")" = "$before" ] || fail "'$name' was replaced"
    done
    [ ! -e nowhere ] || fail "a link was followed"
    ends 2 "$clerk" run --checks none -o '' -- "$victim" 1 20
    says err "names no file"
    # Other outputs may go into a pipe or a device, and never take its place.
    before=$(stat -c %t:%T:%i /dev/null)
    record t.db
    status 0 "$clerk" run --report /dev/null -- "$victim" 1 0
    status 0 "$clerk" export t.db --format csv -o /dev/null
    [ "$(stat -c %t:%T:%i /dev/null)" = "$before" ] || fail "/dev/null was replaced"
    # Not even when it takes nothing: half of a page is removed, what leads elsewhere is not.
    ln -s /dev/full full
    for form in html perfetto chrome csv; do
        status 2 "$clerk" export t.db --format $form -o full
        [ -h full ] || fail "a link was removed by export --format $form"
    done
    status 0 "$clerk" run --report /dev/stdout -- "$victim" 1 0
    ln -s report.txt report
    echo old >report.txt
    status 0 "$clerk" run --report report -- "$victim" 1 0
    [ -h report ] || fail "a link was replaced by a report"
    ! grep -q old report.txt || fail "the report went elsewhere"
    mkfifo findings
    ends 2 "$clerk" run --findings findings -- "$victim" 1 0
    says err "findings' is not a regular file"
}

# A recording that has just begun is nothing damaged, and nobody was killed.
begun_is_not_damaged() {
    : >t.db
    mkdir -m 700 t.db.spool
    sed 's/.*) //' /proc/$$/stat >stat
    (
        umask 077
        printf 'clerk-spool 1\nprocess %s\nstart %s\nboot %s\n' $$ "$(cut -d ' ' -f 20 stat)" "$(cat /proc/sys/kernel/random/boot_id)" >t.db.spool/process
    )
    every_verb t.db 2
    says err "'t.db' is being begun"
    rm -r t.db.spool
    every_verb t.db 2
    says err "'t.db' is empty"
}

# app.2.db is of a run of app.db, or of one that was asked for that name.
numbers_are_kept_apart() {
    record bug.2.db
    before=$(ls -i bug.2.db)
    status 0 "$clerk" run --checks none -o bug.db -- sh -c "'$victim' 1 20; '$victim' 1 30"
    says err "calls recorded in bug.3.db"
    ! grep -q 'bug\.2\.db' err || fail "another run's trace is shown: $(cat err)"
    record bug.db
    [ "$(ls -i bug.2.db)" = "$before" ] || fail "another run's trace is gone"
    [ ! -e bug.3.db ] || fail "a trace of the earlier run stayed"
}

# Files of the user's that have the names of SQLite's, or of clerk's lock.
neighbours_stay() {
    for name in -journal -wal -shm .lock; do
        for before in nothing record; do
            rm -f trip*
            [ $before = nothing ] || record trip
            echo diary >trip$name
            ends 2 "$clerk" run --checks none -o trip -- "$victim" 1 20
            says err "'trip$name'"
            [ "$(cat trip$name)" = diary ] || fail "trip$name is gone"
        done
        # Without clerk run, another name is taken.
        rm -f trip
        CLERK_TRACE=trip CLERK_CHECKS=none OPENCL_LAYERS=$build/lib/clerk/libclerk_layer.so status 0 "$victim" 1 20
        [ "$(cat trip$name)" = diary ] || fail "trip$name is gone"
        [ $name = .lock ] || [ -s trip.2 ] || fail "nothing was recorded: $(ls)"
    done
    # What SQLite left there is no diary.
    rm -f trip*
    leave trip
    rm -r trip trip.spool
    [ -s trip-wal ] || fail "there is no log"
    record trip
    [ "$(ls -d trip*)" = trip ] || fail "files stayed: $(ls -d trip*)"
    # Reading writes into the index of a log: it is not another file by another name.
    leave bug.db
    rm -r bug.db.spool bug.db-shm
    ends 0 "$clerk" show bug.db
    echo diary >letter
    for name in -shm -wal -journal; do
        rm -f bug.db$name
        ln letter bug.db$name
        every_verb bug.db 2
        says err "'bug.db$name' has another name"
        rm bug.db$name
    done
    [ "$(cat letter)" = diary ] || fail "the letter was written into"
}

names_are_plain() {
    for name in file:foo.db ':memory:' 'file:foo.db?mode=memory' './-o.db'; do
        record "$name"
        [ -s "$name" ] || fail "there is no '$name' but: $(ls)"
        status 0 "$clerk" show "$name" calls
        says out clSetKernelArg
        rm "$name"
    done
    [ ! -e foo.db ] || fail "a name was taken for a URI"
    status 2 "$clerk" show file:foo.db
}

only_its_owner_reads() {
    umask 022
    leave t.db
    for name in t.db t.db-wal t.db-shm t.db.spool/process t.db.spool/1.segment; do
        [ "$(stat -c %a $name)" = 600 ] || fail "$name has mode $(stat -c %a $name)"
    done
    [ "$(stat -c %a t.db.spool)" = 700 ] || fail "the spool has mode $(stat -c %a t.db.spool)"
    status 0 "$clerk" show t.db
    status 0 "$clerk" run --findings findings.json -- "$victim" 1 0
    [ "$(stat -c %a findings.json)" = 600 ] || fail "findings have mode $(stat -c %a findings.json)"
    record t.db
    [ "$(stat -c %a t.db)" = 600 ] || fail "a trace has mode $(stat -c %a t.db)"
    rm t.db
    status 0 "$clerk" run --device reference -o t.db -- "$build/tests/replay_buffers"
    status 0 "$clerk" replay t.db --golden golden.db
    [ "$(stat -c %a golden.db)" = 600 ] || fail "reference outputs have mode $(stat -c %a golden.db)"
    echo 'kernel void k(global int *o) { o[0] = 1; }' >k.cl
    XDG_CACHE_HOME=$work/cache status 0 "$clerk" kernel k.cl -g 1 -a "buf:int[1]=0"
    [ "$(stat -c %a cache cache/clerk cache/clerk/* | sort -u | tr '\n' ' ')" = "600 700 " ] ||
        fail "the cache has modes $(stat -c '%a %n' cache cache/clerk cache/clerk/*)"
}

# Several runs that were asked for the same name at once: one records, and others say so.
one_run_a_name() {
    runs=
    for i in 1 2 3 4 5 6; do
        (
            got=0
            "$clerk" run --checks none -o t.db -- "$victim" 1 20000 >out.$i 2>err.$i </dev/null || got=$?
            echo $got >got.$i
        ) &
        runs="$runs $!"
    done
    # shellcheck disable=SC2086 # words
    wait $runs
    recorded=0
    for i in 1 2 3 4 5 6; do
        case $(cat got.$i) in
        0)
            recorded=$((recorded + 1))
            says err.$i "calls recorded in t.db"
            [ "$(grep -c 'recorded in' err.$i)" -eq 1 ] || fail "a run showed another's trace: $(cat err.$i)"
            ;;
        2) grep -q "'t.db' is being recorded by clerk run, process [0-9]" err.$i || fail "$(cat err.$i)" ;;
        *) fail "a run exited with $(cat got.$i): $(cat err.$i)" ;;
        esac
    done
    [ $recorded -ge 1 ] || fail "nobody recorded"
    status 0 "$clerk" show t.db calls --call clSetKernelArg --json
    [ "$(wc -l <out)" -eq 20000 ] || fail "the trace has $(wc -l <out) calls"
    [ "$(ls -d t.*)" = t.db ] || fail "files stayed: $(ls -d t.*)"
    # A program that outlives its run.
    status 0 "$clerk" run --checks none -o t.db -- sh -c "'$victim' 1 300000 >/dev/null 2>&1 </dev/null & echo \$! >id"
    until [ -d t.db.spool ]; do
        kill -0 "$(cat id)" 2>/dev/null || skip "the program was too fast"
    done
    status 2 "$clerk" run --checks none -o t.db -- "$victim" 1 20
    says err "'t.db' is being recorded by process $(cat id)"
    while kill -0 "$(cat id)" 2>/dev/null; do sleep 0.1; done
    record t.db
}

# A daemon closes what it does not know, and opens its own files.
closes_descriptors() {
    for via in layer preload; do
        status 99 "$clerk" run --via $via -o t.db -- "$build/tests/closes_all" 20000
        says out "the program is done"
        says err "error: [release-excess]"
        for file in own-*; do
            [ "$(cat "$file")" = "this is the program's own" ] || fail "somebody wrote into $file"
        done
        status 0 "$clerk" show t.db
        says out "complete"
        status 0 "$clerk" show t.db calls --call clSetKernelArg --json
        sed -n 's/.*"arg_value":"\([0-9a-f]*\)".*/\1/p' out >numbers
        [ "$(wc -l <numbers)" -eq 20000 ] || fail "the trace has $(wc -l <numbers) calls only"
        status 0 "$clerk" show t.db findings
        says out release-excess
    done
    # Standard error is closed as well: what is told there is not for the file that takes its place.
    rm own-*
    OPENCL_LAYERS=$build/lib/clerk/libclerk_layer.so status 0 "$build/tests/closes_all" 20 2
    [ "$(cat own-2)" = "this is the program's own" ] || fail "somebody wrote into own-2: $(cat own-2)"
    OPENCL_LAYERS=$build/lib/clerk/libclerk_layer.so status 0 "$build/tests/closes_all" 20
    says err release-excess
}

$case_name
