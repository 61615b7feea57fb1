#include "viewer-cli/verb.h"

#include "checkers/rule.h"
#include "trace/api/settings.h"

#include <ctype.h>
#include <string.h>

/* ---- manual pages ---- */

/* Text that man(7) shows as it is. */
static void put_plain(struct text *text, const char *string)
{
    bool at_start = true;
    for (; *string; ++string) {
        if (at_start && (*string == '.' || *string == '\''))
            text_append(text, "\\&");
        if (*string == '\\')
            text_append(text, "\\e");
        else if (*string == '-')
            text_append(text, "\\-");
        else if (*string == '|')
            text_append(text, "|\\:"); /* a line may end behind it */
        else
            text_append_char(text, *string);
        at_start = *string == '\n';
    }
}

static void put_upper(struct text *text, const char *string)
{
    for (; *string; ++string)
        text_append_char(text, (char)(*string >= 'a' && *string <= 'z' ? *string - 32 : *string));
}

static void put_title(struct text *text, const char *verb)
{
    text_append(text, ".TH CLERK");
    text_append(text, verb ? "\\-" : "");
    put_upper(text, verb ? verb : "");
    text_append(text, " 1 \"\" \"clerk " CLERK_VERSION "\" \"clerk\"\n.SH NAME\nclerk");
    text_append(text, verb ? "\\-" : "");
    text_append(text, verb ? verb : "");
    text_append(text, " \\- ");
}

static void put_option(struct text *text, const struct option_row *row)
{
    text_append(text, ".TP\n.BR ");
    if (row->letter)
        text_format(text, "\\-%c \", \" ", row->letter);
    text_append(text, "\\-\\-");
    put_plain(text, row->name);
    if (row->value) {
        text_append(text, " \" ");
        put_plain(text, row->value);
        text_append_char(text, '"');
    }
    text_append_char(text, '\n');
    put_plain(text, row->help);
    text_append(text, row->repeatable ? "; may be given more than once.\n" : ".\n");
}

static void put_variable(struct text *text, const char *variable, const char *help)
{
    text_format(text, ".TP\n.B %s\n", variable);
    put_plain(text, help);
    text_append(text, ".\n");
}

/* Of the options of a verb that are settings. */
static void put_verb_environment(struct text *text, const struct verb *verb)
{
    bool is_first = true;
    for (size_t i = 0; i < verb->option_count; ++i) {
        const enum setting setting = setting_find(verb->options[i].name);
        if (setting == SETTING_COUNT)
            continue;
        text_append(text, is_first ? ".SH ENVIRONMENT\n" : "");
        text_format(text, ".TP\n.B %s\nas ", setting_get(setting)->variable);
        text_append(text, "\\-\\-");
        put_plain(text, verb->options[i].name);
        text_append(text, ".\n");
        is_first = false;
    }
}

static void put_examples(struct text *text, const struct verb *verb)
{
    text_append(text, ".nf\n");
    put_plain(text, verb->examples);
    text_append(text, ".fi\n");
}

void pages_print_verb_manual(const struct verb *verb, struct text *text)
{
    put_title(text, verb->name);
    put_plain(text, verb->summary);
    text_format(text, "\n.SH SYNOPSIS\n.B clerk %s\n", verb->name);
    put_plain(text, verb->synopsis);
    text_append_char(text, '\n');
    if (verb->help) {
        text_append(text, ".SH DESCRIPTION\n.nf\n");
        put_plain(text, verb->help);
        text_append(text, ".fi\n");
    }
    text_append(text, ".SH OPTIONS\n");
    for (size_t i = 0; i < verb->option_count; ++i)
        put_option(text, &verb->options[i]);
    put_verb_environment(text, verb);
    text_append(text, ".SH EXAMPLES\n");
    put_examples(text, verb);
    text_append(text, ".SH SEE ALSO\n.BR clerk (1)\n");
}

static void put_environment(struct text *text)
{
    static const struct {
        const char *variable, *help;
    } others[] = {
#define LIMIT(symbol, variable, value, help) {variable, help " (" #value "); 0 = no limit"},
#include "trace/base/limit.def"
        {"OPENCL_LAYERS", "the loader's: names libclerk_layer.so where a program is to be checked "
                          "or recorded without clerk run"},
        {"NO_COLOR", "no colours, whatever the terminal"},
        {"TMPDIR", "where findings wait for the end of a program (/tmp)"},
    };
    text_append(text, ".SH ENVIRONMENT\nWhat an option of the same name sets:\n");
    for (int i = 0; i < SETTING_COUNT; ++i) {
        const struct setting_info *setting = setting_get((enum setting)i);
        put_variable(text, setting->variable, setting->help);
    }
    text_append(text, ".PP\nOthers:\n");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        put_variable(text, others[i].variable, others[i].help);
}

static void put_files(struct text *text)
{
    text_append(text,
                ".SH FILES\n"
                ".TP\n.I app.db\na trace: a SQLite database, described in TRACE_FORMAT.md.\n"
                ".TP\n.I app.db.spool\nwhat a run has recorded that is not in the trace yet; the "
                "next verb that opens the trace takes what a killed run left there.\n"
                ".TP\n.I app.db.lock\nthere while clerk run records into app.db.\n"
                ".TP\n.I $XDG_CACHE_HOME/clerk\ncompiled programs (~/.cache/clerk).\n"
                ".TP\n.I $XDG_STATE_HOME/clerk/debug_history\nwhat was typed into clerk debug "
                "(~/.local/state/clerk).\n"
                ".TP\n.I share/clerk/vendors/clerk.icd\nbeside bin/clerk: names the reference "
                "device, for /etc/OpenCL/vendors.\n");
}

