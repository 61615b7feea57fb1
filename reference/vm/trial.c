#include "reference/vm/trial.h"

#include "reference/vm/defined.h"
#include "reference/vm/svm.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

enum {
    PAGE_SHIFT = 12,
    PAGE_SIZE = 1 << PAGE_SHIFT,
    PAGE_WORDS = PAGE_SIZE / 64, /* of a bit for each byte */
    OBJECTS_MAX = 32,            /* of a trial; who touches more leaves it */
    RECENT_OBJECTS = 16
};

/* What stood in a page before a part wrote to it first. */
struct saved_page {
    uint8_t bytes[PAGE_SIZE];
    uint64_t undefined[PAGE_WORDS];
};

/* A page as all parts see it. */
struct shared_page {
    struct saved_page *saved; /* NULL = not yet; &being_saved: somebody is at it */
    uint32_t toucher;         /* the part that touched it, + 1; TOUCHED_BY_SEVERAL; 0 = none */
};
#define TOUCHED_BY_SEVERAL UINT32_MAX
static struct saved_page being_saved;

struct trial_object {
    const struct vm_object *root;
    bool only_read; /* nothing of it is noted */
    uint64_t page_count;
    struct shared_page *pages;
};

/* What a part does with a byte. Updates are atomic read-modify-writes of one kind, whose order
 * changes nothing as nobody uses what they find. */
enum use { USE_READ, USE_WRITE, USE_UPDATE, USE_COUNT };

/* A page as one part has touched it. */
struct touched_page {
    uint64_t *uses[USE_COUNT]; /* PAGE_WORDS; NULL = not so used */
    bool can_be_written;       /* it is saved, or need not be */
};

/* Pages that several parts have touched, so many together as who looks at them takes. */
enum { SHARED_TOGETHER = 15 };
struct shared_pages {
    struct shared_pages *next;
    uint32_t count;
    struct {
        uint64_t index;
        uint32_t object;
    } pages[SHARED_TOGETHER];
};

/* Memory for pages, kept for the next trial: fresh pages of the system cost as much as to note what
 * happens in them. */
enum { SLAB_SIZE = 1 << 20, SLABS_KEPT_MAX = 64 };
struct slab {
    struct slab *next;
    size_t used;
    _Alignas(64) unsigned char bytes[SLAB_SIZE];
};

struct trial_part {
    struct trial *trial;
    uint32_t index;
    bool left;
    uint32_t update_site; /* of an update that is one wherever it goes, + 1; 0 = none */
    struct slab *slabs;   /* its own, the one that is being filled first */
    /* The pages that it was the second part to touch, so that each that is shared is one part's. */
    struct shared_pages *shared;
    uint64_t shared_count;
    struct recent_object {
        const struct vm_object *root; /* NULL = none */
        uint32_t index;
    } recent[RECENT_OBJECTS];                   /* by the root's id, modulo their number */
    struct touched_page **touched[OBJECTS_MAX]; /* by object and page; NULL where nothing was */
};

struct trial {
    bool failed;
    uint64_t slab_count, slab_limit;
    uint32_t update; /* the op and width of all updates; 0 = there was none */
    trial_only_read *only_read;
    const void *user;
    pthread_mutex_t lock; /* of adding objects */
    uint32_t object_count;
    struct trial_object objects[OBJECTS_MAX];
    uint32_t part_count;
    struct trial_part parts[];
};

/* ---- memory ---- */

static pthread_mutex_t slabs_lock = PTHREAD_MUTEX_INITIALIZER;
static struct slab *kept_slabs;
static uint32_t kept_slab_count;

static struct slab *take_slab(void)
{
    pthread_mutex_lock(&slabs_lock);
    struct slab *slab = kept_slabs;
    if (slab) {
        kept_slabs = slab->next;
        kept_slab_count--;
    }
    pthread_mutex_unlock(&slabs_lock);
    return slab ? slab : alloc_spare(1, sizeof *slab);
}

static void give_slabs(struct slab *slabs)
{
    pthread_mutex_lock(&slabs_lock);
    while (slabs) {
        struct slab *next = slabs->next;
        if (kept_slab_count < SLABS_KEPT_MAX) {
            slabs->next = kept_slabs;
            kept_slabs = slabs;
            kept_slab_count++;
        } else {
            alloc_free(slabs);
        }
        slabs = next;
    }
    pthread_mutex_unlock(&slabs_lock);
}

