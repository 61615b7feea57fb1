#!/bin/sh
# Runs each kernel of the benchmark, in its smallest size, on the reference device with a personality: its results
# must be right, or its launch refused as the personality wants it. Usage: personality.sh BUILD PERSONALITY
set -u
here=$(cd "$(dirname "$0")" && pwd)
export CLERK_PERSONALITY=$2 CLERK_CACHE=$1/tests/bench/cache OCL_ICD_VENDORS=$1/share/clerk/vendors
unset OPENCL_LAYERS LD_PRELOAD CLERK_TRACE CLERK_CHECKS CLERK_FINDINGS
case $2 in
    embedded) # local memory of more than 1 KiB
        refused="fft matrix_tiled transpose" ;;
    max-work-group=64) # their work-groups are larger
        refused="convolution convolution_image fft histogram mandelbrot matrix_naive matrix_tiled sort stencil transpose" ;;
    minimum) # work-groups of more than one work-item, images
        refused="black_scholes breadth_first convolution convolution_image fft histogram mandelbrot matrix_naive matrix_tiled n_body random_pi reduction scan sha256 sort sparse_vector stencil string_search transpose vector_add" ;;
    *)
        refused="" ;;
esac
failed=""
status=0
"$1/tests/bench_kernels" --list >"$1/tests/bench/$2.list" || exit 1
while read -r name unit rest; do
    if ! said=$("$1/tests/bench_kernels" "$here/kernels.cl" "$name" "$unit" 0 2>&1); then
        failed="$failed${failed:+ }$name"
        case $said in
            *"failed with status"*) ;; # refused
            *) echo "$name: $said"; status=1 ;;
        esac
    fi
done <"$1/tests/bench/$2.list"
failed=$(printf '%s\n' $failed | sort | tr '\n' ' ')
[ "${failed% }" = "$refused" ] || { echo "refused: $failed"; echo "wanted:  $refused"; status=1; }
exit $status
