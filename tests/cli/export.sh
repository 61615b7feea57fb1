#!/bin/sh
# Runs that clerk export writes for other programs, read by those programs or by others of their kind.
#
#     export.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a function below. A case whose program is not installed is skipped (status 77).
set -eu
case_name=$1
here=$2/tests/cli
examples=$2/docs/examples
build=$3
clerk=$build/bin/clerk
. "$here/checks.sh"
CLERK_CACHE=$work/cache
export CLERK_CACHE

needs_program() {
    command -v "$1" >/dev/null || {
        echo "skipped: $1 is not installed (Debian: $2)"
        exit 77
    }
}

csv_and_chrome() {
    status 0 "$build/tests/make_trace" t.db
    for form in csv chrome; do
        status 0 "$clerk" export t.db --format $form -o t.$form
        silent out
        silent err
        diff -u "$here/expected/export.$form" t.$form >&2 || fail "the output differs from expected/export.$form"
    done
    status 0 "$clerk" export t.db --format csv --from 3 --to 5 -o t.csv
    [ "$(wc -l <t.csv)" -eq 4 ] || fail "--from 3 --to 5 gave $(wc -l <t.csv) lines"
    status 137 sh -c '"$0" k.db kill; exit $?' "$build/tests/make_trace"
    status 0 "$clerk" export k.db --format csv -o k.csv
    tail -n 1 k.csv >last
    says last "20,1,20000,,1,clFinish,"
}

traces_are_not_written_over() {
    status 0 "$build/tests/make_trace" t.db
    cp t.db u.db
    for command in "export t.db --format csv -o" "check t.db --report" "report r.json --gen-suppressions" "diff t.db t.db --page"; do
        "$clerk" check t.db --report r.json >/dev/null 2>&1 || true
        status 2 "$clerk" $command u.db
        says err "'u.db' is a clerk trace; it is left alone"
        cmp -s t.db u.db || fail "clerk $command wrote over a trace"
    done
}

refusals() {
    status 0 "$build/tests/make_trace" t.db
    status 2 "$clerk" export t.db
    says err "--format FORM writes the run, --launch N one launch as a program"
    status 2 "$clerk" export t.db --format csv
    says err "-o FILE: where to?"
    status 2 "$clerk" export t.db --format csv --launch 13 -o t.csv
    says err "--format is of a run, --launch of one launch"
    status 2 "$clerk" export t.db --format pdf -o t.pdf
    says err "html|perfetto|chrome|csv"
    status 2 "$clerk" export t.db --format csv -o none/t.csv
    says err "cannot create 'none/t.csv'"
    status 2 "$clerk" export none.db --format html -o t.html
    says err "none.db"
    [ ! -e t.html ] || fail "there is a page of no run"
    # Not as a link to the device: a failed export removes what it began.
    [ ! -c /dev/full ] || [ "$(id -u)" -eq 0 ] || status 2 "$clerk" export t.db --format csv -o /dev/full
}

perfetto_is_read() {
    needs_program protoc protobuf-compiler
    status 0 "$build/tests/make_trace" t.db
    status 0 "$clerk" export t.db --format perfetto -o t.pftrace
    protoc --proto_path="$here" --decode=Trace "$here/perfetto.proto" <t.pftrace >t.txt
    # Fields that the description does not have would stand there by their number alone.
    if grep -E '^ *[0-9]+[:{ ]' t.txt; then fail "there are fields that no description has"; fi
    for counted in '6 track_descriptor {' '1 process {' '2 thread {' '21 type: TYPE_SLICE_BEGIN' '21 type: TYPE_SLICE_END' \
        '46 timestamp:' '1 type: TYPE_INSTANT' '3 type: TYPE_COUNTER' '2 counter_value: 4096' '1 unit: UNIT_SIZE_BYTES' '2 flow_ids: 13' '1 categories: "finding"' '1 string_value: "measured"' '2 name: "queue#1"' \
        '1 name: "WriteBuffer buffer#2"'; do
        count=$(grep -cF -- "${counted#* }" t.txt) || true
        [ "$count" -eq "${counted%% *}" ] || fail "'${counted#* }' stands there $count times"
    done
    # Every event is on a track that is described.
    sed -n 's/^ *uuid: //p' t.txt | sort >tracks
    sed -n 's/^ *track_uuid: //p' t.txt | sort -u >used
    [ -z "$(comm -13 tracks used)" ] || fail "events are on tracks that are not described: $(comm -13 tracks used)"
}

# Arrows from calls to their commands, and findings of a kernel and of calls where they belong.
# marked RUN RULE PLACE...
marked() {
    status 0 "$clerk" export "$1.db" --format chrome -o "$1.chrome"
    status 0 "$clerk" export "$1.db" --format perfetto -o "$1.pftrace"
    protoc --proto_path="$here" --decode=Trace "$here/perfetto.proto" <"$1.pftrace" >"$1.perfetto"
    for form in chrome perfetto; do
        python3 "$here/marks.py" $form "$@"
    done
}

