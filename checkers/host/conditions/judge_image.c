/* Steps about images: their creation, and the regions of commands. */
#include "checkers/host/checker.h"

#include "trace/api/enumerant.h"
#include "trace/api/image.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats ---- */

static bool is_in(uint64_t value, const uint32_t *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (list[i] == value)
            return true;
    return false;
}
#define IS_IN(value, ...)                                                                          \
    is_in(value, (const uint32_t[]){__VA_ARGS__},                                                  \
          sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* May this order have this type (OpenCL API 3.0, 5.3.1.1: the tables of channel orders and types)?
 */
static bool format_is_pair(cl_channel_order order, cl_channel_type type)
{
    const bool packed = IS_IN(type, CL_UNORM_SHORT_565, CL_UNORM_SHORT_555, CL_UNORM_INT_101010);
    switch (order) {
    case CL_RGB:
    case CL_RGBx:
        return packed;
    case CL_INTENSITY:
    case CL_LUMINANCE:
        return IS_IN(type, CL_UNORM_INT8, CL_UNORM_INT16, CL_SNORM_INT8, CL_SNORM_INT16,
                     CL_HALF_FLOAT, CL_FLOAT);
    case CL_ARGB:
    case CL_BGRA:
    case CL_ABGR:
        return IS_IN(type, CL_UNORM_INT8, CL_SNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8);
    case CL_DEPTH:
        return IS_IN(type, CL_UNORM_INT16, CL_FLOAT);
    case CL_sRGB:
    case CL_sRGBx:
    case CL_sRGBA:
    case CL_sBGRA:
        return type == CL_UNORM_INT8;
    default:
        return !packed && (type != CL_UNORM_INT_101010_2 || order == CL_RGBA);
    }
}

static bool read_format(const struct judged *judged, uint8_t argument, cl_image_format *format)
{
    const struct api_value *value = &judged->call->arguments[argument];
    if (!value->present || !value->data || value->size != sizeof *format)
        return false;
    memcpy(format, value->data, sizeof *format);
    return true;
}

/* argument host_ptr, other flags, then image_format. OpenCL API 3.0, C.3: "images created with
 * CL_MEM_USE_HOST_PTR must align correctly", to a pixel, or to a channel where there are three. */
void judge_image_memory(struct judged *judged, const struct step *step)
{
    cl_image_format format;
    const uint64_t pixel =
        read_format(judged, step->at[2], &format) ? image_pixel_size(&format) : 0;
    const uint64_t unit = pixel % 3 == 0 ? pixel / 3 : pixel;
    if ((judged_bits(judged, step->other) & CL_MEM_USE_HOST_PTR) && unit > 1 &&
        judged_bits(judged, step->argument) % unit != 0)
        blame_step(judged, step, 0, "is at no multiple of %" PRIu64 " bytes, the size of a %s",
                   unit, unit == pixel ? "pixel" : "channel");
}

/* argument image_format */
void judge_image_format(struct judged *judged, const struct step *step)
{
    cl_image_format format;
    if (!read_format(judged, step->argument, &format))
        return;
    const struct api_enumerant *order =
        api_enumerant_find(API_FAMILY_CHANNEL_ORDER, format.image_channel_order);
    const struct api_enumerant *type =
        api_enumerant_find(API_FAMILY_CHANNEL_TYPE, format.image_channel_data_type);
    if (!order || !type)
        blame_unsure(judged, step,
                     "has the channel order 0x%x and type 0x%x, which the driver "
                     "does not know",
                     format.image_channel_order, format.image_channel_data_type);
    else if (!format_is_pair(format.image_channel_order, format.image_channel_data_type))
        blame_step(judged, step, 0, "has the channel order %s, which cannot have the type %s",
                   order->name, type->name);
}

/* ---- creation ---- */

static bool is_image_type(cl_mem_object_type type)
{
    return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

/* Something is wrong with a size of the description: `what` is its name. */
static void blame_size(struct judged *judged, const struct step *step, const char *what,
                       uint64_t size, uint64_t limit)
{
    if (size == 0)
        blame_step(judged, step, 0, "describes an image whose %s is 0", what);
    else
        blame_step(judged, step, 0,
                   "describes an image whose %s is %" PRIu64 ", more than the %" PRIu64
                   " that a device of the context can have",
                   what, size, limit);
}

/* The sizes of an image, as cl_image_desc and struct mem_traits have them. */
enum image_size { WIDTH, HEIGHT, DEPTH, LAYERS, IMAGE_SIZES };
static const char *const size_names[] = {"width", "height", "depth", "number of layers"};

static const struct image_limit {
    cl_mem_object_type type;
    enum device_fact fact;
    enum image_size size;
} image_limits[] = {
    {CL_MEM_OBJECT_IMAGE1D, DEVICE_FACT_IMAGE2D_WIDTH, WIDTH},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER, DEVICE_FACT_IMAGE_BUFFER_SIZE, WIDTH},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, DEVICE_FACT_IMAGE2D_WIDTH, WIDTH},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, DEVICE_FACT_IMAGE_ARRAY_SIZE, LAYERS},
    {CL_MEM_OBJECT_IMAGE2D, DEVICE_FACT_IMAGE2D_WIDTH, WIDTH},
    {CL_MEM_OBJECT_IMAGE2D, DEVICE_FACT_IMAGE2D_HEIGHT, HEIGHT},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, DEVICE_FACT_IMAGE2D_WIDTH, WIDTH},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, DEVICE_FACT_IMAGE2D_HEIGHT, HEIGHT},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, DEVICE_FACT_IMAGE_ARRAY_SIZE, LAYERS},
    {CL_MEM_OBJECT_IMAGE3D, DEVICE_FACT_IMAGE3D_WIDTH, WIDTH},
    {CL_MEM_OBJECT_IMAGE3D, DEVICE_FACT_IMAGE3D_HEIGHT, HEIGHT},
    {CL_MEM_OBJECT_IMAGE3D, DEVICE_FACT_IMAGE3D_DEPTH, DEPTH},
};

