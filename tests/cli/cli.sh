#!/bin/sh
# The clerk program from outside: exit statuses, messages, lists.
#
#     cli.sh CASE CLERK MAKE_TRACE EXPECTED
#
# CASE is a function below; CLERK the program, MAKE_TRACE the recorder of the sample run, EXPECTED the folder of
# expected outputs. A case fails at its first failed check.
set -eu
case_name=$1
clerk=$2
make_trace=$3
expected=$4
. "$(dirname "$0")/checks.sh"
# The same drivers on every machine: clerk's own.
OCL_ICD_VENDORS=$(dirname "$(dirname "$clerk")")/share/clerk/vendors
export OCL_ICD_VENDORS

# same FILE NAME: equal to expected/NAME
same() {
    diff -u "$expected/$2" "$1" >&2 || fail "the output differs from expected/$2"
}

help_and_usage() {
    status 0 "$clerk" --help
    says out "usage: clerk VERB"
    cp out verbs
    for verb in run kernel replay show rules doctor; do
        says verbs "  $verb "
        status 0 "$clerk" "$verb" --help
        says out "usage: clerk $verb "
        says out "--help"
        silent err
        status 0 "$clerk" help "$verb"
    done
    status 0 "$clerk" --version
    says out "clerk "
    status 2 "$clerk"
    status 2 "$clerk" shwo
    says err "unknown verb 'shwo'; did you mean 'show'?"
    silent out
    status 2 "$clerk" xyzzy
    says err "unknown verb 'xyzzy' (see clerk --help)"
    status 2 "$clerk" show --jsno x
    says err "unknown option '--jsno'; did you mean '--json'?"
    # What one may look for is told where it is.
    for option in --skip=3 --count; do
        status 2 "$clerk" run $option 2 -- true
        says err "there is no ${option%=3}: --launches A-B checks the A-th to the B-th launch (see clerk run --help)"
        status 2 "$clerk" replay $option 2 x.db
        says err "there is no ${option%=3}: --launches A-B performs the launches of calls A to B alone"
    done
    status 0 "$clerk" run echo --skip 3 # the program's own
    says out "--skip 3"
    for option in kernels launches sample time-limit skip count; do
        status 2 "$clerk" check x.db --$option 2
        says err "there is no --$option: all calls are judged, and no kernels; clerk run and clerk replay choose which launches are checked"
    done
    status 2 "$clerk" show --skip 3 x.db
    says err "unknown option '--skip'"
    status 2 "$clerk" show -n
    says err "-n needs a value"
    status 2 "$clerk" show x.db --limit many
    says err "--limit needs a number, not 'many'"
    status 2 "$clerk" show
    says err "which trace?"
    status 2 "$clerk" show x.db calls more
    says err "'more' is one operand too many"
    status 2 "$clerk" run
    says err "which program?"
    status 2 "$clerk" run --via telepathy -- true
    says err "--via must be one of layer|preload, not 'telepathy'"
}

# completes WORDS WANTED: what bash offers for the last of the words
completes() {
    bash -c '. ./completion; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); [ "$3" ] || COMP_WORDS+=("") COMP_CWORD=$((COMP_CWORD + 1))
        _clerk; echo "${COMPREPLY[@]}"' - "$1" "" "${3-}" >offered
    [ "$(cat offered)" = "$2" ] || fail "'$1' completes to '$(cat offered)', not '$2'"
}

