// A step of a search: who reaches a node first marks it, sets its distance, and puts it on the list
// of the next step.
//
// $ clerk kernel frontier.cl -g 8 -l 4 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel frontier.cl -g 4 -l 2 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel frontier.cl -g 8 -l 4 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS'
// $ clerk kernel frontier.cl -g 4 -l 2 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DTWO_STEPS' --explore
// $ clerk kernel frontier.cl -g 8 -l 4 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DWRONG_PLACE'
// $ clerk kernel frontier.cl -g 4 -l 2 -a 'buf:int[8]=0,1,0,1,0,1,0,1' -a 'buf:int[2]=0' -a 'buf:int[2]=0' -a 'buf:int[1]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DWRONG_PLACE' --explore
#define DEVICE memory_scope_device

kernel void step(global const int *ends, global atomic_int *marks, global int *distances,
                 global atomic_int *count, global int *list)
{
    const int node = ends[get_global_id(0)];
#ifdef TWO_STEPS
    if (atomic_load_explicit(&marks[node], memory_order_relaxed, DEVICE) != 0)
        return;
    atomic_store_explicit(&marks[node], 1, memory_order_relaxed, DEVICE);
#else
    if (atomic_exchange_explicit(&marks[node], 1, memory_order_relaxed, DEVICE) != 0)
        return;
#endif
    distances[node] = 1;
    const int place = atomic_fetch_add_explicit(count, 1, memory_order_relaxed, DEVICE);
#ifdef WRONG_PLACE
    list[place / 2] = node;
#else
    list[place] = node;
#endif
}
