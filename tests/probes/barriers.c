/* Barriers that some work-items of a group never reach, since they have left before. */
#include "tests/probes/probed.h"

#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE);"

static const struct probed_case left_early[] = {
    {.name = "returned_before",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void returned_before(global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    out[l] = l;\n"
               "    if (@l >= 4|get_group_id(0) > 0@)\n"
               "        return;\n"
               "    " BARRIER " /* BUG */\n"
               "    out[l] = l;\n"
               "}\n"},
    {.name = "guarded_by_size",
     .global = {12},
     .local = {4},
     .arguments = {{.object = PROBED_VALUE, .count = 10, .clean_count = 12},
                   PROBED_IN(PROBED_FLOAT, 12),
                   PROBED_OUT(PROBED_FLOAT, 12, 0, 1)},
     .source = "kernel void guarded_by_size(int n, global const float *in, global float *out)\n"
               "{\n"
               "    local float tile[4];\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    if (i >= n)\n"
               "        return;\n"
               "    tile[l] = in[i];\n"
               "    " BARRIER " /* BUG */\n"
               "    out[i] = tile[l];\n"
               "}\n"},
    {.name = "searched",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 1, 1)},
     .source = "kernel void searched(global const int *in, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    for (int k = 0; k < 8; k++) {\n"
               "        if (in[@7 - l|5@] < k)\n"
               "            break;\n"
               "        " BARRIER " /* BUG */\n"
               "    }\n"
               "    out[l] = l + 1;\n"
               "}\n"},
    {.name = "counted_down",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void counted_down(global const int *in, global int *out)\n"
               "{\n"
               "    size_t l = get_local_id(0);\n"
               "    int left = in[@7 - l|3@];\n"
               "    while (left-- > 0) {\n"
               "        out[l] = left;\n"
               "        " BARRIER " /* BUG */\n"
               "    }\n"
               "    out[l] = in[l];\n"
               "}\n"},
    {.name = "left_in_helper",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 7, -1)},
     .source = "int opposite(local int *room, int l, int last)\n"
               "{\n"
               "    room[l] = l;\n"
               "    if (l > last)\n"
               "        return 7 - l;\n"
               "    " BARRIER " /* BUG */\n"
               "    return room[7 - l];\n"
               "}\n"
               "kernel void left_in_helper(local int *room, global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    out[l] = opposite(room, l, @5|7@);\n"
               "}\n"},
    {.name = "rounds_of_helper",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_SHORT, 8, 0, 3)},
     .header = "#define MEET() " BARRIER "\n",
     .source = "#include \"part.h\"\n"
               "void rounds(int count)\n"
               "{\n"
               "    for (int k = 0; k < count; k++)\n"
               "        MEET(); /* BUG */\n"
               "}\n"
               "kernel void rounds_of_helper(global short *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    rounds(@l / 4 + 1|4@);\n"
               "    out[l] = (short)(3 * l);\n"
               "}\n"},
    {.name = "corner_left",
     .global = {4, 2},
     .local = {4, 2},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 1)},
     .source = "kernel void corner_left(global int *out)\n"
               "{\n"
               "    int x = get_local_id(0), y = get_local_id(1);\n"
               "    out[4 * y + x] = 4 * y + x;\n"
               "    if (x == 3 && y == @1|2@) {\n"
               "        out[4 * y + x] = 7;\n"
               "        return;\n"
               "    }\n"
               "    barrier(CLK_GLOBAL_MEM_FENCE); /* BUG */\n"
               "    out[4 * y + x] = 4 * y + x;\n"
               "}\n"},
    {.name = "the_others_return",
     .global = {2, 2, 2},
     .local = {2, 2, 2},
     .arguments = {PROBED_OUT(PROBED_CHAR, 8, 0, 1)},
     .source = "kernel void the_others_return(global char *out)\n"
               "{\n"
               "    int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);\n"
               "    int i = 4 * z + 2 * y + x;\n"
               "    out[i] = (char)i;\n"
               "    if (i < @5|9@) {\n"
               "        out[i] = 0;\n"
               "    } else {\n"
               "        return;\n"
               "    }\n"
               "    " BARRIER " /* BUG */\n"
               "    out[i] = (char)i;\n"
               "}\n"},
    {.name = "passed_over",
     .global = {8},
     .local = {8},
     .arguments = {PROBED_OUT(PROBED_INT, 8, 0, 2)},
     .source = "kernel void passed_over(global int *out)\n"
               "{\n"
               "    int l = get_local_id(0);\n"
               "    for (int k = 0; k < 3; k++) {\n"
               "        if (@l|k@ > 1)\n"
               "            continue;\n"
               "        " BARRIER " /* BUG */\n"
               "    }\n"
               "    out[l] = 2 * l;\n"
               "}\n"},
    {.name = "left_before_met",
     .global = {8},
     .local = {4},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_OUT(PROBED_INT, 8, 4, 1)},
     .source = "void met(void);\n"
               "kernel void left_before_met(global const int *in, global int *out)\n"
               "{\n"
               "    size_t i = get_global_id(0);\n"
               "    out[i] = in[i] + 4;\n"
               "    if (in[i] % 4 @== 1|> 3@)\n"
               "        return;\n"
               "    met();\n"
               "    out[i] = in[i] + 4;\n"
               "}\n",
     .second = "void met(void);\n"
               "void met(void)\n"
               "{\n"
               "    " BARRIER " /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_left_early = {"left-early", "divergence-barrier", left_early,
                                              sizeof left_early / sizeof left_early[0]};
