/* From the argument of the launch to the memory object, or allocation of shared virtual memory,
 * that it led to; then all commands from there to the launch are taken in the order of their calls.
 * One that writes some of the bytes ends what was there before. What it copied is looked for in the
 * same way, where it copied it from. */
#include "viewer-cli/debug/writers.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/effect/effect.h"
#include "trace/reader.h"
#include "trace/store.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/source_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A buffer, or one of its sub-buffers. */
struct part {
    struct part *next;
    const char *name;      /* "buffer#1" */
    uint64_t handle;       /* which others may have had before, or have later */
    uint64_t origin, size; /* in the buffer */
};

/* A region that the host has mapped to write there. */
struct mapped {
    struct mapped *next;
    uint64_t call, pointer, first, size;
    bool invalidates; /* nothing that was there before remains */
};

/* Bytes before a call, and what has them. */
struct searched {
    uint64_t before; /* the call */
    bool is_shared;
    uint64_t first, size; /* in the buffer; of shared virtual memory the address */
    uint64_t made;        /* the call that made the memory; 0 = not known */
    struct api_call creation;
    struct part *parts;                 /* of a buffer */
    uint64_t shared_first, shared_size; /* the allocation */
    struct mapped *mapped;
};

struct search {
    struct trace *trace;
    struct trace_names names;
    struct source_lines *lines;
    struct arena *arena;
    bool has_contents; /* of calls: what the host wrote where it had mapped memory */
    struct searched at;
    struct writer *writers;
    size_t round; /* the first of those of `at` */
    size_t count, capacity;
};

/* ---- the list ---- */

static enum status add(struct search *search, const struct writer *writer, struct error *error)
{
    if (writer->kind == WRITER_HOST)
        search->count = search->round;
    if (search->count == search->capacity) {
        const size_t capacity = search->capacity ? 2 * search->capacity : 16;
        struct writer *grown = arena_alloc(search->arena, capacity, sizeof *grown);
        if (!grown)
            return error_no_memory(error, capacity * sizeof *grown);
        if (search->count)
            memcpy(grown, search->writers, search->count * sizeof *grown);
        search->writers = grown;
        search->capacity = capacity;
    }
    search->writers[search->count++] = *writer;
    return STATUS_OK;
}

static enum status add_call(struct search *search, enum writer_kind kind,
                            const struct api_call *call, struct error *error)
{
    const struct writer writer = {
        .kind = kind, .call = call->id, .text = api_entry_get(call->entry)->name};
    return add(search, &writer, error);
}

/* ---- which memory it is ---- */

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size && b_size && (a <= b ? b - a < a_size : a - b < b_size);
}

/* The region of a sub-buffer, by the call that made it. */
static bool region_of(const struct api_call *call, cl_buffer_region *region)
{
    const struct api_value *info = &call->arguments[API_clCreateSubBuffer_buffer_create_info];
    if (call->entry != API_ENTRY_clCreateSubBuffer || info->kind != API_VALUE_BYTES ||
        info->size != sizeof *region || !info->data)
        return false;
    memcpy(region, info->data, sizeof *region);
    return true;
}

static enum status add_part(struct search *search, const char *name, const struct api_call *call,
                            uint64_t origin, uint64_t size, struct error *error)
{
    struct part *part = arena_alloc(search->arena, 1, sizeof *part);
    if (!part)
        return error_no_memory(error, sizeof *part);
    *part = (struct part){.next = search->at.parts,
                          .name = arena_string(search->arena, name),
                          .handle = call->result.bits,
                          .origin = origin,
                          .size = size};
    if (!part->name)
        return error_no_memory(error, strlen(name));
    search->at.parts = part;
    return STATUS_OK;
}

/* The call that made the object; false where the trace does not know it. */
static bool read_creation(struct search *search, const char *name, struct api_call *call,
                          enum status *status, struct error *error)
{
    struct rows *rows = NULL;
    *status = rows_open_format(search->trace, &rows, error,
                               "SELECT created_call FROM object WHERE name = %Q"
                               " AND created_call IS NOT NULL",
                               name);
    const bool known = rows_next(rows, status, error);
    const uint64_t id = known ? (uint64_t)rows_number(rows, 0) : 0;
    rows_close(rows);
    if (known)
        *status = trace_call(search->trace, id, search->arena, call, error);
    return known && *status == STATUS_OK;
}

