/* What loads give in generated code, after prelude_memory.c, which finds and moves it: the rows
 * that become undefined wholly, and the loads that are part of a stretch (stretch_loads.h). */

/* ---- undefined wholly ---- */

#define LANES_LOADED (u64) __builtin_popcountll(active)

/* After load_again: what is undefined of the row, which has elements of `width` bytes. */
#define PUT_LOADED(row, width, memo, site)                                                         \
    if (RARE(call->whole)) {                                                                       \
        struct vm_origins births;                                                                  \
        call->whole = 0;                                                                           \
        *call->undefined_loads += LANES_LOADED;                                                    \
        births_here(call, &call->memos[memo], at->base, site, &births);                            \
        call->put_whole(call->vector, row, width, &births);                                        \
    } else {                                                                                       \
        undefined[row] = 0;                                                                        \
    }

/* In stretches that load: may a value be undefined wholly? Then w[N] is 1 + the number of the
 * births that it has; 0: nothing of it is undefined. */
#define BEGIN_WHOLE(rows)                                                                          \
    u64 loaded;                                                                                    \
    const _Bool whole = RARE((call->whole | ((rows)&active)) != 0);                                \
    if (whole) {                                                                                   \
        loaded = call->whole;                                                                      \
        call->whole = 0;                                                                           \
        __builtin_memset(w, 0, sizeof w);
/* Of a row that was read: */
#define READ_WHOLE(n, birth, row, width)                                                           \
    if ((undefined[row] & active) != 0) {                                                          \
        w[n] = 1 + birth;                                                                          \
        leave |= !call->is_whole(call->vector, row, width, &births[birth]);                        \
    }
/* Of what is to be loaded: */
#define LOAD_WHOLE(n, birth, memo, x, site)                                                        \
    if (loaded >> memo & 1) {                                                                      \
        w[n] = 1 + birth;                                                                          \
        births_here(call, &call->memos[memo], p_##x, site, &births[birth]);                        \
    }
#define PUT_WHOLE(n, row, width)                                                                   \
    if (w[n] != 0)                                                                                 \
        call->put_whole(call->vector, row, width, &births[w[n] - 1]);                              \
    else                                                                                           \
        undefined[row] = 0;

/* ---- stretches that load ---- */

/* Is it worth trying? Not while it failed the last times, but now and then. */
static inline _Bool may_load(struct vm_native_call *call, u32 memo)
{
    const u32 tries = call->memos[memo].tries++;
    return tries < 16 || tries % 64 == 0;
}

#define LOAD_RUNS(W, n, memo, x, alignment)                                                        \
    u##W copy_##n[64] __attribute__((aligned(64)));                                                \
    const struct runs runs_##n =                                                                   \
        find_runs_##W(call, &call->memos[memo], p_##x, q_##x, j_##x, alignment, copy_##n);         \
    leave |= !runs_##n.from;
#define LOADED(W, n)                                                                               \
    ({                                                                                             \
        u##W value;                                                                                \
        __builtin_memcpy(&value,                                                                   \
                         runs_##n.from + (s64)(run / 16) * runs_##n.jump + (lane - run) * (W / 8), \
                         sizeof value);                                                            \
        value;                                                                                     \
    })
#define RUNS                                                                                       \
    for (u32 run = 0; run < 64; run += 16)                                                         \
    _Pragma("clang loop vectorize(assume_safety)") for (u32 lane = run; lane < run + 16; lane++)
#define LOAD_ONE(n, memo, address, alignment, size)                                                \
    const u8 *const one_##n = load_one_again(call, &call->memos[memo], address, alignment, size);  \
    leave |= !one_##n;
#define LOADED_ONE(W, n, component)                                                                \
    ({                                                                                             \
        u##W value = 0;                                                                            \
        if (one_##n)                                                                               \
            __builtin_memcpy(&value, one_##n + (component) * sizeof value, sizeof value);          \
        value;                                                                                     \
    })
