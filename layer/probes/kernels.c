#include "layer/probes/kernels.h"

#include "checkers/probe/captured.h"
#include "layer/driver/driver_ask.h"
#include "layer/driver/kernel_facts.h"
#include "layer/hash.h"
#include "layer/live.h"
#include "layer/targets.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"

#include <stdatomic.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096 };

/* What the table holds for a kernel. */
struct row {
    struct probed probed;
    atomic_uint holds;
    struct arena arena;
};

struct entry {
    UT_hash_handle hh;
    cl_kernel kernel;
    struct row *row;
};

/* The copy of a program's last build. */
struct built {
    UT_hash_handle hh;
    cl_program program;
    struct copy *copy;
};

struct kernels {
    struct live *live;
    pthread_mutex_t mutex;
    struct entry *entries;
    struct built *built;
};

struct kernels *kernels_create(struct live *live)
{
    struct kernels *kernels = alloc_zero(1, sizeof *kernels);
    if (!kernels)
        return NULL;
    kernels->live = live;
    pthread_mutex_init(&kernels->mutex, NULL);
    return kernels;
}

static struct row *row_of(struct probed *probed)
{
    return (struct row *)((char *)probed - offsetof(struct row, probed));
}

void probed_drop(struct probed *probed)
{
    struct row *row = probed ? row_of(probed) : NULL;
    if (!row || atomic_fetch_sub(&row->holds, 1) != 1)
        return;
    for (uint32_t i = 0; probed->kernel && i < probed->checked->argument_count; i++) {
        if (probed->cells[i])
            LAYER_TARGET(clReleaseMemObject)(probed->cells[i]);
        if (probed->maps[i])
            LAYER_TARGET(clReleaseMemObject)(probed->maps[i]);
    }
    if (probed->shared)
        LAYER_TARGET(clReleaseMemObject)(probed->shared);
    if (probed->kernel)
        LAYER_TARGET(clReleaseKernel)(probed->kernel);
    if (probed->full)
        LAYER_TARGET(clReleaseKernel)(probed->full);
    copy_drop(probed->copy);
    given_drop(probed->given);
    pthread_mutex_destroy(&probed->mutex);
    arena_release(&row->arena);
    alloc_free(row);
}

/* Locked; gives what is to be dropped without the lock. */
static struct probed *take_kernel(struct kernels *kernels, cl_kernel kernel)
{
    struct entry *entry;
    HASH_FIND(hh, kernels->entries, &kernel, sizeof kernel, entry);
    if (!entry)
        return NULL;
    struct probed *probed = &entry->row->probed;
    HASH_DEL(kernels->entries, entry);
    alloc_free(entry);
    return probed;
}

static struct copy *take_program(struct kernels *kernels, cl_program program)
{
    struct built *built;
    HASH_FIND(hh, kernels->built, &program, sizeof program, built);
    if (!built)
        return NULL;
    struct copy *copy = built->copy;
    HASH_DEL(kernels->built, built);
    alloc_free(built);
    return copy;
}

void kernels_destroy(struct kernels *kernels)
{
    if (!kernels)
        return;
    while (kernels->entries)
        probed_drop(take_kernel(kernels, kernels->entries->kernel));
    while (kernels->built)
        copy_drop(take_program(kernels, kernels->built->program));
    pthread_mutex_destroy(&kernels->mutex);
    alloc_free(kernels);
}

void kernels_forget(struct kernels *kernels, cl_kernel kernel)
{
    pthread_mutex_lock(&kernels->mutex);
    struct probed *probed = take_kernel(kernels, kernel);
    pthread_mutex_unlock(&kernels->mutex);
    probed_drop(probed);
}

void kernels_forget_program(struct kernels *kernels, cl_program program)
{
    pthread_mutex_lock(&kernels->mutex);
    struct copy *copy = take_program(kernels, program);
    pthread_mutex_unlock(&kernels->mutex);
    copy_drop(copy);
}

struct probed *kernels_find(struct kernels *kernels, cl_kernel kernel)
{
    struct entry *entry;
    pthread_mutex_lock(&kernels->mutex);
    HASH_FIND(hh, kernels->entries, &kernel, sizeof kernel, entry);
    if (entry)
        atomic_fetch_add(&entry->row->holds, 1);
    pthread_mutex_unlock(&kernels->mutex);
    return entry ? &entry->row->probed : NULL;
}

