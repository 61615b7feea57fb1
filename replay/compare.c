#include "replay/compare.h"

#include "trace/base/half.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

/* A vector type is its scalar's name and a number of components. */
static const struct replay_scalar scalars[] = {
    {"char", REPLAY_SCALAR_SIGNED, 1},
    {"uchar", REPLAY_SCALAR_UNSIGNED, 1},
    {"short", REPLAY_SCALAR_SIGNED, 2},
    {"ushort", REPLAY_SCALAR_UNSIGNED, 2},
    {"int", REPLAY_SCALAR_SIGNED, 4},
    {"uint", REPLAY_SCALAR_UNSIGNED, 4},
    {"long", REPLAY_SCALAR_SIGNED, 8},
    {"ulong", REPLAY_SCALAR_UNSIGNED, 8},
    {"half", REPLAY_SCALAR_FLOAT, 2},
    {"float", REPLAY_SCALAR_FLOAT, 4},
    {"double", REPLAY_SCALAR_FLOAT, 8},
    {"unsigned char", REPLAY_SCALAR_UNSIGNED, 1},
    {"unsigned short", REPLAY_SCALAR_UNSIGNED, 2},
    {"unsigned int", REPLAY_SCALAR_UNSIGNED, 4},
    {"unsigned long", REPLAY_SCALAR_UNSIGNED, 8},
    {"snorm8", REPLAY_SCALAR_SNORM, 1},
    {"snorm16", REPLAY_SCALAR_SNORM, 2},
    {"unorm8", REPLAY_SCALAR_UNORM, 1},
    {"unorm16", REPLAY_SCALAR_UNORM, 2},
};

const struct replay_scalar *replay_scalar_named(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i)
        if (strlen(scalars[i].name) == length && memcmp(scalars[i].name, name, length) == 0)
            return &scalars[i];
    return NULL;
}

/* *components: what stands between the scalar's name and the star, 1 if nothing does. */
static const struct replay_scalar *parse_type(const char *type, unsigned *components)
{
    static const struct replay_scalar unknown = {"", REPLAY_SCALAR_UNKNOWN, 1};
    *components = 1;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; ++i) {
        const size_t length = strlen(scalars[i].name);
        if (strncmp(type, scalars[i].name, length) != 0)
            continue;
        const char *rest = type + length;
        const size_t digits = strspn(rest, "0123456789");
        if (strcmp(rest + digits, "*") != 0)
            continue;
        if (digits)
            *components = (unsigned)strtoul(rest, NULL, 10);
        return &scalars[i];
    }
    return &unknown;
}

const struct replay_scalar *replay_scalar_of(const char *type)
{
    unsigned components;
    return parse_type(type, &components);
}

/* OpenCL C 3.0, 6.3.5: a vector of three components has the size of one of four. */
static unsigned stored_components(unsigned components)
{
    return components == 3 ? 4 : components;
}

void replay_print_element(const char *type, uint64_t offset, struct text *text)
{
    unsigned components;
    const uint64_t scalar = offset / parse_type(type, &components)->size;
    const unsigned stored = stored_components(components);
    if (stored < 2) {
        text_format(text, "element %" PRIu64, scalar);
        return;
    }
    if (scalar % stored < components)
        text_format(text, "component %u", (unsigned)(scalar % stored));
    else
        text_append(text, "the padding");
    text_format(text, " of element %" PRIu64, scalar / stored);
}

bool replay_type_is_known(const char *type)
{
    return replay_scalar_of(type)->kind != REPLAY_SCALAR_UNKNOWN;
}

uint32_t replay_type_scalar_size(const char *type)
{
    return replay_scalar_of(type)->size;
}

const char *replay_channel_type(cl_channel_type type)
{
    static const struct {
        cl_channel_type type;
        const char *name;
    } channels[] = {
        {CL_SNORM_INT8, "snorm8*"},   {CL_SNORM_INT16, "snorm16*"}, {CL_UNORM_INT8, "unorm8*"},
        {CL_UNORM_INT16, "unorm16*"}, {CL_SIGNED_INT8, "char*"},    {CL_SIGNED_INT16, "short*"},
        {CL_SIGNED_INT32, "int*"},    {CL_UNSIGNED_INT8, "uchar*"}, {CL_UNSIGNED_INT16, "ushort*"},
        {CL_UNSIGNED_INT32, "uint*"}, {CL_HALF_FLOAT, "half*"},     {CL_FLOAT, "float*"},
    };
    for (size_t i = 0; i < sizeof channels / sizeof *channels; ++i)
        if (channels[i].type == type)
            return channels[i].name;
    return "";
}

