/* Shared virtual memory: what calls make of addresses. */
#ifndef REFERENCE_ICD_MEMORY_SVM_H
#define REFERENCE_ICD_MEMORY_SVM_H

#include "checkers/kernel/touched.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/options.h"
#include "reference/limits/limits.h"

/* Has the device shared virtual memory? */
static inline bool svm_is_offered(void)
{
    return limits_keep(KEPT_ALIKE);
}

/* The object of the allocation that the address is in, or right after, and the place in it; 0 =
 * none that lives. */
uint32_t svm_find_object(const void *address, uint64_t *offset);

/* May kernels find there memory of the system's? Not where shared virtual memory is, or was. */
bool svm_is_system(const void *address);

/* Is any of it mapped? Locked. */
bool svm_is_mapped(uint32_t object);

struct svm_request {
    const char *function; /* "clSVMAlloc" */
    enum observer_svm kind;
    uint64_t size;
    uint64_t alignment; /* a power of two, or 0 */
    bool read_only, write_only;
};

/* NULL when there is no room, or the request asks for what no device of ours gives. Unlocked. */
void *svm_allocate(const struct svm_request *request);
/* An address that is not the start of a living allocation is let be. Unlocked. */
void svm_free(void *address);

/* Commands of either sort: check, and fill in what the command does. */
cl_int svm_enqueue_copy(struct command_request *request, void *dst_ptr, const void *src_ptr,
                        size_t size);
cl_int svm_enqueue_fill(struct command_request *request, void *pointer, const void *pattern,
                        size_t pattern_size, size_t size);

/* ---- host_access.c ---- */

/* What threads of the host do to shared virtual memory while a kernel uses it (CLERK_WATCH_SVM):
 * their pages are taken away for that time, and given back one by one at the first access, which is
 * noted. The device has a mapping of its own (reference/vm/svm.h).
 *
 * What they may not do then: use coarse-grained memory that is not mapped; use bytes of
 * fine-grained memory that the kernel writes, or write such as it reads, unless both are atomic in
 * memory for that, of which no launch is watched, since its atomic operations may order the rest.
 *
 * The first is an error whenever it is. That the second is seen depends on how fast either is: it
 * is told as a note (race-host-timed).
 *
 * One launch at a time, on the thread that executes it. */

struct host_access;

/* A launch with these objects, of which those of number 0 are skipped, begins. NULL when there is
 * nothing to watch. Locked. */
struct host_access *host_access_begin(const struct launch_options *options, const uint32_t *objects,
                                      size_t count);
/* Does it need to know what the launch touches? */
bool host_access_wants_touched(const struct host_access *access);
/* The launch has run, and nobody knows it yet. `kernel`: its name. Reports what was wrong. Not
 * locked; NULL is allowed. */
void host_access_end(struct host_access *access, const char *kernel, uint64_t call_id,
                     const struct touched *touched);

/* The program asks whether kernels may use all memory of the process, by the query of unified
 * shared memory, which nothing of clerk's makes: so it knows that few devices have that. */
void svm_note_asked_for_system(void);
bool svm_system_was_asked_for(void);

#endif
