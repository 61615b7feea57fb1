#include "viewer-cli/kernel/kernel_argument.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/half.h"
#include "trace/base/size.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a buffer may have at most; the device refuses more than this of its memory anyway. */
#define BUFFER_SIZE_MAX (UINT64_C(1) << 30)
enum {
    VALUE_TEXT_MAX = 64,
    COMPONENTS_MAX = 16,
    PER_LINE = 8,
    STRUCT_SIZE_MAX = 1 << 16, /* the device has a lower limit, and says which */
};

/* ---- types ---- */

struct kernel_type kernel_type_parse(const char *name, size_t length)
{
    size_t letters = 0;
    while (letters < length && name[letters] >= 'a' && name[letters] <= 'z') {
        letters++;
    }
    struct kernel_type type = {.components = 1};
    if (letters < length) {
        static const char *const vectors[] = {"2", "3", "4", "8", "16"};
        static const uint32_t counts[] = {2, 3, 4, 8, 16};
        type.components = 0;
        for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
            if (strlen(vectors[i]) == length - letters &&
                memcmp(vectors[i], name + letters, length - letters) == 0) {
                type.components = counts[i];
            }
        }
    }
    type.scalar = type.components != 0 ? replay_scalar_named(name, letters) : NULL;
    return type;
}

uint32_t kernel_type_size(struct kernel_type type)
{
    return type.scalar->size * (type.components == 3 ? 4 : type.components);
}

static enum status parse_type(const char *text, const char *name, size_t length,
                              struct kernel_type *type, struct error *error)
{
    *type = kernel_type_parse(name, length);
    if (type->scalar != NULL) {
        return STATUS_OK;
    }
    const char *colon = memchr(name, ':', length);
    if (colon != NULL && kernel_type_parse(name, (size_t)(colon - name)).scalar != NULL) {
        return error_set(
            error, STATUS_INVALID, "-a %s: the value of a number follows '=': %.*s=%.*s", text,
            (int)(colon - name), name, (int)(length - (size_t)(colon - name) - 1), colon + 1);
    }
    return error_set(error, STATUS_INVALID,
                     "-a %s: '%.*s' is not a type: use char, uchar, short, ushort, int, uint, "
                     "long, ulong, half, float or double, optionally followed by 2, 3, 4, 8 or 16",
                     text, (int)length, name);
}

static bool is_float(const struct replay_scalar *scalar)
{
    return scalar->kind == REPLAY_SCALAR_FLOAT;
}

static bool is_signed(const struct replay_scalar *scalar)
{
    return scalar->kind == REPLAY_SCALAR_SIGNED;
}

/* ---- values ---- */

static void store_float(const struct replay_scalar *scalar, double value, uint8_t *bytes)
{
    if (scalar->size == sizeof(uint16_t)) {
        const uint16_t half = half_from_double(value);
        memcpy(bytes, &half, sizeof half);
    } else if (scalar->size == sizeof(float)) {
        const float narrow = (float)value;
        memcpy(bytes, &narrow, sizeof narrow);
    } else {
        memcpy(bytes, &value, sizeof value);
    }
}

/* The low bytes of two's complement; clerk's hosts are little-endian, as its device is. */
static void store_integer(const struct replay_scalar *scalar, uint64_t value, uint8_t *bytes)
{
    memcpy(bytes, &value, scalar->size);
}

static void store_index(const struct replay_scalar *scalar, uint64_t index, uint8_t *bytes)
{
    if (is_float(scalar)) {
        store_float(scalar, (double)index, bytes);
    } else {
        store_integer(scalar, index, bytes);
    }
}

static bool integer_fits(const struct replay_scalar *scalar, bool negative, uint64_t magnitude)
{
    const unsigned bits = scalar->size * 8;
    if (negative) {
        return is_signed(scalar) && magnitude <= UINT64_C(1) << (bits - 1);
    }
    const unsigned value_bits = is_signed(scalar) ? bits - 1 : bits;
    return magnitude <= UINT64_MAX >> (64 - value_bits);
}

