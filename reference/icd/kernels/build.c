/* Executables. Every kernel is lowered when the program is built, so that what the device cannot do
 * is a build error and not a surprise at the launch. */
#include "reference/icd/kernels/build.h"

#include "reference/icd/commands/executor.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/byte_order.h"
#include "reference/icd/kernels/initialisers.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"
#include "reference/lower/lower.h"
#include "reference/native/native.h"
#include "reference/sched/ndrange.h"
#include "reference/sched/permute.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"
#include "trace/base/visible.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

static void destroy_codes(struct vm_code **codes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vm_code_destroy(codes[i]);
    alloc_free(codes);
}

static void destroy(struct build *build)
{
    for (size_t i = 0; i < build->variable_count; i++) {
        if (build->variables[i] != 0)
            vm_memory_free_object(icd_memory(), build->variables[i]);
    }
    destroy_codes(build->codes, build->kernel_count);
    destroy_codes(build->finalisers, build->finaliser_count);
    destroy_codes(build->children, build->child_count);
    if (build->module)
        spv_module_destroy(build->module);
    debug_info_destroy(build->debug);
    sources_drop(build->sources);
    alloc_free(build->variables);
    alloc_free(build);
}

void build_hold(struct build *build)
{
    build->holds++;
}

/* A sentence that starts with a place, "<source>:12:7: ...", becomes the error of that place, if it
 * is not that already. */
static void log_error(struct text *log, const char *sentence)
{
    if (strstr(sentence, ": error: ") || strncmp(sentence, "error: ", 7) == 0) {
        text_format(log, "%s\n", sentence);
        return;
    }
    const char *colon = strstr(sentence, ": ");
    const char *digits = colon;
    while (digits && digits > sentence && strchr("0123456789:", digits[-1]))
        digits--;
    if (digits && digits > sentence && digits < colon)
        text_format(log, "%.*s: error: %s\n", (int)(colon - sentence), sentence, colon + 2);
    else
        text_format(log, "error: %s\n", sentence);
}

static enum status log_no_memory(struct text *log)
{
    text_append(log, "error: out of memory\n");
    return STATUS_NO_MEMORY;
}

/* What every code gets, and must keep to. */
static enum status finish_code(struct build *build, struct vm_code *code, struct text *log)
{
    code->attributes =
        vector_hint_with_sign(code->attributes, build->sources, code->name, &code->arena);
    if (!code->attributes)
        return log_no_memory(log);
    code->source_line = sources_line;
    code->program = build->sources;
    code->native = native_source_create(code);
    const uint64_t only = limits_personality()->sub_group_size;
    if (code->required_sub_group_size == 0 || only == 0 || code->required_sub_group_size == only)
        return STATUS_OK;
    text_format(log, "error: kernel '%s' requires a sub-group size of %u; the device has %llu\n",
                code->name, code->required_sub_group_size, (unsigned long long)only);
    return STATUS_UNSUPPORTED;
}

static bool wants_remarks(void)
{
    const struct launch_options options = options_launch();
    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (checks_has(&options.checks, (enum rule_index)i) &&
            strcmp(rule_get((enum rule_index)i)->group, "portability") == 0)
            return true;
    }
    return false;
}

static bool variables_are_in_memory(void)
{
    return strcmp(setting_value(SETTING_VARIABLES), "memory") == 0;
}

