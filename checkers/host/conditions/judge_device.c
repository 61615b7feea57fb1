/* Steps about devices, their parts, command-queues, pipes and shared virtual memory. */
#include "checkers/host/checker.h"

#include "trace/base/size.h"

#include <inttypes.h>
#include <string.h>

/* ---- command-queues ---- */

/* The queue is one of the host, to which commands are enqueued. */
void judge_host_queue(struct judged *judged, const struct step *step)
{
    const struct queue_traits *queue = judged_queue(judged);
    if (queue && (queue->properties & CL_QUEUE_ON_DEVICE))
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is a queue of the device; a command-queue of the host is needed");
}

/* The properties that a queue is to have. */
struct queue_wish {
    uint64_t flags;
    bool has_size, has_hint; /* hint: of priority or throttling */
    uint64_t size;
};

static bool queue_wish_of(const struct api_value *properties, struct queue_wish *wish)
{
    *wish = (struct queue_wish){.flags = properties->bits};
    if (properties->kind == API_VALUE_SCALAR)
        return true;
    wish->flags = 0;
    if (properties->kind != API_VALUE_PROPERTIES || !properties->data)
        return !properties->present;
    for (uint32_t i = 0; i + 1 < properties->count; i += 2) {
        if (list_word(properties, i) == CL_QUEUE_PROPERTIES)
            wish->flags = list_word(properties, i + 1);
        wish->has_hint |= list_word(properties, i) == CL_QUEUE_PRIORITY_KHR ||
                          list_word(properties, i) == CL_QUEUE_THROTTLE_KHR;
        if (list_word(properties, i) == CL_QUEUE_SIZE) {
            wish->has_size = true;
            wish->size = list_word(properties, i + 1);
        }
    }
    return true;
}

/* argument properties, other device: the flags go together, and the device has them */
void judge_queue_properties(struct judged *judged, const struct step *step)
{
    const struct device_traits *device =
        object_device_traits(judged->checker->objects, judged_bits(judged, step->other));
    const uint64_t core = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE |
                          CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
    const uint64_t vendors = UINT64_C(0xf0000000);
    const struct step unsupported = {.rule = RULE_FEATURE_UNSUPPORTED,
                                     .error = CL_INVALID_QUEUE_PROPERTIES,
                                     .argument = step->argument};
    struct queue_wish wish;
    uint64_t supported;
    if (!queue_wish_of(&judged->call->arguments[step->argument], &wish))
        return;
    const bool on_device = (wish.flags & CL_QUEUE_ON_DEVICE) != 0;
    if (wish.flags & ~(core | vendors)) {
        if (judged->call->arguments[step->argument].kind == API_VALUE_PROPERTIES)
            blame_step(judged, step, 0, "has flags 0x%" PRIx64 ", which no queue has", wish.flags);
    } else if (on_device && !(wish.flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)) {
        blame_step(judged, step, 0, "asks for a queue of the device that is in order");
    } else if (!on_device && (wish.flags & CL_QUEUE_ON_DEVICE_DEFAULT)) {
        blame_step(judged, step, 0, "has CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE");
    } else if (!on_device && wish.has_size) {
        blame_step(judged, step, 0, "has CL_QUEUE_SIZE for a command-queue of the host");
    } else if (on_device && wish.has_hint) {
        blame_step(judged, &unsupported, 0,
                   "has CL_QUEUE_PRIORITY_KHR or CL_QUEUE_THROTTLE_KHR for a queue of the device");
    } else if (on_device && device_fact(device, DEVICE_FACT_DEVICE_QUEUES, &supported) &&
               supported == 0) {
        blame_step(judged, &unsupported, 0, "asks for a queue of the device, which has none");
    } else if (on_device && wish.has_size &&
               device_fact(device, DEVICE_FACT_DEVICE_QUEUE_SIZE, &supported) &&
               wish.size > supported) {
        blame_step(judged, &unsupported, 0,
                   "asks for a queue of %" PRIu64 " bytes, more than the device's %" PRIu64,
                   wish.size, supported);
    } else if (!on_device && device_fact(device, DEVICE_FACT_HOST_QUEUES, &supported) &&
               (wish.flags & core & ~supported)) {
        blame_step(judged, &unsupported, 0,
                   "asks for what CL_DEVICE_QUEUE_ON_HOST_PROPERTIES of the device does not have");
    }
}

