/* The test of a pair: a program is compiled whose SPIR-V is known, each operation on a line of its
 * own. */
#include "reference/compiler/pair.h"

#include "reference/compiler/compile.h"
#include "reference/compiler/rewrite.h"
#include "trace/base/alloc.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

static const char *const names[PAIR_FAULT_COUNT] = {
    [PAIR_FAULT_BUILT_INS] = "built-in functions",
    [PAIR_FAULT_ORDERS] = "memory orders",
    [PAIR_FAULT_SCOPES] = "memory scopes",
    [PAIR_FAULT_MEMORIES] = "fence flags",
    [PAIR_FAULT_STRUCTS] = "structures by value",
    [PAIR_FAULT_CONSTANTS] = "constants",
    [PAIR_FAULT_LINES] = "lines",
};

/* What a line of the program becomes. */
struct operation {
    const char *text;
    uint16_t opcode;
    uint8_t scope;      /* SpvScope, of the memory */
    uint16_t semantics; /* of fences and barriers with the memories, of atomics the order */
};

enum {
    RELAXED = SpvMemorySemanticsMaskNone,
    ACQUIRE = SpvMemorySemanticsAcquireMask,
    RELEASE = SpvMemorySemanticsReleaseMask,
    BOTH = SpvMemorySemanticsAcquireReleaseMask,
    SEQUENTIAL = SpvMemorySemanticsSequentiallyConsistentMask,
    ORDERS = ACQUIRE | RELEASE | BOTH | SEQUENTIAL,
    LOCAL = SpvMemorySemanticsWorkgroupMemoryMask,
    GLOBAL = SpvMemorySemanticsCrossWorkgroupMemoryMask,
};

#define STORE(order, scope)                                                                        \
    "atomic_store_explicit(x, 1, memory_order_" #order ", memory_scope_" #scope ");\n"
#define LOAD(order, scope)                                                                         \
    "out[0] = atomic_load_explicit(x, memory_order_" #order ", memory_scope_" #scope ");\n"
#define ADD(order, scope)                                                                          \
    "out[1] = atomic_fetch_add_explicit(x, 1, memory_order_" #order ", memory_scope_" #scope ");"  \
    "\n"
#define SWAP(order, scope)                                                                         \
    "out[2] = atomic_compare_exchange_strong_explicit(x, &old, 1, memory_order_" #order            \
    ", memory_order_relaxed, memory_scope_" #scope ");\n"
#define FENCE(flags, order, scope)                                                                 \
    "atomic_work_item_fence(" #flags ", memory_order_" #order ", memory_scope_" #scope ");\n"

