#include "viewer-cli/confirm/reference_arguments.h"

#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"

#include <dlfcn.h>
#include <string.h>

/* clang-format off */
#define ENTRY_POINTS(X)                                                                            \
    X(clCreateBuffer) X(clCreateImage) X(clCreateSampler) X(clSVMAlloc) X(clEnqueueSVMMemcpy)      \
    X(clEnqueueWriteBuffer) X(clSetKernelArg) X(clSetKernelArgSVMPointer) X(clSetKernelExecInfo)
/* clang-format on */

/* What a captured memory object has become. */
struct made {
    cl_mem object;
    void *shared;
};

struct making {
    const struct reference_kernel *with;
    const struct captured *captured;
#define DECLARE(name) __typeof__(&name) name;
    ENTRY_POINTS(DECLARE)
#undef DECLARE
    struct made *made; /* by index in captured->memory */
    struct error *error;
};

static enum status failed(const struct making *making, const char *what, cl_int status)
{
    const char *name = api_error_name(status);
    return error_set(making->error, STATUS_IO, "%s gives %s", what, name ? name : "an error");
}

static enum status resolve(struct making *making)
{
#define RESOLVE(name)                                                                              \
    *(void **)&making->name = dlsym(making->with->reference->library, #name);                      \
    if (!making->name)                                                                             \
        return error_set(making->error, STATUS_NOT_FOUND, REFERENCE_LOADER " has no " #name);
    ENTRY_POINTS(RESOLVE)
#undef RESOLVE
    return STATUS_OK;
}

/* ---- shared virtual memory, which others may lead into ---- */

static enum status allocate(struct making *making)
{
    const struct captured *captured = making->captured;
    for (size_t i = 0; i < captured->memory_count; i++) {
        const struct captured_memory *memory = &captured->memory[i];
        if (memory->type != CAPTURED_SHARED_MEMORY)
            continue;
        making->made[i].shared =
            making->clSVMAlloc(making->with->context, memory->flags, memory->size, 0);
        if (!making->made[i].shared)
            return error_set(making->error, STATUS_IO, "clSVMAlloc gives NULL");
    }
    return STATUS_OK;
}

/* Where a word leads now that led into shared virtual memory, or right behind it; others are what
 * they were. */
static uint64_t translate(const struct making *making, uint64_t word)
{
    const struct captured *captured = making->captured;
    uint64_t found = word;
    for (size_t i = 0; i < captured->memory_count; i++) {
        const struct captured_memory *memory = &captured->memory[i];
        const uint64_t offset = word - memory->address;
        if (memory->type != CAPTURED_SHARED_MEMORY || offset > memory->size)
            continue;
        found = (uint64_t)making->made[i].shared + offset;
        if (offset < memory->size)
            break;
    }
    return found;
}

static bool has_shared(const struct making *making)
{
    for (size_t i = 0; i < making->captured->memory_count; i++)
        if (making->made[i].shared)
            return true;
    return false;
}

/* Aligned words: what lies within an allocation is a pointer into it, as other numbers do not lie
 * there. */
static void translate_all(const struct making *making, void *bytes, size_t size)
{
    unsigned char *at = bytes;
    uint64_t word;
    for (size_t i = 0; has_shared(making) && i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, at + i, sizeof word);
        word = translate(making, word);
        memcpy(at + i, &word, sizeof word);
    }
}

/* ---- memory objects ---- */

static bool is_undefined(const struct captured_memory *memory, uint64_t byte)
{
    return (memory->undefined[byte / 8] >> byte % 8 & 1) != 0;
}

/* What nobody has written is not written here either: the device knows it. */
static cl_mem make_partly(const struct making *making, const struct captured_memory *memory,
                          cl_int *status)
{
    cl_mem buffer =
        making->clCreateBuffer(making->with->context, memory->flags, memory->size, NULL, status);
    uint64_t end;
    for (uint64_t begin = 0; buffer && *status == CL_SUCCESS && begin < memory->size; begin = end) {
        const bool undefined = is_undefined(memory, begin);
        end = begin + 1;
        while (end < memory->size && is_undefined(memory, end) == undefined)
            end++;
        if (!undefined)
            *status = making->clEnqueueWriteBuffer(
                making->with->queue, buffer, CL_TRUE, begin, end - begin,
                (const unsigned char *)memory->bytes + begin, 0, NULL, NULL);
    }
    return *status == CL_SUCCESS ? buffer : NULL;
}

static cl_mem make_buffer(const struct making *making, const struct captured_memory *memory,
                          cl_int *status)
{
    if (memory->undefined)
        return make_partly(making, memory, status);
    return making->clCreateBuffer(making->with->context, memory->flags | CL_MEM_COPY_HOST_PTR,
                                  memory->size, memory->bytes, status);
}

static cl_mem make_image(const struct making *making, const struct captured_memory *memory,
                         cl_int *status)
{
    const struct captured_image *image = &memory->image;
    const bool is_buffer = memory->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const cl_image_format format = {.image_channel_order = image->order,
                                    .image_channel_data_type = image->channel};
    const cl_image_desc desc = {.image_type = memory->type,
                                .image_width = image->width,
                                .image_height = image->height,
                                .image_depth = image->depth,
                                .image_array_size = image->layers,
                                .buffer = is_buffer ? make_buffer(making, memory, status) : NULL};
    const cl_mem_flags flags = memory->flags | (is_buffer ? 0 : CL_MEM_COPY_HOST_PTR);
    return is_buffer && !desc.buffer
               ? NULL
               : making->clCreateImage(making->with->context, flags, &format, &desc,
                                       is_buffer ? NULL : memory->bytes, status);
}

static enum status make_memory(struct making *making, size_t index)
{
    const struct captured_memory *memory = &making->captured->memory[index];
    struct made *made = &making->made[index];
    cl_int status = CL_SUCCESS;
    if (memory->type == CAPTURED_SHARED_MEMORY || memory->type == CL_MEM_OBJECT_BUFFER)
        translate_all(making, memory->bytes, memory->size);
    if (memory->type == CAPTURED_SHARED_MEMORY) {
        status = making->clEnqueueSVMMemcpy(making->with->queue, CL_TRUE, made->shared,
                                            memory->bytes, memory->size, 0, NULL, NULL);
        return status == CL_SUCCESS ? STATUS_OK : failed(making, "clEnqueueSVMMemcpy", status);
    }
    const bool is_buffer = memory->type == CL_MEM_OBJECT_BUFFER;
    made->object =
        is_buffer ? make_buffer(making, memory, &status) : make_image(making, memory, &status);
    return made->object ? STATUS_OK
                        : failed(making, is_buffer ? "clCreateBuffer" : "clCreateImage", status);
}

/* ---- arguments ---- */

static cl_int set_value(struct making *making, cl_uint index,
                        const struct captured_argument *argument)
{
    void *copy = alloc(argument->size);
    if (!copy)
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(copy, argument->bytes, argument->size);
    translate_all(making, copy, argument->size);
    const cl_int status = making->clSetKernelArg(making->with->kernel, index, argument->size, copy);
    alloc_free(copy);
    return status;
}

static cl_int set_sampler(struct making *making, cl_uint index,
                          const struct captured_argument *argument)
{
    struct captured_sampler sampler;
    cl_int status = CL_SUCCESS;
    memcpy(&sampler, argument->bytes, sizeof sampler);
    cl_sampler made = making->clCreateSampler(making->with->context, sampler.is_normalised,
                                              sampler.addressing, sampler.filter, &status);
    return made ? making->clSetKernelArg(making->with->kernel, index, sizeof made, &made) : status;
}

static cl_int set_argument(struct making *making, cl_uint index,
                           const struct captured_argument *argument)
{
    const cl_kernel kernel = making->with->kernel;
    const struct made *made = &making->made[argument->index];
    switch ((enum captured_kind)argument->kind) {
    case CAPTURED_VALUE:
        return set_value(making, index, argument);
    case CAPTURED_SAMPLER:
        return set_sampler(making, index, argument);
    case CAPTURED_MEMORY:
        return making->clSetKernelArg(kernel, index, sizeof made->object, &made->object);
    case CAPTURED_SHARED:
        return making->clSetKernelArgSVMPointer(kernel, index,
                                                (char *)made->shared + argument->size);
    case CAPTURED_NULL:
        return making->clSetKernelArg(kernel, index, sizeof made->object, NULL);
    case CAPTURED_LOCAL:
        return making->clSetKernelArg(kernel, index, argument->size, NULL);
    case CAPTURED_UNSET:
        break;
    }
    return CL_INVALID_ARG_VALUE;
}

/* The kernel may reach all of it: its device was not told less. */
static enum status name_shared(struct making *making)
{
    const struct captured *captured = making->captured;
    void **list = alloc(captured->memory_count * sizeof *list + 1);
    size_t count = 0;
    if (!list)
        return error_no_memory(making->error, captured->memory_count);
    for (size_t i = 0; i < captured->memory_count; i++)
        if (making->made[i].shared)
            list[count++] = making->made[i].shared;
    const cl_int status =
        count > 0 ? making->clSetKernelExecInfo(making->with->kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS,
                                                count * sizeof *list, list)
                  : CL_SUCCESS;
    alloc_free(list);
    return status == CL_SUCCESS ? STATUS_OK : failed(making, "clSetKernelExecInfo", status);
}

static enum status set_all(struct making *making)
{
    enum status status = allocate(making);
    for (size_t i = 0; i < making->captured->memory_count && !status; i++)
        status = make_memory(making, i);
    for (size_t i = 0; i < making->captured->argument_count && !status; i++) {
        const cl_int set = set_argument(making, (cl_uint)i, &making->captured->arguments[i]);
        if (set != CL_SUCCESS)
            status = failed(making, "clSetKernelArg", set);
    }
    return status ? status : name_shared(making);
}

enum status reference_arguments_set(const struct reference_kernel *kernel,
                                    const struct captured *captured, struct error *error)
{
    struct making making = {.with = kernel, .captured = captured, .error = error};
    enum status status = resolve(&making);
    if (status)
        return status;
    making.made = alloc_zero(captured->memory_count + 1, sizeof *making.made);
    status = making.made ? set_all(&making) : error_no_memory(error, captured->memory_count);
    alloc_free(making.made);
    return status;
}
