#include "trace/api/personality.h"

#include "trace/base/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct trait {
    const char *name;
    size_t offset;
    uint64_t low, high;
} traits[] = {
#define TRAIT(member, name, low, high, help)                                                       \
    {name, offsetof(struct personality, member), low, high},
#include "trace/api/personality.def"
};

/* "sub-group=8": its number; of a trait without one, 1. False = the word is another. */
static bool match(const struct trait *trait, const char *word, size_t length, uint64_t *number)
{
    const size_t name = strlen(trait->name);
    *number = 1;
    if (length < name || strncmp(word, trait->name, name) != 0)
        return false;
    if (trait->high == 0)
        return length == name;
    const char *at = word + name + 1;
    return word[name] == '=' && number_take(&at, number) && at == word + length &&
           *number >= trait->low && *number <= trait->high;
}

static enum status refuse(const char *word, size_t length, struct error *error)
{
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        const size_t name = strlen(traits[i].name);
        if (traits[i].high != 0 && length >= name && strncmp(word, traits[i].name, name) == 0)
            return error_set(error, STATUS_INVALID,
                             "personality '%.*s': %s=N has a number from %" PRIu64 " to %" PRIu64,
                             (int)length, word, traits[i].name, traits[i].low, traits[i].high);
    }
    struct text names = TEXT_INIT;
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        text_format(&names, i == 0 ? "%s" : ", %s", traits[i].name);
        if (traits[i].high != 0)
            text_format(&names, "=%" PRIu64 "..%" PRIu64, traits[i].low, traits[i].high);
    }
    const enum status status =
        names.failed ? error_no_memory(error, sizeof traits)
                     : error_set(error, STATUS_INVALID,
                                 "personality '%.*s': must be of %s, with commas between",
                                 (int)length, word, names.bytes);
    text_release(&names);
    return status;
}

static enum status parse_word(const char *word, size_t length, struct personality *personality,
                              struct error *error)
{
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        uint64_t number;
        if (!match(&traits[i], word, length, &number))
            continue;
        memcpy((char *)personality + traits[i].offset, &number, sizeof number);
        return STATUS_OK;
    }
    return refuse(word, length, error);
}

/* OpenCL API 3.0, 4.2: only an embedded device may lack a compiler, and one with a compiler has a
 * linker. */
static void add_implied(struct personality *personality)
{
    personality->no_linker |= personality->custom;
    personality->no_compiler |= personality->no_linker;
    personality->embedded |= personality->no_compiler;
}

enum status personality_parse(const char *list, struct personality *personality,
                              struct error *error)
{
    struct personality parsed = {0};
    for (const char *at = list; *at != '\0';) {
        const size_t length = strcspn(at, ",");
        const enum status status = parse_word(at, length, &parsed, error);
        if (status != STATUS_OK)
            return status;
        at += length;
        at += *at == ',';
    }
    if ((parsed.sub_group_size & (parsed.sub_group_size - 1)) != 0)
        return error_set(error, STATUS_INVALID,
                         "personality 'sub-group=%u': must be a power of two",
                         (unsigned)parsed.sub_group_size);
    if (parsed.narrow && parsed.allocation > PERSONALITY_NARROW_ALLOCATION_MAX)
        return error_set(error, STATUS_INVALID,
                         "personality 'max-alloc=%" PRIu64
                         "': at most 2^30 where addresses have 32 bits",
                         parsed.allocation);
    if (parsed.custom && parsed.minimum)
        return error_set(error, STATUS_INVALID,
                         "personality 'custom': has nothing but the built-in kernel, which "
                         "'minimum' lacks");
    add_implied(&parsed);
    *personality = parsed;
    return STATUS_OK;
}

void personality_print(const struct personality *personality, struct text *text)
{
    bool first = true;
    for (size_t i = 0; i < sizeof traits / sizeof traits[0]; i++) {
        const struct trait *trait = &traits[i];
        uint64_t number;
        memcpy(&number, (const char *)personality + trait->offset, sizeof number);
        if (number == 0)
            continue;
        text_format(text, first ? "%s" : ",%s", trait->name);
        if (trait->high != 0)
            text_format(text, "=%" PRIu64, number < trait->high ? number : trait->high);
        first = false;
    }
}

const char *personality_get(size_t index)
{
    static const char *const all[] = {
        "big-endian",         "32-bit",      "embedded",     "ftz",
        "sub-group=1",        "sub-group=8", "sub-group=64", "max-work-group=64",
        "max-alloc=33554432", "opencl-3.0",  "affinity",     "minimum"};
    return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}
