#!/bin/sh
# Recorded runs and programs under the debugger: transcripts, in which launches have their places among the launches in
# place of the numbers of their calls ("@2@").
#
#     debug.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# With CLERK_UPDATE=1 transcripts are written instead: read them before they are committed.
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
. "$source_directory/tests/cli/checks.sh"
here=$source_directory/tests/cli/debug
unset OCL_ICD_VENDORS CLERK_CHECKS CLERK_CONTENTS 2>/dev/null || true
CLERK_CACHE=$build/tests/cli/debug_cache
export CLERK_CACHE
XDG_STATE_HOME=$PWD/state # where the history of what was typed is
export XDG_STATE_HOME

# numbers TRACE: lines "s/@N@/CALL/" to numbered, and back to places
numbers() {
    "$clerk" show "$1" launches --json | sed -n 's/^{"call":\([0-9]*\),.*/\1/p' >calls
    awk '{ printf "s/@%d@/%s/g\n", NR, $1 }' calls >numbered
    awk '{ printf "s/\\b%s\\b/@%d@/g\n", $1, NR }' calls >places
}

# transcript NAME STATUS COMMAND...: with the commands of NAME.commands as the file `commands` it prints NAME.txt
transcript() {
    name=$1
    wanted=$2
    shift 2
    got=0
    sed -f numbered "$here/$name.commands" >commands
    "$@" >out 2>err </dev/null || got=$?
    # Host stacks have addresses, or lines; columns are as wide as numbers.
    sed -f places out | sed -e '/^ *at run/,/^ *main/d' -e 's/ *@\([0-9]\)@ / @\1@ /' -e 's/^ *@/@/' \
        -e '/written\|copied/s/call [0-9][0-9]*/call #/g' >transcript
    [ "$got" -eq "$wanted" ] || fail "'$*' exited with $got, not $wanted: $(cat out err)"
    if [ "${CLERK_UPDATE-}" ]; then
        cp transcript "$here/$name.txt"
    else
        diff -u "$here/$name.txt" transcript || fail "$name is not as expected"
    fi
}

# record ARGUMENT...: `launches` with it, into t.db, on the reference device
record() {
    record_of "$build/tests/launches" again -- "$@"
}

# record_of COMMAND... -- ARGUMENT...: of the command
record_of() {
    command=
    while [ "$1" != -- ]; do command="$command $1" && shift; done
    shift
    # The paths of tests have no spaces.
    # shellcheck disable=SC2086
    "$clerk" run --device reference -o t.db "$@" -- $command >out 2>err || [ $? -eq 99 ] || fail "cannot record: $(cat err)"
    numbers t.db
}

# By what the program gave, and by what each launch found in memory: the same.
recorded() {
    record
    transcript recorded 2 "$clerk" debug t.db --batch commands
    record --contents all
    transcript recorded 2 "$clerk" debug t.db --batch commands
}

# Who wrote memory before the launch that finds it there: the host, in different ways, or other launches.
origins() {
    record_of "$build/tests/origins" --
    transcript origins 2 "$clerk" debug t.db --batch commands
    record_of "$build/tests/origins" -- --contents all
    transcript origins 2 "$clerk" debug t.db --batch commands
    record_of "$build/tests/origins" svm --
    transcript origins_svm 2 "$clerk" debug t.db --batch commands
}

# calls_of NAME: the numbers of the calls in t.db
calls_of() {
    "$clerk" show t.db calls --json --call "$1" | sed -n 's/^{"id":\([0-9]*\),.*/\1/p'
}

# A command-buffer is come to from the run's beginning; its kernels have the numbers of the calls that recorded them.
command_buffers() {
    status 0 "$clerk" run --device reference --contents all -o t.db -- "$build/tests/replay_recorded"
    enqueued=$(calls_of clEnqueueCommandBufferKHR | sed -n 2p)
    call=$(calls_of clCommandNDRangeKernelKHR | sed -n '$p')
    printf '%s\n' 'print in[0] + more' 'who out[0]' 'catch end' 'continue' 'who out[0]' >commands
    status 0 "$clerk" debug t.db --launch "$enqueued" --batch commands
    says out "launch $call (add)"
    says out "item (0,0,0) in add at <source>:2 (not begun)"
    says out "in[0] + more = 2000"
    says out " (the trace does not say what call $call was given)"
    says out "kernel 'add' has ended"
    says out "written by item (0,0,0) in add at <source>:3, position $call:"
}

recorded_refusals() {
    record
    status 2 "$clerk" debug t.db --launch 1
    says out "call 1 launched no kernel; clerk show launches lists those that did"
    status 2 "$clerk" debug t.db --finding 99
    says out "the run has no finding 99"
    status 2 "$clerk" debug missing.db
    says err "cannot read 'missing.db': No such file or directory"
    status 2 "$clerk" debug t.db --finding 1 --launch 2
    says err "--finding opens its launch"
    status 2 "$clerk" debug t.db -g 64
    says err "--global is of a kernel's file"
    status 2 "$clerk" debug "$here/recorded.commands" --launch 3
    says err "is no recorded run"
    status 2 "$clerk" run --debug --device system -- "$build/tests/launches" again
    says err "--debug stops on the reference device"
    status 2 "$clerk" run --break 9 -- "$build/tests/launches" again
    says err "--break is of the debugger"
    status 2 "$clerk" run --debug --batch -
    says err "which program?"
}

