/* Steps about what a kernel is launched with: its program, and the values of all its arguments
 * together. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands.h"

#include "trace/base/size.h"

#include <inttypes.h>

/* argument kernel: it has an executable for the device of the queue */
void judge_kernel_built(struct judged *judged, const struct step *step)
{
    const struct queue_traits *queue = judged_queue(judged);
    const uint64_t kernel = judged_bits(judged, step->argument);
    struct program_traits program;
    if (!queue || !judged_program_of(judged, kernel, &program))
        return;
    const uint32_t index = device_index(&program.devices, queue->device);
    if (index < program.devices.count && program_lacks(&program, index))
        blame_step(judged, step, kernel,
                   "is of a program that is not built for the device of command_queue");
}

/* argument kernel: all of its arguments are set */
void judge_arguments_set(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const struct kernel_traits *kernel = judged_kernel(judged, handle);
    if (!kernel || !kernel->created || !kernel->count_known || is_blind(judged->checker))
        return;
    const uint32_t count = kernel_argument_count(kernel);
    for (uint32_t i = 0; i < count; ++i)
        if (!kernel->arguments[i].set) {
            blame_step(judged, step, handle, "has no value for its argument %" PRIu32, i);
            return;
        }
}

static void judge_launched_mem(struct judged *judged, const struct step *step, uint32_t index,
                               uint64_t handle)
{
    struct mem_traits mem;
    uint64_t bits;
    const struct device_traits *device = judged_device(judged);
    const struct object_state state = object_state(judged->checker->objects, handle);
    if (state.standing != OBJECT_USABLE ||
        (state.mem_type == CL_MEM_OBJECT_BUFFER && !state.is_part) ||
        !object_get_traits(judged->checker->objects, handle, API_OBJECT_MEM, &mem))
        return;
    if (mem.type == CL_MEM_OBJECT_BUFFER && mem.root_offset != 0 &&
        device_fact(device, DEVICE_FACT_BASE_ALIGN_BITS, &bits) && bits >= 8 &&
        mem.root_offset % (bits / 8) != 0)
        blame_as(judged, RULE_BUFFER_MISALIGNED, CL_MISALIGNED_SUB_BUFFER_OFFSET, step->argument,
                 handle,
                 "has as argument %" PRIu32 " a sub-buffer that starts at byte %" PRIu64
                 ", not at a multiple of %" PRIu64 " (CL_DEVICE_MEM_BASE_ADDR_ALIGN)",
                 index, mem.root_offset, bits / 8);
    if (image_exceeds(device, &mem))
        blame_as(judged, RULE_IMAGE_SIZE, CL_INVALID_IMAGE_SIZE, step->argument, handle,
                 "has as argument %" PRIu32
                 " an image that is larger than images can be on the device of command_queue",
                 index);
}

/* Is the argument set to an object, and not to a number that looks like one? */
static bool is_object(const struct argument_traits *argument)
{
    return argument->set && !argument->svm && argument->value != 0 &&
           argument_takes_object(argument_kind(argument));
}

/* Shared virtual memory is freed. A device that takes any pointer may be given one of malloc there.
 */
static bool is_freed_svm(struct judged *judged, const struct argument_traits *argument)
{
    uint64_t svm;
    return argument->set && argument->svm && argument->value != 0 &&
           svm_is_gone(judged->checker->svm, argument->value) &&
           device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm) &&
           !device_reuses_svm(judged_device(judged));
}

static void blame_freed_argument(struct judged *judged, const struct step *step, uint32_t index)
{
    const struct blame blame = {.rule = step->rule,
                                .error = step->error,
                                .argument = step->argument,
                                .element = -1,
                                .refuse = true,
                                .reason = "Kernels do not retain what they are set to."};
    blame_call(judged, &blame,
               "has as argument %" PRIu32 " a pointer to shared virtual memory that was freed",
               index);
}

/* argument kernel: the objects that its arguments are set to are alive */
void judge_released_arguments(struct judged *judged, const struct step *step)
{
    const struct kernel_traits *kernel = judged_kernel(judged, judged_bits(judged, step->argument));
    const uint32_t count = kernel ? kernel_argument_count(kernel) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct argument_traits *argument = &kernel->arguments[i];
        struct object_facts facts;
        struct object_label label;
        if (is_freed_svm(judged, argument))
            blame_freed_argument(judged, step, i);
        if (!is_object(argument) ||
            object_state(judged->checker->objects, argument->value).standing != OBJECT_DEAD ||
            !blame_wanted(judged, step->rule) ||
            !object_describe(judged->checker->objects, argument->value, &facts))
            continue;
        const struct blame blame = {.rule = step->rule,
                                    .error = step->error,
                                    .argument = step->argument,
                                    .element = -1,
                                    .object = &facts,
                                    .refuse = true,
                                    .reason = "Kernels do not retain what they are set to."};
        blame_call(judged, &blame, "has as argument %" PRIu32 " %s, which was released", i,
                   label_object(judged, argument->value, &label));
    }
}