static const struct operation operations[] = {
    {STORE(relaxed, work_group), SpvOpAtomicStore, SpvScopeWorkgroup, RELAXED},
    {STORE(release, device), SpvOpAtomicStore, SpvScopeDevice, RELEASE},
    {STORE(seq_cst, all_svm_devices), SpvOpAtomicStore, SpvScopeCrossDevice, SEQUENTIAL},
    {LOAD(relaxed, sub_group), SpvOpAtomicLoad, SpvScopeSubgroup, RELAXED},
    {LOAD(acquire, device), SpvOpAtomicLoad, SpvScopeDevice, ACQUIRE},
    {LOAD(seq_cst, work_group), SpvOpAtomicLoad, SpvScopeWorkgroup, SEQUENTIAL},
    {ADD(relaxed, device), SpvOpAtomicIAdd, SpvScopeDevice, RELAXED},
    {ADD(acquire, work_group), SpvOpAtomicIAdd, SpvScopeWorkgroup, ACQUIRE},
    {ADD(release, work_group), SpvOpAtomicIAdd, SpvScopeWorkgroup, RELEASE},
    {ADD(acq_rel, all_svm_devices), SpvOpAtomicIAdd, SpvScopeCrossDevice, BOTH},
    {ADD(seq_cst, device), SpvOpAtomicIAdd, SpvScopeDevice, SEQUENTIAL},
    {SWAP(acq_rel, device), SpvOpAtomicCompareExchange, SpvScopeDevice, BOTH},
    {SWAP(acquire, work_group), SpvOpAtomicCompareExchange, SpvScopeWorkgroup, ACQUIRE},
    {"out[3] = atomic_fetch_add(&y, 1);\n", SpvOpAtomicIAdd, SpvScopeDevice, SEQUENTIAL},
    {"out[4] = atomic_add((volatile global int *)out, 1);\n", SpvOpAtomicIAdd, SpvScopeWorkgroup,
     RELAXED},
    {"barrier(CLK_LOCAL_MEM_FENCE);\n", SpvOpControlBarrier, SpvScopeWorkgroup, SEQUENTIAL | LOCAL},
    {"work_group_barrier(CLK_GLOBAL_MEM_FENCE, memory_scope_device);\n", SpvOpControlBarrier,
     SpvScopeDevice, SEQUENTIAL | GLOBAL},
    {FENCE(CLK_GLOBAL_MEM_FENCE, acquire, device), SpvOpMemoryBarrier, SpvScopeDevice,
     ACQUIRE | GLOBAL},
    {FENCE(CLK_LOCAL_MEM_FENCE, release, work_group), SpvOpMemoryBarrier, SpvScopeWorkgroup,
     RELEASE | LOCAL},
    {FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, seq_cst, all_svm_devices),
     SpvOpMemoryBarrier, SpvScopeCrossDevice, SEQUENTIAL | LOCAL | GLOBAL},
    {"mem_fence(CLK_LOCAL_MEM_FENCE);\n", SpvOpMemoryBarrier, SpvScopeWorkgroup, BOTH | LOCAL},
};
enum { OPERATION_COUNT = sizeof(operations) / sizeof(operations[0]), FIRST_LINE = 2 };

/* Line 1, and the last. */
static const char head[] =
    "typedef struct { int a, b, c, d[8]; } big; kernel void f(global atomic_int *x, global ulong "
    "*out, big value, int way) { local atomic_int y; int old = 1;\n";
static const char tail[] = "out[5] = 0x0123456789abcdeful; out[6] = as_ulong(1.5); "
                           "out[7] = value.d[way]; out[8] = convert_uchar_sat_rte(way); }\n";
static const uint64_t constants[] = {0x0123456789abcdef, 0x3ff8000000000000};
enum { CONSTANT_COUNT = sizeof(constants) / sizeof(constants[0]) };

/* ---- the module ---- */

struct examination {
    struct rewrite module; /* which stays as it is */
    uint32_t *values;      /* by id: of a 32-bit constant */
    uint32_t line, at;     /* the operation that is expected next */
    bool by_value;
    bool seen[CONSTANT_COUNT];
    bool faults[PAIR_FAULT_COUNT];
};

/* Which word of the instruction is the memory's scope; the semantics follow. 0 = none. */
static uint32_t scope_word(uint32_t opcode)
{
    switch (opcode) {
    case SpvOpMemoryBarrier:
        return 1;
    case SpvOpControlBarrier:
    case SpvOpAtomicStore:
        return 2;
    case SpvOpAtomicLoad:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicCompareExchange:
        return 4;
    default:
        return opcode >= SpvOpAtomicExchange && opcode <= SpvOpAtomicXor ? 4 : 0;
    }
}

static uint32_t value_of(const struct examination *examination, uint32_t id)
{
    return id < examination->module.bound ? examination->values[id] : 0;
}

