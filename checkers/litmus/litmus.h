/* A litmus test: a few work-items with a few memory accesses each, and a condition on how they may
 * end. litmus_parse reads the C-like syntax (docs/MEMORY_MODEL.md) into a program for each thread:
 * flat instructions over registers, in which every access, fence and barrier stands alone.
 *
 * A *thread* is what the literature calls a work-item of a litmus test: P0, P1 ... */
#ifndef CHECKERS_LITMUS_LITMUS_H
#define CHECKERS_LITMUS_LITMUS_H

#include "checkers/oracle/oracle.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LITMUS_THREADS_MAX = 64,
    LITMUS_LOCATIONS_MAX = 256, /* of a test; kernels may have more */
    LITMUS_VARIABLES_MAX = 24,  /* registers that a thread names */
    LITMUS_REGISTERS_MAX = 64,  /* with those for parts of expressions, after them */
    LITMUS_LOOPS_MAX = 6,
    LITMUS_INSTRUCTIONS_MAX = 2000, /* of a thread */
    LITMUS_ATOMS_MAX = 64,          /* of a condition */
    LITMUS_SHOWN_MAX = 64,          /* values that are shown beside */
};

struct litmus_type {
    uint8_t size; /* bytes: 1, 2, 4, 8 */
    bool is_signed;
};

/* A value as the type holds it: sign- or zero-extended. */
int64_t litmus_convert(int64_t value, struct litmus_type type);

struct litmus_location {
    const char *name;
    struct litmus_type type;
    enum oracle_region region;
    uint32_t device, group; /* of local memory: whose it is */
    int64_t initial;
    /* Of a kernel's: values are the bits of a floating-point number; locations are shown by rank.
     */
    bool is_floating;
    uint64_t rank;
    /* Of a kernel's: not 0 if one thread alone comes there, index + 1, as each that is like it has
     * a location of its own for that: that of the same `cell`. */
    uint32_t owner, cell;
};

struct litmus_variable {
    const char *name;
    struct litmus_type type;
    int64_t initial;
};

enum litmus_operation {
    LITMUS_ADD,
    LITMUS_SUB,
    LITMUS_MUL,
    LITMUS_DIV, /* by 0 gives 0 */
    LITMUS_MOD,
    LITMUS_AND,
    LITMUS_OR,
    LITMUS_XOR,
    LITMUS_SHL,
    LITMUS_SHR,
    LITMUS_EQ,
    LITMUS_NE,
    LITMUS_LT,
    LITMUS_LE,
    LITMUS_GT,
    LITMUS_GE,
    LITMUS_MIN,
    LITMUS_MAX,
    LITMUS_SECOND, /* the right operand: moves, exchanges */
};

/* Both operands are converted to `type`; the result of a comparison is 0 or 1. */
int64_t litmus_operate(enum litmus_operation operation, struct litmus_type type, int64_t a,
                       int64_t b);

enum litmus_op {
    LITMUS_CONSTANT,     /* dst = constant */
    LITMUS_OPERATION,    /* dst = a operation b */
    LITMUS_JUMP,         /* to target */
    LITMUS_JUMP_IF_ZERO, /* to target if a is 0 */
    LITMUS_LOOP_BEGIN,   /* the loop is entered */
    LITMUS_LOOP_BACK,    /* to target, where the loop goes on */
    LITMUS_LOOP_END,     /* the loop was left */
    LITMUS_FAULT,        /* what is wrong is said by `fault`: the thread goes no further */
    /* From here on: what the memory model is about. */
    LITMUS_READ,   /* dst = location */
    LITMUS_WRITE,  /* location = a */
    LITMUS_UPDATE, /* dst = location; location = dst operation a; atomic */
    /* dst = location; if it equals a, location = b; atomic */
    LITMUS_COMPARE_EXCHANGE,
    LITMUS_FENCE,
    LITMUS_BARRIER, /* of a work-group or sub-group, by kind */
};

struct litmus_instruction {
    enum litmus_op op;
    uint32_t line;
    uint8_t dst, a, b; /* registers */
    uint8_t loop;
    enum litmus_operation operation;
    struct litmus_type type; /* of the operation, or of the location */
    uint32_t target; /* of a barrier: which instance, where threads can be told apart by that */
    int64_t constant;
    enum oracle_kind kind; /* of a compare-exchange: when it exchanges */
    uint32_t location;
    enum oracle_order order, failure_order;
    enum oracle_scope scope;
    uint32_t flags;
    bool gathers; /* of a barrier: it is in a function of work-groups, which can have no flags */
    /* Of a relaxed update of which nobody needs what it finds: not 0, and equal for those that
     * leave the same in memory in any order. */
    uint32_t commuting;
    /* Of a kernel's: its place in the code, from 1, which it may share with instructions for other
     * locations; of a text's 0. If it is not an operation that can be performed, what is wrong:
     * "read of 4 bytes through a null pointer". */
    uint32_t site;
    const char *fault;
    bool is_assertion; /* that is what does not hold of an assertion; "" = nothing is known of it */
};

