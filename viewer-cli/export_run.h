/* A recorded run as the forms of clerk export draw it: the calls of each thread, and the commands
 * of each queue, on one axis of time. */
#ifndef VIEWER_CLI_EXPORT_RUN_H
#define VIEWER_CLI_EXPORT_RUN_H

#include "trace/api/call.h"
#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct export_command {
    uint64_t call;
    const char *name;                     /* a kernel's; else what it does: "ReadBuffer buffer#2" */
    const char *global_size, *local_size; /* of a launch, "?" where not known; else NULL */
    const char *arguments;                /* of a launch: "in=buffer#1 (4.0 KiB), n=4"; else "" */
    int64_t bytes;                        /* that it moves; -1 = not known */
    uint32_t queue;                       /* index */
    uint32_t lane;                        /* commands of one lane of a queue do not overlap */
    /* Since the trace's start, as calls have it. The device's clock is another one: its times are
     * shifted, by the same span for a whole queue, so that no command is queued before its call
     * begins. */
    uint64_t begin_ns, end_ns;
    bool is_measured; /* else the times are those of the call: the program asked for none */
};

struct export_queue {
    const char *name;
    uint32_t lane_count;
};

struct export_run {
    const struct options *options; /* that may have --source-dir; NULL = none */
    struct trace *trace;
    uint64_t first_call, last_call; /* the range asked for; a last of 0: to the end */
    uint32_t *threads;
    size_t thread_count;
    struct export_queue *queues;
    size_t queue_count;
    struct export_command *commands; /* by queue, then by begin */
    size_t command_count;
    struct arena arena; /* everything above */
};

/* Fills *run, zero-initialised but for the options; `trace` is borrowed. Release it also after a
 * failure. */
enum status export_run_load(struct trace *trace, uint64_t first_call, uint64_t last_call,
                            struct export_run *run, struct error *error);
void export_run_release(struct export_run *run);
/* The commands in the order of their calls, for alloc_free; NULL when memory is out. */
const struct export_command **export_commands_by_call(const struct export_run *run);

/* Each call of the application in the range, in order; `words` is the call as a person reads it. A
 * status other than OK ends the walk. */
typedef enum status export_call_visit(void *user, const struct api_call *call, const char *words,
                                      struct error *error);
enum status export_each_call(const struct export_run *run, export_call_visit *visit, void *user,
                             struct error *error);

/* How much memory was in use, from that moment on (memory_use.h), in order. */
typedef enum status export_use_visit(void *user, uint64_t ns, uint64_t bytes, struct error *error);
enum status export_each_use(const struct export_run *run, export_use_visit *visit, void *user,
                            struct error *error);

/* A file that is written piece by piece: append to `text`, and flush after each item. */
struct export_file {
    const char *path;
    FILE *stream;
    struct text text;
};
enum status export_flush(struct export_file *file, struct error *error);

/* A form: writes the whole run. */
typedef enum status export_form(const struct export_run *run, struct export_file *file,
                                struct error *error);
export_form export_html; /* a page of its own that needs no network: viewer-cli/export/page.html */
export_form export_perfetto; /* TrackEvents of perfetto.dev */
export_form export_chrome;   /* JSON trace events, for chrome://tracing and what reads the same */
export_form export_csv;      /* RFC 4180: a line a call, launches with theirs */

/* Writes the run into a file; there is none after a failure. */
enum status export_write(const struct export_run *run, export_form *form, const char *path,
                         struct error *error);

#endif
