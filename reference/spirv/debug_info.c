/* The debug information of a module: in this order it is read. */
#include "reference/spirv/debug_info.h"

#include "reference/spirv/debug_reader.h"
#include "trace/base/alloc.h"

static void read_all(struct debug_reader *reader)
{
    static void (*const steps[])(struct debug_reader *) = {
        debug_read_words,     debug_read_types, debug_read_scopes,
        debug_read_variables, debug_read_code,  debug_finish_variables,
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && !reader->failed; i++)
        steps[i](reader);
}

enum status debug_info_read(const void *bytes, size_t size, struct debug_info **info,
                            struct error *error)
{
    struct debug_info *made = alloc_zero(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error, sizeof *made);
    struct debug_reader reader = {
        .info = made, .arena = &made->arena, .module = spv_walker_begin(bytes, size)};
    read_all(&reader);
    arena_release(&reader.scratch);
    if (reader.failed) {
        debug_info_destroy(made);
        return error_set(error, STATUS_NO_MEMORY, "out of memory while reading debug information");
    }
    *info = made;
    return STATUS_OK;
}

void debug_info_destroy(struct debug_info *info)
{
    if (info == NULL)
        return;
    arena_release(&info->arena);
    alloc_free(info);
}
