#include "reference/probe/types.h"

#include <stdlib.h>
#include <string.h>

/* Part of a type's text. */
struct piece {
    const char *at;
    size_t size;
};

static const char *text_of(const struct ast_node *node)
{
    return node->plain_type[0] != '\0' ? node->plain_type : node->type;
}

static bool is_of_word(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* The next word of the piece, which loses it; its size is 0 at the end. */
static struct piece next_word(struct piece *rest)
{
    while (rest->size > 0 && !is_of_word(*rest->at)) {
        rest->at++;
        rest->size--;
    }
    struct piece word = {.at = rest->at};
    while (word.size < rest->size && is_of_word(rest->at[word.size]))
        word.size++;
    rest->at += word.size;
    rest->size -= word.size;
    return word;
}

static bool is_word(struct piece word, const char *text)
{
    return strlen(text) == word.size && memcmp(text, word.at, word.size) == 0;
}

/* Does a word say it? */
static bool find_space(struct piece piece, enum type_space *space)
{
    static const char *const words[] = {
        "__private", "__global", "__constant", "__local", "__generic",
    };
    struct piece word;
    while ((word = next_word(&piece)).size > 0) {
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (is_word(word, words[i])) {
                *space = (enum type_space)i;
                return true;
            }
        }
    }
    return false;
}

/* Splits a type at its outermost pointer: "__global int (*__private)[4]" has "__private" outside,
 * and leads to the rest. False when it is no pointer. */
static bool split(const char *type, struct piece *outside, struct piece *pointee)
{
    const char *star = strstr(type, "(*");
    const char *end = type + strlen(type);
    if (star) {
        *pointee = (struct piece){type, (size_t)(star - type)};
        end = star + strcspn(star, ")");
        star++;
    } else {
        star = strrchr(type, '*');
        if (!star)
            return false;
        *pointee = (struct piece){type, (size_t)(star - type)};
    }
    *outside = (struct piece){star + 1, (size_t)(end - star - 1)};
    return true;
}

/* The qualifiers of what a piece names: those behind its last pointer. */
static struct piece outermost(struct piece piece)
{
    size_t start = piece.size;
    while (start > 0 && piece.at[start - 1] != '*')
        start--;
    return (struct piece){piece.at + start, piece.size - start};
}

const char *type_space_name(enum type_space space)
{
    static const char *const names[] = {"", "global", "constant", "local", "generic"};
    return names[space];
}

enum type_space type_space(const struct ast_node *node)
{
    const char *type = text_of(node);
    struct piece outside = {type, strlen(type)}, pointee;
    enum type_space space = TYPE_PRIVATE;
    split(type, &outside, &pointee);
    find_space(outside, &space);
    return space;
}

bool type_is_pointer(const struct ast_node *node)
{
    struct piece outside, pointee;
    return split(text_of(node), &outside, &pointee) &&
           (strchr(text_of(node), '[') == NULL || strstr(text_of(node), "(*") != NULL);
}

/* What the program's typedef of that name stands for; NULL = it has none. */
static const struct ast_node *find_typedef(const struct ast *ast, struct piece name)
{
    for (uint32_t i = 1; i < ast->count; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind == AST_TYPEDEF && is_word(name, ast->nodes[i].name))
            return &ast->nodes[i];
    }
    return NULL;
}

enum type_space type_pointee_space(const struct ast *ast, const struct ast_node *node)
{
    enum type_space space = TYPE_PRIVATE;
    struct piece outside, pointee, word;
    if (!split(text_of(node), &outside, &pointee))
        return TYPE_PRIVATE;
    struct piece qualifiers = outermost(pointee);
    if (find_space(qualifiers, &space))
        return space;
    /* Only the name of a type can have hidden it. */
    while ((word = next_word(&qualifiers)).size > 0) {
        const struct ast_node *named = find_typedef(ast, word);
        if (named)
            space = type_space(named);
    }
    return space;
}

