/* Memory in which the reference device finds a race is apart in no launch that has it: that of the
 * cases of tests/probes, and that of all transcripts of tests/kernels, each with its kernel. */
#include "tests/probes/probed.h"
#include "tests/unit/probe/forms.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VALUES = 16 };

/* Numbers by argument, and their sizes; 0 = none that is known. */
struct values {
    int64_t numbers[VALUES];
    size_t sizes[VALUES];
};

static const void *value_of(const void *user, uint32_t argument, size_t *size)
{
    const struct values *values = user;
    if (argument >= VALUES || values->sizes[argument] == 0)
        return NULL;
    *size = values->sizes[argument];
    return &values->numbers[argument];
}

/* ---- the cases of tests/probes ---- */

/* On what each case has its race. The items of aliased_arguments meet in two arguments, of which
 * each is apart. */
static const struct {
    const char *name, *memory;
} raced[] = {
    {"all_write_one", "out"},       {"groups_overwrite", "out"},
    {"plain_histogram", "bins"},    {"missing_barrier", "room"},
    {"wrong_fence", "room"},        {"in_place_shift", "in"},
    {"forgotten_plane", "out"},     {"vectors_overlap", "out"},
    {"structures_shared", "cells"}, {"aliased_arguments", NULL},
    {"linked_flag", "flag"},        {"shared_sum", "sum"},
    {"room_unfenced", "room"},      {"room_wrong_fence", "room"},
    {"one_total", "total"},         {"first_item_sets", "shared_start"},
    {"tile_overtaken", "tile"},     {"tree_unfenced", "sums"},
    {"plane_transposed", "plane"},  {"cells_shared", "cells"},
    {"vectors_in_room", "room"},    {"neighbours_scan", "sums"},
    {"mixed_counter", "count"},     {"copy_read_early", "room"},
    {"copies_meet", "out"},         {"stripes_meet", "out"},
    {"tile_copied_over", "tile"},   {"copy_source_changed", "room"},
    {"copy_written_late", "room"},
};

static const char *memory_of(const char *name)
{
    for (size_t i = 0; i < sizeof raced / sizeof raced[0]; i++) {
        if (strcmp(raced[i].name, name) == 0)
            return raced[i].memory;
    }
    fail_msg("%s has no row", name);
    return NULL;
}

/* The text as probed.h says. */
static char *choose(const char *text, bool clean)
{
    struct text chosen = TEXT_INIT;
    bool inside = false;
    bool second = false;
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '@') {
            inside = !inside;
            second = false;
        } else if (inside && !second && *text == '|') {
            second = true;
        } else if (!inside || second == clean) {
            text_append_n(&chosen, text, 1);
        }
    }
    char *copy = alloc_string(chosen.bytes != NULL ? chosen.bytes : "");
    text_release(&chosen);
    return copy;
}

static bool case_holds(const struct probed_case *its, const char *memory, bool clean)
{
    char *texts[] = {choose(its->source, clean), choose(its->second, clean),
                     choose(its->header, clean)};
    struct request_header header = {"part.h", texts[2], strlen(texts[2])};
    struct request_part parts[2];
    struct facts facts;
    struct values values = {{0}, {0}};
    struct apart_launch launch = {.value_of = value_of, .user = &values};
    for (size_t p = 0; p < 2; p++)
        parts[p] = (struct request_part){.bytes = texts[p],
                                         .size = strlen(texts[p]),
                                         .options = "",
                                         .headers = &header,
                                         .header_count = 1};
    for (size_t d = 0; d < 3 && its->global[d] != 0; d++, launch.dimensions++) {
        launch.global[d] = its->global[d];
        launch.local[d] = its->local[d];
        launch.offset[d] = its->offset[d];
    }
    for (uint32_t a = 0; a < PROBED_ARGUMENTS; a++) {
        values.numbers[a] = (int64_t)its->arguments[a].count;
        values.sizes[a] = its->arguments[a].object == PROBED_VALUE ? sizeof(int) : 0;
    }
    if (!forms_of_parts(parts, its->second != NULL ? 2 : 1, &facts))
        fail_msg("%s cannot be compiled", its->name);
    const bool holds = forms_hold(facts_find(&facts, its->name), memory, &launch);
    facts_release(&facts);
    for (size_t t = 0; t < 3; t++)
        alloc_free(texts[t]);
    return holds;
}

/* Counts the twins that are apart. */
static size_t check_kind(const struct probed_kind *kind)
{
    size_t apart = 0;
    for (size_t c = 0; c < kind->count; c++) {
        const char *memory = memory_of(kind->cases[c].name);
        if (memory == NULL)
            continue;
        if (case_holds(&kind->cases[c], memory, false))
            fail_msg("%s of %s is apart", memory, kind->cases[c].name);
        apart += case_holds(&kind->cases[c], memory, true);
    }
    return apart;
}

static void cases_with_races_are_not_apart(void **state)
{
    (void)state;
    assert_int_equal(check_kind(&probed_race_global), 6);
    assert_int_equal(check_kind(&probed_race_local), 9);
}

/* ---- the transcripts of tests/kernels ---- */

/* A command line of `clerk kernel`. */
struct command {
    char kernel[512], options[512];
    struct values values;
    struct apart_launch launch;
    uint32_t argument_count;
};

/* The next word of a line of a shell, without its quotes. False at the end. */
static bool next_word(const char **line, char *word, size_t size)
{
    size_t length = 0;
    char quote = '\0';
    while (**line == ' ')
        (*line)++;
    if (**line == '\n' || **line == '\0')
        return false;
    for (; **line != '\n' && **line != '\0' && (quote != '\0' || **line != ' '); (*line)++) {
        if (quote == '\0' ? **line == '\'' || **line == '"' : **line == quote)
            quote = quote == '\0' ? **line : '\0';
        else if (length + 1 < size)
            word[length++] = **line;
    }
    word[length] = '\0';
    return true;
}

