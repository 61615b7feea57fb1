/* OpenCL API 3.0, chapter 5.6: shared virtual memory. The host and kernels see the same bytes at
 * the same addresses, so most commands only take their place in the order (but for copies that the
 * host has of coarse-grained memory: host_copy.h); the kernel's side is in
 * kernel_svm.c. Other memory of the host is good for what clEnqueueSVMMemcpy and
 * clEnqueueSVMMemFill move; where the device shares all of the system's (limits_share_system), for
 * everything, and is always mapped. */
#include "reference/icd/memory/svm.h"

#include "reference/icd/dispatch.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/memory/host_copy.h"
#include "reference/icd/memory/mem.h"
#include "reference/icd/memory/transfer.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct svm_mapping {
    struct svm_mapping *next; /* the one made before */
    uint32_t object;
    uint64_t offset, size;
    cl_map_flags flags;
};

static struct svm_mapping *mappings;
static uint64_t allocation_count; /* ever made: svm#N */

static const cl_map_flags writing = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

/* ---- allocations ---- */

static bool is_alive(uint32_t object)
{
    return !__atomic_load_n(&vm_memory_find(icd_memory(), object)->freed, __ATOMIC_RELAXED);
}

uint32_t svm_find_object(const void *address, uint64_t *offset)
{
    struct vm_shared_range range;
    if (!vm_memory_find_shared(icd_memory(), (uintptr_t)address, &range))
        return 0;
    const uint64_t pointer = (uintptr_t)address + range.difference;
    const uint32_t object = vm_pointer_object(pointer);
    *offset = (uint64_t)vm_pointer_offset(pointer);
    return is_alive(object) && *offset <= vm_memory_find(icd_memory(), object)->size ? object : 0;
}

bool svm_is_system(const void *address)
{
    struct vm_shared_range range;
    return limits_share_system() &&
           !vm_memory_find_shared(icd_memory(), (uintptr_t)address, &range);
}

void *svm_allocate(const struct svm_request *request)
{
    const uint64_t alignment = request->alignment;
    if (!svm_is_offered() || request->size == 0 || request->size > limits_get(LIMIT_ALLOCATION) ||
        (alignment & (alignment - 1)) != 0 || alignment > LIMIT_BASE_ALIGNMENT)
        return NULL;
    char name[32];
    char made_by[64];
    uint32_t object = 0;
    icd_lock();
    snprintf(name, sizeof(name), "svm#%llu", (unsigned long long)allocation_count + 1);
    snprintf(made_by, sizeof(made_by), "%s, %llu bytes", request->function,
             (unsigned long long)request->size);
    const struct vm_buffer_info info = {.size = request->size,
                                        .read_only = request->read_only,
                                        .write_only = request->write_only,
                                        .svm = request->kind,
                                        .name = name,
                                        .origin = made_by};
    if (mem_reserve(request->size)) {
        if (vm_memory_create_object(icd_memory(), &info, &object, NULL) == STATUS_OK)
            allocation_count++;
        else
            mem_give_back(request->size);
    }
    icd_unlock();
    return object ? vm_memory_host_bytes(icd_memory(), object) : NULL;
}

bool svm_is_mapped(uint32_t object)
{
    for (const struct svm_mapping *mapping = mappings; mapping; mapping = mapping->next) {
        if (mapping->object == object)
            return true;
    }
    return false;
}

static void forget_mappings(uint32_t object)
{
    struct svm_mapping **link = &mappings;
    while (*link) {
        struct svm_mapping *mapping = *link;
        if (mapping->object == object) {
            *link = mapping->next;
            alloc_free(mapping);
        } else {
            link = &mapping->next;
        }
    }
}

/* Commands that run on other threads end before. */
void svm_free(void *address)
{
    uint64_t offset;
    icd_lock();
    executor_settle();
    const uint32_t object = svm_find_object(address, &offset);
    if (object && offset == 0) {
        forget_mappings(object);
        races_object_destroyed(object);
        host_copy_forget(object);
        mem_give_back(vm_memory_find(icd_memory(), object)->size);
        vm_memory_free_object(icd_memory(), object);
    }
    icd_unlock();
}

