// A scan in one pass: a work-group adds what those before it have published, their own sums or those
// up to them.
//
// $ clerk kernel look_back.cl -g 8 -l 2 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0
// $ clerk kernel look_back.cl -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel look_back.cl -g 8 -l 2 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DOWN=memory_order_relaxed'
// $ clerk kernel look_back.cl -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DOWN=memory_order_relaxed' --explore
// $ clerk kernel look_back.cl -g 8 -l 2 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed'
// $ clerk kernel look_back.cl -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DLOOK=memory_order_relaxed' --explore
// $ clerk kernel look_back.cl -g 8 -l 2 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY'
// $ clerk kernel look_back.cl -g 4 -l 1 -a 'buf:int[4]=1' -a 'buf:int[4]=0' -a 'buf:int[4]=0' -a 'buf:int[4]=0' --build '-cl-std=CL3.0 -DEARLY' --explore
#define DEVICE memory_scope_device
#ifndef OWN
#define OWN memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
enum { NOTHING, OWN_SUM, WHOLE_SUM };

kernel void scan(global const int *in, global atomic_int *states, global int *own, global int *whole)
{
    const int group = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    int sum = in[group];
    if (group > 0) {
        own[group] = sum;
        atomic_store_explicit(&states[group], OWN_SUM, OWN, DEVICE);
    }
    for (int i = group - 1; i >= 0; i--) {
        int state;
        do {
            state = atomic_load_explicit(&states[i], LOOK, DEVICE);
        } while (state == NOTHING);
        if (state == WHOLE_SUM) {
            sum += whole[i];
            break;
        }
        sum += own[i];
    }
#ifdef EARLY
    atomic_store_explicit(&states[group], WHOLE_SUM, memory_order_release, DEVICE);
    whole[group] = sum;
#else
    whole[group] = sum;
    atomic_store_explicit(&states[group], WHOLE_SUM, memory_order_release, DEVICE);
#endif
}
