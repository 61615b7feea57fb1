// Lines of other names, and what an atomic operation reads.
// $ clerk debug renamed.cl -k renamed -g 4 -a 'buf:int[4]' -a 'buf:int[1]=0' --batch renamed.commands
#line 100 "made.inc"
int next_to(int number)
{
    return number + 1;
}
#line 20 "main.cl"
kernel void renamed(global int *out, global int *sum)
{
    out[get_global_id(0)] = next_to(atomic_add(sum, 5));
    atomic_inc(sum);
    out[get_global_id(0)] += *sum;
}
