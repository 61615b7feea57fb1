/* The wrappers of the entry points with a slot, expanded from the table. In the layer they are
 * reached through the dispatch table and have names of their own; in the preloaded library, which
 * is compiled with LAYER_PRELOAD, they are the OpenCL functions themselves. */
#include "layer/call.h"
#include "layer/session.h"
#include "layer/targets.h"

#ifdef LAYER_PRELOAD
#include "layer/preload.h"
#define WRAPPER(name) name
#define LINKAGE       __attribute__((visibility("default")))
#define TARGET(entry) preload_target(entry)
#else
#define WRAPPER(name) layer_##name
#define LINKAGE       static
#define TARGET(entry) layer_targets[entry]
#endif

/* How a wrapper gives its result back, by the role of what is returned. */
#define GIVE_STATUS(type)  return (type)
#define GIVE_POINTER(type) return (type)
#define GIVE_NOTHING(type) (type)
#define GIVE_OBJECT(kind)  GIVE_STATUS

/* While nothing is to be observed a call costs one load and one jump more than without us. */
#define API(name, since, type, role, ...)                                                          \
    LINKAGE type CL_API_CALL WRAPPER(name)(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__))          \
    {                                                                                              \
        typedef type(CL_API_CALL entry_type)(API_EACH(API_VIEW_TYPE, name, __VA_ARGS__));          \
        api_function *layer_target = TARGET(API_ENTRY_##name);                                     \
        if (session_is_passive() && layer_target) {                                                \
            GIVE_##role(type)(                                                                     \
                ((entry_type *)layer_target)(API_EACH(API_VIEW_NAME, name, __VA_ARGS__)));         \
        } else {                                                                                   \
            uint64_t words[] = {API_EACH(API_VIEW_WORD, name, __VA_ARGS__)};                       \
            GIVE_##role(type)(layer_call(API_ENTRY_##name, layer_target, words));                  \
        }                                                                                          \
    }
#define API_VOID(name, since, type, role)                                                          \
    LINKAGE type CL_API_CALL WRAPPER(name)(void)                                                   \
    {                                                                                              \
        uint64_t no_words[1] = {0};                                                                \
        GIVE_##role(type)(layer_call(API_ENTRY_##name, TARGET(API_ENTRY_##name), no_words));       \
    }
#define API_EXTENSION(...)
#ifdef LAYER_PRELOAD
#define API_FOREIGN(...) /* no loader has functions for Direct3D here */
#define API_NEWER(name, since, type, role, ...)                                                    \
    LINKAGE type CL_API_CALL name(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__));                  \
    API(name, since, type, role, __VA_ARGS__)
#endif
#include "trace/api/cl_api.def"

api_function *const layer_wrappers[API_SLOT_COUNT + 1] = {
#define API(name, ...) [API_ENTRY_##name] = (api_function *)WRAPPER(name),
#define API_EXTENSION(...)
#ifdef LAYER_PRELOAD
#define API_FOREIGN(...)
#endif
#include "trace/api/cl_api.def"
};
