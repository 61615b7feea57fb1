/* The bytes that commands read and write, from the arguments of their calls. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/certain_bytes.h"
#include "checkers/host/commands/commands.h"
#include "checkers/host/objects/object.h"
#include "checkers/host/objects/svm.h"
#include "trace/api/clerk_queries.h"
#include "trace/effect/effect.h"

struct finder {
    const struct api_call *call;
    struct object_table *objects;
    struct svm_table *svm;
    struct call_uses *found;
};

static void add(struct finder *finder, const struct use *use)
{
    if (use->bytes.size > 0 && finder->found->count < CALL_USES_MAX)
        finder->found->uses[finder->found->count++] = *use;
}

static bool is_in_buffer(const struct finder *finder, const struct mem_traits *image)
{
    struct mem_traits root;
    return object_get_traits(finder->objects, image->root, API_OBJECT_MEM, &root) &&
           root.type == CL_MEM_OBJECT_BUFFER;
}

/* Of an object that is known, unless it is an image in the bytes of another image: where its texels
 * lie nobody tells. */
static bool get_memory(const struct finder *finder, uint64_t handle, struct mem_traits *mem)
{
    return object_get_traits(finder->objects, handle, API_OBJECT_MEM, mem) && mem->root != 0 &&
           mem->type != CL_MEM_OBJECT_PIPE &&
           (!mem_is_image(mem) || mem->source == 0 || is_in_buffer(finder, mem));
}

/* The bytes from one row of an image in a buffer to the next. */
static uint64_t row_bytes(const struct mem_traits *image)
{
    return image->shape.row_pitch ? image->shape.row_pitch
                                  : image->shape.width * image->shape.pixel_size;
}

static struct use_bytes whole_of(const struct mem_traits *mem)
{
    const uint64_t texels = mem->source ? row_bytes(mem) * mem->shape.height : UINT64_C(1) << 62;
    return (struct use_bytes){.first = mem->root_offset,
                              .size = mem_is_image(mem) ? texels : mem->size};
}

/* ---- bytes ---- */

struct use_bytes call_bytes(uint64_t first, const struct rectangle *rectangle)
{
    return (struct use_bytes){.first = first + rectangle->first,
                              .size = rectangle->row_size,
                              .rows = rectangle->rows,
                              .row_pitch = rectangle->row_pitch,
                              .slices = rectangle->slices,
                              .slice_pitch = rectangle->slice_pitch};
}

/* The texels of a region of an image: of one in a buffer, the bytes. */
static struct use_bytes texels_of(const struct mem_traits *image, const struct effect *effect)
{
    const uint64_t *origin = effect->origin;
    struct rectangle region = effect->bytes;
    if (image->source) {
        region.row_size *= image->shape.pixel_size;
        region.row_pitch = row_bytes(image);
        region.first = origin[0] * image->shape.pixel_size + origin[1] * region.row_pitch;
        region.slices = 1;
        return call_bytes(image->root_offset, &region);
    }
    region.row_pitch = UINT64_C(1) << CALL_ROW_SHIFT;
    region.slice_pitch = UINT64_C(1) << CALL_SLICE_SHIFT;
    region.first = rectangle_byte(&region, origin) + (origin[3] << CALL_LEVEL_SHIFT);
    return call_bytes(0, &region);
}

static enum use_kind kind_of(const struct finder *finder, const struct effect *effect)
{
    const struct api_value *a = finder->call->arguments;
    if (effect->kind == EFFECT_MAPS)
        return (a[API_clEnqueueMapBuffer_map_flags].bits & MAP_WRITES) != 0 ? USE_WRITE : USE_READ;
    return effect->kind == EFFECT_WRITES ? USE_WRITE : USE_READ;
}
_Static_assert((int)API_clEnqueueMapBuffer_map_flags == (int)API_clEnqueueMapImage_map_flags,
               "maps have their flags in one place");

