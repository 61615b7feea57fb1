/* What the tab key offers. */
#include "viewer-cli/debug/terminal.h"

#include "checkers/rule.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/base/options.h"
#include "viewer-cli/debug/complete.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* The word that is typed, and those that begin as it does. */
struct choice {
    struct terminal *terminal;
    const char *typed;
    struct text *words;
    const char *text; /* what stands behind the command, and where in it the word stands: */
    struct complete_place place;
};

static void offer(struct choice *choice, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(word, choice->typed, strlen(choice->typed)) != 0)
        return;
    for (const char *at = choice->words->bytes; *at; at += strcspn(at, "\n") + 1)
        if (terminal_word_is(at, strcspn(at, "\n"), word))
            return;
    text_append_n(choice->words, word, length);
    text_append_char(choice->words, '\n');
}

static void offer_list(struct choice *choice, const char *const *words)
{
    for (; *words; ++words)
        offer(choice, *words);
}

/* Without a word where that cannot be answered. */
static struct cJSON *ask(struct choice *choice, const struct text *request)
{
    struct cJSON *answer = NULL;
    struct error error;
    if (choice->terminal->session &&
        debug_session_ask(choice->terminal->session, request, &answer, &error)) {
        json_object_release(answer);
        answer = NULL;
    }
    return answer;
}

static struct cJSON *ask_plain(struct choice *choice, enum debug_request name)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, name);
    debug_request_end(&request);
    struct cJSON *answer = ask(choice, &request);
    text_release(&request);
    return answer;
}

/* What the answer has under `key`: names, or objects with one under `name`. */
static void offer_asked(struct choice *choice, enum debug_request request, const char *key,
                        const char *name)
{
    struct cJSON *answer = ask_plain(choice, request);
    const struct cJSON *at = json_array_first(json_object_item(answer, key));
    for (; at; at = json_array_next(at)) {
        const char *word = name ? json_object_text(at, name) : json_item_text(at);
        if (word)
            offer(choice, word);
    }
    json_object_release(answer);
}

/* ---- what there is ---- */

static void offer_commands(struct choice *choice)
{
    for (size_t i = 0; terminal_row(i); ++i)
        if (terminal_offers(choice->terminal, terminal_row(i)))
            offer(choice, terminal_row(i)->name);
}

/* Those of what stands before the sign; elements of arrays are none. */
static void offer_members(struct choice *choice)
{
    const struct complete_place *place = &choice->place;
    struct text parent = TEXT_INIT;
    struct text request = TEXT_INIT;
    struct cJSON *members = NULL;
    struct error error;
    uint64_t reference;
    text_format(&parent, "%s(%.*s)", place->is_pointed ? "*" : "", (int)place->parent_length,
                choice->text + place->parent);
    struct cJSON *answer = terminal_evaluate(choice->terminal, parent.bytes, NULL, &error);
    if (json_object_number(json_object_item(answer, "value"), "reference", &reference)) {
        debug_request_begin(&request, DEBUG_REQUEST_VARIABLES);
        json_number(&request, "reference", reference);
        debug_request_end(&request);
        members = ask(choice, &request);
    }
    const struct cJSON *at = json_array_first(json_object_item(members, "values"));
    for (; at; at = json_array_next(at)) {
        const char *const name = json_object_text(at, "name");
        if (name && *name != '[')
            offer(choice, name);
    }
    json_object_release(members);
    json_object_release(answer);
    text_release(&request);
    text_release(&parent);
}

static void offer_names(struct choice *choice)
{
    if (choice->place.is_member) {
        offer_members(choice);
        return;
    }
    static const char *const registers[] = {"$item", "$group",  "$lid",  "$gid",
                                            "$lane", "$vector", "$when", NULL};
    offer_asked(choice, DEBUG_REQUEST_LOCALS, "values", "name");
    offer_asked(choice, DEBUG_REQUEST_ARGUMENTS, "values", "name");
    if (*choice->typed == '$')
        offer_list(choice, registers);
}

/* Files with the sign that a line follows. */
static void offer_sources(struct choice *choice)
{
    struct cJSON *answer = ask_plain(choice, DEBUG_REQUEST_SOURCES);
    const struct cJSON *at = json_array_first(json_object_item(answer, "sources"));
    for (; at; at = json_array_next(at)) {
        struct text file = TEXT_INIT;
        text_format(&file,
                    "%s:", terminal_file_name(choice->terminal, json_object_text(at, "file")));
        offer(choice, file.bytes);
        text_release(&file);
    }
    json_object_release(answer);
}

static void offer_rules(struct choice *choice)
{
    for (int i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get((enum rule_index)i);
        if (rule->where == RULE_WHERE_KERNEL)
            offer(choice, rule->id);
    }
}

