#!/bin/sh
# Whole programs under clerk, over the system's driver and on the reference device.
#
#     programs.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below. A case whose program or driver is not installed is skipped (status 77).
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
libraries=$build/lib/clerk
. "$source_directory/tests/cli/checks.sh"
unset OCL_ICD_VENDORS CLERK_CHECKS CLERK_CONTENTS CLERK_SCHEDULE 2>/dev/null || true
CLERK_CACHE=$work/cache
HOME=$work # drivers and programs keep their caches there
export CLERK_CACHE HOME
unset XDG_CACHE_HOME POCL_CACHE_DIR 2>/dev/null || true

needs_program() {
    command -v "$1" >/dev/null || skip "$1 is not installed (Debian: $2)"
}

# Its runtime as the only driver.
needs_oclgrind() {
    for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/local/lib/liboclgrind-rt-icd.so; do
        [ -e "$library" ] || continue
        mkdir -p vendors
        echo "$library" >vendors/oclgrind.icd
        OCL_ICD_VENDORS=$work/vendors/
        export OCL_ICD_VENDORS
        return
    done
    skip "there is no liboclgrind-rt-icd.so (Debian: oclgrind)"
}

# equal WHAT FILE FILE
equal() {
    diff -u "$2" "$3" >&2 || fail "$1"
}

# calls DB: the thread and name of each call of the application's, one a line, in order per thread
calls() {
    sqlite3 -separator ' ' "$1" 'select thread, name from call where not flags & 4 order by thread, id'
}

# recorded_like_alone NAME VARYING COMMAND...: COMMAND gives the same status and output with clerk as without, apart
# from what the sed script VARYING makes equal; nothing is found; and the trace has the calls that a layer of the
# tests' own has seen.
recorded_like_alone() {
    name=$1
    varying=$2
    shift 2
    OPENCL_LAYERS=$build/tests/libcall_list.so CALL_LIST=$work/list "$@" >"$name.listed" 2>/dev/null
    sort -s -n -k 1,1 list >"$name.calls"
    [ -s "$name.calls" ] || fail "the tests' own layer saw no call"
    alone=0
    "$@" >"$name.plain" 2>"$name.plain.err" || alone=$?
    sed "$varying" "$name.plain" >"$name.alone"
    for via in layer preload; do
        status "$alone" "$clerk" run -o $via.db --via $via --report report.json -- "$@"
        sed "$varying" out >"$name.$via"
        equal "$name prints something else by way of $via" "$name.alone" "$name.$via"
        says err "clerk: no findings"
        grep -v -e '^clerk: no findings$' -e '^clerk: only calls were checked: ' -e '^clerk: .* calls recorded in ' err >rest || true
        equal "$name says something else by way of $via" "$name.plain.err" rest
        if grep -q '"rule"' report.json; then fail "there are findings: $(cat report.json)"; fi
        calls $via.db >recorded
        equal "the trace by way of $via has other calls" "$name.calls" recorded
        status 0 "$clerk" show $via.db calls
        # A line of headings, then the application's calls.
        [ $(($(wc -l <out) - 1)) -eq "$(wc -l <"$name.calls")" ] ||
            fail "clerk show lists $(wc -l <out) lines for $(wc -l <"$name.calls") calls"
    done
}

clinfo_as_ever() {
    needs_program clinfo clinfo
    needs_no_sanitizer clinfo
    needs_program sqlite3 sqlite3
    needs_driver
    recorded_like_alone clinfo 's/\(free memory.*\) [0-9].*/\1/' clinfo
}

clpeak_as_ever() {
    needs_program clpeak clpeak
    needs_no_sanitizer clpeak
    needs_program sqlite3 sqlite3
    needs_driver
    # Measured numbers vary; their names and units do not.
    recorded_like_alone clpeak 's/: *[0-9.]* us$/: N us/' clpeak --kernel-latency
}

clpeak_transfers() {
    needs_program clpeak clpeak
    needs_no_sanitizer clpeak
    needs_driver
    status 0 "$clerk" run -o t.db -- clpeak --transfer-bandwidth
    says out "enqueueWriteBuffer"
    says out "memcpy to mapped ptr"
    says err "clerk: no findings"
    status 0 "$clerk" show t.db calls --call clEnqueueMapBuffer --limit 1
    says out "clEnqueueMapBuffer("
}

# Every question of docs/TRACE_FORMAT.md has an answer.
questions_of_the_manual() {
    needs_program sqlite3 sqlite3
    for device in reference system; do
        [ $device = reference ] || needs_driver
        status 99 "$clerk" run --device $device --contents all -o q.db -- "$build/tests/queried"
        rm -f question.*
        awk '/^```sql$/ { n++; on = 1; next } /^```$/ { on = 0 } on { print > ("question." n) }' \
            "$source_directory/docs/TRACE_FORMAT.md"
        asked=0
        for question in question.*; do
            asked=$((asked + 1))
            sqlite3 q.db <"$question" >answer || fail "a query of docs/TRACE_FORMAT.md fails: $(cat "$question")"
            [ -s answer ] || fail "a query of docs/TRACE_FORMAT.md has no answer: $(cat "$question")"
        done
        [ $asked -ge 10 ] || fail "docs/TRACE_FORMAT.md has $asked queries only"
        # A finding that came again is a second row of the trace, and one finding.
        status 0 "$clerk" show q.db calls
        says out " [region-bounds] clEnqueueReadBuffer("
        if grep -F "[region-bounds] [region-bounds]" out; then
            fail "one finding is told twice"
        fi
    done
}

