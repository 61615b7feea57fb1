/* Shadow cells: how a kernel notices, while it runs on any device, that two work-items access one
 * element and nothing orders them. This text stands behind cell_layout.h and before the program.
 * It is OpenCL C 1.2, and C for a host that defines the address spaces, atom_max, atomic_xchg,
 * CLERK_LOAD, CLERK_LOAD_BOTH, CLERK_STORE and uint2 (tests/unit/probe).
 *
 * An element has a cell. An access tells its cell who it is and looks at who was there before; only
 * what is true of accesses that happened is ever written into cells, so a race that is noticed is
 * one. What orders the items of a group is barriers, counted by epochs; nothing orders groups.
 *
 * Global memory: what was there and what is new are merged by one atom_max. Fields stand in such an
 * order that the maximum keeps what matters, and what it would forget is carried on by a second
 * one. What the old cell means for an access of the same launch:
 *
 *   of another group, or of several  a race if one writes, kinds differ, or WROTE is set;
 *                                    else GROUPS is set
 *   same group, same epoch, another  a race if one writes or kinds differ;
 *   item or ITEMS is set             else ITEMS is set, WROTE carried on
 *   same item, same epoch            no race; read and atomic become BOTH, WROTE is carried on
 *   same group, other epoch          no race; WROTE is carried on, and set if kinds differ
 *
 * WROTE does not only mean a write: a group that read in one epoch and used an atomic in another
 * one races with whatever another group does but an atomic read. Such a read is judged only by a
 * plain write that is in the cell, and writes nothing there: it gets on with reads and atomics, so
 * it fits no kind. What a second atom_max finds is judged again, and carried on again. Missed is
 * what others do between the two that join a read and an atomic of one group: until then it is as
 * if only the later one had been.
 *
 * Local memory: two words, the last reader and the last writer; reads use no atomics. Plain loads
 * and stores of two readers may overtake each other, so that only one stays. Missed is thus a race
 * of two items in one epoch if the later one had read the element too, and their reads interleaved
 * within these few instructions. A writer swaps itself in, so that two of them always meet.
 *
 * Numbers are cut to the bits there are. Two items that look like one hide a race; a full epoch
 * stops verdicts within the group. A cell that an access covers in part only is left alone: where
 * elements are wider than an access, neighbours would race.
 *
 * Without 64-bit atomics (cl_khr_int64_extended_atomics) there are no verdicts on global memory:
 * the functions do nothing. */

/* OpenCL C has `static` from 1.2 on. */
#if defined(__OPENCL_C_VERSION__) && __OPENCL_C_VERSION__ < 120
#define CLERK_FUNCTION inline __attribute__((always_inline, unused))
#else
#define CLERK_FUNCTION static inline __attribute__((always_inline, unused))
#endif

#ifndef CLERK_LOAD
#define CLERK_LOAD(place)         (*(place))
#define CLERK_LOAD_BOTH(place)    (*(volatile __local uint2 *)(place)) /* in any order */
#define CLERK_STORE(place, value) (*(place) = (value))
#endif

/* ---- global memory ---- */

#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

/* That field of the cell. */
CLERK_FUNCTION uint clerk_global_field(ulong cell, uint begin, uint end)
{
    return (uint)(cell >> begin & (((ulong)1 << (end - begin)) - 1));
}

/* The beginning of all cells that a work-item writes: made once, where its kernel starts. `launch`
 * is not 0; `group` and `lid` are linear. */
CLERK_FUNCTION ulong clerk_global_item(uint launch, ulong group, uint lid)
{
    const ulong group_mask = ((ulong)1 << (CLERK_CELL_GROUPS - CLERK_CELL_GROUP)) - 1;
    const uint lid_mask = (1U << (CLERK_CELL_ITEMS - CLERK_CELL_LID)) - 1;
    return (ulong)launch << CLERK_CELL_LAUNCH | (group & group_mask) << CLERK_CELL_GROUP |
           (ulong)(lid & lid_mask) << CLERK_CELL_LID;
}

