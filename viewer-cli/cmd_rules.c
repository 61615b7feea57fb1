/* clerk rules: lists the rules, or explains one. Everything comes from checkers/rules.def
 * and checkers/examples.def; docs/RULES.md is what `clerk rules --markdown` prints. */
#include "viewer-cli/verb.h"

#include "checkers/rule.h"
#include "trace/base/json.h"

#include <string.h>

static const char *where_name(enum rule_where where)
{
    return where == RULE_WHERE_HOST ? "host" : "kernel";
}

/* ---- for people ---- */

static void print_wrapped(const char *string, size_t indent, struct text *text)
{
    enum { WIDTH = 80 };
    size_t column = 0;
    while (*string) {
        const size_t length = strcspn(string, " ");
        if (column != 0 && column + 1 + length > WIDTH) {
            text_append_char(text, '\n');
            column = 0;
        }
        if (column == 0) {
            text_format(text, "%*s", (int)indent, "");
            column = indent;
        } else {
            text_append_char(text, ' ');
            ++column;
        }
        text_append_n(text, string, length);
        column += length;
        string += length;
        string += strspn(string, " ");
    }
    text_append_char(text, '\n');
}

/* ---- families: the rules whose id or group begins with a word; all with "" ---- */

static bool is_of_family(const struct rule *rule, const char *word)
{
    const size_t length = strlen(word);
    return strncmp(rule->id, word, length) == 0 || strncmp(rule->group, word, length) == 0;
}

static bool is_family(const char *word)
{
    for (unsigned i = 0; i < RULE_COUNT; ++i)
        if (is_of_family(rule_get((enum rule_index)i), word))
            return true;
    return false;
}

static void print_list(const char *family, struct text *text)
{
    const char *group = "";
    for (unsigned i = 0; i < RULE_COUNT; ++i) {
        const struct rule *rule = rule_get((enum rule_index)i);
        if (!is_of_family(rule, family))
            continue;
        if (strcmp(rule->group, group) != 0)
            text_format(text, "%s%s (%s)\n", *group ? "\n" : "", rule->group,
                        where_name(rule->where));
        group = rule->group;
        text_format(text, "  %-22s  %-7s  %s%s\n", rule->id, severity_name(rule->severity),
                    rule->claim, rule_is_usual(rule) ? "" : " (off until asked for)");
    }
}

static void print_indented(const char *lines, struct text *text)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n") + 1;
        text_append(text, "  ");
        text_append_n(text, lines, length);
        lines += length;
    }
}

/* The advices of a rule beside its own, one after the other: *at is where to look on. */
static const char *next_advice(const struct rule *rule, unsigned *at)
{
    const char *advice = NULL;
    for (; !advice && *at < ADVICE_COUNT; ++*at)
        advice = rule_advice(rule_find(rule->id), (enum advice) * at);
    return advice;
}

static void print_rule(const struct rule *rule, struct text *text)
{
    unsigned at = 0;
    text_format(text, "%s (%s)\n\n", rule->id, severity_name(rule->severity));
    print_wrapped(rule->claim, 2, text);
    text_append(text, "\nWhat to do:\n");
    print_wrapped(rule->advice, 2, text);
    for (const char *advice; (advice = next_advice(rule, &at));) {
        text_append(text, "  In other cases:\n");
        print_wrapped(advice, 4, text);
    }
    text_append(text, "\nFor example:\n");
    print_indented(rule_example(rule), text);
    text_format(text, "\nSpecification:  %s\n", rule->specification);
    text_format(text, "Since:          OpenCL %s\n", rule->since);
    text_format(text, "Checked:        %s\n",
                rule->where == RULE_WHERE_HOST ? "at each API call, by the layer"
                                               : "while kernels run, on the reference device");
    text_format(text, "Group:          %s\n", rule->group);
    if (rule_is_usual(rule))
        text_format(text, "\nLeave it out:   --checks usual,-%s\n", rule->id);
    else
        text_format(text, "\nAsk for it:     --checks usual,%s\n", rule->id);
    text_format(text, "Suppress it:    a line \"%s %s\" in the file of --suppress\n", rule->id,
                rule->where == RULE_WHERE_HOST ? "function=clFinish" : "file=sum.cl line=12");
}

/* ---- for programs ---- */

static void print_json(const struct rule *rule, struct text *text)
{
    unsigned at = 0;
    text_append_char(text, '{');
    json_string(text, "rule", rule->id);
    json_string(text, "severity", severity_name(rule->severity));
    json_string(text, "claim", rule->claim);
    json_string(text, "advice", rule->advice);
    json_string(text, "example", rule_example(rule));
    json_string(text, "specification", rule->specification);
    json_string(text, "since", rule->since);
    json_string(text, "where", where_name(rule->where));
    json_string(text, "group", rule->group);
    json_key(text, "advices");
    text_append_char(text, '[');
    for (const char *advice; (advice = next_advice(rule, &at));) {
        json_item(text);
        text_append_json(text, advice);
    }
    text_append_char(text, ']');
    text_format(text, ",\"usual\":%s}\n", rule_is_usual(rule) ? "true" : "false");
}

