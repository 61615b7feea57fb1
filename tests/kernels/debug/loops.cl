// Conditions in a loop that keeps nothing of its variables where nobody looks: at its first statement and at later ones,
// of values of this round and of the last one, the same for all work-items or not; and what is there where one holds.
// $ clerk debug loops.cl -k same -g 2 -a 'buf:uint[2]' -a int=400 --batch loops.commands
// $ clerk debug loops.cl -k others -g 3 -a 'buf:uint[3]' -a int=400 --batch loops.others
kernel void same(global uint *out, int n)
{
    uint sum = 0, last = 0;
    for (int i = 0; i < n; ++i) {
        last = sum;
        sum = sum * 3 + i;
        last += sum ^ i;
        sum ^= last;
    }
    out[get_global_id(0)] = sum;
}

kernel void others(global uint *out, int n)
{
    uint sum = get_global_id(0), last = 0;
    for (int i = 0; i < n; i += 1 + (get_global_id(0) & 1)) {
        last = sum;
        sum = sum * 3 + i;
        last += sum ^ i;
        sum ^= last;
    }
    out[get_global_id(0)] = sum;
}