void trial_give_back(void)
{
    pthread_mutex_lock(&slabs_lock);
    while (kept_slabs) {
        struct slab *next = kept_slabs->next;
        alloc_free(kept_slabs);
        kept_slabs = next;
    }
    kept_slab_count = 0;
    pthread_mutex_unlock(&slabs_lock);
}

/* Memory that still holds what was there before, until the trial is destroyed; NULL = none. */
static void *take(struct trial_part *part, size_t size)
{
    const size_t bytes = (size + 63) / 64 * 64;
    struct slab *slab = part->slabs;
    if (!slab || bytes > SLAB_SIZE - slab->used) {
        struct trial *trial = part->trial;
        const uint64_t count = __atomic_add_fetch(&trial->slab_count, 1, __ATOMIC_RELAXED);
        slab = count <= trial->slab_limit ? take_slab() : NULL;
        if (!slab)
            return NULL;
        slab->next = part->slabs;
        slab->used = 0;
        part->slabs = slab;
    }
    slab->used += bytes;
    return slab->bytes + slab->used - bytes;
}

/* ---- life ---- */

struct trial *trial_create(uint32_t part_count, uint64_t memory_limit, trial_only_read *only_read,
                           const void *user)
{
    struct trial *trial = alloc_spare(1, sizeof *trial + part_count * sizeof trial->parts[0]);
    if (!trial)
        return NULL;
    if (pthread_mutex_init(&trial->lock, NULL) != 0) {
        alloc_free(trial);
        return NULL;
    }
    trial->only_read = only_read;
    trial->user = user;
    trial->slab_limit = memory_limit / SLAB_SIZE;
    trial->part_count = part_count;
    for (uint32_t i = 0; i < part_count; i++) {
        trial->parts[i].trial = trial;
        trial->parts[i].index = i;
    }
    return trial;
}

static void part_release(struct trial_part *part)
{
    for (uint32_t i = 0; i < part->trial->object_count; i++)
        alloc_free(part->touched[i]);
    give_slabs(part->slabs);
}

void trial_destroy(struct trial *trial)
{
    if (!trial)
        return;
    for (uint32_t i = 0; i < trial->part_count; i++)
        part_release(&trial->parts[i]);
    for (uint32_t i = 0; i < trial->object_count; i++)
        alloc_free(trial->objects[i].pages);
    pthread_mutex_destroy(&trial->lock);
    alloc_free(trial);
}

struct trial_part *trial_part_get(struct trial *trial, uint32_t index)
{
    ASSERT(index < trial->part_count);
    return &trial->parts[index];
}

bool trial_part_is_first(const struct trial_part *part)
{
    return part->index == 0;
}

void trial_fail(struct trial *trial)
{
    __atomic_store_n(&trial->failed, true, __ATOMIC_RELAXED);
}

bool trial_has_failed(const struct trial *trial)
{
    return __atomic_load_n(&trial->failed, __ATOMIC_RELAXED);
}

bool trial_part_is_idle(const struct trial_part *part)
{
    return trial_has_failed(part->trial) && !trial_part_is_first(part);
}

/* May the access take place nevertheless? Those of the first part are in order: only what others
 * would do beside it cannot be proven any more. */
static bool leave(struct trial_part *part)
{
    part->left = true;
    trial_fail(part->trial);
    return trial_part_is_first(part);
}

/* ---- objects ---- */

/* Locked. Its number, or OBJECTS_MAX. */
static uint32_t add_object(struct trial *trial, const struct vm_object *root)
{
    const uint32_t index = trial->object_count;
    if (index == OBJECTS_MAX)
        return OBJECTS_MAX;
    struct trial_object *object = &trial->objects[index];
    object->root = root;
    object->only_read = trial->only_read(trial->user, root->identity.id);
    if (!object->only_read) {
        object->page_count = (root->size >> PAGE_SHIFT) + 1;
        object->pages = alloc_spare(object->page_count, sizeof *object->pages);
        if (!object->pages)
            return OBJECTS_MAX;
    }
    __atomic_store_n(&trial->object_count, index + 1, __ATOMIC_RELEASE);
    return index;
}

static uint32_t find_object(const struct trial *trial, const struct vm_object *root)
{
    const uint32_t count = __atomic_load_n(&trial->object_count, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < count; i++) {
        if (trial->objects[i].root == root)
            return i;
    }
    return OBJECTS_MAX;
}

