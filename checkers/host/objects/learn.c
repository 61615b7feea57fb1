/* What the stream teaches about objects, once a call came back: those it created, those that a
 * query returned, and that some may exist which we shall never see. */
#include "checkers/host/objects/teaching_call.h"

#include "trace/api/enumerant.h"
#include "trace/api/image.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool call_succeeded(const struct api_call *call, const struct api_entry_info *info)
{
    switch (info->return_role) {
    case API_ROLE_STATUS:
        return (int32_t)call->result.bits == CL_SUCCESS;
    case API_ROLE_HANDLE:
    case API_ROLE_POINTER:
        return call->result.bits != 0;
    default:
        return true;
    }
}

/* Does an OUT argument have handles that the call has given? */
static bool gives_handles(const struct api_parameter *parameter, const struct api_value *value)
{
    return (parameter->role == API_ROLE_OUT_EVENT || parameter->role == API_ROLE_OUT_HANDLES) &&
           value->present && list_count(value, API_VALUE_HANDLES) > 0;
}

/* ---- births ---- */

static void detail_size(struct object_birth *birth, uint64_t size)
{
    snprintf(birth->detail, sizeof birth->detail, "%" PRIu64 " byte%s", size, size == 1 ? "" : "s");
}

static void detail_name(struct object_birth *birth, const struct api_value *name)
{
    if (name->present && name->kind == API_VALUE_STRING && name->data)
        object_name_detail(birth->detail, name->data, name->size);
}

static void birth_detail(struct object_birth *birth, const struct api_call *call)
{
    switch (call->entry) {
    case API_ENTRY_clCreateBuffer:
        detail_size(birth, call->arguments[API_clCreateBuffer_size].bits);
        break;
    case API_ENTRY_clCreateBufferWithProperties:
        detail_size(birth, call->arguments[API_clCreateBufferWithProperties_size].bits);
        break;
    case API_ENTRY_clCreateSubBuffer: {
        const struct api_value *info = &call->arguments[API_clCreateSubBuffer_buffer_create_info];
        cl_buffer_region region;
        if (info->present && info->data && info->size >= sizeof region) {
            memcpy(&region, info->data, sizeof region);
            detail_size(birth, region.size);
        }
        break;
    }
    case API_ENTRY_clCreateKernel:
        detail_name(birth, &call->arguments[API_clCreateKernel_kernel_name]);
        break;
    default:
        break;
    }
}

/* The memory object that an image is made from (OpenCL API 3.0, 5.3.1.2: mem_object), 0 if none. */
static uint64_t image_source(const struct api_call *call)
{
    struct image_create create;
    return image_create_parse(call, &create) ? (uint64_t)(uintptr_t)create.desc.mem_object : 0;
}

/* The first handle that a call names, of an object or in a list; its kind too. */
static uint64_t first_handle(const struct api_call *call, const struct api_entry_info *info,
                             enum api_object_kind *kind)
{
    const uint32_t holder = context_holder(info);
    const uint32_t list = api_entry_find_role(info, API_ROLE_HANDLES);
    uint64_t handle = 0;
    if (holder != API_PARAMETER_NONE) {
        *kind = (enum api_object_kind)info->parameters[holder].kind;
        return call->arguments[holder].bits;
    }
    if (list == API_PARAMETER_NONE || call->arguments[list].kind != API_VALUE_HANDLES ||
        call->arguments[list].size < sizeof handle || !call->arguments[list].data)
        return 0;
    *kind = (enum api_object_kind)info->parameters[list].kind;
    memcpy(&handle, call->arguments[list].data, sizeof handle);
    return handle;
}

/* Which object a new one keeps alive: the one it was made from. Events, clones of kernels and
 * command-buffers are attached to what the queue, kernel or command-buffer is attached to; contexts
 * are made from devices and keep none. */
static uint64_t birth_parent(struct host_checker *checker, const struct api_call *call,
                             const struct api_entry_info *info)
{
    const uint64_t source = info->return_kind == API_OBJECT_MEM ? image_source(call) : 0;
    enum api_object_kind kind = API_OBJECT_NONE;
    if (source != 0)
        return source;
    const uint64_t first = first_handle(call, info, &kind);
    switch (kind) {
    case API_OBJECT_QUEUE:
    case API_OBJECT_KERNEL:
    case API_OBJECT_COMMAND_BUFFER:
        return object_parent(checker->objects, first);
    case API_OBJECT_DEVICE:
        return info->return_kind == API_OBJECT_CONTEXT ? 0 : first;
    default:
        return first;
    }
}

