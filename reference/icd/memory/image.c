/* OpenCL API 3.0, chapters 5.3.1 and 5.3.8: making images, and what can be asked of them.
 *
 * An image lies row by row and slice by slice, tightly packed unless the application gives pitches
 * together with the bytes. */
#include "reference/icd/memory/image.h"

#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/memory/host_copy.h"
#include "reference/icd/memory/mem.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/api/foreign.h"
#include "trace/base/size.h"

#include <string.h>

/* ---- the types ---- */

enum size { WIDTH, HEIGHT, DEPTH, LAYERS, SIZE_COUNT };

static const struct shape {
    cl_mem_object_type type;
    enum vm_image_type vm_type;
    enum limit largest[SIZE_COUNT]; /* LIMIT_COUNT = it has no such size */
} shapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, VM_IMAGE_1D, {LIMIT_IMAGE_2D, LIMIT_COUNT, LIMIT_COUNT, LIMIT_COUNT}},
    {CL_MEM_OBJECT_IMAGE1D_BUFFER,
     VM_IMAGE_1D_BUFFER,
     {LIMIT_IMAGE_BUFFER, LIMIT_COUNT, LIMIT_COUNT, LIMIT_COUNT}},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY,
     VM_IMAGE_1D_ARRAY,
     {LIMIT_IMAGE_2D, LIMIT_COUNT, LIMIT_COUNT, LIMIT_IMAGE_LAYERS}},
    {CL_MEM_OBJECT_IMAGE2D,
     VM_IMAGE_2D,
     {LIMIT_IMAGE_2D, LIMIT_IMAGE_2D, LIMIT_COUNT, LIMIT_COUNT}},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY,
     VM_IMAGE_2D_ARRAY,
     {LIMIT_IMAGE_2D, LIMIT_IMAGE_2D, LIMIT_COUNT, LIMIT_IMAGE_LAYERS}},
    {CL_MEM_OBJECT_IMAGE3D,
     VM_IMAGE_3D,
     {LIMIT_IMAGE_3D, LIMIT_IMAGE_3D, LIMIT_IMAGE_3D, LIMIT_COUNT}},
};

static const struct shape *find_shape(cl_mem_object_type type)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (shapes[i].type == type)
            return &shapes[i];
    }
    return NULL;
}

/* The largest such size of the type; 0 = it has none. */
static uint64_t largest(const struct shape *shape, enum size size)
{
    return shape->largest[size] == LIMIT_COUNT ? 0 : limits_get(shape->largest[size]);
}

/* Texels in the three directions that origins and regions have: the layers of an array are the last
 * one that its type has. */
static void image_extent(const struct vm_image *image, uint64_t extent[3])
{
    const bool lines = image->type == VM_IMAGE_1D_ARRAY;
    extent[0] = image->width;
    extent[1] = lines ? image->layers : image->height;
    extent[2] = image->type == VM_IMAGE_2D_ARRAY ? image->layers : image->depth;
}

uint64_t image_row_stride(const struct vm_image *image)
{
    return image->type == VM_IMAGE_1D_ARRAY ? image->slice_pitch : image->row_pitch;
}

bool image_has_slices(const struct vm_image *image)
{
    return image->type == VM_IMAGE_3D || image->type == VM_IMAGE_1D_ARRAY ||
           image->type == VM_IMAGE_2D_ARRAY;
}

size_t image_origin(const struct vm_image *image, const size_t *origin, uint64_t at[3])
{
    const uint32_t count = image->levels > 1 ? vm_image_coordinates(image->type) : 3;
    memset(at, 0, 3 * sizeof(*at));
    for (uint32_t i = 0; i < count; i++)
        at[i] = origin[i];
    return image->levels <= 1 ? 0 : origin[count];
}

