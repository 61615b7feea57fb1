#!/bin/sh
# Programs over bindings: each place of each finding is a line of the program's own, whatever compiled it and wherever
# it is told.
#
#     bindings.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
set -eu
case_name=$1
source_directory=$2
build=$3
clerk=$build/bin/clerk
. "$source_directory/tests/cli/checks.sh"
here=$source_directory/tests/cli
unset OCL_ICD_VENDORS CLERK_CHECKS CLERK_CONTENTS 2>/dev/null || true
CLERK_CACHE=$work/cache
pythons=${PYENV_ROOT:-$HOME/.pyenv}/versions # where there are several
HOME=$work
PYTHONWARNINGS=ignore
export CLERK_CACHE HOME PYTHONWARNINGS
unset XDG_CACHE_HOME POCL_CACHE_DIR 2>/dev/null || true

needs_programs() {
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
    needs_no_sanitizer "the program"
}

never_says() {
    if grep -F -e "$2" "$1" >/dev/null; then fail "$1 says $2: $(cat "$1")"; fi
}

# places REPORT PROGRAM [-RULE...]
places() {
    python3 "$here/places.py" "$@" || fail "places of $1 are not the program's"
}

# What only kernels that are checked show.
of_kernels="-bounds-global -race-global -race-local"

# compile COMPILER...: the program, as `mistakes`
compile() {
    [ -e /usr/include/CL/opencl.hpp ] || skip "CL/opencl.hpp is not installed (Debian: opencl-clhpp-headers)"
    needs_programs python3 "$1"
    cp "$here/mistakes.cpp" .
    "$@" -g -o mistakes mistakes.cpp -lOpenCL
}

on_reference() {
    status 99 "$clerk" run --device reference --max-per-rule 0 --report r.json --report r.sarif --report r.html -- ./mistakes
    places r.json mistakes.cpp
    never_says err opencl.hpp
    never_says r.html opencl.hpp
    says err "(256 bytes, 'out' of kernel 'scale') is never released"
    says r.sarif "(256 bytes, 'out' of kernel 'scale') is never released"
    grep -o '"locations":\[{"physicalLocation":{"artifactLocation":{"uri":"[^"]*"' r.sarif >uris
    [ "$(sort -u uris | wc -l)" -eq 1 ] || fail "SARIF has other places: $(sort -u uris)"
    says uris '"mistakes.cpp"'
}

cpp_plain() {
    compile g++ -O0
    on_reference
}

cpp_inlined() {
    compile g++ -O2
    on_reference
}

cpp_by_clang() {
    compile clang++ -O2
    on_reference
}

cpp_at_link_time() {
    compile g++ -O3 -flto
    on_reference
}

# A call that fails ends the function.
cpp_with_exceptions() {
    compile g++ -O2 -DCL_HPP_ENABLE_EXCEPTIONS
    on_reference
}

# The bindings' header among the program's own files.
cpp_with_a_copy() {
    compile g++ -O1
    mkdir third_party
    cp /usr/include/CL/opencl.hpp third_party
    sed -i 's|<CL/opencl.hpp>|"third_party/opencl.hpp"|' mistakes.cpp
    g++ -O1 -g -o mistakes mistakes.cpp -lOpenCL
    on_reference
}

# In what is told of a recording, too.
cpp_recorded() {
    compile g++ -O2
    status 99 "$clerk" run --device reference -o t.db --max-per-rule 0 -- ./mistakes
    status 0 "$clerk" show t.db findings --json
    places out mistakes.cpp
    status 1 "$clerk" replay t.db --json --max-per-rule 0
    grep '"finding"' out >replayed.json
    grep '"rule":"race-commands"' replayed.json >race || fail "the replay does not tell the race of commands"
    never_says race "enqueued by" # by the launch before, say
    for rule in $(sed -n 's|.*/\* \([a-z-]*\) \*/$|-\1|p' mistakes.cpp | grep -v -e bounds-global -e race-); do
        of_host="${of_host-} $rule"
    done
    places replayed.json mistakes.cpp $of_host
    status 1 "$clerk" check t.db --json --max-per-rule 0
    places out mistakes.cpp $of_kernels -race-commands
}

