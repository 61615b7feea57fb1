#include "tests/unit/vm/kernel_run.h"

#include "reference/vm/shape.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

struct spv_module *kernel_run_load(const char *name)
{
    char path[512];
    static uint8_t bytes[1 << 20];
    struct spv_module *module = NULL;
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s.spv", CLERK_TEST_KERNELS, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    if (spv_module_parse(bytes, size, &module, &error) != STATUS_OK)
        fail_msg("%s: %s", name, error.text);
    return module;
}

struct vm_code *kernel_run_lower(const struct spv_module *module, const char *kernel)
{
    struct vm_code *code = NULL;
    struct error error = {0};
    if (vm_lower_kernel(module, kernel, NULL, &code, &error) != STATUS_OK)
        fail_msg("%s: %s", kernel, error.text);
    vm_code_check(code);
    return code;
}

void kernel_run_create(struct kernel_run *run, const char *module, const char *kernel)
{
    struct error error;
    memset(run, 0, sizeof *run);
    run->module = kernel_run_load(module);
    run->code = kernel_run_lower(run->module, kernel);
    assert_int_equal(vm_memory_create(&run->memory, &error), STATUS_OK);
}

void kernel_run_destroy(struct kernel_run *run)
{
    vm_memory_destroy(run->memory);
    vm_code_destroy(run->code);
    spv_module_destroy(run->module);
}

static uint32_t make_object(struct kernel_run *run, const void *bytes, size_t size)
{
    struct error error;
    uint32_t object = 0;
    const struct vm_buffer_info info = {.size = size, .defined = true, .name = "buffer"};
    assert_int_equal(vm_memory_create_object(run->memory, &info, &object, &error), STATUS_OK);
    if (bytes != NULL)
        vm_memory_write(run->memory, object, 0, bytes, size);
    return object;
}

void kernel_run_set_buffer(struct kernel_run *run, uint32_t index, const void *bytes, size_t size)
{
    run->arguments[index].object = make_object(run, bytes, size);
}

void kernel_run_get_buffer(struct kernel_run *run, uint32_t index, void *bytes, size_t size)
{
    vm_memory_read(run->memory, run->arguments[index].object, 0, bytes, size);
}

/* Program-scope variables as the device's program makes them. */
void kernel_run_make_globals(struct kernel_run *run)
{
    const struct vm_code *code = run->code;
    uint32_t objects[8];
    const size_t count = spv_module_variable_count(run->module);
    assert_true(count <= 8 && code->global_count <= 8);
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *v = spv_module_variable(run->module, i);
        objects[i] = make_object(run, v->initialiser, v->size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct spv_variable *v = spv_module_variable(run->module, i);
        for (size_t r = 0; r < v->relocation_count; r++) {
            const uint64_t pointer =
                vm_pointer_make(objects[v->relocations[r].variable], v->relocations[r].addend);
            vm_memory_write(run->memory, objects[i], v->relocations[r].offset, &pointer, 8);
        }
    }
    for (uint32_t i = 0; i < code->global_count; i++)
        run->globals[i] = objects[code->globals[i].index];
}

void kernel_run_execute(struct kernel_run *run, uint64_t global_size, uint64_t local_size)
{
    struct error error = {0};
    struct sched_result result;
    kernel_run_make_globals(run);
    const struct sched_launch launch = {
        .code = run->code,
        .memory = run->memory,
        .dimensions = 1,
        .global_size = {global_size, 1, 1},
        .local_size = {local_size, 1, 1},
        .arguments = run->arguments,
        .globals = run->globals,
        .sub_group_size = 32,
    };
    if (sched_run(&launch, &result, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_false(result.stopped);
}
