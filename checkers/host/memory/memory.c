/* From calls to what the program did with memory that OpenCL uses: transfers.c, shared_areas.c and
 * user_data.c know what belongs to whom, this file what each call means to them. */
#include "checkers/host/memory/memory.h"

#include "checkers/host/checker.h"
#include "checkers/host/commands/recordings.h"
#include "checkers/host/memory/watched.h"
#include "trace/api/clerk_queries.h"
#include "trace/base/alloc.h"

struct host_memory {
    struct watched watched;
    struct transfers transfers;
    struct areas areas;
    struct user_data *user_data;
    uint64_t version; /* of what the host knew when the others were told */
    atomic_uint busy; /* BUSY_... */
};

enum { DIGESTS = HOST_WATCH_TRANSFERS | HOST_WATCH_POINTERS | HOST_WATCH_SVM };

/* Most calls are made while nothing is watched that they could concern; they take no lock. */
enum {
    BUSY_TRANSFERS = 1, /* there are some */
    BUSY_AREAS = 2,
    BUSY_ANYWHERE = 4, /* a kernel may write any memory, or tell the host how far it is */
};

static void note_busy(struct host_memory *memory)
{
    const struct reach_world *world = &memory->watched.world;
    const unsigned busy = (transfers_any(&memory->transfers) ? BUSY_TRANSFERS : 0u) |
                          (memory->areas.list ? BUSY_AREAS : 0u) |
                          (world->atomics || world->system ? BUSY_ANYWHERE : 0u);
    atomic_store_explicit(&memory->busy, busy, memory_order_relaxed);
}

static unsigned busy(const struct host_memory *memory)
{
    return atomic_load_explicit(&memory->busy, memory_order_relaxed);
}

bool host_memory_is_busy(const struct host_memory *memory)
{
    return (busy(memory) & (BUSY_TRANSFERS | BUSY_AREAS)) != 0;
}

/* Besides areas a kernel reaches what it may write anywhere. */
static bool launch_matters(const struct host_memory *memory)
{
    const unsigned now = busy(memory);
    return (now & BUSY_AREAS) || ((now & BUSY_TRANSFERS) && (now & BUSY_ANYWHERE));
}

/* ---- what the host learns ---- */

void host_memory_learned(struct host_memory *memory, const struct api_call *call)
{
    const uint64_t version = commands_host_version(memory->watched.commands);
    if (memory->version == version)
        return;
    memory->version = version;
    transfers_end(&memory->transfers, call, NULL);
    areas_end_objects(&memory->areas);
    areas_learned(&memory->areas);
    note_busy(memory);
}

void host_memory_asked(struct host_memory *memory, const struct api_call *call,
                       const struct ordered_command *event)
{
    if (!event)
        return;
    transfers_end(&memory->transfers, call, event);
    areas_asked(&memory->areas, event);
    areas_learned(&memory->areas);
    note_busy(memory);
}

/* ---- commands ---- */

/* A source in memory that is mapped is the driver's as soon as that is unmapped. */
static void unmap_sources(struct host_memory *memory, const struct api_call *call)
{
    struct mem_traits mem;
    const uint64_t address = call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    object_get_traits(memory->watched.world.objects,
                      call->arguments[API_clEnqueueUnmapMemObject_memobj].bits, API_OBJECT_MEM,
                      &mem);
    const struct use_bytes bytes =
        reach_linear(address, mem.type == CL_MEM_OBJECT_BUFFER ? mem.size : UINT64_MAX - address);
    transfers_unmap(&memory->transfers, call, &bytes);
}

