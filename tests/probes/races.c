/* Cases of work-items that race for global and local memory, and of barriers that not all of a
 * group reach together. There all work-items of a group come to as many barriers, though to others,
 * so that no device waits for ever. */
#include "tests/probes/probed.h"

static const struct probed_case race_global[] = {
    {.name = "all_write_one",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void all_write_one(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[@3|i@] = i; /* BUG */\n"
               "}\n"},
    {.name = "groups_overwrite",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_FLOAT, 16, 0, 1)},
     .source = "kernel void groups_overwrite(global float *out)\n"
               "{\n"
               "    size_t l = get_local_id(0), group = get_group_id(0);\n"
               "    out[@0|group@ * 8 + l] = group * 8 + l; /* BUG */\n"
               "}\n"},
    {.name = "plain_histogram",
     .global = {16},
     .local = {16},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 4, 1)},
     .source = "#define COUNT_UP(p) @(*(p))++|atomic_inc(p)@\n"
               "kernel void plain_histogram(global int *bins)\n"
               "{\n"
               "    COUNT_UP(bins + get_global_id(0) % 4); /* BUG */\n"
               "}\n"},
    {.name = "missing_barrier",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 14, -2)},
     .source = "kernel void missing_barrier(global int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    room[l] = 2 * l;\n"
               "    @|barrier(CLK_GLOBAL_MEM_FENCE);@\n"
               "    out[l] = room[7 - l]; /* BUG */\n"
               "}\n"},
    {.name = "wrong_fence",
     .global = {4, 2},
     .local = {4, 2},
     .arguments = {PROBED_IN(PROBED_SHORT, 8), PROBED_OUT(PROBED_SHORT, 8, 8, -1)},
     .source = "kernel void wrong_fence(global short *room, global short *out)\n"
               "{\n"
               "    int l = 4 * get_local_id(1) + get_local_id(0);\n"
               "    room[l] = (short)(l + 1);\n"
               "    barrier(@CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE@);\n"
               "    out[l] = room[7 - l]; /* BUG */\n"
               "}\n"},
    {.name = "in_place_shift",
     .global = {15},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 16, 1, 1)},
     .source = "void shift(global int *to, global const int *from)\n"
               "{\n"
               "    *to = from[1]; /* BUG */\n"
               "}\n"
               "kernel void in_place_shift(global int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    shift(@in|out@ + i, in + i);\n"
               "    if (i == 14)\n"
               "        out[15] = 16;\n"
               "}\n"},
    {.name = "forgotten_plane",
     .global = {2, 2, 4},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_CHAR, 16, 1, 1)},
     .source = "kernel void forgotten_plane(global char *out)\n"
               "{\n"
               "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
               "    global char *plane = out@| + 4 * z@;\n"
               "    plane[2 * y + x] = (char)(4 * z + 2 * y + x + 1); /* BUG */\n"
               "}\n"},
    {.name = "vectors_overlap",
     .global = {4},
     .local = {2},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void vectors_overlap(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    int4 four = (int4)(0, 1, 2, 3) + 4 * i;\n"
               "    vstore4(four, 0, out + @3|4@ * i); /* BUG */\n"
               "}\n"},
    {.name = "structures_shared",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_SHORT, 16, 0, 1)},
     .source = "typedef struct { short at; short value; } cell;\n"
               "kernel void structures_shared(global cell *cells)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    cells[i@ / 2|@].value = (short)(2 * i + 1); /* BUG */\n"
               "}\n"},
    {.name = "aliased_arguments",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_IN(PROBED_INT, 9), PROBED_OUT(PROBED_INT, 9, 0, 1)},
     .steps = {PROBED_START(0, NULL, "11")},
     .source = "kernel void aliased_arguments(global const int *from, global int *to)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    to[i] = from[i@ + 1|@]; /* BUG */\n"
               "}\n"},
    {.name = "linked_flag",
     .global = {16},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 1, 1, 0)},
     .source = "void raise(volatile global int *flag);\n"
               "kernel void linked_flag(volatile global int *flag)\n"
               "{\n"
               "    raise(flag + get_work_dim() - 1);\n"
               "}\n",
     .second = "void raise(volatile global int *flag);\n"
               "void raise(volatile global int *flag)\n"
               "{\n"
               "    @*flag = 1|atomic_xchg(flag, 1)@; /* BUG */\n"
               "}\n"},
    {.name = "shared_sum",
     .needs = PROBED_SHARED_MEMORY,
     .global = {8},
     .local = {2},
     .arguments =
         {{.object = PROBED_SVM, .element = PROBED_INT, .count = 1, .result = true, .start = 28}},
     .source = "kernel void shared_sum(global int *sum)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    @*sum += i|atomic_add(sum, i)@; /* BUG */\n"
               "}\n"},
    {.name = "copies_meet",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void copies_meet(global int *out)\n"
               "{\n"
               "    local int room[4];\n"
               "    room[get_local_id(0)] = get_global_id(0);\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    global int *to = out + @2|4@ * get_group_id(0);\n"
               "    event_t copy = async_work_group_copy(to, room, 4, 0); /* BUG */\n"
               "    wait_group_events(1, &copy);\n"
               "}\n"},
    {.name = "stripes_meet",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_FLOAT, 8, 0, 1)},
     .source =
         "void spread(global float *to, local const float *room, size_t stride)\n"
         "{\n"
         "    event_t copy = async_work_group_strided_copy(to, room, 4, stride, 0); /* BUG */\n"
         "    wait_group_events(1, &copy);\n"
         "}\n"
         "kernel void stripes_meet(global float *out)\n"
         "{\n"
         "    local float room[4];\n"
         "    size_t l = get_local_id(0), group = get_group_id(0);\n"
         "    room[l] = 2 * l + group;\n"
         "    barrier(CLK_LOCAL_MEM_FENCE);\n"
         "    spread(out + group, room, @1|2@);\n"
         "}\n"},
};

