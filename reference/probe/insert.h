/* Writing checks into the text of a program. Nothing of the text is removed or moved: each operand
 * stays in its expression and is evaluated as often as before, so that the driver's compiler makes
 * the same numbers of it, contracts the same products and sums, and names the same lines.
 *
 * An access to E becomes `(*(TYPE *)clerk_global(clerk_k, &(E), ...))`: the function, of checks.cl,
 * gives back the address, or that of a spare place when the access must not be. */
#ifndef REFERENCE_PROBE_INSERT_H
#define REFERENCE_PROBE_INSERT_H

#include "checkers/probe/checked.h"
#include "checkers/probe/facts.h"
#include "checkers/probe/request.h"
#include "reference/probe/ast.h"
#include "reference/probe/preprocess.h"
#include "reference/probe/types.h"
#include "trace/base/hash.h"

/* Accesses to memory whose races are looked for. */
struct accessed {
    bool is_accessed, is_written;
    uint32_t shift; /* the logarithm of the bytes of the smallest */
};

/* A function of the program, in whichever part. */
struct function {
    UT_hash_handle hh;
    const char *name;
    bool is_defined, is_kernel;
    bool is_called;            /* a kernel, by another function */
    bool is_value;             /* used other than by calling it */
    bool has_checks;           /* in it, or in what it calls */
    bool uses_local;           /* likewise: of local or generic pointers */
    bool is_in_loop;           /* it is called in one, or what calls it is */
    bool looks;                /* it may be waiting for a change of memory, if that is in a loop */
    bool orders;               /* it, or what it calls, orders items by more than barriers */
    bool waits;                /* likewise: in loops for a change of memory */
    bool uses_sub_groups;      /* likewise */
    bool may_fuse;             /* insert_may_fuse, of a kernel */
    bool may_be_led;           /* insert_may_be_led: it, or what it calls */
    struct accessed *through;  /* of a kernel, by argument: to global memory */
    uint32_t argument_count;   /* of a kernel */
    struct accessed elsewhere; /* to global memory through other pointers, also by what it calls */
    struct accessed in_local;  /* to local memory, also by what it calls */
    bool hides_writes; /* to local memory: it, or what it calls, may do some that no check is at */
    bool hides_global; /* likewise to global memory */
    bool jumps;        /* it has gotos */
    bool is_apart;     /* it may be called by some items of a group only */
    bool has_barrier;
    bool reaches_barrier;     /* it, or what it calls, has one */
    bool meets;               /* it, or what it calls, has a barrier that maybe not all reach, or a
                                 copy that maybe not all call alike */
    struct function **called; /* by it */
    size_t called_count, called_room;
};

struct insertion {
    uint32_t offset;
    bool is_end;    /* stands before what begins at the same offset */
    uint32_t order; /* the node that it belongs to: what encloses another has the lower one */
    uint32_t sequence;
    const struct function *needing; /* left out unless it has checks; NULL = always there */
    bool is_for_local;              /* ... unless it uses local memory */
    const char *text;
};

/* Two offsets between which an access is checked by now. */
struct span {
    UT_hash_handle hh;
    uint64_t key;
};

/* A built-in function with a pointer argument, for which a function of checks stands in. */
struct stand_in {
    UT_hash_handle hh;
    const char *key; /* its name and the types of its arguments */
    unsigned number;
};

struct part {
    const struct request_part *given;
    const char *name; /* of the text itself in reports */
    struct preprocessed source;
    struct ast ast;
    uint8_t *changes;  /* enum change, by declaration */
    uint8_t *varies;   /* of uniform.c, by node */
    uint32_t *choices; /* of meetings.c, by node: a number from 1; of a function, how many */
    struct insertion *insertions;
    size_t insertion_count, insertion_room;
    struct span *spans;
    struct stand_in *stand_ins;
};

/* What becomes of a variable after its declaration. */
enum change { CHANGE_NONE, CHANGE_MOVED /* a pointer, within its object */, CHANGE_ANY };