marks_and_arrows() {
    needs_program protoc protobuf-compiler
    needs_program python3 python3
    "$clerk" run --device reference -o kernel.db -- "$build/tests/suspected" shift once >out 2>err || true
    marked kernel bounds-global queue:shift
    status 99 "$clerk" run --device reference -o calls.db -- "$build/tests/mistaken" build unordered
    marked calls race-commands thread:clEnqueueReadBuffer thread:clEnqueueNDRangeKernel
    # One finding, seen in each of three launches.
    status 99 "$clerk" run --device reference -o again.db -- "$build/tests/launches" again
    marked again uninitialised-branch queue:count queue:count queue:count
}

needs_browser() {
    needs_program chromium chromium
    needs_program python3 python3
}

page_is_used() {
    needs_browser
    status 0 "$build/tests/make_trace" t.db
    status 0 "$clerk" show t.db calls
    mv out shown
    status 0 "$clerk" export t.db --format html -o t.html
    python3 "$here/page.py" small t.html shown page.png
}

page_of_many_calls() {
    needs_browser
    status 0 "$clerk" run --device reference -o t.db -- "$build/tests/many_calls" 4 12500
    status 0 "$clerk" export t.db --format html -o t.html
    [ "$(wc -c <t.html)" -lt 20000000 ] || fail "the page has $(wc -c <t.html) bytes"
    python3 "$here/page.py" large t.html 100004
}

page_of_report() {
    needs_browser
    status 1 "$clerk" kernel "$examples/reduce.cl" --build -DGROUP_SIZE=64 -g 64 -l 64 -a 'buf:uint[64]=1' -a 'buf:uint[1]' \
        --report r.html
    python3 "$here/page.py" report r.html
}

page_fits_a_telephone() {
    needs_browser
    cat >long.cl <<'EOF'
kernel void blur(global const float *restrict input, global float *restrict output, local float *tile, const int width)
{
    tile[get_local_id(0)] = input[get_global_id(1) * width + get_global_id(0)]; output[get_global_id(1) * width + get_global_id(0)] = tile[get_local_id(0)] + tile[(get_local_id(0) + 1) % get_local_size(0)];
}
EOF
    status 1 "$clerk" kernel long.cl -g 64,2 -l 16,1 -a 'buf:float[128]=1' -a 'buf:float[128]' -a 'local:float[16]' -a int=64 \
        --report long.html
    python3 "$here/page.py" narrow long.html
}

page_has_marks() {
    needs_browser
    "$clerk" run --device reference -o kernel.db -- "$build/tests/suspected" shift once >out 2>err || true
    status 0 "$clerk" export kernel.db --format html -o kernel.html
    python3 "$here/page.py" marks kernel.html
}

page_has_lines() {
    needs_browser
    status 0 "$clerk" run --device reference --profile --profile-lines -o lines.db -- "$build/tests/heated"
    status 0 "$clerk" export lines.db --format html -o lines.html
    python3 "$here/page.py" lines lines.html
}

page_of_two_runs() {
    needs_browser
    for variant in usual flush; do
        status 0 "$clerk" run --device reference --checks none -o $variant.db -- "$build/tests/replay_variants" $variant
    done
    status 1 "$clerk" diff --no-queries usual.db flush.db --page both.html
    python3 "$here/page.py" compared both.html
    status 2 "$clerk" diff usual.db flush.db --page none/both.html
    says err "none/both.html"
}

# The picture of the documents: CLERK_PICTURE=docs/page.png writes it there.
page_has_picture() {
    needs_browser
    needs_program gcc gcc
    if ldd "$build/lib/clerk/libclerk_layer.so" | grep -q -e libasan -e libtsan -e libclang_rt; then
        echo "skipped: a sanitizer's libraries load into no program that is built without it"
        exit 77
    fi
    cp "$examples/reduce.cl" "$examples/reduce.c" .
    gcc -g -DCL_TARGET_OPENCL_VERSION=120 -o reduce reduce.c -lOpenCL
    for run in 1 2; do # the second does not compile the kernel, so that the timeline shows more than that
        status 99 "$clerk" run --device reference -o reduce.db -- ./reduce reduce.cl
    done
    status 0 "$clerk" export reduce.db --format html -o reduce.html
    says reduce.html 'race-local'
    # The picture is of no machine in particular.
    sed -i 's/"host":"[^"]*"/"host":"workstation"/' reduce.html
    if grep -q -e '<source>' -e '"host":"[^w]' reduce.html; then fail "the picture would show it: $(grep -o -e '<source>' -e '"host":"[^"]*"' reduce.html)"; fi
    python3 "$here/page.py" picture reduce.html "${CLERK_PICTURE:-page.png}"
    [ "$(wc -c <"${CLERK_PICTURE:-page.png}")" -gt 20000 ] || fail "the picture shows little"
}

$case_name
