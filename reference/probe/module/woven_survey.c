/* What the functions of a module do, as far as checks need to know, and what keeps a program from
 * being checked. What is unsure counts as what leads to silence. */
#include "reference/probe/module/woven.h"

#include <string.h>

struct survey {
    struct woven *woven;
    struct woven_function *function; /* that is being looked at */
    uint32_t block;                  /* its index */
    uint32_t *variable_at;           /* by id: index of a variable in local memory + 1 */
    bool *is_used;                   /* by id: some instruction has it as operand */
    bool *is_in_loop;                /* by index: a block of the function */
};

struct woven_function *woven_function_of(const struct woven *woven, uint32_t id)
{
    const struct spv_module *module = woven->module;
    if (id >= module->bound || module->ids[id].kind != SPV_ID_FUNCTION)
        return NULL;
    return &woven->functions[module->ids[id].function - module->functions];
}

bool woven_is_to(const struct woven *woven, const struct spv_instruction *parameter,
                 SpvStorageClass storage)
{
    const struct spv_type *type = woven_pointer(woven->module, parameter->result);
    return type && type->storage == storage;
}

/* ---- accesses ---- */

static void add_access(struct woven_accessed *accessed, uint32_t shift, bool is_written)
{
    if (!accessed->is_accessed || shift < accessed->shift)
        accessed->shift = shift;
    accessed->is_accessed = true;
    accessed->is_written |= is_written;
}

static void note_access(const struct survey *survey, const struct spv_instruction *at,
                        const struct woven_access *access)
{
    struct woven *woven = survey->woven;
    struct woven_function *function = survey->function;
    const uint32_t pointer = at->operands[access->pointer];
    const SpvStorageClass storage = woven_pointer(woven->module, pointer)->storage;
    const struct woven_root root = woven_root_of(woven, pointer);
    const uint32_t shift = (uint32_t)__builtin_ctz(access->element);
    const bool is_write = (access->how & WOVEN_IS_WRITE) != 0;
    function->needs_state = true;
    woven->uses_constant |= storage == SpvStorageClassUniformConstant;
    woven->uses_generic |= storage == SpvStorageClassGeneric;
    if (storage == SpvStorageClassWorkgroup || storage == SpvStorageClassGeneric) {
        function->uses_local = true;
        add_access(&function->in_local, shift, is_write);
    }
    if (storage == SpvStorageClassCrossWorkgroup && root.kind == WOVEN_ROOT_ARGUMENT)
        add_access(&function->through[root.index], shift, is_write);
    else if (storage == SpvStorageClassCrossWorkgroup || storage == SpvStorageClassGeneric)
        add_access(&function->elsewhere, shift, is_write);
}

/* ---- order ---- */

/* Is the id a constant of memory semantics that orders nothing? */
static bool is_relaxed(const struct spv_module *module, uint32_t id)
{
    const uint32_t orders = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
                            SpvMemorySemanticsAcquireReleaseMask |
                            SpvMemorySemanticsSequentiallyConsistentMask;
    uint64_t semantics;
    return spv_integer_find(module, id, &semantics) && (semantics & orders) == 0;
}

static void note_look(const struct survey *survey)
{
    survey->function->looks = true;
    survey->function->waits |= survey->is_in_loop[survey->block];
}

static void look_at_atomic(const struct survey *survey, const struct spv_instruction *at)
{
    const struct spv_module *module = survey->woven->module;
    const bool has_two =
        at->op == SpvOpAtomicCompareExchange || at->op == SpvOpAtomicCompareExchangeWeak;
    if (at->operand_count < 3 || !is_relaxed(module, at->operands[2]) ||
        (has_two && !is_relaxed(module, at->operands[3])))
        survey->function->orders = true;
    if (at->result != 0 && survey->is_used[at->result])
        note_look(survey);
}

