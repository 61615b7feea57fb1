/* Syntax trees as clang writes them, made at random of the nodes that count, cut short or damaged
 * now and then, and checks inserted into a text by them. Nothing may crash, hang or leak; what is
 * no tree is refused with a sentence; of a tree that is taken the text is still all in the copy.
 *
 *     fuzz_ast FIRST ROUNDS SECONDS
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. */
#include "reference/probe/insert.h"
#include "tests/fuzz/mutate_spirv.h"
#include "trace/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NODES_MAX = 60, ROUND_SECONDS_MAX = 20 };

static const struct facts no_facts;
static const char program[] = "float f(global float *p) { return p[0]; }\n# 3 \"h\"\nkernel void "
                              "k(global float4 *a, local int (*b)[4]) { a[1].xy = f(b); }\n";

/* The function in it that the trees are of, up to its body. Its parameters are 3 and 4. */
static const char frame[] =
    "{\"id\":\"0x1\",\"kind\":\"TranslationUnitDecl\",\"inner\":[{\"id\":\"0x2\",\"kind\":"
    "\"FunctionDecl\",\"name\":\"k\",\"loc\":{\"offset\":62,\"file\":\"<stdin>\",\"tokLen\":1},"
    "\"range\":{\"begin\":{\"offset\":50,\"tokLen\":6},\"end\":{\"offset\":119,\"tokLen\":1}},"
    "\"inner\":[{\"id\":\"0x3\",\"kind\":\"ParmVarDecl\",\"name\":\"a\",\"type\":{\"qualType\":"
    "\"__global float4 *__private\"}},{\"id\":\"0x4\",\"kind\":\"ParmVarDecl\",\"name\":\"b\","
    "\"type\":{\"qualType\":\"__local int (*__private)[4]\"}}%s,{\"id\":\"0x5\",\"kind\":"
    "\"CompoundStmt\",\"range\":{\"begin\":{\"offset\":101,\"tokLen\":1},\"end\":{\"offset\":119,"
    "\"tokLen\":1}},\"inner\":[";
static const char kernel[] = ",{\"id\":\"0x6\",\"kind\":\"OpenCLKernelAttr\"}";

struct tally {
    uint64_t taken, refused, insertions;
};

static void fail(const char *what, uint64_t seed)
{
    fprintf(stderr, "fuzz_ast: %s, seed %llu\n", what, (unsigned long long)seed);
    exit(1);
}

/* ---- a tree ---- */

static const char *choose(const char *const *rows, size_t count)
{
    return rows[random_below(count)];
}
#define CHOOSE(rows) choose(rows, sizeof rows / sizeof rows[0])

static const char *const kinds[] = {
#define AST_KIND(ours, clangs) #clangs,
    AST_KINDS
#undef AST_KIND
    "InitListExpr",
    "ForStmt"};
/* Those that accesses are made of come more often. */
static const char *const expressions[] = {
    "ArraySubscriptExpr", "ImplicitCastExpr", "DeclRefExpr",          "CallExpr",
    "BinaryOperator",     "UnaryOperator",    "ExtVectorElementExpr", "MemberExpr"};
static const char *const casts[] = {
#define AST_CAST(ours, clangs) #clangs,
    AST_CASTS
#undef AST_CAST
};
static const char *const types[] = {"__global float *__private",
                                    "const __global float4 *",
                                    "__global float",
                                    "__local int (*)[4]",
                                    "__local int[4]",
                                    "__constant item",
                                    "struct (unnamed struct at 1)",
                                    "__generic int",
                                    "float __global __attribute__((ext_vector_type(4)))",
                                    "event_t",
                                    ")(*[[((__attribute__",
                                    ""};
static const char *const operators[] = {"=", "+=", "*", "&", "++", "--", "+", ","};
static const char *const names[] = {
    "f",     "k",          "p", "vload4", "vstorea_half3_rte", "async_work_group_copy",
    "fract", "atomic_add", ""};

static void write_place(uint64_t offset, struct text *text)
{
    const unsigned long long at = offset;
    switch (random_below(12)) {
    case 0:
        text_append(text, "{}");
        break;
    case 1:
        text_format(text,
                    "{\"spellingLoc\":{\"offset\":%llu,\"file\":\"h\",\"tokLen\":2},"
                    "\"expansionLoc\":{\"offset\":%llu,\"file\":\"<stdin>\",\"tokLen\":3}}",
                    at, at);
        break;
    default:
        text_format(text, "{\"offset\":%llu,\"file\":\"<stdin>\",\"tokLen\":%llu}", at,
                    (unsigned long long)random_below(4));
    }
}

/* All of a node but those inside it, and its end. */
static void write_node(struct text *text)
{
    const uint64_t begin = random_below(sizeof program + 2);
    const char *kind = random_below(2) ? CHOOSE(kinds) : CHOOSE(expressions);
    text_format(text, "{\"id\":\"0x%llx\",\"kind\":\"%s\",\"loc\":",
                (unsigned long long)(2 + random_below(20)), kind);
    write_place(begin, text);
    text_append(text, ",\"range\":{\"begin\":");
    write_place(begin, text);
    text_append(text, ",\"end\":");
    write_place(random_below(8) ? begin + random_below(9) : random_below(sizeof program), text);
    text_format(text,
                "},\"name\":\"%s\",\"type\":{\"qualType\":\"%s\"},\"valueCategory\":\"%s\","
                "\"castKind\":\"%s\",\"opcode\":\"%s\",\"isArrow\":%s,\"referencedDecl\":"
                "{\"id\":\"0x%llx\"}",
                CHOOSE(names), CHOOSE(types), random_below(4) ? "lvalue" : "prvalue", CHOOSE(casts),
                CHOOSE(operators), random_below(2) ? "true" : "false",
                (unsigned long long)(2 + random_below(20)));
}

