/* When a recording begins or ends (--record-from, --record-until). */
#ifndef TRACE_API_WHEN_H
#define TRACE_API_WHEN_H

#include "trace/base/status.h"

#include <stdint.h>

enum when_kind {
    WHEN_NEVER,
    WHEN_CALL,   /* call N, as it is numbered in a trace */
    WHEN_LAUNCH, /* its N-th launch of a kernel */
    WHEN_FRAME,  /* its N-th frame: each ends with a clFinish */
    WHEN_KERNEL, /* the N-th launch of a kernel with that name */
    WHEN_TIME,   /* N nanoseconds after its first call */
    WHEN_SIGNAL, /* the process gets signal N */
    WHEN_FILE,   /* a file of that name is there */
};

struct when {
    enum when_kind kind;
    uint64_t number;
    const char *name; /* of a kernel or file, within the text; NULL = none */
    uint64_t name_length;
};

/* "launch:N", "call:N", "frame:N", "kernel:NAME", "kernel:NAME:N", "time:SECONDS",
 * "signal:SIGUSR1", "file:PATH". STATUS_INVALID says what is wrong. */
enum status when_parse(const char *text, struct when *when, struct error *error);
/* The number of a signal that a recording may wait for, "SIGUSR1"; 0 = none such. */
int when_signal(const char *name);

#endif
