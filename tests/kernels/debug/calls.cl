// Calls are expanded: `next` leaves a function for the line that has called it, not for the next call of that line, and
// what is left of `return y;` behind the closing brace is no step.
// $ clerk debug calls.cl -g 2 -a 'buf:int[2]=0' --batch calls.commands
int twice(int x)
{
    int y = x * 2;
    return y;
}

int sum(int a, int b)
{
    int y = twice(a);
    y += twice(b);
    return y;
}

kernel void calls(global int *out)
{
    int i = get_global_id(0);
    int all = sum(i, 1) * twice(i) +
              sum(i, 2);
    out[i] = all;
}