CLERK_FUNCTION bool clerk_global_is_full(ulong item)
{
    return clerk_global_field(~item, CLERK_CELL_EPOCH, CLERK_CELL_WROTE) == 0;
}

/* The item behind a barrier that orders global memory. */
CLERK_FUNCTION ulong clerk_global_next(ulong item)
{
    return clerk_global_is_full(item) ? item : item + ((ulong)1 << CLERK_CELL_EPOCH);
}

CLERK_FUNCTION uint clerk_global_kind(ulong cell)
{
    return clerk_global_field(cell, CLERK_CELL_KIND, CLERK_CELL_EPOCH);
}

CLERK_FUNCTION bool clerk_global_races(ulong old, ulong own)
{
    const ulong differs = old ^ own;
    const bool conflict = clerk_global_kind(own) == CLERK_WRITE ||
                          clerk_global_kind(old) != clerk_global_kind(own);
    if (differs >> CLERK_CELL_LAUNCH != 0) {
        return false;
    }
    if (differs >> CLERK_CELL_GROUP != 0) { /* own has no GROUPS, so this is in it */
        return conflict || (old >> CLERK_CELL_WROTE & 1) != 0;
    }
    if (clerk_global_field(differs, CLERK_CELL_EPOCH, CLERK_CELL_WROTE) != 0 ||
        clerk_global_is_full(own)) {
        return false;
    }
    return conflict && clerk_global_field(differs, CLERK_CELL_LID, CLERK_CELL_KIND) != 0;
}

/* What the cell must be at least, if these do not race. `put` was put there when `old` was found. */
CLERK_FUNCTION ulong clerk_global_merged(ulong old, ulong own, ulong put)
{
    const ulong wrote = (ulong)1 << CLERK_CELL_WROTE;
    const ulong differs = old ^ own;
    const bool mixed = clerk_global_kind(old) != clerk_global_kind(own);
    if (differs >> CLERK_CELL_LAUNCH != 0 || (old >> CLERK_CELL_GROUPS & 1) != 0) {
        return own;
    }
    if (differs >> CLERK_CELL_GROUP != 0) {
        return own | (ulong)1 << CLERK_CELL_GROUPS;
    }
    const ulong carried = own | ((old | put) & wrote);
    if (clerk_global_field(differs, CLERK_CELL_EPOCH, CLERK_CELL_WROTE) != 0 ||
        clerk_global_is_full(own)) {
        return mixed ? carried | wrote : carried;
    }
    if (clerk_global_field(differs, CLERK_CELL_LID, CLERK_CELL_KIND) != 0) {
        return carried | (ulong)1 << CLERK_CELL_ITEMS;
    }
    if (mixed && clerk_global_kind(own) == CLERK_READ) {
        return carried | (ulong)CLERK_BOTH << CLERK_CELL_KIND;
    }
    if (mixed && clerk_global_kind(own) == CLERK_ATOMIC) {
        return carried + ((ulong)(CLERK_BOTH - CLERK_ATOMIC) << CLERK_CELL_KIND);
    }
    return carried;
}

/* What an access of that kind, no CLERK_ATOMIC_READ, tells the cell. */
CLERK_FUNCTION ulong clerk_global_own(ulong item, uint kind)
{
    return item | (ulong)kind << CLERK_CELL_KIND | (ulong)(kind == CLERK_WRITE) << CLERK_CELL_WROTE;
}

#ifdef cl_khr_int64_extended_atomics
/* The rest of an access whose atom_max of `own` has found `old`: 0 or CLERK_RACES, and then the old
 * cell. */
CLERK_FUNCTION uint clerk_global_settle(volatile __global ulong *cell, ulong own, ulong old,
                                        ulong *other)
{
    const ulong lid_mask = ((ulong)1 << CLERK_CELL_ITEMS) - 1;
    ulong put = own;
    /* Each round adds to the flags of `put`, and there are four. */
    for (;;) {
        if (clerk_global_races(old, own)) {
            *other = old;
            return CLERK_RACES;
        }
        const ulong now = old > put ? old : put;
        put = clerk_global_merged(old, own, put);
        if (put <= (now | lid_mask)) { /* which of several items it names does not matter */
            return 0;
        }
        old = atom_max(cell, put);
    }
}
#endif

