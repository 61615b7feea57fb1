/* The tree comes as one object for a node, with its nodes inside in an array: "inner", or the name
 * of what the first of them is to it. A place is an object, or two in it when a macro gave the
 * text: where it is spelled and where the macro stands. clang leaves the file of a place out where
 * it is that of the place written before. */
#include "reference/probe/ast.h"

#include "reference/probe/json_stream.h"
#include "trace/base/alloc.h"
#include "trace/base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { NODE_MAX = 1 << 24 };

/* What the object or array is that is being read. */
enum context {
    IN_NODE,
    IN_NODES, /* an array of them */
    IN_TYPE,
    IN_REFERRED,
    IN_RANGE,
    IN_NAME_PLACE,
    IN_BEGIN,
    IN_END,
    IN_SPELLING,
    IN_EXPANSION,
    IN_NOTHING, /* what nobody asks for */
};

struct spot {
    uint64_t offset, length;
    bool is_there, is_in_text; /* of the standard input */
};

/* A place that is being read. */
struct spots {
    struct spot plain, spelling, expansion;
};

struct string {
    UT_hash_handle hh;
    const char *text;
};

struct ast_reader {
    struct json_stream json;
    struct ast ast;
    size_t room; /* for nodes */
    size_t skipped;
    struct text contexts; /* a byte each, from the outermost */
    uint32_t node;        /* the innermost that is being read */
    bool is_standard_input;
    struct spots spots;
    struct string *strings;
    bool no_memory, too_large;
};

/* ---- strings, each once ---- */

static const char *intern(struct ast_reader *reader, const char *text)
{
    struct string *known;
    const size_t length = strlen(text);
    HASH_FIND(hh, reader->strings, text, length, known);
    if (known)
        return known->text;
    known = arena_alloc(&reader->ast.arena, 1, sizeof *known);
    const char *copy = known ? arena_string_n(&reader->ast.arena, text, length) : NULL;
    if (copy) {
        known->text = copy;
        HASH_ADD_KEYPTR(hh, reader->strings, copy, length, known);
    }
    reader->no_memory |= !copy || !known->hh.tbl;
    return copy ? copy : "";
}

/* ---- nodes ---- */

static struct ast_node *node_of(struct ast_reader *reader)
{
    return &reader->ast.nodes[reader->node];
}

static bool add_node(struct ast_reader *reader)
{
    struct ast *ast = &reader->ast;
    if (ast->count == NODE_MAX) {
        reader->too_large = true;
        return false;
    }
    if (ast->count == reader->room) {
        const size_t room = reader->room ? reader->room * 2 : 1024;
        struct ast_node *nodes = alloc_resize(ast->nodes, room * sizeof *nodes);
        if (!nodes) {
            reader->no_memory = true;
            return false;
        }
        ast->nodes = nodes;
        reader->room = room;
    }
    ast->nodes[ast->count] = (struct ast_node){.parent = reader->node,
                                               .begin = {.offset = AST_NOWHERE},
                                               .end = {.offset = AST_NOWHERE},
                                               .name_place = {.offset = AST_NOWHERE},
                                               .name = "",
                                               .type = "",
                                               .plain_type = ""};
    reader->node = (uint32_t)ast->count++;
    return true;
}

/* What clang's header or clang itself declares goes. */
static void end_node(struct ast_reader *reader)
{
    struct ast *ast = &reader->ast;
    const uint32_t number = reader->node;
    struct ast_node *node = &ast->nodes[number];
    reader->node = node->parent;
    if (number != 0 && node->parent == 0 && node->begin.offset == AST_NOWHERE)
        ast->count = number;
    else
        node->next = (uint32_t)ast->count;
}

static enum ast_kind kind_of(const char *name)
{
    static const char *const names[] = {"",
#define AST_KIND(ours, clangs) #clangs,
                                        AST_KINDS
#undef AST_KIND
    };
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum ast_kind)i;
    }
    return AST_OTHER;
}

static enum ast_cast cast_of(const char *name)
{
    static const char *const names[] = {"",
#define AST_CAST(ours, clangs) #clangs,
                                        AST_CASTS
#undef AST_CAST
    };
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], name) == 0)
            return (enum ast_cast)i;
    }
    return AST_CAST_OTHER;
}

static void learn_of_node(struct ast_reader *reader, const char *key, const char *value)
{
    struct ast_node *node = node_of(reader);
    if (strcmp(key, "id") == 0)
        node->id = strtoull(value, NULL, 16);
    else if (strcmp(key, "kind") == 0)
        node->kind = kind_of(value);
    else if (strcmp(key, "name") == 0)
        node->name = intern(reader, value);
    else if (strcmp(key, "valueCategory") == 0)
        node->is_lvalue = strcmp(value, "lvalue") == 0;
    else if (strcmp(key, "castKind") == 0)
        node->cast = cast_of(value);
    else if (strcmp(key, "isArrow") == 0)
        node->is_arrow = strcmp(value, "true") == 0;
    else if (strcmp(key, "referencedMemberDecl") == 0)
        node->referred = strtoull(value, NULL, 16);
    else if (strcmp(key, "opcode") == 0 && strlen(value) < sizeof node->operator)
        memcpy(node->operator, value, strlen(value) + 1);
}

