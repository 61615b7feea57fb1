#include "checkers/host/traits.h"

size_t traits_size(enum api_object_kind kind)
{
    static const size_t sizes[API_OBJECT_KIND_COUNT] = {
        [API_OBJECT_PLATFORM] = sizeof(struct platform_traits),
        [API_OBJECT_DEVICE] = sizeof(struct device_traits),
        [API_OBJECT_CONTEXT] = sizeof(struct context_traits),
        [API_OBJECT_QUEUE] = sizeof(struct queue_traits),
        [API_OBJECT_MEM] = sizeof(struct mem_traits),
        [API_OBJECT_PROGRAM] = sizeof(struct program_traits),
        [API_OBJECT_KERNEL] = sizeof(struct kernel_traits),
        [API_OBJECT_EVENT] = sizeof(struct event_traits),
        [API_OBJECT_SEMAPHORE] = sizeof(struct semaphore_traits),
        [API_OBJECT_COMMAND_BUFFER] = sizeof(struct command_buffer_traits),
        [API_OBJECT_MUTABLE_COMMAND] = sizeof(struct mutable_command_traits),
    };
    return kind < API_OBJECT_KIND_COUNT ? sizes[kind] : 0;
}

_Static_assert(DEVICE_FACT_COUNT <= 64, "a bit for each fact");

bool device_fact(const struct device_traits *device, enum device_fact fact, uint64_t *value)
{
    if (!device ||
        !(atomic_load_explicit(&device->known, memory_order_acquire) >> (unsigned)fact & 1))
        return false;
    *value = atomic_load_explicit(&device->facts[fact], memory_order_relaxed);
    return true;
}

void device_learn(struct device_traits *device, enum device_fact fact, uint64_t value)
{
    atomic_store_explicit(&device->facts[fact], value, memory_order_relaxed);
    atomic_fetch_or_explicit(&device->known, UINT64_C(1) << (unsigned)fact, memory_order_release);
}

/* What the driver tells of an argument may come in any order, so it is judged as a whole. */
enum argument_kind argument_kind(const struct argument_traits *argument)
{
    if (argument->is_pipe)
        return ARGUMENT_PIPE;
    if (argument->address == 0 || !argument->type_known)
        return ARGUMENT_UNKNOWN;
    if (argument->type != ARGUMENT_UNKNOWN)
        return (enum argument_kind)argument->type;
    switch (argument->address - 1 + CL_KERNEL_ARG_ADDRESS_GLOBAL) {
    case CL_KERNEL_ARG_ADDRESS_GLOBAL:
    case CL_KERNEL_ARG_ADDRESS_CONSTANT:
        return ARGUMENT_BUFFER;
    case CL_KERNEL_ARG_ADDRESS_LOCAL:
        return ARGUMENT_LOCAL;
    default:
        return ARGUMENT_UNKNOWN;
    }
}

unsigned image_dimensions(cl_mem_object_type type)
{
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
        return 1;
    case CL_MEM_OBJECT_IMAGE2D:
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return 2;
    default:
        return 3;
    }
}