bool type_is_spelled(const char *type)
{
    static const char *const signs[] = {"(unnamed", "(anonymous", "::", "(*", "[", "typeof"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strstr(type, signs[i]))
            return false;
    }
    return type[0] != '\0';
}

/* ---- scalars and vectors ---- */

static const struct {
    const char *clangs, *name;
    unsigned size;
} elements[] = {
    {"char", "char", 1},
    {"signed char", "char", 1},
    {"unsigned char", "uchar", 1},
    {"short", "short", 2},
    {"unsigned short", "ushort", 2},
    {"int", "int", 4},
    {"unsigned int", "uint", 4},
    {"long", "long", 8},
    {"unsigned long", "ulong", 8},
    {"half", "half", 2},
    {"float", "float", 4},
    {"double", "double", 8},
    {"bool", "bool", 1},
    {"uchar", "uchar", 1},
    {"ushort", "ushort", 2},
    {"uint", "uint", 4},
    {"ulong", "ulong", 8},
    {"_Bool", "bool", 1},
};

/* "float4" as the header of OpenCL names it. */
static bool take_vector_name(struct piece word, struct type_shape *shape)
{
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        const size_t size = strlen(elements[i].name);
        if (word.size <= size || memcmp(word.at, elements[i].name, size) != 0)
            continue;
        const unsigned long count = strtoul(word.at + size, NULL, 10);
        const size_t digits = strspn(word.at + size, "0123456789");
        if (digits != word.size - size || count < 2 || count > 16)
            continue;
        *shape = (struct type_shape){.element_size = elements[i].size, .count = (unsigned)count};
        strcpy(shape->element, elements[i].name);
        return true;
    }
    return false;
}

static bool is_qualifier(struct piece word)
{
    static const char *const words[] = {"const",    "volatile", "restrict",   "__private",
                                        "__global", "__local",  "__constant", "__generic"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is_word(word, words[i]))
            return true;
    }
    return false;
}

/* "const unsigned int __global __attribute__((ext_vector_type(4)))" */
static bool take_shape(struct piece piece, struct type_shape *shape)
{
    char name[32] = "";
    struct piece word;
    unsigned long count = 1;
    while ((word = next_word(&piece)).size > 0) {
        if (is_qualifier(word))
            continue;
        if (is_word(word, "__attribute__")) {
            word = next_word(&piece);
            if (!is_word(word, "ext_vector_type"))
                return false;
            word = next_word(&piece);
            count = strtoul(word.at, NULL, 10);
            continue;
        }
        if (name[0] == '\0' && take_vector_name(word, shape))
            return next_word(&piece).size == 0 || count == 1;
        if (strlen(name) + word.size + 2 > sizeof name)
            return false;
        if (name[0] != '\0')
            strcat(name, " ");
        strncat(name, word.at, word.size);
    }
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (strcmp(elements[i].clangs, name) != 0)
            continue;
        *shape = (struct type_shape){.element_size = elements[i].size, .count = (unsigned)count};
        strcpy(shape->element, elements[i].name);
        return count >= 1 && count <= 16;
    }
    return false;
}

static struct piece whole(const char *text)
{
    return (struct piece){text, strlen(text)};
}

bool type_shape(const struct ast *ast, const struct ast_node *node, bool pointee,
                struct type_shape *shape)
{
    const char *type = text_of(node);
    struct piece outside, inside = whole(type);
    const bool is_pointer = split(type, &outside, &inside);
    if (is_pointer != pointee || strchr(type, '[') || strchr(type, '(') != strstr(type, "(("))
        return false;
    if (memchr(inside.at, '*', inside.size))
        return false;
    if (take_shape(inside, shape))
        return true;
    struct piece rest = inside, word;
    while ((word = next_word(&rest)).size > 0) {
        const struct ast_node *named = is_qualifier(word) ? NULL : find_typedef(ast, word);
        if (named && take_shape(whole(text_of(named)), shape))
            return true;
    }
    return false;
}