/* One number of the type: decimal, 0x hexadecimal; nan and inf for floating point. */
static enum status parse_value(const struct kernel_argument *argument, const char *value,
                               size_t length, uint8_t *bytes, struct error *error)
{
    const struct replay_scalar *scalar = argument->type.scalar;
    char copy[VALUE_TEXT_MAX + 1];
    if (length == 0 || length > VALUE_TEXT_MAX) {
        return error_set(error, STATUS_INVALID, "-a %s: '%.*s' is not a value of type %s",
                         argument->text, (int)length, value, scalar->name);
    }
    memcpy(copy, value, length);
    copy[length] = '\0';
    char *end = NULL;
    errno = 0;
    if (is_float(scalar)) {
        const double number = strtod(copy, &end);
        if (*end == '\0' && end != copy) {
            store_float(scalar, number, bytes);
            return STATUS_OK;
        }
    } else {
        const bool negative = copy[0] == '-';
        const char *const digits = copy + (negative || copy[0] == '+');
        const unsigned long long magnitude = strtoull(digits, &end, 0);
        if (*end == '\0' && *digits >= '0' && *digits <= '9') {
            if (errno != 0 || !integer_fits(scalar, negative, magnitude)) {
                return error_set(error, STATUS_INVALID, "-a %s: %s does not fit type %s",
                                 argument->text, copy, scalar->name);
            }
            store_integer(scalar, negative ? 0 - (uint64_t)magnitude : magnitude, bytes);
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_INVALID, "-a %s: '%s' is not a value of type %s", argument->text,
                     copy, scalar->name);
}

/* Where component `index` of the whole argument lies: vectors of 3 have a gap after each. */
static uint64_t component_offset(struct kernel_type type, uint64_t index)
{
    return index / type.components * kernel_type_size(type) +
           index % type.components * type.scalar->size;
}

/* "V" for every component, or "V,V,..." one for each. */
static enum status fill_values(struct kernel_argument *argument, const char *list,
                               struct error *error)
{
    const uint64_t component_count = argument->count * argument->type.components;
    uint64_t given = 0;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        if (given < component_count) {
            const enum status status =
                parse_value(argument, at, length,
                            argument->bytes + component_offset(argument->type, given), error);
            if (status != STATUS_OK) {
                return status;
            }
        }
        given++;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    if (given != 1 && given != component_count) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: %" PRIu64 " values given where there are %" PRIu64
                         "; give one for all, or each",
                         argument->text, given, component_count);
    }
    for (uint64_t i = 1; given == 1 && i < component_count; i++) {
        memcpy(argument->bytes + component_offset(argument->type, i), argument->bytes,
               argument->type.scalar->size);
    }
    return STATUS_OK;
}

static void fill_iota(struct kernel_argument *argument)
{
    const uint64_t component_count = argument->count * argument->type.components;
    for (uint64_t i = 0; i < component_count; i++) {
        store_index(argument->type.scalar, i,
                    argument->bytes + component_offset(argument->type, i));
    }
}

/* SplitMix64: any seed is good, and the same seed gives the same bytes everywhere. */
static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t value = *state;
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static enum status fill_random(struct kernel_argument *argument, const char *seed,
                               struct error *error)
{
    char *end = NULL;
    errno = 0;
    uint64_t state = strtoull(seed, &end, 0);
    if (*seed < '0' || *seed > '9' || *end != '\0' || errno != 0) {
        return error_set(error, STATUS_INVALID, "-a %s: the seed '%s' is not a number",
                         argument->text, seed);
    }
    const struct replay_scalar *scalar = argument->type.scalar;
    const uint64_t component_count = argument->count * argument->type.components;
    for (uint64_t i = 0; i < component_count; i++) {
        const uint64_t value = next_random(&state);
        uint8_t *bytes = argument->bytes + component_offset(argument->type, i);
        if (is_float(scalar)) {
            /* 24 bits: exact as float and as double, and below 1 in both; a half rounds them. */
            store_float(scalar, (double)(value >> 40) / (double)(1 << 24), bytes);
        } else {
            store_integer(scalar, value, bytes);
        }
    }
    return STATUS_OK;
}

