// What pointers lead to that are given to functions: variables that are held as values, or in memory.
// $ clerk debug pointed.cl -g 4 -a 'buf:int2[4]=1,1,2,2,3,3,4,-1' -a 'buf:int[4]' --batch pointed.commands

struct node {
    int value, next;
};

int chain(global const struct node *nodes, int from, int *length, int *last)
{
    int sum = 0;
    *length = 0;
    while (from >= 0) {
        sum += nodes[from].value;
        *last = from;
        from = nodes[from].next;
        (*length)++;
    }
    return sum;
}

int twice(global const struct node *nodes, int from, int *length)
{
    int last[2], never;
    const int *const nothing = &never;
    const int a = chain(nodes, from, length, &last[from & 1]);
    int others;
    const int b = chain(nodes, a & 3, &others, &last[1]);
    return a + b + others + (*length > 9 ? *nothing : 0);
}

kernel void walk(global const struct node *nodes, global int *out)
{
    const int id = get_global_id(0);
    int length = -1;
    const int sum = twice(nodes, id, &length);
    out[id] = sum + length;
}
