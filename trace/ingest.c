#include "trace/ingest.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/beginning.h"

#include <string.h>

/* A call that has begun. Its record is kept encoded; a thread has one, and more only when the
 * driver runs a callback inside a call. */
struct pending {
    struct segment_call head;
    struct text record;
};

struct ingest {
    struct store *store;
    struct arena arena; /* of the call at hand */
    struct pending *pendings;
    size_t pending_count, pending_capacity; /* entries beyond the count keep their memory */
    uint64_t damaged_count;
    uint64_t begins_after;
    const char *what; /* is at hand: "call" */
    bool is_damaged;  /* its record does not decode */
};

enum status ingest_create(struct store *store, struct ingest **ingest, struct error *error)
{
    struct ingest *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    made->store = store;
    *ingest = made;
    return STATUS_OK;
}

void ingest_destroy(struct ingest *ingest)
{
    if (!ingest)
        return;
    for (size_t i = 0; i < ingest->pending_capacity; ++i)
        text_release(&ingest->pendings[i].record);
    alloc_free(ingest->pendings);
    arena_release(&ingest->arena);
    alloc_free(ingest);
}

uint64_t ingest_begins_after(const struct ingest *ingest)
{
    return ingest->begins_after;
}

uint64_t ingest_damaged_count(const struct ingest *ingest)
{
    return ingest->damaged_count;
}

static enum status hold(struct ingest *ingest, const struct segment_call *head, const void *encoded,
                        size_t size, struct error *error)
{
    if (ingest->pending_count == ingest->pending_capacity) {
        const size_t before = ingest->pending_capacity;
        struct pending *moved = alloc_grow(ingest->pendings, before, &ingest->pending_capacity,
                                           sizeof *ingest->pendings);
        if (!moved)
            return error_no_memory(error, (before + 1) * sizeof *moved);
        ingest->pendings = moved;
        for (size_t i = before; i < ingest->pending_capacity; ++i)
            ingest->pendings[i] = (struct pending){.record = TEXT_INIT};
    }
    struct pending *pending = &ingest->pendings[ingest->pending_count];
    text_clear(&pending->record);
    text_append_n(&pending->record, encoded, size);
    if (pending->record.failed) {
        text_release(&pending->record);
        return error_no_memory(error, size);
    }
    pending->head = *head;
    ++ingest->pending_count;
    return STATUS_OK;
}

/* Takes the call with this id from those that have begun; it stays as it is until the next one is
 * held. NULL when it is none of them. */
static const struct pending *take_pending(struct ingest *ingest, uint64_t id)
{
    for (size_t i = ingest->pending_count; i-- > 0;) {
        if (ingest->pendings[i].head.id != id)
            continue;
        const struct pending gone = ingest->pendings[i];
        ingest->pendings[i] = ingest->pendings[--ingest->pending_count];
        ingest->pendings[ingest->pending_count] = gone;
        return &ingest->pendings[ingest->pending_count];
    }
    return NULL;
}

static enum status malformed(struct ingest *ingest, struct error *error)
{
    ingest->is_damaged = true;
    return error_set(error, STATUS_MALFORMED, "a %s record is malformed", ingest->what);
}

/* Decodes into the arena, which is emptied first. */
static enum status decode(struct ingest *ingest, const struct segment_call *head, const void *bytes,
                          size_t size, struct api_call *call, struct error *error)
{
    *call = (struct api_call){.id = head->id,
                              .thread = head->thread,
                              .entry = head->entry,
                              .flags = head->flags,
                              .begin_ns = head->begin_ns,
                              .end_ns = head->end_ns};
    arena_reset(&ingest->arena);
    const enum status status = api_call_decode(bytes, size, &ingest->arena, call, error);
    /* Ids are SQLite's row ids, times its integers. */
    if (status == STATUS_MALFORMED || status == STATUS_UNSUPPORTED ||
        (!status && (call->id == 0 || call->id > INT64_MAX || call->begin_ns > INT64_MAX ||
                     call->end_ns > INT64_MAX)))
        return malformed(ingest, error);
    return status;
}

static enum status ingest_call(struct ingest *ingest, const struct segment_record *record,
                               struct error *error)
{
    struct segment_call head;
    struct api_call call;
    if (record->size < sizeof head)
        return malformed(ingest, error);
    memcpy(&head, record->payload, sizeof head);
    const unsigned char *encoded = record->payload + sizeof head;
    const size_t size = record->size - sizeof head;
    if (record->kind == SEGMENT_CALL_BEGIN)
        return hold(ingest, &head, encoded, size, error);
    take_pending(ingest, head.id);
    const enum status status = decode(ingest, &head, encoded, size, &call, error);
    return status ? status : store_call(ingest->store, &call, encoded, size, error);
}

