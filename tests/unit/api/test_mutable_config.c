/* What an update of a command-buffer is given, packed into one value and back. */
#include "trace/api/mutable_config.h"
#include "trace/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const cl_int number = 7;
static const size_t global[2] = {8, 4}, local[2] = {2, 2};
static const cl_mutable_dispatch_arg_khr arguments[] = {{3, sizeof number, &number}, {4, 64, NULL}};
static const cl_mutable_dispatch_arg_khr pointers[] = {{5, 0, &number}};
static const cl_bool allowed = CL_TRUE;
static const cl_mutable_dispatch_exec_info_khr infos[] = {{0x4200, sizeof allowed, &allowed}};
static const struct api_mutable_config configs[] = {
    {.command = (cl_mutable_command_khr)(uintptr_t)0x10,
     .num_args = 2,
     .arg_list = arguments,
     .work_dim = 2,
     .global_work_size = global,
     .local_work_size = local},
    {.command = (cl_mutable_command_khr)(uintptr_t)0x20,
     .num_svm_args = 1,
     .arg_svm_list = pointers,
     .num_exec_infos = 1,
     .exec_info_list = infos},
};
enum { COUNT = sizeof configs / sizeof configs[0] };

static bool all_readable(void *user, const void *bytes, uint64_t size)
{
    (void)user, (void)size;
    return bytes != NULL;
}

static bool readable_but(void *user, const void *bytes, uint64_t size)
{
    (void)size;
    return bytes != user;
}

static struct api_value pack(struct arena *arena)
{
    uint64_t size = 0;
    const void *bytes = api_mutable_configs_pack(configs, COUNT, all_readable, NULL, arena, &size);
    assert_non_null(bytes);
    return (struct api_value){.kind = API_VALUE_BYTES, .count = COUNT, .size = size, .data = bytes};
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct api_value value = pack(&arena);
    assert_int_equal(value.size % 8, 0);
    const struct api_mutable_config *back = api_mutable_configs_unpack(&value, &arena);
    assert_non_null(back);
    const cl_mutable_dispatch_arg_khr *list = back[0].arg_list;
    assert_ptr_equal(back[0].command, configs[0].command);
    assert_int_equal(list[0].arg_index, 3);
    assert_int_equal(list[0].arg_size, sizeof number);
    assert_memory_equal(list[0].arg_value, &number, sizeof number);
    assert_int_equal(list[1].arg_size, 64);
    assert_null(list[1].arg_value);
    assert_null(back[0].global_work_offset);
    assert_memory_equal(back[0].global_work_size, global, sizeof global);
    assert_memory_equal(back[0].local_work_size, local, sizeof local);
    list = back[1].arg_svm_list;
    assert_null(back[1].arg_list);
    assert_int_equal(list[0].arg_index, 5);
    assert_ptr_equal(list[0].arg_value, &number);
    const cl_mutable_dispatch_exec_info_khr *info = back[1].exec_info_list;
    assert_int_equal(info->param_name, 0x4200);
    assert_memory_equal(info->param_value, &allowed, sizeof allowed);
    arena_release(&arena);
}

static void where_the_program_keeps_it_says_nothing(void **state)
{
    (void)state;
    struct arena arena = {0};
    const struct api_value value = pack(&arena);
    const struct api_mutable_config *packed = value.data;
    assert_int_equal((uintptr_t)packed[0].arg_list, 1);
    assert_null(packed[0].arg_svm_list);
    arena_release(&arena);
}

static void what_is_cut_short_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct api_value value = pack(&arena);
    const uint64_t whole = value.size;
    for (value.size = 0; value.size < whole; value.size++)
        assert_null(api_mutable_configs_unpack(&value, &arena));
    arena_release(&arena);
}

static void what_cannot_be_read_is_not_packed(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint64_t size;
    const void *const places[] = {arguments, &number, global, local, pointers, infos, &allowed};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_null(api_mutable_configs_pack(configs, COUNT, readable_but,
                                             (void *)(uintptr_t)places[i], &arena, &size));
    const struct api_mutable_config without_dimensions = {.global_work_size = global};
    assert_null(
        api_mutable_configs_pack(&without_dimensions, 1, all_readable, NULL, &arena, &size));
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(where_the_program_keeps_it_says_nothing),
        cmocka_unit_test(what_is_cut_short_is_refused),
        cmocka_unit_test(what_cannot_be_read_is_not_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