static struct object_birth make_birth(enum api_object_kind kind, const struct api_call *call)
{
    return (struct object_birth){
        .kind = kind,
        .label = api_object_noun(kind, call->entry),
        .created = {.call_id = call->id, .entry = call->entry},
    };
}

void learn_linked(struct host_checker *checker, const struct host_build_end *end)
{
    const struct api_call call = {.id = end->call_id, .entry = end->entry};
    struct object_birth birth = make_birth(API_OBJECT_PROGRAM, &call);
    struct object_facts facts;
    birth.parent = end->object;
    if (!object_describe(checker->objects, end->program, &facts) ||
        facts.created.call_id < end->call_id)
        object_create(checker->objects, end->program, &birth);
}

/* A handle of a captured list, whose bytes need not be aligned. */
static uint64_t handle_at(const void *data, size_t index)
{
    uint64_t handle;
    memcpy(&handle, (const char *)data + index * sizeof handle, sizeof handle);
    return handle;
}

/* Has the callback of the call shown the object before, which may be released by now? */
static bool was_linked(struct host_checker *checker, const struct api_call *call, uint64_t stack)
{
    struct object_facts facts;
    const bool known = call->entry == API_ENTRY_clLinkProgram &&
                       object_describe(checker->objects, call->result.bits, &facts) &&
                       facts.created.call_id == call->id;
    if (known)
        object_set_stack(checker->objects, call->result.bits, call->id, stack);
    return known;
}

static void learn_created(const struct lesson *lesson, enum api_object_kind kind, const void *data,
                          size_t count)
{
    struct host_checker *checker = lesson->checker;
    const struct api_call *call = lesson->call;
    struct object_birth birth = make_birth(kind, call);
    birth_detail(&birth, call);
    birth.parent = birth_parent(checker, call, lesson->info);
    birth.created.stack = checker_stack(checker);
    if (was_linked(checker, call, birth.created.stack))
        return;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t handle = handle_at(data, i);
        birth.ordinal = call->ordinal ? call->ordinal + (uint32_t)i : 0;
        if (handle != 0)
            object_create(checker->objects, handle, &birth);
    }
}

static void learn_listed(const struct lesson *lesson, enum api_object_kind kind, const void *data,
                         size_t count)
{
    struct object_table *objects = lesson->checker->objects;
    struct object_birth birth = make_birth(kind, lesson->call);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t handle = handle_at(data, i);
        if (handle == 0)
            continue;
        if (birth.created.stack == 0 && /* queries recur */
            object_state(objects, handle).standing == OBJECT_UNKNOWN)
            birth.created.stack = checker_stack(lesson->checker);
        object_learn(objects, handle, &birth);
    }
}

/* ---- OUT arguments ---- */

/* Handles in the answer of a query: CL_EVENT_COMMAND_QUEUE, CL_CONTEXT_DEVICES ... */
static void learn_answered(const struct lesson *lesson, uint32_t index)
{
    const struct api_value *answer = &lesson->call->arguments[index];
    const uint32_t name = api_entry_find_parameter(lesson->info, "param_name");
    if (!answer->present || !answer->data || answer->size < sizeof(uint64_t) ||
        name == API_PARAMETER_NONE)
        return;
    const struct api_enumerant *enumerant = api_enumerant_find(
        (enum api_family)lesson->info->parameters[name].family, lesson->call->arguments[name].bits);
    if (enumerant && enumerant->answer == API_ANSWER_HANDLES)
        learn_listed(lesson, (enum api_object_kind)enumerant->of, answer->data,
                     answer->size / sizeof(uint64_t));
}

static void learn_argument(const struct lesson *lesson, uint32_t index)
{
    const struct api_value *value = &lesson->call->arguments[index];
    const struct api_parameter *parameter = &lesson->info->parameters[index];
    const enum api_object_kind kind = (enum api_object_kind)parameter->kind;
    if (parameter->role == API_ROLE_INFO_VALUE)
        learn_answered(lesson, index);
    else if (gives_handles(parameter, value) && api_entry_lists(lesson->call->entry, kind))
        learn_listed(lesson, kind, value->data, value->count);
    else if (gives_handles(parameter, value))
        learn_created(lesson, kind, value->data, value->count);
}