/* argument kernel: the device of the queue can use what its arguments are set to */
void judge_launched_arguments(struct judged *judged, const struct step *step)
{
    uint64_t svm;
    struct svm_range range;
    const struct kernel_traits *kernel = judged_kernel(judged, judged_bits(judged, step->argument));
    const uint32_t count = kernel ? kernel_argument_count(kernel) : 0;
    for (uint32_t i = 0; i < count; ++i) {
        const struct argument_traits *argument = &kernel->arguments[i];
        if (!argument->set || argument->value == 0)
            continue;
        if (!argument->svm) {
            judge_launched_mem(judged, step, i, argument->value);
            continue;
        }
        if (!device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm))
            continue;
        if (svm == 0)
            blame_step(judged, step, 0,
                       "has an SVM pointer as argument %" PRIu32
                       ", and the device of command_queue has no SVM",
                       i);
        else if (!(svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) &&
                 !svm_find(judged->checker->svm, argument->value, &range))
            blame_unsure(judged, step,
                         "has as argument %" PRIu32 " a pointer of the system, and the device of "
                         "command_queue takes none",
                         i);
    }
}

/* ---- what no error code tells ---- */

/* The kernel of a launch, for the steps that look at all of its arguments. */
struct launched {
    struct judged *judged;
    uint8_t argument; /* the parameter `kernel` */
    uint64_t handle;
    const struct kernel_traits *kernel;
    uint32_t count; /* of arguments that are known */
};

#define BLAME_LAUNCHED(launched, rule, object, ...)                                                \
    blame_as((launched)->judged, rule, CL_SUCCESS, (launched)->argument, object, __VA_ARGS__)

/* No image is an argument with two kinds of access. */
static void judge_image_access(const struct launched *launched)
{
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *first = &launched->kernel->arguments[i];
        if (!is_object(first) || argument_kind(first) != ARGUMENT_IMAGE || first->access == 0)
            continue;
        for (uint32_t j = i + 1; j < launched->count; ++j) {
            const struct argument_traits *second = &launched->kernel->arguments[j];
            if (second->value == first->value && is_object(second) && second->access != 0 &&
                argument_kind(second) == ARGUMENT_IMAGE && second->access != first->access)
                BLAME_LAUNCHED(launched, RULE_IMAGE_BOUND_TWICE, first->value,
                               "has one image as arguments %" PRIu32 " and %" PRIu32
                               ", which access it in two ways",
                               i, j);
        }
    }
}

/* The object whose bytes an argument of that kind is; 0 = none, or not known. */
static uint64_t root_of(const struct judged *judged, const struct argument_traits *argument,
                        enum argument_kind kind)
{
    struct mem_traits mem;
    return is_object(argument) && argument_kind(argument) == kind &&
                   judged_object(judged, argument->value, &mem)
               ? mem.root
               : 0;
}

/* It does not have a buffer and an image made from it, and write one of them. */
static void judge_image_and_buffer(const struct launched *launched)
{
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *image = &launched->kernel->arguments[i];
        const uint64_t root = root_of(launched->judged, image, ARGUMENT_IMAGE);
        for (uint32_t j = 0; root != 0 && root != image->value && j < launched->count; ++j) {
            const struct argument_traits *buffer = &launched->kernel->arguments[j];
            if (root_of(launched->judged, buffer, ARGUMENT_BUFFER) == root &&
                !(call_only_reads(image) && call_only_reads(buffer)))
                BLAME_LAUNCHED(launched, RULE_IMAGE_AND_BUFFER, image->value,
                               "has an image as argument %" PRIu32
                               " and the buffer that it is made from as argument %" PRIu32
                               ", and may write one of them",
                               i, j);
        }
    }
}

/* Every argument that could not be set was set again. */
static void judge_lost_arguments(const struct launched *launched)
{
    for (uint32_t i = 0; i < launched->count; ++i)
        if (launched->kernel->arguments[i].lost)
            BLAME_LAUNCHED(launched, RULE_KERNEL_ARGUMENT_LOST, launched->handle,
                           "has an argument %" PRIu32
                           " that clSetKernelArg had no memory to set, and that was not set again",
                           i);
}

/* The arguments together are no more than the device takes. What is not a plain value counts as an
 * address of 4 bytes, the least there is; local memory has no size here. */
static void judge_arguments_size(const struct launched *launched)
{
    enum { ADDRESS = 4, LARGEST_HANDLE = sizeof(void *) };
    uint64_t limit;
    uint64_t size = 0;
    if (!device_fact(judged_device(launched->judged), DEVICE_FACT_PARAMETER_SIZE, &limit))
        return;
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *argument = &launched->kernel->arguments[i];
        const bool plain = !argument->sized && (argument_kind(argument) == ARGUMENT_VALUE ||
                                                argument->set_size > LARGEST_HANDLE);
        if (argument->set)
            size += plain ? argument->set_size : ADDRESS;
    }
    if (size > limit)
        BLAME_LAUNCHED(launched, RULE_SIZE_LIMIT, launched->handle,
                       "has arguments of %" PRIu64 " bytes, more than the %" PRIu64
                       " (CL_DEVICE_MAX_PARAMETER_SIZE) of the device",
                       size, limit);
}

