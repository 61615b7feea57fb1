/* Which calls a recording needs that begins later than its program did. */
#include "tests/unit/trace/sample.h"
#include "trace/needed.h"
#include "trace/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum {
    CONTEXT = 0x30,
    QUEUE = 0x40,
    PROGRAM = 0x50,
    KERNEL = 0x60,
    CLONE = 0x61,
    BUFFER = 0x70,
    OTHER = 0x71,
    EVENT = 0x80,
    ADDRESS = 0x9000,
};

/* A program that is told call by call; a call's id is its place. */
struct story {
    struct spool *spool;
    struct arena arena;
    uint64_t id;
    struct api_call call; /* the last one */
};

static void open_story(struct story *story)
{
    *story = (struct story){.spool = NULL};
    assert_int_equal(
        spool_open(&(struct spool_options){.path = sample_path("a.db")}, &story->spool, NULL),
        STATUS_OK);
}

/* About an object, which is its first argument. */
static struct api_call *say(struct story *story, uint32_t entry, uint64_t object)
{
    story->call = sample_call(++story->id, 1, entry);
    if (object)
        sample_handle(&story->call, 0, object);
    return &story->call;
}

static void end_call(struct story *story)
{
    spool_call_begin(story->spool, &story->call);
    spool_call_end(story->spool, &story->call);
}

static void returns(struct story *story, int32_t status)
{
    sample_returns(&story->call, status);
    end_call(story);
}

static void creates(struct story *story, uint64_t handle)
{
    sample_creates(&story->call, handle);
    end_call(story);
}

static void tell(struct story *story, uint32_t entry, uint64_t object)
{
    say(story, entry, object);
    returns(story, CL_SUCCESS);
}

static void create(struct story *story, uint32_t entry, uint64_t of, uint64_t handle)
{
    say(story, entry, of);
    creates(story, handle);
}

/* Calls 1 to 5. */
static void make_kernel(struct story *story)
{
    create(story, API_ENTRY_clCreateContext, 0, CONTEXT);
    create(story, API_ENTRY_clCreateCommandQueue, CONTEXT, QUEUE);
    create(story, API_ENTRY_clCreateProgramWithSource, CONTEXT, PROGRAM);
    tell(story, API_ENTRY_clBuildProgram, PROGRAM);
    create(story, API_ENTRY_clCreateKernel, PROGRAM, KERNEL);
}

static void set_argument(struct story *story, uint64_t kernel, uint64_t index, uint64_t value)
{
    struct api_call *call = say(story, API_ENTRY_clSetKernelArg, kernel);
    sample_scalar(call, API_clSetKernelArg_arg_index, index);
    sample_scalar(call, API_clSetKernelArg_arg_size, sizeof value);
    sample_bytes(call, API_clSetKernelArg_arg_value,
                 arena_copy(&story->arena, &value, sizeof value), sizeof value);
    returns(story, CL_SUCCESS);
}

static void launch(struct story *story, uint64_t event)
{
    struct api_call *call = say(story, API_ENTRY_clEnqueueNDRangeKernel, QUEUE);
    sample_handle(call, API_clEnqueueNDRangeKernel_kernel, KERNEL);
    if (event)
        sample_list(&story->arena, call, API_clEnqueueNDRangeKernel_event, API_VALUE_HANDLES,
                    &event, 1);
    returns(story, CL_SUCCESS);
}

/* Ends the story: what is needed after call `last`, as "1 2 7 marker". */
static void check_needed(struct story *story, uint64_t last, const char *expected)
{
    static const char *const forms[] = {" marker", " without waits", ""};
    struct trace *trace = NULL;
    struct needed_call *calls = NULL;
    size_t count = 0;
    struct text text = TEXT_INIT;
    spool_close(story->spool);
    assert_int_equal(trace_open(sample_path("a.db"), &trace, NULL), STATUS_OK);
    assert_int_equal(
        needed_calls(trace_database(trace), "a.db", last, &story->arena, &calls, &count, NULL),
        STATUS_OK);
    for (size_t i = 0; i < count; ++i)
        text_format(&text, "%s%d%s", i ? " " : "", (int)calls[i].id, forms[calls[i].form]);
    assert_string_equal(text.bytes ? text.bytes : "", expected);
    text_release(&text);
    trace_close(trace);
    arena_release(&story->arena);
    sample_clean();
}

static void what_is_alive_is_needed(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    tell(&story, API_ENTRY_clReleaseMemObject, BUFFER);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    check_needed(&story, 8, "1 2 3 4 5 8");
}