pages_from_the_tables() {
    status 0 "$clerk" --completion
    mv out completion
    completes "clerk ex" export partial
    completes "clerk run --dev" "--device --devices" partial
    completes "clerk run --device" "system reference"
    completes "clerk show app.db --col" --color partial
    completes "clerk show app.db c" "calls commands" partial
    completes "clerk run --checks race-loc" race-local partial
    completes "clerk run --checks host,race-loc" host,race-local partial
    completes "clerk run --personality big" big-endian partial
    completes "clerk kernel --schedule s" seed: partial
    completes "clerk rules lifetime" lifetime-ended partial
    completes "clerk rules lea" leak partial
    completes "clerk export app.db" ""
    status 0 "$clerk" --manual
    says out ".TH CLERK 1"
    says out '.BR clerk\-replay (1)'
    says out '.B CLERK_CHECKS'
    says out '.SH FILES'
    for verb in run kernel replay check report diff export show view rules doctor; do
        status 0 "$clerk" --manual $verb
        says out ".B clerk $verb"
        says out ".SH EXAMPLES"
        # Every option of the help stands in the page.
        sed -n 's/^\.BR .*\\-\\-\([a-z\\-]*\).*/--\1/p' out | tr -d '\\' | sort >paged
        status 0 "$clerk" $verb --help
        sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z-]*\).*/\2/p' out | grep -vx -e --help | sort -u >helped
        diff -u helped paged >&2 || fail "the page of $verb has other options than its help"
        "$clerk" --manual $verb >page
        if command -v groff >/dev/null; then
            groff -man -ww -Tascii page 2>&1 >/dev/null | grep . >&2 && fail "groff does not like the page of $verb"
        fi
    done
    status 2 "$clerk" --manual shwo
    says err "unknown verb 'shwo'; did you mean 'show'?"
}

