#include "reference/debug/look.h"

#include "reference/debug/evaluate.h"
#include "reference/debug/opaque.h"
#include "reference/vm/image.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <CL/cl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a reference of an answer means. */
struct debug_reference {
    enum debug_reference_kind kind;
    uint32_t vector, lane, frame;
    struct debug_value value; /* PARTS */
};

static uint64_t add_reference(struct debug_session *session, const struct debug_lane *lane,
                              uint32_t frame, enum debug_reference_kind kind,
                              const struct debug_value *value)
{
    struct debug_reference *list = alloc_grow(session->references, session->reference_count,
                                              &session->reference_capacity, sizeof *list);
    if (!list)
        return 0;
    session->references = list;
    struct debug_reference *made = &list[session->reference_count++];
    *made = (struct debug_reference){
        .kind = kind, .vector = lane->vector_index, .lane = lane->lane, .frame = frame};
    if (value)
        made->value = *value;
    return session->reference_count;
}

/* The item that a request is about: the focus, or another one. */
static bool find_lane(struct debug_session *session, const struct cJSON *request,
                      struct debug_lane *lane, uint32_t *frame, struct error *error)
{
    uint64_t number;
    uint32_t linear = session->vector * VM_LANES + session->lane;
    *frame = session->frame;
    if (json_object_number(request, "thread", &number)) {
        const uint32_t focus = linear;
        if (!debug_thread_item(session, number, &linear))
            linear = UINT32_MAX;
        *frame = linear == focus ? *frame : 0;
    }
    if (json_object_number(request, "frame", &number))
        *frame = (uint32_t)number;
    if (!session->launch || (session->holder && linear >= session->holder->group.item_count)) {
        error_set(error, STATUS_INVALID, "there is no such work-item now");
        return false;
    }
    *lane = debug_lane_of(session, linear / VM_LANES, linear % VM_LANES, *frame);
    return true;
}

/* ---- values ---- */

static void put_members(struct debug_session *session, const struct debug_lane *lane,
                        uint32_t frame, const char *name, const struct debug_value *value,
                        char format, struct text *answer)
{
    struct text type = TEXT_INIT;
    struct text shown = TEXT_INIT;
    struct text address = TEXT_INIT;
    const uint64_t parts = debug_part_count(value);
    debug_append_type_of(value, &type);
    debug_print_value(lane, value, format, &shown);
    if (value->has_spot && !value->spot.variable && !value->unknown)
        debug_append_pointer(lane, value->spot.offset, &address);
    text_append(answer, "{");
    json_string(answer, "name", name);
    json_string(answer, "type", type.bytes);
    json_string(answer, "value", shown.bytes);
    json_string(answer, "state", debug_value_state(lane, value));
    if (address.size)
        json_string(answer, "address", address.bytes);
    if (value->has_spot && !value->unknown)
        json_string(answer, "watch", value->spot.variable ? "write" : "both");
    const struct debug_type *leads_to = value->pointee ? debug_type_plain(value->pointee) : NULL;
    const bool expands = value->number.is_pointer && value->count == 1 && !value->unknown &&
                         value->bits[0] && !value->undefined[0] && leads_to && leads_to->size;
    if (parts || expands) {
        json_number(answer, "children", parts ? parts : 1);
        json_known_number(answer, "reference",
                          add_reference(session, lane, frame, DEBUG_PARTS, value));
    }
    text_append(answer, "}");
    text_release(&type);
    text_release(&shown);
    text_release(&address);
}

static void put_variable(struct debug_session *session, const struct debug_lane *lane,
                         uint32_t frame, const struct debug_variable *variable, struct text *answer)
{
    struct debug_spot spot;
    struct debug_value value = {.type = variable->type, .count = 1};
    const char *why;
    if (debug_find_variable(lane, variable, &spot, &why))
        debug_load(lane, variable->type, spot, &value);
    else
        value.unknown = why;
    json_item(answer);
    put_members(session, lane, frame, variable->name, &value, 0, answer);
}

