/* A wrapper must know the function that it forwards to, and one name may stand for several
 * functions, one a platform. So each extension function of the table has a few wrappers, and each
 * distinct function of a driver's takes one, for as long as the process lives. */
#include "layer/call_parts.h"

#include "layer/call.h"
#include "layer/targets.h"
#include "trace/api/changed.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { INSTANCE_COUNT = 4, NAME_LIMIT = 128, PASSED_LIMIT = 256 };

/* How a wrapper gives its result back, by the role of what is returned. */
#define GIVE_STATUS       return
#define GIVE_POINTER      return
#define GIVE_OBJECT(kind) return

#define INSTANCE(number, name, type, role, ...)                                                    \
    static type CL_API_CALL wrap_##name##_##number(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__))  \
    {                                                                                              \
        uint64_t words[] = {API_EACH(API_VIEW_WORD, name, __VA_ARGS__)};                           \
        GIVE_##role(type) layer_call(API_ENTRY_##name, targets_##name[number], words);             \
    }

#define API(...)
#define API_VOID(...)
#define API_SLOT(...) API_EXTENSION(__VA_ARGS__)
#define API_EXTENSION(name, since, type, role, ...)                                                \
    static api_function *targets_##name[INSTANCE_COUNT];                                           \
    INSTANCE(0, name, type, role, __VA_ARGS__)                                                     \
    INSTANCE(1, name, type, role, __VA_ARGS__)                                                     \
    INSTANCE(2, name, type, role, __VA_ARGS__)                                                     \
    INSTANCE(3, name, type, role, __VA_ARGS__)
#include "trace/api/cl_api.def"

static const struct extension {
    api_function **targets; /* NULL: the entry point is none */
    api_function *wrappers[INSTANCE_COUNT];
} extensions[API_ENTRY_COUNT] = {
#define API(...)
#define API_VOID(...)
#define API_SLOT(...) API_EXTENSION(__VA_ARGS__)
#define API_EXTENSION(name, ...)                                                                   \
    [API_ENTRY_##name] = {targets_##name,                                                          \
                          {(api_function *)wrap_##name##_0, (api_function *)wrap_##name##_1,       \
                           (api_function *)wrap_##name##_2, (api_function *)wrap_##name##_3}},
#include "trace/api/cl_api.def"
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* With the mutex. The function itself when more drivers have it than there are wrappers. */
static api_function *wrap_in(const struct extension *extension, api_function *function)
{
    for (size_t i = 0; i < INSTANCE_COUNT; i++) {
        api_function **target = &extension->targets[i];
        if (!*target)
            *target = function;
        if (*target == function)
            return extension->wrappers[i];
    }
    return function;
}

/* The wrapper for a function of this entry point; `function` itself when there is none. */
static api_function *wrap(uint32_t entry, api_function *function)
{
    if (entry != API_ENTRY_UNKNOWN && entry <= API_SLOT_COUNT && layer_targets[entry] == function &&
        layer_wrappers[entry])
        return layer_wrappers[entry];
    if (!extensions[entry].targets)
        return function;
    pthread_mutex_lock(&mutex);
    api_function *wrapper = wrap_in(&extensions[entry], function);
    pthread_mutex_unlock(&mutex);
    return wrapper;
}

/* ---- what is not wrapped ---- */

/* Functions that go to the application unwrapped, and how often each was asked for. */
static void note_passed_through(struct session *session, const char *name)
{
    static struct {
        char name[NAME_LIMIT];
        uint64_t count;
    } passed[PASSED_LIMIT];
    static size_t passed_count;
    char fact[NAME_LIMIT + 32], number[32];
    size_t i = 0;
    if (strlen(name) >= NAME_LIMIT)
        return;
    pthread_mutex_lock(&mutex);
    while (i < passed_count && strcmp(passed[i].name, name) != 0)
        i++;
    if (i == passed_count && passed_count < PASSED_LIMIT)
        strcpy(passed[passed_count++].name, name);
    const uint64_t count = i < passed_count ? ++passed[i].count : 1;
    pthread_mutex_unlock(&mutex);
    snprintf(fact, sizeof fact, "passed-through.%s", name);
    snprintf(number, sizeof number, "%llu", (unsigned long long)count);
    spool_fact(session->spool, fact, number);
}

uint64_t extensions_wrap_result(struct session *session, struct api_call *call, uint64_t result)
{
    const bool of_platform = call->entry == API_ENTRY_clGetExtensionFunctionAddressForPlatform;
    char name[NAME_LIMIT];
    if (!of_platform && call->entry != API_ENTRY_clGetExtensionFunctionAddress)
        return result;
    const uint64_t platform = of_platform ? call->arguments[0].bits : 0;
    const struct api_value *value = api_call_argument(call, API_ROLE_STRING);
    if (result == 0 || value->kind != API_VALUE_STRING || value->size >= sizeof name)
        return result;
    memcpy(name, value->data, value->size);
    name[value->size] = '\0';
    const uint32_t entry = api_entry_find(name);
    const bool fits = api_parameters_fit(entry, (cl_platform_id)platform, layer_targets);
    api_function *wrapper = fits ? wrap(entry, (api_function *)result) : (api_function *)result;
    if ((uint64_t)wrapper == result) {
        call->flags |= API_CALL_PASSES;
        note_passed_through(session, name);
    }
    return (uint64_t)wrapper;
}
