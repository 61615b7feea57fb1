#!/bin/sh
# Records runs on the reference device, and mutates them.
#
#     fuzz_verbs.sh BUILD-DIRECTORY FROM ROUNDS SECONDS
set -eu
build=$1
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/clerk-fuzz-XXXXXX")
trap 'rm -rf "$work"' EXIT
CLERK_CACHE=$work/cache
export CLERK_CACHE
unset CLERK_TRACE OPENCL_LAYERS LD_PRELOAD 2>/dev/null || true
for run in 'hostile' 'launches written' 'launches unwritten'; do
    # What is found there is no failure here.
    "$build/bin/clerk" run --device reference --contents all -o "$work/${run##* }.db" -- "$build"/tests/$run >"$work/said" 2>&1 || true
    [ -s "$work/${run##* }.db" ] || {
        echo "nothing was recorded: $(cat "$work/said")" >&2
        exit 1
    }
done
CLERK_SEEDS="$work/hostile.db $work/written.db $work/unwritten.db"
if [ -n "${CLERK_MORE_SEEDS-}" ]; then CLERK_SEEDS="$CLERK_SEEDS $CLERK_MORE_SEEDS"; fi
# shellcheck disable=SC2086
"$build/tests/fuzz_verbs" "$@" $CLERK_SEEDS