/* An access of that kind to the cell's element: 0 or CLERK_RACES, and then the old cell. */
CLERK_FUNCTION uint clerk_global_access(volatile __global ulong *cell, ulong item, uint kind,
                                        ulong *other)
{
#ifdef cl_khr_int64_extended_atomics
    const ulong own = clerk_global_own(item, kind == CLERK_ATOMIC_READ ? CLERK_ATOMIC : kind);
    if (kind == CLERK_ATOMIC_READ) {
        *other = atom_max(cell, (ulong)0);
        return clerk_global_kind(*other) == CLERK_WRITE && clerk_global_races(*other, own)
                   ? CLERK_RACES
                   : 0;
    }
    return clerk_global_settle(cell, own, atom_max(cell, own), other);
#else
    (void)cell, (void)item, (void)kind, (void)other;
    return 0;
#endif
}

/* An access to `size` bytes, `offset` bytes behind the beginning of the memory whose first element
 * has the cell `cells`; elements have 1 << shift bytes. */
CLERK_FUNCTION uint clerk_global_range(volatile __global ulong *cells, ulong offset, ulong size,
                                       uint shift, ulong item, uint kind, ulong *other)
{
    const ulong end = (offset + size) >> shift;
    uint result = 0;
    for (ulong i = (offset + (((ulong)1 << shift) - 1)) >> shift; i < end; i++) {
        ulong found;
        if (clerk_global_access(cells + i, item, kind, &found) != 0) {
            *other = result != 0 ? *other : found;
            result = CLERK_RACES;
        }
    }
    return result;
}

/* ---- local memory ---- */

/* What a work-item writes into words, likewise: made where its kernel starts. */
CLERK_FUNCTION uint clerk_local_item(uint lid)
{
    return 1U << CLERK_WORD_EPOCH | lid % CLERK_WORD_MANY;
}

CLERK_FUNCTION bool clerk_local_is_full(uint item)
{
    return ~item >> CLERK_WORD_EPOCH == 0;
}

/* The item behind a barrier that orders local memory. */
CLERK_FUNCTION uint clerk_local_next(uint item)
{
    return clerk_local_is_full(item) ? item : item + (1U << CLERK_WORD_EPOCH);
}

/* Makes the cells of `count` elements empty, together with the other items of the group; a barrier
 * must follow. */
CLERK_FUNCTION void clerk_local_clear(volatile __local uint *cells, uint count, uint lid,
                                      uint item_count)
{
    for (uint i = lid; i < 2 * count; i += item_count) {
        CLERK_STORE(&cells[i], 0);
    }
}

/* Does the word tell of another item in this epoch? */
CLERK_FUNCTION bool clerk_local_meets(uint word, uint item)
{
    return ((word ^ item) >> CLERK_WORD_EPOCH) == 0 && !clerk_local_is_full(item) &&
           ((word ^ item) & CLERK_WORD_MANY) != 0;
}

/* As the cell of global memory that would tell the same, without group and epoch. */
CLERK_FUNCTION ulong clerk_local_other(uint word, uint kind)
{
    const uint lid = word & CLERK_WORD_MANY;
    return (ulong)kind << CLERK_CELL_KIND |
           (lid == CLERK_WORD_MANY ? (ulong)1 << CLERK_CELL_ITEMS : (ulong)lid << CLERK_CELL_LID);
}

CLERK_FUNCTION bool clerk_local_is_atomic(uint writer)
{
    return (writer >> CLERK_WORD_ATOMIC & 1) != 0;
}

CLERK_FUNCTION ulong clerk_local_other_writer(uint writer)
{
    return clerk_local_other(writer, clerk_local_is_atomic(writer) ? CLERK_ATOMIC : CLERK_WRITE);
}

