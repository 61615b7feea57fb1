/* Listings of these are golden: see test_lower.c. */
kernel void add(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}

kernel void matrix_product(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(0);
    int column = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void reduce(global const int *in, global int *out, local int *sums)
{
    int l = get_local_id(0);
    sums[l] = in[get_global_id(0)];
    for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < width)
            sums[l] += sums[l + width];
    }
    if (l == 0)
        out[get_group_id(0)] = sums[0];
}

/* What a branch may read without ever having been written. */
kernel void undefined(global int *out, int n)
{
    int chosen;
    if (n > 3)
        chosen = n;
    if (chosen > 5)
        out[get_global_id(0)] = 1;
}
