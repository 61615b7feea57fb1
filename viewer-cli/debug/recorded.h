/* What a debugger asks a recorded run: which launches and findings it has, and what its launches
 * were given. The trace is opened for each question alone, so that a child never has it open as
 * well. */
#ifndef VIEWER_CLI_DEBUG_RECORDED_H
#define VIEWER_CLI_DEBUG_RECORDED_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"
#include "viewer-cli/debug/kernel_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;

/* Is the file a trace's? */
bool recorded_is(const char *path);

/* Refuses the number of a call that launched no kernel. */
enum status recorded_check_launch(const char *path, uint64_t launch, struct error *error);

/* The words of a process that begins with the launch of this call, 0 = the first; `personality` of
 * the device may be NULL. */
enum status recorded_words(struct kernel_words *words, const char *path, const char *personality,
                           uint64_t launch, struct error *error);

/* Prints the launches on standard output, as clerk show does; the first `limit`, 0 = all. */
enum status recorded_show_launches(const char *path, uint64_t limit, struct error *error);
/* Appends the name of the program that the kernel of this launch is of; nothing where the run does
 * not tell. */
void recorded_print_program(const char *path, uint64_t launch, struct text *name);
/* Appends a line for each finding that is equal to no other, with its number. */
enum status recorded_print_findings(const char *path, struct text *text, struct error *error);
/* Appends the objects that the launch of this call was given. */
enum status recorded_print_objects(const char *path, uint64_t launch, struct text *text,
                                   struct error *error);

/* A finding of a run. Zero-initialised: none. */
struct recorded_finding {
    uint64_t launch;  /* the call that launched the kernel; 0 = no finding */
    const char *rule; /* its id */
    const char *text; /* the whole report */
    uint32_t *lines;  /* of its places in the kernel's source, as compilers have it */
    size_t line_count;
    struct arena arena; /* of all these */
};

/* The finding of this number. What was not found in a launch is refused with a sentence.
 * recorded_finding_release also after a failure. */
enum status recorded_finding_read(const char *path, uint64_t number,
                                  struct recorded_finding *finding, struct error *error);
/* Is it what the debugger's FINDING (trace/debug/requests.h) says? */
bool recorded_finding_is(const struct recorded_finding *finding, const struct cJSON *found);
void recorded_finding_release(struct recorded_finding *finding);

#endif