static void what_comes_later_is_not(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    check_needed(&story, 4, "1 2 3 4");
}

/* Its release is part of what it is. */
static void the_dead_are_needed_that_the_living_were_made_of(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    tell(&story, API_ENTRY_clReleaseProgram, PROGRAM);
    tell(&story, API_ENTRY_clReleaseCommandQueue, QUEUE);
    check_needed(&story, 7, "1 3 4 5 6");
}

static void a_release_takes_a_retain_back(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    create(&story, API_ENTRY_clCreateContext, 0, CONTEXT);
    tell(&story, API_ENTRY_clRetainContext, CONTEXT);
    tell(&story, API_ENTRY_clRetainContext, CONTEXT);
    tell(&story, API_ENTRY_clReleaseContext, CONTEXT);
    check_needed(&story, 4, "1 2");
}

static void failed_and_unfinished_calls_are_not(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    say(&story, API_ENTRY_clBuildProgram, PROGRAM);
    returns(&story, CL_BUILD_PROGRAM_FAILURE);
    say(&story, API_ENTRY_clRetainKernel, KERNEL);
    spool_call_begin(story.spool, &story.call);
    check_needed(&story, 7, "1 2 3 4 5");
}

static void the_last_value_of_an_argument_counts(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    set_argument(&story, KERNEL, 0, 1);
    set_argument(&story, KERNEL, 1, 2);
    set_argument(&story, KERNEL, 0, 3);
    check_needed(&story, 8, "1 2 3 4 5 7 8");
}

/* A released buffer is, as long as the kernel holds it. */
static void arguments_need_their_objects(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, OTHER);
    set_argument(&story, KERNEL, 0, BUFFER);
    tell(&story, API_ENTRY_clReleaseMemObject, BUFFER);
    tell(&story, API_ENTRY_clReleaseMemObject, OTHER);
    check_needed(&story, 10, "1 2 3 4 5 6 8 9");
}

static void another_argument_frees_the_first_ones_object(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    set_argument(&story, KERNEL, 0, BUFFER);
    tell(&story, API_ENTRY_clReleaseMemObject, BUFFER);
    set_argument(&story, KERNEL, 0, 7);
    check_needed(&story, 9, "1 2 3 4 5 9");
}

/* What its source is given later does not matter to it, and what it was given does. */
static void a_clone_keeps_the_arguments_of_then(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    set_argument(&story, KERNEL, 0, 1);
    create(&story, API_ENTRY_clCloneKernel, KERNEL, CLONE);
    set_argument(&story, KERNEL, 0, 2);
    check_needed(&story, 8, "1 2 3 4 5 6 7 8");
}

static void of_a_command_the_event_is_needed(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    launch(&story, 0);
    launch(&story, EVENT);
    launch(&story, EVENT + 1);
    tell(&story, API_ENTRY_clReleaseEvent, EVENT);
    check_needed(&story, 9, "1 2 3 4 5 8 marker");
}

static void maps_are_needed_until_they_end(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    for (uint64_t i = 0; i < 2; ++i) {
        struct api_call *call = say(&story, API_ENTRY_clEnqueueMapBuffer, QUEUE);
        sample_handle(call, API_clEnqueueMapBuffer_buffer, BUFFER);
        sample_creates(call, ADDRESS + 256 * i);
        call->result.kind = API_VALUE_POINTER;
        end_call(&story);
    }
    struct api_call *call = say(&story, API_ENTRY_clEnqueueUnmapMemObject, QUEUE);
    sample_handle(call, API_clEnqueueUnmapMemObject_memobj, BUFFER);
    call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr] =
        (struct api_value){.kind = API_VALUE_POINTER, .present = true, .bits = ADDRESS};
    returns(&story, CL_SUCCESS);
    check_needed(&story, 9, "1 2 3 4 5 6 8 without waits");
}

static void answers_about_programs_are_needed_and_others_not(void **state)
{
    struct story story;
    (void)state;
    open_story(&story);
    make_kernel(&story);
    create(&story, API_ENTRY_clCreateBuffer, CONTEXT, BUFFER);
    say(&story, API_ENTRY_clGetKernelInfo, KERNEL);
    returns(&story, CL_SUCCESS);
    say(&story, API_ENTRY_clGetMemObjectInfo, BUFFER);
    returns(&story, CL_SUCCESS);
    tell(&story, API_ENTRY_clFinish, QUEUE);
    check_needed(&story, 9, "1 2 3 4 5 6 7");
}