void *icd_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                     unsigned int alignment)
{
    const cl_svm_mem_flags access =
        flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
    const cl_svm_mem_flags grain = flags & (CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS);
    if (!object_is(context, OBJECT_CONTEXT) || flags != (access | grain) ||
        (access & (access - 1)) != 0 || grain == CL_MEM_SVM_ATOMICS ||
        (grain != 0 && limits_personality()->separate))
        return NULL;
    return svm_allocate(&(struct svm_request){.function = "clSVMAlloc",
                                              .kind = grain == 0 ? OBSERVER_SVM_COARSE
                                                      : (grain & CL_MEM_SVM_ATOMICS) != 0
                                                          ? OBSERVER_SVM_ATOMIC
                                                          : OBSERVER_SVM_FINE,
                                              .size = size,
                                              .alignment = alignment,
                                              .read_only = access == CL_MEM_READ_ONLY,
                                              .write_only = access == CL_MEM_WRITE_ONLY});
}

void icd_clSVMFree(cl_context context, void *svm_pointer)
{
    if (object_is(context, OBJECT_CONTEXT))
        svm_free(svm_pointer);
}

/* ---- commands ---- */

/* Memory that a command reads or writes. */
struct place {
    uint32_t object; /* 0: the application's own memory */
    uint64_t offset; /* in the object; without one the address */
    void *address;
};

typedef void(CL_CALLBACK *free_function)(cl_command_queue queue, cl_uint num_svm_pointers,
                                         void **svm_pointers, void *user_data);

/* The data of a command; each uses some of it. */
struct svm_command {
    const char *function;
    struct place place; /* written by copies and fills */
    struct place from;  /* of a copy */
    uint64_t size;
    cl_map_flags flags;
    size_t pattern_size;
    uint8_t pattern[TRANSFER_PATTERN_MAX];
    cl_command_queue queue; /* of a free, which the command keeps alive */
    void **pointers;
    cl_uint pointer_count;
    free_function free_function;
    void *user;
};

static void release(void *data)
{
    struct svm_command *command = data;
    alloc_free(command->pointers);
    alloc_free(command);
}

static cl_int check_command(const struct command_request *request)
{
    const cl_int checked = command_check(request);
    return checked == CL_SUCCESS && !svm_is_offered() ? CL_INVALID_OPERATION : checked;
}

/* False where the range begins in shared memory, alive or freed, and is not all in one living
 * allocation. */
static bool find_place(const void *address, uint64_t size, struct place *place)
{
    struct vm_shared_range range;
    *place = (struct place){.address = (void *)(uintptr_t)address, .offset = (uintptr_t)address};
    if (!vm_memory_find_shared(icd_memory(), (uintptr_t)address, &range))
        return true;
    place->object = svm_find_object(address, &place->offset);
    return place->object &&
           range_within(place->offset, size, vm_memory_find(icd_memory(), place->object)->size);
}

/* The same of memory that is shared with kernels. */
static bool find_shared_place(const void *address, uint64_t size, struct place *place)
{
    return find_place(address, size, place) && (place->object || svm_is_system(address));
}

/* The application may free memory that a command has still to use. */
static bool check_alive(const struct svm_command *command)
{
    const bool alive = (!command->place.object || is_alive(command->place.object)) &&
                       (!command->from.object || is_alive(command->from.object));
    if (!alive)
        visible_tell("clerk: %s: the shared virtual memory was freed before the command ran\n",
                     command->function);
    return alive;
}

static void use(const struct place *place, uint64_t size, enum use_kind kind)
{
    if (place->object)
        races_use(place->object, kind, &(struct use_bytes){.first = place->offset, .size = size});
}

static void tell(const void *data)
{
    const struct svm_command *command = data;
    const uint32_t objects[] = {command->place.object, command->from.object};
    if (!races_watches(objects, 2))
        return;
    use(&command->from, command->size, USE_READ);
    use(&command->place, command->size, USE_WRITE);
}

