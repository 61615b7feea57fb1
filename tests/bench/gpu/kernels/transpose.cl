/* Through a tile, so that both sides are read and written in rows. */
#define TILE 16

__kernel void transpose(__global const float *input, __global float *output, uint side)
{
    __local float tile[TILE][TILE + 1];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    tile[y][x] = input[get_global_id(1) * side + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    output[(get_group_id(0) * TILE + y) * side + get_group_id(1) * TILE + x] = tile[x][y];
}
