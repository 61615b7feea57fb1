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
#ifndef REFERENCE_ICD_MEMORY_HOST_ACCESS_H
#define REFERENCE_ICD_MEMORY_HOST_ACCESS_H

#include "checkers/kernel/touched.h"
#include "reference/icd/options.h"

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

#endif
