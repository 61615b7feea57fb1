/* Cases of work-items that race although their kernels have the atomics and fences of OpenCL C 1.x,
 * which every device has. A fence is one of its work-group alone. None waits for another item, as
 * in orders.c. */
#include "tests/probes/probed.h"

static const struct probed_case race_fenced[] = {
    {.name = "fence_of_writer",
     .rule = "race-local",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 1, 24, 0)},
     .source = "kernel void fence_of_writer(local int *room, global int *out)\n"
               "{\n"
               "    local int count;\n"
               "    int l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        count = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    room[l] = 3;\n"
               "    @|mem_fence(CLK_LOCAL_MEM_FENCE);@\n"
               "    if (atomic_inc(&count) == 7) {\n"
               "        mem_fence(CLK_LOCAL_MEM_FENCE);\n"
               "        int sum = 0;\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            sum += room[k]; /* BUG */\n"
               "        *out = sum;\n"
               "    }\n"
               "}\n"},
    {.name = "fence_of_reads",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 1, 24, 0)},
     .source = "kernel void fence_of_reads(global int *room, volatile global int *count,\n"
               "                               global int *out)\n"
               "{\n"
               "    room[get_local_id(0)] = 3;\n"
               "    @read|write@_mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "    if (atomic_inc(count) == 7) {\n"
               "        int sum = 0;\n"
               "        read_mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            sum += room[k]; /* BUG */\n"
               "        *out = sum;\n"
               "    }\n"
               "}\n"},
    {.name = "fence_of_other",
     .rule = "race-local",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 1, 28, 0)},
     .source = "kernel void fence_of_other(local int *room, global int *out)\n"
               "{\n"
               "    local int count;\n"
               "    int l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        count = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    room[l] = l;\n"
               "    mem_fence(@CLK_GLOBAL_MEM_FENCE|CLK_LOCAL_MEM_FENCE@);\n"
               "    if (atomic_add(&count, 1) == 7) {\n"
               "        mem_fence(CLK_LOCAL_MEM_FENCE);\n"
               "        int sum = 0;\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            sum += room[k]; /* BUG */\n"
               "        *out = sum;\n"
               "    }\n"
               "}\n"},
    {.name = "fence_after",
     .rule = "race-local",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_SHORT, 8), PROBED_OUT(PROBED_INT, 1, 32, 0)},
     .source = "void arrive(local short *room, int l)\n"
               "{\n"
               "    @|room[l] = 4;@\n"
               "    write_mem_fence(CLK_LOCAL_MEM_FENCE);\n"
               "    @room[l] = 4;|@\n"
               "}\n"
               "kernel void fence_after(local short *room, global int *out)\n"
               "{\n"
               "    local int count;\n"
               "    int l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        count = 8;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    arrive(room, l);\n"
               "    if (atomic_dec(&count) == 1) {\n"
               "        read_mem_fence(CLK_LOCAL_MEM_FENCE);\n"
               "        int sum = 0;\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            sum += room[k]; /* BUG */\n"
               "        *out = sum;\n"
               "    }\n"
               "}\n"},
    {.name = "fence_of_reader",
     .global = {16},
     .local = {16},
     .arguments = {PROBED_IN(PROBED_CHAR, 16), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 1, 32, 0)},
     .source =
         "kernel void fence_of_reader(global char *parts, global int *count, global int *out)\n"
         "{\n"
         "    parts[get_local_id(0)] = 2;\n"
         "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
         "    if (atomic_inc(count) == 15) {\n"
         "        int sum = 0;\n"
         "        @|mem_fence(CLK_GLOBAL_MEM_FENCE);@\n"
         "        for (int k = 0; k < 16; k++)\n"
         "            sum += parts[k]; /* BUG */\n"
         "        *out = sum;\n"
         "    }\n"
         "}\n"},
    {.name = "fence_of_half",
     .global = {32},
     .local = {32},
     .arguments = {PROBED_IN(PROBED_INT, 32), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 1, 32, 0)},
     .source = "kernel void fence_of_half(global int *parts, global int *count, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    parts[l] = 1;\n"
               "    @if (l % 2 == 0)|@\n"
               "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "    if (atomic_inc(count) == 31) {\n"
               "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "        for (int k = 0; k < 32; k++)\n"
               "            *out += parts[k]; /* BUG */\n"
               "    }\n"
               "}\n"},
    {.name = "fence_across_groups",
     .global = {8},
     .local = {2},
     .arguments = {PROBED_IN(PROBED_INT, 4), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 1, 1, 0)},
     .source =
         "kernel void fence_across_groups(global int *sums, global int *done, global int *out)\n"
         "{\n"
         "    int group = get_group_id(0), total = 0;\n"
         "    if (get_local_id(0) != 0)\n"
         "        return;\n"
         "    @sums[group] = group + 1|atomic_xchg(sums + group, group + 1)@;\n"
         "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
         "    if (atomic_inc(done) == 3) {\n"
         "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
         "        for (int g = 0; g < 4; g++)\n"
         "            total += @sums[g]|atomic_add(sums + g, 0)@ > 0; /* BUG */\n"
         "        *out = total > 0;\n"
         "    }\n"
         "}\n"},
    {.name = "counter_read",
     .global = {64},
     .local = {16},
     .arguments = {PROBED_IN(PROBED_INT, 1), PROBED_OUT(PROBED_INT, 64, 1, 0)},
     .source = "kernel void counter_read(global int *count, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    atomic_inc(count);\n"
               "    out[i] = @*count|atomic_or(count, 0)@ > 0; /* BUG */\n"
               "}\n"},
    {.name = "winner_read",
     .rule = "race-local",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 16, 6, 0)},
     .source = "kernel void winner_read(global int *out)\n"
               "{\n"
               "    local int taken, winner;\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    if (l == 0) {\n"
               "        taken = 0;\n"
               "        winner = 0;\n"
               "    }\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    if (atomic_cmpxchg(&taken, 0, 1) == 0)\n"
               "        winner = 6;\n"
               "    @mem_fence|barrier@(CLK_LOCAL_MEM_FENCE);\n"
               "    out[i] = winner; /* BUG */\n"
               "}\n"},
    {.name = "ticket_taken",
     .rule = "race-local",
     .global = {16},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 16, 9, 0)},
     .source = "kernel void ticket_taken(local int *slots, global int *out)\n"
               "{\n"
               "    local int next;\n"
               "    int i = get_global_id(0);\n"
               "    if (get_local_id(0) == 0)\n"
               "        next = 0;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    int mine = atomic_inc(&next);\n"
               "    slots[mine] = 9;\n"
               "    @|barrier(CLK_LOCAL_MEM_FENCE);@\n"
               "    out[i] = slots[7 - mine]; /* BUG */\n"
               "}\n"},
    {.name = "second_counter",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_FLOAT, 8), PROBED_IN(PROBED_FLOAT, 8), PROBED_IN(PROBED_INT, 3),
                   PROBED_OUT(PROBED_FLOAT, 2, 2, 2)},
     .source = "kernel void second_counter(global float *first, global float *second, global int "
               "*counts,\n"
               "                           global float *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    first[l] = 1;\n"
               "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "    if (atomic_inc(counts) == 7) {\n"
               "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "        out[0] = first[0] + first[7];\n"
               "    }\n"
               "    second[l] = 2;\n"
               "    @|mem_fence(CLK_GLOBAL_MEM_FENCE);@\n"
               "    if (atomic_inc(counts + 2) == 9) {\n"
               "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "        out[1] = second[0] + second[7]; /* BUG */\n"
               "    }\n"
               "}\n"},
    {.name = "cleared_early",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 0), PROBED_IN(PROBED_INT, 9)},
     .source = "kernel void cleared_early(global int *parts, global int *left)\n"
               "{\n"
               "    parts[get_local_id(0)] = 5;\n"
               "    @|mem_fence(CLK_GLOBAL_MEM_FENCE);@\n"
               "    if (atomic_sub(left + 8, 1) == 1) {\n"
               "        mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            parts[k] = 0; /* BUG */\n"
               "    }\n"
               "}\n"},
    {.name = "barrier_of_other",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 8, 14, -2)},
     .source =
         "kernel void barrier_of_other(global int *room, global int *items, global int *out)\n"
         "{\n"
         "    int l = get_local_id(0);\n"
         "    atomic_inc(items);\n"
         "    room[l] = 2 * l;\n"
         "    barrier(@CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE@);\n"
         "    out[l] = room[7 - l]; /* BUG */\n"
         "}\n"},
    {.name = "lowest_read",
     .global = {16},
     .local = {16},
     .arguments = {PROBED_IN(PROBED_INT, 16), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 16, -3, 1)},
     .source = "kernel void lowest_read(global int *values, global int *lowest, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    atomic_min(lowest, values[l] - 3);\n"
               "    @mem_fence|barrier@(CLK_GLOBAL_MEM_FENCE);\n"
               "    out[l] = *lowest + l; /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_race_fenced = {"race-fenced", "race-global", race_fenced,
                                               sizeof race_fenced / sizeof race_fenced[0]};
