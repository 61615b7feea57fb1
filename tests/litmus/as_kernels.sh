#!/bin/sh
# Runs litmus tests as kernels on the reference device: whether it reports a race must be what the oracle says
# of the one interleaving that the device executes.
#
#     as_kernels.sh AS_KERNEL CLERK LEAST DIRECTORY               the litmus tests of the directory
#     as_kernels.sh AS_KERNEL CLERK LEAST --random SEED COUNT     random ones
#
# At least LEAST of them must have been judged.
set -eu
as_kernel=$1
clerk=$2
least=$3
shift 3
[ "$1" = --random ] || set -- "$1"/*.litmus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CLERK_CACHE=$work # of all kernels the compiler sees one file, once
export CLERK_CACHE
ran=0
bad=0
"$as_kernel" "$work/tests.cl" "$@" > "$work/list"
while read -r name wanted arguments; do
    # shellcheck disable=SC2086 # the words of the command line
    "$clerk" kernel "$work/tests.cl" $arguments --build -cl-std=CL3.0 --schedule asc --json \
        > "$work/found" 2> "$work/errors" || [ $? -eq 1 ] || { cat "$work/errors"; exit 1; }
    found=clean
    if grep -q '"rule":"race-' "$work/found"; then
        found=racy
    elif grep -q '"rule":"analysis-incomplete"' "$work/found"; then
        found=incomplete
    fi
    ran=$((ran + 1))
    if [ "$wanted" != "$found" ]; then
        echo "$name: the oracle says $wanted, the device $found: $arguments"
        bad=$((bad + 1))
    fi
done < "$work/list"
echo "$ran litmus tests judged as kernels, $bad not as the oracle says"
[ "$bad" -eq 0 ] && [ "$ran" -ge "$least" ]
