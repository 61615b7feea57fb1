/* What generated code is written with. The user's clang compiles it, after the texts of
 * reference/vm that CMakeLists.txt lists; nothing of ours does. Names with a number at their end
 * are those of values: stretch.h says which. */

typedef float f32;
typedef double f64;
typedef _Bool truth;
typedef __int128 vm_s128;
typedef unsigned __int128 vm_u128;

#define RARE(condition) __builtin_expect((condition) != 0, 0)

/* ---- rows ---- */

#define UNIT(n)      __builtin_assume_aligned(units + 64 * (u64)(n), 64)
#define ROW(type, n) ((type *)UNIT(n))
#define LANES        _Pragma("clang loop vectorize(assume_safety)") for (u32 lane = 0; lane < 64; lane++)

/* An element as the type that an expression computes with, and back: float results that are NaNs
 * become the canonical one. */
#define in_u8(x)     ((u8)(x))
#define in_u16(x)    ((u16)(x))
#define in_u32(x)    ((u32)(x))
#define in_u64(x)    ((u64)(x))
#define in_s8(x)     ((s8)(x))
#define in_s16(x)    ((s16)(x))
#define in_s32(x)    ((s32)(x))
#define in_s64(x)    ((s64)(x))
#define in_truth(x)  (x)
#define out_u8(x)    ((u8)(x))
#define out_u16(x)   ((u16)(x))
#define out_u32(x)   ((u32)(x))
#define out_u64(x)   ((u64)(x))
#define out_s8(x)    ((u8)(s8)(x))
#define out_s16(x)   ((u16)(s16)(x))
#define out_s32(x)   ((u32)(s32)(x))
#define out_s64(x)   ((u64)(s64)(x))
#define out_truth(x) ((truth)(x))
#define out_all(x)   ((x) ? ~(u64)0 : 0)
static inline f32 in_f32(u32 bits)
{
    f32 value;
    __builtin_memcpy(&value, &bits, 4);
    return value;
}
static inline f64 in_f64(u64 bits)
{
    f64 value;
    __builtin_memcpy(&value, &bits, 8);
    return value;
}
static inline u32 out_f32(f32 value)
{
    u32 bits;
    __builtin_memcpy(&bits, &value, 4);
    return value == value ? bits : 0x7FC00000u;
}
static inline u64 out_f64(f64 value)
{
    u64 bits;
    __builtin_memcpy(&bits, &value, 8);
    return value == value ? bits : 0x7FF8000000000000u;
}

/* ---- masks ---- */

/* As a byte for each lane, 0 or not; and back, of bytes that are 0 or 1. */
#ifdef __AVX512BW__
typedef char bytes __attribute__((vector_size(64)));
static inline void spread(u8 *to, u64 mask)
{
    *(bytes *)(void *)to = (bytes)__builtin_ia32_cvtmask2b512(mask);
}
/* By pieces as small as what is stored there before: of larger ones the processor would wait until
 * they are in the cache. */
typedef char piece __attribute__((vector_size(16)));
static inline u64 gather(const u8 *from)
{
    u64 mask = 0;
    for (u32 i = 0; i < 4; i++)
        mask |= (u64)(u16)__builtin_ia32_cvtb2mask128(-((const piece *)(const void *)from)[i])
                << 16 * i;
    return mask;
}
#else
static inline void spread(u8 *to, u64 mask)
{
    for (u32 i = 0; i < 8; i++) {
        const u64 part = (mask >> 8 * i & 255) * 0x0101010101010101u & 0x8040201008040201u;
        __builtin_memcpy(to + 8 * i, &part, 8);
    }
}
static inline u64 gather(const u8 *from)
{
    u64 mask = 0;
    for (u32 i = 0; i < 8; i++) {
        u64 part;
        __builtin_memcpy(&part, from + 8 * i, 8);
        mask |= (part * 0x0102040810204080u >> 56) << 8 * i;
    }
    return mask;
}
#endif
#define SPREAD(e, mask)                                                                            \
    u8 e[64] __attribute__((aligned(64)));                                                         \
    spread(e, mask);
#define TRUTHS(t) u8 t[64] __attribute__((aligned(64)));

/* ---- affine rows ---- */

