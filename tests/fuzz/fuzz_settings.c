/* What a user, a file beside the program or an earlier run says to clerk: settings, options, lists
 * of checks and of traits, suppressions, baselines. All are made of words that mean something
 * there, put together and damaged at random. What is refused must be refused with a sentence; what
 * is taken must be what was said:
 *
 * - a setting that is taken stands in the environment as it was given;
 * - a finding is covered by the suppression that is printed for it;
 * - a report is a baseline that knows each of its findings once.
 *
 *     fuzz_settings ROUNDS SECONDS FILE      stops at whichever comes first; FILE is written */
#include "checkers/baseline.h"
#include "checkers/checks.h"
#include "checkers/suppress.h"
#include "trace/api/personality.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HANG_SECONDS = 20, ARGUMENTS_MAX = 8, PLACES_MAX = 3 };

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static size_t random_below(size_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (size_t)((random_state * UINT64_C(2685821657736338717) >> 16) % limit);
}

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "fuzz_settings: %s:\n%s\n", what, text);
    exit(1);
}

/* ---- random text ---- */

static const char *const words[] = {
    "all",
    "none",
    "usual",
    "race",
    "-race",
    "host",
    "race-global",
    "kernel",
    "kernel=",
    "file=",
    "line=",
    "function=",
    "bounds-*",
    "*",
    "?",
    "#",
    "\n",
    " ",
    "\t",
    ",",
    "+",
    "=",
    "-",
    "--",
    "1",
    "0",
    "-1",
    "64",
    "1..64",
    "3-7",
    "7-3",
    "999999999999",
    "0x10",
    "seed:3",
    "asc",
    "desc",
    "seed:",
    "yes",
    "on",
    "true",
    "fma",
    "ftz",
    "sub-group",
    "=8",
    "big-endian",
    "separate-memory",
    "local-memory=",
    "max-alloc=",
    "embedded",
    "minimum",
    "x.cl",
    "a/b/x.cl",
    "main",
    "main+0x5",
    "(app)",
    "{",
    "}",
    "\"rule\":",
    "\"",
    "\\",
    ":",
    "[",
    "]",
    "\"places\"",
    "null",
    "18446744073709551615",
    "18446744073709551616",
    "1e9",
    "\x1b[31m",
    "\xff",
    "--level",
    "--level=",
    "-l",
    "-lx",
    "--color",
    "--no",
    "auto",
};

static void add_word(struct text *text)
{
    const size_t kind = random_below(20);
    if (kind == 0) {
        text_append_char(text, (char)(1 + random_below(255)));
    } else if (kind == 1) {
        const size_t count = random_below(400);
        for (size_t i = 0; i < count; i++) {
            text_append_char(text, 'x');
        }
    } else if (kind < 5) {
        text_append(text, setting_get((enum setting)random_below(SETTING_COUNT))->values);
    } else if (kind < 8) {
        text_append(text, rule_get((enum rule_index)random_below(RULE_COUNT))->id);
    } else {
        text_append(text, words[random_below(sizeof words / sizeof *words)]);
    }
}

/* Up to `most` words. */
static const char *random_text(struct text *text, size_t most)
{
    text_clear(text);
    for (size_t count = random_below(most + 1); count > 0; count--) {
        add_word(text);
    }
    return text->bytes;
}

/* It may be taken, or be refused with a sentence. */
static bool is_taken(enum status status, const struct error *error, const char *text)
{
    if (status != STATUS_OK && (error->text[0] == '\0' || error->status != status)) {
        fail("refused without a sentence", text);
    }
    return status == STATUS_OK;
}

/* ---- settings, checks, personalities ---- */

static bool try_setting(struct text *text)
{
    struct error error = {.text = ""};
    const enum setting setting = (enum setting)random_below(SETTING_COUNT);
    const char *const value = random_text(text, 4);
    const bool good = is_taken(setting_check(setting, value, &error), &error, value);
    if (good != (setting_put(setting, value, &error) == STATUS_OK)) {
        fail("a setting is checked in two ways", value);
    }
    if (good && value[0] != '\0' && strcmp(setting_value(setting), value) != 0) {
        fail("a setting has another value", value);
    }
    uint64_t first;
    uint64_t last;
    if (setting_get(setting)->kind == SETTING_KIND_RANGE) {
        setting_range(setting, &first, &last);
        if (good && first > last) {
            fail("a range ends before it begins", value);
        }
    } else if (setting_get(setting)->kind == SETTING_KIND_FLAG) {
        (void)setting_is_set(setting);
    }
    unsetenv(setting_get(setting)->variable);
    return good;
}

static bool try_list(struct text *text)
{
    struct error error = {.text = ""};
    struct checks checks = {0};
    struct personality personality = {0};
    const char *const list = random_text(text, 5);
    const bool checked = is_taken(checks_parse(list, &checks, &error), &error, list);
    const bool parsed = is_taken(personality_parse(list, &personality, &error), &error, list);
    if (parsed != (setting_check(SETTING_PERSONALITY, list, &error) == STATUS_OK)) {
        fail("a personality is checked in two ways", list);
    }
    return checked || parsed;
}

/* ---- options ---- */

static const struct option_row rows[] = {
    {"level", 'l', OPTION_NUMBER, false, "N", "a number"},
    {"color", 0, OPTION_WORD, false, "auto|always|never", "a word"},
    {"file", 'f', OPTION_TEXT, true, "FILE", "texts"},
    {"no", 'n', OPTION_FLAG, false, NULL, "a flag"},
};

