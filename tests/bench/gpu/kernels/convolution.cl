/* By a filter of 5 x 5 in constant memory; beyond the edge lies the edge. */
#define RADIUS 2

__kernel void convolution(__global const float *input, __constant float *filter, __global float *output, uint side)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int last = side - 1;
    float sum = 0;
    for (int j = -RADIUS; j <= RADIUS; ++j) {
        for (int i = -RADIUS; i <= RADIUS; ++i) {
            const int column = clamp(x + i, 0, last);
            const int row = clamp(y + j, 0, last);
            sum += filter[(j + RADIUS) * (2 * RADIUS + 1) + i + RADIUS] * input[row * side + column];
        }
    }
    output[y * side + x] = sum;
}