/* Nodes are opened and closed until there are enough of them. */
static void write_tree(struct text *text)
{
    unsigned depth = 0;
    bool is_first = true;
    text_format(text, frame, random_below(4) ? kernel : "");
    for (uint64_t i = 1 + random_below(NODES_MAX); i > 0; i--) {
        text_append(text, is_first ? "" : ",");
        write_node(text);
        is_first = random_below(3) != 0;
        if (is_first) {
            text_append(text, ",\"inner\":[");
            depth++;
            continue;
        }
        text_append_char(text, '}');
        for (; depth > 0 && random_below(3) == 0; depth--)
            text_append(text, "]}");
    }
    for (; depth > 0; depth--)
        text_append(text, "]}");
    text_append(text, "]}]}]}");
}

static void damage(struct text *bytes)
{
    for (uint64_t i = random_below(4); i > 0; i--)
        bytes->bytes[random_below(bytes->size)] = (char)random_below(256);
    if (random_below(3) == 0)
        bytes->size = random_below(bytes->size);
}

/* ---- what becomes of it ---- */

static enum status read_tree(const struct text *json, struct ast *ast, struct error *error)
{
    struct ast_reader *reader = ast_reader_create(0);
    for (size_t at = 0; at < json->size;) {
        const size_t piece = 1 + random_below(json->size - at);
        if (!ast_reader_take(reader, json->bytes + at, piece))
            break;
        at += piece;
    }
    return ast_reader_finish(reader, ast, error);
}

static void check_tree(const struct ast *ast, uint64_t seed)
{
    for (uint32_t i = 0; i < ast->count; i++) {
        const struct ast_node *node = &ast->nodes[i];
        if (node->next <= i || node->next > ast->count || (i > 0 && node->parent >= i) ||
            node->next > ast->nodes[node->parent].next)
            fail("the tree is none", seed);
    }
}

/* Is each byte of the program in the copy, in its order? */
static bool has_all(const char *copy)
{
    const char *wanted = program;
    for (; *copy != '\0' && *wanted != '\0'; copy++)
        wanted += *copy == *wanted;
    return *wanted == '\0';
}

static uint64_t insert(struct ast *ast, uint64_t seed)
{
    struct arena arena = {0};
    struct text copy = TEXT_INIT;
    struct part part = {.name = "source", .source = {.text = TEXT_INIT}, .ast = *ast};
    struct insertion_program made = {
        .arena = &arena, .facts = &no_facts, .parts = &part, .part_count = 1};
    text_append_n(&part.source.text, program, strlen(program));
    part.changes = arena_alloc(&arena, ast->count, sizeof *part.changes);
    part.varies = arena_alloc(&arena, ast->count, sizeof *part.varies);
    part.choices = arena_alloc(&arena, ast->count, sizeof *part.choices);
    const bool fails = random_below(8) == 0;
    alloc_fail_at(fails ? 1 + random_below(60) : 0);
    insert_survey(&made, &part);
    if (!made.reason)
        insert_functions(&made, &part);
    insert_spread(&made);
    if (!made.reason)
        insert_apply(&made, &part, &copy);
    alloc_fail_at(0);
    if (made.no_memory && !fails)
        fail("memory is out", seed);
    if (!made.reason && !made.no_memory && !copy.failed && !has_all(copy.bytes))
        fail("the copy has lost text", seed);
    const uint64_t count = part.insertion_count;
    insert_release(&made);
    text_release(&copy);
    arena_release(&arena);
    *ast = (struct ast){0};
    return count;
}

static void run_round(uint64_t seed, struct tally *tally)
{
    struct text json = TEXT_INIT;
    struct ast ast;
    struct error error = {0};
    random_seed(seed);
    alarm(ROUND_SECONDS_MAX);
    write_tree(&json);
    if (random_below(2) == 0)
        damage(&json);
    if (read_tree(&json, &ast, &error) == STATUS_OK) {
        check_tree(&ast, seed);
        tally->insertions += insert(&ast, seed);
        tally->taken++;
    } else {
        if (error.text[0] == '\0')
            fail("it is refused without a sentence", seed);
        tally->refused++;
    }
    text_release(&json);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: fuzz_ast FIRST ROUNDS SECONDS\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    struct tally tally = {0};
    uint64_t round = first;
    alloc_live_count(); /* counts from its first call on */
    for (; round - first < rounds && time(NULL) < end; round++)
        run_round(round, &tally);
    printf("%llu rounds, %llu taken with %llu insertions, %llu refused\n",
           (unsigned long long)(round - first), (unsigned long long)tally.taken,
           (unsigned long long)tally.insertions, (unsigned long long)tally.refused);
    if (alloc_live_count() != 0)
        fail("leaks", alloc_live_count());
    return rounds > 100 && tally.insertions == 0;
}
