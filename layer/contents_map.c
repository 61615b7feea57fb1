/* Mapped regions: what they show, and what the program wrote there. */
#include "layer/contents_private.h"

void contents_map_free(struct mapping *mapping)
{
    blocks_release(&mapping->blocks);
    alloc_free(mapping);
}

/* The first map of memory for writing shows what the driver left there, if nothing was written
 * before, and what the program writes may be the same by chance: so it is kept. */
static bool shows_first(struct contents *contents, const struct mapping *mapping)
{
    const uint64_t handle = mapping->mem ? mapping->mem : (uintptr_t)mapping->region.base;
    struct order_note *known = contents_known(contents, handle);
    if (!(mapping->flags & CL_MAP_WRITE) || (known && known->was_mapped))
        return false;
    if (known)
        known->was_mapped = true;
    else
        contents_know(contents, &(struct order_note){.handle = handle, .was_mapped = true});
    return true;
}

void contents_map_ready(struct contents *contents, uint64_t call_id, struct mapping *mapping,
                        struct probe *probe)
{
    uint64_t size;
    mapping->ready = true;
    if (shows_first(contents, mapping) || (mapping->flags & CL_MAP_READ))
        region_save(&mapping->region, contents->spool, call_id, API_ARGUMENT_RESULT, probe);
    if (!(mapping->flags & CL_MAP_WRITE) || !region_span(&mapping->region, &size))
        return;
    blocks_init(&mapping->blocks, mapping->region.base + mapping->region.offset, size);
    blocks_note(&mapping->blocks, probe);
}

/* Saves what changed since the map; all of it where that is not known. */
static void mapping_save_changes(struct contents *contents, struct mapping *mapping,
                                 const struct api_call *call, uint32_t argument,
                                 struct probe *probe)
{
    const struct region *region = &mapping->region;
    uint64_t size;
    if (!(mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
        !region_span(region, &size))
        return;
    mapping->blocks.bytes = region->base + region->offset;
    mapping->blocks.size = size;
    blocks_save_changes(&mapping->blocks, contents->spool, call->id, argument, region->offset,
                        probe);
}

void contents_unmapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                       uint32_t argument, struct probe *probe)
{
    const char *ptr = (const char *)call->arguments[argument].bits;
    for (struct mapping **at = &contents->mappings; *at; at = &(*at)->next) {
        struct mapping *mapping = *at;
        if (mapping->mem != mem || mapping->region.base != ptr)
            continue;
        mapping_save_changes(contents, mapping, call, argument, probe);
        *at = mapping->next;
        mapping->unmapped = true;
        if (mapping->ready)
            contents_map_free(mapping);
        return;
    }
}

void contents_mapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                     cl_map_flags flags, const struct region *region, struct probe *probe)
{
    struct mapping *mapping = alloc(sizeof *mapping);
    if (!mapping)
        return;
    *mapping =
        (struct mapping){.next = contents->mappings, .mem = mem, .flags = flags, .region = *region};
    contents->mappings = mapping;
    contents_give_back(contents, call, region, API_ARGUMENT_RESULT, mapping, probe);
}
