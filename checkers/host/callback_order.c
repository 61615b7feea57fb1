#include "checkers/host/callback_order.h"

#include "checkers/host/checker.h"
#include "trace/effect/argument.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- births ---- */

static bool has_several(struct host_checker *checker, uint64_t event)
{
    struct event_traits traits;
    return object_get_traits(checker->objects, event, API_OBJECT_EVENT, &traits) &&
           traits.callbacks > 1;
}

static void note_birth(struct host_checker *checker, const struct api_call *call, uint64_t handle)
{
    struct callback_births *births = &checker->births;
    struct object_facts facts;
    if (handle == 0 || !object_describe(checker->objects, handle, &facts) ||
        facts.created.call_id != call->id)
        return;
    const struct callback_birth birth = {.handle = handle,
                                         .serial = object_serial(checker->objects, handle),
                                         .event_serial =
                                             object_serial(checker->objects, call->callback->event),
                                         .callback = *call->callback};
    spin_lock(&births->lock);
    const uint32_t count = atomic_load_explicit(&births->count, memory_order_relaxed);
    births->births[count % CALLBACK_BIRTHS] = birth;
    atomic_store_explicit(&births->count, count + 1, memory_order_relaxed);
    spin_unlock(&births->lock);
}

void learn_callback_order(struct host_checker *checker, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!checks_has(&checker->options.checks, RULE_CALLBACK_ORDER) ||
        !has_several(checker, call->callback->event))
        return;
    if (info->return_role == API_ROLE_HANDLE)
        note_birth(checker, call, call->result.bits);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_value *value = &call->arguments[i];
        const bool gives = (info->parameters[i].flags & API_PARAMETER_OUT) != 0;
        for (uint32_t k = 0; gives && k < list_count(value, API_VALUE_HANDLES); ++k)
            note_birth(checker, call, list_word(value, k));
    }
}

/* ---- uses ---- */

/* Was it made in another callback of the event, which this one, being registered when the object
 * was not there yet, may precede? One function that was registered twice may do what is left to do,
 * whichever comes first. Found once: it is forgotten then. */
static bool take_birth(struct host_checker *checker, const struct api_event_callback *now,
                       uint64_t handle, struct callback_birth *found)
{
    struct callback_births *births = &checker->births;
    const uint64_t serial = object_serial(checker->objects, handle);
    const uint64_t event_serial = object_serial(checker->objects, now->event);
    bool taken = false;
    spin_lock(&births->lock);
    for (uint32_t i = 0; i < CALLBACK_BIRTHS && !taken; ++i) {
        struct callback_birth *birth = &births->births[i];
        taken = birth->handle == handle && birth->serial == serial &&
                birth->event_serial == event_serial && birth->callback.call_id != now->call_id &&
                birth->callback.function != now->function &&
                now->registered < birth->callback.called;
        if (!taken)
            continue;
        *found = *birth;
        *birth = (struct callback_birth){0};
    }
    spin_unlock(&births->lock);
    return taken;
}

static void judge_use(struct judged *judged, uint64_t handle, uint8_t argument, int64_t element)
{
    struct host_checker *checker = judged->checker;
    const struct api_event_callback *now = judged->call->callback;
    struct callback_birth birth;
    struct object_facts facts;
    struct object_label label, event;
    char reason[160];
    if (handle == 0 || object_state(checker->objects, handle).standing != OBJECT_USABLE ||
        !take_birth(checker, now, handle, &birth) ||
        !object_describe(checker->objects, handle, &facts))
        return;
    snprintf(reason, sizeof reason,
             "That callback was registered by call %" PRIu64 ", this one by call %" PRIu64
             ", and either may be called first.",
             birth.callback.call_id, now->call_id);
    const struct blame blame = {.rule = RULE_CALLBACK_ORDER,
                                .error = CL_SUCCESS,
                                .argument = argument,
                                .element = element,
                                .object = &facts,
                                .reason = reason};
    blame_call(judged, &blame, "is %s, which another callback of %s has made",
               label_object(judged, handle, &label), label_object(judged, now->event, &event));
}

/* The object that an argument of a kernel is set to; 0 if it is, or may be, plain bytes. */
static uint64_t set_object(struct judged *judged)
{
    const struct kernel_traits *kernel = judged_kernel(judged, judged_bits(judged, 0));
    struct argument_set set;
    return kernel && argument_set_by(judged->call, &set) && set.index < TRAITS_ARGUMENTS_MAX &&
                   argument_takes_object(argument_kind(&kernel->arguments[set.index]))
               ? argument_word(&set)
               : 0;
}

void judge_callback_order(struct judged *judged)
{
    const struct api_call *call = judged->call;
    if (atomic_load_explicit(&judged->checker->births.count, memory_order_relaxed) == 0 ||
        !blame_wanted(judged, RULE_CALLBACK_ORDER))
        return;
    for (uint8_t i = 0; i < judged->info->parameter_count; ++i) {
        const struct api_value *value = &call->arguments[i];
        if (value->kind == API_VALUE_HANDLE)
            judge_use(judged, value->bits, i, -1);
        for (uint32_t k = 0; k < list_count(value, API_VALUE_HANDLES); ++k)
            judge_use(judged, list_word(value, k), i, k);
    }
    if (call->entry == API_ENTRY_clSetKernelArg)
        judge_use(judged, set_object(judged), API_clSetKernelArg_arg_value, -1);
}
