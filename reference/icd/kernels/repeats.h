/* A launch of a program, run again under other schedules (reference/sched/ndrange.h), each time on
 * a copy of the memory that it began with: what one order of work-items hides, another one may
 * show. The program sees the first run alone, in its memory and in what is printed; and what the
 * others cost no clock of the device counts.
 *
 * Only launches whose work-items communicate (vm_code.communicates) are run again: the first of
 * each kernel and size, under turns:1, and if CLERK_SCHEDULES is a number each of them under so
 * many of pct:3:K. Where a read on which nothing depends may hide a race (vm_code.has_inert_reads),
 * one more run tells which accesses it orders, and with races of those the read is told. If none is
 * shown so, further runs, under hold:K:N, show those that race without it. These alone are made
 * where clSetMeterCLERK asks for them. Not where the first run showed an error, or was long; not
 * where the host may write meanwhile, with pipes, with queues of the device, under a debugger, or
 * where somebody chooses schedules (CLERK_SCHEDULE, clSetMeterCLERK). Findings say under which
 * schedule they were made.
 *
 * All functions on the thread that executes the launch, unlocked. */
#ifndef REFERENCE_ICD_KERNELS_REPEATS_H
#define REFERENCE_ICD_KERNELS_REPEATS_H

#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/sched/ndrange.h"

struct repeats;

struct repeats_request {
    const struct launch_options *options;
    const struct sched_launch *launch; /* what is about to run; it has an observer, or is not run
                                          again. It stays as it is until repeats_end */
    const uint32_t *objects; /* as struct launch has them: of the parameters, then those listed */
    size_t object_count;
    const uint32_t *variables; /* object numbers of the program's, in program scope */
    size_t variable_count;
    bool is_beside_host; /* the host may write to memory that it can reach */
};

/* NULL = it runs once. */
struct repeats *repeats_begin(const struct repeats_request *request);
/* It has run, with that result, and took so many instructions: the rest is done. NULL is allowed.
 */
void repeats_end(struct repeats *repeats, cl_int status, uint64_t operations);

/* Calls tell(user, sentence) for each kind of runs that were not made, or not to their end. Any
 * thread. */
void repeats_describe(sink_sentence *tell, void *user);

#endif