/* argument properties, other command_queue: the device of the queue has them */
void judge_changed_properties(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->argument);
    uint64_t supported;
    if (device_fact(judged_device(judged), DEVICE_FACT_HOST_QUEUES, &supported) &&
        (flags & (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE) & ~supported))
        blame_step(judged, step, 0, "is not supported by the device of command_queue");
}

/* argument param_name, other command_queue: the size is that of a queue of the device */
void judge_queue_query(struct judged *judged, const struct step *step)
{
    const struct queue_traits *queue = judged_queue(judged);
    if (judged_bits(judged, step->argument) == CL_QUEUE_SIZE && queue &&
        !(queue->properties & CL_QUEUE_ON_DEVICE))
        blame_step(judged, step, judged_bits(judged, step->other),
                   "is CL_QUEUE_SIZE; the command-queue is one of the host");
}

/* argument command_queue, other device, then context: the default queue of a device is one of it */
void judge_default_queue(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    const uint64_t device = judged_bits(judged, step->other);
    struct device_list devices;
    struct queue_traits queue;
    uint64_t supported;
    if (!judged_devices(judged, judged_bits(judged, step->at[2]), &devices) ||
        device_index(&devices, device) == devices.count)
        return;
    if (judged_device_fact(judged, device, DEVICE_FACT_DEVICE_ENQUEUE, &supported) &&
        !(supported & CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT))
        blame_as(judged, RULE_FEATURE_UNSUPPORTED, CL_INVALID_OPERATION, step->other, 0,
                 "has no default queue that could be replaced");
    else if (judged_traits(judged, handle, API_OBJECT_QUEUE, &queue) &&
             (!(queue.properties & CL_QUEUE_ON_DEVICE) || queue.device != device))
        advise(judged, ADVICE_QUEUE_OF_DEVICE),
            blame_step(judged, step, handle, "is not a queue of the device");
}

/* ---- parts of devices ---- */

static bool has_scheme(const struct device_traits *device, uint64_t scheme)
{
    static const enum device_fact schemes[] = {DEVICE_FACT_PARTITION_0, DEVICE_FACT_PARTITION_1,
                                               DEVICE_FACT_PARTITION_2};
    uint64_t value;
    bool known = false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; ++i)
        if (device_fact(device, schemes[i], &value)) {
            known = true;
            if (value == scheme)
                return true;
        }
    return !known;
}

/* Sub-devices of given numbers of compute units, in a list that 0 ends. */
static void judge_counts(struct judged *judged, const struct step *step,
                         const struct api_value *list, const struct device_traits *device)
{
    const uint64_t device_handle = judged_bits(judged, step->other);
    uint64_t units = UINT64_MAX;
    uint64_t parts = UINT64_MAX;
    uint64_t sum = 0;
    uint32_t count = 0;
    device_fact(device, DEVICE_FACT_COMPUTE_UNITS, &units);
    device_fact(device, DEVICE_FACT_SUB_DEVICES, &parts);
    for (uint32_t i = 1; i < list->count && list_word(list, i) != 0; ++i, ++count) {
        const int64_t part = (int64_t)list_word(list, i);
        if (part < 0) {
            blame_as(judged, step->rule, CL_INVALID_DEVICE_PARTITION_COUNT, step->argument,
                     device_handle, "asks for a part of less than no compute units");
            return;
        }
        sum += (uint64_t)part;
    }
    if (count > parts)
        blame_as(judged, step->rule, CL_INVALID_DEVICE_PARTITION_COUNT, step->argument,
                 device_handle, "asks for more parts than CL_DEVICE_PARTITION_MAX_SUB_DEVICES");
    else if (sum > units)
        blame_as(judged, step->rule, CL_INVALID_DEVICE_PARTITION_COUNT, step->argument,
                 device_handle, "asks for more compute units than the device has");
}

