#include "reference/debug/peek.h"

#include "reference/vm/access.h"
#include "reference/vm/defined.h"

#include <inttypes.h>
#include <string.h>

/* ---- home rows ---- */

/* Bytes that have no home were never written. */
static void peek_homes(const struct debug_lane *lane, struct debug_spot spot, uint64_t size,
                       uint8_t *bytes, uint8_t *undefined)
{
    const struct vm_vector *vector = lane->vector;
    memset(bytes, 0, size);
    memset(undefined, 0xFF, size);
    for (uint32_t h = 0; h < spot.variable->home_count; h++) {
        const struct vm_home *home = &spot.variable->homes[h];
        const bool is_argument =
            debug_is_between(lane->session); /* the same for all, and defined */
        const uint32_t element = is_argument ? 0 : lane->lane;
        const uint8_t *value =
            vector->units + (size_t)home->row * VM_UNIT_SIZE + (size_t)element * home->width;
        const uint64_t bits =
            is_argument ? 0 : vm_undefined_bits(vector, home->row, element, home->width);
        for (uint32_t i = 0; i < home->width; i++) {
            const uint64_t at = (uint64_t)home->offset + i - spot.offset;
            if (at >= size) /* also what lies before */
                continue;
            bytes[at] = value[i];
            undefined[at] = (uint8_t)(bits >> 8 * i);
        }
    }
}

static bool is_to_value(uint64_t address)
{
    return (address ^ VM_POINTER_TO_VALUES) >> VM_POINTER_OFFSET_BITS == 0;
}

struct debug_spot debug_spot_at(const struct debug_lane *lane, uint64_t address)
{
    const struct vm_code *code = lane->session->code;
    const uint64_t within = address - VM_POINTER_TO_VALUES;
    const uint64_t offset = within & ((UINT64_C(1) << VM_POINTER_VALUE_BITS) - 1);
    for (uint32_t i = 0; is_to_value(address) && i < code->debug_variable_count; i++) {
        const struct vm_debug_variable *variable = &code->debug_variables[i];
        if (variable->number == within >> VM_POINTER_VALUE_BITS && offset < variable->size)
            return (struct debug_spot){.variable = variable, .offset = offset};
    }
    return (struct debug_spot){.offset = address};
}

/* ---- memory ---- */

struct found {
    const struct vm_object *object;
    uint64_t offset; /* in it */
    uint64_t place;  /* of the byte, from object->bytes */
};

static bool find(const struct debug_lane *lane, uint64_t address, struct found *found,
                 const char **why)
{
    const struct vm_vector *vector = lane->vector;
    *why = "the address leads to no object";
    if (address == 0)
        *why = "the null pointer";
    if (is_to_value(address))
        *why = "out of bounds";
    if (!vector || address == 0)
        return false;
    const uint64_t pointer = access_pointer(vector, address, lane->lane);
    const struct vm_object *object =
        vm_pointer_is_owned(pointer) ? NULL : access_object(vector, pointer);
    if (!object)
        return false;
    const int64_t offset = vm_pointer_offset(pointer);
    *why = "the object is released";
    if (object->freed && !(object->private_stride && !(object->ended >> lane->lane & 1)))
        return false;
    *why = "out of bounds";
    if (offset < 0 || (uint64_t)offset >= object->size)
        return false;
    *found = (struct found){.object = object,
                            .offset = (uint64_t)offset,
                            .place = (uint64_t)offset + lane->lane * object->private_stride};
    return true;
}

static const char *no_item_runs(const struct debug_session *session)
{
    return session->over ? "all work-items have ended" : "no work-item has begun";
}

/* Memory of groups and items has their bytes from when they begin. */
static bool is_of_group(const struct vm_object *object)
{
    return object->identity.region == OBSERVER_LOCAL || object->identity.region == OBSERVER_PRIVATE;
}

static bool has_bytes(const struct debug_lane *lane, const struct vm_object *object,
                      const char **why)
{
    *why = no_item_runs(lane->session);
    return !debug_is_between(lane->session) || !is_of_group(object);
}

/* The undefined bits of a byte. */
static uint8_t undefined_bits(const struct debug_lane *lane, const struct found *found, uint64_t i)
{
    const struct vm_object *object = found->object;
    const struct vm_run *run = lane->vector->run;
    if (!object->undefined)
        return 0;
    const uint64_t bit = object->root_offset + found->offset + i;
    const bool undefined = object->private_stride ? object->undefined[bit] >> lane->lane & 1
                                                  : bits_get(object->undefined, bit, 1) != 0;
    if (!undefined)
        return 0;
    return (uint8_t)origins_bits(is_of_group(object) ? &run->births_in_group : &run->births,
                                 object->bytes + found->place + i, 1, 1);
}