/* Memory objects may be NULL too, whose arguments have no value either. */
static bool is_local(const struct argument_traits *argument)
{
    const enum argument_kind kind = argument_kind(argument);
    return argument->sized && (kind == ARGUMENT_LOCAL ||
                               (kind == ARGUMENT_UNKNOWN && argument->set_size > sizeof(cl_mem)));
}

/* The local memory of the arguments, and what the kernel itself has, is no more than the device
 * has. */
static void judge_local_memory(const struct launched *launched)
{
    const struct queue_traits *queue = judged_queue(launched->judged);
    uint64_t limit;
    uint64_t size = 0;
    uint64_t own = 0;
    bool counts = true;
    for (uint32_t i = 0; i < launched->count; ++i)
        if (is_local(&launched->kernel->arguments[i]))
            counts &= size_add(size, launched->kernel->arguments[i].set_size, &size);
    if (!counts || !queue ||
        !device_fact(judged_device(launched->judged), DEVICE_FACT_LOCAL_MEMORY, &limit))
        return;
    for (size_t i = 0; i < sizeof launched->kernel->limits / sizeof *launched->kernel->limits; ++i)
        if (launched->kernel->limits[i].device == queue->device)
            own = launched->kernel->limits[i].local_size;
    if (size > limit || own > limit - size)
        blame_as(launched->judged, RULE_SIZE_LIMIT, CL_OUT_OF_RESOURCES, launched->argument,
                 launched->handle,
                 "has %" PRIu64 " bytes of local memory as arguments and %" PRIu64
                 " of its own, more than the %" PRIu64 " (CL_DEVICE_LOCAL_MEM_SIZE) of the device",
                 size, own, limit);
}

/* No argument that this thread has set was set by another one since. */
static void judge_overtaken(const struct launched *launched)
{
    const struct api_call *call = launched->judged->call;
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *argument = &launched->kernel->arguments[i];
        if (argument->overtaken == call->thread && argument->launches == launched->kernel->launches)
            BLAME_LAUNCHED(launched, RULE_KERNEL_ARGUMENT_OVERTAKEN, launched->handle,
                           "has an argument %" PRIu32 " that thread %" PRIu32
                           " has set since this one, thread %" PRIu32 ", did",
                           i, argument->thread, call->thread);
    }
}

/* What it has of other interfaces is acquired from them. */
static void judge_acquired_arguments(const struct launched *launched)
{
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *argument = &launched->kernel->arguments[i];
        const char *from =
            is_object(argument) ? unacquired_from(launched->judged, argument->value) : NULL;
        if (from)
            BLAME_LAUNCHED(launched, RULE_OBJECT_ACQUIRED, argument->value,
                           "has as argument %" PRIu32
                           " an object that is shared with %s, and was not acquired",
                           i, from);
    }
}

/* OpenCL API 3.0, C.3: "buffers created with CL_MEM_USE_HOST_PTR need to provide an appropriately
 * aligned host memory pointer that is aligned to the data types used to access these buffers". */
static void judge_host_alignment(const struct launched *launched)
{
    for (uint32_t i = 0; i < launched->count; ++i) {
        const struct argument_traits *argument = &launched->kernel->arguments[i];
        const bool unused = argument->accesses == ACCESSES_KNOWN;
        struct mem_traits mem;
        if (argument->pointed > 1 && !unused && is_object(argument) &&
            object_get_traits(launched->judged->checker->objects, argument->value, API_OBJECT_MEM,
                              &mem) &&
            mem.type == CL_MEM_OBJECT_BUFFER && (mem.flags & CL_MEM_USE_HOST_PTR) &&
            mem.host_ptr % argument->pointed != 0)
            BLAME_LAUNCHED(launched, RULE_HOST_POINTER_MISALIGNED, argument->value,
                           "has as argument %" PRIu32 ", a pointer to types of %u bytes, a buffer "
                           "whose memory of CL_MEM_USE_HOST_PTR is at no multiple of that",
                           i, (unsigned)argument->pointed);
    }
}

/* argument kernel: nothing about the values of its arguments makes the launch undefined */
void judge_launched_undefined(struct judged *judged, const struct step *step)
{
    struct launched launched = {.judged = judged,
                                .argument = step->argument,
                                .handle = judged_bits(judged, step->argument)};
    launched.kernel = judged_kernel(judged, launched.handle);
    if (!launched.kernel)
        return;
    launched.count = launched.kernel->count_known ? kernel_argument_count(launched.kernel)
                                                  : TRAITS_ARGUMENTS_MAX;
    judge_host_alignment(&launched);
    judge_image_access(&launched);
    judge_image_and_buffer(&launched);
    judge_lost_arguments(&launched);
    judge_arguments_size(&launched);
    judge_local_memory(&launched);
    judge_overtaken(&launched);
    judge_acquired_arguments(&launched);
    if (judged->returned == CL_SUCCESS)
        kernel_note_launch(object_kernel_traits(judged->checker->objects, launched.handle));
}
