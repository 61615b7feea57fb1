/* Guarded maps: the program gets the regions of buffers that it maps in pages of clerk's own, which
 * it can use from the end of the map to the unmapping, and not beyond. What it does beside that is
 * a fault, which is noted and let pass.
 *
 * The bytes are copied from the driver's region when the map has ended, and back when it is
 * unmapped. Not guarded are images, shared virtual memory, and objects with CL_MEM_USE_HOST_PTR,
 * whose address the program knows. Functions may be called from any thread; one session at a time.
 */
#ifndef LAYER_GUARDS_H
#define LAYER_GUARDS_H

#include "checkers/checks.h"
#include "checkers/sink.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"

struct guards;
struct stack_table;

struct guards_options {
    struct checks checks;
    sink_function *report;
    void *report_user;
    struct stack_table *stacks; /* borrowed */
};
/* NULL when memory is out. */
struct guards *guards_create(const struct guards_options *options);
void guards_destroy(struct guards *guards);

/* Performs the call, which is captured as the program made it: the target sees its own addresses.
 * Reports what was noted until then. */
uint64_t guards_perform(struct guards *guards, const struct api_call *call, api_function *target,
                        const uint64_t *words);
/* The program is about to be called back: maps may have ended. */
void guards_called_back(struct guards *guards);
/* Reports what was noted. */
void guards_report(struct guards *guards);

#endif