static bool has_slices(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* Can images of any type be made from buffers? (cl_ext_image_from_buffer) */
static bool has_image_from_buffer(struct judged *judged, uint64_t context)
{
    struct fact_range extensions;
    return judged_fact(judged, context, DEVICE_FACT_EXTENSIONS, &extensions) &&
           (extensions.any & EXTENSION_IMAGE_BUFFER) != 0;
}

/* An image of a buffer has room there (cl_ext_image_from_buffer). */
static void judge_image_room(struct judged *judged, const struct step *step,
                             const struct image_create *create)
{
    const uint64_t handle = (uint64_t)(uintptr_t)create->desc.mem_object;
    const struct image_shape shape = image_shape_of(create->format, &create->desc);
    struct rectangle rectangle;
    struct mem_traits source;
    uint64_t size;
    if (shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER || !judged_object(judged, handle, &source) ||
        source.type != CL_MEM_OBJECT_BUFFER ||
        !has_image_from_buffer(judged, judged_bits(judged, step->other)))
        return;
    if (image_in_host(&shape, &rectangle) && rectangle_span(&rectangle, &size) &&
        size > source.size)
        blame_step(judged, step, handle,
                   "describes an image that has no room in its buffer of %" PRIu64 " bytes",
                   source.size);
}

/* argument context, other image_format or where the size is: sizes are not 0 and some device has
 * them. An image of another memory object may take its size from there. */
void judge_image_size(struct judged *judged, const struct step *step)
{
    struct image_create create;
    struct fact_range limit;
    struct step described = *step;
    if (!image_create_parse(judged->call, &create))
        return;
    if (judged->info->parameters[step->argument].family != API_FAMILY_IMAGE_DESC)
        described.argument = API_PARAMETER_NONE; /* several arguments describe it */
    const cl_image_desc *desc = &create.desc;
    const uint64_t sizes[IMAGE_SIZES] = {desc->image_width, desc->image_height, desc->image_depth,
                                         desc->image_array_size};
    for (size_t i = 0; i < sizeof image_limits / sizeof *image_limits; ++i) {
        const struct image_limit *row = &image_limits[i];
        const uint64_t size = sizes[row->size];
        if (row->type != desc->image_type)
            continue;
        if (judged->call->entry == API_ENTRY_clCreateImage3D && row->size == DEPTH && size == 1) {
            blame_step(judged, &described, 0,
                       "describes an image whose depth is 1; it is a 2D image");
            return;
        }
        const bool known = judged_fact(judged, judged_bits(judged, step->other), row->fact, &limit);
        if (size == 0 || (known && size > limit.most)) {
            blame_size(judged, &described, size_names[row->size], size, known ? limit.most : 0);
            return;
        }
    }
    struct mem_traits source;
    const uint64_t handle = (uint64_t)(uintptr_t)desc->mem_object;
    const uint64_t pixel = image_pixel_size(create.format);
    if (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && pixel != 0 &&
        object_get_traits(judged->checker->objects, handle, API_OBJECT_MEM, &source) &&
        source.type == CL_MEM_OBJECT_BUFFER && desc->image_width > source.size / pixel)
        blame_step(judged, &described, handle,
                   "describes an image of %zu pixels, more than its buffer of %" PRIu64
                   " bytes has",
                   desc->image_width, source.size);
    judge_image_room(judged, &described, &create);
}

/* What is wrong with a pitch; NULL = nothing. */
static const char *pitch_defect(const struct image_create *create)
{
    const cl_image_desc *desc = &create->desc;
    const uint64_t pixel = image_pixel_size(create->format);
    const bool is_view = desc->mem_object != NULL;
    const bool is_sliced = has_slices(desc->image_type);
    const uint64_t rows = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : desc->image_height;
    uint64_t row;
    uint64_t slice;
    if (pixel == 0 || !size_mul(desc->image_width, pixel, &row))
        return NULL;
    if (!create->host_ptr->present && !is_view)
        return desc->image_row_pitch || (is_sliced && desc->image_slice_pitch)
                   ? "although host_ptr is NULL"
                   : NULL;
    if (desc->image_row_pitch != 0 &&
        (desc->image_row_pitch < row || desc->image_row_pitch % pixel != 0))
        return "that is less than a row or holds part of a pixel";
    if (!is_sliced || desc->image_slice_pitch == 0 || is_view)
        return NULL;
    const uint64_t pitch = desc->image_row_pitch ? desc->image_row_pitch : row;
    if (!size_mul(pitch, rows, &slice) || desc->image_slice_pitch < slice ||
        desc->image_slice_pitch % pitch != 0)
        return "that is less than a slice or holds part of a row";
    return NULL;
}

/* argument image_desc, or the row pitch */
void judge_image_pitch(struct judged *judged, const struct step *step)
{
    struct image_create create;
    if (!image_create_parse(judged->call, &create) || !is_image_type(create.desc.image_type))
        return;
    const char *defect = pitch_defect(&create);
    if (defect)
        blame_step(judged, step, 0, "gives a pitch %s", defect);
}

/* argument image_desc: its kind, and what it may name */
void judge_image_desc(struct judged *judged, const struct step *step)
{
    struct image_create create;
    struct mem_traits source;
    struct object_label label;
    if (!image_create_parse(judged->call, &create))
        return;
    const cl_image_desc *desc = &create.desc;
    const uint64_t handle = (uint64_t)(uintptr_t)desc->mem_object;
    const struct object_state state = object_state(judged->checker->objects, handle);
    const bool known = judged_traits(judged, handle, API_OBJECT_MEM, &source);
    if (!is_image_type(desc->image_type) && may_be_of_vendor(judged, desc->image_type))
        blame_unsure(judged, step, "has the image_type %s, which the driver does not know",
                     label_value(desc->image_type, &label));
    else if (!is_image_type(desc->image_type))
        blame_step(judged, step, 0, "has the image_type %s, which is not a kind of image",
                   label_value(desc->image_type, &label));
    else if (desc->num_samples != 0)
        blame_step(judged, step, 0, "has num_samples %u; it must be 0", desc->num_samples);
    else if (desc->num_mip_levels != 0)
        blame_unsure(judged, step, "has num_mip_levels %u, which the driver does not take",
                     desc->num_mip_levels);
    else if (desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER && handle == 0)
        blame_step(judged, step, 0, "describes an image of a buffer, but mem_object is NULL");
    else if (handle != 0 && (state.standing == OBJECT_DEAD ||
                             (state.standing == OBJECT_USABLE && state.kind != API_OBJECT_MEM)))
        blame_step(judged, step, handle, "has a mem_object that is not a memory object");
    else if (known && desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER &&
             source.type != CL_MEM_OBJECT_BUFFER && source.type != 0)
        blame_step(judged, step, handle, "has a mem_object that is not a buffer");
    else if (handle != 0 &&
             (desc->image_type == CL_MEM_OBJECT_IMAGE3D ||
              desc->image_type == CL_MEM_OBJECT_IMAGE1D ||
              desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY) &&
             !(known && source.type == CL_MEM_OBJECT_BUFFER &&
               has_image_from_buffer(judged, judged_bits(judged, 0))))
        blame_unsure(judged, step, "has a mem_object, which such an image cannot be made from");
    else if (known && mem_is_image(&source) &&
             (source.shape.width != desc->image_width || source.shape.height != desc->image_height))
        blame_step(judged, step, handle, "has another size than the image that it is a view of");
}

/* argument image_format: a 2D image of a buffer is placed as every device of the context can
 * (CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT), or a view of an image
 * has pixels of the same channels */
void judge_image_of_mem(struct judged *judged, const struct step *step)
{
    struct image_create create;
    struct mem_traits source;
    struct fact_range pitch;
    if (!image_create_parse(judged->call, &create))
        return;
    const uint64_t handle = (uint64_t)(uintptr_t)create.desc.mem_object;
    const uint64_t pixel = image_pixel_size(create.format);
    if (handle == 0 || create.desc.image_type != CL_MEM_OBJECT_IMAGE2D || pixel == 0 ||
        !object_get_traits(judged->checker->objects, handle, API_OBJECT_MEM, &source))
        return;
    if (source.type == CL_MEM_OBJECT_BUFFER && create.desc.image_row_pitch != 0 &&
        judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_IMAGE_PITCH_ALIGN,
                    &pitch) &&
        pitch.least != 0 && create.desc.image_row_pitch % (pitch.least * pixel) != 0)
        blame_step(judged, step, handle,
                   "and a row pitch of %zu bytes: a device of the context takes a multiple of "
                   "%" PRIu64 " pixels (CL_DEVICE_IMAGE_PITCH_ALIGNMENT)",
                   create.desc.image_row_pitch, pitch.least);
    else if (source.type == CL_MEM_OBJECT_IMAGE2D &&
             source.shape.width == create.desc.image_width &&
             source.shape.height == create.desc.image_height &&
             (source.shape.pixel_size != pixel ||
              source.format.image_channel_data_type != create.format->image_channel_data_type))
        blame_step(judged, step, handle, "has other channels than the image that it is a view of");
}

