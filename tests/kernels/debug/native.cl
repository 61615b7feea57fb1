// Native code runs where nobody stops: whoever goes back finds the variables there. See native of tests/cli/debug.sh.
// $ clerk debug native.cl -g 256 -l 64 -a 'buf:uint[256]' -a uint=3000 --batch native.commands

kernel void native(global uint *out, uint n)
{
    uint sum = 0;
    const uint item = get_global_id(0);
    for (uint i = 0; i < n; ++i) {
        uint part = sum * 3;
        part += i;
        if (part & 1)
            part ^= item & 3;
        sum = part;
        if (i == n / 2)
            out[item + 1] = sum;
    }
    if (item == 200)
        out[item + 100] = sum;
    out[item] = sum;
}