static bool belongs(const struct debug_variable *variable, enum debug_reference_kind kind)
{
    switch (kind) {
    case DEBUG_ARGUMENTS:
        return variable->argument != 0;
    case DEBUG_LOCALS:
        return variable->argument == 0 && !variable->global;
    default:
        return variable->global && variable->scope &&
               (variable->scope->kind == DEBUG_SCOPE_FUNCTION ||
                variable->scope->kind == DEBUG_SCOPE_BLOCK);
    }
}

/* Those that are seen, the last declared first. */
static const struct debug_variable **visible(struct debug_session *session,
                                             const struct debug_lane *lane, uint32_t *count)
{
    const struct debug_site site = debug_site_of(lane);
    *count = 0;
    return session->code->debug_info && site.context->scope
               ? debug_site_variables(&site, &session->scratch, count)
               : NULL;
}

static void put_scope(struct debug_session *session, const struct debug_lane *lane, uint32_t frame,
                      enum debug_reference_kind kind, struct text *answer)
{
    uint32_t count;
    const struct debug_variable **variables = visible(session, lane, &count);
    for (uint32_t i = kind == DEBUG_ARGUMENTS ? 0 : count; i-- > 0;) {
        if (belongs(variables[i], kind))
            put_variable(session, lane, frame, variables[i], answer);
    }
    /* Arguments by their numbers. */
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = variables[i]->argument > most ? variables[i]->argument : most;
    for (uint32_t a = 1; kind == DEBUG_ARGUMENTS && a <= most; a++) {
        for (uint32_t i = 0; i < count; i++) {
            if (variables[i]->argument == a)
                put_variable(session, lane, frame, variables[i], answer);
        }
    }
}

static bool put_scope_answer(struct debug_session *session, const struct cJSON *request,
                             enum debug_reference_kind kind, struct text *answer,
                             struct error *error)
{
    struct debug_lane lane;
    uint32_t frame;
    if (!find_lane(session, request, &lane, &frame, error))
        return false;
    if (!session->code->debug_info) {
        error_set(error, STATUS_UNSUPPORTED,
                  "nothing is known of variables: the program has no debug information");
        return false;
    }
    json_key(answer, "values");
    text_append(answer, "[");
    put_scope(session, &lane, frame, kind, answer);
    text_append(answer, "]");
    return true;
}

bool debug_answer_locals(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    return put_scope_answer(session, request, DEBUG_LOCALS, answer, error);
}

bool debug_answer_arguments(struct debug_session *session, const struct cJSON *request,
                            struct text *answer, struct error *error)
{
    return put_scope_answer(session, request, DEBUG_ARGUMENTS, answer, error);
}

/* ---- stack and scopes ---- */

bool debug_answer_stack(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error)
{
    struct debug_lane lane;
    uint32_t frame;
    uint64_t start = 0;
    uint64_t count = 1000;
    if (!find_lane(session, request, &lane, &frame, error))
        return false;
    lane = debug_lane_of(session, lane.vector_index, lane.lane, 0);
    if (session->over)
        lane.place = 0;
    json_object_number(request, "start", &start);
    json_object_number(request, "count", &count);
    const uint32_t total = debug_frame_count(session, lane.place);
    json_key(answer, "frames");
    text_append(answer, "[");
    for (uint64_t f = start; f < total && f - start < count; f++) {
        json_item(answer);
        text_append(answer, "{");
        json_number(answer, "frame", f);
        debug_put_place(session, answer, debug_frame_place(session, lane.place, (uint32_t)f));
        json_string(answer, "kernel", session->code->name);
        text_append(answer, "}");
    }
    text_append(answer, "]");
    json_number(answer, "total", total);
    return true;
}

enum { ITEM_VALUES = 7 };
static const char *const item_names[ITEM_VALUES] = {
    "get_global_id",  "get_local_id",   "get_group_id",     "get_global_size",
    "get_local_size", "get_num_groups", "get_global_offset"};