static void begin_command(struct host_memory *memory, const struct api_call *call)
{
    struct reach reach;
    if (!watched_has(&memory->watched, DIGESTS) || !host_memory_is_busy(memory))
        return;
    reach_clear(&reach);
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        unmap_sources(memory, call);
    if (reach_find_unmapped(&memory->watched.world, call, &reach)) {
        areas_unmap(&memory->areas, call, &reach);
        return;
    }
    reach_find(&memory->watched.world, call, &reach);
    for (size_t i = 0; i < reach.count; i++) {
        if (reach.items[i].writes)
            transfers_give_up(&memory->transfers, &reach.items[i].bytes);
    }
    if (reach.all)
        transfers_give_up(&memory->transfers, NULL);
    areas_reach(&memory->areas, call, &reach);
    if (call->entry == API_ENTRY_clEnqueueNativeKernel) /* its end may seem known before that */
        memory->areas.objects_unsure = memory->areas.svm_unsure = true;
}

/* A launch was enqueued: what it writes of areas, as far as its text tells. */
static void note_written(struct host_memory *memory, const struct api_call *call)
{
    const struct reach_world *world = &memory->watched.world;
    const struct use_origin origin = watched_origin(&memory->watched, call);
    const struct kernel_traits *kernel =
        object_kernel_traits(world->objects, call->arguments[API_clEnqueueTask_kernel].bits);
    const uint32_t count = kernel ? kernel_argument_count(kernel) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        struct use_bytes bytes;
        struct mem_traits root;
        if ((given->accesses & ACCESSES_KNOWN) && (given->accesses & CL_KERNEL_ARG_WRITES_CLERK) &&
            !given->svm && reach_storage(world, given->value, &bytes, &root))
            areas_written(&memory->areas, &bytes, &origin);
    }
}

static void end_on_areas(struct host_memory *memory, const struct api_call *call,
                         struct ordered_command *command, bool in_place)
{
    const bool maps = call->entry == API_ENTRY_clEnqueueMapBuffer ||
                      call->entry == API_ENTRY_clEnqueueMapImage ||
                      call->entry == API_ENTRY_clEnqueueSVMMap;
    struct reach reach;
    if (!memory->areas.list)
        return;
    reach_clear(&reach);
    const bool unmaps = reach_find_unmapped(&memory->watched.world, call, &reach);
    if (!unmaps)
        reach_find(&memory->watched.world, call, &reach);
    areas_enqueued(&memory->areas, &reach,
                   maps     ? AREA_MAPPED
                   : unmaps ? AREA_UNMAPPED
                            : AREA_USED,
                   command, in_place);
    if (api_entry_launches(call->entry))
        note_written(memory, call);
}

/* May something else than the program change these bytes? */
static bool is_changeable(const struct host_memory *memory, const struct use_bytes *bytes)
{
    const struct reach_world *world = &memory->watched.world;
    struct svm_range range;
    return world->system || svm_find(world->svm, bytes->first, &range) ||
           transfers_write(&memory->transfers, bytes) || areas_have(&memory->areas, bytes);
}

static void add_transfer(struct host_memory *memory, const struct api_call *call,
                         struct ordered_command *command, const struct use *use)
{
    if (use->object == CALL_HOST_MEMORY)
        transfers_add(&memory->transfers, call, command, use, is_changeable(memory, &use->bytes));
}

static void add_recorded(struct host_memory *memory, const struct api_call *call,
                         struct ordered_command *command, const struct recorded_list *list,
                         enum use_kind kind)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < list->commands[i].use_count; j++) {
            if (list->commands[i].uses[j].use.kind == kind)
                add_transfer(memory, call, command, &list->commands[i].uses[j].use);
        }
    }
}

/* Those of a command-buffer: first destinations, so that none of them is a source that only the
 * program can change. */
static void end_recorded(struct host_memory *memory, const struct api_call *call,
                         struct ordered_command *command)
{
    struct recorded_list *list =
        recordings_hold(memory->watched.checker->recordings,
                        call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits);
    if (list && list->of_host) {
        add_recorded(memory, call, command, list, USE_WRITE);
        add_recorded(memory, call, command, list, USE_READ);
    }
    recorded_list_drop(list);
}

