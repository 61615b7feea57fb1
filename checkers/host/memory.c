/* Two lists. A *transfer* is a command in flight that reads or writes memory of the host: a source
 * has a digest as long as nothing but the program can change it. An *area* is memory that is shared
 * with OpenCL for as long as an object lives. It is *settled* while its bytes can change by nobody
 * but the program, which may not: from its creation, or from an unmapping, to the first command
 * that may write it. */
#include "checkers/host/memory.h"

#include "checkers/finding.h"
#include "checkers/host/checker.h"
#include "checkers/host/commands.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <string.h>

struct transfer {
    struct transfer *next;
    struct ordered_command *command; /* held */
    struct use_origin origin;
    struct use_bytes bytes;
    bool writes;   /* the memory is its destination */
    bool compared; /* it has a digest */
    uint64_t digest;
};

struct area {
    struct area *next;
    uint64_t object, serial; /* the memory object; 0 = shared virtual memory */
    struct use_origin origin;
    struct use_bytes bytes;
    uint32_t maps;
    struct ordered_command *last; /* that reached it; held */
    bool settled, unmapped;       /* unmapped: since when, else since its creation */
    bool settles;                 /* it is being unmapped, and has its digest */
    uint64_t digest;
};

struct host_memory {
    struct host_checker *checker;
    struct commands *commands;
    struct transfer *transfers;
    struct area *areas;
    uint64_t version; /* of what the host knew when the transfers were looked at */
    bool indirect;    /* kernels may use shared virtual memory that is no argument of theirs */
    bool system;      /* kernels may use any memory of the host */
    bool atomics;     /* kernels may tell the host by a flag how far they are */
};

/* ---- digests ---- */

static struct use_bytes linear(uint64_t first, uint64_t size)
{
    return (struct use_bytes){.first = first, .size = size};
}

static uint64_t at_least_one(uint64_t count)
{
    return count ? count : 1;
}

