/* What launches are certain to access: the bytes against all work-items one by one, and what
 * becomes of them in the stream of calls, with which launches alone change what is certain. */
#include "checkers/host/commands/certain_bytes.h"
#include "stream.h"
#include "trace/api/clerk_queries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- bytes ---- */

enum { SPACE = 256, ROUNDS = 50000 };

static uint64_t state_of_random = 7;

static uint32_t draw(uint32_t below)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (uint32_t)((state_of_random >> 20) % below);
}

static struct kernel_traits kernel;

static void set_number(uint32_t size, uint64_t number)
{
    kernel.arguments[3].set = true;
    kernel.arguments[3].set_size = size;
    kernel.arguments[3].number = number;
}

/* Work-items access the bytes if all of them are in the buffer. */
static void mark_bytes(const struct must_traits *must, const struct launch_ids *ids, uint64_t limit,
                       uint64_t size, bool *bytes)
{
    memset(bytes, 0, SPACE);
    for (uint64_t i = ids->first; i < ids->end; i++) {
        const int64_t first = must->first + (int64_t)(must->size * i);
        if (i < limit && i < UINT64_C(1) << must->index_bits && first >= 0 &&
            (uint64_t)first + must->size <= size)
            memset(&bytes[first], 1, must->size);
    }
}

static void certain_bytes_are_those_of_all_work_items(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct must_traits must = {.first = (int64_t)draw(80) - 40,
                                   .size = 1 + draw(12),
                                   .limit = UINT64_MAX,
                                   .limit_argument = MUST_WITHOUT_LIMIT,
                                   .index_bits = (uint8_t)(1 + draw(6))};
        const struct launch_ids ids = {.first = draw(20), .end = draw(40)};
        const uint64_t size = draw(SPACE);
        const uint32_t way = draw(3);
        const uint64_t limit = way > 0 ? draw(30) : UINT64_MAX;
        if (way == 1) {
            must.limit = limit;
        } else if (way == 2) {
            must.limit_argument = 3;
            set_number(draw(2) ? 4 : 8, limit);
        }
        bool bytes[SPACE], found[SPACE] = {false};
        mark_bytes(&must, &ids, limit, size, bytes);
        struct use_part part;
        certain_bytes_find(&kernel, &must, &ids, size, &part);
        assert_true(part.first + part.size <= size || part.size == 0);
        memset(&found[part.size > 0 ? part.first : 0], 1, part.size);
        assert_memory_equal(found, bytes, sizeof found);
    }
}

static uint64_t certain_size(const struct must_traits *must, uint64_t first, uint64_t end,
                             uint64_t size)
{
    const struct launch_ids ids = {first, end};
    struct use_part part;
    certain_bytes_find(&kernel, must, &ids, size, &part);
    return part.size;
}

static void large_numbers_do_not_wrap(void **state)
{
    (void)state;
    const struct must_traits none = {.size = 0};
    const struct must_traits plain = {
        .size = 4, .limit = UINT64_MAX, .limit_argument = MUST_WITHOUT_LIMIT, .index_bits = 64};
    const struct must_traits int_index = {
        .size = 4, .limit = UINT64_MAX, .limit_argument = MUST_WITHOUT_LIMIT, .index_bits = 31};
    const struct must_traits before = {.first = INT64_MIN,
                                       .size = 1,
                                       .limit = UINT64_MAX,
                                       .limit_argument = MUST_WITHOUT_LIMIT,
                                       .index_bits = 64};
    assert_int_equal(certain_size(&none, 0, 8, 64), 0);
    assert_int_equal(certain_size(&plain, 0, 8, 64), 32);
    assert_int_equal(certain_size(&plain, 0, UINT64_MAX, 64), 64);
    assert_int_equal(certain_size(&plain, UINT64_C(1) << 62, UINT64_MAX, 64), 0);
    assert_int_equal(certain_size(&int_index, 0, UINT64_MAX, UINT64_MAX), UINT64_C(1) << 33);
    assert_int_equal(certain_size(&int_index, UINT64_C(1) << 31, UINT64_MAX, UINT64_MAX), 0);
    assert_int_equal(certain_size(&before, 0, 8, 64), 0);
    assert_int_equal(certain_size(&before, UINT64_C(1) << 63, UINT64_MAX, 64), 64);
    assert_int_equal(certain_size(&before, UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX), INT64_MAX);
}

