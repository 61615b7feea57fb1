/* Steps about programs and the devices that they are for. */
#include "checkers/host/checker.h"
#include "checkers/host/objects/binaries.h"

#include <inttypes.h>
#include <string.h>

/* ---- devices ---- */

uint32_t device_index(const struct device_list *devices, uint64_t device)
{
    uint32_t index = 0;
    while (index < devices->count && devices->handles[index] != device)
        ++index;
    return index;
}

static bool is_device(const struct judged *judged, uint64_t handle)
{
    return object_is_usable(object_state(judged->checker->objects, handle), API_OBJECT_DEVICE);
}

/* argument device, other context */
void judge_device_of_context(struct judged *judged, const struct step *step)
{
    const uint64_t device = judged_bits(judged, step->argument);
    struct device_list devices;
    if (is_device(judged, device) &&
        judged_devices(judged, judged_bits(judged, step->other), &devices) &&
        device_index(&devices, device) == devices.count)
        blame_step(judged, step, judged_bits(judged, step->other), "is not a device of %s",
                   judged_name(judged, step->other));
}

static void judge_device_list(struct judged *judged, const struct step *step,
                              const struct device_list *devices)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    for (uint32_t i = 0; devices->count != 0 && i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t device = list_word(list, i);
        if (!is_device(judged, device) || device_index(devices, device) < devices->count)
            continue;
        blame_element(judged, step, i, judged_bits(judged, step->other), "is not a device of %s",
                      judged_name(judged, step->other));
        return;
    }
}

/* argument device_list, other context */
void judge_devices_of_context(struct judged *judged, const struct step *step)
{
    struct device_list devices;
    if (judged_devices(judged, judged_bits(judged, step->other), &devices))
        judge_device_list(judged, step, &devices);
}

static bool program_of(const struct judged *judged, uint64_t handle, struct program_traits *program)
{
    return judged_traits(judged, handle, API_OBJECT_PROGRAM, program) && program->made_by != 0;
}

/* argument device_list, other program */
void judge_devices_of_program(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    if (program_of(judged, judged_bits(judged, step->other), &program))
        judge_device_list(judged, step, &program.devices);
}

/* argument device, other program */
void judge_device_of_program(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    const uint64_t device = judged_bits(judged, step->argument);
    if (is_device(judged, device) &&
        program_of(judged, judged_bits(judged, step->other), &program) &&
        program.devices.count != 0 &&
        device_index(&program.devices, device) == program.devices.count)
        blame_step(judged, step, 0, "is not a device of %s", judged_name(judged, step->other));
}

/* Has each device of the program, or context, the fact as 0? */
static bool all_lack(const struct judged *judged, const struct device_list *devices,
                     enum device_fact fact)
{
    uint64_t value;
    for (uint32_t i = 0; i < devices->count; ++i)
        if (!judged_device_fact(judged, devices->handles[i], fact, &value) || value != 0)
            return false;
    return devices->count != 0;
}

/* argument program: it has an executable for the device of the queue */
void judge_program_built(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const struct queue_traits *queue = judged_queue(judged);
    struct program_traits program;
    if (!queue || !program_of(judged, handle, &program))
        return;
    const uint32_t index = device_index(&program.devices, queue->device);
    if (index < program.devices.count && program_lacks(&program, index))
        blame_step(judged, step, handle, "is not built for the device of command_queue");
}

/* ---- building ---- */

/* argument program: nothing hangs on it */
void judge_no_kernels(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct object_facts facts;
    if (object_state(judged->checker->objects, handle).standing == OBJECT_USABLE &&
        object_describe(judged->checker->objects, handle, &facts) &&
        facts.kind == API_OBJECT_PROGRAM && facts.dependents > 0) {
        advise(judged, ADVICE_PROGRAM_KERNELS);
        blame_step(judged, step, handle, "has %" PRIu32 " kernel object%s; release %s first",
                   facts.dependents, facts.dependents == 1 ? "" : "s",
                   facts.dependents == 1 ? "it" : "them");
    }
}

static bool is_from_source(uint32_t made_by)
{
    return made_by == API_ENTRY_clCreateProgramWithSource ||
           made_by == API_ENTRY_clCreateProgramWithIL ||
           made_by == API_ENTRY_clCreateProgramWithILKHR;
}