bool debug_answer_scopes(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    static const struct {
        const char *name;
        enum debug_reference_kind kind;
    } scopes[] = {{"Locals", DEBUG_LOCALS},
                  {"Arguments", DEBUG_ARGUMENTS},
                  {"Local memory", DEBUG_LOCAL_MEMORY},
                  {"Work-item", DEBUG_ITEM}};
    struct debug_lane lane;
    uint32_t frame;
    if (!find_lane(session, request, &lane, &frame, error))
        return false;
    uint32_t count;
    const struct debug_variable **variables = visible(session, &lane, &count);
    json_key(answer, "scopes");
    text_append(answer, "[");
    for (size_t s = 0; s < sizeof scopes / sizeof *scopes; s++) {
        uint64_t children = scopes[s].kind == DEBUG_ITEM ? ITEM_VALUES : 0;
        for (uint32_t i = 0; i < count && scopes[s].kind != DEBUG_ITEM; i++)
            children += belongs(variables[i], scopes[s].kind);
        if (children == 0 && scopes[s].kind == DEBUG_LOCAL_MEMORY)
            continue;
        json_item(answer);
        text_append(answer, "{");
        json_string(answer, "name", scopes[s].name);
        json_number(answer, "reference",
                    add_reference(session, &lane, frame, scopes[s].kind, NULL));
        json_number(answer, "children", children);
        json_key(answer, "expensive");
        text_append(answer, "false}");
    }
    text_append(answer, "]");
    return true;
}

/* Of each function of work-items what it gives in the three dimensions. */
static void put_item_values(struct debug_session *session, const struct debug_lane *lane,
                            struct text *answer)
{
    for (uint32_t i = 0; i < ITEM_VALUES; i++) {
        struct debug_value all = {.number = {.width = 8}, .count = 3};
        struct error error;
        for (uint32_t d = 0; d < 3; d++) {
            struct debug_value one = {.count = 0};
            struct debug_value dimension = {.number = {.width = 4}, .count = 1};
            dimension.bits[0] = d;
            if (debug_call(lane, item_names[i], &dimension, 1, &one, &error))
                all.bits[d] = one.bits[0];
        }
        json_item(answer);
        put_members(session, lane, 0, item_names[i], &all, 0, answer);
    }
}

static void put_parts(struct debug_session *session, const struct debug_lane *lane,
                      const struct debug_reference *reference, uint64_t start, uint64_t count,
                      struct text *answer)
{
    enum { ANSWER_SIZE = 60000 };
    const struct debug_value *value = &reference->value;
    const uint64_t parts = debug_part_count(value);
    if (parts == 0 && value->pointee) { /* a pointer */
        struct debug_value led;
        debug_load(lane, value->pointee, (struct debug_spot){.offset = value->bits[0]}, &led);
        json_item(answer);
        put_members(session, lane, reference->frame, "*", &led, 0, answer);
        return;
    }
    for (uint64_t i = start; i < parts && i - start < count && answer->size < ANSWER_SIZE; i++) {
        struct debug_value part;
        const char *name;
        debug_part(lane, value, i, &part, &name);
        json_item(answer);
        put_members(session, lane, reference->frame, name, &part, 0, answer);
    }
}

bool debug_answer_variables(struct debug_session *session, const struct cJSON *request,
                            struct text *answer, struct error *error)
{
    uint64_t number = 0;
    uint64_t start = 0;
    uint64_t count = 1000;
    json_object_number(request, "reference", &number);
    json_object_number(request, "start", &start);
    if (!json_object_number(request, "count", &count) || count == 0)
        count = 1000;
    if (number == 0 || number > session->reference_count) {
        error_set(error, STATUS_INVALID, "there is no reference %" PRIu64 " now", number);
        return false;
    }
    /* Copied: the list may move. */
    const struct debug_reference reference = session->references[number - 1];
    const struct debug_lane lane =
        debug_lane_of(session, reference.vector, reference.lane, reference.frame);
    json_key(answer, "values");
    text_append(answer, "[");
    if (reference.kind == DEBUG_PARTS)
        put_parts(session, &lane, &reference, start, count, answer);
    else if (reference.kind == DEBUG_ITEM)
        put_item_values(session, &lane, answer);
    else
        put_scope(session, &lane, reference.frame, reference.kind, answer);
    text_append(answer, "]");
    return true;
}

/* ---- expressions ---- */

static bool is_assignment(struct debug_session *session, const char *text)
{
    const struct expression *expression;
    struct error error;
    return debug_parse(session, text, true, &session->scratch, &expression, &error) == STATUS_OK &&
           expression->kind == EXPRESSION_ASSIGNMENT;
}