rules_of_a_family() {
    status 0 "$clerk" rules race
    silent err
    says out 'race (kernel)'
    says out '  race-local '
    says out '  memory-order ' # of the group
    says out '  race-host ' # of another group
    if grep -q -e handle-null -e '^What to do' out; then fail "rules race lists others, or explains one"; fi
    status 0 "$clerk" rules race-local
    says out 'What to do:'
    status 0 "$clerk" rules map --json
    [ "$(grep -c '"rule":"map-' out)" -eq "$(wc -l <out)" ] || fail "rules map --json gives other rules"
    says out '"rule":"map-left"'
    status 2 "$clerk" rules raec
    says err "no rule or group begins with 'raec'; did you mean 'race'?"
    status 2 "$clerk" rules race-lcoal
    says err "did you mean 'race-local'?"
    status 2 "$clerk" rules something-else-entirely
    says err "no rule or group begins with 'something-else-entirely' (see"
    status 2 "$clerk" rules race --markdown
    says err "--markdown prints all rules"
}

show_lists() {
    status 0 "$make_trace" t.db
    for what in calls commands launches kernels lines transfers queues threads objects usage peak programs findings; do
        status 0 "$clerk" show t.db $what
        silent err
        same out "show_$what.txt"
        status 0 "$clerk" show t.db $what --json
        silent err
        same out "show_$what.json"
    done
    status 0 "$clerk" show t.db programs --full
    same out show_sources.txt
    status 0 "$clerk" show t.db
    silent err
    grep -v -e '^command' -e '^directory' -e '^started' -e '^host' out >summary
    same summary show_summary.txt
    status 0 "$clerk" show t.db calls --thread 2 --limit 2
    [ "$(grep -c clEnqueueNDRangeKernel out)" -eq 1 ] || fail "--thread 2 lost the launch"
    [ "$(wc -l <out)" -eq 3 ] || fail "--limit 2 gave $(wc -l <out) lines"
    status 0 "$clerk" show t.db calls --errors
    says out CL_INVALID_KERNEL
    [ "$(wc -l <out)" -eq 2 ] || fail "--errors gave $(wc -l <out) lines"
    status 0 "$clerk" show t.db calls --call 'clCreate*' --json
    [ "$(wc -l <out)" -eq 6 ] || fail "--call gave $(wc -l <out) lines"
    status 2 "$clerk" show t.db luanches
    says err "cannot show 'luanches'; did you mean 'launches'?"
    status 2 "$clerk" show launches t.db
    says err "the trace comes first: clerk show t.db launches"
}

show_objects_and_widths() {
    status 0 "$make_trace" t.db
    status 0 "$clerk" show t.db follow 'buffer#2'
    same out show_follow.txt
    status 0 "$clerk" show t.db follow 0x60 --json
    says out '{"object":"kernel#1","kind":"kernel","label":"sum","created_call":9}'
    [ "$(wc -l <out)" -eq 3 ] || fail "follow 0x60 --json gave $(wc -l <out) lines"
    status 0 "$clerk" show t.db follow 'buffer#1'
    says out "buffer#1, a memory object (4096 bytes), made by call 10, released by call 11"
    [ "$(wc -l <out)" -eq 5 ] || fail "follow buffer#1 gave $(wc -l <out) lines"
    status 2 "$clerk" show t.db follow 'buffer#9'
    says err "there is no object 'buffer#9'"
    status 2 "$clerk" show t.db follow 0x70
    says err "'0x70' was the handle of several objects"
    status 2 "$clerk" show t.db follow
    says err "follow which object?"
    status 2 "$clerk" show t.db follow a b
    says err "'b' is one operand too many"
    status 0 "$clerk" show t.db calls --from 12 --to 17 --width 60
    [ "$(wc -l <out)" -eq 7 ] || fail "--from 12 --to 17 gave $(wc -l <out) lines"
    [ "$(wc -L <out)" -eq 60 ] || fail "--width 60 gave lines of $(wc -L <out)"
    says out "  [handle-foreign] cl"
    status 0 "$clerk" show t.db calls --call clNone
    says out "no such call was made"
    status 0 "$clerk" show t.db calls --call clNone --json
    [ ! -s out ] || fail "--json says something of no calls"
    status 0 "$clerk" show t.db launches --color always
    says out "$(printf '\033[1mcall  thread')"
    status 0 "$clerk" show t.db launches --from 14
    says out "no kernel was launched"
    status 0 "$clerk" show t.db launches --thread 2 --to 13
    [ "$(wc -l <out)" -eq 2 ] || fail "--thread 2 lost the launch"
}

show_memory() {
    status 0 "$make_trace" t.db
    status 0 "$clerk" show t.db memory
    same out show_memory.txt
    status 0 "$clerk" show t.db memory --type hex
    same out show_memory_hex.txt
    status 0 "$clerk" show t.db memory --type uchar4 --json
    same out show_memory.json
    status 0 "$clerk" show t.db memory --type uint2
    says out "  ... and 4 more bytes"
    status 0 "$clerk" show t.db memory --object 'buffer#1'
    says out "no contents were kept"
    status 0 "$clerk" show t.db memory --to 17
    says out "no contents were kept"
    status 2 "$clerk" show t.db memory --type number
    says err "'number' is not a type"
    status 2 "$clerk" show t.db memory --picture p.ppm
    says err "these are not the bytes of an image"
    [ ! -e p.ppm ] || fail "there is a picture of a buffer"
}

view_in_a_terminal() {
    python=/usr/bin/python3
    "$python" -c 'import pyte' 2>/dev/null || { # Debian: python3-pyte
        echo "skipped: $python has no pyte"
        exit 77
    }
    status 0 "$make_trace" t.db
    status 0 "$python" "$(dirname "$expected")/view.py" "$clerk" t.db "$expected/view.txt"
    status 2 "$clerk" view t.db
    says err "this needs a terminal"
    status 2 "$clerk" view
    says err "which trace?"
}

# On a terminal lines are as wide as it is, and go through a pager.
show_on_a_terminal() {
    command -v script >/dev/null || exit 77 # Debian: bsdutils, which is essential
    status 0 "$make_trace" t.db
    script -qec "stty cols 50 rows 10; PAGER='sed s/^/paged:/' $clerk show t.db calls" /dev/null </dev/null >out
    [ "$(grep -c '^paged:' out)" -eq 20 ] || fail "not all went through the pager: $(cat out)"
    tr -d '\r' <out >plain
    [ "$(wc -L <plain)" -eq 56 ] || fail "lines are of $(wc -L <plain) characters"
    script -qec "stty cols 50; PAGER='sed s/^/paged:/' $clerk show t.db calls --pager never" /dev/null </dev/null >out
    if grep -q paged: out; then fail "--pager never has a pager"; fi
    script -qec "TERM=xterm PAGER='sed s/^/paged:/' $clerk show t.db findings" /dev/null </dev/null >out
    says out "paged:$(printf '\033')"
}

show_after_kill() {
    status 137 sh -c '"$0" t.db kill; exit $?' "$make_trace"
    [ -d t.db.spool ] || fail "the killed process left no spool"
    status 0 "$clerk" show t.db calls
    says err "what the program left was recovered"
    [ "$(wc -l <out)" -eq 21 ] || fail "there are $(wc -l <out) lines"
    tail -n 1 out >last
    says last "never returned"
    says last clFinish
    [ ! -e t.db.spool ] || fail "the spool is still there"
    status 0 "$clerk" show t.db
    silent err
    says out "recovered"
    says out "1 never returned"
}

show_refuses() {
    status 2 "$clerk" show none.db
    says err "cannot open 'none.db'"
    echo "some text that is not a database" >text.db
    status 2 "$clerk" show text.db
    says err "'text.db' is not a clerk trace"
    status 0 "$make_trace" t.db
    head -c 20000 t.db >cut.db
    status 2 "$clerk" show cut.db
    says err "'cut.db' is cut short"
    [ "$(wc -l <err)" -eq 1 ] || fail "more than one sentence"
    status 2 "$clerk" show t.db calls --thread 99999999999
    says err "there is no thread 99999999999"
}

show_output_fails() {
    status 0 "$make_trace" t.db
    [ -c /dev/full ] || exit 0
    got=0
    "$clerk" show t.db calls >/dev/full 2>err || got=$?
    [ "$got" -eq 2 ] || fail "a full disk gave $got"
    says err "cannot write to standard output"
}

run_status() {
    status 0 "$clerk" run -- true
    says err "clerk: no OpenCL call of the program"
    silent out
    status 3 "$clerk" run -- sh -c 'exit 3'
    status 143 "$clerk" run -- sh -c 'kill -TERM $$'
    says err "ended by signal 15"
    status 2 "$clerk" run -- ./no-such-program
    says err "cannot start './no-such-program'"
    status 0 "$clerk" run -- sh -c 'echo out; echo err >&2'
    says out out
    says err err
    got=0
    printf 'input' | "$clerk" run -- cat >out 2>err || got=$?
    [ "$got" -eq 0 ] && says out input
    # The options after the program are the program's.
    status 0 "$clerk" run -- echo --trace x --json
    says out "--trace x --json"
    status 0 "$clerk" run echo --help
    says out "--help"
}

run_environment() {
    status 0 "$clerk" run --contents none --checks race --fail-calls -- env
    says out "CLERK_CONTENTS=none"
    says out "CLERK_CHECKS=race"
    says out "CLERK_FAIL_CALLS=1"
    says out "/lib/clerk/libclerk_layer.so"
    OPENCL_LAYERS=/other.so status 0 "$clerk" run -- env
    grep -q '^OPENCL_LAYERS=/other.so:/.*libclerk_layer.so$' out || fail "another layer was lost"
    # A trace with binaries of pyopencl's cache replays on no other device.
    if grep -q '^PYOPENCL_NO_CACHE=' out; then fail "a run that is not recorded is changed"; fi
    status 0 "$clerk" run -o t.db -- env
    says out "PYOPENCL_NO_CACHE=1"
    PYOPENCL_NO_CACHE=mine status 0 "$clerk" run -o t.db -- env
    says out "PYOPENCL_NO_CACHE=mine"
    status 2 "$clerk" run --contents some -- env
    says err "contents"
    status 2 "$clerk" run --checks bogus -- env
    says err "'bogus' is neither a rule nor a group of rules"
    status 0 "$clerk" run --personality big-endian,sub-group=8 -- env
    says out "CLERK_PERSONALITY=big-endian,sub-group=8"
    # Only the reference device has a personality.
    grep -q "^OCL_ICD_VENDORS=/.*/lib/clerk/libclerk_device.so$" out || fail "the device was not chosen"
    status 0 env -u OCL_ICD_VENDORS "$clerk" run --device system --personality ftz -- env
    grep -q "libclerk_device.so" out && fail "--device system chose a device"
    status 2 "$clerk" run --personality little -- env
    says err "personality 'little': must be of big-endian, 32-bit"
    if ldd "$clerk" | grep -q -e libasan -e libtsan -e libclang_rt; then
        echo "the rest is skipped: a sanitizer's library cannot be preloaded into env"
        return
    fi
    status 0 "$clerk" run --device reference --via preload -- env
    grep -q '^OCL_ICD_VENDORS=/.*lib/clerk/libclerk_device.so$' out || fail "the system's devices are visible"
    grep -q '^LD_PRELOAD=.*libclerk_preload.so$' out || fail "nothing is preloaded"
    if grep -q '^OPENCL_LAYERS=' out; then fail "the layer is loaded twice"; fi
}

# A program that leaves a finding as the layer does.
run_findings() {
    cat >app.sh <<'APP'
printf '%s\n' "$1" >>"$CLERK_FINDINGS"
exit "${2:-0}"
APP
    finding=$(cat "$expected/finding.json")
    touch before
    status 99 "$clerk" run -- sh app.sh "$finding"
    says err "race-local"
    says err "1 error"
    silent out
    status 5 "$clerk" run -- sh app.sh "$finding" 5
    status 7 "$clerk" run --error-exitcode 7 -- sh app.sh "$finding"
    status 0 "$clerk" run --fail-on never -- sh app.sh "$finding"
    status 99 "$clerk" run --format json -- sh app.sh "$finding"
    says err '"rule":"race-local"'
    echo 'race-local' >known
    status 0 "$clerk" run --suppress known -- sh app.sh "$finding"
    status 2 "$clerk" run --suppress none -- sh app.sh "$finding"
    says err none
    status 99 "$clerk" run --report r.json --report r.txt -- sh app.sh "$finding"
    says r.json '"rule":"race-local"'
    says r.txt "race-local"
    status 99 "$clerk" run --report r.html -- sh app.sh "$finding"
    says r.html '"message":"work-items 0 and 1 race"'
    mkdir .git # wherever the tests have their files
    status 99 "$clerk" run --report r.sarif --report r.xml --gen-suppressions made -- sh app.sh "$finding"
    says r.sarif '"ruleId":"race-local"'
    says r.xml '<testcase classname="kernel" name="race-local at sum.cl:3:5" time="0">'
    echo 'race-global object=none' >>made
    status 0 "$clerk" run --suppress made -- sh app.sh "$finding"
    says err "1 suppressed"
    ! grep -q "covers no finding" err || fail "what nobody asked for is told: $(cat err)"
    status 0 "$clerk" run --suppress made --unused-suppressions -- sh app.sh "$finding"
    says err "line 3 of 'made' (race-global) covers no finding"
    # What an earlier run has found does not fail; the report still tells it.
    status 99 "$clerk" run --report known.json -- sh app.sh "$finding"
    status 0 "$clerk" run --baseline known.json --report r.json -- sh app.sh "$finding"
    says err "clerk: no findings (1 known)"
    says r.json '"known":true'
    status 99 "$clerk" run --baseline known.json -- sh app.sh "$(echo "$finding" | sed 's/a\[0\]/b[0]/')"
    says err "clerk: 1 error"
    leak=$(echo "$finding" | sed 's/race-local/object-leaked/')
    status 0 "$clerk" run -- sh app.sh "$leak"
    says err "clerk: 1 warning (the exit status ignores warnings; --strict counts them)"
    for strict in "--strict" "--fail-on warning"; do
        status 99 "$clerk" run $strict --report r.xml -- sh app.sh "$leak"
        ! grep -q "ignores" err || fail "the exit status ignores nothing: $(cat err)"
        says r.xml 'failures="1"'
    done
    status 0 "$clerk" run --strict --fail-on error -- sh app.sh "$leak"
    status 2 "$clerk" run --baseline none.json -- sh app.sh "$finding"
    says err "none.json"
    status 99 "$clerk" run --format github -- sh app.sh "$finding"
    says err "::error file=sum.cl,line=3,col=5,title=race-local::"
    status 99 "$clerk" run --format gcc -- sh app.sh "$finding"
    says err "sum.cl:3:5: error: work-items 0 and 1 race [race-local]"
    # Places are told relative to the repository, wherever in it clerk is called.
    mkdir -p repository/.git repository/kernels
    status 99 sh -c 'cd repository/kernels && "$@"' - "$clerk" run --report r.sarif -- sh ../../app.sh "$finding"
    says repository/kernels/r.sarif '"uri":"kernels/sum.cl"'
    status 99 "$clerk" run --findings kept -- sh app.sh "$finding"
    says kept race-local
    status 0 "$clerk" run -- sh app.sh '{"rule":'
    says err "1 line of"
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'clerk-findings-*' -newer before 2>/dev/null)" ] ||
        fail "a temporary file was left"
}

