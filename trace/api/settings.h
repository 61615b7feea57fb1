/* The settings of clerk, from trace/api/settings.def: one row yields the environment variable, the
 * option. The layer and the device read them from the environment of the process. */
#ifndef TRACE_API_SETTINGS_H
#define TRACE_API_SETTINGS_H

#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum setting {
#define SETTING(symbol, ...) SETTING_##symbol,
#include "trace/api/settings.def"
    SETTING_COUNT
};

enum setting_kind {
    SETTING_KIND_FLAG,  /* set or not: "1", "yes", "on", "true" or an empty value mean set */
    SETTING_KIND_WORD,  /* one of `values`, which are separated by |; "seed:K" stands for any number
                           K */
    SETTING_KIND_LIST,  /* words separated by commas; whoever uses it knows which */
    SETTING_KIND_RANGE, /* "3" or "3-7" */
    SETTING_KIND_REGEX, /* an extended regular expression (POSIX) */
    SETTING_KIND_FRACTION, /* "1/10" */
    SETTING_KIND_WHEN,     /* trace/api/when.h */
    SETTING_KIND_SIGNAL,   /* its name, as when_signal knows it */
    SETTING_KIND_SIZE,     /* "500MiB": bytes; `values` is the least */
    SETTING_KIND_NUMBER,   /* within `values`, "1..64" */
    SETTING_KIND_PATH,
    SETTING_KIND_PERSONALITY, /* as personality_parse has it */
};

struct setting_info {
    const char *name;     /* the option without "--" */
    const char *variable; /* the environment variable */
    enum setting_kind kind;
    const char *initial; /* the default; "" = none, or off */
    const char *values;  /* what the help shows */
    const char *help;
};

/* Lives for ever. */
const struct setting_info *setting_get(enum setting setting);
/* By the name of its option; SETTING_COUNT when there is none. */
enum setting setting_find(const char *name);

/* Is `value` one that the setting may have? If not, the error names setting, value and what it may
 * be. */
enum status setting_check(enum setting setting, const char *value, struct error *error);

/* Checks the value and puts it into the environment, for what this process loads later. */
enum status setting_put(enum setting setting, const char *value, struct error *error);

/* The value in the environment, or the default where the variable is unset or (other than for a
 * flag) empty. Not checked. Lives until the environment changes. */
const char *setting_value(enum setting setting);
/* Of a FLAG: is it set? */
bool setting_is_set(enum setting setting);
/* The N of a FRACTION's value "1/N"; 0 where it is none. */
uint64_t setting_fraction(const char *value);
/* The bytes of a SIZE's value; 0 where it is none. */
uint64_t setting_size(const char *value);
/* Of a RANGE: its ends; 0 and UINT64_MAX where there is none. */
void setting_range(enum setting setting, uint64_t *first, uint64_t *last);

#endif
