#include "trace/api/settings.h"

#include "trace/api/personality.h"
#include "trace/api/when.h"
#include "trace/base/assert.h"
#include "trace/base/options.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const struct setting_info settings[SETTING_COUNT] = {
#define SETTING(symbol, name, variable, kind, initial, values, help)                               \
    {name, variable, SETTING_KIND_##kind, initial, values, help},
#include "trace/api/settings.def"
};

const struct setting_info *setting_get(enum setting setting)
{
    ASSERT(setting < SETTING_COUNT);
    return &settings[setting];
}

enum setting setting_find(const char *name)
{
    enum setting setting = 0;
    while (setting < SETTING_COUNT && strcmp(settings[setting].name, name) != 0)
        setting++;
    return setting;
}

/* A decimal number and nothing else. */
static bool number_parse(const char *text, uint64_t *number)
{
    return number_take(&text, number) && *text == '\0';
}

/* Is the value the word of `length` bytes? Colons part both; of the word's parts a K stands for any
 * number, and an N for any from 1 on. */
static bool word_is(const char *word, size_t length, const char *value)
{
    const char *const end = word + length;
    while (word < end) {
        const bool any = *word == 'K';
        uint64_t number;
        if ((any || *word == 'N') && (word + 1 == end || word[1] == ':')) {
            if (!number_take(&value, &number) || (number == 0 && !any))
                return false;
            word++;
        } else if (*word++ != *value++) {
            return false;
        }
    }
    return *value == '\0';
}

static bool word_is_valid(const char *values, const char *value)
{
    for (;;) {
        const size_t length = strcspn(values, "|");
        if (word_is(values, length, value))
            return true;
        if (values[length] == '\0')
            return false;
        values += length + 1;
    }
}

/* `values` is "LOW..HIGH". */
static bool number_is_valid(const char *values, const char *value)
{
    uint64_t number;
    char *high;
    const uint64_t low = strtoull(values, &high, 10);
    ASSERT(strncmp(high, "..", 2) == 0);
    return number_parse(value, &number) && number >= low && number <= strtoull(high + 2, NULL, 10);
}

uint64_t setting_fraction(const char *value)
{
    uint64_t number;
    return strncmp(value, "1/", 2) == 0 && number_parse(value + 2, &number) ? number : 0;
}

/* A number, and KiB, MiB or GiB behind it, or nothing; 0 = it is none. */
uint64_t setting_size(const char *value)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    uint64_t number;
    if (!number_take(&value, &number))
        return 0;
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(value, units[i]) == 0)
            return number <= UINT64_MAX >> (10 * i) ? number << (10 * i) : 0;
    return 0;
}

/* `values` is the least one. */
static enum status size_check(const struct setting_info *info, const char *value,
                              struct error *error)
{
    return setting_size(value) >= setting_size(info->values)
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "%s is '%s' and must be a size, as in 500MiB or 2GiB, of %s at least",
                           info->name, value, info->values);
}

static enum status regex_check(const char *name, const char *value, struct error *error)
{
    regex_t compiled;
    char reason[128];
    const int refused = regcomp(&compiled, value, REG_EXTENDED | REG_NOSUB);
    if (!refused) {
        regfree(&compiled);
        return STATUS_OK;
    }
    regerror(refused, &compiled, reason, sizeof reason);
    return error_set(error, STATUS_INVALID, "%s is '%s', which is not a regular expression: %s",
                     name, value, reason);
}

/* -1 = neither yes nor no. */
static int flag_parse(const char *value)
{
    if (value[0] == '\0' || word_within(value, "1|yes|on|true", '|'))
        return 1;
    return word_within(value, "0|no|off|false", '|') ? 0 : -1;
}

enum status setting_check(enum setting setting, const char *value, struct error *error)
{
    const struct setting_info *info = setting_get(setting);
    bool valid = true;
    uint64_t first, last;
    switch (info->kind) {
    case SETTING_KIND_FLAG:
        if (flag_parse(value) < 0)
            return error_set(error, STATUS_INVALID, "%s is '%s' and must be yes or no", info->name,
                             value);
        break;
    case SETTING_KIND_WORD:
        valid = word_is_valid(info->values, value);
        break;
    case SETTING_KIND_NUMBER:
        valid = number_is_valid(info->values, value);
        break;
    case SETTING_KIND_RANGE:
        valid = range_parse(value, &first, &last);
        break;
    case SETTING_KIND_REGEX:
        return regex_check(info->name, value, error);
    case SETTING_KIND_FRACTION:
        valid = setting_fraction(value) > 0;
        break;
    case SETTING_KIND_WHEN:
        return when_parse(value, &(struct when){0}, error);
    case SETTING_KIND_SIGNAL:
        valid = when_signal(value) != 0;
        break;
    case SETTING_KIND_SIZE:
        return size_check(info, value, error);
    case SETTING_KIND_PERSONALITY:
        return personality_parse(value, &(struct personality){0}, error);
    case SETTING_KIND_LIST:
    case SETTING_KIND_PATH:
        valid = value[0] != '\0';
        break;
    }
    if (!valid)
        return error_set(error, STATUS_INVALID, "%s is '%s' and must be %s", info->name, value,
                         info->values);
    return STATUS_OK;
}

enum status setting_put(enum setting setting, const char *value, struct error *error)
{
    const enum status status = setting_check(setting, value, error);
    if (status == STATUS_OK && setenv(setting_get(setting)->variable, value, 1) != 0)
        return error_no_memory(error, strlen(value));
    return status;
}

const char *setting_value(enum setting setting)
{
    const struct setting_info *info = setting_get(setting);
    const char *value = getenv(info->variable);
    if (!value || (value[0] == '\0' && info->kind != SETTING_KIND_FLAG))
        return info->initial;
    return value;
}

bool setting_is_set(enum setting setting)
{
    const struct setting_info *info = setting_get(setting);
    ASSERT(info->kind == SETTING_KIND_FLAG);
    const char *value = getenv(info->variable);
    return value && flag_parse(value) != 0;
}

void setting_range(enum setting setting, uint64_t *first, uint64_t *last)
{
    ASSERT(setting_get(setting)->kind == SETTING_KIND_RANGE);
    if (!range_parse(setting_value(setting), first, last)) {
        *first = 0;
        *last = UINT64_MAX;
    }
}