/* The number of the object, added if need be; OBJECTS_MAX where it cannot be. */
static uint32_t meet_object(struct trial_part *part, const struct vm_object *root)
{
    struct trial *trial = part->trial;
    uint32_t index = find_object(trial, root);
    if (index == OBJECTS_MAX) {
        pthread_mutex_lock(&trial->lock);
        index = find_object(trial, root);
        if (index == OBJECTS_MAX)
            index = add_object(trial, root);
        pthread_mutex_unlock(&trial->lock);
    }
    if (index == OBJECTS_MAX)
        return index;
    const struct trial_object *object = &trial->objects[index];
    if (!part->touched[index] && !object->only_read) {
        part->touched[index] = alloc_spare(object->page_count, sizeof *part->touched[index]);
        if (!part->touched[index])
            return OBJECTS_MAX;
    }
    return index;
}

static inline uint32_t get_object(struct trial_part *part, const struct vm_object *root)
{
    struct recent_object *recent = &part->recent[root->identity.id % RECENT_OBJECTS];
    if (recent->root == root)
        return recent->index;
    const uint32_t index = meet_object(part, root);
    if (index != OBJECTS_MAX)
        *recent = (struct recent_object){root, index};
    return index;
}

/* ---- pages ---- */

static uint64_t page_bytes(const struct vm_object *root, uint64_t index)
{
    const uint64_t left = root->size - (index << PAGE_SHIFT);
    return left < PAGE_SIZE ? left : PAGE_SIZE;
}

static struct saved_page *copy_page(struct trial_part *part, const struct vm_object *root,
                                    uint64_t index)
{
    struct saved_page *saved = take(part, sizeof *saved);
    const uint64_t size = page_bytes(root, index);
    if (!saved)
        return NULL;
    memcpy(saved->bytes, root->bytes + (index << PAGE_SHIFT), size);
    if (root->undefined)
        memcpy(saved->undefined, root->undefined + index * PAGE_WORDS,
               (size + 63) / 64 * sizeof saved->undefined[0]);
    return saved;
}

/* Nobody writes to a page that is not saved, so that the copy holds what was there before. False
 * when memory is out. */
