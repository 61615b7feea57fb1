/* Cases of work-items that race although their kernels order work-items by more than barriers: by
 * atomics with an order, fences, locks. None waits for another item of its work-group, as some
 * devices run these one after the other: the last to arrive reads what the others have written. */
#include "tests/probes/probed.h"

#define ORDERED .needs = PROBED_ORDERS, .options = "-cl-std=CL3.0"
#define FOUR_GROUPS                                                                                \
    .global = {8}, .local = {2},                                                                   \
    .arguments = {PROBED_IN(PROBED_INT, 4), PROBED_IN(PROBED_INT, 2),                              \
                  PROBED_OUT(PROBED_INT, 1, 10, 0)}

static const struct probed_case race_ordered[] = {
    {.name = "last_group_relaxed",
     ORDERED,
     FOUR_GROUPS,
     .source =
         "kernel void last_group_relaxed(global int *sums, global atomic_int *done,\n"
         "                               global int *out)\n"
         "{\n"
         "    if (get_local_id(0) == 0) {\n"
         "        sums[get_group_id(0)] = get_group_id(0) + 1;\n"
         "        if (atomic_fetch_add_explicit(done, 1,\n"
         "                                      @memory_order_relaxed|memory_order_acq_rel@,\n"
         "                                      memory_scope_device) == 3) {\n"
         "            int total = 0;\n"
         "            for (int g = 0; g < 4; g++)\n"
         "                total += sums[g]; /* BUG */\n"
         "            *out = total;\n"
         "        }\n"
         "    }\n"
         "}\n"},
    {.name = "fence_missing",
     ORDERED,
     FOUR_GROUPS,
     .source =
         "#define FENCE(order) \\\n"
         "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, order, memory_scope_device)\n"
         "int arrive(global atomic_int *done)\n"
         "{\n"
         "    @|FENCE(memory_order_release);@\n"
         "    int before = atomic_fetch_add_explicit(done, 1, memory_order_relaxed,\n"
         "                                           memory_scope_device);\n"
         "    FENCE(memory_order_acquire);\n"
         "    return before;\n"
         "}\n"
         "kernel void fence_missing(global int *sums, global atomic_int *done, global int *out)\n"
         "{\n"
         "    int group = get_group_id(0);\n"
         "    if (get_local_id(0) != 0)\n"
         "        return;\n"
         "    sums[group] = group + 1;\n"
         "    if (arrive(done) == 3)\n"
         "        for (int g = 0; g < 4; g++)\n"
         "            *out += sums[g]; /* BUG */\n"
         "}\n"},
    {.name = "fence_of_local",
     ORDERED,
     FOUR_GROUPS,
     .source =
         "kernel void fence_of_local(global int *sums, global atomic_int *done, global int *out)\n"
         "{\n"
         "    int group = get_group_id(0), total = 0;\n"
         "    if (get_local_id(0) == 0) {\n"
         "        sums[group] = group + 1;\n"
         "        atomic_work_item_fence(@CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE@,\n"
         "                               memory_order_acq_rel, memory_scope_device);\n"
         "        int before = atomic_fetch_add_explicit(done, 1, memory_order_relaxed,\n"
         "                                               memory_scope_device);\n"
         "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel,\n"
         "                               memory_scope_device);\n"
         "        for (int g = 0; before == 3 && g < 4; g++)\n"
         "            total += sums[g]; /* BUG */\n"
         "        if (before == 3)\n"
         "            *out = total;\n"
         "    }\n"
         "}\n"},
    {.name = "fence_of_group",
     ORDERED,
     FOUR_GROUPS,
     .source =
         "kernel void fence_of_group(global int *sums, global atomic_int *done, global int *out)\n"
         "{\n"
         "    int group = get_group_id(0);\n"
         "    if (get_local_id(0) == 0) {\n"
         "        sums[group] = group + 1;\n"
         "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,\n"
         "                               @memory_scope_work_group|memory_scope_device@);\n"
         "        int before = atomic_fetch_add_explicit(done, 1, memory_order_relaxed,\n"
         "                                               memory_scope_device);\n"
         "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,\n"
         "                               memory_scope_device);\n"
         "        if (before == 3)\n"
         "            for (int g = 0; g < 4; g++)\n"
         "                *out += sums[g]; /* BUG */\n"
         "    }\n"
         "}\n"},
    {.name = "flag_passed",
     ORDERED,
     .global = {256},
     .local = {1},
     .arguments = {PROBED_IN(PROBED_INT, 1), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 256, 7, 0)},
     .source =
         "kernel void flag_passed(global int *data, global atomic_int *flag, global int "
         "*out)\n"
         "{\n"
         "    int i = get_global_id(0), seen = 7;\n"
         "    if (i == 0) {\n"
         "        *data = 7;\n"
         "        atomic_store_explicit(flag, 1, @memory_order_relaxed|memory_order_release@,\n"
         "                              memory_scope_device);\n"
         "    } else if (atomic_load_explicit(flag, memory_order_acquire,\n"
         "                                    memory_scope_device)) {\n"
         "        seen = *data; /* BUG */\n"
         "    }\n"
         "    out[i] = seen;\n"
         "}\n"},
    {.name = "lock_relaxed",
     ORDERED,
     .global = {16},
     .local = {4},
     .arguments = {PROBED_IN(PROBED_INT, 1), PROBED_OUT(PROBED_INT, 1, 6, 0)},
     .source =
         "kernel void lock_relaxed(global atomic_int *lock, global int *total)\n"
         "{\n"
         "    if (get_local_id(0) == 0) {\n"
         "        while (atomic_exchange_explicit(lock, 1, memory_order_acquire,\n"
         "                                        memory_scope_device))\n"
         "            ;\n"
         "        *total += get_group_id(0); /* BUG */\n"
         "        atomic_store_explicit(lock, 0, @memory_order_relaxed|memory_order_release@,\n"
         "                              memory_scope_device);\n"
         "    }\n"
         "}\n"},
    {.name = "last_reference",
     ORDERED,
     .global = {4},
     .local = {1},
     .arguments = {PROBED_OUT(PROBED_INT, 4, 0, 0), PROBED_IN(PROBED_INT, 5)},
     .source = "kernel void last_reference(global int *parts, global atomic_int *counts)\n"
               "{\n"
               "    parts[get_global_id(0)] = 5;\n"
               "    if (atomic_fetch_sub_explicit(counts + 4, 1,\n"
               "                                  @memory_order_relaxed|memory_order_release@,\n"
               "                                  memory_scope_device) == 1) {\n"
               "        atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire,\n"
               "                               memory_scope_device);\n"
               "        for (int i = 0; i < 4; i++)\n"
               "            parts[i] = 0; /* BUG */\n"
               "    }\n"
               "}\n"},
    {.name = "plain_flag",
     ORDERED,
     .global = {64},
     .local = {1},
     .arguments = {PROBED_IN(PROBED_INT, 1), PROBED_OUT(PROBED_INT, 64, 1, 0)},
     .source = "kernel void plain_flag(global atomic_int *flag, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0), seen = 0;\n"
               "    if (i == 0)\n"
               "        atomic_store(flag, 1);\n"
               "    else\n"
               "        seen = @*(volatile global int *)flag|atomic_load(flag)@; /* BUG */\n"
               "    out[i] = seen < 2;\n"
               "}\n"},
    {.name = "written_late",
     ORDERED,
     FOUR_GROUPS,
     .source =
         "kernel void written_late(global int *sums, global atomic_int *done, global int *out)\n"
         "{\n"
         "    int group = get_group_id(0);\n"
         "    if (get_local_id(0) == 0) {\n"
         "        @|sums[group] = group + 1;@\n"
         "        int before = atomic_fetch_add(done, 1);\n"
         "        @sums[group] = group + 1;|@\n"
         "        if (before == 3)\n"
         "            for (int g = 0; g < 4; g++)\n"
         "                *out += sums[g]; /* BUG */\n"
         "    }\n"
         "}\n"},
    {.name = "second_array",
     ORDERED,
     .global = {4},
     .local = {1},
     .arguments = {PROBED_IN(PROBED_INT, 4), PROBED_IN(PROBED_SHORT, 4), PROBED_IN(PROBED_INT, 1),
                   PROBED_IN(PROBED_INT, 1), PROBED_OUT(PROBED_INT, 2, 4, 5)},
     .source = "kernel void second_array(global int *first, global short *second,\n"
               "                         global atomic_int *have_first,\n"
               "                         global atomic_int *have_second, global int *out)\n"
               "{\n"
               "    int i = get_global_id(0);\n"
               "    first[i] = 1;\n"
               "    if (atomic_fetch_add(have_first, 1) == 3)\n"
               "        out[0] = first[0] + first[1] + first[2] + first[3];\n"
               "    second[i] = 2;\n"
               "    if (atomic_fetch_add_explicit(have_second, 1,\n"
               "                                  @memory_order_relaxed|memory_order_acq_rel@,\n"
               "                                  memory_scope_device) == 3)\n"
               "        for (int g = 0; g < 4; g++)\n"
               "            out[1] += second[g]; /* BUG */\n"
               "}\n"},
    {.name = "barrier_of_local",
     ORDERED,
     .global = {8},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 8), PROBED_IN(PROBED_INT, 1),
                   PROBED_OUT(PROBED_INT, 8, 14, -2)},
     .source =
         "kernel void barrier_of_local(global int *room, global atomic_int *items,\n"
         "                             global int *out)\n"
         "{\n"
         "    int l = get_local_id(0);\n"
         "    atomic_fetch_add_explicit(items, 1, memory_order_acq_rel, memory_scope_device);\n"
         "    room[l] = 2 * l;\n"
         "    work_group_barrier(@CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE@);\n"
         "    out[l] = room[7 - l]; /* BUG */\n"
         "}\n"},
    {.name = "room_not_met",
     .rule = "race-local",
     ORDERED,
     .global = {16},
     .local = {8},
     .arguments = {PROBED_IN(PROBED_INT, 1), PROBED_OUT(PROBED_INT, 16, 0, 1)},
     .source =
         "kernel void room_not_met(global atomic_int *items, global int *out)\n"
         "{\n"
         "    local int room[8];\n"
         "    int i = get_global_id(0), l = get_local_id(0);\n"
         "    room[l] = i - l;\n"
         "    atomic_fetch_add_explicit(items, 1, memory_order_acq_rel, memory_scope_device);\n"
         "    @|work_group_barrier(CLK_LOCAL_MEM_FENCE);@\n"
         "    out[i] = room[7 - l] + l; /* BUG */\n"
         "}\n"},
    {.name = "last_item_relaxed",
     .rule = "race-local",
     ORDERED,
     .global = {16},
     .local = {8},
     .arguments = {PROBED_ROOM(PROBED_FLOAT, 8), PROBED_OUT(PROBED_FLOAT, 2, 16, 0)},
     .source = "kernel void last_item_relaxed(local float *room, global float *out)\n"
               "{\n"
               "    local atomic_int count;\n"
               "    size_t l = get_local_id(0);\n"
               "    if (l == 0)\n"
               "        atomic_init(&count, 0);\n"
               "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    room[l] = 2;\n"
               "    if (atomic_fetch_add_explicit(&count, 1,\n"
               "                                  @memory_order_relaxed|memory_order_acq_rel@,\n"
               "                                  memory_scope_work_group) == 7) {\n"
               "        float sum = 0;\n"
               "        for (int k = 0; k < 8; k++)\n"
               "            sum += room[k]; /* BUG */\n"
               "        out[get_group_id(0)] = sum;\n"
               "    }\n"
               "}\n"},
};

const struct probed_kind probed_race_ordered = {"race-ordered", "race-global", race_ordered,
                                                sizeof race_ordered / sizeof race_ordered[0]};
