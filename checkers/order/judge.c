/* Accesses, judged by the floors that the course of execution has left.
 *
 * An access goes the fast way (cells.c) where consecutive lanes touch consecutive
 * cells, and lane by lane otherwise. All lanes touching the same bytes is common, too; then only
 * the first and the last lane count, which are as far apart as any two. */
#include "checkers/order/exact.h"
#include "trace/base/assert.h"

#include <string.h>

/* Runs of fewer lanes than this are not worth the fast way. */
enum { RUN_LANES_MIN = 4 };
/* More runs than these are gathered; fewer lanes than these are not. */
enum { RUNS_MAX = 4, GATHER_LANES_MIN = 8 };
/* An access of more cells than these is not gathered. */
enum { GATHER_CELLS_MAX = 8 };
/* Rows of lanes that are further apart than these bytes, or 1 << this cells, are gathered. */
enum { STRIDE_MAX = 256, GAP_SHIFT_MAX = 3 };

/* ---- cells ---- */

/* A plain read as cell_add has it, the frequent cases first. */
static inline bool read_cell_fast(struct cell_floors floors, struct cells cell, uint32_t self,
                                  bool acquires)
{
    const uint32_t r = *cell.r;
    const uint32_t n = cell.n == NULL ? 0 : *cell.n;
    if (!entry_ordered(floors, *cell.w, self)) {
        return false;
    }
    if (n == 0 && r < ENTRY_ATOMIC && entry_ordered(floors, r, self)) {
        *cell.r = self;
        return true;
    }
    if (acquires) {
        return false; /* its history is longer than one reader */
    }
    if (cell_full(floors, r, n) && (r & ENTRY_ATOMIC) == 0) {
        return true;
    }
    return cell.n != NULL && cell_add(floors, *cell.w, cell.r, cell.n, self, 0);
}

static inline bool write_cell_fast(struct cell_floors floors, struct cells cell, uint32_t self)
{
    const uint32_t n = cell.n == NULL ? 0 : *cell.n;
    if (!entry_ordered(floors, *cell.w, self) || !readers_ordered(floors, *cell.r, n, self)) {
        return false;
    }
    *cell.w = self;
    *cell.r = 0;
    if (cell.n != NULL) {
        *cell.n = 0;
    }
    return true;
}

/* True when the cell needs no closer look; it then holds the access. */
static inline bool access_cell_fast(const struct access_context *context, struct cells cell,
                                    uint32_t lane)
{
    const struct cell_floors floors = context->floors;
    const uint32_t self = entry_make(context->record, lane);
    switch (context->access->kind) {
    case OBSERVER_READ:
        return read_cell_fast(floors, cell, self, context->acquires);
    case OBSERVER_WRITE:
        return !context->overwrites && write_cell_fast(floors, cell, self);
    default:
        return context->updates && !context->acquires && cell.n != NULL &&
               cell_add(floors, *cell.w, cell.r, cell.n, self, ENTRY_ATOMIC);
    }
}

/* The page, ready for elements of `size` bytes from `offset` of it on; NULL when memory is out. */
static inline struct shadow_page *get_page(struct order *order,
                                           const struct access_context *context, uint64_t index,
                                           uint32_t offset, uint32_t size)
{
    struct order_object *object = context->object;
    ASSERT(index < object->page_count);
    return shadow_page_get(&order->shadow, object, index, order->generation[context->region],
                           offset, size);
}

/* Bytes [offset, offset + size) of page `index`, touched by one lane. */
static void access_page_lane(struct order *order, const struct access_context *context,
                             size_t index, uint32_t offset, uint32_t size, uint32_t lane,
                             struct race_run *run)
{
    struct shadow_page *page = get_page(order, context, index, offset, size);
    if (page == NULL || !shadow_page_single(&order->shadow, page) ||
        (context->access->kind == OBSERVER_WRITE && !shadow_page_write(&order->shadow, page))) {
        order->incomplete = true;
        return;
    }
    const uint32_t granule = 1U << page->granule_shift;
    for (uint32_t at = offset; at < offset + size; at += granule) {
        const uint32_t cell = at >> page->granule_shift;
        if (access_cell_fast(context, page_cells(page, cell), lane)) {
            continue;
        }
        const uint32_t racing = context->acquires
                                    ? acquiring_access_cell(order, context, page, cell, lane)
                                    : exact_access_cell(order, context, page, cell, lane);
        const uint64_t place = ((uint64_t)index << SHADOW_PAGE_SHIFT) + at;
        if (racing != 0 && racing == run->entry && run->offset + run->size == place) {
            run->size += granule;
        } else if (racing != 0) {
            exact_tell_race(order, context, run, lane);
            *run = (struct race_run){.entry = racing, .offset = place, .size = granule};
        }
    }
}