static cl_int enqueue(struct command_request *request, const struct svm_command *filled)
{
    struct svm_command *command = alloc(sizeof(*command));
    if (!command)
        return CL_OUT_OF_HOST_MEMORY;
    *command = *filled;
    command->function = races_function_name(request->type, request->recording != NULL);
    request->work.data = command;
    request->work.release = release;
    return command_enqueue(request);
}

/* ---- copy and fill ---- */

static void write_place(const struct place *place, uint64_t offset, const void *bytes,
                        uint64_t size)
{
    if (place->object)
        vm_memory_write(icd_memory(), place->object, place->offset + offset, bytes, size);
    else
        memcpy((uint8_t *)place->address + offset, bytes, size);
}

static cl_int run_copy(void *data, uint64_t *cost)
{
    const struct svm_command *command = data;
    const struct place *to = &command->place;
    const struct place *from = &command->from;
    if (!check_alive(command))
        return CL_OUT_OF_RESOURCES;
    if (to->object && from->object)
        vm_memory_copy(icd_memory(), from->object, from->offset, to->object, to->offset,
                       command->size);
    else if (from->object)
        vm_memory_read(icd_memory(), from->object, from->offset, to->address, command->size);
    else
        write_place(to, 0, from->address, command->size);
    *cost += transfer_cost(command->size);
    return CL_SUCCESS;
}

cl_int svm_enqueue_copy(struct command_request *request, void *dst_ptr, const void *src_ptr,
                        size_t size)
{
    struct svm_command command = {.size = size};
    const cl_int checked = check_command(request);
    if (checked != CL_SUCCESS)
        return checked;
    if (!dst_ptr || !src_ptr || !find_place(dst_ptr, size, &command.place) ||
        !find_place(src_ptr, size, &command.from))
        return CL_INVALID_VALUE;
    if (transfer_ranges_overlap((uintptr_t)dst_ptr, (uintptr_t)src_ptr, size))
        return CL_MEM_COPY_OVERLAP;
    request->work.run = run_copy;
    request->work.tell = tell;
    return enqueue(request, &command);
}

cl_int icd_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                              const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        command_queue, CL_COMMAND_SVM_MEMCPY, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_copy;
    return svm_enqueue_copy(&request, dst_ptr, src_ptr, size);
}

static cl_int run_fill(void *data, uint64_t *cost)
{
    const struct svm_command *command = data;
    if (!check_alive(command))
        return CL_OUT_OF_RESOURCES;
    for (uint64_t done = 0; done < command->size; done += command->pattern_size)
        write_place(&command->place, done, command->pattern, command->pattern_size);
    *cost += transfer_cost(command->size);
    return CL_SUCCESS;
}

cl_int svm_enqueue_fill(struct command_request *request, void *pointer, const void *pattern,
                        size_t pattern_size, size_t size)
{
    struct svm_command command = {.size = size, .pattern_size = pattern_size};
    const cl_int checked = check_command(request);
    if (checked != CL_SUCCESS)
        return checked;
    if (!pointer || !transfer_pattern_fits(pattern, pattern_size, (uintptr_t)pointer, size) ||
        !find_place(pointer, size, &command.place))
        return CL_INVALID_VALUE;
    memcpy(command.pattern, pattern, pattern_size);
    request->work.run = run_fill;
    request->work.tell = tell;
    return enqueue(request, &command);
}

/* ---- map and unmap ---- */

/* Of fine-grained memory the host needs no map, so kernels need not wait for its end. */
static bool map_excludes(const struct svm_command *command)
{
    const struct vm_object *object = vm_memory_find(icd_memory(), command->place.object);
    return object && object->identity.svm == OBSERVER_SVM_COARSE;
}

static uint64_t mapping_handle(const struct place *place)
{
    return (uint64_t)place->object << VM_POINTER_OFFSET_BITS | place->offset;
}

static void tell_map(const void *data)
{
    const struct svm_command *command = data;
    const struct use_bytes bytes = {.first = command->place.offset, .size = command->size};
    if (!map_excludes(command))
        return;
    /* "irrespective of whether the mapped regions span the entire SVM buffer" (5.6.1) */
    const struct use_bytes whole = {.size =
                                        vm_memory_find(icd_memory(), command->place.object)->size};
    races_map(command->place.object, (command->flags & writing) != 0, &bytes, &whole,
              mapping_handle(&command->place));
}