static void judge(struct examination *examination, const uint32_t *words, uint32_t opcode,
                  uint32_t scope_at)
{
    bool *faults = examination->faults;
    if (examination->at == OPERATION_COUNT) {
        faults[PAIR_FAULT_BUILT_INS] = true;
        return;
    }
    const struct operation *expected = &operations[examination->at];
    const uint32_t semantics = value_of(examination, words[scope_at + 1]);
    faults[PAIR_FAULT_BUILT_INS] |= opcode != expected->opcode;
    faults[PAIR_FAULT_SCOPES] |= value_of(examination, words[scope_at]) != expected->scope;
    faults[PAIR_FAULT_ORDERS] |= (semantics & ORDERS) != (expected->semantics & ORDERS);
    if (opcode == SpvOpControlBarrier || opcode == SpvOpMemoryBarrier)
        faults[PAIR_FAULT_MEMORIES] |= ((semantics ^ expected->semantics) & ~ORDERS) != 0;
    faults[PAIR_FAULT_LINES] |= examination->line != FIRST_LINE + examination->at;
    examination->at++;
}

static void look(struct examination *examination, const uint32_t *words, uint32_t opcode,
                 uint32_t length)
{
    const uint32_t scope_at = scope_word(opcode);
    if (opcode == SpvOpLine && length > 2) {
        examination->line = words[2];
    } else if (opcode == SpvOpConstant && length == 4 && words[2] < examination->module.bound) {
        examination->values[words[2]] = words[3];
    } else if (opcode == SpvOpConstant && length == 5) {
        const uint64_t value = (uint64_t)words[4] << 32 | words[3];
        for (size_t i = 0; i < CONSTANT_COUNT; i++)
            examination->seen[i] |= value == constants[i];
    } else if (opcode == SpvOpDecorate && length == 4 && words[2] == SpvDecorationFuncParamAttr) {
        examination->by_value |= words[3] == SpvFunctionParameterAttributeByVal;
    } else if (opcode == SpvOpDecorate && length > 4 &&
               words[2] == SpvDecorationLinkageAttributes) {
        /* A function that nobody defines. */
        examination->faults[PAIR_FAULT_BUILT_INS] |=
            words[length - 1] == SpvLinkageTypeImport &&
            strncmp((const char *)(words + 3), "_Z", 2) == 0;
    } else if (scope_at > 0 && length > scope_at + 1) {
        judge(examination, words, opcode, scope_at);
    }
}

static void examine(struct examination *examination)
{
    for (const uint32_t *at = NULL; (at = rewrite_next(&examination->module, at));)
        look(examination, at, rewrite_opcode(at), rewrite_length(at));
    examination->faults[PAIR_FAULT_BUILT_INS] |= examination->at != OPERATION_COUNT;
    examination->faults[PAIR_FAULT_STRUCTS] |= !examination->by_value;
    for (size_t i = 0; i < CONSTANT_COUNT; i++)
        examination->faults[PAIR_FAULT_CONSTANTS] |= !examination->seen[i];
}

/* ---- the program ---- */

static enum status compile_program(const struct toolchain *tools, struct arena *arena,
                                   struct text *log, struct compile_result *result)
{
    struct build_options options;
    struct text source = TEXT_INIT;
    text_append(&source, head);
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        text_append(&source, operations[i].text);
    text_append(&source, tail);
    enum status status = STATUS_NO_MEMORY;
    if (!source.failed && build_options_parse("-cl-std=CL3.0", arena, &options)) {
        const struct compile_request request = {.source = source.bytes,
                                                .source_size = source.size,
                                                .options = &options,
                                                .tools = tools};
        status = compile_source(&request, log, result);
    }
    text_release(&source);
    return status;
}

enum status pair_examine(const struct toolchain *tools, struct text *log,
                         bool faults[PAIR_FAULT_COUNT])
{
    struct arena arena = {0};
    struct compile_result result = {0};
    enum status status = compile_program(tools, &arena, log, &result);
    if (status == STATUS_OK) {
        struct examination examination = {0};
        struct rewrite *module = &examination.module;
        if (!rewrite_begin(module, result.spirv, result.spirv_size))
            module->in_count = 0; /* nothing that it ought to have */
        examination.values = rewrite_by_id(module, sizeof(uint32_t));
        if (!module->failed) {
            examine(&examination);
            memcpy(faults, examination.faults, sizeof(examination.faults));
        }
        status = rewrite_end(module, &result.spirv, &result.spirv_size);
        sources_drop(result.sources);
        alloc_free(result.spirv);
    }
    arena_release(&arena);
    return status;
}

