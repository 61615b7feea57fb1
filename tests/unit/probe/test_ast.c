/* The reader of clang's syntax trees: JSON in, what was kept of it out. */
#include "reference/probe/ast.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Bytes of the text that go before the program. */
enum { SKIPPED = 100 };

static void print_place(struct ast_place place, struct text *text)
{
    if (place.offset == AST_NOWHERE)
        text_append(text, " nowhere");
    else
        text_format(text, " %s%u", place.exact ? "" : "about ", place.offset);
}

/* A line for each node: how deep, kind, places, and what else there is. */
static void print(const struct ast *ast, struct text *text)
{
    for (uint32_t i = 0; i < ast->count; i++) {
        const struct ast_node *node = &ast->nodes[i];
        for (uint32_t up = i; up != 0; up = ast->nodes[up].parent)
            text_append_char(text, '.');
        text_format(text, "%d", node->kind);
        print_place(node->begin, text);
        print_place(node->end, text);
        if (node->name[0] != '\0')
            text_format(text, " %s", node->name);
        if (node->type[0] != '\0')
            text_format(text, " '%s'", node->type);
        if (node->plain_type[0] != '\0')
            text_format(text, "='%s'", node->plain_type);
        text_format(text, "%s%s%s\n", node->operator, node->is_lvalue ? " lvalue" : "",
                    node->is_arrow ? " ->" : "");
    }
}

static enum status read(const char *json, size_t size, size_t piece, struct ast *ast,
                        struct error *error)
{
    struct ast_reader *reader = ast_reader_create(SKIPPED);
    assert_non_null(reader);
    for (size_t at = 0; at < size; at += piece) {
        if (!ast_reader_take(reader, json + at, size - at < piece ? size - at : piece))
            break;
    }
    return ast_reader_finish(reader, ast, error);
}

