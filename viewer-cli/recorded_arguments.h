/* What the kernel of each launch was given, as temporary tables beside those of the trace, for
 * queries (rows.h).
 *
 * given_object: a row for each argument that is an object.
 *
 *     call, argument    the launch, and the argument's index
 *     object            "buffer#1"
 *
 * given: a row for each launch.
 *
 *     call       the launch
 *     words      "input=buffer#1 (4.0 KiB), count=1024, tile=local 256 B"
 *     json       [{"name":"input","type":"float*","object":"buffer#1","size":4096},
 *                 {...,"value":1024},{...,"local":256}], names and types where they are known,
 *                 "plain_type":"float2*" behind a type that the program has named */
#ifndef VIEWER_CLI_RECORDED_ARGUMENTS_H
#define VIEWER_CLI_RECORDED_ARGUMENTS_H

#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/reader.h"

enum status recorded_arguments_make(struct trace *trace, struct error *error);

/* An argument as it was set last. */
struct recorded_argument {
    enum {
        RECORDED_UNSET,
        RECORDED_VALUE,
        RECORDED_NONE, /* without a value: local memory, or no object */
        RECORDED_ADDRESS,
    } state;
    struct text name, type; /* "" where not known */
    struct text plain_type; /* what a type is that has a name of the program's own */
    struct text value;      /* its bytes */
    uint64_t size;          /* as it was set */
    bool is_local;          /* memory of which only the size is given */
};

struct recorded_kernel {
    struct recorded_argument *arguments;
    size_t count;
    bool has_more;      /* an argument of an index that no kernel has */
    bool is_of_unknown; /* a clone of what the trace does not know */
    /* Of the addresses that it was given the first, whatever took its place. */
    enum {
        RECORDED_NO_ADDRESS,
        RECORDED_OF_SHARED, /* virtual memory, as an argument */
        RECORDED_OF_DEVICE,
        RECORDED_OF_OTHERS, /* by clSetKernelExecInfo */
    } address;
    uint64_t address_index; /* of the argument */
};

/* Calls `visit` for each launch up to a call, 0 = all, with what its kernel was given, until it
 * fails. */
typedef enum status recorded_visit(void *user, const struct api_call *launch,
                                   const struct recorded_kernel *kernel, struct error *error);
enum status recorded_arguments_each(struct trace *trace, uint64_t last_call, recorded_visit *visit,
                                    void *user, struct error *error);

#endif
