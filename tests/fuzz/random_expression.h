/* Inside the generator of kernels: what random_expression.c gives to random_kernel.c. */
#ifndef TESTS_FUZZ_RANDOM_EXPRESSION_H
#define TESTS_FUZZ_RANDOM_EXPRESSION_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- chance ---- */

void chance_seed(uint64_t seed);
uint32_t below(uint32_t limit);
bool one_in(uint32_t count);

/* ---- types ---- */

enum base { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, BASE_COUNT };

struct type {
    enum base base;
    uint32_t width;
};

bool is_float(struct type type);
struct type with_width(struct type type, uint32_t width);
/* What comparisons of vectors of the type give. */
struct type mask_of(struct type type);
/* Types are of the first `count` bases from now on: FLOAT for integers alone. */
void types_limit(uint32_t count);
struct type any_type(void);
struct type any_integer(uint32_t width);
/* Bytes of a component. */
uint32_t base_size(enum base base);
/* Valid until some more names were asked for. */
const char *name_of(struct type type);
/* Widths that types have, some more often than others. */
extern const uint8_t random_widths[9];

/* ---- what is in reach ---- */

enum { VARIABLES_MAX = 256, FUNCTIONS_MAX = 6, STRUCTS = 2, MEMBERS = 4, ARRAY_SIZE = 8 };

struct variable {
    struct type type;
    uint32_t number;
    bool is_array, is_constant; /* constant: a loop's counter or a parameter */
    int structure;              /* -1 = none: the type counts */
};

struct structure {
    struct type members[MEMBERS];
    bool is_array[MEMBERS]; /* of ARRAY_SIZE; the first two are none */
};

struct function {
    struct type result, parameters[3];
    uint32_t parameter_count;
};

struct scope {
    struct text *out;
    struct variable variables[VARIABLES_MAX];
    uint32_t variable_count;
    uint32_t next_number;
    uint32_t depth, loop_depth;
    uint32_t statements; /* that may still come */
    bool in_kernel;
    bool irreducible; /* loops may have several entries */
    bool changes;     /* change_s0 ... are there to be called */
    struct structure structures[STRUCTS];
    struct function functions[FUNCTIONS_MAX];
    uint32_t function_count;
    /* Other places than the variables, or NULL: writes a value of the type, or returns false. */
    bool (*leaf)(struct scope *scope, struct type type);
};

void put(struct scope *scope, const char *string);
void indent(struct scope *scope);

/* ---- expressions ---- */

/* Of the type, nested `depth` deep. */
void expression(struct scope *scope, struct type type, uint32_t depth);
/* A uint below `limit`, a power of two. */
void index_expression(struct scope *scope, uint32_t limit, uint32_t depth);
/* The variable, its member if it is a structure, and an element if that is an array. */
void place_name(struct scope *scope, const struct variable *variable, int member, uint32_t depth);

#endif
