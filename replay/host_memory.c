/* Shared memory that the host uses when it likes. The recording says what the program wrote there
 * before it gave a command to the device, and what it saw there when it knew that the commands were
 * over (layer/shared.c tells how it was found): addresses and bytes. */
#include "replay/compare.h"
#include "replay/state.h"
#include "trace/base/alloc.h"

#include <string.h>

/* What of a content lies in one allocation. */
struct part {
    struct replay_shared *shared;
    uint64_t address, size; /* the address in the recording */
    const unsigned char *bytes;
    unsigned char *here;
};

/* The part that begins `done` bytes after the content's first one; false when that lies in no
 * allocation that the host can use. */
static bool find_part(const struct replay *replay, const struct api_content *content, uint64_t done,
                      struct part *part)
{
    const uint64_t address = content->offset + done;
    struct replay_shared *shared = replay_shared_find(replay, address);
    if (!shared || !shared->is_of_host)
        return false;
    const uint64_t room = shared->size - (address - shared->address);
    const uint64_t rest = content->size - done;
    *part = (struct part){.shared = shared,
                          .address = address,
                          .size = rest < room ? rest : room,
                          .bytes = (const unsigned char *)content->bytes + done,
                          .here = replay_shared_here(shared, address)};
    return true;
}

static unsigned char *before(const struct part *part)
{
    struct replay_shared *shared = part->shared;
    if (!shared->before && (shared->before = alloc(shared->size)))
        memcpy(shared->before, shared->pointer, shared->size);
    return shared->before ? shared->before + (part->address - shared->address) : NULL;
}

static void note_part(const struct part *part)
{
    unsigned char *old = before(part);
    if (old)
        memcpy(old, part->here, part->size);
}

static enum status write_part(const struct replay *replay, const struct part *part,
                              struct arena *arena, struct error *error)
{
    void *bytes = arena_copy(arena, part->bytes, part->size);
    if (!bytes)
        return error_no_memory(error, part->size);
    replay_shared_point_here(replay, bytes, part->size, part->address);
    memcpy(part->here, bytes, part->size);
    note_part(part);
    return STATUS_OK;
}

/* ---- what the program sees ---- */

/* What one call lets the program see. */
struct sight {
    struct replay *replay;
    const struct api_call *call;
    struct arena *arena;
    const struct api_content *golden; /* reference outputs of the call, if there are any at all */
    size_t golden_count;
    bool has_golden;
    bool has_seen;   /* anything */
    bool host_wrote; /* while commands were under way: what these found is not known */
};

/* The bytes that are here, as the recording has them. */
static unsigned char *read_part(const struct sight *sight, const struct part *part)
{
    unsigned char *bytes = arena_copy(sight->arena, part->here, part->size);
    if (bytes)
        replay_shared_point_back(sight->replay, bytes, part->size, part->address);
    return bytes;
}

/* Recording compared memory by such blocks. */
enum { BLOCK_SIZE = 4096 };

/* The bytes of the block that differ, if none of them was written here since the program last wrote
 * or saw it: then it is the program that wrote them. A command that writes what was there before
 * cannot be told from one that writes nothing. */
static uint64_t count_of_program(const struct part *part, const unsigned char *bytes,
                                 const unsigned char *old, uint64_t start, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t i = start; i < end; ++i) {
        if (part->bytes[i] == bytes[i])
            continue;
        if (part->here[i] != old[i])
            return 0;
        ++count;
    }
    return count;
}

/* What the program wrote itself becomes as in the recording, in `bytes`; so many differed. */
static uint64_t take_from_program(const struct part *part, unsigned char *bytes)
{
    const unsigned char *old = part->shared->before ? before(part) : NULL;
    uint64_t taken = 0;
    for (uint64_t start = 0; old && start < part->size;) {
        const uint64_t place = part->address + start - part->shared->address;
        uint64_t end = start + BLOCK_SIZE - place % BLOCK_SIZE;
        if (end > part->size)
            end = part->size;
        const uint64_t count = count_of_program(part, bytes, old, start, end);
        if (count)
            memcpy(bytes + start, part->bytes + start, end - start);
        taken += count;
        start = end;
    }
    return taken;
}

static enum status look_for_program(struct sight *sight, const struct part *part,
                                    struct error *error)
{
    unsigned char *bytes = read_part(sight, part);
    if (!bytes)
        return error_no_memory(error, part->size);
    sight->host_wrote |= take_from_program(part, bytes) != 0;
    return STATUS_OK;
}

/* Reference outputs name a byte by the number of its allocation, in the order in which these were
 * made, and its place there. */
enum { NUMBER_SHIFT = 40 };

