#include "layer/capture.h"

#include "layer/image.h"
#include "trace/api/mutable_config.h"
#include "trace/api/property.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <string.h>

enum {
    /* Longer lists and strings than any program passes are taken for garbage and kept as addresses.
     */
    LIST_LIMIT = 1 << 20,
    STRING_LIMIT = 256 << 20,
    PROPERTY_LIMIT = 1024,
};

_Static_assert(sizeof(cl_context_properties) == 8 && sizeof(cl_egl_image_properties_khr) == 8,
               "property lists are lists of 64-bit words");

/* What the capture of one argument needs. */
struct capture {
    const struct api_entry_info *info;
    const struct api_parameter *parameter;
    const uint64_t *words;
    struct arena *arena;
    struct readable *readable;
};

static uint64_t read_number(const void *address, size_t size, bool is_signed)
{
    uint64_t number = 0;
    uint32_t half;
    switch (size) { /* copies of a fixed size are single instructions */
    case 8:
        memcpy(&number, address, 8);
        return number;
    case 4:
        memcpy(&half, address, 4);
        return is_signed ? (uint64_t)(int64_t)(int32_t)half : half;
    default:
        memcpy(&number, address, size);
        return number;
    }
}

/* ---- input ---- */

static bool put_data(struct api_value *value, enum api_value_kind kind, uint64_t count,
                     uint64_t size, const void *data)
{
    if (!data)
        return false;
    ASSERT(count <= UINT32_MAX);
    value->kind = kind;
    value->count = (uint32_t)count;
    value->size = size;
    value->data = data;
    return true;
}

/* The origin "src_origin" is one in "src_image". */
static bool is_origin_with_fourth(const struct capture *capture)
{
    static const char ending[] = "origin";
    const char *name = capture->parameter->name;
    const size_t length = strlen(name), start = length - strlen(ending);
    bool found = false;
    if (length < strlen(ending) || strcmp(name + start, ending) != 0)
        return false;
    for (uint32_t i = 0; i < capture->info->parameter_count && !found; i++) {
        const char *other = capture->info->parameters[i].name;
        found = strncmp(other, name, start) == 0 && strcmp(other + start, "image") == 0 &&
                image_has_fourth(capture->words[i]);
    }
    return found;
}

static uint64_t list_count(const struct capture *capture)
{
    const uint64_t count = api_parameter_count(capture->parameter, capture->words);
    const bool has_fourth = capture->parameter->role == API_ROLE_SIZES && image_any_has_fourth() &&
                            is_origin_with_fourth(capture);
    return count + has_fourth;
}

/* A list of handles, sizes, addresses, or of smaller numbers, which are widened. */
static void capture_list(const struct capture *capture, enum api_value_kind kind,
                         struct api_value *value)
{
    const void *list = (const void *)value->bits;
    const uint64_t count = list_count(capture);
    const enum api_role role = (enum api_role)capture->parameter->role;
    const uint32_t width = role == API_ROLE_SIZES || role == API_ROLE_SYNC_POINTS
                               ? capture->parameter->element_size
                               : 8;
    if (count > LIST_LIMIT || !readable_bytes(capture->readable, list, count * width))
        return;
    uint64_t *words = width == 8 ? arena_copy(capture->arena, list, count * 8)
                                 : arena_alloc(capture->arena, count, 8);
    for (uint64_t i = 0; words && width != 8 && i < count; i++)
        words[i] = read_number((const char *)list + i * width, width, false);
    put_data(value, kind, count, count * 8, words);
}

/* OpenCL API 3.0, 5.3.3: "The fill color is a single floating-point value if the channel order is
 * CL_DEPTH." */
static uint64_t byte_count(const struct capture *capture)
{
    if (capture->parameter->family == API_FAMILY_FILL_COLOUR &&
        image_is_depth(capture->words[API_clEnqueueFillImage_image]))
        return sizeof(cl_float);
    return api_parameter_count(capture->parameter, capture->words);
}

static void capture_bytes(const struct capture *capture, struct api_value *value)
{
    const void *bytes = (const void *)value->bits;
    uint64_t size;
    if (size_mul(byte_count(capture), capture->parameter->element_size, &size) &&
        size <= STRING_LIMIT && readable_bytes(capture->readable, bytes, size))
        put_data(value, API_VALUE_BYTES, 0, size, arena_copy(capture->arena, bytes, size));
}

