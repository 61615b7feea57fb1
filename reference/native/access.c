#include "reference/native/access.h"

#include "reference/vm/native_call.h"

#include <inttypes.h>

static uint32_t size_of(const struct vm_instruction *in)
{
    return (uint32_t)in->width * in->count;
}

/* What plan() is asked; the span is in `span` where it says yes. `at` are the terms. */
static void append_plan(const struct vm_instruction *in, uint32_t number, bool writes,
                        struct text *text)
{
    text_format(text,
                "!plan(call, %" PRIu32 ", active, at, %" PRIu32 ", %" PRIu64 "u, %" PRIu32
                ", %d, &span)",
                number, size_of(in), UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT),
                in->aux >> VM_ACCESS_PART_SHIFT, writes);
}

/* The bytes that are read are defined. */
static void append_defined(const struct vm_instruction *in, struct text *text)
{
    text_format(text, "(*call->ignores_undefined || is_defined(&span, active, %" PRIu32 "))",
                size_of(in));
}

/* They may be read. */
static void append_readable(uint32_t site, struct text *text)
{
    text_format(text, " || !note_load(call, %" PRIu32 ", &span)", site);
}

static void append_tell(uint32_t site, struct text *text)
{
    text_format(text,
                "if (*span.in->reads_watched)\ncall->read(call->vector, %" PRIu32 ", &span);\n",
                site);
}

/* "x_again_32(call, &call->memos[3], at, 4u, ROW(u32, 80))", which does a usual access of one
 * component as a whole. */
static void append_again(const struct vm_instruction *in, const char *name, uint32_t number,
                         vm_row row, struct text *text)
{
    text_format(text,
                "%s_again_%d(call, &call->memos[%" PRIu32 "], at, %" PRIu64 "u, UNIT(%" PRIu32 "))",
                name, 8 * in->width, number, UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT), row);
}

static void append_load(const struct vm_instruction *in, uint32_t site, uint32_t number,
                        struct text *text)
{
    text_format(text, "{\nconst struct terms *const at = TERMS(%" PRIu32 ");\n", in->a);
    if (in->count == 1 && number < VM_NATIVE_MEMOS) {
        text_append(text, "if (");
        append_again(in, "load", number, in->dst, text);
        text_format(text, ") {\nPUT_LOADED(%" PRIu32 ", %d, %" PRIu32 ", %" PRIu32 ")\n} else {\n",
                    in->dst, in->width, number, site);
    } else {
        text_append(text, "{\n");
    }
    text_append(text, "struct vm_native_span span;\nif (RARE(");
    append_plan(in, number, false, text);
    append_readable(site, text);
    text_format(text, ")) {\nINTERPRET(%" PRIu32 ", 1)\n} else {\n", site);
    append_tell(site, text);
    for (uint32_t i = 0; i < in->count; i++) {
        const vm_row row = in->dst + i * in->width;
        text_format(text,
                    "load_%d(&span, %" PRIu32 ", ROW(u%d, %" PRIu32 "));\nundefined[%" PRIu32
                    "] = 0;\n",
                    8 * in->width, i, 8 * in->width, row, row);
    }
    text_append(text, "if (RARE(!");
    append_defined(in, text);
    text_format(text, "))\ncall->load_undefined(call->vector, %" PRIu32 ", &span);\n}\n}\n}\n",
                site);
}

static void append_gather(const struct vm_instruction *in, uint32_t site, struct text *text)
{
    text_format(
        text,
        "{\nu64 offsets[64] __attribute__((aligned(64)));\nstruct vm_native_span "
        "span;\n_Bool defined;\n"
        "const u32 how = (undefined[%" PRIu32
        "] & active) != 0 ? GATHER_NO : plan_gather(call, active, active_lanes, "
        "ROW(u64, %" PRIu32 "), %" PRIu32 ", %d, %" PRIu64 "u, %" PRIu32 ", offsets, &span, "
        "&defined);\n"
        "if (how == GATHER_NO) {\nINTERPRET(%" PRIu32 ", 1)\n} else {\n",
        in->a, in->a, size_of(in), in->count == 1, UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT),
        in->aux >> VM_ACCESS_PART_SHIFT, site);
    for (uint32_t i = 0; i < in->count; i++) {
        const vm_row row = in->dst + i * in->width;
        text_format(text,
                    "if (how == GATHER_SPAN) {\nload_%d(&span, %" PRIu32 ", ROW(u%d, %" PRIu32
                    "));\n} else {\ngather_%d(how, active, span.in->bytes + %" PRIu32
                    ", offsets, ROW(u%d, %" PRIu32 "));\n}\nundefined[%" PRIu32 "] = 0;\n",
                    8 * in->width, i, 8 * in->width, row, 8 * in->width, i * in->width,
                    8 * in->width, row, row);
    }
    text_format(text,
                "if (!defined && how == GATHER_SPAN)\ncall->load_undefined(call->vector, %" PRIu32
                ", &span);\nelse if (!defined)\ncall->gather_undefined(call->vector, %" PRIu32
                ", span.in, offsets);\n}\n}\n",
                site, site);
}

static void append_uniform_rows(const struct vm_instruction *in, const char *bytes,
                                struct text *text)
{
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text,
                    "{\nu%d value;\n__builtin_memcpy(&value, %s + %" PRIu32 ", %d);\n"
                    "*ROW(u64, %" PRIu32 ") = value;\n}\nundefined[%" PRIu32 "] = 0;\n",
                    8 * in->width, bytes, i * in->width, in->width, in->dst + i, in->dst + i);
}

