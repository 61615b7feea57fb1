/* Every function of OpenCL by its name: `f.clCreateFromGLBuffer`. Those of extensions come from the
 * driver, NULL where it has none, the core from the loader. */
#ifndef TESTS_RULES_FUNCTIONS_H
#define TESTS_RULES_FUNCTIONS_H

#include "trace/api/entry.h"

#include "tests/rules/program.h"

#include <dlfcn.h>

/* clang-format off */
#define MEMBER(name, since, type, role, ...) \
    type(CL_API_CALL *name)(API_EACH(API_VIEW_TYPE, name, __VA_ARGS__));
static struct functions {
#define API(...) MEMBER(__VA_ARGS__)
#define API_VOID(...)
#include "trace/api/cl_api.def"
} f;

static const struct {
    const char *name;
    void *place;
} places[] = {
#define API(name, ...) {#name, (void *)&f.name},
#define API_VOID(...)
#include "trace/api/cl_api.def"
};
/* clang-format on */

/* Of the stub driver, else NULL: its next call that does not ask returns the error. */
static cl_int(CL_API_CALL *fail_next)(cl_int error);

static inline void find_functions(cl_platform_id platform)
{
    *(void **)(void *)&fail_next =
        clGetExtensionFunctionAddressForPlatform(platform, "clSetNextErrorSTUB");
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        void **place = (void **)places[i].place;
        *place = clGetExtensionFunctionAddressForPlatform(platform, places[i].name);
        if (!*place)
            *place = dlsym(RTLD_DEFAULT, places[i].name);
    }
}

#endif
