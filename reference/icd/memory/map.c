/* OpenCL API 3.0, chapters 5.2.4, 5.3.6 and 5.5.2: mapping buffers and images. The host sees the
 * very bytes that kernels see, so a map moves nothing; what a map for writing changes is that the
 * range counts as written once it is unmapped. */
#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/memory/image.h"
#include "reference/icd/memory/transfer.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

/* What a call maps. */
struct map_request {
    uint64_t offset;               /* of its first byte */
    uint64_t origin[4], region[4]; /* bytes of a row, rows, slices, one level */
    cl_map_flags flags;
};

static const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

static struct mapping *find_mapping(cl_mem mem, const void *address)
{
    cl_mem root = mem_root(mem);
    for (size_t i = 0; i < root->mapping_count; i++) {
        if (root->mappings[i].mem == mem && root->mappings[i].address == address)
            return &root->mappings[i];
    }
    return NULL;
}

static struct mapping *find_same(cl_mem mem, const struct map_request *request)
{
    cl_mem root = mem_root(mem);
    for (size_t i = 0; i < root->mapping_count; i++) {
        struct mapping *mapping = &root->mappings[i];
        if (mapping->mem == mem && mapping->flags == request->flags &&
            memcmp(mapping->origin, request->origin, sizeof(mapping->origin)) == 0 &&
            memcmp(mapping->region, request->region, sizeof(mapping->region)) == 0)
            return mapping;
    }
    return NULL;
}

static bool boxes_overlap(const struct mapping *a, const struct mapping *b)
{
    for (int i = 0; i < 4; i++) {
        if (a->origin[i] >= b->origin[i] + b->region[i] ||
            b->origin[i] >= a->origin[i] + a->region[i])
            return false;
    }
    return true;
}

static uint64_t row_pitch(const struct mapping *mapping)
{
    return mapping->mem->image ? image_row_stride(mapping->mem->image) : mapping->region[0];
}

/* Two objects that share bytes; neither has slices. Is there a row of `b` that ends behind the
 * start of a row of `a`, and begins before its end? */
static bool rows_overlap(const struct mapping *a, const struct mapping *b)
{
    const uint64_t pitch = row_pitch(b), size = b->region[0];
    const uint64_t first = (uintptr_t)b->address;
    for (uint64_t y = 0; y < a->region[1]; y++) {
        const uint64_t start = (uintptr_t)a->address + y * row_pitch(a);
        const uint64_t row = start < first + size ? 0 : (start - first - size) / pitch + 1;
        if (row < b->region[1] && first + row * pitch < start + a->region[0])
            return true;
    }
    return false;
}

/* 5.5.3: "Mapping (and unmapping) overlapped regions in a memory object and/or associated memory
 * objects (sub-buffer objects or 1D image buffer objects that overlap this region) for writing is
 * an error and will result in CL_INVALID_OPERATION". */
static bool is_being_written(const struct mapping *wanted)
{
    const struct _cl_mem *root = mem_root(wanted->mem);
    for (size_t i = 0; i < root->mapping_count; i++) {
        const struct mapping *other = &root->mappings[i];
        if ((other->flags & writing) != 0 &&
            (other->mem == wanted->mem ? boxes_overlap(wanted, other)
                                       : rows_overlap(wanted, other)))
            return true;
    }
    return false;
}

/* Locked. */
static cl_int add_mapping(cl_mem mem, const struct map_request *request)
{
    cl_mem root = mem_root(mem);
    struct mapping mapping = {
        .mem = mem, .address = mem->bytes + request->offset, .flags = request->flags, .count = 1};
    memcpy(mapping.origin, request->origin, sizeof(mapping.origin));
    memcpy(mapping.region, request->region, sizeof(mapping.region));
    if ((request->flags & writing) != 0 && is_being_written(&mapping))
        return CL_INVALID_OPERATION;
    struct mapping *same = find_same(mem, request);
    if (same) {
        same->count++;
        return CL_SUCCESS;
    }
    void *grown = alloc_grow(root->mappings, root->mapping_count, &root->mapping_capacity,
                             sizeof(*root->mappings));
    if (!grown)
        return CL_OUT_OF_HOST_MEMORY;
    root->mappings = grown;
    root->mappings[root->mapping_count++] = mapping;
    return CL_SUCCESS;
}

