/* Steps about kernels: what an argument is set to, and with which sizes they are launched. */
#include "checkers/host/checker.h"

#include "trace/api/foreign.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <string.h>

/* ---- one argument ---- */

/* argument arg_index, of the kernel that is the first parameter: it has such an argument. Returns
 * what is known of it. */
static const struct argument_traits *judged_argument(struct judged *judged, const struct step *step)
{
    static const struct argument_traits nothing;
    const uint64_t handle = judged_bits(judged, 0);
    const uint64_t index = judged_bits(judged, step->argument);
    const struct kernel_traits *kernel = judged_kernel(judged, handle);
    if (!kernel)
        return &nothing;
    if (kernel->count_known && index >= kernel->argument_count) {
        const uint32_t count = kernel->argument_count;
        advise(judged, ADVICE_ARGUMENT_INDEX);
        blame_as(judged, RULE_KERNEL_ARGUMENT, CL_INVALID_ARG_INDEX, step->argument, handle,
                 "is %" PRIu64 "; the kernel has %" PRIu32 " argument%s", index, count,
                 count == 1 ? "" : "s");
    }
    return index < TRAITS_ARGUMENTS_MAX ? &kernel->arguments[index] : &nothing;
}

void judge_argument_index(struct judged *judged, const struct step *step)
{
    judged_argument(judged, step);
}

/* The same, and it is a pointer to memory that the host can name. */
void judge_pointer_argument(struct judged *judged, const struct step *step)
{
    const enum argument_kind kind = argument_kind(judged_argument(judged, step));
    if (kind == ARGUMENT_UNKNOWN || kind == ARGUMENT_BUFFER)
        return;
    advise(judged, ADVICE_ARGUMENT_NO_POINTER);
    blame_step(judged, step, judged_bits(judged, 0),
               "is %" PRIu64 ", an argument that is not a pointer to global or constant memory",
               judged_bits(judged, step->argument));
}

/* A call of clSetKernelArg. */
struct setting {
    struct judged *judged;
    const struct step *step; /* arg_index, arg_size, arg_value */
    const struct api_value *value;
    uint64_t kernel, size;
    uint64_t handle; /* what the value is if it is a handle */
    const struct argument_traits *argument;
};

static void blame_value(const struct setting *setting, int32_t error, enum advice advice,
                        const char *what)
{
    advise(setting->judged, advice);
    blame_as(setting->judged, RULE_KERNEL_ARGUMENT, error, setting->step->at[2], setting->kernel,
             "%s", what);
}

static bool size_is(const struct setting *setting, uint64_t size, enum advice advice,
                    const char *what)
{
    if (setting->size == size)
        return true;
    advise(setting->judged, advice);
    blame_as(setting->judged, RULE_KERNEL_ARGUMENT, CL_INVALID_ARG_SIZE, setting->step->other,
             setting->kernel, "is %" PRIu64 "; the argument is %s of %" PRIu64 " bytes",
             setting->size, what, size);
    return false;
}

/* Is the value as large as such a handle, and not NULL? `what` the argument is. */
static bool is_given(const struct setting *setting, const char *type, int32_t error,
                     const char *what)
{
    if (!size_is(setting, sizeof(void *), ADVICE_ARGUMENT_HANDLE_SIZE, type))
        return false;
    if (setting->handle != 0)
        return true;
    advise(setting->judged, ADVICE_ARGUMENT_VALUE);
    blame_as(setting->judged, RULE_KERNEL_ARGUMENT, error, setting->step->at[2], setting->kernel,
             "is NULL; the argument is %s", what);
    return false;
}

/* Judges the handle of an object of a kind; returns what is known of it. */
static struct object_state judge_object(const struct setting *setting, enum api_object_kind kind,
                                        int32_t error)
{
    struct judged *judged = setting->judged;
    const struct object_state state = object_state(judged->checker->objects, setting->handle);
    if (object_is_usable(state, kind) && state.context == judged->context)
        return state;
    const struct step step = {
        .rule = RULE_KERNEL_ARGUMENT, .error = error, .argument = setting->step->at[2]};
    advise(judged, ADVICE_HANDLE_ADDRESS);
    const struct object_state found =
        judge_handle_value(judged, &step, setting->handle, kind, judged->context);
    advise(judged, ADVICE_OF_RULE);
    return found;
}