static bool save_page(struct trial_part *part, const struct trial_object *object, uint64_t index)
{
    struct shared_page *page = &object->pages[index];
    struct saved_page *saved = __atomic_load_n(&page->saved, __ATOMIC_ACQUIRE);
    if (!saved && __atomic_compare_exchange_n(&page->saved, &saved, &being_saved, false,
                                              __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
        saved = copy_page(part, object->root, index);
        __atomic_store_n(&page->saved, saved, __ATOMIC_RELEASE);
    }
    while (saved == &being_saved) {
        sched_yield();
        saved = __atomic_load_n(&page->saved, __ATOMIC_ACQUIRE);
    }
    return saved != NULL;
}

static bool add_shared(struct trial_part *part, uint32_t object, uint64_t index)
{
    struct shared_pages *shared = part->shared;
    if (!shared || shared->count == SHARED_TOGETHER) {
        shared = take(part, sizeof *shared);
        if (!shared)
            return false;
        shared->next = part->shared;
        shared->count = 0;
        part->shared = shared;
    }
    shared->pages[shared->count].object = object;
    shared->pages[shared->count].index = index;
    shared->count++;
    part->shared_count++;
    return true;
}

static struct touched_page *touch_page(struct trial_part *part, uint32_t object, uint64_t index)
{
    struct touched_page *page = take(part, sizeof *page);
    struct shared_page *shared = &part->trial->objects[object].pages[index];
    uint32_t toucher = 0;
    if (!page)
        return NULL;
    *page = (struct touched_page){.can_be_written = part->index == 0};
    if (!__atomic_compare_exchange_n(&shared->toucher, &toucher, part->index + 1, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED) &&
        toucher != TOUCHED_BY_SEVERAL &&
        __atomic_exchange_n(&shared->toucher, TOUCHED_BY_SEVERAL, __ATOMIC_RELAXED) !=
            TOUCHED_BY_SEVERAL &&
        !add_shared(part, object, index))
        return NULL;
    part->touched[object][index] = page;
    return page;
}

static uint64_t *begin_use(struct trial_part *part, struct touched_page *page, enum use use)
{
    const size_t size = PAGE_WORDS * sizeof(uint64_t);
    uint64_t *bits = take(part, size);
    if (bits)
        memset(bits, 0, size);
    page->uses[use] = bits;
    return bits;
}

/* The bits of the page that the use sets; NULL when memory is out. */
static inline uint64_t *page_bits(struct trial_part *part, uint32_t object, uint64_t index,
                                  enum use use)
{
    ASSERT(index < part->trial->objects[object].page_count);
    struct touched_page *page = part->touched[object][index];
    if (!page) {
        page = touch_page(part, object, index);
        if (!page)
            return NULL;
    }
    if (use != USE_READ && !page->can_be_written) {
        if (!save_page(part, &part->trial->objects[object], index))
            return NULL;
        page->can_be_written = true;
    }
    return page->uses[use] ? page->uses[use] : begin_use(part, page, use);
}

/* ---- notes ---- */

static void set_bits(uint64_t *words, uint32_t first, uint32_t count)
{
    const uint32_t begin = first / 64;
    const uint32_t end = (first + count - 1) / 64;
    const uint64_t head = ~UINT64_C(0) << first % 64;
    const uint64_t tail = bits_low((first + count - 1) % 64 + 1);
    if (begin == end) {
        words[begin] |= head & tail;
        return;
    }
    words[begin] |= head;
    for (uint32_t word = begin + 1; word < end; word++)
        words[word] = ~UINT64_C(0);
    words[end] |= tail;
}

/* Bytes one after the other. */
static bool note_bytes(struct trial_part *part, uint32_t object, enum use use, uint64_t first,
                       uint64_t size)
{
    while (size > 0) {
        const uint32_t within = (uint32_t)(first & (PAGE_SIZE - 1));
        const uint64_t count = size < PAGE_SIZE - within ? size : PAGE_SIZE - within;
        uint64_t *bits = page_bits(part, object, first >> PAGE_SHIFT, use);
        if (!bits)
            return false;
        set_bits(bits, within, (uint32_t)count);
        first += count;
        size -= count;
    }
    return true;
}

static bool note_lanes(struct trial_part *part, uint32_t object, enum use use, uint32_t size,
                       const struct access_span *span)
{
    const uint64_t start = span->object->root_offset;
    const uint64_t bytes = bits_low(size);
    uint64_t *bits = NULL;
    uint64_t index = UINT64_MAX;
    FOR_EACH_LANE(lane, span->mask) {
        const uint64_t first = start + access_place(span, lane);
        const uint32_t within = (uint32_t)(first & (PAGE_SIZE - 1));
        if (first % 64 + size > 64) { /* not in one word */
            if (!note_bytes(part, object, use, first, size))
                return false;
            continue;
        }
        if (first >> PAGE_SHIFT != index) {
            index = first >> PAGE_SHIFT;
            bits = page_bits(part, object, index, use);
            if (!bits)
                return false;
        }
        bits[within / 64] |= bytes << within % 64;
    }
    return true;
}

static bool note_span(struct trial_part *part, uint32_t object, enum use use, uint32_t size,
                      const struct access_span *span)
{
    const uint64_t start = span->object->root_offset;
    if (span_uniform(span))
        return note_bytes(part, object, use, start + span->place, size);
    if (span_consecutive(span, size))
        return note_bytes(part, object, use, start + access_place(span, span->first),
                          (uint64_t)(span->last - span->first + 1) * size);
    if (!span->strided || span->stride != (int64_t)size || span->run_shift == ACCESS_NO_RUNS)
        return note_lanes(part, object, use, size, span);
    const uint32_t run = 1U << span->run_shift;
    bool noted = true;
    for (uint32_t lane = 0; lane < VM_LANES && noted; lane += run)
        noted =
            note_bytes(part, object, use, start + access_place(span, lane), (uint64_t)run * size);
    return noted;
}

/* ---- updates ---- */

/* Are all updates of the trial, which need not be many, of this kind? */
static bool is_same_update(struct trial *trial, const struct vm_instruction *in)
{
    const uint32_t update = (uint32_t)in->op << 8 | in->width;
    uint32_t found = 0;
    return __atomic_compare_exchange_n(&trial->update, &found, update, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED) ||
           found == update;
}

/* Do all work-groups have to agree that it is atomic, so that no race is to be told? */
static bool reaches_all(const struct vm_run *run, const struct access *access)
{
    const uint32_t version = run->code->opencl_c_version;
    return !run->observer || access->scope >= OBSERVER_SCOPE_DEVICE ||
           (version > 0 && version < 200);
}

/* Do the addresses of all lanes divide by the width, a power of two, and is what is there defined?
 * Lane by lane in a gather: where one updates by places, often few are active. */
static bool can_be_updated(const struct access_span *span, uint32_t width)
{
    const uint64_t *undefined = span->object->undefined;
    uint64_t addresses = (uintptr_t)span->object->bytes;
    if (span->strided) {
        addresses |= span->place | (uint64_t)span->stride | (uint64_t)span->jump;
        return addresses % width == 0 && span_defined(span, width);
    }
    uint64_t bits = 0;
    uint64_t found = 0;
    FOR_EACH_LANE(lane, span->mask) {
        const uint64_t bit = span_bit(span, (uint32_t)lane);
        addresses |= span->places[lane];
        bits |= bit;
        found |= undefined ? bits_word(&undefined[bit / 64]) >> bit % 64 : 0;
    }
    return addresses % width == 0 && lanes_bits_clear(found, bits, width);
}

/* Is it one wherever it goes? What was found last is remembered. */
static bool updates(struct trial_part *part, const struct access *access,
                    const struct vm_instruction *in)
{
    const struct vm_run *run = access->vector->run;
    if (part->update_site == access->site + 1)
        return true;
    const bool is_one = in->width >= 4 && vm_op_commutes((enum vm_op)in->op) &&
                        run->code->atomics[in->aux].is_unused && reaches_all(run, access) &&
                        is_same_update(part->trial, in);
    if (is_one)
        part->update_site = access->site + 1;
    return is_one;
}

/* Of bytes and values that are undefined the first update in order would be to blame. */
static bool is_update(struct trial_part *part, const struct access *access,
                      const struct access_span *span)
{
    const struct vm_vector *vector = access->vector;
    const struct vm_instruction *in = &vector->run->code->instructions[access->site];
    return updates(part, access, in) && (vector->undefined[in->b] & span->mask) == 0 &&
           can_be_updated(span, in->width);
}

/* ---- the gate ---- */

/* The first part has run in order; of the others, what a read-modify-write finds depends on who
 * came before. */
static bool note_modify(struct trial_part *part, uint32_t object, const struct access *access,
                        const struct access_span *span)
{
    if (is_update(part, access, span))
        return note_span(part, object, USE_UPDATE, access->size, span);
    return part->index == 0 && note_span(part, object, USE_READ, access->size, span) &&
           note_span(part, object, USE_WRITE, access->size, span);
}

/* The number of the object of which something is to be noted; OBJECTS_MAX: the part has left. */
static inline uint32_t noted_object(struct trial_part *part, const struct vm_object *root)
{
    const uint32_t index = part->left ? OBJECTS_MAX : get_object(part, root);
    /* Of memory that is used beside the host, that may see, and change, what lies there. */
    const bool good = index != OBJECTS_MAX && (part->trial->objects[index].only_read ||
                                               !svm_is_beside_host(root->identity.svm));
    if (!good)
        leave(part);
    return good ? index : OBJECTS_MAX;
}

bool trial_note_plain(struct trial_part *part, bool writes, uint32_t size,
                      const struct access_span *span)
{
    const uint32_t index = noted_object(part, span->object->root);
    if (index == OBJECTS_MAX)
        return trial_part_is_first(part);
    if (part->trial->objects[index].only_read)
        return !writes || leave(part);
    return note_span(part, index, writes ? USE_WRITE : USE_READ, size, span) || leave(part);
}

bool trial_note(struct trial_part *part, const struct access *access,
                const struct access_span *span)
{
    if (access->kind != OBSERVER_ATOMIC_RMW)
        return trial_note_plain(part, access_writes(access->kind), access->size, span);
    const uint32_t index = noted_object(part, span->object->root);
    if (index == OBJECTS_MAX)
        return trial_part_is_first(part);
    if (part->trial->objects[index].only_read)
        return leave(part);
    return note_modify(part, index, access, span) || leave(part);
}

bool trial_notes_reads(struct trial_part *part, const struct vm_object *object)
{
    const uint32_t index = noted_object(part, object->root);
    return index == OBJECTS_MAX || !part->trial->objects[index].only_read;
}

/* ---- the end ---- */

/* What all parts have done with a page. */
struct page_uses {
    uint64_t uses[USE_COUNT][PAGE_WORDS];
};

/* Of two uses of a byte by different parts. */
static bool order_matters(enum use a, enum use b)
{
    return a == USE_WRITE || b == USE_WRITE || a != b;
}

/* Adds what the part has touched of the page; true: it meets what others have. */
static bool add_touched(struct page_uses *all, const struct touched_page *own)
{
    uint64_t met = 0;
    for (enum use use = 0; use < USE_COUNT; use++) {
        for (enum use other = 0; own->uses[use] && other < USE_COUNT; other++) {
            for (uint32_t i = 0; order_matters(use, other) && i < PAGE_WORDS; i++)
                met |= own->uses[use][i] & all->uses[other][i];
        }
    }
    for (enum use use = 0; use < USE_COUNT; use++) {
        for (uint32_t i = 0; own->uses[use] && i < PAGE_WORDS; i++)
            all->uses[use][i] |= own->uses[use][i];
    }
    return met != 0;
}

static bool parts_meet_in(const struct trial *trial, uint32_t object, uint64_t page)
{
    struct page_uses all = {0};
    for (uint32_t i = 0; i < trial->part_count; i++) {
        struct touched_page *const *touched = trial->parts[i].touched[object];
        if (touched && touched[page] && add_touched(&all, touched[page]))
            return true;
    }
    return false;
}

/* Some that nobody has taken yet; NULL = none are left. */
static const struct shared_pages *take_shared(struct trial_part *part)
{
    struct shared_pages *shared = __atomic_load_n(&part->shared, __ATOMIC_ACQUIRE);
    while (shared && !__atomic_compare_exchange_n(&part->shared, &shared, shared->next, true,
                                                  __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    }
    return shared;
}

bool trial_parts_meet(struct trial *trial, uint32_t first)
{
    for (uint32_t i = 0; i < trial->part_count; i++) {
        struct trial_part *part = &trial->parts[(first + i) % trial->part_count];
        const struct shared_pages *shared;
        while ((shared = take_shared(part))) {
            for (uint32_t k = 0; k < shared->count; k++) {
                if (parts_meet_in(trial, shared->pages[k].object, shared->pages[k].index))
                    return true;
            }
        }
    }
    return false;
}

uint64_t trial_shared_pages(const struct trial *trial)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < trial->part_count; i++)
        count += trial->parts[i].shared_count;
    return count;
}

