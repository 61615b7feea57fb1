/* What a launch configuration asks for, as words of clerk kernel. */
#ifndef VIEWER_CLI_DEBUG_DAP_LAUNCH_H
#define VIEWER_CLI_DEBUG_DAP_LAUNCH_H

#include "trace/debug/json_object.h"
#include "viewer-cli/debug/kernel_words.h"

/* Arguments of `launch`:
 *
 *     file                      the kernel's: .cl, .spv or .spvasm
 *     kernel, build, schedule, checks, personality    strings, as the options of these names
 *     global, local, offset     a number, an array of up to three, or a string "64,64"
 *     arguments                 an array of strings, as `-a` has them
 *     options                   further words of clerk kernel
 *
 * What asks for something else, as a recorded trace, is refused with a sentence. */
enum status dap_launch_words(const struct cJSON *arguments, struct kernel_words *words,
                             struct error *error);

#endif