/* Each lane has a variable of its own where a uniform pointer leads to private memory. */
static void append_uniform_load(const struct vm_instruction *in, uint32_t site, uint32_t number,
                                struct text *text)
{
    text_format(text, "{\nconst struct terms at[] = {{*ROW(u64, %" PRIu32 "), 0, 0, ONLY}};\n",
                in->a);
    if (size_of(in) <= 64 && number < VM_NATIVE_MEMOS)
        text_format(text,
                    "const u8 *const bytes = undefined[%" PRIu32
                    "] == 0 ? load_one_again(call, &call->memos[%" PRIu32 "], at->base, %" PRIu64
                    "u, %" PRIu32 ") : 0;\n",
                    in->a, number, UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT), size_of(in));
    else
        text_append(text, "const u8 *const bytes = 0;\n");
    text_append(text, "if (bytes) {\n");
    append_uniform_rows(in, "bytes", text);
    text_append(text, "} else {\n");
    text_format(text, "struct vm_native_span span;\nif (RARE(undefined[%" PRIu32 "] != 0 || ",
                in->a);
    append_plan(in, number, false, text);
    text_append(text, " || span.in->lane_stride != 0 || !");
    append_defined(in, text);
    append_readable(site, text);
    text_format(text, ")) {\nINTERPRET(%" PRIu32 ", 1)\n} else {\n", site);
    append_tell(site, text);
    append_uniform_rows(in, "span.in->bytes + span.place", text);
    text_append(text, "}\n}\n}\n");
}

/* The values are. */
static void append_all_defined(const struct vm_instruction *in, struct text *text)
{
    text_append(text, "((0");
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text, " | undefined[%" PRIu32 "]", in->b + i * in->width);
    text_append(text, ") & active) == 0");
}

static void append_store(const struct vm_instruction *in, uint32_t site, uint32_t number,
                         struct text *text)
{
    text_format(text, "{\nconst struct terms *const at = TERMS(%" PRIu32 ");\n", in->a);
    if (in->count == 1 && number < VM_NATIVE_MEMOS) {
        text_format(text, "if (partly != 0 || undefined[%" PRIu32 "] != 0 || !", in->b);
        append_again(in, "store", number, in->b, text);
        text_append(text, ") {\n");
    } else {
        text_append(text, "{\n");
    }
    text_append(text, "struct vm_native_span span;\nSPREAD(active_lanes, active)\nif (RARE(");
    append_plan(in, number, true, text);
    text_format(text, " || !note_store(call, %" PRIu32 ", &span))) {\nINTERPRET(%" PRIu32 ", 1)\n",
                site, site);
    text_append(text, "} else if (");
    append_all_defined(in, text);
    text_format(text, " && may_store(&span, active, %" PRIu32 ")) {\n", size_of(in));
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text,
                    "store_%d(&span, active, active_lanes, %" PRIu32 ", ROW(u%d, %" PRIu32 "));\n",
                    8 * in->width, i, 8 * in->width, in->b + i * in->width);
    text_format(text, "} else {\ncall->write(call->vector, %" PRIu32 ", &span);\n}\n}\n}\n", site);
}

/* What is told where it is out of range, the interpreter tells. */
static void append_subscript(const struct vm_code *code, const struct vm_instruction *in,
                             uint32_t site, bool *uses_active, struct text *text)
{
    const uint64_t count = code->subscripts[in->aux].array.count;
    const uint64_t limit = in->width == 4 ? (uint32_t)count : count;
    text_append(text, "if (RARE(");
    if (in->count & VM_SUBSCRIPT_UNIFORM)
        text_format(text, "*ROW(u%d, %" PRIu32 ") >= %" PRIu64 "u", 8 * in->width, in->a, count);
    else if (in->count & VM_SUBSCRIPT_AFFINE)
        text_format(text,
                    "TERMS(%" PRIu32 ")->form == NO_TERMS || terms_outside(TERMS(%" PRIu32
                    ")->base, TERMS(%" PRIu32 ")->step, TERMS(%" PRIu32
                    ")->jump, run_shift, first_lane, last_lane, %d, %" PRIu64 "u)",
                    in->a, in->a, in->a, in->a, in->width, limit);
    else
        text_format(text, "outside_%d(ROW(u%d, %" PRIu32 "), active_lanes, %" PRIu64 "u)",
                    8 * in->width, 8 * in->width, in->a, limit);
    text_format(text, "))\nINTERPRET(%" PRIu32 ", 1)\n", site);
    *uses_active |= (in->count & (VM_SUBSCRIPT_UNIFORM | VM_SUBSCRIPT_AFFINE)) == 0;
}

bool native_append_access(const struct vm_code *code, uint32_t site, uint32_t *count,
                          bool *uses_active, struct text *text)
{
    const struct vm_instruction *in = &code->instructions[site];
    if (in->aux & VM_ACCESS_VOLATILE)
        return false;
    if (in->op == VM_OP_load_a)
        append_load(in, site, (*count)++, text);
    else if (in->op == VM_OP_load)
        append_gather(in, site, text);
    else if (in->op == VM_OP_load_u)
        append_uniform_load(in, site, (*count)++, text);
    else if (in->op == VM_OP_store_a && code->spin_count == 0)
        append_store(in, site, (*count)++, text);
    else if (in->op == VM_OP_subscript)
        append_subscript(code, in, site, uses_active, text);
    else
        return false;
    *uses_active |= in->op == VM_OP_load;
    return true;
}