/* ---- values that devices may round differently ---- */

static bool is_rounded(const struct replay_scalar *scalar)
{
    return scalar->kind == REPLAY_SCALAR_FLOAT || scalar->kind == REPLAY_SCALAR_SNORM ||
           scalar->kind == REPLAY_SCALAR_UNORM;
}

static uint64_t read_bits(const void *bytes, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = size; i-- > 0;)
        bits = bits << 8 | ((const unsigned char *)bytes)[i];
    return bits;
}

static double read_float(const void *bytes, uint32_t size)
{
    const uint64_t bits = read_bits(bytes, size);
    const cl_uint low = (cl_uint)bits;
    cl_float single;
    cl_double twice;
    memcpy(&single, &low, sizeof single);
    memcpy(&twice, &bits, sizeof twice);
    return size == sizeof(cl_half) ? half_to_float((cl_half)bits)
           : size == sizeof single ? single
                                   : twice;
}

/* The values of a type in a row, each next to its neighbours. */
static int64_t place_of(uint64_t bits, uint32_t size)
{
    const uint64_t sign = UINT64_C(1) << (8 * size - 1);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

struct distance {
    uint64_t ulp;
    double relative;
};

static int64_t read_integer(const void *bytes, const struct replay_scalar *scalar)
{
    const uint64_t bits = read_bits(bytes, scalar->size);
    const unsigned shift = 64 - 8 * scalar->size;
    return scalar->kind == REPLAY_SCALAR_SIGNED || scalar->kind == REPLAY_SCALAR_SNORM
               ? (int64_t)(bits << shift) >> shift
               : (int64_t)bits;
}

double replay_scalar_read(const struct replay_scalar *scalar, const void *bytes)
{
    return scalar->kind == REPLAY_SCALAR_FLOAT ? read_float(bytes, scalar->size)
                                               : (double)read_integer(bytes, scalar);
}

static uint64_t steps_between(int64_t x, int64_t y)
{
    return x < y ? (uint64_t)y - (uint64_t)x : (uint64_t)x - (uint64_t)y;
}

static struct distance distance_between_normalized(const void *recorded, const void *replayed,
                                                   const struct replay_scalar *scalar)
{
    const int64_t x = read_integer(recorded, scalar);
    const int64_t y = read_integer(replayed, scalar);
    const uint64_t steps = steps_between(x, y);
    return (struct distance){.ulp = steps, .relative = fabs((double)steps / (double)x)};
}

static struct distance distance_between(const void *recorded, const void *replayed,
                                        const struct replay_scalar *scalar)
{
    const uint32_t size = scalar->size;
    if (scalar->kind != REPLAY_SCALAR_FLOAT)
        return distance_between_normalized(recorded, replayed, scalar);
    const double a = read_float(recorded, size);
    const double b = read_float(replayed, size);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b) ? (struct distance){0}
                                    : (struct distance){UINT64_MAX, INFINITY};
    return (struct distance){
        .ulp = steps_between(place_of(read_bits(recorded, size), size),
                             place_of(read_bits(replayed, size), size)),
        .relative = a == b                 ? 0
                    : isinf(a) || isinf(b) ? INFINITY
                                           : fabs((b - a) / a),
    };
}

/* ---- stretches of bytes ---- */

struct comparison {
    const unsigned char *recorded, *replayed;
    uint64_t size, phase;
    const struct replay_scalar *scalar;
    unsigned components;
    const struct replay_tolerance *tolerance;
    struct replay_bytes_difference *difference;
};

/* The byte is of the fourth component of a vector of three, whose value nothing defines. */
static bool is_padding(const struct comparison *comparison, uint64_t byte)
{
    const uint64_t stored = stored_components(comparison->components);
    return (byte + comparison->phase) / comparison->scalar->size % stored >= comparison->components;
}

static bool byte_differs(const struct comparison *comparison, uint64_t byte)
{
    return comparison->recorded[byte] != comparison->replayed[byte] &&
           !is_padding(comparison, byte);
}

/* Of the bytes from `from` up to `end`, how many differ. */
static uint64_t count_different(const struct comparison *comparison, uint64_t from, uint64_t end)
{
    uint64_t count = 0;
    for (uint64_t byte = from; byte < end; ++byte)
        count += byte_differs(comparison, byte);
    return count;
}

