#!/usr/bin/env bash
# Measures what `clerk run --probes` costs the kernels of kernels/ on a GPU, beside compute-sanitizer on their CUDA twins,
# and prints one Markdown table of ratios. All columns come from one run on one machine; the ways to run take turns, and the
# least of the turns counts. OCL_ICD_VENDORS names the driver, as always. Whenever there is something new, OUT/table.md
# is written again: a run that is stopped leaves a table of what it has.
#
#     tests/bench/gpu/run.sh [options] [BUILD]      BUILD is where clerk was built: build/release
#       --out DIRECTORY    where the table, all measurements and what the tools said go: OUT of the environment, or ./gpu-bench
#       --seconds N        nothing takes longer than until then (500)
#       --size N           of clerk's columns (2048)
#       --twin-size N      of those beside compute-sanitizer, which is slow (1024)
#       --turns N          (5)
#       --probes 'WORDS'   the options of clerk run that are measured (--probes)
#       --run 'WORDS'      further options of clerk run, such as --via preload where the loader knows no layers
#       --no-cuda          clerk alone
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=${OUT:-gpu-bench}
limit=500
size=2048
twin_size=1024
readonly first_size=256
turns=5
probes=--probes
run=
cuda=1
while [[ ${1-} == -* ]]; do
    case $1 in
    --out) out=$2 ;;
    --seconds) limit=$2 ;;
    --size) size=$2 ;;
    --twin-size) twin_size=$2 ;;
    --turns) turns=$2 ;;
    --probes) probes=$2 ;;
    --run) run=$2 ;;
    --no-cuda) cuda= ;;
    *) sed -n 's/^#     //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    esac
    if [[ $1 == --no-cuda ]]; then shift; else shift 2; fi
done
build=$(cd "${1:-$root/build/release}" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
readonly records=$out/records notes=$out/notes clerk=$build/bin/clerk
: >"$records"
: >"$notes"

# Drivers keep what they compiled: then the time to the first launch would say nothing. clerk's own cache is new.
export CUDA_CACHE_DISABLE=1 CLERK_CACHE=$work/cache
unset OPENCL_LAYERS LD_PRELOAD CLERK_TRACE CLERK_CHECKS CLERK_FINDINGS CLERK_PERSONALITY

note() {
    echo "$*" >>"$notes"
    echo "run.sh: $*" >&2
}

# find_tool NAME: its path, in PATH or where CUDA is usually installed; nothing where it is not.
find_tool() {
    local place
    command -v "$1" && return
    for place in /usr/local/cuda/bin /usr/local/cuda/compute-sanitizer /opt/cuda/bin; do
        [[ -x $place/$1 ]] && echo "$place/$1" && return
    done
    true
}

# ---- building ----

bench=$build/tests/gpu_bench
build_bench() {
    if [[ -x $bench && $(ldd "$bench") != *'not found'* ]]; then return; fi
    bench=$work/gpu_bench
    cc -O2 -D_GNU_SOURCE -DCL_TARGET_OPENCL_VERSION=120 -I"$root" -I/usr/local/cuda/include "$here/gpu_bench.c" \
        "$here/measure.c" "$here/cases.c" -o "$bench" -L/usr/local/cuda/lib64 -lOpenCL -lm
}

twins=
nvcc=$(find_tool nvcc)
sanitizer=$(find_tool compute-sanitizer)
build_twins() {
    [[ $cuda ]] || return 0
    [[ $nvcc ]] || { note 'nvcc is not here: no column of CUDA'; return 0; }
    [[ $sanitizer ]] || note 'compute-sanitizer is not here: no columns of its tools'
    if "$nvcc" -O3 -std=c++17 -arch=native -lineinfo -D_GNU_SOURCE -I"$root" "$here/twins.cu" "$here/measure.c" "$here/cases.c" \
        -o "$work/twins" >"$out/nvcc.log" 2>&1; then
        twins=$work/twins
    else
        note "nvcc cannot build the twins: $(head -n 1 "$out/nvcc.log")"
    fi
}

# ---- measuring ----

# why STATUS
why() { if (($1 == 124 || $1 == 137)); then echo 'it took too long'; else echo "status $1"; fi; }

# A record: WAY SIZE NAME MILLISECONDS DIGEST ENQUEUE-MICROSECONDS READY-MILLISECONDS
have_record() { awk -v way="$1" -v size="$2" -v name="$3" '$1 == way && $2 == size && $3 == name { found = 1 } END { exit !found }' "$records"; }

# measure WAY SIZE SECONDS COMMAND...: runs it, SECONDS at most, and keeps a record of each line; its status. What it says
# is added to OUT/WAY.err.
measure() {
    local way=$1 measured_size=$2 seconds=$3 status=0 left=$((limit - SECONDS))
    shift 3
    ((left > 1)) || return 124
    timeout -k 2 $((seconds < left ? seconds : left)) "$@" --size "$measured_size" >"$work/lines" 2>>"$out/$way.err" || status=$?
    awk -v way="$way" -v size="$measured_size" '!/^#/ && NF == 5 && $2 ~ /^[0-9.]+$/ { print way, size, $0 }' "$work/lines" >>"$records"
    grep -h '^#' "$work/lines" >>"$out/devices" || true
    return $status
}

# The words before the program, by the way to run it.
words_of() {
    case $1 in
    plain) ;;
    layer) echo "$clerk run $run --" ;;
    probes) echo "$clerk run $run $probes --" ;;
    esac
}