/* All bytes that one lane touches. */
static void access_lane(struct order *order, const struct access_context *context, uint64_t offset,
                        uint32_t lane)
{
    struct race_run run = {0};
    if (context->overwrites) {
        sync_overwrite(order, context->object, offset, context->access->size);
    }
    uint32_t left = context->access->size;
    while (left > 0) {
        const size_t index = (size_t)(offset >> SHADOW_PAGE_SHIFT);
        const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
        const uint32_t room = SHADOW_PAGE_SIZE - within;
        const uint32_t size = left < room ? left : room;
        access_page_lane(order, context, index, within, size, lane, &run);
        offset += size;
        left -= size;
    }
    exact_tell_race(order, context, &run, lane);
}

/* Has the page the words that the access needs, r among them, and cells of `size` bytes? A packed
 * one has not. */
static inline bool page_ready(const struct order *order, const struct access_context *context,
                              const struct shadow_page *page, uint32_t size)
{
    return page->generation == order->generation[context->region] && page->r != NULL &&
           size == 1U << page->granule_shift &&
           (context->access->kind != OBSERVER_WRITE || shadow_page_is_written(page));
}

/* The cells of elements from `offset` on, if the page is ready; *left is how many there are up to
 * its end. */
static inline bool ready_cells(const struct order *order, const struct access_context *context,
                               uint64_t offset, struct cells *cells, uint32_t *left)
{
    const struct order_object *object = context->object;
    ASSERT(offset >> SHADOW_PAGE_SHIFT < object->page_count);
    const struct shadow_page *page = &object->pages[offset >> SHADOW_PAGE_SHIFT];
    const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
    if (!page_ready(order, context, page, context->access->size) ||
        (within & (context->access->size - 1)) != 0) {
        return false;
    }
    const uint32_t cell = within >> page->granule_shift;
    *cells = page_cells(page, cell);
    *left = shadow_page_cells(page) - cell;
    return true;
}

/* Lane by lane. Elements of one cell in pages that are ready already, as gathers have them, take a
 * short cut. */
static void access_lanes(struct order *order, const struct access_context *context, uint64_t mask)
{
    struct cells cells = {0};
    uint32_t left = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        const uint64_t offset = lane_offset(context->access, lane);
        if (!ready_cells(order, context, offset, &cells, &left) ||
            !access_cell_fast(context, cells, lane)) {
            access_lane(order, context, offset, lane);
        }
    }
}

/* The cells of the lanes of a plain access, and copies of their contents. */
struct gathered {
    const struct shadow_page *pages[ORDER_LANES];
    uint32_t cells[ORDER_LANES]; /* of the pages */
    uint32_t w[ORDER_LANES], r[ORDER_LANES], n[ORDER_LANES];
    uint64_t mask; /* the lanes that are here: no two of one cell */
};

static void lane_offsets(const struct lane_access *access, uint64_t offsets[ORDER_LANES])
{
    if (access->offsets != NULL) {
        memcpy(offsets, access->offsets, ORDER_LANES * sizeof *offsets);
        return;
    }
    const uint32_t run_mask = access->run == 0 ? ORDER_LANES - 1 : access->run - 1;
    const uint32_t run_shift = (uint32_t)__builtin_popcount(run_mask);
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        offsets[lane] = access->offset + (lane & run_mask) * (uint64_t)access->stride +
                        (lane >> run_shift) * (uint64_t)access->jump;
    }
}

