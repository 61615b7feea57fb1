/* What a launch configuration asks for, as words of a command line. */
#ifndef VIEWER_CLI_DEBUG_DAP_LAUNCH_H
#define VIEWER_CLI_DEBUG_DAP_LAUNCH_H

#include "trace/debug/json_object.h"
#include "viewer-cli/debug/kernel_words.h"
#include "viewer-cli/debug/recorded.h"

/* What is debugged is a kernel of a file, a recorded run, or a program. */
enum dap_kind { DAP_KERNEL, DAP_TRACE, DAP_PROGRAM };
enum dap_kind dap_launch_kind(const struct cJSON *arguments);

/* Arguments of `launch` for a kernel, that have words of clerk kernel:
 *
 *     file                      the kernel's: .cl, .spv or .spvasm
 *     kernel, build, schedule, checks, personality    strings, as the options of these names
 *     global, local, offset     a number, an array of up to three, or a string "64,64"
 *     arguments                 an array of strings, as `-a` has them
 *     options                   further words of clerk kernel
 *
 * for a recorded run, that has words of clerk replay:
 *
 *     trace                     its file
 *     launch                    the number of the call that is the launch to begin with
 *     finding                   the number of a finding: what is to be run to
 *     personality
 *     file                      the file that has the text of the kernel's program
 *
 * and for a program, that has words of clerk run:
 *
 *     program                   what is run on the reference device
 *     args, options             arrays of strings: its arguments, and words of clerk run
 *     file                      as of a recorded run */
enum status dap_launch_words(const struct cJSON *arguments, struct kernel_words *words,
                             struct error *error);
/* "threads": what a thread of the client's is, as the request `threads` has it; NULL = not said. */
enum status dap_launch_threads(const struct cJSON *arguments, const char **by, struct error *error);
/* The finding that a recorded run is to be run to; none where no such is asked for. */
enum status dap_launch_finding(const struct cJSON *arguments, struct recorded_finding *finding,
                               struct error *error);

#endif
