/* What a program shares with other interfaces of the system, beyond the twins of these rules
 * (twins/interop.c): how descriptors come and go. Over the stub driver, which closes the descriptor
 * of a fence when it is imported, and keeps others. */
#include "tests/rules/functions.h"

#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

static struct program program;

/* ---- file descriptors ---- */

static int made(int descriptor)
{
    PROGRAM_CHECK(descriptor >= 0);
    return descriptor;
}

static cl_mem memory_of(cl_mem_properties type, int descriptor)
{
    const cl_mem_properties properties[] = {type, (cl_mem_properties)descriptor, 0};
    return clCreateBufferWithProperties(program.context, properties, 0, 64, NULL, NULL);
}

static void import_memory(int descriptor)
{
    cl_mem buffer = memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor);
    PROGRAM_CHECK(buffer);
    clReleaseMemObject(buffer);
}

static cl_semaphore_khr fence_of(int descriptor)
{
    const cl_semaphore_properties_khr properties[] = {
        CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR,
        (cl_semaphore_properties_khr)descriptor, 0};
    cl_semaphore_khr semaphore =
        f.clCreateSemaphoreWithPropertiesKHR(program.context, properties, NULL);
    PROGRAM_CHECK(semaphore);
    return semaphore;
}

/* The driver has closed it. */
static void fence_twice(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    PROGRAM_CHECK(close(descriptor) != 0);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, descriptor) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* The system gives each new one the number that the driver has closed. */
static void fence_after_fence(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    for (unsigned i = 0; i < 3; ++i) {
        const int next = made(eventfd(0, EFD_CLOEXEC));
        PROGRAM_CHECK(next == descriptor);
        PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, next) == CL_SUCCESS);
    }
    f.clReleaseSemaphoreKHR(semaphore);
}

/* To the system all of these are one file, which stays marked. */
static void fence_beside_memory(void)
{
    const int kept = made(eventfd(0, EFD_CLOEXEC));
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    import_memory(kept);
    const int next = made(eventfd(0, EFD_CLOEXEC));
    PROGRAM_CHECK(next == descriptor);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, next) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

static void signalled_fences(void)
{
    cl_semaphore_khr semaphore = fence_of(-1);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, -1) == CL_SUCCESS);
    PROGRAM_CHECK(f.clReImportSemaphoreSyncFdKHR(semaphore, NULL, -1) == CL_SUCCESS);
    f.clReleaseSemaphoreKHR(semaphore);
}

/* A driver may close it at any time: the program has made the number anew, for the same memory. */
static void memory_by_a_new_number(void)
{
    const int own = made(memfd_create("shared", MFD_CLOEXEC));
    const int descriptor = made(dup(own));
    import_memory(descriptor);
    close(descriptor); /* as the driver would */
    PROGRAM_CHECK(made(dup(own)) == descriptor);
    import_memory(descriptor);
}

static void memory_by_an_overwritten_number(void)
{
    const int own = made(memfd_create("shared", MFD_CLOEXEC));
    const int descriptor = made(dup(own));
    import_memory(descriptor);
    PROGRAM_CHECK(dup2(own, descriptor) == descriptor); /* closes it */
    import_memory(descriptor);
}

static void memory_after_a_failure(void)
{
    const int descriptor = made(memfd_create("shared", MFD_CLOEXEC));
    fail_next(CL_OUT_OF_HOST_MEMORY);
    PROGRAM_CHECK(!memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor));
    import_memory(descriptor);
}

/* As the last one, with a number that was the driver's once. */
static void memory_after_a_later_failure(void)
{
    const int descriptor = made(eventfd(0, EFD_CLOEXEC));
    cl_semaphore_khr semaphore = fence_of(descriptor);
    PROGRAM_CHECK(made(memfd_create("shared", MFD_CLOEXEC)) == descriptor);
    memory_after_a_failure();
    fail_next(CL_OUT_OF_HOST_MEMORY);
    PROGRAM_CHECK(!memory_of(CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, descriptor));
    import_memory(descriptor);
    f.clReleaseSemaphoreKHR(semaphore);
}

static void memory_as_a_fence(void)
{
    const int descriptor = made(memfd_create("shared", MFD_CLOEXEC));
    import_memory(descriptor);
    f.clReleaseSemaphoreKHR(fence_of(descriptor));
}

/* ---- which program ---- */

#define CASE(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(fence_twice),
    CASE(fence_after_fence),
    CASE(fence_beside_memory),
    CASE(signalled_fences),
    CASE(memory_by_a_new_number),
    CASE(memory_by_an_overwritten_number),
    CASE(memory_after_a_failure),
    CASE(memory_after_a_later_failure),
    CASE(memory_as_a_fence),
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; ++i) {
        if (strcmp(cases[i].name, argv[1]) != 0)
            continue;
        program = program_begin();
        find_functions(program.platform);
        cases[i].run();
        return program_end(&program);
    }
    fprintf(stderr, "usage: sharing CASE\n");
    return 2;
}