/* argument flags, of an image made from another memory object */
void judge_image_flags(struct judged *judged, const struct step *step)
{
    struct image_create create;
    struct mem_traits source;
    if (!image_create_parse(judged->call, &create) || !create.desc.mem_object)
        return;
    const uint64_t handle = (uint64_t)(uintptr_t)create.desc.mem_object;
    if (create.flags & MEM_HOST_POINTER) {
        advise(judged, ADVICE_PARENT_FLAGS);
        blame_step(judged, step, handle,
                   "has a flag about host_ptr, but the bytes are those of mem_object");
        return;
    }
    if (!object_get_traits(judged->checker->objects, handle, API_OBJECT_MEM, &source))
        return;
    const uint64_t forbidden = flags_forbidden(source.flags);
    if (!(create.flags & forbidden))
        return;
    advise(judged, ADVICE_PARENT_FLAGS);
    blame_step(judged, step, handle, "allows what the flags of mem_object forbid");
}

/* argument context: a device of it has images */
void judge_images_of_context(struct judged *judged, const struct step *step)
{
    struct fact_range images;
    if (judged_fact(judged, judged_bits(judged, step->argument), DEVICE_FACT_IMAGES, &images) &&
        images.most == 0)
        blame_step(judged, step, 0, "has no device that supports images");
}