/* The page, if it can be made ready for a cell of `size` bytes at `offset` of it. */
static inline const struct shadow_page *make_ready(struct order *order,
                                                   const struct access_context *context,
                                                   size_t index, uint32_t offset, uint32_t size)
{
    const struct lane_access *access = context->access;
    ASSERT(index < context->object->page_count);
    if (page_ready(order, context, &context->object->pages[index], size)) {
        return &context->object->pages[index];
    }
    if (offset > SHADOW_PAGE_SIZE - size) {
        return NULL;
    }
    struct shadow_page *page = get_page(order, context, index, offset, size);
    return page != NULL && shadow_page_single(&order->shadow, page) &&
                   (access->kind != OBSERVER_WRITE || shadow_page_write(&order->shadow, page)) &&
                   page_ready(order, context, page, size)
               ? page
               : NULL;
}

/* The cells of `size` bytes at the offsets of the lanes. */
static void gather_cells(struct order *order, const struct access_context *context, uint64_t mask,
                         const uint64_t offsets[ORDER_LANES], uint32_t size,
                         struct gathered *gathered)
{
    const unsigned size_shift = (unsigned)__builtin_ctz(size);
    const uint32_t stamp = ++order->stamp;
    const struct shadow_page *page = NULL; /* of the lane before, if it is ready */
    uint64_t index = UINT64_MAX;
    uint64_t found = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        const uint64_t offset = offsets[lane];
        if (offset >> SHADOW_PAGE_SHIFT != index) {
            index = offset >> SHADOW_PAGE_SHIFT;
            page = make_ready(order, context, (size_t)index,
                              (uint32_t)offset & (SHADOW_PAGE_SIZE - 1), size);
        }
        uint32_t *seen = &order->stamps[(offset >> size_shift) % ORDER_STAMPS];
        if (page == NULL || *seen == stamp || (offset & (size - 1)) != 0) {
            continue;
        }
        const uint32_t cell = ((uint32_t)offset & (SHADOW_PAGE_SIZE - 1)) >> size_shift;
        *seen = stamp;
        gathered->pages[lane] = page;
        gathered->cells[lane] = cell;
        gathered->w[lane] = page->w[cell];
        gathered->r[lane] = page->r[cell];
        gathered->n[lane] = page->n == NULL ? 0 : page->n[cell];
        found |= mask & -mask;
    }
    gathered->mask = found;
}

/* One cell of each lane. Returns the lanes that need a closer look. */
static uint64_t access_gathered(struct order *order, const struct access_context *context,
                                uint64_t mask, const uint64_t offsets[ORDER_LANES], uint32_t size)
{
    struct gathered gathered;
    cell_mask good[ORDER_LANES];
    const bool writes = context->access->kind == OBSERVER_WRITE;
    const uint32_t first = entry_make(context->record, 0);
    const uint32_t kind = context->updates ? ENTRY_ATOMIC : 0;
    const struct cells copies = {gathered.w, gathered.r, gathered.n};
    gather_cells(order, context, mask, offsets, size, &gathered);
    if (writes) {
        cell_loops()->write_each(copies, first, &context->floors, good);
    } else {
        cell_loops()->add_each(copies, first, kind, &context->floors, good);
    }
    for (uint64_t left = gathered.mask; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        const struct shadow_page *page = gathered.pages[lane];
        const uint32_t cell = gathered.cells[lane];
        if (!good[lane] || ((gathered.n[lane] | kind) != 0 && page->n == NULL)) {
            continue;
        }
        if (writes) {
            page->w[cell] = gathered.w[lane];
        }
        page->r[cell] = gathered.r[lane];
        if (page->n != NULL) {
            page->n[cell] = gathered.n[lane];
        }
        mask &= ~(left & -left);
    }
    return mask;
}

/* The cells that the access consists of: of its own size, or smaller where another size or place
 * asked for that, as of vectors that are accessed by component, too. */
static uint32_t cell_size(const struct order *order, const struct access_context *context,
                          uint64_t offset)
{
    const struct lane_access *access = context->access;
    const uint32_t own = access->size & (0 - access->size);
    const uint32_t most = own >> SHADOW_GRANULE_SHIFT_MAX ? 1U << SHADOW_GRANULE_SHIFT_MAX : own;
    ASSERT(offset >> SHADOW_PAGE_SHIFT < context->object->page_count);
    const struct shadow_page *page = &context->object->pages[offset >> SHADOW_PAGE_SHIFT];
    const bool finer =
        page->generation == order->generation[context->region] && 1U << page->granule_shift < most;
    return finer ? 1U << page->granule_shift : most;
}