static bool put_evaluated(struct debug_session *session, const struct cJSON *request,
                          bool may_assign, struct text *answer, struct error *error)
{
    const char *text = json_object_text(request, "expression");
    const char *format = json_object_text(request, "format");
    struct debug_lane lane;
    uint32_t frame;
    struct debug_value value;
    if (!text)
        error_set(error, STATUS_INVALID, "an expression is wanted");
    if (!text || !find_lane(session, request, &lane, &frame, error) ||
        !debug_evaluate_text(&lane, text, may_assign, &value, error))
        return false;
    if (may_assign && is_assignment(session, text))
        debug_note_change(session, &lane, &value, text);
    json_key(answer, "value");
    put_members(session, &lane, frame, text, &value, format ? format[0] : 0, answer);
    return true;
}

bool debug_answer_evaluate(struct debug_session *session, const struct cJSON *request,
                           struct text *answer, struct error *error)
{
    return put_evaluated(session, request, false, answer, error);
}

/* ---- memory ---- */

/* The address that is meant: of a pointer where it leads, of what lies in memory its own. */
static bool find_address(const struct cJSON *request, const struct debug_lane *lane,
                         uint64_t *address, uint64_t *size, struct error *error)
{
    const char *text = json_object_text(request, "expression");
    struct debug_value value;
    if (!text)
        text = json_object_text(request, "address");
    if (!text) {
        error_set(error, STATUS_INVALID, "an expression or address is wanted");
        return false;
    }
    if (!debug_evaluate_text(lane, text, false, &value, error))
        return false;
    if (value.unknown || (value.count == 1 && value.undefined[0])) {
        error_set(error, STATUS_INVALID, "it has no address: %s",
                  value.unknown ? value.unknown : "it is undefined");
        return false;
    }
    if (value.count == 1 && (value.number.is_pointer || !value.has_spot)) {
        *address = value.bits[0];
        *size = debug_readable(lane, *address, UINT64_MAX);
        return true;
    }
    if (!value.has_spot || value.spot.variable) {
        error_set(error, STATUS_INVALID, "it lies in no memory");
        return false;
    }
    if (debug_value_has_gaps(&value)) {
        error_set(error, STATUS_INVALID, "its bytes do not lie together");
        return false;
    }
    *address = value.spot.offset;
    *size = debug_value_size(&value);
    return true;
}

static void put_hexadecimal(const char *key, const uint8_t *bytes, uint64_t count,
                            struct text *answer)
{
    static const char digits[] = "0123456789abcdef";
    json_key(answer, key);
    text_append(answer, "\"");
    for (uint64_t i = 0; i < count; i++) {
        const char two[] = {digits[bytes[i] >> 4], digits[bytes[i] & 15]};
        text_append_n(answer, two, sizeof two);
    }
    text_append(answer, "\"");
}

static void put_address(const char *key, uint64_t address, struct text *answer)
{
    struct text text = TEXT_INIT;
    text_format(&text, "0x%" PRIx64, address);
    json_string(answer, key, text.bytes);
    text_release(&text);
}

bool debug_answer_memory(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    enum { COUNT_MAX = 65536 };
    struct debug_lane lane;
    uint32_t frame;
    uint64_t address;
    uint64_t size;
    uint64_t count = 64;
    int64_t offset = 0;
    const char *why;
    json_object_number(request, "count", &count);
    json_object_integer(request, "offset", &offset);
    if (!find_lane(session, request, &lane, &frame, error) ||
        !find_address(request, &lane, &address, &size, error))
        return false;
    address += (uint64_t)offset;
    const uint64_t readable = debug_readable(&lane, address, count < COUNT_MAX ? count : COUNT_MAX);
    uint8_t *bytes = arena_alloc(&session->scratch, 2 * readable + 1, 1);
    if (!bytes) {
        error_no_memory(error, readable);
        return false;
    }
    if (readable && !debug_peek(&lane, (struct debug_spot){.offset = address}, readable, bytes,
                                bytes + readable, &why)) {
        error_set(error, STATUS_INVALID, "%s", why);
        return false;
    }
    put_address("address", address, answer);
    put_hexadecimal("bytes", bytes, readable, answer);
    put_hexadecimal("undefined", bytes + readable, readable, answer);
    json_number(answer, "readable", readable);
    json_number(answer, "size", size);
    return true;
}

