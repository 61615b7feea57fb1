#include "viewer-cli/shortfall.h"

#include "checkers/checks.h"
#include "trace/base/text.h"
#include "trace/spool.h"
#include "trace/store.h"
#include "viewer-cli/rows.h"

#include <stdlib.h>
#include <string.h>

static bool state_is(struct trace *trace, const char *wanted)
{
    const char *state = trace_fact(trace, "state");
    return state && strcmp(state, wanted) == 0;
}

/* The first column of the first row; false when there is none or it is 0. */
static bool ask(struct trace *trace, const char *sql)
{
    struct rows *rows = NULL;
    enum status status = rows_open(trace, sql, &rows, NULL);
    const bool yes = rows_next(rows, &status, NULL) && rows_number(rows, 0) != 0;
    rows_close(rows);
    return yes;
}

static unsigned long long count_fact(struct trace *trace, const char *name)
{
    const char *value = trace_fact(trace, name);
    return value ? strtoull(value, NULL, 10) : 0;
}

/* How many calls are gone, and which, is what matters of it. */
static void tell_damage(struct trace *trace, shortfall_teller *tell, void *user)
{
    const unsigned long long places = count_fact(trace, "damaged_records");
    const unsigned long long missing = count_fact(trace, "missing_calls");
    struct text sentence = TEXT_INIT;
    if (!places)
        return;
    text_format(&sentence, "what the killed program left is damaged in %llu place%s", places,
                places == 1 ? "" : "s");
    const char *numbers = trace_fact(trace, "missing_call_numbers");
    if (missing)
        text_format(&sentence, ": %llu call%s missing (%s)", missing,
                    missing == 1 ? " is" : "s are", numbers ? numbers : "which is not known");
    text_append(&sentence, missing ? ", and others may lack results or bytes"
                                   : ": calls may lack results or bytes");
    if (!sentence.failed)
        tell(user, sentence.bytes, SEVERITY_WARNING);
    text_release(&sentence);
}

void shortfall_tell(struct trace *trace, shortfall_teller *tell, void *user)
{
    if (trace_is_live(trace))
        tell(user,
             "the program is still running: this is what is stored so far, without objects and "
             "launches",
             SEVERITY_WARNING);
    else if (state_is(trace, "recovered"))
        tell(user, "the program did not end by itself: a signal or _exit ended it", SEVERITY_NOTE);
    else if (state_is(trace, "stopped"))
        tell(user, "recording stopped before the program ended", SEVERITY_WARNING);
    else if (state_is(trace, STORE_TRIMMED))
        tell(user, "this is a part of a recording, without the program's end", SEVERITY_NOTE);
    if (trace_begins_after(trace) == SPOOL_NOT_BEGUN)
        tell(user, "the recording had not begun when the program ended", SEVERITY_WARNING);
    else if (trace_begins_after(trace))
        tell(user,
             "the recording begins after the program did: of what came before it has what made the "
             "objects that were alive",
             SEVERITY_NOTE);
    tell_damage(trace, tell, user);
    if (!ask(trace, "SELECT EXISTS (SELECT 1 FROM call WHERE NOT flags & 4)"))
        tell(user, "the recording has no calls", SEVERITY_WARNING);
}

bool shortfall_has_end(struct trace *trace)
{
    return state_is(trace, "complete");
}

bool shortfall_has_no_checks(struct trace *trace)
{
    struct checks checks;
    const char *list = trace_fact(trace, "checks");
    return list && checks_parse(list, &checks, NULL) == STATUS_OK &&
           !checks_has_any(&checks, RULE_WHERE_HOST) && !checks_has_any(&checks, RULE_WHERE_KERNEL);
}

bool shortfall_has_contents(struct trace *trace)
{
    return ask(trace, "SELECT EXISTS (SELECT 1 FROM call_content)");
}

bool shortfall_has_contents_of_launches(struct trace *trace)
{
    return ask(trace, "SELECT EXISTS (SELECT 1 FROM launch_content)");
}
