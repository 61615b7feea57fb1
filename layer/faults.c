#include "layer/faults.h"

#include "layer/stack.h"
#include "layer/thread.h"
#include "trace/base/assert.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTE_NONE, NOTE_FILLING, NOTE_READY, NOTE_TAKEN };

enum place_state { PLACE_UNUSED, PLACE_CLOSED, PLACE_OPEN, PLACE_ENDED };

/* Never freed, so that a fault may look at any time. */
static struct place {
    atomic_int state;
    struct faults_place bounds;
    uint64_t number; /* in the order of their making */
    bool holds;      /* bytes: its pages were not given back */
    bool lent;       /* they have to stay */
    struct {
        atomic_int state;
        struct fault fault;
    } notes[FAULT_KINDS];
} places[FAULTS_PLACES];

static uint64_t made;
static uint64_t held, limit = UINT64_MAX; /* bytes */
static atomic_bool any_made, any_noted;

static size_t page_size(void)
{
    static size_t size;
    if (size == 0)
        size = (size_t)sysconf(_SC_PAGESIZE);
    return size;
}

static size_t size_of(const struct place *place)
{
    return (size_t)(place->bounds.pages_end - place->bounds.pages);
}

/* ---- faults ---- */

static size_t find(const char *address, size_t margin)
{
    for (size_t i = 0; i < FAULTS_PLACES; i++) {
        const struct place *place = &places[i];
        if (atomic_load_explicit(&place->state, memory_order_acquire) != PLACE_UNUSED &&
            address >= place->bounds.pages - margin && address < place->bounds.pages_end + margin)
            return i;
    }
    return FAULTS_PLACES;
}

/* The frames of the program: those of the handler are before the faulting one. */
static size_t walk_program(const void *context, void **frames)
{
    void *all[FAULT_FRAMES + 8];
    const size_t count = stack_walk(all, sizeof all / sizeof *all);
    return fault_trim(context, all, count, frames);
}

static void note(struct place *place, const char *address, const void *context)
{
    const bool outside = address < place->bounds.pages || address >= place->bounds.pages_end;
    const enum fault_kind kind = outside                                     ? FAULT_OUTSIDE
                                 : atomic_load(&place->state) == PLACE_ENDED ? FAULT_LATE
                                                                             : FAULT_EARLY;
    int none = NOTE_NONE;
    if (!atomic_compare_exchange_strong(&place->notes[kind].state, &none, NOTE_FILLING))
        return;
    struct fault *fault = &place->notes[kind].fault;
    fault->kind = kind;
    fault->access = fault_access_of(context);
    fault->offset = address - place->bounds.first;
    fault->frame_count = walk_program(context, fault->frames);
    atomic_store(&place->notes[kind].state, NOTE_READY);
    atomic_store(&any_noted, true);
}

static void let_pass(const struct place *place, const char *address)
{
    char *page = place->bounds.pages;
    size_t size = size_of(place);
    if (address < place->bounds.pages)
        page -= size = page_size();
    else if (address >= place->bounds.pages_end) {
        page = place->bounds.pages_end;
        size = page_size();
    }
    mprotect(page, size, PROT_READ | PROT_WRITE);
}

static bool take(const char *address, const void *context)
{
    const size_t index = find(address, page_size());
    if (index == FAULTS_PLACES)
        return false;
    /* In a call of the program's it is clerk, or the driver, that accesses. */
    if (layer_thread_busy == 0)
        note(&places[index], address, context);
    let_pass(&places[index], address);
    return true;
}

/* ---- places ---- */

/* Of the places that ended, or of those among them that have bytes to give back; NULL = none. */
static struct place *find_oldest_ended(bool has_bytes)
{
    struct place *oldest = NULL;
    for (size_t i = 0; i < FAULTS_PLACES; i++) {
        struct place *place = &places[i];
        if (atomic_load(&place->state) == PLACE_ENDED &&
            (!has_bytes || (place->holds && !place->lent)) &&
            (!oldest || place->number < oldest->number))
            oldest = place;
    }
    return oldest;
}

static size_t choose_place(void)
{
    for (size_t i = 0; i < FAULTS_PLACES; i++)
        if (atomic_load(&places[i].state) == PLACE_UNUSED)
            return i;
    const struct place *oldest = find_oldest_ended(false);
    return oldest ? (size_t)(oldest - places) : FAULTS_PLACES;
}

