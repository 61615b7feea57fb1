#include "checkers/host/objects/command_sizes.h"

#include "trace/base/size.h"

static void change(uint64_t *sizes, const size_t *given, uint64_t work_dim)
{
    for (uint64_t i = 0; given && i < work_dim; i++)
        sizes[i] = given[i];
}

void command_sizes_change(struct mutable_command_traits *command,
                          const struct api_mutable_config *config)
{
    if (command->work_dim > WORK_DIM_MAX)
        return;
    change(command->global, config->global_work_size, command->work_dim);
    change(command->local, config->local_work_size, command->work_dim);
}

uint64_t command_sizes_groups(const struct mutable_command_traits *command)
{
    uint64_t count = command->work_dim <= WORK_DIM_MAX;
    for (uint64_t i = 0; count != 0 && i < command->work_dim; i++) {
        const uint64_t local = command->local[i], global = command->global[i];
        if (local == 0 || !size_mul(count, global / local + (global % local != 0), &count))
            return 0;
    }
    return count;
}