static void end_transfers(struct host_memory *memory, const struct api_call *call,
                          struct ordered_command *command)
{
    struct call_uses found;
    if (api_call_blocks(call) ||
        !watched_has(&memory->watched, HOST_WATCH_TRANSFERS | HOST_WATCH_FREES))
        return;
    call_uses_find(call, memory->watched.world.objects, memory->watched.world.svm, &found);
    for (size_t i = 0; i < found.count; i++)
        add_transfer(memory, call, command, &found.uses[i]);
    if (call->entry == API_ENTRY_clEnqueueCommandBufferKHR)
        end_recorded(memory, call, command);
}

/* ---- other calls ---- */

static void object_created(struct host_memory *memory, const struct api_call *call)
{
    struct use_bytes bytes;
    if (areas_add_object(&memory->areas, call, &bytes))
        transfers_give_up(&memory->transfers, &bytes);
}

static void allocated(struct host_memory *memory, const struct api_call *call)
{
    const uint64_t flags = call->arguments[API_clSVMAlloc_flags].bits;
    memory->watched.world.atomics |= (flags & CL_MEM_SVM_ATOMICS) != 0;
    areas_add_allocation(&memory->areas, call);
}

static void unified_allocated(struct host_memory *memory, const struct api_call *call)
{
    (void)call;
    memory->watched.world.atomics = true;
}

static void object_released(struct host_memory *memory, const struct api_call *call)
{
    (void)call;
    areas_released(&memory->areas);
}

/* Before they are: another thread may be given the same addresses before the call returns. */
static void allocations_freed(struct host_memory *memory, const struct api_call *call)
{
    uint64_t address;
    for (uint32_t i = 0; ends_svm(call->entry) && freed_address(call, i, &address); i++)
        areas_end_allocation(&memory->areas, address);
}

/* Pointers that the program gives to kernels besides memory objects. */
static void pointers_given(struct host_memory *memory, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    struct reach_world *world = &memory->watched.world;
    struct svm_range range;
    if (call->entry == API_ENTRY_clSetKernelExecInfo) {
        const uint64_t name = a[API_clSetKernelExecInfo_param_name].bits;
        world->indirect |= name == CL_KERNEL_EXEC_INFO_SVM_PTRS;
        world->system |= name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    } else {
        const uint64_t address = a[API_clSetKernelArgSVMPointer_arg_value].bits;
        world->system |= address != 0 && !svm_find(world->svm, address, &range);
    }
    if (!world->system)
        return;
    transfers_give_up(&memory->transfers, NULL);
    areas_give_up(&memory->areas);
}

/* ---- the stream ---- */

/* What calls do that are no commands, once they have succeeded. */
typedef void handler(struct host_memory *memory, const struct api_call *call);
static handler *const handlers[API_ENTRY_COUNT] = {
    [API_ENTRY_clCreateBuffer] = object_created,
    [API_ENTRY_clCreateBufferWithProperties] = object_created,
    [API_ENTRY_clCreateImage] = object_created,
    [API_ENTRY_clCreateImageWithProperties] = object_created,
    [API_ENTRY_clCreateImage2D] = object_created,
    [API_ENTRY_clCreateImage3D] = object_created,
    [API_ENTRY_clReleaseMemObject] = object_released,
    [API_ENTRY_clSVMAlloc] = allocated,
    [API_ENTRY_clHostMemAllocINTEL] = unified_allocated,
    [API_ENTRY_clSharedMemAllocINTEL] = unified_allocated,
    [API_ENTRY_clSetKernelExecInfo] = pointers_given,
    [API_ENTRY_clSetKernelArgSVMPointer] = pointers_given,
};

bool host_memory_concerns(uint32_t entry)
{
    return (entry < API_ENTRY_COUNT && handlers[entry]) || entry == API_ENTRY_clSVMFree ||
           user_data_concerns(entry);
}

/* Does a command of it change memory that it does not reach through a memory object, or which ones
 * is not known? */