static const struct probed_case race_local[] = {
    {.name = "room_unfenced",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source = "kernel void room_unfenced(local int *room, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    room[l] = i - l;\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    out[i] = room[7 - l] + l; /* BUG */\n"
               "}\n"},
    {.name = "room_wrong_fence",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_SHORT, 8, 7, -1)},
     .source = "kernel void room_wrong_fence(global short *out)\n"
               "{\n"
               "    local short room[8];\n"
               "    int l = get_local_id(0);\n"
               "    room[l] = (short)l;\n"
               "    barrier(@CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE@);\n"
               "    out[l] = room[7 - l]; /* BUG */\n"
               "}\n"},
    {.name = "one_total",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 2, 8, 0)},
     .source = "kernel void one_total(global int *out)\n"
               "{\n"
               "    local int total;\n"
               "    size_t l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        total = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    @total += 1|atomic_add(&total, 1)@; /* BUG */\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    if (l == 0)\n"
               "        out[get_group_id(0)] = total;\n"
               "}\n"},
    {.name = "first_item_sets",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_NUMBER(3), PROBED_OUT(PROBED_INT, 8, 3, 1)},
     .source = "kernel void first_item_sets(int start, global int *out)\n"
               "{\n"
               "    local int shared_start;\n"
               "    int i = get_global_id(0);\n"
               "    if (get_local_id(0) == 0)\n"
               "        shared_start = start;\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    out[i] = shared_start + i; /* BUG */\n"
               "}\n"},
    {.name = "tile_overtaken",
     .global = {4},
     .local = {4},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 4, 10, -2)},
     .source = "kernel void tile_overtaken(global const int *in, global int *out)\n"
               "{\n"
               "    local int tile[4];\n"
               "    int l = get_local_id(0), sum = 0;\n"
               "    for (int t = 0; t < 2; t++) {\n"
               "        tile[l] = in[4 * t + l]; /* BUG */\n"
               "        barrier(CLK_LOCAL_MEM_FENCE);\n"
               "        sum += tile[3 - l];\n"
               "        @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    }\n"
               "    out[l] = sum;\n"
               "}\n"},
    {.name = "tree_unfenced",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_FLOAT, 8), PROBED_OUT(PROBED_FLOAT, 1, 16, 0)},
     .source = "kernel void tree_unfenced(local float *sums, global float *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    sums[l] = 2;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    for (int part = 4; part > 0; part /= 2) {\n"
               "        if (l < part)\n"
               "            sums[l] += sums[l + part]; /* BUG */\n"
               "        @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    }\n"
               "    if (l == 0)\n"
               "        out[0] = sums[0];\n"
               "}\n"},
    {.name = "plane_transposed",
     .global = {4, 4},
     .local = {4, 4},
     .arguments = {PROBED_IN(PROBED_CHAR, 16), PROBED_OUT(PROBED_CHAR, 16, 0, 1)},
     .source = "kernel void plane_transposed(global const char *in, global char *out)\n"
               "{\n"
               "    local char plane[16];\n"
               "    int x = get_local_id(0), y = get_local_id(1);\n"
               "    plane[4 * x + y] = in[4 * x + y];\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    out[4 * y + x] = plane[4 * y + x]; /* BUG */\n"
               "}\n"},
    {.name = "cells_shared",
     .global = {2, 2, 2},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "struct cell { char kind; int value; };\n"
               "void fill(local struct cell *at, int value)\n"
               "{\n"
               "    at->value = value; /* BUG */\n"
               "}\n"
               "kernel void cells_shared(global int *out)\n"
               "{\n"
               "    local struct cell cells[8];\n"
               "    int l = (get_local_id(2) * 2 + get_local_id(1)) * 2 + get_local_id(0);\n"
               "    fill(&cells[@l / 2|l@], l);\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "vectors_in_room",
     .global = {4},
     .local = {4},
     .arguments = {PROBED_ROOM(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 4, 0, 1)},
     .source = "kernel void vectors_in_room(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    vstore4((int4)(l), 0, room + @2|4@ * l); /* BUG */\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "neighbours_scan",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 1, 1)},
     .header = "#define FENCE() @|barrier(CLK_LOCAL_MEM_FENCE)@\n",
     .source = "#include \"part.h\"\n"
               "kernel void neighbours_scan(global int *out)\n"
               "{\n"
               "    local int sums[8];\n"
               "    int l = get_local_id(0);\n"
               "    sums[l] = 1;\n"
               "    for (int by = 1; by < 8; by *= 2) {\n"
               "        barrier(CLK_LOCAL_MEM_FENCE);\n"
               "        int more = l >= by ? sums[l - by] : 0;\n"
               "        FENCE();\n"
               "        sums[l] += more; /* BUG */\n"
               "    }\n"
               "    out[l] = sums[l];\n"
               "}\n"},
    {.name = "mixed_counter",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 8, 0)},
     .source = "kernel void mixed_counter(global int *out)\n"
               "{\n"
               "    local int count;\n"
               "    int l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        count = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    atomic_inc(&count);\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    out[l] = count; /* BUG */\n"
               "}\n"},
    {.name = "copy_read_early",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void copy_read_early(global const int *in, global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int l = get_local_id(0);\n"
               "    event_t copy = async_work_group_copy(room, in, 8, 0);\n"
               "    @|wait_group_events(1, &copy);@\n"
               "    out[l] = room[l]; /* BUG */\n"
               "    @wait_group_events(1, &copy);|@\n"
               "}\n"},
    {.name = "tile_copied_over",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_OUT(PROBED_INT, 8, 22, -2)},
     .source = "kernel void tile_copied_over(global const int *in, global int *out)\n"
               "{\n"
               "    local int tile[8];\n"
               "    int l = get_local_id(0), sum = 0;\n"
               "    for (int t = 0; t < 2; t++) {\n"
               "        event_t copy = async_work_group_copy(tile, in + 8 * t, 8, 0); /* BUG */\n"
               "        wait_group_events(1, &copy);\n"
               "        sum += tile[7 - l];\n"
               "        @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    }\n"
               "    out[l] = sum;\n"
               "}\n"},
    {.name = "copy_source_changed",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_SHORT, 8), PROBED_OUT(PROBED_SHORT, 8, 0, 1)},
     .source = "kernel void copy_source_changed(local short *room, global short *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    room[l] = (short)l;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    event_t copy = async_work_group_copy(out, room, 8, 0);\n"
               "    @|wait_group_events(1, &copy);@\n"
               "    room[l] = 7; /* BUG */\n"
               "    @wait_group_events(1, &copy);|@\n"
               "}\n"},
    {.name = "copy_written_late",
     .global = {4, 2},
     .local = {4, 2},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 3, 1)},
     .source = "kernel void copy_written_late(global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int l = 4 * get_local_id(1) + get_local_id(0);\n"
               "    room[l] = l + 3;\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    event_t copy = async_work_group_copy(out, room, 8, 0); /* BUG */\n"
               "    wait_group_events(1, &copy);\n"
               "}\n"},
};