/* Sub-devices along an affinity domain. The next one is what the driver makes of it. */
static void judge_domain(struct judged *judged, const struct step *step,
                         const struct api_value *list, const struct device_traits *device)
{
    const uint64_t domain = list->count < 2 ? 0 : list_word(list, 1);
    uint64_t domains;
    if (domain != CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE &&
        device_fact(device, DEVICE_FACT_AFFINITY, &domains) && domains != 0 &&
        ((domain & domains) == 0 || (domain & (domain - 1)) != 0))
        blame_step(judged, step, judged_bits(judged, step->other),
                   "names no affinity domain along which the device can be divided "
                   "(CL_DEVICE_PARTITION_AFFINITY_DOMAIN)");
}

/* What judge_partition does. */
static void judge_scheme(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const struct device_traits *device =
        object_device_traits(judged->checker->objects, judged_bits(judged, step->other));
    uint64_t units;
    if (list->kind != API_VALUE_PROPERTIES || !list->data || list->count == 0)
        return;
    const uint64_t scheme = list_word(list, 0);
    if (scheme == 0) {
        blame_step(judged, step, 0, "names no way to divide the device");
        return;
    }
    if (scheme != CL_DEVICE_PARTITION_EQUALLY && scheme != CL_DEVICE_PARTITION_BY_COUNTS &&
        scheme != CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN) {
        blame_unsure(judged, step, "names 0x%" PRIx64 ", which is not a way to divide the device",
                     scheme);
        return;
    }
    if (!has_scheme(device, scheme)) {
        blame_step(judged, step, judged_bits(judged, step->other),
                   "names a way in which the device cannot be divided");
        return;
    }
    if (scheme == CL_DEVICE_PARTITION_BY_COUNTS) {
        judge_counts(judged, step, list, device);
        return;
    }
    if (scheme == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
        judge_domain(judged, step, list, device);
    if (scheme != CL_DEVICE_PARTITION_EQUALLY || list->count < 2)
        return;
    const uint64_t part = list_word(list, 1);
    if (part == 0)
        blame_step(judged, step, 0, "asks for parts of 0 compute units");
    else if (device_fact(device, DEVICE_FACT_COMPUTE_UNITS, &units) && units / part > 1 &&
             judged->call->arguments[step->at[3]].present &&
             judged_bits(judged, step->at[2]) < units / part)
        blame_as(judged, step->rule, step->error, step->at[2], 0,
                 "is %" PRIu64 "; there are %" PRIu64 " parts", judged_bits(judged, step->at[2]),
                 units / part);
}

/* argument properties, other in_device, then num_devices, out_devices */
void judge_partition(struct judged *judged, const struct step *step)
{
    advise(judged, ADVICE_PARTITION);
    judge_scheme(judged, step);
    advise(judged, ADVICE_OF_RULE);
}

/* ---- pipes ---- */

/* argument pipe_packet_size, other context */
void judge_packet_size(struct judged *judged, const struct step *step)
{
    struct fact_range limit;
    const uint64_t size = judged_bits(judged, step->argument);
    if (judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_PACKET_SIZE, &limit) &&
        limit.most != 0 && size > limit.most)
        blame_step(judged, step, 0,
                   "is %" PRIu64 ", more than the %" PRIu64
                   " that a device of the context can have",
                   size, limit.most);
}

/* ---- shared virtual memory ---- */

/* argument command_queue: its device has it */
void judge_svm_of_queue(struct judged *judged, const struct step *step)
{
    uint64_t svm;
    if (device_fact(judged_device(judged), DEVICE_FACT_SVM, &svm) && svm == 0)
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is of a device without shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)");
}

/* argument flags, other context */
void judge_svm_flags(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->argument);
    struct fact_range svm;
    const bool known = judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_SVM, &svm);
    if ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
        advise(judged, ADVICE_SVM_ATOMICS),
            blame_step(judged, step, 0,
                       "has CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER");
    else if (known && svm.any != 0 &&
             (((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) &&
               !(svm.any & CL_DEVICE_SVM_FINE_GRAIN_BUFFER)) ||
              ((flags & CL_MEM_SVM_ATOMICS) && !(svm.any & CL_DEVICE_SVM_ATOMICS))))
        blame_as(judged, RULE_FEATURE_UNSUPPORTED, step->error, step->argument, 0,
                 "asks for what no device of the context has");
}

