/* The bytes, which come from a private cache and are what their digest says, are loaded from a file
 * in a private directory of ours that is gone right after. So nothing is executed that was not
 * looked at, and a directory for temporary files whose mount forbids to execute is obeyed. */
#include "reference/native/load.h"

#include "reference/native/generate.h"
#include "trace/base/alloc.h"
#include "trace/base/scratch.h"

#include <dlfcn.h>

static enum status load(const char *path, vm_native_run **run, struct error *error)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, NATIVE_SYMBOL) : NULL;
    if (symbol) {
        *run = (vm_native_run *)symbol;
        return STATUS_OK;
    }
    const char *why = dlerror();
    const enum status status = error_set(error, STATUS_IO, "%s", why ? why : "it has no code");
    if (library)
        dlclose(library);
    return status;
}

/* The file lies in a directory since what is written takes the place of a file, and the new one
 * would have no lock: another process's sweep (scratch.h) would remove it. */
enum status native_load(const uint8_t *bytes, size_t size, vm_native_run **run, struct error *error)
{
    struct scratch directory = {0};
    enum status status = scratch_make_directory(&directory, error);
    if (status != STATUS_OK)
        return status;
    char *path = path_join(directory.path, "native.so");
    status = path ? file_write_private(path, bytes, size, error) : error_no_memory(error, 1);
    if (status == STATUS_OK)
        status = load(path, run, error);
    alloc_free(path);
    scratch_release(&directory);
    return status;
}
