/* The expressions of ops.def as strings, after the preprocessor has replaced what they are written
 * with. */
#include "reference/native/op_text.h"

#include <stddef.h>
#include <string.h>

#define TEXT(...)  TEXT_(__VA_ARGS__)
#define TEXT_(...) #__VA_ARGS__

/* clang-format off */
#define BOTH(name, ...) [VM_OP_##name] = {__VA_ARGS__}, [VM_OP_##name##_u] = {__VA_ARGS__},
#define ROW(name, kind, D, A, B, C, defined, expression) \
    BOTH(name, NATIVE_OP_##kind, #D, #A, #B, #C, TEXT(defined), TEXT(expression))
static const struct native_op rows[VM_OP_COUNT] = {
#define OP1(name, D, A, expression)       ROW(name, LANE, D, A, none, none, , expression)
#define OP2(name, D, A, B, expression)    ROW(name, LANE, D, A, B, none, , expression)
#define OP3(name, D, A, B, C, expression) ROW(name, LANE, D, A, B, C, , expression)
#define OPEN1(name, D, A, cause, defined, expression)       ROW(name, OPEN, D, A, none, none, defined, expression)
#define OPEN2(name, D, A, B, cause, defined, expression)    ROW(name, OPEN, D, A, B, none, defined, expression)
#define OPEN3(name, D, A, B, C, cause, defined, expression) ROW(name, OPEN, D, A, B, C, defined, expression)
#define CMP1(name, A, expression)         ROW(name, TRUTH, mask, A, none, none, , expression)
#define CMP2(name, A, B, expression)      ROW(name, TRUTH, mask, A, B, none, , expression)
#define TERMS(name, kind, D, A, B, expression) \
    [VM_OP_##name##_a] = {NATIVE_OP_##kind, #D, #A, #B, "none", "", TEXT(expression)},
#define AFFINE1(how, name, D, A, expression)    OP1(name, D, A, expression) TERMS(name, how, D, A, none, expression)
#define AFFINE2(how, name, D, A, B, expression) OP2(name, D, A, B, expression) TERMS(name, how, D, A, B, expression)
#define AFFINE_CMP2(how, name, A, B, expression) \
    CMP2(name, A, B, expression) TERMS(name, how, mask, A, B, expression)
#define CALL1(name, ...) [VM_OP_##name] = {.kind = NATIVE_OP_NONE},
#define CALL2 CALL1
#define CALL3 CALL1
#define NEAR1 CALL1
#define NEAR2 CALL1
#define SPECIAL(name, ...) [VM_OP_##name] = {.kind = NATIVE_OP_NONE},
#include "reference/vm/ops.def"
};
/* clang-format on */

static bool has_any(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strstr(text, *words))
            return true;
    }
    return false;
}

const struct native_op *native_op_find(const struct native_set *set, enum vm_op op)
{
    /* round is no instruction of any set. */
    static const char *const functions[] = {"math_",      "vm_convert_",     "vm_pointer_",
                                            "vm_reverse", "__builtin_round", NULL};
    static const char *const roundings[] = {"__builtin_ceil",  "__builtin_floor", "__builtin_rint",
                                            "__builtin_trunc", "__builtin_fma",   NULL};
    const struct native_op *row = &rows[op];
    if (row->kind == NATIVE_OP_NONE || has_any(row->expression, functions) ||
        (!set->rounds && has_any(row->expression, roundings)))
        return NULL;
    const char *const types[] = {row->dst, row->a, row->b, row->c};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i], "f16") == 0)
            return NULL;
    }
    return row;
}