static void limits_have_to_be_known(void **state)
{
    (void)state;
    struct must_traits must = {
        .size = 4, .limit = UINT64_MAX, .limit_argument = 3, .index_bits = 64};
    set_number(4, 5);
    assert_int_equal(certain_size(&must, 0, 16, 64), 20);
    set_number(4, 0x80000000);
    assert_int_equal(certain_size(&must, 0, 16, 64), 64);
    must.flags = CLERK_MUST_LIMIT_SIGNED;
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
    set_number(8, 0x80000000);
    assert_int_equal(certain_size(&must, 0, 16, 64), 64);
    set_number(8, UINT64_MAX);
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
    set_number(2, 0); /* numbers of other sizes are not kept */
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
    set_number(4, 5);
    kernel.arguments[3].lost = true;
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
    kernel.arguments[3].lost = false;
    kernel.arguments[3].overtaken = 2;
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
    kernel.arguments[3].overtaken = 0;
    kernel.arguments[3].set = false;
    assert_int_equal(certain_size(&must, 0, 16, 64), 0);
}

/* ---- the stream: a kernel that writes its buffer at the ids below its second argument ---- */

enum { CONTEXT = 0xc0, QUEUE = 0xa0, OTHER = 0xa8, BUFFER = 0xb0, PROGRAM = 0x90, KERNEL = 0x80 };

static struct stream stream;

static void answer(uint32_t entry, uint64_t index, uint64_t query, const void *bytes, uint64_t size)
{
    struct api_call call = stream_call(&stream, entry);
    call.flags = API_CALL_SYNTHETIC;
    call.arguments[0].bits = KERNEL;
    if (entry == API_ENTRY_clGetKernelArgInfo)
        call_set(&call, "arg_indx", index);
    call_set(&call, "param_name", query);
    call_set_bytes(&stream, &call, "param_value", bytes, size);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void answer_of_argument(uint64_t index, uint64_t query, const void *bytes, uint64_t size)
{
    answer(API_ENTRY_clGetKernelArgInfo, index, query, bytes, size);
}

static void make_kernel(const struct clerk_must *must)
{
    const uint32_t global = CL_KERNEL_ARG_ADDRESS_GLOBAL;
    const uint32_t private = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    const uint32_t count = 2;
    const uint64_t accesses = CL_KERNEL_ARG_WRITES_CLERK;
    struct api_call call = stream_call(&stream, API_ENTRY_clCreateKernel);
    call_set(&call, "program", PROGRAM);
    call.flags = API_CALL_SYNTHETIC;
    stream_perform(&stream, &call, KERNEL);
    answer(API_ENTRY_clGetKernelInfo, 0, CL_KERNEL_NUM_ARGS, &count, sizeof count);
    answer_of_argument(0, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &global, sizeof global);
    answer_of_argument(0, CL_KERNEL_ARG_TYPE_NAME, "int*", 5);
    answer_of_argument(0, CL_KERNEL_ARG_ACCESSES_CLERK, &accesses, sizeof accesses);
    answer_of_argument(0, CL_KERNEL_ARG_MUST_WRITE_CLERK, must, sizeof *must);
    answer_of_argument(1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, &private, sizeof private);
    answer_of_argument(1, CL_KERNEL_ARG_TYPE_NAME, "int", 4);
}

static void set(uint64_t index, const void *bytes, uint64_t size)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clSetKernelArg);
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "arg_index", index);
    call_set(&call, "arg_size", size);
    call_set_bytes(&stream, &call, "arg_value", bytes, size);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void set_limit(int32_t limit)
{
    set(1, &limit, sizeof limit);
}

static int setup(void **state)
{
    static const struct clerk_must must = {.size = 4,
                                           .limit_argument = 1,
                                           .limit = UINT64_MAX,
                                           .index_bits = 31,
                                           .flags = CLERK_MUST_LIMIT_SIGNED};
    const uint64_t buffer = BUFFER;
    (void)state;
    stream_init(&stream, false, "none,commands");
    make_context(&stream, CONTEXT);
    make_queue(&stream, CONTEXT, QUEUE);
    make_queue(&stream, CONTEXT, OTHER);
    make_buffer(&stream, CONTEXT, BUFFER);
    make_kernel(&must);
    set(0, &buffer, sizeof buffer);
    set_limit(64);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    stream_release(&stream);
    return 0;
}

static void set_sizes(struct api_call *call, const char *name, const uint64_t *sizes,
                      uint32_t count)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), name);
    call_set_bytes(&stream, call, name, sizes, count * sizeof *sizes);
    call->arguments[index].kind = API_VALUE_SIZES;
    call->arguments[index].count = count;
}

static void launch_in_two(uint64_t queue, uint64_t offset, uint64_t size, uint64_t rows)
{
    const uint64_t offsets[] = {offset, 0}, sizes[] = {size, rows};
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueNDRangeKernel);
    call_set(&call, "command_queue", queue);
    call_set(&call, "kernel", KERNEL);
    call_set(&call, "work_dim", 2);
    set_sizes(&call, "global_work_offset", offsets, 2);
    set_sizes(&call, "global_work_size", sizes, 2);
    stream_perform(&stream, &call, CL_SUCCESS);
}