cl_int image_box(cl_mem image, const size_t *origin, const size_t *region,
                 struct rectangle *rectangle, uint64_t bytes[3])
{
    struct vm_image level;
    const struct vm_image *layout = &level;
    uint64_t at[3], extent[3];
    if (!origin || !region)
        return CL_INVALID_VALUE;
    const size_t asked = image_origin(image->image, origin, at);
    if (asked > 0 && asked >= image->image->levels)
        return CL_INVALID_MIP_LEVEL;
    const uint64_t first = vm_image_level(image->image, (uint32_t)asked, &level);
    image_extent(layout, extent);
    for (int i = 0; i < 3; i++) {
        if (region[i] == 0 || !range_within(at[i], region[i], extent[i]))
            return CL_INVALID_VALUE;
        bytes[i] = i == 0 ? region[i] * layout->texel_size : region[i];
    }
    *rectangle = (struct rectangle){.row_pitch = image_row_stride(layout),
                                    .slice_pitch = layout->slice_pitch};
    rectangle->offset = first + at[0] * layout->texel_size + at[1] * rectangle->row_pitch +
                        at[2] * rectangle->slice_pitch;
    rectangle->end = rectangle->offset + (region[2] - 1) * rectangle->slice_pitch +
                     (region[1] - 1) * rectangle->row_pitch + bytes[0];
    return CL_SUCCESS;
}

/* ---- the descriptor ---- */

struct creation {
    cl_context context;
    cl_mem_flags flags; /* all of them */
    const cl_image_format *format;
    const cl_image_desc *desc;
    const void *host_ptr;
    cl_mem parent; /* whose bytes it shares; NULL = none */
    bool is_asked; /* about, and not made */
    struct vm_image layout;
    uint64_t size;
};

static bool sizes_fit(const cl_image_desc *desc, const struct shape *shape)
{
    const size_t sizes[SIZE_COUNT] = {desc->image_width, desc->image_height, desc->image_depth,
                                      desc->image_array_size};
    for (enum size i = WIDTH; i < SIZE_COUNT; i++) {
        const uint64_t most = largest(shape, i);
        if (most != 0 && (sizes[i] < 1 || sizes[i] > most))
            return false;
    }
    return true;
}

static cl_int set_sizes(struct creation *creation)
{
    const cl_image_desc *desc = creation->desc;
    const struct shape *shape = find_shape(desc->image_type);
    if (!shape || !sizes_fit(desc, shape))
        return CL_INVALID_IMAGE_SIZE;
    creation->layout = (struct vm_image){
        .type = shape->vm_type,
        .order = creation->format->image_channel_order - CL_R,
        .channel = creation->format->image_channel_data_type - CL_SNORM_INT8,
        .texel_size = image_format_texel_size(creation->format),
        .width = desc->image_width,
        .height = largest(shape, HEIGHT) ? desc->image_height : 1,
        .depth = largest(shape, DEPTH) ? desc->image_depth : 1,
        .layers = largest(shape, LAYERS) ? desc->image_array_size : 1,
        .levels = desc->num_mip_levels,
    };
    return CL_SUCCESS;
}

/* 5.3.1.2: a pitch is given only where the bytes come from the application or from a buffer, and
 * holds a whole number of the next smaller ones. The sizes are within the limits, so that nothing
 * overflows but what the application gives. */
static cl_int set_pitches(struct creation *creation)
{
    const cl_image_desc *desc = creation->desc;
    struct vm_image *layout = &creation->layout;
    const bool given = desc->image_row_pitch != 0 || desc->image_slice_pitch != 0;
    if (given && !creation->host_ptr && !creation->parent && !creation->is_asked)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    const uint64_t row = layout->width * layout->texel_size;
    const cl_int misplaced =
        creation->parent ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_INVALID_IMAGE_DESCRIPTOR;
    layout->row_pitch = desc->image_row_pitch ? desc->image_row_pitch : row;
    if (layout->row_pitch < row)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (layout->row_pitch % layout->texel_size != 0)
        return misplaced;
    uint64_t slice;
    if (!size_mul(layout->row_pitch, layout->height, &slice))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    layout->slice_pitch = slice;
    if (image_has_slices(layout) && desc->image_slice_pitch != 0)
        layout->slice_pitch = desc->image_slice_pitch;
    if (layout->slice_pitch < slice)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (layout->slice_pitch % layout->row_pitch != 0)
        return misplaced;
    if (!size_mul(layout->slice_pitch, layout->depth * layout->layers, &creation->size))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (layout->levels > 1) /* which has no pitches but its own */
        creation->size = vm_image_size(layout);
    return CL_SUCCESS;
}

