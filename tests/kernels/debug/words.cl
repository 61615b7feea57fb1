// gdb's words: displays, commands of breakpoints, variables of the debugger, what scripts print.
// $ clerk debug words.cl -k words -g 4 -a 'buf:int[4]' -a 'buf:char[12]=0' --batch words.commands
int half_of(int number)
{
    return number / 2;
}

kernel void words(global int *out, global char *name)
{
    int item = get_global_id(0);
    float acc = 0;
    name[item] = 'a' + item;
    for (int i = 0; i < 3; i++) {
        int twice = 2 * i;
        acc += half_of(twice) + 0.5f;
    }
    out[item] = (int)acc;
}
