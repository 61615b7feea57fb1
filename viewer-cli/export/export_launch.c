#include "viewer-cli/export/export_program.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"

#include "trace/api/entry.h"
#include "trace/api/image.h"
#include "trace/api/property.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"
#include "trace/effect/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_LIMIT = 16 };

struct loader {
    struct trace *trace;
    struct export_launch *launch;
    struct error *error;
};

static enum status no_memory(const struct loader *loader)
{
    return error_no_memory(loader->error, sizeof(struct export_object));
}

/* ---- the kernel and its program ---- */

static void copy_module(struct export_launch *launch, struct rows *rows)
{
    const void *bytes = rows_blob(rows, 3, &launch->il_size);
    if (bytes)
        launch->il = arena_copy(&launch->arena, bytes, launch->il_size);
}

static enum status find_kernel(const struct loader *loader)
{
    struct export_launch *launch = loader->launch;
    struct rows *rows = NULL;
    enum status status =
        rows_open_format(loader->trace, &rows, loader->error,
                         "SELECT kernel_name, origin, source, il, options FROM launch"
                         " JOIN kernel ON kernel.id = launch.kernel"
                         " JOIN program ON program.id = kernel.program WHERE call = %lld",
                         (long long)launch->call.id);
    if (!rows_next(rows, &status, loader->error) && status == STATUS_OK)
        status = error_set(loader->error, STATUS_NOT_FOUND,
                           "the trace does not know the program of call %" PRIu64, launch->call.id);
    if (status == STATUS_OK) {
        const char *origin = rows_text(rows, 1);
        const bool has_source = strcmp(origin, "source") == 0 && !rows_is_null(rows, 2);
        launch->kernel_name = arena_string(&launch->arena, rows_text(rows, 0));
        launch->options = arena_string(&launch->arena, rows_text(rows, 4));
        if (has_source)
            launch->source = arena_string(&launch->arena, rows_text(rows, 2));
        else if (strcmp(origin, "il") == 0)
            copy_module(launch, rows);
        else
            status = error_set(loader->error, STATUS_UNSUPPORTED,
                               "the program of '%s' was made from %s: it has no source of its own",
                               launch->kernel_name, origin);
        if (status == STATUS_OK && !launch->source && !launch->il)
            status = no_memory(loader);
    }
    rows_close(rows);
    return status;
}

/* ---- objects ---- */

/* The object with this handle that is alive at call `at`: the number in its name, and the call that
 * made it. */
static enum status find_object(const struct loader *loader, uint64_t handle, uint64_t at,
                               uint64_t *number, uint64_t *created_call)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        loader->trace, &rows, loader->error,
        "SELECT CAST(substr(name, instr(name, '#') + 1) AS INTEGER), created_call FROM object"
        " WHERE handle = %lld AND created_call < %lld"
        " AND ifnull(released_call, 9223372036854775807) >= %lld"
        " ORDER BY created_call DESC LIMIT 1",
        (long long)handle, (long long)at, (long long)at);
    *created_call = 0;
    if (rows_next(rows, &status, loader->error)) {
        *number = (uint64_t)rows_number(rows, 0);
        *created_call = (uint64_t)rows_number(rows, 1);
    }
    rows_close(rows);
    return status;
}

static enum status refuse(const struct loader *loader, const char *what, const char *why)
{
    return error_set(loader->error, STATUS_UNSUPPORTED, "%s %s", what, why);
}

static void describe_sampler(const struct api_call *call, struct export_object *object)
{
    const struct api_value *a = call->arguments;
    const struct api_value *list = &a[API_clCreateSamplerWithProperties_sampler_properties];
    struct api_property property;
    object->kind = EXPORT_SAMPLER;
    if (call->entry == API_ENTRY_clCreateSampler) {
        object->normalized_coords = (cl_bool)a[API_clCreateSampler_normalized_coords].bits;
        object->addressing_mode = (cl_addressing_mode)a[API_clCreateSampler_addressing_mode].bits;
        object->filter_mode = (cl_filter_mode)a[API_clCreateSampler_filter_mode].bits;
        return;
    }
    object->normalized_coords = CL_TRUE; /* OpenCL API 3.0, 5.7.1: the defaults */
    object->addressing_mode = CL_ADDRESS_CLAMP;
    object->filter_mode = CL_FILTER_NEAREST;
    for (uint32_t at = 0; api_property_next(list, API_FAMILY_SAMPLER_PROPERTIES, &at, &property);) {
        const uint64_t value = api_property_word(&property, 0);
        if (property.name == CL_SAMPLER_NORMALIZED_COORDS)
            object->normalized_coords = (cl_bool)value;
        if (property.name == CL_SAMPLER_ADDRESSING_MODE)
            object->addressing_mode = (cl_addressing_mode)value;
        if (property.name == CL_SAMPLER_FILTER_MODE)
            object->filter_mode = (cl_filter_mode)value;
    }
}

