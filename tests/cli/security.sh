#!/bin/sh
# What docs/SECURITY.md promises of a trace, kernel or file that somebody else gives one to open.
#
#     security.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below. A case whose program is not installed is skipped (status 77).
set -eu
case_name=$1
source_directory=$2
here=$source_directory/tests/cli
build=$3
clerk=$build/bin/clerk
. "$here/checks.sh"
CLERK_CACHE=$work/cache
export CLERK_CACHE
harm=$(printf '\033]0;harm\007\302\23331m\342\200\256\377')

needs_program() {
    command -v "$1" >/dev/null || {
        echo "skipped: $1 is not installed (Debian: $2)"
        exit 77
    }
}

# visible FILE...: nothing in it that a terminal obeys, hides or turns round
visible() {
    for file in "$@"; do
        iconv -f UTF-8 -t UTF-8 "$file" >/dev/null 2>&1 || fail "$did: $file is not UTF-8"
        if LC_ALL=C grep -qaP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!$)|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]' "$file"; then
            fail "$did: $file holds what a terminal obeys: $(LC_ALL=C grep -aP '[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2' "$file" | head -3 | od -c | head -20)"
        fi
    done
}

# no_command FILE...: nothing in it that a service which runs builds obeys, GitHub's own form apart
no_command() {
    for file in "$@"; do
        ! grep -q -e '^[[:space:]]*::' -e '##\[' -e '##vso\[' "$file" ||
            fail "$did: $file has a command: $(grep -e '^[[:space:]]*::' -e '##' "$file" | head -3)"
    done
}

# shown COMMAND...: whatever comes of it, what it prints is visible
shown() {
    did=$*
    got=0
    timeout 60 "$@" >out 2>err </dev/null || got=$?
    [ "$got" -le 2 ] || fail "'$did' exited with $got: $(cat err)"
    visible out err
}

# A trace of a program with words that do harm, recorded on the reference device.
record_harm() {
    [ -z "${1-}" ] || set -- --contents all
    "$clerk" run --device reference --checks all "$@" -o h.db -- "$build/tests/hostile" >out 2>err </dev/null || true
    [ -s h.db ] || fail "nothing was recorded: $(cat err)"
}

# As many strings of it as its author may choose.
poison() {
    needs_program sqlite3 sqlite3
    harm_sql=$(printf '%s' "$harm" | od -An -v -tx1 | tr -d ' \n')
    sqlite3 "$1" "
        UPDATE object SET kind = kind || CAST(x'$harm_sql' AS TEXT), label = ifnull(label, '') || CAST(x'$harm_sql' AS TEXT);
        UPDATE object SET name = name || CAST(x'$harm_sql' AS TEXT) WHERE kind NOT LIKE 'kernel%';
        UPDATE program SET origin = 'source', log = CAST(x'$harm_sql' AS TEXT) || char(13) || 'x';
        UPDATE kernel SET name = name || CAST(x'$harm_sql' AS TEXT);
        UPDATE launch SET kernel_name = kernel_name || CAST(x'$harm_sql' AS TEXT), local_size = CAST(x'$harm_sql' AS TEXT),
            global_offset = CAST(x'$harm_sql' AS TEXT);
        INSERT INTO launch_child SELECT call, 1, 1, kernel_name, 64, 1, local_size, local_size, local_size, 1, 1, 1,
            local_size FROM launch;
        UPDATE meta SET value = value || CAST(x'$harm_sql' AS TEXT) WHERE name IN ('program', 'command', 'directory', 'start_time');
        UPDATE machine SET value = value || CAST(x'$harm_sql' AS TEXT);
        UPDATE stack SET frame = frame || CAST(x'$harm_sql' AS TEXT);
        UPDATE finding SET message = message || CAST(x'$harm_sql' AS TEXT), json = replace(json, 'out', 'o\\u001b]0;x\\u0007\\u009b\\u202eut');
        INSERT INTO finding VALUES (1000, NULL, CAST(x'$harm_sql' AS TEXT), 'error', CAST(x'$harm_sql' AS TEXT), '{'||CAST(x'$harm_sql' AS TEXT));
        INSERT OR REPLACE INTO meta VALUES ('damaged_records', CAST(x'$harm_sql' AS TEXT));"
}