/* False when the bytes cannot be read. */
static bool digest_bytes(const struct host_memory *memory, const struct use_bytes *bytes,
                         uint64_t *digest)
{
    const struct host_options *options = &memory->checker->options;
    uint64_t sum = 0;
    for (uint64_t slice = 0; slice < at_least_one(bytes->slices); slice++) {
        for (uint64_t row = 0; row < at_least_one(bytes->rows); row++) {
            const uint64_t at = bytes->first + slice * bytes->slice_pitch + row * bytes->row_pitch;
            uint64_t part;
            if (!options->digest(options->digest_user, at, bytes->size, &part))
                return false;
            sum = (sum ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        }
    }
    *digest = sum;
    return true;
}

/* Are the bytes others than they were? False also when that cannot be told. */
static bool has_changed(const struct host_memory *memory, const struct use_bytes *bytes,
                        uint64_t digest)
{
    uint64_t now;
    return digest_bytes(memory, bytes, &now) && now != digest;
}

static bool meet(const struct use_bytes *a, const struct use_bytes *b)
{
    uint64_t first, size;
    return use_bytes_meet(a, b, &first, &size);
}

static bool is_watched(const struct host_memory *memory, unsigned part)
{
    return (memory->checker->options.watch & part) != 0;
}

/* ---- reports ---- */

/* What is said about memory that a call gave to OpenCL. */
struct claim {
    enum rule_index rule;
    const struct use_origin *origin; /* that call */
    const char *role;                /* what it did */
    const struct api_call *call;     /* the one under way; NULL = a callback */
    const char *event;               /* what that one does */
};

static struct finding_place make_place(const struct host_memory *memory, const char *function,
                                       uint64_t call_id, uint64_t stack, struct arena *arena)
{
    const struct host_options *options = &memory->checker->options;
    struct finding_place place = {
        .kind = FINDING_PLACE_CALL, .function = function, .call_id = call_id};
    if (stack && options->describe_stack)
        place.frame_count =
            options->describe_stack(options->stack_user, stack, arena, &place.frames);
    return place;
}

/* One finding for two places of the program; `arena` has its strings. */
static void tell(const struct host_memory *memory, const struct claim *claim, const char *message,
                 const char *reason, struct arena *arena)
{
    struct host_checker *checker = memory->checker;
    const uint32_t entry = claim->call ? claim->call->entry : API_ENTRY_UNKNOWN;
    const uint64_t stack = claim->call ? checker_stack(checker) : 0;
    const struct repeat_key key = {.stack = stack,
                                   .created_stack = claim->origin->stack,
                                   .rule = (uint32_t)claim->rule,
                                   .entry = entry,
                                   .created_entry = api_entry_find(claim->origin->function)};
    if (atomic_load_explicit(&checker->blind, memory_order_relaxed) ||
        !checks_has(&checker->options.checks, claim->rule) || repeats_count(checker->repeats, &key))
        return;
    struct finding_place places[2] = {make_place(
        memory, claim->origin->function, claim->origin->call_id, claim->origin->stack, arena)};
    places[0].label = arena_format(arena, "%s %s", claim->origin->function, claim->role);
    size_t count = 1;
    if (claim->call) {
        const char *function = api_entry_get(entry)->name;
        places[count] = make_place(memory, function, claim->call->id, stack, arena);
        places[count++].label = arena_format(arena, "%s %s", function, claim->event);
    }
    const struct finding finding = {.rule = claim->rule,
                                    .message = message ? message : rule_get(claim->rule)->claim,
                                    .reason = reason,
                                    .places = places,
                                    .place_count = count,
                                    .call_id = places[count - 1].call_id,
                                    .count = 1};
    checker->options.report(checker->options.report_user, &finding);
    repeats_remember(checker->repeats, &key, &finding);
}

static const char *count_bytes(const struct use_bytes *bytes, struct arena *arena)
{
    const uint64_t size = bytes->size * at_least_one(bytes->rows) * at_least_one(bytes->slices);
    return arena_format(arena, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

static struct use_origin make_origin(const struct host_memory *memory, const struct api_call *call)
{
    return (struct use_origin){.function = api_entry_get(call->entry)->name,
                               .call_id = call->id,
                               .stack = checker_stack(memory->checker)};
}

/* ---- transfers ---- */

static void transfer_free(struct host_memory *memory, struct transfer *transfer)
{
    command_drop(memory->commands, transfer->command);
    alloc_free(transfer);
}

static void compare_source(const struct host_memory *memory, const struct transfer *transfer,
                           const struct api_call *call)
{
    struct arena arena = {0};
    const struct claim claim = {.rule = RULE_SOURCE_CHANGED,
                                .origin = &transfer->origin,
                                .role = "reads it",
                                .call = call,
                                .event = "is the first sign that the command has ended"};
    if (!transfer->compared || !has_changed(memory, &transfer->bytes, transfer->digest))
        return;
    tell(memory, &claim,
         arena_format(&arena,
                      "the program has changed some of the %s that %s reads, before it "
                      "knew that this command had ended",
                      count_bytes(&transfer->bytes, &arena), transfer->origin.function),
         "They are not what they were when the command was enqueued, and no command was to write "
         "them.",
         &arena);
    arena_release(&arena);
}

/* Those that end, as the program is told now. */
static void end_transfers(struct host_memory *memory, const struct api_call *call,
                          const struct ordered_command *asked)
{
    struct transfer **link = &memory->transfers;
    while (*link) {
        struct transfer *transfer = *link;
        const bool ended = asked ? transfer->command == asked ||
                                       command_follows(memory->commands, asked, transfer->command)
                                 : commands_host_knows(memory->commands, transfer->command);
        if (!ended) {
            link = &transfer->next;
            continue;
        }
        *link = transfer->next;
        compare_source(memory, transfer, call);
        transfer_free(memory, transfer);
    }
}

void host_memory_learned(struct host_memory *memory, const struct api_call *call)
{
    const uint64_t version = commands_host_version(memory->commands);
    if (version != memory->version)
        end_transfers(memory, call, NULL);
    memory->version = version;
}

void host_memory_asked(struct host_memory *memory, const struct api_call *call,
                       const struct ordered_command *event)
{
    if (event)
        end_transfers(memory, call, event);
}

/* From now on others than the program may change these sources: NULL = all of them. */
static void give_up_sources(struct host_memory *memory, const struct use_bytes *bytes)
{
    for (struct transfer *transfer = memory->transfers; transfer; transfer = transfer->next) {
        if (!bytes || meet(bytes, &transfer->bytes))
            transfer->compared = false;
    }
}

/* May something else than the program change these bytes? */
static bool may_change(const struct host_memory *memory, const struct use_bytes *bytes)
{
    struct svm_range range;
    if (memory->system || svm_find(memory->checker->svm, bytes->first, &range))
        return true;
    for (const struct transfer *transfer = memory->transfers; transfer; transfer = transfer->next) {
        if (transfer->writes && meet(bytes, &transfer->bytes))
            return true;
    }
    for (const struct area *area = memory->areas; area; area = area->next) {
        if (meet(bytes, &area->bytes))
            return true;
    }
    return false;
}

static void add_transfer(struct host_memory *memory, const struct api_call *call,
                         struct ordered_command *command, const struct use *use)
{
    struct transfer *transfer = alloc(sizeof *transfer);
    if (!transfer)
        return;
    *transfer = (struct transfer){.next = memory->transfers,
                                  .command = command_retain(command),
                                  .origin = make_origin(memory, call),
                                  .bytes = use->bytes,
                                  .writes = use->kind == USE_WRITE};
    transfer->compared = !transfer->writes && !may_change(memory, &use->bytes) &&
                         digest_bytes(memory, &use->bytes, &transfer->digest);
    memory->transfers = transfer;
}

/* ---- areas ---- */

static void area_free(struct host_memory *memory, struct area *area)
{
    command_drop(memory->commands, area->last);
    alloc_free(area);
}

/* Where a memory object's bytes are in the memory of the host, if they are. */
static bool find_storage(const struct host_memory *memory, uint64_t handle, struct use_bytes *bytes,
                         struct mem_traits *root)
{
    struct mem_traits mem;
    if (!object_get_traits(memory->checker->objects, handle, API_OBJECT_MEM, &mem) ||
        !object_get_traits(memory->checker->objects, mem.root, API_OBJECT_MEM, root) ||
        !(root->flags & CL_MEM_USE_HOST_PTR) || root->host_ptr == 0)
        return false;
    *bytes = linear(root->host_ptr, root->size);
    if (!mem_is_image(root))
        return true;
    bytes->size = root->width * root->pixel_size;
    bytes->rows = root->height;
    bytes->row_pitch = root->row_pitch ? root->row_pitch : bytes->size;
    bytes->slices = root->depth * root->array_size;
    bytes->slice_pitch =
        root->slice_pitch ? root->slice_pitch : bytes->row_pitch * at_least_one(root->height);
    return bytes->size > 0;
}

/* From now on nobody but the program changes its bytes. */
static bool settle(const struct host_memory *memory, struct area *area)
{
    return is_watched(memory, area->object ? HOST_WATCH_POINTERS : HOST_WATCH_SVM) &&
           !memory->system && digest_bytes(memory, &area->bytes, &area->digest);
}

static void add_area(struct host_memory *memory, const struct area *filled)
{
    struct area *area = alloc(sizeof *area);
    if (!area)
        return;
    *area = *filled;
    area->settled = settle(memory, area);
    area->next = memory->areas;
    memory->areas = area;
}

/* Several objects in the same bytes are a matter of their own: none of them is watched. */
static void object_created(struct host_memory *memory, const struct api_call *call)
{
    struct area area = {.object = call->result.bits, .origin = make_origin(memory, call)};
    struct mem_traits root;
    struct svm_range range;
    bool is_shared = false;
    if (!find_storage(memory, area.object, &area.bytes, &root) || root.root != area.object ||
        svm_find(memory->checker->svm, area.bytes.first, &range))
        return;
    give_up_sources(memory, &area.bytes);
    area.serial = root.serial;
    for (struct area *other = memory->areas; other; other = other->next) {
        if (meet(&other->bytes, &area.bytes)) {
            other->bytes.size = 0;
            is_shared = true;
        }
    }
    if (!is_shared)
        add_area(memory, &area);
}

static void allocated(struct host_memory *memory, const struct api_call *call)
{
    const struct area area = {
        .bytes = linear(call->result.bits, call->arguments[API_clSVMAlloc_size].bits),
        .origin = make_origin(memory, call)};
    const uint64_t flags = call->arguments[API_clSVMAlloc_flags].bits;
    memory->atomics |= (flags & CL_MEM_SVM_ATOMICS) != 0;
    if (!(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        add_area(memory, &area);
}

/* Those whose object is no more; or the allocation at this address, if it is not 0. */
static void end_areas(struct host_memory *memory, uint64_t address)
{
    struct area **link = &memory->areas;
    while (*link) {
        struct area *area = *link;
        const bool ended =
            address != 0 ? area->object == 0 && area->bytes.first == address
            : area->object == 0
                ? false
                : object_serial(memory->checker->objects, area->object) != area->serial ||
                      object_state(memory->checker->objects, area->object).standing == OBJECT_DEAD;
        if (!ended) {
            link = &area->next;
            continue;
        }
        *link = area->next;
        area_free(memory, area);
    }
}

static const char *name_area(const struct host_memory *memory, const struct area *area,
                             struct arena *arena)
{
    struct object_facts facts;
    struct text name = TEXT_INIT;
    if (area->object == 0)
        return arena_format(arena, "%s of coarse-grained shared virtual memory",
                            count_bytes(&area->bytes, arena));
    if (object_describe(memory->checker->objects, area->object, &facts))
        blame_print_object(&facts, &name);
    const char *result =
        arena_format(arena, "the memory behind CL_MEM_USE_HOST_PTR of %s", name.bytes);
    text_release(&name);
    return result;
}

/* A command is about to reach it. */
static void compare_area(const struct host_memory *memory, struct area *area,
                         const struct api_call *call)
{
    uint64_t now;
    if (!area->settled || !digest_bytes(memory, &area->bytes, &now) || now == area->digest)
        return;
    struct arena arena = {0};
    const struct claim claim = {.rule =
                                    area->object ? RULE_HOST_POINTER_CHANGED : RULE_SVM_UNMAPPED,
                                .origin = &area->origin,
                                .role = area->object ? "gives it to the object" : "allocates it",
                                .call = call,
                                .event = "comes after the change"};
    tell(memory, &claim,
         arena_format(&arena, "the program has changed %s while it was not mapped",
                      name_area(memory, area, &arena)),
         area->unmapped
             ? "The bytes are not what they were when it was unmapped, and no command was to write "
               "them."
             : "The bytes are not what they were when it was created, and no command was to write "
               "them.",
         &arena);
    arena_release(&arena);
    area->digest = now;
}

/* ---- what a command reaches ---- */

/* Memory of the host that a command reaches through objects, pointers to shared virtual memory, or
 * as the destination of a transfer. */
struct reach {
    struct {
        struct use_bytes bytes;
        bool writes;
    } items[TRAITS_ARGUMENTS_MAX + CALL_USES_MAX];
    size_t count;
    bool svm; /* all shared virtual memory */
    bool all; /* nobody knows what */
};

static void add_reach(struct reach *reach, const struct use_bytes *bytes, bool writes)
{
    if (reach->count == sizeof reach->items / sizeof *reach->items) {
        reach->all = true;
        return;
    }
    reach->items[reach->count].bytes = *bytes;
    reach->items[reach->count++].writes = writes;
}

static void reach_object(const struct host_memory *memory, struct reach *reach, uint64_t handle,
                         bool writes)
{
    struct use_bytes bytes;
    struct mem_traits root;
    if (find_storage(memory, handle, &bytes, &root))
        add_reach(reach, &bytes, writes);
}

static void reach_allocation(const struct host_memory *memory, struct reach *reach,
                             uint64_t address, bool writes)
{
    struct svm_range range;
    if (!svm_find(memory->checker->svm, address, &range))
        return;
    const struct use_bytes bytes = linear(range.address, range.size);
    add_reach(reach, &bytes, writes);
}

static void reach_bytes(struct reach *reach, const struct api_value *pointer,
                        const struct api_value *size, bool writes)
{
    const struct use_bytes bytes = linear(pointer->bits, size->bits);
    add_reach(reach, &bytes, writes);
}

static void reach_arguments(const struct host_memory *memory, struct reach *reach, uint64_t handle)
{
    struct mem_traits mem;
    const struct kernel_traits *kernel = object_kernel_traits(memory->checker->objects, handle);
    reach->svm = memory->indirect;
    reach->all = !kernel || !kernel->created || kernel->argument_count > TRAITS_ARGUMENTS_MAX ||
                 memory->atomics || memory->system;
    for (size_t i = 0; kernel && i < TRAITS_ARGUMENTS_MAX; i++) {
        const struct argument_traits *given = &kernel->arguments[i];
        if (given->svm)
            reach_allocation(memory, reach, given->value, !call_only_reads(given));
        else if (given->value != 0 &&
                 object_get_traits(memory->checker->objects, given->value, API_OBJECT_MEM, &mem))
            reach_object(memory, reach, given->value,
                         !call_only_reads(given) && !(mem.flags & CL_MEM_READ_ONLY));
    }
}

/* All entry points that are not listed may do anything. */
static void reach_memory(const struct host_memory *memory, const struct api_call *call,
                         struct reach *reach)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clEnqueueNDRangeKernel:
    case API_ENTRY_clEnqueueTask:
        reach_arguments(memory, reach, a[API_clEnqueueTask_kernel].bits);
        break;
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueReadImage:
    case API_ENTRY_clEnqueueMapBuffer:
    case API_ENTRY_clEnqueueMapImage:
        reach_object(memory, reach, a[API_clEnqueueReadBuffer_buffer].bits, false);
        break;
    case API_ENTRY_clEnqueueWriteBuffer:
    case API_ENTRY_clEnqueueWriteBufferRect:
    case API_ENTRY_clEnqueueWriteImage:
    case API_ENTRY_clEnqueueFillBuffer:
    case API_ENTRY_clEnqueueFillImage:
        reach_object(memory, reach, a[API_clEnqueueReadBuffer_buffer].bits, true);
        break;
    case API_ENTRY_clEnqueueCopyBuffer:
    case API_ENTRY_clEnqueueCopyBufferRect:
    case API_ENTRY_clEnqueueCopyImage:
    case API_ENTRY_clEnqueueCopyImageToBuffer:
    case API_ENTRY_clEnqueueCopyBufferToImage:
        reach_object(memory, reach, a[API_clEnqueueCopyBuffer_src_buffer].bits, false);
        reach_object(memory, reach, a[API_clEnqueueCopyBuffer_dst_buffer].bits, true);
        break;
    case API_ENTRY_clEnqueueSVMMap:
        reach_allocation(memory, reach, a[API_clEnqueueSVMMap_svm_ptr].bits, false);
        break;
    case API_ENTRY_clEnqueueSVMMemcpy:
        reach_bytes(reach, &a[API_clEnqueueSVMMemcpy_src_ptr], &a[API_clEnqueueSVMMemcpy_size],
                    false);
        reach_bytes(reach, &a[API_clEnqueueSVMMemcpy_dst_ptr], &a[API_clEnqueueSVMMemcpy_size],
                    true);
        break;
    case API_ENTRY_clEnqueueSVMMemFill:
        reach_bytes(reach, &a[API_clEnqueueSVMMemFill_svm_ptr], &a[API_clEnqueueSVMMemFill_size],
                    true);
        break;
    case API_ENTRY_clEnqueueMigrateMemObjects:
        reach->all = a[API_clEnqueueMigrateMemObjects_flags].bits != 0;
        break;
    case API_ENTRY_clEnqueueSVMFree:
    case API_ENTRY_clEnqueueMarker:
    case API_ENTRY_clEnqueueMarkerWithWaitList:
    case API_ENTRY_clEnqueueBarrier:
    case API_ENTRY_clEnqueueBarrierWithWaitList:
    case API_ENTRY_clEnqueueWaitForEvents:
        break;
    default:
        reach->all = true;
        break;
    }
}

struct reached {
    bool named;  /* by an argument */
    bool writes; /* or may */
};

static struct reached how_reached(const struct area *area, const struct reach *reach)
{
    struct reached reached = {.writes = reach->all || (reach->svm && area->object == 0)};
    for (size_t i = 0; i < reach->count; i++) {
        if (!meet(&reach->items[i].bytes, &area->bytes))
            continue;
        reached.named = true;
        reached.writes |= reach->items[i].writes;
    }
    return reached;
}

/* The memory that a call unmaps: false if it unmaps none. */
static bool find_unmapped(const struct host_memory *memory, const struct api_call *call,
                          struct reach *reach)
{
    const struct api_value *a = call->arguments;
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        reach_object(memory, reach, a[API_clEnqueueUnmapMemObject_memobj].bits, false);
    else if (call->entry == API_ENTRY_clEnqueueSVMUnmap)
        reach_allocation(memory, reach, a[API_clEnqueueSVMUnmap_svm_ptr].bits, false);
    else
        return false;
    return true;
}

/* ---- the stream ---- */

/* A source in memory that is mapped is the driver's as soon as that is unmapped. */
static void unmap_sources(struct host_memory *memory, const struct api_call *call)
{
    struct mem_traits mem;
    const uint64_t address = call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    object_get_traits(memory->checker->objects,
                      call->arguments[API_clEnqueueUnmapMemObject_memobj].bits, API_OBJECT_MEM,
                      &mem);
    const struct use_bytes bytes =
        linear(address, mem.type == CL_MEM_OBJECT_BUFFER ? mem.size : UINT64_MAX - address);
    for (struct transfer *transfer = memory->transfers; transfer; transfer = transfer->next) {
        if (meet(&bytes, &transfer->bytes))
            compare_source(memory, transfer, call);
    }
    give_up_sources(memory, &bytes);
}

/* The last moment of a mapping: what the program has written through it is there. */
static void unmap_areas(struct host_memory *memory, const struct reach *reach)
{
    for (struct area *area = memory->areas; area; area = area->next) {
        if (area->maps == 1 && how_reached(area, reach).named)
            area->settles =
                commands_host_knows(memory->commands, area->last) && settle(memory, area);
    }
}

static void reach_destinations(const struct host_memory *memory, const struct api_call *call,
                               struct reach *reach)
{
    struct call_uses found;
    call_uses_find(call, memory->checker->objects, &found);
    for (size_t i = 0; i < found.count; i++) {
        if (found.uses[i].object == CALL_HOST_MEMORY && found.uses[i].kind == USE_WRITE)
            add_reach(reach, &found.uses[i].bytes, true);
    }
}

void host_memory_begin(struct host_memory *memory, const struct api_call *call)
{
    struct reach reach = {.count = 0};
    if (!memory->transfers && !memory->areas)
        return;
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        unmap_sources(memory, call);
    if (find_unmapped(memory, call, &reach)) {
        unmap_areas(memory, &reach);
        return;
    }
    reach_memory(memory, call, &reach);
    reach_destinations(memory, call, &reach);
    for (size_t i = 0; i < reach.count; i++) {
        if (reach.items[i].writes)
            give_up_sources(memory, &reach.items[i].bytes);
    }
    if (reach.all)
        give_up_sources(memory, NULL);
    for (struct area *area = memory->areas; area; area = area->next) {
        const struct reached reached = how_reached(area, &reach);
        if (reached.named)
            compare_area(memory, area, call);
        area->settled &= !reached.writes;
    }
}

static bool is_map(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueMapBuffer || entry == API_ENTRY_clEnqueueMapImage ||
           entry == API_ENTRY_clEnqueueSVMMap;
}

static void enqueued_on_areas(struct host_memory *memory, const struct api_call *call,
                              struct ordered_command *command)
{
    struct reach reach = {.count = 0};
    if (!memory->areas)
        return;
    const bool unmaps = find_unmapped(memory, call, &reach);
    if (!unmaps)
        reach_memory(memory, call, &reach);
    for (struct area *area = memory->areas; area; area = area->next) {
        if (!how_reached(area, &reach).named)
            continue;
        command_drop(memory->commands, area->last);
        area->last = command_retain(command);
        if (is_map(call->entry)) {
            area->maps++;
            area->settled = false;
        } else if (unmaps && area->maps > 0) {
            area->maps--;
            area->unmapped = true;
            area->settled = area->settles;
            area->settles = false;
        }
    }
}

static void enqueued_transfers(struct host_memory *memory, const struct api_call *call,
                               struct ordered_command *command)
{
    struct call_uses found;
    if (!is_watched(memory, HOST_WATCH_TRANSFERS) || call_is_blocking(call))
        return;
    call_uses_find(call, memory->checker->objects, &found);
    for (size_t i = 0; i < found.count; i++) {
        if (found.uses[i].object == CALL_HOST_MEMORY)
            add_transfer(memory, call, command, &found.uses[i]);
    }
}

/* From now on kernels may change everything. */
static void give_up_all(struct host_memory *memory)
{
    give_up_sources(memory, NULL);
    for (struct area *area = memory->areas; area; area = area->next)
        area->settled = area->settles = false;
}

/* Pointers that the program gives to kernels besides memory objects. */
static void pointers_given(struct host_memory *memory, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    struct svm_range range;
    if (call->entry == API_ENTRY_clSetKernelExecInfo) {
        const uint64_t name = a[API_clSetKernelExecInfo_param_name].bits;
        memory->indirect |= name == CL_KERNEL_EXEC_INFO_SVM_PTRS;
        memory->system |= name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM;
    } else {
        const uint64_t address = a[API_clSetKernelArgSVMPointer_arg_value].bits;
        memory->system |= address != 0 && !svm_find(memory->checker->svm, address, &range);
    }
    if (memory->system)
        give_up_all(memory);
}

static void areas_freed(struct host_memory *memory, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clEnqueueSVMFree_svm_pointers];
    for (uint32_t i = 0; list->data && i < list->count; i++)
        end_areas(memory, list_word(list, i));
}

bool host_memory_concerns(uint32_t entry)
{
    switch (entry) {
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
    case API_ENTRY_clReleaseMemObject:
    case API_ENTRY_clSVMAlloc:
    case API_ENTRY_clSVMFree:
    case API_ENTRY_clHostMemAllocINTEL:
    case API_ENTRY_clSharedMemAllocINTEL:
    case API_ENTRY_clSetKernelExecInfo:
    case API_ENTRY_clSetKernelArgSVMPointer:
        return true;
    default:
        return false;
    }
}

void host_memory_end(struct host_memory *memory, const struct api_call *call,
                     struct ordered_command *command)
{
    switch (call->entry) {
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
        object_created(memory, call);
        break;
    case API_ENTRY_clReleaseMemObject:
        end_areas(memory, 0);
        break;
    case API_ENTRY_clSVMAlloc:
        allocated(memory, call);
        break;
    case API_ENTRY_clHostMemAllocINTEL:
    case API_ENTRY_clSharedMemAllocINTEL:
        memory->atomics = true;
        break;
    case API_ENTRY_clSVMFree:
        end_areas(memory, call->arguments[API_clSVMFree_svm_pointer].bits);
        break;
    case API_ENTRY_clEnqueueSVMFree:
        areas_freed(memory, call);
        break;
    case API_ENTRY_clSetKernelExecInfo:
    case API_ENTRY_clSetKernelArgSVMPointer:
        pointers_given(memory, call);
        break;
    default:
        if (command) {
            enqueued_on_areas(memory, call, command);
            enqueued_transfers(memory, call, command);
        }
        break;
    }
}

/* ---- life ---- */

bool host_memory_wanted(const struct host_options *options)
{
    return options->watch != 0 && options->digest &&
           (checks_has(&options->checks, RULE_SOURCE_CHANGED) ||
            checks_has(&options->checks, RULE_HOST_POINTER_CHANGED) ||
            checks_has(&options->checks, RULE_SVM_UNMAPPED));
}

struct host_memory *host_memory_create(struct host_checker *checker, struct commands *commands)
{
    struct host_memory *memory = alloc_zero(1, sizeof *memory);
    if (memory) {
        memory->checker = checker;
        memory->commands = commands;
    }
    return memory;
}

void host_memory_destroy(struct host_memory *memory)
{
    if (!memory)
        return;
    while (memory->transfers) {
        struct transfer *transfer = memory->transfers;
        memory->transfers = transfer->next;
        transfer_free(memory, transfer);
    }
    while (memory->areas) {
        struct area *area = memory->areas;
        memory->areas = area->next;
        area_free(memory, area);
    }
    alloc_free(memory);
}