static void read_sizes(const char *word, uint64_t sizes[3], uint32_t *count)
{
    for (*count = 0; *count < 3; (*count)++) {
        char *end;
        sizes[*count] = strtoull(word, &end, 0);
        if (*end != ',') {
            (*count)++;
            return;
        }
        word = end + 1;
    }
}

/* "int=4" */
static void read_argument(const char *word, struct command *command)
{
    static const struct {
        const char *type;
        size_t size;
    } types[] = {{"char=", 1}, {"uchar=", 1}, {"short=", 2}, {"ushort=", 2},
                 {"int=", 4},  {"uint=", 4},  {"long=", 8},  {"ulong=", 8}};
    const uint32_t index = command->argument_count++;
    for (size_t t = 0; t < sizeof types / sizeof types[0] && index < VALUES; t++) {
        const size_t length = strlen(types[t].type);
        if (strncmp(word, types[t].type, length) == 0) {
            command->values.sizes[index] = types[t].size;
            command->values.numbers[index] = strtoll(word + length, NULL, 0);
        }
    }
}

static void read_command(const char *line, struct command *command)
{
    char word[512];
    char value[512];
    uint32_t count;
    *command = (struct command){.launch = {.value_of = value_of}};
    while (next_word(&line, word, sizeof word)) {
        const bool is_option = word[0] == '-';
        if (!is_option || !next_word(&line, value, sizeof value))
            continue;
        if (strcmp(word, "-k") == 0)
            snprintf(command->kernel, sizeof command->kernel, "%s", value);
        else if (strcmp(word, "--build") == 0)
            snprintf(command->options, sizeof command->options, "%s", value);
        else if (strcmp(word, "-g") == 0)
            read_sizes(value, command->launch.global, &command->launch.dimensions);
        else if (strcmp(word, "-l") == 0)
            read_sizes(value, command->launch.local, &count);
        else if (strcmp(word, "--offset") == 0)
            read_sizes(value, command->launch.offset, &count);
        else if (strcmp(word, "-a") == 0)
            read_argument(value, command);
    }
}

/* That were looked at. */
static size_t race_count;

/* "  object: local memory 'tile' (32 bytes), bytes 28 to 31" */
static bool find_memory(const char *race, const char *end, char *name, size_t size)
{
    const char *object = strstr(race, "\n  object: ");
    const char *quote = object != NULL ? strstr(object, " memory '") : NULL;
    if (quote == NULL || quote > end)
        return false;
    quote += strlen(" memory '");
    snprintf(name, size, "%.*s", (int)strcspn(quote, "'"), quote);
    return true;
}

/* What the command printed is [line, end). */
static void check_command(const char *source, const char *path, const char *line, const char *end)
{
    struct command command;
    struct facts facts;
    char name[256];
    const char *race = strstr(line, "error: [race-");
    if (race == NULL || race >= end)
        return;
    /* Forms are of one argument; that another is of the same memory is known at a launch. */
    const char *same = strstr(line, " same:");
    if (same != NULL && same < line + strcspn(line, "\n"))
        return;
    read_command(line, &command);
    command.launch.user = &command.values;
    const struct request_part part = {
        .bytes = source, .size = strlen(source), .options = command.options};
    if (!forms_of_parts(&part, 1, &facts))
        return; /* it asks for more than forms.h's device has */
    const struct fact_kernel *kernel = command.kernel[0] == '\0' && facts.kernel_count == 1
                                           ? &facts.kernels[0]
                                           : facts_find(&facts, command.kernel);
    for (; kernel != NULL && race != NULL && race < end; race = strstr(race + 1, "error: [race-")) {
        if (!find_memory(race, end, name, sizeof name))
            continue;
        race_count++;
        if (forms_hold(kernel, name, &command.launch))
            print_error("%s: '%s' is apart in\n%.*s\n", path, name, (int)strcspn(line, "\n"), line);
        assert_false(forms_hold(kernel, name, &command.launch));
    }
    facts_release(&facts);
}

static void read_text(const char *path, char **text)
{
    size_t size;
    struct error error;
    if (file_read_text(path, 16 << 20, text, &size, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* NAME.txt beside NAME.cl. */
static int check_transcript(const char *path, const struct stat *stat, int type, struct FTW *place)
{
    (void)stat, (void)place;
    static const char command[] = "$ clerk kernel ";
    char beside[4096];
    char *source = NULL;
    char *transcript = NULL;
    const char *dot = strrchr(path, '.');
    if (type != FTW_F || dot == NULL || strcmp(dot, ".cl") != 0)
        return 0;
    snprintf(beside, sizeof beside, "%.*s.txt", (int)(dot - path), path);
    read_text(path, &source);
    read_text(beside, &transcript);
    for (const char *line = strstr(transcript, command); line != NULL;) {
        const char *next = strstr(line + 1, command);
        check_command(source, path, line, next != NULL ? next : line + strlen(line));
        line = next;
    }
    alloc_free(source);
    alloc_free(transcript);
    return 0;
}

static void transcripts_with_races_are_not_apart(void **state)
{
    (void)state;
    assert_int_equal(nftw(CLERK_TEST_KERNELS, check_transcript, 8, FTW_PHYS), 0);
    assert_true(race_count > 100);
}

int main(void)
{
    setenv("CLERK_CACHE", CLERK_TEST_CACHE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_with_races_are_not_apart),
        cmocka_unit_test(transcripts_with_races_are_not_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
