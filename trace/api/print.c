/* A call as a person reads it, and as JSON.
 *
 * Both come from one walk over the call: atoms (a number, a name, a handle, a string) are written
 * bare for a person and quoted for JSON; lists are in brackets in both. Output parameters of a
 * completed call show what was written: `num_devices -> 2`. */
#include "trace/api/enumerant.h"
#include "trace/api/property.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <string.h>

enum {
    SHOWN_STRING_SIZE = 200, /* of a string in text; JSON has all of it */
    SHOWN_BYTES = 32,        /* of bytes without a structure in text */
};

struct printer {
    const struct api_call *call;
    const struct api_entry_info *info;
    api_handle_name *name_handle;
    void *user;
    bool json;
    struct text *text;
};

/* ---- atoms ---- */

/* A word that JSON quotes: a name, an address, a composite. */
static void put_word(const struct printer *printer, const char *word)
{
    if (printer->json)
        text_append_json(printer->text, word);
    else
        text_append_visible(printer->text, word, VISIBLE_ONE_LINE);
}

static void put_number(const struct printer *printer, uint64_t number, bool is_signed)
{
    if (is_signed)
        text_format(printer->text, "%" PRId64, (int64_t)number);
    else
        text_format(printer->text, "%" PRIu64, number);
}

static void put_null(const struct printer *printer)
{
    text_append(printer->text, printer->json ? "null" : "NULL");
}

static void put_address(const struct printer *printer, uint64_t address)
{
    if (address == 0) {
        put_null(printer);
        return;
    }
    text_format(printer->text, printer->json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, address);
}

static const char *handle_name(const struct printer *printer, uint64_t handle)
{
    return printer->name_handle && handle != 0 ? printer->name_handle(printer->user, handle) : NULL;
}

static void put_handle(const struct printer *printer, uint64_t handle)
{
    const char *name = handle_name(printer, handle);
    if (name)
        put_word(printer, name);
    else
        put_address(printer, handle);
}

/* A word made on the way; that it could not be made is remembered. Releases it. */
static void put_text(const struct printer *printer, struct text *word)
{
    put_word(printer, word->bytes);
    printer->text->failed |= word->failed;
    text_release(word);
}

static void put_enumerant(const struct printer *printer, enum api_family family, uint64_t value)
{
    struct text word = TEXT_INIT;
    api_enumerant_print(family, value, &word);
    put_text(printer, &word);
}

/* In text: in quotes, with C's escapes, and cut. */
static void put_string(const struct printer *printer, const char *string, uint64_t size)
{
    if (printer->json) {
        text_append_json_n(printer->text, string, size);
        return;
    }
    const uint64_t shown = size > SHOWN_STRING_SIZE ? SHOWN_STRING_SIZE : size;
    text_append_char(printer->text, '"');
    for (uint64_t i = 0; i < shown;) {
        char escape[VISIBLE_SHOWN_SIZE];
        const size_t length = visible_next(string + i, size - i, escape);
        if (string[i] == '"' || string[i] == '\\')
            text_format(printer->text, "\\%c", string[i]);
        else if (*escape)
            text_append(printer->text, escape);
        else
            text_append_n(printer->text, string + i, length);
        i += length;
    }
    text_append(printer->text, shown < size ? "\"..." : "\"");
}

/* In text: "3f 80 00 00", cut; in JSON: a string of hexadecimal digits, whole. */
static void put_bytes(const struct printer *printer, const uint8_t *bytes, uint64_t size)
{
    const uint64_t shown = !printer->json && size > SHOWN_BYTES ? SHOWN_BYTES : size;
    text_append_char(printer->text, printer->json ? '"' : '<');
    for (uint64_t i = 0; i < shown; i++)
        text_format(printer->text, printer->json || i == 0 ? "%02x" : " %02x", bytes[i]);
    if (shown < size)
        text_format(printer->text, " ... %" PRIu64 " bytes", size);
    text_append_char(printer->text, printer->json ? '"' : '>');
}

/* ---- lists ---- */

typedef void put_element(const struct printer *printer, uint32_t of, uint64_t element);

