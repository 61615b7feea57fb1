/* The functions that the checked copy of a program calls, in OpenCL C 1.2; they stand before its
 * text. What is spelled in capitals clerk_probe defines before (reference/probe/checks.c): how many
 * pointers a kernel has at most, and the numbers of report.h.
 *
 * When all is well an access costs two subtractions and comparisons. (One would do, were there not
 * LLVM, which makes an instruction of it that Oclgrind has not.) All else is in functions of their
 * own, which the compiler need not inline. */

/* Is it followed what has been written to global memory (checks_written.cl)? */
#if clerk_HAS_ALL_CELLS && clerk_FOLLOWED_COUNT > 0
#define clerk_FOLLOWS 1
#define clerk_FOLLOWED(N) , __global uchar *clerk_written_##N, ulong clerk_before_##N
#define clerk_FOLLOW(N)                                                                            \
    clerk_k->written[N] = clerk_written_##N ? clerk_written_##N + clerk_before_##N : 0
#else
#define clerk_FOLLOWS 0
#define clerk_FOLLOWED(N)
#define clerk_FOLLOW(N)
#endif

/* What a kernel has, for the functions that it calls. */
struct clerk_k {
    __global uint *report;
    uint launch;
    uint is_closed; /* no pointer can lead elsewhere than to what stands below */
    __local void *spare;
#if clerk_HAS_SHARED
    __global const ulong *shared; /* shared_table.h; NULL = it is not known */
#endif
    const volatile __global void *global_base[clerk_GLOBALS];
    ulong global_size[clerk_GLOBALS];
    uint global_argument[clerk_GLOBALS];
    ulong item;     /* of cells.cl, for global memory */
    uint has_cells; /* some of these are not NULL: */
    volatile __global ulong *global_cells[clerk_GLOBALS];
    ulong global_window[clerk_GLOBALS];
#if clerk_FOLLOWS
    volatile __global uchar *written[clerk_FOLLOWED_COUNT]; /* by argument; may be NULL */
#endif
    const volatile __constant void *constant_base[clerk_CONSTANTS];
    ulong constant_size[clerk_CONSTANTS];
    uint constant_argument[clerk_CONSTANTS];
    const volatile __local void *local_base[clerk_LOCALS];
    ulong local_size[clerk_LOCALS];
    uint local_argument[clerk_LOCALS];
    uint local_item; /* of cells.cl, for local memory */
    volatile __local uint *local_cells;
    uint local_words, local_shift;
    uint local_takes;            /* clerk_TAKES = all that writes there is seen; or 0 */
    uint local_next;             /* words that have been given out */
    uint local_at[clerk_LOCALS]; /* where the cells of each begin */
    volatile __local uint *meeting; /* of meetings.cl; NULL = barriers are not looked at */
    uint met;                       /* how many such barriers */
    uint copied;                    /* how many asynchronous copies */
    uint is_stray;
};

/* Where an access to constant memory goes that may not be performed. */
#if clerk_USES_CONSTANT
clerk_STATIC __constant ulong clerk_zeros[16] __attribute__((aligned(128))) = {0};
#endif

/* What an argument leads to, as a limit of offsets. */
clerk_CHECK ulong clerk_limit(ulong size)
{
    const ulong bytes = size & clerk_SIZE_UNKNOWN;
    return bytes == clerk_SIZE_UNKNOWN ? ~0UL : bytes;
}

/* ---- reports ---- */

/* The work-item and its launch, for the functions that tell of it. They do not ask themselves: PoCL
 * would put them in place of each of their calls. */
clerk_CHECK uint8 clerk_who(uint launch)
{
    return (uint8)((uint)get_global_id(0), (uint)get_global_id(1), (uint)get_global_id(2),
                   (uint)get_group_id(0), (uint)get_group_id(1), (uint)get_group_id(2), launch, 0);
}

