#!/usr/bin/env bash
# Runs the programs with a bug of each kind, and their clean twins, many times with `clerk run --probes` over the driver
# that OCL_ICD_VENDORS names, and says of each kind in how many of the runs the bug was found. What CTest does once over
# PoCL (probes.cmake) this does for a driver that is not there when the tests run. A run of its own for each program: a
# GPU that a bug has disturbed disturbs no other.
#
#     tests/probes/on_gpu.sh [options] [BUILD]      BUILD is where clerk was built: build/release
#       --kinds 'WORDS'    of `probed --list` (all but those whose programs must not run unchecked)
#       --runs N           of each program (10)
#       --at-once N        programs (8)
#       --run 'WORDS'      further options of clerk run
#       --limit N          seconds for a program (60); a GPU may not end where a barrier is not reached by all, and is told
#                          of then by what the reference device makes of the launch
#
# A program counts as found in a run if each finding has the rule of its row, and there is one. Of a race either side may
# be the one that is seen: "elsewhere" counts findings at another line than the row's.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kinds= runs=10 at_once=8 run= limit=60
while [[ ${1-} == -* ]]; do
    case $1 in
    --kinds) kinds=$2 ;;
    --runs) runs=$2 ;;
    --at-once) at_once=$2 ;;
    --run) run=$2 ;;
    --limit) limit=$2 ;;
    *) sed -n 's/^#     //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    esac
    shift 2
done
build=$(cd "${1:-$here/../../build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CLERK_CACHE=${CLERK_CACHE:-$work/cache} work limit run
export clerk=$build/bin/clerk probed=$build/tests/probed
unset OPENCL_LAYERS LD_PRELOAD CLERK_TRACE CLERK_CHECKS CLERK_FINDINGS CLERK_PERSONALITY
[[ $kinds ]] || kinds=$("$probed" --list | cut -d' ' -f1 | uniq)

# one_run NAME NUMBER RULE LINE: a line of what came of it.
one_run() {
    local file=$work/$1.$2 rules status=0
    # shellcheck disable=SC2086 # options are words
    timeout "$limit" "$clerk" run $run --probes -- "$probed" "$1" >"$file" 2>&1 || status=$?
    rules=$(grep -oE '^(error|warning|note): \[[a-z-]+\]' "$file" | grep -oE '[a-z]+-[a-z-]+' | sort -u | xargs)
    if [[ $status == 77 ]]; then
        echo "$1 lacks"
    elif [[ $rules != "$3" && ($status == 124 || $status == 137) ]]; then
        echo "$1 ended-not"
    elif [[ $rules != "$3" ]]; then
        echo "$1 missed ${rules:-nothing}, ended with $status"
    elif [[ $4 != 0 ]] && ! grep -qE -- "--> [^ ]*:$4([:,]|\$)" "$file"; then
        echo "$1 found elsewhere"
    else
        echo "$1 found"
    fi
}
export -f one_run

failed=0
for kind in $kinds; do
    "$probed" --list "$kind" >"$work/rows"
    while read -r _ name rule line _; do
        for ((i = 1; i <= runs; i++)); do
            echo "$name $i $rule $line"
        done
    done <"$work/rows" | xargs -P "$at_once" -L 1 bash -c 'one_run "$@"' one_run >"$work/results"
    all=0 always=0
    while read -r _ name _; do
        grep -q "^$name lacks" "$work/results" && echo "  $name: the device lacks what it needs" && continue
        all=$((all + 1))
        found=$(grep -c "^$name found" "$work/results" || true)
        if [[ $found == "$runs" ]]; then
            always=$((always + 1))
        else
            echo "  $name: found in $found of $runs runs; $(grep -v " found" "$work/results" | grep "^$name " | sort | uniq -c |
                sort -rn | sed -n '1s/^ *[0-9]* [^ ]* //p')"
        fi
    done <"$work/rows"
    elsewhere=$(grep -c ' elsewhere' "$work/results" || true)
    # shellcheck disable=SC2086
    if timeout "$limit" "$clerk" run $run --probes -- "$probed" --all "$kind" --clean >"$work/clean" 2>&1 &&
        ! grep -qE '^(error|warning|note): \[' "$work/clean"; then
        twins="twins silent"
    else
        twins="twins NOT silent: $(grep -E '^(error|warning|note): \[' "$work/clean" | head -1)"
        failed=1
    fi
    [[ $always == "$all" ]] || failed=1
    echo "$kind: $always of $all programs found in each of $runs runs ($elsewhere runs at another line); $twins;" \
        "$(grep -o 'probes: .*' "$work/clean" || true)"
done
exit $failed