static void remove_mapping(struct mapping *mapping)
{
    cl_mem root = mem_root(mapping->mem);
    if (--mapping->count > 0)
        return;
    root->mapping_count--;
    for (size_t i = (size_t)(mapping - root->mappings); i < root->mapping_count; i++)
        root->mappings[i] = root->mappings[i + 1];
}

static cl_int check_flags(cl_mem mem, cl_map_flags flags)
{
    if ((flags & ~(CL_MAP_READ | writing)) != 0 || ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
                                                    (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
        return CL_INVALID_VALUE;
    if ((flags & CL_MAP_READ) != 0 &&
        (mem->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    if ((flags & writing) != 0 &&
        (mem->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)) != 0)
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

/* The data of a map or unmap, as a mapping has it. */
static void set_transfer(struct transfer *transfer, cl_mem mem, uint64_t offset, uint64_t level,
                         const uint64_t *region, cl_map_flags flags)
{
    *transfer = (struct transfer){.mem = mem, .offset = offset, .map_flags = flags};
    if (mem->image) {
        struct vm_image image;
        vm_image_level(mem->image, (uint32_t)level, &image);
        transfer->mem_row_pitch = image_row_stride(&image);
        transfer->mem_slice_pitch = image.slice_pitch;
    }
    memcpy(transfer->region, region, sizeof(transfer->region));
}

/* A mapping is found again by its object and where it begins. */
static uint64_t mapping_handle(const struct transfer *transfer)
{
    return (uint64_t)transfer->mem->number << VM_POINTER_OFFSET_BITS | transfer->offset;
}

static void tell_map(const void *data)
{
    const struct transfer *transfer = data;
    const struct use_bytes rows = transfer_rows(transfer);
    const struct use_bytes whole = {.size = transfer->mem->size};
    races_map(transfer->mem->number, (transfer->map_flags & writing) != 0, &rows, &whole,
              mapping_handle(transfer));
}

static void tell_unmap(const void *data)
{
    const struct transfer *transfer = data;
    races_unmap(transfer->mem->number, mapping_handle(transfer));
}

static void define_row(const struct transfer *transfer, uint64_t mem, uint64_t other)
{
    (void)other;
    vm_memory_define(icd_memory(), transfer->mem->number, mem, transfer->region[0]);
}

static void host_writes(const struct transfer *transfer)
{
    uint64_t rows = 0;
    if ((transfer->map_flags & writing) != 0)
        transfer_each_row(transfer, &rows, define_row);
}

/* What the host writes from now on a kernel may find before it is unmapped, which is a finding of
 * its own. */
static cl_int run_map(void *data, uint64_t *cost)
{
    (void)cost;
    host_writes(data);
    return CL_SUCCESS;
}

/* What it maps is in bounds. NULL on failure, with the code in *result. */
static void *map(cl_mem mem, const struct map_request *mapped, struct command_request *request,
                 cl_int *result)
{
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer) {
        *result = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    icd_lock();
    *result = add_mapping(mem, mapped);
    icd_unlock();
    if (*result != CL_SUCCESS) {
        alloc_free(transfer);
        return NULL;
    }
    set_transfer(transfer, mem, mapped->offset, mapped->origin[3], mapped->region, mapped->flags);
    request->run = run_map;
    request->tell = tell_map;
    *result = transfer_enqueue(transfer, request);
    if (*result == CL_SUCCESS)
        return mem->bytes + mapped->offset;
    icd_lock();
    remove_mapping(find_same(mem, mapped));
    icd_unlock();
    return NULL;
}

void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_map,
                             cl_map_flags map_flags, size_t offset, size_t size,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret)
{
    const struct map_request mapped = {
        .offset = offset, .origin = {offset}, .region = {size, 1, 1, 1}, .flags = map_flags};
    cl_int result =
        transfer_check(queue, buffer, mem_is_buffer, num_events_in_wait_list, event_wait_list);
    if (result == CL_SUCCESS && (size == 0 || !range_within(offset, size, buffer->size)))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = check_flags(buffer, map_flags);
    void *address = NULL;
    if (result == CL_SUCCESS)
        address = map(buffer, &mapped,
                      &(struct command_request){.queue = queue,
                                                .type = CL_COMMAND_MAP_BUFFER,
                                                .wait_count = num_events_in_wait_list,
                                                .wait_list = event_wait_list,
                                                .blocking = blocking_map,
                                                .event = event},
                      &result);
    if (errcode_ret)
        *errcode_ret = result;
    return address;
}

static cl_int check_image(cl_mem image, const size_t *origin, const size_t *region,
                          const size_t *image_row_pitch, const size_t *image_slice_pitch,
                          struct map_request *mapped)
{
    struct rectangle box;
    size_t row_size;
    cl_int result = image_box(image, origin, region, &box, &row_size);
    if (result == CL_SUCCESS)
        result = check_flags(image, mapped->flags);
    if (result != CL_SUCCESS)
        return result;
    if (!image_row_pitch || (!image_slice_pitch && image_has_slices(image->image)))
        return CL_INVALID_VALUE;
    mapped->offset = box.offset;
    mapped->origin[3] = image_origin(image->image, origin, mapped->origin);
    mapped->origin[0] *= image->image->texel_size;
    for (int i = 1; i < 3; i++)
        mapped->region[i] = region[i];
    mapped->region[0] = row_size;
    mapped->region[3] = 1;
    return CL_SUCCESS;
}

void *icd_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking_map,
                            cl_map_flags map_flags, const size_t *origin, const size_t *region,
                            size_t *image_row_pitch, size_t *image_slice_pitch,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event, cl_int *errcode_ret)
{
    struct map_request mapped = {.flags = map_flags};
    cl_int result =
        transfer_check(queue, image, mem_is_image, num_events_in_wait_list, event_wait_list);
    if (result == CL_SUCCESS)
        result = check_image(image, origin, region, image_row_pitch, image_slice_pitch, &mapped);
    void *address = NULL;
    if (result == CL_SUCCESS)
        address = map(image, &mapped,
                      &(struct command_request){.queue = queue,
                                                .type = CL_COMMAND_MAP_IMAGE,
                                                .wait_count = num_events_in_wait_list,
                                                .wait_list = event_wait_list,
                                                .blocking = blocking_map,
                                                .event = event},
                      &result);
    if (result == CL_SUCCESS) {
        struct vm_image level;
        vm_image_level(image->image, (uint32_t)mapped.origin[3], &level);
        *image_row_pitch = level.row_pitch;
        if (image_slice_pitch)
            *image_slice_pitch = image_has_slices(&level) ? level.slice_pitch : 0;
    }
    if (errcode_ret)
        *errcode_ret = result;
    return address;
}

static cl_int run_unmap(void *data, uint64_t *cost)
{
    host_writes(data);
    *cost += 1;
    return CL_SUCCESS;
}

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj, void *mapped_ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    const cl_int checked = transfer_check(queue, memobj, mem_is_buffer_or_image,
                                          num_events_in_wait_list, event_wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    icd_lock();
    struct mapping *mapping = find_mapping(memobj, mapped_ptr);
    if (mapping) {
        set_transfer(transfer, memobj, (uint64_t)((uint8_t *)mapping->address - memobj->bytes),
                     mapping->origin[3], mapping->region, mapping->flags);
        remove_mapping(mapping);
    }
    icd_unlock();
    if (!mapping) {
        alloc_free(transfer);
        return CL_INVALID_VALUE;
    }
    return transfer_enqueue(transfer,
                            &(struct command_request){.queue = queue,
                                                      .type = CL_COMMAND_UNMAP_MEM_OBJECT,
                                                      .wait_count = num_events_in_wait_list,
                                                      .wait_list = event_wait_list,
                                                      .event = event,
                                                      .run = run_unmap,
                                                      .tell = tell_unmap});
}