/* The type of the memory object; 0 = unknown, or there is none. */
static cl_mem_object_type mem_type_of(const struct setting *setting)
{
    const struct object_state state = judge_object(setting, API_OBJECT_MEM, CL_INVALID_MEM_OBJECT);
    return object_is_usable(state, API_OBJECT_MEM) ? state.mem_type : 0;
}

static void judge_buffer_argument(const struct setting *setting)
{
    if (!size_is(setting, sizeof(cl_mem), ADVICE_ARGUMENT_HANDLE_SIZE, "a cl_mem") ||
        setting->handle == 0)
        return;
    const cl_mem_object_type type = mem_type_of(setting);
    if (type != 0 && type != CL_MEM_OBJECT_BUFFER)
        blame_value(setting, CL_INVALID_MEM_OBJECT, ADVICE_OF_RULE,
                    "is not a buffer; the argument is a pointer");
}

static void judge_image_argument(const struct setting *setting)
{
    struct mem_traits mem;
    const uint32_t access = setting->argument->access - 1u + CL_KERNEL_ARG_ACCESS_READ_ONLY;
    if (!is_given(setting, "a cl_mem", CL_INVALID_MEM_OBJECT, "an image") ||
        mem_type_of(setting) == 0 ||
        !object_get_traits(setting->judged->checker->objects, setting->handle, API_OBJECT_MEM,
                           &mem))
        return;
    if (mem.type != setting->argument->size)
        blame_value(setting, CL_INVALID_MEM_OBJECT, ADVICE_OF_RULE,
                    "is not an image of the kind that the argument is");
    else if (setting->argument->access != 0 && access == CL_KERNEL_ARG_ACCESS_READ_ONLY &&
             (mem.flags & CL_MEM_WRITE_ONLY))
        blame_value(setting, CL_INVALID_ARG_VALUE, ADVICE_ARGUMENT_WRITE_ONLY,
                    "is made with CL_MEM_WRITE_ONLY; the argument is a read_only image");
    else if (setting->argument->access != 0 && access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY &&
             (mem.flags & (CL_MEM_READ_ONLY | CL_MEM_IMMUTABLE_EXT)))
        blame_value(setting, CL_INVALID_ARG_VALUE, ADVICE_ARGUMENT_READ_ONLY,
                    mem.flags & CL_MEM_READ_ONLY
                        ? "is made with CL_MEM_READ_ONLY; the argument is a write_only image"
                        : "is made with CL_MEM_IMMUTABLE_EXT; the argument is a write_only image");
}

static void judge_pipe_argument(const struct setting *setting)
{
    if (!is_given(setting, "a cl_mem", CL_INVALID_MEM_OBJECT, "a pipe"))
        return;
    const cl_mem_object_type type = mem_type_of(setting);
    if (type != 0 && type != CL_MEM_OBJECT_PIPE)
        blame_value(setting, CL_INVALID_MEM_OBJECT, ADVICE_OF_RULE,
                    "is not a pipe; the argument is one");
}

static void judge_sampler_argument(const struct setting *setting)
{
    if (is_given(setting, "a cl_sampler", CL_INVALID_SAMPLER, "a sampler"))
        judge_object(setting, API_OBJECT_SAMPLER, CL_INVALID_SAMPLER);
}

static void judge_queue_argument(const struct setting *setting)
{
    struct queue_traits queue;
    if (!is_given(setting, "a cl_command_queue", CL_INVALID_DEVICE_QUEUE, "a queue"))
        return;
    const struct object_state state =
        judge_object(setting, API_OBJECT_QUEUE, CL_INVALID_DEVICE_QUEUE);
    if (object_is_usable(state, API_OBJECT_QUEUE) &&
        object_get_traits(setting->judged->checker->objects, setting->handle, API_OBJECT_QUEUE,
                          &queue) &&
        !(queue.properties & CL_QUEUE_ON_DEVICE))
        blame_value(setting, CL_INVALID_DEVICE_QUEUE, ADVICE_ARGUMENT_QUEUE,
                    "is a command-queue of the host; the argument is a queue of the device");
}

