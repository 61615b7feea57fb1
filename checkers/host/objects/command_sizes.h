/* The sizes of a launch that was recorded into a command-buffer, and its work-groups: wanted of
 * those whose program promised that updates make no more of them. */
#ifndef CHECKERS_HOST_OBJECTS_COMMAND_SIZES_H
#define CHECKERS_HOST_OBJECTS_COMMAND_SIZES_H

#include "checkers/host/objects/traits.h"
#include "trace/api/mutable_config.h"

/* Puts what the config has of sizes, with what it leads to, in the place of those of the command.
 */
void command_sizes_change(struct mutable_command_traits *command,
                          const struct api_mutable_config *config);
/* How many work-groups they make; 0 = it is not known. */
uint64_t command_sizes_groups(const struct mutable_command_traits *command);

#endif