#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE);"

static const struct probed_case divergence[] = {
    {.name = "two_branches",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void two_branches(global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    if (@l|get_group_id(0)@ % 2 == 0)\n"
               "        " BARRIER " /* BUG */\n"
               "    else\n"
               "        " BARRIER "\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "loops_of_other_lengths",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void loops_of_other_lengths(global int *out)\n"
               "{\n"
               "    int l = get_local_id(0), first = @l % 2|1@ + 1;\n"
               "    for (int k = 0; k < first; k++)\n"
               "        " BARRIER " /* BUG */\n"
               "    for (int k = first; k < 3; k++)\n"
               "        " BARRIER "\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "switched_barriers",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 0, 2)},
     .source = "kernel void switched_barriers(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    switch (@get_local_id(0)|get_group_id(0)@ % 3) {\n"
               "    case 0:\n"
               "        " BARRIER " /* BUG */\n"
               "        break;\n"
               "    case 1:\n"
               "        " BARRIER "\n"
               "        break;\n"
               "    default:\n"
               "        " BARRIER "\n"
               "    }\n"
               "    out[i] = 2 * i;\n"
               "}\n"},
    {.name = "helper_in_two_places",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "int met(int value)\n"
               "{\n"
               "    " BARRIER " /* BUG */\n"
               "    return value;\n"
               "}\n"
               "kernel void helper_in_two_places(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    if (@l|get_group_id(0)@ % 2 == 0)\n"
               "        room[l] = met(l);\n"
               "    else\n"
               "        room[l] = met(-l);\n"
               "    out[l] = room[l];\n"
               "}\n"},
    {.name = "continued_loop",
     .global = {4, 2},
     .local = {4, 2},
     .arguments = {PROBED_OUT(PROBED_SHORT, 8, 0, 1)},
     .source = "kernel void continued_loop(global short *out)\n"
               "{\n"
               "    int x = get_local_id(0), y = get_local_id(1);\n"
               "    for (int k = 0; k < 2; k++) {\n"
               "        if (k == @y|1@) {\n"
               "            " BARRIER " /* BUG */\n"
               "            continue;\n"
               "        }\n"
               "        " BARRIER "\n"
               "    }\n"
               "    out[4 * y + x] = (short)(4 * y + x);\n"
               "}\n"},
    {.name = "barrier_by_data",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "#define FENCE() barrier(CLK_GLOBAL_MEM_FENCE)\n"
               "kernel void barrier_by_data(global const int *in, global int *out)\n"
               "{\n"
               "    size_t l = get_local_id(0);\n"
               "    if (in[@l|3@] > 5)\n"
               "        FENCE(); /* BUG */\n"
               "    else\n"
               "        FENCE();\n"
               "    out[l] = in[l];\n"
               "}\n"},
    {.name = "volume_edge",
     .global = {2, 2, 2},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_CHAR, 8, 0, 1)},
     .source = "kernel void volume_edge(global char *out)\n"
               "{\n"
               "    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);\n"
               "    char edge = @z == 0|get_local_size(2) == 1@;\n"
               "    if (edge)\n"
               "        " BARRIER " /* BUG */\n"
               "    if (!edge)\n"
               "        " BARRIER "\n"
               "    out[4 * z + 2 * y + x] = (char)(4 * z + 2 * y + x);\n"
               "}\n"},
    {.name = "half_reduces",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 3)},
     .source = "kernel void half_reduces(local int *sums, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    sums[l] = l;\n"
               "    if (@l < 4|true@) {\n"
               "        sums[l] += l;\n"
               "        " BARRIER " /* BUG */\n"
               "    } else {\n"
               "        " BARRIER "\n"
               "    }\n"
               "    out[l] = sums[l] + l;\n"
               "}\n"},
    {.name = "linked_barriers",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_OUT(PROBED_FLOAT, 8, 0, 1)},
     .source = "float met(float value);\n"
               "kernel void linked_barriers(global float *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    float value = i;\n"
               "    if (@i|get_group_id(0)@ % 2 == 1)\n"
               "        value = met(value);\n"
               "    else\n"
               "        " BARRIER "\n"
               "    out[i] = value;\n"
               "}\n",
     .second = "float met(float value);\n"
               "float met(float value)\n"
               "{\n"
               "    " BARRIER " /* BUG */\n"
               "    return value;\n"
               "}\n"},
    {.name = "copies_of_other_sizes",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void copies_of_other_sizes(global const int *in, global int *out)\n"
               "{\n"
               "    local int room[8];\n"
               "    int l = get_local_id(0);\n"
               "    event_t copy = async_work_group_copy(room, in, @7 + l % 2|8@, 0); /* BUG */\n"
               "    wait_group_events(1, &copy);\n"
               "    out[l] = in[l];\n"
               "}\n"},
};

#define COUNT(cases) (sizeof(cases) / sizeof(cases)[0])
const struct probed_kind probed_race_global = {"race-global", "race-global", race_global,
                                               COUNT(race_global)};
const struct probed_kind probed_race_local = {"race-local", "race-local", race_local,
                                              COUNT(race_local)};
const struct probed_kind probed_divergence = {"divergence", "divergence-barrier", divergence,
                                              COUNT(divergence)};