/* What the call makes; *parent is the handle of what it makes it from, or 0. */
static enum status describe_object(const struct loader *loader, const struct api_call *call,
                                   struct export_object *object, uint64_t *parent)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const struct api_value *a = call->arguments;
    const uint32_t flags = api_entry_find_parameter(info, "flags");
    const uint32_t size = api_entry_find_parameter(info, "size");
    struct image_create image;
    cl_buffer_region region;
    *parent = 0;
    if (flags != API_PARAMETER_NONE)
        object->flags = a[flags].bits & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
    if (info->return_kind == API_OBJECT_SAMPLER) {
        describe_sampler(call, object);
    } else if (call->entry == API_ENTRY_clCreateSubBuffer &&
               a[API_clCreateSubBuffer_buffer_create_info].size == sizeof region) {
        memcpy(&region, a[API_clCreateSubBuffer_buffer_create_info].data, sizeof region);
        object->kind = EXPORT_SUB_BUFFER;
        object->origin = region.origin;
        object->size = region.size;
        *parent = a[API_clCreateSubBuffer_buffer].bits;
    } else if (image_create_parse(call, &image)) {
        object->kind = EXPORT_IMAGE;
        object->format = *image.format;
        object->desc = image.desc;
        *parent = (uint64_t)image.desc.mem_object;
        object->desc.mem_object = NULL;
        if (!*parent) /* then pitches are those of the program's memory */
            object->desc.image_row_pitch = object->desc.image_slice_pitch = 0;
    } else if (size != API_PARAMETER_NONE && info->return_kind == API_OBJECT_MEM) {
        object->kind = EXPORT_BUFFER;
        object->size = a[size].bits;
    } else {
        return refuse(loader, info->name, "makes what no program of its own can make");
    }
    return STATUS_OK;
}

static bool is_taken(const struct export_launch *launch, const char *variable)
{
    for (size_t i = 0; i < launch->object_count; ++i)
        if (strcmp(launch->objects[i]->variable, variable) == 0)
            return true;
    return false;
}

/* It becomes a variable and the name of files: it is clerk's own, whatever the trace calls the
 * object, and no other object has it. */
static enum status name_object(const struct loader *loader, struct export_object *object,
                               uint64_t number)
{
    static const char *const words[] = {[EXPORT_BUFFER] = "buffer",
                                        [EXPORT_SUB_BUFFER] = "buffer",
                                        [EXPORT_IMAGE] = "image",
                                        [EXPORT_SAMPLER] = "sampler"};
    struct export_launch *launch = loader->launch;
    do
        object->variable =
            arena_format(&launch->arena, "%s_%" PRIu64, words[object->kind], number++);
    while (object->variable && is_taken(launch, object->variable));
    return object->variable ? STATUS_OK : no_memory(loader);
}

static struct export_object *known_object(const struct export_launch *launch, uint64_t handle)
{
    for (size_t i = 0; i < launch->object_count; ++i)
        if (launch->objects[i]->handle == handle)
            return launch->objects[i];
    return NULL;
}