static void add_object(struct finder *finder, const struct effect *effect)
{
    struct call_uses *found = finder->found;
    struct mem_traits known;
    if (!get_memory(finder, effect->memory, &known) ||
        (effect->place == EFFECT_IMAGE && !mem_is_image(&known)))
        return;
    const struct use use = {.object = known.root,
                            .kind = kind_of(finder, effect),
                            .bytes = effect->place == EFFECT_IMAGE
                                         ? texels_of(&known, effect)
                                         : call_bytes(known.root_offset, &effect->bytes)};
    add(finder, &use);
    if (effect->kind == EFFECT_MAPS && found->count > 0) {
        found->maps = true;
        found->whole = whole_of(&known);
        found->handle = finder->call->result.bits;
    }
}

/* A pointer may be to shared virtual memory as well, of which nothing is told here. */
static void add_host(struct finder *finder, const struct effect *effect)
{
    struct svm_range range;
    const struct use use = {.object = CALL_HOST_MEMORY,
                            .kind = kind_of(finder, effect),
                            .bytes = call_bytes(effect->memory, &effect->bytes)};
    if (effect->kind != EFFECT_MAPS &&
        (effect->place == EFFECT_HOST || !svm_find(finder->svm, effect->memory, &range)))
        add(finder, &use);
}

static struct image_shape image_of(void *user, uint64_t handle)
{
    const struct finder finder = {.objects = user};
    struct mem_traits known;
    return get_memory(&finder, handle, &known) ? known.shape : (struct image_shape){0};
}

void call_effects(const struct api_call *call, struct object_table *objects,
                  struct effects *effects)
{
    effects_of(call, image_of, objects, effects);
}

/* OpenCL API 3.0, 5.2.2 and 5.3.3: an object is not to be used, nor mapped, while it is read into
 * its own CL_MEM_USE_HOST_PTR memory, or written from there. So the transfer, whose uses these are,
 * counts as one that writes all of it. */
static void note_own_memory(struct finder *finder)
{
    struct use *object = &finder->found->uses[0];
    const struct use *host = &finder->found->uses[1];
    struct mem_traits root;
    if (finder->found->count != 2 || host->object != CALL_HOST_MEMORY ||
        !object_get_traits(finder->objects, object->object, API_OBJECT_MEM, &root) ||
        !(root.flags & CL_MEM_USE_HOST_PTR) || root.host_ptr == 0)
        return;
    const uint64_t size = mem_is_image(&root) ? row_bytes(&root) * root.shape.height *
                                                    root.shape.depth * root.shape.layers
                                              : root.size;
    if (host->bytes.first - root.host_ptr >= size)
        return;
    object->kind = USE_WRITE;
    object->bytes = whole_of(&root);
    object->own_memory = true;
}

/* ---- commands ---- */

/* OpenCL C: the memory that such an argument points to is not written through it. */
bool call_only_reads(const struct argument_traits *argument)
{
    const uint8_t accesses = argument->accesses;
    if ((accesses & ACCESSES_KNOWN) && !(accesses & CL_KERNEL_ARG_WRITES_CLERK))
        return true;
    return argument->is_const || argument->access == 1 ||
           argument->address == CL_KERNEL_ARG_ADDRESS_CONSTANT - CL_KERNEL_ARG_ADDRESS_GLOBAL + 1;
}

bool call_use_of_argument(struct object_table *objects, uint64_t value, bool only_reads,
                          struct use *use)
{
    const struct finder finder = {.objects = objects};
    struct mem_traits known;
    if (value == 0 || !get_memory(&finder, value, &known))
        return false;
    *use = (struct use){.object = known.root,
                        .kind = only_reads || (known.flags & CL_MEM_READ_ONLY) != 0 ? USE_READ
                                                                                    : USE_WRITE,
                        .bytes = whole_of(&known),
                        .possible = true};
    return use->bytes.size > 0;
}

size_t call_argument_count(const struct kernel_traits *kernel)
{
    return !kernel ? 0 : kernel->count_known ? kernel_argument_count(kernel) : TRAITS_ARGUMENTS_MAX;
}