static void drop_bytes(struct place *place)
{
    ASSERT(!place->holds || held >= size_of(place));
    held -= place->holds ? size_of(place) : 0;
    place->holds = false;
}

/* The oldest that ended give their pages back: there is a fault at those still, and zeros. */
static bool make_room(uint64_t size)
{
    while (size > limit || held > limit - size) {
        struct place *oldest = size > limit ? NULL : find_oldest_ended(true);
        if (!oldest)
            return false;
        madvise(oldest->bounds.pages, size_of(oldest), MADV_DONTNEED);
        drop_bytes(oldest);
    }
    return true;
}

void faults_set_limit(uint64_t bytes)
{
    limit = bytes;
}

void faults_place_release(size_t index)
{
    struct place *place = &places[index];
    if (atomic_exchange(&place->state, PLACE_UNUSED) == PLACE_UNUSED)
        return;
    drop_bytes(place);
    munmap(place->bounds.pages - page_size(), size_of(place) + 2 * page_size());
}

size_t faults_place_make(size_t size, size_t alignment, int filling)
{
    const size_t page = page_size();
    const size_t index = choose_place();
    size_t data;
    if (index == FAULTS_PLACES || __builtin_add_overflow(size, 3 * page - 1, &data))
        return FAULTS_PLACES;
    data = data / page * page - 2 * page;
    if (!make_room(data))
        return FAULTS_PLACES;
    char *all = mmap(NULL, data + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return FAULTS_PLACES;
    faults_place_release(index);
    fault_stand_first(take);
    struct place *place = &places[index];
    place->bounds.pages = all + page;
    place->bounds.pages_end = all + page + data;
    place->bounds.first = place->bounds.pages + (data - size) / alignment * alignment;
    place->bounds.size = size;
    ASSERT(place->bounds.pages <= place->bounds.first);
    ASSERT(place->bounds.first + size <= place->bounds.pages_end);
    place->number = ++made;
    place->holds = true;
    place->lent = false;
    held += data;
    for (size_t kind = 0; kind < FAULT_KINDS; kind++)
        atomic_store(&place->notes[kind].state, NOTE_NONE);
    mprotect(place->bounds.pages, data, PROT_READ | PROT_WRITE);
    memset(place->bounds.pages, filling, (size_t)(place->bounds.first - place->bounds.pages));
    memset(place->bounds.first + size, filling,
           (size_t)(place->bounds.pages_end - place->bounds.first) - size);
    mprotect(place->bounds.pages, data, PROT_NONE);
    atomic_store(&place->state, PLACE_CLOSED);
    atomic_store(&any_made, true);
    return index;
}

static void protect(size_t index, int protection)
{
    mprotect(places[index].bounds.pages, size_of(&places[index]), protection);
}

void faults_place_open(size_t index)
{
    int closed = PLACE_CLOSED;
    protect(index, PROT_READ | PROT_WRITE);
    atomic_compare_exchange_strong(&places[index].state, &closed, PLACE_OPEN);
}

void faults_place_close(size_t index, bool take)
{
    ASSERT(index < FAULTS_PLACES);
    places[index].lent = !take;
    atomic_store(&places[index].state, PLACE_ENDED);
    if (take)
        protect(index, PROT_NONE);
}

const struct faults_place *faults_place_get(size_t index)
{
    ASSERT(index < FAULTS_PLACES);
    return &places[index].bounds;
}

bool faults_place_is_live(size_t index)
{
    const int state = atomic_load(&places[index].state);
    return state == PLACE_CLOSED || state == PLACE_OPEN;
}

size_t faults_place_find(const void *address)
{
    return find(address, 0);
}

bool faults_place_any(void)
{
    return atomic_load_explicit(&any_made, memory_order_relaxed);
}

bool faults_noted(void)
{
    return atomic_load_explicit(&any_noted, memory_order_relaxed) &&
           atomic_exchange(&any_noted, false);
}

bool faults_take(size_t index, struct fault *fault)
{
    for (size_t kind = 0; kind < FAULT_KINDS; kind++) {
        int ready = NOTE_READY;
        if (!atomic_compare_exchange_strong(&places[index].notes[kind].state, &ready, NOTE_TAKEN))
            continue;
        *fault = places[index].notes[kind].fault;
        return true;
    }
    return false;
}
