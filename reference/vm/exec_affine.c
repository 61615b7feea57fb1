/* The ops on affine rows (code.h): they compute the terms where these hold, and else do what their
 * varying forms do. Those that read and write memory are in exec_memory.c. */
#include "reference/vm/affine.h"

/* ---- results ---- */

/* The result has these terms, and elements of `width` bytes. */
static inline void put(struct vm_vector *vector, const struct vm_instruction *in, uint64_t base,
                       uint64_t step, uint64_t jump, uint32_t width)
{
    struct vm_affine *made = vm_affine(vector, in->dst);
    made->base = base;
    made->step = step;
    made->jump = jump;
    made->form = VM_AFFINE_TERMS;
    vector->undefined[in->dst] = 0;
    if (in->aux & VM_AFFINE_ROW)
        MACHINE(affine_fill)(vector, in->dst, width);
}

/* The terms of an operand; NULL where they do not hold. */
static inline const struct vm_affine *terms(const struct vm_vector *vector, vm_row row)
{
    const struct vm_affine *affine = vm_affine(vector, row);
    return affine->form == VM_AFFINE_NO ? NULL : affine;
}

/* The varying form of the op, on one or two affine operands, which gives an affine row. */
static __attribute__((noinline)) void vary(struct vm_vector *vector,
                                           const struct vm_instruction *in, enum vm_op varying,
                                           uint32_t operand_count, uint32_t width)
{
    MACHINE(affine_fill)(vector, in->a, width);
    if (operand_count > 1)
        MACHINE(affine_fill)(vector, in->b, width);
    MACHINE(vm_op_functions)[varying](vector, in);
    vm_affine(vector, in->dst)->form = VM_AFFINE_NO;
}

/* ---- lane ops: `how` of their rows in ops.def ---- */

/* clang-format off */
#define AFFINE_OP(name) VM_SPECIAL(name##_a)
/* The expression, of one term of each operand. */
#define TERM_1(A, x, expression) ({ const A a = (A)(x); (u64)(expression); })
#define TERM_2(A, B, x, y, expression) ({ const A a = (A)(x); const B b = (B)(y); (u64)(expression); })

/* The expression of sums is the sum of the expressions. */
#define LINEAR_1(name, D, A, expression)                                                                    \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        if (x)                                                                                              \
            put(vector, in, TERM_1(A, x->base, expression), TERM_1(A, x->step, expression),                 \
                TERM_1(A, x->jump, expression), sizeof(D));                                                 \
        else                                                                                                \
            vary(vector, in, VM_OP_##name, 1, sizeof(A));                                                   \
    }
#define LINEAR_2(name, D, A, B, expression)                                                                 \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        const struct vm_affine *y = terms(vector, in->b);                                                   \
        if (x && y)                                                                                         \
            put(vector, in, TERM_2(A, B, x->base, y->base, expression),                                     \
                TERM_2(A, B, x->step, y->step, expression), TERM_2(A, B, x->jump, y->jump, expression), sizeof(D)); \
        else                                                                                                \
            vary(vector, in, VM_OP_##name, 2, sizeof(A));                                                   \
    }
/* That holds of the first operand if the second is the same for all lanes; and SCALED of either. */
#define BY_UNIFORM(name, D, A, B, expression, swaps)                                                        \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        const struct vm_affine *y = terms(vector, in->b);                                                   \
        if (swaps && y && x && affine_uniform(x)) {                                                         \
            const struct vm_affine *other = x;                                                              \
            x = y;                                                                                          \
            y = other;                                                                                      \
        }                                                                                                   \
        if (x && y && affine_uniform(y))                                                                    \
            put(vector, in, TERM_2(A, B, x->base, y->base, expression),                                     \
                TERM_2(A, B, x->step, y->base, expression), TERM_2(A, B, x->jump, y->base, expression), sizeof(D)); \
        else                                                                                                \
            vary(vector, in, VM_OP_##name, 2, sizeof(A));                                                   \
    }
#define SCALED_2(name, D, A, B, expression) BY_UNIFORM(name, D, A, B, expression, true)
#define SHIFTED_2(name, D, A, B, expression) BY_UNIFORM(name, D, A, B, expression, false)
/* An or with a number below what all terms are multiples of adds it. */
#define JOINED_2(name, D, A, B, expression)                                                                 \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        const struct vm_affine *y = terms(vector, in->b);                                                   \
        if (x && y && affine_uniform(x)) {                                                                  \
            const struct vm_affine *other = x;                                                              \
            x = y;                                                                                          \
            y = other;                                                                                      \
        }                                                                                                   \
        if (x && y && affine_uniform(y) && y->base < lowest_bit(x->base | x->step | x->jump))               \
            put(vector, in, TERM_2(A, B, x->base, y->base, expression), x->step, x->jump, sizeof(D));       \
        else                                                                                                \
            vary(vector, in, VM_OP_##name, 2, sizeof(A));                                                   \
    }
