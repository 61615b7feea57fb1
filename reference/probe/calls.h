/* A call of a built-in function, and a function of checks that stands in for it. */
#ifndef REFERENCE_PROBE_CALLS_H
#define REFERENCE_PROBE_CALLS_H

#include "reference/probe/insert.h"

enum { CALL_ARGUMENTS_MAX = 6 };

/* A call of a built-in function that is looked at. */
struct call {
    const struct place *place;
    uint32_t node, callee;
    const char *name;
    uint32_t arguments[CALL_ARGUMENTS_MAX]; /* as given: before what conversion clang adds */
    const char *types[CALL_ARGUMENTS_MAX];  /* to be written, with that conversion */
    unsigned count;
};

/* Fills in the arguments; false when there are too many. */
bool call_read(struct call *call);
/* Behind the `(` of a call; 0 = it cannot be found. */
uint32_t call_arguments(const struct part *part, const struct ast_node *callee);
/* The name of OpenCL for a scalar or vector; of another type what clang spells. */
const char *call_type(const struct call *call, const struct ast_node *node);
/* An argument; of a pointer that clang makes a generic one, to which a driver without such may have
 * no function, what it was before. */
uint32_t call_passed(const struct ast *ast, uint32_t argument);
/* Can a function with the call's types stand in for it? */
bool call_can_stand_in(const struct call *call);
/* The number of the function that stands in for this one with arguments of these types, which
 * `write` writes before the function of the program when it is the first. */
unsigned call_stand_in(const struct call *call,
                       const char *(*write)(const struct call *, unsigned));
/* Calls that instead, with `leading` before the arguments. */
void call_replace(const struct call *call, unsigned number, const char *leading);
void call_use_space(const struct place *place, enum type_space space);
/* A new site, of the whole call; its number. */
size_t call_site(const struct call *call, enum checked_access access);

/* ---- insert_copies.c ---- */

/* Of async_work_group_copy or async_work_group_strided_copy. */
void insert_copy(const struct call *call);

/* ---- insert_images.c ---- */

/* Of read_image or write_image. */
void insert_image_access(const struct call *call);

#endif
