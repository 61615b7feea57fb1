/* What an observer is told of a launch, and may ask of it. */
#include "reference/sched/group.h"
#include "trace/base/size.h"

#include <string.h>

/* Kinds of arguments. */
enum {
    MEMORY = 1 << VM_PARAMETER_GLOBAL | 1 << VM_PARAMETER_CONSTANT | 1 << VM_PARAMETER_IMAGE,
    PIPE = 1 << VM_PARAMETER_PIPE
};

/* Events carry identities of root objects, which are their objects' first members. Private objects
 * are one object for each lane and cannot be looked into. */
static bool peek(const struct observer_object *object, uint64_t offset, uint32_t size, void *bytes)
{
    const struct vm_object *root = (const struct vm_object *)(const void *)object;
    if (root->freed || root->private_stride || !range_within(offset, size, root->size))
        return false;
    memcpy(bytes, root->bytes + offset, size);
    return true;
}

/* Is the argument the object, or a part of it; of a block, an address in it? */
static bool is_argument(const struct sched_launch *request, uint32_t index,
                        const struct observer_object *object)
{
    const struct vm_object *argument = launch_argument(request, index, MEMORY | PIPE);
    if (object->block != 0)
        return MEMORY >> request->code->parameters[index].kind & 1 && !argument &&
               request->arguments[index].offset - object->block < object->size;
    return argument && argument->root->identity.id == object->id;
}

/* Of the first argument that is. */
static const char *argument_name(const void *told, const struct observer_object *object)
{
    const struct launch *launch = told;
    const struct sched_launch *request = launch->request;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        if (is_argument(request, i, object))
            return request->code->parameters[i].name;
    }
    return NULL;
}

bool launch_only_reads(const struct launch *launch, uint32_t object_id)
{
    const struct sched_launch *request = launch->request;
    bool found = false;
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_parameter *parameter = &request->code->parameters[i];
        const struct vm_object *object = launch_argument(request, i, MEMORY);
        if (!object || object->root->identity.id != object_id)
            continue;
        /* Pointers to shared memory may come from anywhere. */
        if ((!parameter->only_read && !parameter->read_only) ||
            object->root->identity.svm != OBSERVER_SVM_NONE)
            return false;
        found = true;
    }
    return found;
}

static bool only_read(const void *launch, uint32_t object_id)
{
    return launch_only_reads(launch, object_id);
}

static bool apart(const void *launch, const struct observer_object *object)
{
    return launch_is_apart(launch, object);
}

/* Relaxed operations order nothing; but of a small launch they are followed, to tell where an order
 * is missing. */
static bool follows_orders(const struct sched_launch *request)
{
    enum { FOLLOWED_MAX = 4096 };
    const struct vm_code *code = request->code;
    const uint64_t *size = request->global_size;
    return code->communicates && code->atomic_count > 0 && code->opencl_c_version >= 200 &&
           size[0] <= FOLLOWED_MAX && size[1] <= FOLLOWED_MAX && size[2] <= FOLLOWED_MAX &&
           size[0] * size[1] * size[2] <= FOLLOWED_MAX;
}

void launch_tell_begin(const struct launch *launch)
{
    const struct sched_launch *request = launch->request;
    const struct observer *observer = request->observer;
    if (!observer || !observer->launch_begin)
        return;
    struct observer_launch told = {.kernel = request->code->name,
                                   .dimensions = request->dimensions,
                                   .sub_group_size = request->sub_group_size,
                                   .site_count = request->code->instruction_count,
                                   .opencl_c_version = request->code->opencl_c_version,
                                   .uses_acquire = request->code->uses_acquire,
                                   .follows_orders = follows_orders(request),
                                   .narrow_fences = request->code->has_narrow_fences,
                                   .waits = request->code->waits,
                                   .big_endian = request->code->big_endian,
                                   .wide_scopes = request->wide_scopes,
                                   .seq_cst_alone = request->seq_cst_alone,
                                   .call_id = request->call_id,
                                   .label = request->label,
                                   .describe = vm_code_describe,
                                   .code = request->code,
                                   .peek = peek,
                                   .argument_name = argument_name,
                                   .only_read = only_read,
                                   .apart = apart,
                                   .launch = launch};
    memcpy(told.global_size, request->global_size, sizeof told.global_size);
    memcpy(told.local_size, request->local_size, sizeof told.local_size);
    memcpy(told.global_offset, request->global_offset, sizeof told.global_offset);
    memcpy(told.group_count, launch->group_count, sizeof told.group_count);
    observer->launch_begin(observer->state, &told);
}
