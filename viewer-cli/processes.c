#include "viewer-cli/processes.h"

#include "checkers/process_notes.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"

#include <string.h>

enum { NOTES_SIZE_MAX = 1 << 28 };

/* A process that begins again has become another program. */
static enum status note(struct processes *processes, const struct finding_process *process,
                        bool began, struct error *error)
{
    if (!began) {
        for (size_t i = processes->count; i-- > 0;)
            if (finding_process_is(&processes->seen[i].process, process)) {
                processes->seen[i].ended = true;
                return STATUS_OK;
            }
        return STATUS_OK;
    }
    void *grown = alloc_grow(processes->seen, processes->count, &processes->capacity,
                             sizeof *processes->seen);
    if (!grown)
        return error_no_memory(error, sizeof *processes->seen);
    processes->seen = grown;
    processes->seen[processes->count++] = (struct process_seen){.process = *process};
    return STATUS_OK;
}

static const char *below(const char *directory, const char *path)
{
    const size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

void process_name(const struct process_naming *naming, struct finding_process *process)
{
    if (process->id == naming->started)
        process->id = 0;
    if (!naming->directory)
        return;
    process->command = below(naming->directory, process->command);
    process->trace = process->trace ? below(naming->directory, process->trace) : NULL;
}

enum status processes_read(const char *path, const struct process_naming *naming,
                           struct processes *processes, struct error *error)
{
    char *text = NULL;
    size_t size;
    enum status status = file_read_text(path, NOTES_SIZE_MAX, &text, &size, error);
    for (char *line = text; line && !status;) {
        struct finding_process process;
        bool began;
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        if (process_note_parse(line, &processes->arena, &process, &began)) {
            process_name(naming, &process);
            status = note(processes, &process, began, error);
        }
        line = end;
    }
    alloc_free(text);
    return status;
}

void processes_release(struct processes *processes)
{
    alloc_free(processes->seen);
    arena_release(&processes->arena);
}

bool processes_are_several(const struct processes *processes)
{
    for (size_t i = 0; i < processes->count; ++i)
        if (processes->seen[i].process.id != 0)
            return true;
    return false;
}

const char *processes_find_trace(const struct processes *processes, const char *path)
{
    for (size_t i = 0; i < processes->count; ++i) {
        const struct finding_process *process = &processes->seen[i].process;
        if (process->trace && strcmp(path_base(process->trace), path_base(path)) == 0)
            return process->command;
    }
    return NULL;
}

void processes_print(const struct processes *processes, struct text *text)
{
    struct arena arena = {0};
    struct finding all = {0};
    struct text list = TEXT_INIT;
    if (!processes_are_several(processes))
        return;
    for (size_t i = 0; i < processes->count; ++i) {
        struct finding_process process = processes->seen[i].process;
        process.trace = NULL; /* told by itself */
        if (!finding_add_processes(
                &all, &(struct finding){.processes = &process, .process_count = 1}, &arena))
            break;
    }
    finding_append_processes(&all, &list);
    text_format(text, "clerk: %zu process%s called OpenCL: ", processes->count,
                processes->count == 1 ? "" : "es");
    text_append_visible(text, list.bytes, VISIBLE_ONE_LINE);
    text_append_char(text, '\n');
    text_release(&list);
    arena_release(&arena);
}
