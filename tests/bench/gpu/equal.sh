#!/usr/bin/env bash
# Does a program see anything of `clerk run --probes` but time? Runs each program of a list as it is, once more as it is, and
# with clerk between, each time in an empty directory of its own; what it prints, its exit status and all files that it
# leaves there must be equal. A program whose two plain runs differ, or that calls no OpenCL, is no judge, and is not counted;
# of the plain runs the second tells the time, for drivers compile in the first. Prints a Markdown table; the status is 1
# where something differs. programs/list has real programs.
#
#     tests/bench/gpu/equal.sh [--clerk 'WORDS'] [--seconds N] LIST [BUILD]
#       --clerk 'WORDS'    the options of clerk run (--probes)
#       --seconds N        of each run at most (300)
#
# A line of the list is NAME: COMMAND, for sh; after ' ## ' may follow a pattern (of grep -E): lines of the output that have
# it are not compared, such as those with times. Lines that begin with # and empty lines are left out. Commands see $PROGRAMS,
# the folder of the list, and $DEVICE, the device as PLATFORM.DEVICE (0.0, if the environment has none).
#
#     kernels: gpu_bench all --size 256 ## ^#
set -euo pipefail
words=--probes
seconds=300
while [[ ${1-} == -* ]]; do
    case $1 in
    --clerk) words=$2 ;;
    --seconds) seconds=$2 ;;
    *) sed -n 's/^#     //p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    esac
    shift 2
done
[[ $# -ge 1 && -f $1 ]] || { sed -n 's/^#     //p' "${BASH_SOURCE[0]}" >&2; exit 2; }
list=$1
PROGRAMS=$(cd "$(dirname "$list")" && pwd)
export PROGRAMS DEVICE="${DEVICE:-0.0}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(cd "${2:-$here/../../../build/release}" && pwd)
read -r -a clerk <<<"$build/bin/clerk run --fail-on never $words --"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OPENCL_LAYERS LD_PRELOAD CLERK_TRACE CLERK_CHECKS CLERK_FINDINGS CLERK_PERSONALITY

# perform WAY COMMAND PATTERN WORD...: in WORK/WAY; errors and the time lie beside it.
perform() {
    local way=$1 command=$2 pattern=$3 status=0 began=$EPOCHREALTIME
    shift 3
    rm -rf "${work:?}/$way"
    mkdir "$work/$way"
    (cd "$work/$way" && exec timeout -k 5 "$seconds" "$@" sh -c "$command") >"$work/output" 2>"$work/$way.err" </dev/null || status=$?
    awk -v began="$began" -v ended="$EPOCHREALTIME" 'BEGIN { printf "%.2f", ended - began }' >"$work/$way.time"
    if [[ $pattern ]]; then
        grep -a -v -E -e "$pattern" "$work/output" >"$work/$way/stdout" || true
    else
        mv "$work/output" "$work/$way/stdout"
    fi
    echo "$status" >"$work/$way/status"
}

said_by_clerk() { grep -E '^(clerk|probes): ' "$work/probes.err" | sed 's/^clerk: //; s/|/\\|/g' | paste -sd ';' | sed 's/;/; /g'; }

failed=0
total=0
printf '| program | status | plain, s | with clerk, s | same | clerk says |\n|---|--:|--:|--:|---|---|\n'
while read -r line; do
    [[ $line && $line != '#'* ]] || continue
    name=${line%%:*}
    command=${line#*: }
    pattern=
    [[ $command != *' ## '* ]] || { pattern=${command##* ## }; command=${command% ## *}; }
    perform plain "$command" "$pattern"
    perform again "$command" "$pattern"
    same=yes
    if ! diff -r "$work/plain" "$work/again" >/dev/null; then
        same='not the same without clerk either'
        printf '' >"$work/probes.time"
        printf '' >"$work/probes.err"
    else
        perform probes "$command" "$pattern" "${clerk[@]}"
        total=$((total + 1))
        if ! diff -r "$work/plain" "$work/probes" >"$work/differences"; then
            same='**NO**'
            failed=$((failed + 1))
            { printf '%s: with clerk it is another:\n' "$name"; head -n 20 "$work/differences"; tail -n 5 "$work/probes.err"; } >&2
        elif grep -q '^clerk: no OpenCL call of the program' "$work/probes.err"; then
            same='not counted'
            total=$((total - 1))
        fi
    fi
    printf '| %s | %s | %s | %s | %s | %s |\n' "$name" "$(cat "$work/plain/status")" "$(cat "$work/again.time")" "$(cat "$work/probes.time")" \
        "$same" "$(said_by_clerk || true)"
done <"$list"
printf '\n%d of %d programs are the same.\n' $((total - failed)) "$total"
exit $((failed > 0))
