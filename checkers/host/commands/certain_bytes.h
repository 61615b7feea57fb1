/* Which bytes of a buffer a launch is certain to access: what is known of the kernel (struct
 * clerk_must), the global ids of the launch, and the numbers that are limits, together. */
#ifndef CHECKERS_HOST_COMMANDS_CERTAIN_BYTES_H
#define CHECKERS_HOST_COMMANDS_CERTAIN_BYTES_H

#include "checkers/host/objects/traits.h"
#include "checkers/order/use.h"
#include "trace/api/call.h"

/* What get_global_id(0) is in a launch: from `first` on, less than `end`. `first` is not below
 * `end` where there is no work-item, or its sizes are not known. */
struct launch_ids {
    uint64_t first, end;
};
struct launch_ids launch_ids_of(const struct api_call *call);

/* Sets part->first, from the start of the buffer that has `size` bytes, and part->size; 0 = nothing
 * is certain. Work-items whose bytes are not all in the buffer do not count. */
void certain_bytes_find(const struct kernel_traits *kernel, const struct must_traits *must,
                        const struct launch_ids *ids, uint64_t size, struct use_part *part);
/* What of the kernel, besides what its `changes` tell, and besides the ids, this depends on. */
uint64_t certain_bytes_limits(const struct kernel_traits *kernel);

#endif
