/* One function for all blocks, which are labels in it. In a block its stretches (stretch.h), and
 * between them what the interpreter does. */
#include "reference/native/generate.h"

#include "reference/native/access.h"
#include "reference/native/prelude.h"
#include "reference/native/stretch.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <string.h>

struct generator {
    const struct vm_code *code;
    struct stretches stretches;
    struct live live;
    uint64_t *constants;
    uint8_t *is_constant;
    bool *is_home;         /* by unit */
    uint32_t *set_for;     /* by unit of a home row: 1 + the block in which it is set again */
    bool *is_idle;         /* by instruction of the block that is made */
    uint32_t access_count; /* made so far */
    struct text body;      /* of the block that is made */
    bool failed;           /* memory was out */
};

static void append_facts(struct text *text)
{
    text_append(text, "#define VM_NATIVE_TEXT 1\n");
    text_format(text, "enum { ONLY = %d, BOTH = %d, NO_TERMS = %d };\n", VM_AFFINE_TERMS,
                VM_AFFINE_BOTH, VM_AFFINE_NO);
}

static void learn_constants(struct generator *generator)
{
    for (uint32_t i = 0; i < generator->code->constant_count; i++) {
        const struct vm_constant *constant = &generator->code->constants[i];
        generator->constants[constant->row] = constant->bits;
        generator->is_constant[constant->row] = 1;
    }
}

/* Instructions that are left to the interpreter, one after the other. */
struct left {
    uint32_t first, count;
};

static void end_left(struct left *left, struct text *text)
{
    if (left->count)
        text_format(text, "INTERPRET(%" PRIu32 ", %" PRIu32 ")\n", left->first, left->count);
    left->count = 0;
}

/* Adds instructions before the index `end` to the stretch that begins there; gives how many. */
static uint32_t add_instructions(struct generator *generator, uint32_t begin, uint32_t end)
{
    struct stretches *stretches = &generator->stretches;
    const struct vm_block *of = &generator->code->blocks[stretches->block];
    const struct vm_instruction *first = &generator->code->instructions[of->first];
    uint32_t i = begin;
    while (i < end && stretches_add(stretches, &first[i]))
        i++;
    return i - begin;
}

/* Gives how many instructions the stretch has that begins there. */
static uint32_t generate_stretch(struct generator *generator, uint32_t block, uint32_t begin,
                                 uint32_t end, struct left *left)
{
    stretches_begin(&generator->stretches, block, begin);
    const uint32_t count = add_instructions(generator, begin, end);
    if (count > 0)
        end_left(left, &generator->body);
    stretches_end(&generator->stretches);
    return count;
}

/* Likewise of one that loads; 0 = none does there. Its instructions are to follow. */
static uint32_t generate_loads(struct generator *generator, uint32_t block, uint32_t begin,
                               struct left *left)
{
    struct stretches *stretches = &generator->stretches;
    const bool uses_active = stretches->uses_active;
    const uint32_t names = stretches->names;
    stretches_begin_loads(stretches, block, begin, generator->access_count);
    const uint32_t count =
        add_instructions(generator, begin, generator->code->blocks[block].count - 1);
    if (stretches->load_count == 0 || stretches->load_count == count) {
        stretches->uses_active = uses_active;
        stretches->names = names;
        return 0;
    }
    end_left(left, &generator->body);
    stretches_end(stretches);
    return count;
}

/* While native code runs nobody stops at a statement, nor looks at a variable before its block has
 * ended: what is set again until then need not be set. */
static void find_idle(struct generator *generator, uint32_t block)
{
    const struct vm_block *of = &generator->code->blocks[block];
    for (uint32_t i = of->count; i-- > 0;) {
        const struct vm_instruction *in = &generator->code->instructions[of->first + i];
        const bool keeps = vm_set_units((enum vm_op)in->op) != 0 && generator->is_home[in->dst];
        generator->is_idle[i] =
            vm_is_mark(in) || (keeps && generator->set_for[in->dst] == block + 1);
        if (keeps)
            generator->set_for[in->dst] = block + 1;
    }
}

/* What stands before the terminator. Gives whether anything is gained. */
static bool generate_instructions(struct generator *generator, uint32_t block)
{
    const struct vm_block *of = &generator->code->blocks[block];
    struct left left = {0};
    bool any = false;
    uint32_t i = 0, loads_end = 0, loads = 0; /* where the stretch ends that loads; its number */
    find_idle(generator, block);
    while (i + 1 < of->count) {
        if (i >= loads_end) {
            loads_end = i + generate_loads(generator, block, i, &left);
            loads = generator->stretches.number;
        }
        const uint32_t end = loads_end > i ? loads_end : of->count - 1;
        const uint32_t count = generate_stretch(generator, block, i, end, &left);
        struct text access = TEXT_INIT;
        if (count == 0 &&
            native_append_access(generator->code, of->first + i, &generator->access_count,
                                 &generator->stretches.uses_active, &access)) {
            end_left(&left, &generator->body);
            text_append_n(&generator->body, access.bytes, access.size);
            any = true;
        } else if (count == 0) {
            left.first = left.count ? left.first : of->first + i;
            left.count++;
        }
        any |= count > 0;
        i += count ? count : 1;
        if (i == loads_end) {
            end_left(&left, &generator->body);
            text_format(&generator->body, "done_%" PRIu32 ":;\n", loads);
        }
        generator->body.failed |= access.failed;
        text_release(&access);
    }
    end_left(&left, &generator->body);
    return any;
}