static uint64_t reference_offset(const struct sight *sight, const struct part *part)
{
    return ((uint64_t)(part->shared - sight->replay->shared) + 1) << NUMBER_SHIFT |
           (part->address - part->shared->address);
}

/* Of the part's bytes, those that the reference has; all of them that of the recording. */
static uint64_t compare_with_reference(const struct sight *sight, const struct part *part,
                                       const unsigned char *bytes, unsigned char *reference,
                                       struct replay_bytes_difference *all)
{
    const uint64_t offset = part->address - part->shared->address;
    const uint64_t start = reference_offset(sight, part);
    uint64_t compared = 0;
    const struct api_content whole = {.offset = start, .size = part->size, .bytes = part->bytes};
    const size_t count = sight->has_golden ? sight->golden_count : 1;
    *all = (struct replay_bytes_difference){0};
    for (size_t i = 0; i < count; ++i) {
        const struct api_content *known = sight->has_golden ? &sight->golden[i] : &whole;
        const uint64_t from = known->offset > start ? known->offset : start;
        const uint64_t known_end = known->offset + known->size;
        const uint64_t end = known_end < start + part->size ? known_end : start + part->size;
        struct replay_bytes_difference difference;
        if ((sight->has_golden && known->argument != API_ARGUMENT_HOST_SEES) || from >= end)
            continue;
        const unsigned char *expected =
            (const unsigned char *)known->bytes + (from - known->offset);
        compared += end - from;
        if (replay_compare_bytes(expected, bytes + (from - start), end - from,
                                 offset + (from - start), part->shared->type,
                                 &sight->replay->options->tolerance, &difference))
            replay_join_difference(all, &difference, from - start);
        memcpy(reference + (from - start), expected, end - from);
    }
    return compared;
}

/* What the program should have seen is what the run goes on from. */
static enum status compare_part(struct sight *sight, const struct part *part, struct error *error)
{
    struct replay *replay = sight->replay;
    struct replay_bytes_difference difference;
    sight->has_seen = true;
    unsigned char *bytes = read_part(sight, part);
    unsigned char *reference = arena_copy(sight->arena, part->bytes, part->size);
    if (!bytes || !reference)
        return error_no_memory(error, part->size);
    const uint64_t taken = take_from_program(part, bytes);
    const uint64_t compared = compare_with_reference(sight, part, bytes, reference, &difference);
    replay->result->host_bytes += taken;
    replay->result->compared_bytes += compared;
    replay->result->unkept_bytes += part->size - compared;
    if (difference.byte_count && part->shared->marks.is_unsure)
        ++replay->result->unsure_results;
    else if (difference.byte_count)
        replay_read_differs(replay,
                            &(struct replay_difference){
                                .call = sight->call,
                                .object = "shared virtual memory",
                                .type = part->shared->type,
                                .offset = part->address - part->shared->address + difference.offset,
                                .offset_is_in_object = true,
                                .size = part->size,
                                .bytes = difference});
    const struct api_content given = {.argument = API_ARGUMENT_HOST_SEES,
                                      .offset = reference_offset(sight, part),
                                      .size = part->size,
                                      .bytes = bytes};
    const enum status status = replay_keep(replay, sight->call->id, &given, error);
    struct part result = *part;
    result.bytes = difference.byte_count ? reference : bytes;
    if (status == STATUS_OK && (taken || difference.byte_count))
        return write_part(replay, &result, sight->arena, error);
    note_part(part);
    return status;
}

/* ---- the contents of a call ---- */

typedef enum status part_function(struct sight *sight, const struct part *part,
                                  struct error *error);

static enum status each_part(struct sight *sight, const struct api_content *contents, size_t count,
                             uint32_t argument, part_function *function, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; ++i) {
        struct part part;
        if (contents[i].argument != argument)
            continue;
        for (uint64_t done = 0; status == STATUS_OK && done < contents[i].size &&
                                find_part(sight->replay, &contents[i], done, &part);
             done += part.size)
            status = function(sight, &part, error);
    }
    return status;
}

static enum status take_written(struct sight *sight, const struct part *part, struct error *error)
{
    return write_part(sight->replay, part, sight->arena, error);
}

/* Any memory that kernels could fill from what the program wrote beside them. */
static void doubt_results(const struct replay *replay)
{
    struct replay_object *object = NULL;
    while ((object = replay_objects_next(replay->objects, object)))
        object->marks.is_unsure |= object->marks.is_beside_host;
    for (size_t i = 0; i < replay->shared_count; ++i)
        replay->shared[i].marks.is_unsure |=
            replay->shared[i].is_of_host || replay->shared[i].marks.is_beside_host;
}

/* From here on it holds what the recorded program saw. */
static enum status trust(struct sight *sight, const struct part *part, struct error *error)
{
    (void)sight, (void)error;
    part->shared->marks.is_unsure = false;
    return STATUS_OK;
}