cpp_over_a_driver() {
    needs_driver
    compile g++ -O2
    status 99 "$clerk" run -o t.db --max-per-rule 0 --report r.json --report r.html -- ./mistakes
    places r.json mistakes.cpp $of_kernels
    for file in err r.json r.html; do
        says $file "(256 bytes, 'out' of kernel 'scale') is never released"
    done
    status 1 "$clerk" check t.db --max-per-rule 0
    says out "(256 bytes, 'out' of kernel 'scale') is never released"
    status 99 "$clerk" run --probes --max-per-rule 0 --report r.json -- ./mistakes
    places r.json mistakes.cpp
}

# Debian's python3 has Debian's pyopencl.
needs_pyopencl() {
    needs_programs python3
    for python in /usr/bin/python3 python3; do
        "$python" -c 'import pyopencl, numpy' 2>/dev/null && return
    done
    skip "pyopencl is not installed (Debian: python3-pyopencl python3-numpy)"
}

pyopencl_on_reference() {
    needs_pyopencl
    cp "$here/mistakes.py" .
    status 99 "$clerk" run --device reference -o t.db --max-per-rule 0 --report r.json -- "$python" mistakes.py
    places r.json mistakes.py
    status 0 "$clerk" show t.db findings --json
    places out mistakes.py
}

pyopencl_over_a_driver() {
    needs_driver
    needs_pyopencl
    cp "$here/mistakes.py" .
    status 99 "$clerk" run --max-per-rule 0 --report r.json -- "$python" mistakes.py
    places r.json mistakes.py $of_kernels -map-in-use
}

# Whatever its version, and whether the binding keeps the interpreter's lock (PyDLL) or not.
python_of_each_version() {
    needs_programs python3
    needs_driver
    cat >calls.py <<'PROGRAM'
import ctypes
import sys


def wrong(library):
    library.clFinish(ctypes.c_void_p(0))  # handle-null


wrong(getattr(ctypes, sys.argv[1])('libOpenCL.so.1'))
PROGRAM
    tried=
    for python in /usr/bin/python3 "$pythons"/3.*/bin/python3 $(command -v python3.10 python3.11 python3.12 python3.13 || true); do
        version=$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>/dev/null) || continue
        case $version in
        3.10 | 3.11 | 3.12 | 3.13) kinds="CDLL PyDLL" ;;
        *) continue ;;
        esac
        for kind in $kinds; do
            status 99 "$clerk" run --via preload --report r.json -- "$python" calls.py $kind
            places r.json calls.py
            says err "   <module> (calls.py:9)"
            grep -q "^ *(.* of bindings and the system folded)" err || fail "$version's own frames are there: $(cat err)"
        done
        tried=$version
    done
    [ "$tried" ] || skip "there is no Python 3.10 to 3.13"
}

# launch_of KERNEL N: the call of the N-th launch of the kernel in t.db
launch_of() {
    "$clerk" show t.db launches --json | sed -n 's/^{"call":\([0-9]*\),"thread":[0-9]*,"kernel":"'"$1"'",.*/\1/p' | sed -n "$2"p
}

# opened KERNEL: the third launch of the kernel in t.db, where there is no driver, with the commands on standard input
opened() {
    call=$(launch_of "$1" 3)
    OCL_ICD_VENDORS=$work/nowhere "$clerk" debug t.db --launch "$call" --batch - >out 2>err || fail "it exited with $?: $(cat out err)"
    says out "launch $call ($1)"
}