static void launch(uint64_t queue, uint64_t offset, uint64_t size)
{
    launch_in_two(queue, offset, size, 1);
}

static void read_some(uint64_t queue, uint64_t offset, uint64_t size)
{
    struct api_call call = stream_call(&stream, API_ENTRY_clEnqueueReadBuffer);
    call_set(&call, "command_queue", queue);
    call_set(&call, "buffer", BUFFER);
    call_set(&call, "blocking_read", CL_TRUE);
    call_set(&call, "offset", offset);
    call_set(&call, "size", size);
    call_set_pointer(&call, "ptr");
    stream_perform(&stream, &call, CL_SUCCESS);
}

/* The latest finding; then all is over, and the next one comes from another place. */
static void expect(enum rule_index rule)
{
    assert_int_equal(stream.finding_count, 1);
    assert_int_equal(stream.findings[0]->rule, rule);
    perform_on(&stream, API_ENTRY_clFinish, QUEUE);
    perform_on(&stream, API_ENTRY_clFinish, OTHER);
    stream.finding_count = 0;
    stream.stack++;
}

static void certain_bytes_race(void **state)
{
    (void)state;
    launch(QUEUE, 0, 16);
    read_some(OTHER, 60, 4);
    expect(RULE_RACE_COMMANDS);
    launch(QUEUE, 0, 16);
    read_some(OTHER, 64, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
    launch(QUEUE, 16, 16);
    read_some(OTHER, 60, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
    launch(QUEUE, 16, 16);
    read_some(OTHER, 60, 8);
    expect(RULE_RACE_COMMANDS);
    launch(QUEUE, 0, 16);
    launch(OTHER, 15, 1);
    expect(RULE_RACE_COMMANDS);
    launch(QUEUE, 0, 16);
    launch(OTHER, 16, 16);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
}

/* The last launches are remembered, but not beyond what they depend on. */
static void numbers_and_sizes_count_each_time(void **state)
{
    (void)state;
    launch(QUEUE, 0, 16);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS);
    set_limit(8);
    launch(QUEUE, 0, 16);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
    set_limit(-1);
    launch(QUEUE, 0, 16);
    read_some(OTHER, 0, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
    set_limit(64);
    launch(QUEUE, 0, 16);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS);
    launch(QUEUE, 0, 8);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
    launch_in_two(QUEUE, 0, 16, 3);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS);
    launch_in_two(QUEUE, 0, 16, 0);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
}

static void numbers_are_told_briefly_too(void **state)
{
    (void)state;
    const struct host_brief brief = {.call_id = stream.next_id++,
                                     .thread = 1,
                                     .entry = API_ENTRY_clSetKernelArg,
                                     .object = KERNEL,
                                     .index = 1,
                                     .size = 4,
                                     .number = 8};
    struct host_brief begun = brief;
    set_limit(64);
    assert_true(host_checker_brief_begin(stream.checker, &begun));
    assert_true(host_checker_brief_end(stream.checker, &begun, CL_COMPLETE));
    launch(QUEUE, 0, 16);
    read_some(OTHER, 28, 4);
    expect(RULE_RACE_COMMANDS);
    launch(QUEUE, 0, 16);
    read_some(OTHER, 32, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
}

static void a_clone_is_known_as_well(void **state)
{
    enum { CLONE = 0x88 };
    (void)state;
    struct api_call call = stream_call(&stream, API_ENTRY_clCloneKernel);
    call_set(&call, "source_kernel", KERNEL);
    stream_perform(&stream, &call, CLONE);
    launch(QUEUE, 0, 16);
    struct api_call other = stream_call(&stream, API_ENTRY_clEnqueueTask);
    call_set(&other, "command_queue", OTHER);
    call_set(&other, "kernel", CLONE);
    stream_perform(&stream, &other, CL_SUCCESS);
    expect(RULE_RACE_COMMANDS);
    stream_perform(&stream, &other, CL_SUCCESS);
    read_some(QUEUE, 4, 4);
    expect(RULE_RACE_COMMANDS_UNCLEAR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certain_bytes_are_those_of_all_work_items),
        cmocka_unit_test(large_numbers_do_not_wrap),
        cmocka_unit_test(limits_have_to_be_known),
        cmocka_unit_test_setup_teardown(certain_bytes_race, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_and_sizes_count_each_time, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_are_told_briefly_too, setup, teardown),
        cmocka_unit_test_setup_teardown(a_clone_is_known_as_well, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