static enum status see(struct sight *sight, const struct api_content *contents, size_t count,
                       struct error *error)
{
    const uint32_t argument = API_ARGUMENT_HOST_SEES;
    enum status status = each_part(sight, contents, count, argument, look_for_program, error);
    if (sight->host_wrote)
        doubt_results(sight->replay);
    if (status == STATUS_OK)
        status = each_part(sight, contents, count, argument, compare_part, error);
    if (status == STATUS_OK)
        status = each_part(sight, contents, count, argument, trust, error);
    sight->replay->result->compared_reads += sight->has_seen;
    return status;
}

/* What the trace has of a call; contents of memory that the host uses when it likes. */
static bool has_any(const struct api_content *contents, size_t count, uint32_t argument)
{
    size_t i = 0;
    while (i < count && contents[i].argument != argument)
        ++i;
    return i < count;
}

static enum status take(struct replay *replay, uint64_t call_id, uint32_t argument,
                        struct error *error)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    struct api_content *golden = NULL;
    struct api_call call = {0};
    struct sight sight = {.replay = replay, .call = &call, .arena = &arena};
    size_t count = 0;
    if (!replay->shared_is_of_host || replay->options->launches)
        return STATUS_OK;
    enum status status = trace_contents(replay->trace, call_id, &arena, &contents, &count, error);
    if (status == STATUS_OK && !has_any(contents, count, argument))
        goto out;
    if (status == STATUS_OK)
        status = trace_call(replay->trace, call_id, &arena, &call, error);
    if (status == STATUS_OK && replay->options->golden)
        status = trace_contents(replay->options->golden, call_id, &arena, &golden,
                                &sight.golden_count, error);
    if (status != STATUS_OK)
        goto out;
    sight.golden = replay->options->golden ? golden : NULL;
    sight.has_golden = replay->options->golden != NULL;
    status = argument == API_ARGUMENT_HOST_WROTE
                 ? each_part(&sight, contents, count, argument, take_written, error)
                 : see(&sight, contents, count, error);
out:
    arena_release(&arena);
    return status;
}

enum status replay_host_wrote(struct replay *replay, const struct api_call *call,
                              struct error *error)
{
    return take(replay, call->id, API_ARGUMENT_HOST_WROTE, error);
}

enum status replay_host_sees(struct replay *replay, uint64_t call_id, struct error *error)
{
    return take(replay, call_id, API_ARGUMENT_HOST_SEES, error);
}

/* ---- what commands reach ---- */

/* Of all that a command names, or its kernels can reach. */
struct reach {
    bool of_host, beside_host, unsure; /* some of it */
    bool is_set;                       /* what was found is noted of each */
};

static void reach(const struct replay *replay, uint64_t handle, struct reach *all)
{
    struct replay_object *object = replay_objects_find(replay->objects, handle);
    struct replay_shared *shared = object ? NULL : replay_shared_find(replay, handle);
    struct replay_marks *marks = object ? &object->marks : shared ? &shared->marks : NULL;
    if (!marks)
        return;
    all->of_host |= shared && shared->is_of_host;
    all->beside_host |= marks->is_beside_host;
    all->unsure |= marks->is_unsure;
    marks->is_beside_host |= all->is_set && all->of_host;
    marks->is_unsure |= all->is_set && all->unsure;
}

static void reach_all(const struct replay *replay, const struct api_call *call, struct reach *all)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const uint64_t bits = call->arguments[i].bits;
        const struct replay_object *object = NULL;
        if (parameter->role == API_ROLE_ADDRESS || parameter->kind == API_OBJECT_MEM)
            reach(replay, bits, all);
        if (parameter->kind == API_OBJECT_KERNEL || parameter->kind == API_OBJECT_COMMAND_BUFFER)
            object = replay_objects_find(replay->objects, bits);
        for (size_t k = 0; object && k < object->reached_count; ++k)
            reach(replay, object->reached[k], all);
        all->of_host |= object && object->reaches_more;
    }
}

void replay_host_shares(const struct replay *replay, const struct api_call *call)
{
    struct reach all = {0};
    if (!replay->shared_is_of_host)
        return;
    reach_all(replay, call, &all);
    all.is_set = true;
    if (all.of_host || all.unsure)
        reach_all(replay, call, &all);
}

bool replay_is_beside_host(const struct replay *replay, const struct api_call *call)
{
    struct reach all = {0};
    if (replay->shared_is_of_host)
        reach_all(replay, call, &all);
    return all.of_host || all.beside_host || all.unsure;
}

bool replay_is_unsure(const struct replay *replay, uint64_t handle)
{
    struct reach all = {0};
    reach(replay, handle, &all);
    return all.unsure;
}