/* Barriers of work-groups and waits for their copies, which the cells know, are not among these. */
static bool orders_otherwise(const struct spv_module *module, const struct spv_instruction *at)
{
    uint64_t scope;
    switch (at->op) {
    case SpvOpControlBarrier:
        return at->operand_count < 3 || !spv_integer_find(module, at->operands[0], &scope) ||
               scope != SpvScopeWorkgroup;
    case SpvOpMemoryBarrier:
    case SpvOpMemoryNamedBarrier:
    case SpvOpNamedBarrierInitialize:
        return true;
    case SpvOpGroupAsyncCopy:
    case SpvOpGroupWaitEvents:
        return false;
    default:
        return (at->op >= SpvOpGroupAll && at->op <= SpvOpGroupSMax) ||
               (at->op >= SpvOpGroupNonUniformElect && at->op <= SpvOpGroupNonUniformQuadSwap) ||
               (at->op >= SpvOpSubgroupBallotKHR && at->op <= SpvOpSubgroupReadInvocationKHR) ||
               (at->op >= SpvOpSubgroupShuffleINTEL && at->op <= SpvOpSubgroupImageBlockWriteINTEL);
    }
}

/* Of what orders otherwise: is it a fence, or of the whole work-group, not of sub-groups? */
static bool is_of_group(const struct spv_module *module, const struct spv_instruction *at)
{
    uint64_t scope;
    return at->op == SpvOpMemoryBarrier ||
           (at->op >= SpvOpGroupAll && at->op <= SpvOpGroupSMax && at->operand_count > 0 &&
            spv_integer_find(module, at->operands[0], &scope) && scope == SpvScopeWorkgroup);
}

/* A branch that leads no further in the order of blocks closes a loop, and each block of a loop is
 * between the ends of such a branch. Of the others there, what is unsure counts. */
static void find_loops(const struct survey *survey)
{
    const struct spv_module *module = survey->woven->module;
    const struct spv_function *function = survey->function->function;
    memset(survey->is_in_loop, 0, function->block_count * sizeof *survey->is_in_loop);
    for (uint32_t from = 0; from < function->block_count; from++) {
        const struct spv_block *block = &function->blocks[from];
        const struct spv_instruction *at = &block->instructions[block->count - 1];
        for (uint32_t i = 0; i < at->operand_count; i++) {
            const uint32_t id = at->operands[i]; /* or a number, of a switch */
            if (id < module->bound && module->ids[id].kind == SPV_ID_LABEL &&
                module->ids[id].function == function)
                for (uint32_t to = module->ids[id].index; to <= from; to++)
                    survey->is_in_loop[to] = true;
        }
    }
}

/* ---- pointers from elsewhere ---- */

static bool holds_pointers(const struct spv_type *type)
{
    if (!type)
        return true;
    for (uint32_t i = 0; type->kind == SPV_TYPE_STRUCT && i < type->member_count; i++)
        if (holds_pointers(type->members[i]))
            return true;
    if (type->kind == SPV_TYPE_ARRAY || type->kind == SPV_TYPE_VECTOR)
        return holds_pointers(type->element);
    return type->kind == SPV_TYPE_POINTER;
}

/* May the instruction make a pointer that is of no argument and of no variable? Private memory may
 * hold bytes from anywhere, but for variables that are only stored to as pointers. */
static bool is_foreign(const struct survey *survey, const struct spv_instruction *at)
{
    const struct spv_module *module = survey->woven->module;
    const struct spv_type *type = spv_type_find(module, at->type);
    const struct spv_type *from =
        at->operand_count > 0 ? woven_pointer(module, at->operands[0]) : NULL;
    const struct woven_function *called;
    switch (at->op) {
    case SpvOpConvertUToPtr:
        return true;
    case SpvOpBitcast:
        if (!type || (type->kind == SPV_TYPE_POINTER) != (from != NULL))
            return true;
        return from && holds_pointers(type->element) != holds_pointers(from->element);
    case SpvOpLoad:
        return holds_pointers(type) && !survey->woven->is_holder[at->operands[0]];
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return from && holds_pointers(from->element);
    case SpvOpFunctionCall:
        called = woven_function_of(survey->woven, at->operands[0]);
        return holds_pointers(type) && (!called || called->function->block_count == 0);
    default:
        return false;
    }
}

/* ---- instructions ---- */

static void look_at_numbers(struct woven_function *function, uint32_t op)
{
    function->multiplies |= op == SpvOpFMul || op == SpvOpVectorTimesScalar || op == SpvOpDot;
    function->adds |= op == SpvOpFAdd || op == SpvOpFSub || op == SpvOpDot;
}

static void look_at_variables(const struct survey *survey, const struct spv_instruction *at)
{
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const uint32_t id = at->operands[i];
        if (id < survey->woven->module->bound && survey->variable_at[id] != 0)
            survey->function->variables[survey->variable_at[id] - 1] = true;
    }
}