void pages_print_manual(const struct verb *const *verbs, size_t count, struct text *text)
{
    put_title(text, NULL);
    text_append(text, "check, record and replay OpenCL programs\n.SH SYNOPSIS\n.B clerk\nVERB "
                      "[options] [operands]\n.SH VERBS\n");
    for (size_t i = 0; i < count; ++i) {
        text_format(text, ".TP\n.BR clerk\\-%s (1)\n", verbs[i]->name);
        put_plain(text, verbs[i]->summary);
        text_append(text, ".\n");
    }
    text_append(text,
                ".SH EXIT STATUS\n0 nothing found, 1 findings or differences, 2 could not do it; "
                "clerk run passes on the program's own.\n");
    put_environment(text);
    put_files(text);
    text_append(text, ".SH EXAMPLES\n");
    for (size_t i = 0; i < count; ++i)
        put_examples(text, verbs[i]);
}

/* ---- completion ---- */

static void put_rule_ids(struct text *text)
{
    for (int i = 0; i < RULE_COUNT; ++i)
        text_format(text, " %s", rule_get((enum rule_index)i)->id);
}

/* Rules stand in the table group by group. */
static void put_families(struct text *text)
{
    const char *last = "";
    for (int i = 0; i < RULE_COUNT; ++i) {
        const char *group = rule_get((enum rule_index)i)->group;
        if (strcmp(group, last) != 0)
            text_format(text, " %s", group);
        last = group;
    }
}

static void put_groups(struct text *text)
{
    put_families(text);
    text_append(text, " all usual host kernel");
}

static void put_traits(struct text *text)
{
#define TRAIT(member, name, low, high, help) text_append(text, (high) ? " " name "=" : " " name);
#include "trace/api/personality.def"
}

/* The words that help tells as "a|b|NUMBER,...": those in small letters as they are, and what
 * stands for words that other tables have. */
static void put_words(struct text *text, const char *alternatives)
{
    static const struct {
        const char *name;
        void (*put)(struct text *text);
    } others[] = {{"RULE", put_rule_ids},
                  {"RULE,...", put_rule_ids},
                  {"GROUP", put_groups},
                  {"FAMILY", put_families},
                  {"TRAIT,...", put_traits}};
    while (*alternatives) {
        const size_t length = strcspn(alternatives, "|");
        const size_t word = strcspn(alternatives, " |");
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
            if (strlen(others[i].name) == length &&
                strncmp(others[i].name, alternatives, length) == 0)
                others[i].put(text);
        if (islower((unsigned char)*alternatives) || isdigit((unsigned char)*alternatives)) {
            text_append_char(text, ' ');
            text_append_n(text, alternatives,
                          strcspn(alternatives, ":") < word ? strcspn(alternatives, ":") + 1
                                                            : word);
        }
        alternatives += length + (alternatives[length] != 0);
    }
}

/* Of "TRACE [summary|calls] [options]" the words in the first brackets. */
static void put_operand_words(struct text *text, const struct verb *verb)
{
    const char *bracket = strchr(verb->synopsis, '[');
    struct text alternatives = TEXT_INIT;
    if (!bracket || strncmp(bracket, "[options]", 9) == 0)
        return;
    text_append_n(&alternatives, bracket + 1, strcspn(bracket + 1, "]"));
    put_words(text, alternatives.bytes);
    text_release(&alternatives);
}

static void put_verb_case(struct text *text, const struct verb *verb)
{
    for (size_t i = 0; i < verb->option_count; ++i) {
        const struct option_row *row = &verb->options[i];
        struct text words = TEXT_INIT;
        if (row->value)
            put_words(&words, row->value);
        if (words.size)
            text_format(text, "    '%s --%s') words='%s' ;;\n", verb->name, row->name, words.bytes);
        text_release(&words);
    }
    text_format(text, "    '%s '*) case $word in -*) words='--help", verb->name);
    for (size_t i = 0; i < verb->option_count; ++i)
        text_format(text, " --%s", verb->options[i].name);
    text_append(text, "' ;; *) words='");
    put_operand_words(text, verb);
    text_append(text, "' ;; esac ;;\n");
}

void pages_print_completion(const struct verb *const *verbs, size_t count, struct text *text)
{
    text_append(text, "# Completion of clerk's command line for bash, written by clerk "
                      "--completion.\n"
                      "_clerk() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} words= verb= head=\n"
                      "    ((COMP_CWORD > 1)) && verb=\"${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - "
                      "1]}\"\n"
                      "    case $verb in\n"
                      "    '') words='--help --version");
    for (size_t i = 0; i < count; ++i)
        text_format(text, " %s", verbs[i]->name);
    text_append(text, "' ;;\n");
    for (size_t i = 0; i < count; ++i)
        put_verb_case(text, verbs[i]);
    text_append(text, "    esac\n"
                      "    [[ $words && $word == *,* ]] && head=${word%,*},\n"
                      "    COMPREPLY=($(compgen -P \"$head\" -W \"$words\" -- \"${word##*,}\"))\n"
                      "}\n"
                      "complete -o default -F _clerk clerk\n");
}
