/* The bytes that commands read and write, from the arguments of their calls. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"
#include "checkers/host/objects/object.h"
#include "checkers/host/objects/svm.h"

#include <stdatomic.h>
#include <string.h>

/* Reads and writes share the places of their parameters. */
#define SAME_PLACE(a, b) _Static_assert((int)(a) == (int)(b), #a " is not in the place of " #b)

struct finder {
    const struct api_call *call;
    struct object_table *objects;
    struct svm_table *svm;
    struct call_uses *found;
    uint32_t entry; /* clEnqueue... */
    uint32_t shift; /* from its parameters to those of the call */
};

static void add(struct finder *finder, const struct use *use)
{
    if (use->bytes.size > 0 && finder->found->count < CALL_USES_MAX)
        finder->found->uses[finder->found->count++] = *use;
}

static const struct api_value *value_of(const struct finder *finder, uint32_t argument)
{
    return &finder->call->arguments[argument + finder->shift];
}

static uint64_t word(const struct finder *finder, uint32_t argument)
{
    return value_of(finder, argument)->bits;
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
    return image->row_pitch ? image->row_pitch : image->width * image->pixel_size;
}

static struct use_bytes whole_of(const struct mem_traits *mem)
{
    const uint64_t texels = mem->source ? row_bytes(mem) * mem->height : UINT64_C(1) << 62;
    return (struct use_bytes){.first = mem->root_offset,
                              .size = mem_is_image(mem) ? texels : mem->size};
}

/* ---- bytes ---- */

static void add_linear(struct finder *finder, uint32_t mem, enum use_kind kind, uint64_t offset,
                       uint64_t size)
{
    struct mem_traits known;
    if (!get_memory(finder, word(finder, mem), &known))
        return;
    const struct use use = {.object = known.root,
                            .kind = kind,
                            .bytes = {.first = known.root_offset + offset, .size = size}};
    add(finder, &use);
}

static void add_host(struct finder *finder, uint32_t pointer, enum use_kind kind, uint64_t size)
{
    const struct use use = {.object = CALL_HOST_MEMORY,
                            .kind = kind,
                            .bytes = {.first = word(finder, pointer), .size = size}};
    if (value_of(finder, pointer)->present)
        add(finder, &use);
}

static const uint64_t *triple(const struct finder *finder, uint32_t argument)
{
    const struct api_value *value = value_of(finder, argument);
    return value->kind == API_VALUE_SIZES && value->count >= 3 ? value->data : NULL;
}

/* A rectangle of bytes, by the arguments that describe it. OpenCL API 3.0, 5.2.2: a pitch of 0
 * means that rows, or slices, follow each other without a gap. */
struct rectangle {
    uint32_t origin, region, row_pitch, slice_pitch;
};

static bool make_rectangle(const struct finder *finder, const struct rectangle *rectangle,
                           struct use_bytes *bytes)
{
    const uint64_t *origin = triple(finder, rectangle->origin);
    const uint64_t *region = triple(finder, rectangle->region);
    if (!origin || !region)
        return false;
    const uint64_t row = word(finder, rectangle->row_pitch);
    const uint64_t slice = word(finder, rectangle->slice_pitch);
    bytes->size = region[0];
    bytes->rows = region[1];
    bytes->slices = region[2];
    bytes->row_pitch = row ? row : region[0];
    bytes->slice_pitch = slice ? slice : bytes->row_pitch * region[1];
    bytes->first = origin[0] + origin[1] * bytes->row_pitch + origin[2] * bytes->slice_pitch;
    return true;
}

static void add_rectangle(struct finder *finder, uint32_t mem, enum use_kind kind,
                          const struct rectangle *rectangle)
{
    struct mem_traits known;
    struct use use = {.kind = kind};
    if (!get_memory(finder, word(finder, mem), &known) ||
        !make_rectangle(finder, rectangle, &use.bytes))
        return;
    use.object = known.root;
    use.bytes.first += known.root_offset;
    add(finder, &use);
}

