/* A stream of calls for the tests of the host checker: calls are built by parameter name, judged,
 * answered and ended, and what was found is remembered. */
#ifndef TESTS_UNIT_HOST_STREAM_H
#define TESTS_UNIT_HOST_STREAM_H

#include "checkers/finding.h"
#include "checkers/host/host.h"
#include "trace/api/entry.h"

enum { FINDINGS_MAX = 32 };

struct stream {
    struct host_checker *checker;
    struct arena arena; /* findings, call data */
    struct finding *findings[FINDINGS_MAX];
    size_t finding_count;
    uint64_t next_id;
    uint64_t stack; /* what capture_stack returns */
    _Atomic size_t stack_captures;
};

/* All rules on; `fail_calls` as in host_options. */
void stream_init(struct stream *stream, bool fail_calls, const char *checks);
void stream_release(struct stream *stream);

/* A call with every pointer NULL and every number 0. */
struct api_call stream_call(struct stream *stream, uint32_t entry);
void call_set(struct api_call *call, const char *name, uint64_t bits);
/* A pointer that is not NULL, without contents. */
void call_set_pointer(struct api_call *call, const char *name);
void call_set_handles(struct stream *stream, struct api_call *call, const char *name,
                      const uint64_t *handles, uint32_t count);
void call_set_bytes(struct stream *stream, struct api_call *call, const char *name,
                    const void *bytes, uint64_t size);

/* Begin, and end with this result unless it was refused. Returns the verdict. */
struct host_verdict stream_perform(struct stream *stream, struct api_call *call, uint64_t result);

/* Shorthands; they return the handle that they pass in. */
uint64_t make_context(struct stream *stream, uint64_t handle);
uint64_t make_queue(struct stream *stream, uint64_t context, uint64_t handle);
uint64_t make_buffer(struct stream *stream, uint64_t context, uint64_t handle);
uint64_t make_user_event(struct stream *stream, uint64_t context, uint64_t handle);
/* An entry point with one handle: clFinish, clReleaseEvent ... */
struct host_verdict perform_on(struct stream *stream, uint32_t entry, uint64_t handle);

#endif