/* ---- places ---- */

static struct ast_place place_in_text(const struct ast_reader *reader, const struct spot *spot,
                                      uint64_t length)
{
    const uint64_t offset = spot->offset + length;
    if (!spot->is_there || !spot->is_in_text || spot->offset < reader->skipped ||
        offset - reader->skipped >= AST_NOWHERE)
        return (struct ast_place){.offset = AST_NOWHERE};
    return (struct ast_place){.offset = (uint32_t)(offset - reader->skipped), .exact = true};
}

/* The program itself has no macros any more: what is spelled in its text is written there once. */
static struct ast_place place_of(const struct ast_reader *reader, bool is_end)
{
    const struct spots *spots = &reader->spots;
    const struct spot *spot = spots->spelling.is_there ? &spots->spelling : &spots->plain;
    struct ast_place place = place_in_text(reader, spot, is_end ? spot->length : 0);
    if (place.offset != AST_NOWHERE || !spots->expansion.is_there)
        return place;
    place = place_in_text(reader, &spots->expansion, is_end ? spots->expansion.length : 0);
    place.exact = false;
    return place;
}

static void learn_of_spot(struct ast_reader *reader, struct spot *spot, const char *key,
                          const char *value)
{
    if (strcmp(key, "file") == 0)
        reader->is_standard_input = strcmp(value, "<stdin>") == 0;
    else if (strcmp(key, "tokLen") == 0)
        spot->length = strtoull(value, NULL, 10);
    if (strcmp(key, "offset") == 0) {
        spot->is_there = true;
        spot->offset = strtoull(value, NULL, 10);
    }
    spot->is_in_text = reader->is_standard_input;
}

/* ---- what is read ---- */

static enum context context_here(const struct ast_reader *reader)
{
    return reader->contexts.size > 0
               ? (enum context)reader->contexts.bytes[reader->contexts.size - 1]
               : IN_NOTHING;
}

static enum context context_in_node(const char *key, bool is_array)
{
    if (is_array)
        return strcmp(key, "inner") == 0 || strcmp(key, "array_filler") == 0 ? IN_NODES
                                                                             : IN_NOTHING;
    return strcmp(key, "type") == 0             ? IN_TYPE
           : strcmp(key, "referencedDecl") == 0 ? IN_REFERRED
           : strcmp(key, "range") == 0          ? IN_RANGE
           : strcmp(key, "loc") == 0            ? IN_NAME_PLACE
                                                : IN_NOTHING;
}

static enum context context_of(const struct ast_reader *reader, const char *key, bool is_array)
{
    if (reader->contexts.size == 0)
        return is_array ? IN_NOTHING : IN_NODE;
    switch (context_here(reader)) {
    case IN_NODE:
        return context_in_node(key, is_array);
    case IN_NODES:
        return is_array ? IN_NOTHING : IN_NODE;
    case IN_RANGE:
        return strcmp(key, "begin") == 0 ? IN_BEGIN : strcmp(key, "end") == 0 ? IN_END : IN_NOTHING;
    case IN_NAME_PLACE:
    case IN_BEGIN:
    case IN_END:
        return strcmp(key, "spellingLoc") == 0    ? IN_SPELLING
               : strcmp(key, "expansionLoc") == 0 ? IN_EXPANSION
                                                  : IN_NOTHING;
    default:
        return IN_NOTHING;
    }
}

static bool begin(void *user, const char *key, bool is_array)
{
    struct ast_reader *reader = user;
    const enum context context = context_of(reader, key, is_array);
    if (context == IN_NODE && !add_node(reader))
        return false;
    if (context == IN_NAME_PLACE || context == IN_BEGIN || context == IN_END)
        reader->spots = (struct spots){0};
    text_append_char(&reader->contexts, (char)context);
    return !reader->contexts.failed;
}

static bool end(void *user)
{
    struct ast_reader *reader = user;
    const enum context context = context_here(reader);
    reader->contexts.bytes[--reader->contexts.size] = '\0';
    if (context == IN_NODE)
        end_node(reader);
    else if (context == IN_NAME_PLACE)
        node_of(reader)->name_place = place_of(reader, false);
    else if (context == IN_BEGIN)
        node_of(reader)->begin = place_of(reader, false);
    else if (context == IN_END)
        node_of(reader)->end = place_of(reader, true);
    return true;
}