static void element_handle(const struct printer *printer, uint32_t of, uint64_t element)
{
    (void)of;
    put_handle(printer, element);
}

static void element_number(const struct printer *printer, uint32_t of, uint64_t element)
{
    (void)of;
    put_number(printer, element, false);
}

static void element_address(const struct printer *printer, uint32_t of, uint64_t element)
{
    (void)of;
    put_address(printer, element);
}

static void element_enumerant(const struct printer *printer, uint32_t of, uint64_t element)
{
    put_enumerant(printer, of, element);
}

static uint64_t list_at(const void *data, uint64_t index, size_t element_size)
{
    uint64_t element = 0;
    memcpy(&element, (const char *)data + index * element_size, element_size);
    return element;
}

static void put_list(const struct printer *printer, const void *data, uint64_t count,
                     size_t element_size, put_element *put, uint32_t of)
{
    text_append_char(printer->text, '[');
    for (uint64_t i = 0; i < count; i++) {
        text_append(printer->text, i == 0 ? "" : ", ");
        put(printer, of, list_at(data, i, element_size));
    }
    text_append_char(printer->text, ']');
}

static void put_strings(const struct printer *printer, const struct api_value *value)
{
    const char *at = value->data;
    text_append_char(printer->text, '[');
    for (uint32_t i = 0; i < value->count; i++) {
        uint64_t length;
        memcpy(&length, at, sizeof length);
        text_append(printer->text, i == 0 ? "" : ", ");
        put_string(printer, at + sizeof length, length);
        at += sizeof length + length;
    }
    text_append_char(printer->text, ']');
}

/* ---- values with a structure ---- */

static void print_image_format(const struct printer *printer, const uint8_t *bytes,
                               struct text *word)
{
    cl_image_format format;
    (void)printer;
    memcpy(&format, bytes, sizeof format);
    text_append_char(word, '{');
    api_enumerant_print(API_FAMILY_CHANNEL_ORDER, format.image_channel_order, word);
    text_append(word, ", ");
    api_enumerant_print(API_FAMILY_CHANNEL_TYPE, format.image_channel_data_type, word);
    text_append_char(word, '}');
}

static void print_image_desc(const struct printer *printer, const uint8_t *bytes, struct text *word)
{
    cl_image_desc desc;
    memcpy(&desc, bytes, sizeof desc);
    text_append_char(word, '{');
    api_enumerant_print(API_FAMILY_MEM_OBJECT_TYPE, desc.image_type, word);
    text_format(word, ", %zux%zux%zu", desc.image_width, desc.image_height, desc.image_depth);
    if (desc.image_array_size != 0)
        text_format(word, ", array of %zu", desc.image_array_size);
    if (desc.image_row_pitch != 0 || desc.image_slice_pitch != 0)
        text_format(word, ", pitches %zu and %zu", desc.image_row_pitch, desc.image_slice_pitch);
    if (desc.mem_object) {
        const char *name = handle_name(printer, (uint64_t)desc.mem_object);
        if (name)
            text_format(word, ", of %s", name);
        else
            text_format(word, ", of 0x%" PRIx64, (uint64_t)desc.mem_object);
    }
    text_append_char(word, '}');
}

static void print_buffer_region(const struct printer *printer, const uint8_t *bytes,
                                struct text *word)
{
    cl_buffer_region region;
    (void)printer;
    memcpy(&region, bytes, sizeof region);
    text_format(word, "{origin %zu, size %zu}", region.origin, region.size);
}

static const struct structure {
    size_t size; /* 0 = no structure, or not known */
    void (*print)(const struct printer *printer, const uint8_t *bytes, struct text *word);
} structures[API_FAMILY_COUNT] = {
    [API_FAMILY_IMAGE_FORMAT] = {sizeof(cl_image_format), print_image_format},
    [API_FAMILY_IMAGE_DESC] = {sizeof(cl_image_desc), print_image_desc},
    [API_FAMILY_BUFFER_REGION] = {sizeof(cl_buffer_region), print_buffer_region},
};