/* If no active lane wraps. */
#define IS_SIGNED(A) ((A)-1 < (A)1)
#define LOW_BITS(D, value) ((u64)(value) & (~UINT64_C(0) >> (64 - 8 * sizeof(D))))
#define WIDENED_1(name, D, A, expression)                                                                   \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        s64 least;                                                                                          \
        s64 greatest;                                                                                       \
        if (x && affine_range(vector, x, sizeof(A), IS_SIGNED(A), &least, &greatest))                       \
            put(vector, in, LOW_BITS(D, widened_base(vector, x, sizeof(A), IS_SIGNED(A))),                  \
                LOW_BITS(D, terms_extend(x->step, sizeof(A), true)),                                        \
                LOW_BITS(D, terms_extend(x->jump, sizeof(A), true)), sizeof(D));                            \
        else                                                                                                \
            vary(vector, in, VM_OP_##name, 1, sizeof(A));                                                   \
    }
/* What a comparison gives, if it is the same for all active lanes: `decided` says so of the ranges of
 * their elements. */
#define DECIDED_CMP(name, A, expression, decided)                                                           \
    AFFINE_OP(name)                                                                                         \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        const struct vm_affine *y = terms(vector, in->b);                                                   \
        s64 x_least, x_greatest, y_least, y_greatest;                                                       \
        if (x && y && affine_range(vector, x, sizeof(A), IS_SIGNED(A), &x_least, &x_greatest) &&            \
            affine_range(vector, y, sizeof(A), IS_SIGNED(A), &y_least, &y_greatest) && (decided)) {         \
            vector->undefined[in->dst] = 0;                                                                 \
            *ROW(u64, in->dst) = TERM_2(A, A, x_least, y_least, expression) ? ~UINT64_C(0) : 0;             \
            return;                                                                                         \
        }                                                                                                   \
        MACHINE(affine_fill)(vector, in->a, sizeof(A));                                                     \
        MACHINE(affine_fill)(vector, in->b, sizeof(A));                                                     \
        MACHINE(vm_op_functions)[VM_OP_##name](vector, in);                                                 \
    }
/* Of <, <=: the outermost numbers say the same. */
#define ORDERED_CMP(name, A, expression)                                                                    \
    DECIDED_CMP(name, A, expression,                                                                        \
                TERM_2(A, A, x_greatest, y_least, expression) == TERM_2(A, A, x_least, y_greatest, expression))
/* Of == and !=: no numbers of the two meet, or there is one of each. */
#define EQUAL_CMP(name, A, expression)                                                                      \
    DECIDED_CMP(name, A, expression,                                                                        \
                x_greatest < y_least || y_greatest < x_least ||                                             \
                    (x_least == x_greatest && y_least == y_greatest))

/* As terms_widened_base has it. */
static inline uint64_t widened_base(const struct vm_vector *vector, const struct vm_affine *affine,
                                    uint32_t width, bool is_signed)
{
    return terms_widened_base(affine->base, affine->step, affine->jump, vector->run_shift,
                              (uint32_t)__builtin_ctzll(vector->active), width, is_signed);
}

#define OP1(...)
#define OP2(...)
#define OP3(...)
#define AFFINE1(how, name, D, A, expression) how##_1(name, D, A, expression)
#define AFFINE2(how, name, D, A, B, expression) how##_2(name, D, A, B, expression)
#define AFFINE_CMP2(how, name, A, B, expression) how##_CMP(name, A, expression)
#define SPECIAL(...)
#include "reference/vm/ops.def"

/* ---- named ops ---- */

VM_SPECIAL(index_64_a)
{
    const struct vm_affine *x = terms(vector, in->a);
    const struct vm_affine *y = terms(vector, in->b);
    const u64 scale = (u64)(s64)(int32_t)in->c;
    if (x && y)
        put(vector, in, x->base + y->base * scale, x->step + y->step * scale, x->jump + y->jump * scale, 8);
    else
        vary(vector, in, VM_OP_index_64, 2, 8);
}

/* What is written partly is not read by lanes that are not active (lower_linear.c). */
#define MOVE(name, W)                                                                                       \
    VM_SPECIAL(name##_##W##_a)                                                                              \
    {                                                                                                       \
        const struct vm_affine *x = terms(vector, in->a);                                                   \
        if (x)                                                                                              \
            put(vector, in, x->base, x->step, x->jump, W / 8);                                              \
        else                                                                                                \
            vary(vector, in, VM_OP_##name##_##W, 1, W / 8);                                                 \
    }
#define ROWS(W)                                                                                             \
    MOVE(mov, W)                                                                                            \
    MOVE(set, W)                                                                                            \
    VM_SPECIAL(splat_##W##_a)                                                                               \
    {                                                                                                       \
        if (vector->undefined[in->a] == 0) {                                                                \
            put(vector, in, *ROW(u##W, in->a), 0, 0, W / 8);                                                \
            return;                                                                                         \
        }                                                                                                   \
        MACHINE(vm_op_functions)[VM_OP_splat_##W](vector, in);                                                                  \
        vm_affine(vector, in->dst)->form = VM_AFFINE_NO;                                                    \
    }
ROWS(8)
ROWS(16)
ROWS(32)
ROWS(64)
#undef ROWS
#undef MOVE
/* clang-format on */