/* Lanes of cells anywhere, all at once as far as they need no closer look and are the first of
 * their cell (or of one with the same stamp); the others, in order, afterwards. A lane that has
 * accessed some of its cells before that does so again, which changes nothing. */
static void access_gather(struct order *order, const struct access_context *context, uint64_t mask)
{
    const struct lane_access *access = context->access;
    uint64_t offsets[ORDER_LANES];
    uint64_t closer = 0;
    lane_offsets(access, offsets);
    const uint32_t size = cell_size(order, context, offsets[__builtin_ctzll(mask)]);
    if (access->size > GATHER_CELLS_MAX * size || (access->size != size && context->updates)) {
        access_lanes(order, context, mask);
        return;
    }
    for (uint32_t at = 0; at < access->size && closer != mask; at += size) {
        for (uint32_t lane = 0; at > 0 && lane < ORDER_LANES; lane++) {
            offsets[lane] += size;
        }
        closer |= access_gathered(order, context, mask & ~closer, offsets, size);
    }
    access_lanes(order, context, closer);
}

/* Is the cell one that every strand of the vector may access so, and that stays as it is? */
static inline bool uniform_settled(const struct access_context *context, struct cells cell)
{
    const uint32_t n = cell.n == NULL ? 0 : *cell.n;
    if (context->access->kind == OBSERVER_READ) {
        return cell_settled(context->floors, *cell.w, *cell.r, n);
    }
    return context->updates && cell_settled_updates(context->floors, *cell.w, *cell.r, n);
}

/* All lanes of the mask access the same bytes: the first and the last count, which are as far apart
 * as any two. What is ordered before both, or in an inclusive scope with both, is so for those
 * between; and of writes, each of which races with the next, one race is as good as all. */
static void access_uniform(struct order *order, const struct access_context *context, uint64_t mask)
{
    const uint32_t first = (uint32_t)__builtin_ctzll(mask);
    const uint32_t last = ORDER_LANES - 1 - (uint32_t)__builtin_clzll(mask);
    const uint64_t offset = lane_offset(context->access, first);
    struct cells cells = {0};
    uint32_t left = 0;
    if (ready_cells(order, context, offset, &cells, &left) &&
        (uniform_settled(context, cells) ||
         (context->access->kind == OBSERVER_READ &&
          read_pair_fast(context->floors, cells, entry_make(context->record, first),
                         entry_make(context->record, last))) ||
         (access_cell_fast(context, cells, first) && access_cell_fast(context, cells, last)))) {
        return;
    }
    access_lane(order, context, offset, first);
    if (last != first) {
        access_lane(order, context, offset, last);
    }
}

static uint64_t lane_mask(uint32_t first, uint32_t count)
{
    return (count == ORDER_LANES ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1) << first;
}

/* `count` lanes from `lane` on, whose bytes follow one another from `within` the page on, a stride
 * from each to the next. */
static bool access_cells(struct order *order, const struct access_context *context,
                         struct shadow_page *page, uint32_t within, uint32_t lane, uint32_t count)
{
    const struct lane_access *access = context->access;
    const unsigned lane_shift =
        (unsigned)__builtin_ctzll((uint64_t)access->stride) - page->granule_shift;
    const struct cell_run run = {
        .count = count << lane_shift,
        .first = entry_make(context->record, lane),
        .lane_shift = lane_shift,
        .taken = access->size >> page->granule_shift,
    };
    const uint32_t cell = within >> page->granule_shift;
    if (access->stride != (int64_t)access->size && lane_shift > GAP_SHIFT_MAX) {
        return false;
    }
    if (context->acquires &&
        (context->overwrites || (page->n != NULL && access->kind == OBSERVER_READ))) {
        return false;
    }
    if (access->kind == OBSERVER_WRITE) {
        return shadow_page_write(&order->shadow, page) &&
               cell_loops()->write(page_cells(page, cell), run, &context->floors);
    }
    return shadow_page_single(&order->shadow, page) &&
           (cell_loops()->read(page_cells(page, cell), run, &context->floors) ||
            (page->n == NULL && !context->acquires && shadow_page_pair(&order->shadow, page) &&
             cell_loops()->read(page_cells(page, cell), run, &context->floors)));
}