/* ---- images made from other objects ---- */

/* 5.3.1.2, Compatible Image Channel Orders: what a view of an image may have. */
static const struct {
    cl_channel_order view, image;
} compatible_orders[] = {
    {CL_sBGRA, CL_BGRA}, {CL_BGRA, CL_sBGRA}, {CL_sRGBA, CL_RGBA},
    {CL_RGBA, CL_sRGBA}, {CL_sRGB, CL_RGB},   {CL_RGB, CL_sRGB},
    {CL_sRGBx, CL_RGBx}, {CL_RGBx, CL_sRGBx}, {CL_DEPTH, CL_R},
};

static bool orders_compatible(cl_channel_order view, cl_channel_order image)
{
    for (size_t i = 0; i < sizeof(compatible_orders) / sizeof(compatible_orders[0]); i++) {
        if (compatible_orders[i].view == view && compatible_orders[i].image == image)
            return true;
    }
    return false;
}

/* "All of the values specified in image_desc must match the image descriptor information associated
 * with mem_object, except for mem_object." */
static cl_int check_view(struct creation *creation)
{
    const cl_image_desc *desc = creation->desc;
    const struct vm_image *viewed = creation->parent->image;
    if (viewed->type != VM_IMAGE_2D || desc->image_width != viewed->width ||
        desc->image_height != viewed->height ||
        (desc->image_row_pitch != 0 && desc->image_row_pitch != viewed->row_pitch))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    if (creation->format->image_channel_data_type !=
            creation->parent->format.image_channel_data_type ||
        !orders_compatible(creation->format->image_channel_order,
                           creation->parent->format.image_channel_order))
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    creation->layout.row_pitch = viewed->row_pitch;
    creation->layout.slice_pitch = viewed->slice_pitch;
    creation->size = creation->parent->size;
    return CL_SUCCESS;
}

/* "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if an image is created from a buffer and the row pitch, or
 * slice pitch ... or base address alignment do not follow the rules described for creating an image
 * from a buffer", and they must be large enough. A slice pitch is a multiple of the row pitch. */
static cl_int check_buffer(const struct creation *creation)
{
    const struct vm_image *layout = &creation->layout;
    const uint64_t pitch = (uint64_t)layout->texel_size * LIMIT_IMAGE_PITCH_ALIGNMENT;
    const uint64_t base = (uint64_t)layout->texel_size * LIMIT_IMAGE_BASE_ALIGNMENT;
    if (layout->row_pitch % pitch != 0 || (uintptr_t)creation->parent->bytes % base != 0)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    return creation->size <= creation->parent->size ? CL_SUCCESS : CL_INVALID_IMAGE_SIZE;
}

/* Is desc->mem_object what the type of the image allows? */
static bool parent_fits(const cl_image_desc *desc, cl_context context)
{
    cl_mem parent = desc->mem_object;
    if (parent && (!mem_is_buffer_or_image(parent) || parent->context != context))
        return false;
    switch (desc->image_type) {
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return parent && mem_is_buffer(parent);
    case CL_MEM_OBJECT_IMAGE2D:
        return true;
    default: /* cl_ext_image_from_buffer */
        return !parent || mem_is_buffer(parent);
    }
}

/* ---- making one ---- */

/* The copy of what the application has, without the bytes between the rows. */
static void copy_host(cl_mem mem, const void *host_ptr)
{
    const struct vm_image *layout = mem->image;
    const uint64_t row = layout->width * layout->texel_size;
    const uint64_t slices = layout->depth * layout->layers;
    if (layout->row_pitch == row && layout->slice_pitch == row * layout->height) {
        vm_memory_write(icd_memory(), mem->number, 0, host_ptr, mem->size);
        return;
    }
    for (uint64_t z = 0; z < slices; z++) {
        for (uint64_t y = 0; y < layout->height; y++) {
            const uint64_t offset = z * layout->slice_pitch + y * layout->row_pitch;
            vm_memory_write(icd_memory(), mem->number, offset, (const uint8_t *)host_ptr + offset,
                            row);
        }
    }
}