/* "This error condition does not apply if the platform associated with kernel is OpenCL 3.1 or
 * newer." */
static bool may_be_empty(const struct setting *setting)
{
    enum { EMPTY_ALLOWED = 310 };
    struct fact_range platform;
    struct platform_traits traits;
    const uint64_t context = judged_context(setting->judged, setting->kernel);
    return !judged_fact(setting->judged, context, DEVICE_FACT_PLATFORM, &platform) ||
           !object_get_traits(setting->judged->checker->objects, platform.most, API_OBJECT_PLATFORM,
                              &traits) ||
           traits.version == 0 || traits.version >= EMPTY_ALLOWED;
}

static void judge_local_argument(const struct setting *setting)
{
    if (setting->size == 0 && !may_be_empty(setting)) {
        advise(setting->judged, ADVICE_ARGUMENT_LOCAL_SIZE);
        blame_as(setting->judged, RULE_KERNEL_ARGUMENT, CL_INVALID_ARG_SIZE, setting->step->other,
                 setting->kernel, "is 0; the argument is a pointer to local memory");
    }
    if (setting->value->present)
        blame_value(setting, CL_INVALID_ARG_VALUE, ADVICE_ARGUMENT_LOCAL_SIZE,
                    "is not NULL; the argument is a pointer to local memory");
}

static void judge_plain_argument(const struct setting *setting)
{
    if (!setting->value->present)
        blame_value(setting, CL_INVALID_ARG_VALUE, ADVICE_ARGUMENT_VALUE,
                    "is NULL; the argument is a value");
    else if (setting->argument->size != 0)
        size_is(setting, setting->argument->size, ADVICE_ARGUMENT_TYPE_SIZE, "a value");
}

/* What it is the driver alone knows. */
static void judge_unknown_argument(const struct setting *setting)
{
    const struct step size = {.rule = RULE_KERNEL_ARGUMENT,
                              .error = CL_INVALID_ARG_SIZE,
                              .argument = setting->step->other};
    static const int32_t errors[] = {CL_INVALID_MEM_OBJECT, CL_INVALID_SAMPLER,
                                     CL_INVALID_DEVICE_QUEUE, CL_INVALID_ARG_VALUE};
    if (setting->judged->returned == CL_SUCCESS)
        return;
    blame_unsure(setting->judged, &size, "is %" PRIu64 ", which is not the argument's size",
                 setting->size);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        const struct step value = {
            .rule = RULE_KERNEL_ARGUMENT, .error = errors[i], .argument = setting->step->at[2]};
        blame_unsure(setting->judged, &value, "is not what the argument takes");
    }
}

/* The value could not be read, mostly because there is less of it than the size says: that of the
 * data in place of the handle's. */
static void judge_unread_argument(const struct setting *setting)
{
    switch (argument_kind(setting->argument)) {
    case ARGUMENT_BUFFER:
    case ARGUMENT_IMAGE:
    case ARGUMENT_PIPE:
        size_is(setting, sizeof(cl_mem), ADVICE_ARGUMENT_HANDLE_SIZE, "a cl_mem");
        break;
    case ARGUMENT_SAMPLER:
        size_is(setting, sizeof(cl_sampler), ADVICE_ARGUMENT_HANDLE_SIZE, "a cl_sampler");
        break;
    case ARGUMENT_VALUE:
        judge_plain_argument(setting);
        break;
    default:
        break;
    }
}

