/* Cases of pointers that a kernel loads from shared virtual memory, or that lead into the middle of
 * it. */
#include "tests/probes/probed.h"

#define NODES(number, where)                                                                       \
    {                                                                                              \
        .object = PROBED_NODES, .element = PROBED_LONG, .count = (number), .leads = where          \
    }
#define NODE "typedef struct node { global struct node *next; long value; } node;\n"

static const struct probed_case pointers[] = {
    {.name = "list_beyond",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .global = {8},
     .arguments = {NODES(8, PROBED_BEYOND), PROBED_OUT(PROBED_INT, 8, 28, 0)},
     .source = NODE "kernel void list_beyond(global const node *list, global int *out)\n"
                    "{\n"
                    "    int sum = 0;\n"
                    "    for (int k = 0; k <= 8; k++) {\n"
                    "        sum += list->value; /* BUG */\n"
                    "        if (k < 8)\n"
                    "            list = list->next;\n"
                    "    }\n"
                    "    out[get_global_id(0)] = sum;\n"
                    "}\n"},
    {.name = "list_freed",
     .rule = "access-freed",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .global = {4, 2},
     .arguments = {NODES(4, PROBED_TO_FREED), PROBED_OUT(PROBED_INT, 8, 6, 0)},
     .source = NODE "kernel void list_freed(global const node *list, global int *out)\n"
                    "{\n"
                    "    int sum = 0, k = 0;\n"
                    "    do {\n"
                    "        sum += (int)list->value; /* BUG */\n"
                    "        if (k < 4)\n"
                    "            list = list->next;\n"
                    "    } while (++k < 5);\n"
                    "    out[4 * get_global_id(1) + get_global_id(0)] = sum;\n"
                    "}\n"},
    {.name = "list_ended",
     .rule = "access-null",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .global = {4},
     .arguments = {NODES(4, PROBED_TO_NULL), PROBED_OUT(PROBED_LONG, 4, 0, 0)},
     .source = NODE "long fourth(global const node *of)\n"
                    "{\n"
                    "    global const node *last = of->next->next->next->next;\n"
                    "    return last->value; /* BUG */\n"
                    "}\n"
                    "kernel void list_ended(global const node *list, global long *out)\n"
                    "{\n"
                    "    out[get_global_id(0)] = fourth(list);\n"
                    "}\n"},
    {.name = "list_nowhere",
     .rule = "access-wild",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .global = {6},
     .local = {2},
     .arguments = {NODES(6, PROBED_NOWHERE)},
     .source = NODE "kernel void list_nowhere(global node *list)\n"
                    "{\n"
                    "    global node *at = list;\n"
                    "    for (int k = 0; k < 6; k++)\n"
                    "        at = at->next;\n"
                    "    if (get_global_id(0) == 1)\n"
                    "        at->value = 0; /* BUG */\n"
                    "}\n"},
    {.name = "behind_a_node",
     .needs = PROBED_SHARED_MEMORY,
     .uses_host = true,
     .faults = true,
     .global = {4},
     .arguments = {NODES(8, PROBED_TO_FIRST), PROBED_OUT(PROBED_LONG, 4, 3, 2)},
     .source = NODE "kernel void behind_a_node(global node *list, global long *out)\n"
                    "{\n"
                    "    int i = get_global_id(0);\n"
                    "    global const node *other = list->next;\n"
                    "    long value = other[i@ + 1|@].value; /* BUG */\n"
                    "    out[i] = @2 * i + 1|value@ + 2;\n"
                    "}\n"},
    {.name = "vector_of_nodes",
     .needs = PROBED_SHARED_MEMORY,
     .uses_host = true,
     .faults = true,
     .global = {4},
     .arguments = {NODES(8, PROBED_TO_FIRST), PROBED_OUT(PROBED_LONG, 4, 1, 2)},
     .source = NODE "kernel void vector_of_nodes(global node *list, global long *out)\n"
                    "{\n"
                    "    int i = get_global_id(0);\n"
                    "    global const long *other = (global const long *)list->next;\n"
                    "    long2 two = vload2(i@ + 1|@, other); /* BUG */\n"
                    "    out[i] = two.y;\n"
                    "}\n"},
    {.name = "node_of_the_host",
     .needs = PROBED_HOST_MEMORY,
     .launches = 2,
     .waits = true,
     .global = {4},
     .arguments = {{.object = PROBED_HOST_NODE, .element = PROBED_LONG, .count = 2},
                   PROBED_OUT(PROBED_LONG, 4, 77, 0)},
     .source = NODE "kernel void node_of_the_host(global const node *list, global long *out)\n"
                    "{\n"
                    "    int i = get_global_id(0);\n"
                    "    out[i@ + 1|@] = list->next->value; /* BUG */\n"
                    "}\n"},
    {.name = "middle_overrun",
     .needs = PROBED_SHARED_MEMORY,
     .global = {16},
     .arguments = {{.object = PROBED_SVM_MIDDLE,
                    .element = PROBED_INT,
                    .count = 16,
                    .result = true,
                    .start = 5,
                    .step = 1}},
     .source = "kernel void middle_overrun(global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    int before = out[-1 - i];\n"
               "    out[i@ + 1|@] = 5 + i + (before & 0); /* BUG */\n"
               "}\n"},
    {.name = "middle_summed",
     .needs = PROBED_SHARED_MEMORY,
     .global = {2, 2, 2},
     .arguments = {{.object = PROBED_SVM_MIDDLE, .element = PROBED_FLOAT, .count = 8},
                   PROBED_OUT(PROBED_FLOAT, 8, 0, 0)},
     .source = "float step(global const float *at)\n"
               "{\n"
               "    return at[1] - at[0]; /* BUG */\n"
               "}\n"
               "kernel void middle_summed(global const float *in, global float *out)\n"
               "{\n"
               "    int i = get_global_id(0) + 2 * get_global_id(1) + 4 * get_global_id(2);\n"
               "    out[i] = step(in + i@|  - 1@)@ * 0| - 1@;\n"
               "}\n"},
    {.name = "middle_raced",
     .rule = "race-global",
     .needs = PROBED_SHARED_MEMORY,
     .global = {8},
     .local = {4},
     .arguments = {{.object = PROBED_SVM_MIDDLE,
                    .element = PROBED_SHORT,
                    .count = 8,
                    .result = true,
                    .start = 0,
                    .step = 1}},
     .source = "kernel void middle_raced(global short *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    out[i@ / 2|@] = (short)i; /* BUG */\n"
               "}\n"},
    {.name = "twice_launched",
     .rule = "access-freed",
     .needs = PROBED_SHARED_MEMORY,
     .faults = true,
     .launches = 2,
     .global = {4},
     .arguments = {NODES(2, PROBED_TO_FREED)},
     .header = NODE "#define LAST(list) ((list)->next->next)\n",
     .source = "#include \"part.h\"\n"
               "kernel void twice_launched(global node *list)\n"
               "{\n"
               "    global node *last = LAST(list);\n"
               "    if (get_global_id(0) == 3)\n"
               "        last->value = 7; /* BUG */\n"
               "}\n"},
};

const struct probed_kind probed_pointers = {"pointers", "bounds-global", pointers,
                                            sizeof pointers / sizeof pointers[0]};