/* One structure, or a list of them; bytes that are not whole number of structures stay bytes. */
static void put_structs(const struct printer *printer, enum api_family family,
                        const struct api_value *value, bool list)
{
    const size_t size = structures[family].size;
    if (size == 0 || value->size % size != 0 || (!list && value->size != size)) {
        put_bytes(printer, value->data, value->size);
        return;
    }
    text_append(printer->text, list ? "[" : "");
    for (uint64_t at = 0; at < value->size; at += size) {
        struct text word = TEXT_INIT;
        text_append(printer->text, at == 0 ? "" : ", ");
        structures[family].print(printer, (const uint8_t *)value->data + at, &word);
        put_text(printer, &word);
    }
    text_append(printer->text, list ? "]" : "");
}

/* ---- answers of queries ---- */

/* What the call's param_name asks for; NULL where it is not known. */
static const struct api_enumerant *query_of(const struct printer *printer)
{
    const uint32_t index = api_entry_find_parameter(printer->info, "param_name");
    if (index >= printer->call->argument_count)
        return NULL;
    return api_enumerant_find(printer->info->parameters[index].family,
                              printer->call->arguments[index].bits);
}

static void put_one_or_list(const struct printer *printer, const struct api_value *value,
                            size_t element_size, put_element *put, uint32_t of)
{
    if (value->size % element_size != 0)
        put_bytes(printer, value->data, value->size);
    else if (value->size == element_size)
        put(printer, of, list_at(value->data, 0, element_size));
    else
        put_list(printer, value->data, value->size / element_size, element_size, put, of);
}

static void element_word32(const struct printer *printer, uint32_t of, uint64_t element)
{
    put_enumerant(printer, of, (uint64_t)(int64_t)(int32_t)element);
}

static void put_answer(const struct printer *printer, const struct api_value *value)
{
    static const struct {
        put_element *put;
        size_t size;
    } elements[] = {
        [API_ANSWER_NUMBERS32] = {element_number, 4},
        [API_ANSWER_NUMBERS64] = {element_number, 8},
        [API_ANSWER_WORDS32] = {element_word32, 4},
        [API_ANSWER_BITS64] = {element_enumerant, 8},
        [API_ANSWER_HANDLES] = {element_handle, 8},
        [API_ANSWER_ADDRESSES] = {element_address, 8},
        [API_ANSWER_BYTES] = {NULL, 0},
    };
    const struct api_enumerant *query = query_of(printer);
    const enum api_answer answer = query ? query->answer : API_ANSWER_BYTES;
    if (answer == API_ANSWER_STRING)
        put_string(printer, value->data, strnlen(value->data, value->size));
    else if (answer == API_ANSWER_STRUCT)
        put_structs(printer, query->of, value, false);
    else if (elements[answer].put)
        put_one_or_list(printer, value, elements[answer].size, elements[answer].put, query->of);
    else
        put_bytes(printer, value->data, value->size);
}

/* ---- properties and kernel arguments ---- */

/* A value is a handle, an enumerant or a plain number, as its name says. */
static void put_property_value(const struct printer *printer, const struct api_enumerant *name,
                               uint64_t value)
{
    if (name && name->answer == API_ANSWER_HANDLES)
        put_handle(printer, value);
    else if (name && (name->answer == API_ANSWER_WORDS32 || name->answer == API_ANSWER_BITS64))
        put_enumerant(printer, name->of, value);
    else
        put_number(printer, value, false);
}

static void put_properties(const struct printer *printer, enum api_family family,
                           const struct api_value *value)
{
    struct api_property property;
    text_append_char(printer->text, '[');
    for (uint32_t at = 0; api_property_next(value, family, &at, &property);) {
        const struct api_enumerant *name = api_enumerant_find(family, property.name);
        put_enumerant(printer, family, property.name);
        for (uint32_t i = 0; i < property.count; i++) {
            text_append(printer->text, ", ");
            put_property_value(printer, name, api_property_word(&property, i));
        }
        if (api_property_is_list(family, property.name))
            text_append(printer->text, ", 0");
        text_append(printer->text, ", ");
    }
    text_append(printer->text, value->count > 0 ? "0]" : "]");
}