static enum status lower_kernels(struct build *build, struct text *log)
{
    enum status result = STATUS_OK;
    struct error error;
    const struct vm_lower_options options = {.big_endian = limits_personality()->big_endian,
                                             .flush = limits_flushes(),
                                             .fused = limits_personality()->fused,
                                             .remarks = wants_remarks(),
                                             .apart = true,
                                             .least_atomics = !limits_keep(KEPT_OPTIONAL),
                                             .source_line = build->sources ? sources_line : NULL,
                                             .program = build->sources,
                                             .debug = build->debug,
                                             .debug_in_memory = variables_are_in_memory()};
    build->kernel_count = spv_module_kernel_count(build->module);
    build->child_count = spv_module_child_count(build->module);
    build->codes = alloc_zero(build->kernel_count, sizeof(struct vm_code *));
    build->children = alloc_zero(build->child_count, sizeof(struct vm_code *));
    if (!build->codes || !build->children) {
        build->kernel_count = build->child_count = 0;
        return log_no_memory(log);
    }
    for (size_t i = 0; i < build->kernel_count + build->child_count; i++) {
        const size_t child = i - build->kernel_count;
        const bool is_child = i >= build->kernel_count;
        struct vm_code **code = is_child ? &build->children[child] : &build->codes[i];
        if (!is_child && spv_module_kernel_phase(build->module, i) == SPV_PHASE_CHILD)
            continue;
        enum status status =
            is_child ? vm_lower_child(build->module, child, &options, code, &error)
                     : vm_lower_kernel(build->module, spv_module_kernel_name(build->module, i),
                                       &options, code, &error);
        if (status != STATUS_OK)
            log_error(log, error.text);
        else
            status = finish_code(build, *code, log);
        if (status != STATUS_OK)
            result = status;
    }
    return result;
}

static enum status make_variable(struct build *build, size_t index, struct error *error)
{
    const struct spv_variable *variable = spv_module_variable(build->module, index);
    const bool is_pipe = variable->packet_size != 0;
    const struct vm_buffer_info info = {
        .size = variable->size > 0 ? variable->size : 1,
        .constant = variable->constant,
        .defined = !is_pipe, /* OpenCL C 3.0, 6.8: without initialiser they are zero */
        .packet_size = variable->packet_size,
        .name = variable->name,
        .origin = is_pipe ? "program-scope pipe" : "program-scope variable",
    };
    return vm_memory_create_object(icd_memory(), &info, &build->variables[index], error);
}

/* Bytes and addresses; every variable has its number by now. */
static void initialise_variable(struct build *build, size_t index)
{
    const struct spv_variable *variable = spv_module_variable(build->module, index);
    const uint32_t object = build->variables[index];
    if (variable->initialiser)
        vm_memory_write(icd_memory(), object, 0, variable->initialiser, variable->size);
    for (size_t i = 0; i < variable->relocation_count; i++) {
        const struct spv_relocation *relocation = &variable->relocations[i];
        ASSERT(relocation->variable < build->variable_count);
        const uint64_t pointer =
            vm_pointer_make(build->variables[relocation->variable], relocation->addend);
        vm_memory_write(icd_memory(), object, relocation->offset, &pointer, sizeof(pointer));
    }
    byte_order_turn_variable(variable->type, object);
}

static enum status make_variables(struct build *build, struct text *log)
{
    struct error error;
    const size_t count = spv_module_variable_count(build->module);
    uint64_t global_total = 0, constant_total = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *variable = spv_module_variable(build->module, i);
        uint64_t *total = variable->constant ? &constant_total : &global_total;
        if (variable->packet_size > limits_get(LIMIT_PIPE_PACKET_SIZE)) {
            text_format(log, "error: the pipe '%s' has packets of %u bytes; the most is %llu\n",
                        variable->name, variable->packet_size,
                        (unsigned long long)limits_get(LIMIT_PIPE_PACKET_SIZE));
            return STATUS_UNSUPPORTED;
        }
        if (!size_add(*total, variable->size, total) || *total > limits_get(LIMIT_ALLOCATION)) {
            text_append(log, "error: the program-scope variables are too large\n");
            return STATUS_UNSUPPORTED;
        }
    }
    if (count == 0)
        return STATUS_OK;
    build->variables = alloc_zero(count, sizeof(*build->variables));
    if (!build->variables)
        return log_no_memory(log);
    build->variable_count = count;
    for (size_t i = 0; i < count; i++) {
        const enum status status = make_variable(build, i, &error);
        if (status != STATUS_OK) {
            text_format(log, "error: %s\n", error.text);
            return status;
        }
    }
    for (size_t i = 0; i < count; i++)
        initialise_variable(build, i);
    return STATUS_OK;
}

