#include "viewer-cli/pages.h"

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
    text_append(text, ".SH SEE ALSO\n.BR clerk (1)\n");
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
}

/* ---- completion ---- */

/* "a|b" as "a b"; no word has a single quote, which they stand in. */
static void put_words(struct text *text, const char *words)
{
    for (; *words; ++words)
        text_append_char(text, *words == '|' ? ' ' : *words);
}

static void put_verb_case(struct text *text, const struct verb *verb)
{
    for (size_t i = 0; i < verb->option_count; ++i) {
        const struct option_row *row = &verb->options[i];
        if (row->kind != OPTION_WORD)
            continue;
        text_format(text, "    '%s --%s') words='", verb->name, row->name);
        put_words(text, row->value);
        text_append(text, "' ;;\n");
    }
    text_format(text, "    '%s '*) case $word in -*) words='--help", verb->name);
    for (size_t i = 0; i < verb->option_count; ++i)
        text_format(text, " --%s", verb->options[i].name);
    text_append(text, "' ;; esac ;;\n");
}

void pages_print_completion(const struct verb *const *verbs, size_t count, struct text *text)
{
    text_append(text, "# Completion of clerk's command line for bash, written by clerk "
                      "--completion.\n"
                      "_clerk() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} words= verb=\n"
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
                      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                      "}\n"
                      "complete -o default -F _clerk clerk\n");
}