# A run of two programs' worth of kernels, recorded over a driver.
pyopencl_debugged() {
    needs_driver
    needs_pyopencl
    cp "$here/scaled.py" .
    status 0 "$clerk" run -o t.db -- "$python" scaled.py
    opened scale <<END
break 5 item 3,0,0
run
print a[0..7]
x/4f a
info objects
who a[3]
next
who a[3]
go
catch launch
continue
focus launch $(launch_of scale 3)
who a[3]
go
who a[3]
go
print f
END
    says out "item (3,0,0) in scale at program#1:5"
    says out "a[0..7] = {3, 7, 11, 15, 19, 23, 27, 31}"
    says out "+0: 3 7 11 15"
    says out "a = buffer#1, 64 B, float*"
    says out "written by item (3,0,0) in scale at program#1:5, position $call:"
    says out ": 30, was 15"
    says out "kernel 'other' begins"
    # Where it was not written yet in this launch: from launch to launch.
    says out "written by item (3,0,0) in other at program#1:7, position "
    says out ": 15, was 14"
    says out "written by item (3,0,0) in scale at program#1:5, position $(launch_of scale 2):"
    says out ": 14, was 7"
    says out "launch $(launch_of scale 2) (scale)"
    says out "f = 2"
}

# The same of a library's kernels, in a program of its own making.
clblast_debugged() {
    needs_driver
    needs_programs gcc
    [ -e /usr/include/clblast_c.h ] || skip "CLBlast is not installed (Debian: libclblast-dev)"
    # What the driver compiles there takes a while, once.
    POCL_CACHE_DIR=$build/tests/cli/pocl_cache
    export POCL_CACHE_DIR
    mkdir -p "$POCL_CACHE_DIR"
    gcc -DCL_TARGET_OPENCL_VERSION=120 -o multiplied "$here/multiplied.c" -lclblast -lOpenCL
    status 0 "$clerk" run -o t.db -- ./multiplied
    says out "2 plus 3 times 5 is 17"
    kernel=$("$clerk" show t.db launches --json | sed -n 's/.*"kernel":"\(XgemmDirect[NT]*\)".*/\1/p' | sed -n 1p)
    [ "$kernel" ] || skip "this CLBlast has another kernel"
    opened "$kernel" <<'END'
break XgemmDirect item 0,0,0
run
backtrace
up
print kSizeM
print cgm[24..29]
info objects
who cgm[29]
go
up
who cpd[0]
who cgm[29]
END
    # Which work-item computes what depends on what CLBlast knows of the processor.
    says out "#0  XgemmDirect at program#1:"
    says out "#1  $kernel at program#1:"
    says out "kSizeM = 24"
    says out "cgm[24..29] = {2, 12, 22, 32, 42, 52}"
    says out "cgm = buffer#3, 2.2 KiB, real*"
    says out ") in XgemmDirect at program#1:"
    # Its result of the launches before.
    says out "in StoreResults"
    says out ": 52, was 27"
    says out "launch $(launch_of "$kernel" 2) ($kernel)"
    says out ": 27, was 2"
}

# A program of many kernels, in which buffers take turns: of its images it has bytes, which the device's differ from.
ffmpeg_debugged() {
    needs_driver
    needs_programs ffmpeg
    ffmpeg -nostdin -hide_banner -filters 2>&1 | grep -q deshake_opencl || skip "this ffmpeg has no deshake_opencl"
    POCL_CACHE_DIR=$build/tests/cli/pocl_cache
    export POCL_CACHE_DIR
    mkdir -p "$POCL_CACHE_DIR"
    status 0 "$clerk" run --contents all -o t.db -- ffmpeg -nostdin -loglevel error -init_hw_device opencl=ocl -filter_hw_device ocl \
        -f lavfi -i testsrc=size=160x120:rate=4:duration=1 \
        -vf format=yuv420p,hwupload,deshake_opencl,hwdownload,format=yuv420p -f null -
    opened refine_features <<END
break refine_features item 2,1,0
run
print harris_buf[160..163]
who harris_buf[4000]
go
print loc
focus launch $(launch_of match_descriptors 3)
print prev_refined_features[0..3]
who prev_refined_features[3]
go
backtrace
END
    says out "item (2,1,0) in refine_features at "
    says out "harris_buf[160..163] = {"
    says out "written by item (0,25,0) in harris_response at "
    says out "launch $(launch_of harris_response 3) (harris_response)"
    says out "loc = {0, 25}"
    # Two frames are kept in turn: not the last launch that refined features, but the one before.
    says out "written by item (3,0,0) in write_to_1d_arrf2 at "
    says out ", position $call:"
    says out "#1  refine_features at "
}

$case_name