static void look_at(const struct survey *survey, const struct spv_instruction *at)
{
    struct woven *woven = survey->woven;
    const struct spv_module *module = woven->module;
    struct woven_function *function = survey->function;
    struct woven_access accesses[WOVEN_ACCESSES];
    const size_t count = woven_accesses(module, at, accesses);
    for (size_t i = 0; i < count; i++)
        note_access(survey, at, &accesses[i]);
    if (woven_is_group_copy(module, at)) {
        function->needs_state = function->uses_local = true;
        woven->site_count += 2;
    }
    woven->site_count += count;
    function->needs_state |= at->op == SpvOpControlBarrier || at->op == SpvOpGroupWaitEvents;
    function->orders |= orders_otherwise(module, at);
    function->is_hidden |= orders_otherwise(module, at) && !is_of_group(module, at);
    /* SPIR-V 1.6, 3.26: the first bit of an OpLoad's memory operands is Volatile. */
    if (at->op == SpvOpLoad && count > 0 && at->operand_count > 1 &&
        (at->operands[1] & SpvMemoryAccessVolatileMask) != 0)
        note_look(survey);
    if (woven_is_atomic(at->op))
        look_at_atomic(survey, at);
    if (at->op == SpvOpFunctionCall && at->operand_count > 0) {
        struct woven_function *called = woven_function_of(woven, at->operands[0]);
        function->is_hidden |= !called || called->function->block_count == 0;
        function->orders |= function->is_hidden;
        if (called)
            called->is_in_loop |= survey->is_in_loop[survey->block];
    }
    woven->has_foreign_pointers |= is_foreign(survey, at);
    look_at_numbers(function, at->op);
    look_at_variables(survey, at);
}

static void look_at_function(struct survey *survey)
{
    const struct spv_function *function = survey->function->function;
    find_loops(survey);
    for (survey->block = 0; survey->block < function->block_count; survey->block++) {
        const struct spv_block *block = &function->blocks[survey->block];
        for (uint32_t i = 0; i < block->count; i++)
            look_at(survey, &block->instructions[i]);
    }
}

/* ---- what is called ---- */

static bool add_accessed(struct woven_accessed *to, const struct woven_accessed *from)
{
    const struct woven_accessed had = *to;
    if (from->is_accessed)
        add_access(to, from->shift, from->is_written);
    return had.is_accessed != to->is_accessed || had.is_written != to->is_written ||
           had.shift != to->shift;
}

static bool add_flag(bool *to, bool from)
{
    const bool is_new = from && !*to;
    *to |= from;
    return is_new;
}

/* True where that was news. */
static bool add_called(const struct woven *woven, struct woven_function *to,
                       const struct woven_function *from)
{
    bool is_new = add_flag(&to->needs_state, from->needs_state);
    is_new |= add_flag(&to->orders, from->orders);
    is_new |= add_flag(&to->is_hidden, from->is_hidden);
    is_new |= add_flag(&to->looks, from->looks);
    is_new |= add_flag(&to->waits, from->waits);
    is_new |= add_flag(&to->multiplies, from->multiplies);
    is_new |= add_flag(&to->adds, from->adds);
    is_new |= add_flag(&to->uses_local, from->uses_local);
    for (uint32_t i = 0; i < woven->local_variable_count; i++)
        is_new |= add_flag(&to->variables[i], from->variables[i]);
    for (uint32_t i = 0; i < woven->global_count; i++)
        is_new |= add_accessed(&to->through[i], &from->through[i]);
    is_new |= add_accessed(&to->elsewhere, &from->elsewhere);
    is_new |= add_accessed(&to->in_local, &from->in_local);
    return is_new;
}

static bool add_all_called(const struct woven *woven, struct woven_function *function)
{
    bool is_new = false;
    for (uint32_t b = 0; b < function->function->block_count; b++) {
        const struct spv_block *block = &function->function->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            const struct spv_instruction *at = &block->instructions[i];
            struct woven_function *called =
                at->op == SpvOpFunctionCall ? woven_function_of(woven, at->operands[0]) : NULL;
            if (!called || called == function)
                continue;
            is_new |= add_called(woven, function, called);
            is_new |= add_flag(&called->is_in_loop, function->is_in_loop);
        }
    }
    return add_flag(&function->waits, function->looks && function->is_in_loop) || is_new;
}