run_trace_names() {
    status 0 "$clerk" run -o t.db -- sh -c '"$0" "$CLERK_TRACE"' "$make_trace"
    says err "19 calls recorded in t.db"
    status 0 "$clerk" run -o t.db -- sh -c '"$0" "$CLERK_TRACE"; "$0" "$CLERK_TRACE"' "$make_trace"
    says err "19 calls recorded in t.db"
    says err "19 calls recorded in t.2.db"
    # A trace of that name, and those of its other processes, are replaced.
    status 0 "$clerk" run -o t.db -- sh -c '"$0" "$CLERK_TRACE"' "$make_trace"
    [ ! -e t.2.db ] || fail "t.2.db of the earlier run is still there"
    status 137 "$clerk" run -o t.db -- sh -c '"$0" "$CLERK_TRACE" kill' "$make_trace"
    says err "20 calls recorded in t.db"
    # Anything else is left alone.
    echo "precious" >p.db
    status 2 "$clerk" run -o p.db -- true
    says err "'p.db' exists and is not a clerk trace"
    says p.db precious
    status 2 "$clerk" run -o none/t.db -- true
    says err "none"
    # No findings is said of calls that were seen, not of none.
    status 0 "$clerk" run -o q.db -- true
    says err "no OpenCL call of the program came through clerk: none was checked or recorded (see clerk doctor)"
    status 0 "$clerk" run -- true
    says err "none was checked (see clerk doctor)"
    grep -q "no findings" err && fail "clerk run says that there are no findings in what it did not see"
    status 0 "$clerk" run --findings f.json -- true
    says err "none was checked (see clerk doctor)"
    silent f.json
    status 0 "$clerk" run --json -- true
    says err '{"unchecked":"no OpenCL call'
    # A list that says so can be the baseline of another run.
    cp err gap.json
    status 0 "$clerk" run --baseline gap.json -- true
    # With --strict no calls are too few.
    status 2 "$clerk" run --strict -- true
    tail -n 1 err | grep -q "no OpenCL call of the program" || fail "the last line is $(tail -n 1 err)"
    status 2 "$clerk" run --strict --json -- true
    says err '","severity":"error"}'
    status 2 "$clerk" run --strict --format sarif -- true
    says err '"executionSuccessful":false'
    says err '"level":"error"'
    status 2 "$clerk" run --strict --format junit -- true
    says err 'errors="1"'
    status 2 "$clerk" run --strict --format github -- true
    says err '::error title=clerk::no OpenCL call'
    status 3 "$clerk" run --strict -- sh -c 'exit 3'
}

