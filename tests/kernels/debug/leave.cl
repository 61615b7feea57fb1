// Leaving a loop, a round of it or a function, by some work-items of a vector: each line is stood at once.
// $ clerk debug leave.cl -k leave -g 4 -a 'buf:int[4]' --batch leave.commands
int find(int wanted)
{
    for (int i = 0; i < 5; i++) {
        int twice = i * 2;
        if (twice == wanted)
            return i;
    }
    return -1;
}

kernel void leave(global int *out)
{
    int item = get_global_id(0);
    for (int i = 0; i < 3; i++) {
        int sum = i + item;
        if (sum == 2)
            continue;
        if (sum == 3)
            break;
        out[item] = find(2 * sum);
    }
    if (item == 1)
        return;
    out[item] = item;
}
