/* Pages that are the program's for a time: what it does to them before and after, or beside them,
 * is a fault that is noted and let pass. A fault of anybody else's goes on to whoever had it
 * before.
 *
 * A *place* is a region of bytes at the end of whole pages, with a page before and after them that
 * nobody may use. It is made closed; it is live until it is closed for good; then its pages are
 * kept until the place is needed again. Places are numbers below FAULTS_PLACES. Made, opened,
 * closed and released by one thread at a time; faults come from any. */
#ifndef LAYER_FAULTS_H
#define LAYER_FAULTS_H

#include "trace/base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAULTS_PLACES = 256 };

struct faults_place {
    char *pages, *pages_end; /* without those that nobody may use */
    char *first;             /* of the region */
    size_t size;
};

enum fault_kind {
    FAULT_EARLY,   /* before it was opened */
    FAULT_OUTSIDE, /* beside its pages */
    FAULT_LATE,    /* after it was closed */
    FAULT_KINDS
};
struct fault {
    enum fault_kind kind;
    enum fault_access access;
    int64_t offset; /* from the region's first byte */
    size_t frame_count;
    void *frames[FAULT_FRAMES]; /* return addresses, innermost first, but for the first */
};

/* The bytes that all places may hold together; those that ended give theirs back for a new one, and
 * stay guarded. */
void faults_set_limit(uint64_t bytes);
/* A closed place for `size` bytes; the region's address is a multiple of `alignment`, a power of
 * two up to 4096, and the other bytes of its pages are `filling`. FAULTS_PLACES when there is none,
 * or the limit is reached. */
size_t faults_place_make(size_t size, size_t alignment, int filling);
void faults_place_open(size_t index);
/* No longer live; `take`: its pages may not be used any more. */
void faults_place_close(size_t index, bool take);
void faults_place_release(size_t index);

const struct faults_place *faults_place_get(size_t index);
bool faults_place_is_live(size_t index);
/* The place that has this address in its pages; FAULTS_PLACES = none. */
size_t faults_place_find(const void *address);
/* Was there ever a place? */
bool faults_place_any(void);

/* Has a fault been noted since this was asked last? One of each kind is noted of a place. */
bool faults_noted(void);
bool faults_take(size_t index, struct fault *fault);

#endif
