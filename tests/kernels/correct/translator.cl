// What llvm-spirv 15 ends at with an assertion, or writes in the wrong order: flags, orders and scopes that are
// computed, numbers taken as vectors, and the queue that is none.
//
// $ clerk kernel translator.cl -k fences -g 8 -l 8 -a buf:int[8]=0 -a uint=1 --print 0 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k fences -g 8 -l 8 -a buf:int[8]=0 -a uint=0 --print 0 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k flags -g 1 -a buf:int[1]=0 -a uint=3 -a uint=1 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k passed -g 2 -l 2 -a buf:int[2]=0 -a uint=3 -a uint=4 -a uint=1 --print 0 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k passed -g 2 -l 2 -a buf:int[2]=0 -a uint=0 -a uint=0 -a uint=1 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k bits -g 1 -a buf:uint[12] --print 0 --build -cl-std=CL3.0
// $ clerk kernel translator.cl -k bits -g 1 -a buf:uint[12] --print 0 --build -cl-std=CL3.0 --personality big-endian
// $ clerk kernel translator.cl -k queues -g 1 -a buf:int[6] --print 0 --build -cl-std=CL3.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* A race where the flags are 0. */
kernel void fences(global int *out, uint flags)
{
    local int shared[8];
    const uint id = get_local_id(0);
    shared[id] = id;
    barrier(flags);
    out[id] = shared[7 - id];
    work_group_barrier(CLK_LOCAL_MEM_FENCE,
                       flags ? memory_scope_work_group : memory_scope_device);
    shared[id] = -out[id];
    work_group_barrier(flags);
    out[id] += shared[id ^ 1];
}

kernel void flags(global int *out, uint x, uint order)
{
    mem_fence(x);
    read_mem_fence(x);
    write_mem_fence(x);
    sub_group_barrier(x);
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE, x ? memory_scope_sub_group : memory_scope_device);
    atomic_work_item_fence(x, memory_order_acq_rel, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,
                           order ? memory_order_acquire : memory_order_release,
                           memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire,
                           order ? memory_scope_all_svm_devices : memory_scope_work_item);
    out[0] = 1;
}

/* Message passing by fences: a race unless these release and acquire. */
kernel void passed(global int *out, uint flags, memory_order order, memory_scope scope)
{
    local int data;
    local atomic_int ready;
    if (get_local_id(0) == 0)
        atomic_init(&ready, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        data = 7;
        atomic_work_item_fence(flags, order, scope);
        atomic_store_explicit(&ready, 1, memory_order_relaxed, memory_scope_work_group);
    } else {
        while (atomic_load_explicit(&ready, memory_order_relaxed, memory_scope_work_group) == 0)
            ;
        atomic_work_item_fence(flags, order, scope);
        out[1] = data;
    }
}

kernel void bits(global uint *out)
{
    const uchar4 a = as_uchar4(0x01020304u);
    const uchar3 b = as_uchar3(0x01020304u);
    const float2 c = as_float2(0x40000000bf800000ul);
    const ushort2 d = as_ushort2(1.5f);
    const int2 e = as_int2(-2.5);
    const char2 f = as_char2((half)1.5f);
    const uchar3 g = as_uchar3((ushort2)(0x0102));
    const ushort2 h = as_ushort2(as_float(0x7f812345));
    out[0] = a.x | a.y << 8 | a.z << 16 | a.w << 24;
    out[1] = b.x | b.y << 8 | b.z << 16;
    out[2] = c.x == -1.0f && c.y == 2.0f;
    out[3] = d.x;
    out[4] = d.y;
    out[5] = e.x;
    out[6] = e.y;
    out[7] = (uchar)f.y << 8 | (uchar)f.x;
    out[8] = g.x | g.y << 8 | g.z << 16;
    out[9] = h.x;
    out[10] = h.y;
    out[11] = (out[0] == 0x01020304) ? as_uchar4(0xff000001u).x : as_char4(0x7f0000ff).w;
}

#ifdef __opencl_c_device_enqueue
int is_none(queue_t q)
{
    return q == CLK_NULL_QUEUE;
}

kernel void queues(global int *out)
{
    const queue_t q = get_default_queue();
    const queue_t none = CLK_NULL_QUEUE;
    out[0] = q != CLK_NULL_QUEUE;
    out[1] = CLK_NULL_QUEUE == q;
    out[2] = is_none(q);
    out[3] = is_none(CLK_NULL_QUEUE);
    out[4] = is_none(none);
    out[5] = q != none;
}
#endif
