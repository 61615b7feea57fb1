/* A sparse matrix in rows (CSR) by a vector: an item a row, indices that come from memory. */
__kernel void sparse_product(__global const uint *row_starts, __global const uint *columns,
                             __global const float *values, __global const float *vector, __global float *product)
{
    const uint row = get_global_id(0);
    float sum = 0;
    for (uint k = row_starts[row]; k < row_starts[row + 1]; ++k)
        sum += values[k] * vector[columns[k]];
    product[row] = sum;
}
