/* How the reference device and whoever uses it in the same process (layer, clerk kernel, clerk
 * replay) meet: extension functions of the device, found with
 * clGetExtensionFunctionAddressForPlatform. Without a sink the device reports by itself, on
 * standard error at the end of the process or into the file that CLERK_FINDINGS names. Both sides
 * are of one build: the layout of `struct finding` is checked by SINK_VERSION and a mismatch is
 * refused. */
#ifndef CHECKERS_SINK_H
#define CHECKERS_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct api_child; /* trace/api/call.h */
struct api_line;
struct finding;
struct graph;
struct litmus_choices;
struct litmus_options;
struct litmus_repair;
struct litmus_result;
struct litmus_test;

enum { SINK_VERSION = 9 };

#define SINK_SET_FUNCTION      "clSetFindingSinkCLERK"
#define SINK_OPTION_FUNCTION   "clSetDeviceOptionCLERK"
#define SINK_CALL_FUNCTION     "clSetLaunchCallCLERK"
#define SINK_MEMORY_FUNCTION   "clHasLackedMemoryCLERK"
#define SINK_EXPLORE_FUNCTION  "clSetExploringCLERK"
#define SINK_METER_FUNCTION    "clSetMeterCLERK"
#define SINK_PRINT_FUNCTION    "clSetPrintingCLERK"
#define SINK_PAIRS_FUNCTION    "clExamineCompilersCLERK"
#define SINK_LEFT_OUT_FUNCTION "clDescribeLeftOutCLERK"
#define SINK_NATIVE_FUNCTION   "clTryNativeCLERK"
#define SINK_PROFILE_FUNCTION  "clSetProfilingCLERK"
#define SINK_EMPTY_FUNCTION    "clCreateEmptyBufferCLERK"
#define SINK_CHILD_FUNCTION    "clSetChildSinkCLERK"

/* Called on the thread that executes the launch, one call at a time, in the order of discovery; the
 * finding is valid during the call only. The sink must not call OpenCL. */
typedef void sink_function(void *user, const struct finding *finding);

/* clSetFindingSinkCLERK: findings of every later launch go to `sink` (NULL: the device reports by
 * itself again). Returns 0, or CL_INVALID_VALUE when `version` is not the device's SINK_VERSION. */
typedef int32_t sink_set_function(uint32_t version, sink_function *sink, void *user);

/* clSetDeviceOptionCLERK: sets a device setting of trace/api/settings.def by name ("schedule",
 * "checks", "scope-rule") for launches enqueued from now on. Returns 0, or CL_INVALID_VALUE for an
 * unknown name or value. */
typedef int32_t sink_option_function(const char *name, const char *value);

/* clSetLaunchCallCLERK: findings about the command that the calling thread enqueues next belong to
 * this call of the trace (`call_id` of the finding and its places). Optional: a device without it
 * leaves call_id 0. */
typedef void sink_call_function(uint64_t call_id);

/* clSetPrintingCLERK: what kernels of later launches print goes to `print`, in the order in which
 * they print it, and not to standard output. NULL: it does again. */
typedef void sink_print(void *user, const char *bytes, size_t size);
typedef void sink_print_function(sink_print *print, void *user);

/* What is looked for besides, once a launch has run: reads that order what would race without them,
 * though nothing depends on what they read, which races that later launches show are told with; and
 * such races themselves. */
enum sink_predicting { SINK_PREDICTS_NOTHING, SINK_PREDICTS_READS, SINK_PREDICTS_RACES };

/* What a launch of the host's, and all that it enqueues, costs and may cost. */
struct sink_meter {
    uint64_t budget; /* instructions after which they are ended without a word; 0 = they are not */
    enum sink_predicting predicts;
    /* Given before the launch's command is complete. */
    uint64_t operations; /* instructions that they took */
    bool spent;          /* the budget: the rest of it was not executed */
    bool hides;          /* it has reads on which nothing depends, and which order something */
    bool communicates;   /* the kernel may do other things in another order of its work-items */
};
/* clSetMeterCLERK: later launches are metered; NULL: they are no longer. The meter must stay until
 * then. */
typedef void sink_meter_function(struct sink_meter *meter);

/* clExamineCompilersCLERK: tries every clang and llvm-spirv of one version that the device might
 * use, the one that it prefers first, and tells of each what it is, whether the device takes it and
 * how its SPIR-V is; of none, once, why (`pair` is NULL). */
typedef void sink_pair(void *user, const char *pair, int32_t taken, const char *detail);
typedef void sink_pairs_function(sink_pair *tell, void *user);

/* clTryNativeCLERK: makes native code, as of kernels that execute much, and tells in a sentence
 * whether that works. */
typedef void sink_native(void *user, int32_t works, const char *sentence);
typedef void sink_native_function(sink_native *tell, void *user);

/* clSetProfilingCLERK: `line` is told of every line of later launches that was executed, when each
 * has ended, with its file ("" = not known); called as a sink is. Kernels that others enqueue, and
 * those that may enqueue others, are not counted. What is counted is interpreted, on one thread.
 * NULL: nothing is counted any more. What it leads to must stay until then. */
struct sink_profiling {
    void (*line)(void *user, const struct api_line *line, const char *file);
    void *user;
};
typedef void sink_profile_function(const struct sink_profiling *profiling);

/* clSetChildSinkCLERK: `tell` is told of every kernel that launches of the host's with a call_id
 * and their children enqueue from now on, when it has ended and all that it enqueued; called as a
 * sink is. NULL: of none any more. */
typedef void sink_child(void *user, const struct api_child *child, const char *kernel);
typedef void sink_child_function(sink_child *tell, void *user);

/* clHasLackedMemoryCLERK: not 0 if the device, since the process began, did not get memory that it
 * asked for. Findings may be missing then, and results wrong. */
typedef int32_t sink_memory_function(void);

/* clCreateEmptyBufferCLERK: a buffer of the cl_context that has no bytes, which clCreateBuffer
 * refuses to make: each access of a kernel is out of its bounds. Released as others are; NULL:
 * memory ran out. */
typedef void *sink_empty_function(void *context);

/* clDescribeLeftOutCLERK: tells in a sentence which launches the settings (trace/api/selection.h)
 * have left out, and in others which could not be run under further schedules; nothing if none. */
typedef void sink_sentence(void *user, const char *sentence);
typedef void sink_left_out_function(sink_sentence *tell, void *user);

/* What came of a launch that was explored. */
struct sink_explored {
    const struct litmus_test *test;
    const struct litmus_result *result; /* of all executions */
    const struct litmus_repair *repair; /* of the result */
    const struct graph *graph;          /* of one */
    const char *refused;                /* not NULL: why there is nothing of these */
};

/* How launches are explored: all executions, or the one with the choices. */
struct sink_exploring {
    const struct litmus_options *options;
    const struct litmus_choices *choices; /* or NULL */
    /* Called as a sink is. What it is given is good during the call only. */
    void (*explored)(void *user, const struct sink_explored *explored);
    void *user;
};

/* clSetExploringCLERK: later launches are explored (checkers/litmus/search.h) instead of executed,
 * and change nothing; NULL: they are executed again. What it leads to must stay until then. */
typedef void sink_explore_function(const struct sink_exploring *exploring);

#endif
