/* What bench_debugged stops in: two loops, a function, memory. */
float step_of(float x, uint k)
{
    float y = x * 0.5f;
    y += (float)(k & 7);
    return y;
}

__kernel void debugged(__global const float *in, __global float *out, uint n)
{
    const size_t i = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < n; ++k) {
        const float x = in[(i + k) & 4095];
        sum += step_of(x, k);
        if ((k & 255) == 0)
            out[i] = sum;
    }
    out[i] = sum;
}