/* The sub-buffers of the buffer. */
static enum status add_sub_buffers(struct search *search, const char *name, struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        search->trace, &rows, error,
        "SELECT part.name, part.created_call FROM object AS part JOIN object AS whole"
        " ON part.parent = whole.id WHERE whole.name = %Q AND part.created_call < %llu",
        name, (unsigned long long)search->at.before);
    while (rows_next(rows, &status, error)) {
        struct api_call call;
        cl_buffer_region region;
        status =
            trace_call(search->trace, (uint64_t)rows_number(rows, 1), search->arena, &call, error);
        if (!status && region_of(&call, &region))
            status = add_part(search, rows_text(rows, 0), &call, region.origin, region.size, error);
    }
    rows_close(rows);
    return status;
}

static enum status find_buffer(struct search *search, const char *given, struct error *error)
{
    struct api_call call;
    cl_buffer_region region;
    enum status status;
    const char *name = given;
    if (!read_creation(search, name, &call, &status, error))
        return status ? status
                      : error_set(error, STATUS_NOT_FOUND, "the trace lacks the call that made %s",
                                  name);
    if (region_of(&call, &region)) {
        search->names.call_id = call.id;
        name = trace_handle_name(&search->names, call.arguments[API_clCreateSubBuffer_buffer].bits);
        name = name ? arena_string(search->arena, name) : NULL;
        search->at.first += region.origin;
        if (!name || !read_creation(search, name, &call, &status, error))
            return status ? status
                          : error_set(error, STATUS_NOT_FOUND,
                                      "the trace lacks the buffer that %s is a part of", given);
    }
    const uint32_t size = api_entry_find_parameter(api_entry_get(call.entry), "size");
    search->at.made = call.id;
    search->at.creation = call;
    if (size == API_PARAMETER_NONE)
        return error_set(error, STATUS_NOT_FOUND, "%s was made by %s, which is not followed", name,
                         api_call_name(&call));
    status = add_part(search, name, &call, 0, call.arguments[size].bits, error);
    return status ? status : add_sub_buffers(search, name, error);
}

static enum status take_allocation(void *user, const struct api_call *call, struct error *error)
{
    struct search *search = user;
    const uint32_t size = api_entry_find_parameter(api_entry_get(call->entry), "size");
    (void)error;
    if (size == API_PARAMETER_NONE || call->result.kind != API_VALUE_POINTER ||
        search->at.first - call->result.bits >= call->arguments[size].bits)
        return STATUS_OK;
    search->at.made = call->id;
    search->at.creation = (struct api_call){.id = call->id, .entry = call->entry};
    search->at.shared_first = call->result.bits;
    search->at.shared_size = call->arguments[size].bits;
    return STATUS_OK;
}

/* Of all that had these bytes before the launch the latest. */
static enum status find_allocation(struct search *search, struct error *error)
{
    const struct trace_filter filter = {.last_id = search->at.before, .name = "cl*Alloc*"};
    const enum status status =
        trace_each_call(search->trace, &filter, take_allocation, search, error);
    search->at.is_shared = true;
    return status || search->at.made ? status
                                     : error_set(error, STATUS_NOT_FOUND,
                                                 "the trace lacks the allocation of that memory");
}

static enum status find_memory(struct search *search, const struct given_bytes *bytes,
                               struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(
        search->trace, &rows, error,
        "SELECT value ->> 'object', CAST(value ->> 'address' AS INTEGER)"
        " FROM temp.given, json_each(temp.given.json) WHERE call = %llu AND key = %llu",
        (unsigned long long)search->at.before, (unsigned long long)bytes->argument);
    const bool known = rows_next(rows, &status, error);
    const char *name =
        known && !rows_is_null(rows, 0) ? arena_string(search->arena, rows_text(rows, 0)) : NULL;
    const uint64_t address = known ? (uint64_t)rows_number(rows, 1) : 0;
    rows_close(rows);
    search->at.first = address + (uint64_t)bytes->offset;
    search->at.size = bytes->size;
    if (!status && name)
        status = find_buffer(search, name, error);
    else if (!status && address)
        status = find_allocation(search, error);
    else if (!status)
        status =
            error_set(error, STATUS_NOT_FOUND,
                      "the trace does not say what call %" PRIu64 " was given", search->at.before);
    return status;
}