# A loader that finds no driver is not a program without findings.
run_without_driver() {
    mkdir none broken
    echo libnot-there.so >broken/broken.icd
    for vendors in none broken missing; do
        OCL_ICD_VENDORS=$work/$vendors
        status 2 "$clerk" run -o t.db -- true
        says err "there is no OpenCL driver: the loader finds no platform"
        says err "--device reference"
        status 3 "$clerk" run -- sh -c 'exit 3'
        says err "there is no OpenCL driver"
        status 0 "$clerk" run --device reference -- true
        says err "no OpenCL call of the program"
        status 1 "$clerk" doctor
        says out "no OpenCL driver is here"
        status 1 "$clerk" doctor --json
        says out '{"thing":"OpenCL platforms","found":false'
        # The preloaded library sees the loader's answer.
        for via in layer preload; do
            status 2 "$clerk" run --via $via -- sh -c '"$0"; true' "$(dirname "$make_trace")/platforms"
            says err "there is no OpenCL driver"
            grep -q driver-error err && fail "that there is no platform is no mistake of the program's"
            for what in device context name; do
                status 2 "$clerk" run --via $via -- "$(dirname "$make_trace")/platforms" $what
                says err "there is no OpenCL driver"
            done
        done
    done
    status 2 "$clerk" run --json -- true
    says err '"severity":"error"}'
}

