#include "layer/probes/given.h"

#include "checkers/probe/captured.h"
#include "layer/targets.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <string.h>

struct given *given_create(size_t count)
{
    struct given *given = alloc_zero(1, sizeof *given + count * sizeof *given->arguments);
    if (given) {
        given->holds = 1;
        given->count = count;
    }
    return given;
}

struct given *given_hold(struct given *given)
{
    if (given)
        atomic_fetch_add(&given->holds, 1);
    return given;
}

void given_drop(struct given *given)
{
    if (!given || atomic_fetch_sub(&given->holds, 1) != 1)
        return;
    for (size_t i = 0; i < given->count; i++)
        alloc_free(given->arguments[i].bytes);
    alloc_free(given);
}

static bool set_bytes(struct given_argument *argument, const void *bytes)
{
    if (argument->size <= GIVEN_SMALL) {
        memcpy(argument->small, bytes, argument->size);
        return true;
    }
    argument->bytes = alloc(argument->size);
    if (argument->bytes)
        memcpy(argument->bytes, bytes, argument->size);
    return argument->bytes != NULL;
}

static struct given *copy_of(const struct given *given)
{
    struct given *copy = given_create(given->count);
    if (!copy)
        return NULL;
    copy->reaches_more = given->reaches_more;
    copy->spares_host = given->spares_host;
    memcpy(copy->arguments, given->arguments, given->count * sizeof *given->arguments);
    bool copied = true;
    for (size_t i = 0; i < copy->count; i++) {
        const void *bytes = copy->arguments[i].bytes;
        copy->arguments[i].bytes = NULL;
        copied = copied && (!bytes || set_bytes(&copy->arguments[i], bytes));
    }
    if (copied)
        return copy;
    given_drop(copy);
    return NULL;
}

/* What may be changed. */
static struct given *own(struct given **given)
{
    struct given *shared = *given;
    if (!shared || atomic_load(&shared->holds) == 1)
        return shared;
    *given = copy_of(shared);
    given_drop(shared);
    return *given;
}

void given_set(struct given **given, size_t index, const struct given_argument *argument,
               const void *bytes)
{
    struct given *changed = own(given);
    if (!changed || index >= changed->count)
        return;
    alloc_free(changed->arguments[index].bytes);
    changed->arguments[index] = *argument;
    changed->arguments[index].bytes = NULL;
    const bool has_bytes = argument->kind == GIVEN_VALUE || argument->kind == GIVEN_OTHER;
    if (has_bytes && !set_bytes(&changed->arguments[index], bytes)) {
        given_drop(changed);
        *given = NULL;
    }
}

_Static_assert(sizeof(struct captured_sampler) <= GIVEN_SMALL, "it is kept there");

bool given_sampler(const void *value, uint64_t size, struct given_argument *argument)
{
    cl_sampler sampler = NULL;
    cl_addressing_mode addressing = 0;
    cl_filter_mode filter = 0;
    cl_bool is_normalised = CL_FALSE;
    if (value && size == sizeof sampler)
        memcpy(&sampler, value, sizeof sampler);
    if (!sampler ||
        LAYER_TARGET(clGetSamplerInfo)(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof addressing,
                                       &addressing, NULL) != CL_SUCCESS ||
        LAYER_TARGET(clGetSamplerInfo)(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter,
                                       NULL) != CL_SUCCESS ||
        LAYER_TARGET(clGetSamplerInfo)(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof is_normalised,
                                       &is_normalised, NULL) != CL_SUCCESS)
        return false;
    const struct captured_sampler found = {
        .addressing = addressing, .filter = filter, .is_normalised = is_normalised};
    *argument = (struct given_argument){
        .kind = GIVEN_SAMPLER, .size = sizeof found, .address = (uint64_t)sampler};
    memcpy(argument->small, &found, sizeof found);
    return true;
}

static const void *bytes_of(const struct given_argument *argument)
{
    return argument->bytes ? argument->bytes : argument->small;
}

void given_set_more(struct given **given, cl_kernel_exec_info name, const void *value)
{
    struct given *changed = own(given);
    cl_bool uses_host = CL_TRUE;
    if (!changed)
        return;
    if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM && value) {
        memcpy(&uses_host, value, sizeof uses_host);
        changed->spares_host = !uses_host;
    }
    changed->reaches_more |= uses_host != 0;
}

const void *given_value(const struct given_argument *argument)
{
    return argument->kind == GIVEN_VALUE ? bytes_of(argument) : NULL;
}

/* What was given: a value of `*size` bytes, or an address. */
static const void *what_of(const struct given_argument *argument, size_t *size)
{
    *size = argument->size;
    switch (argument->kind) {
    case GIVEN_MEMORY:
        return &argument->memory;
    case GIVEN_SHARED:
    case GIVEN_SAMPLER:
        *size = sizeof argument->address;
        return &argument->address;
    case GIVEN_VALUE:
    case GIVEN_OTHER:
        return bytes_of(argument);
    default:
        return NULL;
    }
}

static bool apply(const struct given_argument *argument, cl_kernel kernel, cl_uint index)
{
    size_t size;
    const void *what = what_of(argument, &size);
    uint64_t words[API_ARGUMENT_MAX] = {(uint64_t)kernel, index};
    if (argument->kind == GIVEN_NOTHING)
        return true; /* and a launch of it fails, as it should */
    if (argument->entry == API_ENTRY_clSetKernelArg)
        return LAYER_TARGET(clSetKernelArg)(kernel, index, size, what) == CL_SUCCESS;
    if (what)
        memcpy(&words[API_clSetKernelArgSVMPointer_arg_value], what, sizeof *words);
    return (cl_int)api_perform(argument->entry, layer_targets[argument->entry], words) ==
           CL_SUCCESS;
}

bool given_apply(const struct given *given, cl_kernel kernel)
{
    bool done = given && !given->reaches_more;
    for (size_t i = 0; done && i < given->count; i++)
        done = apply(&given->arguments[i], kernel, (cl_uint)i);
    return done;
}
