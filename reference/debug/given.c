/* Memory that a kernel was given: by which argument, and how far from where that leads. In another
 * launch of a run the same bytes have another address, and may be another argument's. */
#include "reference/debug/evaluate.h"
#include "reference/debug/private.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <inttypes.h>

enum { MEMORIES = 1 << VM_PARAMETER_GLOBAL | 1 << VM_PARAMETER_CONSTANT };

/* The argument whose object has all of the bytes; UINT32_MAX: none is known to. */
static uint32_t find_argument(const struct sched_launch *request, const struct debug_target *target,
                              int64_t *offset)
{
    for (uint32_t i = 0; i < request->code->parameter_count; i++) {
        const struct vm_object *object = launch_argument(request, i, MEMORIES);
        if (!object || object->root->identity.id != target->object ||
            target->first < object->root_offset ||
            target->first + target->size > object->root_offset + object->size)
            continue;
        *offset = (int64_t)(target->first - object->root_offset - request->arguments[i].offset);
        return i;
    }
    return UINT32_MAX;
}

/* As another program has it, too, where that is possible. */
static void put_type(const struct debug_value *value, struct text *answer)
{
    const char *name = value->count ? debug_number_name(&value->number) : NULL;
    struct text type = TEXT_INIT;
    if (name && value->count > 1)
        text_format(&type, "%s%" PRIu32, name, value->count);
    else if (name)
        text_append(&type, name);
    else if (value->type)
        debug_append_type(debug_type_plain(value->type), &type);
    if (type.size)
        json_string(answer, "type", type.bytes);
    text_release(&type);
}

void debug_put_given(struct debug_session *session, const struct debug_target *target,
                     const struct debug_value *value, struct text *answer)
{
    int64_t offset;
    if (target->of_group || target->variable)
        return;
    const uint32_t argument = find_argument(session->launch->request, target, &offset);
    if (argument == UINT32_MAX)
        return;
    json_key(answer, "memory");
    text_append(answer, "{");
    json_number(answer, "launch", session->launch_number);
    json_number(answer, "argument", argument);
    json_key(answer, "offset");
    text_format(answer, "%" PRId64, offset);
    json_number(answer, "size", target->size);
    put_type(value, answer);
    const struct debug_lane lane = debug_focus(session);
    json_string(answer, "state", debug_value_state(&lane, value));
    text_append(answer, "}");
}

/* Bytes where the type is none that has values here. */
static const char *type_of(const struct debug_session *session, const struct cJSON *request,
                           uint64_t *size)
{
    const char *name = json_object_text(request, "type");
    const struct debug_info *info = session->code->debug_info;
    const struct debug_type *type = name ? debug_named_type(name) : NULL;
    if (name && !type && info)
        type = debug_info_find_type(info, name, false);
    *size = type && type->size ? type->size : 1;
    return type && type->size ? name : "uchar";
}

bool debug_read_given(const struct debug_session *session, const struct cJSON *request,
                      struct text *expression, struct error *error)
{
    const struct sched_launch *launch = session->launch ? session->launch->request : NULL;
    uint64_t argument = 0;
    int64_t offset = 0;
    uint64_t size = 1;
    uint64_t step;
    json_object_number(request, "argument", &argument);
    json_object_integer(request, "offset", &offset);
    json_object_number(request, "size", &size);
    if (!launch || argument >= launch->code->parameter_count ||
        !launch_argument(launch, (uint32_t)argument, MEMORIES)) {
        error_set(error, STATUS_INVALID, "the kernel was given no memory as argument %" PRIu64,
                  argument);
        return false;
    }
    const struct sched_argument *given = &launch->arguments[argument];
    const char *type = type_of(session, request, &step);
    const uint64_t count = size / step > DEBUG_SLICE_MAX ? DEBUG_SLICE_MAX : size / step;
    text_format(expression, "((%s *)%" PRIu64 "ul)[0", type,
                vm_memory_address(launch->memory, given->object, given->offset) + (uint64_t)offset);
    if (count > 1)
        text_format(expression, "..%" PRIu64, count - 1);
    text_append_char(expression, ']');
    return !expression->failed || error_no_memory(error, expression->size) == STATUS_OK;
}