static void access_scattered(struct order *order, const struct access_context *context,
                             uint64_t mask);

/* Lanes [lane, end), whose bytes follow one another from `offset` on; the access is plain and its
 * stride a power of two. */
static void access_run(struct order *order, const struct access_context *context, uint64_t offset,
                       uint32_t lane, uint32_t end)
{
    const struct lane_access *access = context->access;
    const bool gaps = access->stride != (int64_t)access->size;
    const unsigned stride_shift = (unsigned)__builtin_ctzll((uint64_t)access->stride);
    while (lane < end) {
        const uint32_t within = (uint32_t)offset & (SHADOW_PAGE_SIZE - 1);
        uint32_t count = (SHADOW_PAGE_SIZE - within) >> stride_shift;
        count = count < end - lane ? count : end - lane;
        struct shadow_page *page = NULL;
        if (count > 0) {
            page = get_page(order, context, offset >> SHADOW_PAGE_SHIFT, within, access->size);
        }
        const bool done = page != NULL && access_cells(order, context, page, within, lane, count);
        /* Something for the slow way, or an element across the end of the page. */
        count = count > 0 ? count : 1;
        if (!done && gaps) {
            access_scattered(order, context, lane_mask(lane, count));
        } else if (!done) {
            access_lanes(order, context, lane_mask(lane, count));
        }
        lane += count;
        offset += (uint64_t)count << stride_shift;
    }
}

static bool is_gatherable(const struct access_context *context)
{
    const struct lane_access *access = context->access;
    return (!access_is_atomic(access->kind) || context->updates) &&
           (access->offsets != NULL || access->stride != 0);
}

/* Many lanes of a gatherable access, not one after the other. */
static void access_scattered(struct order *order, const struct access_context *context,
                             uint64_t mask)
{
    if (__builtin_popcountll(mask) >= GATHER_LANES_MIN && !context->acquires) {
        access_gather(order, context, mask);
    } else {
        access_lanes(order, context, mask);
    }
}

/* The lanes of `mask` lie one after the other: run by run of consecutive lanes. */
static void access_runs(struct order *order, const struct access_context *context, uint64_t mask)
{
    if (__builtin_popcountll(mask & ~(mask << 1)) > RUNS_MAX) {
        access_scattered(order, context, mask);
        return;
    }
    while (mask != 0) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(mask);
        const uint64_t shifted = ~(mask >> lane);
        const uint32_t length = shifted == 0 ? ORDER_LANES : (uint32_t)__builtin_ctzll(shifted);
        const uint64_t run = lane_mask(lane, length);
        if (length >= RUN_LANES_MIN) {
            access_run(order, context, lane_offset(context->access, lane), lane, lane + length);
        } else {
            access_lanes(order, context, run);
        }
        mask &= ~run;
    }
}

/* One after the other, maybe with gaps between. */
static bool is_row(const struct access_context *context)
{
    const struct lane_access *access = context->access;
    return !access_is_atomic(access->kind) && access->offsets == NULL &&
           access->stride >= (int64_t)access->size && access->stride <= STRIDE_MAX &&
           (access->stride & (access->stride - 1)) == 0;
}

static bool is_consecutive(const struct access_context *context)
{
    return is_row(context) && context->access->stride == (int64_t)context->access->size;
}

static void access_pattern(struct order *order, const struct access_context *context, uint64_t mask)
{
    const struct lane_access *access = context->access;
    if (access->offsets == NULL && access->stride == 0) {
        access_uniform(order, context, mask);
    } else if (is_row(context)) {
        access_runs(order, context, mask);
    } else if (is_gatherable(context)) {
        access_scattered(order, context, mask);
    } else {
        access_lanes(order, context, mask);
    }
}

