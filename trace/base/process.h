/* Child processes. */
#ifndef TRACE_BASE_PROCESS_H
#define TRACE_BASE_PROCESS_H

#include "trace/base/arena.h"
#include "trace/base/process_server.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process_request {
    const char *const *arguments;   /* arguments[0] is looked up in PATH; ends with NULL */
    const char *const *environment; /* ends with NULL; NULL = as ours */
    const void *input;              /* given on standard input; NULL = /dev/null */
    size_t input_size;
    size_t output_max;   /* bytes kept of each stream; what is beyond is read and dropped */
    uint32_t timeout_ms; /* 0 = none; a child that runs longer is killed */
    bool output_limited; /* a child that writes more than output_max is killed */
    /* Gets standard output piece by piece, however much it is, in place of result.standard_output;
     * a child of whose output it wants no more, which it says by false, is killed as if it had
     * written too much. NULL = the output is kept. */
    bool (*take)(void *user, const void *bytes, size_t size);
    void *user;
    /* It is killed with all that it started. What a terminal sends to its foreground does not reach
     * it. */
    bool own_group;
    uint64_t memory_max; /* bytes of addresses that it may have; 0 = as many as we */
    /* It is no child of ours, for a program whose children are its own business: no SIGCHLD comes,
     * and no wait() finds it. Its end is that it closes its output and errors; how it ended nobody
     * learns (exit_status -1, signal 0). Implies own_group. */
    bool hidden;
    /* Who is asked first to fork it, and is started if there is none; NULL = nobody. It is then no
     * child of ours. Such a request has an environment, and nobody asks for the id. */
    const struct process_server *server;
    _Atomic int64_t *running; /* its id while it may be running, else 0; NULL = nobody asks */
};

struct process_result {
    int exit_status; /* of a normal exit; else -1 */
    int signal;      /* that ended it; 0 = normal exit */
    bool timed_out;
    bool flooded;                                /* it wrote too much, and was killed */
    struct text standard_output, standard_error; /* release with process_result_release */
};

/* Runs a program to its end and collects what it prints. Safe in a process with threads
 * (posix_spawn); no descriptor of ours reaches the child but the standard three. A program that
 * fails is a success of this function; STATUS_NOT_FOUND when there is no such program. */
enum status process_run(const struct process_request *request, struct process_result *result,
                        struct error *error);
void process_result_release(struct process_result *result);

/* The same in two steps, of which the first returns at once: a program that takes long to get ready
 * does so while the input is made that process_finish gives it. Its time is counted from there.
 * What the request points to has to last until then; its input counts for nothing, and it cannot be
 * hidden. Each process that was started is finished or abandoned, which ends it. */
struct process;
enum status process_start(const struct process_request *request, struct process **process,
                          struct error *error);
enum status process_finish(struct process *process, const void *input, size_t input_size,
                           struct process_result *result, struct error *error);
void process_abandon(struct process *process); /* NULL is fine */

/* A copy of our environment in `arena` without what would load a layer into a child (OPENCL_LAYERS,
 * LD_PRELOAD), and with `added` if it is not NULL. NULL when memory is out. */
const char *const *process_environment(struct arena *arena, const char *added);

/* The path of a program as PATH would find it, freed with alloc_free; NULL when there is none. */
char *process_find_program(const char *name);

/* Gives the calling thread a table of descriptors of its own, in which the standard three lead to
 * /dev/null: whatever the other threads close and open from then on, its descriptors stay what they
 * are, and what it opens is not seen by them. */
enum status process_own_descriptors(struct error *error);

/* Appends the words that this process was started with, a space between them. */
void process_command_line(struct text *text);

/* Is the process with this id, which started at this time (field 22 of /proc/PID/stat), running? */
bool process_is_running(int64_t id, uint64_t start_time);
/* Has the process with this id ended, and does it wait for somebody to ask how? */
bool process_is_zombie(int64_t id);
/* That time for a process; 0 when it cannot be known. */
uint64_t process_start_time(int64_t id);

#endif