static bool changes_host(uint32_t entry)
{
    return (effects_on_host(entry) & 1U << EFFECT_WRITES) != 0 ||
           entry == API_ENTRY_clEnqueueUnmapMemObject || !effects_know(entry);
}

bool host_memory_begins(const struct host_memory *memory, uint32_t entry)
{
    if (api_entry_launches(entry))
        return launch_matters(memory);
    if (api_entry_enqueues(entry))
        return (busy(memory) & BUSY_AREAS) || (host_memory_is_busy(memory) && changes_host(entry));
    return host_memory_concerns(entry);
}

bool host_memory_ends(const struct host_memory *memory, uint32_t entry)
{
    if (api_entry_launches(entry))
        return launch_matters(memory);
    return api_entry_enqueues(entry) || host_memory_concerns(entry) || host_memory_is_busy(memory);
}

static bool has_user_data(const struct host_memory *memory, uint32_t entry)
{
    return watched_has(&memory->watched, HOST_WATCH_FREES) && user_data_concerns(entry);
}

void host_memory_begin(struct host_memory *memory, const struct api_call *call)
{
    if (has_user_data(memory, call->entry))
        user_data_given(&memory->user_data, &memory->watched, call);
    if (api_entry_enqueues(call->entry))
        begin_command(memory, call);
    allocations_freed(memory, call);
    note_busy(memory);
}

void host_memory_failed(struct host_memory *memory, const struct api_call *call)
{
    if (has_user_data(memory, call->entry))
        user_data_forget(&memory->user_data, &memory->watched, call->id);
}

void host_memory_end(struct host_memory *memory, const struct api_call *call,
                     struct ordered_command *command, bool in_place)
{
    if (handlers[call->entry])
        handlers[call->entry](memory, call);
    if (command) {
        end_on_areas(memory, call, command, in_place);
        end_transfers(memory, call, command);
    }
    note_busy(memory);
}

void host_memory_called_back(struct host_memory *memory, uint64_t call_id)
{
    user_data_called(&memory->user_data, &memory->watched, call_id);
}

/* A kernel may have told the host how far it is, and so what had ended before. */
void host_memory_finish(struct host_memory *memory)
{
    if (watched_has(&memory->watched, HOST_WATCH_TRANSFERS) && !(busy(memory) & BUSY_ANYWHERE))
        transfers_finish(&memory->transfers);
    areas_finish(&memory->areas);
}

bool host_memory_is_lent(struct host_memory *memory, uint64_t address, uint64_t size)
{
    return lent_has(&memory->watched.lent, address, address + size - 1);
}

void host_memory_freed(struct host_memory *memory, uint64_t address, uint64_t size,
                       const char *function)
{
    const struct use_bytes bytes = reach_linear(address, size);
    const struct use_origin now = {.function = function,
                                   .stack = checker_stack(memory->watched.checker)};
    transfers_freed(&memory->transfers, &bytes, &now);
    areas_freed(&memory->areas, &bytes, &now);
    user_data_freed(memory->user_data, &bytes, &now);
    note_busy(memory);
}

/* ---- life ---- */

bool host_memory_wanted(const struct host_options *options)
{
    return watched_parts(options) != 0;
}

struct host_memory *host_memory_create(struct host_checker *checker, struct commands *commands)
{
    struct host_memory *memory = alloc_zero(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->watched.checker = checker;
    memory->watched.commands = commands;
    memory->watched.parts = watched_parts(&checker->options);
    memory->watched.world = (struct reach_world){.objects = checker->objects, .svm = checker->svm};
    lent_init(&memory->watched.lent);
    memory->transfers.watched = &memory->watched;
    memory->areas = (struct areas){.watched = &memory->watched, .object_era = 1, .svm_era = 1};
    return memory;
}

void host_memory_destroy(struct host_memory *memory)
{
    if (!memory)
        return;
    transfers_release(&memory->transfers);
    areas_release(&memory->areas);
    user_data_release(&memory->user_data, &memory->watched);
    lent_release(&memory->watched.lent);
    alloc_free(memory);
}
