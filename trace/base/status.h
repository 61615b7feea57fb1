/* Failures: what went wrong in clerk's own work (a file, memory, malformed input).
 *
 * A function that can fail returns `enum status` and takes a `struct error *` last. On success it
 * returns STATUS_OK and leaves the error alone; on failure it writes its outputs not at all and
 * fills the error with one sentence that names the thing and the value. `error` may be NULL when
 * the caller wants no sentence. Findings about an application and OpenCL's error codes are other
 * things and never travel this way. Every function here may be called from any thread on distinct
 * errors. */
#ifndef TRACE_BASE_STATUS_H
#define TRACE_BASE_STATUS_H

#include <stdarg.h>

enum status {
    STATUS_OK = 0,
    STATUS_NO_MEMORY,   /* an allocation failed */
    STATUS_IO,          /* the operating system refused: open, read, write, spawn */
    STATUS_MALFORMED,   /* bytes from outside break their format */
    STATUS_UNSUPPORTED, /* well formed, but beyond what clerk does */
    STATUS_INVALID,     /* a request that makes no sense: a bad option, an impossible size */
    STATUS_NOT_FOUND,
};

enum { ERROR_TEXT_SIZE = 1024 };

struct error {
    enum status status;
    /* One sentence of visible characters, no newline; cut with "..." when longer. */
    char text[ERROR_TEXT_SIZE];
};

/* Fills `error` (which may be NULL) and returns `status`, so that a function can end with
 * `return error_set(error, STATUS_IO, "...")`. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status error_set_v(struct error *error, enum status status, const char *format, va_list list);

/* The same, with ": " and strerror(errno) after the sentence; status is STATUS_IO. */
enum status error_set_errno(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "PREFIX: " before the sentence that `error` holds already. */
void error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The sentence for STATUS_NO_MEMORY: "out of memory (asked for N bytes)". */
enum status error_no_memory(struct error *error, unsigned long long size);

#endif