static void capture_string(const struct capture *capture, struct api_value *value)
{
    const char *string = (const char *)value->bits;
    size_t length;
    if (readable_string(capture->readable, string, STRING_LIMIT, &length))
        put_data(value, API_VALUE_STRING, 0, length, arena_copy(capture->arena, string, length));
}

/* The length of string i: from `lengths` where there is one, else to the NUL; binaries have no NUL.
 */
static bool string_length(const struct capture *capture, const char *string, const size_t *lengths,
                          uint64_t i, size_t *length)
{
    const bool binary = capture->parameter->role == API_ROLE_BINARIES;
    if (!string)
        return false;
    if (lengths && (lengths[i] != 0 || binary)) {
        *length = lengths[i];
        return *length <= STRING_LIMIT && readable_bytes(capture->readable, string, *length);
    }
    return !binary && readable_string(capture->readable, string, STRING_LIMIT, length);
}

static void capture_strings(const struct capture *capture, struct api_value *value)
{
    const char *const *strings = (const char *const *)value->bits;
    const uint64_t count = api_parameter_count(capture->parameter, capture->words);
    const size_t *lengths = NULL;
    if (capture->parameter->actual_index != API_PARAMETER_NONE)
        lengths = (const size_t *)capture->words[capture->parameter->actual_index];
    if (count > LIST_LIMIT ||
        !readable_bytes(capture->readable, strings, count * sizeof *strings) ||
        (lengths && !readable_bytes(capture->readable, lengths, count * sizeof *lengths)))
        return;
    if ((uintptr_t)strings % _Alignof(char *) != 0 || (uintptr_t)lengths % _Alignof(size_t) != 0)
        return; /* no array lies there */
    uint64_t size = 0;
    for (uint64_t i = 0; i < count; i++) {
        size_t length;
        if (!string_length(capture, strings[i], lengths, i, &length) ||
            !size_add(size, length + sizeof(uint64_t), &size)) {
            /* Not what it should be: the addresses, among which may be a NULL. */
            capture_list(capture, API_VALUE_SIZES, value);
            return;
        }
    }
    char *data = arena_alloc(capture->arena, 1, size);
    if (!data)
        return;
    char *at = data;
    for (uint64_t i = 0; i < count; i++) {
        size_t length = 0;
        string_length(capture, strings[i], lengths, i, &length);
        /* Another thread may have made it longer since. */
        const size_t room = (size_t)(data + size - at) - (count - i) * sizeof(uint64_t);
        const uint64_t length_word = length < room ? length : room;
        memcpy(at, &length_word, sizeof length_word);
        memcpy(at + sizeof length_word, strings[i], length_word);
        at += sizeof length_word + length_word;
    }
    put_data(value, API_VALUE_STRINGS, count, (uint64_t)(at - data), data);
}

/* A word of a list, which may lie anywhere; false when it cannot be read. */
static bool read_word(const struct capture *capture, const char *list, size_t index, uint64_t *word)
{
    const char *at = list + index * sizeof *word;
    if (!readable_bytes(capture->readable, at, sizeof *word))
        return false;
    memcpy(word, at, sizeof *word);
    return true;
}

/* How many words the list has, its last zero included; 0 when it cannot be read or does not end. */
static size_t property_count(const struct capture *capture, const char *list)
{
    size_t count = 0;
    while (count < PROPERTY_LIMIT) {
        uint64_t key;
        if (!read_word(capture, list, count++, &key))
            return 0;
        if (key == 0)
            return count;
        const bool is_list = api_property_is_list((enum api_family)capture->parameter->family, key);
        uint64_t last;
        do {
            if (count >= PROPERTY_LIMIT || !read_word(capture, list, count++, &last))
                return 0;
        } while (is_list && last != 0);
    }
    return 0;
}

static void capture_properties(const struct capture *capture, struct api_value *value)
{
    const char *list = (const char *)value->bits;
    const size_t count = property_count(capture, list);
    const size_t size = count * sizeof(uint64_t);
    if (count > 0)
        put_data(value, API_VALUE_PROPERTIES, count, size, arena_copy(capture->arena, list, size));
}

static bool is_readable(void *readable, const void *bytes, uint64_t size)
{
    return readable_bytes(readable, bytes, size);
}

/* The descriptions of clUpdateMutableCommandsKHR; their addresses where one is none, or of a kind
 * that we do not know. */