/* ---- kernels that appear ---- */

/* The copy of the program as it was built last; held. */
static struct copy *copy_of(const struct session *session, struct kernels *kernels,
                            cl_program program)
{
    struct held_facts *held = kernel_facts_hold(session, (uint64_t)program);
    struct built *built;
    struct copy *copy = NULL;
    pthread_mutex_lock(&kernels->mutex);
    HASH_FIND(hh, kernels->built, &program, sizeof program, built);
    if (built && built->copy->held == held)
        copy = copy_hold(built->copy);
    pthread_mutex_unlock(&kernels->mutex);
    if (copy) {
        held_facts_drop(held);
        return copy;
    }
    copy = copy_make(program, held);
    built = copy ? alloc_zero(1, sizeof *built) : NULL;
    if (!built)
        return copy;
    *built = (struct built){.program = program, .copy = copy_hold(copy)};
    pthread_mutex_lock(&kernels->mutex);
    struct copy *before = take_program(kernels, program);
    bool added = true;
    HASH_ADD(hh, kernels->built, program, sizeof built->program, built);
    pthread_mutex_unlock(&kernels->mutex);
    copy_drop(before);
    if (!added) {
        copy_drop(built->copy);
        alloc_free(built);
    }
    return copy;
}

static bool is_of_reference(const struct session *session, cl_program program)
{
    cl_device_id devices[64];
    cl_platform_id platform = NULL;
    return session->reference_platform != 0 &&
           driver_ask(API_ENTRY_clGetProgramInfo, (uint64_t)program, CL_PROGRAM_DEVICES, devices,
                      sizeof devices, NULL) &&
           driver_ask(API_ENTRY_clGetDeviceInfo, (uint64_t)devices[0], CL_DEVICE_PLATFORM,
                      &platform, sizeof platform, NULL) &&
           (uint64_t)platform == session->reference_platform;
}

static void make_kernel(struct row *row, cl_kernel from)
{
    struct probed *probed = &row->probed;
    const struct copy *copy = probed->copy;
    cl_int status = CL_SUCCESS;
    if (!copy || copy->reason[0] != '\0') {
        probed->reason = copy ? copy->reason : "memory is out";
        return;
    }
    probed->checked = checked_find(copy->checked, probed->name);
    if (!probed->checked || probed->checked->reason[0] != '\0') {
        probed->reason = probed->checked ? probed->checked->reason : "its checked copy lacks it";
        return;
    }
    if (probed->checked->may_be_led && copy->device_count > 0 && copy->devices[0].is_of_pocl) {
        probed->reason = "it has && or || after a barrier in an if statement, which PoCL's "
                         "compiler gets wrong in larger kernels";
        return;
    }
    probed->facts = facts_find(copy->facts, probed->name);
    if (!probed->facts) {
        /* Which of them are in local memory, and so have a size, is among these. */
        probed->reason = "clerk does not know its arguments";
        return;
    }
    probed->name = probed->checked->name; /* which lives as long as the copy */
    probed->reaches = arena_alloc(&row->arena, (size_t)probed->checked->argument_count + 1,
                                  sizeof *probed->reaches);
    probed->cells = arena_alloc(&row->arena, (size_t)probed->checked->argument_count + 1,
                                sizeof *probed->cells);
    probed->maps =
        arena_alloc(&row->arena, (size_t)probed->checked->argument_count + 1, sizeof *probed->maps);
    if (probed->reaches && probed->cells && probed->maps)
        probed->kernel = from ? LAYER_TARGET(clCloneKernel)(from, &status)
                              : LAYER_TARGET(clCreateKernel)(copy->program, probed->name, &status);
    if (!probed->kernel)
        probed->reason = "the driver refuses its checked copy";
    /* PoCL 6 does not tell of local memory before a kernel's first launch. */
    probed->local_size = probed->facts->local_size + CHECKED_LOCAL_SPARE;
    for (size_t i = 0; probed->kernel && !from && i < copy->device_count; i++) {
        cl_ulong size = 0; /* it has no arguments yet */
        LAYER_TARGET(clGetKernelWorkGroupInfo)
        (probed->kernel, copy->devices[i].device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof size, &size,
         NULL);
        probed->local_size = size > probed->local_size ? size : probed->local_size;
    }
}