static void put_image(const struct vm_image *image, struct text *answer)
{
    json_string(answer, "type", vm_image_type_name(image->type));
    json_number(answer, "width", image->width);
    json_number(answer, "height", image->height);
    json_number(answer, "depth", image->depth);
    json_number(answer, "layers", image->layers);
    json_number(answer, "order", CL_R + image->order);
    json_number(answer, "channel", CL_SNORM_INT8 + image->channel);
    json_number(answer, "texel_size", image->texel_size);
    json_number(answer, "row_pitch", image->row_pitch);
    json_number(answer, "slice_pitch", image->slice_pitch);
}

bool debug_answer_image(struct debug_session *session, const struct cJSON *request,
                        struct text *answer, struct error *error)
{
    const char *text = json_object_text(request, "expression");
    struct debug_lane lane;
    struct debug_value value;
    struct vm_image image;
    uint32_t frame;
    uint64_t level = 0;
    struct text shown = TEXT_INIT;
    if (!find_lane(session, request, &lane, &frame, error) ||
        !debug_evaluate_text(&lane, text ? text : "", false, &value, error))
        return false;
    if (value.unknown || value.opaque != DEBUG_IMAGE) {
        error_set(error, STATUS_INVALID, "'%s' is not an image%s%s", text,
                  value.unknown ? ": " : "", value.unknown ? value.unknown : "");
        return false;
    }
    const uint32_t levels = value.object->image->levels > 1 ? value.object->image->levels : 1;
    json_object_number(request, "level", &level);
    if (level >= levels) {
        error_set(error, STATUS_INVALID, "'%s' has no level %" PRIu64 ": the last is %u", text,
                  level, levels - 1);
        return false;
    }
    const uint64_t offset = vm_image_level(value.object->image, (uint32_t)level, &image);
    debug_append_image(&lane, &value, &shown);
    json_key(answer, "image");
    text_append(answer, "{");
    json_string(answer, "text", shown.bytes);
    json_string(answer, "name", value.object->identity.name);
    put_image(&image, answer);
    json_number(answer, "levels", levels);
    put_address("address", value.bits[0] + offset, answer);
    text_append(answer, "}");
    text_release(&shown);
    return true;
}

bool debug_answer_set(struct debug_session *session, const struct cJSON *request,
                      struct text *answer, struct error *error)
{
    const char *digits = json_object_text(request, "bytes");
    struct debug_lane lane;
    uint32_t frame;
    uint64_t address;
    uint64_t size;
    int64_t offset = 0;
    json_object_integer(request, "offset", &offset);
    if (digits)
        return find_lane(session, request, &lane, &frame, error) &&
               find_address(request, &lane, &address, &size, error) &&
               debug_write_bytes(session, &lane, address + (uint64_t)offset, digits, answer, error);
    return put_evaluated(session, request, true, answer, error);
}

/* ---- items that differ ---- */

struct difference {
    char *value;
    const char *state;
    uint32_t count, first;
};

struct differences {
    struct difference *list;
    size_t count, capacity;
    uint32_t *of; /* by item */
};

static bool add_difference(struct differences *differences, struct debug_session *session,
                           uint32_t item, const char *value, const char *state)
{
    size_t i = 0;
    while (i < differences->count && strcmp(differences->list[i].value, value) != 0)
        i++;
    if (i == differences->count) {
        struct difference *list =
            alloc_grow(differences->list, i, &differences->capacity, sizeof *list);
        if (!list)
            return false;
        differences->list = list;
        list[i] = (struct difference){
            .value = arena_string(&session->scratch, value), .state = state, .first = item};
        if (!list[i].value)
            return false;
        differences->count++;
    }
    differences->list[i].count++;
    differences->of[item] = (uint32_t)i;
    return true;
}

static int compare_differences(const void *a, const void *b)
{
    const struct difference *first = a;
    const struct difference *second = b;
    if (first->count != second->count)
        return first->count < second->count ? 1 : -1;
    return first->first < second->first ? -1 : 1;
}

