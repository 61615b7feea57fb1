/* Barriers that maybe not all work-items of a group reach. This text stands behind checks.cl; of a
 * program without such barriers there is none of it.
 *
 * The items of a group share four words of local memory: how many have come to such barriers, all
 * together; where to, for two barriers in turn; and whether this has been told. What an item finds
 * in them behind the nth barrier, if all is right, with a group of `size` items:
 *
 *   came   n * size at least, since all that passed it had counted themselves before; and less than
 *          (n + 1) * size, since this item has not counted itself at the next one: the others can
 *          have come to that, and no further, as it waits for this item.
 *   where  this very barrier: what others wrote there before they came, and the next barrier has
 *          the other word. The one behind that has this word again, and nobody comes there before
 *          this item has come to the next one, and so has looked.
 *
 * So there is no false alarm, and nothing has to be reset between barriers. If items are missing
 * at a barrier, then the first that looks behind it finds too few: nobody who has passed it can
 * have counted himself at the next one without having looked. Sums may wrap, as only their
 * difference counts. The fences order the words where the barrier itself is for global memory.
 *
 * An item that is there against its own choice, because its driver lets all go one way, does not
 * count itself. */
#if clerk_MEETS
#define clerk_MEETING_CAME  0
#define clerk_MEETING_WHERE 1 /* two words */
#define clerk_MEETING_TOLD  3
#define clerk_MEETING_COPY  4 /* four words */
#define clerk_MEETING_WORDS 8

clerk_CHECK uint clerk_group_size(void)
{
    return (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));
}

/* All items of the group come here before anything else. */
clerk_CHECK void clerk_meet_begin(__private struct clerk_k *clerk_k, volatile __local uint *meeting)
{
    clerk_k->meeting = meeting;
    if (get_local_id(0) == 0 && get_local_id(1) == 0 && get_local_id(2) == 0) {
        for (uint i = 0; i < clerk_MEETING_WORDS; i++)
            meeting[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The compiler must not see that it is what the item goes by. */
clerk_CHECK uint clerk_choose(volatile __private ulong *chosen, uint is_true)
{
    *chosen = is_true ? 1 : 2;
    return *chosen == 1;
}

clerk_CHECK ulong clerk_pick(volatile __private ulong *chosen, ulong value)
{
    *chosen = value;
    return *chosen;
}

/* For a function that is called where the item should not be. */
clerk_CHECK __private struct clerk_k *clerk_strayed(__private struct clerk_k *clerk_k, uint is_stray)
{
    clerk_k->is_stray |= is_stray;
    return clerk_k;
}

clerk_SLOW void clerk_look_around(__global uint *report, uint8 who, volatile __local uint *meeting,
                                  uint met, uint site)
{
    const uint size = clerk_group_size();
    const uint came = meeting[clerk_MEETING_CAME] - (met - 1) * size;
    const uint where = meeting[clerk_MEETING_WHERE + (met & 1)];
    if (came - size < size && where == site)
        return;
    if (atomic_xchg(&meeting[clerk_MEETING_TOLD], 1) == 0)
        clerk_tell(report, who, clerk_REPORT_DIVERGENCE | 0xff << 8 | clerk_REPORT_LOCAL << 16,
                   site, 1, came, size, where);
}

/* Before the barrier, and behind it. A kernel that others call has no words. */
clerk_CHECK void clerk_meet(__private struct clerk_k *clerk_k, uint site, uint is_stray)
{
    volatile __local uint *meeting = clerk_k->meeting;
    clerk_k->is_stray |= is_stray;
    clerk_k->met++;
    if (!meeting)
        return;
    if (!clerk_k->is_stray)
        atomic_inc(&meeting[clerk_MEETING_CAME]);
    meeting[clerk_MEETING_WHERE + (clerk_k->met & 1)] = site;
    mem_fence(CLK_LOCAL_MEM_FENCE);
}

clerk_CHECK void clerk_met(__private struct clerk_k *clerk_k, uint site)
{
    mem_fence(CLK_LOCAL_MEM_FENCE);
    if (clerk_k->meeting)
        clerk_look_around(clerk_k->report, clerk_who(clerk_k->launch), clerk_k->meeting,
                          clerk_k->met, site);
}

/* An asynchronous copy, which all items of the group call with the same arguments. Of the last four
 * there is a word: which one it was since the kernel began, and some bits of its arguments, as the
 * first item that came there gave them. One that is four copies behind others has nothing to compare
 * with; it would have to be 65536 behind to take another copy for its own. */
clerk_CHECK void clerk_alike(__private struct clerk_k *clerk_k, uint site, size_t to, size_t from,
                             size_t count, size_t stride)
{
    const ulong all = ((((ulong)to * 31 + from) * 31 + count) * 31 + stride) * 0x9e3779b97f4a7c15UL;
    const uint copied = ++clerk_k->copied;
    const uint own = (copied & 0xffff) << 16 | (uint)(all >> 48);
    if (!clerk_k->meeting || clerk_k->is_stray)
        return;
    volatile __local uint *word = &clerk_k->meeting[clerk_MEETING_COPY + (copied & 3)];
    uint was = *word;
    while (was != own && (was == 0 || (ushort)(copied - (was >> 16)) - 1u < 0x7fff)) {
        const uint now = atomic_cmpxchg(word, was, own);
        if (now == was)
            return;
        was = now;
    }
    if (was != own && was >> 16 == (copied & 0xffff) &&
        atomic_xchg(&clerk_k->meeting[clerk_MEETING_TOLD], 1) == 0)
        clerk_tell(clerk_k->report, clerk_who(clerk_k->launch),
                   clerk_REPORT_DIVERGENCE | 0xff << 8 | clerk_REPORT_LOCAL << 16, site, 1, 0, 0,
                   site);
}
#else
#define clerk_alike(K, SITE, TO, FROM, COUNT, STRIDE) ((void)0)
#endif