/* NULL when memory is out. */
static struct row *make_row(const struct session *session, struct kernels *kernels,
                            cl_kernel kernel, struct probed *from)
{
    struct row *row = alloc_zero(1, sizeof *row);
    cl_program program = NULL;
    size_t size;
    if (!row)
        return NULL;
    struct probed *probed = &row->probed;
    row->holds = 1;
    pthread_mutex_init(&probed->mutex, NULL);
    probed->reason = "";
    probed->name = driver_ask_bytes(&row->arena, API_ENTRY_clGetKernelInfo, (uint64_t)kernel,
                                    CL_KERNEL_FUNCTION_NAME, &size);
    if (!probed->name || !driver_ask(API_ENTRY_clGetKernelInfo, (uint64_t)kernel, CL_KERNEL_PROGRAM,
                                     &program, sizeof program, NULL)) {
        probed->name = probed->name ? probed->name : "?";
        probed->reason = "the driver does not tell of its program";
        return row;
    }
    probed->is_reference = is_of_reference(session, program);
    if (probed->is_reference)
        return row;
    probed->copy = from && from->copy ? copy_hold(from->copy) : copy_of(session, kernels, program);
    make_kernel(row, from ? from->kernel : NULL);
    if (from && from->kernel && probed->kernel) {
        probed->local_size = from->local_size;
        memcpy(probed->reaches, from->reaches,
               probed->checked->argument_count * sizeof *probed->reaches);
        pthread_mutex_lock(&from->mutex);
        probed->given = given_hold(from->given);
        pthread_mutex_unlock(&from->mutex);
    } else if (probed->kernel) {
        probed->given = given_create(probed->checked->argument_count);
    }
    return row;
}

void kernels_add(const struct session *session, struct kernels *kernels, cl_kernel kernel,
                 cl_kernel from)
{
    struct probed *original = from ? kernels_find(kernels, from) : NULL;
    struct row *row = make_row(session, kernels, kernel, original);
    struct entry *entry = row ? alloc_zero(1, sizeof *entry) : NULL;
    probed_drop(original);
    if (!entry) {
        probed_drop(row ? &row->probed : NULL);
        return;
    }
    *entry = (struct entry){.kernel = kernel, .row = row};
    pthread_mutex_lock(&kernels->mutex);
    struct probed *before = take_kernel(kernels, kernel);
    bool added = true;
    HASH_ADD(hh, kernels->entries, kernel, sizeof entry->kernel, entry);
    pthread_mutex_unlock(&kernels->mutex);
    probed_drop(before);
    if (!added) {
        probed_drop(&row->probed);
        alloc_free(entry);
    }
}

/* ---- arguments ---- */