/* What of its possible use of the argument is certain. */
static void add_certain(const struct finder *finder, const struct kernel_traits *kernel,
                        const struct argument_traits *given, struct use *use)
{
    const struct launch_ids ids = launch_ids_of(finder->call);
    struct use_part *written = &use->certain[0];
    struct use_part *read = &use->certain[1];
    struct mem_traits buffer;
    if (given->overtaken != 0 || !get_memory(finder, given->value, &buffer) ||
        buffer.type != CL_MEM_OBJECT_BUFFER)
        return;
    certain_bytes_find(kernel, &given->must_read, &ids, buffer.size, read);
    if (use->kind == USE_WRITE)
        certain_bytes_find(kernel, &given->must_write, &ids, buffer.size, written);
    read->first += buffer.root_offset;
    read->kind = given->must_read.flags & CLERK_MUST_ATOMIC ? USE_ATOMIC_READ : USE_READ;
    written->first += buffer.root_offset;
    written->kind = given->must_write.flags & CLERK_MUST_ATOMIC ? USE_ATOMIC_WRITE : USE_WRITE;
}

/* Any byte of its memory objects, or none, but for those that are certain. */
static void add_kernel(struct finder *finder, uint64_t handle)
{
    const struct kernel_traits *kernel = object_kernel_traits(finder->objects, handle);
    const size_t count = call_argument_count(kernel);
    for (size_t i = 0; i < count; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        struct use use;
        if (given->svm || given->accesses == ACCESSES_KNOWN ||
            !call_use_of_argument(finder->objects, given->value, call_only_reads(given), &use))
            continue;
        if (kernel->has_must)
            add_certain(finder, kernel, given, &use);
        add(finder, &use);
    }
}

/* What moves memory objects reads them; what may leave their contents behind writes them. */
static void add_migration(struct finder *finder)
{
    const struct api_value *a = finder->call->arguments;
    const struct api_value *list = &a[API_clEnqueueMigrateMemObjects_mem_objects];
    const bool keeps = (a[API_clEnqueueMigrateMemObjects_flags].bits &
                        CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) == 0;
    for (uint32_t i = 0; list->kind == API_VALUE_HANDLES && i < list->count; i++) {
        struct mem_traits known;
        if (!get_memory(finder, list_word(list, i), &known))
            continue;
        const struct use use = {
            .object = known.root, .kind = keeps ? USE_READ : USE_WRITE, .bytes = whole_of(&known)};
        add(finder, &use);
    }
}

static void add_effects(struct finder *finder)
{
    struct effects effects;
    call_effects(finder->call, finder->objects, &effects);
    for (uint32_t i = 0; i < effects.count; i++) {
        const enum effect_place place = effects.items[i].place;
        if (place == EFFECT_BUFFER || place == EFFECT_IMAGE)
            add_object(finder, &effects.items[i]);
        else
            add_host(finder, &effects.items[i]);
    }
    note_own_memory(finder);
}

void call_uses_find(const struct api_call *call, struct object_table *objects,
                    struct svm_table *svm, struct call_uses *found)
{
    struct finder finder = {.call = call, .objects = objects, .svm = svm, .found = found};
    found->count = 0;
    found->maps = false;
    switch (call->entry) {
    case API_ENTRY_clEnqueueNDRangeKernel:
    case API_ENTRY_clEnqueueTask:
        add_kernel(&finder, call->arguments[API_clEnqueueNDRangeKernel_kernel].bits);
        break;
    case API_ENTRY_clEnqueueMigrateMemObjects:
        add_migration(&finder);
        break;
    default:
        add_effects(&finder);
        break;
    }
}
_Static_assert((int)API_clEnqueueNDRangeKernel_kernel == (int)API_clEnqueueTask_kernel,
               "launches have their kernel in one place");

bool call_may_wait(uint32_t entry)
{
    return entry == API_ENTRY_clFinish || entry == API_ENTRY_clWaitForEvents ||
           api_entry_get(entry)->blocking != API_PARAMETER_NONE;
}

void call_uses_of_host(const struct api_call *call, struct call_uses *found)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t flags = api_entry_find_parameter(info, "flags");
    struct finder finder = {.found = found};
    struct use read = {.object = CALL_HOST_MEMORY, .kind = USE_READ};
    struct effect created;
    found->count = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct api_value *value = &call->arguments[i];
        read.bytes = (struct use_bytes){.first = value->bits, .size = value->size};
        if (info->parameters[i].role == API_ROLE_IN_BYTES && value->data)
            add(&finder, &read);
    }
    if (!effect_of_create(call, &created) || !(call->arguments[flags].bits & CL_MEM_COPY_HOST_PTR))
        return;
    read.bytes = call_bytes(created.memory, &created.bytes);
    add(&finder, &read);
}
