/* What the kernels of programs are (checkers/probe/facts.h), which drivers mostly do not tell:
 * found out from what the programs are made of by clerk_probe, a process of its own, while the
 * driver builds them. The program's process has no part in it but a thread that waits.
 *
 * A binary tells nothing itself: of a program made from one is known what was of the program that
 * gave it out, in this process or, by the cache, in one before.
 *
 * Nothing is known of programs from other binaries, of built-in kernels, and where clerk_probe
 * finds no compilers or the front end refuses what the driver takes. Any thread. */
#ifndef LAYER_DRIVER_KERNEL_FACTS_H
#define LAYER_DRIVER_KERNEL_FACTS_H

#include "layer/driver/held_facts.h"
#include "layer/readable.h"
#include "layer/session.h"
#include "trace/api/call.h"

struct kernel_facts;

/* NULL when memory is out, which is as if nothing were known. */
struct kernel_facts *kernel_facts_create(void);
void kernel_facts_destroy(struct kernel_facts *known); /* NULL is fine */
/* The program ends: processes that still look for something are ended. NULL is fine. */
void kernel_facts_stop(struct kernel_facts *known);

/* Before the driver gets the call: one that builds or compiles a program from now on, and asks what
 * that is made of. */
void kernel_facts_before(const struct session *session, const struct api_call *call);
/* After it: the program that was made by linking, from a binary that is known, or of which nothing
 * is known yet. */
void kernel_facts_after(const struct session *session, const struct api_call *call);

/* Before clRetainProgram, clReleaseProgram or clReleaseKernel: a program may end, of which then
 * nothing is kept. */
void kernel_facts_count(const struct session *session, uint32_t entry, uint64_t handle);

/* The driver has answered this clGetProgramInfo of CL_PROGRAM_BINARIES: the binary is known as what
 * the program is known as, or will be. Waits for nothing. */
void kernel_facts_gave_binary(const struct session *session, const struct api_call *call,
                              struct readable *readable);

/* Waits for the answer, at most two seconds from the start of the build; NULL when there is none.
 * *held keeps what was found until held_facts_drop. */
const struct fact_kernel *kernel_facts_find(const struct session *session, uint64_t program,
                                            const char *kernel, struct held_facts **held);
/* What is known of the program, or is being found: until held_facts_drop. NULL = nothing is. Each
 * build has its own. */
struct held_facts *kernel_facts_hold(const struct session *session, uint64_t program);

#endif