static void capture_configs(const struct capture *capture, struct api_value *value)
{
    const uint64_t count = api_parameter_count(capture->parameter, capture->words);
    const void *const *configs = (const void *const *)value->bits;
    const cl_uint *kinds =
        (const cl_uint *)capture->words[API_clUpdateMutableCommandsKHR_config_types];
    struct api_mutable_config *copies;
    if (count > LIST_LIMIT || !readable_bytes(capture->readable, configs, count * sizeof *configs))
        return;
    bool known = readable_bytes(capture->readable, kinds, count * sizeof *kinds);
    copies = arena_alloc(capture->arena, count, sizeof *copies);
    for (uint64_t i = 0; copies && known && i < count; i++) {
        known = configs[i] && kinds[i] == API_MUTABLE_DISPATCH_CONFIG &&
                readable_bytes(capture->readable, configs[i], sizeof *copies);
        if (known)
            memcpy(&copies[i], configs[i], sizeof *copies);
    }
    uint64_t size = count * sizeof *copies;
    const void *packed = known && copies
                             ? api_mutable_configs_pack(copies, (uint32_t)count, is_readable,
                                                        capture->readable, capture->arena, &size)
                             : NULL;
    if (known)
        put_data(value, API_VALUE_BYTES, count, size, packed ? packed : copies);
    else
        put_data(value, API_VALUE_SIZES, count, count * sizeof *configs,
                 arena_copy(capture->arena, configs, count * sizeof *configs));
}

static void capture_pointer(const struct capture *capture, struct api_value *value)
{
    switch ((enum api_role)capture->parameter->role) {
    case API_ROLE_HANDLES:
    case API_ROLE_WAIT_LIST:
        capture_list(capture, API_VALUE_HANDLES, value);
        break;
    case API_ROLE_SIZES:
    case API_ROLE_ADDRESSES:
    case API_ROLE_SYNC_POINTS:
        capture_list(capture, API_VALUE_SIZES, value);
        break;
    case API_ROLE_IN_BYTES:
        capture_bytes(capture, value);
        break;
    case API_ROLE_STRING:
        capture_string(capture, value);
        break;
    case API_ROLE_STRINGS:
    case API_ROLE_BINARIES:
        capture_strings(capture, value);
        break;
    case API_ROLE_PROPERTIES:
        capture_properties(capture, value);
        break;
    case API_ROLE_CONFIGS:
        capture_configs(capture, value);
        break;
    default:
        break; /* an address, or written later */
    }
}

/* What the value of a parameter is before anything is copied. */
static enum api_value_kind first_kind(enum api_role role)
{
    static const uint8_t kinds[API_ROLE_COUNT] = {
        [API_ROLE_SCALAR] = API_VALUE_SCALAR, [API_ROLE_ENUM] = API_VALUE_SCALAR,
        [API_ROLE_FLAGS] = API_VALUE_SCALAR,  [API_ROLE_BLOCKING] = API_VALUE_SCALAR,
        [API_ROLE_HANDLE] = API_VALUE_HANDLE,
    };
    return kinds[role] ? (enum api_value_kind)kinds[role] : API_VALUE_POINTER;
}

void capture_input(struct api_call *call, const uint64_t *words, struct arena *arena,
                   struct readable *readable)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    call->flags = 0;
    call->end_ns = 0;
    call->ordinal = 0;
    call->name = NULL;
    call->callback = NULL;
    call->result = (struct api_value){0};
    call->argument_count = info->parameter_count;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct api_parameter *parameter = &info->parameters[i];
        const enum api_value_kind kind = first_kind((enum api_role)parameter->role);
        struct api_value *value = &call->arguments[i];
        *value = (struct api_value){
            .kind = kind, .present = words[i] != 0 || kind == API_VALUE_SCALAR, .bits = words[i]};
        if (kind == API_VALUE_POINTER && words[i] != 0)
            capture_pointer(&(struct capture){info, parameter, words, arena, readable}, value);
    }
}

/* ---- output ---- */

static bool wants_actual(const struct api_parameter *parameter)
{
    return parameter->role == API_ROLE_INFO_VALUE || parameter->role == API_ROLE_OUT_HANDLES ||
           parameter->role == API_ROLE_OUT_BYTES;
}

