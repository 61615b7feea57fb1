/* libclerk_preload.so: the OpenCL functions for programs started with LD_PRELOAD.
 *
 * A linked program reaches the wrappers because the dynamic linker finds our clFinish before
 * libOpenCL's. A program that opens libOpenCL itself asks dlsym for its functions, so dlsym is ours
 * too: a question for anything but an OpenCL function goes to the real one by a jump that leaves
 * the return address alone, since dlsym(RTLD_NEXT, ...) looks at who called it.
 *
 * LD_PRELOAD is inherited by every child process, compilers included: nothing is opened, created or
 * printed before the first OpenCL call. */
#include "layer/preload.h"
#include "trace/base/visible.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef void *dlsym_function(void *handle, const char *name);

/* ---- the real dlsym ---- */

/* dlvsym is not ours, so it finds the C library's dlsym behind us. Its version differs by machine
 * and age. */
static dlsym_function *real_dlsym(void)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};
    static dlsym_function *_Atomic found;
    dlsym_function *function = atomic_load_explicit(&found, memory_order_relaxed);
    for (size_t i = 0; !function && i < sizeof versions / sizeof versions[0]; i++)
        function = (dlsym_function *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    atomic_store_explicit(&found, function, memory_order_relaxed);
    return function;
}

void *preload_next(const char *name)
{
    dlsym_function *find = real_dlsym();
    return find ? find(RTLD_NEXT, name) : NULL;
}

/* ---- the real OpenCL library ---- */

static void *library;
static pthread_once_t library_once = PTHREAD_ONCE_INIT;

static void open_library(void)
{
    library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        visible_tell("clerk: %s\n", dlerror());
    for (uint32_t entry = 1; library && entry <= API_SLOT_COUNT; entry++)
        if (layer_wrappers[entry])
            layer_targets[entry] =
                (api_function *)real_dlsym()(library, api_entry_get(entry)->name);
}

api_function *preload_target(uint32_t entry)
{
    static atomic_bool ready;
    if (!atomic_load_explicit(&ready, memory_order_acquire)) {
        pthread_once(&library_once, open_library);
        atomic_store_explicit(&ready, true, memory_order_release);
    }
    return layer_targets[entry];
}

/* ---- dlsym ---- */

static uint32_t wrapped_entry(const char *name)
{
    if (!name || name[0] != 'c' || name[1] != 'l')
        return API_ENTRY_UNKNOWN;
    const uint32_t entry = api_entry_find(name);
    return entry <= API_SLOT_COUNT && layer_wrappers[entry] ? entry : API_ENTRY_UNKNOWN;
}

/* A function of the real OpenCL library is answered with its wrapper; a driver's of the same name
 * is not, or the loader would find us where it looks for the driver. */
static void *dlsym_opencl(void *handle, const char *name)
{
    const uint32_t entry = wrapped_entry(name);
    api_function *target = preload_target(entry);
    if (handle == RTLD_NEXT)
        handle = RTLD_DEFAULT;
    void *found = real_dlsym()(handle, name);
    if (found &&
        ((api_function *)found == target || (api_function *)found == layer_wrappers[entry]))
        return (void *)layer_wrappers[entry];
    return found;
}

/* Which function answers: called by the stub below with dlsym's arguments. */
__attribute__((used)) dlsym_function *preload_choose(void *handle, const char *name);
dlsym_function *preload_choose(void *handle, const char *name)
{
    (void)handle;
    return wrapped_entry(name) != API_ENTRY_UNKNOWN ? dlsym_opencl : real_dlsym();
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, @function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call preload_choose\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl dlsym\n"
        ".type dlsym, %function\n"
        "dlsym:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-32]!\n"
        "    .cfi_def_cfa_offset 32\n"
        "    .cfi_offset 29, -32\n"
        "    .cfi_offset 30, -24\n"
        "    stp x0, x1, [sp, #16]\n"
        "    bl preload_choose\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x29, x30, [sp], #32\n"
        "    .cfi_restore 30\n"
        "    .cfi_restore 29\n"
        "    .cfi_def_cfa_offset 0\n"
        "    br x16\n"
        "    .cfi_endproc\n"
        ".size dlsym, . - dlsym\n");
#else
#error "the jump to the real dlsym is written for x86-64 and AArch64"
#endif