static void tell_unmap(const void *data)
{
    const struct svm_command *command = data;
    if (map_excludes(command))
        races_unmap(command->place.object, mapping_handle(&command->place));
}

/* Of both the map and the unmap: what the host writes meanwhile a kernel may find before it is
 * unmapped, which is a finding of its own. */
static void host_writes(const struct svm_command *command)
{
    if (command->place.object && (command->flags & writing) != 0)
        vm_memory_define(icd_memory(), command->place.object, command->place.offset, command->size);
}

static cl_int run_map(void *data, uint64_t *cost)
{
    const struct svm_command *command = data;
    const struct use_bytes bytes = {.first = command->place.offset, .size = command->size};
    *cost += 1;
    if (!check_alive(command))
        return CL_OUT_OF_RESOURCES;
    host_writes(command);
    return command->place.object ? host_copy_map(command->place.object, &bytes, command->flags)
                                 : CL_SUCCESS;
}

static cl_int run_unmap(void *data, uint64_t *cost)
{
    const struct svm_command *command = data;
    const struct use_bytes bytes = {.first = command->place.offset, .size = command->size};
    *cost += 1;
    if (!check_alive(command))
        return CL_OUT_OF_RESOURCES;
    if (command->place.object)
        host_copy_unmap(command->place.object, &bytes, command->flags);
    host_writes(command);
    return CL_SUCCESS;
}