void capture_redirect(const struct api_call *call, uint64_t *words, struct capture_places *places)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t left = api_entry_get(call->entry)->outputs; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role == API_ROLE_OUT_STATUS && words[i] == 0)
            words[i] = (uint64_t)&places->status;
        if (!wants_actual(parameter) || words[i] == 0 ||
            parameter->actual_index == API_PARAMETER_NONE || words[parameter->actual_index] != 0)
            continue;
        words[parameter->actual_index] = parameter->role == API_ROLE_INFO_VALUE
                                             ? (uint64_t)&places->size
                                             : (uint64_t)&places->count;
    }
}

/* How many elements the driver wrote: what it returned, but no more than there was room for. */
static uint64_t written_count(const struct capture *capture)
{
    const struct api_parameter *parameter = capture->parameter;
    const uint64_t *words = capture->words;
    const uint64_t room = api_parameter_count(parameter, words);
    if (parameter->actual_index == API_PARAMETER_NONE)
        return room;
    const uint64_t place = words[parameter->actual_index];
    const size_t width = parameter->role == API_ROLE_INFO_VALUE ? sizeof(size_t) : sizeof(cl_uint);
    if (place == 0 || !readable_bytes(capture->readable, (const void *)place, width))
        return 0;
    const uint64_t actual = read_number((const void *)place, width, false);
    return actual < room ? actual : room;
}

static void capture_numbers(const struct capture *capture, const char *written, uint64_t count,
                            struct api_value *value)
{
    const struct api_parameter *parameter = capture->parameter;
    uint64_t *numbers = arena_alloc(capture->arena, count, sizeof *numbers);
    for (uint64_t i = 0; numbers && i < count; i++)
        numbers[i] = read_number(written + i * parameter->element_size, parameter->element_size,
                                 parameter->family == API_FAMILY_ERROR);
    put_data(value, API_VALUE_SIZES, count, count * sizeof *numbers, numbers);
}

/* A driver may say that it succeeded without having written all that there was said to be room for;
 * what cannot be read is not captured. */
static void capture_written(const struct capture *capture, uint64_t address,
                            struct api_value *value)
{
    const void *written = (const void *)address;
    const uint64_t count = written_count(capture);
    uint64_t size;
    if (!size_mul(count, capture->parameter->element_size, &size) || size > STRING_LIMIT ||
        !readable_bytes(capture->readable, written, size))
        return;
    switch ((enum api_role)capture->parameter->role) {
    case API_ROLE_OUT_SCALAR:
    case API_ROLE_OUT_SCALARS:
    case API_ROLE_OUT_STATUS:
        if (count <= LIST_LIMIT)
            capture_numbers(capture, written, count, value);
        break;
    case API_ROLE_OUT_EVENT:
    case API_ROLE_OUT_HANDLES:
        if (count <= LIST_LIMIT)
            put_data(value, API_VALUE_HANDLES, count, size,
                     arena_copy(capture->arena, written, size));
        break;
    case API_ROLE_OUT_BYTES:
    case API_ROLE_INFO_VALUE:
        put_data(value, API_VALUE_BYTES, 0, size, arena_copy(capture->arena, written, size));
        break;
    default:
        break;
    }
}

void capture_result(struct api_call *call, uint64_t result)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    static const enum api_value_kind kinds[API_ROLE_COUNT] = {
        [API_ROLE_STATUS] = API_VALUE_SCALAR,
        [API_ROLE_HANDLE] = API_VALUE_HANDLE,
        [API_ROLE_POINTER] = API_VALUE_POINTER,
    };
    call->result = (struct api_value){
        .kind = kinds[info->return_role],
        .present = result != 0 || info->return_role == API_ROLE_STATUS,
        .bits = result,
    };
}

bool capture_succeeded(const struct api_call *call)
{
    switch (api_entry_get(call->entry)->return_role) {
    case API_ROLE_STATUS:
        return (cl_int)call->result.bits == CL_SUCCESS;
    case API_ROLE_NOTHING:
        return true;
    default:
        return call->result.bits != 0;
    }
}

void capture_output(struct api_call *call, const uint64_t *words, uint64_t result,
                    struct arena *arena, struct readable *readable)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct capture capture = {.words = words, .arena = arena, .readable = readable};
    capture_result(call, result);
    const bool succeeded = capture_succeeded(call);
    for (uint32_t left = api_entry_get(call->entry)->outputs; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        capture.parameter = &info->parameters[i];
        if (words[i] != 0 && (succeeded || capture.parameter->role == API_ROLE_OUT_STATUS))
            capture_written(&capture, words[i], &call->arguments[i]);
    }
}