# Every name and text of a trace is a command of GitHub Actions, or of Azure Pipelines.
command_trace() {
    needs_program sqlite3 sqlite3
    sqlite3 "$1" "
        UPDATE object SET name = '::error::a##[b]##vso[c]' || id, label = ' ::error::l';
        UPDATE program SET origin = 'source', log = 'x' || char(10) || '  ::error::log' || char(10) || '##vso[log]',
            source = '::error::source' || char(10) || '##[group]', options = '::error::options';
        UPDATE kernel SET name = '::error::kernel##[x]';
        UPDATE launch SET kernel_name = '::error::launch', local_size = '::error::local', global_offset = '::error::offset';
        INSERT INTO launch_child SELECT call, 1, 1, kernel_name, 64, 1, local_size, local_size, local_size, 1, 1, 1,
            local_size FROM launch;
        UPDATE meta SET value = '::error::' || value WHERE name IN ('program', 'command', 'directory', 'start_time');
        UPDATE machine SET name = '::error::' || name, value = '::error::##vso[' || value;
        UPDATE stack SET frame = '::error::' || frame;
        UPDATE finding SET rule = '::error::rule', message = '::error::' || message;"
}

no_log_command() {
    record_harm all
    command_trace h.db
    for what in summary calls commands launches kernels lines transfers queues threads objects memory usage peak programs findings; do
        shown "$clerk" show h.db $what
        no_command out err
        shown "$clerk" show h.db $what --width 40
        no_command out err
    done
    shown "$clerk" show h.db programs --full
    no_command out err
    says out '  \x3a:error::log'
    for verb in check replay; do
        shown env TF_BUILD=True "$clerk" $verb h.db
        no_command out err
    done
    shown "$clerk" diff h.db h.db
    no_command out err
    printf 'kernel void k(global int *o) {\n  ::error::source\n ##vso[x] o[0] = 1;\n}\n' >k.cl
    shown "$clerk" kernel k.cl -g 1
    no_command out err
}

show_everything() {
    for what in summary calls commands launches queues threads objects memory programs findings; do
        shown "$clerk" show "$1" $what
        shown "$clerk" show "$1" $what --json
        shown "$clerk" show "$1" $what --width 40
    done
    shown "$clerk" show "$1" programs --full
    shown "$clerk" show "$1" memory --type uint
    shown "$clerk" show "$1" follow 'program#1'
    shown "$clerk" show "$1" calls --call "x$harm"
}

words_are_visible() {
    record_harm all
    did=run
    visible err
    show_everything h.db
    cp h.db other.db
    poison h.db
    show_everything h.db
    shown "$clerk" show h.db "x$harm"
    shown "$clerk" show "none$harm.db"
    shown "$clerk" "verb$harm"
    for form in text json sarif junit github gcc; do
        shown "$clerk" check h.db --format $form --report r.$form
        shown "$clerk" replay h.db --format $form
    done
    shown "$clerk" replay h.db
    says out '\x1b]0;harm\x07'
    shown "$clerk" diff h.db other.db
    shown "$clerk" diff h.db other.db --json
    shown "$clerk" diff h.db "none$harm.db"
    printf '/* %s */ kernel void k(global int *o, int %s) { }\n' "$harm" "$harm" >"k$harm.cl"
    shown "$clerk" kernel "k$harm.cl" -g 1
    printf '/* %s */ kernel void k(global int *o) { o[1] = 0; printf("\\x1b[2J\\n::error::x\\n"); }\n' "$harm" >k.cl
    for form in text json sarif junit github gcc; do
        shown "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --format $form
        # No line of what a kernel prints is a command to GitHub.
        [ $form != github ] || ! grep -q '^::error::x' out || fail "the kernel gave GitHub a command: $(cat out)"
        shown env GITHUB_ACTIONS=true "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --format $form
        ! grep -q '^::error::x' out err || fail "under GitHub Actions the kernel gave a command: $(cat out err)"
    done
    printf 'OpenCL %s\n{ }\n' "$harm" >t.litmus
    shown "$clerk" kernel t.litmus
}

