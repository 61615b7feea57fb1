// The moment at which something is found.
// $ clerk debug finding.cl -k race -g 64 -a 'buf:int[1]=0' --batch finding.commands
// $ clerk debug finding.cl -k bounds -g 64 -a 'buf:int[64]' --batch finding.commands

kernel void race(global int *out)
{
    out[0] = (int)get_global_id(0);
}

kernel void bounds(global int *out)
{
    int i = (int)get_global_id(0);
    out[i + 1] = i;
}