static void spread(const struct woven *woven)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < woven->module->function_count; i++)
            if (!woven->functions[i].is_check)
                is_new |= add_all_called(woven, &woven->functions[i]);
    }
}

/* ---- what there is ---- */

static uint32_t count_arguments(const struct woven *woven, const struct spv_function *kernel,
                                SpvStorageClass storage)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        count += woven_is_to(woven, &kernel->parameters[i], storage);
    return count;
}

static void take_most(uint32_t *most, uint32_t count)
{
    *most = count > *most ? count : *most;
}

static enum status look_at_kernels(struct woven *woven, struct error *error)
{
    const struct spv_module *module = woven->module;
    if (module->child_count > 0)
        return error_set(error, STATUS_UNSUPPORTED, "it enqueues kernels");
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        const struct spv_kernel *kernel = &module->kernels[i];
        struct woven_function *function = woven_function_of(woven, kernel->function->id);
        if (kernel->phase != SPV_PHASE_KERNEL)
            return error_set(error, STATUS_UNSUPPORTED, "it has constructors of variables");
        if (function->kernel)
            return error_set(error, STATUS_UNSUPPORTED, "two kernels of it are one function");
        if (kernel->function->parameter_count > WOVEN_ARGUMENTS_MAX)
            return error_set(error, STATUS_UNSUPPORTED, "a kernel has more than %d arguments",
                             WOVEN_ARGUMENTS_MAX);
        function->kernel = kernel;
        function->needs_state = true;
        const uint32_t constants =
            count_arguments(woven, kernel->function, SpvStorageClassUniformConstant);
        woven->uses_constant |= constants > 0;
        take_most(&woven->constant_count, constants);
        take_most(&woven->global_count,
                  count_arguments(woven, kernel->function, SpvStorageClassCrossWorkgroup));
        take_most(&woven->local_count,
                  count_arguments(woven, kernel->function, SpvStorageClassWorkgroup));
    }
    return STATUS_OK;
}

static enum status look_at_module_variables(struct survey *survey, struct error *error)
{
    struct woven *woven = survey->woven;
    const struct spv_module *module = woven->module;
    woven->local_variables = arena_alloc(woven->arena, (size_t)module->variable_count + 1,
                                         sizeof *woven->local_variables);
    if (!woven->local_variables)
        return error_no_memory(error, module->variable_count);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct spv_module_variable *variable = module->variables[i];
        if (variable->id >= woven->program_bound)
            continue;
        if (variable->storage == SpvStorageClassCrossWorkgroup)
            return error_set(error, STATUS_UNSUPPORTED, "it has variables in global memory");
        woven->has_constants |= variable->storage == SpvStorageClassUniformConstant;
        if (variable->storage != SpvStorageClassWorkgroup)
            continue;
        woven->local_variables[woven->local_variable_count++] = variable->id;
        survey->variable_at[variable->id] = woven->local_variable_count;
    }
    if (woven->local_variable_count > WOVEN_LOCALS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "it has more than %d variables in local memory",
                         WOVEN_LOCALS_MAX);
    return STATUS_OK;
}

/* False when memory is out. */
static bool make_functions(struct woven *woven)
{
    const struct spv_module *module = woven->module;
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct woven_function *function = &woven->functions[i];
        function->variables =
            arena_alloc(woven->arena, (size_t)woven->local_variable_count + 1, sizeof(bool));
        function->through =
            arena_alloc(woven->arena, (size_t)woven->global_count + 1, sizeof *function->through);
        if (!function->variables || !function->through)
            return false;
    }
    return true;
}

/* Of a call only its arguments are looked at, and what they are stays unsure of numbers. */
static void find_used(struct survey *survey)
{
    const struct spv_module *module = survey->woven->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        for (uint32_t b = 0; b < module->functions[f].block_count; b++) {
            const struct spv_block *block = &module->functions[f].blocks[b];
            for (uint32_t i = 0; i < block->count; i++)
                for (uint32_t k = 0; k < block->instructions[i].operand_count; k++)
                    if (block->instructions[i].operands[k] < module->bound)
                        survey->is_used[block->instructions[i].operands[k]] = true;
        }
    }
}