# A launch as a program: names are clerk's, and what the author of the trace wrote is in strings, comments and data.
exported_program_is_clerks_own() {
    needs_program sqlite3 sqlite3
    needs_program gcc gcc
    "$clerk" run --device reference --contents all -o l.db -- "$build/tests/launches" written >out 2>err || fail "$(cat err)"
    sqlite3 l.db "
        UPDATE object SET name = '../../evil' || id || '#' || id || '; evil(); /*' WHERE kind NOT LIKE 'kernel%';
        UPDATE launch SET kernel_name = '*/ evil(); /' || char(10) || '*\"); evil(); //';
        UPDATE kernel SET name = '*/ evil(); /' || char(10) || '*';
        UPDATE program SET options = '\"); evil(); (\"' || char(10) || '-I??/' || char(92);
        UPDATE meta SET value = '*/ evil(); /*' WHERE name = 'program';
        UPDATE call_form SET record = CAST(replace(CAST(record AS TEXT), 'int*', '*/a;') AS BLOB) WHERE name = 'clGetKernelArgInfo'"
    launch=$(sqlite3 l.db 'SELECT max(call) FROM launch')
    mkdir deep deep/er
    status 0 "$clerk" export l.db --launch "$launch" -o deep/er/one
    [ -z "$(find . -name '*evil*')" ] || fail "the trace names files: $(find . -name '*evil*')"
    for file in deep/er/one/*; do
        case ${file##*/} in
        kernel.cl | reproduce.c | CMakeLists.txt | README.txt) ;;
        buffer_[0-9]*.found | buffer_[0-9]*.left) ;;
        *) fail "there is a file of another name: $file" ;;
        esac
    done
    gcc -fsyntax-only -Wall -Wextra -Werror deep/er/one/reproduce.c || fail "the program does not compile"
    gcc -fpreprocessed -E -P deep/er/one/reproduce.c | sed 's/"\([^"\\]\|\\.\)*"//g' >code
    if grep -n -e evil -e 'a;' code | grep -v '[a-z]a;'; then fail "the trace's author wrote code: $(grep -n evil code)"; fi
    # A directory that is there is not written into, whatever it holds.
    mkdir two
    ln -s ../target two/kernel.cl
    status 2 "$clerk" export l.db --launch "$launch" -o two
    [ ! -e target ] || fail "a link was followed"
    # More bytes than the object has: the program would write beyond its memory.
    sqlite3 l.db "INSERT INTO launch_content SELECT call, handle, after, 64, size, digest FROM launch_content WHERE after"
    status 2 "$clerk" export l.db --launch "$launch" -o three
    says err 'are 128 bytes, and it has 64'
    [ ! -e three ] || fail "something was written"
}

exports_hold_data_only() {
    record_harm all
    poison h.db
    sqlite3 h.db "UPDATE launch SET global_size = '=HYPERLINK(\"http://x\")', local_size = '@SUM(1)', kernel_name = '+cmd|calc' || char(13) || char(10) || '-x</script><img>'"
    for form in html perfetto chrome csv; do
        shown "$clerk" export h.db --format $form -o h.$form
        [ "$got" -eq 0 ] || fail "--format $form: $(cat err)"
    done
    visible h.html h.chrome h.csv
    for start in = + - @; do
        if grep -F ",\"$start" h.csv; then fail "a spreadsheet would compute this"; fi
    done
    says h.csv '"'"'"'=HYPERLINK'
    if grep -F '</script><img>' h.html; then fail "the page has markup of the trace's author"; fi
    says h.html "default-src 'none'"
}

# ends COMMAND...: by itself, with exit status 2 and a sentence
ends() {
    did=$*
    got=0
    timeout 30 "$@" >out 2>err </dev/null || got=$?
    [ "$got" -eq 2 ] || fail "'$did' exited with $got: $(cat err)"
    [ -s err ] || fail "'$did' said nothing"
    visible out err
}

# Whatever file a verb is given: pipes, devices, directories.
every_file_ends() {
    CLERK_READ_SECONDS=1
    export CLERK_READ_SECONDS
    status 0 "$build/tests/make_trace" t.db
    echo 'kernel void k(global int *o) { o[0] = 1; }' >k.cl
    mkfifo pipe
    mkdir directory
    for strange in pipe /dev/zero /dev/random directory; do
        ln -sfn $strange strange.cl
        ends "$clerk" kernel strange.cl -g 1
        ends "$clerk" kernel k.cl -g 1 -a "buf:int[4]=file:$strange"
        ends "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --suppress $strange
        ends "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --baseline $strange
        ends "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --check "0=file:$strange"
        ends "$clerk" check t.db --suppress $strange
        ends "$clerk" check t.db --baseline $strange
        ends "$clerk" replay t.db --golden $strange
        ends "$clerk" replay --merge $strange
        ends "$clerk" kernel --merge $strange
        ends "$clerk" run --suppress $strange -- true
        for verb in show check view 'diff t.db' replay 'export --format csv -o x.csv'; do
            ends "$clerk" $verb $strange
        done
    done
    # What follows would be overlooked.
    printf '\0{"rule":' >nul
    ends "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=0' --baseline nul
    says err 'a NUL byte'
    ends "$clerk" replay --merge nul
    ends "$clerk" kernel --merge nul
    says err 'a NUL byte'
    ln -s /dev/zero t.litmus
    ends "$clerk" kernel t.litmus
    # One that has a writer is read as ever.
    printf 'abcd' | "$clerk" kernel k.cl -g 1 -a 'buf:int[1]=file:/dev/stdin' >out 2>err || fail "standard input was not read: $(cat err)"
    ln -sfn pipe strange.cl
    timeout 20 cat k.cl >pipe &
    status 0 "$clerk" kernel strange.cl -g 1 -a 'buf:int[1]=0'
    wait
}

