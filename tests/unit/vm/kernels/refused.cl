/* Each of these is refused by name and line: see test_lower.c. */
int again(int n);
int again(int n)
{
    return n < 2 ? 1 : n * again(n - 1);
}

kernel void recursion(global int *out)
{
    out[0] = again(out[1]);
}

kernel void copies(global int *in, local int *tile)
{
    event_t done = async_work_group_copy(tile, in, 16, 0);
    wait_group_events(1, &done);
}

int missing(int n);
kernel void no_body(global int *out)
{
    out[0] = missing(3);
}

extern constant int nowhere;
kernel void no_variable(global int *out)
{
    out[0] = nowhere;
}