/* Shows the element with this byte, or what there is of it. */
static void show(const struct comparison *comparison, uint64_t byte)
{
    struct replay_bytes_difference *difference = comparison->difference;
    const uint64_t within = (byte + comparison->phase) % comparison->scalar->size;
    const uint64_t start = within > byte ? 0 : byte - within;
    uint64_t length = comparison->scalar->size;
    if (length > comparison->size - start)
        length = comparison->size - start;
    difference->offset = start;
    difference->value_size = (uint32_t)length;
    memcpy(difference->recorded, comparison->recorded + start, length);
    memcpy(difference->replayed, comparison->replayed + start, length);
}

/* Goes through the elements; those that are cut off at an end are compared as bytes. */
static void compare_elements(const struct comparison *comparison)
{
    const uint32_t size = comparison->scalar->size;
    const struct replay_tolerance *tolerance = comparison->tolerance;
    struct replay_bytes_difference *difference = comparison->difference;
    uint64_t at = (size - comparison->phase % size) % size;
    bool close = !count_different(comparison, 0, at < comparison->size ? at : comparison->size);
    for (; at < comparison->size && comparison->size - at >= size; at += size) {
        const unsigned char *recorded = comparison->recorded + at;
        const unsigned char *replayed = comparison->replayed + at;
        if (memcmp(recorded, replayed, size) == 0 || is_padding(comparison, at))
            continue;
        const struct distance distance = distance_between(recorded, replayed, comparison->scalar);
        const bool covered = tolerance->allowed && (distance.ulp <= tolerance->ulp ||
                                                    distance.relative <= tolerance->relative);
        if (!covered && close)
            show(comparison, at);
        close = close && covered;
        difference->element_count++;
        if (distance.ulp > difference->ulp)
            difference->ulp = distance.ulp;
        if (distance.relative > difference->relative)
            difference->relative = distance.relative;
    }
    difference->is_close = close && !count_different(comparison, at, comparison->size);
}

bool replay_compare_bytes(const void *recorded, const void *replayed, uint64_t size, uint64_t phase,
                          const char *type, const struct replay_tolerance *tolerance,
                          struct replay_bytes_difference *difference)
{
    struct comparison comparison = {.recorded = recorded,
                                    .replayed = replayed,
                                    .size = size,
                                    .phase = phase == REPLAY_PHASE_UNKNOWN ? 0 : phase,
                                    .tolerance = tolerance,
                                    .difference = difference};
    if (size == 0 || memcmp(recorded, replayed, size) == 0)
        return false;
    comparison.scalar = parse_type(type, &comparison.components);
    if (phase == REPLAY_PHASE_UNKNOWN)
        comparison.components = 1;
    const uint64_t count = count_different(&comparison, 0, size);
    if (count == 0)
        return false;
    *difference = (struct replay_bytes_difference){.byte_count = count};
    while (!byte_differs(&comparison, difference->first_byte))
        ++difference->first_byte;
    show(&comparison, difference->first_byte);
    if (is_rounded(comparison.scalar))
        compare_elements(&comparison);
    return true;
}

/* ---- values as people read them ---- */

/* The shortest of the usual precisions that reads back as the same value. */
static void print_double(double value, bool is_single, struct text *text)
{
    char buffer[64];
    for (int digits = is_single ? 6 : 15; digits <= 17; ++digits) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        double parsed = 0;
        sscanf(buffer, "%lf", &parsed);
        if (is_single ? (float)parsed == (float)value : parsed == value)
            break;
    }
    text_append(text, buffer);
}

static void print_hexadecimal(const unsigned char *bytes, uint32_t size, struct text *text)
{
    for (uint32_t i = 0; i < size; ++i)
        text_format(text, i ? " %02x" : "%02x", bytes[i]);
}

void replay_print_value(const char *type, const void *bytes, uint32_t size, struct text *text)
{
    const struct replay_scalar *scalar = replay_scalar_of(type);
    if (scalar->kind == REPLAY_SCALAR_UNKNOWN || size < scalar->size) {
        print_hexadecimal(bytes, size, text);
        return;
    }
    if (scalar->kind == REPLAY_SCALAR_FLOAT) {
        print_double(read_float(bytes, scalar->size), scalar->size < sizeof(cl_double), text);
        return;
    }
    const int64_t value = read_integer(bytes, scalar);
    if (scalar->kind == REPLAY_SCALAR_UNSIGNED || scalar->kind == REPLAY_SCALAR_UNORM)
        text_format(text, "%" PRIu64, (uint64_t)value);
    else
        text_format(text, "%" PRId64, value);
}