/* Runs an entry point of one work-item while no command runs. `touched`: by it, or NULL. Locked. */
static enum status run_alone(const struct build *build, const struct vm_code *code,
                             struct touched *touched, struct error *error)
{
    struct sched_result result;
    const struct launch_options options = options_launch();
    fenv_t environment;
    if (code->parameter_count > 0)
        return error_set(error, STATUS_MALFORMED, "'%s' has parameters", code->name);
    uint32_t *globals = alloc_zero(code->global_count + 1, sizeof(*globals));
    if (!globals)
        return error_no_memory(error, (code->global_count + 1) * sizeof(*globals));
    for (uint32_t i = 0; i < code->global_count; i++)
        globals[i] = build->variables[code->globals[i].index];
    executor_stop();
    const struct sched_launch launch = {
        .code = code,
        .memory = icd_memory(),
        .dimensions = 1,
        .global_size = {1, 1, 1},
        .local_size = {1, 1, 1},
        .globals = globals,
        .observer = findings_observer(&options, touched),
        .sub_group_size = 1,
        .operation_limit = options.sched.operation_limit,
        .label = code->name,
        .print = options.sched.print,
        .user = options.sched.user,
    };
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    enum status status = sched_run(&launch, &result, error);
    fesetenv(&environment);
    if (status == STATUS_OK && result.exhausted)
        status = error_set(error, STATUS_UNSUPPORTED, "'%s' does not end", code->name);
    alloc_free(globals);
    return status;
}

static void run_finalisers(const struct build *build)
{
    struct error error;
    for (size_t i = build->finaliser_count; i > 0; i--) {
        if (run_alone(build, build->finalisers[i - 1], NULL, &error) != STATUS_OK)
            visible_tell("clerk: in the destructors of program-scope variables: %s\n", error.text);
    }
}

/* Puts codes of linked programs, which stand as these were linked, into the order of the schedule.
 * False when memory is out. */
static bool put_in_order(struct vm_code **codes, size_t count)
{
    enum { STREAM = 17 };
    const struct launch_options options = options_launch();
    struct vm_code **copy = alloc_zero(count + 1, sizeof(*copy));
    if (!copy)
        return false;
    memcpy(copy, codes, count * sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        codes[i] = copy[permute(options.sched.order, options.sched.seed, STREAM, i, count)];
    alloc_free(copy);
    return true;
}

/* Locked. */
static enum status run_initialisers(const struct build *build, struct vm_code *const *codes,
                                    size_t count, bool linked, struct text *log)
{
    struct error error;
    enum status status = STATUS_OK;
    const struct launch_options options = options_launch();
    const bool judged = linked && count > 1 && checks_has(&options.checks, RULE_INITIALISER_ORDER);
    struct initialiser *run = alloc_zero(count + 1, sizeof(*run));
    if (!run)
        return log_no_memory(log);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        run[i].code = codes[i];
        run[i].touched = (struct touched){.apart = true, .group = TOUCHED_ALL_GROUPS};
        status = run_alone(build, codes[i], judged ? &run[i].touched : NULL, &error);
    }
    if (status != STATUS_OK)
        text_format(log, "error: in the constructors of program-scope variables: %s\n", error.text);
    else if (judged)
        initialisers_judge(&options.checks, run, count);
    for (size_t i = 0; i < count; i++)
        touched_release(&run[i].touched);
    alloc_free(run);
    return status;
}

/* SPIR-V 1.6, 3.6: an Initializer is "executed before the kernels" of its module, as one work-item;
 * a Finalizer after them. Leaves in `codes` only what the application may start. */
