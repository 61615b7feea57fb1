// Each work-item says that it wants to enter and looks whether the other does. With release and acquire both may see
// nobody, which no interleaving shows; then they race for the data.
// covers: D8 E3
//
// $ clerk kernel dekker.cl -k acq_rel -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0
// $ clerk kernel dekker.cl -k acq_rel -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel dekker.cl -k seq_cst -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[1]=0' --build -cl-std=CL3.0 --explore

#define ENTER(give, take)                                                                                            \
    int me = get_global_id(0);                                                                                       \
    atomic_store_explicit(&wants[me], 1, give, memory_scope_device);                                                 \
    if (atomic_load_explicit(&wants[1 - me], take, memory_scope_device) == 0)                                        \
        *data = me + 1;

kernel void acq_rel(global atomic_int *wants, global int *data)
{
    ENTER(memory_order_release, memory_order_acquire)
}

kernel void seq_cst(global atomic_int *wants, global int *data)
{
    ENTER(memory_order_seq_cst, memory_order_seq_cst)
}
