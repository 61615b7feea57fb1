/* OpenCL API 3.0, chapters 5.2.4, 5.3.6 and 5.5.2: mapping buffers and images. Usually the host
 * sees the very bytes that kernels see, so a map moves nothing (else host_copy.h tells what); what
 * a map for writing changes is that the range counts as written once it is unmapped. */
#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/memory/host_copy.h"
#include "reference/icd/memory/image.h"
#include "reference/icd/memory/transfer.h"
#include "trace/api/foreign.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

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

static struct mapping *find_same(const struct mapping *wanted)
{
    cl_mem root = mem_root(wanted->mem);
    for (size_t i = 0; i < root->mapping_count; i++) {
        struct mapping *mapping = &root->mappings[i];
        if (mapping->mem == wanted->mem && mapping->flags == wanted->flags &&
            memcmp(mapping->origin, wanted->origin, sizeof(mapping->origin)) == 0 &&
            memcmp(mapping->region, wanted->region, sizeof(mapping->region)) == 0)
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

/* Two objects that share bytes; neither has slices. Is there a row of `b` that ends after the
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
static cl_int add_mapping(const struct mapping *wanted)
{
    cl_mem root = mem_root(wanted->mem);
    if ((wanted->flags & writing) != 0 && is_being_written(wanted))
        return CL_INVALID_OPERATION;
    struct mapping *same = find_same(wanted);
    if (same) {
        same->count++;
        return CL_SUCCESS;
    }
    void *grown = alloc_grow(root->mappings, root->mapping_count, &root->mapping_capacity,
                             sizeof(*root->mappings));
    if (!grown)
        return CL_OUT_OF_HOST_MEMORY;
    root->mappings = grown;
    root->mappings[root->mapping_count++] = *wanted;
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

/* The data of the command that makes or ends a mapping. */
static struct transfer transfer_of(const struct mapping *mapping)
{
    cl_mem mem = mapping->mem;
    struct transfer transfer = {.mem = mem, .map_flags = mapping->flags};
    transfer.place.offset = (uint64_t)((uint8_t *)mapping->address - mem->bytes);
    if (mem->image) {
        struct vm_image image;
        vm_image_level(mem->image, (uint32_t)mapping->origin[3], &image);
        transfer.place.row_pitch = image_row_stride(&image);
        transfer.place.slice_pitch = image.slice_pitch;
    }
    memcpy(transfer.region, mapping->region, sizeof(transfer.region));
    return transfer;
}

/* A mapping is found again by its object and where it begins. */
static uint64_t mapping_handle(const struct transfer *transfer)
{
    return (uint64_t)transfer->mem->number << VM_POINTER_OFFSET_BITS | transfer->place.offset;
}

static void tell_map(const void *data)
{
    const struct transfer *transfer = data;
    const struct use_bytes rows = transfer_rows(transfer, &transfer->place);
    const struct use_bytes whole = {.size = transfer->mem->size};
    races_map(transfer->mem->number, (transfer->map_flags & writing) != 0, &rows, &whole,
              mapping_handle(transfer));
}

static void tell_unmap(const void *data)
{
    const struct transfer *transfer = data;
    races_unmap(transfer->mem->number, mapping_handle(transfer));
}

static void define_row(const struct transfer *transfer, uint64_t place, uint64_t other)
{
    (void)other;
    vm_memory_define(icd_memory(), transfer->mem->number, place, transfer->region[0]);
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
    const struct transfer *transfer = data;
    const struct use_bytes rows = transfer_rows(transfer, &transfer->place);
    host_writes(transfer);
    return host_copy_map(transfer->mem->number, &rows, transfer->map_flags);
}

/* What it maps is in bounds. NULL on failure, with the code in *result. */
static void *map(const struct mapping *mapped, struct command_request *request, cl_int *result)
{
    const struct transfer transfer = transfer_of(mapped);
    icd_lock();
    *result = add_mapping(mapped);
    mem_show(mapped->mem);
    icd_unlock();
    if (*result != CL_SUCCESS)
        return NULL;
    request->work.run = run_map;
    request->work.tell = tell_map;
    *result = transfer_enqueue(&transfer, request);
    if (*result == CL_SUCCESS)
        return mapped->address;
    icd_lock();
    remove_mapping(find_same(mapped));
    icd_unlock();
    return NULL;
}

void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_map,
                             cl_map_flags map_flags, size_t offset, size_t size,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret)
{
    struct mapping mapped = {.mem = buffer,
                             .origin = {offset},
                             .region = {size, 1, 1, 1},
                             .flags = map_flags,
                             .count = 1};
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MAP_BUFFER, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_map;
    cl_int result = transfer_check(&request, buffer, mem_is_buffer);
    if (result == CL_SUCCESS && (size == 0 || !range_within(offset, size, buffer->size)))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = check_flags(buffer, map_flags);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    mapped.address = buffer->bytes + offset;
    void *address = map(&mapped, &request, &result);
    return object_give(address, result, errcode_ret);
}

static cl_int check_image(struct mapping *mapped, const size_t *origin, const size_t *region,
                          const size_t *image_row_pitch, const size_t *image_slice_pitch)
{
    cl_mem image = mapped->mem;
    struct rectangle box;
    cl_int result = image_box(image, origin, region, &box, mapped->region);
    if (result == CL_SUCCESS)
        result = check_flags(image, mapped->flags);
    if (result != CL_SUCCESS)
        return result;
    if (!image_row_pitch || (!image_slice_pitch && image_has_slices(image->image)))
        return CL_INVALID_VALUE;
    mapped->address = image->bytes + box.offset;
    mapped->origin[3] = image_origin(image->image, origin, mapped->origin);
    mapped->origin[0] *= image->image->texel_size;
    mapped->region[3] = 1;
    return CL_SUCCESS;
}

void *icd_clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking_map,
                            cl_map_flags map_flags, const size_t *origin, const size_t *region,
                            size_t *image_row_pitch, size_t *image_slice_pitch,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event, cl_int *errcode_ret)
{
    struct mapping mapped = {.mem = image, .flags = map_flags, .count = 1};
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MAP_IMAGE, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_map;
    cl_int result = transfer_check(&request, image, mem_is_image);
    if (result == CL_SUCCESS)
        result = check_image(&mapped, origin, region, image_row_pitch, image_slice_pitch);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    void *address = map(&mapped, &request, &result);
    if (result == CL_SUCCESS) {
        struct vm_image level;
        vm_image_level(image->image, (uint32_t)mapped.origin[3], &level);
        *image_row_pitch = level.row_pitch;
        if (image_slice_pitch)
            *image_slice_pitch = image_has_slices(&level) ? level.slice_pitch : 0;
    }
    return object_give(address, result, errcode_ret);
}

static cl_int run_unmap(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    const struct use_bytes rows = transfer_rows(transfer, &transfer->place);
    host_copy_unmap(transfer->mem->number, &rows, transfer->map_flags);
    host_writes(transfer);
    *cost += 1;
    return CL_SUCCESS;
}

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj, void *mapped_ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_UNMAP_MEM_OBJECT, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = transfer_check(&request, memobj, mem_is_buffer_or_image);
    if (checked != CL_SUCCESS)
        return checked;
    struct transfer transfer;
    icd_lock();
    struct mapping *mapping = find_mapping(memobj, mapped_ptr);
    if (mapping) {
        transfer = transfer_of(mapping);
        remove_mapping(mapping);
    }
    icd_unlock();
    if (!mapping)
        return CL_INVALID_VALUE;
    request.work.run = run_unmap;
    request.work.tell = tell_unmap;
    return transfer_enqueue(&transfer, &request);
}