bool debug_peek(const struct debug_lane *lane, struct debug_spot spot, uint64_t size,
                uint8_t *bytes, uint8_t *undefined, const char **why)
{
    struct found found;
    if (!lane->vector) {
        *why = "the work-item has no rows now";
        return false;
    }
    if (!spot.variable)
        spot = debug_spot_at(lane, spot.offset);
    if (spot.variable) {
        peek_homes(lane, spot, size, bytes, undefined);
        return true;
    }
    if (!find(lane, spot.offset, &found, why) || !has_bytes(lane, found.object, why))
        return false;
    *why = "out of bounds";
    if (size > found.object->size - found.offset)
        return false;
    memcpy(bytes, found.object->bytes + found.place, size);
    for (uint64_t i = 0; i < size; i++)
        undefined[i] = undefined_bits(lane, &found, i);
    return true;
}

void debug_window_open(const struct debug_lane *lane, uint64_t address, struct debug_window *window)
{
    struct found found;
    const char *why;
    window->size = 0;
    if (!find(lane, address, &found, &why) || is_of_group(found.object) ||
        access_pointer(lane->vector, address, lane->lane) != address)
        return;
    *window = (struct debug_window){.bytes = found.object->bytes,
                                    .undefined = found.object->undefined,
                                    .root_offset = found.object->root_offset,
                                    .address = address - found.offset,
                                    .size = found.object->size};
}

const uint8_t *debug_window_find(const struct debug_window *window, uint64_t address, uint64_t size)
{
    const uint64_t offset = address - window->address;
    if (offset >= window->size || size > window->size - offset)
        return NULL;
    for (uint64_t i = 0; window->undefined && i < size; i += 64) {
        const uint32_t count = size - i < 64 ? (uint32_t)(size - i) : 64;
        if (bits_get(window->undefined, window->root_offset + offset + i, count))
            return NULL;
    }
    return window->bytes + offset;
}

bool debug_find_object(const struct debug_lane *lane, uint64_t address,
                       const struct vm_object **object, uint64_t *offset, uint32_t *index,
                       const char **why)
{
    struct found found;
    if (!find(lane, address, &found, why))
        return false;
    const uint32_t number = vm_pointer_object(access_pointer(lane->vector, address, lane->lane));
    *object = found.object;
    *offset = found.offset;
    *index = number < VM_LAUNCH_OBJECT ? UINT32_MAX : number - VM_LAUNCH_OBJECT;
    return true;
}

uint64_t debug_readable(const struct debug_lane *lane, uint64_t address, uint64_t size)
{
    struct found found;
    const char *why;
    if (!find(lane, address, &found, &why))
        return 0;
    const uint64_t rest = found.object->size - found.offset;
    return rest < size ? rest : size;
}

bool debug_poke(const struct debug_lane *lane, struct debug_spot spot, uint64_t size,
                const uint8_t *bytes, const char **why)
{
    struct found found;
    if (spot.variable) {
        *why = "it is held as values (with --variables memory it can be)";
        return false;
    }
    if (!find(lane, spot.offset, &found, why) || !has_bytes(lane, found.object, why))
        return false;
    *why = "out of bounds";
    if (size > found.object->size - found.offset)
        return false;
    *why = "the object is read-only";
    if (found.object->sealed)
        return false;
    memcpy(found.object->bytes + found.place, bytes, size);
    for (uint64_t i = 0; i < size && found.object->undefined; i++) {
        const uint64_t bit = found.object->root_offset + found.offset + i;
        if (found.object->private_stride)
            found.object->undefined[bit] &= ~(UINT64_C(1) << lane->lane);
        else
            bits_put_shared(found.object->undefined, bit, 1, 0);
    }
    return true;
}

/* "&length", as C has it. */
static void append_pointer_to_value(const struct debug_lane *lane, uint64_t address,
                                    struct text *text)
{
    const struct debug_info *info = lane->session->code->debug_info;
    const struct debug_spot spot = debug_spot_at(lane, address);
    uint32_t count = 0;
    const struct debug_location *const *locations =
        spot.variable && info ? debug_info_of_id(info, spot.variable->id, &count) : NULL;
    if (count == 0) {
        text_append(text, "a variable that is held as values");
        return;
    }
    text_format(text, "&%s", info->variables[locations[0]->variable].name);
    if (spot.offset != 0)
        text_format(text, " + %" PRIu64, spot.offset);
}

