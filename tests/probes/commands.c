/* Cases of commands that use the same bytes and that nothing orders. Of the first ones the text of
 * the kernels tells which bytes they use for certain, of the others only what they do. */
#include "tests/probes/probed.h"

#define FILLS "    out[get_global_id(0)] = get_global_id(0);\n"
#define ADDS  "    values[get_global_id(0)] += 1;\n"

static const struct probed_case commands[] = {
    {.name = "two_kernels_write",
     .global = {16},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 5, 1)},
     .steps = {PROBED_START(0, "fill", "0"), PROBED_START(1, "add", "0")},
     .source = "kernel void fill(global int *out)\n"
               "{\n"
               "    out[get_global_id(0)] = 4 + get_global_id(0);\n"
               "}\n"
               "kernel void add(global int *values)\n"
               "{\n" ADDS "}\n"},
    {.name = "read_while_written",
     .global = {16},
     .arguments = {{.object = PROBED_BUFFER, .element = PROBED_INT, .count = 16},
                   PROBED_OUT(PROBED_INT, 16, 0, 3)},
     .steps = {PROBED_START(0, "make", "0"), PROBED_START(1, "use", "01")},
     .source = "kernel void make(global int *out)\n"
               "{\n" FILLS "}\n"
               "kernel void use(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = 3 * in[i];\n"
               "}\n"},
    {.name = "written_before_launch",
     .global = {16},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 100, 1)},
     .steps = {{PROBED_WRITE, 0, NULL, "0", 0, 64}, PROBED_START(1, NULL, "01")},
     .source = "kernel void written_before_launch(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i];\n"
               "}\n"},
    {.name = "read_after_launch",
     .global = {16},
     .arguments = {PROBED_OUT(PROBED_SHORT, 16, 1, 1)},
     .steps = {PROBED_START(0, NULL, "0"), {PROBED_READ, 1, NULL, "0", 0, 32}},
     .source = "kernel void read_after_launch(global short *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = (short)(i + 1);\n"
               "}\n"},
    {.name = "copied_while_written",
     .global = {16},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 0, 2)},
     .steps = {PROBED_START(0, NULL, "0"), {PROBED_COPY, 1, NULL, "01", 0, 64}},
     .source = "kernel void copied_while_written(global int *values)\n"
               "{\n"
               "    values[get_global_id(0)] *= 2;\n"
               "}\n"},
    {.name = "filled_over",
     .global = {4, 4},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 8, 0)},
     .steps = {{PROBED_FILL, 1, NULL, "0", 0, 64}, PROBED_START(0, NULL, "0")},
     .source = "kernel void filled_over(global int *values)\n"
               "{\n"
               "    values[4 * get_global_id(1) + get_global_id(0)] += 1;\n"
               "}\n"},
    {.name = "unordered_queue",
     .out_of_order = true,
     .global = {16},
     .arguments = {PROBED_OUT(PROBED_FLOAT, 16, 1, 1)},
     .steps = {PROBED_START(0, "fill", "0"), PROBED_START(0, "add", "0")},
     .source = "kernel void fill(global float *out)\n"
               "{\n" FILLS "}\n"
               "kernel void add(global float *values)\n"
               "{\n" ADDS "}\n"},
    {.name = "part_and_whole",
     .global = {256},
     .arguments = {{.object = PROBED_SUB_BUFFER,
                    .element = PROBED_INT,
                    .count = 256,
                    .result = true,
                    .step = 2}},
     .steps = {PROBED_START(0, "fill", "0"), PROBED_START(1, "twice", "0")},
     .source = "kernel void fill(global int *out)\n"
               "{\n" FILLS "}\n"
               "kernel void twice(global int *values)\n"
               "{\n"
               "    global int *mine = values + get_global_id(0);\n"
               "    *mine = *mine + *mine;\n"
               "}\n"},
    {.name = "last_bytes",
     .global = {12},
     .offset = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 0, 1), PROBED_OUT(PROBED_INT, 4, 12, 1)},
     .steps = {PROBED_START(0, NULL, "0"), {PROBED_COPY, 1, NULL, "01", 48, 16}},
     .source = "kernel void last_bytes(global int *out)\n"
               "{\n"
               "    out[get_global_id(0)] = get_global_id(0);\n"
               "}\n"},
    {.name = "shared_result",
     .global = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 1, 16, 0)},
     .steps = {PROBED_START(0, "reset", "0"), PROBED_START(1, "count", "0")},
     .source = "kernel void reset(global int *result)\n"
               "{\n"
               "    if (get_global_id(0) == 0)\n"
               "        *result = 8;\n"
               "}\n"
               "kernel void count(global int *result)\n"
               "{\n"
               "    atomic_inc(result);\n"
               "}\n"},
    {.name = "even_elements",
     .global = {8},
     .arguments = {{.object = PROBED_BUFFER, .element = PROBED_INT, .count = 16},
                   PROBED_OUT(PROBED_INT, 8, 0, 4)},
     .steps = {PROBED_START(0, "make", "0"), PROBED_START(1, "use", "01")},
     .source = "kernel void make(global int *out)\n"
               "{\n"
               "    out[2 * get_global_id(0)] = 4 * get_global_id(0);\n"
               "}\n"
               "kernel void use(global const int *in, global int *out)\n"
               "{\n"
               "    out[get_global_id(0)] = in[2 * get_global_id(0)];\n"
               "}\n"},
    {.name = "through_indices",
     .out_of_order = true,
     .global = {16},
     .arguments = {PROBED_IN(PROBED_INT, 16),
                   {.object = PROBED_BUFFER, .element = PROBED_INT, .count = 16},
                   PROBED_OUT(PROBED_INT, 16, 0, 3)},
     .steps = {PROBED_START(0, "make", "01"), PROBED_START(0, "use", "12")},
     .source = "kernel void make(global const int *index, global int *out)\n"
               "{\n"
               "    int i = index[get_global_id(0)];\n"
               "    out[i] = i;\n"
               "}\n"
               "kernel void use(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = 3 * in[i];\n"
               "}\n"},
    {.name = "read_backwards",
     .global = {16},
     .arguments = {{.object = PROBED_BUFFER, .element = PROBED_INT, .count = 16},
                   PROBED_OUT(PROBED_INT, 16, 15, -1)},
     .steps = {PROBED_START(0, "make", "0"), PROBED_START(1, "use", "01")},
     .source = "kernel void make(global int *out)\n"
               "{\n" FILLS "}\n"
               "kernel void use(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[15 - i];\n"
               "}\n"},
    {.name = "branch_and_read",
     .global = {16},
     .arguments = {{.object = PROBED_BUFFER,
                    .element = PROBED_INT,
                    .count = 16,
                    .result = true,
                    .step = 1,
                    .right = 8}},
     .steps = {PROBED_START(0, NULL, "0"), {PROBED_READ, 1, NULL, "0", 44, 8}},
     .source = "kernel void branch_and_read(global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    if (out[i] == 12)\n"
               "        out[i] = 0;\n"
               "}\n"},
    {.name = "atomics_and_reads",
     .global = {16},
     .arguments = {PROBED_IN(PROBED_INT, 4), PROBED_OUT(PROBED_INT, 16, 4, 1)},
     .steps = {PROBED_START(0, "count", "0"), PROBED_START(1, "use", "01")},
     .source = "kernel void count(global int *counts)\n"
               "{\n"
               "    atomic_inc(counts + get_global_id(0) % 4);\n"
               "}\n"
               "kernel void use(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = in[i % 4] - i % 4 + i;\n"
               "}\n"},
    {.name = "copied_below",
     .global = {8},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 0, 2)},
     .steps = {PROBED_START(0, NULL, "0"), {PROBED_COPY, 1, NULL, "01", 0, 32}},
     .source = "kernel void copied_below(global int *values)\n"
               "{\n"
               "    int i = 7 - get_global_id(0);\n"
               "    values[i] *= 2;\n"
               "}\n"},
};

#define COUNT(cases) (sizeof(cases) / sizeof(cases)[0])
const struct probed_kind probed_commands = {"commands", "race-commands", commands, COUNT(commands)};