/* The call as it was recorded when it began, in the arena: usually just before, or already stored.
 */
static enum status find_begun(struct ingest *ingest, uint64_t id, struct api_call *call,
                              struct error *error)
{
    const struct pending *pending = take_pending(ingest, id);
    if (pending)
        return decode(ingest, &pending->head, pending->record.bytes, pending->record.size, call,
                      error);
    arena_reset(&ingest->arena);
    const enum status status = store_find_call(ingest->store, id, &ingest->arena, call, error);
    return status == STATUS_NOT_FOUND || status == STATUS_MALFORMED ? malformed(ingest, error)
                                                                    : status;
}

static enum status ingest_return(struct ingest *ingest, const struct segment_record *record,
                                 struct error *error)
{
    struct segment_return returned;
    struct api_call call;
    if (record->size != sizeof returned)
        return malformed(ingest, error);
    memcpy(&returned, record->payload, sizeof returned);
    if (returned.id > INT64_MAX || returned.end_ns > INT64_MAX ||
        returned.kind >= API_VALUE_HANDLES)
        return malformed(ingest, error);
    const enum status status = find_begun(ingest, returned.id, &call, error);
    if (status)
        return status;
    call.end_ns = returned.end_ns;
    call.flags = returned.flags;
    call.result = (struct api_value){.kind = (enum api_value_kind)returned.kind,
                                     .present = returned.present != 0,
                                     .bits = returned.bits};
    void *encoded = arena_alloc(&ingest->arena, 1, api_call_size_max(&call));
    if (!encoded)
        return error_no_memory(error, api_call_size_max(&call));
    return store_call(ingest->store, &call, encoded, api_call_encode(&call, encoded), error);
}

static enum status ingest_content(struct ingest *ingest, const struct segment_record *record,
                                  struct error *error)
{
    struct segment_content content;
    if (record->size < sizeof content)
        return malformed(ingest, error);
    memcpy(&content, record->payload, sizeof content);
    const unsigned char *rest = record->payload + sizeof content;
    const size_t rest_size = record->size - sizeof content;
    const bool is_digest = record->kind == SEGMENT_CONTENT_DIGEST;
    if (rest_size != (is_digest ? SEGMENT_DIGEST_SIZE : content.size) ||
        content.call_id > INT64_MAX || content.size > SEGMENT_CONTENT_SIZE ||
        content.offset > INT64_MAX - content.size)
        return malformed(ingest, error);
    const struct api_content piece = {.argument = content.argument,
                                      .after = content.after != 0,
                                      .object = content.object,
                                      .offset = content.offset,
                                      .size = content.size,
                                      .bytes = is_digest ? NULL : rest};
    return is_digest ? store_digest(ingest->store, content.call_id, &piece, rest, error)
                     : store_content(ingest->store, content.call_id, &piece, error);
}

static enum status ingest_finding(struct ingest *ingest, const struct segment_record *record,
                                  struct error *error)
{
    struct segment_strings strings;
    struct store_string parts[4];
    uint64_t call_id;
    if (!segment_strings_begin(record, &strings, &call_id) || call_id > INT64_MAX)
        return malformed(ingest, error);
    for (size_t i = 0; i < 4; ++i)
        if (!segment_strings_next(&strings, &parts[i].bytes, &parts[i].size))
            return malformed(ingest, error);
    return store_finding(ingest->store, call_id, parts, error);
}

static enum status ingest_stack(struct ingest *ingest, const struct segment_record *record,
                                struct error *error)
{
    struct segment_strings strings;
    struct store_string frame;
    uint64_t call_id;
    if (!segment_strings_begin(record, &strings, &call_id) || call_id > INT64_MAX)
        return malformed(ingest, error);
    enum status status = STATUS_OK;
    for (uint32_t depth = 0; !status && segment_strings_next(&strings, &frame.bytes, &frame.size);
         ++depth)
        status = store_frame(ingest->store, call_id, depth, frame, error);
    return status;
}

static enum status ingest_callback(struct ingest *ingest, const struct segment_record *record,
                                   struct error *error)
{
    struct api_callback callback;
    if (record->size != sizeof callback)
        return malformed(ingest, error);
    memcpy(&callback, record->payload, sizeof callback);
    if (callback.call_id > INT64_MAX || callback.begin_ns > INT64_MAX ||
        callback.end_ns > INT64_MAX)
        return malformed(ingest, error);
    return store_callback(ingest->store, &callback, error);
}

