// Orders and scopes that are computed: the one meant is found at run time.
//
// $ clerk kernel order.cl -g 4 -l 2 -a buf:int[2]=5 -a buf:int[4] -a int=0 -a int=1 --print 0 --print 1 --checks none --build -cl-std=CL3.0
// $ clerk kernel order.cl -g 4 -l 2 -a buf:int[2]=5 -a buf:int[4] -a int=4 -a int=3 --print 0 --print 1 --checks none --build -cl-std=CL3.0

kernel void f(global int *counter, global int *seen, int order, int scope)
{
    const memory_order orders[] = {memory_order_relaxed, memory_order_acquire, memory_order_release,
                                   memory_order_acq_rel, memory_order_seq_cst};
    const memory_scope scopes[] = {memory_scope_work_item, memory_scope_work_group, memory_scope_device,
                                   memory_scope_all_svm_devices};
    global atomic_int *c = (global atomic_int *)counter;
    atomic_fetch_add_explicit(c, 2, orders[order], scopes[scope]);
    int expected = 100;
    seen[get_global_id(0)] =
        atomic_compare_exchange_strong_explicit(c + 1, &expected, 7, orders[order], memory_order_relaxed, scopes[scope])
            ? -1
            : expected;
}