void debug_append_pointer(const struct debug_lane *lane, uint64_t address, struct text *text)
{
    const struct vm_vector *vector = lane->vector;
    if (address == 0) {
        text_append(text, "NULL");
        return;
    }
    if (is_to_value(address)) {
        append_pointer_to_value(lane, address, text);
        return;
    }
    const uint64_t pointer = vector ? access_pointer(vector, address, lane->lane) : address;
    const struct vm_object *object =
        vector && !vm_pointer_is_owned(pointer) ? access_object(vector, pointer) : NULL;
    if (!object) {
        text_format(text, "0x%" PRIx64, address);
        return;
    }
    const int64_t offset = vm_pointer_offset(pointer);
    text_append(text, object->identity.name);
    if (offset != 0)
        text_format(text, offset < 0 ? " - %" PRIu64 : " + %" PRIu64,
                    offset < 0 ? (uint64_t)-offset : (uint64_t)offset);
}

/* ---- variables ---- */

struct debug_site debug_site_of(const struct debug_lane *lane)
{
    const struct vm_code *code = lane->session->code;
    const struct vm_place *place = debug_place(lane->session, lane->place);
    static const struct debug_context none;
    return (struct debug_site){
        .context = code->debug_info ? &code->debug_info->contexts[place->context] : &none,
        .file = place->file,
        .line = place->line,
        .column = place->column};
}

static const struct vm_debug_variable *find_kept(const struct debug_lane *lane, uint32_t id,
                                                 bool global)
{
    const struct vm_code *code = lane->session->code;
    const uint32_t caller = debug_place(lane->session, lane->place)->caller;
    for (uint32_t i = 0; i < code->debug_variable_count; i++) {
        const struct vm_debug_variable *variable = &code->debug_variables[i];
        if (variable->id == id && (global || variable->caller == caller))
            return variable;
    }
    return NULL;
}

/* Where no work-item runs an argument is in the rows that it was given in. */
static bool find_argument(const struct debug_lane *lane, const struct debug_variable *variable,
                          struct debug_spot *spot, const char **why)
{
    const struct vm_code *code = lane->session->code;
    struct arena *arena = &lane->session->held;
    *why = no_item_runs(lane->session);
    if (!lane->vector || variable->argument == 0 || variable->argument > code->parameter_count)
        return false;
    const struct vm_parameter *parameter = &code->parameters[variable->argument - 1];
    const bool is_value = parameter->kind == VM_PARAMETER_VALUE;
    const uint32_t count = is_value ? parameter->count : 1;
    *why = "it is shown for a work-item that runs";
    if (parameter->row == 0 || parameter->kind == VM_PARAMETER_STRUCT)
        return false;
    struct vm_debug_variable *given = arena_alloc(arena, 1, sizeof *given);
    struct vm_home *homes = arena_alloc(arena, count, sizeof *homes);
    *why = "out of memory";
    if (!given || !homes)
        return false;
    const uint8_t width = is_value ? parameter->width : 8;
    for (uint32_t i = 0; i < count; i++)
        homes[i] = (struct vm_home){.offset = i * width, .width = width, .row = parameter->row + i};
    *given = (struct vm_debug_variable){.variable = UINT32_MAX,
                                        .size = parameter->size,
                                        .homes = homes,
                                        .home_count = count,
                                        .is_pipe = parameter->kind == VM_PARAMETER_PIPE};
    *spot = (struct debug_spot){.variable = given};
    return true;
}

bool debug_find_variable(const struct debug_lane *lane, const struct debug_variable *variable,
                         struct debug_spot *spot, const char **why)
{
    if (debug_is_between(lane->session))
        return find_argument(lane, variable, spot, why);
    const struct vm_code *code = lane->session->code;
    const struct debug_location *location =
        debug_variable_declared(variable, debug_site_of(lane).context->inlining);
    *why = "the program does not say where it is";
    if (!location || location->fragment)
        return false;
    const struct vm_debug_variable *kept = find_kept(lane, location->id, variable->global);
    *why = "it is not known where it is";
    if (!kept || kept->lost)
        return false;
    *why = "the work-item has no rows now";
    if (!lane->vector)
        return false;
    *spot = (struct debug_spot){.variable = kept};
    const bool is_global = kept->home_count == 1 && kept->homes[0].width == 0;
    if (kept->variable != UINT32_MAX || is_global) {
        const vm_row row = is_global ? kept->homes[0].row : code->variables[kept->variable].row;
        uint64_t address;
        memcpy(&address, lane->vector->units + (size_t)row * VM_UNIT_SIZE, sizeof address);
        *spot = (struct debug_spot){.offset = address};
    }
    for (uint32_t s = 0; s < location->step_count; s++) {
        uint8_t bytes[8];
        uint8_t undefined[8];
        if (location->steps[s].kind == DEBUG_STEP_PLUS) {
            spot->offset += (uint64_t)location->steps[s].bytes;
            continue;
        }
        if (!debug_peek(lane, *spot, sizeof bytes, bytes, undefined, why))
            return false;
        *spot = (struct debug_spot){0};
        memcpy(&spot->offset, bytes, sizeof bytes);
    }
    return true;
}