/* `what` is as in the record. The record is written when its first word is. */
clerk_SLOW void clerk_tell(__global uint *report, uint8 who, uint what, uint site, uint bytes,
                           ulong offset, ulong size, ulong other)
{
    volatile __global uint *seen = report + clerk_REPORT_SITES + site;
    if (*seen >= clerk_REPORT_SITE_MAX)
        return;
    *seen = *seen + 1;
    const uint index = atomic_inc((volatile __global uint *)report + clerk_REPORT_COUNT);
    if (index >= clerk_REPORT_RECORD_MAX)
        return;
    __global uint *record = report + clerk_RECORDS + index * clerk_REPORT_RECORD_WORDS;
    record[clerk_REPORT_WORD_SITE] = site;
    record[clerk_REPORT_WORD_LAUNCH] = who.s6;
    record[clerk_REPORT_WORD_BYTES] = bytes;
    record[clerk_REPORT_WORD_OFFSET] = (uint)offset;
    record[clerk_REPORT_WORD_OFFSET + 1] = (uint)(offset >> 32);
    record[clerk_REPORT_WORD_SIZE] = (uint)size;
    record[clerk_REPORT_WORD_SIZE + 1] = (uint)(size >> 32);
    record[clerk_REPORT_WORD_ID] = who.s0;
    record[clerk_REPORT_WORD_ID + 1] = who.s1;
    record[clerk_REPORT_WORD_ID + 2] = who.s2;
    record[clerk_REPORT_WORD_GROUP] = who.s3;
    record[clerk_REPORT_WORD_GROUP + 1] = who.s4;
    record[clerk_REPORT_WORD_GROUP + 2] = who.s5;
    record[clerk_REPORT_WORD_OTHER] = (uint)other;
    record[clerk_REPORT_WORD_OTHER + 1] = (uint)(other >> 32);
    record[clerk_REPORT_WORD_WHAT] = what;
}

/* An access that is not simply within, or `is_write` to what may not be written: 0 = it may not be
 * performed. */
clerk_SLOW uint clerk_judge(__global uint *report, uint8 who, uint where, uint site, ulong bytes,
                            ulong offset, ulong size, uint is_write)
{
    const ulong limit = clerk_limit(size);
    const uint is_within = offset < limit && limit - offset >= bytes;
    const uint is_known = (size & clerk_SIZE_UNKNOWN) != clerk_SIZE_UNKNOWN;
    const uint kind = is_within    ? clerk_REPORT_READ_ONLY
                      : limit == 0 ? clerk_REPORT_NULL
                                   : clerk_REPORT_BOUNDS;
    const uint is_before = (size & clerk_SIZE_MIDDLE) && (long)offset < 0; /* of its allocation */
    if (is_within ? !(is_write && (size & clerk_SIZE_READ_ONLY)) : !is_known || is_before)
        return 1;
    clerk_tell(report, who, kind | where, site, (uint)bytes, offset,
               is_known ? limit : clerk_SIZE_UNKNOWN, 0);
    return is_within;
}

/* ---- for each address space ---- */

/* checks_pointers.cl: 1 = an access to what is none of the kernel's may be performed, 2 = nothing is
 * known of it. */
#if clerk_HAS_SHARED
clerk_SLOW uint clerk_elsewhere(__global const ulong *table, __global uint *report, uint8 who,
                                uint site, ulong address, ulong bytes, ulong origin);
#define clerk_ELSEWHERE(NUMBER, K, SITE, ADDRESS, BYTES, ORIGIN)                                   \
    (NUMBER == clerk_REPORT_GLOBAL && (K)->shared                                                  \
         ? clerk_elsewhere((K)->shared, (K)->report, clerk_who((K)->launch), SITE, ADDRESS, BYTES,     \
                            ORIGIN)                                                                \
         : 2)
#else
#define clerk_ELSEWHERE(NUMBER, K, SITE, ADDRESS, BYTES, ORIGIN) 2
#endif

/* How an access is made: a kind of cells, above it whether it is a write, and clerk_TAKES. */
#define clerk_READS    CLERK_READ
#define clerk_LOADS    CLERK_ATOMIC_READ
#define clerk_COMPARES (CLERK_ATOMIC_READ | 8)
#define clerk_CHANGES  (CLERK_ATOMIC | 8)
#define clerk_WRITES   (CLERK_WRITE | 8)
/* Of a vector a component that the text does not tell: which bytes race is not known. */
#define clerk_READS_ONE      7
#define clerk_WRITES_ONE     (7 | 8)
#define clerk_KIND(HOW)      ((HOW) & 7)
#define clerk_HAS_CELLS(HOW) (clerk_KIND(HOW) != 7)

/* A whole element of 2^n bytes is within a limit that is cut to whole elements if its first byte is:
 * one comparison, since the compiler knows most often that it lies at such an offset. All others,
 * and what is said to be beside, clerk_judge looks at. */
