#include "viewer-cli/drivers.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "viewer-cli/verb.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { PATIENCE_S = 10, UNKNOWN = 255, COUNT_MAX = UNKNOWN - 1, LOADER_SIZE_MAX = 1 << 30 };

/* What drivers print is not for who asks. */
static void be_silent(void)
{
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
}

static void *load_loader(char **environment)
{
    environ = environment;
    unsetenv("OPENCL_LAYERS");
    return dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
}

static int count_platforms(char **environment)
{
    void *loader = load_loader(environment);
    __typeof__(clGetPlatformIDs) *find =
        loader ? (__typeof__(clGetPlatformIDs) *)dlsym(loader, "clGetPlatformIDs") : NULL;
    cl_uint count = 0;
    if (!find)
        return UNKNOWN;
    const cl_int status = find(0, NULL, &count);
    if (status != CL_SUCCESS)
        return status == CL_PLATFORM_NOT_FOUND_KHR ? 0 : UNKNOWN;
    return count < COUNT_MAX ? (int)count : COUNT_MAX;
}

/* A loader that knows layers asks the environment for them. */
static int knows_layers(char **environment)
{
    static const char variable[] = "OPENCL_LAYERS";
    void *loader = load_loader(environment);
    struct link_map *map;
    struct error error;
    void *bytes;
    size_t size;
    if (!loader || dlinfo(loader, RTLD_DI_LINKMAP, &map) != 0 ||
        file_read(map->l_name, LOADER_SIZE_MAX, &bytes, &size, &error) != STATUS_OK)
        return UNKNOWN;
    return memmem(bytes, size, variable, sizeof variable) != NULL;
}

/* What a child process with this environment answers; -1: nothing. */
static int answer_of(int (*question)(char **environment), char **environment)
{
    const pid_t child = fork();
    if (child == 0) {
        be_silent();
        alarm(PATIENCE_S);
        _exit(question(environment));
    }
    int status = 0;
    pid_t waited = -1;
    while (child > 0 && (waited = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    return waited == child && WIFEXITED(status) && WEXITSTATUS(status) != UNKNOWN
               ? WEXITSTATUS(status)
               : -1;
}

int drivers_count_platforms(char **environment)
{
    return answer_of(count_platforms, environment);
}

bool drivers_know_no_layers(char **environment)
{
    return answer_of(knows_layers, environment) == 0;
}

/* Each loader is told in its own way: ocl-icd takes a driver's library for OCL_ICD_VENDORS. The
 * Khronos loader takes that for a directory without drivers, and the library from the other. */
enum status drivers_choose_reference(drivers_set_variable *set, void *context, struct error *error)
{
    static const char *const variables[] = {"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"};
    char *library = verb_own_path("lib/clerk/libclerk_device.so");
    enum status status = STATUS_OK;
    if (!library)
        return error_no_memory(error, 0);
    if (!file_exists(library))
        status =
            error_set(error, STATUS_NOT_FOUND, "the reference device '%s' is missing", library);
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !status; ++i)
        status = set(context, variables[i], library, error);
    alloc_free(library);
    return status;
}

static const char *find_variable(char **environment, const char *name)
{
    const size_t length = strlen(name);
    for (; *environment; ++environment)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return NULL;
}

/* Either may be missing, or empty. */
static enum status set_list(const char *name, const char *first, const char *second,
                            drivers_set_variable *set, void *context, struct error *error)
{
    const bool both = first && *first && second && *second;
    char *list = both ? alloc_format("%s:%s", first, second)
                      : alloc_string(first && *first ? first : second);
    const enum status status =
        list ? set(context, name, list, error) : error_no_memory(error, strlen(name));
    alloc_free(list);
    return status;
}

/* Before all other libraries, so that what other allocators give is known. AddressSanitizer would
 * end a program because of it, and need not. */
enum status drivers_add_heap(char **environment, drivers_set_variable *set, void *context,
                             struct error *error)
{
    static const char preload[] = "LD_PRELOAD";
    static const char sanitizer[] = "ASAN_OPTIONS";
    char *library = verb_own_path("lib/clerk/libclerk_heap.so");
    enum status status = STATUS_OK;
    if (!library)
        return error_no_memory(error, 0);
    if (!strpbrk(library, " :") && file_exists(library)) {
        status =
            set_list(preload, library, find_variable(environment, preload), set, context, error);
        if (!status)
            status = set_list(sanitizer, find_variable(environment, sanitizer),
                              "verify_asan_link_order=0", set, context, error);
    }
    alloc_free(library);
    return status;
}

enum status drivers_set_own(void *context, const char *name, const char *value, struct error *error)
{
    (void)context;
    if ((value ? setenv(name, value, 1) : unsetenv(name)) != 0)
        return error_set_errno(error, "cannot set %s", name);
    return STATUS_OK;
}