/* argument program: it has something to build */
void judge_buildable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct program_traits program;
    if (program_of(judged, handle, &program) && !is_from_source(program.made_by) &&
        program.made_by != API_ENTRY_clCreateProgramWithBinary) {
        advise(judged, ADVICE_PROGRAM_READY);
        blame_step(judged, step, handle, "was made by %s; there is nothing to build",
                   api_entry_get(program.made_by)->name);
    }
}

/* argument program: it has something to compile. A binary may be SPIR (cl_khr_spir). */
void judge_compilable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct program_traits program;
    if (!program_of(judged, handle, &program) || is_from_source(program.made_by))
        return;
    if (program.made_by == API_ENTRY_clCreateProgramWithBinary)
        blame_unsure(judged, step, "was made by clCreateProgramWithBinary; there is no source");
    else
        advise(judged, ADVICE_PROGRAM_READY),
            blame_step(judged, step, handle, "was made by %s; there is no source",
                       api_entry_get(program.made_by)->name);
}

/* argument program: the build before has ended */
void judge_build_ended(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    if (!program_of(judged, judged_bits(judged, step->argument), &program))
        return;
    for (uint32_t i = 0; i < program.devices.count; ++i)
        if (program.status[i] == PROGRAM_IN_PROGRESS || program.status[i] == 0) {
            blame_unsure(judged, step, "is being built by an earlier call");
            return;
        }
}

/* argument program: its devices have a compiler */
void judge_compiler(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    if (program_of(judged, judged_bits(judged, step->argument), &program) &&
        is_from_source(program.made_by) && all_lack(judged, &program.devices, DEVICE_FACT_COMPILER))
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is for devices without a compiler (CL_DEVICE_COMPILER_AVAILABLE)");
}

/* argument context: its devices have the fact */
static void judge_context_has(struct judged *judged, const struct step *step, enum device_fact fact,
                              const char *what)
{
    struct device_list devices;
    const uint64_t context = judged_bits(judged, step->argument);
    if (judged_devices(judged, context, &devices) && all_lack(judged, &devices, fact))
        blame_step(judged, step, context, "has no device with %s", what);
}

void judge_linker(struct judged *judged, const struct step *step)
{
    judge_context_has(judged, step, DEVICE_FACT_LINKER, "a linker (CL_DEVICE_LINKER_AVAILABLE)");
}

void judge_il_of_context(struct judged *judged, const struct step *step)
{
    judge_context_has(judged, step, DEVICE_FACT_IL,
                      "an intermediate language (CL_DEVICE_IL_VERSION)");
}

void judge_pipes_of_context(struct judged *judged, const struct step *step)
{
    judge_context_has(judged, step, DEVICE_FACT_PIPES, "pipes (CL_DEVICE_PIPE_SUPPORT)");
}

void judge_svm_of_context(struct judged *judged, const struct step *step)
{
    judge_context_has(judged, step, DEVICE_FACT_SVM,
                      "shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)");
}

/* argument input_programs, other context: each was compiled, or is a library */
void judge_linkable(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct program_traits program;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        if (!program_of(judged, handle, &program) || !is_from_source(program.made_by) ||
            judged_context(judged, handle) != judged_bits(judged, step->other))
            continue;
        uint32_t untouched = 0;
        uint32_t failed = 0;
        for (uint32_t j = 0; j < program.devices.count; ++j) {
            untouched += program.status[j] == PROGRAM_NONE;
            failed += program.status[j] == PROGRAM_FAILED;
        }
        if (untouched + failed == program.devices.count && untouched + failed != 0) {
            advise(judged, ADVICE_PROGRAM_COMPILE_FIRST);
            blame_element(judged, step, i, handle,
                          failed ? "is a program that failed to compile"
                                 : "is a program that was never compiled");
            return;
        }
    }
}

/* argument program: it is of an intermediate language */
void judge_from_il(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct program_traits program;
    if (program_of(judged, handle, &program) &&
        program.made_by != API_ENTRY_clCreateProgramWithIL &&
        program.made_by != API_ENTRY_clCreateProgramWithILKHR) {
        advise(judged, ADVICE_PROGRAM_CONSTANT);
        blame_step(judged, step, handle, "was made by %s, not from an intermediate language",
                   api_entry_get(program.made_by)->name);
    }
}