static void add_host_rectangle(struct finder *finder, uint32_t pointer, enum use_kind kind,
                               const struct rectangle *rectangle)
{
    struct use use = {.object = CALL_HOST_MEMORY, .kind = kind};
    if (!value_of(finder, pointer)->present || !make_rectangle(finder, rectangle, &use.bytes))
        return;
    use.bytes.first += word(finder, pointer);
    add(finder, &use);
}

/* The texels of a region of an image: of one in a buffer, the bytes. */
static struct use_bytes texels_of(const struct mem_traits *image, const uint64_t *origin,
                                  uint64_t level, const uint64_t *region)
{
    if (image->source)
        return (struct use_bytes){.first = image->root_offset + origin[0] * image->pixel_size +
                                           origin[1] * row_bytes(image),
                                  .size = region[0] * image->pixel_size,
                                  .rows = region[1],
                                  .row_pitch = row_bytes(image),
                                  .slices = 1};
    return (struct use_bytes){.first = origin[0] + (origin[1] << CALL_ROW_SHIFT) +
                                       (origin[2] << CALL_SLICE_SHIFT) +
                                       (level << CALL_LEVEL_SHIFT),
                              .size = region[0],
                              .rows = region[1],
                              .row_pitch = UINT64_C(1) << CALL_ROW_SHIFT,
                              .slices = region[2],
                              .slice_pitch = UINT64_C(1) << CALL_SLICE_SHIFT};
}

static void add_texels(struct finder *finder, uint32_t image, enum use_kind kind, uint32_t origins,
                       uint32_t regions)
{
    struct mem_traits known;
    const uint64_t *origin = triple(finder, origins);
    const uint64_t *region = triple(finder, regions);
    if (!get_memory(finder, word(finder, image), &known) || !mem_is_image(&known) || !origin ||
        !region)
        return;
    const uint64_t level = image_origin_level(value_of(finder, origins));
    const struct use use = {
        .object = known.root, .kind = kind, .bytes = texels_of(&known, origin, level, region)};
    add(finder, &use);
}

/* How many bytes the texels of a region are; 0 = not known. */
static uint64_t texel_bytes(const struct finder *finder, uint32_t image, uint32_t regions)
{
    struct mem_traits known;
    const uint64_t *region = triple(finder, regions);
    return region && get_memory(finder, word(finder, image), &known)
               ? region[0] * region[1] * region[2] * known.pixel_size
               : 0;
}

/* The host's side of reading or writing an image. OpenCL API 3.0, 5.3.3: the region of a 1D image
 * array is (width, layers, 1), and its layers are a slice pitch apart. */
static void add_host_texels(struct finder *finder, enum use_kind kind)
{
    struct mem_traits known;
    const uint64_t *region = triple(finder, API_clEnqueueReadImage_region);
    const uint64_t row = word(finder, API_clEnqueueReadImage_row_pitch);
    const uint64_t slice = word(finder, API_clEnqueueReadImage_slice_pitch);
    if (!region || !value_of(finder, API_clEnqueueReadImage_ptr)->present ||
        !get_memory(finder, word(finder, API_clEnqueueReadImage_image), &known))
        return;
    struct use_bytes bytes = {.first = word(finder, API_clEnqueueReadImage_ptr),
                              .size = region[0] * known.pixel_size,
                              .rows = region[1],
                              .slices = region[2]};
    bytes.row_pitch = row ? row : bytes.size;
    if (known.type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice)
        bytes.row_pitch = slice;
    bytes.slice_pitch = slice ? slice : bytes.row_pitch * region[1];
    const struct use use = {.object = CALL_HOST_MEMORY, .kind = kind, .bytes = bytes};
    add(finder, &use);
}
SAME_PLACE(API_clEnqueueReadImage_region, API_clEnqueueWriteImage_region);
SAME_PLACE(API_clEnqueueReadImage_row_pitch, API_clEnqueueWriteImage_input_row_pitch);
SAME_PLACE(API_clEnqueueReadImage_slice_pitch, API_clEnqueueWriteImage_input_slice_pitch);
SAME_PLACE(API_clEnqueueReadImage_ptr, API_clEnqueueWriteImage_ptr);

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
    const uint64_t size = mem_is_image(&root)
                              ? row_bytes(&root) * root.height * root.depth * root.array_size
                              : root.size;
    if (host->bytes.first - root.host_ptr >= size)
        return;
    object->kind = USE_WRITE;
    object->bytes = whole_of(&root);
    object->own_memory = true;
}

