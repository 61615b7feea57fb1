/* Global memory that is read and that nobody has written, or not where it is read. The line is that
 * where the value has consequences. */
#include "tests/probes/probed.h"

#define EMPTY(type, elements)                                                                      \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements),                             \
        .contents = PROBED_UNWRITTEN                                                               \
    }
/* Filled in the twin. */
#define EMPTY_THEN(type, elements, at_0, each)                                                     \
    {                                                                                              \
        .object = PROBED_BUFFER, .element = type, .count = (elements),                             \
        .contents = PROBED_UNWRITTEN, .clean_written = true, .result = true, .start = (at_0),      \
        .step = (each)                                                                             \
    }

static const struct probed_case undefined_global[] = {
    {.name = "sum_never_zeroed",
     .global = {64},
     .arguments = {EMPTY_THEN(PROBED_INT, 64, 0, 2), PROBED_IN(PROBED_INT, 64)},
     .source = "kernel void sum_never_zeroed(global int *sums, global const int *in)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    sums[i] += in[i]; /* BUG */\n"
               "}\n"},
    {.name = "scaled_in_place",
     .global = {16},
     .launches = 3,
     .arguments = {EMPTY_THEN(PROBED_FLOAT, 16, 0, 8)},
     .source = "kernel void scaled_in_place(global float *a)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    a[i] = a[i] * 2; /* BUG */\n"
               "}\n"},
    {.name = "bins_never_zeroed",
     .rule = "uninitialised-atomic",
     .global = {4, 4},
     .arguments = {PROBED_IN(PROBED_CHAR, 16), EMPTY_THEN(PROBED_INT, 4, 4, 1)},
     .source = "kernel void bins_never_zeroed(global const char *in, global int *bins)\n"
               "{\n"
               "    size_t i = 4 * get_global_id(1) + get_global_id(0);\n"
               "    atomic_inc(&bins[in[i] & 3]); /* BUG */\n"
               "}\n"},
    {.name = "written_in_part",
     .global = {16},
     .arguments = {EMPTY(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 100, 1)},
     .steps = {{.command = PROBED_WRITE, .with = "0", .size = 32}, PROBED_START(0, NULL, "01")},
     .source = "kernel void written_in_part(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = @in[i]|i < 8 ? in[i] : 100 + i@; /* BUG */\n"
               "}\n"},
    {.name = "filled_in_part",
     .global = {16},
     .arguments = {EMPTY(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 7, 0)},
     .steps = {{.command = PROBED_FILL, .with = "0", .offset = 4, .size = 60},
               PROBED_START(0, NULL, "01")},
     .source = "kernel void filled_in_part(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = in[@i|max(i, 1)@]; /* BUG */\n"
               "}\n"},
    {.name = "guard_too_small",
     .global = {4, 4},
     .arguments = {EMPTY(PROBED_FLOAT, 16), PROBED_OUT(PROBED_FLOAT, 16, 1, 1)},
     .steps = {PROBED_START(0, "made_in_part", "0"), PROBED_START(0, NULL, "01")},
     .source = "kernel void made_in_part(global float *made)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    if (x < @3|4@)\n"
               "        made[4 * y + x] = 4 * y + x;\n"
               "}\n"
               "kernel void guard_too_small(global const float *made, global float *out)\n"
               "{\n"
               "    int i = 4 * get_global_id(1) + get_global_id(0);\n"
               "    float value = made[i];\n"
               "    out[i] = value + 1; /* BUG */\n"
               "}\n"},
    {.name = "part_never_written",
     .global = {128},
     .arguments = {{.object = PROBED_SUB_BUFFER,
                    .element = PROBED_INT,
                    .count = 128,
                    .contents = PROBED_UNWRITTEN,
                    .clean_written = true},
                   PROBED_OUT(PROBED_INT, 128, 128, 1)},
     .source = "kernel void part_never_written(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i]; /* BUG */\n"
               "}\n"},
    {.name = "copied_too_much",
     .global = {16},
     .arguments = {EMPTY(PROBED_INT, 16), EMPTY(PROBED_INT, 16),
                   PROBED_OUT(PROBED_INT, 16, 100, 1)},
     .steps = {{.command = PROBED_WRITE, .with = "0", .size = 40},
               {.command = PROBED_COPY, .with = "01", .size = 64},
               PROBED_START(0, NULL, "12")},
     .source = "kernel void copied_too_much(global const int *in, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = @in[i]|i < 10 ? in[i] : 100 + i@; /* BUG */\n"
               "}\n"},
    {.name = "cloned_then_launched",
     .needs = PROBED_CLONES,
     .cloned = true,
     .global = {8},
     .arguments = {EMPTY_THEN(PROBED_SHORT, 8, 3, 1)},
     .source = "kernel void cloned_then_launched(global short *a)\n"
               "{\n"
               "    a[get_global_id(0)] += 3; /* BUG */\n"
               "}\n"},
    {.name = "read_by_helper",
     .global = {8},
     .arguments = {EMPTY(PROBED_CHAR, 8), PROBED_OUT(PROBED_CHAR, 8, 2, 0)},
     .steps = {PROBED_START(0, "every_other", "0"), PROBED_START(0, NULL, "01")},
     .source = "void put(global char *to, char value)\n"
               "{\n"
               "    *to = value;\n"
               "}\n"
               "char get(global const char *from, int i)\n"
               "{\n"
               "    return from[i];\n"
               "}\n"
               "kernel void every_other(global char *to)\n"
               "{\n"
               "    if (@get_global_id(0) % 2 == 0|true@)\n"
               "        put(to + get_global_id(0), 1);\n"
               "}\n"
               "kernel void read_by_helper(global const char *from, global char *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i] = get(from, i) + 1; /* BUG */\n"
               "}\n"},
    {.name = "halo_never_written",
     .global = {4, 4},
     .arguments = {EMPTY(PROBED_INT, 36), PROBED_OUT(PROBED_INT, 16, 2, 0)},
     .steps = {PROBED_START(0, "inside", "0"), PROBED_START(0, NULL, "01")},
     .source = "kernel void inside(global int *padded)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    padded[6 * (y + 1) + x + 1] = 1;\n"
               "}\n"
               "kernel void halo_never_written(global const int *padded, global int *out)\n"
               "{\n"
               "    int x = get_global_id(0), y = get_global_id(1);\n"
               "    int left = @x|max(x, 1)@;\n"
               "    global const int *row = padded + 6 * (y + 1);\n"
               "    int sum = row[left];\n"
               "    sum += row[x + 1];\n"
               "    out[4 * y + x] = sum; /* BUG */\n"
               "}\n"},
    {.name = "third_component",
     .global = {8},
     .arguments = {EMPTY(PROBED_FLOAT, 32), PROBED_OUT(PROBED_FLOAT, 8, 3, 0)},
     .steps = {PROBED_START(0, "two_components", "0"), PROBED_START(0, NULL, "01")},
     .source = "kernel void two_components(global float4 *rows)\n"
               "{\n"
               "    rows[get_global_id(0)].xy = (float2)(3, 3);\n"
               "}\n"
               "kernel void third_component(global const float4 *rows, global float *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = rows[i].@z|y@; /* BUG */\n"
               "}\n"},
    {.name = "member_never_set",
     .rule = "uninitialised-branch",
     .global = {2, 2, 2},
     .arguments = {EMPTY(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .steps = {PROBED_START(0, "first_member", "0"), PROBED_START(0, NULL, "01")},
     .source = "struct cell { int value; char kind; };\n"
               "kernel void first_member(global struct cell *cells)\n"
               "{\n"
               "    int i = 4 * get_global_id(2) + 2 * get_global_id(1) + get_global_id(0);\n"
               "    cells[i].value = i;\n"
               "    @|cells[i].kind = 1;@\n"
               "}\n"
               "kernel void member_never_set(global const struct cell *cells, global int *out)\n"
               "{\n"
               "    int i = 4 * get_global_id(2) + 2 * get_global_id(1) + get_global_id(0);\n"
               "    out[i] = 0;\n"
               "    if (cells[i].kind == 1) /* BUG */\n"
               "        out[i] = cells[i].value;\n"
               "}\n"},
    {.name = "loaded_beyond_what_is_stored",
     .global = {4},
     .arguments = {EMPTY(PROBED_SHORT, 16), PROBED_OUT(PROBED_SHORT, 4, 4, 0)},
     .steps = {PROBED_START(0, "stored", "0"), PROBED_START(0, NULL, "01")},
     .source =
         "kernel void stored(global short *a)\n"
         "{\n"
         "    int i = get_global_id(0);\n"
         "    if (i < @3|4@)\n"
         "        vstore4((short4)(1), i, a);\n"
         "}\n"
         "kernel void loaded_beyond_what_is_stored(global const short *a, global short *out)\n"
         "{\n"
         "    int i = get_global_id(0);\n"
         "    short4 four = vload4(i, a);\n"
         "    out[i] = four.x + four.y + four.z + four.w; /* BUG */\n"
         "}\n"},
    {.name = "tile_of_nothing",
     .global = {8},
     .local = {4},
     .arguments = {EMPTY(PROBED_INT, 8), PROBED_ROOM(PROBED_INT, 4),
                   PROBED_OUT(PROBED_INT, 8, 5, 0)},
     .steps = {{.command = PROBED_FILL, .with = "0", .size = 16}, PROBED_START(0, NULL, "012")},
     .source =
         "kernel void tile_of_nothing(global const int *in, local int *tile, global int *out)\n"
         "{\n"
         "    size_t i = get_global_id(0), l = get_local_id(0);\n"
         "    event_t done = async_work_group_copy(tile, in + @4 * get_group_id(0)|0@, 4, 0);\n"
         "    wait_group_events(1, &done);\n"
         "    out[i] = tile[l] - 2; /* BUG */\n"
         "}\n"},
    {.name = "flags_behind_a_fence",
     .rule = "uninitialised-address",
     .global = {8},
     .local = {8},
     .arguments = {EMPTY_THEN(PROBED_INT, 8, 0, 1), PROBED_IN(PROBED_INT, 8),
                   PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void flags_behind_a_fence(global int *at, global const int *in,\n"
               "                                 global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "    int value = in[at[i] & 7]; /* BUG */\n"
               "    out[i] = value;\n"
               "}\n"},
    {.name = "scratch_read_first",
     .global = {8},
     .local = {8},
     .arguments = {EMPTY(PROBED_LONG, 8), PROBED_OUT(PROBED_LONG, 8, 0, 1)},
     .source = "kernel void scratch_read_first(global long *scratch, global long *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    @|scratch[i] = i;@\n"
               "    long other = scratch[i];\n"
               "    scratch[i] = 2 * i;\n"
               "    out[i] = other; /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_undefined_global = {
    "undefined-global", "uninitialised-output", undefined_global,
    sizeof undefined_global / sizeof undefined_global[0]};