/* "clCreateImage, 2D, 64 x 32, CL_RGBA CL_UNORM_INT8" */
static void describe(const struct creation *creation, struct text *text)
{
    static const char *const names[] = {
        [VM_IMAGE_1D] = "1D", [VM_IMAGE_1D_BUFFER] = "1D buffer", [VM_IMAGE_1D_ARRAY] = "1D array",
        [VM_IMAGE_2D] = "2D", [VM_IMAGE_2D_ARRAY] = "2D array",   [VM_IMAGE_3D] = "3D",
    };
    const struct vm_image *layout = &creation->layout;
    uint64_t extent[3];
    image_extent(layout, extent);
    text_format(text, "clCreateImage, %s, %llu", names[layout->type],
                (unsigned long long)extent[0]);
    const int dimensions = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
    for (int i = 1; i < dimensions; i++)
        text_format(text, " x %llu", (unsigned long long)extent[i]);
    text_append(text, ", ");
    image_format_print(creation->format, text);
    if (layout->levels > 1)
        text_format(text, ", %u levels", layout->levels);
}

/* cl_khr_mipmap_image: not of a buffer's texels, nor of depths. The extension names no error, and
 * no greatest number of levels: a level of one texel may be followed by more of that size. */
static bool levels_fit(const cl_image_format *format, const cl_image_desc *desc)
{
    return desc->num_mip_levels <= 1 ||
           (desc->num_mip_levels <= VM_IMAGE_LEVELS_MAX &&
            desc->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER &&
            format->image_channel_order != CL_DEPTH && !desc->mem_object);
}

/* All that does not depend on flags and host pointer. */
static cl_int check_descriptor(const cl_image_format *format, const cl_image_desc *desc,
                               cl_context context)
{
    if (image_format_texel_size(format) == 0)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (!desc || !find_shape(desc->image_type) || !levels_fit(format, desc) ||
        desc->num_samples != 0 || !parent_fits(desc, context))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return CL_SUCCESS;
}

static cl_int set_flags(struct creation *creation, cl_mem_flags flags)
{
    if (creation->parent) {
        /* Unlike a sub-buffer's, an image's flags have to say so themselves. */
        if ((creation->parent->flags & ~flags & CL_MEM_IMMUTABLE_EXT) != 0)
            return CL_INVALID_VALUE;
        const cl_int result = mem_inherit_flags(creation->parent->flags, flags, &creation->flags);
        return result == CL_SUCCESS && creation->host_ptr ? CL_INVALID_HOST_PTR : result;
    }
    creation->flags = mem_default_flags(flags);
    if (creation->desc->num_mip_levels > 1 && creation->host_ptr)
        return CL_INVALID_HOST_PTR;
    return mem_check_flags(flags, creation->host_ptr);
}

static cl_int set_layout(struct creation *creation)
{
    cl_int result = set_sizes(creation);
    if (result != CL_SUCCESS)
        return result;
    if (creation->parent && mem_is_image(creation->parent))
        return check_view(creation);
    result = set_pitches(creation);
    if (result == CL_SUCCESS && creation->parent)
        result = check_buffer(creation);
    return result;
}