/* arguments arg_index, arg_size, arg_value */
void judge_argument(struct judged *judged, const struct step *step)
{
    struct setting setting = {.judged = judged,
                              .step = step,
                              .value = &judged->call->arguments[step->at[2]],
                              .kernel = judged_bits(judged, 0),
                              .size = judged_bits(judged, step->other),
                              .argument = judged_argument(judged, step)};
    if (setting.value->present && (!setting.value->data || setting.value->size != setting.size)) {
        judge_unread_argument(&setting);
        return;
    }
    if (setting.value->present && setting.size == sizeof setting.handle)
        memcpy(&setting.handle, setting.value->data, sizeof setting.handle);
    switch (argument_kind(setting.argument)) {
    case ARGUMENT_BUFFER:
        judge_buffer_argument(&setting);
        break;
    case ARGUMENT_LOCAL:
        judge_local_argument(&setting);
        break;
    case ARGUMENT_IMAGE:
        judge_image_argument(&setting);
        break;
    case ARGUMENT_SAMPLER:
        judge_sampler_argument(&setting);
        break;
    case ARGUMENT_QUEUE:
        judge_queue_argument(&setting);
        break;
    case ARGUMENT_PIPE:
        judge_pipe_argument(&setting);
        break;
    case ARGUMENT_VALUE:
        judge_plain_argument(&setting);
        break;
    default:
        judge_unknown_argument(&setting);
        break;
    }
}

/* ---- launches: sizes ---- */

/* The sizes of a launch: arguments work_dim, then global_work_offset, global_work_size and
 * local_work_size, or none. */
struct launch {
    struct judged *judged;
    const struct step *step;
    const struct device_traits *device;
    uint32_t dimensions;
    uint64_t version; /* 0 = unknown */
    uint64_t offset[3], global[3], local[3];
    bool has_global, has_local;
    const struct kernel_traits *kernel; /* NULL = unknown */
    uint64_t required[3];               /* reqd_work_group_size; 0 0 0 = none, or unknown */
};

/* The list of sizes, which is as long as there are dimensions; those that are missing are 1. */
static bool sizes_of(const struct launch *launch, uint8_t index, uint64_t sizes[3], uint64_t none)
{
    sizes[0] = sizes[1] = sizes[2] = none;
    if (index == API_PARAMETER_NONE)
        return false;
    const struct api_value *value = &launch->judged->call->arguments[index];
    if (!value->present || value->kind != API_VALUE_SIZES || !value->data ||
        value->count != launch->dimensions)
        return false;
    memcpy(sizes, value->data, launch->dimensions * sizeof *sizes);
    return true;
}

#define BLAME_LAUNCH(launch, error, index, advice, ...)                                            \
    advise((launch)->judged, advice), blame_as((launch)->judged, RULE_LAUNCH_SIZE, error,          \
                                               (launch)->step->at[index], 0, __VA_ARGS__)
#define BLAME_LAUNCH_UNSURE(launch, error_, index, advice, ...)                                    \
    advise((launch)->judged, advice),                                                              \
        blame_unsure((launch)->judged,                                                             \
                     &(struct step){.rule = RULE_LAUNCH_SIZE,                                      \
                                    .error = error_,                                               \
                                    .argument = (launch)->step->at[index]},                        \
                     __VA_ARGS__)

enum { AT_DIM, AT_OFFSET, AT_GLOBAL, AT_LOCAL, AT_KERNEL };

/* From OpenCL 2.1 on a launch may have nothing to do (its size is then 0 or left out); the question
 * for a local size may not. */
static bool judge_global(const struct launch *launch, uint64_t size_max)
{
    const bool launches = launch->step->at[AT_LOCAL] != API_PARAMETER_NONE;
    const bool may_be_empty = launches && (launch->version == 0 || launch->version >= 210);
    const struct api_value *global = &launch->judged->call->arguments[launch->step->at[AT_GLOBAL]];
    if (!global->present && !may_be_empty && launches) {
        BLAME_LAUNCH(launch, CL_INVALID_GLOBAL_WORK_SIZE, AT_GLOBAL, ADVICE_LAUNCH_NOTHING,
                     "is NULL");
        return false;
    }
    for (uint32_t i = 0; launch->has_global && i < launch->dimensions; ++i) {
        if (launch->global[i] == 0 && !may_be_empty) {
            BLAME_LAUNCH(launch, CL_INVALID_GLOBAL_WORK_SIZE, AT_GLOBAL, ADVICE_LAUNCH_NOTHING,
                         "has 0 as element %u", i);
            return false;
        }
        if (launch->global[i] > size_max) {
            BLAME_LAUNCH(launch, CL_INVALID_GLOBAL_WORK_SIZE, AT_GLOBAL, ADVICE_OF_RULE,
                         "has %" PRIu64 " as element %u, more than a size_t of the device holds",
                         launch->global[i], i);
            return false;
        }
    }
    if (launch->has_global)
        BLAME_LAUNCH_UNSURE(launch, CL_INVALID_GLOBAL_WORK_SIZE, AT_GLOBAL, ADVICE_OF_RULE,
                            "is more than the device can count");
    return true;
}

