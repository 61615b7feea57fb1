/* The processes of a run that told a finding: a launcher (ctest, mpirun) may start many. */
#include "checkers/finding.h"
#include "trace/base/file.h"

#include <string.h>

static bool is_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool finding_process_is(const struct finding_process *process, const struct finding_process *other)
{
    return process->id == other->id && is_equal(process->command, other->command) &&
           is_equal(process->trace, other->trace);
}

static bool has_process(const struct finding *finding, const struct finding_process *process)
{
    for (size_t i = 0; i < finding->process_count; ++i)
        if (finding_process_is(&finding->processes[i], process))
            return true;
    return false;
}

bool finding_add_processes(struct finding *finding, const struct finding *other,
                           struct arena *arena)
{
    const size_t count = finding->process_count + other->process_count;
    struct finding_process *all = NULL;
    for (size_t i = 0; i < other->process_count; ++i) {
        struct finding_process process = other->processes[i];
        if (has_process(finding, &process))
            continue;
        if (!all && !(all = arena_alloc(arena, count, sizeof *all)))
            return false;
        for (size_t j = 0; j < finding->process_count && all != finding->processes; ++j)
            all[j] = finding->processes[j];
        process.command = arena_string(arena, process.command);
        process.trace = process.trace ? arena_string(arena, process.trace) : NULL;
        if (!process.command || !process.trace != !other->processes[i].trace)
            return false;
        all[finding->process_count++] = process;
        finding->processes = all;
    }
    return true;
}

/* ---- words ---- */

/* Are both told by the same words? */
static bool reads_as(const struct finding_process *a, const struct finding_process *b)
{
    return is_equal(a->command, b->command) && is_equal(a->trace, b->trace);
}

static void append_words(const struct finding_process *process, size_t count, struct text *text)
{
    text_append(text, process->command);
    if (process->trace)
        text_format(text, " in %s", path_base(process->trace));
    if (count > 1)
        text_format(text, " (%zu processes)", count);
}

void finding_append_processes(const struct finding *finding, struct text *text)
{
    enum { SHOWN_MAX = 6 };
    const struct finding_process *const processes = finding->processes;
    size_t shown = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < finding->process_count; ++i) {
        size_t count = 0;
        size_t first = finding->process_count;
        for (size_t j = finding->process_count; j-- > 0;)
            if (reads_as(&processes[j], &processes[i])) {
                first = j;
                ++count;
            }
        if (first != i)
            continue;
        if (shown == SHOWN_MAX) {
            left_out += count;
            continue;
        }
        text_append(text, shown++ ? ", " : "");
        append_words(&processes[i], count, text);
    }
    if (left_out)
        text_format(text, " and %zu more", left_out);
}