/* The size and the value say whether an argument is a handle: there is one of that name. */
static void put_bytes_or_handle(const struct printer *printer, const struct api_value *value)
{
    const char *name = NULL;
    if (printer->call->entry == API_ENTRY_clSetKernelArg && value->size == sizeof(uint64_t))
        name = handle_name(printer, list_at(value->data, 0, 8));
    if (name)
        put_word(printer, name);
    else
        put_bytes(printer, value->data, value->size);
}

/* ---- one argument ---- */

static void put_out_scalar(const struct printer *printer, const struct api_parameter *parameter,
                           const struct api_value *value)
{
    put_element *put = parameter->family != API_FAMILY_NONE ? element_enumerant : element_number;
    if (value->count == 1 && parameter->role != API_ROLE_OUT_SCALARS)
        put(printer, parameter->family, list_at(value->data, 0, 8));
    else
        put_list(printer, value->data, value->count, 8, put, parameter->family);
}

static void put_scalar(const struct printer *printer, const struct api_parameter *parameter,
                       const struct api_value *value)
{
    if (parameter->family != API_FAMILY_NONE)
        put_enumerant(printer, parameter->family, value->bits);
    else
        put_number(printer, value->bits, parameter->flags & API_PARAMETER_SIGNED);
}

/* By the kind that the value has, not by the one that the role would give it: a recorded call need
 * not be what this table expects. */
static void put_value(const struct printer *printer, const struct api_parameter *parameter,
                      const struct api_value *value)
{
    switch (value->kind) {
    case API_VALUE_NONE:
        put_null(printer);
        break;
    case API_VALUE_SCALAR:
        put_scalar(printer, parameter, value);
        break;
    case API_VALUE_POINTER:
        put_address(printer, value->bits);
        break;
    case API_VALUE_HANDLE:
        put_handle(printer, value->bits);
        break;
    case API_VALUE_HANDLES:
        if (parameter->role == API_ROLE_OUT_EVENT && value->count == 1)
            put_handle(printer, list_at(value->data, 0, 8));
        else
            put_list(printer, value->data, value->count, 8, element_handle, 0);
        break;
    case API_VALUE_SIZES:
        if (parameter->flags & API_PARAMETER_OUT)
            put_out_scalar(printer, parameter, value);
        else
            put_list(printer, value->data, value->count, 8,
                     parameter->role == API_ROLE_ADDRESSES ? element_address : element_number, 0);
        break;
    case API_VALUE_STRING:
        put_string(printer, value->data, value->size);
        break;
    case API_VALUE_STRINGS:
        put_strings(printer, value);
        break;
    case API_VALUE_BYTES:
        if (parameter->role == API_ROLE_INFO_VALUE)
            put_answer(printer, value);
        else if (parameter->family != API_FAMILY_NONE)
            put_structs(printer, parameter->family, value, parameter->flags & API_PARAMETER_OUT);
        else
            put_bytes_or_handle(printer, value);
        break;
    case API_VALUE_PROPERTIES:
        put_properties(printer, parameter->family, value);
        break;
    }
}

/* What was not captured (NULL, unreadable, or an output that was not written) is shown as its
 * address; so is errcode_ret when clerk asked for the status in the application's place. */
static bool shows_address(const struct api_value *value)
{
    return value->kind == API_VALUE_POINTER ||
           (value->kind >= API_VALUE_HANDLES && !value->present);
}

static void put_argument(const struct printer *printer, uint32_t index)
{
    static const struct api_parameter unknown = {.name = "argument"};
    const struct api_parameter *parameter =
        index < printer->info->parameter_count ? &printer->info->parameters[index] : &unknown;
    const struct api_value *value = &printer->call->arguments[index];
    const bool address = shows_address(value);
    if (printer->json) {
        text_append_json(printer->text, parameter->name);
        text_append_char(printer->text, ':');
    } else {
        text_append(printer->text, parameter->name);
        text_append(printer->text,
                    parameter->flags & API_PARAMETER_OUT && !address ? " -> " : " = ");
    }
    if (address)
        put_address(printer, value->bits);
    else
        put_value(printer, parameter, value);
}