/* argument image: the device of the queue has images, and images of that size */
void judge_images_of_queue(struct judged *judged, const struct step *step)
{
    uint64_t images;
    if (device_fact(judged_device(judged), DEVICE_FACT_IMAGES, &images) && images == 0)
        blame_step(judged, step, 0, "is used on a device that does not support images");
}

bool image_exceeds(const struct device_traits *device, const struct mem_traits *mem)
{
    const uint64_t sizes[IMAGE_SIZES] = {mem->shape.width, mem->shape.height, mem->shape.depth,
                                         mem->shape.layers};
    uint64_t limit;
    for (size_t i = 0; i < sizeof image_limits / sizeof *image_limits; ++i)
        if (image_limits[i].type == mem->type &&
            device_fact(device, image_limits[i].fact, &limit) &&
            sizes[image_limits[i].size] > limit)
            return true;
    return false;
}

void judge_image_on_device(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    if (judged_mem(judged, step->argument, &mem) && image_exceeds(judged_device(judged), &mem))
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is larger than images can be on the device of command_queue");
}

/* ---- regions ---- */

/* The sizes that an origin and a region count in. */
static void image_extent(const struct mem_traits *mem, uint64_t extent[3])
{
    extent[0] = mem->shape.width;
    extent[1] = mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? mem->shape.layers : mem->shape.height;
    extent[2] = mem->type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? mem->shape.layers : mem->shape.depth;
}