/* Do all runs read the same cells one after the other, without a need to note it? */
static bool runs_settled(const struct order *order, const struct access_context *context)
{
    const struct lane_access *access = context->access;
    struct cells cells = {0};
    uint32_t left = 0;
    return access->stride == (int64_t)access->size &&
           ready_cells(order, context, access->offset, &cells, &left) && left >= access->run &&
           cell_loops()->settled(cells, access->run, &context->floors);
}

/* Run by run, each a pattern of its own. Of runs that all read the same places the first and the
 * last count, as of lanes that do. */
static void access_tiles(struct order *order, const struct access_context *context)
{
    const struct lane_access *access = context->access;
    const uint32_t run = access->run;
    const bool reads = access->kind == OBSERVER_READ;
    const bool repeats = reads && access->jump == 0 && access->mask == ~UINT64_C(0);
    ASSERT(access->offsets == NULL && run < ORDER_LANES && (run & (run - 1)) == 0);
    if (repeats && runs_settled(order, context)) {
        return;
    }
    const bool consecutive = is_consecutive(context) && run >= 2 * RUN_LANES_MIN;
    if (!repeats && !consecutive && is_gatherable(context)) {
        access_scattered(order, context, access->mask);
        return;
    }
    struct lane_access part = *access;
    struct access_context part_context = *context;
    part.run = 0;
    part_context.access = &part;
    for (uint32_t lane = 0; lane < ORDER_LANES; lane += run) {
        const uint64_t mask = access->mask & lane_mask(lane, run);
        if (mask == 0 || (repeats && lane != 0 && lane != ORDER_LANES - run)) {
            continue;
        }
        if (reads && access->stride == 0) {
            access_uniform(order, context, mask);
            continue;
        }
        if (consecutive && mask == lane_mask(lane, run)) {
            access_run(order, context, lane_offset(access, lane), lane, lane + run);
            continue;
        }
        part.mask = mask;
        part.offset = access->offset + (uint64_t)((int64_t)(lane / run) * access->jump) -
                      (uint64_t)((int64_t)lane * access->stride);
        access_pattern(order, &part_context, mask);
    }
}

/* Lane by lane, in the order in which they act: each acquires what the one before released. */
static void access_atomically(struct order *order, const struct access_context *context,
                              const struct access_context *reading)
{
    const struct lane_access *access = context->access;
    const uint8_t *lane_order = access->atomic != NULL ? access->atomic->lane_order : NULL;
    const bool updates = access->kind == OBSERVER_ATOMIC_RMW;
    for (uint32_t i = 0; i < ORDER_LANES; i++) {
        const uint32_t lane = lane_order != NULL ? lane_order[i] : i;
        if ((access->mask >> lane & 1) == 0) {
            continue;
        }
        const bool only_reads =
            access->kind == OBSERVER_ATOMIC_READ || (lanes_only_reading(access) >> lane & 1) != 0;
        const struct access_context *does = only_reads ? reading : context;
        const struct sync_access sync = {
            .object = context->object,
            .region = context->region,
            .offset = lane_offset(access, lane),
            .size = access->size,
            .lane = lane,
            .slot = order_slot(does->access->site, does->access->kind),
            .scope = context->scope,
            .order = does->access->order,
            .updates = updates,
            .inert = order->inert_apart && access->atomic != NULL && access->atomic->is_inert,
        };
        if (does->sizes_mix) {
            sizes_check(order, does, sync.offset, lane);
        }
        sync_count(order, lane);
        if (only_reads || updates) {
            sync_read(order, &sync);
            if (order->narrow_fences) {
                fences_read(order, context->told, &sync);
            }
        }
        access_lane(order, does, sync.offset, lane);
        if (!only_reads) {
            sync_write(order, &sync);
            if (order->narrow_fences) {
                fences_store(order, &sync);
            }
        }
    }
    if (access->kind >= OBSERVER_ATOMIC_WRITE && order_releases(access->order)) {
        engine_end_interval(order);
    }
}

/* What the lanes do whose compare-exchange fails. */
static struct lane_access failing_part(const struct lane_access *access)
{
    struct lane_access reading = *access;
    reading.kind = OBSERVER_ATOMIC_READ;
    reading.order = access->atomic->failure_order;
    reading.mask = access->atomic->only_reading;
    reading.atomic = NULL;
    return reading;
}

