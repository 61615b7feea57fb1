/* Parts of a launch that run at the same time, on trial.
 *
 * Work-groups run one after the other, and what a launch does is what comes of that order. Parts of
 * it may nevertheless run beside each other if none touches a byte that another one writes: then
 * each of them reads what it would have read in order. Whether that is so is known when they have
 * ended: each part notes the bytes of global memory that it touches, a bit for each byte; and
 * before a page is written for the first time, what stands there is kept. If two parts have met,
 * trial_undo puts back what they wrote, and the launch goes on in order.
 *
 * Atomic read-modify-writes of one kind may meet each other, if their order changes nothing: nobody
 * uses what they find, and they are defined.
 *
 * A part *leaves* the trial where it cannot be proven, or must not be done in parallel: from then
 * on no access of its is performed that would be noted, and the whole trial has failed. So nothing
 * is ever written that cannot be put back.
 *
 * The first part is what has run before the others began: in order, so nothing of it is kept.
 *
 * trial_create and what asks after the end on one thread; a part is one thread's. */
#ifndef REFERENCE_VM_TRIAL_H
#define REFERENCE_VM_TRIAL_H

#include "reference/vm/memory.h"

struct trial;
struct trial_part;
struct access;
struct access_span;

/* Will no part write to the global object? Asked once for each object; any thread. */
typedef bool trial_only_read(const void *user, uint32_t object);

/* NULL when memory is out. Parts leave the trial when they need more than `memory_limit` bytes for
 * what they note and keep, 1.4 times those that they write. */
struct trial *trial_create(uint32_t part_count, uint64_t memory_limit, trial_only_read *only_read,
                           const void *user);
void trial_destroy(struct trial *trial);
/* Frees the memory that is kept for the next trial. Any thread. */
void trial_give_back(void);
/* Part 0 is the first part. Good until the trial is destroyed. */
struct trial_part *trial_part_get(struct trial *trial, uint32_t index);

/* Has it nobody beside it? */
bool trial_part_is_first(const struct trial_part *part);
/* Is all that it does for nothing, since the trial has failed? */
bool trial_part_is_idle(const struct trial_part *part);

/* Any thread: the trial has failed. */
void trial_fail(struct trial *trial);
bool trial_has_failed(const struct trial *trial);

/* By the gate, before an access to global memory takes place, of all lanes of the span. False: it
 * must not take place. */
bool trial_note(struct trial_part *part, const struct access *access,
                const struct access_span *span);

/* The same by native code, of a load or store of `size` bytes for each lane. */
bool trial_note_plain(struct trial_part *part, bool writes, uint32_t size,
                      const struct access_span *span);
/* Is a load of the global object anything to note? Not if no part writes to it. */
bool trial_notes_reads(struct trial_part *part, const struct vm_object *object);

/* All parts have ended. How many pages have several of them touched? */
uint64_t trial_shared_pages(const struct trial *trial);
/* And has one of them touched what another one wrote? Of the shared pages that nobody has looked at
 * yet, beginning with those of a part; any number of threads at once. */
bool trial_parts_meet(struct trial *trial, uint32_t first);
/* What the parts wrote, but the first, becomes what it was before, and so does its definedness. */
void trial_undo(struct trial *trial);

#endif
