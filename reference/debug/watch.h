/* Bytes that somebody waits for an access of: watches, which stop there, and the search for who
 * wrote them (who.c). */
#ifndef REFERENCE_DEBUG_WATCH_H
#define REFERENCE_DEBUG_WATCH_H

#include "reference/vm/code.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct access;
struct access_span;
struct cJSON;
struct debug_info;
struct debug_lane;
struct debug_session;
struct debug_type;
struct debug_value;
struct error;
struct vm_debug_variable;
struct vm_vector;

/* How the texels of an image are read: in the words of struct vm_image. Plain bytes. */
struct debug_texel {
    uint32_t order, channel;
    uint32_t size; /* bytes; 0 = it is none */
};

enum { DEBUG_TARGET_NAME_MAX = 64 };

/* Plain bytes, so that processes which were forked from one another can pass it on. */
struct debug_target {
    char name[DEBUG_TARGET_NAME_MAX]; /* as it was asked for */
    const struct debug_type *type;    /* of the value, or of an element of the slice */
    const struct debug_info *info;    /* that the type is of */
    uint64_t slice, slice_first;      /* elements; 0 = it is no slice */
    uint32_t bit_offset, bit_size;    /* of a bit-field */
    struct debug_texel texel;         /* of one of an image */
    uint64_t address;                 /* as kernels have it; of a variable an offset in it */
    const struct vm_debug_variable *variable; /* in home rows; NULL = in memory */
    uint32_t object;        /* of global memory: identity.id of the root; else among the group's */
    uint64_t first, size;   /* bytes in that */
    bool of_group, of_item; /* only these: */
    uint32_t launch, vector, lane; /* lane: also whose value it is, where others have one too */
    uint64_t group[3];
};

/* One that was noticed, until it has taken place. */
struct debug_noticed {
    bool is, writes, compares; /* compares: it may write nothing */
    uint32_t site, vector;
    uint32_t lane, count; /* the one that is told of; of so many */
    uint64_t lanes;       /* of which one is to be chosen, where it has taken place */
    struct {
        uint64_t element; /* of a slice: the one that is touched */
        size_t before;    /* what was there, a string in `before` */
    } of[VM_LANES];
    struct text before;
};

/* The times at which it stops: from one on, to one, and of these each so many. 0 = as ever. */
struct debug_hit {
    uint64_t from, last, every;
};

struct debug_watch {
    uint32_t number;
    bool enabled, reads, writes;
    struct debug_hit hit; /* as of breakpoints */
    uint64_t hits;
    char *expression, *condition;
    struct debug_target target;
    struct debug_noticed noticed;
};

/* ---- target.c ---- */
/* The bytes of a value; false with a sentence: it has none. */
bool debug_target_set(struct debug_session *session, const struct debug_lane *lane,
                      const struct debug_value *value, const char *name,
                      struct debug_target *target, struct error *error);
/* Lanes of the span that touch them. */
uint64_t debug_target_lanes(const struct debug_session *session, const struct debug_target *target,
                            const struct access *access, const struct access_span *span);
/* Does the instruction set the variable for its work-item? */
bool debug_target_is_set(const struct debug_session *session, const struct debug_target *target,
                         const struct vm_vector *vector, uint32_t site);
/* Can it, whichever vector runs it? */
bool debug_target_has_site(const struct debug_session *session, const struct debug_target *target,
                           uint32_t site);
/* Is it still there, in the launch that runs? */
bool debug_target_lives(const struct debug_session *session, const struct debug_target *target);
/* Of a slice, the first element that the lane touches; else 0. */
uint64_t debug_target_element(const struct debug_target *target, const struct access_span *span,
                              uint32_t lane);
/* Which lane of them is the last that writes; of reads the first. */
uint32_t debug_target_lane(const struct debug_session *session, uint64_t lanes, bool writes);
/* What there is now, as the lane of a vector sees it; of a slice, the element. */
void debug_target_print(struct debug_session *session, const struct debug_target *target,
                        uint32_t vector, uint32_t lane, uint64_t element, struct text *text);

/* "out[3]", of a slice "element 5 of out[2..9]". */
void debug_target_print_name(const struct debug_target *target, uint64_t element,
                             struct text *text);

/* ---- breaks.c ---- */
/* Does the n-th time stop? */
bool debug_hit_counts(const struct debug_hit *hit, uint64_t n);
void debug_read_hit(const struct cJSON *request, struct debug_hit *hit);
void debug_put_hit(struct text *answer, const struct debug_hit *hit);

/* ---- watch.c ---- */
/* Sets the stops that they need, and how they are told of accesses. */
bool debug_set_watches(struct debug_session *session);
/* vm_debugger.access */
void debug_access(void *state, const struct access *access, const struct access_span *span);
/* Before an instruction that stops for them. */
void debug_watch_before(struct debug_session *session, const struct vm_vector *vector,
                        uint32_t site);
/* Has what was noticed taken place? Then the stop says so, and the focus is there. */
bool debug_watched(struct debug_session *session);
struct debug_watch *debug_watch_find(struct debug_session *session, uint64_t number);
void debug_watch_delete(struct debug_session *session, uint64_t number, bool all);
/* `{...}` of one, and its condition, NULL = none any more: false, with a sentence, where that is no
 * expression. */
void debug_put_watch(const struct debug_session *session, const struct debug_watch *watch,
                     struct text *answer);
bool debug_watch_set_condition(struct debug_session *session, struct debug_watch *watch,
                               const char *condition, struct error *error);
void debug_put_watches(const struct debug_session *session, struct text *answer);
bool debug_answer_watch(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error);

/* ---- who.c ---- */
/* What is looked for in the past: the last write, or access, of the target; not by `but`. */
struct debug_seek {
    bool on, reads, has_but;
    uint64_t moment; /* of which alone it is told what was there before; 0 = of none */
    uint32_t but_vector, but_lane;
    uint64_t but_group[3];
    struct debug_target target;
};
/* vm_debugger.access, while it is looked for. */
void debug_seek_access(void *state, const struct access *access, const struct access_span *span);
/* The same of an instruction that may set a variable. */
void debug_seek_set(struct debug_session *session, const struct vm_vector *vector, uint32_t site);
/* The access that takes place is kept, for `other`. */
void debug_keep_access(struct debug_session *session, const struct access *access,
                       const struct access_span *span);
/* Where the other side of the race is at which it stands. False with a sentence. */
struct debug_quest;
bool debug_read_other(struct debug_session *session, const struct cJSON *request,
                      struct debug_quest *quest, struct error *error);
bool debug_answer_who(struct debug_session *session, const struct cJSON *request,
                      struct text *answer, struct error *error);

#endif
