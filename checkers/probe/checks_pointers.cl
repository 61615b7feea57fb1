/* Where a pointer leads that is into none of the kernel's arguments and variables, of programs that
 * load pointers from memory (shared_table.h). */
#if clerk_HAS_SHARED

/* Behind an allocation as far as this what lies nowhere is told as beyond its end. */
#define clerk_NEAR 4096

/* How many of `count` ranges, in ascending order, begin at the address or before it. */
clerk_CHECK ulong clerk_ranges_until(__global const ulong *ranges, ulong count, ulong address)
{
    ulong low = 0, high = count;
    while (low < high) {
        const ulong middle = low + (high - low) / 2;
        if (address < ranges[2 * middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The range that the address lies in, or less than `beyond` bytes behind; `count` = there is none. */
clerk_CHECK ulong clerk_find_range(__global const ulong *ranges, ulong count, ulong address,
                                   ulong beyond)
{
    const ulong until = clerk_ranges_until(ranges, count, address);
    return until > 0 && address < ranges[2 * until - 1] + beyond ? until - 1 : count;
}

clerk_CHECK uint clerk_is_freed(__global const ulong *table, ulong address)
{
    __global const ulong *ranges = table + clerk_SHARED_RANGES + 2 * table[clerk_SHARED_ALIVE];
    uint is_freed = 0;
    for (ulong i = 0; i < table[clerk_SHARED_FREED]; i++)
        is_freed |= address >= ranges[2 * i] && address < ranges[2 * i + 1];
    return is_freed;
}

/* 1 = the access may be performed. What begins in an allocation is of that, wherever its pointer,
 * `origin`, leads; 0 = that is not known. */
clerk_SLOW uint clerk_elsewhere(__global const ulong *table, __global uint *report, uint8 who,
                                uint site, ulong address, ulong bytes, ulong origin)
{
    __global const ulong *ranges = table + clerk_SHARED_RANGES;
    const ulong alive = table[clerk_SHARED_ALIVE];
    const uint where = 0xff << 8 | clerk_REPORT_GLOBAL << 16;
    const uint is_closed = table[clerk_SHARED_IS_CLOSED] && !clerk_MAKES_POINTERS;
    ulong found = clerk_find_range(ranges, alive, address, 0);
    if (found < alive && ranges[2 * found + 1] - address >= bytes)
        return 1;
    if (found == alive && origin)
        found = clerk_find_range(ranges, alive, origin, 0);
    const uint is_freed = found == alive && clerk_is_freed(table, address);
    if (found == alive && !is_freed && is_closed)
        found = clerk_find_range(ranges, alive, address, clerk_NEAR);
    if (found < alive)
        clerk_tell(report, who, clerk_REPORT_BOUNDS | where, site, (uint)bytes,
                   address - ranges[2 * found], ranges[2 * found + 1] - ranges[2 * found], 0);
    else if (is_freed)
        clerk_tell(report, who, clerk_REPORT_FREED | where, site, (uint)bytes, address, 0, 0);
    else if (is_closed)
        clerk_tell(report, who, clerk_REPORT_NOWHERE | where, site, (uint)bytes, address, 0, 0);
    else
        return 1;
    return 0;
}
#endif
