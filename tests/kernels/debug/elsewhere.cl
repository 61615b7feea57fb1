// A line of another kernel, or of a block, is not taken to be one of the kernel that runs.
// $ clerk debug elsewhere.cl -k parent --build -cl-std=CL3.0 -g 4 -a 'buf:int[4]' -a int=3 --batch elsewhere.commands

int never_called(int n)
{
    return n + 1;
}

kernel void other(global int *a)
{
    a[get_global_id(0)] = 1;
}

// Nothing is here.
int helper(int n)
{
    return n + 2;
}

kernel void parent(global int *a, int n)
{
    const int id = get_global_id(0);
    a[id] = id;
    const int by = helper(id);
    if (id == 1) {
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(n), ^{
            const int at = get_global_id(0);

            a[at] += by;
        });
    }
}

kernel void behind(global int *a)
{
    a[get_global_id(0)] = 2;
}
