/* Running a compiler within limits, and saying how it ended. */
#ifndef REFERENCE_COMPILER_TOOL_H
#define REFERENCE_COMPILER_TOOL_H

#include "trace/base/arena.h"
#include "trace/base/process.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs arguments[0] with `input`, in the program's directory and with the environment that
 * toolchain_environment has, which is kept in `arena`. Time, memory and output are limited by the
 * settings compiler-time, -memory and -output. One that has input is forked from where it has been
 * loaded before, if it was (setting compiler-idle). Failures are those of process_run; release the
 * result with process_result_release. */
enum status tool_run(const char *const *arguments, const void *input, size_t input_size,
                     struct arena *arena, struct process_result *result, struct error *error);

/* The same in two steps, the second of which is process_finish. */
enum status tool_start(const char *const *arguments, struct arena *arena, struct process **process,
                       struct error *error);

/* Makes a request, kept in `arena`, for a thread of ours: which may not look at the environment and
 * the settings, and whose children are not to be seen by the program. False when memory is out. */
bool tool_make_hidden(const char *const *arguments, struct arena *arena,
                      struct process_request *request);

/* The same for a tool that writes more than anybody wants to keep: `take` gets its output, as
 * process_request has it, of which the setting compiler-output is no limit. */
enum status tool_run_through(const char *const *arguments, const struct text *input,
                             bool (*take)(void *user, const void *bytes, size_t size), void *user,
                             struct arena *arena, struct process_result *result,
                             struct error *error);

/* Did it do its work? */
bool tool_succeeded(const struct process_result *result);

/* Did a limit end it? */
bool tool_limited(const struct process_result *result);

/* Appends what the tool at `path` said to `log`. Of one that a limit or a fault of its own ended
 * that is what it said of the program, and one sentence, with the place in the program where the
 * tool names it. */
void tool_tell(const char *path, const struct process_result *result, struct text *log);

/* Likewise, of a tool that knows no places, so that all it says of a failure is one sentence.
 * `place` is where it failed, or "". */
void tool_tell_at(const char *path, const struct process_result *result, const char *place,
                  struct text *log);

#endif