uint32_t host_checker_number(struct host_checker *checker, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    enum api_object_kind kind = info->return_role == API_ROLE_HANDLE
                                    ? (enum api_object_kind)info->return_kind
                                    : API_OBJECT_NONE;
    uint32_t count = kind != API_OBJECT_NONE;
    if (call->argument_count < info->parameter_count || !call_succeeded(call, info))
        return 0;
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const struct api_value *value = &call->arguments[i];
        if (!gives_handles(parameter, value))
            continue;
        kind = (enum api_object_kind)parameter->kind;
        count = value->count;
    }
    /* What clLinkProgram made has its number from the callback, if that came first. */
    const bool may_be_numbered = call->entry == API_ENTRY_clLinkProgram &&
                                 call->arguments[API_clLinkProgram_pfn_notify].present;
    return count == 0 || may_be_numbered || api_entry_lists(call->entry, kind)
               ? 0
               : object_take_ordinals(checker->objects, api_object_noun(kind, call->entry), count);
}

/* ---- functions that we do not see ---- */

/* An extension function that has no row, so that its calls pass by us. Those that only ask, set or
 * log do not make objects. */
static bool may_make_objects(const char *name)
{
    static const char *const harmless[] = {"clSet", "clLog", "clRetain", "clIcd"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; ++i)
        if (strncmp(name, harmless[i], strlen(harmless[i])) == 0)
            return false;
    return strncmp(name, "clGet", 5) != 0 || strstr(name, "IDs") != NULL;
}

static void learn_function_address(struct host_checker *checker, const struct api_call *call,
                                   const struct api_value *func_name)
{
    char name[128];
    if (call->result.bits == 0 || !func_name->present || !func_name->data)
        return;
    snprintf(name, sizeof name, "%.*s", (int)(func_name->size < 127 ? func_name->size : 127),
             (const char *)func_name->data);
    const bool seen = api_entry_find(name) != API_ENTRY_UNKNOWN && !(call->flags & API_CALL_PASSES);
    if (!seen && may_make_objects(name))
        atomic_store_explicit(&checker->blind, true, memory_order_relaxed);
}

void learn_launch(struct host_checker *checker, const struct api_call *call,
                  const struct api_entry_info *info)
{
    const struct api_value *out = &call->arguments[API_clEnqueueNDRangeKernel_event];
    (void)info;
    if ((int32_t)call->result.bits != CL_SUCCESS || !out->present ||
        list_count(out, API_VALUE_HANDLES) != 1)
        return;
    const uint64_t event = list_word(out, 0);
    struct object_birth birth = make_birth(API_OBJECT_EVENT, call);
    birth.ordinal = call->ordinal;
    birth.parent = object_parent(checker->objects, call->arguments[0].bits);
    birth.created.stack = checker_stack(checker);
    if (event == 0)
        return;
    object_create(checker->objects, event, &birth);
    learn_command_event(checker, call, event);
}

void learn_event_answer(struct host_checker *checker, const struct api_call *call,
                        const struct api_entry_info *info)
{
    const struct api_value *answer = &call->arguments[API_clGetEventInfo_param_value];
    int32_t status = 0;
    if (call->arguments[API_clGetEventInfo_param_name].bits == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        answer->data && answer->size == sizeof status) {
        memcpy(&status, answer->data, sizeof status);
        if (status >= 0)
            return;
    }
    learn_from_call(checker, call, info);
}

void learn_from_call(struct host_checker *checker, const struct api_call *call,
                     const struct api_entry_info *info)
{
    if (call->entry == API_ENTRY_UNKNOWN || call->entry >= API_ENTRY_COUNT) {
        if (!call->name || may_make_objects(call->name))
            atomic_store_explicit(&checker->blind, true, memory_order_relaxed);
        return;
    }
    if (call->entry == API_ENTRY_clGetExtensionFunctionAddress)
        learn_function_address(checker, call,
                               &call->arguments[API_clGetExtensionFunctionAddress_func_name]);
    if (call->entry == API_ENTRY_clGetExtensionFunctionAddressForPlatform)
        learn_function_address(
            checker, call,
            &call->arguments[API_clGetExtensionFunctionAddressForPlatform_func_name]);
    if (!call_succeeded(call, info))
        return;
    struct locked_traits locked;
    const struct lesson lesson = {
        .checker = checker, .call = call, .info = info, .locked = &locked};
    if (info->return_role == API_ROLE_HANDLE)
        learn_created(&lesson, info->return_kind, &call->result.bits, 1);
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        if (info->parameters[i].flags & API_PARAMETER_OUT)
            learn_argument(&lesson, i);
    learn_traits(&lesson);
}
