/* This process, as findings name it, and how it tells clerk run of its beginning and its end. */
#include "checkers/process_notes.h"
#include "layer/session_parts.h"
#include "trace/base/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What launchers of MPI tell a process of its place among the others. */
static const char *const rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                             "SLURM_PROCID"};

static void append_rank(struct text *text)
{
    enum { VARIABLE_COUNT = sizeof rank_variables / sizeof *rank_variables };
    const char *rank = NULL;
    for (size_t i = 0; i < VARIABLE_COUNT && !rank; i++)
        rank = getenv(rank_variables[i]);
    if (rank)
        text_format(text, ", rank %.20s", rank);
}

/* Bytes that continue a character do not begin the part that is cut off. */
static size_t cut_length(const char *command)
{
    enum { LENGTH_MAX = 120 };
    size_t length = strlen(command);
    if (length <= LENGTH_MAX)
        return length;
    length = LENGTH_MAX;
    while (length > 0 && ((unsigned char)command[length] & 0xc0) == 0x80)
        length--;
    return length;
}

struct finding_process own_process(const char *trace, struct arena *arena)
{
    struct text words = TEXT_INIT;
    struct text command = TEXT_INIT;
    process_command_line(&words);
    const char *all = words.size ? words.bytes : "a process";
    const size_t length = cut_length(all);
    text_append_n(&command, all, length);
    text_append(&command, all[length] ? "..." : "");
    append_rank(&command);
    const struct finding_process process = {
        .command = command.failed ? NULL : arena_string(arena, command.bytes),
        .trace = trace ? arena_string(arena, trace) : NULL,
        .id = (uint64_t)getpid(),
    };
    text_release(&command);
    text_release(&words);
    return process;
}

void own_process_note(const char *path, const struct finding_process *process, bool began)
{
    struct lines *lines = NULL;
    struct text line = TEXT_INIT;
    if (!path || !process->command || lines_open(path, &lines, NULL))
        return;
    process_note_print(process, began, &line);
    lines_append(lines, &line, NULL);
    text_release(&line);
    lines_close(lines);
}
