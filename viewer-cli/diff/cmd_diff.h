/* What cmd_diff.c leaves to others. */
#ifndef VIEWER_CLI_DIFF_CMD_DIFF_H
#define VIEWER_CLI_DIFF_CMD_DIFF_H

#include "replay/compare.h"
#include "trace/base/text.h"
#include "trace/reader.h"
#include "viewer-cli/diff/diff_steps.h"

/* ---- diff_call.c ---- */

/* Do two calls of two runs say the same? Handles, mapped pointers and addresses of shared virtual
 * memory differ from run to run: what one call creates in both runs belongs together from then on.
 * Other addresses, and times, are not compared. */

struct diff_pairs;

/* NULL when memory is out. */
struct diff_pairs *diff_pairs_create(void);
void diff_pairs_destroy(struct diff_pairs *pairs); /* NULL is fine */

/* The call of the first run has none in the second: what it created belongs to nothing yet. */
void diff_pairs_forget(struct diff_pairs *pairs, const struct api_call *call);
/* What belongs to a handle of the first run in the second; 0 = nothing. */
uint64_t diff_pairs_find(const struct diff_pairs *pairs, uint64_t a);
/* Do both lead to the same place of an allocation of shared virtual memory? */
bool diff_addresses_agree(const struct diff_pairs *pairs, uint64_t a, uint64_t b);

/* True when they say the same; otherwise *what names the first parameter that differs, "result" or
 * "flags" (lives for ever). The calls are of the same entry point. Remembers what they created. */
bool diff_calls_agree(struct diff_pairs *pairs, const struct api_call *a, const struct api_call *b,
                      const char **what);

/* ---- diff_types.c ---- */

/* What the elements of a memory object are: the channels of an image; of others what the kernel
 * takes them for that was given the object last, or first after that. */

enum { DIFF_TYPE_SIZE = 128 };

struct diff_types;
/* The trace is borrowed; it is looked into when a type is first asked for. */
struct diff_types *diff_types_create(struct trace *trace); /* NULL when memory is out */
void diff_types_destroy(struct diff_types *types);         /* NULL is fine */
/* `handle` as of that call. "" where it is not known. */
enum status diff_types_find(struct diff_types *types, uint64_t call_id, uint64_t handle,
                            char type[DIFF_TYPE_SIZE], struct error *error);

/* ---- diff_bytes.c ---- */

/* Do the bytes that belong to two calls of two runs say the same? They do where they are equal,
 * where words of them are pointers to the same place of shared virtual memory, and where they are
 * no doing of the program's: what a map that is not read showed, or was left as it showed it, and
 * what a launch left as it found it, such as memory that nobody ever wrote. What launches find is
 * not compared, as others left it; nor is shared memory that the host uses without a call. */

struct diff_bytes;

/* How they differ. */
struct diff_values {
    const char *whose;     /* NULL: they agree; "ptr", "what it left in memory" (lives for ever) */
    bool are_of_argument;  /* it is the name of one */
    bool are_close;        /* some differ, all within the tolerance */
    char object[64];       /* the first that differs, as the first run calls it; "" = not known */
    uint32_t object_count; /* of a launch: that differ */
    char type[DIFF_TYPE_SIZE];
    uint64_t sizes[2]; /* bytes that were compared; others: they differ in size */
    /* Of all of them; the values are the first that differ. None where value_size is 0. */
    struct replay_bytes_difference bytes;
};

/* The traces and pairs are borrowed. */
enum status diff_bytes_create(struct trace *a, struct trace *b, const struct diff_pairs *pairs,
                              const struct replay_tolerance *tolerance, struct diff_bytes **bytes,
                              struct error *error);
void diff_bytes_destroy(struct diff_bytes *bytes); /* NULL is fine */
enum status diff_bytes_compare(struct diff_bytes *bytes, const struct api_call *a,
                               const struct api_call *b, struct diff_values *values,
                               struct error *error);

/* ---- diff_read.c ---- */

/* The calls of a run, which are mostly asked for in the order of each thread. */

struct diff_reader;
/* The run is borrowed. NULL when memory is out. */
struct diff_reader *diff_reader_create(const struct diff_run *run);
void diff_reader_destroy(struct diff_reader *reader); /* NULL is fine */
/* The call lives until the next one of its thread is asked for. */
enum status diff_reader_get(struct diff_reader *reader, const struct diff_step *step,
                            const struct api_call **call, struct error *error);

/* ---- diff_report.c ---- */

/* What differs, told in the order of importance: in one screen how much it is, where it begins, and
 * in which launches; then call by call. */

enum diff_how {
    DIFF_HOW_ARGUMENT,   /* or in what it did */
    DIFF_HOW_BYTES,      /* of an argument */
    DIFF_HOW_ORDER,      /* the same calls, in another order or thread */
    DIFF_HOW_FIRST_ONLY, /* the second run has no such call there */
    DIFF_HOW_SECOND_ONLY,
    DIFF_HOW_COUNT
};

/* "in size", "only in the first run" */
void diff_how_print(enum diff_how how, const char *what, struct text *text);
/* "buffer#2: 48 of 4,096 bytes differ, in 12 values up to 3 ULP apart, 2.4e-07 of the value; the
 * first is float 12: 1.5 and 1.5000001" */
void diff_values_print(const struct diff_values *values, struct text *text);

struct diff_difference {
    enum diff_how how;
    const char *what;                 /* that differs of the call; NULL where the whole call does */
    uint32_t thread;                  /* of the first run, of a call of the second alone its own */
    const struct api_call *calls[2];  /* NULL: the run has none */
    uint64_t count;                   /* calls in a row; the first is told */
    uint64_t launch;                  /* the first of them that launches a kernel; 0 = none */
    const struct diff_values *values; /* of DIFF_HOW_BYTES */
};

struct diff_report;
/* All is borrowed. `limit`: so many differences are told one by one; 0 = all. */
struct diff_report *diff_report_create(const char *const paths[2], struct diff_run runs[2],
                                       uint64_t limit, bool json); /* NULL when memory is out */
void diff_report_destroy(struct diff_report *report);              /* NULL is fine */
/* Two calls belong together; `values` of their bytes. */
void diff_report_pair(struct diff_report *report, const struct api_call *first,
                      const struct diff_values *values);
void diff_report_add(struct diff_report *report, const struct diff_difference *difference);
/* A call of one run, in a row that is then added. */
void diff_report_count_alone(struct diff_report *report, int side, uint32_t entry);
uint64_t diff_report_count(const struct diff_report *report);
/* What stands in one screen, and is no JSON. */
void diff_report_print_summary(struct diff_report *report, bool without_queries, struct text *text);
void diff_report_print(struct diff_report *report, bool without_queries);

#endif