/* Does a build for the devices of this list, NULL for all, build for that one? */
static bool is_built_for(const struct api_value *list, uint64_t device)
{
    if (list->kind != API_VALUE_HANDLES)
        return !list->present;
    for (uint32_t i = 0; i < list->count; ++i)
        if (list_word(list, i) == device)
            return true;
    return false;
}

/* argument options, at[1] program, at[2] device_list: the program is made from a binary, and these
 * are the options that it was built with. NULL stands for them, and a string without options
 * contains nothing else either. What clLinkProgram is given has been compiled, with options of
 * another list than the linker's: nothing is said of it. */
void judge_binary_options(struct judged *judged, const struct step *step)
{
    const struct api_value *options = &judged->call->arguments[step->argument];
    const struct api_value *list = &judged->call->arguments[step->at[2]];
    const uint64_t handle = judged_bits(judged, step->at[1]);
    struct program_traits program;
    if (options->kind != API_VALUE_STRING || !options->data || !judged->checker->binaries ||
        !binary_any(judged->checker->binaries) || !program_of(judged, handle, &program) ||
        program.made_by != API_ENTRY_clCreateProgramWithBinary)
        return;
    const char *given =
        binary_keep_options(judged->checker->binaries, options->data, options->size);
    if (!given || binary_options_agree(given, ""))
        return;
    for (uint32_t i = 0; i < program.devices.count; ++i) {
        const char *built = program.options[i];
        if (!built || binary_options_agree(built, given) ||
            !is_built_for(list, program.devices.handles[i]))
            continue;
        blame_step(judged, step, handle, "is '%.100s', and the binary was built with %s%.100s%s",
                   given, *built ? "'" : "no options", built, *built ? "'" : "");
        return;
    }
}

/* ---- what a build made ---- */

bool program_lacks(const struct program_traits *program, uint32_t index)
{
    if (program->status[index] == PROGRAM_BUILT)
        return program->binary[index] == BINARY_OBJECT || program->binary[index] == BINARY_LIBRARY;
    return program->status[index] == PROGRAM_NONE || program->status[index] == PROGRAM_FAILED;
}

bool judged_program_of(const struct judged *judged, uint64_t kernel, struct program_traits *program)
{
    struct object_table *objects = judged->checker->objects;
    return object_is_usable(object_state(objects, kernel), API_OBJECT_KERNEL) &&
           object_get_traits(objects, object_parent(objects, kernel), API_OBJECT_PROGRAM,
                             program) &&
           program->made_by != 0;
}

/* Is it certain that there is no executable for any device? 1 yes, 0 no, -1 not quite. */
static int lacks_executable(const struct program_traits *program)
{
    for (uint32_t i = 0; i < program->devices.count; ++i)
        if (!program_lacks(program, i))
            return program->status[i] == 0 ? -1 : 0;
    if (program->devices.count == 0 || program->made_by == API_ENTRY_clCreateProgramWithBinary)
        return -1;
    return 1;
}

/* argument program: an executable was built */
void judge_executable(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct program_traits program;
    if (!program_of(judged, handle, &program))
        return;
    const int lacks = lacks_executable(&program);
    if (lacks == 1)
        blame_step(judged, step, handle, "is not built for any of its devices");
    else if (lacks == -1)
        blame_unsure(judged, step, "is not built for any of its devices");
}

/* argument kernel: its program was built so that a driver knows its arguments */
void judge_argument_info(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    if (judged_program_of(judged, judged_bits(judged, step->argument), &program) &&
        program.made_by == API_ENTRY_clCreateProgramWithSource && program.without_argument_info)
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is of a program that was built without -cl-kernel-arg-info");
}

/* argument param_name, other program: some names are about an executable */
void judge_program_query(struct judged *judged, const struct step *step)
{
    struct step blamed = *step;
    switch (judged_bits(judged, step->argument)) {
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES:
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        blamed.argument = step->other;
        judge_executable(judged, &blamed);
        break;
    default:
        break;
    }
}
