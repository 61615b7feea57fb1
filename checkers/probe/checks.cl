/* The functions that the checked copy of a program calls, in OpenCL C 1.2; they stand before its
 * text. What is spelled in capitals clerk_probe defines before (reference/probe/checks.c): how many
 * pointers a kernel has at most, and the numbers of report.h.
 *
 * When all is well an access costs two subtractions and comparisons. (One would do, were there not
 * LLVM, which makes an instruction of it that Oclgrind has not.) All else is in functions of their
 * own, which the compiler need not inline. */

/* What a kernel has, for the functions that it calls. */
struct clerk_k {
    __global uint *report;
    uint launch;
    uint is_closed; /* no pointer can lead elsewhere than to what stands below */
    __local void *spare;
    const volatile __global void *global_base[clerk_GLOBALS];
    ulong global_size[clerk_GLOBALS];
    uint global_argument[clerk_GLOBALS];
    const volatile __constant void *constant_base[clerk_CONSTANTS];
    ulong constant_size[clerk_CONSTANTS];
    uint constant_argument[clerk_CONSTANTS];
    const volatile __local void *local_base[clerk_LOCALS];
    ulong local_size[clerk_LOCALS];
    uint local_argument[clerk_LOCALS];
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

/* `what` is as in the record. The record is written when its first word is. */
clerk_SLOW void clerk_tell(__global uint *report, uint launch, uint what, uint site, uint bytes,
                           ulong offset, ulong size)
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
    record[clerk_REPORT_WORD_LAUNCH] = launch;
    record[clerk_REPORT_WORD_BYTES] = bytes;
    record[clerk_REPORT_WORD_OFFSET] = (uint)offset;
    record[clerk_REPORT_WORD_OFFSET + 1] = (uint)(offset >> 32);
    record[clerk_REPORT_WORD_SIZE] = (uint)size;
    record[clerk_REPORT_WORD_SIZE + 1] = (uint)(size >> 32);
    for (uint i = 0; i < 3; i++) {
        record[clerk_REPORT_WORD_ID + i] = (uint)get_global_id(i);
        record[clerk_REPORT_WORD_GROUP + i] = (uint)get_group_id(i);
    }
    record[clerk_REPORT_WORD_WHAT] = what;
}

/* An access that is not simply within: 0 = it may not be performed. */
clerk_SLOW uint clerk_judge(__global uint *report, uint launch, uint where, uint site, ulong bytes,
                            ulong offset, ulong size)
{
    const ulong limit = clerk_limit(size);
    const uint is_within = offset < limit && limit - offset >= bytes;
    const uint is_known = (size & clerk_SIZE_UNKNOWN) != clerk_SIZE_UNKNOWN;
    const uint kind = is_within    ? clerk_REPORT_READ_ONLY
                      : limit == 0 ? clerk_REPORT_NULL
                                   : clerk_REPORT_BOUNDS;
    if (!is_known && !is_within)
        return 1;
    clerk_tell(report, launch, kind | where, site, (uint)bytes, offset,
               is_known ? limit : clerk_SIZE_UNKNOWN);
    return is_within;
}

/* ---- for each address space ---- */

/* clerk_take_SPACE makes a pointer known. clerk_SPACE gives the address of an access, which is `first`
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
        if ((size & clerk_SIZE_UNKNOWN) == clerk_SIZE_UNKNOWN)                                     \
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
            if (clerk_judge(clerk_k->report, clerk_k->launch,                                      \
                            clerk_k->SPACE##_argument[found] << 8 | NUMBER << 16, site, bytes,     \
                            (ulong)(long)(ptrdiff_t)offset, size))                                 \
                return (__##SPACE void *)at;                                                       \
        } else {                                                                                   \
            const uint is_null = clerk_IS_NULL(NUMBER, (size_t)at);                                \
            if (!is_null && (!clerk_k->is_closed || clerk_IS_OPEN(NUMBER)))                        \
                return (__##SPACE void *)at;                                                       \
            clerk_tell(clerk_k->report, clerk_k->launch,                                           \
                       (is_null ? clerk_REPORT_NULL : clerk_REPORT_NOWHERE) | 0xff << 8 |          \
                           NUMBER << 16,                                                           \
                       site, (uint)bytes, (size_t)at + first, 0);                                  \
        }                                                                                          \
        return SPARE;                                                                              \
    }                                                                                              \
                                                                                                   \
    clerk_CHECK __##SPACE void *clerk_##SPACE(                                                     \
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
        if (offset < limit && limit - offset >= bytes)                                             \
            return (__##SPACE void *)at;                                                           \
        const uint number = argument == clerk_VARIABLE ? 0xff : argument;                          \
        if (clerk_judge(clerk_k->report, clerk_k->launch, number << 8 | NUMBER << 16, site, bytes, \
                        (ulong)(long)(ptrdiff_t)offset, size))                                     \
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
        if (clerk_judge(clerk_k->report, clerk_k->launch, number << 8 | NUMBER << 16, site, bytes, \
                        (ulong)(long)(ptrdiff_t)offset, size))                                     \
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
#else
#define clerk_take_constant(K, INDEX, ARGUMENT, BASE, SIZE)
#endif
#if clerk_USES_LOCAL
clerk_SPACE_FUNCTIONS(local, clerk_REPORT_LOCAL, clerk_LOCALS, clerk_k->spare,
                      clerk_LOCAL_SPARE_BYTES)
#else
#define clerk_take_local(K, INDEX, ARGUMENT, BASE, SIZE)
#endif

#if clerk_USES_GENERIC
/* What is in neither is private, and not checked. */
clerk_CHECK __generic void *clerk_generic(__private struct clerk_k *clerk_k,
                                          const volatile __generic void *at, uint first,
                                          ulong bytes, const volatile __generic void *base,
                                          ulong size, uint argument, uint is_write, uint site)
{
    __global void *in_global = to_global((__generic void *)at);
    if (in_global)
        return clerk_global(clerk_k, in_global, first, bytes, 0, 0, clerk_SEARCH, is_write, site);
    __local void *in_local = to_local((__generic void *)at);
    if (in_local)
        return clerk_local(clerk_k, in_local, first, bytes, 0, 0, clerk_SEARCH, is_write, site);
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
    for (uint i = 0; i < clerk_GLOBALS; i++) {
        clerk_k->global_base[i] = 0;
        clerk_k->global_size[i] = 0;
    }
    for (uint i = 0; i < clerk_CONSTANTS; i++) {
        clerk_k->constant_base[i] = 0;
        clerk_k->constant_size[i] = 0;
    }
    for (uint i = 0; i < clerk_LOCALS; i++) {
        clerk_k->local_base[i] = 0;
        clerk_k->local_size[i] = 0;
    }
}