static void judge_offset(const struct launch *launch, bool has_offset, uint64_t size_max)
{
    if (has_offset && launch->version != 0 && launch->version < 110)
        BLAME_LAUNCH(launch, CL_INVALID_GLOBAL_OFFSET, AT_OFFSET, ADVICE_LAUNCH_OFFSET,
                     "is not NULL; a device of OpenCL 1.0 takes none");
    for (uint32_t i = 0; has_offset && launch->has_global && i < launch->dimensions; ++i)
        if (launch->offset[i] > size_max || launch->global[i] > size_max - launch->offset[i]) {
            BLAME_LAUNCH(launch, CL_INVALID_GLOBAL_OFFSET, AT_OFFSET, ADVICE_LAUNCH_OFFSET,
                         "is %" PRIu64 " in dimension %u, to which the global size %" PRIu64
                         " cannot be added",
                         launch->offset[i], i, launch->global[i]);
            return;
        }
}

/* Must every work-group have the same size? 1 yes, 0 no, -1 the program's options decide. */
static int must_be_uniform(const struct launch *launch)
{
    uint64_t support;
    if (launch->version == 0)
        return -1;
    if (launch->version < 200)
        return 1;
    return device_fact(launch->device, DEVICE_FACT_NON_UNIFORM, &support) && support == 0 ? 1 : -1;
}

static bool requires_group(const struct launch *launch)
{
    return launch->required[0] != 0;
}

static void judge_division(const struct launch *launch, const uint64_t group[3], uint8_t index,
                           const char *whose)
{
    const enum advice advice =
        requires_group(launch) ? ADVICE_LAUNCH_REQUIRED_REST : ADVICE_LAUNCH_REST;
    for (uint32_t i = 0; launch->has_global && i < launch->dimensions; ++i) {
        if (group[i] == 0 || launch->global[i] % group[i] == 0)
            continue;
        if (must_be_uniform(launch) == 1)
            BLAME_LAUNCH(launch, CL_INVALID_WORK_GROUP_SIZE, index, advice,
                         "%s %" PRIu64 " in dimension %u, which does not divide the global size "
                         "%" PRIu64,
                         whose, group[i], i, launch->global[i]);
        else
            BLAME_LAUNCH_UNSURE(launch, CL_INVALID_WORK_GROUP_SIZE, index, advice,
                                "%s %" PRIu64 " in dimension %u, which does not divide the global "
                                "size %" PRIu64,
                                whose, group[i], i, launch->global[i]);
        return;
    }
}

/* What the kernel can have in a work-group on this device; 0 = unknown. */
static uint64_t group_limit(const struct launch *launch)
{
    uint64_t limit = 0;
    const struct queue_traits *queue = judged_queue(launch->judged);
    for (size_t i = 0; queue && launch->kernel && i < 4; ++i)
        if (launch->kernel->limits[i].device == queue->device)
            return launch->kernel->limits[i].work_group_size;
    return device_fact(launch->device, DEVICE_FACT_WORK_GROUP_SIZE, &limit) ? limit : 0;
}