static enum status fill_file(struct kernel_argument *argument, const char *path,
                             struct error *error)
{
    void *bytes = NULL;
    size_t size = 0;
    /* A byte more tells that there are more. */
    const enum status status = file_read(path, argument->size + 1, &bytes, &size, error);
    if (status != STATUS_OK) {
        error_prefix(error, "-a %s", argument->text);
        return status;
    }
    if (size != argument->size) {
        alloc_free(bytes);
        return error_set(error, STATUS_INVALID,
                         "-a %s: %s has %zu bytes, and the buffer needs exactly %" PRIu64,
                         argument->text, path, size, argument->size);
    }
    memcpy(argument->bytes, bytes, size);
    alloc_free(bytes);
    return STATUS_OK;
}

/* ---- the argument ---- */

/* "TYPE[N]": after it is *rest. */
static enum status parse_array(struct kernel_argument *argument, const char *array,
                               const char **rest, struct error *error)
{
    const size_t length = strcspn(array, "[=");
    enum status status = parse_type(argument->text, array, length, &argument->type, error);
    if (status != STATUS_OK) {
        return status;
    }
    char *end = NULL;
    const char *const digits = array + length + 1;
    errno = 0;
    if (array[length] == '[' && *digits >= '0' && *digits <= '9') {
        argument->count = strtoull(digits, &end, 0);
    }
    const bool may_be_empty =
        argument->kind == KERNEL_ARGUMENT_LOCAL || argument->kind == KERNEL_ARGUMENT_BUFFER;
    if (end == NULL || *end != ']' || errno != 0 || (argument->count == 0 && !may_be_empty)) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: a number of elements is wanted, as in %.*s[64]", argument->text,
                         (int)length, array);
    }
    if (!size_mul(argument->count, kernel_type_size(argument->type), &argument->size) ||
        argument->size > BUFFER_SIZE_MAX) {
        return error_set(error, STATUS_INVALID, "-a %s: that is more than 1 GiB", argument->text);
    }
    *rest = end + 1;
    return STATUS_OK;
}

/* Takes ":ro" or ":wo" off the end; returns the length of what is left. */
static size_t take_access(struct kernel_argument *argument, const char *rest)
{
    const size_t length = strlen(rest);
    if (length >= 3 && strcmp(rest + length - 3, ":ro") == 0) {
        argument->read_only = true;
        return length - 3;
    }
    if (length >= 3 && strcmp(rest + length - 3, ":wo") == 0) {
        argument->write_only = true;
        return length - 3;
    }
    return length;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum status fill(struct kernel_argument *argument, const char *init, struct error *error)
{
    if (strcmp(init, "undef") == 0) {
        return STATUS_OK;
    }
    argument->bytes = alloc_zero(argument->size, 1);
    if (argument->bytes == NULL) {
        return error_no_memory(error, argument->size);
    }
    if (strcmp(init, "iota") == 0) {
        fill_iota(argument);
        return STATUS_OK;
    }
    if (begins(init, "random:")) {
        return fill_random(argument, init + strlen("random:"), error);
    }
    if (begins(init, "file:")) {
        return fill_file(argument, init + strlen("file:"), error);
    }
    return fill_values(argument, init, error);
}

/* What stands after the "]" of a buffer or image: "=INIT:ro". */
static enum status parse_contents(struct kernel_argument *argument, const char *rest,
                                  struct error *error)
{
    const size_t length = take_access(argument, rest);
    if (length == 0) {
        return STATUS_OK;
    }
    if (argument->size == 0) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: there are no elements, so '%s' has no meaning", argument->text,
                         rest);
    }
    if (*rest != '=') {
        return error_set(error, STATUS_INVALID, "-a %s: '%s' is not understood; =INIT, :ro or :wo",
                         argument->text, rest);
    }
    char *init = alloc(length);
    if (init == NULL) {
        return error_no_memory(error, length);
    }
    memcpy(init, rest + 1, length - 1);
    init[length - 1] = '\0';
    const enum status filled = fill(argument, init, error);
    alloc_free(init);
    return filled;
}

static enum status parse_buffer(struct kernel_argument *argument, const char *array,
                                struct error *error)
{
    const char *rest = NULL;
    const enum status status = parse_array(argument, array, &rest, error);
    return status != STATUS_OK ? status : parse_contents(argument, rest, error);
}

/* The texels of all levels; false = too many. */
static bool count_texels(const struct kernel_image *image, uint64_t *count)
{
    *count = 0;
    for (uint32_t level = 0; level == 0 || level < image->levels; level++) {
        size_t region[3];
        uint64_t texels = 0;
        kernel_image_level(image, level, region);
        if (!size_mul(region[0], region[1], &texels) || !size_mul(texels, region[2], &texels) ||
            !size_add(*count, texels, count)) {
            return false;
        }
    }
    return true;
}