/* ---- commands ---- */

/* The part that the handle names at the call that is looked at; NULL = it is none. */
static const struct part *find_part(struct search *search, uint64_t handle, uint64_t call)
{
    for (const struct part *part = search->at.parts; part; part = part->next) {
        if (part->handle != handle)
            continue;
        search->names.call_id = call;
        const char *name = trace_handle_name(&search->names, handle);
        if (name && strcmp(name, part->name) == 0)
            return part;
    }
    return NULL;
}

/* Where in the memory that is searched the effect begins; false where it is of another one. */
static bool find_effect(struct search *search, const struct api_call *call,
                        const struct effect *effect, uint64_t *base)
{
    *base = effect->memory;
    if (search->at.is_shared)
        return effect->place == EFFECT_SHARED &&
               effect->memory - search->at.shared_first < search->at.shared_size;
    const struct part *part =
        effect->place == EFFECT_BUFFER ? find_part(search, effect->memory, call->id) : NULL;
    *base = part ? part->origin : 0;
    return part != NULL;
}

/* Does it touch the bytes? Of one with gaps each byte is looked for. */
static bool touches(const struct search *search, const struct rectangle *bytes, uint64_t base)
{
    uint64_t span;
    uint64_t at[3];
    if (!rectangle_span(bytes, &span) ||
        !overlap(base + bytes->first, span, search->at.first, search->at.size))
        return false;
    if (rectangle_is_packed(bytes))
        return true;
    for (uint64_t i = 0; i < search->at.size; ++i)
        if (search->at.first + i >= base && rectangle_find(bytes, search->at.first + i - base, at))
            return true;
    return false;
}

static struct image_shape image_of(void *user, uint64_t image)
{
    struct trace_names *names = user;
    cl_image_format format;
    struct image_shape shape;
    return reading_image(names, image, &format, &shape) ? shape : (struct image_shape){0};
}

static enum status note_map(struct search *search, const struct api_call *call,
                            const struct effect *effect, uint64_t base, struct error *error)
{
    const cl_map_flags flags = api_call_argument(call, API_ROLE_FLAGS)->bits;
    struct mapped *mapped = arena_alloc(search->arena, 1, sizeof *mapped);
    uint64_t span;
    if (!mapped)
        return error_no_memory(error, sizeof *mapped);
    if (!(flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
        !rectangle_span(&effect->bytes, &span))
        return STATUS_OK;
    *mapped = (struct mapped){.next = search->at.mapped,
                              .call = call->id,
                              .pointer = search->at.is_shared ? effect->memory : call->result.bits,
                              .first = base + effect->bytes.first,
                              .size = span,
                              .invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0};
    search->at.mapped = mapped;
    return STATUS_OK;
}

static enum status take_effect(struct search *search, const struct api_call *call,
                               const struct effect *effect, struct error *error)
{
    uint64_t base;
    if (effect->kind == EFFECT_READS || !find_effect(search, call, effect, &base))
        return STATUS_OK;
    if (effect->kind == EFFECT_MAPS)
        return note_map(search, call, effect, base, error);
    if (!effect->known)
        return add_call(search, WRITER_MAYBE, call, error);
    return touches(search, &effect->bytes, base) ? add_call(search, WRITER_HOST, call, error)
                                                 : STATUS_OK;
}

/* Did some of the block of memory that the bytes are in change, from the map to here? */
static bool has_changes(struct search *search, const struct mapped *mapped, uint64_t call)
{
    struct rows *rows = NULL;
    const uint64_t end = search->at.first + search->at.size - mapped->first;
    const uint64_t first = search->at.first > mapped->first ? search->at.first - mapped->first : 0;
    enum status status = rows_open_format(
        search->trace, &rows, NULL,
        "SELECT 1 FROM call_content WHERE call = %llu AND \"offset\" < %llu"
        " AND \"offset\" + size > %llu",
        (unsigned long long)call, (unsigned long long)end, (unsigned long long)first);
    const bool has = rows_next(rows, &status, NULL);
    rows_close(rows);
    return has;
}

static enum status take_unmapping(struct search *search, const struct api_call *call,
                                  struct error *error)
{
    const uint32_t address = api_entry_find_role(api_entry_get(call->entry), API_ROLE_ADDRESS);
    struct mapped **at = &search->at.mapped;
    while (*at && (*at)->pointer != call->arguments[address].bits)
        at = &(*at)->next;
    const struct mapped *mapped = *at;
    if (!mapped)
        return STATUS_OK;
    *at = mapped->next;
    if (!overlap(mapped->first, mapped->size, search->at.first, search->at.size) ||
        (!mapped->invalidates && search->has_contents && !has_changes(search, mapped, call->id)))
        return STATUS_OK;
    const struct writer writer = {.kind = mapped->invalidates ? WRITER_HOST : WRITER_MAYBE,
                                  .call = call->id,
                                  .mapped = mapped->call,
                                  .from = search->at.is_shared ? "clEnqueueSVMMap"
                                                               : "clEnqueueMapBuffer",
                                  .text = api_entry_get(call->entry)->name};
    return add(search, &writer, error);
}

/* Of these it is not known what they do. */
static bool does_anything(struct search *search, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clEnqueueNativeKernel_mem_list];
    const uint64_t *handles = list->data;
    if (call->entry == API_ENTRY_clEnqueueCommandBufferKHR)
        return true;
    for (uint32_t i = 0; call->entry == API_ENTRY_clEnqueueNativeKernel && handles &&
                         list->kind == API_VALUE_HANDLES && i < list->count;
         ++i)
        if (find_part(search, handles[i], call->id))
            return true;
    return false;
}