/* Byte by byte where the part wrote: the host may use others of the page. */
static void undo_written(const struct vm_object *root, uint64_t page,
                         const struct saved_page *saved, const struct touched_page *touched)
{
    uint8_t *bytes = root->bytes + (page << PAGE_SHIFT);
    uint64_t *undefined = root->undefined ? root->undefined + page * PAGE_WORDS : NULL;
    for (uint32_t word = 0; word < PAGE_WORDS; word++) {
        const uint64_t bits = (touched->uses[USE_WRITE] ? touched->uses[USE_WRITE][word] : 0) |
                              (touched->uses[USE_UPDATE] ? touched->uses[USE_UPDATE][word] : 0);
        if (bits == ~UINT64_C(0))
            memcpy(bytes + word * 64, saved->bytes + word * 64, 64);
        for (uint64_t rest = bits == ~UINT64_C(0) ? 0 : bits; rest; rest &= rest - 1) {
            const uint32_t byte = word * 64 + (uint32_t)__builtin_ctzll(rest);
            bytes[byte] = saved->bytes[byte];
        }
        if (undefined && bits)
            undefined[word] = (undefined[word] & ~bits) | (saved->undefined[word] & bits);
    }
}

static void undo_page(const struct trial *trial, uint32_t object, uint64_t page)
{
    const struct trial_object *of = &trial->objects[object];
    for (uint32_t i = 1; i < trial->part_count; i++) {
        struct touched_page *const *touched = trial->parts[i].touched[object];
        if (touched && touched[page] && touched[page]->can_be_written)
            undo_written(of->root, page, of->pages[page].saved, touched[page]);
    }
}

void trial_undo(struct trial *trial)
{
    for (uint32_t i = 0; i < trial->object_count; i++) {
        for (uint64_t page = 0; page < trial->objects[i].page_count; page++) {
            if (trial->objects[i].pages[page].saved)
                undo_page(trial, i, page);
        }
    }
}