struct terms {
    u64 base, step, jump, form;
};
#define TERMS(row) ((struct terms *)UNIT((row)-1))
#define ELEMENT(type, n)                                                                           \
    ((type)((type)p_##n + (type)(lane & run_mask) * (type)q_##n +                                  \
            (type)(lane >> run_shift) * (type)j_##n))
#define CONSTANT_TERMS(n, x) const u64 p_##n = (x), q_##n = 0, j_##n = 0;
#define READ_TERMS(n, row)                                                                         \
    const u64 p_##n = TERMS(row)->base, q_##n = TERMS(row)->step, j_##n = TERMS(row)->jump;
#define WRITE_TERMS(row, n, form) *TERMS(row) = (struct terms){p_##n, q_##n, j_##n, form};
#define TERM1(A, x, expression)                                                                    \
    ({                                                                                             \
        const A a = (A)(x);                                                                        \
        (u64)(expression);                                                                         \
    })
#define TERM2(A, B, x, y, expression)                                                              \
    ({                                                                                             \
        const A a = (A)(x);                                                                        \
        const B b = (B)(y);                                                                        \
        (u64)(expression);                                                                         \
    })
/* `a` and `b` are x and y, `b` being the same for all lanes if one is. */
#define SWAP_UNIFORM(x, y, a, b)                                                                   \
    const _Bool swap_##a = (q_##x | j_##x) == 0;                                                   \
    const u64 p_##a = swap_##a ? p_##y : p_##x, q_##a = swap_##a ? q_##y : q_##x,                  \
              j_##a = swap_##a ? j_##y : j_##x, p_##b = swap_##a ? p_##x : p_##y,                  \
              q_##b = swap_##a ? q_##x : q_##y, j_##b = swap_##a ? j_##x : j_##y;

/* Are the elements of the active lanes what the sums are without wrapping? */
static inline _Bool fits(u64 p, u64 q, u64 j, u32 run_shift, u32 first, u32 last, u32 width,
                         _Bool is_signed)
{
    s64 least, greatest;
    if (width == 4 && (u32)p < 1u << 30 && ((u32)q | (u32)j) < 1u << 22)
        return 1; /* 63 of each are less than 1 << 29 */
    return terms_range(p, q, j, run_shift, first, last, width, is_signed, &least, &greatest);
}

/* Does a comparison hold for all active lanes, or for none? As exec_affine.c has it. */
enum { NONE = 1, ALL = 2 };
#define ORDERED(A, expression)                                                                     \
    (TERM2(A, A, x_greatest, y_least, expression) == TERM2(A, A, x_least, y_greatest, expression))
#define EQUAL(A, expression)                                                                       \
    (x_greatest < y_least || y_greatest < x_least ||                                               \
     (x_least == x_greatest && y_least == y_greatest))
#define DECIDE(how, n, A, x, y, width, is_signed, expression)                                      \
    u8 decided_##n = 0;                                                                            \
    {                                                                                              \
        s64 x_least, x_greatest, y_least, y_greatest;                                              \
        if (terms_range(p_##x, q_##x, j_##x, run_shift, first_lane, last_lane, width, is_signed,   \
                        &x_least, &x_greatest) &&                                                  \
            terms_range(p_##y, q_##y, j_##y, run_shift, first_lane, last_lane, width, is_signed,   \
                        &y_least, &y_greatest) &&                                                  \
            how(A, expression))                                                                    \
            decided_##n = TERM2(A, A, x_least, y_least, expression) ? ALL : NONE;                  \
    }

/* ---- subscripts of arrays ---- */

/* Is an active lane's not below the limit? */
#define OUTSIDE(W)                                                                                 \
    static inline _Bool outside_##W(const u##W *indices, const u8 *active_lanes, u##W limit)       \
    {                                                                                              \
        u##W any = 0;                                                                              \
        LANES any |= (u##W)((indices[lane] >= limit) & (active_lanes[lane] != 0));                 \
        return any != 0;                                                                           \
    }
OUTSIDE(32)
OUTSIDE(64)
#undef OUTSIDE

/* The same of an affine row; it may say so though it is not. */
static inline _Bool terms_outside(u64 base, u64 step, u64 jump, u32 run_shift, u32 first, u32 last,
                                  u32 width, u64 limit)
{
    s64 least, greatest;
    return !terms_range(base, step, jump, run_shift, first, last, width, 0, &least, &greatest) ||
           (u64)greatest >= limit;
}

/* ---- undefined operands ---- */

#define READS(row, width) {VM_NATIVE_READ, row, width, width, 0, {0}},
#define VARYING           VM_NATIVE_VARYING
#define KNOWN(n)          (VM_NATIVE_KNOWN + (n))
#define FOLLOW(undefined_rows)                                                                     \
    struct vm_native_undefined undefined_bits[VM_NATIVE_GETS];                                     \
    const _Bool followed = RARE(((undefined_rows)&active) != 0);                                   \
    if (followed)                                                                                  \
        leave |= !call->follow(call->vector, &follow, known, undefined_bits);
#define PUT_UNDEFINED                                                                              \
    if (RARE(followed))                                                                            \
        call->put_undefined(call->vector, &follow, undefined_bits);

/* ---- blocks ---- */

#define INTERPRET(first, count) call->interpret(call->vector, first, count);
#define BLOCK(n, count)                                                                            \
    const u64 active = *call->active = pending[n];                                                 \
    const u64 partly = active == ~(u64)0 ? 0 : ~(u64)0;                                            \
    const u32 first_lane = (u32)__builtin_ctzll(active);                                           \
    const u32 last_lane = 63 - (u32)__builtin_clzll(active);                                       \
    pending[n] = 0;                                                                                \
    operations += count;
/* Where it is, for a debugger that is told of something. */
#define STAND(site)                                                                                \
    call->operations = operations;                                                                 \
    call->last = site;
#define LEAVE(site)                                                                                \
    {                                                                                              \
        call->operations = operations;                                                             \
        return site;                                                                               \
    }