/* What follows when lanes have gone to a block: those of a lower one are next, and of higher ones
 * the next that has any. */
static void generate_next(struct text *body, uint32_t block, uint32_t to)
{
    if (to <= block)
        text_format(body, "if (pending[%" PRIu32 "] != 0)\ngoto block_%" PRIu32 ";\n", to, to);
}

static void generate_terminator(struct generator *generator, uint32_t block)
{
    const struct vm_block *of = &generator->code->blocks[block];
    const uint32_t site = of->first + of->count - 1;
    const struct vm_instruction *in = &generator->code->instructions[site];
    struct text *body = &generator->body;
    if (in->op == VM_OP_branch)
        text_format(body, "pending[%" PRIu32 "] |= active;\n", in->a);
    else if (in->op == VM_OP_branch_if)
        text_format(body,
                    "if (RARE(undefined[%" PRIu32 "] & active))\n"
                    "call->tell_branch(call->vector, %" PRIu32 ");\n"
                    "const u64 mask = *ROW(u64, %" PRIu32 ");\n"
                    "pending[%" PRIu32 "] |= active & mask;\n"
                    "pending[%" PRIu32 "] |= active & ~mask;\n",
                    in->c, site, in->c, in->a, in->b);
    else
        text_format(body, "LEAVE(%" PRIu32 ")\n", site);
    if (in->op != VM_OP_branch && in->op != VM_OP_branch_if)
        return;
    text_append(body, "if (RARE(operations > call->operation_limit))\nLEAVE(VM_NATIVE_NO_SITE)\n");
    const bool two = in->op == VM_OP_branch_if;
    generate_next(body, block, two && in->b < in->a ? in->b : in->a);
    if (two)
        generate_next(body, block, in->b < in->a ? in->a : in->b);
}

static bool generate_block(struct generator *generator, uint32_t block, struct text *text)
{
    const struct vm_block *of = &generator->code->blocks[block];
    text_clear(&generator->body);
    generator->stretches.uses_active = false;
    const bool any = generate_instructions(generator, block);
    generate_terminator(generator, block);
    text_format(text,
                "block_%" PRIu32 ":\nif (pending[%" PRIu32 "] != 0) {\nBLOCK(%" PRIu32 ", %" PRIu32
                ")\n%s",
                block, block, block, of->count,
                generator->stretches.uses_active ? "SPREAD(active_lanes, active)\n" : "");
    if (generator->code->debug_info)
        text_format(text, "STAND(%" PRIu32 ")\n", of->first + of->count - 1);
    text_append_n(text, generator->body.bytes, generator->body.size);
    text_append(text, "}\n");
    generator->failed |= generator->body.failed;
    return any;
}

static bool generate_run(struct generator *generator, struct text *text)
{
    bool any = false;
    text_append(text, "__attribute__((visibility(\"default\"))) u32 " NATIVE_SYMBOL
                      "(struct vm_native_call *call)\n{\n"
                      "u8 *const units = call->units;\nu64 *const undefined = call->undefined;\n"
                      "u64 *const pending = call->pending;\nu64 operations = call->operations;\n"
                      "const u32 run_shift = call->run_shift, run_mask = (1u << run_shift) - 1;\n");
    for (uint32_t block = 0; block < generator->code->block_count; block++)
        any |= generate_block(generator, block, text);
    text_append(text, "LEAVE(VM_NATIVE_NO_SITE)\n}\n");
    return any;
}

/* False when memory is out. */
static bool generator_init(struct generator *generator, const struct vm_code *code)
{
    *generator = (struct generator){.code = code, .body = TEXT_INIT};
    generator->constants = alloc_zero(code->frame_units, sizeof *generator->constants);
    generator->is_constant = alloc_zero(code->frame_units, sizeof *generator->is_constant);
    generator->is_home = alloc_zero(code->frame_units, sizeof *generator->is_home);
    generator->set_for = alloc_zero(code->frame_units, sizeof *generator->set_for);
    generator->is_idle = alloc_zero(code->instruction_count, sizeof *generator->is_idle);
    return generator->constants && generator->is_constant && generator->is_home &&
           generator->set_for && generator->is_idle;
}

static void generator_release(struct generator *generator)
{
    alloc_free(generator->constants);
    alloc_free(generator->is_constant);
    alloc_free(generator->is_home);
    alloc_free(generator->set_for);
    alloc_free(generator->is_idle);
    text_release(&generator->body);
}

bool native_generate(const struct vm_code *code, const struct native_set *set, struct text *text)
{
    struct generator generator;
    bool any = false;
    const bool has_room = generator_init(&generator, code);
    generator.stretches = (struct stretches){.code = code,
                                             .set = set,
                                             .constants = generator.constants,
                                             .is_constant = generator.is_constant,
                                             .is_idle = generator.is_idle,
                                             .live = &generator.live,
                                             .text = &generator.body};
    const bool begun = stretches_init(&generator.stretches);
    if (begun && live_init(&generator.live, code) && has_room) {
        vm_code_find_homes(code, generator.is_home);
        learn_constants(&generator);
        append_facts(text);
        text_append(text, native_prelude);
        any = generate_run(&generator, text);
    } else {
        text->failed = true;
    }
    stretches_begin(&generator.stretches, 0, 0); /* which notes what failed */
    text->failed |= generator.failed || generator.stretches.failed;
    stretches_release(&generator.stretches);
    live_release(&generator.live);
    generator_release(&generator);
    return any;
}
