/* The checks (checkers/probe/checks.cl, behind which this stands) as functions that a module of
 * SPIR-V calls. woven_write.c looks up the types of their parameters: what pointers lead to is the
 * translator's choice. `index` is that of the argument or variable among those of its memory, or
 * clerk_SEARCH. */

typedef char clerk_state_fits[sizeof(struct clerk_k) <= clerk_STATE_WORDS * 8 ? 1 : -1];

void clerk_woven_begin(__private struct clerk_k *clerk_k, __global uint *report, uint launch,
                       uint is_closed)
{
    clerk_begin(clerk_k, report, launch, is_closed);
}

void clerk_woven_take_global(__private struct clerk_k *clerk_k, const __global uchar *base,
                             ulong size, uint index, uint argument)
{
    clerk_take_global(clerk_k, index, argument, base, size);
}

void clerk_woven_cells(__private struct clerk_k *clerk_k, __global ulong *cells, ulong window,
                       uint index)
{
    clerk_know_cells(clerk_k, index, cells, window);
}

__global uchar *clerk_woven_global(__private struct clerk_k *clerk_k, const __global uchar *at,
                                   ulong bytes, uint index, uint argument, uint how, uint site)
{
    if (argument == clerk_SEARCH)
        return (__global uchar *)clerk_global(clerk_k, at, 0, bytes, 0, 0, clerk_SEARCH, how, site,
                                              0, 0);
    return (__global uchar *)clerk_global(clerk_k, at, 0, bytes, clerk_k->global_base[index],
                                          clerk_k->global_size[index], argument, how, site,
                                          clerk_k->global_cells[index],
                                          clerk_k->global_window[index]);
}

/* How many of `count` elements, each `stride`th, are copied: all, or none where one is beside. (Those
 * before it take a division, on which LLVM 18 may crash.) */
#define clerk_FIT(SPACE, NUMBER, COUNT)                                                            \
    size_t clerk_woven_fit_##SPACE(__private struct clerk_k *clerk_k, const __##SPACE uchar *at,   \
                                   ulong element, size_t count, size_t stride, uint index,         \
                                   uint argument, uint is_write, uint site)                        \
    {                                                                                              \
        const uint found = argument == clerk_SEARCH ? clerk_find_##SPACE(clerk_k, at) : index;     \
        if (found >= COUNT || count == 0)                                                          \
            return count;                                                                          \
        const ulong size = clerk_k->SPACE##_size[found];                                           \
        const ulong limit = clerk_limit(size);                                                     \
        const ulong offset = (size_t)at - (size_t)clerk_k->SPACE##_base[found];                    \
        const ulong bytes = element * ((count - 1) * stride + 1);                                  \
        if (offset < limit && limit - offset >= bytes &&                                           \
            !(is_write && (size & clerk_SIZE_READ_ONLY)))                                          \
            return count;                                                                          \
        if (clerk_judge(clerk_k->report, clerk_who(clerk_k->launch),                               \
                        clerk_k->SPACE##_argument[found] << 8 | NUMBER << 16, site, bytes,         \
                        (ulong)(long)(ptrdiff_t)offset, size, is_write))                           \
            return count;                                                                          \
        return 0;                                                                                  \
    }
clerk_FIT(global, clerk_REPORT_GLOBAL, clerk_GLOBALS)

#if clerk_USES_CONSTANT
void clerk_woven_take_constant(__private struct clerk_k *clerk_k, const __constant uchar *base,
                               ulong size, uint index, uint argument)
{
    clerk_take_constant(clerk_k, index, argument, base, size);
}

/* Of a variable, `base` and `size` are its own. */
__constant uchar *clerk_woven_constant(__private struct clerk_k *clerk_k,
                                       const __constant uchar *at, ulong bytes, uint index,
                                       uint argument, uint site, const __constant uchar *base,
                                       ulong size)
{
    if (argument == clerk_SEARCH || argument == clerk_VARIABLE)
        return (__constant uchar *)clerk_within_constant(clerk_k, at, 0, bytes, base, size,
                                                         argument, 0, site);
    return (__constant uchar *)clerk_within_constant(clerk_k, at, 0, bytes,
                                                     clerk_k->constant_base[index],
                                                     clerk_k->constant_size[index], argument, 0,
                                                     site);
}
#endif

#if clerk_USES_LOCAL
void clerk_woven_spare(__private struct clerk_k *clerk_k, __local ulong *spare)
{
    clerk_k->spare = spare;
}

void clerk_woven_take_local(__private struct clerk_k *clerk_k, const __local uchar *base,
                            ulong size, uint index, uint argument)
{
    clerk_take_local(clerk_k, index, argument == clerk_VARIABLE ? 0xff : argument, base, size);
    clerk_local_cells_of(clerk_k, index, size);
}

/* Before those. */
void clerk_woven_local_begin(__private struct clerk_k *clerk_k, __local uint *cells, uint words,
                             uint shift)
{
    clerk_local_begin(clerk_k, (volatile __local ulong *)cells, words, shift, 0);
}

__local uchar *clerk_woven_local(__private struct clerk_k *clerk_k, const __local uchar *at,
                                 ulong bytes, uint index, uint argument, uint how, uint site)
{
    if (argument == clerk_SEARCH)
        return (__local uchar *)clerk_local(clerk_k, at, 0, bytes, 0, 0, clerk_SEARCH, how, site,
                                            ~0u);
    return (__local uchar *)clerk_local(clerk_k, at, 0, bytes, clerk_k->local_base[index],
                                        clerk_k->local_size[index], argument, how, site,
                                        clerk_k->local_at[index]);
}

clerk_FIT(local, clerk_REPORT_LOCAL, clerk_LOCALS)
#endif

#if clerk_USES_GENERIC
__generic uchar *clerk_woven_generic(__private struct clerk_k *clerk_k, const __generic uchar *at,
                                     ulong bytes, uint how, uint site)
{
    return (__generic uchar *)clerk_generic(clerk_k, at, 0, bytes, 0, 0, clerk_SEARCH, how, site);
}
#endif

void clerk_woven_passed(__private struct clerk_k *clerk_k, uint flags)
{
    clerk_passed(clerk_k, flags);
}