/* In launches that acquire. */
static void access_acquiring(struct order *order, const struct access_context *context)
{
    const struct lane_access *access = context->access;
    sync_collect(order, NULL);
    engine_collect_histories(order, context->region);
    if (!access_is_atomic(access->kind)) {
        if (access->run == 0 && is_consecutive(context)) {
            access_runs(order, context, access->mask);
        } else {
            access_lanes(order, context, access->mask);
        }
        return;
    }
    if (lanes_only_reading(access) == 0) {
        access_atomically(order, context, context);
        return;
    }
    const struct lane_access reading = failing_part(access);
    struct access_context reading_context = *context;
    reading_context.access = &reading;
    reading_context.class = reader_class(reading.kind, context->scope);
    acquiring_note_rivals(order, &reading_context);
    reading_context.record =
        row_record(order, order_slot(reading.site, reading.kind), reading.size);
    if (reading_context.record == 0) {
        order->incomplete = true;
        return;
    }
    access_atomically(order, context, &reading_context);
}

/* Notes the size of an atomic access. Have there been several in this launch? */
static bool note_atomic_size(const struct order *order, struct order_object *object, uint32_t size)
{
    if (object->atomic_launch != order->launch) {
        object->atomic_launch = order->launch;
        object->atomic_sizes = 0;
    }
    object->atomic_sizes |= size;
    return object->atomic_sizes != size;
}

static enum observer_scope scope_of(const struct order *order, const struct order_object *object,
                                    const struct lane_access *access)
{
    const enum observer_scope widest = order_object_widest(object);
    const enum observer_scope said = order->device_scope ? OBSERVER_SCOPE_DEVICE : access->scope;
    return said < widest ? said : widest;
}

void judge_recorded(struct order *order, struct order_object *object,
                    const struct lane_access *access, const struct lane_access *told,
                    uint32_t record)
{
    const enum order_region region = object->region;
    const enum order_region floor = access->is_texel ? ORDER_TEXELS : region;
    const enum observer_scope scope = scope_of(order, object, access);
    struct access_context context = {
        .object = object,
        .access = access,
        .region = region,
        .floor = floor,
        .scope = scope,
        .class = reader_class(access->kind, scope),
        .updates = access->kind >= OBSERVER_ATOMIC_WRITE && scope == order->readers[region].widest,
        .record = record,
        .told = told,
        .floors = row_floors(order, floor),
        .acquires = order->acquires,
    };
    order->now->region_used[floor] = true;
    context.sizes_mix =
        access_is_atomic(access->kind) && note_atomic_size(order, object, access->size);
    context.updates = context.updates && !context.sizes_mix;
    if (order->acquires) {
        acquiring_note_rivals(order, &context);
        context.overwrites = access->kind == OBSERVER_WRITE && object->synced == order->launch;
        access_acquiring(order, &context);
        return;
    }
    for (uint64_t left = context.sizes_mix ? access->mask : 0; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        sizes_check(order, &context, lane_offset(access, lane), lane);
    }
    if (access->run == 0) {
        access_pattern(order, &context, access->mask);
    } else {
        access_tiles(order, &context);
    }
}

/* `told` is the access as it was given, of which `access` may be some lanes. */
static void judge_part(struct order *order, struct order_object *object,
                       const struct lane_access *access, const struct lane_access *told)
{
    const uint32_t record = row_record(order, order_slot(access->site, access->kind), access->size);
    if (record == 0) {
        order->incomplete = true;
        return;
    }
    judge_recorded(order, object, access, told, record);
}

void judge_access(struct order *order, struct order_object *object,
                  const struct lane_access *access)
{
    if (shadow_is_wide_open(&order->shadow)) {
        shadow_pack_oldest(&order->shadow);
    }
    const uint64_t only_reading = lanes_only_reading(access);
    if (order->acquires || only_reading == 0) {
        judge_part(order, object, access, access);
        return;
    }
    /* Without acquire and release a compare-exchange that fails is just an atomic read. */
    const struct lane_access reading = failing_part(access);
    struct lane_access updating = *access;
    updating.mask = access->mask & ~only_reading;
    if (updating.mask != 0) {
        judge_part(order, object, &updating, access);
    }
    judge_part(order, object, &reading, access);
}