CLERK_FUNCTION uint clerk_local_read(volatile __local uint *cell, uint item, ulong *other)
{
    const uint many = item | CLERK_WORD_MANY;
    uint2 both = CLERK_LOAD_BOTH(cell);
    if (both.x != item && both.x != many) {
        const uint put = clerk_local_meets(both.x, item) ? many : item;
        CLERK_STORE(&cell[0], put);
        both = CLERK_LOAD_BOTH(cell);
        /* Items in lockstep all see the old reader, and all but one of them lose here. */
        if (both.x != put) {
            CLERK_STORE(&cell[0], many);
        }
    }
    *other = clerk_local_other_writer(both.y);
    return (clerk_local_meets(both.y, item) ? CLERK_RACES : 0) |
           (both.y == 0 ? CLERK_UNWRITTEN : 0);
}

/* For what writes: the verdict on the last writer, or else on the last reader. */
CLERK_FUNCTION uint clerk_local_judge(volatile __local uint *cell, uint item, uint writer,
                                      bool races, ulong *other)
{
    if (!races) {
        const uint reader = CLERK_LOAD(&cell[0]);
        *other = clerk_local_other(reader, CLERK_READ);
        return clerk_local_meets(reader, item) ? CLERK_RACES : 0;
    }
    *other = clerk_local_other_writer(writer);
    return CLERK_RACES;
}

CLERK_FUNCTION uint clerk_local_write(volatile __local uint *cell, uint item, ulong *other)
{
    const uint writer = atomic_xchg(&cell[1], item);
    return clerk_local_judge(cell, item, writer, clerk_local_meets(writer, item), other);
}

/* Where many items use atomics on one element, all but the first two only look. An item that wrote
 * in this epoch stays the writer: what others do is a race with that anyway. */
CLERK_FUNCTION uint clerk_local_atomic(volatile __local uint *cell, uint item, ulong *other)
{
    const uint own = item | 1U << CLERK_WORD_ATOMIC;
    const uint many = own | CLERK_WORD_MANY;
    const uint before = CLERK_LOAD(&cell[1]);
    uint writer = before;
    bool meets = clerk_local_meets(writer, item);
    if (writer != item && writer != own && writer != many &&
        !(meets && !clerk_local_is_atomic(writer))) {
        const uint put = meets ? many : own;
        writer = atomic_xchg(&cell[1], put);
        meets = clerk_local_meets(writer, item);
        if (meets && clerk_local_is_atomic(writer) && put != many) {
            CLERK_STORE(&cell[1], many);
        }
    }
    return clerk_local_judge(cell, item, writer, meets && !clerk_local_is_atomic(writer), other) |
           (before == 0 ? CLERK_UNWRITTEN : 0);
}

/* An access of that kind to the element of the two words `cell`: CLERK_RACES, and then the other
 * side, and CLERK_UNWRITTEN. */
CLERK_FUNCTION uint clerk_local_access(volatile __local uint *cell, uint item, uint kind,
                                       ulong *other)
{
    if (kind == CLERK_READ) {
        return clerk_local_read(cell, item, other);
    }
    if (kind == CLERK_WRITE) {
        return clerk_local_write(cell, item, other);
    }
    if (kind == CLERK_ATOMIC) {
        return clerk_local_atomic(cell, item, other);
    }
    const uint writer = CLERK_LOAD(&cell[1]);
    *other = clerk_local_other_writer(writer);
    return (clerk_local_meets(writer, item) && !clerk_local_is_atomic(writer) ? CLERK_RACES : 0) |
           (writer == 0 ? CLERK_UNWRITTEN : 0);
}

/* As clerk_global_range. */
CLERK_FUNCTION uint clerk_local_range(volatile __local uint *cells, uint offset, uint size,
                                      uint shift, uint item, uint kind, ulong *other)
{
    const uint end = (offset + size) >> shift;
    uint result = 0;
    for (uint i = (offset + ((1U << shift) - 1)) >> shift; i < end; i++) {
        ulong found;
        const uint one = clerk_local_access(cells + 2 * i, item, kind, &found);
        if ((one & ~result & CLERK_RACES) != 0) {
            *other = found;
        }
        result |= one;
    }
    return result;
}