#define clerk_IS_WHOLE(BYTES, FIRST) (((BYTES) & ((BYTES)-1)) == 0 && (FIRST) % (BYTES) == 0)
#define clerk_IS_WITHIN(OFFSET, LIMIT, BYTES, FIRST)                                               \
    (clerk_IS_WHOLE(BYTES, FIRST)                                                                  \
         ? ((OFFSET) & ((BYTES)-1)) == 0 && (OFFSET) < ((LIMIT) & ~((BYTES)-1))                    \
         : (OFFSET) < (LIMIT) && (LIMIT) - (OFFSET) >= (BYTES))
#define clerk_IS_WRITE(HOW)  (((HOW) >> 3) & 1)
#define clerk_TAKES          16 /* it takes the value that is there; in global memory, a write */
/* The form of the launch keeps work-items apart there: cells only tell what was written. */
#define clerk_MARKS          32

/* clerk_take_SPACE makes a pointer known. clerk_within_SPACE gives the address of an access, which is `first`
 * bytes behind `at`, or a spare one; `base`, `size` and `argument` are what is known of it.
 * clerk_fit_SPACE gives how many of `count` elements, each `stride`th, are within. */
#define clerk_SPACE_FUNCTIONS(SPACE, NUMBER, COUNT, SPARE, SPARE_BYTES)                            \
    clerk_CHECK void clerk_take_##SPACE(__private struct clerk_k *clerk_k, uint index,             \
                                        uint argument, const volatile __##SPACE void *base,        \
                                        ulong size)                                                \
    {                                                                                              \
        clerk_k->SPACE##_base[index] = base;                                                       \
        clerk_k->SPACE##_size[index] = size;                                                       \
        clerk_k->SPACE##_argument[index] = argument;                                               \
        if ((size & clerk_SIZE_UNKNOWN) == clerk_SIZE_UNKNOWN || (size & clerk_SIZE_MIDDLE))       \
            clerk_k->is_closed = 0;                                                                \
    }                                                                                              \
                                                                                                   \
    /* What the pointer leads into, or else what ends there; COUNT = nothing. */                   \
    clerk_CHECK uint clerk_find_##SPACE(__private struct clerk_k *clerk_k,                         \
                                        const volatile __##SPACE void *pointer)                    \
    {                                                                                              \
        uint found = COUNT;                                                                        \
        for (uint i = 0; i < COUNT; i++) {                                                         \
            const ulong offset = (size_t)pointer - (size_t)clerk_k->SPACE##_base[i];               \
            const ulong limit = clerk_limit(clerk_k->SPACE##_size[i]);                             \
            if (offset < limit)                                                                    \
                return i;                                                                          \
            if (offset == limit && limit != 0)                                                     \
                found = i;                                                                         \
        }                                                                                          \
        return found;                                                                              \
    }                                                                                              \
                                                                                                   \
    clerk_CHECK __##SPACE void *clerk_search_##SPACE(                                              \
        __private struct clerk_k *clerk_k, const volatile __##SPACE void *at, uint first,          \
        ulong bytes, const volatile __##SPACE void *origin, uint is_write, uint site)              \
    {                                                                                              \
        uint found = COUNT;                                                                        \
        if (origin)                                                                                \
            found = clerk_find_##SPACE(clerk_k, origin);                                           \
        if (found == COUNT)                                                                        \
            found = clerk_find_##SPACE(                                                            \
                clerk_k, (const volatile __##SPACE char *)at + first);                             \
        if (found < COUNT) {                                                                       \
            const ulong size = clerk_k->SPACE##_size[found];                                       \
            const ulong limit = clerk_limit(size);                                                 \
            const ulong offset = (size_t)at + first - (size_t)clerk_k->SPACE##_base[found];        \
            if (offset < limit && limit - offset >= bytes &&                                       \
                !(is_write && (size & clerk_SIZE_READ_ONLY)))                                      \
                return (__##SPACE void *)at;                                                       \
            if (clerk_judge(clerk_k->report, clerk_who(clerk_k->launch),                           \
                            clerk_k->SPACE##_argument[found] << 8 | NUMBER << 16, site, bytes,     \
                            (ulong)(long)(ptrdiff_t)offset, size, is_write))                       \
                return (__##SPACE void *)at;                                                       \
        } else {                                                                                   \
            const uint is_null = clerk_IS_NULL(NUMBER, (size_t)at);                                \
            const uint elsewhere =                                                                 \
                is_null ? 2                                                                        \
                        : clerk_ELSEWHERE(NUMBER, clerk_k, site, (size_t)at + first, bytes,        \
                                          (size_t)origin);                                         \
            if (elsewhere == 0)                                                                    \
                return SPARE;                                                                      \
            if (!is_null &&                                                                        \
                (elsewhere == 1 || !clerk_k->is_closed || clerk_IS_OPEN(NUMBER)))                  \
                return (__##SPACE void *)at;                                                       \
            clerk_tell(clerk_k->report, clerk_who(clerk_k->launch),                                \
                       (is_null ? clerk_REPORT_NULL : clerk_REPORT_NOWHERE) | 0xff << 8 |          \
                           NUMBER << 16,                                                           \
                       site, (uint)bytes, (size_t)at + first, 0, 0);                               \
        }                                                                                          \
        return SPARE;                                                                              \
    }                                                                                              \
                                                                                                   \
    clerk_CHECK __##SPACE void *clerk_within_##SPACE(                                              \
        __private struct clerk_k *clerk_k, const volatile __##SPACE void *at, uint first,          \
        ulong bytes, const volatile __##SPACE void *base, ulong size, uint argument,               \
        uint is_write, uint site)                                                                  \
    {                                                                                              \
        if (first + bytes > SPARE_BYTES)                                                           \
            return (__##SPACE void *)at;                                                           \
        if (argument == clerk_SEARCH)                                                              \
            return clerk_search_##SPACE(clerk_k, at, first, bytes, base, is_write, site);          \
        const ulong limit =                                                                        \
            is_write && (size & clerk_SIZE_READ_ONLY) ? 0UL : clerk_limit(size);                   \
        const ulong offset = (size_t)at + first - (size_t)base;                                    \
        if (clerk_IS_WITHIN(offset, limit, bytes, first))                                          \
            return (__##SPACE void *)at;                                                           \
        const uint number = argument == clerk_VARIABLE ? 0xff : argument;                          \
        if (clerk_judge(clerk_k->report, clerk_who(clerk_k->launch),                               \
                        number << 8 | NUMBER << 16, site, bytes,                                   \
                        (ulong)(long)(ptrdiff_t)offset, size, is_write))                           \
            return (__##SPACE void *)at;                                                           \
        return SPARE;                                                                              \
    }                                                                                              \
                                                                                                   \
    clerk_CHECK size_t clerk_fit_##SPACE(                                                          \
        __private struct clerk_k *clerk_k, const volatile __##SPACE void *at, size_t element,      \
        size_t count, size_t stride, const volatile __##SPACE void *base, ulong size,              \
        uint argument, uint is_write, uint site)                                                   \
    {                                                                                              \
        for (uint i = 0; argument == clerk_SEARCH && i < COUNT; i++) {                             \
            const ulong offset = (size_t)at - (size_t)clerk_k->SPACE##_base[i];                    \
            if (offset < clerk_limit(clerk_k->SPACE##_size[i])) {                                  \
                base = clerk_k->SPACE##_base[i];                                                   \
                size = clerk_k->SPACE##_size[i];                                                   \
                argument = clerk_k->SPACE##_argument[i];                                           \
            }                                                                                      \
        }                                                                                          \
        if (argument == clerk_SEARCH || count == 0)                                                \
            return count;                                                                          \
        const ulong offset = (size_t)at - (size_t)base;                                            \
        const ulong limit = clerk_limit(size);                                                     \
        const ulong bytes = (ulong)element * ((count - 1) * stride + 1);                           \
        const uint is_within = offset < limit && limit - offset >= bytes;                          \
        if (is_within && !(is_write && (size & clerk_SIZE_READ_ONLY)))                             \
            return count;                                                                          \
        const uint number = argument == clerk_VARIABLE ? 0xff : argument;                          \
        if (clerk_judge(clerk_k->report, clerk_who(clerk_k->launch),                               \
                        number << 8 | NUMBER << 16, site, bytes,                                   \
                        (ulong)(long)(ptrdiff_t)offset, size, is_write))                           \
            return count;                                                                          \
        if (offset >= limit || limit - offset < element)                                           \
            return 0;                                                                              \
        return (size_t)(((limit - offset) / element - 1) / stride) + 1;                            \
    }

/* Nobody's memory begins there. (Local memory may.) */
#define clerk_IS_NULL(NUMBER, ADDRESS) (NUMBER == clerk_REPORT_GLOBAL && (ADDRESS) < 4096)

/* Variables in constant memory are not among what is searched. */
#define clerk_IS_OPEN(NUMBER) (NUMBER == clerk_REPORT_CONSTANT && clerk_HAS_CONSTANTS)

clerk_SPACE_FUNCTIONS(global, clerk_REPORT_GLOBAL, clerk_GLOBALS,
                      (__global void *)(clerk_k->report + clerk_REPORT_SPARE),
                      clerk_REPORT_SPARE_BYTES)
#if clerk_USES_CONSTANT
clerk_SPACE_FUNCTIONS(constant, clerk_REPORT_CONSTANT, clerk_CONSTANTS,
                      (__constant void *)clerk_zeros, sizeof(clerk_zeros))
#define clerk_constant clerk_within_constant
#else
#define clerk_take_constant(K, INDEX, ARGUMENT, BASE, SIZE)
#endif
#if clerk_USES_LOCAL
clerk_SPACE_FUNCTIONS(local, clerk_REPORT_LOCAL, clerk_LOCALS, clerk_k->spare,
                      clerk_LOCAL_SPARE_BYTES)
#else
#define clerk_take_local(K, INDEX, ARGUMENT, BASE, SIZE)
#endif

/* ---- races ---- */

/* Of an access to what an argument leads to. */
clerk_SLOW void clerk_race_global(__global uint *report, uint8 who, uint argument, uint site,
                                  ulong bytes, ulong offset, ulong size,
                                  volatile __global ulong *cells, ulong window, ulong item, uint kind)
{
    const ulong before = window & (((ulong)1 << clerk_WINDOW_SHIFT) - 1);
    const ulong limit = size & clerk_SIZE_UNKNOWN;
    ulong other;
    if (limit == clerk_SIZE_UNKNOWN || offset >= limit || limit - offset < bytes)
        return;
    if (clerk_global_range(cells, before + offset, bytes, (uint)(window >> clerk_WINDOW_SHIFT),
                           item, kind, &other))
        clerk_tell(report, who, clerk_REPORT_RACE | argument << 8 | clerk_REPORT_GLOBAL << 16,
                   site, (uint)bytes, offset, limit, other);
}

#ifdef cl_khr_int64_extended_atomics
clerk_SLOW void clerk_settle_global(__global uint *report, uint8 who, uint argument, uint site,
                                    ulong bytes, ulong offset, ulong size,
                                    volatile __global ulong *cell, ulong own, ulong old)
{
    ulong other;
    if (clerk_global_settle(cell, own, old, &other))
        clerk_tell(report, who, clerk_REPORT_RACE | argument << 8 | clerk_REPORT_GLOBAL << 16,
                   site, (uint)bytes, offset, size & clerk_SIZE_UNKNOWN, other);
}
#endif

/* The same for most accesses, which are to one element, and the first in their launch or like the
 * one before. */
clerk_CHECK void clerk_touch_global(__global uint *report, uint launch, uint argument, uint site,
                                    ulong bytes, ulong offset, ulong size,
                                    volatile __global ulong *cells, ulong window, ulong item,
                                    uint kind)
{
#ifdef cl_khr_int64_extended_atomics
    const uint shift = (uint)(window >> clerk_WINDOW_SHIFT);
    const ulong at = (window & (((ulong)1 << clerk_WINDOW_SHIFT) - 1)) + offset;
    const ulong limit = size & clerk_SIZE_UNKNOWN;
    if (kind != CLERK_ATOMIC_READ && bytes == (ulong)1 << shift && (at & (bytes - 1)) == 0 &&
        limit != clerk_SIZE_UNKNOWN && offset < limit && limit - offset >= bytes) {
        volatile __global ulong *cell = cells + (at >> shift);
        const ulong own = clerk_global_own(item, kind);
        const ulong old = atom_max(cell, own);
        if ((old ^ own) >> CLERK_CELL_LAUNCH == 0 && old != own)
            clerk_settle_global(report, clerk_who(launch), argument, site, bytes, offset, size, cell,
                                own, old);
        return;
    }
#endif
    clerk_race_global(report, clerk_who(launch), argument, site, bytes, offset, size, cells,
                      window, item, kind);
}

clerk_CHECK void clerk_know_cells(__private struct clerk_k *clerk_k, uint index,
                                  volatile __global ulong *cells, ulong window)
{
    clerk_k->global_cells[index] = cells;
    clerk_k->global_window[index] = window;
    if (cells)
        clerk_k->has_cells = 1;
}

#if clerk_FOLLOWS
clerk_CHECK void clerk_follow(__private struct clerk_k *clerk_k, const volatile __global void *at,
                              ulong bytes, const volatile __global void *base, ulong size,
                              uint argument, uint how, uint site);
#endif

/* As clerk_within_global, and tells the cells of what is accessed; `cells` may be NULL. */
clerk_CHECK __global void *clerk_global(__private struct clerk_k *clerk_k,
                                        const volatile __global void *at, uint first, ulong bytes,
                                        const volatile __global void *base, ulong size,
                                        uint argument, uint how, uint site,
                                        volatile __global ulong *cells, ulong window)
{
    __global void *to =
        clerk_within_global(clerk_k, at, first, bytes, base, size, argument, clerk_IS_WRITE(how), site);
#if clerk_FOLLOWS
    if (to == at)
        clerk_follow(clerk_k, (const volatile __global uchar *)at + first, bytes, base, size,
                     argument, how, site);
#endif
    if (argument == clerk_SEARCH && clerk_k->has_cells) {
        for (uint i = 0; i < clerk_GLOBALS; i++) {
            const ulong limit = clerk_k->global_size[i] & clerk_SIZE_UNKNOWN;
            if (limit != clerk_SIZE_UNKNOWN &&
                (size_t)at + first - (size_t)clerk_k->global_base[i] < limit) {
                base = clerk_k->global_base[i];
                size = clerk_k->global_size[i];
                argument = clerk_k->global_argument[i];
                cells = clerk_k->global_cells[i];
                window = clerk_k->global_window[i];
            }
        }
    }
    if (cells && to == at && clerk_HAS_CELLS(how))
        clerk_touch_global(clerk_k->report, clerk_k->launch, argument, site, bytes,
                          (size_t)at + first - (size_t)base, size, cells, window, clerk_k->item,
                          clerk_KIND(how));
    return to;
}

#if clerk_USES_LOCAL
/* What the cells of an access said: once a site of a value that nobody has written, which may be
 * the beginning of a race. */
clerk_SLOW void clerk_tell_local(__global uint *report, uint8 who, uint number, uint site,
                                 ulong bytes, ulong offset, ulong size, uint found, ulong other)
{
    const uint what = number << 8 | clerk_REPORT_LOCAL << 16;
    if (found & CLERK_RACES)
        clerk_tell(report, who, clerk_REPORT_RACE | what, site, (uint)bytes, offset, size, other);
    else if (((volatile __global uint *)report)[clerk_REPORT_SITES + site] == 0)
        clerk_tell(report, who, clerk_REPORT_UNWRITTEN | what, site, (uint)bytes, offset, size, 0);
}

/* Has nobody written to any of them? */
clerk_SLOW uint clerk_is_unwritten(volatile __local uint *cells, uint offset, uint bytes, uint shift)
{
    const uint end = (offset + bytes) >> shift;
    uint is_unwritten = 0;
    for (uint i = (offset + ((1U << shift) - 1)) >> shift; i < end; i++) {
        if (cells[2 * i + 1] != 0)
            return 0;
        is_unwritten = CLERK_UNWRITTEN;
    }
    return is_unwritten;
}

/* An access that meets no other item's. */
clerk_CHECK uint clerk_mark_local(volatile __local uint *cell, uint item, uint how)
{
    const uint is_unwritten = cell[1] == 0 ? CLERK_UNWRITTEN : 0;
    if (clerk_IS_WRITE(how))
        cell[1] = item;
    return is_unwritten;
}

/* The same for each that it covers; 0. */
clerk_CHECK uint clerk_mark_range(volatile __local uint *cells, uint offset, uint bytes, uint shift,
                                  uint item, uint how)
{
    const uint end = (offset + bytes) >> shift;
    for (uint i = (offset + ((1U << shift) - 1)) >> shift; i < end; i++)
        clerk_mark_local(cells + 2 * i, item, how);
    return 0;
}

clerk_SLOW void clerk_race_local(__global uint *report, uint8 who, uint number, uint site,
                                 ulong bytes, ulong offset, ulong size, volatile __local uint *cells,
                                 uint words, uint shift, uint item, uint how)
{
    ulong other = 0;
    if (offset >= size || size - offset < bytes || 2 * ((offset + bytes) >> shift) > words)
        return;
    const uint is_unwritten =
        how & clerk_TAKES ? clerk_is_unwritten(cells, (uint)offset, (uint)bytes, shift) : 0;
    const uint races =
        how & clerk_MARKS
            ? clerk_mark_range(cells, (uint)offset, (uint)bytes, shift, item, how)
            : CLERK_RACES & clerk_local_range(cells, (uint)offset, (uint)bytes, shift, item,
                                              clerk_KIND(how), &other);
    if (races | is_unwritten)
        clerk_tell_local(report, who, number, site, bytes, offset, size, races, other);
}

/* Of an access that is within. */
clerk_CHECK void clerk_touch_local(__global uint *report, uint launch, uint number, uint site,
                                   ulong bytes, ulong offset, ulong size,
                                   volatile __local uint *cells, uint words, uint shift, uint item,
                                   uint how)
{
    ulong other = 0;
    if (bytes != (ulong)1 << shift || (offset & (bytes - 1)) != 0) {
        clerk_race_local(report, clerk_who(launch), number, site, bytes, offset, size, cells, words,
                         shift, item, how);
        return;
    }
    volatile __local uint *cell = cells + 2 * (uint)(offset >> shift);
    uint found = 0; /* which clerk_local_access does not tell of what writes */
    if ((how & clerk_TAKES) && clerk_KIND(how) == CLERK_WRITE && cell[1] == 0)
        found = CLERK_UNWRITTEN;
    if (how & clerk_MARKS)
        found |= clerk_mark_local(cell, item, how);
    else
        found |= clerk_local_access(cell, item, clerk_KIND(how), &other);
    if (found & (how & clerk_TAKES ? CLERK_RACES | CLERK_UNWRITTEN : CLERK_RACES))
        clerk_tell_local(report, clerk_who(launch), number, site, bytes, offset, size, found, other);
}

/* As clerk_global; the cells begin at that word, ~0u = there are none. */
clerk_CHECK __local void *clerk_local(__private struct clerk_k *clerk_k,
                                      const volatile __local void *at, uint first, ulong bytes,
                                      const volatile __local void *base, ulong size, uint argument,
                                      uint how, uint site, uint cells)
{
    __local void *to =
        clerk_within_local(clerk_k, at, first, bytes, base, size, argument, clerk_IS_WRITE(how), site);
    if (to != at || ((how & clerk_MARKS) && !clerk_k->local_takes))
        return to;
    for (uint i = 0; argument == clerk_SEARCH && i < clerk_LOCALS; i++) {
        if ((size_t)at + first - (size_t)clerk_k->local_base[i] < clerk_k->local_size[i]) {
            base = clerk_k->local_base[i];
            size = clerk_k->local_size[i];
            argument = clerk_k->local_argument[i] == 0xff ? clerk_VARIABLE
                                                          : clerk_k->local_argument[i];
            cells = clerk_k->local_at[i];
        }
    }
    if (argument != clerk_SEARCH && cells != ~0u && clerk_HAS_CELLS(how))
        clerk_touch_local(clerk_k->report, clerk_k->launch,
                          argument == clerk_VARIABLE ? 0xff : argument, site, bytes,
                         (ulong)((size_t)at + first - (size_t)base), size,
                         clerk_k->local_cells + cells, clerk_k->local_words - cells,
                         clerk_k->local_shift, clerk_k->local_item,
                          how & (clerk_k->local_takes | ~(uint)clerk_TAKES));
    return to;
}

/* Where the cells of that many bytes begin; ~0u = there is no room for them. All items of a group
 * ask in one order. */
clerk_CHECK uint clerk_local_cells_of(__private struct clerk_k *clerk_k, uint index, ulong size)
{
    const uint left = (clerk_k->local_words - clerk_k->local_next) / 2;
    const ulong cells = (size >> clerk_k->local_shift) + 1;
    const uint at = cells <= left ? clerk_k->local_next : ~0u;
    clerk_k->local_at[index] = at;
    clerk_k->local_next += cells <= left ? 2 * (uint)cells : 0;
    return at;
}

/* PoCL makes code that has a barrier under a condition twice, from there on to the end, and PoCL 6
 * crashes over some kernels then: there the barrier comes without a condition. */
#ifdef POCL_DEVICE_ADDRESS_BITS
#define clerk_ALWAYS_WAITS 1
#else
#define clerk_ALWAYS_WAITS 0
#endif

/* All items of the group come here before anything else. */
clerk_CHECK void clerk_local_begin(__private struct clerk_k *clerk_k,
                                   volatile __local ulong *both, uint words, uint shift,
                                   uint takes)
{
    volatile __local uint *cells = (volatile __local uint *)both;
    const uint lid = (uint)(get_local_id(0) +
                            get_local_size(0) *
                                (get_local_id(1) + get_local_size(1) * get_local_id(2)));
    clerk_k->local_cells = cells;
    clerk_k->local_words = words;
    clerk_k->local_shift = shift;
    clerk_k->local_takes = takes;
    clerk_k->local_item = clerk_local_item(lid);
    if (words || clerk_ALWAYS_WAITS) {
        clerk_local_clear(cells, words / 2, lid,
                          (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2)));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif

/* The item has passed a barrier with these flags. */
clerk_CHECK void clerk_passed(__private struct clerk_k *clerk_k, uint flags)
{
    if (flags & CLK_GLOBAL_MEM_FENCE)
        clerk_k->item = clerk_global_next(clerk_k->item);
    if (flags & CLK_LOCAL_MEM_FENCE)
        clerk_k->local_item = clerk_local_next(clerk_k->local_item);
}

/* OpenCL C 3.0, 6.7: without the generic address space, which is optional there, a pointer that names
 * none leads to private memory. That is not checked. */
#if __OPENCL_C_VERSION__ >= 300 && !defined(__opencl_c_generic_address_space)
#define clerk_GENERIC __private
#define clerk_generic(K, AT, FIRST, BYTES, BASE, SIZE, ARGUMENT, IS_WRITE, SITE)                   \
    ((__private void *)(AT))
#elif clerk_USES_GENERIC
#define clerk_GENERIC __generic
/* What is in neither is private, and not checked. */
clerk_CHECK __generic void *clerk_generic(__private struct clerk_k *clerk_k,
                                          const volatile __generic void *at, uint first,
                                          ulong bytes, const volatile __generic void *base,
                                          ulong size, uint argument, uint how, uint site)
{
    __global void *in_global = to_global((__generic void *)at);
    if (in_global)
        return clerk_global(clerk_k, in_global, first, bytes, 0, 0, clerk_SEARCH, how, site, 0,
                            0);
    __local void *in_local = to_local((__generic void *)at);
    if (in_local)
        return clerk_local(clerk_k, in_local, first, bytes, 0, 0, clerk_SEARCH, how, site, 0);
    return (__generic void *)at;
}
#endif

/* ---- kernels ---- */

clerk_CHECK void clerk_begin(__private struct clerk_k *clerk_k, __global uint *report, uint launch,
                             uint is_closed)
{
    clerk_k->report = report;
    clerk_k->launch = launch;
    clerk_k->is_closed = is_closed;
    clerk_k->spare = 0;
    clerk_k->meeting = 0;
    clerk_k->met = 0;
    clerk_k->is_stray = 0;
#if clerk_HAS_SHARED
    clerk_k->shared = 0;
#endif
    clerk_k->has_cells = 0;
#if clerk_FOLLOWS
    for (uint i = 0; i < clerk_FOLLOWED_COUNT; i++)
        clerk_k->written[i] = 0;
#endif
    clerk_k->local_cells = 0;
    clerk_k->local_item = 0;
    clerk_k->local_words = 0;
    clerk_k->local_shift = 0;
    clerk_k->local_takes = 0;
    clerk_k->local_next = 0;
    clerk_k->item = clerk_global_item(
        launch % clerk_LAUNCH_MAX + 1,
        get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2)),
        (uint)(get_local_id(0) +
               get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2))));
    for (uint i = 0; i < clerk_GLOBALS; i++) {
        clerk_k->global_base[i] = 0;
        clerk_k->global_size[i] = 0;
        clerk_k->global_cells[i] = 0;
        clerk_k->global_window[i] = 0;
    }
    for (uint i = 0; i < clerk_CONSTANTS; i++) {
        clerk_k->constant_base[i] = 0;
        clerk_k->constant_size[i] = 0;
    }
    for (uint i = 0; i < clerk_LOCALS; i++) {
        clerk_k->local_base[i] = 0;
        clerk_k->local_size[i] = 0;
        clerk_k->local_at[i] = ~0u;
    }
}
