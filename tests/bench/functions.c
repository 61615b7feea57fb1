/* What a mathematical function takes the lane machine for one lane, in double and in float, of the
 * same operands: nanoseconds, for each instruction set that the processor has, as Markdown.
 *
 *   bench_functions [TURNS [MACHINE]] */
#include "reference/vm/exec.h"
#include "tests/bench/host.h"
#include "tests/unit/vm/single.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 16, BATCHES = 64, REPEATS = 4 };

/* Where the operands lie: evenly from `low` to `high`. */
static const struct {
    const char *name;
    enum vm_op f64, f32;
    bool integer; /* the second operand is one, of 32 bits */
    double low, high;
    double low_b, high_b; /* of the second operand, if there is one */
} functions[] = {
/* clang-format off */
#define INTEGER(name, ...) {#name, VM_OP_##name##_f64, VM_OP_##name##_f32, true, __VA_ARGS__}
#define FUNCTION(name, ...) {#name, VM_OP_##name##_f64, VM_OP_##name##_f32, false, __VA_ARGS__}
    FUNCTION(exp, -20, 20, 0, 0),
    FUNCTION(exp2, -20, 20, 0, 0),
    FUNCTION(exp10, -20, 20, 0, 0),
    FUNCTION(expm1, -3, 3, 0, 0),
    FUNCTION(log, 0, 1000, 0, 0),
    FUNCTION(log2, 0, 1000, 0, 0),
    FUNCTION(log10, 0, 1000, 0, 0),
    FUNCTION(log1p, -1, 3, 0, 0),
    FUNCTION(pow, 0, 50, -10, 10),
    FUNCTION(powr, 0, 50, -10, 10),
    INTEGER(pown, -50, 50, -10, 10),
    INTEGER(rootn, 0, 1000, 2, 10),
    FUNCTION(sin, -50, 50, 0, 0),
    FUNCTION(cos, -50, 50, 0, 0),
    FUNCTION(tan, -50, 50, 0, 0),
    FUNCTION(sinpi, -50, 50, 0, 0),
    FUNCTION(cospi, -50, 50, 0, 0),
    FUNCTION(tanpi, -50, 50, 0, 0),
    FUNCTION(asin, -1, 1, 0, 0),
    FUNCTION(acos, -1, 1, 0, 0),
    FUNCTION(atan, -5, 5, 0, 0),
    FUNCTION(atan2, -5, 5, -5, 5),
    FUNCTION(asinpi, -1, 1, 0, 0),
    FUNCTION(acospi, -1, 1, 0, 0),
    FUNCTION(atanpi, -5, 5, 0, 0),
    FUNCTION(atan2pi, -5, 5, -5, 5),
    FUNCTION(sinh, -5, 5, 0, 0),
    FUNCTION(cosh, -5, 5, 0, 0),
    FUNCTION(tanh, -5, 5, 0, 0),
    FUNCTION(asinh, -5, 5, 0, 0),
    FUNCTION(acosh, 1, 50, 0, 0),
    FUNCTION(atanh, -1, 1, 0, 0),
    FUNCTION(rsqrt, 0, 1000, 0, 0),
    FUNCTION(cbrt, -1000, 1000, 0, 0),
    FUNCTION(hypot, -50, 50, -50, 50),
    FUNCTION(erf, -3, 3, 0, 0),
    FUNCTION(erfc, -3, 9, 0, 0),
    FUNCTION(tgamma, -5, 20, 0, 0),
    FUNCTION(lgamma, -5, 50, 0, 0),
    FUNCTION(degrees, -10, 10, 0, 0),
    FUNCTION(radians, -500, 500, 0, 0),
    /* clang-format on */
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static uint64_t random_state = 0x9e3779b97f4a7c15;

static double random_between(double low, double high)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return low + (high - low) * (double)(random_state >> 11) * 0x1p-53;
}

/* A row of operands, all of which are floats: doubles get the same ones with bits of their own. */
static vm_row operand_row(struct single *single, uint32_t size, double low, double high)
{
    const vm_row row = as_row(&single->as, size, 1);
    for (uint32_t lane = 0; lane < VM_LANES; ++lane) {
        const double value = random_between(low, high);
        const float narrow = (float)value;
        memcpy(single_row(single, row) + lane * size, size == 8 ? (const void *)&value : &narrow,
               size);
    }
    return row;
}

static vm_row second_row(struct single *single, uint32_t size, size_t function)
{
    const double low = functions[function].low_b;
    const double high = functions[function].high_b;
    if (!functions[function].integer)
        return operand_row(single, size, low, high);
    const vm_row row = as_row(&single->as, 4, 1);
    for (uint32_t lane = 0; lane < VM_LANES; ++lane) {
        const int32_t value = (int32_t)random_between(low, high);
        memcpy(single_row(single, row) + lane * sizeof value, &value, sizeof value);
    }
    return row;
}

/* Nanoseconds a lane, over 65536 operands: some are in doubt, which takes a thousand times as long.
 */
static double time_of(size_t function, enum vm_op op, uint32_t size)
{
    static struct single single;
    uint64_t time = 0;
    random_state = 0x9e3779b97f4a7c15;
    for (unsigned batch = 0; batch < BATCHES; ++batch) {
        single_init(&single);
        as_block(&single.as);
        const vm_row dst = as_row(&single.as, size, 1);
        for (unsigned i = 0; i < ROWS; ++i) {
            const vm_row a =
                operand_row(&single, size, functions[function].low, functions[function].high);
            const vm_row b = second_row(&single, size, function);
            as_emit(&single.as,
                    (struct vm_instruction){.op = (uint16_t)op, .dst = dst, .a = a, .b = b});
        }
        as_return(&single.as);
        const uint64_t began = cpu_time_ns();
        for (unsigned i = 0; i < REPEATS; ++i)
            single_run(&single, ~UINT64_C(0));
        time += cpu_time_ns() - began;
    }
    return (double)time / BATCHES / REPEATS / ROWS / VM_LANES;
}

static void print_table(const char *machine, unsigned turns)
{
    printf("%s| function, %s | float, ns | double, ns | ratio |\n|---|--:|--:|--:|\n",
           machine == vm_machine_name(0) ? "" : "\n", machine);
    for (size_t f = 0; f < FUNCTION_COUNT; ++f) {
        double narrow = 1e9, wide = 1e9;
        for (unsigned turn = 0; turn < turns; ++turn) {
            const double float_time = time_of(f, functions[f].f32, 4);
            const double double_time = time_of(f, functions[f].f64, 8);
            narrow = float_time < narrow ? float_time : narrow;
            wide = double_time < wide ? double_time : wide;
        }
        printf("| `%s` | %.2f | %.2f | %.1f× |\n", functions[f].name, narrow, wide, wide / narrow);
    }
}

int main(int argument_count, char **arguments)
{
    const unsigned turns = argument_count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 9;
    for (size_t i = 0; vm_machine_name(i); ++i) {
        const char *const name = vm_machine_name(i);
        if (argument_count > 2 && strcmp(arguments[2], name) != 0)
            continue;
        if (vm_machine_select(name))
            print_table(name, turns);
    }
    return 0;
}
