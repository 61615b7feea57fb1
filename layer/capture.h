/* From the words of a call to its values, by the roles of the entry-point table.
 *
 * Input is captured before the call is forwarded and output after it came back; both copy whatever
 * a pointer argument points to into the arena, and readable it first where it is the application's.
 */
#ifndef LAYER_CAPTURE_H
#define LAYER_CAPTURE_H

#include "layer/readable.h"
#include "trace/api/entry.h"

/* Places of ours for results that the application did not ask for and the record wants.
 * Zero-initialised. */
struct capture_places {
    cl_int status;
    size_t size;
    cl_uint count;
};

/* Fills *call from its entry and the words, as of a call of which nothing came back; id, thread and
 * begin_ns are the caller's. What does not fit into memory is captured as its address. */
void capture_input(struct api_call *call, const uint64_t *words, struct arena *arena,
                   struct readable *readable);

/* Lets the driver write into `places` what the application left out: errcode_ret, the size of an
 * answer, the number of a list. Nothing that the driver could judge differently is touched: a query
 * for a size keeps its NULL value, and a call that asks for nothing keeps asking for nothing. */
void capture_redirect(const struct api_call *call, uint64_t *words, struct capture_places *places);

/* Fills call->result from `result`. */
void capture_result(struct api_call *call, uint64_t result);
/* The same, and the values of OUT parameters, when the call succeeded. */
void capture_output(struct api_call *call, const uint64_t *words, uint64_t result,
                    struct arena *arena, struct readable *readable);

/* Did the call succeed, as its result (and status) says? */
bool capture_succeeded(const struct api_call *call);

#endif
