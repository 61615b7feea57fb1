// Scopes and sub-groups: memory_scope_sub_group reaches no farther than one.
//
// $ clerk kernel atomics.cl -k counter -g 4 -l 4 -a 'buf:int[1]=0' --print 0 --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group'
// $ clerk kernel atomics.cl -k counter -g 8 -l 8 -a 'buf:int[1]=0' --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group'
// $ clerk kernel atomics.cl -k counter -g 8 -l 8 -a 'buf:int[1]=0' --print 0 --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group'
// $ clerk kernel atomics.cl -k message -g 8 -l 8 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a int=4 --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group'
// $ clerk kernel atomics.cl -k message -g 8 -l 8 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a int=4 --print 2 --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_work_group' --schedule asc
// $ clerk kernel atomics.cl -k message -g 8 -l 8 -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a 'buf:int[1]=0' -a int=1 --print 2 --sub-group-size 4 --build '-cl-std=CL3.0 -DSCOPE=memory_scope_sub_group' --schedule asc

kernel void counter(global atomic_int *count)
{
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed, SCOPE);
}

kernel void message(global int *data, global atomic_int *flag, global int *out, int reader)
{
    int id = get_local_id(0);
    if (id == 0) {
        *data = 42;
        atomic_store_explicit(flag, 1, memory_order_release, SCOPE);
    } else if (id == reader && atomic_load_explicit(flag, memory_order_acquire, SCOPE) == 1) {
        *out = *data;
    }
}

// covers: C6 E2