/* argument origin, other region, then image */
void judge_image_region(struct judged *judged, const struct step *step)
{
    struct object_label room;
    struct mem_traits mem;
    uint64_t origin[3];
    uint64_t region[3];
    uint64_t extent[3];
    if (!judged_mem(judged, step->at[2], &mem) || !mem_is_image(&mem) ||
        !judged_triple(judged, step->argument, origin) ||
        !judged_triple(judged, step->other, region))
        return;
    const uint64_t handle = judged_bits(judged, step->at[2]);
    const unsigned dimensions = image_dimensions(mem.type);
    image_extent(&mem, extent);
    for (unsigned i = 0; i < 3; ++i) {
        /* The element after the last dimension may be a mip level. */
        const bool is_level = mem.mip_levels > 1 && i == dimensions;
        if (region[i] == 0)
            blame_as(judged, step->rule, step->error, step->other, handle, "has 0 as element %u",
                     i);
        else if (i >= dimensions && region[i] != 1)
            blame_as(judged, step->rule, step->error, step->other, handle,
                     "has %" PRIu64 " as element %u, which such an image has not; it must be 1",
                     region[i], i);
        else if (i >= dimensions && origin[i] != 0 && !is_level)
            blame_step(judged, step, handle,
                       "has %" PRIu64 " as element %u, which such an image has not; it must be 0",
                       origin[i], i);
        else if (i < dimensions && mem.mip_levels <= 1 &&
                 !range_within(origin[i], region[i], extent[i]))
            blame_as(judged, RULE_REGION_BOUNDS, step->error, step->argument, handle,
                     "is %" PRIu64 " in dimension %u, from where a region of %" PRIu64
                     " reaches beyond the %" PRIu64 " of %s",
                     origin[i], i, region[i], extent[i], label_object(judged, handle, &room));
        else
            continue;
        return;
    }
}

/* argument row_pitch, other slice_pitch, then region, image */
void judge_image_pitches(struct judged *judged, const struct step *step)
{
    const uint64_t row = judged_bits(judged, step->argument);
    const uint64_t slice = judged_bits(judged, step->other);
    struct mem_traits mem;
    uint64_t region[3];
    uint64_t row_size;
    uint64_t slice_size;
    if (!judged_mem(judged, step->at[3], &mem) || !mem_is_image(&mem) ||
        mem.shape.pixel_size == 0 || !judged_triple(judged, step->at[2], region) ||
        !size_mul(region[0], mem.shape.pixel_size, &row_size))
        return;
    const uint64_t pitch = row ? row : row_size;
    const uint64_t rows = mem.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : region[1];
    if (row != 0 && row < row_size)
        blame_step(judged, step, 0, "is %" PRIu64 ", less than the %" PRIu64 " bytes of a row", row,
                   row_size);
    else if (!has_slices(mem.type) && slice != 0)
        blame_as(judged, step->rule, step->error, step->other, 0,
                 "is %" PRIu64 "; an image without slices has none", slice);
    else if (slice != 0 && (!size_mul(rows, pitch, &slice_size) || slice < slice_size))
        blame_as(judged, step->rule, step->error, step->other, 0,
                 "is %" PRIu64 ", less than a slice", slice);
}

