#include "checkers/host/memory/watched.h"

#include "checkers/host/objects/object.h"

bool reach_storage(const struct reach_world *world, uint64_t handle, struct use_bytes *bytes,
                   struct mem_traits *root)
{
    struct mem_traits mem;
    if (!object_get_traits(world->objects, handle, API_OBJECT_MEM, &mem) ||
        !object_get_traits(world->objects, mem.root, API_OBJECT_MEM, root) ||
        !(root->flags & CL_MEM_USE_HOST_PTR) || root->host_ptr == 0)
        return false;
    *bytes = reach_linear(root->host_ptr, root->size);
    if (!mem_is_image(root))
        return true;
    struct rectangle rectangle;
    if (!image_in_host(&root->shape, &rectangle))
        return false;
    *bytes = call_bytes(root->host_ptr, &rectangle);
    return bytes->size > 0;
}

/* How something is reached. */
enum { READS = 1, WRITES = 2 };

static void add_reach(struct reach *reach, const struct use_bytes *bytes, uint64_t object,
                      unsigned how)
{
    if (reach->count == sizeof reach->items / sizeof *reach->items) {
        reach->all = true;
        return;
    }
    reach->items[reach->count].bytes = *bytes;
    reach->items[reach->count].object = object;
    reach->items[reach->count].reads = (how & READS) != 0;
    reach->items[reach->count++].writes = (how & WRITES) != 0;
}

static void reach_object(const struct reach_world *world, struct reach *reach, uint64_t handle,
                         unsigned how)
{
    struct use_bytes bytes;
    struct mem_traits root;
    if (reach_storage(world, handle, &bytes, &root))
        add_reach(reach, &bytes, root.root, how);
}

static void reach_allocation(const struct reach_world *world, struct reach *reach, uint64_t address,
                             unsigned how)
{
    struct svm_range range;
    if (!svm_find(world->svm, address, &range))
        return;
    const struct use_bytes bytes = reach_linear(range.address, range.size);
    add_reach(reach, &bytes, 0, how);
}

static void reach_arguments(const struct reach_world *world, struct reach *reach, uint64_t handle)
{
    struct mem_traits mem;
    const struct kernel_traits *kernel = object_kernel_traits(world->objects, handle);
    reach->svm = world->indirect;
    reach->all = !kernel || !kernel->created || kernel->argument_count > TRAITS_ARGUMENTS_MAX ||
                 world->atomics || world->system;
    for (size_t i = 0; kernel && i < TRAITS_ARGUMENTS_MAX; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        if (given->svm)
            reach_allocation(world, reach, given->value,
                             call_only_reads(given) ? READS : READS | WRITES);
        else if (given->value != 0 &&
                 object_get_traits(world->objects, given->value, API_OBJECT_MEM, &mem))
            reach_object(world, reach, given->value,
                         call_only_reads(given) || (mem.flags & CL_MEM_READ_ONLY) ? READS
                                                                                  : READS | WRITES);
    }
}

/* A map of memory reads it: what is written there comes with the unmapping. */
static void reach_effect(const struct reach_world *world, struct reach *reach,
                         const struct effect *effect)
{
    const unsigned how = effect->kind == EFFECT_WRITES ? WRITES : READS;
    const struct use_bytes bytes = call_bytes(effect->memory, &effect->bytes);
    if (effect->place == EFFECT_BUFFER || effect->place == EFFECT_IMAGE)
        reach_object(world, reach, effect->memory, how);
    else if (effect->place == EFFECT_SHARED && effect->kind == EFFECT_MAPS)
        reach_allocation(world, reach, effect->memory, READS);
    else if (effect->place == EFFECT_SHARED)
        add_reach(reach, &bytes, 0, how);
}

/* All entry points that are not listed, nor known by their effects, may do anything. */
static void reach_objects(const struct reach_world *world, const struct api_call *call,
                          struct reach *reach)
{
    const struct api_value *a = call->arguments;
    struct effects effects;
    switch (call->entry) {
    case API_ENTRY_clEnqueueNDRangeKernel:
    case API_ENTRY_clEnqueueTask:
        reach_arguments(world, reach, a[API_clEnqueueTask_kernel].bits);
        break;
    case API_ENTRY_clEnqueueMigrateMemObjects:
        reach->all = a[API_clEnqueueMigrateMemObjects_flags].bits != 0;
        break;
    case API_ENTRY_clEnqueueSVMFree:
    case API_ENTRY_clEnqueueMarker:
    case API_ENTRY_clEnqueueMarkerWithWaitList:
    case API_ENTRY_clEnqueueBarrier:
    case API_ENTRY_clEnqueueBarrierWithWaitList:
    case API_ENTRY_clEnqueueWaitForEvents:
        break;
    default:
        reach->all = !effects_know(call->entry);
        call_effects(call, world->objects, &effects);
        for (uint32_t i = 0; i < effects.count; i++)
            reach_effect(world, reach, &effects.items[i]);
        break;
    }
}

bool reach_find_unmapped(const struct reach_world *world, const struct api_call *call,
                         struct reach *reach)
{
    const struct api_value *a = call->arguments;
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        reach_object(world, reach, a[API_clEnqueueUnmapMemObject_memobj].bits, READS);
    else if (call->entry == API_ENTRY_clEnqueueSVMUnmap)
        reach_allocation(world, reach, a[API_clEnqueueSVMUnmap_svm_ptr].bits, READS);
    else
        return false;
    return true;
}

static void reach_destinations(const struct reach_world *world, const struct api_call *call,
                               struct reach *reach)
{
    struct call_uses found;
    call_uses_find(call, world->objects, world->svm, &found);
    for (size_t i = 0; i < found.count; i++) {
        if (found.uses[i].object == CALL_HOST_MEMORY && found.uses[i].kind == USE_WRITE)
            add_reach(reach, &found.uses[i].bytes, 0, WRITES);
    }
}

void reach_find(const struct reach_world *world, const struct api_call *call, struct reach *reach)
{
    reach_objects(world, call, reach);
    reach_destinations(world, call, reach);
}
