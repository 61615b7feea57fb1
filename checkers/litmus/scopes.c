/* Where threads run, as a tree after them: "scopeTree (device (work_group (sub_group P0 P1)))", of
 * the first OpenCL tests of herd, or "scopes: (...)". Which location a local parameter is depends
 * on it, so the tree is read before the threads are. */
#include "checkers/litmus/parser.h"

enum level { LEVEL_DEVICE, LEVEL_KERNEL, LEVEL_GROUP, LEVEL_SUB_GROUP, LEVEL_OTHER, LEVEL_COUNT };

/* The branch that is under way at each level, from 1; 0 = there is none. */
struct walk {
    uint32_t now[LEVEL_COUNT];
};

static enum level take_level(struct parser *parser)
{
    static const struct {
        const char *word;
        enum level level;
    } words[] = {
        {"system", LEVEL_OTHER},  {"device", LEVEL_DEVICE},    {"dev", LEVEL_DEVICE},
        {"kernel", LEVEL_KERNEL}, {"work_group", LEVEL_GROUP}, {"wg", LEVEL_GROUP},
        {"cta", LEVEL_GROUP},     {"block", LEVEL_GROUP},      {"sub_group", LEVEL_SUB_GROUP},
        {"sg", LEVEL_SUB_GROUP},  {"warp", LEVEL_SUB_GROUP},   {"work_item", LEVEL_OTHER},
        {"thread", LEVEL_OTHER},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (lexer_accept(&parser->lexer, words[i].word)) {
            return words[i].level;
        }
    }
    lexer_want(&parser->lexer, "a scope, as device, work_group or sub_group,");
    return LEVEL_OTHER;
}

/* A thread of no sub-group is one by itself, as where no tree is. */
static void place_thread(struct parser *parser, const struct walk *walk)
{
    struct scope_tree *tree = &parser->scopes;
    const struct token name = parser->lexer.token;
    uint32_t number;
    if (!parser_take_thread_name(parser, &number)) {
        return;
    }
    struct oracle_unit unit;
    if (parser_find_scope(parser, number, &unit)) {
        lexer_fail(&parser->lexer, name.line, "P%u is in the tree of scopes twice", number);
    } else if (tree->count == LITMUS_THREADS_MAX) {
        lexer_fail(&parser->lexer, name.line, "more than %d threads", LITMUS_THREADS_MAX);
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    tree->threads[tree->count].thread = number;
    tree->threads[tree->count].unit = (struct oracle_unit){
        .device = walk->now[LEVEL_DEVICE],
        .kernel = walk->now[LEVEL_KERNEL] > 0 ? walk->now[LEVEL_KERNEL] : walk->now[LEVEL_DEVICE],
        .group = walk->now[LEVEL_GROUP],
        .sub_group = walk->now[LEVEL_SUB_GROUP] > 0 ? walk->now[LEVEL_SUB_GROUP]
                                                    : PARSER_SUB_GROUPS_ALONE + number,
        .is_item = true,
    };
    tree->count++;
}

/* "(device ... )" */
static void parse_tree(struct parser *parser, const struct walk *outer, uint32_t *begun)
{
    struct walk walk = *outer;
    if (!parser_enter(parser)) {
        return;
    }
    lexer_expect(&parser->lexer, "(");
    const enum level level = take_level(parser);
    walk.now[level] = ++begun[level];
    while (!lexer_is(&parser->lexer, ")") && parser->lexer.status == STATUS_OK) {
        if (lexer_is(&parser->lexer, "(")) {
            parse_tree(parser, &walk, begun);
        } else {
            place_thread(parser, &walk);
        }
    }
    lexer_expect(&parser->lexer, ")");
    parser_leave(parser);
}

static bool take_word(struct lexer *lexer)
{
    if (lexer_accept(lexer, "scopes")) {
        lexer_expect(lexer, ":");
        return true;
    }
    return lexer_accept(lexer, "scopeTree") || lexer_accept(lexer, "ScopeTree");
}

void parse_scopes(struct parser *parser)
{
    static const struct walk root = {{0}};
    uint32_t begun[LEVEL_COUNT] = {0};
    if (!take_word(&parser->lexer)) {
        return;
    }
    parser->scopes.count = 0;
    do {
        parse_tree(parser, &root, begun);
    } while (lexer_is(&parser->lexer, "("));
}

void parse_scopes_ahead(struct parser *parser)
{
    const struct lexer kept = parser->lexer;
    struct lexer *lexer = &parser->lexer;
    uint32_t depth = 0;
    while (lexer->token.kind != TOKEN_END &&
           (depth > 0 || !(lexer_is(lexer, "scopeTree") || lexer_is(lexer, "ScopeTree") ||
                           lexer_is(lexer, "scopes")))) {
        depth += lexer_is(lexer, "{");
        depth -= depth > 0 && lexer_is(lexer, "}");
        lexer->in_thread = depth > 0;
        lexer_next(lexer);
    }
    lexer->in_thread = false;
    const bool found = lexer->token.kind != TOKEN_END;
    parse_scopes(parser);
    if (!found || lexer->status == STATUS_OK) {
        parser->lexer = kept; /* what is wrong with the threads is said when these are read */
    }
}

bool parser_find_scope(struct parser *parser, uint32_t thread, struct oracle_unit *unit)
{
    const struct scope_tree *tree = &parser->scopes;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->threads[i].thread == thread) {
            *unit = tree->threads[i].unit;
            return true;
        }
    }
    return false;
}
