/* What asynchronous copies do with memory, told to the cells where they begin: until
 * wait_group_events they run beside the work-items, and they do not wait for what these did since
 * their last barrier. All copies of a group are as one work-item more, in the epoch of the call:
 * what items access behind a barrier, and before wait_group_events, is missed. Each item tells of
 * some of the elements. */
#if clerk_USES_LOCAL

/* A group of one item has nobody to race with; in one that is too large an item looks like the
 * copy. */
clerk_CHECK uint clerk_copies_race(void)
{
    const size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    return items > 1 && items <= CLERK_LID_COPY;
}

clerk_CHECK size_t clerk_own_lid(void)
{
    return get_local_id(0) +
           get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
}

clerk_CHECK void clerk_copied_global(__private struct clerk_k *clerk_k,
                                     const volatile __global void *at, size_t element,
                                     size_t count, size_t stride,
                                     const volatile __global void *base, ulong size, uint argument,
                                     uint how, uint site, volatile __global ulong *cells,
                                     ulong window)
{
    const size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    const ulong item = (clerk_k->item >> CLERK_CELL_ITEMS << CLERK_CELL_ITEMS) | CLERK_LID_COPY;
    for (uint i = 0; argument == clerk_SEARCH && i < clerk_GLOBALS; i++) {
        if ((size_t)at - (size_t)clerk_k->global_base[i] < clerk_limit(clerk_k->global_size[i])) {
            base = clerk_k->global_base[i];
            size = clerk_k->global_size[i];
            argument = clerk_k->global_argument[i];
            cells = clerk_k->global_cells[i];
            window = clerk_k->global_window[i];
        }
    }
#if clerk_FOLLOWS
    for (size_t i = clerk_own_lid(); i < count; i += items)
        clerk_follow(clerk_k, (const volatile __global uchar *)at + i * stride * element, element,
                     base, size, argument, how, site);
#endif
    if (!cells || argument == clerk_SEARCH || !clerk_copies_race())
        return;
    for (size_t i = clerk_own_lid(); i < count; i += items)
        clerk_race_global(clerk_k->report, clerk_who(clerk_k->launch), argument, site, element,
                          (size_t)at - (size_t)base + i * stride * element, size, cells, window,
                          item, clerk_KIND(how));
}

clerk_CHECK void clerk_copied_local(__private struct clerk_k *clerk_k,
                                    const volatile __local void *at, size_t element, size_t count,
                                    size_t stride, const volatile __local void *base, ulong size,
                                    uint argument, uint how, uint site, uint cells)
{
    const size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    const uint item = (clerk_k->local_item & ~CLERK_WORD_MANY) | CLERK_LID_COPY;
    for (uint i = 0; argument == clerk_SEARCH && i < clerk_LOCALS; i++) {
        if ((size_t)at - (size_t)clerk_k->local_base[i] < clerk_k->local_size[i]) {
            base = clerk_k->local_base[i];
            size = clerk_k->local_size[i];
            argument = clerk_k->local_argument[i] == 0xff ? clerk_VARIABLE
                                                          : clerk_k->local_argument[i];
            cells = clerk_k->local_at[i];
        }
    }
    if (cells == ~0u || argument == clerk_SEARCH || !clerk_copies_race())
        return;
    for (size_t i = clerk_own_lid(); i < count; i += items)
        clerk_race_local(clerk_k->report, clerk_who(clerk_k->launch),
                         argument == clerk_VARIABLE ? 0xff : argument, site, element,
                         (ulong)((size_t)at - (size_t)base) + i * stride * element, size,
                         clerk_k->local_cells + cells, clerk_k->local_words - cells,
                         clerk_k->local_shift, item, clerk_KIND(how));
}
#endif
