// Watches: of global, local and private memory, and of variables that are values; forwards and backwards.
//
// $ clerk debug watch.cl -g 8 -l 8 -a 'buf:int[9]=0' -a int=3 --batch watch.commands
struct pair { int a; int b[2]; };
kernel void steps(global int *out, int n)
{
    local int tile[64];
    int i = get_global_id(0);
    struct pair p;
    int sum = 0;
    for (int j = 0; j < n; j++) {
        sum += i;
        p.b[j & 1] = sum;
    }
    tile[i] = p.b[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    int near = tile[i ^ 1];
    atomic_add(&out[0], near);
    out[i + 1] = near;
    int *q = &p.b[1];
    *q = *q + near;
    out[i + 1] += *q;
}