static cl_int prepare(struct creation *creation, cl_mem_flags flags)
{
    const cl_int flags_result = set_flags(creation, flags);
    if (flags_result == CL_INVALID_VALUE)
        return CL_INVALID_VALUE;
    const cl_int result = set_layout(creation);
    if (result != CL_SUCCESS)
        return result;
    if (flags_result != CL_SUCCESS)
        return flags_result;
    if (!image_format_supported(creation->format, creation->desc->image_type))
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    return creation->size <= limits_get(LIMIT_ALLOCATION) ? CL_SUCCESS
                                                          : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static cl_mem create(const struct creation *creation, void *host_ptr,
                     const cl_mem_properties *properties, cl_int *result)
{
    struct text made_by = TEXT_INIT;
    struct mem_request request = {
        .context = creation->context,
        .type = creation->desc->image_type,
        .flags = creation->flags,
        .size = creation->size,
        .parent = creation->parent,
        .host_ptr =
            !creation->parent && (creation->flags & CL_MEM_USE_HOST_PTR) != 0 ? host_ptr : NULL,
        .format = creation->format,
        .image = &creation->layout,
    };
    cl_mem mem = NULL;
    *result = property_list_copy(properties, CL_INVALID_PROPERTY, &request.properties);
    if (*result == CL_SUCCESS) {
        describe(creation, &made_by);
        request.made_by = made_by.failed ? NULL : made_by.bytes;
        mem = mem_create(&request, result);
    }
    if (mem && !creation->parent && host_copy_begins(creation->flags))
        copy_host(mem, host_ptr);
    text_release(&made_by);
    return mem;
}

cl_mem icd_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                       cl_mem_flags flags, const cl_image_format *image_format,
                                       const cl_image_desc *image_desc, void *host_ptr,
                                       cl_int *errcode_ret)
{
    struct creation creation = {
        .context = context, .format = image_format, .desc = image_desc, .host_ptr = host_ptr};
    cl_mem mem = NULL;
    cl_int result = CL_SUCCESS;
    if (!object_is(context, OBJECT_CONTEXT))
        result = CL_INVALID_CONTEXT;
    else if (!limits_keep(KEPT_OPTIONAL)) /* "no devices ... support images" */
        result = CL_INVALID_OPERATION;
    else if (properties && properties[0] != 0) /* OpenCL 3.0 defines none */
        result = CL_INVALID_PROPERTY;
    if (result == CL_SUCCESS)
        result = check_descriptor(image_format, image_desc, context);
    if (result == CL_SUCCESS) {
        creation.parent = image_desc->mem_object;
        result = prepare(&creation, flags);
    }
    if (result == CL_SUCCESS)
        mem = create(&creation, host_ptr, properties, &result);
    return object_give(mem, result, errcode_ret);
}

cl_mem icd_clCreateImage(cl_context context, cl_mem_flags flags,
                         const cl_image_format *image_format, const cl_image_desc *image_desc,
                         void *host_ptr, cl_int *errcode_ret)
{
    return icd_clCreateImageWithProperties(context, NULL, flags, image_format, image_desc, host_ptr,
                                           errcode_ret);
}

/* The calls of OpenCL 1.1 have no descriptor: pitches that break the rules are wrong sizes. */
static cl_mem create_old(cl_context context, cl_mem_flags flags, const cl_image_format *format,
                         const cl_image_desc *desc, void *host_ptr, cl_int *errcode_ret)
{
    cl_int result;
    cl_mem mem = icd_clCreateImage(context, flags, format, desc, host_ptr, &result);
    return object_give(mem, result == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : result,
                       errcode_ret);
}

cl_mem icd_clCreateImage2D(cl_context context, cl_mem_flags flags,
                           const cl_image_format *image_format, size_t image_width,
                           size_t image_height, size_t image_row_pitch, void *host_ptr,
                           cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = image_width,
                                .image_height = image_height,
                                .image_row_pitch = image_row_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

cl_mem icd_clCreateImage3D(cl_context context, cl_mem_flags flags,
                           const cl_image_format *image_format, size_t image_width,
                           size_t image_height, size_t image_depth, size_t image_row_pitch,
                           size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = image_width,
                                .image_height = image_height,
                                /* "must be a value > 1" for this call alone */
                                .image_depth = image_depth == 1 ? 0 : image_depth,
                                .image_row_pitch = image_row_pitch,
                                .image_slice_pitch = image_slice_pitch};
    return create_old(context, flags, image_format, &desc, host_ptr, errcode_ret);
}

/* ---- queries ---- */