/* The object and those that it is made from; *result is NULL when the handle names none. */
static enum status add_object(const struct loader *loader, uint64_t handle, uint64_t at,
                              unsigned depth, struct export_object **result)
{
    struct export_launch *launch = loader->launch;
    struct arena arena = {0};
    struct api_call call;
    uint64_t created_call;
    uint64_t parent = 0;
    uint64_t number = 0;
    *result = known_object(launch, handle);
    if (*result)
        return STATUS_OK;
    enum status status = find_object(loader, handle, at, &number, &created_call);
    if (status != STATUS_OK || !created_call)
        return status;
    struct export_object *object = arena_alloc(&launch->arena, 1, sizeof *object);
    if (!object)
        return no_memory(loader);
    object->handle = handle;
    status = trace_call(loader->trace, created_call, &arena, &call, loader->error);
    if (status == STATUS_OK)
        status = describe_object(loader, &call, object, &parent);
    if (status == STATUS_OK && parent && depth < DEPTH_LIMIT) {
        status = add_object(loader, parent, created_call, depth + 1, &object->parent);
        if (status == STATUS_OK && !object->parent)
            status = refuse(loader, "an argument", "is made from what the trace does not know");
    }
    arena_release(&arena);
    if (status == STATUS_OK)
        status = name_object(loader, object, number);
    if (status != STATUS_OK)
        return status;
    void *grown = alloc_grow(launch->objects, launch->object_count, &launch->object_capacity,
                             sizeof *launch->objects);
    if (!grown)
        return no_memory(loader);
    launch->objects = grown;
    launch->objects[launch->object_count++] = *result = object;
    return STATUS_OK;
}

/* Bytes of the object's memory, as texels without gaps; 0 for what has no size that counts. */
static uint64_t size_of(const struct export_object *object)
{
    const struct image_shape shape = image_shape_of(&object->format, &object->desc);
    uint64_t size = shape.pixel_size;
    if (object->kind != EXPORT_IMAGE)
        return object->size;
    return size_mul(size, shape.width, &size) && size_mul(size, shape.height, &size) &&
                   size_mul(size, shape.depth, &size) && size_mul(size, shape.layers, &size)
               ? size
               : 0;
}

/* The program reads and writes as many bytes of its files as the object has. */
static enum status check_size(const struct loader *loader, const struct export_object *object,
                              const struct trace_memory *memory)
{
    if (!memory->piece_count || !memory->bytes || memory->size == size_of(object))
        return STATUS_OK;
    return error_set(loader->error, STATUS_MALFORMED,
                     "what the trace has of %s are %" PRIu64 " bytes, and it has %" PRIu64,
                     object->variable, memory->size, size_of(object));
}

static enum status load_memory(const struct loader *loader, struct export_object *object)
{
    struct export_launch *launch = loader->launch;
    const uint64_t id = launch->call.id;
    if (object->kind == EXPORT_SAMPLER || object->found.piece_count)
        return STATUS_OK;
    enum status status = trace_launch_memory(loader->trace, id, false, object->handle,
                                             &launch->arena, &object->found, loader->error);
    if (status == STATUS_OK)
        status = trace_launch_memory(loader->trace, id, true, object->handle, &launch->arena,
                                     &object->left, loader->error);
    if (status == STATUS_OK && (!object->found.piece_count || !object->found.bytes))
        status = error_set(loader->error, STATUS_NOT_FOUND,
                           "the trace has not what %s held: record the run with --contents all "
                           "(and --capture-launches %" PRIu64 ")",
                           object->variable, id);
    if (status == STATUS_OK)
        status = check_size(loader, object, &object->found);
    return status == STATUS_OK ? check_size(loader, object, &object->left) : status;
}

/* ---- arguments ---- */

/* Can eight bytes for an argument of this type be a handle? */
static bool type_is_of_object(const char *type)
{
    return !type[0] || strchr(type, '*') || strstr(type, "image") || strcmp(type, "sampler_t") == 0;
}

static enum status copy_argument(const struct loader *loader, size_t index,
                                 const struct recorded_argument *given)
{
    struct export_launch *launch = loader->launch;
    struct export_argument *argument = &launch->arguments[index];
    if (given->state != RECORDED_UNSET)
        launch->argument_count = index + 1;
    argument->type = arena_string(&launch->arena, given->type.bytes);
    argument->name = arena_string(&launch->arena, given->name.bytes);
    argument->size = given->size;
    if (given->state == RECORDED_VALUE)
        argument->bytes = arena_copy(&launch->arena, given->value.bytes, given->value.size);
    return argument->type && argument->name && (argument->bytes || given->state != RECORDED_VALUE)
               ? STATUS_OK
               : no_memory(loader);
}