static bool try_options(struct text *text)
{
    struct error error = {.text = ""};
    struct options *options = NULL;
    char *arguments[ARGUMENTS_MAX + 1] = {NULL};
    const int count = (int)random_below(ARGUMENTS_MAX + 1);
    for (int i = 0; i < count; i++) {
        arguments[i] = alloc_string(random_text(text, 3));
    }
    const bool good =
        is_taken(options_parse(rows, sizeof rows / sizeof *rows, (unsigned)random_below(2), count,
                               arguments, &options, &error),
                 &error, "options");
    if (good) {
        const char *const color = options_text(options, "color");
        if (color != NULL && strcmp(color, "auto") != 0 && strcmp(color, "always") != 0 &&
            strcmp(color, "never") != 0) {
            fail("a word that is none of the words", color);
        }
        if (options_number(options, "level", 0) > INT64_MAX) {
            fail("a number that is none", "--level");
        }
        for (size_t i = 0; i < options_count(options, "file"); i++) {
            (void)strlen(options_text(options, "file"));
        }
    }
    options_destroy(options);
    for (int i = 0; i < count; i++) {
        alloc_free(arguments[i]);
    }
    return good;
}

/* ---- findings ---- */

static const char *random_string(struct arena *arena, struct text *text, size_t most)
{
    return random_below(4) == 0 ? NULL : arena_string(arena, random_text(text, most));
}

static void make_finding(struct arena *arena, struct text *text, struct finding *finding)
{
    struct finding_place *places = arena_alloc(arena, PLACES_MAX, sizeof *places);
    *finding = (struct finding){
        .rule = (enum rule_index)random_below(RULE_COUNT),
        .message = arena_string(arena, random_text(text, 4)),
        .kernel = random_string(arena, text, 2),
        .places = places,
        .place_count = random_below(PLACES_MAX + 1),
        .count = 1 + random_below(3),
    };
    for (size_t i = 0; i < finding->place_count; i++) {
        const char **frames = arena_alloc(arena, 1, sizeof *frames);
        frames[0] = arena_string(arena, random_text(text, 2));
        places[i] = (struct finding_place){
            .kind = (enum finding_place_kind)random_below(3),
            .function = random_string(arena, text, 2),
            .file = random_string(arena, text, 2),
            .line = (uint32_t)random_below(100),
            .frames = frames,
            .frame_count = random_below(2),
        };
    }
}

static bool try_suppressions(struct text *text)
{
    struct error error = {.text = ""};
    struct suppressions *set = NULL;
    struct arena arena = {0};
    struct finding finding;
    make_finding(&arena, text, &finding);
    random_text(text, 20);
    const bool good = is_taken(suppressions_parse(text->bytes, text->size, "random", &set, &error),
                               &error, text->bytes);
    suppressions_match(set, &finding);
    suppressions_destroy(set);
    set = NULL;
    text_clear(text);
    suppression_print(&finding, text);
    if (suppressions_parse(text->bytes, text->size, "printed", &set, &error) != STATUS_OK) {
        fail(error.text, text->bytes);
    }
    if (!suppressions_match(set, &finding)) {
        fail("a finding is not covered by its own suppression", text->bytes);
    }
    suppressions_destroy(set);
    arena_release(&arena);
    return good;
}

/* ---- baselines ---- */

static void write_file(const char *path, const struct text *text)
{
    struct error error;
    if (file_write(path, text->bytes, text->size, &error) != STATUS_OK) {
        fail(error.text, path);
    }
}

static bool try_damaged_baseline(const char *path, struct text *text)
{
    struct error error = {.text = ""};
    struct baseline *baseline = NULL;
    for (size_t count = 1 + random_below(4); count > 0; count--) {
        const size_t at = random_below(text->size + 1);
        struct text damaged = TEXT_INIT;
        text_append_n(&damaged, text->bytes, at);
        add_word(&damaged);
        const size_t from = at + random_below(8);
        if (from < text->size) {
            text_append_n(&damaged, text->bytes + from, text->size - from);
        }
        text_release(text);
        *text = damaged;
    }
    write_file(path, text);
    const bool good = is_taken(baseline_load(path, &baseline, &error), &error, text->bytes);
    baseline_destroy(baseline);
    return good;
}

static bool try_baseline(const char *path, struct text *text)
{
    struct error error = {.text = ""};
    struct baseline *baseline = NULL;
    struct arena arena = {0};
    struct finding finding;
    make_finding(&arena, text, &finding);
    text_clear(text);
    finding_print_json(&finding, text);
    text_append_char(text, '\n');
    write_file(path, text);
    if (baseline_load(path, &baseline, &error) != STATUS_OK) {
        fail(error.text, text->bytes);
    }
    struct finding read;
    if (finding_parse_json(text->bytes, &arena, &read, &error) != STATUS_OK) {
        fail(error.text, text->bytes);
    }
    if (!baseline_take(baseline, &read) || baseline_take(baseline, &read)) {
        fail("a baseline does not know its finding once", text->bytes);
    }
    baseline_destroy(baseline);
    arena_release(&arena);
    return try_damaged_baseline(path, text);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: fuzz_settings ROUNDS SECONDS FILE\n");
        return 2;
    }
    const unsigned long rounds = strtoul(argv[1], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[2]);
    unsigned long round = 0;
    unsigned long good = 0;
    struct text text = TEXT_INIT;
    for (; round < rounds && time(NULL) < end; round++) {
        alarm(HANG_SECONDS);
        good += try_setting(&text);
        good += try_list(&text);
        good += try_options(&text);
        good += try_suppressions(&text);
        good += round % 16 == 0 && try_baseline(argv[3], &text);
    }
    text_release(&text);
    unlink(argv[3]);
    printf("%lu rounds, %lu texts taken\n", round, good);
    return good == 0;
}
