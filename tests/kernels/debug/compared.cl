// What DEBUGGERS.md says of clerk and no other transcript shows: names by scope, hits that are counted, values that are
// changed, bytes that nobody has written.
//
// $ clerk debug compared.cl -g 4 -a 'buf:int[4]=iota' --batch compared.commands

kernel void compared(global int *out)
{
    local int tile[4];
    int i = get_global_id(0), value = i * 10;
    for (int j = 0; j < 3; j++) {
        float value = i + 0.5f;
        out[i] += (int)value;
    }
    tile[i] = value;
    out[i] += tile[i];
}
