#!/bin/sh
# The Python module as it was built, by the pytest of a Python that has what arrays and OpenCL need.
#
#     run.sh CASE SOURCE-DIRECTORY BUILD-DIRECTORY
#
# CASE is a file test_CASE.py beside this one.
set -eu
case_name=$1
source_directory=$2
build=$3
. "$source_directory/tests/cli/checks.sh"
needs_no_sanitizer python3
CLERK_CACHE=$work/cache
HOME=$work
CLERK_SOURCE=$source_directory
CLERK_BUILD=$build
PYTHONPATH=$build/lib/python3/dist-packages
PYTHONDONTWRITEBYTECODE=1
export CLERK_CACHE HOME CLERK_SOURCE CLERK_BUILD PYTHONPATH PYTHONDONTWRITEBYTECODE
unset CLERK XDG_CACHE_HOME POCL_CACHE_DIR 2>/dev/null || true

for python in /usr/bin/python3 python3; do
    if "$python" -c 'import numpy, pyopencl, pytest, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        "$python" -m pytest -q -p no:cacheprovider --rootdir "$work" "$source_directory/tests/python/test_$case_name.py"
        exit
    fi
done
skip "there is no Python from 3.11 on with NumPy, pyopencl and pytest (Debian: python3-numpy python3-pyopencl python3-pytest)"