# docs/TRACE_FORMAT.md explains each table and view and all their columns: in the paragraphs after **its name**, or in
# the row of `its name`.
tables_of_the_manual() {
    needs_program sqlite3 sqlite3
    status 0 "$clerk" run --device reference -o q.db -- "$build/tests/many_calls" 1 1
    sqlite3 -separator ' ' q.db "select t.name, c.name from sqlite_schema as t, pragma_table_info(t.name) as c
        where t.type in ('table', 'view') and t.name not like 'sqlite_%'" | sort >there
    awk -F '`' 'function explain(name, i, n, words) {
            for (i = 2; i <= NF; i += 2) {
                n = split($i, words, " ")
                while (n > 0) print name, words[n--]
            }
        }
        /^#/ { name = "" }
        /^\*\*/ { name = $0; sub(/^\*\*/, "", name); sub(/\*\*.*/, "", name) }
        /^\| `/ { explain($2) }
        name { explain(name) }' "$source_directory/docs/TRACE_FORMAT.md" | sort -u >explained
    [ -s there ] || fail "the trace has no tables"
    comm -23 there explained >missing
    [ ! -s missing ] || fail "docs/TRACE_FORMAT.md does not explain: $(cat missing)"
}

# What was enqueued, and what kernels were given. The numbers of calls are clerk's, the times the device's.
commands_and_arguments() {
    status 0 "$clerk" run --device reference -o t.db -- "$build/tests/commands"
    for what in commands launches; do
        status 0 "$clerk" show t.db $what --json
        sed -e 's/"call":[0-9]*/"call":0/' -e 's/"\([a-z]*\)_ns":[0-9][0-9]*/"\1_ns":1/g' out >>found
    done
    equal "the lists say something else" "$source_directory/tests/cli/expected/commands.json" found
    status 0 "$clerk" show t.db launches --object image#1 --width 0
    says out "from=buffer#1 (256 B), to=buffer#1 (256 B), factor=2.5, offsets=(1,2,3,4)"
    status 0 "$clerk" show t.db commands --object event#2
    [ "$(wc -l <out)" -eq 3 ] || fail "event#2 has to do with $(wc -l <out) commands"
    status 0 "$clerk" show t.db commands --call '*Image'
    says out "WriteImage image#1  128 B"
    status 0 "$clerk" show t.db calls --object sampler#1
    [ "$(grep -c '(argument 7) clEnqueueNDRangeKernel' out)" -eq 2 ] || fail "sampler#1 has other calls: $(cat out)"
    status 0 "$clerk" show t.db objects --call clCreateBuffer --json
    [ "$(wc -l <out)" -eq 2 ] || fail "clCreateBuffer made $(wc -l <out) objects"
    status 2 "$clerk" show t.db threads --object queue#1
    says err "'--object' chooses nothing among threads"
}

# Where the program asked for times, to the nanosecond what the driver told it; where it did not, none.
kernels_take_the_driver_s_times() {
    for device in system reference; do
        status 0 "$clerk" run --device $device --checks none -o t.db -- "$build/tests/profiled"
        sort out >told
        status 0 "$clerk" show t.db kernels --json
        tr ',' ' ' <out | sed -e 's/[{}]//g' -e 's/"device":"device#1" "launches":8 //' -e 's/"share":[0-9.]* //' \
            -e 's/ "given_bytes":8192//' -e 's/ "enqueued_by":"host"//' | sort >shown
        equal "clerk tells other times than the driver" told shown
        status 0 "$clerk" show t.db kernels
        says out "kernel  device"
    done
}

# --profile: those of the launches that the program did not ask about, too; and of every other command.
profiled_commands_have_times() {
    needs_program sqlite3 sqlite3
    for device in system reference; do
        [ $device = reference ] || needs_driver
        status 0 "$clerk" run --device $device --profile -o t.db -- "$build/tests/profiled"
        status 0 "$clerk" show t.db kernels --json
        [ "$(grep -c '"launches":8,"timed_launches":8,' out)" -eq 2 ] || fail "a launch has no times: $(cat out)"
        status 0 "$clerk" run --device $device --checks none --profile -o t.db -- "$build/tests/unprofiled"
        # Four times a write, a map, an unmap and a read.
        [ "$(sqlite3 t.db 'select count(*) from command_time where queued_ns <= submit_ns and submit_ns <= start_ns
            and start_ns <= end_ns')" -eq 16 ] || fail "commands have no times: $(sqlite3 t.db 'select * from command_time')"
        status 0 "$clerk" show t.db commands --json
        [ "$(grep -c '"duration_ns":[0-9]' out)" -eq 16 ] || fail "commands are shown without times: $(cat out)"
    done
    says out '"complete_ns":'
    status 2 "$clerk" run --profile -- "$build/tests/profiled"
    says err "nothing is recorded without -o FILE, so there is nowhere to keep times"
    # What queues and transfers make of them: four commands of which two run at once, and a gap.
    status 0 "$clerk" run --device reference --checks none --profile -o t.db -- "$build/tests/unprofiled"
    sqlite3 t.db 'delete from command_time where call > (select call from command_time order by call limit 1 offset 3)'
    sqlite3 t.db "update command_time set start_ns = 100 + 10 * n, end_ns = 100 + 10 * n + 3 * n from
        (select call, row_number() over (order by call) - 1 as n from command_time) as own where own.call = command_time.call"
    sqlite3 t.db 'update command_time set end_ns = 115 where start_ns = 100'
    status 0 "$clerk" show t.db queues --json
    says out '"queue":"queue#1","device":"device#1","commands":4,"launches":0,"bytes":48,"ran_ns":30,"within_ns":39,"busy":0.7692,"gaps":2,"longest_gap_ns":5}'
    says out '"queue":"queue#2","device":"device#1","commands":4,"launches":0,"bytes":48,"ran_ns":null,"within_ns":null,"busy":null,"gaps":null,"longest_gap_ns":null}'
    status 0 "$clerk" show t.db transfers --json
    says out '"command":"WriteBuffer","device":"device#1","commands":4,"timed_commands":1,"bytes":64,"total_ns":15,"share":0.5556,"mean_ns":15,"least_ns":15,"most_ns":15,"bytes_per_second":1066666666}'
    says out '"command":"MapBuffer","device":"device#1","commands":4,"timed_commands":1,"bytes":64,"total_ns":3,"share":0.1111,"mean_ns":3,"least_ns":3,"most_ns":3,"bytes_per_second":null}'
    # A part of the recording has them as well.
    status 0 "$clerk" run --device reference --profile -o t.db -- "$build/tests/profiled"
    launch=$(sqlite3 t.db 'select max(call) from launch')
    status 0 "$clerk" trim t.db --launches "$launch-$launch" -o part.db
    [ "$(sqlite3 part.db 'select sum(duration_ns) from launch')" -eq \
        "$(sqlite3 t.db "select duration_ns from launch where call = $launch")" ] || fail "the part has other times"
}

# What has no times is told, and how many events are kept has a limit.
profiled_commands_without_end() {
    status 0 "$clerk" run --device reference --checks none --profile -o t.db -- "$build/tests/unprofiled" 1
    says err "1 command had not ended when the program did: the times are not recorded"
    status 0 "$clerk" run --device reference --checks none --profile -o t.db -- "$build/tests/unprofiled" 65540
    says err "65536 commands had not ended when the program did: the times are not recorded"
    says err "the times of 4 commands are not recorded: too many others were enqueued before they ended"
    status 0 "$clerk" run --device reference --checks none --profile --record-until call:150 -o t.db -- "$build/tests/unprofiled" 1000
    says err " commands had not ended when the recording did: the times are not recorded"
}

# The program is told of its queues and events what it would be told without, and judged alike.
profiling_is_not_seen() {
    for device in system reference; do
        [ $device = reference ] || needs_driver
        for via in layer preload; do
            status 99 "$clerk" run --device $device --via $via -o t.db -- "$build/tests/unprofiled"
            mv out plain
            grep '^error: ' err >plain.found
            status 99 "$clerk" run --device $device --via $via --profile -o t.db -- "$build/tests/unprofiled"
            equal "the program sees the profiling by way of $via" plain out
            grep '^error: ' err >found
            equal "something else is found by way of $via" plain.found found
        done
        says out "profiling gives -7"
        says found "event-profiling"
    done
}

# The device knows where a block of malloc's ends, by either way, and also beside another library that is preloaded.
blocks_of_malloc_are_known() {
    needs_no_sanitizer "the program"
    for via in layer preload; do
        status 99 "$clerk" run --device reference --via $via -- "$build/tests/rules/rule_system" beyond_a_block
        says err "the access begins right at the end of 'a', whose elements are 0 to 62"
        status 0 "$clerk" run --device reference --via $via -- "$build/tests/rules/rule_system" blocks
    done
    LD_PRELOAD=$libraries/libclerk_loaded.so status 99 "$clerk" run --device reference -- \
        "$build/tests/rules/rule_system" freed_block
    says err "the program has freed it, and malloc has not given it again"
}

# What is preloaded for the device does not disturb them.
sanitizers_report_as_ever() {
    needs_no_sanitizer "the program"
    needs_program gcc gcc
    cat >program.c <<-'END'
	#include <stdlib.h>
	int main(int count, char **words)
	{
	    volatile char *bytes = malloc((size_t)count + 1);
	    free(words[1][0] == 'b' ? NULL : (char *)bytes);
	    return bytes[words[1][0] == 'b' ? count + 1 : 0];
	}
	END
    for sanitizer in address thread; do
        gcc -g -w -fsanitize=$sanitizer program.c -o program 2>/dev/null || skip "gcc has no sanitizer: $sanitizer"
        for mistake in behind freed; do
            ./program $mistake 2>alone || true
            "$clerk" run --device reference -- ./program $mistake 2>with || true
            for report in alone with; do
                sed -e '/^clerk: /d; s/0x[0-9a-f]*/ADDRESS/g; s/==[0-9]*==//; s/pid=[0-9]*//' \
                    -e '/^  *[=ADRES]*:\( \|$\)/d; /^=>/d' $report >$report.same
            done
            equal "the sanitizer's report is another one ($sanitizer, $mistake)" alone.same with.same
        done
    done
    says alone "heap-use-after-free"
}

# Where the driver does not profile, the run goes on.
profiling_is_refused() {
    needs_driver
    OPENCL_LAYERS=$build/tests/libno_profiling.so status 99 "$clerk" run --via layer --profile -o t.db -- "$build/tests/unprofiled"
    says out "mapped 4"
    says err "a queue could not be made to profile: the times of its commands are not recorded"
}

# Children are what the kernels themselves counted, the same however they are executed; each runs after its parent.
children_are_launches() {
    needs_program sqlite3 sqlite3
    for setting in WORKERS=1 WORKERS=16 NATIVE=always CHECKS=all; do
        status 0 env "CLERK_$setting" "$clerk" run --device reference --profile --fail-on never -o t.db -- "$build/tests/enqueuing"
        sqlite3 t.db "select (select sum(global_size) from launch where kernel_name = 'root'),
            sum(global_size) filter (where parent is null), sum(global_size) filter (where parent),
            count(*) filter (where parent is null), count(*) filter (where parent)
            from launch_child where result = 'CL_SUCCESS'" >recorded
        equal "with $setting the children are others than the kernels counted" out recorded
        sqlite3 t.db "select kernel_name, id, parent, work_dim, global_size, local_size, global_offset, start_ns, end_ns,
            complete_ns, result from launch_child order by id" >children
        [ -e same ] || cp children same
        equal "with $setting the children are others" same children
    done
    says children "block of root|3||1|16|8||"
    says children "block of branch|4|1|1|8|4|3|"
    says children "block of forlorn|16||1|1|1|||||CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    [ "$(sqlite3 t.db "select count(*) from launch_child as own join launch_child as parent on parent.id = own.parent
        where own.start_ns > parent.end_ns and own.complete_ns <= parent.complete_ns and own.call = parent.call")" -eq 10 ] ||
        fail "a child is not within its parent"
    [ "$(sqlite3 t.db "select count(*) from launch where complete_ns = end_ns + 1
        + (select max(complete_ns) from launch_child where call = launch.call)")" -eq 2 ] || fail "a launch is complete too early"
    status 0 "$clerk" show t.db launches
    says out "  child#4 of child#1: block of branch    8 from 3     4           queue#2"
    status 0 "$clerk" show t.db launches --errors
    says out "  child#16: block of forlorn"
    status 0 "$clerk" show t.db kernels --json
    says out '{"kernel":"block of branch","device":"device#1","launches":10,"timed_launches":10,"total_ns":'
    says out '"given_bytes":null,"enqueued_by":"device"}'
    # Without --profile children have no times, as launches have none.
    status 0 "$clerk" run --device reference --checks none -o u.db -- "$build/tests/enqueuing"
    status 0 "$clerk" show u.db kernels --json
    [ "$(grep -c '"timed_launches":0,"total_ns":null' out)" -eq 4 ] || fail "kernels are timed: $(cat out)"
    # A part of the recording, and one that begins later, has those of its launches.
    launch=$(sqlite3 t.db "select max(call) from launch where kernel_name = 'root'")
    status 0 "$clerk" trim t.db --launches "$launch-$launch" -o part.db
    sqlite3 t.db "select * from launch_child where call = $launch" >whole
    sqlite3 part.db "select * from launch_child" >part
    equal "the part has other children" whole part
    status 0 "$clerk" run --device reference --checks none --record-from launch:3 -o late.db -- "$build/tests/enqueuing"
    [ "$(sqlite3 late.db 'select kernel_name from launch_child')" = "block of forlorn" ] || fail "children of earlier launches are there"
    # Their parents make them again.
    status 1 "$clerk" replay t.db --device reference # device-event-unset
    says out "compared 1 read-back (20 B): all equal"
}

# What lines of kernels execute is all that is counted as the launch's time, and the same however it is executed.
lines_are_counted() {
    needs_program sqlite3 sqlite3
    for setting in WORKERS=1 WORKERS=2 WORKERS=16 NATIVE=off NATIVE=always INSTRUCTION_SET=base CHECKS=none; do
        status 0 env "CLERK_$setting" "$clerk" run --device reference --profile --profile-lines -o t.db -- "$build/tests/heated"
        says err "kernels were interpreted, on one thread, to count what their lines execute"
        sqlite3 t.db 'select call, sum(operations) + 1 from launch_line group by call' >lines
        sqlite3 t.db 'select call, duration_ns from launch' >times
        equal "with $setting lines execute something else than the launch" times lines
        status 0 "$clerk" show t.db lines --json
        [ -e counted ] || cp out counted
        equal "with $setting something else is counted" counted out
    done
    # The time is that of a launch that is not counted.
    status 0 "$clerk" run --device reference --profile -o u.db -- "$build/tests/heated"
    sqlite3 u.db 'select call, duration_ns from launch' >uncounted
    equal "counting changes the time" uncounted times
    status 0 "$clerk" show u.db lines
    says out "no lines were counted (clerk run --device reference --profile --profile-lines)"
    # Every second work-item goes round the loop; 32 of them access 32 lines of memory, or one bank.
    grep '"line":7,' counted >line
    says line '"idle":0.5,"memory":"","text":"            sum = sum * 3 + k;","program":"program#1","file":"<source>"'
    status 0 "$clerk" show t.db lines --limit 1
    says out "for (int k = 0; k < 100; k++)"
    grep '"line":16,' counted >line
    says line '"idle":0.0,"memory":"uncoalesced 32.0x bank conflicts 32.0x"'
    grep '"line":17,' counted >line
    says line '"memory":"bank conflicts 32.0x"'
    if /usr/bin/python3 -c 'import pyte' 2>/dev/null; then
        /usr/bin/python3 "$source_directory/tests/cli/view.py" "$clerk" t.db '50 %     7 |             sum = sum * 3 + k;' x ||
            fail "clerk view does not show it"
    fi
    # A part of the recording has them as well.
    launch=$(sqlite3 t.db 'select max(call) from launch')
    status 0 "$clerk" trim t.db --launches "$launch-$launch" -o part.db
    [ "$(sqlite3 part.db 'select sum(operations) from launch_line')" -eq \
        "$(sqlite3 t.db "select sum(operations) from launch_line where call = $launch")" ] || fail "the part has other lines"
    status 2 "$clerk" run --profile-lines -o t.db -- "$build/tests/heated"
    says err "--profile-lines is more of what --profile records: not without it"
    needs_driver
    status 0 "$clerk" run --profile --profile-lines -o t.db -- "$build/tests/heated"
    says err "what the lines of kernels execute is counted on clerk's own device alone (--device reference)"
}

# What is made of a buffer holds it, and is no memory of its own.
memory_in_use() {
    status 0 "$clerk" run --device reference --profile -o t.db -- "$build/tests/held"
    status 0 "$clerk" show t.db usage --json
    sed -e 's/"call":[0-9]*/"call":0/' -e 's/"ns":[0-9]*/"ns":0/' out >usage
    status 0 "$clerk" show t.db peak --json
    sed -e 's/_call":[0-9]*/_call":0/g' out >>usage
    equal "other memory is in use" "$source_directory/tests/cli/expected/held.json" usage
    # A map need not move what it shows.
    status 0 "$clerk" show t.db transfers --json
    grep '"command":"SVMMap".*"timed_commands":1,"bytes":2048,.*"bytes_per_second":null' out >/dev/null || fail "a map moves bytes: $(cat out)"
    call=$(sqlite3 t.db "select id from call where name = 'clCreatePipe'")
    status 0 "$clerk" show t.db usage --from "$call" --to "$call"
    says out "pipe#1"
    [ "$(wc -l <out)" -eq 2 ] || fail "one call changes $(wc -l <out) lines"
    status 0 "$clerk" export t.db --from "$call" --to "$call" --format chrome -o t.chrome
    [ "$(grep -c '"memory in use".*"bytes":1504}' t.chrome)" -eq 1 ] || fail "the counter is another one: $(grep memory t.chrome)"
}

# Each thread's calls are there, as many as it made, in its order.
threads_in_order() {
    needs_program sqlite3 sqlite3
    for device in reference system; do
        [ $device = reference ] || needs_driver
        status 0 "$clerk" run --device $device -o t.db -- "$build/tests/many_calls" 4 5000
        says err "clerk: no findings"
        says err "40,004 calls recorded in t.db"
        cat >per_thread.sql <<'SQL'
select thread, count(*), sum(name = 'clRetainContext'), sum(name = 'clReleaseContext') from call
    where not flags & 4 and thread > 1 group by thread;
select count(*) from (select name, lag(name) over (partition by thread order by id) as before from call
    where not flags & 4 and thread > 1) where name = before;
select count(*) from (select begin_ns, lag(end_ns) over (partition by thread order by id) as before from call)
    where begin_ns < before;
SQL
        sqlite3 t.db <per_thread.sql >out
        cat >wanted <<'OUT'
2|10000|5000|5000
3|10000|5000|5000
4|10000|5000|5000
5|10000|5000|5000
0
0
OUT
        equal "the calls of the threads on the $device device" wanted out
    done
}

# number OFFSET: the 64-bit number at that place of the file `counts`
number() {
    od -A n -t u8 -j "$1" -N 8 counts | tr -d ' '
}

# kill -9 amid a million calls: what had returned is there, and what was under way.
killed_amid_calls() {
    CLERK_TRACE=$work/t.db OPENCL_LAYERS=$libraries/libclerk_layer.so OCL_ICD_VENDORS=$build/share/clerk/vendors \
        "$build/tests/many_calls" 1 500000 counts >out 2>err &
    id=$!
    i=0
    while [ ! -s counts ] || [ "$(number 8)" -lt 300000 ]; do
        sleep 0.02
        i=$((i + 1))
        [ $i -lt 4000 ] || fail "after 80 s only $(number 8) calls were made: $(cat err)"
        kill -0 $id 2>/dev/null || fail "the program ended: $(cat err)"
    done
    kill -9 $id
    wait $id 2>/dev/null || true
    begun=$(number 0)
    ended=$(number 8)
    [ "$ended" -lt 1000000 ] || fail "the million calls were over when the program was killed"
    status 0 "$clerk" show t.db calls
    says err "what the program left was recovered"
    grep -E 'cl(Retain|Release)Context\(' out >pairs
    listed=$(wc -l <pairs)
    returned=$(grep -c '= CL_SUCCESS$' pairs)
    # The program counts a call before and after it, clerk within.
    [ "$returned" -ge "$ended" ] && [ "$listed" -le "$begun" ] && [ $((listed - returned)) -le 1 ] ||
        fail "$begun calls begun, $ended returned; listed are $listed, of which $returned returned"
    grep 'clWaitForEvents(' out >waiting || fail "the call that was under way is not listed"
    says waiting "never returned"
    status 0 "$clerk" show t.db
    says out "recovered"
}

# Where a program was that did not come back, without a trace.
calls_in_flight() {
    line=$(grep -n 'return clWaitForEvents' "$source_directory/tests/cli/stuck.c" | cut -d: -f1)
    for case in waits thread child; do
        if [ $case = child ]; then expected=99; else expected=142; fi
        status $expected "$clerk" run --device reference -- "$build/tests/stuck" $case
        says err ", clWaitForEvents by thread "
        says err ", never returned"
        says err "stuck.c:$line)"
    done
    says err " of process "
    status 142 "$clerk" run --device reference -- "$build/tests/stuck" returned
    says err "clerk: no OpenCL call was under way"
    status 0 "$clerk" run --device reference -- "$build/tests/stuck" ends
    if grep 'never returned' err; then fail "the program ended by itself"; fi
}

# What may tell more is said where it may: of a wait behind kernels that nothing watches.
calls_behind_kernels() {
    needs_driver
    hint="clerk: if a kernel is why, clerk run --probes may tell which"
    status 142 "$clerk" run -- "$build/tests/stuck" kernel
    says err ", clFinish by thread 1, never returned"
    [ "$(grep -c "^$hint" err)" -eq 1 ] || fail "there is no hint, or several: $(cat err)"
    status 142 "$clerk" run -- "$build/tests/stuck" waits
    says err ", never returned"
    never_says err "$hint"
    status 142 "$clerk" run --probes -- "$build/tests/stuck" kernel
    says err ", clFinish by thread 1, never returned"
    never_says err "$hint"
}

# Python's modules may warn of what else they would like to have.
PYTHONWARNINGS=ignore
export PYTHONWARNINGS

# Also of calls for whose time pyopencl gives the interpreter's lock back.
pyopencl_has_lines() {
    needs_pyopencl
    cp "$source_directory/tests/cli/wrong.py" .
    status 99 "$clerk" run --device reference --report r.json --report r.sarif -- "$python" wrong.py
    for rule in bounds-global build-failed host-access; do
        line=$(grep -n "# $rule" wrong.py | cut -d: -f1)
        says err "(wrong.py:$line)"
        says r.json "\"file\":\"wrong.py\",\"line\":$line"
    done
    says err "at launch (wrong.py"
    says r.sarif '"uri":"wrong.py"'
    status 99 "$clerk" run --device reference --stack all -- "$python" wrong.py
    says err "   launch (wrong.py"
    grep -q 'python3[^ ]*)' err || fail "the interpreter's own frames are not there"
}

pyopencl_over_system() {
    needs_driver
    needs_pyopencl
    program=$source_directory/docs/examples/multiply.py
    for run in 1 2; do
        status 0 "$clerk" run -o t.db -- "$python" "$program"
        says out "50000 products, 0 wrong"
        says err "clerk: no findings"
        # Also the second run, for which pyopencl would have a binary.
        status 0 "$clerk" replay t.db
        says out "compared 1 read-back (195 KiB): all equal"
        cp out replayed.$run
    done
    equal "two replays" replayed.1 replayed.2
}

pyopencl_on_reference() {
    needs_pyopencl
    program=$source_directory/docs/examples/multiply.py
    status 0 "$clerk" run --device reference -o t.db -- "$python" "$program"
    says out "50000 products, 0 wrong"
    says err "clerk: no findings"
    OCL_ICD_VENDORS=$build/share/clerk/vendors status 0 "$python" "$program"
    says out "50000 products, 0 wrong"
    silent err
}

# Shared virtual memory of coarse and fine grain: the first alone can be replayed.
pyopencl_shared_memory() {
    needs_pyopencl
    cat >coarse.py <<'PROGRAM'
import numpy, pyopencl
context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
queue = pyopencl.CommandQueue(context)
program = pyopencl.Program(context, "kernel void twice(global float *a) { a[get_global_id(0)] *= 2; }")
kernel = program.build().twice
coarse = pyopencl.csvm_empty(context, 1000, numpy.float32)
with pyopencl.SVM(coarse).map_rw(queue) as mapped:
    mapped[:] = numpy.arange(1000)
kernel(queue, coarse.shape, None, pyopencl.SVM(coarse))
result = numpy.empty(1000, numpy.float32)
pyopencl.enqueue_copy(queue, result, pyopencl.SVM(coarse))
assert (result == 2 * numpy.arange(1000)).all()
PROGRAM
    cp coarse.py all.py
    cat >>all.py <<'PROGRAM'
fine = pyopencl.fsvm_empty(context, 100, numpy.float32)
fine[:] = 3
kernel(queue, fine.shape, None, pyopencl.SVM(fine))
queue.finish()
assert (fine == 6).all()
PROGRAM
    status 0 "$clerk" run --device reference -o t.db -- "$python" coarse.py
    says err "clerk: no findings"
    status 0 "$clerk" replay t.db
    says out "compared 1 read-back (3.9 KiB): all equal"
    status 0 "$clerk" run --device reference -o all.db -- "$python" all.py
    says err "clerk: no findings"
    status 0 "$clerk" replay all.db
    says out "all equal"
}

# From its second run on pyopencl has a binary of the program: the report is the same, apart from calls.
pyopencl_binary_has_lines() {
    needs_pyopencl
    cat >race.py <<'PROGRAM'
import pyopencl
SOURCE = """
kernel void racy(global int *a)
{
    a[0] = (int)get_global_id(0); // raced for
}
"""
context = pyopencl.Context([pyopencl.get_platforms()[0].get_devices()[0]])
queue = pyopencl.CommandQueue(context)
buffer = pyopencl.Buffer(context, pyopencl.mem_flags.READ_WRITE, 4)
program = pyopencl.Program(context, SOURCE).build()
program.racy(queue, (64,), None, buffer)
queue.finish()
PROGRAM
    for run in 1 2; do
        OCL_ICD_VENDORS=$build/share/clerk/vendors status 0 "$python" race.py
        says err "race-global"
        says err "a[0] = (int)get_global_id(0); // raced for"
        cp err report.$run
    done
    equal "the reports of two runs" report.1 report.2
    # Its file is the program's, though the second run has a binary.
    for run in 1 2; do
        status 99 "$clerk" run --device reference -- "$python" race.py
        says err "--> race.py:5"
    done
    [ -n "$(find "$work" -name binary)" ] || fail "pyopencl kept no binary: the second run tests nothing"
}

# What the device finds stands with the call that enqueued the kernel, and the stack of that call.
findings_name_the_call() {
    cp "$source_directory/docs/examples/reduce.cl" .
    status 99 "$clerk" run --device reference -o t.db -- "$build/examples/reduce" reduce.cl
    status 0 "$clerk" show t.db findings
    call=$(sqlite3 t.db "select id from call where name = 'clEnqueueNDRangeKernel'")
    says out "--> enqueued by clEnqueueNDRangeKernel (call $call)"
    [ "$(sqlite3 t.db 'select distinct call from finding')" = "$call" ] || fail "findings name other calls"
    status 99 "$clerk" run --device reference -- "$build/examples/reduce" reduce.cl
    says err "--> enqueued by clEnqueueNDRangeKernel (call "
}

# Who called stands there by line where the program has debug information, and by function else.
findings_name_the_line() {
    needs_program gcc gcc
    needs_no_sanitizer "a program that gcc compiles"
    cp "$source_directory"/docs/examples/reduce.c* "$source_directory/docs/examples/reduce.cl" .
    called=$(grep -n 'sum_groups(context' reduce.c | cut -d: -f1)
    enqueued=$(grep -n 'clEnqueueNDRangeKernel(queue' reduce.c | cut -d: -f1)
    for debug in -g -g0; do
        gcc $debug -O0 -DCL_TARGET_OPENCL_VERSION=120 -o "reduce$debug" reduce.c -lOpenCL
        status 99 "$clerk" run --device reference -o t.db --report r.sarif --report r.json -- "./reduce$debug" reduce.cl
        cp err shown
        status 0 "$clerk" show t.db findings
        cat out >>shown
        if [ $debug = -g ]; then
            [ "$(grep -cF "at sum_groups (reduce.c:$enqueued)" shown)" -eq 2 ] || fail "the line is not told: $(cat shown)"
            [ "$(grep -cF "   main (reduce.c:$called)" shown)" -eq 2 ] || fail "main's line is not told: $(cat shown)"
            says r.json "\"file\":\"reduce.c\",\"line\":$enqueued"
            says r.sarif '"locations":[{"physicalLocation":{"artifactLocation":{"uri":"reduce.cl"'
            says r.sarif '{"id":3,"physicalLocation":{"artifactLocation":{"uri":"reduce.c"'
            # The baseline knows it without lines as well.
            cp r.json known.json
        else
            [ "$(grep -c 'at sum_groups+0x[0-9a-f]* (reduce-g0)$' shown)" -eq 2 ] || fail "no function is told: $(cat shown)"
            status 0 "$clerk" run --device reference --baseline known.json -- "./reduce$debug" reduce.cl
        fi
    done
    # A stripped program has no names; those of its neighbours are not its own.
    gcc -s -DCL_TARGET_OPENCL_VERSION=120 -o reduce-s reduce.c -lOpenCL
    status 99 "$clerk" run --device reference -- ./reduce-s reduce.cl
    grep -q 'at 0x[0-9a-f]* (reduce-s)$' err || fail "a function is told of a stripped program: $(cat err)"
    # Another file of that name tells nothing of an earlier run.
    status 99 "$clerk" run --device reference -o t.db -- ./reduce-g reduce.cl
    touch -d '+1 hour' reduce-g
    status 0 "$clerk" show t.db findings
    says out "at sum_groups+0x"
}

# The C++ bindings call, and are inlined into the program: its own line is the place all the same.
findings_name_the_users_line() {
    needs_program g++ g++
    needs_no_sanitizer "a program that g++ compiles"
    [ -e /usr/include/CL/opencl.hpp ] || skip "CL/opencl.hpp is not installed (Debian: opencl-clhpp-headers)"
    cp "$source_directory/tests/cli/bindings.cpp" .
    for level in -O0 -O2; do
        g++ -g $level -o "bindings$level" bindings.cpp -lOpenCL
        status 99 "$clerk" run --device reference --report r.json --report r.sarif -- "./bindings$level"
        for mark in unset bounds; do
            line=$(grep -n "/\* $mark \*/" bindings.cpp | cut -d: -f1)
            says err "at main (bindings.cpp:$line)"
            says r.json "\"file\":\"bindings.cpp\",\"line\":$line"
        done
        says r.sarif '"locations":[{"physicalLocation":{"artifactLocation":{"uri":"bindings.cpp"'
        never_says err opencl.hpp
        never_says r.json '"file":"/usr/include'
        # And its string is the kernel's file.
        line=$(grep -n "to\[get_global_id(0)\]" bindings.cpp | cut -d: -f1)
        says err "--> bindings.cpp:$line:"
    done
    # Without its being inlined, the binding has a frame, which only a reader who asks sees.
    status 99 "$clerk" run --device reference -o t.db -- ./bindings-O0
    says err "(1 of bindings and the system folded)"
    status 99 "$clerk" run --device reference --stack all -- ./bindings-O0
    says err "/usr/include/CL/opencl.hpp:"
    never_says err folded
    status 0 "$clerk" show t.db findings
    never_says out opencl.hpp
    status 0 "$clerk" show t.db findings --stack all
    says out "/usr/include/CL/opencl.hpp:"
}

# What a launch uses that an earlier one left, or that was released since.
# names_are_known FILE: each buffer that the report tells of has the name there that it has in t.db
names_are_known() {
    sed -n 's/.*--> \(buffer#[0-9]*\) was created by clCreateBuffer (call \([0-9]*\)).*/\1 \2/p' "$1" | sort >told
    [ "$(wc -l <told)" -eq 16 ] || fail "not all is told: $(cat "$1")"
    sqlite3 -separator ' ' t.db 'select name, created_call from object' | sort >known
    comm -23 told known >strange
    silent strange
}

findings_name_as_the_trace() {
    for run in 1 2 3 4 5; do
        status 99 "$clerk" run --device reference --max-per-rule 0 -o t.db -- "$build/tests/named"
        names_are_known err
        status 1 "$clerk" check --max-per-rule 0 t.db
        cat out err >both
        names_are_known both
    done
}

findings_across_launches() {
    status 99 "$clerk" run --device reference -- "$build/tests/launches" freed
    says err "[access-freed]"
    says err "the object was released before the kernel ran to its end"
    status 99 "$clerk" run --device reference -- "$build/tests/launches" kept
    says err "[access-stale]"
    says err "an earlier launch put it into memory here"
    status 99 "$clerk" run --device reference -- "$build/tests/launches" unwritten
    says err "[uninitialised-branch]"
    says err "reason: the latest launch that could write to 'in' was kernel 'fill' on 12 work-items"
    for right in written refilled; do
        status 0 "$clerk" run --device reference -- "$build/tests/launches" $right
        says err "clerk: no findings"
    done
    status 99 "$clerk" run --device reference -- "$build/tests/launches" emptied
    says err "[uninitialised-branch]"
    says err "since it was migrated"
}

# What is found in each of three launches is told once, and that it was seen in all of them.
findings_of_every_launch() {
    status 99 "$clerk" run --device reference -o t.db -- "$build/tests/launches" again
    says err "seen:   3 times"
    says err "clerk: 1 error"
    status 0 "$clerk" show t.db
    says out "findings    1 error"
    status 0 "$clerk" show t.db findings
    says out "seen:   3 times"
    [ "$(grep -c '^error: ' out)" -eq 1 ] || fail "clerk show tells one finding $(grep -c '^error: ' out) times"
    status 0 "$clerk" show t.db findings --json
    says out '"count":3,'
    status 0 "$clerk" show t.db findings --from "$(sqlite3 t.db 'select max(call) from finding')"
    grep -q "seen:" out && fail "one launch of three is not told alone"
    status 0 "$clerk" show t.db programs --full
    [ "$(grep -c '\^ \[uninitialised-branch\]' out)" -eq 2 ] || fail "the source has not one mark for each of its places"
    status 0 "$clerk" export t.db --format html -o t.html
    [ "$(grep -c '"rule":"uninitialised-branch"' t.html)" -eq 1 ] || fail "the page tells one finding several times"
    says t.html '"in=buffer#1 (64 B), out=buffer#3 (64 B)"'
    /usr/bin/python3 -c 'import pyte' 2>/dev/null || skip "pyte is not installed (Debian: python3-pyte)"
    for words in "[uninitialised-branch] clEnqueueNDRangeKernel" "in=buffer#1 (64 B), out=buffer#3 (64 B)"; do
        /usr/bin/python3 "$source_directory/tests/cli/view.py" "$clerk" t.db "$words" Tab Enter || fail "clerk view does not say it"
    done
}

# Launches whose work-items communicate run once more in turns, on a copy of their memory; the program sees nothing of it.
findings_of_other_schedules() {
    set -- "$clerk" run --device reference
    repeated=$build/tests/repeated
    for memory in usual shared; do
        status 99 "$@" -o t.db -- "$repeated" queue $memory
        printf '14: 45 0 0 0 0 0 0 0\n14: 45 0 0 0 0 0 0 0\n' | diff - out >&2 || fail "the program sees another run ($memory)"
        says err "error: [race-global]"
        says err "schedule: turns:1"
        says err "repeat: clerk run --schedule turns:1 --device reference -- $repeated queue $memory"
    done
    status 0 "$clerk" show t.db findings --json
    says out '"schedule":"turns:1"'
    status 99 "$@" --schedule turns:1 -- "$repeated" queue
    grep -q "schedule:" err && fail "the schedule of the program is told as another one"
    status 0 "$@" --schedules 0 -- "$repeated" queue
    says err "clerk: no findings"
    status 0 "$@" -- "$repeated" queue fine # which the host may change meanwhile
    says err "clerk: no findings"
    # Variables of the program are copies too.
    status 0 "$@" -- "$repeated" variable
    [ "$(tail -n 1 out)" = "0: 8 0 0 0 0 0 0 0" ] || fail "the second run changed a variable: $(cat out)"
    says err "clerk: no findings"
    # What a read hides on which nothing depends.
    status 99 "$@" -- "$repeated" unread
    [ "$(tail -n 1 out)" = "1: 1 1 0 0 0 0 0 0" ] || fail "the program sees another run: $(cat out)"
    says err "nothing depends on the value"
    says err "schedule: hold:0:2"
    status 99 "$@" --schedule hold:0:2 -- "$repeated" unread
    status 0 "$@" --schedules 0 -- "$repeated" unread
    # What is printed is printed once; each schedule gives other outputs, which is told once.
    status 0 "$@" --schedules 2 -- "$repeated" turns
    [ "$(grep -c printed out)" -eq 8 ] || fail "it printed $(grep -c printed out) lines, not 8"
    says err "ends with other values under"
    says err "turns:1: element 1 is 1, and was 0 under asc"
    says err "seen:   2 times"
    says err "clerk: 1 note"
    # Of a kernel that has another size each time, not all are run again.
    status 0 "$@" -- "$repeated" turns sizes
    [ "$(tail -n 1 out)" = "42: 0 0 1 1 2 2 3 3" ] || fail "the program sees another run: $(tail -n 1 out)"
    says err "seen:   16 times"
    # What is given up is said.
    status 0 "$@" -- "$repeated" length
    says err "clerk: launches of more than 50 million instructions were not run under other schedules: 'length'"
    status 0 "$@" -- "$repeated" variable large
    says err "clerk: launches that may write more than 256 MiB were not run under other schedules: 'variable'"
    status 0 "$@" --operation-limit 20 -- "$repeated" variable together # one vector, and then four
    says err "clerk: under other schedules launches were ended early: 'variable'"
    status 0 "$@" -- "$repeated" histogram large
    says err "clerk: no findings"
    grep -q "not run under" err && fail "a kernel that tells no order would have been run again"
    :
}

# From three places: one finding, which lists them, in every form.
findings_of_several_places() {
    status 99 "$clerk" run --device reference -o t.db --report r.sarif --report r.xml --report r.json -- "$build/tests/launches" apart
    says err "clerk: 1 error"
    [ "$(grep -c -e '--> enqueued by' err)" -eq 3 ] || fail "not three places are told: $(cat err)"
    cp err shown
    status 0 "$clerk" show t.db findings
    [ "$(grep -c -e '--> enqueued by' out)" -eq 3 ] || fail "clerk show does not tell three places: $(cat out)"
    status 0 "$clerk" show t.db findings --json
    [ "$(wc -l <out)" -eq 1 ] || fail "clerk show tells several findings: $(cat out)"
    for file in out r.json r.sarif r.xml; do
        [ "$(grep -o 'enqueued by' $file | wc -l)" -ge 3 ] || fail "$file has not three places: $(cat $file)"
    done
    [ "$(grep -o '"ruleId"' r.sarif | wc -l)" -eq 1 ] || fail "SARIF has several results"
    [ "$(grep -c '<testcase' r.xml)" -eq 1 ] || fail "JUnit has several cases"
    # What one of them was known by, all of them are.
    status 0 "$clerk" run --device reference --baseline r.json -- "$build/tests/launches" apart
}

# The sources of several programs, each of which may have findings.
sources_of_several_programs() {
    status 0 "$clerk" run --device reference -o t.db -- "$build/tests/replay_linked"
    status 0 "$clerk" show t.db programs --full
    silent err
    [ "$(grep -c '^==== program#' out)" -eq "$(sqlite3 t.db 'select count(*) from program')" ] || fail "not every program is shown"
}

# Debian's python3 has Debian's pyopencl; another python3 that comes first in the path has not.
needs_pyopencl() {
    needs_no_sanitizer python3
    for python in /usr/bin/python3 python3; do
        "$python" -c 'import pyopencl, numpy' 2>/dev/null && return
    done
    skip "pyopencl is not installed (Debian: python3-pyopencl python3-numpy)"
}

# The bundled example's two runs: with a driver of the system's, and where there is none.
demo_ends_well() {
    needs_driver
    # The leak checker fails the demo's plain program for what the driver leaks, and the demo then takes the other way.
    needs_no_sanitizer "the system's driver"
    status 0 "$source_directory/docs/examples/demo" "$build" "$work/demo"
    demo_says_so out
    says out "Replay them on the reference device"
}

demo_without_driver() {
    mkdir none
    status 0 env OCL_ICD_VENDORS="$work/none" "$source_directory/docs/examples/demo" "$build" "$work/demo"
    demo_says_so out
    says out "the reference device stands in for it"
}

# never_says FILE TEXT
never_says() {
    if grep -qF -- "$2" "$1"; then fail "'$1' says '$2': $(cat "$1")"; fi
}

# "No findings" is said of what was looked at, and what was not is told.
verdicts_of_runs() {
    program=$build/tests/verdicts
    status 0 "$clerk" run --device reference --strict -- "$program"
    says err "clerk: no findings"
    # A kernel that does not build was not checked.
    status 0 "$clerk" run --device reference -- "$program" refused
    says err "1 build for the reference device failed"
    never_says err "no findings"
    status 2 "$clerk" run --device reference --strict -- "$program" refused
    # Nor is anything without rules.
    status 0 "$clerk" run --device reference --checks none -- "$program"
    says err "no rule was checked"
    never_says err "no findings"
    status 2 "$clerk" run --device reference --checks none --strict -- "$program"
    status 2 "$clerk" kernel --checks none --strict "$source_directory/docs/examples/reduce.cl" --build -DGROUP_SIZE=64 -g 64 -l 64 \
        -a 'buf:uint[64]=1' -a 'buf:uint[1]'
    says out "no rule was checked"
    # What a program had not released is not known where it does not come to its end.
    for end in exit kill; do
        wanted=0
        [ $end = exit ] || wanted=137
        status $wanted "$clerk" run --device reference -- "$program" $end
        says err "what it has not released was not looked for"
        status $wanted "$clerk" run --device reference --format sarif -- "$program" $end
        says err '"executionSuccessful":true'
        says err '"level":"note"'
    done
}

# What each says of itself, a program that asks keeps to, on every device; one that does not is told.
devices_that_lack() {
    program=$build/tests/asking
    for personality in custom no-linker no-compiler affinity; do
        status 0 "$clerk" run --strict --personality $personality -o $personality.db -- "$program"
        says out "copied abc"
        says err "clerk: no findings"
        status 0 "$clerk" replay $personality.db
        says out "all equal"
    done
    for personality in custom no-linker no-compiler; do
        status 99 "$clerk" run --personality $personality -- "$program" build
        says out "built: -3" # CL_COMPILER_NOT_AVAILABLE
        says err "[feature-unsupported] clBuildProgram: program is for devices without a compiler"
        says err "clerk: 1 error"
    done
    for personality in custom no-linker; do
        status 99 "$clerk" run --personality $personality -- "$program" link
        says out "linked: -16" # CL_LINKER_NOT_AVAILABLE
        says err "[feature-unsupported] clLinkProgram: context has no device with a linker"
        says err "clerk: 1 error"
    done
    status 99 "$clerk" run --personality affinity -- "$program" divide
    says out "divided: 0, 4"
    says out "divided: -30, 0" # CL_INVALID_VALUE
    says err "[property-invalid] clCreateSubDevices"
    says err "clerk: 1 error"
    # Of other built-in kernels, and of source, a replay says what the device lacks.
    status 2 "$clerk" replay custom.db --personality minimum
    says err "built-in kernels, which the target does not have: 1 call"
    status 2 "$clerk" replay affinity.db --personality custom
    says err "it succeeded in the recording and fails on the target with CL_COMPILER_NOT_AVAILABLE"
    status 0 "$clerk" replay affinity.db --personalities affinity,no-linker
    says out "affinity: the same"
    says out "no-linker: cannot be performed"
}

verdicts_of_recordings() {
    program=$build/tests/verdicts
    status 0 "$clerk" run --device reference --checks none -o whole.db -- "$program"
    status 137 "$clerk" run --device reference -o killed.db -- "$program" kill
    status 0 "$clerk" run --device reference --contents none -o bare.db -- "$program"
    status 0 "$clerk" run --device reference -o empty.db -- "$build/tests/platforms"
    # Without checks there are no findings to show.
    status 0 "$clerk" show whole.db
    says out "not looked for"
    status 0 "$clerk" show whole.db findings
    says out "the run was recorded without checks"
    status 0 "$clerk" show whole.db --json
    says out '"unchecked":["the run was recorded without checks"]'
    # The end of a killed run is not judged.
    status 0 "$clerk" check whole.db
    says out "clerk: no findings"
    never_says out "released"
    status 0 "$clerk" check killed.db
    says out "what the program had not released was not looked for"
    status 2 "$clerk" check --checks none --strict whole.db
    says out "no rule was checked"
    for verb in replay "diff killed.db"; do
        status 0 "$clerk" $verb killed.db
        cat out err >said
        says said "the program did not end by itself"
    done
    status 0 "$clerk" replay --json killed.db
    says out '"state":"recovered"'
    status 0 "$clerk" diff bare.db bare.db
    says out "no bytes of memory were recorded, so none were compared"
    # No launch, no kernel that is right.
    status 0 "$clerk" replay empty.db
    says out "no kernel was launched, so none was checked"
    never_says out "no findings"
    status 2 "$clerk" replay --strict empty.db
}

# Kernels over a driver are not checked, and leave nothing in the report but that.
verdicts_over_drivers() {
    needs_driver
    status 0 "$clerk" run --strict -- "$build/tests/verdicts"
    says err "clerk: no findings"
    says err "only calls were checked"
    status 0 "$clerk" run --json -- "$build/tests/verdicts"
    says err '","severity":"note"}'
    status 0 "$clerk" run --checks race -- "$build/tests/verdicts"
    says err "no rule was checked: --checks has none about calls"
    never_says err "no findings"
    # A build that fails there is none that was to be checked.
    status 0 "$clerk" run --strict -- "$build/tests/verdicts" refused
    says err "note: [build-failed] clBuildProgram"
    says err "clerk: 1 note"
    never_says err "only calls"
}

# The log of a failed build stands in the finding and in the recording, and the driver is asked for it once: with its
# size before. The others are what the build came to, twice, and two more for the recording.
failed_build_is_asked_once() {
    needs_driver
    OPENCL_LAYERS=$build/tests/libcall_list.so
    CALL_LIST=$work/list
    export OPENCL_LAYERS CALL_LIST
    status 0 "$clerk" run -o t.db --report r.json -- "$build/tests/verdicts" refused
    unset OPENCL_LAYERS CALL_LIST
    [ "$(grep -c ' clGetProgramBuildInfo$' list)" -eq 6 ] || fail "the driver is asked otherwise: $(sort list | uniq -c)"
    status 0 "$clerk" show t.db calls --all
    grep 'CL_PROGRAM_BUILD_LOG.*error' out >log || fail "the recording has no log: $(cat out)"
    grep -q '"rule":"build-failed".*error' r.json || fail "the finding has no log: $(cat r.json)"
}

# mistake WAY MISTAKE SENTENCE: it is found in the program that is made so
mistake() {
    status 99 "$clerk" run -- "$build/tests/mistaken" "$1" "$2"
    says err "$3"
    says err "clerk: 1 error"
}

# pyopencl keeps binaries between runs, of which there are no checked copies: the second run sees as much as the first.
# What is advised is what the reference device knows, which has seen who else races.
pyopencl_is_probed() {
    needs_driver
    needs_pyopencl
    cat >smooth.py <<'SCRIPT'
import numpy
import pyopencl as cl

context = cl.create_some_context(False)
queue = cl.CommandQueue(context)
numbers = numpy.arange(1024, dtype=numpy.int32)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
buffer = cl.Buffer(context, flags, hostbuf=numbers)
program = cl.Program(context, """
kernel void smooth(global int *a)
{
    int i = get_global_id(0), n = get_global_size(0);
    a[i] = (a[i] + a[(i + 1) % n]) / 2;
}""").build()
program.smooth(queue, (1024,), (64,), buffer)
cl.enqueue_copy(queue, numbers, buffer)
SCRIPT
    for turn in first second; do
        status 99 "$clerk" run --probes -- "$python" smooth.py
        says err "[race-global]"
        says err "fix:    Write the results to another buffer than the one that is read"
        says err "probes: 1 of 1 kernel, 1 of 1 launch checked"
    done
}

# Over drivers that do not tell what arguments are, by what the program is made of.
kernels_are_known() {
    needs_driver
    mistakes_are_found
}

# The loader of the CUDA toolkit, and drivers in the place of a loader.
loader_knows_no_layers() {
    needs_driver
    needs_no_sanitizer mistaken
    loader=$(ldd "$build/tests/mistaken" | sed -n 's/.*libOpenCL.so.1 => \([^ ]*\) .*/\1/p')
    mkdir loader
    sed 's/OPENCL_LAYERS/OPENCL_AVOIDS/g' "$loader" >loader/libOpenCL.so.1
    LD_LIBRARY_PATH=$work/loader
    export LD_LIBRARY_PATH
    status 0 "$clerk" run --via layer -- "$build/tests/mistaken" build size
    says err "no OpenCL call of the program came through clerk"
    mistake build size "arg_size is 12; the argument is a value of 16 bytes"
    status 0 "$clerk" doctor
    says out "knows no layers: clerk run uses LD_PRELOAD"
}

kernels_are_known_over_oclgrind() {
    needs_oclgrind
    mistakes_are_found
}

mistakes_are_found() {
    for way in build link include again relink; do
        status 0 "$clerk" run --strict -- "$build/tests/mistaken" $way none
        says err "clerk: no findings"
        mistake $way size "arg_size is 12; the argument is a value of 16 bytes"
        mistake $way structure "arg_size is 12; the argument is a value of 16 bytes"
        mistake $way local "is not NULL; the argument is a pointer to local"
        mistake $way kind "arg_size is 4; the argument is a cl_mem of"
        mistake $way access "is made with CL_MEM_READ_ONLY; the argument is a"
        mistake $way released "kernel has as argument 0 buffer#1"
        mistake $way unordered "clEnqueueReadBuffer reads bytes 0 to 15 of buffer#1"
    done
    status 0 "$clerk" run -o t.db -- "$build/tests/mistaken" build none
    status 0 "$clerk" show t.db calls --all --call clGetKernelArgInfo
    says out 'param_value -> "number*"'
    says out 'param_value -> "both"'
    status 0 "$clerk" replay --device reference t.db
    # A recording tells as much.
    status 99 "$clerk" run -o t.db -- "$build/tests/mistaken" build unordered
    status 1 "$clerk" check t.db
    says out "error: [race-commands]"
}

# Programs of a binary that an earlier run has seen being given out, and of one that none has.
mistakes_are_found_by_binaries() {
    # Of what the driver has built before, the binary is there before clerk knows what is in it.
    for turn in new known; do
        rm -rf "$CLERK_CACHE"
        status 0 "$clerk" run --strict -- "$build/tests/mistaken" save none
        says err "clerk: no findings"
        status 0 "$clerk" run --strict -- "$build/tests/mistaken" load none
        says err "clerk: no findings"
        mistake load size "arg_size is 12; the argument is a value of 16 bytes"
        mistake load structure "arg_size is 12; the argument is a value of 16 bytes"
        mistake load local "is not NULL; the argument is a pointer to local"
        mistake load access "is made with CL_MEM_READ_ONLY; the argument is a"
        mistake load released "kernel has as argument 0 buffer#1"
        mistake load unordered "clEnqueueReadBuffer reads bytes 0 to 15 of buffer#1"
    done
}

kernels_are_known_by_binaries() {
    needs_driver
    mistakes_are_found_by_binaries
    # It needs no compilers for it; another clerk_probe does not believe what this one found.
    CLERK_CLANG=/nonexistent mistake load size "the argument is a value of 16 bytes"
    mkdir -p other/bin other/lib/clerk
    cp "$clerk" other/bin/clerk
    cp "$libraries/libclerk_layer.so" "$libraries/libclerk_preload.so" other/lib/clerk
    cp "$libraries/clerk_probe" other/lib/clerk
    status 0 other/bin/clerk run --strict -- "$build/tests/mistaken" load size
    says err "clerk: no findings"
    # Nor does it believe entries that are damaged.
    for entry in $(find "$CLERK_CACHE" -type f); do
        printf x | dd of="$entry" bs=1 seek=60 conv=notrunc 2>dd.err
    done
    status 0 "$clerk" run --strict -- "$build/tests/mistaken" load size
    says err "clerk: no findings"
    for entry in $(find "$CLERK_CACHE" -type f); do
        head -c 50 "$entry" >cut
        cat cut >"$entry"
    done
    status 0 "$clerk" run --strict -- "$build/tests/mistaken" load size
    says err "clerk: no findings"
    CLERK_CACHE=none status 0 "$clerk" run --strict -- "$build/tests/mistaken" load size
    says err "clerk: no findings"
    # Without a cache on disk the same run still knows.
    CLERK_CACHE=none mistake again size "arg_size is 12; the argument is a value of 16 bytes"
}

# Its runtime tells what arguments are, and not what kernels do with them.
kernels_are_known_by_binaries_over_oclgrind() {
    needs_oclgrind
    mistakes_are_found_by_binaries
}

# What keeps clerk from knowing them changes nothing else, and nothing is said of it.
kernels_are_not_known() {
    needs_driver
    CLERK_CLANG=/nonexistent status 0 "$clerk" run --strict -- "$build/tests/mistaken" build size
    says err "clerk: no findings"
    mkdir -p other/bin other/lib/clerk
    cp "$clerk" other/bin/clerk
    cp "$libraries/libclerk_layer.so" "$libraries/libclerk_preload.so" other/lib/clerk
    for probe in 'exit 1' 'echo nothing that is packed' 'kill -9 $$' 'exec sleep 100' 'cat /dev/zero'; do
        printf '#!/bin/sh\n%s\n' "$probe" >other/lib/clerk/clerk_probe
        chmod +x other/lib/clerk/clerk_probe
        status 0 timeout 60 other/bin/clerk run --strict -- "$build/tests/mistaken" build size
        says err "clerk: no findings"
    done
    # None goes on for longer than the program.
    sleep 0.2
    for process in /proc/[0-9]*; do
        ! grep -qs -e "sleep.100" "$process/cmdline" || ! grep -qs "$work" "$process/environ" ||
            fail "a process is left: $process"
    done
    rm other/lib/clerk/clerk_probe
    status 0 other/bin/clerk run --strict -- "$build/tests/mistaken" build size
    says err "clerk: no findings"
}

# suspected KERNEL HOW...: a kernel with checks, written by hand, reports what it does over a driver
suspected() {
    status 99 timeout 60 other/bin/clerk run --probes $options -- "$build/tests/suspected" "$@"
}

# What a driver's device saw is performed again on the reference device.
kernels_are_confirmed() {
    needs_driver
    mkdir -p other/bin other/lib/clerk
    cp "$clerk" other/bin/clerk
    cp "$libraries/libclerk_layer.so" "$libraries/libclerk_device.so" other/lib/clerk
    cp "$build/tests/fixed_probe" other/lib/clerk/clerk_probe
    options=
    # Launched once, with what memory held afterwards: that is enough where it does not count.
    suspected wrong once
    says err "[bounds-global]"
    says err "<source>:17:46, in wrong"
    says err "enqueued by clEnqueueNDRangeKernel (call "
    tr -s ' \n' ' ' <err >words
    says words ", 2 times, and shown by the reference device, which ran the launch of call "
    says words "again, on what its memory held afterwards"
    says err "clerk: 1 error"
    suspected wrong linked
    tr -s ' \n' ' ' <err >words
    says words ", 2 times, and shown by the reference device, which ran the launch of call "
    # Another work-item is at fault than the one that was seen: what was seen stays.
    suspected later once
    tr -s ' \n' ' ' <err >words
    says words "[bounds-global] work-item 1 of work-group 1 writes"
    says words "; the reference device shows the like of it in this line when it runs the launch of call "
    suspected shift once
    tr -s ' \n' ' ' <err >words
    says words "clerk's reference device did not show it when it ran the launch of call "
    says words "again, on what its memory held afterwards"
    # The next launch is kept with what it finds in memory, whoever writes that and when.
    for how in twice queues; do
        suspected shift $how
        tr -s ' \n' ' ' <err >words
        says words "<source>:3:32, in shift"
        says words ", 2 times, and shown by the reference device, which ran the launch of call "
        never_says words afterwards
        says err "clerk: 1 error"
    done
    # What else it finds there.
    suspected sum twice
    tr -s ' \n' ' ' <err >words
    says words "[race-global]"
    says words "found by the reference device, which ran the launch of call "
    says words "clerk: 2 errors"
    # What is not shown stays.
    suspected right twice
    tr -s ' \n' ' ' <err >words
    says words "clerk's reference device did not show it when it ran the launch of call "
    suspected wrong large
    tr -s ' \n' ' ' <err >words
    says words "clerk's reference device did not run the launch: its memory objects have more than 256 MiB"
    status 99 other/bin/clerk run --probes -- sh -c 'rmdir "$CLERK_CAPTURED_LAUNCHES"; exec "$@"' - \
        "$build/tests/suspected" wrong once
    tr -s ' \n' ' ' <err >words
    says words "clerk's reference device did not run a launch of the kernel: none was kept"
    status 99 other/bin/clerk run --probes -- sh -c '"$@"; ls -l "$CLERK_CAPTURED_LAUNCHES/.." >modes
        ls -l "$CLERK_CAPTURED_LAUNCHES" >>modes' - "$build/tests/suspected" wrong once
    grep -q "^drwx------.* clerk-scratch-" modes || fail "others see what is kept: $(cat modes)"
    grep -q "^-rw-------.* launch-" modes || fail "others see what is kept: $(cat modes)"
    # Files that are none, and limits that end it.
    status 99 other/bin/clerk run --probes -- sh -c 'echo no >"$CLERK_CAPTURED_LAUNCHES/none"; "$@"' - \
        "$build/tests/suspected" wrong once
    tr -s ' \n' ' ' <err >words
    says words "shown by the reference device"
    options="--operation-limit 1"
    suspected shift twice
    tr -s ' \n' ' ' <err >words
    says words ": it has more operations than the limit of the reference device"
    CLERK_CLANG=/nonexistent
    export CLERK_CLANG
    options=
    suspected shift twice
    unset CLERK_CLANG
    tr -s ' \n' ' ' <err >words
    says words "clerk's reference device could not run the launch of call "
    # In every form.
    options="--json --report r.sarif --report r.xml"
    suspected shift twice
    says err '"seen_on":"'
    says err "and shown by the reference device"
    says r.sarif "and shown by the reference device"
    tr -s ' \n' ' ' <r.xml >words
    says words "and shown by the reference device"
    ! ls -d "$TMPDIR"/clerk-scratch-* 2>/dev/null || fail "a directory is left"
}

# source_text: kernel `wrong`, at fault in line 4
source_text() {
    cat <<end
void store(global int *a, size_t i)
{
    /* behind the end */
    a[i + get_global_size(0)] = 1;
}

kernel void wrong(global int *out)
{
    store(out, get_global_id(0));
}
end
}

# place PLACE TEXT...: a run with these $options says that this is where it is
place() {
    expected=$1
    shift
    status 99 "$clerk" run $options -- "$build/tests/sourced" "$@"
    says err "--> $expected"
}

# The text of a program that was made from a string is found in a file, and so is its place.
kernels_from_files() {
    options=${1:-"--device reference"}
    mkdir -p tree/kernels tree/.hidden away
    cd tree
    source_text >.hidden/wrong.txt
    place "<source>:4" .hidden/wrong.txt
    ! ls -d "$TMPDIR"/clerk-scratch-* 2>/dev/null || fail "texts are left"
    # All of a file, wherever the program has it from.
    source_text >kernels/wrong.cl
    place "kernels/wrong.cl:4" .hidden/wrong.txt
    never_says err "<source>"
    place "kernels/wrong.cl:4" kernels/wrong.cl
    # With other texts before and behind: lines of these have no file.
    place "kernels/wrong.cl:4" "=#define ITEMS 4
#define MORE 5
" .hidden/wrong.txt "=kernel void more(void) {}
"
    place "<source>:16" "=#define ITEMS 4
#define wrong right
" .hidden/wrong.txt "=#undef wrong
kernel void wrong(global int *out)
{
    out[get_global_id(0) + get_global_size(0)] = 1;
}
"
    # Line ends count as one kind.
    sed 's/$/\r/' .hidden/wrong.txt >kernels/wrong.cl
    place "kernels/wrong.cl:4" .hidden/wrong.txt
    # A file that differs in one byte is another one.
    sed 's/behind/Behind/' .hidden/wrong.txt >kernels/wrong.cl
    place "<source>:4" .hidden/wrong.txt
    sed 's/behind/before/' .hidden/wrong.txt >kernels/other.cl
    place "<source>:4" .hidden/wrong.txt
    # Elsewhere it is found where one says so.
    source_text >../away/wrong.cl
    place "<source>:4" .hidden/wrong.txt
    options="$options --source-dir ../away"
    place "$work/away/wrong.cl:4" .hidden/wrong.txt
    options="$options --source-dir ../nowhere"
    status 2 "$clerk" run $options -- "$build/tests/sourced" .hidden/wrong.txt
    says err "--source-dir: '../nowhere' is not a directory"
}

kernels_from_files_over_a_driver() {
    needs_driver
    kernels_from_files --probes
}

# Of equal files the nearest, and none that a build or a tool put there.
kernels_from_the_nearest_file() {
    options="--device reference"
    mkdir -p a/deep b run build .hidden
    source_text >.hidden/wrong.txt
    source_text >build/wrong.cl
    touch build/CMakeCache.txt
    source_text >.hidden/wrong.cl
    ln -s ../.hidden/wrong.cl b/linked.cl
    place "<source>:4" .hidden/wrong.txt
    source_text >a/deep/wrong.cl
    place "a/deep/wrong.cl:4" .hidden/wrong.txt
    source_text >b/wrong.cl
    place "b/wrong.cl:4" .hidden/wrong.txt
    source_text >a/wrong.cl
    place "a/wrong.cl:4" .hidden/wrong.txt
    # Beside the program, but not where that was built.
    cp "$build/tests/sourced" build
    status 99 "$clerk" run $options -- build/sourced .hidden/wrong.txt
    says err "--> a/wrong.cl:4"
    cp "$build/tests/sourced" b
    status 99 "$clerk" run $options -- b/sourced .hidden/wrong.txt
    says err "--> b/wrong.cl:4"
    # Beside what the command line names; and first where one says so.
    place "a/deep/wrong.cl:4" a/deep/wrong.cl
    options="$options --source-dir b"
    place "b/wrong.cl:4" a/deep/wrong.cl
}

# A string in a program's own source: raw, or line by line, or Python's.
kernels_from_strings() {
    options=${1:-"--device reference"}
    mkdir .hidden
    source_text >.hidden/wrong.txt
    {
        printf '#include "CL/cl.h"\n// don'"'"'t\nconst char tick = '"'\"'"';\nstatic const char *const text = R"CLC('
        cat .hidden/wrong.txt
        printf ')CLC";\n'
    } >app.cpp
    place "app.cpp:7" .hidden/wrong.txt
    # Two that differ: it is from the one that the program was made of, as far as its name tells.
    { echo; cat app.cpp; } >other.cpp
    place "<source>:4" .hidden/wrong.txt
    cp "$build/tests/sourced" other
    status 99 "$clerk" run $options -- ./other .hidden/wrong.txt
    says err "--> other.cpp:8"
    rm other other.cpp app.cpp
    # With the column where it is in the file, and the file's line.
    {
        printf 'const char *text =\n'
        sed 's/^/    "/; s/$/\\n"/' .hidden/wrong.txt
        printf '    ;\n'
    } >app.c
    place "app.c:5" .hidden/wrong.txt
    case $options in *reference*)
        says err "app.c:5:36, in store"
        says err '5 |     "    a[i + get_global_size(0)] = 1;\n"'
        says err "called by wrong at app.c:10:10"
        ;;
    esac
    # As several strings, each of which is some lines.
    sed 's/"$/",/; s/^    ;/};/' app.c >list.c
    rm app.c
    place "list.c:5" .hidden/wrong.txt
    rm list.c
    for quotes in '"""' "'''"; do
        {
            printf "# don't\nimport numpy\n\nsource = r%s" "$quotes"
            cat .hidden/wrong.txt
            printf '%s\n' "$quotes"
        } >app.py
        place "app.py:7" .hidden/wrong.txt
    done
    # Twice in one file: nobody knows which.
    cat app.py app.py >twice.py
    rm app.py
    place "<source>:4" .hidden/wrong.txt
}

kernels_from_strings_over_a_driver() {
    needs_driver
    kernels_from_strings --probes
}

# What was known or suppressed before the file was found still is, and the other way round.
kernels_stay_known() {
    mkdir .hidden
    source_text >.hidden/wrong.txt
    set -- -- "$build/tests/sourced" .hidden/wrong.txt
    status 99 "$clerk" run --device reference --report old.json --gen-suppressions old.list "$@"
    says err "--> <source>:4"
    echo 'bounds-global file=<source> line=4' >nameless.list
    {
        printf 'text = (\n'
        sed 's/^/    "/; s/$/\\n"/' .hidden/wrong.txt
        printf ')\n'
    } >app.py
    status 99 "$clerk" run --device reference --report new.json "$@"
    says err "--> app.py:5:"
    for option in "--baseline old.json" "--baseline new.json" "--suppress old.list" "--suppress nameless.list"; do
        status 0 "$clerk" run --device reference $option "$@"
    done
    echo 'bounds-global file=app.py line=5' >named.list
    status 0 "$clerk" run --device reference --suppress named.list "$@"
    echo 'bounds-global file=app.py line=4' >named.list
    status 99 "$clerk" run --device reference --suppress named.list "$@"
    rm app.py
    status 0 "$clerk" run --device reference --baseline new.json "$@"
}

# In every form, of a recording as well, and from elsewhere.
kernels_from_files_everywhere() {
    mkdir -p tree/kernels tree/.hidden other
    cd tree
    source_text >.hidden/wrong.txt
    source_text >kernels/wrong.cl
    status 99 "$clerk" run --device reference -o t.db --report r.sarif --report r.xml --report r.html -- \
        "$build/tests/sourced" .hidden/wrong.txt
    says r.sarif '"artifactLocation":{"uri":"kernels/wrong.cl"'
    says r.xml "kernels/wrong.cl:4"
    says r.html "kernels/wrong.cl"
    status 99 "$clerk" run --device reference --format gcc -- "$build/tests/sourced" .hidden/wrong.txt
    grep -q "^kernels/wrong.cl:4:31: error: " err || fail "no error of GCC's: $(cat err)"
    status 99 "$clerk" run --device reference --format github -- "$build/tests/sourced" .hidden/wrong.txt
    says err "file=kernels/wrong.cl,line=4"
    status 0 "$clerk" show t.db findings
    says out "--> kernels/wrong.cl:4:31, in store"
    says out "called by wrong at kernels/wrong.cl:9:5"
    status 1 "$clerk" replay t.db
    says out "--> kernels/wrong.cl:4:31, in store"
    cd ../other
    status 0 "$clerk" show ../tree/t.db findings
    says out "--> $work/tree/kernels/wrong.cl:4:31, in store"
    mv ../tree/kernels ../away
    status 0 "$clerk" show ../tree/t.db findings
    says out "--> <source>:4:31, in store"
    status 0 "$clerk" show ../tree/t.db findings --source-dir ../away
    says out "--> $work/away/wrong.cl:4:31, in store"
    status 1 "$clerk" replay ../tree/t.db --source-dir ../away
    says out "--> $work/away/wrong.cl:4:31, in store"
    status 0 "$clerk" export ../tree/t.db --format html -o page.html
    never_says page.html "$work/away/wrong.cl"
    status 0 "$clerk" export ../tree/t.db --format html -o page.html --source-dir ../away
    says page.html "$work/away/wrong.cl"
    if /usr/bin/python3 -c 'import pyte' 2>/dev/null; then
        /usr/bin/python3 "$source_directory/tests/cli/view.py" "$clerk" "../tree/t.db --source-dir ../away" \
            "away/wrong.cl:4:31, in store" Tab || fail "clerk view does not name the file"
    fi
    for verb in "show ../tree/t.db findings" "export ../tree/t.db --format html -o page.html"; do
        status 2 "$clerk" $verb --source-dir ../nowhere
        says err "--source-dir: '../nowhere' is not a directory"
    done
    status 2 "$clerk" export ../tree/t.db --format csv -o t.csv --source-dir ../away
    says err "--source-dir names files in pages alone (--format html)"
}

# By #line a text names its lines itself: a name that is no file from here is that of the file that has the text.
kernels_from_named_lines() {
    options="--device reference"
    mkdir -p kernels .hidden
    source_text >.hidden/wrong.txt
    source_text >kernels/wrong.cl
    place "kernels/wrong.cl:4" "=#define ITEMS 4
#line 1
" .hidden/wrong.txt
    place "kernels/wrong.cl:4" '=#define ITEMS 4
#line 1 "wrong.cl"
' .hidden/wrong.txt
    says err "called by wrong at kernels/wrong.cl:9:5"
    place "other.cl:5" '=#define ITEMS 4
#line 1 "other.cl"
' "=void more(void);
" .hidden/wrong.txt
}

# Every texel of an image that was read is a pixel of the picture.
image_becomes_picture() {
    status 0 "$clerk" run --device reference -o t.db -- "$build/tests/replay_images"
    status 0 "$clerk" show t.db calls --call clEnqueueReadImage --limit 1 --json
    call=$(sed 's/^{"id":\([0-9]*\),.*/\1/' out)
    status 0 "$clerk" show t.db memory --from "$call" --to "$call" --type uchar4 --json --picture p.ppm
    sed 's/.*"values":\[//' out | tr -d ']}[' | tr ',' '\n' | awk 'NR % 4' >wanted
    [ "$(sort -u wanted | wc -l)" -gt 10 ] || fail "the image has few colours"
    [ "$(head -n 2 p.ppm | tr '\n' ' ')" = "P6 6 4 " ] || fail "the picture begins $(head -c 10 p.ppm)"
    tail -c 72 p.ppm | od -An -v -tu1 -w1 | tr -d ' ' >pixels
    equal "the picture is of other texels" wanted pixels
    # Of layers, which an image of two dimensions does not have, its description may say anything.
    status 0 "$clerk" run --device reference -o l.db -- "$build/tests/replay_levels"
    status 0 "$clerk" show l.db memory --object 'image#1' --limit 1 --picture l.ppm
    [ "$(head -n 2 l.ppm | tr '\n' ' ')" = "P6 8 8 " ] || fail "the picture begins $(head -c 10 l.ppm)"
}

# Each command of the documents does what stands there. The programs and files that they name by way of example are these.
documents() {
    needs_program python3 python3
    needs_program gcc gcc
    needs_program sqlite3 sqlite3
    needs_driver
    needs_no_sanitizer "a program that gcc compiles"
    mkdir page
    cp -r "$source_directory/docs/examples" page
    cp "$source_directory/docs/examples/reduce.c" "$source_directory/docs/examples/reduce.cl" \
        "$source_directory/tests/kernels/explore/dekker.cl" page
    (cd page && gcc -g -fdebug-prefix-map="$PWD=." -DCL_TARGET_OPENCL_VERSION=120 -o reduce reduce.c -lOpenCL)
    cp "$source_directory/tests/litmus/atomic-and-plain-read.litmus" page/mp.litmus
    awk '/^```litmus$/ { take = 1; next } /^```$/ { take = 0 } take' "$source_directory/docs/MEMORY_MODEL.md" \
        >page/message-passing.litmus
    printf '#!/bin/sh\nexec ./reduce examples/reduce_fixed.cl\n' >page/app
    chmod +x page/app
    cat >page/sum.cl <<'CL'
kernel void sum(global const uint *numbers, global uint *result)
{
    atomic_add(result, numbers[get_global_id(0)]);
}
CL
    cat >page/lock.cl <<'CL'
kernel void count(global int *lock)
{
    while (atomic_cmpxchg(lock, 0, 1) != 0) {
    }
    atomic_xchg(lock, 0);
}
CL
    (cd page && "$clerk" run --device reference --contents all -o app.db -- ./app &&
        "$clerk" run -o other.db --report one.json --report two.json -- ./app) >out 2>&1 || fail "the example does not run: $(cat out)"
    PATH=$build/bin:$PATH python3 "$source_directory/tests/cli/document.py" page "$source_directory/README.md" \
        "$source_directory"/docs/*.md || fail "a document is not true"
}

# valid REPORT RESULTS RELATED: REPORT.sarif and REPORT.xml fit what the standards say (sarif.py)
valid() {
    /usr/bin/python3 "$source_directory/tests/cli/sarif.py" "$source_directory/tests/cli/sarif.json" "$1.sarif" "$2" "$3" ||
        fail "$1.sarif is not valid"
    xmllint --noout --schema "$source_directory/tests/cli/junit.xsd" "$1.xml" >out 2>&1 || fail "$1.xml is not valid: $(cat out)"
}

reports_are_valid() {
    needs_program xmllint libxml2-utils
    /usr/bin/python3 -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
    cp "$source_directory"/docs/examples/reduce*.cl .
    mkdir -p 'a folder/.git'
    cp reduce.cl 'a folder/re%duce.cl'
    status 99 "$clerk" run --device reference --report race.sarif --report race.xml --report known.json -- "$build/examples/reduce" reduce.cl
    valid race 1 3
    status 0 "$clerk" run --device reference --report known.sarif --report known.xml --baseline known.json -- "$build/examples/reduce" reduce.cl
    valid known 1 3
    says known.sarif '"baselineState":"unchanged"'
    status 0 "$clerk" run --device reference --report none.sarif --report none.xml -- "$build/examples/reduce" reduce_fixed.cl
    valid none 0 0
    status 99 "$clerk" run --device reference --report calls.sarif --report calls.xml -- "$build/tests/queried"
    valid calls 2 2
    # What was not checked is not a clean run.
    status 0 "$clerk" run --report unseen.sarif --report unseen.xml --report unseen.html -- true
    valid unseen 0 0
    says unseen.sarif '"executionSuccessful":false'
    says unseen.html '"unchecked":["no OpenCL call'
    CLERK_TRACE=/dev/null/t.db status 2 "$clerk" run --device reference --report part.sarif --report part.xml -- \
        "$build/examples/reduce" reduce_fixed.cl
    valid part 0 0
    says part.xml '<error type="error" message="the run was observed in part only (cannot create'
    # Files within the repository, and outside it.
    for file in 'a folder/re%duce.cl' reduce.cl; do
        status 1 sh -c 'cd "a folder" && exec "$@"' - "$clerk" kernel "$work/$file" --build -DGROUP_SIZE=64 -g 64 -l 64 \
            -a 'buf:uint[64]=1' -a 'buf:uint[1]' --report "$work/file.sarif" --report "$work/file.xml"
        valid file 1 2
        grep -o '"uri":"[^"]*"' file.sarif | sort -u >>uris
    done
    says uris '"uri":"re%25duce.cl"'
    says uris "\"uri\":\"file://$work/reduce.cl\""
}

# The kernel with these lines; then clerk's options.
two_bugs() {
    printf 'kernel void two(global int *a, global int *b)\n{\n%s\n}\n' "$1" >two.cl
    shift
    "$clerk" kernel two.cl -g 1 -a 'buf:int[4]=1' -a 'buf:int[4]=1' --max-per-rule 0 "$@"
}

# Two bugs of one rule in one kernel, one known: the other fails, be it beside the first or in its place, on another line or
# the same one, and whether it looks alike or not.
second_bug_is_new() {
    first='    a[4] = 1;'
    two_bugs "$first" --report known.json --gen-suppressions known.supp --fail-on never >out 2>&1 || fail "$(cat out)"
    says out "clerk: 1 error"
    for known in "--baseline known.json" "--suppress known.supp"; do
        status 0 two_bugs "$first" $known
        status 0 two_bugs "    int here; $(printf '\n    %s' "$first")" $known # it has moved
        for second in '    b[4] = 1;' '    a[5] = 1;' '    { int c = a[4]; b[0] = c; }' "    ; $first" "$first"; do
            status 1 two_bugs "$first
$second" $known --report two.sarif --report two.xml
            says out "clerk: 1 error (1 "
        done
        status 1 two_bugs '    b[4] = 1;' $known
        status 1 two_bugs '    a[5] = 1;' $known
    done
    # Of one line, and of the same text.
    for both in '    b[4] = a[4];' "$first
$first"; do
        status 1 two_bugs "$both" --report two.sarif --report two.xml --gen-suppressions two.supp --report two.json
        says out "clerk: 2 errors"
        /usr/bin/python3 "$source_directory/tests/cli/sarif.py" "$source_directory/tests/cli/sarif.json" two.sarif 2 0 || fail "two.sarif"
        [ "$(grep -o 'testcase classname="two" name="[^"]*"' two.xml | sort -u | wc -l)" = 2 ] || fail "equal names: $(cat two.xml)"
        status 0 two_bugs "$both" --suppress two.supp
        status 0 two_bugs "$both" --baseline two.json
        says out "2 known"
        # Each covers one of both.
        for line in 2 4; do
            sed -n ${line}p two.supp >one.supp
            status 1 two_bugs "$both" --suppress one.supp
            says out "clerk: 1 error (1 suppressed)"
        done
    done
}

# pipeline NEW COMMAND...: what docs/CI.md does, from an empty directory. The command has known mistakes; with the
# argument `worse` one more, of the kind and in the function of a known one.
pipeline() {
    new=$1
    shift
    status 0 "$clerk" run --device reference --report known.json --max-per-rule 0 --fail-on never -- "$@" known
    status 0 "$clerk" run --device reference --baseline known.json -- "$@" known
    says err "clerk: no findings"
    status 99 "$clerk" run --device reference --baseline known.json --report new.sarif --report new.xml --report new.json -- "$@" worse
    says err "error: [$new]"
    says err "clerk: 1 error ("
    [ "$(grep -o '"baselineState":"new"' new.sarif | wc -l)" = 1 ] || fail "SARIF has not one that is new"
    grep -q 'failures="1"' new.xml || fail "JUnit has not one failure: $(cat new.xml)"
    [ "$(grep -c '"known":true' new.json)" -ge 1 ] || fail "the next baseline lacks what was known"
}

pipeline_of_bindings() {
    needs_program g++ g++
    needs_no_sanitizer "a program that g++ compiles"
    [ -e /usr/include/CL/opencl.hpp ] || skip "CL/opencl.hpp is not installed (Debian: opencl-clhpp-headers)"
    read="queue.enqueueReadBuffer(buffer, CL_TRUE, 0, 64, data);"
    sed "s/int main()/int main(int, char **argv)/
s/^    queue.finish.*/char data[64] = {0}; $read\\nif (argv[1][0] == 'w')\\n$read\\n&/" "$source_directory/tests/cli/bindings.cpp" >bindings.cpp
    for level in -O0 -O2; do
        g++ -g $level -o bindings bindings.cpp -lOpenCL
        pipeline region-bounds ./bindings
    done
}

pipeline_of_pyopencl() {
    needs_pyopencl
    {
        cat "$source_directory/tests/cli/wrong.py"
        echo "import sys"
        echo "if sys.argv[1] == 'worse':"
        sed -n '/^try:/,$p' "$source_directory/tests/cli/wrong.py" | tail -n 4 | sed 's/^/    /'
    } >wrong.py
    pipeline host-access "$python" wrong.py
}

# What is wrong in any program and does no harm at once: one word makes it fail.
warnings_fail_strictly() {
    for rule in object-leaked map-left queue-unflushed; do
        program=$build/tests/rules/rule_$rule
        status 0 "$clerk" run --device reference -- "${program}_bad"
        says err "[$rule]"
        says err "clerk: 1 warning (the exit status ignores warnings; --strict counts them)"
        status 99 "$clerk" run --device reference --strict -- "${program}_bad"
        status 0 "$clerk" run --device reference --strict -- "${program}_good"
    done
    echo 'kernel void k(global int *out) { int x; if (get_global_id(0)) x = 1; out[get_global_id(0)] = x; }' >unwritten.cl
    status 0 "$clerk" kernel unwritten.cl -g 2 -a 'buf:int[2]'
    says out "[uninitialised-output]"
    status 1 "$clerk" kernel unwritten.cl -g 2 -a 'buf:int[2]' --strict
}

demo_says_so() {
    says "$1" "[race-local]"
    says "$1" ":13:30, in reduce"
    says "$1" ":13:27, in reduce"
    says "$1" "The bug is found, and nothing is wrong with the correction."
    grep -qF 'clerk: no findings' err || fail "the corrected kernel is not clean"
}

# 0, 1, 2 and 99, and the same bytes each time.
statuses_and_bytes() {
    examples=$source_directory/docs/examples
    cp "$examples/reduce.cl" "$examples/reduce_fixed.cl" .
    for run in 1 2; do
        status 99 "$clerk" run --device reference -o t.db -- "$build/examples/reduce" reduce.cl
        says err "[race-local]"
        cp err run.$run
        status 1 "$clerk" replay t.db
        says out "[race-local]"
        cp out replay.$run
        status 1 "$clerk" replay --json t.db
        cp out json.$run
    done
    equal "two runs" run.1 run.2
    equal "two replays" replay.1 replay.2
    equal "two replays in JSON" json.1 json.2
    status 0 "$clerk" run --device reference -o t.db -- "$build/examples/reduce" reduce_fixed.cl
    says err "clerk: no findings"
    status 0 "$clerk" replay t.db
    status 2 "$clerk" replay none.db
    status 2 "$clerk" run --device reference -- "$build/examples/none"
    # A layer that cannot record steps aside: that is not a clean run.
    CLERK_TRACE=/dev/null/t.db status 2 "$clerk" run --device reference -- \
        "$build/examples/reduce" reduce_fixed.cl
    says out "(right)"
    says err "cannot create '/dev/null/t.db.spool'"
    says err "the run was observed in part only"
}

$case_name
