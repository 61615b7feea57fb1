// What stands behind a command: conditions of watches, which are asked of each work-item that one instruction is of;
// what `catch` does not take; variables of each call; types within types.
//
// $ clerk debug clauses.cl -g 8 -a 'buf:int[8]=iota' -a 'buf:int[1]=0' --batch clauses.commands

typedef struct {
    int id;
    struct {
        short low[2];
        union {
            uint bits;
            float number;
        } as;
    } inner;
    global int *from;
} entry;

int twice(int value)
{
    int result = 2 * value;
    return result;
}

kernel void clauses(global int *out, volatile global int *won)
{
    int i = get_global_id(0);
    entry mine;
    mine.id = i;
    mine.from = out + i;
    out[i] = twice(i);
    atomic_cmpxchg(won, i, i + 1);
    out[7 - i] += mine.id;
}