static void judge_local(const struct launch *launch)
{
    static const enum device_fact limits[] = {DEVICE_FACT_WORK_ITEMS_X, DEVICE_FACT_WORK_ITEMS_Y,
                                              DEVICE_FACT_WORK_ITEMS_Z};
    /* Drivers state limits below what the kernel requires, and run it. */
    const uint64_t group_max = requires_group(launch) ? 0 : group_limit(launch);
    uint64_t product = 1;
    uint64_t limit;
    for (uint32_t i = 0; i < launch->dimensions; ++i) {
        if (launch->local[i] == 0) {
            BLAME_LAUNCH(launch, CL_INVALID_WORK_GROUP_SIZE, AT_LOCAL, ADVICE_LAUNCH_EMPTY_GROUP,
                         "has 0 as element %u", i);
            return;
        }
        if (device_fact(launch->device, limits[i], &limit) && launch->local[i] > limit) {
            BLAME_LAUNCH(launch, CL_INVALID_WORK_ITEM_SIZE, AT_LOCAL, ADVICE_OF_RULE,
                         "has %" PRIu64 " as element %u, more than the device's %" PRIu64,
                         launch->local[i], i, limit);
            return;
        }
        if (!size_mul(product, launch->local[i], &product))
            product = UINT64_MAX;
    }
    if (requires_group(launch) &&
        memcmp(launch->local, launch->required, sizeof launch->local) != 0)
        BLAME_LAUNCH(launch, CL_INVALID_WORK_GROUP_SIZE, AT_LOCAL, ADVICE_LAUNCH_REQUIRED,
                     "is (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "); the kernel requires (%" PRIu64
                     ", %" PRIu64 ", %" PRIu64 ")",
                     launch->local[0], launch->local[1], launch->local[2], launch->required[0],
                     launch->required[1], launch->required[2]);
    else if (group_max != 0 && product > group_max)
        BLAME_LAUNCH(launch, CL_INVALID_WORK_GROUP_SIZE, AT_LOCAL, ADVICE_OF_RULE,
                     "is a work-group of %" PRIu64 " work-items, more than the %" PRIu64
                     " that the kernel can have on the device",
                     product, group_max);
    else
        judge_division(launch, launch->local, AT_LOCAL, "is");
}

/* arguments work_dim, global_work_offset, global_work_size, local_work_size or none, kernel */
void judge_launch(struct judged *judged, const struct step *step)
{
    struct launch launch = {.judged = judged, .step = step, .device = judged_device(judged)};
    const uint64_t dimensions = judged_bits(judged, step->argument);
    uint64_t limit;
    uint64_t bits;
    if (dimensions == 0)
        return;
    if (dimensions > 3 &&
        (!device_fact(launch.device, DEVICE_FACT_DIMENSIONS, &limit) || dimensions > limit)) {
        if (device_fact(launch.device, DEVICE_FACT_DIMENSIONS, &limit))
            BLAME_LAUNCH(&launch, CL_INVALID_WORK_DIMENSION, AT_DIM, ADVICE_LAUNCH_DIMENSIONS,
                         "is %" PRIu64 ", more than the device's %" PRIu64, dimensions, limit);
        return;
    }
    if (dimensions > 3)
        return;
    launch.dimensions = (uint32_t)dimensions;
    if (!device_fact(launch.device, DEVICE_FACT_VERSION, &launch.version))
        launch.version = 0;
    const bool has_offset = sizes_of(&launch, step->at[AT_OFFSET], launch.offset, 0);
    launch.has_global = sizes_of(&launch, step->at[AT_GLOBAL], launch.global, 1);
    launch.has_local = sizes_of(&launch, step->at[AT_LOCAL], launch.local, 1);
    launch.kernel = judged_kernel(judged, judged_bits(judged, step->at[AT_KERNEL]));
    for (size_t i = 0; launch.kernel && launch.kernel->required_known && i < 3; ++i)
        launch.required[i] = launch.kernel->required[i];
    const uint64_t size_max =
        device_fact(launch.device, DEVICE_FACT_ADDRESS_BITS, &bits) && bits == 32 ? UINT32_MAX
                                                                                  : UINT64_MAX;
    if (!judge_global(&launch, size_max))
        return;
    judge_offset(&launch, has_offset, size_max);
    if (launch.has_local) {
        judge_local(&launch);
    } else if (requires_group(&launch)) {
        judge_division(&launch, launch.required, AT_GLOBAL,
                       "needs work-groups, as the kernel requires them, of");
        BLAME_LAUNCH_UNSURE(&launch, CL_INVALID_WORK_ITEM_SIZE, AT_KERNEL, ADVICE_OF_RULE,
                            "requires work-groups of (%" PRIu64 ", %" PRIu64 ", %" PRIu64
                            "), which are too large for the device",
                            launch.required[0], launch.required[1], launch.required[2]);
    }
    BLAME_LAUNCH_UNSURE(&launch, CL_INVALID_WORK_GROUP_SIZE, AT_DIM, ADVICE_OF_RULE,
                        "and the sizes make work-groups that the kernel cannot have");
}

