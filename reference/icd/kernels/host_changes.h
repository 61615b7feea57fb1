/* What the host changes of fine-grained memory without atomics while a kernel may use the same
 * bytes: from the call that enqueues the kernel until the host knows that it has ended. What only
 * the host can have changed is found by comparing bytes, wherever commands begin or end and where
 * the host learns of them; time decides nothing. That the host reads them is not seen.
 *
 * Left alone is what may be ordered in a way that no call tells: launches that wait for a user
 * event or a semaphore when they are enqueued, those beside a kernel that stands still, and all
 * where the host and a kernel may share atomic objects, or a command runs code of the program's.
 *
 * All functions are called locked. */
#ifndef REFERENCE_ICD_KERNELS_HOST_CHANGES_H
#define REFERENCE_ICD_KERNELS_HOST_CHANGES_H

#include "checkers/kernel/touched.h"
#include "checkers/order/commands.h"

/* Bytes of launches that are looked at, at a time: they are compared at each command. */
#define HOST_CHANGES_LIMIT (UINT64_C(256) << 10)

struct host_changes; /* of one launch */

/* A launch with these objects is enqueued, of which those of number 0 are skipped. NULL when there
 * is nothing to look at. */
struct host_changes *host_changes_begin(const uint32_t *objects, size_t count);
/* Has anything changed so far? */
bool host_changes_any(const struct host_changes *changes);
/* It does not run, or has failed. NULL is allowed. */
void host_changes_drop(struct host_changes *changes);
/* It has run, as a command that is held until the host knows that it has ended, or until nobody
 * asks any more; `changes` is taken over. Reports what was changed before. */
struct host_changes_run {
    const char *kernel; /* copied */
    uint64_t call_id;
    const struct touched *touched; /* borrowed */
    struct ordered_command *order;
    struct commands *commands;
};
void host_changes_ran(struct host_changes *changes, const struct host_changes_run *run);

/* No command runs, and what has changed since is the host's: reports what it should not have. */
void host_changes_look(void);
/* What has changed since may be a command's. */
void host_changes_pass(void);
/* The host has learned something, or may have. */
void host_changes_known(struct commands *commands);
/* The host may know anything. */
void host_changes_forget(void);

#endif
