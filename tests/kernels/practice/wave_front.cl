// Each work-group makes a row of a table from the row before it, as far as that has come.
//
// $ clerk kernel wave_front.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build -cl-std=CL3.0
// $ clerk kernel wave_front.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build -cl-std=CL3.0 --explore
// $ clerk kernel wave_front.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build '-cl-std=CL3.0 -DTELL=memory_order_relaxed'
// $ clerk kernel wave_front.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build '-cl-std=CL3.0 -DTELL=memory_order_relaxed' --explore
// $ clerk kernel wave_front.cl -g 8 -l 2 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build '-cl-std=CL3.0 -DAHEAD=0'
// $ clerk kernel wave_front.cl -g 4 -l 1 -a 'buf:int[4]=0' -a 'buf:int[8]=0' -a int=2 --build '-cl-std=CL3.0 -DAHEAD=0' --explore
#define DEVICE memory_scope_device
#ifndef AHEAD
#define AHEAD 1
#endif
#ifndef TELL
#define TELL memory_order_release
#endif

kernel void sum(global atomic_int *done, global int *table, int columns)
{
    const int row = get_group_id(0);
    if (get_local_id(0) != 0)
        return;
    for (int i = 0; i < columns; i++) {
        int value = 1;
        if (row > 0) {
            while (atomic_load_explicit(&done[row - 1], memory_order_acquire, DEVICE) < i + AHEAD)
                ;
            value += table[(row - 1) * columns + i];
        }
        table[row * columns + i] = value;
        atomic_store_explicit(&done[row], i + 1, TELL, DEVICE);
    }
}