cl_int icd_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!mem_is_image(image))
        return CL_INVALID_MEM_OBJECT;
    const struct vm_image *layout = image->image;
    const struct shape *shape = find_shape(image->type);
    cl_mem buffer = image->parent && mem_is_buffer(image->parent) ? image->parent : NULL;
    const struct info_row rows[] = {
        {CL_IMAGE_FORMAT, &image->format, sizeof(image->format)},
        INFO(CL_IMAGE_ELEMENT_SIZE, size_t, layout->texel_size),
        INFO(CL_IMAGE_ROW_PITCH, size_t, layout->row_pitch),
        INFO(CL_IMAGE_SLICE_PITCH, size_t, image_has_slices(layout) ? layout->slice_pitch : 0),
        INFO(CL_IMAGE_WIDTH, size_t, layout->width),
        INFO(CL_IMAGE_HEIGHT, size_t, largest(shape, HEIGHT) ? layout->height : 0),
        INFO(CL_IMAGE_DEPTH, size_t, largest(shape, DEPTH) ? layout->depth : 0),
        INFO(CL_IMAGE_ARRAY_SIZE, size_t, largest(shape, LAYERS) ? layout->layers : 0),
        INFO(CL_IMAGE_BUFFER, cl_mem, buffer),
        INFO(CL_IMAGE_NUM_MIP_LEVELS, cl_uint, layout->levels),
        INFO(CL_IMAGE_NUM_SAMPLES, cl_uint, 0),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- cl_ext_image_requirements_info ---- */

/* Of the texel: no image has a larger one than the last of these. */
enum { TEXEL_SIZE_MAX = 16 };

/* Which size the query asks the largest of; SIZE_COUNT = of none. */
static enum size asked_most_of(cl_uint param_name)
{
    static const cl_uint names[SIZE_COUNT] = {
        CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT, CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT,
        CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT, CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT};
    enum size size = WIDTH;
    while (size < SIZE_COUNT && names[size] != param_name)
        size++;
    return size;
}

/* Of images of that type, or the least of what any type that has such a size may have. */
static cl_int answer_most(const struct info_target *target, const cl_image_desc *desc,
                          enum size size)
{
    const cl_mem_object_type type = desc ? desc->image_type : 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        const uint64_t most = largest(&shapes[i], size);
        if (type == shapes[i].type || (type == 0 && most != 0 && most < least))
            least = most;
    }
    return least == 0 ? CL_INVALID_IMAGE_DESCRIPTOR : INFO_VALUE(target, cl_uint, (cl_uint)least);
}

static cl_int answer_size(const struct info_target *target, const cl_image_format *format,
                          const cl_image_desc *desc)
{
    struct creation asked = {.format = format, .desc = desc, .is_asked = true};
    if (!format || !desc)
        return CL_INVALID_VALUE;
    if (set_sizes(&asked) != CL_SUCCESS)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    const cl_int result = set_pitches(&asked);
    return result == CL_SUCCESS ? INFO_VALUE(target, size_t, asked.size) : result;
}

/* Whoever asks for the largest size does not have one. */
static bool can_be_asked_about(const cl_image_desc *desc, cl_uint param_name)
{
    const struct shape *shape = find_shape(desc->image_type);
    if (desc->num_mip_levels != 0 || desc->num_samples != 0)
        return false;
    return desc->image_type == 0 ||
           (shape && (asked_most_of(param_name) < SIZE_COUNT || sizes_fit(desc, shape)));
}

cl_int icd_clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties,
                                         cl_mem_flags flags, const cl_image_format *image_format,
                                         const cl_image_desc *image_desc, cl_uint param_name,
                                         size_t param_value_size, void *param_value,
                                         size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    const uint32_t texel_size =
        image_format ? image_format_texel_size(image_format) : TEXEL_SIZE_MAX;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (properties && properties[0] != 0) /* OpenCL 3.0 defines none */
        return CL_INVALID_PROPERTY;
    if (!image_format_flags_valid(flags))
        return CL_INVALID_VALUE;
    if (texel_size == 0)
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    if (image_desc && !can_be_asked_about(image_desc, param_name))
        return CL_INVALID_IMAGE_DESCRIPTOR;
    const enum size size = asked_most_of(param_name);
    switch (param_name) {
    case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
        return INFO_VALUE(&target, size_t, texel_size * LIMIT_IMAGE_BASE_ALIGNMENT);
    case CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT:
        return INFO_VALUE(&target, size_t, texel_size * LIMIT_IMAGE_PITCH_ALIGNMENT);
    case CL_IMAGE_REQUIREMENTS_SIZE_EXT:
        return answer_size(&target, image_format, image_desc);
    default:
        return size < SIZE_COUNT ? answer_most(&target, image_desc, size) : CL_INVALID_VALUE;
    }
}
