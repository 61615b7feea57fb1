# What the tests of kind cli share: a directory of their own and the checks. To be sourced, with case_name set,
# and build.
work=$(mktemp -d "${TMPDIR:-/tmp}/clerk-cli-XXXXXX")
# What clerk has left running in the background may write once more while it is removed.
trap 'rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
TMPDIR=$work # what clerk leaves behind is seen, and other tests' files are not
export TMPDIR
unset CLERK_TRACE CLERK_FINDINGS OPENCL_LAYERS LD_PRELOAD NO_COLOR PYOPENCL_NO_CACHE 2>/dev/null || true

fail() {
    echo "$case_name: $*" >&2
    exit 1
}

# status N COMMAND...: the command exits with N; its streams go to out and err
status() {
    wanted=$1
    shift
    got=0
    "$@" >out 2>err </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "'$*' exited with $got, not $wanted: $(cat err)"
}

says() {
    grep -qF -- "$2" "$1" || fail "'$1' does not say '$2' but: $(cat "$1")"
}

silent() {
    [ ! -s "$1" ] || fail "'$1' should be empty: $(cat "$1")"
}

# Where something is not installed; the sentence says what, and who has it.
skip() {
    echo "skipped: $*"
    exit 77
}

# A sanitizer's libraries load into programs that are built with it, and into no others.
needs_no_sanitizer() {
    if ldd "$build/lib/clerk/libclerk_layer.so" | grep -q -e libasan -e libtsan -e libclang_rt; then
        skip "clerk is built with a sanitizer, $1 is not"
    fi
}

# CLERK_TEST_VENDORS: what OCL_ICD_VENDORS is to be, by hand, where another driver than that of CTest's is to be tried.
needs_driver() {
    if [ "${CLERK_TEST_VENDORS-}" ]; then
        OCL_ICD_VENDORS=$CLERK_TEST_VENDORS
        export OCL_ICD_VENDORS
        return
    fi
    for file in /etc/OpenCL/vendors/*.icd; do
        [ -e "$file" ] && return
    done
    skip "there is no OpenCL driver in /etc/OpenCL/vendors (Debian: pocl-opencl-icd)"
}
