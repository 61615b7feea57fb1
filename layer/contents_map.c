/* Mapped regions: what they show, and what the program wrote there. */
#include "layer/contents_private.h"

void contents_map_free(struct mapping *mapping)
{
    blocks_release(&mapping->blocks);
    alloc_free(mapping);
}

/* The first map of memory for writing shows what the driver left there, if nothing was written
 * before, and what the program writes may be the same by chance: so it is kept. */
static bool shows_first(const struct contents *contents, const struct mapping *mapping)
{
    if (!(mapping->flags & CL_MAP_WRITE))
        return false;
    live_lock(contents->live);
    struct live_object *object =
        live_find(contents->live, mapping->mem ? mapping->mem : mapping->shown.memory);
    const bool is_first = !object || !object->was_mapped;
    if (object)
        object->was_mapped = true;
    live_unlock(contents->live);
    return is_first;
}

void contents_map_ready(struct contents *contents, uint64_t call_id, struct mapping *mapping,
                        struct readable *readable)
{
    uint64_t size;
    mapping->ready = true;
    if (shows_first(contents, mapping) || (mapping->flags & CL_MAP_READ))
        host_bytes_save(&mapping->shown, contents->of_commands, call_id, readable);
    if (!(mapping->flags & CL_MAP_WRITE) || !host_bytes_span(&mapping->shown, &size))
        return;
    blocks_init(&mapping->blocks, host_bytes_first(&mapping->shown), size);
    blocks_note(&mapping->blocks, readable);
}

/* Saves what changed since the map; all of it where that is not known. */
static void mapping_save_changes(struct contents *contents, struct mapping *mapping,
                                 const struct api_call *call, uint32_t argument,
                                 struct readable *readable)
{
    uint64_t size;
    if (!(mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
        !host_bytes_span(&mapping->shown, &size))
        return;
    mapping->blocks.bytes = host_bytes_first(&mapping->shown);
    mapping->blocks.size = size;
    blocks_save_changes(&mapping->blocks, contents->of_commands, call->id, argument,
                        mapping->shown.bytes.first, readable);
}

void contents_unmapped(struct contents *contents, const struct api_call *call,
                       struct readable *readable)
{
    const uint32_t argument = api_entry_find_role(api_entry_get(call->entry), API_ROLE_ADDRESS);
    const uint64_t mem = call->entry == API_ENTRY_clEnqueueUnmapMemObject
                             ? call->arguments[API_clEnqueueUnmapMemObject_memobj].bits
                             : 0;
    const uint64_t address = call->arguments[argument].bits;
    for (struct mapping **at = &contents->mappings; *at; at = &(*at)->next) {
        struct mapping *mapping = *at;
        if (mapping->mem != mem || mapping->shown.memory != address)
            continue;
        mapping_save_changes(contents, mapping, call, argument, readable);
        *at = mapping->next;
        mapping->unmapped = true;
        if (mapping->ready)
            contents_map_free(mapping);
        return;
    }
}

void contents_mapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                     cl_map_flags flags, const struct effect *shown, struct readable *readable)
{
    struct mapping *mapping = alloc(sizeof *mapping);
    if (!mapping)
        return;
    *mapping =
        (struct mapping){.next = contents->mappings, .mem = mem, .flags = flags, .shown = *shown};
    contents->mappings = mapping;
    contents_give_back(contents, call, shown, mapping, readable);
}