ways=(plain layer probes)

# opencl WAY SIZE SECONDS ARGUMENT...: all kernels; those that are missing then, because one before them failed, alone.
opencl() {
    local way=$1 measured_size=$2 seconds=$3 status=0 name words
    shift 3
    read -r -a words <<<"$(words_of "$way")"
    measure "$way" "$measured_size" "$seconds" "${words[@]}" "$bench" all --kernels "$here/kernels" "$@" || status=$?
    ((status == 0)) && return
    note "$way, size $measured_size: $(why $status)"
    for name in $("$bench" --list); do
        have_record "$way" "$measured_size" "$name" ||
            measure "$way" "$measured_size" 20 "${words[@]}" "$bench" "$name" --kernels "$here/kernels" "$@" ||
            note "$way, size $measured_size, $name alone: $(why $?)"
    done
}

# opencl_turns SIZE TURNS UNTIL WAY...: no turn begins after UNTIL seconds.
opencl_turns() {
    local measured_size=$1 count=$2 until=$3 turn way
    shift 3
    for ((turn = 1; turn <= count; ++turn)); do
        if ((SECONDS >= until)); then
            note "size $measured_size: $((turn - 1)) of $count turns, for lack of time"
            break
        fi
        for way; do
            opencl "$way" "$measured_size" 60 --launches 16 --repeats 100 --seconds 1
            table
        done
    done
}

# twin_plain SIZE
twin_plain() { measure twin "$1" 30 "$twins" all --launches 16 --repeats 100 --seconds 1 || note "twins, size $1: $(why $?)"; }

# under TOOL SIZE SECONDS KERNEL ARGUMENT...: where the tool finds an error, which it should not, the time counts all the same.
under() {
    local tool=$1 measured_size=$2 seconds=$3 kernel=$4 status=0
    shift 4
    measure "$tool" "$measured_size" "$seconds" "$sanitizer" --tool "$tool" --error-exitcode 9 --log-file "$work/$tool.log" \
        "$twins" "$kernel" "$@" || status=$?
    cat "$work/$tool.log" >>"$out/$tool.log" 2>/dev/null || true
    ((status == 9)) || return $status
    note "$tool finds errors in the twins, size $measured_size, $kernel: see $tool.log"
}

# Racecheck may take 50000 times as long: one launch after the first, a process a kernel, and a smaller size where it takes
# too long.
racecheck() {
    local name at
    for name in $("$bench" --list | grep -v matrix_tiled) matrix_tiled; do
        for at in "$twin_size" $((twin_size / 2)) $((twin_size / 4)); do
            ((SECONDS < limit - 3)) || { note "racecheck: no time is left for $name, size $at"; return 0; }
            under racecheck "$at" 40 "$name" --launches 1 --repeats 1 --no-digest && break
            note "racecheck, size $at, $name: $(why $?)"
        done
        table
    done
}