/* ---- the call ---- */

static struct printer printer_for(const struct api_call *call, api_handle_name *name_handle,
                                  void *user, bool json, struct text *text)
{
    return (struct printer){.call = call,
                            .info = api_entry_get(call->entry),
                            .name_handle = name_handle,
                            .user = user,
                            .json = json,
                            .text = text};
}

const char *api_call_name(const struct api_call *call)
{
    return call->name ? call->name : api_entry_get(call->entry)->name;
}

static void put_result(const struct printer *printer)
{
    static const struct api_parameter plain = {.name = ""};
    static const struct api_parameter status = {.name = "", .family = API_FAMILY_ERROR};
    const bool is_status = printer->info->return_role == API_ROLE_STATUS;
    put_value(printer, is_status ? &status : &plain, &printer->call->result);
}

static void put_arguments(const struct printer *printer)
{
    for (uint32_t i = 0; i < printer->call->argument_count; i++) {
        text_append(printer->text, i == 0 ? "" : printer->json ? "," : ", ");
        put_argument(printer, i);
    }
}

void api_call_print_arguments(const struct api_call *call, struct text *text)
{
    const struct printer printer = printer_for(call, NULL, NULL, false, text);
    put_arguments(&printer);
}

static void put_whole_result(const struct printer *printer)
{
    const struct api_call *call = printer->call;
    const int32_t status = api_call_status(call);
    const char *space = "";
    if (call->result.kind != API_VALUE_NONE) {
        put_result(printer);
        space = " ";
    }
    if (call->result.kind == API_VALUE_HANDLE || call->result.kind == API_VALUE_POINTER)
        if (status != CL_SUCCESS) {
            text_append(printer->text, " (");
            api_enumerant_print(API_FAMILY_ERROR, (uint64_t)(int64_t)status, printer->text);
            text_append_char(printer->text, ')');
        }
    if (call->flags & API_CALL_BLOCKED)
        text_format(printer->text, "%s(not passed on)", space);
}

void api_call_print_result(const struct api_call *call, struct text *text)
{
    const struct printer printer = printer_for(call, NULL, NULL, false, text);
    put_whole_result(&printer);
}

void api_call_print(const struct api_call *call, api_handle_name *name_handle, void *user,
                    struct text *text)
{
    const struct printer printer = printer_for(call, name_handle, user, false, text);
    put_word(&printer, api_call_name(call));
    text_append_char(text, '(');
    put_arguments(&printer);
    text_append_char(text, ')');
    if (!(call->flags & API_CALL_COMPLETED)) {
        text_append(text, " = ? (did not return)");
        return;
    }
    if (call->result.kind != API_VALUE_NONE)
        text_append(text, " = ");
    else if (call->flags & API_CALL_BLOCKED)
        text_append_char(text, ' ');
    put_whole_result(&printer);
}

void api_call_print_json(const struct api_call *call, api_handle_name *name_handle, void *user,
                         struct text *text)
{
    const struct printer printer = printer_for(call, name_handle, user, true, text);
    text_format(text, "{\"id\":%" PRIu64 ",\"thread\":%" PRIu32 ",\"call\":", call->id,
                call->thread);
    text_append_json(text, api_call_name(call));
    text_append(text, ",\"arguments\":{");
    put_arguments(&printer);
    text_append_char(text, '}');
    const bool completed = call->flags & API_CALL_COMPLETED;
    if (completed && call->result.kind != API_VALUE_NONE) {
        text_append(text, ",\"result\":");
        put_result(&printer);
    }
    text_format(text, ",\"completed\":%s", completed ? "true" : "false");
    if (call->flags & API_CALL_BLOCKED)
        text_append(text, ",\"blocked\":true");
    if (call->flags & API_CALL_SYNTHETIC)
        text_append(text, ",\"synthetic\":true");
    if (call->flags & API_CALL_IN_CALLBACK)
        text_append(text, ",\"in_callback\":true");
    text_format(text, ",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 "}", call->begin_ns,
                call->end_ns);
}
