/* Address spaces, aggregates, atomics. */
typedef struct {
    char tag;
    short numbers[3];
    float4 vector;
    long wide;
} record;

constant int table[6] = {1, 1, 2, 3, 5, 8};
constant int *constant inner = &table[2];
global int counter = 7;

record change(record r, int by)
{
    r.numbers[1] += by;
    r.vector.y = by;
    return r;
}

kernel void structures(global record *out, record in, int n)
{
    record r = change(in, n + (int)get_global_id(0));
    r.tag = table[n & 3] + inner[1];
    out[get_global_id(0)] = r;
}

kernel void vectors(global float *out, global const float3 *in, global uchar4 *bytes, int n)
{
    int id = get_global_id(0);
    float3 v = in[id];
    v.zx = v.xy * 2.0f;
    vstore3(v, id, out);
    uchar4 b = as_uchar4(v.x);
    b[n & 3] = 9;
    bytes[id] = b.wzyx;
}

kernel void atomics(global int *out, volatile global atomic_int *flag, local int *l)
{
    int id = get_local_id(0);
    if (id == 0)
        *l = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(l);
    atomic_max(out, id);
    atomic_fetch_add_explicit(flag, id, memory_order_relaxed, memory_scope_device);
    int expected = 3;
    atomic_compare_exchange_strong_explicit(flag, &expected, 4, memory_order_acq_rel,
                                            memory_order_acquire, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[1 + id] = *l + expected;
}

void put(int *anywhere, int value)
{
    *anywhere = value;
}

kernel void anywhere(global int *out, local int *l)
{
    int mine;
    put(&mine, get_global_id(0));
    put(l + get_local_id(0), mine * 2);
    put(out + get_global_id(0), l[get_local_id(0)] + counter);
}

/* Writes through a choice of `a` and `b`, and to `c` by a pointer out of private memory; only reads
 * `in`. */
kernel void ways(global int *a, global int *b, global const int *in, global int *chosen,
                 global int *c)
{
    global int *places[2] = {c, chosen};
    int id = get_global_id(0);
    global int *way = in[id] > 0 ? a : b + in[id];
    for (int i = 0; i < 3; i++)
        *way++ = chosen[i];
    *places[0] = in[0];
}