program() {
    record
    transcript program 2 "$clerk" run --debug --batch commands -- "$build/tests/launches" again
}

# Native code has the positions of interpreted code, also of what is found meanwhile.
native() {
    cat >commands <<'END'
catch end
continue
info findings
when
goto 100000
when
info locals
break 15
reverse-continue
when
END
    for mode in off always; do
        CLERK_NATIVE=$mode "$clerk" debug "$source_directory/tests/kernels/debug/native.cl" -g 256 -l 64 -a 'buf:uint[256]' \
            -a uint=3000 --batch commands >$mode 2>&1 || fail "it exited with $?: $(cat $mode)"
    done
    grep -E '^1:[0-9]+ +bounds-global' off >/dev/null || fail "nothing is found: $(cat off)"
    diff -u off always || fail "native code is elsewhere"
}

# Each value that the debugger shows is what the kernel itself prints there.
judged() {
    sed -n '=;p' "$here/judged.cl" | sed -n '/^[0-9]*$/{N;s/^\([0-9]*\)\n *SHOW("\(.*\)", \(.*\));$/\1\t\2\t\3/p}' >lines
    while IFS="$(printf '\t')" read -r line format value; do
        printf 'break %s item 5,0,0\ncommands\nsilent\nprintf "%s %s: %s\\n", %s\ncontinue\nend\n' "$line" "$line" "$value" \
            "$format" "$value"
    done <lines >commands
    echo run >>commands
    [ "$(wc -l <lines)" -eq 17 ] || fail "there are other lines: $(cat lines)"
    for variables in values memory; do
        status 0 "$clerk" kernel "$here/judged.cl" -g 16 -a 'buf:int[16]' -a int=9 --schedule asc
        grep -E '^[0-9]+ .*: ' out | sort >printed
        status 0 "$clerk" debug "$here/judged.cl" -g 16 -a 'buf:int[16]' -a int=9 --variables $variables --batch commands
        grep -E '^[0-9]+ .*: ' out | sort | uniq -c | awk '$1 % 2 { print "once alone:", $0 }' >single
        [ ! -s single ] || fail "$variables: $(cat single)"
        [ "$(grep -c -E '^[0-9]+ .*: ' out)" -eq $((2 * $(wc -l <printed))) ] || fail "$variables: lines are missing: $(cat out)"
    done
}

# A line is one of a program: of the one that is named, or where the focus is.
programs_of_one() {
    command -v gcc >/dev/null || skip "gcc is not installed"
    gcc -DCL_TARGET_OPENCL_VERSION=120 -o rows "$source_directory/docs/examples/rows.c" -lOpenCL
    cat >commands <<'END'
break program#2:13
break 5
info breakpoints
save breakpoints kept
run
continue
print row
list program#2:13
clear program#2:13
info breakpoints
END
    "$clerk" run --debug --batch commands -- ./rows "$source_directory/docs/examples/scale.cl" \
        "$source_directory/docs/examples/normalise.cl" >out 2>err || fail "it exited with $?: $(cat out err)"
    says out "Breakpoint 1 at program#2:13: the kernel that runs has no such place: it waits for one that has"
    says out "Breakpoint 2 at program#1:5"
    says out "1   break program#2:13, hit 0 times"
    says kept "break program#2:13"
    says kept "break program#1:5"
    says out "item (0,0,0) in scale at program#1:5"
    says out "item (0,0,0) in normalise at program#2:13"
    says out "Breakpoint 1 is deleted."
    says out "2   break program#1:5, hit 1 time"
    never_stops=$(grep -c "normalise at program#2:1[02]" out) || true
    [ "$never_stops" -eq 0 ] || fail "a breakpoint of the other program was taken: $(cat out)"
}

# Who comes first is debugged, through a shell and whatever it closes; others run as ever, and a break on the command
# line begins. The socket is gone afterwards.
program_of_several() {
    cat >commands <<'END'
print get_global_size(0)
delete
continue
END
    "$clerk" run --debug --break count --batch - -- sh -c "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&-
        $build/tests/launches written && $build/tests/launches written && echo both
        echo without a cache: \$PYOPENCL_NO_CACHE; cat" <commands >out 2>err ||
        fail "it exited with $?: $(cat out err)"
    says out "item (0,0,0) in count at program#1:9"
    says out "get_global_size(0) = 16"
    says out "both"
    says out "without a cache: 1"
    [ "$(grep -c '^Breakpoint 1$' out)" -eq 1 ] || fail "the second process was stopped too: $(cat out)"
    left=$(find "$TMPDIR" -name 'clerk-scratch-*')
    [ -z "$left" ] || fail "left behind: $left"
}