/* argument src_image, other dst_image: the same format */
void judge_same_format(struct judged *judged, const struct step *step)
{
    struct mem_traits source;
    struct mem_traits target;
    struct object_label labels[4];
    if (judged_mem(judged, step->argument, &source) && judged_mem(judged, step->other, &target) &&
        mem_is_image(&source) && mem_is_image(&target) &&
        memcmp(&source.format, &target.format, sizeof source.format) != 0)
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "has the format %s, %s; %s %s, %s",
                   label_value(source.format.image_channel_order, &labels[0]),
                   label_value(source.format.image_channel_data_type, &labels[1]),
                   judged_name(judged, step->other),
                   label_value(target.format.image_channel_order, &labels[2]),
                   label_value(target.format.image_channel_data_type, &labels[3]));
}

/* argument src_origin, other dst_origin, then region, src_image, dst_image */
void judge_image_overlap(struct judged *judged, const struct step *step)
{
    uint64_t from[3];
    uint64_t to[3];
    uint64_t region[3];
    const uint64_t handle = judged_bits(judged, step->at[3]);
    struct mem_traits mem;
    if (handle != judged_bits(judged, step->at[4]) || !judged_mem(judged, step->at[3], &mem) ||
        mem.mip_levels > 1 || !judged_triple(judged, step->argument, from) ||
        !judged_triple(judged, step->other, to) || !judged_triple(judged, step->at[2], region))
        return;
    for (unsigned i = 0; i < 3; ++i)
        if ((from[i] > to[i] ? from[i] - to[i] : to[i] - from[i]) >= region[i])
            return;
    blame_step(judged, step, handle, "and %s: the regions overlap",
               judged_name(judged, step->other));
}

/* argument the offset in the buffer, other region, then image, buffer: the pixels have room */
void judge_pixels_in_buffer(struct judged *judged, const struct step *step)
{
    const uint64_t offset = judged_bits(judged, step->argument);
    struct object_label room;
    struct mem_traits image;
    struct mem_traits buffer;
    uint64_t region[3];
    uint64_t size;
    if (!judged_mem(judged, step->at[2], &image) || !judged_mem(judged, step->at[3], &buffer) ||
        !mem_is_image(&image) || buffer.type != CL_MEM_OBJECT_BUFFER ||
        image.shape.pixel_size == 0 || !judged_triple(judged, step->other, region))
        return;
    const uint64_t handle = judged_bits(judged, step->at[3]);
    if (!size_mul(region[0], region[1], &size) || !size_mul(size, region[2], &size) ||
        !size_mul(size, image.shape.pixel_size, &size) || !range_within(offset, size, buffer.size))
        blame_step(judged, step, handle,
                   "is %" PRIu64 ", from where the pixels reach beyond the end of %s", offset,
                   label_object(judged, handle, &room));
}

/* argument an image, other a buffer: not an image of that buffer's bytes */
void judge_image_of_buffer(struct judged *judged, const struct step *step)
{
    struct mem_traits image;
    if (judged_mem(judged, step->argument, &image) && image.type == CL_MEM_OBJECT_IMAGE1D_BUFFER &&
        image.source == judged_bits(judged, step->other))
        blame_step(judged, step, judged_bits(judged, step->argument), "is made from %s",
                   judged_name(judged, step->other));
}

/* argument image_slice_pitch, other image: an image with slices needs it */
void judge_slice_pitch_place(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    if (!judged->call->arguments[step->argument].present && judged_mem(judged, step->other, &mem) &&
        has_slices(mem.type))
        blame_step(judged, step, judged_bits(judged, step->other),
                   "is NULL, but the image has slices");
}
