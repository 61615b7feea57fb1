/* What the host changes of shared virtual memory without atomics while a kernel may use it: from
 * the call that enqueues the kernel until the host knows that it has ended. Of fine-grained memory
 * it may change other bytes than the kernel uses, of coarse-grained memory that the kernel may
 * write and that is not mapped none. What only the host can have changed is found by comparing
 * bytes, wherever commands begin or end and where the host learns of them; time decides nothing.
 * That the host reads them is not seen.
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
#include "reference/vm/code.h"

/* Bytes of allocations that are looked at, at a time: they are compared at each command. */
#define HOST_CHANGES_LIMIT (UINT64_C(256) << 10)

struct host_changes; /* of one launch */

struct host_changes_launch {
    /* Those of number 0 are skipped. Those of the parameters come first, and then some that the
     * kernel may find in memory. */
    const uint32_t *objects;
    size_t count;
    const struct vm_code *code;
    uint64_t call_id;
    bool (*is_mapped)(uint32_t object); /* is any of that allocation mapped now? */
};
/* A launch is enqueued. NULL when there is nothing to look at. */
struct host_changes *host_changes_begin(const struct host_changes_launch *launch);
/* The launch is about to run: is it to be known what it touches? To collect that keeps it from
 * being divided among workers, so of large ones it is only where something has changed. */
bool host_changes_ask_for_touched(const struct host_changes *changes, uint64_t work_items);
/* It does not run, or has failed. NULL is allowed. */
void host_changes_drop(struct host_changes *changes);
/* It has run as that command; `changes` is taken over. Reports what was changed before.
 * `touched`: NULL = not collected. */
void host_changes_ran(struct host_changes *changes, const struct touched *touched,
                      struct ordered_command *order, struct commands *commands);

/* No command runs, and what has changed since is the host's: reports what it should not have. */
void host_changes_look(void);
/* What has changed since may be a command's. */
void host_changes_pass(void);
/* The host has learned something, or may have. */
void host_changes_known(struct commands *commands);
/* A buffer is made of shared virtual memory, by which the host may map it: coarse-grained memory is
 * not looked at any more. */
void host_changes_leave_coarse(void);
/* The host may know anything. */
void host_changes_forget(void);

#endif
