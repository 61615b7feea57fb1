/* OpenCL API 3.0, chapters 5.2.3 and 5.5.2: mapping buffers. The host sees the very bytes that
 * kernels see, so a map moves nothing; what a map for writing changes is that the range counts as
 * written once it is unmapped. */
#include "reference/icd/dispatch.h"
#include "reference/icd/transfer.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

static struct mapping *find_mapping(cl_mem mem, const void *address, bool exact, uint64_t size,
                                    cl_map_flags flags)
{
    for (size_t i = 0; i < mem->mapping_count; i++) {
        struct mapping *mapping = &mem->mappings[i];
        if (mapping->address == address &&
            (!exact || (mapping->size == size && mapping->flags == flags)))
            return mapping;
    }
    return NULL;
}

/* Locked. */
static cl_int add_mapping(cl_mem mem, uint64_t offset, uint64_t size, cl_map_flags flags)
{
    void *address = mem->bytes + offset;
    struct mapping *same = find_mapping(mem, address, true, size, flags);
    if (same) {
        same->count++;
        return CL_SUCCESS;
    }
    void *grown = alloc_grow(mem->mappings, mem->mapping_count, &mem->mapping_capacity,
                             sizeof(*mem->mappings));
    if (!grown)
        return CL_OUT_OF_HOST_MEMORY;
    mem->mappings = grown;
    mem->mappings[mem->mapping_count++] = (struct mapping){
        .address = address, .offset = offset, .size = size, .flags = flags, .count = 1};
    return CL_SUCCESS;
}

static void remove_mapping(cl_mem mem, struct mapping *mapping)
{
    if (--mapping->count > 0)
        return;
    mem->mapping_count--;
    for (size_t i = (size_t)(mapping - mem->mappings); i < mem->mapping_count; i++)
        mem->mappings[i] = mem->mappings[i + 1];
}

static cl_int check_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                        size_t size, cl_uint wait_count, const cl_event *wait_list)
{
    const cl_map_flags known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const cl_int checked = transfer_check(queue, buffer, mem_is_buffer, wait_count, wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    if (!range_within(offset, size, buffer->size) || size == 0 || (flags & ~known) != 0 ||
        ((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
         (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0))
        return CL_INVALID_VALUE;
    if ((flags & CL_MAP_READ) != 0 &&
        (buffer->flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0 &&
        (buffer->flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

void *icd_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking_map,
                             cl_map_flags map_flags, size_t offset, size_t size,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret)
{
    cl_int result =
        check_map(queue, buffer, map_flags, offset, size, num_events_in_wait_list, event_wait_list);
    struct transfer *transfer = NULL;
    if (result == CL_SUCCESS) {
        transfer = alloc_zero(1, sizeof(*transfer));
        result = transfer ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    if (result == CL_SUCCESS) {
        icd_lock();
        result = add_mapping(buffer, offset, size, map_flags);
        icd_unlock();
        if (result != CL_SUCCESS)
            alloc_free(transfer);
    }
    if (result == CL_SUCCESS) {
        transfer->mem = buffer;
        result = transfer_enqueue(transfer,
                                  &(struct command_request){.queue = queue,
                                                            .type = CL_COMMAND_MAP_BUFFER,
                                                            .wait_count = num_events_in_wait_list,
                                                            .wait_list = event_wait_list,
                                                            .blocking = blocking_map,
                                                            .event = event});
        if (result != CL_SUCCESS) {
            icd_lock();
            remove_mapping(buffer,
                           find_mapping(buffer, buffer->bytes + offset, true, size, map_flags));
            icd_unlock();
        }
    }
    if (errcode_ret)
        *errcode_ret = result;
    return result == CL_SUCCESS ? buffer->bytes + offset : NULL;
}

static cl_int run_unmap(void *data, uint64_t *cost)
{
    const struct transfer *transfer = data;
    if ((transfer->map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0)
        vm_memory_define(icd_memory(), transfer->mem->number, transfer->offset, transfer->size);
    *cost += 1;
    return CL_SUCCESS;
}

cl_int icd_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem memobj, void *mapped_ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    const cl_int checked =
        transfer_check(queue, memobj, mem_is_any, num_events_in_wait_list, event_wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    icd_lock();
    struct mapping *mapping = find_mapping(memobj, mapped_ptr, false, 0, 0);
    if (mapping) {
        *transfer = (struct transfer){.mem = memobj,
                                      .offset = mapping->offset,
                                      .size = mapping->size,
                                      .map_flags = mapping->flags};
        remove_mapping(memobj, mapping);
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
                                                      .run = run_unmap});
}