static enum status finish_entry_points(struct build *build, bool linked, struct text *log)
{
    size_t kept = 0, count = 0;
    struct vm_code **initialisers = alloc_zero(build->kernel_count + 1, sizeof(*initialisers));
    build->finalisers = alloc_zero(build->kernel_count + 1, sizeof(*build->finalisers));
    if (!build->finalisers || !initialisers) {
        alloc_free(initialisers);
        return log_no_memory(log);
    }
    for (size_t i = 0; i < build->kernel_count; i++) {
        struct vm_code *code = build->codes[i];
        const enum spv_phase phase = spv_module_kernel_phase(build->module, i);
        build->codes[i] = NULL;
        if (phase == SPV_PHASE_KERNEL)
            build->codes[kept++] = code;
        else if (phase == SPV_PHASE_FINALISER)
            build->finalisers[build->finaliser_count++] = code;
        else if (phase == SPV_PHASE_INITIALISER)
            initialisers[count++] = code;
        else
            vm_code_destroy(code);
    }
    build->kernel_count = kept;
    build->constructed = count > 0;
    icd_lock();
    enum status status = !linked || (put_in_order(initialisers, count) &&
                                     put_in_order(build->finalisers, build->finaliser_count))
                             ? STATUS_OK
                             : log_no_memory(log);
    if (status == STATUS_OK)
        status = run_initialisers(build, initialisers, count, linked, log);
    icd_unlock();
    destroy_codes(initialisers, count);
    return status;
}

void build_drop(struct build *build)
{
    ASSERT(build->holds > 0);
    if (--build->holds > 0)
        return;
    run_finalisers(build);
    for (size_t i = 0; i < build->variable_count; i++) {
        if (build->variables[i] != 0)
            races_object_destroyed(build->variables[i]);
    }
    destroy(build);
}

/* The module has pointers as wide as the device's, and none in initialisers if they are narrow: the
 * addresses that stand for them there are a launch's to give. */
static enum status check_pointers(const struct spv_module *module, struct text *log)
{
    const bool narrow = limits_personality()->narrow != 0;
    if (spv_module_is_narrow(module) != narrow) {
        text_format(log,
                    "error: the module is Physical%s, for pointers of %s bits, and the device has "
                    "pointers of %s: use one %s\n",
                    narrow ? "64" : "32", narrow ? "64" : "32", narrow ? "32" : "64",
                    narrow ? "without the personality 32-bit"
                           : "of the personality 32-bit (clerk kernel --personality 32-bit)");
        return STATUS_UNSUPPORTED;
    }
    for (size_t i = 0; narrow && i < spv_module_variable_count(module); i++) {
        const struct spv_variable *variable = spv_module_variable(module, i);
        if (variable->relocation_count == 0)
            continue;
        text_format(log,
                    "error: the program-scope variable '%s' starts with a pointer, which is not "
                    "supported on a 32-bit device\n",
                    variable->name);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

enum status build_create(const struct build_request *request, struct text *log,
                         struct build **result)
{
    struct error error;
    struct build *build = alloc_zero(1, sizeof(*build));
    if (!build)
        return log_no_memory(log);
    build->holds = 1;
    build->sources = sources_retain(request->sources);
    enum status status =
        request->debug ? debug_info_read(request->debug, request->debug_size, &build->debug, &error)
                       : STATUS_OK;
    if (status == STATUS_OK)
        status = spv_module_parse(request->spirv, request->size, &build->module, &error);
    if (status != STATUS_OK)
        log_error(log, error.text);
    if (status == STATUS_OK)
        status = check_pointers(build->module, log);
    if (status == STATUS_OK)
        status = lower_kernels(build, log);
    if (status == STATUS_OK)
        status = make_variables(build, log);
    if (status == STATUS_OK)
        status = finish_entry_points(build, request->linked, log);
    if (status == STATUS_OK)
        *result = build;
    else
        destroy(build);
    return status;
}

const struct vm_code *build_find_kernel(const struct build *build, const char *name)
{
    for (size_t i = 0; i < build->kernel_count; i++) {
        if (strcmp(build->codes[i]->name, name) == 0)
            return build->codes[i];
    }
    return NULL;
}