static enum status parse_image(struct kernel_argument *argument, const char *text,
                               struct error *error)
{
    struct kernel_image *image = &argument->image;
    const char *rest = NULL;
    const enum status status = kernel_image_parse(text, image, &rest, error);
    if (status != STATUS_OK) {
        return status;
    }
    argument->type = kernel_type_parse(image->scalar, strlen(image->scalar));
    argument->type.components = image->components;
    if (!count_texels(image, &argument->count) ||
        !size_mul(argument->count, kernel_type_size(argument->type), &argument->size) ||
        argument->size > BUFFER_SIZE_MAX) {
        return error_set(error, STATUS_INVALID, "-a %s: that is more than 1 GiB", argument->text);
    }
    return parse_contents(argument, rest, error);
}

static enum status parse_pipe(struct kernel_argument *argument, const char *array,
                              struct error *error)
{
    const enum status status = parse_buffer(argument, array, error);
    if (status == STATUS_OK && (argument->read_only || argument->write_only)) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: :ro and :wo are for buffers and images; the kernel says which end "
                         "of a pipe it uses",
                         argument->text);
    }
    return status;
}

static enum status parse_local(struct kernel_argument *argument, const char *array,
                               struct error *error)
{
    const char *rest = NULL;
    const enum status status = parse_array(argument, array, &rest, error);
    if (status == STATUS_OK && *rest != '\0') {
        return error_set(error, STATUS_INVALID,
                         "-a %s: local memory cannot be initialised, so '%s' has no meaning",
                         argument->text, rest);
    }
    return status;
}

static enum status parse_scalar(struct kernel_argument *argument, const char *text,
                                struct error *error)
{
    const size_t length = strcspn(text, "=[");
    if (text[length] == '[') {
        return error_set(error, STATUS_INVALID,
                         "-a %s: an array is either a buffer or local memory: buf:%s or local:%s",
                         text, text, text);
    }
    const enum status status = parse_type(text, text, length, &argument->type, error);
    if (status != STATUS_OK) {
        return status;
    }
    if (text[length] != '=') {
        return error_set(error, STATUS_INVALID, "-a %s: the value is missing, as in %s=1", text,
                         text);
    }
    argument->count = 1;
    argument->size = kernel_type_size(argument->type);
    argument->bytes = alloc_zero(argument->size, 1);
    if (argument->bytes == NULL) {
        return error_no_memory(error, argument->size);
    }
    return fill_values(argument, text + length + 1, error);
}

/* ---- structures ---- */

/* A member of a structure, from *offset on; *offset is then behind it. */
static enum status put_member(struct kernel_argument *whole, struct kernel_argument *member,
                              const char *text, uint64_t *offset, struct error *error)
{
    const char *init = text + strcspn(text, "=[");
    enum status status;
    if (*init == '[') {
        status = parse_array(member, text, &init, error);
    } else {
        status = parse_type(whole->text, text, (size_t)(init - text), &member->type, error);
        member->count = 1;
        member->size = status == STATUS_OK ? kernel_type_size(member->type) : 0;
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (*init != '=' || strcmp(init + 1, "undef") == 0) {
        return error_set(error, STATUS_INVALID, "-a %s: member '%s' needs a value, as in %.*s=1",
                         whole->text, text, (int)strcspn(text, "="), text);
    }
    const uint32_t alignment = kernel_type_size(member->type); /* of scalars and vectors alike */
    const uint64_t start = (*offset + alignment - 1) / alignment * alignment;
    if (!range_within(start, member->size, whole->size)) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: member '%s' would lie at bytes %" PRIu64 " to %" PRIu64
                         ", and the structure has %" PRIu64,
                         whole->text, text, start, start + member->size - 1, whole->size);
    }
    status = fill(member, init + 1, error);
    if (status == STATUS_OK) {
        memcpy(whole->bytes + start, member->bytes, member->size);
        *offset = start + member->size;
    }
    return status;
}

