/* Shared memory that the host uses when it likes. The recording says what the program wrote there
 * before it gave a command to the device, and what it saw there when it knew that the commands were
 * over (layer/shared.h tells how it was found): addresses and bytes. */
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

/* The part that begins `done` bytes behind the content's first one; false when that lies in no
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

/* `bytes`: what is here, as the recording has it. */
static bool is_as_before(const struct part *part, const unsigned char *bytes)
{
    const unsigned char *old = part->shared->before ? before(part) : NULL;
    for (uint64_t i = 0; i < part->size; ++i)
        if (part->bytes[i] != bytes[i] && (!old || part->here[i] != old[i]))
            return false;
    return true;
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

/* What the recorded program saw is what the run goes on from: it may have written some of it while
 * a command ran. */
static enum status compare_part(struct replay *replay, const struct part *part,
                                const struct api_call *call, struct arena *arena,
                                struct error *error)
{
    struct replay_bytes_difference difference;
    const uint64_t offset = part->address - part->shared->address;
    unsigned char *bytes = arena_copy(arena, part->here, part->size);
    if (!bytes)
        return error_no_memory(error, part->size);
    replay_shared_point_back(replay, bytes, part->size, part->address);
    replay->result->compared_bytes += part->size;
    if (!replay_compare_bytes(part->bytes, bytes, part->size, offset, part->shared->type,
                              &replay->options->tolerance, &difference)) {
        note_part(part);
        return STATUS_OK;
    }
    replay_read_differs(replay,
                        &(struct replay_difference){.call = call,
                                                    .object = "shared virtual memory",
                                                    .type = part->shared->type,
                                                    .offset = offset + difference.offset,
                                                    .offset_is_in_object = true,
                                                    .size = part->size,
                                                    .bytes = difference,
                                                    .is_as_before = is_as_before(part, bytes)});
    return write_part(replay, part, arena, error);
}

static enum status take(struct replay *replay, uint64_t call_id, uint32_t argument,
                        struct error *error)
{
    struct arena arena = {0};
    struct api_content *contents = NULL;
    struct api_call call = {0};
    size_t count = 0;
    uint64_t seen = 0;
    enum status status = STATUS_OK;
    if (!replay->shared_is_of_host || replay->options->launches)
        return STATUS_OK;
    status = trace_contents(replay->trace, call_id, &arena, &contents, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i) {
        struct part part;
        if (contents[i].argument != argument)
            continue;
        if (!call.id)
            status = trace_call(replay->trace, call_id, &arena, &call, error);
        for (uint64_t done = 0; status == STATUS_OK && done < contents[i].size &&
                                find_part(replay, &contents[i], done, &part);
             done += part.size) {
            seen += part.size;
            status = argument == API_ARGUMENT_HOST_WROTE
                         ? write_part(replay, &part, &arena, error)
                         : compare_part(replay, &part, &call, &arena, error);
        }
    }
    replay->result->compared_reads += seen && argument == API_ARGUMENT_HOST_SEES;
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
