/* What clang's spelling of a type tells: "const __global float *__private" is a pointer into global
 * memory that lies in private memory. */
#ifndef REFERENCE_PROBE_TYPES_H
#define REFERENCE_PROBE_TYPES_H

#include "reference/probe/ast.h"

enum type_space {
    TYPE_PRIVATE,
    TYPE_GLOBAL,
    TYPE_CONSTANT,
    TYPE_LOCAL,
    TYPE_GENERIC,
};

/* "global"; "" for private memory. */
const char *type_space_name(enum type_space space);

/* Where an object of the node's type lies. */
enum type_space type_space(const struct ast_node *node);
bool type_is_pointer(const struct ast_node *node);
/* Where a pointer of the node's type leads. */
enum type_space type_pointee_space(const struct ast *ast, const struct ast_node *node);

/* Can the type be written as it is spelled, with a `*` behind it? */
bool type_is_spelled(const char *type);

/* A scalar or vector: the name of its element, the bytes of that, and how many there are, 1 of a
 * scalar. Of a pointer, if `pointee`, what it leads to. False for other types. */
struct type_shape {
    char element[16]; /* "uint" */
    unsigned element_size, count;
};
bool type_shape(const struct ast *ast, const struct ast_node *node, bool pointee,
                struct type_shape *shape);

#endif
