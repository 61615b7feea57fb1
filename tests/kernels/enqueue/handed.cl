// Releases and acquires between a kernel and its children: what they order is no race, and nothing else is.
//
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k handed -g 1 -a buf:int[1]=0 -a buf:int[2]=0 --print 1
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k handed_back -g 1 -a buf:int[1]=0 -a buf:int[2]=0 --print 1
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k handed_on -g 1 -a buf:int[2]=0 -a buf:int[1]=0 --print 1
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k both_behind -g 1 -a buf:int[1]=0 -a buf:int[1]=0
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k other_flags -g 1 -a buf:int[2]=0 -a buf:int[1]=0
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k last_of_two -g 1 -a buf:int[1]=0 -a buf:int[3]=0 --print 1
// $ clerk kernel handed.cl --build -cl-std=CL3.0 -k many_times -g 1 -a buf:int[1]=0 -a buf:int[1]=0 --print 1
//
// covers: C6 G20

#define GET(p) atomic_load_explicit(p, memory_order_acquire, memory_scope_device)
#define SET(p, v) atomic_store_explicit(p, v, memory_order_release, memory_scope_device)
#define AWAIT(p, v) while (GET(p) != (v))
#define BESIDE(...) enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), __VA_ARGS__)

// The child finds the flag set, or leaves the data alone.
kernel void handed(global atomic_int *flag, global int *data)
{
    BESIDE(^{
        if (GET(flag) == 1)
            data[1] = data[0];
    });
    data[0] = 7;
    SET(flag, 1);
}

// Both ways: the kernel reads what the child has made of its data.
kernel void handed_back(global atomic_int *flag, global int *data)
{
    BESIDE(^{
        AWAIT(flag, 1);
        data[0] += 1;
        SET(flag, 2);
    });
    data[0] = 7;
    SET(flag, 1);
    AWAIT(flag, 2);
    data[1] = data[0];
}

// By another child, which does not look at the data.
kernel void handed_on(global atomic_int *flags, global int *data)
{
    BESIDE(^{
        AWAIT(&flags[0], 1);
        SET(&flags[1], 1);
    });
    BESIDE(^{
        AWAIT(&flags[1], 1);
        data[0] += 1;
    });
    data[0] = 7;
    SET(&flags[0], 1);
}

// Both children come after what the kernel did, and neither after the other.
kernel void both_behind(global atomic_int *flag, global int *data)
{
    BESIDE(^{
        AWAIT(flag, 1);
        data[0] += 1;
    });
    BESIDE(^{
        AWAIT(flag, 1);
        data[0] += 2;
    });
    data[0] = 7;
    SET(flag, 1);
}

// Each has a flag of its own, which the other one never reads.
kernel void other_flags(global atomic_int *flags, global int *data)
{
    BESIDE(^{
        data[0] = 1;
        SET(&flags[1], 1);
    });
    data[0] = 2;
    SET(&flags[0], 1);
}

// Two children count, and the one that comes last reads what both wrote.
kernel void last_of_two(global atomic_int *count, global int *data)
{
    BESIDE(^{
        data[0] = 1;
        if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == 1)
            data[2] = data[0] + data[1];
    });
    BESIDE(^{
        data[1] = 2;
        if (atomic_fetch_add_explicit(count, 1, memory_order_acq_rel, memory_scope_device) == 1)
            data[2] = data[0] + data[1];
    });
}

// More often than is followed: nothing is told.
kernel void many_times(global atomic_int *ball, global int *data)
{
    BESIDE(^{
        for (int i = 1; i < 200; i += 2) {
            AWAIT(ball, i);
            data[0]++;
            SET(ball, i + 1);
        }
    });
    for (int i = 0; i < 200; i += 2) {
        AWAIT(ball, i);
        data[0]++;
        SET(ball, i + 1);
    }
}