static enum status take_command(void *user, const struct api_call *call, struct error *error)
{
    struct search *search = user;
    struct effects effects;
    enum status status = STATUS_OK;
    if (store_call_failed(call) || call->flags & API_CALL_BLOCKED)
        return STATUS_OK;
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject ||
        call->entry == API_ENTRY_clEnqueueSVMUnmap)
        return take_unmapping(search, call, error);
    if (does_anything(search, call))
        return add_call(search, WRITER_MAYBE, call, error);
    search->names.call_id = call->id;
    effects_of(call, image_of, &search->names, &effects);
    for (uint32_t i = 0; !status && i < effects.count; ++i)
        status = take_effect(search, call, &effects.items[i], error);
    return status;
}

static enum status take_commands(struct search *search, struct error *error)
{
    const struct trace_filter filter = {
        .first_id = search->at.made, .last_id = search->at.before - 1, .name = "clEnqueue*"};
    return trace_each_call(search->trace, &filter, take_command, search, error);
}

/* Shared virtual memory that the host used without a call, a page of it. */
static enum status take_silent_writes(struct search *search, struct error *error)
{
    struct rows *rows = NULL;
    const uint64_t end = search->at.first + search->at.size;
    if (!search->at.is_shared)
        return STATUS_OK;
    enum status status = rows_open_format(
        search->trace, &rows, error,
        "SELECT max(call) FROM call_content WHERE argument = %d AND \"offset\" < %llu"
        " AND \"offset\" + size > %llu AND call > %llu AND call <= %llu",
        API_ARGUMENT_HOST_WROTE, (unsigned long long)end, (unsigned long long)search->at.first,
        (unsigned long long)search->writers[search->round].call,
        (unsigned long long)search->at.before);
    if (rows_next(rows, &status, error) && !rows_is_null(rows, 0)) {
        const uint64_t call = (uint64_t)rows_number(rows, 0);
        const struct writer writer = {.kind = WRITER_MAYBE, .call = call};
        status = add(search, &writer, error);
    }
    rows_close(rows);
    return status;
}

/* ---- launches ---- */

/* Where the object that a launch was given begins in what is searched, and its size. */
static bool find_given(const struct search *search, const char *name, uint64_t address,
                       uint64_t *first, uint64_t *size)
{
    *first = address;
    *size = search->at.shared_first + search->at.shared_size - address;
    if (search->at.is_shared)
        return true;
    for (const struct part *part = search->at.parts; part; part = part->next)
        if (strcmp(part->name, name) == 0) {
            *first = part->origin;
            *size = part->size;
            return true;
        }
    return false;
}