/* argument kernel, enqueued as a task: it can have one work-item */
void judge_task_size(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const struct kernel_traits *kernel = judged_kernel(judged, handle);
    if (kernel && kernel->required_known && kernel->required[0] != 0 &&
        (kernel->required[0] != 1 || kernel->required[1] != 1 || kernel->required[2] != 1)) {
        advise(judged, ADVICE_LAUNCH_TASK);
        blame_step(judged, step, handle, "requires another work-group than of one work-item");
    }
}

/* ---- queries ---- */

/* argument device, other kernel: the kernel's program is for it; NULL is enough if there is one */
void judge_device_of_kernel(struct judged *judged, const struct step *step)
{
    const uint64_t device = judged_bits(judged, step->argument);
    struct program_traits program;
    uint32_t built = 0;
    if (!judged_program_of(judged, judged_bits(judged, step->other), &program) ||
        program.devices.count == 0)
        return;
    for (uint32_t i = 0; i < program.devices.count; ++i)
        built += program.status[i] == PROGRAM_BUILT;
    if (device == 0 && built > 1)
        blame_step(judged, step, 0, "is NULL, but the kernel has %" PRIu32 " devices", built);
    else if (device != 0 && device_index(&program.devices, device) == program.devices.count &&
             object_state(judged->checker->objects, device).kind == API_OBJECT_DEVICE)
        blame_step(judged, step, 0, "is not a device of the kernel's program");
}

/* argument param_name, other kernel: the global size is that of a built-in kernel */
void judge_global_size_query(struct judged *judged, const struct step *step)
{
    struct program_traits program;
    if (judged_bits(judged, step->argument) == CL_KERNEL_GLOBAL_WORK_SIZE &&
        judged_program_of(judged, judged_bits(judged, step->other), &program) &&
        (program.made_by == API_ENTRY_clCreateProgramWithSource ||
         program.made_by == API_ENTRY_clCreateProgramWithIL))
        blame_step(judged, step, 0, "is CL_KERNEL_GLOBAL_WORK_SIZE; the kernel is not built in");
}

/* argument param_name, other input_value_size, then input_value, and device: what goes in */
void judge_sub_group_query(struct judged *judged, const struct step *step)
{
    const uint64_t name = judged_bits(judged, step->argument);
    const uint64_t size = judged_bits(judged, step->other);
    uint64_t groups;
    const bool takes_range = name == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE ||
                             name == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
    const bool takes_count = name == CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    struct program_traits program;
    if (!judged_program_of(judged, judged_bits(judged, 0), &program) ||
        device_index(&program.devices, judged_bits(judged, step->at[3])) == program.devices.count)
        return;
    if (judged_device_fact(judged, judged_bits(judged, step->at[3]), DEVICE_FACT_SUB_GROUPS,
                           &groups) &&
        groups == 0) {
        blame_as(judged, RULE_FEATURE_UNSUPPORTED, CL_INVALID_OPERATION, step->at[3], 0,
                 "does not support sub-groups");
        return;
    }
    if ((takes_range || takes_count) && !judged->call->arguments[step->at[2]].present)
        blame_as(judged, step->rule, step->error, step->at[2], 0,
                 "is NULL although param_name needs it");
    if ((takes_count && size != sizeof(size_t)) ||
        (takes_range && (size == 0 || size % sizeof(size_t) != 0 || size > 3 * sizeof(size_t))))
        blame_as(judged, step->rule, step->error, step->other, 0,
                 "is %" PRIu64 ", which is not a size of what param_name needs", size);
}