# What computes when it is read is refused by its name, in every verb.
foreign_schema_is_refused() {
    needs_program sqlite3 sqlite3
    status 0 "$build/tests/make_trace" t.db
    cp t.db sound.db
    sqlite3 t.db "DROP TABLE object; CREATE VIEW object AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id, 'buffer' AS kind, 'buffer#' || i AS name, printf('%100000d', i) AS label, i AS handle, 0 AS parent,
        1 AS created_call, NULL AS released_call FROM n"
    for verb in 'show t.db' 'show t.db objects' 'check t.db' 'replay t.db' 'diff t.db sound.db' 'diff sound.db t.db' \
        'export t.db --format html -o x.html' 'replay sound.db --golden t.db'; do
        ends "$clerk" $verb
        says err "'object'"
    done
}

# A small file whose rows go through each other, and bytes that become many: told, with the limit.
work_is_bounded() {
    needs_program sqlite3 sqlite3
    status 0 "$build/tests/make_trace" t.db
    cp t.db sound.db
    sqlite3 t.db "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
        INSERT INTO call_content SELECT 3, 3, i * 200000000, 200000000, digest FROM n, (SELECT digest FROM content LIMIT 1)"
    ends "$clerk" show t.db memory --type hex
    says err CLERK_TRACE_MEMORY
    CLERK_TRACE_STEPS=1
    export CLERK_TRACE_STEPS
    cp sound.db t.db
    sqlite3 t.db "PRAGMA synchronous = OFF;
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
        INSERT INTO finding SELECT i, 1, 'x', 'error', 'm', '{}' FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
        INSERT INTO object SELECT i, 'buffer', 'buffer#' || i, NULL, 64, NULL, 1, NULL FROM n;
        WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
        INSERT INTO launch SELECT i, 1, 'k', 1, 1, '', '', '', 1, 1, 1, 1, 1, 1, 1 FROM n;
        INSERT INTO launch_line SELECT call, '<source>', call, 1, 1, 1, 1, 0, 1, 0 FROM launch;
        INSERT INTO launch_child SELECT call, call, call, 'k', 64, 1, '', '', '', 1, 1, 1, '' FROM launch"
    for what in summary calls commands launches queues threads objects memory programs findings; do
        got=0
        timeout 60 "$clerk" show t.db $what >out 2>err || got=$?
        [ "$got" -eq 0 ] || [ "$got" -eq 2 ] || fail "show $what: $got"
    done
}

# The page names tests that there are, each case of this file among them, and the limits that there are.
page_is_true() {
    needs_program ctest cmake
    page=$source_directory/docs/SECURITY.md
    ctest --test-dir "$build" -N | sed -n 's/^ *Test *#[0-9]*: //p' >tests
    sed -n 's/^|.*|\([^|]*\)|$/\1/p' "$page" | grep -o '`[a-z]*/[a-z_/]*`' | tr -d '`' | sort -u >named
    [ "$(wc -l <named)" -gt 20 ] || fail "the page names few tests"
    while read -r name; do
        grep -qx "$name" tests || fail "there is no test '$name'"
    done <named
    for test in $(grep '^cli/security_' tests); do
        [ "$test" = cli/security_page_is_true ] || grep -qx "$test" named || fail "the page does not name $test"
    done
    sed -n 's/^LIMIT([A-Z_]*, *"\([A-Z_]*\)", *\([0-9]*\), *"\(.*\)")$/| `\1` | \2 | \3 |/p' "$source_directory/trace/base/limit.def" >limits
    [ "$(wc -l <limits)" -ge 3 ] || fail "no limits are found"
    while read -r row; do
        says "$page" "$row"
    done <limits
}

$case_name
