// A line that work-items come to in several ways stops them all; that of a loop stops where the loop begins.
// $ clerk debug ways.cl -g 2 -a 'buf:int[2]=0' --batch ways.commands
__kernel void ways(__global int *out)
{
    int item = get_global_id(0);
    for (int row = -1; row <= 1; ++row)
        for (int i = -1; i <= 1; ++i) {
            int x = item + i, y = item + row;
            if (x < 0 || y < 0 || x >= 4 || y >= 4)
                continue;
            out[item] += i;
        }
}