# Commands come from the terminal, where the program's input is a pipe, which stays its own; where it is the terminal,
# the program finds the end there.
program_on_a_terminal() {
    command -v python3 >/dev/null || skip "python3 is not installed"
    printf '%s\n' 'break count' continue 'print get_global_size(0)' delete continue quit >commands
    for input in "echo of a pipe |" ""; do
        python3 "$source_directory/tests/cli/terminal.py" sh -c \
            "$input $clerk run --debug -- sh -c '$build/tests/launches written; cat; echo at its end'" <commands >out 2>err ||
            fail "it exited with $?: $(cat out err)"
        says out "(clerk) break count"
        says out "get_global_size(0) = 16"
        says out "at its end"
        if [ "$input" ]; then says out "of a pipe"; fi
    done
}

# Keys on a terminal: editing, completion, the history, which the next session has, Ctrl-C, Ctrl-D, a narrow terminal.
edited() {
    command -v python3 >/dev/null || skip "python3 is not installed"
    rm -rf state
    cat >first.cl <<'KERNEL'
struct pair { int first; float other_one; };
kernel void first(global volatile int *out)
{
    int item = get_global_id(0); struct pair both = {item, 1};
    out[item + 1] = item;
    while (out[0] == 0)
        out[item + 1]++;
}
KERNEL
    type_keys <<'STEPS'
 => first.cl
brek\x08ak 9\x085 item 1\n => Breakpoint 1 at first.cl:5
ru\t\n => Breakpoint 1
p it\t+ $it\t\x08\x08\x08\x08\x08\x0840\n => item + 40 = 41
\x1b[A\n => item + 40 = 41
p bo\t\x08.oth\t+ 1\n => both.other_one + 1 = 2
n\n => while
\n => out[item + 1]++
i br\t\n => hit 1 time
catch fin\trace-gl\t\n => Catchpoint: finding race-global
b fi\t -> rst
\x15print oops\x03 => ^C
delete\n => delete
continue\n -> continue\n
\x03 => Paused.
size 20 ->
print out[0] + out[0] + out[0] * 1 + 7\n => = 7
quit\n ->
STEPS
    type_keys <<'STEPS'
 => first.cl
\x1b[A\x1b[A -> print out[0]
\x03 => ^C
\x12i br -> bck:
\n => No breakpoint.
help unti\t\n => until 24
\x04 ->
STEPS
    says state/clerk/debug_history "continue"
    [ "$(stat -c %a state/clerk/debug_history)" = 600 ] || fail "others may read what was typed"
    printf 'when\n' >commands
    "$clerk" debug first.cl -g 2 -a 'buf:int[3]=0' --batch commands >out 2>err || fail "$(cat out err)"
    if grep -q when state/clerk/debug_history; then fail "commands of a file are in the history"; fi
}

# type_keys: the steps on standard input, into a debugger of first.cl
type_keys() {
    python3 "$source_directory/tests/cli/edit.py" "$clerk" debug first.cl -g 2 -a 'buf:int[3]=0' >out 2>err ||
        fail "it exited with $?: $(cat out err)"
}

# Ctrl-C asks a kernel that never ends to stop, and it can be looked at.
interrupted() {
    printf '%s\n' run 'print rounds > 0' kill >commands
    "$clerk" debug "$source_directory/tests/dap/wrong.cl" -k endless -g 64 -a 'buf:int[1]=1' --batch commands >out 2>err &
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.2
        if grep -q '^(clerk) run$' out; then break; fi
    done
    sleep 0.2
    kill -INT $!
    wait $! || fail "it exited with $?: $(cat out err)"
    says out "item (0,0,0) in endless at wrong.cl:1"
    says out "rounds > 0 = 1"
}

# Pictures and bytes in files.
files() {
    printf '%s\n' 'image from from.png' 'image from from.ppm' 'dump from from.bin' 'catch end' run 'dump to to.bin' \
        'image to slice 1 to.png' 'dump to /no/such/folder/to.bin' 'dump to' 'dump x x.bin' >commands
    status 2 "$clerk" debug "$source_directory/docs/examples/mirror.cl" -g 4,1 -a 'image2d:r:float[4x1]=iota' \
        -a 'image2d:r:float[4x1]' --batch commands
    says out "2D image 'image#1' (4 x 1 texels), CL_R CL_FLOAT; black is 0, white 3"
    says out "16 bytes, of which 4 are undefined"
    says out "The image has no such slice."
    says out "/no/such/folder/to.bin"
    says out "Dump what, and where?"
    [ "$(od -An -tx1 from.ppm | tr -d ' \n')" = 50360a3420310a3235350a000000555555aaaaaaffffff ] || fail "from.ppm is otherwise"
    [ "$(od -An -tf4 from.bin | tr -s ' \n' ' ')" = " 0 1 2 3 " ] || fail "from.bin is $(od -An -tf4 from.bin)"
    [ "$(head -c 4 from.png | tail -c 3)" = PNG ] || fail "from.png is no PNG"
    [ ! -e to.png ] || fail "there is a picture of a slice that is not there"
}

$case_name