# ---- the table ----

commit() { git -C "$root" describe --always --dirty 2>/dev/null || echo "${COMMIT:-unknown}"; }

heading() {
    printf 'Machine: %s; %s processors; %s\n' "$({ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null || true; } | head -n 1)" "$(nproc)" "$(uname -sr)"
    printf 'Devices: %s\n' "$(sed 's/^# //; s/, size.*//' "$out/devices" 2>/dev/null | sort -u | paste -sd ';' | sed 's/;/; /g')"
    printf 'clerk: %s, commit %s, `clerk run %s`. ' "$("$clerk" --version)" "$(commit)" "$probes"
    [[ ! $twins ]] || printf 'CUDA: %s. ' "$("$nvcc" --version | sed -n 's/.*release/nvcc/p')"
    [[ ! $sanitizer ]] || printf '%s. ' "$("$sanitizer" --version | grep -i -m 1 version)"
    printf 'OCL_ICD_VENDORS=%s\n\n' "${OCL_ICD_VENDORS-}"
    printf 'Milliseconds of a launch in batches of 16, by the wall clock, least of 100 batches (or of those of 1 second) and of the turns; the rest are ratios to the plain run at the same size. '
    printf 'compute-sanitizer runs the same kernels in CUDA: batches of 2, least of 3; racecheck one launch. A number in brackets is a smaller size.\n\n'
}

table() {
    { heading; table_of_records; } >"$work/table.md" && cp "$work/table.md" "$out/table.md"
}

table_of_records() {
    awk -v size="$size" -v twin="$twin_size" -v start="$first_size" -v names="$("$bench" --list | paste -sd ' ')" '
        function keep(array, key, value) { if (!(key in array) || value + 0 < array[key]) array[key] = value + 0 }
        {
            key = $1 " " $2 " " $3
            if ($4 > 0) keep(ms, key, $4)
            keep(enqueue, key, $6)
            keep(ready, key, $7)
            if (!(key in first)) first[key] = $7
            if (!(key in digest)) digest[key] = $5
            else if (digest[key] != $5) varies[key] = 1
        }
        function number(x) { return x >= 100 ? sprintf("%.0f", x) : x >= 10 ? sprintf("%.1f", x) : sprintf("%.2f", x) }
        # The ratio of way to base at this size; remembered for the mean of the column.
        function ratio(column, way, base, at, name, said, x) {
            if (!((way " " at " " name) in ms) || !((base " " at " " name) in ms)) return ""
            x = ms[way " " at " " name] / ms[base " " at " " name]
            logs[column] += log(x)
            count[column]++
            value[column, name] = x
            return number(x) "×" said
        }
        function time(way, at, name) { return (way " " at " " name) in ms ? sprintf("%.4f", ms[way " " at " " name]) : "" }
        function smaller(column, way, base, name, at, cell) {
            cell = ratio(column, way, base, twin, name)
            for (at = twin / 2; cell == "" && at >= twin / 4; at /= 2) cell = ratio(column, way, base, at, name, " (" at ")")
            return cell
        }
        function same(at, name, plain, probes) {
            plain = "plain " at " " name; probes = "probes " at " " name
            if (!(plain in digest) || !(probes in digest)) return ""
            compared++
            if (plain in varies) return "plain runs differ"
            if (probes in varies || digest[plain] != digest[probes]) return "**NO**"
            equal++
            return "yes"
        }
        function mean(column) { return !count[column] ? "" : number(exp(logs[column] / count[column])) "×" (count[column] < n ? " (" count[column] ")" : "") }
        function against(tool, i, name, sum, many) {
            for (i = 1; i <= n; ++i) {
                name = order[i]
                if (!((tool, name) in value) || !(("small", name) in value)) continue
                sum += log(value[tool, name] / value["small", name]); many++
            }
            if (many) printf "%s slows down %s times as much as `--probes` at size %d (geometric mean of %d kernels).\n", tool, number(exp(sum / many)), twin, many
        }
        # Empty unless all kernels have it.
        function total(array, way, at, i, key, sum) {
            for (i = 1; i <= n; ++i) {
                key = way " " at " " order[i]
                if (!(key in array)) return ""
                sum += array[key]
            }
            return sum
        }
        function over(way, i, key, worst, x, at) {
            for (i = 1; i <= n; ++i) if ((way, order[i]) in value && value[way, order[i]] > worst) { worst = value[way, order[i]]; at = order[i] }
            if (at != "") printf "Slowest with `--probes` at size %d: %s, %s×.\n", size, at, number(worst)
        }
        END {
            n = split(names, order, " ")
            printf "| kernel | plain %d, ms | clerk run | --probes | same bytes | plain %d, ms | --probes | same bytes | CUDA %d, ms | memcheck | racecheck | initcheck |\n", size, twin, twin
            print "|---|--:|--:|--:|---|--:|--:|---|--:|--:|--:|--:|"
            for (i = 1; i <= n; ++i) {
                name = order[i]
                printf "| %s | %s | %s | %s | %s", name, time("plain", size, name), ratio("layer", "layer", "plain", size, name), ratio("probes", "probes", "plain", size, name), same(size, name)
                printf " | %s | %s | %s | %s", time("plain", twin, name), ratio("small", "probes", "plain", twin, name), same(twin, name), time("twin", twin, name)
                printf " | %s | %s | %s |\n", smaller("memcheck", "memcheck", "twin", name), smaller("racecheck", "racecheck", "twin", name), smaller("initcheck", "initcheck", "twin", name)
            }
            printf "| geometric mean | | %s | %s | | | %s | | | %s | %s | %s |\n\n", mean("layer"), mean("probes"), mean("small"), mean("memcheck"), mean("racecheck"), mean("initcheck")
            over("probes")
            against("memcheck"); against("racecheck"); against("initcheck")
            printf "Equal bytes with `--probes`: %d of %d comparisons.\n", equal, compared
            ways = split("plain layer probes", way, " ")
            for (w = 1; w <= ways; ++w) {
                if (total(enqueue, way[w], size) != "") printf "%s: enqueueing a launch takes the thread %.2f µs (mean of the least of each kernel, size %d).\n", way[w], total(enqueue, way[w], size) / n, size
                if (total(first, way[w], start) != "") printf "%s: all %d kernels, from building to the end of the first launch: %.0f ms the first time, %.0f ms later (size %d).\n", way[w], n, total(first, way[w], start), total(ready, way[w], start), start
            }
        }' "$records"
    printf '\nNotes:\n\n'
    sort -u "$notes" | sed 's/^/- /'
    grep -h -E '^(clerk|probes|gpu bench): ' "$out/probes.err" 2>/dev/null | sort | uniq -c | sort -rn | head -n 20 | sed -E 's/^ *([0-9]+) (.*)$/- with --probes, \1 times: \2/' || true
}

