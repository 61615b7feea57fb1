/* The descriptions that clUpdateMutableCommandsKHR is given, as a captured value holds them: BYTES,
 * whose count is their number.
 *
 *     struct api_mutable_config ...   one each
 *     part ...                        what their addresses, which are 1 or NULL then, lead to, in
 *                                     their order; perhaps not known
 *
 *     part   for each element of arg_list, arg_svm_list and exec_info_list: its index or name, the
 *            size of its value, 1 if there is a value, and the value (of arg_svm_list the pointer);
 *            then what there is of global_work_offset, global_work_size and local_work_size:
 *            work_dim numbers each
 *
 * All numbers are words of 64 bits; values are padded to such. */
#ifndef TRACE_API_MUTABLE_CONFIG_H
#define TRACE_API_MUTABLE_CONFIG_H

#include "trace/api/call.h"
#include "trace/api/foreign.h"

#include <stdbool.h>
#include <stdint.h>

/* May these bytes be read? */
typedef bool api_readable_function(void *user, const void *bytes, uint64_t size);

/* Appends the parts to the `count` descriptions that `configs` begins with, in new memory of the
 * arena, and gives its size. NULL: some of it cannot be read, or has sizes without a work_dim. */
void *api_mutable_configs_pack(const struct api_mutable_config *configs, uint32_t count,
                               api_readable_function *readable, void *user, struct arena *arena,
                               uint64_t *size);
/* The descriptions, count of them, with what they lead to, in the arena. NULL: memory is out, or
 * the value has no parts, or is malformed. */
struct api_mutable_config *api_mutable_configs_unpack(const struct api_value *value,
                                                      struct arena *arena);

#endif