static void check(const char *json, const char *expected)
{
    for (size_t piece = 1; piece <= strlen(json); piece = piece * 3) {
        struct ast ast;
        struct error error;
        struct text text = TEXT_INIT;
        if (read(json, strlen(json), piece, &ast, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        print(&ast, &text);
        assert_string_equal(text.bytes, expected);
        text_release(&text);
        ast_release(&ast);
    }
}

#define PLACE(offset, length)                                                                      \
    "{\"offset\": " #offset ", \"line\": 3, \"col\": 1, \"tokLen\": " #length "}"
#define PROGRAM(inner)                                                                             \
    "{\"id\": \"0x1\", \"kind\": \"TranslationUnitDecl\", \"loc\": {}, \"range\": {\"begin\": {}," \
    " \"end\": {}}, \"inner\": [" inner "]}"
#define IN_STDIN "{\"offset\": 110, \"file\": \"<stdin>\", \"line\": 1, \"tokLen\": 4}"
#define FUNCTION(inner)                                                                            \
    "{\"id\": \"0x7\", \"kind\": \"FunctionDecl\", \"loc\": " IN_STDIN                             \
    ", \"range\": {\"begin\": " PLACE(105, 3) ", \"end\": " PLACE(                                 \
        190, 1) "}, \"name\": \"f\", "                                                             \
                "\"type\": {\"qualType\": \"int (void)\"}, \"inner\": [" inner "]}"

static void nodes_are_kept_with_their_places(void **state)
{
    (void)state;
    char expected[200];
    snprintf(
        expected, sizeof expected,
        "%d nowhere nowhere\n.%d 5 91 f 'int (void)'\n..%d 20 24 'uint'='unsigned int'++ lvalue\n",
        AST_PROGRAM, AST_FUNCTION, AST_UNARY);
    check(
        PROGRAM(
            FUNCTION("{\"id\": \"0x8\", \"kind\": \"UnaryOperator\", \"range\": {\"begin\": " PLACE(
                120,
                1) ", \"end\": " PLACE(123,
                                       1) "}, \"type\": {\"desugaredQualType\": \"unsigned int\", "
                                          "\"qualType\": \"uint\", \"typeAliasDeclId\": \"0x3\"}, "
                                          "\"valueCategory\": \"lvalue\", \"isPostfix\": true, "
                                          "\"opcode\": \"++\"}")),
        expected);
}

static void what_the_program_does_not_declare_is_dropped(void **state)
{
    (void)state;
    char expected[100];
    snprintf(expected, sizeof expected, "%d nowhere nowhere\n.%d 5 91 f 'int (void)'\n",
             AST_PROGRAM, AST_FUNCTION);
    /* Of the compiler itself, of its header, and of the lines before the program. */
    check(PROGRAM(
              "{\"id\": \"0x2\", \"kind\": \"TypedefDecl\", \"loc\": {}, \"range\": {\"begin\": "
              "{}, \"end\": {}}, \"name\": \"event_t\", \"inner\": [{\"id\": \"0x3\", "
              "\"kind\": \"BuiltinType\"}]},"
              "{\"id\": \"0x4\", \"kind\": \"VarDecl\", \"loc\": {\"offset\": 500, \"file\": "
              "\"/usr/lib/opencl-c.h\", \"line\": 7, \"includedFrom\": {\"file\": "
              "\"<stdin>\"}}, \"range\": {\"begin\": " PLACE(501, 3) ", \"end\": " PLACE(
                  503,
                  1) "}, \"name\": \"x\"},"
                     "{\"id\": \"0x5\", \"kind\": \"VarDecl\", \"loc\": {\"offset\": 20, \"file\": "
                     "\"<stdin>\", \"line\": 7}, \"range\": {\"begin\": " PLACE(
                         20, 3) ", \"end\": " PLACE(50, 1) "}, \"name\": \"x\"}," FUNCTION("")),
          expected);
}

#define EXPANDED(offset, length, rest)                                                             \
    "\"expansionLoc\": {\"offset\": " #offset                                                      \
    ", \"file\": \"<stdin>\", \"line\": 9, \"tokLen\": " #length rest "}"

/* `as_int(x)` of the header: x is where it is written, the rest where the macro stands. */
static void macros_of_the_header_are_where_they_stand(void **state)
{
    (void)state;
    char expected[200];
    snprintf(expected, sizeof expected,
             "%d nowhere nowhere\n.%d 5 91 f 'int (void)'\n..%d about 20 about 26\n...%d 27 28 x\n",
             AST_PROGRAM, AST_FUNCTION, AST_ASTYPE, AST_REFERENCE);
    check(
        PROGRAM(FUNCTION(
            "{\"id\": \"0x8\", \"kind\": \"AsTypeExpr\", \"range\": {\"begin\": {\"spellingLoc\": "
            "{\"offset\": 4000, \"file\": \"opencl-c-base.h\", \"line\": 400, \"tokLen\": "
            "10}, " EXPANDED(
                120, 6,
                "") "}, \"end\": {\"spellingLoc\": {\"offset\": 4010, \"file\": "
                    "\"opencl-c-base.h\", \"line\": 400, \"tokLen\": 1}, " EXPANDED(
                        120, 6,
                        "") "}}, \"inner\": [{\"id\": \"0x9\", \"kind\": \"DeclRefExpr\", "
                            "\"range\": {\"begin\": "
                            "{\"spellingLoc\": {\"offset\": 127, \"line\": 9, \"tokLen\": "
                            "1}, " EXPANDED(
                                120, 6,
                                ", \"isMacroArgExpansion\": true") "}, \"end\": {\"spellingLoc\": "
                                                                   "{\"offset\": 127, \"line\": 9, "
                                                                   "\"tokLen\": 1}, " EXPANDED(
                                                                       120, 6,
                                                                       ", \"isMacroArgExpansion\": "
                                                                       "true") "}}, "
                                                                               "\"referencedDecl\":"
                                                                               " {\"id\": "
                                                                               "\"0x5\", \"kind\": "
                                                                               "\"VarDecl\", "
                                                                               "\"name\": \"x\", "
                                                                               "\"type\": "
                                                                               "{\"qualType\": "
                                                                               "\"int\"}}}]}")),
        expected);
}

static void nodes_are_found(void **state)
{
    (void)state;
    static const char json[] = PROGRAM(FUNCTION(
        "{\"id\": \"0x0\"}, {\"id\": \"0x20\", \"kind\": \"InitListExpr\", \"array_filler\": "
        "[{\"id\": \"0x21\", \"kind\": \"ParenExpr\"}, {\"id\": \"0x22\", \"kind\": "
        "\"CallExpr\"}]},"
        "{\"id\": \"0x30\", \"kind\": \"OpenCLKernelAttr\"}"));
    struct ast ast;
    struct error error;
    assert_int_equal(read(json, sizeof json - 1, 7, &ast, &error), STATUS_OK);
    const uint32_t function = ast_declaration(&ast, 7);
    assert_int_equal(function, 1);
    assert_int_equal(ast_declaration(&ast, 0x22), 0); /* no declaration */
    assert_int_equal(ast_child_count(&ast, function), 3);
    assert_int_equal(ast_child(&ast, function, 0), 2);
    assert_int_equal(ast.nodes[2].kind, AST_OTHER);
    assert_int_equal(ast_child(&ast, function, 2), 6);
    assert_int_equal(ast_child(&ast, function, 3), 0);
    assert_int_equal(ast_child_of_kind(&ast, function, AST_KERNEL), 6);
    assert_int_equal(ast_child_of_kind(&ast, function, AST_CALL), 0);
    assert_int_equal(ast.nodes[ast_child(&ast, 3, 1)].kind, AST_CALL);
    ast_release(&ast);
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        "{",
        "[]",
        "{}",
        "true",
        "{\"kind\": \"FunctionDecl\"}",
        "{\"kind\" \"x\"}",
        "{\"kind\": \"TranslationUnitDecl\"]",
        "{\"kind\": \"TranslationUnitDecl\"} {}",
        "{\"kind\": \"TranslationUnitDecl\", \"inner\": [{\"kind\": \"VarDecl\"}",
        "{\"kind\": \"\\q\"}",
        "{\"kind\": \"\\u00g0\"}",
        "{,}",
        "[{]}",
        "{\"kind\": nil!}"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ast ast;
        struct error error;
        if (read(rows[i], strlen(rows[i]), 3, &ast, &error) != STATUS_MALFORMED)
            fail_msg("'%s' is taken", rows[i]);
        assert_string_equal(error.text, "clang writes no syntax tree of it");
    }
}

static void each_failure_of_memory_is_told(void **state)
{
    (void)state;
    static const char json[] = PROGRAM(FUNCTION("{\"id\": \"0x8\", \"kind\": \"ParenExpr\"}"));
    const uint64_t live = alloc_live_count();
    bool read_it = false;
    for (uint64_t n = 1; !read_it; n++) {
        struct ast ast;
        alloc_fail_at(n);
        struct ast_reader *reader = ast_reader_create(SKIPPED);
        if (reader) {
            ast_reader_take(reader, json, sizeof json - 1);
            const enum status status = ast_reader_finish(reader, &ast, NULL);
            read_it = status == STATUS_OK;
            assert_true(read_it || status == STATUS_NO_MEMORY);
        }
        alloc_fail_at(0);
        if (read_it)
            ast_release(&ast);
        assert_int_equal(alloc_live_count(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_kept_with_their_places),
        cmocka_unit_test(what_the_program_does_not_declare_is_dropped),
        cmocka_unit_test(macros_of_the_header_are_where_they_stand),
        cmocka_unit_test(nodes_are_found),
        cmocka_unit_test(what_is_no_tree_is_refused),
        cmocka_unit_test(each_failure_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