/* Those of a directory, in the order of their names. */
static void offer_entries(struct choice *choice, const char *directory, const char *before)
{
    struct dirent **entries = NULL;
    const int count = scandir(*directory ? directory : ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        struct text path = TEXT_INIT;
        text_format(&path, "%s%s%s", before, entries[i]->d_name,
                    entries[i]->d_type == DT_DIR ? "/" : "");
        if (*entries[i]->d_name != '.')
            offer(choice, path.bytes);
        text_release(&path);
        free(entries[i]);
    }
    free(entries);
}

static void offer_files(struct choice *choice)
{
    const char *slash = strrchr(choice->typed, '/');
    struct text directory = TEXT_INIT;
    text_append_n(&directory, choice->typed, slash ? (size_t)(slash + 1 - choice->typed) : 0);
    offer_entries(choice, directory.bytes, directory.bytes);
    text_release(&directory);
}

/* ---- what stands where ---- */

/* `rest`: what stands behind the command, before the word. */
static bool is_condition(const char *rest)
{
    return strncmp(rest, "if ", 3) == 0 || strstr(rest, " if ");
}

static void offer_behind(struct choice *choice, enum terminal_completion completion,
                         const char *rest)
{
    static const char *const clauses[] = {"if", "item", "hit", NULL};
    static const char *const focuses[] = {"item",   "group",   "lane", "thread",
                                          "launch", "finding", NULL};
    static const char *const steps[] = {"group", "column", NULL};
    static const char *const breakpoints[] = {"breakpoints", NULL};
    static const char *const off[] = {"if", "off", NULL};
    switch (completion) {
    case TERMINAL_EXPRESSION:
        offer_names(choice);
        break;
    case TERMINAL_PLACE:
        if (is_condition(rest)) {
            offer_names(choice);
        } else if (*rest) {
            offer_list(choice, clauses);
        } else {
            offer_asked(choice, DEBUG_REQUEST_KERNELS, "kernels", NULL);
            offer_sources(choice);
        }
        break;
    case TERMINAL_CATCH:
        if (!*rest)
            for (size_t i = 0; i < TERMINAL_CAUGHT; ++i)
                offer(choice, terminal_caught[i]);
        else if (strncmp(rest, "finding ", 8) == 0)
            offer_rules(choice);
        else if (is_condition(rest))
            offer_names(choice);
        else
            offer_list(choice, off);
        break;
    case TERMINAL_INFO:
        for (size_t i = 0; !*rest && terminal_info_word(i); ++i)
            offer(choice, terminal_info_word(i));
        break;
    case TERMINAL_COMMAND:
        offer_commands(choice);
        break;
    case TERMINAL_FOCUS:
        if (!*rest)
            offer_list(choice, focuses);
        break;
    case TERMINAL_STEP:
        offer_list(choice, steps);
        break;
    case TERMINAL_SAVE:
        if (!*rest) {
            offer_list(choice, breakpoints);
            break;
        }
        offer_files(choice);
        break;
    case TERMINAL_FILE:
        offer_files(choice);
        break;
    case TERMINAL_NOTHING:
        break;
    }
}

/* The command that the word means: exactly, or as its beginning. */
static const struct terminal_row *find_row(const char *word, size_t length)
{
    const struct terminal_row *beginning = NULL;
    struct text name = TEXT_INIT;
    text_append_n(&name, word, length);
    const struct terminal_row *row;
    for (size_t i = 0; (row = terminal_row(i)) != NULL; ++i) {
        if (strcmp(row->name, name.bytes) == 0 || word_within(name.bytes, row->letters, '|'))
            break;
        if (!beginning && strncmp(row->name, name.bytes, length) == 0)
            beginning = row;
    }
    text_release(&name);
    return row ? row : beginning;
}

/* Where the last word begins: names in expressions stand behind any sign. */
static size_t begin_of_word(struct choice *choice, bool is_expression)
{
    const size_t size = strlen(choice->text);
    size_t at = size;
    if (is_expression) {
        choice->place = complete_find(choice->text, size);
        return choice->place.word;
    }
    while (at > 0 && !strchr(" \t", choice->text[at - 1]))
        --at;
    return at;
}

size_t terminal_complete(void *user, const char *before, struct text *words)
{
    struct terminal *terminal = user;
    struct choice choice = {.terminal = terminal, .words = words};
    before += strspn(before, " \t");
    const size_t length = strcspn(before, " \t/!") + (*before == '!');
    if (!before[length]) {
        choice.typed = before;
        offer_commands(&choice);
        return strlen(choice.typed);
    }
    const struct terminal_row *row = find_row(before, length);
    if (!row)
        return 0;
    const char *at = before + length;
    at += strspn(at, " \t");
    choice.text = at;
    choice.typed =
        at + begin_of_word(&choice, row->completion == TERMINAL_EXPRESSION || is_condition(at));
    struct text rest = TEXT_INIT;
    text_append_n(&rest, at, (size_t)(choice.typed - at));
    offer_behind(&choice, row->completion, rest.bytes);
    text_release(&rest);
    return strlen(choice.typed);
}
