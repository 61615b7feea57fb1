/* Tables of enumerants by family. Finding walks the family: names are wanted where something is
 * printed, never on the way of a call. */
#include "trace/api/enumerant.h"

#include "trace/api/clerk_queries.h"
#include "trace/base/assert.h"
#include "trace/base/options.h"

#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* `of` names a family or an object kind, depending on the answer; NONE is in both. */
#define OF_NONE(of)      0
#define OF_STRING(of)    0
#define OF_NUMBERS32(of) 0
#define OF_NUMBERS64(of) 0
#define OF_WORDS32(of)   API_FAMILY_##of
#define OF_BITS64(of)    API_FAMILY_##of
#define OF_HANDLES(of)   API_OBJECT_##of
#define OF_ADDRESSES(of) 0
#define OF_STRUCT(of)    API_FAMILY_##of
#define OF_BYTES(of)     0

static const struct {
    enum api_family family;
    struct api_enumerant enumerant;
} table[] = {
#define ENUMERANT(family, name, answer, of)                                                        \
    {API_FAMILY_##family, {#name, (uint64_t)name, API_ANSWER_##answer, OF_##answer(of)}},
#define DEPRECATED(...)
#include "trace/api/enumerants.def"
#undef ENUMERANT
#undef DEPRECATED
};
enum { TABLE_COUNT = sizeof table / sizeof table[0] };

enum family_shape { SHAPE_WORDS, SHAPE_BITS, SHAPE_STRUCT };
static const uint8_t shapes[API_FAMILY_COUNT] = {
#define FAMILY(symbol, shape) [API_FAMILY_##symbol] = SHAPE_##shape,
#include "trace/api/families.def"
};

/* The first row of a family, whose rows stand together; found once. */
static size_t family_start(enum api_family family)
{
    static _Atomic uint16_t starts[API_FAMILY_COUNT]; /* plus 1; 0 = not yet looked for */
    size_t start = atomic_load_explicit(&starts[family], memory_order_relaxed);
    if (start != 0)
        return start - 1;
    while (start < TABLE_COUNT && table[start].family != family)
        start++;
    atomic_store_explicit(&starts[family], (uint16_t)(start + 1), memory_order_relaxed);
    return start;
}

const struct api_enumerant *api_enumerant_find(enum api_family family, uint64_t value)
{
    for (size_t i = family_start(family); i < TABLE_COUNT && table[i].family == family; i++)
        if (table[i].enumerant.value == value)
            return &table[i].enumerant;
    return NULL;
}

const struct api_enumerant *api_enumerant_of_value(uint64_t value)
{
    enum { REGISTRY_START = 0x900 }; /* from here on the registry gives each value to one name */
    for (size_t i = 0; value >= REGISTRY_START && i < TABLE_COUNT; i++)
        if (table[i].enumerant.value == value && shapes[table[i].family] == SHAPE_WORDS)
            return &table[i].enumerant;
    return NULL;
}

const struct api_deprecation *api_enumerant_deprecation(enum api_family family, uint64_t value)
{
    static const struct {
        enum api_family family;
        uint64_t value;
        struct api_deprecation deprecation;
    } deprecated[] = {
#define ENUMERANT(...)
#define DEPRECATED(family, name, version, instead)                                                 \
    {API_FAMILY_##family, (uint64_t)name, {version, instead}},
#include "trace/api/enumerants.def"
    };
    for (size_t i = 0; i < sizeof deprecated / sizeof deprecated[0]; i++)
        if (deprecated[i].family == family && deprecated[i].value == value)
            return &deprecated[i].deprecation;
    return NULL;
}

bool api_enumerant_is_core(const struct api_enumerant *enumerant)
{
    const char *end = strrchr(enumerant->name, '_');
    return !end || !word_within(end + 1, "KHR|EXT|AMD|ARM|IMG|INTEL|NV|QCOM", '|');
}

const char *api_error_name(int32_t error)
{
    const struct api_enumerant *found =
        api_enumerant_find(API_FAMILY_ERROR, (uint64_t)(int64_t)error);
    return found ? found->name : NULL;
}

/* Names the set bits in the order of the table; bits without a name are added as a number. */
static void print_bits(enum api_family family, uint64_t value, struct text *text)
{
    bool first = true;
    for (size_t i = 0; i < TABLE_COUNT && value != 0; i++) {
        const struct api_enumerant *bit = &table[i].enumerant;
        if (table[i].family != family || bit->value == 0 || (value & bit->value) != bit->value)
            continue;
        text_append(text, first ? "" : " | ");
        text_append(text, bit->name);
        value &= ~bit->value;
        first = false;
    }
    if (value != 0)
        text_format(text, "%s0x%" PRIx64, first ? "" : " | ", value);
}

void api_enumerant_print(enum api_family family, uint64_t value, struct text *text)
{
    ASSERT(family < API_FAMILY_COUNT);
    const struct api_enumerant *found = api_enumerant_find(family, value);
    if (found)
        text_append(text, found->name);
    else if (value == 0)
        text_append_char(text, '0');
    else if (shapes[family] == SHAPE_BITS)
        print_bits(family, value, text);
    else if (family == API_FAMILY_ERROR || family == API_FAMILY_EXECUTION_STATUS)
        text_format(text, "%" PRId64, (int64_t)value);
    else
        text_format(text, "0x%" PRIx64, value);
}