/* What the kernel of the launch was given. */
static enum status take_launch(void *user, const struct api_call *call,
                               const struct recorded_kernel *kernel, struct error *error)
{
    const struct loader *loader = user;
    struct export_launch *launch = loader->launch;
    enum status status = STATUS_OK;
    char what[48];
    if (call->id != launch->call.id)
        return STATUS_OK;
    if (kernel->is_of_unknown)
        return refuse(loader, "the kernel", "is a clone of one that the trace does not know");
    if (kernel->has_more)
        return refuse(loader, "the kernel", "has too many arguments");
    if (kernel->address == RECORDED_OF_OTHERS)
        return refuse(loader, "the kernel",
                      "uses shared virtual memory through clSetKernelExecInfo");
    if (kernel->address) {
        snprintf(what, sizeof what, "argument %" PRIu64, kernel->address_index);
        return refuse(loader, what,
                      kernel->address == RECORDED_OF_SHARED
                          ? "is shared virtual memory, whose addresses lead nowhere else"
                          : "is an address of a device, which leads nowhere else");
    }
    launch->arguments = arena_alloc(&launch->arena, kernel->count, sizeof *launch->arguments);
    if (!launch->arguments)
        return error_no_memory(error, kernel->count * sizeof *launch->arguments);
    for (size_t i = 0; i < kernel->count && !status; ++i)
        status = copy_argument(loader, i, &kernel->arguments[i]);
    return !status && alloc_has_failed() ? no_memory(loader) : status;
}

/* Values that name objects become these. */
static enum status find_objects(const struct loader *loader)
{
    struct export_launch *launch = loader->launch;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < launch->argument_count; ++i) {
        struct export_argument *argument = &launch->arguments[i];
        uint64_t handle;
        if (argument->size == 0)
            return error_set(loader->error, STATUS_INVALID, "argument %zu was never set", i);
        if (!argument->bytes || argument->size != sizeof handle ||
            !type_is_of_object(argument->type))
            continue;
        memcpy(&handle, argument->bytes, sizeof handle);
        status = add_object(loader, handle, launch->call.id, 0, &argument->object);
        if (status == STATUS_OK && argument->object)
            status = load_memory(loader, argument->object);
    }
    return status;
}

/* Each list of sizes has one for each dimension, or is not there. */
static enum status check_range(const struct loader *loader)
{
    const struct api_value *a = loader->launch->call.arguments;
    const struct api_value *const lists[] = {&a[API_clEnqueueNDRangeKernel_global_work_offset],
                                             &a[API_clEnqueueNDRangeKernel_global_work_size],
                                             &a[API_clEnqueueNDRangeKernel_local_work_size]};
    const uint64_t dimensions = a[API_clEnqueueNDRangeKernel_work_dim].bits;
    bool is_sound = dimensions >= 1 && dimensions <= 3;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i)
        is_sound = is_sound && (lists[i]->kind != API_VALUE_SIZES || !lists[i]->count ||
                                lists[i]->count == dimensions);
    return is_sound ? STATUS_OK : refuse(loader, "the launch", "has sizes that no launch has");
}

enum status export_launch_load(struct trace *trace, uint64_t call_id, struct export_launch *launch,
                               struct error *error)
{
    struct loader loader = {trace, launch, error};
    enum status status = trace_call(trace, call_id, &launch->arena, &launch->call, error);
    if (status == STATUS_OK && launch->call.entry != API_ENTRY_clEnqueueNDRangeKernel)
        status = error_set(error, STATUS_NOT_FOUND,
                           "call %" PRIu64 " launched no NDRange; clerk show launches lists those "
                           "that did",
                           call_id);
    if (status == STATUS_OK)
        status = check_range(&loader);
    if (status == STATUS_OK)
        status = find_kernel(&loader);
    if (status == STATUS_OK)
        status = recorded_arguments_each(trace, call_id, take_launch, &loader, error);
    return status == STATUS_OK ? find_objects(&loader) : status;
}

void export_launch_release(struct export_launch *launch)
{
    alloc_free(launch->objects);
    arena_release(&launch->arena);
}
