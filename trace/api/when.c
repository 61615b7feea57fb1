#include "trace/api/when.h"

#include "trace/base/options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *prefix;
    enum when_kind kind;
} kinds[] = {
    {"call:", WHEN_CALL},     {"launch:", WHEN_LAUNCH}, {"frame:", WHEN_FRAME},
    {"kernel:", WHEN_KERNEL}, {"time:", WHEN_TIME},     {"signal:", WHEN_SIGNAL},
    {"file:", WHEN_FILE},
};

/* Those that a program leaves to others. */
static const struct {
    const char *name;
    int number;
} signals[] = {{"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2}, {"SIGHUP", SIGHUP}};

int when_signal(const char *name)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    return 0;
}

/* From 1 on. */
static bool take_number(const char *text, struct when *when)
{
    return number_take(&text, &when->number) && *text == '\0' && when->number > 0;
}

/* A name of C has no colon. */
static bool take_kernel(const char *text, struct when *when)
{
    const char *colon = strchr(text, ':');
    when->name = text;
    when->name_length = strcspn(text, ":");
    when->number = 1;
    return when->name_length > 0 && (!colon || take_number(colon + 1, when));
}

static bool take_time(const char *text, struct when *when)
{
    char *end;
    const double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0) || seconds > 1e9)
        return false;
    when->number = (uint64_t)(seconds * 1e9);
    return true;
}

static bool take(const char *text, struct when *when)
{
    switch (when->kind) {
    case WHEN_KERNEL:
        return take_kernel(text, when);
    case WHEN_TIME:
        return take_time(text, when);
    case WHEN_SIGNAL:
        when->number = (uint64_t)when_signal(text);
        return when->number != 0;
    case WHEN_FILE:
        when->name = text;
        when->name_length = strlen(text);
        return when->name_length > 0;
    default:
        return take_number(text, when);
    }
}

enum status when_parse(const char *text, struct when *when, struct error *error)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const size_t length = strlen(kinds[i].prefix);
        struct when made = {.kind = kinds[i].kind};
        if (strncmp(text, kinds[i].prefix, length) != 0 || !take(text + length, &made))
            continue;
        *when = made;
        return STATUS_OK;
    }
    return error_set(
        error, STATUS_INVALID,
        "'%s' does not name a moment of a run: launch:N, call:N, frame:N, kernel:NAME, "
        "kernel:NAME:N, time:SECONDS, signal:SIGUSR1 (SIGUSR2, SIGHUP) or file:PATH",
        text);
}