static enum status ingest_times(struct ingest *ingest, const struct segment_record *record,
                                struct error *error)
{
    struct api_command_times times;
    if (record->size != sizeof times)
        return malformed(ingest, error);
    memcpy(&times, record->payload, sizeof times);
    if (times.call_id > INT64_MAX)
        return malformed(ingest, error);
    return store_times(ingest->store, &times, error);
}

static enum status ingest_line(struct ingest *ingest, const struct segment_record *record,
                               struct error *error)
{
    struct api_line line;
    if (record->size < sizeof line)
        return malformed(ingest, error);
    memcpy(&line, record->payload, sizeof line);
    const struct store_string file = {(const char *)record->payload + sizeof line,
                                      record->size - sizeof line};
    if (line.call_id > INT64_MAX)
        return malformed(ingest, error);
    return store_line(ingest->store, &line, file, error);
}

static enum status ingest_child(struct ingest *ingest, const struct segment_record *record,
                                struct error *error)
{
    struct api_child child;
    if (record->size < sizeof child)
        return malformed(ingest, error);
    memcpy(&child, record->payload, sizeof child);
    const struct store_string kernel = {(const char *)record->payload + sizeof child,
                                        record->size - sizeof child};
    if (child.id > INT64_MAX || child.call_id > INT64_MAX || child.dimensions > 3)
        return malformed(ingest, error);
    return store_child(ingest->store, &child, kernel, error);
}

static enum status ingest_fact(struct ingest *ingest, const struct segment_record *record,
                               struct error *error)
{
    struct segment_strings strings;
    struct store_string name;
    struct store_string value;
    uint64_t none;
    if (!segment_strings_begin(record, &strings, &none) ||
        !segment_strings_next(&strings, &name.bytes, &name.size) ||
        !segment_strings_next(&strings, &value.bytes, &value.size))
        return malformed(ingest, error);
    return store_fact(ingest->store, name, value, error);
}

/* Noted at once: what a killed process left begins there, too. */
static enum status ingest_begins(struct ingest *ingest, const struct segment_record *record,
                                 struct error *error)
{
    uint64_t call_id;
    if (record->size != sizeof call_id)
        return malformed(ingest, error);
    memcpy(&call_id, record->payload, sizeof call_id);
    if (call_id > INT64_MAX)
        return malformed(ingest, error);
    ingest->begins_after = call_id;
    return beginning_note(ingest->store, call_id, error);
}

enum status ingest_record(struct ingest *ingest, const struct segment_record *record,
                          struct error *error)
{
    static const struct {
        const char *what;
        enum status (*ingest)(struct ingest *ingest, const struct segment_record *record,
                              struct error *error);
    } kinds[] = {
        [SEGMENT_CALL_BEGIN] = {"call", ingest_call},
        [SEGMENT_CALL_END] = {"call", ingest_call},
        [SEGMENT_CALL_RETURN] = {"call", ingest_return},
        [SEGMENT_CONTENT] = {"content", ingest_content},
        [SEGMENT_CONTENT_DIGEST] = {"content", ingest_content},
        [SEGMENT_FINDING] = {"finding", ingest_finding},
        [SEGMENT_STACK] = {"stack", ingest_stack},
        [SEGMENT_FACT] = {"fact", ingest_fact},
        [SEGMENT_CALLBACK] = {"callback", ingest_callback},
        [SEGMENT_TIMES] = {"command's times", ingest_times},
        [SEGMENT_LINE] = {"line of a launch", ingest_line},
        [SEGMENT_BEGINS] = {"beginning", ingest_begins},
        [SEGMENT_CHILD] = {"child of a launch", ingest_child},
    };
    ASSERT(record->kind < sizeof kinds / sizeof *kinds && kinds[record->kind].ingest);
    ingest->is_damaged = false;
    ingest->what = kinds[record->kind].what;
    enum status status = kinds[record->kind].ingest(ingest, record, error);
    /* One damaged record does not cost the others. */
    if (status && ingest->is_damaged) {
        ++ingest->damaged_count;
        status = STATUS_OK;
    }
    return status;
}

enum status ingest_flush(struct ingest *ingest, struct error *error)
{
    while (ingest->pending_count) {
        const struct pending *pending = &ingest->pendings[ingest->pending_count - 1];
        const struct text *record = &pending->record;
        struct api_call call;
        ingest->is_damaged = false;
        ingest->what = "call";
        enum status status =
            decode(ingest, &pending->head, record->bytes, record->size, &call, error);
        if (!status)
            status = store_call(ingest->store, &call, record->bytes, record->size, error);
        if (ingest->is_damaged)
            ++ingest->damaged_count;
        else if (status)
            return status;
        --ingest->pending_count;
    }
    return STATUS_OK;
}