/* ---- which to take ---- */

/* "memory orders, lines": those of the first `count`. */
static void list_faults(const bool *faults, size_t count, struct text *list)
{
    for (size_t i = 0; i < count; i++) {
        if (faults[i])
            text_format(list, "%s%s", list->size > 0 ? ", " : "", names[i]);
    }
}

/* Why the pair is not to be used; empty = it is. A pair that does not compile the program of the
 * test says what is wrong when it compiles another one. */
static void find_refusal(const struct toolchain *tools, struct text *refusal)
{
    bool faults[PAIR_FAULT_COUNT] = {false};
    struct text said = TEXT_INIT;
    if (pair_examine(tools, &said, faults) == STATUS_OK) {
        list_faults(faults, PAIR_FAULT_RESULT_COUNT, refusal);
        if (refusal->size > 0)
            text_format(refusal,
                        " are not right as %s and %s write them: name another pair with "
                        "CLERK_CLANG and CLERK_LLVM_SPIRV",
                        tools->clang, tools->llvm_spirv);
    }
    text_release(&said);
}

enum status pair_choose(struct arena *arena, struct toolchain *tools, struct error *error)
{
    struct text refusal = TEXT_INIT; /* of several the newest pair's is told */
    struct text why = TEXT_INIT;
    struct error missing;
    enum status status = toolchain_find(arena, TOOLCHAIN_BEYOND, tools, &missing);
    while (status == STATUS_OK) {
        find_refusal(tools, &why);
        if (why.size == 0)
            break;
        if (refusal.size == 0)
            text_append(&refusal, why.bytes);
        text_clear(&why);
        status = toolchain_is_named() ? STATUS_NOT_FOUND
                                      : toolchain_find(arena, tools->version, tools, &missing);
    }
    if (status != STATUS_OK)
        status = error_set(error, status, "%s", refusal.size > 0 ? refusal.bytes : missing.text);
    text_release(&refusal);
    text_release(&why);
    return status;
}

/* ---- all of them, for clerk doctor ---- */

static void tell_pair(const struct toolchain *tools, sink_pair *tell, void *user)
{
    bool faults[PAIR_FAULT_COUNT] = {false};
    struct text pair = TEXT_INIT, log = TEXT_INIT, wrong = TEXT_INIT, detail = TEXT_INIT;
    const bool compiles = pair_examine(tools, &log, faults) == STATUS_OK;
    text_format(&pair, "%s and %s", tools->clang, tools->llvm_spirv);
    list_faults(faults, PAIR_FAULT_COUNT, &wrong);
    if (!compiles)
        text_append_n(&detail, log.bytes, strcspn(log.bytes, "\n"));
    else if (wrong.size > 0)
        text_format(&detail, "not right: %s", wrong.bytes);
    else
        text_append(&detail, "memory orders, scopes, lines, structures and constants are right");
    struct text results = TEXT_INIT;
    list_faults(faults, PAIR_FAULT_RESULT_COUNT, &results);
    tell(user, pair.bytes, compiles && results.size == 0, detail.bytes);
    text_release(&results);
    text_release(&pair);
    text_release(&log);
    text_release(&wrong);
    text_release(&detail);
}

void clerk_examine_compilers(sink_pair *tell, void *user)
{
    struct arena arena = {0};
    struct toolchain tools;
    struct error error;
    enum status status = toolchain_find(&arena, TOOLCHAIN_BEYOND, &tools, &error);
    if (status != STATUS_OK)
        tell(user, NULL, false, error.text);
    while (status == STATUS_OK) {
        tell_pair(&tools, tell, user);
        status = toolchain_is_named() ? STATUS_NOT_FOUND
                                      : toolchain_find(&arena, tools.version, &tools, &error);
    }
    arena_release(&arena);
}