# Why no call came is said where the program's file tells it.
run_without_way_in() {
    [ "$(head -c 4 /sbin/ldconfig | tail -c 3)" = ELF ] || exit 77
    status 0 "$clerk" run -- /sbin/ldconfig --version
    says err "none was checked (/sbin/ldconfig is statically linked, so it loads no layer)"
    # The class of an ELF file, in its fifth byte, says 32 bits; the kernel looks at the machine alone.
    cp /bin/true other
    printf '\001' | dd of=other bs=1 seek=4 conv=notrunc 2>/dev/null
    status 0 "$clerk" run -- ./other
    says err "(./other is for another kind of machine than clerk and its layer)"
    printf 'no program' >text
    chmod +x text
    status 2 "$clerk" run -- ./text
    says err "cannot start './text'"
    # A program that is started by another one is seen.
    status 0 "$clerk" run --strict -- sh -c '"$0"' "$(dirname "$make_trace")/platforms"
    says err "no findings"
}

run_signals() {
    # The thread sanitizer hands signals on when a call returns, which waiting for the program does too late.
    if ldd "$clerk" | grep -q libtsan; then
        echo "skipped: clerk is built with the thread sanitizer"
        exit 77
    fi
    cat >app.sh <<'APP'
trap 'echo got TERM; exit 4' TERM
echo ready >ready
i=0
while [ $i -lt 300 ]; do
    sleep 0.1
    i=$((i + 1))
done
APP
    "$clerk" run -- sh app.sh >out 2>err &
    id=$!
    i=0
    while [ ! -e ready ] && [ $i -lt 1000 ]; do
        sleep 0.1
        i=$((i + 1))
    done
    kill -TERM $id
    got=0
    wait $id || got=$?
    [ "$got" -eq 4 ] || fail "SIGTERM gave $got"
    says out "got TERM"
}