/* argument size, other context: not 0, and each device can have it */
void judge_svm_size(struct judged *judged, const struct step *step)
{
    const uint64_t size = judged_bits(judged, step->argument);
    struct fact_range limit;
    if (size == 0)
        blame_step(judged, step, 0, "is 0");
    else if (judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_ALLOCATION_SIZE,
                         &limit) &&
             size > limit.least)
        blame_step(
            judged, step, 0,
            "is %" PRIu64 ", more than the %" PRIu64
            " bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE) that every device of the context can have",
            size, limit.least);
}

/* argument alignment: a power of two, or 0 */
void judge_power_of_two(struct judged *judged, const struct step *step)
{
    const uint64_t value = judged_bits(judged, step->argument);
    if ((value & (value - 1)) != 0) {
        advise(judged, ADVICE_SVM_ALIGNMENT);
        blame_step(judged, step, 0, "is %" PRIu64 ", not a power of two", value);
    }
}

/* argument a pointer that is not NULL */
void judge_address(struct judged *judged, const struct step *step)
{
    if (!judged->call->arguments[step->argument].present)
        blame_step(judged, step, 0, "is NULL");
}

/* argument dst_ptr, other src_ptr, then size */
void judge_svm_overlap(struct judged *judged, const struct step *step)
{
    const uint64_t to = judged_bits(judged, step->argument);
    const uint64_t from = judged_bits(judged, step->other);
    const uint64_t size = judged_bits(judged, step->at[2]);
    if (to != 0 && from != 0 && (to > from ? to - from : from - to) < size)
        blame_step(judged, step, 0,
                   "and %s are %" PRIu64 " bytes apart, and %" PRIu64 " are copied",
                   judged_name(judged, step->other), to > from ? to - from : from - to, size);
}

/* argument svm_ptr, other pattern_size */
void judge_svm_alignment(struct judged *judged, const struct step *step)
{
    const uint64_t pattern = judged_bits(judged, step->other);
    enum { PATTERN_MAX = 128 };
    if (pattern != 0 && (pattern & (pattern - 1)) == 0 && pattern <= PATTERN_MAX &&
        judged_bits(judged, step->argument) % pattern != 0) {
        advise(judged, ADVICE_SVM_FILL_ALIGNED);
        blame_step(judged, step, 0, "is not aligned to the %" PRIu64 " bytes of the pattern",
                   pattern);
    }
}

/* Element `index` of a list: is it shared virtual memory of another context than that of `object`,
 * or that was freed? */
static bool judge_svm_element(struct judged *judged, const struct step *step, uint32_t index,
                              uint64_t address, uint64_t object)
{
    const uint64_t context = judged_context(judged, object);
    struct step blamed = *step;
    struct svm_range range;
    struct fact_range svm;
    struct fact_range keeps;
    if (address == 0 || context == 0)
        return false;
    if (svm_find(judged->checker->svm, address, &range)) {
        blamed.rule = RULE_CONTEXT_MISMATCH;
        if (range.context == context ||
            (!range.unified && judged_fact(judged, context, DEVICE_FACT_SVM, &svm) && svm.any == 0))
            return false; /* that there is no such memory another step says */
        blame_element(judged, &blamed, index, range.context,
                      "lies in %s memory of another context than %s has",
                      range.unified ? "unified shared" : "shared virtual", judged_name(judged, 0));
        return true;
    }
    blamed.rule = RULE_SVM_UNKNOWN;
    if (!svm_is_gone(judged->checker->svm, address) ||
        !judged_fact(judged, context, DEVICE_FACT_SVM, &svm) ||
        ((svm.any & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) &&
         (!judged_fact(judged, context, DEVICE_FACT_SVM_KEEPS_ADDRESSES, &keeps) ||
          keeps.least == 0)))
        return false;
    blame_element(judged, &blamed, index, 0, "lies in shared virtual memory that was freed");
    return true;
}

/* argument param_value, other param_name (clSetKernelExecInfo): the memory of the list is there,
 * and of the kernel's context */
