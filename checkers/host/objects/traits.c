#include "checkers/host/objects/traits.h"

#include <string.h>

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

bool device_reuses_svm(const struct device_traits *device)
{
    uint64_t svm;
    uint64_t keeps;
    return device_fact(device, DEVICE_FACT_SVM, &svm) && (svm & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) &&
           !(device_fact(device, DEVICE_FACT_SVM_KEEPS_ADDRESSES, &keeps) && keeps);
}

void device_learn(struct device_traits *device, enum device_fact fact, uint64_t value)
{
    atomic_store_explicit(&device->facts[fact], value, memory_order_relaxed);
    atomic_fetch_or_explicit(&device->known, UINT64_C(1) << (unsigned)fact, memory_order_release);
}

static const struct kernel_traits unknown_kernel;

static void copy_must(struct must_traits *to, const struct must_traits *from)
{
    to->first = from->first;
    to->size = from->size;
    to->limit = from->limit;
    to->limit_argument = from->limit_argument;
    to->index_bits = from->index_bits;
    to->flags = from->flags;
}

static void copy_argument(struct argument_traits *to, const struct argument_traits *from)
{
    to->address = from->address;
    to->access = from->access;
    to->type = from->type;
    to->type_known = from->type_known;
    to->pointed = from->pointed;
    to->is_const = from->is_const;
    to->is_pipe = from->is_pipe;
    to->accesses = from->accesses;
    copy_must(&to->must_read, &from->must_read);
    copy_must(&to->must_write, &from->must_write);
    to->set = from->set;
    to->svm = from->svm;
    to->lost = from->lost;
    to->sized = from->sized;
    to->size = from->size;
    to->set_size = from->set_size;
    to->value = from->value;
    to->number = from->number;
    to->name_known = false;
    memcpy(to->name, from->name, sizeof to->name);
    to->name_known = from->name_known;
}

void kernel_copy(struct kernel_traits *to, const struct kernel_traits *from)
{
    to->created = from->created;
    to->argument_count = from->argument_count;
    to->count_known = from->count_known;
    to->required_known = from->required_known;
    for (size_t i = 0; i < sizeof to->required / sizeof *to->required; ++i)
        to->required[i] = from->required[i];
    for (size_t i = 0; i < sizeof to->limits / sizeof *to->limits; ++i) {
        to->limits[i].device = from->limits[i].device;
        to->limits[i].work_group_size = from->limits[i].work_group_size;
        to->limits[i].local_size = from->limits[i].local_size;
    }
    to->has_must = from->has_must;
    to->limit_arguments = from->limit_arguments;
    for (size_t i = 0; i < TRAITS_ARGUMENTS_MAX; ++i)
        copy_argument(&to->arguments[i], &from->arguments[i]);
}

void kernel_forget(struct kernel_traits *kernel)
{
    kernel_copy(kernel, &unknown_kernel);
}

void kernel_note_launch(struct kernel_traits *kernel)
{
    const uint32_t launches = atomic_load_explicit(&kernel->launches, memory_order_relaxed);
    atomic_store_explicit(&kernel->launches, launches + 1, memory_order_relaxed);
}

uint32_t kernel_argument_count(const struct kernel_traits *kernel)
{
    const uint32_t count = kernel->argument_count;
    return count < TRAITS_ARGUMENTS_MAX ? count : TRAITS_ARGUMENTS_MAX;
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

uint64_t argument_object(const struct argument_traits *argument, uint64_t value)
{
    return argument_kind(argument) == ARGUMENT_VALUE ? 0 : value;
}

uint64_t argument_digest(uint64_t object, uint64_t size, uint64_t version)
{
    return traits_mix(traits_mix(object, size), version);
}

bool rights_have(const struct rights *rights, uint64_t digest)
{
    bool have = false;
    for (size_t i = 0; i < RIGHTS_MAX && !have; ++i)
        have = atomic_load_explicit(&rights->digests[i], memory_order_relaxed) == digest;
    return have;
}

void rights_note(struct rights *rights, uint64_t digest)
{
    const uint32_t next = atomic_load_explicit(&rights->next, memory_order_relaxed);
    if (rights_have(rights, digest))
        return;
    atomic_store_explicit(&rights->digests[next % RIGHTS_MAX], digest, memory_order_relaxed);
    atomic_store_explicit(&rights->next, next + 1, memory_order_relaxed);
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