/* "TYPE=V TYPE[N]=INIT"; changes the list while it reads it. */
static enum status put_members(struct kernel_argument *argument, char *list, struct error *error)
{
    enum status status = STATUS_OK;
    uint64_t offset = 0;
    char *rest = NULL;
    for (char *at = strtok_r(list, " ", &rest); status == STATUS_OK && at != NULL;
         at = strtok_r(NULL, " ", &rest)) {
        struct kernel_argument member = {.kind = KERNEL_ARGUMENT_VALUE, .text = argument->text};
        status = put_member(argument, &member, at, &offset, error);
        kernel_argument_release(&member);
    }
    return status;
}

/* Does it begin with a type, and so a member? */
static bool begins_member(const char *init)
{
    const size_t length = strcspn(init, "=[ ");
    return (init[length] == '=' || init[length] == '[') &&
           kernel_type_parse(init, length).scalar != NULL;
}

static enum status parse_struct(struct kernel_argument *argument, const char *text,
                                struct error *error)
{
    char *end = NULL;
    errno = 0;
    const uint64_t size = *text >= '0' && *text <= '9' ? strtoull(text, &end, 0) : 0;
    if (errno != 0 || size == 0 || size > STRUCT_SIZE_MAX || *end != '=' || end[1] == '\0') {
        return error_set(error, STATUS_INVALID,
                         "-a %s: a number of bytes, up to %d, and what they hold are wanted, as in "
                         "'struct:24=0' or 'struct:32=int=1 float4=1,2,3,4'",
                         argument->text, STRUCT_SIZE_MAX);
    }
    const char *const init = end + 1;
    argument->type = kernel_type_parse("uchar", strlen("uchar"));
    argument->count = size;
    argument->size = size;
    if (strcmp(init, "undef") == 0) {
        return error_set(error, STATUS_INVALID, "-a %s: a structure always has a value",
                         argument->text);
    }
    if (!begins_member(init)) {
        return fill(argument, init, error);
    }
    char *list = alloc_string(init);
    argument->bytes = alloc_zero(size, 1);
    const enum status status = list != NULL && argument->bytes != NULL
                                   ? put_members(argument, list, error)
                                   : error_no_memory(error, size);
    alloc_free(list);
    return status;
}

/* ---- no memory, and that of others ---- */

static enum status parse_null(struct kernel_argument *argument, const char *text,
                              struct error *error)
{
    if (*text != '\0') {
        return error_set(error, STATUS_INVALID, "-a %s: 'null' stands alone", argument->text);
    }
    argument->is_null = true;
    return STATUS_OK;
}

static enum status parse_same(struct kernel_argument *argument, const char *text,
                              struct error *error)
{
    char *end = NULL;
    errno = 0;
    argument->is_same = true;
    argument->same = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    return end != NULL && *end == '\0' && errno == 0
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "-a %s: the number of an argument is wanted, as in same:0",
                           argument->text);
}

enum status kernel_argument_resolve(struct kernel_argument *arguments, size_t count,
                                    struct error *error)
{
    struct kernel_argument *const argument = &arguments[count - 1];
    if (!argument->is_same) {
        return STATUS_OK;
    }
    if (argument->same >= count - 1) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: this is argument %zu, and the same can only be one before it",
                         argument->text, count - 1);
    }
    const struct kernel_argument *other = &arguments[argument->same];
    const bool has_memory = other->kind == KERNEL_ARGUMENT_BUFFER ||
                            other->kind == KERNEL_ARGUMENT_IMAGE ||
                            other->kind == KERNEL_ARGUMENT_PIPE;
    if (!has_memory || other->is_null) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: argument %zu is -a %s, which is no buffer, image or pipe",
                         argument->text, argument->same, other->text);
    }
    const char *const text = argument->text;
    const size_t first = other->is_same ? other->same : argument->same;
    *argument = *other;
    argument->text = text;
    argument->bytes = NULL;
    argument->is_same = true;
    argument->same = first;
    return STATUS_OK;
}

static enum status parse_sampler(struct kernel_argument *argument, const char *text,
                                 struct error *error)
{
    return kernel_sampler_parse(text, &argument->sampler, error);
}