void judge_listed_svm(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const uint64_t name = judged_bits(judged, step->other);
    if ((name != CL_KERNEL_EXEC_INFO_SVM_PTRS && name != CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL) ||
        !list->data || list->size % sizeof(uint64_t) != 0)
        return;
    for (uint32_t i = 0; i < list->size / sizeof(uint64_t); ++i)
        if (judge_svm_element(judged, step, i, list_word(list, i), judged_bits(judged, 0)))
            return;
}

/* argument svm_pointers, other sizes: each range lies in an allocation of clSVMAlloc */
void judge_svm_ranges(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    const struct api_value *sizes = &judged->call->arguments[step->other];
    struct svm_range range;
    if (is_blind(judged->checker))
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_SIZES); ++i) {
        const uint64_t address = list_word(list, i);
        const uint64_t size = sizes->data && i < sizes->count ? list_word(sizes, i) : 0;
        if (judge_svm_element(judged, step, i, address, judged_bits(judged, 0)))
            return;
        if (size != 0 && (!svm_find(judged->checker->svm, address, &range) ||
                          !range_within(address - range.address, size, range.size))) {
            blame_element(judged, step, i, 0,
                          "and %" PRIu64 " bytes from there are not in an allocation of clSVMAlloc",
                          size);
            return;
        }
    }
}

static bool kernel_lacks_svm(const struct judged *judged, uint64_t kernel, uint64_t capability)
{
    struct fact_range svm;
    return judged_fact(judged, judged_context(judged, kernel), DEVICE_FACT_SVM, &svm) &&
           !(svm.any & capability);
}

/* argument kernel: a device of its context has SVM */
void judge_svm_of_kernel(struct judged *judged, const struct step *step)
{
    const uint64_t kernel = judged_bits(judged, step->argument);
    if (kernel_lacks_svm(judged, kernel, UINT64_MAX))
        blame_step(judged, step, kernel, "is of a context whose devices have no SVM");
}

/* argument kernel, other param_name, then param_value: the same, for what the value needs */
void judge_svm_exec_info(struct judged *judged, const struct step *step)
{
    const uint64_t kernel = judged_bits(judged, step->argument);
    const uint64_t name = judged_bits(judged, step->other);
    const struct api_value *value = &judged->call->arguments[step->at[2]];
    cl_bool wanted = CL_FALSE;
    if (name == CL_KERNEL_EXEC_INFO_SVM_PTRS && value->size % sizeof(void *) == 0)
        judge_svm_of_kernel(judged, step);
    if (name != CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM || !value->data ||
        value->size != sizeof wanted)
        return;
    memcpy(&wanted, value->data, sizeof wanted);
    if (wanted && kernel_lacks_svm(judged, kernel, CL_DEVICE_SVM_FINE_GRAIN_SYSTEM))
        blame_step(judged, step, kernel,
                   "is of a context whose devices have no fine-grain system SVM");
}

/* argument arg_value: known SVM; what else it may be the driver knows */
void judge_svm_value(struct judged *judged, const struct step *step)
{
    const uint64_t address = judged_bits(judged, step->argument);
    struct svm_range range;
    if (address != 0 && !svm_find(judged->checker->svm, address, &range))
        blame_unsure(judged, step, "is not an address of shared virtual memory");
}

/* argument a pointer, other kernel: shared virtual memory is of its context */
void judge_svm_of_argument(struct judged *judged, const struct step *step)
{
    const uint64_t context = judged_context(judged, judged_bits(judged, step->other));
    struct svm_range range;
    if (context != 0 &&
        svm_find(judged->checker->svm, judged_bits(judged, step->argument), &range) &&
        range.context != context)
        blame_step(judged, step, range.context, "lies in %s memory of another context than %s has",
                   range.unified ? "unified shared" : "shared virtual",
                   judged_name(judged, step->other));
}

/* ---- native kernels ---- */

/* argument command_queue: its device runs them */
void judge_native_kernels(struct judged *judged, const struct step *step)
{
    uint64_t execution;
    if (device_fact(judged_device(judged), DEVICE_FACT_EXECUTION, &execution) &&
        !(execution & CL_EXEC_NATIVE_KERNEL))
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is of a device that runs no native kernels (CL_DEVICE_EXECUTION_CAPABILITIES)");
}
