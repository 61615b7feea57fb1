/* The bytes, which come from a private cache and are what their digest says, are loaded from a
 * private file of ours that is gone right after. So nothing is executed that was not looked at, and
 * a directory for temporary files whose mount forbids to execute is obeyed. */
#include "reference/native/load.h"

#include "reference/native/generate.h"
#include "trace/base/scratch.h"

#include <dlfcn.h>

enum status native_load(const uint8_t *bytes, size_t size, vm_native_run **run, struct error *error)
{
    struct scratch file = {0};
    enum status status = scratch_make_file(&file, error);
    if (status != STATUS_OK)
        return status;
    status = file_write_private(file.path, bytes, size, error);
    void *library = status == STATUS_OK ? dlopen(file.path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = library ? dlsym(library, NATIVE_SYMBOL) : NULL;
    if (status == STATUS_OK && !symbol) {
        const char *why = dlerror();
        status = error_set(error, STATUS_IO, "%s", why ? why : "it has no code");
        if (library)
            dlclose(library);
    }
    if (status == STATUS_OK)
        *run = (vm_native_run *)symbol;
    scratch_release(&file);
    return status;
}
