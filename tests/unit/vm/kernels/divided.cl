/* Kernels whose groups may run beside each other, and some whose groups may not. */

kernel void scale(global uint *out, global const uint *in)
{
    const uint i = get_global_id(0);
    out[i] = in[i] * 3 + get_group_id(0);
}

/* Groups of one work-item write neighbouring bytes. */
kernel void bytes(global uchar *out)
{
    out[get_global_id(0)] = get_global_id(0) % 251;
}

/* Two groups write each element. */
kernel void pairs(global uint *out)
{
    out[get_group_id(0) / 2 * get_local_size(0) + get_local_id(0)] = get_group_id(0);
}

/* Each group reads what the next one writes. */
kernel void shift(global uint *data)
{
    const uint i = get_global_id(0);
    if (i + get_local_size(0) < get_global_size(0))
        data[i] = data[i + get_local_size(0)] + 1;
    else
        data[i] = 1;
}

/* The last group writes what the first one wrote. */
kernel void ends(global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = i;
    if (i == get_global_size(0) - 1)
        out[0] = 77;
}

kernel void count(global uint *out)
{
    atomic_inc(out + get_global_id(0) % 3);
    atomic_add(out + get_local_id(0), 2);
}

/* The value that each finds depends on who came before. */
kernel void number(global uint *out)
{
    const uint place = 1 + atomic_inc(out);
    if (place < get_global_size(0))
        out[place] = get_global_id(0);
}

/* Of two kinds, and beside what others read. */
kernel void mixed(global uint *out)
{
    atomic_add(out, 3);
    atomic_max(out, get_global_id(0));
}

kernel void looks(global uint *out, global uint *in)
{
    atomic_inc(in);
    out[get_global_id(0)] = in[get_local_id(0)];
}

/* What a group finds here ends its loop only if the next one has not run. */
kernel void hasty(global uint *data)
{
    const uint i = get_global_id(0);
    uint n = 0;
    data[i] = 7;
    while (i + get_local_size(0) + 1 < get_global_size(0) &&
           data[i + get_local_size(0) + (n & 1)] == 7)
        n++;
}

kernel void meet(global uint *out)
{
    local uint sums[64];
    const uint i = get_local_id(0);
    sums[i] = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (i < half_size)
            sums[i] += sums[i + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i == 0)
        out[get_group_id(0)] = sums[0];
}

/* Each half of the items writes to a buffer of its own. */
kernel void halves(global uint *out, global uint *part)
{
    const uint i = get_global_id(0), half_size = get_global_size(0) / 2;
    if (i < half_size)
        out[i] = i + 1;
    else
        part[i - half_size] = i + 2;
}

/* Each item reads another one of its group. */
kernel void turn(global uint *data)
{
    const uint first = get_group_id(0) * get_local_size(0);
    const uint value = data[first + get_local_id(0) * 7 % get_local_size(0)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[get_global_id(0)] = value * 3 + get_global_id(0);
}

/* Each item reads another one of any group. */
kernel void stir(global uint *data)
{
    const uint i = get_global_id(0);
    data[i] = data[i * 7 % get_global_size(0)] * 3 + i;
}

/* Items of the last group write one place. */
kernel void late(global uint *out)
{
    const uint i = get_global_id(0);
    out[get_group_id(0) + 1 < get_num_groups(0) ? i : i | 63] = i;
}

/* All read what the first group writes. */
kernel void lead(global uint *data)
{
    const uint value = data[0];
    data[get_global_id(0)] = value + 1;
}

/* Only the first item writes, but each one would that finds 0 where it may not look. */
kernel void stray(global uint *out, global uint *in)
{
    if (atomic_inc(in) == 0)
        out[get_global_id(0)] = 7;
}