static bool value(void *user, const char *key, const char *value)
{
    struct ast_reader *reader = user;
    switch (context_here(reader)) {
    case IN_NODE:
        learn_of_node(reader, key, value);
        break;
    case IN_TYPE:
        if (strcmp(key, "qualType") == 0)
            node_of(reader)->type = intern(reader, value);
        else if (strcmp(key, "desugaredQualType") == 0)
            node_of(reader)->plain_type = intern(reader, value);
        break;
    case IN_REFERRED:
        if (strcmp(key, "id") == 0)
            node_of(reader)->referred = strtoull(value, NULL, 16);
        else if (strcmp(key, "name") == 0)
            node_of(reader)->name = intern(reader, value);
        break;
    case IN_NAME_PLACE:
    case IN_BEGIN:
    case IN_END:
        learn_of_spot(reader, &reader->spots.plain, key, value);
        break;
    case IN_SPELLING:
        learn_of_spot(reader, &reader->spots.spelling, key, value);
        break;
    case IN_EXPANSION:
        learn_of_spot(reader, &reader->spots.expansion, key, value);
        break;
    default:
        break;
    }
    return !reader->no_memory;
}

/* ---- all of it ---- */

struct ast_reader *ast_reader_create(size_t skipped)
{
    struct ast_reader *reader = alloc_zero(1, sizeof *reader);
    if (!reader)
        return NULL;
    const struct json_listener listener = {begin, end, value, reader};
    json_stream_init(&reader->json, &listener);
    reader->skipped = skipped;
    reader->contexts = (struct text)TEXT_INIT;
    return reader;
}

bool ast_reader_take(void *user, const void *bytes, size_t size)
{
    struct ast_reader *reader = user;
    return json_stream_take(&reader->json, bytes, size);
}

static int compare_ids(const void *a, const void *b, void *user)
{
    const struct ast_node *nodes = user;
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    if (nodes[left].id != nodes[right].id)
        return nodes[left].id < nodes[right].id ? -1 : 1;
    return left < right ? -1 : left > right;
}

static bool is_declaration(const struct ast_node *node)
{
    return node->kind == AST_FUNCTION || node->kind == AST_PARAMETER ||
           node->kind == AST_VARIABLE || node->kind == AST_FIELD;
}

static bool list_declarations(struct ast *ast)
{
    size_t count = 0;
    for (size_t i = 0; i < ast->count; i++)
        count += is_declaration(&ast->nodes[i]);
    ast->declarations = arena_alloc(&ast->arena, count + 1, sizeof *ast->declarations);
    for (uint32_t i = 0; ast->declarations && i < ast->count; i++) {
        if (is_declaration(&ast->nodes[i]))
            ast->declarations[ast->declaration_count++] = i;
    }
    if (ast->declarations)
        qsort_r(ast->declarations, ast->declaration_count, sizeof *ast->declarations, compare_ids,
                ast->nodes);
    return ast->declarations != NULL;
}

enum status ast_reader_finish(struct ast_reader *reader, struct ast *ast, struct error *error)
{
    enum status status = STATUS_OK;
    const bool failed = reader->json.word.failed || reader->json.key.failed ||
                        reader->json.open.failed || reader->contexts.failed;
    if (reader->too_large)
        status = error_set(error, STATUS_UNSUPPORTED, "its syntax tree has more than %d nodes",
                           NODE_MAX);
    else if (reader->no_memory || failed)
        status = error_no_memory(error, reader->room * sizeof *reader->ast.nodes);
    else if (!json_stream_is_complete(&reader->json) || reader->ast.count == 0 ||
             reader->ast.nodes[0].kind != AST_PROGRAM)
        status = error_set(error, STATUS_MALFORMED, "clang writes no syntax tree of it");
    else if (!list_declarations(&reader->ast))
        status = error_no_memory(error, reader->ast.count);
    if (status == STATUS_OK) {
        *ast = reader->ast;
        reader->ast = (struct ast){0};
    }
    ast_reader_destroy(reader);
    return status;
}

void ast_reader_destroy(struct ast_reader *reader)
{
    if (!reader)
        return;
    HASH_CLEAR(hh, reader->strings);
    json_stream_release(&reader->json);
    text_release(&reader->contexts);
    ast_release(&reader->ast);
    alloc_free(reader);
}

void ast_release(struct ast *ast)
{
    alloc_free(ast->nodes);
    arena_release(&ast->arena);
    *ast = (struct ast){0};
}

uint32_t ast_declaration(const struct ast *ast, uint64_t id)
{
    size_t low = 0, high = ast->declaration_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const uint64_t here = ast->nodes[ast->declarations[middle]].id;
        if (here == id)
            return ast->declarations[middle];
        if (here < id)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

uint32_t ast_child(const struct ast *ast, uint32_t node, unsigned n)
{
    uint32_t child = node + 1;
    const uint32_t end = ast->nodes[node].next;
    while (n > 0 && child < end) {
        child = ast->nodes[child].next;
        n--;
    }
    return child < end ? child : 0;
}

unsigned ast_child_count(const struct ast *ast, uint32_t node)
{
    unsigned count = 0;
    for (uint32_t child = node + 1; child < ast->nodes[node].next; child = ast->nodes[child].next)
        count++;
    return count;
}

uint32_t ast_child_of_kind(const struct ast *ast, uint32_t node, enum ast_kind kind)
{
    uint32_t child = node + 1;
    while (child < ast->nodes[node].next && ast->nodes[child].kind != kind)
        child = ast->nodes[child].next;
    return child < ast->nodes[node].next ? child : 0;
}