static void look_at_functions(struct survey *survey)
{
    struct woven *woven = survey->woven;
    for (uint32_t i = 0; i < woven->module->function_count; i++) {
        survey->function = &woven->functions[i];
        if (!survey->function->is_check)
            look_at_function(survey);
    }
    for (uint32_t i = 0; i < woven->module->function_count; i++)
        woven->uses_local |= woven->functions[i].uses_local;
    spread(woven);
}

enum status woven_survey(struct woven *woven, struct error *error)
{
    const struct spv_module *module = woven->module;
    struct survey survey = {.woven = woven};
    survey.variable_at =
        arena_alloc(woven->arena, (size_t)module->bound + 1, sizeof *survey.variable_at);
    survey.is_used = arena_alloc(woven->arena, (size_t)module->bound + 1, sizeof(bool));
    survey.is_in_loop = arena_alloc(woven->arena, (size_t)module->bound + 1, sizeof(bool));
    woven->functions =
        arena_alloc(woven->arena, (size_t)module->function_count + 1, sizeof *woven->functions);
    if (!survey.variable_at || !survey.is_used || !survey.is_in_loop || !woven->functions)
        return error_no_memory(error, module->bound);
    for (uint32_t i = 0; i < module->function_count; i++) {
        woven->functions[i].function = &module->functions[i];
        woven->functions[i].is_check = module->functions[i].id >= woven->program_bound;
    }
    enum status status = look_at_kernels(woven, error);
    if (status == STATUS_OK)
        status = look_at_module_variables(&survey, error);
    if (status != STATUS_OK)
        return status;
    if (!make_functions(woven) || !woven_find_roots(woven))
        return error_no_memory(error, module->bound);
    find_used(&survey);
    look_at_functions(&survey);
    return STATUS_OK;
}

/* ---- what is asked of kernels ---- */

/* SPIR-V 1.6, FP Fast Math Mode: do some of these let instructions be fused whatever the kernel
 * says?
 */
static bool fuses(const struct spv_instruction *at)
{
    enum { ALLOW_CONTRACT = 0x10000, ALLOW_REASSOC = 0x20000 }; /* newer than Debian 12's headers */
    const uint32_t modes = SpvFPFastMathModeFastMask | ALLOW_CONTRACT | ALLOW_REASSOC;
    return at->op == SpvOpDecorate && at->operand_count == 3 &&
           at->operands[1] == SpvDecorationFPFastMathMode && (at->operands[2] & modes) != 0;
}

/* SPIR-V 1.6, Execution Mode ContractionOff; without it a product and a sum may be fused. */
static bool contracts(const struct spv_module *module, uint32_t kernel)
{
    bool is_off = false;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        if (at->op == SpvOpFunction)
            break;
        if (at->op == SpvOpExecutionMode && at->operands[0] == kernel &&
            at->operands[1] == SpvExecutionModeContractionOff)
            is_off = true;
        if (fuses(at))
            return true;
    }
    return !is_off;
}

const char *woven_reason(const struct woven *woven, const struct woven_function *kernel)
{
    if (kernel->multiplies && kernel->adds && contracts(woven->module, kernel->function->id))
        return "its compiler may fuse products and sums of it, and with checks might not";
    return "";
}

struct woven_accessed woven_accessed(const struct woven_function *kernel, uint32_t index)
{
    struct woven_accessed accessed = kernel->elsewhere;
    add_accessed(&accessed, &kernel->through[index]);
    if (!accessed.is_accessed)
        accessed.shift = WOVEN_SHIFT_MAX;
    return accessed;
}

bool woven_has_cells(const struct woven_function *kernel)
{
    return !kernel->is_hidden;
}

/* Groups that wait for each other may all have to run at once, and cells leave less local memory
 * for that. */
bool woven_waits(const struct woven_function *kernel)
{
    return kernel->uses_local && kernel->orders && kernel->waits;
}

bool woven_has_local_cells(const struct woven_function *kernel)
{
    return kernel->uses_local && woven_has_cells(kernel) && !woven_waits(kernel);
}

static uint32_t at_least_one(uint32_t count)
{
    return count > 0 ? count : 1;
}

/* checks.cl, struct clerk_k; woven.cl makes sure. */
uint32_t woven_state_words(const struct woven *woven)
{
    return 24 + 5 * at_least_one(woven->global_count) + 3 * at_least_one(woven->constant_count) +
           3 * at_least_one(woven->local_count + woven->local_variable_count);
}