/* Of a memory object. */
static struct reach reach_of_memory(cl_mem memory)
{
    cl_mem_flags flags = 0;
    cl_mem whole = NULL;
    size_t size = 0, whole_size = 0, before = 0;
    if (LAYER_TARGET(clGetMemObjectInfo)(memory, CL_MEM_SIZE, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        LAYER_TARGET(clGetMemObjectInfo)(memory, CL_MEM_FLAGS, sizeof flags, &flags, NULL) !=
            CL_SUCCESS)
        return (struct reach){.size = CHECKED_SIZE_UNKNOWN};
    LAYER_TARGET(clGetMemObjectInfo)
    (memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    whole_size = size;
    if (whole) {
        LAYER_TARGET(clGetMemObjectInfo)(memory, CL_MEM_OFFSET, sizeof before, &before, NULL);
        LAYER_TARGET(clGetMemObjectInfo)(whole, CL_MEM_SIZE, sizeof size, &whole_size, NULL);
    }
    return (struct reach){.size =
                              size | ((flags & CL_MEM_READ_ONLY) != 0 ? CHECKED_SIZE_READ_ONLY : 0),
                          .object = (uint64_t)(whole ? whole : memory),
                          .object_size = whole_size,
                          .before = before};
}

/* Of shared virtual memory. From what leads into the middle of an allocation a kernel may also go
 * back. */
static struct reach reach_of_shared(struct live *live, uint64_t address)
{
    struct reach reach = {.size = address ? CHECKED_SIZE_UNKNOWN : 0};
    live_lock(live);
    const struct live_object *allocation = live_find_shared(live, address);
    if (allocation)
        reach = (struct reach){.size = allocation->handle + allocation->size - address +
                                       (allocation->handle == address ? 0 : CHECKED_SIZE_MIDDLE),
                               .object = allocation->handle,
                               .object_size = allocation->size,
                               .before = address - allocation->handle};
    live_unlock(live);
    return reach;
}

const struct fact_argument *probed_fact(const struct probed *probed, uint64_t index)
{
    return index < probed->facts->argument_count ? &probed->facts->arguments[index] : NULL;
}

static bool is_local(const struct probed *probed, uint64_t index)
{
    const struct fact_argument *fact = probed_fact(probed, index);
    return fact && fact->address == CL_KERNEL_ARG_ADDRESS_LOCAL;
}

static struct reach reach_of_argument(const struct probed *probed, const uint64_t *words)
{
    const uint64_t index = words[API_clSetKernelArg_arg_index];
    const void *value = (const void *)words[API_clSetKernelArg_arg_value];
    const uint64_t size = words[API_clSetKernelArg_arg_size];
    cl_mem memory = NULL;
    if (!value)
        return (struct reach){.size = is_local(probed, index) ? size : 0};
    if (size != sizeof memory)
        return (struct reach){.size = CHECKED_SIZE_UNKNOWN};
    memcpy(&memory, value, sizeof memory);
    return memory ? reach_of_memory(memory) : (struct reach){0};
}

static bool is_sampler(const struct fact_argument *fact)
{
    return fact && strcmp(fact->plain_type_name, "sampler_t") == 0;
}

/* A value of the kernel's, or what it leads to. */
static struct given_argument argument_of_value(const struct fact_argument *fact, const void *value,
                                               uint64_t size)
{
    struct given_argument argument = {.kind = GIVEN_VALUE, .size = size};
    if (is_sampler(fact) && given_sampler(value, size, &argument))
        return argument;
    const bool is_memory = fact && (fact->address == CL_KERNEL_ARG_ADDRESS_GLOBAL ||
                                    fact->address == CL_KERNEL_ARG_ADDRESS_CONSTANT);
    if (!fact || is_sampler(fact) || strcmp(fact->plain_type_name, "queue_t") == 0) {
        argument.kind = GIVEN_OTHER;
        argument.reason = fact ? "it has a sampler or a command-queue as argument"
                               : "clerk does not know the types of its arguments";
    } else if (is_memory && size == sizeof argument.memory) {
        memcpy(&argument.memory, value, sizeof argument.memory);
        argument.kind = argument.memory ? GIVEN_MEMORY : GIVEN_NULL;
    }
    return argument;
}

static struct given_argument argument_of_address(const struct api_call *call, const uint64_t *words)
{
    const uint64_t address = words[API_clSetKernelArgSVMPointer_arg_value];
    if (address == 0)
        return (struct given_argument){.kind = GIVEN_NULL};
    if (call->entry == API_ENTRY_clSetKernelArgSVMPointer)
        return (struct given_argument){.kind = GIVEN_SHARED, .address = address};
    return (struct given_argument){
        .kind = GIVEN_OTHER, .size = sizeof address, .reason = "it has an address as argument"};
}

/* Under the mutex. */
static void note_given(struct probed *probed, const struct api_call *call, const uint64_t *words)
{
    const uint64_t index = words[API_clSetKernelArg_arg_index];
    const bool is_value = call->entry == API_ENTRY_clSetKernelArg;
    const uint64_t size = is_value ? words[API_clSetKernelArg_arg_size] : 0;
    const void *value = is_value ? (const void *)words[API_clSetKernelArg_arg_value] : NULL;
    struct given_argument argument = {.kind = GIVEN_NULL, .size = size};
    if (call->entry == API_ENTRY_clSetKernelExecInfo) {
        given_set_more(&probed->given,
                       (cl_kernel_exec_info)words[API_clSetKernelExecInfo_param_name],
                       (const void *)words[API_clSetKernelExecInfo_param_value]);
        return;
    }
    if (!is_value)
        argument = argument_of_address(call, words);
    else if (value)
        argument = argument_of_value(probed_fact(probed, index), value, size);
    else if (is_local(probed, index))
        argument = (struct given_argument){.kind = GIVEN_LOCAL, .size = size};
    argument.entry = call->entry;
    given_set(&probed->given, index, &argument,
              is_value ? value : &words[API_clSetKernelArgSVMPointer_arg_value]);
}

static bool is_told(const struct checked_kernel *checked, uint64_t argument,
                    enum checked_hidden hidden)
{
    for (size_t i = 0; i < checked->parameter_count; i++)
        if (checked->parameters[i].hidden == hidden && checked->parameters[i].argument == argument)
            return true;
    return false;
}

static struct reach reach_of_sampler(const uint64_t *words)
{
    struct given_argument argument = {.kind = GIVEN_OTHER};
    struct captured_sampler sampler = {0};
    if (given_sampler((const void *)words[API_clSetKernelArg_arg_value],
                      words[API_clSetKernelArg_arg_size], &argument))
        memcpy(&sampler, argument.small, sizeof sampler);
    return (struct reach){.sampler =
                              (sampler.addressing == CL_ADDRESS_NONE ? CHECKED_SAMPLER_NONE : 0) |
                              (sampler.is_normalised ? CHECKED_SAMPLER_NORMALISED : 0)};
}

_Static_assert((int)API_clSetKernelArg_arg_index == (int)API_clSetKernelArgSVMPointer_arg_index &&
                   (int)API_clSetKernelArgSVMPointer_arg_value ==
                       (int)API_clSetKernelArgMemPointerINTEL_arg_value &&
                   (int)API_clSetKernelArgSVMPointer_arg_value ==
                       (int)API_clSetKernelArgDevicePointerEXT_arg_value,
               "all have these in one place");

static void drop_full(struct probed *probed)
{
    if (probed->full)
        LAYER_TARGET(clReleaseKernel)(probed->full);
    probed->full = NULL;
}

cl_kernel probed_full(struct probed *probed)
{
    cl_program program = probed->has_tried_full ? NULL : copy_full(probed->copy);
    cl_int status;
    probed->has_tried_full = true;
    if (program)
        probed->full = LAYER_TARGET(clCreateKernel)(program, probed->name, &status);
    if (program && probed->full && !given_apply(probed->given, probed->full))
        drop_full(probed);
    return probed->full;
}

void kernels_set(struct kernels *kernels, struct probed *probed, const struct api_call *call,
                 const uint64_t *words)
{
    uint64_t own[API_ARGUMENT_MAX];
    const uint64_t index = words[API_clSetKernelArg_arg_index];
    if (!probed->kernel)
        return;
    memcpy(own, words, api_entry_get(call->entry)->parameter_count * sizeof *own);
    own[0] = (uint64_t)probed->kernel;
    if ((cl_int)api_perform(call->entry, layer_targets[call->entry], own) != CL_SUCCESS) {
        probed->reason = "the driver refuses an argument of its checked copy";
        return;
    }
    pthread_mutex_lock(&probed->mutex);
    if (call->entry == API_ENTRY_clSetKernelExecInfo)
        probed_full(probed); /* now: what it is told here is not kept for later */
    note_given(probed, call, words);
    if (probed->full) {
        own[0] = (uint64_t)probed->full;
        if ((cl_int)api_perform(call->entry, layer_targets[call->entry], own) != CL_SUCCESS)
            drop_full(probed);
    }
    pthread_mutex_unlock(&probed->mutex);
    if (call->entry == API_ENTRY_clSetKernelExecInfo)
        return;
    if (call->entry == API_ENTRY_clSetKernelArg &&
        is_told(probed->checked, index, CHECKED_HIDDEN_SAMPLER))
        probed->reaches[index] = reach_of_sampler(words);
    if (!is_told(probed->checked, index, CHECKED_HIDDEN_SIZE))
        return;
    probed->reaches[index] =
        call->entry == API_ENTRY_clSetKernelArg
            ? reach_of_argument(probed, words)
            : reach_of_shared(kernels->live, words[API_clSetKernelArgSVMPointer_arg_value]);
}
