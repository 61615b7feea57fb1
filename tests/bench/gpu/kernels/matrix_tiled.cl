/* The matrix product by tiles in local memory, with two barriers a tile. */
#define TILE 16

__kernel void matrix_tiled(__global const float *a, __global const float *b, __global float *c, uint side)
{
    __local float tile_a[TILE][TILE];
    __local float tile_b[TILE][TILE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const uint column = get_global_id(0);
    const uint row = get_global_id(1);
    float sum = 0;
    for (uint first = 0; first < side; first += TILE) {
        tile_a[y][x] = a[row * side + first + x];
        tile_b[y][x] = b[(first + y) * side + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TILE; ++k)
            sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * side + column] = sum;
}