/* An argument that begins so is parsed so, from `skipped` characters on. */
static const struct {
    const char *prefix;
    size_t skipped;
    enum kernel_argument_kind kind;
    enum status (*parse)(struct kernel_argument *argument, const char *text, struct error *error);
} forms[] = {
    {"buf:", 4, KERNEL_ARGUMENT_BUFFER, parse_buffer},
    {"local:", 6, KERNEL_ARGUMENT_LOCAL, parse_local},
    {"pipe:", 5, KERNEL_ARGUMENT_PIPE, parse_pipe},
    {"image", 0, KERNEL_ARGUMENT_IMAGE, parse_image},
    {"sampler:", 0, KERNEL_ARGUMENT_SAMPLER, parse_sampler},
    {"struct:", 7, KERNEL_ARGUMENT_VALUE, parse_struct},
    {"null", 4, KERNEL_ARGUMENT_BUFFER, parse_null},
    {"same:", 5, KERNEL_ARGUMENT_BUFFER, parse_same},
    {"", 0, KERNEL_ARGUMENT_VALUE, parse_scalar},
};

enum status kernel_argument_parse(const char *text, struct kernel_argument *argument,
                                  struct error *error)
{
    size_t form = 0;
    while (!begins(text, forms[form].prefix)) {
        form++;
    }
    struct kernel_argument made = {.kind = forms[form].kind, .text = text};
    const enum status status = forms[form].parse(&made, text + forms[form].skipped, error);
    if (status != STATUS_OK) {
        kernel_argument_release(&made);
        return status;
    }
    *argument = made;
    return STATUS_OK;
}

void kernel_argument_release(struct kernel_argument *argument)
{
    alloc_free(argument->bytes);
    argument->bytes = NULL;
}

/* ---- printing ---- */

/* Is this the same number of a type of `size` bytes? */
static bool same_number(double a, double b, uint32_t size)
{
    return size == sizeof(uint16_t) ? half_from_double(a) == half_from_double(b)
           : size == sizeof(float)  ? (float)a == (float)b
                                    : a == b;
}

/* The fewest digits that read back as the same number. */
static void print_float(double value, uint32_t size, bool json, struct text *text)
{
    char digits[VALUE_TEXT_MAX];
    if (isnan(value) || isinf(value)) { /* JSON has no such numbers */
        const char *const name = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        text_format(text, json ? "\"%s\"" : "%s", name);
        return;
    }
    if (value > -1e15 && value < 1e15 && value == (double)(int64_t)value && value != 0) {
        text_format(text, "%.0f", value); /* %g would write 1e+01 */
        return;
    }
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (same_number(strtod(digits, NULL), value, size)) {
            break;
        }
    }
    text_append(text, digits);
}

static void print_component(const struct replay_scalar *scalar, const uint8_t *bytes, bool json,
                            struct text *text)
{
    if (is_float(scalar)) {
        print_float(replay_scalar_read(scalar, bytes), scalar->size, json, text);
    } else {
        uint64_t value = 0;
        memcpy(&value, bytes, scalar->size);
        const unsigned spare = 64 - scalar->size * 8;
        if (is_signed(scalar)) {
            text_format(text, "%" PRId64, (int64_t)(value << spare) >> spare);
        } else {
            text_format(text, "%" PRIu64, value);
        }
    }
}

void kernel_element_print(struct kernel_type type, const uint8_t *bytes, bool json,
                          struct text *text)
{
    if (type.components > 1) {
        text_append_char(text, json ? '[' : '(');
    }
    for (uint32_t i = 0; i < type.components; i++) {
        text_append(text, i == 0 ? "" : ",");
        print_component(type.scalar, bytes + (size_t)i * type.scalar->size, json, text);
    }
    if (type.components > 1) {
        text_append_char(text, json ? ']' : ')');
    }
}

void kernel_argument_print(const struct kernel_argument *argument, const uint8_t *bytes, bool json,
                           struct text *text)
{
    const uint32_t size = kernel_type_size(argument->type);
    text_append(text, json ? "[" : "");
    for (uint64_t i = 0; i < argument->count; i++) {
        if (json) {
            text_append(text, i == 0 ? "" : ",");
        } else if (i % PER_LINE == 0) {
            text_format(text, "%s%8" PRIu64 ": ", i == 0 ? "" : "\n", i);
        } else {
            text_append_char(text, ' ');
        }
        kernel_element_print(argument->type, bytes + i * size, json, text);
    }
    text_append(text, json ? "]" : "\n");
}