/* ---- the page of the documentation ---- */

static void print_markdown_row(const struct rule *rule, struct text *text)
{
    unsigned at = 0;
    text_format(text, "\n### %s\n\n", rule->id);
    text_format(text, "*%s*, since OpenCL %s, group `%s`%s.\n", severity_name(rule->severity),
                rule->since, rule->group, rule_is_usual(rule) ? "" : ", off until asked for");
    text_format(text, "The claim: %s.\n\n", rule->claim);
    text_format(text, "- What to do: %s\n", rule->advice);
    for (const char *advice; (advice = next_advice(rule, &at));)
        text_format(text, "- In other cases: %s\n", advice);
    text_format(text, "- Specification: %s\n\n```diff\n%s```\n", rule->specification,
                rule_example(rule));
}

static void print_markdown(struct text *text)
{
    static const struct {
        enum rule_where where;
        const char *title;
    } chapters[] = {
        {RULE_WHERE_HOST,
         "## Rules about API calls\n\nThe layer checks them at each call, on any driver.\n"},
        {RULE_WHERE_KERNEL,
         "## Rules about kernels\n\nThe reference device checks them while kernels run.\n"},
    };
    text_append(
        text,
        "# Rules\n\n"
        "<!-- Written by `clerk rules --markdown` from checkers/rules.def and "
        "checkers/examples.def; do not edit. -->\n\n"
        "Each finding of clerk belongs to one of these rules. Ids are never renamed: use them\n"
        "in `--checks` (with the groups), in suppression files and in scripts. In the examples `-` "
        "marks\n"
        "what is wrong, `+` what mends it, and `...` stands for arguments that do not matter. A "
        "rule that\n"
        "is off until asked for is not among those that are checked without `--checks`.\n");
    for (size_t chapter = 0; chapter < sizeof chapters / sizeof *chapters; ++chapter) {
        text_format(text, "\n%s", chapters[chapter].title);
        for (unsigned i = 0; i < RULE_COUNT; ++i) {
            const struct rule *rule = rule_get((enum rule_index)i);
            if (rule->where == chapters[chapter].where)
                print_markdown_row(rule, text);
        }
    }
}

/* ---- the verb ---- */

static void print_family(const struct options *options, const char *family, struct text *text)
{
    if (!options_has(options, "json"))
        print_list(family, text);
    for (unsigned i = 0; options_has(options, "json") && i < RULE_COUNT; ++i)
        if (is_of_family(rule_get((enum rule_index)i), family))
            print_json(rule_get((enum rule_index)i), text);
}

static int print_chosen(const struct options *options, const char *word, struct text *text)
{
    const enum rule_index index = rule_find(word);
    if (index == RULE_COUNT && is_family(word)) {
        print_family(options, word, text);
    } else if (index == RULE_COUNT) {
        const char *near = rule_nearest_word(word);
        return near
                   ? verb_usage(&verb_rules,
                                "no rule or group begins with '%s'; did you mean '%s'?", word, near)
                   : verb_usage(&verb_rules, "no rule or group begins with '%s'", word);
    } else if (options_has(options, "json")) {
        print_json(rule_get(index), text);
    } else {
        print_rule(rule_get(index), text);
    }
    return VERB_OK;
}

static int run(const struct options *options)
{
    struct text text = TEXT_INIT;
    int status = VERB_OK;
    const bool is_markdown = options_has(options, "markdown");
    const bool is_chosen = options_operand_count(options) > 0;
    if (options_operand_count(options) > 1)
        return verb_usage(&verb_rules, "one rule or family at a time");
    if (is_markdown && options_has(options, "json"))
        return verb_usage(&verb_rules, "--markdown and --json exclude each other");
    if (is_markdown && is_chosen)
        return verb_usage(&verb_rules, "--markdown prints all rules");
    if (is_markdown)
        print_markdown(&text);
    else if (is_chosen)
        status = print_chosen(options, options_operand(options, 0), &text);
    else
        print_family(options, "", &text);
    if (text.failed)
        status = verb_fail(&verb_rules, &(struct error){STATUS_NO_MEMORY, "out of memory"});
    else if (status == VERB_OK)
        verb_print(&text);
    text_release(&text);
    return verb_finish(&verb_rules, status);
}

static const struct option_row rules_options[] = {
    {.name = "json", .kind = OPTION_FLAG, .help = "one JSON object a line"},
    {.name = "markdown", .kind = OPTION_FLAG, .help = "the page docs/RULES.md"},
};

const struct verb verb_rules = {
    .name = "rules",
    .synopsis = "[RULE|FAMILY] [options]",
    .summary = "list the rules, or explain one",
    .options = rules_options,
    .option_count = sizeof rules_options / sizeof *rules_options,
    .help =
        "Lists every rule that clerk checks, by group, with its severity and what it claims. With "
        "the\n"
        "id of a rule: what to do about it, the section of the specification, how to leave it "
        "out.\n"
        "With the beginning of ids or groups, such as race: the rules of that family.\n",
    .examples = "  clerk rules race\n"
                "  clerk rules race-local\n",
    .run = run,
};
