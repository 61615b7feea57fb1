// A read may have what is only written later (load buffering), by its own work-item or by one that
// is told something, unless that needs the read. What needs it is followed bit by bit, through private
// memory, too.
// covers: E12
//
// $ clerk kernel later.cl -k needless -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore --json
// $ clerk kernel later.cl -k needless -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --choices b3.2.0.0.1.0.1.3.2.0.0.1.0.1
// $ clerk kernel later.cl -k needless -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --choices b3.2.0.0.1.0.1.3.3.0.0.1.0.1
// $ clerk kernel later.cl -k value -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel later.cl -k bits -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel later.cl -k branch -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel later.cl -k kept -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel later.cl -k beside -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
// $ clerk kernel later.cl -k updates -g 2 -l 1 -a 'buf:int[2]=0' -a 'buf:int[2]=0' --build -cl-std=CL3.0 --explore
#define READ(place) atomic_load_explicit(place, memory_order_relaxed, memory_scope_device)
#define WRITE(place, value) \
    atomic_store_explicit(place, value, memory_order_relaxed, memory_scope_device)

kernel void needless(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    const int read = READ(&x[me]);
    WRITE(&x[1 - me], 1);
    out[me] = read;
}

// Each would write what the other has read, which may be anything: it comes from nowhere.
kernel void value(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    const int read = READ(&x[me]);
    WRITE(&x[1 - me], read);
    out[me] = read;
}

// What is written is 2 or 3, whatever was read but for its last bit, which the first leaves out.
kernel void bits(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    const int read = READ(&x[me]);
    WRITE(&x[1 - me], 2 + (read & me));
    out[me] = read;
}

kernel void branch(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    const int read = READ(&x[me]);
    if (read != 0)
        out[me] = read;
    WRITE(&x[1 - me], 1);
}

kernel void kept(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    volatile int values[2] = {0, 0};
    values[me] = READ(&x[me]);
    WRITE(&x[1 - me], values[1 - me] + values[me] * 2);
    out[me] = values[me];
}

kernel void beside(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    volatile int values[2] = {0, 0};
    values[me] = READ(&x[me]);
    WRITE(&x[1 - me], values[1 - me] + 1);
    out[me] = values[me];
}

kernel void updates(global atomic_int *x, global int *out)
{
    const int me = get_global_id(0);
    const int read =
        atomic_fetch_add_explicit(&x[me], 1, memory_order_relaxed, memory_scope_device);
    atomic_fetch_add_explicit(&x[1 - me], 1, memory_order_relaxed, memory_scope_device);
    out[me] = read;
}