/* One row of what a launch was given. */
static enum status take_given(struct search *search, struct rows *rows, struct error *error)
{
    const uint64_t call = (uint64_t)rows_number(rows, 0);
    uint64_t first;
    uint64_t size;
    if (!find_given(search, rows_text(rows, 2), (uint64_t)rows_number(rows, 3), &first, &size) ||
        (!search->at.is_shared && !overlap(first, size, search->at.first, search->at.size)) ||
        search->writers[search->count - 1].call == call)
        return STATUS_OK;
    const struct writer writer = {.kind = WRITER_LAUNCH,
                                  .call = call,
                                  .text = arena_string(search->arena, rows_text(rows, 4)),
                                  .bytes = {.argument = (uint64_t)rows_number(rows, 1),
                                            .offset = (int64_t)(search->at.first - first),
                                            .size = search->at.size}};
    return writer.text ? add(search, &writer, error) : error_no_memory(error, 1);
}

/* Those behind the last of whom it is known that it wrote. */
static enum status take_launches(struct search *search, struct error *error)
{
    struct rows *rows = NULL;
    const uint64_t after = search->writers[search->round].call;
    enum status status = rows_open_format(
        search->trace, &rows, error,
        "SELECT launch.call, key, value ->> 'object', CAST(value ->> 'address' AS INTEGER) AS at,"
        " kernel_name FROM launch JOIN temp.given USING (call), json_each(temp.given.json)"
        " WHERE launch.call > %llu AND launch.call < %llu AND (value ->> 'object' IS NOT NULL"
        " AND NOT %d OR at BETWEEN %lld AND %lld) ORDER BY launch.call, key",
        (unsigned long long)after, (unsigned long long)search->at.before, search->at.is_shared,
        (long long)search->at.shared_first,
        (long long)(search->at.shared_first + search->at.shared_size) - 1);
    while (rows_next(rows, &status, error))
        status = take_given(search, rows, error);
    rows_close(rows);
    return status;
}

/* ---- what is said of them ---- */

/* "clEnqueueWriteBuffer, call 12 (app.c:88)" */
static const char *name_call(struct search *search, uint64_t id, const char *name)
{
    struct finding_place place = {.kind = FINDING_PLACE_CALL, .function = name, .call_id = id};
    struct finding finding = {.places = &place, .place_count = 1, .count = 1};
    place.frame_count = reading_stack(search->trace, id, search->arena, &place.frames);
    if (place.frame_count)
        source_lines_add(search->lines, &finding, search->arena);
    const struct finding_place *found = finding.places;
    return found->file ? arena_format(search->arena, "%s, call %" PRIu64 " (%s:%" PRIu32 ")", name,
                                      id, found->file, found->line)
                       : arena_format(search->arena, "%s, call %" PRIu64, name, id);
}

static const char *name_writer(struct search *search, const struct writer *writer)
{
    struct arena *arena = search->arena;
    if (writer->kind == WRITER_LAUNCH)
        return arena_format(arena, "kernel '%s', call %" PRIu64, writer->text, writer->call);
    if (!writer->text)
        return arena_format(arena, "the host, without a call, before call %" PRIu64, writer->call);
    if (!writer->mapped && !writer->from)
        return name_call(search, writer->call, writer->text);
    if (!writer->mapped)
        return arena_format(arena, "%s, from %s", name_call(search, writer->call, writer->text),
                            writer->from);
    return arena_format(arena, "the host, in memory mapped by %s, until %s",
                        name_call(search, writer->mapped, writer->from),
                        name_call(search, writer->call, writer->text));
}

/* ---- one memory ---- */

static int compare_latest_first(const void *a, const void *b)
{
    const uint64_t x = ((const struct writer *)a)->call;
    const uint64_t y = ((const struct writer *)b)->call;
    return (x < y) - (x > y);
}

/* How the memory began: with bytes of the host, or without. */
static enum status take_creation(struct search *search, struct error *error)
{
    struct effect effect;
    const enum writer_kind kind =
        !search->at.is_shared && effect_of_create(&search->at.creation, &effect) ? WRITER_HOST
                                                                                 : WRITER_NOBODY;
    return add_call(search, kind, &search->at.creation, error);
}

/* Of what is searched: from the creation of the memory, which is the first of its writers. */
static enum status search_here(struct search *search, struct error *error)
{
    enum status status = take_creation(search, error);
    if (!status)
        status = take_commands(search, error);
    if (!status)
        status = take_silent_writes(search, error);
    if (!status)
        status = take_launches(search, error);
    if (!status)
        qsort(search->writers + search->round, search->count - search->round,
              sizeof *search->writers, compare_latest_first);
    return status;
}