struct insertion_program {
    struct arena *arena;       /* of what is inserted, and of the results */
    const struct facts *facts; /* of its kernels; may lack some */
    struct part *parts;
    size_t part_count;
    struct function *functions;
    struct checked_site *sites;
    size_t site_count, site_room;
    unsigned stand_in_count;
    /* Can a pointer come from elsewhere than from arguments and variables? */
    bool has_foreign_pointers;
    bool makes_pointers; /* of numbers, or of its own variables in global memory */
    bool has_constants;  /* that are not arguments */
    unsigned global_count, constant_count, local_count; /* the most that a kernel has */
    unsigned follow_count; /* arguments up to the last that leads to global memory, likewise */
    bool uses_local, uses_constant, uses_generic, uses_images;
    const char *reason; /* why there is no copy; NULL = none so far */
    bool no_memory;
};

/* NULL when memory is out, which the program remembers; so do all that insert. */
const char *insert_format(struct insertion_program *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void insert_at(struct insertion_program *program, struct part *part, struct insertion insertion);
/* The function of the name, which becomes one of the program's; NULL when memory is out. */
struct function *insert_function_of(struct insertion_program *program, const char *name);
/* A name of the program's, to be written in an insertion: what begins as ours do has a mark behind
 * its first letter, so that it stays when ours change. */
const char *insert_name(struct insertion_program *program, const char *name);
#define INSERT_MARK "\1"
/* A type as it is to be written, with such marks: a generic pointer is that of the driver's
 * compiler (checks.cl). */
const char *insert_type(struct insertion_program *program, const char *type);
/* Text of the part, likewise. */
const char *insert_quote(struct insertion_program *program, const struct part *part, uint32_t begin,
                         uint32_t end);
/* A new site; its number. */
size_t insert_site(struct insertion_program *program, const struct part *part,
                   enum checked_access access, uint32_t begin, uint32_t end);

/* ---- survey.c: what there is ---- */

void insert_survey(struct insertion_program *program, struct part *part);
/* The reference that a call calls directly; 0 = none. */
uint32_t insert_callee(const struct ast *ast, uint32_t call);
/* A node without the parentheses around it. */
uint32_t insert_inside(const struct ast *ast, uint32_t node);
bool insert_is_kernel(const struct ast *ast, uint32_t function);
/* Of a built-in function: is it a barrier of the work-group? */
bool insert_is_barrier(const char *name);
/* Can it be written around in the text: is it there wholly, with no line of the preprocessor's? */
bool insert_is_written(const struct part *part, const struct ast_node *node);
/* Where the text goes on that is neither blank nor a line of the preprocessor's. */
uint32_t insert_skip_blank(const struct part *part, uint32_t offset);

/* ---- insert_access.c, insert_calls.c, insert_functions.c ---- */

/* The function whose body is being gone through. */
struct place {
    struct insertion_program *program;
    struct part *part;
    uint32_t node; /* of its declaration */
    struct function *function;
    bool is_one; /* a component of it, which the text does not tell: v[i] */
};

void insert_access(const struct place *place, uint32_t lvalue, enum checked_access access);
/* Checks `bytes` where a pointer leads; a component of a vector is at `first`. */
/* `name` is that of the function to which it is given; "" = none. */
void insert_pointer(const struct place *place, uint32_t pointer, enum checked_access access,
                    const char *name, const char *bytes, unsigned first);
void insert_call(const struct place *place, uint32_t call);
/* All checks within the functions of the part, and what these need to be called. */
void insert_functions(struct insertion_program *program, struct part *part);
/* Then, for all parts: which functions need that, since what they call has checks. */
void insert_spread(struct insertion_program *program);

/* Does the lvalue of a write, or a pointer, lead to global memory, or maybe? */
bool insert_may_be_global(enum type_space space);

/* ---- overwritten.c ---- */

/* Is what an lvalue reads certain to be written right after, by the same work-item? */
bool insert_is_overwritten(const struct place *place, uint32_t lvalue);

/* ---- fusing.c ---- */

/* Could checks keep the driver's compiler from fusing a product and a sum of the kernel, so that
 * its numbers change? */
bool insert_may_fuse(const struct place *place, uint32_t body);

/* ---- led.c ---- */

/* Has it, by its form, what a driver's compiler gets wrong once checks stand there? */
bool insert_may_be_led(const struct place *place, uint32_t body);
/* When all functions have been asked: a function may be if what it calls may. */
void insert_spread_led(struct insertion_program *program);

/* ---- insert_races.c: which accesses race is looked for, and where ---- */

/* What the node tells of how work-items are ordered. */
void insert_look_at_order(struct insertion_program *program, const struct part *part, uint32_t node,
                          struct function *function);
/* When all parts have been looked at. */
void insert_spread_orders(struct insertion_program *program);
/* When all accesses are known; and then those through an argument, or maybe through it. */
void insert_spread_accesses(struct insertion_program *program);
struct accessed insert_accessed(const struct function *kernel, uint32_t argument);
/* Of an access: CLERK_READ... as the checks spell it, for the name of the function that does it or
 * "" of an operator. */
const char *insert_kind(enum checked_access access, const char *name);
/* Does the function of that name, or an operator for "", take the value that was there? */
bool insert_takes(enum checked_access access, const char *name);
/* A barrier, or a function that may be one for a device; false for others. `callee` is the
 * reference to it, and `arguments` where its first argument begins in the text. */
bool insert_barrier(const struct place *place, uint32_t call, uint32_t callee, uint32_t arguments);
/* Are there cells of a kernel's arguments to global memory, or of local memory if it uses that? */
bool insert_has_cells(const struct function *function);
bool insert_has_local_cells(const struct function *function);

/* ---- uniform.c: where all work-items of a group come together ---- */

/* After the survey of all parts, for each of them; and then. */
void insert_find_apart(struct insertion_program *program, struct part *part);
void insert_spread_apart(struct insertion_program *program);
/* May only some items of the group come to the call? */
bool insert_is_apart(const struct place *place, uint32_t call);
/* May the items of a group choose differently at the statement? */
bool insert_parts_items(const struct part *part, uint32_t statement);
/* By what it chooses, or whether it goes on; 0 = nothing. */
uint32_t insert_condition(const struct ast *ast, uint32_t statement);

/* ---- switches.c ---- */

/* The jump that a statement ends with; AST_OTHER = none. */
enum ast_kind insert_jump_of(const struct ast *ast, uint32_t statement);
/* Of 32 or 64 bits as what it chooses by, and with no sign; NULL = it has none. */
const char *insert_switch_type(const struct ast *ast, uint32_t choice);
/* Whether an item that chose by `clerk_chose[number]` is at `node`, which is in the `switch`,
 * against its choice, as an expression; NULL = that cannot be, or is not known. */
const char *insert_switch_test(const struct place *place, uint32_t choice, uint32_t node,
                               uint32_t number);

/* ---- meetings.c: barriers that maybe not all of them reach ---- */

/* Of a call of such a barrier; of others nothing. Before insert_barrier. */
void insert_meeting(const struct place *place, uint32_t call);
/* `clerk_k`, as it is given to a function of the program. */
const char *insert_passed_on(const struct place *place, uint32_t call,
                             const struct function *called);
/* When the body has been gone through. */
void insert_begin_meetings(const struct place *place, uint32_t body);

/* ---- roots.c ---- */

/* What is known of where an address leads, as arguments of the functions of checks.cl. Of one that
 * is searched for, `base` is a pointer into the same object, or 0. */
struct root {
    const char *base, *size, *argument;
    const char *cells;    /* with what stands before it */
    int number;           /* of the argument; -1 = it is not known */
    bool is_apart;        /* of local memory: by form */
    const char *variable; /* the name of a variable; NULL = it is none, or not known which */
};
/* An access through it: for how many bytes are cells? `bytes` may be the alignment of more. */
void insert_note_access(const struct place *place, const struct root *root, enum type_space space,
                        unsigned bytes, bool is_write);
/* The number of a parameter; -1 when it is none of this function's. */
int insert_parameter_number(const struct place *place, uint32_t declaration);
/* Of an lvalue or a pointer. */
struct root insert_root(const struct place *place, uint32_t node, enum type_space space);
/* Of a kernel's argument, and of a variable in local memory: are work-items apart there by their
 * form (checkers/probe/apart.h), so that cells are left out unless CLERK_ALL_CELLS is defined? */
bool insert_argument_is_apart(const struct insertion_program *program,
                              const struct function *function, uint32_t number);
bool insert_variable_is_apart(const struct place *place, uint32_t declaration);

/* ---- insert_images.c ---- */

/* A parameter that is a sampler: a checked kernel is told of it (CHECKED_HIDDEN_SAMPLER). */
bool insert_is_sampler(const struct ast_node *parameter);

/* ---- insertions.c ---- */

/* Appends the text with its insertions. */
void insert_apply(struct insertion_program *program, struct part *part, struct text *text);
/* Releases the parts and all else but the arena and the array of parts. */
void insert_release(struct insertion_program *program);

#endif