/* ---- commands ---- */

static void add_map(struct finder *finder, uint32_t mem, uint32_t flags)
{
    struct call_uses *found = finder->found;
    struct mem_traits known;
    if (found->count == 0 || !get_memory(finder, word(finder, mem), &known))
        return;
    const uint64_t writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    found->uses[0].kind = (word(finder, flags) & writing) != 0 ? USE_WRITE : USE_READ;
    found->maps = true;
    found->whole = whole_of(&known);
    found->handle = finder->call->result.bits;
}

/* OpenCL C: the memory that such an argument points to is not written through it. */
bool call_only_reads(const struct argument_traits *argument)
{
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

/* Any byte of its memory objects, or none. */
static void add_kernel(struct finder *finder, uint32_t argument)
{
    const struct kernel_traits *kernel =
        object_kernel_traits(finder->objects, word(finder, argument));
    const size_t count = call_argument_count(kernel);
    for (size_t i = 0; i < count; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        struct use use;
        if (!given->svm &&
            call_use_of_argument(finder->objects, given->value, call_only_reads(given), &use))
            add(finder, &use);
    }
}

static void add_buffer_rectangle(struct finder *finder, bool reads)
{
    const struct rectangle buffer = {API_clEnqueueReadBufferRect_buffer_origin,
                                     API_clEnqueueReadBufferRect_region,
                                     API_clEnqueueReadBufferRect_buffer_row_pitch,
                                     API_clEnqueueReadBufferRect_buffer_slice_pitch};
    const struct rectangle host = {
        API_clEnqueueReadBufferRect_host_origin, API_clEnqueueReadBufferRect_region,
        API_clEnqueueReadBufferRect_host_row_pitch, API_clEnqueueReadBufferRect_host_slice_pitch};
    add_rectangle(finder, API_clEnqueueReadBufferRect_buffer, reads ? USE_READ : USE_WRITE,
                  &buffer);
    add_host_rectangle(finder, API_clEnqueueReadBufferRect_ptr, reads ? USE_WRITE : USE_READ,
                       &host);
}

static void add_copy_rectangle(struct finder *finder)
{
    const struct rectangle from = {
        API_clEnqueueCopyBufferRect_src_origin, API_clEnqueueCopyBufferRect_region,
        API_clEnqueueCopyBufferRect_src_row_pitch, API_clEnqueueCopyBufferRect_src_slice_pitch};
    const struct rectangle to = {
        API_clEnqueueCopyBufferRect_dst_origin, API_clEnqueueCopyBufferRect_region,
        API_clEnqueueCopyBufferRect_dst_row_pitch, API_clEnqueueCopyBufferRect_dst_slice_pitch};
    add_rectangle(finder, API_clEnqueueCopyBufferRect_src_buffer, USE_READ, &from);
    add_rectangle(finder, API_clEnqueueCopyBufferRect_dst_buffer, USE_WRITE, &to);
}

SAME_PLACE(API_clEnqueueReadBufferRect_buffer_origin, API_clEnqueueWriteBufferRect_buffer_origin);
SAME_PLACE(API_clEnqueueReadBufferRect_host_slice_pitch,
           API_clEnqueueWriteBufferRect_host_slice_pitch);
SAME_PLACE(API_clEnqueueReadBufferRect_ptr, API_clEnqueueWriteBufferRect_ptr);

static void find_buffer_uses(struct finder *finder)
{
    switch (finder->entry) {
    case API_ENTRY_clEnqueueReadBuffer: {
        const uint64_t size = word(finder, API_clEnqueueReadBuffer_size);
        add_linear(finder, API_clEnqueueReadBuffer_buffer, USE_READ,
                   word(finder, API_clEnqueueReadBuffer_offset), size);
        add_host(finder, API_clEnqueueReadBuffer_ptr, USE_WRITE, size);
        break;
    }
    case API_ENTRY_clEnqueueWriteBuffer: {
        const uint64_t size = word(finder, API_clEnqueueWriteBuffer_size);
        add_linear(finder, API_clEnqueueWriteBuffer_buffer, USE_WRITE,
                   word(finder, API_clEnqueueWriteBuffer_offset), size);
        add_host(finder, API_clEnqueueWriteBuffer_ptr, USE_READ, size);
        break;
    }
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueWriteBufferRect:
        add_buffer_rectangle(finder, finder->entry == API_ENTRY_clEnqueueReadBufferRect);
        break;
    case API_ENTRY_clEnqueueCopyBuffer: {
        const uint64_t size = word(finder, API_clEnqueueCopyBuffer_size);
        add_linear(finder, API_clEnqueueCopyBuffer_src_buffer, USE_READ,
                   word(finder, API_clEnqueueCopyBuffer_src_offset), size);
        add_linear(finder, API_clEnqueueCopyBuffer_dst_buffer, USE_WRITE,
                   word(finder, API_clEnqueueCopyBuffer_dst_offset), size);
        break;
    }
    case API_ENTRY_clEnqueueCopyBufferRect:
        add_copy_rectangle(finder);
        break;
    case API_ENTRY_clEnqueueFillBuffer:
        add_linear(finder, API_clEnqueueFillBuffer_buffer, USE_WRITE,
                   word(finder, API_clEnqueueFillBuffer_offset),
                   word(finder, API_clEnqueueFillBuffer_size));
        break;
    case API_ENTRY_clEnqueueMapBuffer:
        add_linear(finder, API_clEnqueueMapBuffer_buffer, USE_READ,
                   word(finder, API_clEnqueueMapBuffer_offset),
                   word(finder, API_clEnqueueMapBuffer_size));
        add_map(finder, API_clEnqueueMapBuffer_buffer, API_clEnqueueMapBuffer_map_flags);
        break;
    default:
        break;
    }
}

/* A pointer may be to shared virtual memory as well, of which nothing is told here. */
static void add_unshared(struct finder *finder, uint32_t pointer, enum use_kind kind, uint64_t size)
{
    struct svm_range range;
    if (!svm_find(finder->svm, word(finder, pointer), &range))
        add_host(finder, pointer, kind, size);
}

static void add_copy_of_pointers(struct finder *finder)
{
    const uint64_t size = word(finder, API_clEnqueueSVMMemcpy_size);
    add_unshared(finder, API_clEnqueueSVMMemcpy_src_ptr, USE_READ, size);
    add_unshared(finder, API_clEnqueueSVMMemcpy_dst_ptr, USE_WRITE, size);
}
SAME_PLACE(API_clEnqueueSVMMemcpy_dst_ptr, API_clEnqueueMemcpyINTEL_dst_ptr);
SAME_PLACE(API_clEnqueueSVMMemcpy_size, API_clEnqueueMemcpyINTEL_size);

/* What moves memory objects reads them; what may leave their contents behind writes them. */
static void add_migration(struct finder *finder)
{
    const struct api_value *list = value_of(finder, API_clEnqueueMigrateMemObjects_mem_objects);
    const bool keeps = (word(finder, API_clEnqueueMigrateMemObjects_flags) &
                        CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) == 0;
    for (uint32_t i = 0; list->kind == API_VALUE_HANDLES && i < list->count; i++) {
        uint64_t handle;
        struct mem_traits known;
        memcpy(&handle, (const char *)list->data + i * sizeof handle, sizeof handle);
        if (!get_memory(finder, handle, &known))
            continue;
        const struct use use = {
            .object = known.root, .kind = keeps ? USE_READ : USE_WRITE, .bytes = whole_of(&known)};
        add(finder, &use);
    }
}

static void find_image_uses(struct finder *finder)
{
    switch (finder->entry) {
    case API_ENTRY_clEnqueueReadImage:
        add_texels(finder, API_clEnqueueReadImage_image, USE_READ, API_clEnqueueReadImage_origin,
                   API_clEnqueueReadImage_region);
        add_host_texels(finder, USE_WRITE);
        break;
    case API_ENTRY_clEnqueueWriteImage:
        add_texels(finder, API_clEnqueueWriteImage_image, USE_WRITE, API_clEnqueueWriteImage_origin,
                   API_clEnqueueWriteImage_region);
        add_host_texels(finder, USE_READ);
        break;
    case API_ENTRY_clEnqueueFillImage:
        add_texels(finder, API_clEnqueueFillImage_image, USE_WRITE, API_clEnqueueFillImage_origin,
                   API_clEnqueueFillImage_region);
        break;
    case API_ENTRY_clEnqueueCopyImage:
        add_texels(finder, API_clEnqueueCopyImage_src_image, USE_READ,
                   API_clEnqueueCopyImage_src_origin, API_clEnqueueCopyImage_region);
        add_texels(finder, API_clEnqueueCopyImage_dst_image, USE_WRITE,
                   API_clEnqueueCopyImage_dst_origin, API_clEnqueueCopyImage_region);
        break;
    case API_ENTRY_clEnqueueCopyImageToBuffer:
        add_texels(finder, API_clEnqueueCopyImageToBuffer_src_image, USE_READ,
                   API_clEnqueueCopyImageToBuffer_src_origin,
                   API_clEnqueueCopyImageToBuffer_region);
        add_linear(finder, API_clEnqueueCopyImageToBuffer_dst_buffer, USE_WRITE,
                   word(finder, API_clEnqueueCopyImageToBuffer_dst_offset),
                   texel_bytes(finder, API_clEnqueueCopyImageToBuffer_src_image,
                               API_clEnqueueCopyImageToBuffer_region));
        break;
    case API_ENTRY_clEnqueueCopyBufferToImage:
        add_linear(finder, API_clEnqueueCopyBufferToImage_src_buffer, USE_READ,
                   word(finder, API_clEnqueueCopyBufferToImage_src_offset),
                   texel_bytes(finder, API_clEnqueueCopyBufferToImage_dst_image,
                               API_clEnqueueCopyBufferToImage_region));
        add_texels(finder, API_clEnqueueCopyBufferToImage_dst_image, USE_WRITE,
                   API_clEnqueueCopyBufferToImage_dst_origin,
                   API_clEnqueueCopyBufferToImage_region);
        break;
    case API_ENTRY_clEnqueueMapImage:
        add_texels(finder, API_clEnqueueMapImage_image, USE_READ, API_clEnqueueMapImage_origin,
                   API_clEnqueueMapImage_region);
        add_map(finder, API_clEnqueueMapImage_image, API_clEnqueueMapImage_map_flags);
        break;
    default:
        break;
    }
}

/* ---- what is recorded ---- */

/* Calls that record have the parameters of those that enqueue, behind three of their own in the
 * place of the queue; and of what blocks. */
enum { RECORDED_SHIFT = 2, RECORDED_COPY_SHIFT = 1 };
#define RECORDED_PLACE(enqueues, records, parameter)                                               \
    SAME_PLACE(API_##enqueues##_##parameter + RECORDED_SHIFT, API_##records##_##parameter)
SAME_PLACE(API_clEnqueueSVMMemcpy_dst_ptr + RECORDED_COPY_SHIFT, API_clCommandSVMMemcpyKHR_dst_ptr);
SAME_PLACE(API_clEnqueueSVMMemcpy_size + RECORDED_COPY_SHIFT, API_clCommandSVMMemcpyKHR_size);
RECORDED_PLACE(clEnqueueCopyBuffer, clCommandCopyBufferKHR, src_buffer);
RECORDED_PLACE(clEnqueueCopyBuffer, clCommandCopyBufferKHR, size);
RECORDED_PLACE(clEnqueueCopyBufferRect, clCommandCopyBufferRectKHR, src_buffer);
RECORDED_PLACE(clEnqueueCopyBufferRect, clCommandCopyBufferRectKHR, dst_slice_pitch);
RECORDED_PLACE(clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR, src_buffer);
RECORDED_PLACE(clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR, region);
RECORDED_PLACE(clEnqueueCopyImage, clCommandCopyImageKHR, src_image);
RECORDED_PLACE(clEnqueueCopyImage, clCommandCopyImageKHR, region);
RECORDED_PLACE(clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR, src_image);
RECORDED_PLACE(clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR, dst_offset);
RECORDED_PLACE(clEnqueueFillBuffer, clCommandFillBufferKHR, buffer);
RECORDED_PLACE(clEnqueueFillBuffer, clCommandFillBufferKHR, size);
RECORDED_PLACE(clEnqueueFillImage, clCommandFillImageKHR, image);
RECORDED_PLACE(clEnqueueFillImage, clCommandFillImageKHR, region);

/* The call that would enqueue what this one records; itself if it records nothing. */
static uint32_t enqueued_as(uint32_t entry)
{
    switch (entry) {
    case API_ENTRY_clCommandCopyBufferKHR:
        return API_ENTRY_clEnqueueCopyBuffer;
    case API_ENTRY_clCommandCopyBufferRectKHR:
        return API_ENTRY_clEnqueueCopyBufferRect;
    case API_ENTRY_clCommandCopyBufferToImageKHR:
        return API_ENTRY_clEnqueueCopyBufferToImage;
    case API_ENTRY_clCommandCopyImageKHR:
        return API_ENTRY_clEnqueueCopyImage;
    case API_ENTRY_clCommandCopyImageToBufferKHR:
        return API_ENTRY_clEnqueueCopyImageToBuffer;
    case API_ENTRY_clCommandFillBufferKHR:
        return API_ENTRY_clEnqueueFillBuffer;
    case API_ENTRY_clCommandFillImageKHR:
        return API_ENTRY_clEnqueueFillImage;
    case API_ENTRY_clCommandSVMMemcpyKHR:
        return API_ENTRY_clEnqueueSVMMemcpy;
    default:
        return entry;
    }
}

void call_uses_find(const struct api_call *call, struct object_table *objects,
                    struct svm_table *svm, struct call_uses *found)
{
    const uint32_t entry = enqueued_as(call->entry);
    const uint32_t shift =
        entry == API_ENTRY_clEnqueueSVMMemcpy ? RECORDED_COPY_SHIFT : RECORDED_SHIFT;
    struct finder finder = {.call = call,
                            .objects = objects,
                            .svm = svm,
                            .found = found,
                            .entry = entry,
                            .shift = entry != call->entry ? shift : 0};
    found->count = 0;
    found->maps = false;
    switch (entry) {
    case API_ENTRY_clEnqueueNDRangeKernel:
    case API_ENTRY_clEnqueueTask:
        add_kernel(&finder, API_clEnqueueNDRangeKernel_kernel);
        break;
    case API_ENTRY_clEnqueueMigrateMemObjects:
        add_migration(&finder);
        break;
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
        add_copy_of_pointers(&finder);
        break;
    default:
        find_buffer_uses(&finder);
        find_image_uses(&finder);
        note_own_memory(&finder);
        break;
    }
}
SAME_PLACE(API_clEnqueueNDRangeKernel_kernel, API_clEnqueueTask_kernel);

bool call_may_wait(uint32_t entry)
{
    return entry == API_ENTRY_clFinish || entry == API_ENTRY_clWaitForEvents ||
           api_entry_get(entry)->blocking != API_PARAMETER_NONE;
}

void call_uses_of_host(const struct api_call *call, struct call_uses *found)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint32_t flags = api_entry_find_parameter(info, "flags");
    const uint32_t size = api_entry_find_parameter(info, "size");
    struct finder finder = {.call = call, .found = found};
    found->count = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const enum api_role role = info->parameters[i].role;
        if (role == API_ROLE_IN_BYTES && call->arguments[i].data)
            add_host(&finder, i, USE_READ, call->arguments[i].size);
        if (role == API_ROLE_HOST_MEMORY && flags != API_PARAMETER_NONE &&
            size != API_PARAMETER_NONE && (call->arguments[flags].bits & CL_MEM_COPY_HOST_PTR) != 0)
            add_host(&finder, i, USE_READ, call->arguments[size].bits);
    }
}