# The one of an installation of its own, whole, absent, and broken.
doctor_tells_of_probe() {
    mkdir -p other/bin other/lib/clerk
    cp "$clerk" other/bin/clerk
    cp "$(dirname "$clerk")"/../lib/clerk/* other/lib/clerk
    other/bin/clerk doctor >out 2>err || true
    grep -q '^found *clerk_probe *.*/other/lib/clerk/clerk_probe$' out || fail "clerk_probe is not found: $(cat out)"
    for probe in 'exit 0' 'echo "clerk_probe: what it says" >&2; exit 1'; do
        printf '#!/bin/sh\n%s\n' "$probe" >other/lib/clerk/clerk_probe
        status 1 other/bin/clerk doctor
        says out "clerk cannot do all of its work before that is mended"
        grep -q -e '^missing *clerk_probe *it does not answer rightly$' -e '^missing *clerk_probe *what it says$' out ||
            fail "a broken clerk_probe is not told: $(cat out)"
    done
    rm other/lib/clerk/clerk_probe
    status 1 other/bin/clerk doctor
    grep -q '^missing *clerk_probe .*/other/lib/clerk/clerk_probe; build or install clerk completely' out ||
        fail "that there is no clerk_probe is not told: $(cat out)"
}

# Native code is optional: what it lacks is a sentence.
doctor_tells_of_native() {
    grep -q '^found *native code of kernels .*for processors' out || fail "no native code: $(grep native out)"
    mkdir -p shared_cache && chmod 777 shared_cache
    CLERK_CACHE=$PWD/shared_cache "$clerk" doctor >out 2>err || [ $? -eq 1 ]
    says out "kernels are interpreted: others may write into"
    CLERK_CACHE=none "$clerk" doctor >out 2>err || [ $? -eq 1 ]
    says out "kernels are interpreted: nothing is to be kept in a cache"
}

doctor_tells() {
    got=0
    "$clerk" doctor >out 2>err || got=$?
    [ "$got" -le 1 ] || fail "doctor exited with $got"
    says out "OpenCL loader"
    says out "orders, scopes, lines, structures and constants are right"
    says out "reference device"
    doctor_tells_of_native
    CLERK_CLANG=/no/such/clang status 1 "$clerk" doctor
    says out "missing"
    says out "CLERK_CLANG=/no/such/clang: no such program"
    CLERK_CLANG=/no/such/clang status 1 "$clerk" doctor --json
    says out '{"thing":"compilers","found":false'
    says out '{"thing":"clerk_probe","found":false,"required":true,"detail":"the program cannot be compiled: CLERK_CLANG=/no/such/clang: no such program","remedy":null}'
    doctor_tells_of_probe
    OCL_ICD_VENDORS=/no/such/drivers
    status 1 "$clerk" doctor
    grep -q '^missing *OCL_ICD_VENDORS .*/no/such/drivers' out || fail "a wrong OCL_ICD_VENDORS is not told"
    status 2 "$clerk" doctor now
    says err "'now'"
}

$case_name