static void what_cannot_be_needed_is_known_when_it_begins(void **state)
{
    static const struct {
        uint32_t entry;
        bool perhaps;
    } calls[] = {
        {API_ENTRY_clCreateBuffer, true},
        {API_ENTRY_clReleaseMemObject, true},
        {API_ENTRY_clSetKernelArg, true},
        {API_ENTRY_clEnqueueMapBuffer, true},
        {API_ENTRY_clEnqueueSVMFree, true},
        {API_ENTRY_clEnqueueUnmapMemObject, true},
        {API_ENTRY_clEnqueueNDRangeKernel, false},
        {API_ENTRY_clEnqueueReadBuffer, false},
        {API_ENTRY_clFinish, false},
        {API_ENTRY_clWaitForEvents, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        const struct api_call call = sample_call(1, 1, calls[i].entry);
        if (needed_perhaps(&call) != calls[i].perhaps)
            fail_msg("%s", api_entry_get(calls[i].entry)->name);
    }
    struct api_call call = sample_call(1, 1, API_ENTRY_clEnqueueNDRangeKernel);
    call.arguments[API_clEnqueueNDRangeKernel_event].present = true;
    assert_true(needed_perhaps(&call));
}

static void a_marker_has_the_queue_and_the_event(void **state)
{
    const uint64_t event = EVENT;
    struct arena arena = {0};
    struct api_call call = sample_call(1, 1, API_ENTRY_clEnqueueNDRangeKernel);
    (void)state;
    sample_handle(&call, API_clEnqueueNDRangeKernel_command_queue, QUEUE);
    sample_list(&arena, &call, API_clEnqueueNDRangeKernel_event, API_VALUE_HANDLES, &event, 1);
    needed_shape(&call, NEEDED_AS_MARKER);
    assert_int_equal(call.entry, API_ENTRY_clEnqueueMarkerWithWaitList);
    assert_int_equal(call.arguments[API_clEnqueueMarkerWithWaitList_command_queue].bits, QUEUE);
    assert_false(call.arguments[API_clEnqueueMarkerWithWaitList_event_wait_list].present);
    assert_memory_equal(call.arguments[API_clEnqueueMarkerWithWaitList_event].data, &event,
                        sizeof event);
    arena_release(&arena);
}

static void a_map_loses_its_waits_alone(void **state)
{
    const uint64_t event = EVENT;
    struct arena arena = {0};
    struct api_call call = sample_call(1, 1, API_ENTRY_clEnqueueMapBuffer);
    (void)state;
    sample_handle(&call, API_clEnqueueMapBuffer_buffer, BUFFER);
    sample_scalar(&call, API_clEnqueueMapBuffer_num_events_in_wait_list, 1);
    sample_list(&arena, &call, API_clEnqueueMapBuffer_event_wait_list, API_VALUE_HANDLES, &event,
                1);
    needed_shape(&call, NEEDED_WITHOUT_WAITS);
    assert_int_equal(call.entry, API_ENTRY_clEnqueueMapBuffer);
    assert_int_equal(call.arguments[API_clEnqueueMapBuffer_buffer].bits, BUFFER);
    assert_int_equal(call.arguments[API_clEnqueueMapBuffer_num_events_in_wait_list].bits, 0);
    assert_false(call.arguments[API_clEnqueueMapBuffer_event_wait_list].present);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_alive_is_needed),
        cmocka_unit_test(what_comes_later_is_not),
        cmocka_unit_test(the_dead_are_needed_that_the_living_were_made_of),
        cmocka_unit_test(a_release_takes_a_retain_back),
        cmocka_unit_test(failed_and_unfinished_calls_are_not),
        cmocka_unit_test(the_last_value_of_an_argument_counts),
        cmocka_unit_test(arguments_need_their_objects),
        cmocka_unit_test(another_argument_frees_the_first_ones_object),
        cmocka_unit_test(a_clone_keeps_the_arguments_of_then),
        cmocka_unit_test(of_a_command_the_event_is_needed),
        cmocka_unit_test(maps_are_needed_until_they_end),
        cmocka_unit_test(answers_about_programs_are_needed_and_others_not),
        cmocka_unit_test(what_cannot_be_needed_is_known_when_it_begins),
        cmocka_unit_test(a_marker_has_the_queue_and_the_event),
        cmocka_unit_test(a_map_loses_its_waits_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