/* Evaluates it for each item that has rows now. */
static bool find_differences(struct debug_session *session, const char *text,
                             struct differences *differences, struct error *error)
{
    const uint32_t items = session->holder ? session->holder->group.item_count : 0;
    const struct expression *expression;
    const struct debug_lane focus = debug_focus(session);
    struct debug_value value;
    if (!debug_evaluate_text(&focus, text, false, &value, error) ||
        debug_parse(session, text, false, &session->scratch, &expression, error) != STATUS_OK)
        expression = NULL;
    differences->of = arena_alloc(&session->scratch, (size_t)items + 1, sizeof(uint32_t));
    bool complete = differences->of != NULL;
    for (uint32_t item = 0; item < items && complete && expression; item++) {
        const struct debug_lane lane =
            debug_lane_of(session, item / VM_LANES, item % VM_LANES, session->frame);
        struct text shown = TEXT_INIT;
        const char *state = "unknown";
        struct error none;
        if (!lane.place)
            text_append(&shown, "<the work-item is not here now>");
        else if (!debug_evaluate(&lane, expression, &value, &none))
            text_format(&shown, "<%s>", none.text);
        else {
            debug_print_value(&lane, &value, 0, &shown);
            state = debug_value_state(&lane, &value);
        }
        complete = add_difference(differences, session, item, shown.bytes, state);
        text_release(&shown);
    }
    if (!complete)
        error_no_memory(error, items);
    return complete && expression;
}

bool debug_answer_differ(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    enum { SHOWN_MAX = 64 };
    const char *text = json_object_text(request, "expression");
    struct differences differences = {0};
    if (!text) {
        error_set(error, STATUS_INVALID, "an expression is wanted");
        return false;
    }
    if (!find_differences(session, text, &differences, error)) {
        alloc_free(differences.list);
        return false;
    }
    const uint32_t items = session->holder ? session->holder->group.item_count : 0;
    struct difference *sorted = arena_copy(&session->scratch, differences.list,
                                           differences.count * sizeof *differences.list);
    bool *chosen = arena_alloc(&session->scratch, (size_t)items + 1, sizeof *chosen);
    if (sorted && differences.count)
        qsort(sorted, differences.count, sizeof *sorted, compare_differences);
    json_key(answer, "values");
    text_append(answer, "[");
    for (size_t i = 0; sorted && chosen && i < differences.count && i < SHOWN_MAX; i++) {
        struct text ranges = TEXT_INIT;
        for (uint32_t item = 0; item < items; item++)
            chosen[item] = differences.of[item] == differences.of[sorted[i].first];
        debug_append_ranges(&ranges, chosen, items);
        json_item(answer);
        text_append(answer, "{");
        json_string(answer, "value", sorted[i].value);
        json_string(answer, "state", sorted[i].state);
        json_number(answer, "count", sorted[i].count);
        json_string(answer, "items", ranges.bytes);
        text_append(answer, "}");
        text_release(&ranges);
    }
    text_append(answer, "]");
    if (differences.count > SHOWN_MAX)
        json_number(answer, "more", differences.count - SHOWN_MAX);
    alloc_free(differences.list);
    return true;
}

void debug_look_around(struct debug_session *session)
{
    const struct debug_lane lane = debug_focus(session);
    struct text answer = TEXT_INIT;
    struct error error;
    const uint32_t frames = debug_frame_count(session, lane.place);
    for (uint32_t frame = 0; frame < frames; frame++) {
        const struct debug_lane at = debug_lane_of(session, lane.vector_index, lane.lane, frame);
        put_scope(session, &at, frame, DEBUG_LOCALS, &answer);
        put_scope(session, &at, frame, DEBUG_ARGUMENTS, &answer);
        put_scope(session, &at, frame, DEBUG_LOCAL_MEMORY, &answer);
    }
    for (size_t i = 0; i < session->reference_count && i < 8; i++) {
        const struct debug_reference reference = session->references[i]; /* the list may move */
        put_parts(session, &lane, &reference, 0, 8, &answer);
    }
    debug_answer_stack(session, NULL, &answer, &error);
    debug_answer_disassemble(session, NULL, &answer, &error);
    text_release(&answer);
}
