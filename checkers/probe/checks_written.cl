/* Global memory that nobody wrote. Of an argument that is followed there is a byte for each byte of
 * its memory object, 0 until somebody writes it: a write makes bytes known before it is performed,
 * so that who is ordered behind it finds them so, and a race can only hide something. A read is told
 * of if none of its bytes is written. What the host writes the layer puts there (written.h).
 *
 * Only the copy with all cells has this: the other one is what runs where all memory is written. */
#if clerk_FOLLOWS
#ifdef cl_khr_byte_addressable_store
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#endif

/* An access to so many bytes: was none of them written before? */
clerk_SLOW uint clerk_mark(volatile __global uchar *written, ulong bytes, uint how)
{
    const uint is_whole = ((bytes | (ulong)(size_t)written) & 3) == 0;
    volatile __global uint *words = (volatile __global uint *)written;
    const ulong count = is_whole ? bytes / 4 : bytes;
    uint seen = clerk_IS_WRITE(how) && !(how & clerk_TAKES) ? 1 : 0;
    for (ulong i = 0; i < count && !seen; i++)
        seen = is_whole ? words[i] : written[i];
    for (ulong i = 0; i < count && clerk_IS_WRITE(how); i++) {
        if (is_whole)
            words[i] = 0x01010101u;
        else
            written[i] = 1;
    }
    return seen == 0;
}

/* An access that is performed. Once a site it is told of. */
clerk_CHECK void clerk_follow(__private struct clerk_k *clerk_k, const volatile __global void *at,
                              ulong bytes, const volatile __global void *base, ulong size,
                              uint argument, uint how, uint site)
{
    volatile __global uchar *written = 0;
    if (argument < clerk_FOLLOWED_COUNT)
        written = clerk_k->written[argument];
    for (uint i = 0; argument == clerk_SEARCH && i < clerk_GLOBALS; i++) {
        if ((size_t)at - (size_t)clerk_k->global_base[i] < clerk_limit(clerk_k->global_size[i]) &&
            clerk_k->global_argument[i] < clerk_FOLLOWED_COUNT) {
            base = clerk_k->global_base[i];
            size = clerk_k->global_size[i];
            argument = clerk_k->global_argument[i];
            written = clerk_k->written[argument];
        }
    }
    const ulong offset = (size_t)at - (size_t)base, limit = clerk_limit(size);
    if (!written || offset >= limit || limit - offset < bytes)
        return;
    if (clerk_mark(written + offset, bytes, how) &&
        ((volatile __global uint *)clerk_k->report)[clerk_REPORT_SITES + site] == 0)
        clerk_tell(clerk_k->report, clerk_who(clerk_k->launch),
                   clerk_REPORT_UNWRITTEN | argument << 8 | clerk_REPORT_GLOBAL << 16, site,
                   (uint)bytes, offset, limit, 0);
}
#endif
