/* What the stream teaches about binaries: which options a program was built with, which bytes the
 * driver gave out for it, and which a program is made from. The bytes are in the program's memory;
 * the checker has a digest of them taken while the call that gave them has not returned. */
#include "checkers/host/objects/binaries.h"
#include "checkers/host/objects/teaching_call.h"

#include <string.h>

bool learns_binaries(const struct host_options *options)
{
    return options->digest && checks_has(&options->checks, RULE_BINARY_OPTIONS);
}

static bool digest_of(const struct host_checker *checker, uint64_t address, uint64_t size,
                      uint64_t *digest)
{
    return address != 0 && size != 0 &&
           checker->options.digest(checker->options.watch_user, address, size, digest);
}

/* ---- builds ---- */

const char *learn_build_options(const struct lesson *lesson)
{
    const struct api_value *options = lesson_argument(lesson, "options");
    struct binary_table *binaries = lesson->checker->binaries;
    if (!binaries || lesson->call->entry != API_ENTRY_clBuildProgram)
        return NULL; /* what clCompileProgram makes is not an executable */
    if (!options->present)
        return binary_keep_options(binaries, "", 0);
    return options->kind == API_VALUE_STRING
               ? binary_keep_options(binaries, options->data, options->size)
               : NULL;
}

/* ---- what is given out ---- */

static void learn_sizes(const struct lesson *lesson, const struct api_value *answer)
{
    struct program_traits *program = lesson_lock_first(lesson, API_OBJECT_PROGRAM);
    if (program && answer->size == program->devices.count * sizeof *program->binary_sizes)
        memcpy(program->binary_sizes, answer->data, answer->size);
    lesson_unlock(lesson);
}

/* The options of all its executables; NULL: they are not known, or differ, or there are devices
 * without one. Then it does not matter which binary is for which device. */
static const char *options_of_all(const struct program_traits *program)
{
    const char *options = program->devices.count > 0 ? program->options[0] : NULL;
    for (uint32_t i = 0; i < program->devices.count; ++i)
        if (program->options[i] != options || program->status[i] != PROGRAM_BUILT ||
            program->binary[i] != BINARY_EXECUTABLE)
            return NULL;
    return options;
}

/* One made from a binary gives out what it was made from, or not: nobody says. */
static void note_binaries(const struct lesson *lesson, const struct api_value *addresses)
{
    struct program_traits program;
    if (!object_get_traits(lesson->checker->objects, lesson->call->arguments[0].bits,
                           API_OBJECT_PROGRAM, &program) ||
        program.made_by == API_ENTRY_clCreateProgramWithBinary)
        return;
    const char *options = options_of_all(&program);
    for (uint32_t i = 0; options && i < program.devices.count; ++i) {
        uint64_t digest;
        if ((i + 1) * sizeof(uint64_t) <= addresses->size &&
            digest_of(lesson->checker, list_word(addresses, i), program.binary_sizes[i], &digest))
            binary_note(lesson->checker->binaries, digest, options);
    }
}

void learn_binary_answer(const struct lesson *lesson, uint64_t query,
                         const struct api_value *answer)
{
    if (!lesson->checker->binaries)
        return;
    if (query == CL_PROGRAM_BINARY_SIZES)
        learn_sizes(lesson, answer);
    else if (query == CL_PROGRAM_BINARIES)
        note_binaries(lesson, answer);
}

/* ---- what is made of it ---- */

void learn_from_binaries(const struct lesson *lesson, struct program_traits *program)
{
    const struct api_value *binaries =
        &lesson->call->arguments[API_clCreateProgramWithBinary_binaries];
    struct binary_table *table = lesson->checker->binaries;
    uint64_t at = 0;
    if (!table || !binary_any(table) || binaries->kind != API_VALUE_STRINGS)
        return;
    for (uint32_t i = 0; i < binaries->count && i < program->devices.count; ++i) {
        const char *string = (const char *)binaries->data + at;
        uint64_t size;
        uint64_t digest;
        memcpy(&size, string, sizeof size);
        if (digest_of(lesson->checker, (uint64_t)(uintptr_t)(string + sizeof size), size, &digest))
            program->options[i] = binary_find(table, digest);
        at += sizeof size + size;
    }
}