cl_int icd_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
                           cl_map_flags map_flags, void *svm_ptr, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    struct svm_command command = {.size = size, .flags = map_flags};
    struct command_request request = command_request_of(
        command_queue, CL_COMMAND_SVM_MAP, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = check_command(&request);
    if (checked != CL_SUCCESS)
        return checked;
    if (!svm_ptr || size == 0 || (map_flags & ~(CL_MAP_READ | writing)) != 0 ||
        ((map_flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 &&
         (map_flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0) ||
        !find_shared_place(svm_ptr, size, &command.place))
        return CL_INVALID_VALUE;
    struct svm_mapping *mapping = alloc(sizeof(*mapping));
    if (!mapping)
        return CL_OUT_OF_HOST_MEMORY;
    icd_lock();
    *mapping = (struct svm_mapping){.next = mappings,
                                    .object = command.place.object,
                                    .offset = command.place.offset,
                                    .size = size,
                                    .flags = map_flags};
    mappings = mapping;
    icd_unlock();
    request.blocking = blocking_map;
    request.work.run = run_map;
    request.work.tell = tell_map;
    return enqueue(&request, &command);
}

/* The latest mapping that begins there ends; false = there is none. */
static bool take_mapping(struct svm_command *command)
{
    struct svm_mapping **link = &mappings;
    while (*link &&
           ((*link)->object != command->place.object || (*link)->offset != command->place.offset))
        link = &(*link)->next;
    struct svm_mapping *mapping = *link;
    if (!mapping)
        return false;
    command->size = mapping->size;
    command->flags = mapping->flags;
    *link = mapping->next;
    alloc_free(mapping);
    return true;
}

cl_int icd_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event)
{
    struct svm_command command = {0};
    struct command_request request = command_request_of(
        command_queue, CL_COMMAND_SVM_UNMAP, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = check_command(&request);
    if (checked != CL_SUCCESS)
        return checked;
    if (!svm_ptr || !find_shared_place(svm_ptr, 0, &command.place))
        return CL_INVALID_VALUE;
    icd_lock();
    const bool mapped = take_mapping(&command);
    icd_unlock();
    if (!mapped)
        return CL_INVALID_VALUE;
    request.work.run = run_unmap;
    request.work.tell = tell_unmap;
    return enqueue(&request, &command);
}

/* ---- migrate: there is one memory, so the command takes its place in the order, and contents that
 * need not move are lost ---- */

struct migration {
    cl_uint count;
    struct emptied {
        struct place place;
        uint64_t size;
    } emptied[];
};

static cl_int run_migration(void *data, uint64_t *cost)
{
    const struct migration *migration = data;
    (void)cost;
    for (cl_uint i = 0; i < migration->count; i++) {
        const struct emptied *emptied = &migration->emptied[i];
        if (emptied->place.object && is_alive(emptied->place.object))
            vm_memory_empty(icd_memory(), emptied->place.object, emptied->place.offset,
                            emptied->size);
    }
    return CL_SUCCESS;
}

/* A size of 0 is all of the allocation. False: it is not in one. */
static bool find_emptied(const void *pointer, uint64_t size, struct emptied *emptied)
{
    if (!find_shared_place(pointer, size, &emptied->place))
        return false;
    emptied->size = size;
    if (size == 0 && emptied->place.object) {
        emptied->size = vm_memory_find(icd_memory(), emptied->place.object)->size;
        emptied->place.offset = 0;
    }
    return true;
}

cl_int icd_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                  const void **svm_pointers, const size_t *sizes,
                                  cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct command_request request = command_request_of(
        command_queue, CL_COMMAND_SVM_MIGRATE_MEM, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = check_command(&request);
    if (checked != CL_SUCCESS)
        return checked;
    if (num_svm_pointers == 0 || !svm_pointers || (flags & ~known) != 0)
        return CL_INVALID_VALUE;
    struct migration *migration =
        alloc(sizeof(*migration) + num_svm_pointers * sizeof(migration->emptied[0]));
    if (!migration)
        return CL_OUT_OF_HOST_MEMORY;
    for (cl_uint i = 0; i < num_svm_pointers; i++) {
        if (!find_emptied(svm_pointers[i], sizes ? sizes[i] : 0, &migration->emptied[i])) {
            alloc_free(migration);
            return CL_INVALID_VALUE;
        }
    }
    migration->count = flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED ? num_svm_pointers : 0;
    request.work.run = run_migration;
    request.work.release = alloc_free;
    request.work.data = migration;
    return command_enqueue(&request);
}

/* ---- free ---- */

static cl_int run_free(void *data, uint64_t *cost)
{
    const struct svm_command *command = data;
    *cost += 1;
    if (command->free_function) {
        command->free_function(command->queue, command->pointer_count, command->pointers,
                               command->user);
        return CL_SUCCESS;
    }
    for (cl_uint i = 0; i < command->pointer_count; i++)
        svm_free(command->pointers[i]);
    return CL_SUCCESS;
}

cl_int icd_clEnqueueSVMFree(
    cl_command_queue command_queue, cl_uint num_svm_pointers, void **svm_pointers,
    void(CL_CALLBACK *pfn_free_func)(cl_command_queue queue, cl_uint num_svm_pointers,
                                     void **queue_svm_pointers, void *user_data),
    void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event)
{
    struct command_request request = command_request_of(
        command_queue, CL_COMMAND_SVM_FREE, num_events_in_wait_list, event_wait_list, event);
    const cl_int checked = check_command(&request);
    if (checked != CL_SUCCESS)
        return checked;
    if ((num_svm_pointers == 0) != (svm_pointers == NULL))
        return CL_INVALID_VALUE;
    struct svm_command command = {.queue = command_queue,
                                  .pointers = alloc_zero(num_svm_pointers, sizeof(void *)),
                                  .pointer_count = num_svm_pointers,
                                  .free_function = pfn_free_func,
                                  .user = user_data};
    if (!command.pointers)
        return CL_OUT_OF_HOST_MEMORY;
    if (num_svm_pointers > 0)
        memcpy(command.pointers, svm_pointers, num_svm_pointers * sizeof(void *));
    request.work.calls_program = pfn_free_func != NULL;
    request.work.run = run_free;
    return enqueue(&request, &command);
}

/* ---- memory of the system ---- */

static atomic_bool system_was_asked_for;

void svm_note_asked_for_system(void)
{
    atomic_store(&system_was_asked_for, true);
}

bool svm_system_was_asked_for(void)
{
    return atomic_load(&system_was_asked_for);
}