/* ---- copies ---- */

static bool is_linear(const struct effect *effect)
{
    return effect && effect->known && effect->bytes.rows == 1 && effect->bytes.slices == 1;
}

static const struct effect *find_kind(const struct effects *effects, enum effect_kind kind)
{
    for (uint32_t i = 0; i < effects->count; ++i)
        if (effects->items[i].kind == kind &&
            (effects->items[i].place == EFFECT_BUFFER || effects->items[i].place == EFFECT_SHARED))
            return &effects->items[i];
    return NULL;
}

/* The bytes that were copied to those that are searched, where they came from. */
static enum status find_source(struct search *search, const struct api_call *call,
                               const struct effect *read, const struct effect *write,
                               const char **name, struct error *error)
{
    const struct searched to = search->at;
    uint64_t base;
    if (!find_effect(search, call, write, &base))
        return STATUS_NOT_FOUND;
    const uint64_t written = base + write->bytes.first;
    const uint64_t first = to.first > written ? to.first : written;
    const uint64_t end = written + write->bytes.row_size;
    const uint64_t last = to.first + to.size < end ? to.first + to.size : end;
    search->at = (struct searched){
        .before = call->id, .first = read->bytes.first + first - written, .size = last - first};
    search->names.call_id = call->id;
    if (read->place == EFFECT_SHARED) {
        search->at.first += read->memory;
        *name = "shared memory";
        return find_allocation(search, error);
    }
    *name = trace_handle_name(&search->names, read->memory);
    *name = *name ? arena_string(search->arena, *name) : NULL;
    return *name ? find_buffer(search, *name, error) : STATUS_NOT_FOUND;
}

/* Was what was written last copied from memory that the trace knows? Then that is searched next. */
static enum status follow_copy(struct search *search, bool *follows, struct error *error)
{
    struct writer *writer = &search->writers[search->count - 1];
    struct api_call call;
    struct effects effects;
    *follows = false;
    if (writer->kind != WRITER_HOST || writer->mapped || writer->call == search->at.made)
        return STATUS_OK;
    enum status status = trace_call(search->trace, writer->call, search->arena, &call, error);
    if (status)
        return status;
    search->names.call_id = call.id;
    effects_of(&call, image_of, &search->names, &effects);
    const struct effect *read = find_kind(&effects, EFFECT_READS);
    const struct effect *write = find_kind(&effects, EFFECT_WRITES);
    if (!is_linear(read) || !is_linear(write))
        return STATUS_OK;
    const char *from;
    status = find_source(search, &call, read, write, &from, error);
    *follows = status == STATUS_OK;
    if (*follows) {
        writer->kind = WRITER_COPY;
        writer->from = from;
    }
    search->round = search->count;
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

/* ---- all ---- */

static enum status search_trace(struct search *search, const struct given_bytes *bytes,
                                struct error *error)
{
    enum { COPIES_FOLLOWED = 16 };
    struct rows *rows = NULL;
    bool follows = true;
    enum status status = recorded_arguments_make(search->trace, error);
    if (!status)
        status = find_memory(search, bytes, error);
    if (!status)
        status = rows_open(search->trace, "SELECT 1 FROM call_content LIMIT 1", &rows, error);
    search->has_contents = rows_next(rows, &status, error);
    rows_close(rows);
    for (int i = 0; !status && follows && i < COPIES_FOLLOWED; ++i) {
        status = search_here(search, error);
        if (!status)
            status = follow_copy(search, &follows, error);
    }
    for (size_t i = 0; !status && i < search->count; ++i) {
        search->writers[i].text = name_writer(search, &search->writers[i]);
        if (!search->writers[i].text)
            status = error_no_memory(error, 1);
    }
    return status;
}

enum status writers_find(const char *path, uint64_t launch, const struct given_bytes *bytes,
                         struct arena *arena, struct writer **writers, size_t *count,
                         struct error *error)
{
    struct search search = {.arena = arena, .at.before = launch};
    enum status status = trace_open(path, &search.trace, error);
    if (!status) {
        search.names.trace = search.trace;
        search.lines = source_lines_create_for(NULL, search.trace, false);
        status = search_trace(&search, bytes, error);
    }
    *writers = search.writers;
    *count = search.count;
    source_lines_destroy(search.lines);
    trace_close(search.trace);
    return status;
}
