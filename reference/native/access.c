#include "reference/native/access.h"

#include <inttypes.h>

static uint32_t size_of(const struct vm_instruction *in)
{
    return (uint32_t)in->width * in->count;
}

/* What plan() is asked; the span is in `span` where it says yes. */
static void append_plan(const struct vm_instruction *in, const char *terms, bool writes,
                        struct text *text)
{
    text_format(text, "!plan(call, active, %s, %" PRIu32 ", %" PRIu64 "u, %" PRIu32 ", %d, &span)",
                terms, size_of(in), UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT),
                in->aux >> VM_ACCESS_PART_SHIFT, writes);
}

/* The bytes that are read are defined. */
static void append_defined(const struct vm_instruction *in, struct text *text)
{
    text_format(text, "is_defined(&span, active, %" PRIu32 ")", size_of(in));
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

static void append_load(const struct vm_instruction *in, uint32_t site, struct text *text)
{
    text_format(text,
                "{\nstruct vm_native_span span;\nconst struct terms *const at = TERMS(%" PRIu32
                ");\n"
                "if (RARE(at->form == NO_TERMS || ",
                in->a);
    append_plan(in, "at->base, at->step, at->jump", false, text);
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
    text_format(text, "))\ncall->load_undefined(call->vector, %" PRIu32 ", &span);\n}\n}\n", site);
}

static void append_gather(const struct vm_instruction *in, uint32_t site, struct text *text)
{
    text_format(text,
                "{\nu64 offsets[64] __attribute__((aligned(64)));\nstruct vm_native_span "
                "span;\n_Bool defined;\n"
                "const u32 how = (undefined[%" PRIu32
                "] & active) != 0 ? GATHER_NO : plan_gather(call, active, active_lanes, "
                "ROW(u64, %" PRIu32 "), %" PRIu32 ", %" PRIu64 "u, %" PRIu32 ", offsets, &span, "
                "&defined);\n"
                "if (how == GATHER_NO) {\nINTERPRET(%" PRIu32 ", 1)\n} else {\n",
                in->a, in->a, size_of(in), UINT64_C(1) << (in->aux & VM_ACCESS_ALIGNMENT),
                in->aux >> VM_ACCESS_PART_SHIFT, site);
    for (uint32_t i = 0; i < in->count; i++) {
        const vm_row row = in->dst + i * in->width;
        text_format(text,
                    "if (how == GATHER_SPAN) {\nload_%d(&span, %" PRIu32 ", ROW(u%d, %" PRIu32
                    "));\n} else {\nGATHER(u%d, %" PRIu32 ", %" PRIu32 ")\n}\nundefined[%" PRIu32
                    "] = 0;\n",
                    8 * in->width, i, 8 * in->width, row, 8 * in->width, row, i, row);
    }
    text_format(text,
                "if (!defined && how == GATHER_SPAN)\ncall->load_undefined(call->vector, %" PRIu32
                ", &span);\nelse if (!defined)\ncall->gather_undefined(call->vector, %" PRIu32
                ", span.in, offsets);\n}\n}\n",
                site, site);
}

/* Each lane has a variable of its own where a uniform pointer leads to private memory. */
static void append_uniform_load(const struct vm_instruction *in, uint32_t site, struct text *text)
{
    text_format(text,
                "{\nstruct vm_native_span span;\nconst u64 at = *ROW(u64, %" PRIu32 ");\n"
                "if (RARE(undefined[%" PRIu32 "] != 0 || ",
                in->a, in->a);
    append_plan(in, "at, 0, 0", false, text);
    text_append(text, " || span.in->lane_stride != 0 || !");
    append_defined(in, text);
    append_readable(site, text);
    text_format(text, ")) {\nINTERPRET(%" PRIu32 ", 1)\n} else {\n", site);
    append_tell(site, text);
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text,
                    "{\nu%d value;\n"
                    "__builtin_memcpy(&value, span.in->bytes + span.place + %" PRIu32 ", %d);\n"
                    "*ROW(u64, %" PRIu32 ") = value;\n}\nundefined[%" PRIu32 "] = 0;\n",
                    8 * in->width, i * in->width, in->width, in->dst + i, in->dst + i);
    text_append(text, "}\n}\n");
}

static void append_store(const struct vm_instruction *in, uint32_t site, struct text *text)
{
    text_format(text,
                "{\nstruct vm_native_span span;\nconst struct terms *const at = TERMS(%" PRIu32
                ");\n"
                "if (RARE(at->form == NO_TERMS || ((0",
                in->a);
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text, " | undefined[%" PRIu32 "]", in->b + i * in->width);
    text_append(text, ") & active) != 0 || ");
    append_plan(in, "at->base, at->step, at->jump", true, text);
    text_format(text, " || !note_store(call, %" PRIu32 ", &span))) {\nINTERPRET(%" PRIu32 ", 1)\n",
                site, site);
    text_format(text, "} else if (may_store(&span, active, %" PRIu32 ")) {\n", size_of(in));
    for (uint32_t i = 0; i < in->count; i++)
        text_format(text,
                    "store_%d(&span, active, active_lanes, %" PRIu32 ", ROW(u%d, %" PRIu32 "));\n",
                    8 * in->width, i, 8 * in->width, in->b + i * in->width);
    text_format(text, "} else {\ncall->write(call->vector, %" PRIu32 ", &span);\n}\n}\n", site);
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
                    "terms_outside(TERMS(%" PRIu32
                    "), run_shift, first_lane, last_lane, %d, %" PRIu64 "u)",
                    in->a, in->width, limit);
    else
        text_format(text, "outside_%d(ROW(u%d, %" PRIu32 "), active_lanes, %" PRIu64 "u)",
                    8 * in->width, 8 * in->width, in->a, limit);
    text_format(text, "))\nINTERPRET(%" PRIu32 ", 1)\n", site);
    *uses_active |= (in->count & (VM_SUBSCRIPT_UNIFORM | VM_SUBSCRIPT_AFFINE)) == 0;
}

bool native_append_access(const struct vm_code *code, uint32_t site, bool *uses_active,
                          struct text *text)
{
    const struct vm_instruction *in = &code->instructions[site];
    if (in->aux & VM_ACCESS_VOLATILE)
        return false;
    if (in->op == VM_OP_load_a)
        append_load(in, site, text);
    else if (in->op == VM_OP_load)
        append_gather(in, site, text);
    else if (in->op == VM_OP_load_u)
        append_uniform_load(in, site, text);
    else if (in->op == VM_OP_store_a && code->spin_count == 0)
        append_store(in, site, text);
    else if (in->op == VM_OP_subscript)
        append_subscript(code, in, site, uses_active, text);
    else
        return false;
    *uses_active |= in->op == VM_OP_load || in->op == VM_OP_store_a;
    return true;
}
