#include "viewer-cli/recording_options.h"

#include "trace/api/settings.h"

#include <stddef.h>
#include <string.h>

static const char *contents_of(const struct options *options)
{
    const char *contents = options_text(options, "contents");
    return contents ? contents : setting_value(SETTING_CONTENTS);
}

/* Launches are captured only with contents that have them: a trace without is found too late. */
static bool captures_nothing(const struct options *options)
{
    const char *contents = contents_of(options);
    return (options_has(options, "capture-launches") || options_has(options, "capture-kernel")) &&
           strcmp(contents, "all") != 0 && strcmp(contents, "hashes") != 0;
}

static bool says_how_much(const struct options *options)
{
    static const char *const names[] = {"record-from", "record-until", "trigger", "keep-last",
                                        "max-size"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (options_has(options, names[i]))
            return true;
    return false;
}

static bool begins_late(const struct options *options)
{
    return options_has(options, "record-from") || options_has(options, "trigger") ||
           options_has(options, "keep-last");
}

const char *recording_options_fault(const struct options *options)
{
    if (captures_nothing(options))
        return "--capture-launches and --capture-kernel choose among what --contents all or hashes "
               "keeps";
    if (says_how_much(options) && !options_has(options, "trace"))
        return "nothing is recorded without -o FILE, so there is nothing to choose a part of";
    if (options_has(options, "profile") && !options_has(options, "trace"))
        return "nothing is recorded without -o FILE, so there is nowhere to keep times";
    if (options_has(options, "profile-lines") && !options_has(options, "profile"))
        return "--profile-lines is more of what --profile records: not without it";
    if (options_has(options, "trigger") &&
        (options_has(options, "record-from") || options_has(options, "record-until")))
        return "--trigger is both beginning and end: not with --record-from or --record-until";
    if (begins_late(options) && strcmp(contents_of(options), "none") == 0)
        return "a recording that begins late has what memory holds: not with --contents none";
    if (options_has(options, "keep-last") && options_has(options, "max-size"))
        return "--keep-last keeps the end of the run, --max-size its beginning: one of them";
    return NULL;
}
