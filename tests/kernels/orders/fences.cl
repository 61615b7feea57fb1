// A value passed by a flag and fences: what the fences' flags must name, and where the fences must stand.
//
// $ clerk kernel fences.cl -k both -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel fences.cl -k release_only -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel fences.cl -k acquire_only -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel fences.cl -k narrow -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k behind -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k before -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k wrong_kind -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k relaxed -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k local_flag -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k local_flag_fenced -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --print 1 --schedule asc
// $ clerk kernel fences.cl -k local_flag_local_fences -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k local_flag_global_fences -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k one_fence -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel fences.cl -k local_flag_seq_cst -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc
// $ clerk kernel fences.cl -k local_flag_seq_cst -g 2 -l 2 -a 'buf:int[1]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --schedule asc --seq-cst-rule one

#define FLAG ((global atomic_int *)(data + 1))
#define WRITER (get_global_id(0) == 0)
#define FENCE(flags, order, scope) atomic_work_item_fence(flags, memory_order_##order, memory_scope_##scope)
#define STORE(flag, order, scope) atomic_store_explicit(flag, 1, memory_order_##order, memory_scope_##scope)
#define LOAD(flag, order, scope) atomic_load_explicit(flag, memory_order_##order, memory_scope_##scope)

kernel void both(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, release, device);
        STORE(FLAG, relaxed, device);
    } else if (LOAD(FLAG, relaxed, device) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        out[0] = data[0];
    }
}

kernel void release_only(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, release, device);
        STORE(FLAG, relaxed, device);
    } else if (LOAD(FLAG, acquire, device) == 1) {
        out[0] = data[0];
    }
}

kernel void acquire_only(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        STORE(FLAG, release, device);
    } else if (LOAD(FLAG, relaxed, device) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        out[0] = data[0];
    }
}

kernel void narrow(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, release, work_group);
        STORE(FLAG, relaxed, device);
    } else if (LOAD(FLAG, relaxed, device) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, work_group);
        out[0] = data[0];
    }
}

/* The release fence on the wrong side of the store. */
kernel void behind(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        STORE(FLAG, relaxed, device);
        FENCE(CLK_GLOBAL_MEM_FENCE, release, device);
    } else if (LOAD(FLAG, relaxed, device) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        out[0] = data[0];
    }
}

/* The acquire fence on the wrong side of the load. */
kernel void before(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, release, device);
        STORE(FLAG, relaxed, device);
    } else {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        if (LOAD(FLAG, relaxed, device) == 1)
            out[0] = data[0];
    }
}

/* An acquire fence where a release fence should be. */
kernel void wrong_kind(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        STORE(FLAG, relaxed, device);
    } else if (LOAD(FLAG, relaxed, device) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device);
        out[0] = data[0];
    }
}

/* A relaxed fence has no effect. */
kernel void relaxed(global int *data, global int *out)
{
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, relaxed, device);
        STORE(FLAG, relaxed, device);
    } else if (LOAD(FLAG, acquire, device) == 1) {
        out[0] = data[0];
    }
}

/* The flag is in local memory and the data in global memory. A local flag orders local memory only. */
#define LOCAL_FLAG                                                                                                     \
    local atomic_int flag;                                                                                             \
    if (WRITER)                                                                                                        \
        atomic_init(&flag, 0);                                                                                         \
    work_group_barrier(CLK_LOCAL_MEM_FENCE)

kernel void local_flag(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        STORE(&flag, release, work_group);
    } else if (LOAD(&flag, acquire, work_group) == 1) {
        out[0] = data[0];
    }
}

/* Two fences that both name both memories order both. */
kernel void local_flag_fenced(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, release, work_group);
        STORE(&flag, relaxed, work_group);
    } else if (LOAD(&flag, relaxed, work_group) == 1) {
        FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, acquire, work_group);
        out[0] = data[0];
    }
}

kernel void local_flag_local_fences(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_LOCAL_MEM_FENCE, release, work_group);
        STORE(&flag, relaxed, work_group);
    } else if (LOAD(&flag, relaxed, work_group) == 1) {
        FENCE(CLK_LOCAL_MEM_FENCE, acquire, work_group);
        out[0] = data[0];
    }
}

kernel void local_flag_global_fences(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_GLOBAL_MEM_FENCE, release, work_group);
        STORE(&flag, relaxed, work_group);
    } else if (LOAD(&flag, relaxed, work_group) == 1) {
        FENCE(CLK_GLOBAL_MEM_FENCE, acquire, work_group);
        out[0] = data[0];
    }
}

/* It takes two fences: an acquire load is an operation on local memory alone. */
kernel void one_fence(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, release, work_group);
        STORE(&flag, relaxed, work_group);
    } else if (LOAD(&flag, acquire, work_group) == 1) {
        out[0] = data[0];
    }
}

/* seq_cst operations that synchronise in one memory do in the other. */
kernel void local_flag_seq_cst(global int *data, global int *out)
{
    LOCAL_FLAG;
    if (WRITER) {
        data[0] = 42;
        STORE(&flag, seq_cst, work_group);
    } else if (LOAD(&flag, seq_cst, work_group) == 1) {
        out[0] = data[0];
    }
}
// covers: C1 D5 E4 E9 E10
