#include "tests/unit/litmus/random_litmus.h"

#include <stdbool.h>

static uint32_t draw(struct random_litmus *random, uint32_t below)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)((random->state >> 20) % below);
}

static const char *pick(struct random_litmus *random, const char *const *words, uint32_t count)
{
    return words[draw(random, count)];
}

static const char *const scopes[] = {"device", "device", "work_group", "all_svm_devices",
                                     "sub_group"};
static const char *const flags[] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                    "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"};
static const char *const locations[] = {"x", "y", "l"}; /* l is local memory */

static void print_statement(struct random_litmus *random, enum random_litmus_kind kind, int number,
                            struct text *text)
{
    static const char *const load_orders[] = {"relaxed", "acquire", "seq_cst"};
    static const char *const store_orders[] = {"relaxed", "release", "seq_cst"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    const bool strict = kind == RANDOM_LITMUS_SEQ_CST;
    const char *const location = pick(random, locations, 3);
    const char *const scope =
        strict ? "device" : pick(random, scopes, kind == RANDOM_LITMUS_KERNEL ? 4 : 5);
    /* A relaxed update of work-group scope may be an atomic function of OpenCL 1.x in a kernel. */
    const char *const order = strict                         ? "seq_cst"
                              : kind == RANDOM_LITMUS_KERNEL ? pick(random, orders + 1, 4)
                                                             : pick(random, orders, 5);
    switch (draw(random, 9)) {
    case 0:
        text_format(text, "  *%s = %d;\n", location, number);
        break;
    case 1:
        text_format(text, "  int r%d = *%s;\n", number, location);
        break;
    case 2:
    case 3:
        text_format(text,
                    "  int r%d = atomic_load_explicit(%s, memory_order_%s, memory_scope_%s);\n",
                    number, location, strict ? "seq_cst" : pick(random, load_orders, 3), scope);
        break;
    case 4:
    case 5:
        text_format(text, "  atomic_store_explicit(%s, %d, memory_order_%s, memory_scope_%s);\n",
                    location, number, strict ? "seq_cst" : pick(random, store_orders, 3), scope);
        break;
    case 6:
        text_format(text,
                    "  int r%d = atomic_fetch_add_explicit(%s, 1, memory_order_%s, "
                    "memory_scope_%s);\n",
                    number, location, order, scope);
        break;
    case 7:
        text_format(text,
                    "  int e%d = 0; atomic_compare_exchange_strong_explicit(%s, &e%d, %d, "
                    "memory_order_%s, memory_order_%s, memory_scope_%s);\n",
                    number, location, number, number, order, strict ? "seq_cst" : "relaxed", scope);
        break;
    default:
        text_format(text, "  atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);\n",
                    pick(random, flags, 3), strict ? "seq_cst" : pick(random, orders, 5), scope);
        break;
    }
}

/* A third of the statements depend on what is read before them, as on flags. */
static void print_guard(struct random_litmus *random, int number, struct text *text)
{
    if (draw(random, 3) == 0) {
        text_format(text,
                    "  int g%d = atomic_load_explicit(%s, memory_order_acquire, "
                    "memory_scope_device);\n  if (g%d != 0)\n",
                    number, pick(random, locations, 3), number);
    }
}

/* A barrier of the first two threads, the same for both; empty where there is none. */
static void print_barrier(struct random_litmus *random, bool strict, bool sub_group,
                          struct text *text)
{
    text_clear(text);
    if (draw(random, 3) != 0) {
        return;
    }
    const bool both = strict || draw(random, 2) == 0;
    text_format(text, "  %s(%s, memory_scope_%s);\n",
                sub_group && draw(random, 2) == 0 ? "sub_group_barrier" : "work_group_barrier",
                both                   ? flags[2]
                : draw(random, 4) == 0 ? "0"
                                       : pick(random, flags, 2),
                pick(random, scopes, 3));
}

static void print_thread(struct random_litmus *random, enum random_litmus_kind kind, int thread,
                         uint32_t sub_group, const char *barrier, struct text *text)
{
    const uint32_t length = 1 + draw(random, 3);
    text_format(text, "P%d@sg %u, wg %u (global int *x, global int *y, local int *l) {\n", thread,
                sub_group, thread == 2 ? 1 : 0);
    for (uint32_t i = 0; i < length; i++) {
        const int number = thread * 10 + (int)i + 1;
        if (kind != RANDOM_LITMUS_SEQ_CST) {
            print_guard(random, number, text);
        }
        /* A declaration cannot be guarded without braces. */
        text_append(text, "  {");
        print_statement(random, kind, number, text);
        text_append(text, "  }\n");
        if (i == 0 && thread < 2) {
            text_append(text, barrier);
        }
    }
    text_append(text, "}\n");
}

/* Three threads, two of one group. */
void random_litmus_print(struct random_litmus *random, enum random_litmus_kind kind,
                         struct text *text)
{
    struct text barrier = TEXT_INIT;
    const uint32_t sub_group = draw(random, 2);
    print_barrier(random, kind == RANDOM_LITMUS_SEQ_CST,
                  sub_group == 0 && kind != RANDOM_LITMUS_KERNEL, &barrier);
    text_clear(text);
    text_append(text, "OPENCL random\n{}\n");
    for (int thread = 0; thread < 3; thread++) {
        print_thread(random, kind, thread, thread == 1 ? sub_group : 0, barrier.bytes, text);
    }
    text_append(text, "exists (x=0 /\\ y=0)\n");
    text_release(&barrier);
}