finish() {
    trap - EXIT
    table || true
    cat "$out/table.md" || true
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 143' TERM INT

# ---- the run ----

build_bench
build_twins
if [[ $("$clerk" run --help) != *--probes* ]]; then
    note 'this clerk has no --probes'
    ways=(plain layer)
fi
# Right on this machine? In the first round clerk has nothing in its cache.
for round in cold warm; do
    for way in "${ways[@]}"; do opencl "$way" "$first_size" 60 --launches 2 --repeats 2 --verify; done
    echo "run.sh: $round round of size $first_size is over after $SECONDS s" >&2
done
[[ ! $twins ]] || measure twin 64 30 "$twins" all --launches 2 --repeats 2 --verify || note "twins, right at size 64? $(why $?)"

small_ways=(plain)
[[ ${#ways[@]} == 2 ]] || small_ways+=(probes)
opencl_turns "$size" "$turns" $((limit * 45 / 100)) "${ways[@]}"
if [[ $twins ]]; then
    opencl_turns "$twin_size" 2 $((limit * 55 / 100)) "${small_ways[@]}"
    for at in "$twin_size" $((twin_size / 2)) $((twin_size / 4)) "$twin_size"; do twin_plain "$at"; done
    table
    if [[ $sanitizer ]]; then
        for tool in memcheck initcheck; do
            under "$tool" "$twin_size" 60 all --launches 2 --repeats 3 || note "$tool: $(why $?)"
            table
        done
        racecheck
    fi
fi
