#!/bin/sh
# Are the kernels of the bench for GPUs right and clean? Over PoCL their results must be those of plain C; under
# `clerk run --device reference` nothing may be found; with `clerk run --probes` over PoCL, where clerk has it, nothing may
# be found and every byte must be as without it. A kernel made wrong must be noticed. Usage: verify.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
pocl=/etc/OpenCL/vendors/pocl.icd
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CLERK_CACHE="$build/tests/bench/cache"
unset OPENCL_LAYERS LD_PRELOAD CLERK_TRACE CLERK_CHECKS CLERK_FINDINGS CLERK_PERSONALITY
status=0

fail() {
    echo "$1"
    cat "$work/$2.out" "$work/$2.err"
    status=1
}

# bench NAME FOLDER COMMAND...: all kernels of the folder in the smallest size, after these words; their lines and what
# is said besides are kept under the name.
bench() {
    name=$1
    folder=$2
    shift 2
    "$@" "$build/tests/gpu_bench" all --kernels "$folder" --size 64 --launches 2 --repeats 2 --verify \
        >"$work/$name.out" 2>"$work/$name.err"
}

# clean NAME COMMAND...: right, and nothing is found.
clean() {
    way=$1
    shift
    bench "$way" "$here/kernels" "$@" || fail "$way: status $?" "$way"
    grep -q '^clerk: no findings$' "$work/$way.err" || fail "$way: findings" "$way"
}

digests() { awk '!/^#/ { print $1, $3 }' "$work/$1.out"; }

clean reference "$build/bin/clerk" run --device reference --
[ "$(digests reference | wc -l)" = 14 ] || fail "not all kernels ran" reference

cp -r "$here/kernels" "$work/wrong"
sed -i 's/a\[i\] + b\[i\]/a[i] - b[i]/' "$work/wrong/vector_add.cl"
bench wrong "$work/wrong" env OCL_ICD_VENDORS="$build/share/clerk/vendors"
[ $? = 1 ] || fail "a wrong result is not noticed" wrong

if [ -f "$pocl" ]; then
    export OCL_ICD_VENDORS="$pocl"
    bench plain "$here/kernels" env || fail "PoCL: status $?" plain
    if "$build/bin/clerk" run --help | grep -q -e '--probes'; then
        clean probes "$build/bin/clerk" run --probes --
        digests plain >"$work/plain"
        digests probes | diff "$work/plain" - || fail "the results with --probes are others" probes
    else
        clean layer "$build/bin/clerk" run --
    fi
fi
exit $status
