// Conditions of half, for all work-items at once and, behind a comma, for each: both hold as often.
// $ clerk debug halves.cl -g 64 -a 'buf:half[16]=iota' -a 'buf:float[64]' -a int=12 --batch halves.commands
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void halves(global half *in, global float *out, int n)
{
    half sum = 0, unset;
    const int i = get_global_id(0);
    for (int k = 0; k < n; ++k) {
        if (k == 5)
            unset = sum;
        sum = sum * (half)1.25f + in[(i + k) & 15];
        out[i] = sum;
    }
    out[i] += unset;
}
