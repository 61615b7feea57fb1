#!/bin/sh
# Explores litmus tests as kernels: what is found of the kernel must be what the test comes to by itself: the
# outcomes, which of them are weak, whether it races and may hang, and how many executions there are.
#
#     explored.sh AS_KERNEL CLERK LEAST DIRECTORY               the litmus tests of the directory
#     explored.sh AS_KERNEL CLERK LEAST --random SEED COUNT     random ones
#
# At least LEAST of them must have been compared.
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
"$as_kernel" --explore "$work/tests.cl" "$@" > "$work/list"
while read -r name _ _ kernel arguments; do
    # shellcheck disable=SC2086 # the words of the command line
    "$clerk" kernel "$work/tests.cl" -k "$kernel" $arguments --build -cl-std=CL3.0 --explore \
        > "$work/output" 2> "$work/errors" || [ $? -eq 1 ] || grep '^incomplete: ' "$work/output" > /dev/null ||
        { echo "$name:"; cat "$work/errors"; exit 1; }
    sort "$work/tests.cl.$kernel" > "$work/wanted"
    {
        sed -n '/^outcome:/{s/; --choices .*//;s/, as the scope of .*//;p;}; /^race: none$/p; /^race: not decided$/p; /^executions:/p' "$work/output"
        sed -n -e 's/^incomplete: .* cut where .*/cut/p' -e 's/^hang:.* for ever\(.*\); --choices .*/hang\1/p' "$work/output"
        grep '^race: .* by ' "$work/output" > "$work/races" || true
        if [ -s "$work/races" ]; then
            grep -v 'only under weak ordering' "$work/races" > /dev/null && echo race || echo 'race, only under weak ordering'
        fi
    } | sort > "$work/found"
    ran=$((ran + 1))
    if ! cmp -s "$work/wanted" "$work/found"; then
        echo "$name: as a litmus test (-) and as a kernel (+): -k $kernel $arguments"
        diff -u "$work/wanted" "$work/found" | tail -n +3 || true
        bad=$((bad + 1))
    fi
done < "$work/list"
echo "$ran litmus tests explored as kernels, $bad not as by themselves"
[ "$bad" -eq 0 ] && [ "$ran" -ge "$least" ]