struct litmus_thread {
    uint32_t number; /* n of Pn */
    struct litmus_variable variables[LITMUS_VARIABLES_MAX];
    size_t variable_count;
    struct litmus_instruction *instructions;
    size_t instruction_count;
    uint32_t loop_count;
};

/* What a condition compares. */
enum litmus_term_kind { LITMUS_NUMBER, LITMUS_VARIABLE, LITMUS_LOCATION };

struct litmus_term {
    enum litmus_term_kind kind;
    uint32_t thread, index; /* of a variable; of a location: its index alone */
    int64_t number;
};

enum litmus_atom_kind {
    LITMUS_COMPARES,
    LITMUS_TRUE,
    LITMUS_NOT,
    LITMUS_BOTH,
    LITMUS_EITHER,
};

/* Of a condition in postfix order: NOT, BOTH and EITHER speak of the one or two before them. */
struct litmus_atom {
    enum litmus_atom_kind kind;
    enum litmus_operation operation; /* LITMUS_EQ to LITMUS_GE */
    struct litmus_type type;         /* as which the two are compared */
    struct litmus_term left, right;
};

struct litmus_condition {
    struct litmus_atom atoms[LITMUS_ATOMS_MAX];
    size_t count; /* 0: always true */
};

/* A test without a condition is LITMUS_FORALL of nothing. */
enum litmus_quantifier { LITMUS_EXISTS, LITMUS_NOT_EXISTS, LITMUS_FORALL };

enum litmus_edit_kind {
    LITMUS_EDIT_ORDER,
    LITMUS_EDIT_FAILURE, /* the order that a compare-exchange has if it fails */
    LITMUS_EDIT_SCOPE,
    LITMUS_EDIT_FLAGS,
    LITMUS_EDIT_FENCE_BEFORE,
    LITMUS_EDIT_FENCE_BEHIND,
};

/* A change of the source: all operations of the line that are of that kind, and have the one order,
 * scope or flags, get the other; or all atomic ones of that kind get a fence before or behind them.
 */
struct litmus_edit {
    enum litmus_edit_kind kind;
    uint32_t line, from, to;
    enum litmus_op op;
    struct litmus_instruction fence;
    const struct litmus_instruction *instruction; /* one of the operations */
    /* No operation of another kind on the line has the one, or, beside a fence, is an access, as
     * far as is known. */
    bool is_alone;
};

struct machine;

/* The test of a kernel (reference/explore) has threads without instructions and no condition, and
 * its locations are found while it runs. */
struct litmus_test {
    const char *name;
    const struct machine *machine; /* runs the threads: checkers/litmus/machine.h */
    void *program;                 /* the machine's own */
    bool is_kernel;
    bool has_barriers, may_wait; /* of a kernel: its code has barriers, and loops that may wait */
    bool
        lacks_orders; /* of a kernel: its language has no memory orders and scopes to choose from */
    struct litmus_thread threads[LITMUS_THREADS_MAX];
    struct oracle_unit units[LITMUS_THREADS_MAX];
    size_t thread_count;
    /* There are LITMUS_LOCATIONS_MAX. A kernel that has more gets others, twice as many, and those
     * before stay as they were. */
    struct litmus_location *locations;
    struct oracle_object *objects;
    size_t location_count;
    enum litmus_quantifier quantifier;
    struct litmus_condition condition, filter;
    /* Outcomes have these values, too, whatever the condition speaks of; no numbers. */
    struct litmus_term shown[LITMUS_SHOWN_MAX];
    size_t shown_count;
    /* Changes that it is explored with (checkers/litmus/repair.h); none otherwise. */
    const struct litmus_edit *edits;
    size_t edit_count;
    struct arena arena;
};

/* Is the operation on the line, and does it have what is changed, be it of the kind that is, or of
 * another one? */
bool litmus_edit_means(const struct litmus_edit *edit,
                       const struct litmus_instruction *instruction);
/* Makes the test's changes to `edited`, a copy of the instruction as the source has it. */
void litmus_edit_instruction(const struct litmus_test *test,
                             const struct litmus_instruction *original,
                             struct litmus_instruction *edited);

/* Malformed text gives a sentence that begins with the line: "line 3: ...". */
enum status litmus_parse(const char *text, size_t size, struct litmus_test **test,
                         struct error *error);
void litmus_destroy(struct litmus_test *test);

/* For the oracle; borrows the test. The order of seq_cst operations is that of inclusive scopes. */
struct oracle_machine litmus_machine(const struct litmus_test *test, enum oracle_scope_rule rule,
                                     bool seq_cst_alone);

#endif
