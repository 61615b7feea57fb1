/* Expressions of a debugger, in a subset of OpenCL C: text to a tree. What names mean, and what a
 * tree's value is, is the business of who evaluates it.
 *
 *     literals, names, $registers, ( )     1 0x1fUL 1.5f 'a' x $gid
 *     members, components, elements        p->next.x v.s3 a[1] a[2..9]
 *     casts and vector literals            (uint)x (struct node *)p (float4)(x, y, 0, 1)
 *     unary, binary, ?:, the comma         -x !x ~x *p &x  a << 2  c ? a : b  a, b
 *     built-in functions                   fabs(x) convert_int4_sat(v)
 *     sizeof                               sizeof x sizeof(struct node)
 *     assignment, at the top alone         x = 1 a[2] += y
 *
 * with C's precedences. Literals have C's types. (OpenCL C 3.0, 6.3 and 6.4.) */
#ifndef TRACE_DEBUG_EXPRESSION_H
#define TRACE_DEBUG_EXPRESSION_H

#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expression_kind {
    EXPRESSION_INTEGER,
    EXPRESSION_FLOATING,
    EXPRESSION_NAME,        /* of a variable, or an enumerator */
    EXPRESSION_REGISTER,    /* $name */
    EXPRESSION_MEMBER,      /* operands[0].name, where also components of vectors are members */
    EXPRESSION_INDEX,       /* operands[0][operands[1]] */
    EXPRESSION_SLICE,       /* operands[0][operands[1]..operands[2]], both ends included */
    EXPRESSION_UNARY,       /* operands[0] */
    EXPRESSION_BINARY,      /* operands[0] and [1] */
    EXPRESSION_CONDITIONAL, /* operands[0] ? [1] : [2] */
    EXPRESSION_CAST,        /* operands[0] as the type */
    EXPRESSION_VECTOR,      /* a vector literal of the type; the list */
    EXPRESSION_CALL,        /* name(the list) */
    EXPRESSION_SIZEOF,      /* of operands[0], or where that is NULL of the type */
    EXPRESSION_ASSIGNMENT,  /* operands[0] = operands[1], or with the operator in between */
};

/* The order is that of `operators` in expression.c. */
enum expression_operator {
    OPERATOR_NONE, /* of a plain assignment */
    /* Unary. */
    OPERATOR_PLUS,
    OPERATOR_MINUS,
    OPERATOR_NOT,
    OPERATOR_COMPLEMENT,
    OPERATOR_DEREFERENCE,
    OPERATOR_ADDRESS,
    /* Binary. */
    OPERATOR_MULTIPLY,
    OPERATOR_DIVIDE,
    OPERATOR_REMAINDER,
    OPERATOR_ADD,
    OPERATOR_SUBTRACT,
    OPERATOR_SHIFT_LEFT,
    OPERATOR_SHIFT_RIGHT,
    OPERATOR_LESS,
    OPERATOR_LESS_EQUAL,
    OPERATOR_GREATER,
    OPERATOR_GREATER_EQUAL,
    OPERATOR_EQUAL,
    OPERATOR_NOT_EQUAL,
    OPERATOR_AND,
    OPERATOR_EXCLUSIVE_OR,
    OPERATOR_OR,
    OPERATOR_LOGICAL_AND,
    OPERATOR_LOGICAL_OR,
    OPERATOR_COMMA,
};

/* A type as it is written: what it is called without qualifiers, and how many pointers deep.
 * "unsigned int" is "uint", "struct node" stays. Of a pointer, the address space that is named,
 * "global", or NULL. */
struct expression_type {
    const char *name;
    const char *address_space; /* of what the outermost pointer leads to */
    uint32_t pointer_count;
};

struct expression {
    enum expression_kind kind;
    enum expression_operator op;
    uint32_t column; /* where it is in the text: bytes before its first, or its operator */
    bool is_arrow;   /* MEMBER: `->` */
    bool is_unsigned;
    uint8_t width;               /* literals: bytes; 2, 4 or 8 of FLOATING, 1, 4 or 8 of INTEGER */
    uint64_t bits;               /* INTEGER */
    double value;                /* FLOATING */
    const char *name;            /* NAME, REGISTER without its sign, MEMBER, CALL */
    struct expression_type type; /* CAST, VECTOR, SIZEOF */
    const struct expression *operands[3];
    const struct expression *const *list; /* CALL, VECTOR */
    uint32_t count;                       /* of the list */
};

/* Is this the name of a type of the program, a typedef? Those of OpenCL C need not be known. */
typedef bool expression_names_type(void *user, const char *name);

/* Parses the whole text into the arena; `names_type` may be NULL. STATUS_INVALID with a sentence
 * that says where and what, STATUS_NO_MEMORY. Assignments only where `may_assign`. */
enum status expression_parse(const char *text, bool may_assign, expression_names_type *names_type,
                             void *user, struct arena *arena, const struct expression **expression,
                             struct error *error);
/* As it would be typed, with all parentheses: parsed again it is the same tree. */
void expression_print(const struct expression *expression, struct text *text);
/* "->" is printed for members of pointers; others by this: "<<", "!", ",". */
const char *expression_operator_sign(enum expression_operator op);

#endif
