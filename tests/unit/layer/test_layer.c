/* The layer as a loader sees it, over a fake driver. Each scenario runs in a child process of its
 * own, since a session is a process; what it recorded is read back from its trace. */
#include "fake_driver.h"

#include "trace/base/alloc.h"
#include "trace/reader.h"

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { CHILD_FAILED = 42, PATH_SIZE = 256 };

/* In the child, where cmocka's assertions cannot work. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(CHILD_FAILED);                                                                   \
        }                                                                                          \
    } while (0)

static char directory[] = "/tmp/clerk-test-layer-XXXXXX";
static char trace_path[PATH_SIZE], findings_path[PATH_SIZE], errors_path[PATH_SIZE];

#ifdef __SANITIZE_THREAD__
/* The scenarios run in forked processes, which start threads; ThreadSanitizer is to allow it. */
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}
#endif

/* ---- running a scenario ---- */

static const cl_icd_dispatch *load_layer(cl_uint num_entries, cl_uint *num_entries_ret)
{
    void *library = dlopen(LAYER_PATH, RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    const pfn_clInitLayer init = (pfn_clInitLayer)dlsym(library, "clInitLayer");
    const cl_icd_dispatch *layer;
    CHECK(init);
    fake_driver_init();
    CHECK(init(num_entries, (const cl_icd_dispatch *)(const void *)fake_table, num_entries_ret,
               &layer) == CL_SUCCESS);
    return layer;
}

static void remove_files(void)
{
    char command[2 * PATH_SIZE];
    snprintf(command, sizeof command, "rm -rf '%s'/*", directory);
    assert_int_equal(system(command), 0);
}

/* The wait status of a child that runs `scenario` under the layer, with standard error in
 * errors_path. */
static int run(void (*scenario)(const cl_icd_dispatch *layer), const char *trace,
               const char *findings)
{
    remove_files();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        cl_uint count;
        signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the next test, here */
        signal(SIGABRT, SIG_DFL);
        setenv("CLERK_TRACE", trace, 1);
        setenv("CLERK_FINDINGS", findings, 1);
        CHECK(freopen(errors_path, "w", stderr));
        scenario(load_layer(API_SLOT_COUNT, &count));
        exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_FAILED) {
        char line[512] = "";
        FILE *file = fopen(errors_path, "r");
        if (file && fgets(line, sizeof line, file))
            print_error("%s", line);
        fail();
    }
    return status;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    static char bytes[65536];
    if (!file)
        return NULL;
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    return bytes;
}

/* ---- reading what was recorded ---- */

struct recording {
    struct trace *trace;
    struct arena arena;
    struct api_call calls[128];
    size_t count;
};

static void open_recording(struct recording *recording, const char *path, bool with_synthetic)
{
    struct error error;
    struct trace_cursor *cursor;
    const struct trace_filter filter = {.with_synthetic = with_synthetic};
    *recording = (struct recording){0};
    if (trace_open(path, &recording->trace, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(trace_calls(recording->trace, &filter, &cursor, &error), STATUS_OK);
    for (bool found = true; found && recording->count < 128;) {
        assert_int_equal(trace_cursor_next(cursor, &recording->arena,
                                           &recording->calls[recording->count], &found, &error),
                         STATUS_OK);
        recording->count += found;
    }
    trace_cursor_destroy(cursor);
}

static void close_recording(struct recording *recording)
{
    trace_close(recording->trace);
    arena_release(&recording->arena);
}

/* The n-th call of the entry, from 0. */
static const struct api_call *call_of(const struct recording *recording, uint32_t entry, unsigned n)
{
    for (size_t i = 0; i < recording->count; i++)
        if (recording->calls[i].entry == entry && n-- == 0)
            return &recording->calls[i];
    fail_msg("no such call of %s", api_entry_get(entry)->name);
    return NULL;
}

static size_t contents_of(struct recording *recording, const struct api_call *call,
                          struct api_content **contents)
{
    size_t count;
    struct error error;
    if (trace_contents(recording->trace, call->id, &recording->arena, contents, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    return count;
}

/* ---- what scenarios begin with ---- */

struct objects {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static struct objects create_objects(const cl_icd_dispatch *layer)
{
    struct objects o;
    cl_int status;
    CHECK(layer->clGetPlatformIDs(1, &o.platform, NULL) == CL_SUCCESS);
    CHECK(layer->clGetDeviceIDs(o.platform, CL_DEVICE_TYPE_ALL, 1, &o.device, NULL) == CL_SUCCESS);
    o.context = layer->clCreateContext(NULL, 1, &o.device, NULL, NULL, &status);
    CHECK(o.context && status == CL_SUCCESS);
    o.queue = layer->clCreateCommandQueue(o.context, o.device, 0, &status);
    CHECK(o.queue && status == CL_SUCCESS);
    o.buffer = layer->clCreateBuffer(o.context, CL_MEM_READ_WRITE, FAKE_BUFFER_SIZE, NULL, NULL);
    CHECK(o.buffer);
    return o;
}

/* ---- tests ---- */

static void record_some_calls(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    CHECK(!layer->clCreateBuffer(o.context, CL_MEM_READ_ONLY, 0, NULL, NULL));
    CHECK(layer->clFinish(o.queue) == CL_SUCCESS);
}

static void calls_are_recorded_with_arguments_and_results(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(record_some_calls, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    assert_int_equal(recording.count, 7);
    for (size_t i = 0; i < recording.count; i++) {
        assert_true(recording.calls[i].flags & API_CALL_COMPLETED);
        assert_int_equal(recording.calls[i].thread, 1);
        assert_true(i == 0 || recording.calls[i].id > recording.calls[i - 1].id);
    }
    /* The number of platforms was not asked for, and is not needed to know how many were written.
     */
    const struct api_value *platforms =
        &recording.calls[0].arguments[API_clGetPlatformIDs_platforms];
    assert_int_equal(platforms->kind, API_VALUE_HANDLES);
    assert_int_equal(platforms->count, 1);
    /* Nor was the status of the failed create. */
    const struct api_call *failed = call_of(&recording, API_ENTRY_clCreateBuffer, 1);
    const struct api_value *status = &failed->arguments[API_clCreateBuffer_errcode_ret];
    assert_false(status->present);
    assert_int_equal(status->count, 1);
    assert_int_equal(*(const int64_t *)status->data, CL_INVALID_BUFFER_SIZE);
    assert_int_equal(failed->result.bits, 0);
    close_recording(&recording);
}

static void facts_are_asked_once(void **state)
{
    (void)state;
    struct recording recording;
    unsigned names = 0;
    assert_int_equal(run(record_some_calls, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, true);
    for (size_t i = 0; i < recording.count; i++) {
        const struct api_call *call = &recording.calls[i];
        if (!(call->flags & API_CALL_SYNTHETIC))
            continue;
        assert_int_equal(call->entry, API_ENTRY_clGetDeviceInfo);
        assert_string_equal(call->arguments[API_clGetDeviceInfo_param_value].data, "fake");
        names++;
    }
    assert_int_equal(names, 1);
    close_recording(&recording);
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 7 + i / 256);
}

static void transfer(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    static unsigned char in[5000], out[5000], late[100];
    cl_event event;
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = pattern(i);
    CHECK(layer->clEnqueueWriteBuffer(o.queue, o.buffer, CL_FALSE, 10, sizeof in, in, 0, NULL,
                                      NULL) == 0);
    memset(in, 0, sizeof in);
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 10, sizeof out, out, 0, NULL,
                                     NULL) == 0);
    CHECK(out[4999] == pattern(4999));
    memset(out, 0, sizeof out);
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_FALSE, 20, 100, late, 0, NULL, NULL) ==
          0);
    CHECK(layer->clFinish(o.queue) == 0);
    CHECK(late[0] == pattern(10));
    memset(late, 0, sizeof late);
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_FALSE, 30, 100, late, 0, NULL, &event) ==
          0);
    CHECK(layer->clWaitForEvents(1, &event) == 0);
    memset(late, 0, sizeof late);
    CHECK(layer->clFinish(o.queue) == 0);
    /* Never known to be complete: what is there is anybody's guess, and is not kept. */
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_FALSE, 0, 100, late, 0, NULL, NULL) ==
          0);
}

static void assert_pattern(const struct api_content *content, size_t from, uint64_t size)
{
    assert_int_equal(content->size, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(((const unsigned char *)content->bytes)[i], pattern(from + i));
}

static void bytes_are_kept_as_they_were_given_and_got(void **state)
{
    (void)state;
    struct recording recording;
    struct api_content *contents;
    assert_int_equal(run(transfer, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    const struct api_call *write = call_of(&recording, API_ENTRY_clEnqueueWriteBuffer, 0);
    assert_int_equal(contents_of(&recording, write, &contents), 1);
    assert_int_equal(contents[0].argument, API_clEnqueueWriteBuffer_ptr);
    assert_pattern(&contents[0], 0, 5000);
    const struct api_call *read = call_of(&recording, API_ENTRY_clEnqueueReadBuffer, 0);
    assert_int_equal(contents_of(&recording, read, &contents), 1);
    assert_pattern(&contents[0], 0, 5000);
    read = call_of(&recording, API_ENTRY_clEnqueueReadBuffer, 1);
    assert_int_equal(contents_of(&recording, read, &contents), 1);
    assert_pattern(&contents[0], 10, 100);
    read = call_of(&recording, API_ENTRY_clEnqueueReadBuffer, 2);
    assert_int_equal(contents_of(&recording, read, &contents), 1);
    assert_pattern(&contents[0], 20, 100);
    read = call_of(&recording, API_ENTRY_clEnqueueReadBuffer, 3);
    assert_int_equal(contents_of(&recording, read, &contents), 0);
    close_recording(&recording);
}

static void map_and_change(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    cl_int status;
    unsigned char *mapped =
        layer->clEnqueueMapBuffer(o.queue, o.buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                  FAKE_BUFFER_SIZE, 0, NULL, NULL, &status);
    CHECK(mapped && status == CL_SUCCESS);
    mapped[5000] = 99;
    CHECK(layer->clEnqueueUnmapMemObject(o.queue, o.buffer, mapped, 0, NULL, NULL) == 0);
    mapped = layer->clEnqueueMapBuffer(o.queue, o.buffer, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION,
                                       4096, 10, 0, NULL, NULL, NULL);
    CHECK(mapped);
    CHECK(layer->clFinish(o.queue) == 0);
    CHECK(layer->clEnqueueUnmapMemObject(o.queue, o.buffer, mapped, 0, NULL, NULL) == 0);
}

static void only_what_a_map_changed_is_kept(void **state)
{
    (void)state;
    struct recording recording;
    struct api_content *contents;
    assert_int_equal(run(map_and_change, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    assert_int_equal(
        contents_of(&recording, call_of(&recording, API_ENTRY_clEnqueueMapBuffer, 0), &contents),
        1);
    assert_int_equal(contents[0].argument, API_ARGUMENT_MAX);
    assert_int_equal(contents[0].size, FAKE_BUFFER_SIZE);
    assert_int_equal(((const unsigned char *)contents[0].bytes)[5000], 0);
    assert_int_equal(contents_of(&recording,
                                 call_of(&recording, API_ENTRY_clEnqueueUnmapMemObject, 0),
                                 &contents),
                     1);
    assert_int_equal(contents[0].offset, 4096);
    assert_int_equal(contents[0].size, 4096);
    assert_int_equal(((const unsigned char *)contents[0].bytes)[5000 - 4096], 99);
    assert_int_equal(
        contents_of(&recording, call_of(&recording, API_ENTRY_clEnqueueMapBuffer, 1), &contents),
        0);
    assert_int_equal(contents_of(&recording,
                                 call_of(&recording, API_ENTRY_clEnqueueUnmapMemObject, 1),
                                 &contents),
                     1);
    assert_int_equal(contents[0].size, 10);
    close_recording(&recording);
}

/* Of the runtime of C++ what the layer asks it for, and a function that C++ could have named. */
__attribute__((visibility("default"))) char *__cxa_demangle(const char *name, char *buffer,
                                                            size_t *size, int *status);
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
{
    (void)buffer, (void)size, (void)status;
    return strcmp(name, "_Z12release_deadv") == 0 ? strdup("release_dead()") : NULL;
}

void release_dead(const cl_icd_dispatch *layer, cl_mem buffer) __asm__("_Z12release_deadv");
void release_dead(const cl_icd_dispatch *layer, cl_mem buffer)
{
    const cl_int status = layer->clReleaseMemObject(buffer);
    CHECK(status == CL_INVALID_MEM_OBJECT);
}

static void use_after_release(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    unsigned char byte = 0;
    CHECK(layer->clReleaseMemObject(o.buffer) == CL_SUCCESS);
    void (*volatile release)(const cl_icd_dispatch *, cl_mem) = release_dead; /* never inlined */
    release(layer, o.buffer);
    CHECK(fake_driver.release_mem_count == 1);
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL) ==
          CL_INVALID_MEM_OBJECT);
}

static void a_dead_handle_does_not_reach_the_driver(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(use_after_release, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    assert_false(call_of(&recording, API_ENTRY_clReleaseMemObject, 0)->flags & API_CALL_BLOCKED);
    const struct api_call *second = call_of(&recording, API_ENTRY_clReleaseMemObject, 1);
    assert_true(second->flags & API_CALL_BLOCKED);
    assert_int_equal((int64_t)second->result.bits, CL_INVALID_MEM_OBJECT);
    close_recording(&recording);
    const char *findings = read_file(findings_path);
    assert_non_null(findings);
    assert_non_null(strstr(findings, "\"handle-released\""));
    assert_non_null(strstr(findings, "clReleaseMemObject"));
    /* The stack names a function of this test's, which is not exported. */
    assert_non_null(strstr(findings, "use_after_release+0x"));
    assert_non_null(strstr(findings, "release_dead()+0x"));
}

static void without_trace_and_file_the_report_is_on_standard_error(void **state)
{
    (void)state;
    assert_int_equal(run(use_after_release, "", ""), 0);
    const char *errors = read_file(errors_path);
    assert_non_null(errors);
    assert_non_null(strstr(errors, "handle-released"));
}

static void pass_wild_pointers(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    const char *source = "kernel void k() {}";
    const char *const wild = (const char *)0x40;
    cl_program program = layer->clCreateProgramWithSource(o.context, 1, &source, NULL, NULL);
    cl_kernel kernel = layer->clCreateKernel(program, "k", NULL);
    CHECK(layer->clSetKernelArg(kernel, 0, 1 << 20, wild) == CL_INVALID_ARG_VALUE);
    CHECK(layer->clSetKernelArg(kernel, 0, SIZE_MAX, &source) == CL_INVALID_ARG_VALUE);
    CHECK(fake_driver.set_kernel_arg_count == 2);
    layer->clCreateKernel(program, wild, NULL);
    layer->clCreateKernel(program, NULL, NULL);
    layer->clCreateProgramWithSource(o.context, 3, (const char **)(uintptr_t)wild, NULL, NULL);
    layer->clCreateProgramWithSource(o.context, 1, &source, (const size_t *)(const void *)wild,
                                     NULL);
    layer->clWaitForEvents(UINT32_MAX, (const cl_event *)(const void *)wild);
    layer->clCreateContext((const cl_context_properties *)(const void *)wild, 1, &o.device, NULL,
                           NULL, NULL);
}

static void wild_pointers_are_survived(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(pass_wild_pointers, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    const struct api_call *call = call_of(&recording, API_ENTRY_clSetKernelArg, 0);
    assert_int_equal(call->arguments[API_clSetKernelArg_arg_value].kind, API_VALUE_POINTER);
    assert_int_equal(call->arguments[API_clSetKernelArg_arg_value].bits, 0x40);
    close_recording(&recording);
}

static const cl_icd_dispatch *callback_layer;
static const cl_icd_dispatch *interrupting_layer;
static cl_command_queue interrupting_queue;

static void flush_in_handler(int number)
{
    (void)number;
    interrupting_layer->clFlush(interrupting_queue);
}

static void interrupt_calls(const cl_icd_dispatch *layer)
{
    enum { CALLS = 200000, PERIOD_US = 50 };
    const struct itimerval often = {.it_interval.tv_usec = PERIOD_US,
                                    .it_value.tv_usec = PERIOD_US};
    const struct objects o = create_objects(layer);
    interrupting_layer = layer;
    interrupting_queue = o.queue;
    CHECK(layer->clFlush(o.queue) == CL_SUCCESS);
    signal(SIGALRM, flush_in_handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < CALLS; i++)
        layer->clFlush(o.queue);
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
}

static void a_signal_handler_may_interrupt_clerk(void **state)
{
    (void)state;
    assert_int_equal(run(interrupt_calls, "", findings_path), 0);
    const char *words = read_file(findings_path);
    assert_non_null(words);
    assert_non_null(strstr(words, "of a signal handler that interrupted clerk"));
    assert_non_null(strstr(words, "nor was any call after them checked"));
    assert_int_equal(run(interrupt_calls, trace_path, findings_path), 0);
}

static void CL_CALLBACK flush_in_callback(cl_event event, cl_int status, void *user_data)
{
    (void)event;
    CHECK(status == CL_COMPLETE);
    callback_layer->clFlush(user_data);
}

static void set_a_callback(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    cl_event event;
    callback_layer = layer;
    CHECK(layer->clEnqueueReadBuffer(o.queue, o.buffer, CL_TRUE, 0, 0, &event, 0, NULL, &event) ==
          0);
    CHECK(layer->clSetEventCallback(event, CL_COMPLETE, flush_in_callback, o.queue) == CL_SUCCESS);
    CHECK(layer->clFlush(o.queue) == CL_SUCCESS);
}

static int builds_told;
static void CL_CALLBACK count_build(cl_program program, void *user_data)
{
    (void)program;
    builds_told += *(int *)user_data;
}

static void fail_to_build(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    const char *source = "kernel void k() {";
    int one = 1;
    cl_program program = layer->clCreateProgramWithSource(o.context, 1, &source, NULL, NULL);
    CHECK(layer->clBuildProgram(program, 0, NULL, "", count_build, &one) ==
          CL_BUILD_PROGRAM_FAILURE);
    CHECK(builds_told == 1);
}

static void a_failed_build_tells_its_callback(void **state)
{
    (void)state;
    assert_int_equal(run(fail_to_build, trace_path, findings_path), 0);
}

static void calls_in_callbacks_are_marked(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(set_a_callback, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    const struct api_call *set = call_of(&recording, API_ENTRY_clSetEventCallback, 0);
    assert_int_equal(set->argument_count, API_clSetEventCallback_parameter_count);
    assert_false(set->flags & API_CALL_IN_CALLBACK);
    assert_true(call_of(&recording, API_ENTRY_clFlush, 0)->flags & API_CALL_IN_CALLBACK);
    assert_false(call_of(&recording, API_ENTRY_clFlush, 1)->flags & API_CALL_IN_CALLBACK);
    close_recording(&recording);
}

static void die_in_the_driver(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    CHECK(layer->clFlush(o.queue) == CL_SUCCESS);
    fake_driver.kill_in_finish = true;
    layer->clFinish(o.queue);
}

static void the_call_that_died_is_recorded(void **state)
{
    (void)state;
    struct recording recording;
    const int status = run(die_in_the_driver, trace_path, findings_path);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    open_recording(&recording, trace_path, false);
    assert_true(call_of(&recording, API_ENTRY_clFlush, 0)->flags & API_CALL_COMPLETED);
    assert_false(call_of(&recording, API_ENTRY_clFinish, 0)->flags & API_CALL_COMPLETED);
    close_recording(&recording);
}

static void let_the_driver_call(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    cl_icd_dispatch copy = *layer;
    fake_driver.calls_back = &copy;
    CHECK(layer->clFinish(o.queue) == CL_SUCCESS);
    CHECK(fake_driver.flush_count == 1);
}

static void what_the_driver_calls_is_not_the_applications(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(let_the_driver_call, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    for (size_t i = 0; i < recording.count; i++)
        assert_int_not_equal(recording.calls[i].entry, API_ENTRY_clFlush);
    close_recording(&recording);
}

static void fork_and_call(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    const pid_t child = fork();
    if (child == 0) {
        layer->clFlush(o.queue);
        layer->clFlush(o.queue);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(layer->clFinish(o.queue) == CL_SUCCESS);
}

/* The child got its handles from its parent, and the checker that saw them made is the parent's. */
static void a_forked_child_knows_the_handles(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it cannot follow a child of a process that has threads */
#endif
    assert_int_equal(run(fork_and_call, trace_path, findings_path), 0);
    const char *findings = read_file(findings_path);
    assert_true(!findings || !strstr(findings, "handle-foreign"));
}

static void a_forked_child_has_its_own_trace(void **state)
{
    (void)state;
    struct recording recording;
    char child_path[PATH_SIZE];
#ifdef __SANITIZE_THREAD__
    skip(); /* it cannot follow a child of a process that has threads */
#endif
    assert_int_equal(run(fork_and_call, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    assert_int_equal(recording.count, 6);
    assert_int_equal(recording.calls[5].entry, API_ENTRY_clFinish);
    close_recording(&recording);
    snprintf(child_path, sizeof child_path, "%s/t.2.db", directory);
    open_recording(&recording, child_path, false);
    assert_int_equal(recording.count, 2);
    assert_int_equal(recording.calls[0].thread, 1);
    close_recording(&recording);
}

static pid_t forked_in_callback;

static void CL_CALLBACK fork_there(cl_program program, void *user)
{
    (void)program;
    (void)user;
    forked_in_callback = fork();
}

static void fork_in_a_callback(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    const char *source = "kernel void k() {";
    cl_program program = layer->clCreateProgramWithSource(o.context, 1, &source, NULL, NULL);
    layer->clBuildProgram(program, 0, NULL, "", fork_there, NULL);
    if (forked_in_callback == 0) {
        layer->clFlush(o.queue);
        layer->clFlush(o.queue);
        exit(0);
    }
    int status;
    CHECK(waitpid(forked_in_callback, &status, 0) == forked_in_callback && status == 0);
    CHECK(layer->clFinish(o.queue) == CL_SUCCESS);
}

/* It returns from a call that its parent made. */
static void a_child_that_a_callback_forks_has_its_own_trace(void **state)
{
    (void)state;
    struct recording recording;
    char child_path[PATH_SIZE];
    size_t built = 0;
#ifdef __SANITIZE_THREAD__
    skip(); /* it cannot follow a child of a process that has threads */
#endif
    assert_int_equal(run(fork_in_a_callback, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    for (size_t i = 0; i < recording.count; i++)
        built += recording.calls[i].entry == API_ENTRY_clBuildProgram &&
                 (recording.calls[i].flags & API_CALL_COMPLETED) != 0;
    assert_int_equal(built, 1);
    assert_int_equal(recording.calls[recording.count - 1].entry, API_ENTRY_clFinish);
    close_recording(&recording);
    snprintf(child_path, sizeof child_path, "%s/t.2.db", directory);
    open_recording(&recording, child_path, false);
    assert_int_equal(recording.count, 2);
    assert_int_equal(recording.calls[1].entry, API_ENTRY_clFlush);
    assert_int_equal(recording.calls[1].flags, API_CALL_COMPLETED);
    close_recording(&recording);
}

enum { THREAD_COUNT = 4, CALLS_OF_A_THREAD = 300 };

static void *flush_often(void *user)
{
    const struct objects *o = user;
    for (unsigned i = 0; i < CALLS_OF_A_THREAD; i++)
        callback_layer->clFlush(o->queue);
    return NULL;
}

static void call_from_threads(const cl_icd_dispatch *layer)
{
    struct objects o = create_objects(layer);
    pthread_t threads[THREAD_COUNT];
    callback_layer = layer;
    for (size_t i = 0; i < THREAD_COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, flush_often, &o) == 0);
    for (size_t i = 0; i < THREAD_COUNT; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

static void each_thread_has_its_number_and_all_its_calls(void **state)
{
    (void)state;
    struct trace *trace;
    uint64_t count;
    assert_int_equal(run(call_from_threads, trace_path, findings_path), 0);
    assert_int_equal(trace_open(trace_path, &trace, NULL), STATUS_OK);
    for (uint32_t thread = 2; thread <= THREAD_COUNT + 1; thread++) {
        const struct trace_filter filter = {.thread = thread, .name = "clFlush"};
        assert_int_equal(trace_count_calls(trace, &filter, &count, NULL), STATUS_OK);
        assert_int_equal(count, CALLS_OF_A_THREAD);
    }
    assert_int_equal(trace_count_calls(trace, NULL, &count, NULL), STATUS_OK);
    assert_int_equal(count, 5 + THREAD_COUNT * CALLS_OF_A_THREAD);
    trace_close(trace);
}

static void a_trace_that_cannot_be_written_lets_the_program_run(void **state)
{
    (void)state;
    assert_int_equal(run(record_some_calls, "/nowhere/at/all/t.db", findings_path), 0);
    const char *errors = read_file(errors_path);
    assert_non_null(errors);
    assert_ptr_equal(strstr(errors, "clerk: "), errors);
    assert_non_null(strstr(errors, "/nowhere/at/all"));
    assert_null(strstr(errors + 1, "clerk: "));
}

static cl_program create_with_il(void *function, cl_context context)
{
    typedef cl_program(CL_API_CALL il_function)(cl_context, const void *, size_t, cl_int *);
    static const uint32_t il[] = {0x07230203, 0};
    return ((il_function *)function)(context, il, sizeof il, NULL);
}

static void ask_for_extensions(const cl_icd_dispatch *layer)
{
    const struct objects o = create_objects(layer);
    static void *another;
    const cl_platform_id other = (cl_platform_id)&another;
    void *first =
        layer->clGetExtensionFunctionAddressForPlatform(o.platform, "clCreateProgramWithILKHR");
    void *again =
        layer->clGetExtensionFunctionAddressForPlatform(o.platform, "clCreateProgramWithILKHR");
    void *second =
        layer->clGetExtensionFunctionAddressForPlatform(other, "clCreateProgramWithILKHR");
    CHECK(first && first == again && second && second != first);
    CHECK(create_with_il(first, o.context) != create_with_il(second, o.context));
    CHECK(layer->clGetExtensionFunctionAddressForPlatform(o.platform, "clUnknownFunctionFAKE"));
    CHECK(layer->clGetExtensionFunctionAddressForPlatform(o.platform, "clUnknownFunctionFAKE"));
    CHECK(!layer->clGetExtensionFunctionAddressForPlatform(o.platform, "clNobodyHasThis"));
}

static void extension_functions_are_recorded_or_named(void **state)
{
    (void)state;
    struct recording recording;
    assert_int_equal(run(ask_for_extensions, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    const struct api_call *call = call_of(&recording, API_ENTRY_clCreateProgramWithILKHR, 0);
    assert_int_equal(call->arguments[API_clCreateProgramWithILKHR_il].size, 8);
    call_of(&recording, API_ENTRY_clCreateProgramWithILKHR, 1);
    assert_string_equal(trace_fact(recording.trace, "passed-through.clUnknownFunctionFAKE"), "2");
    const uint32_t asked = API_ENTRY_clGetExtensionFunctionAddressForPlatform;
    assert_false(call_of(&recording, asked, 0)->flags & API_CALL_PASSES);
    assert_true(call_of(&recording, asked, 3)->flags & API_CALL_PASSES);
    close_recording(&recording);
}

static void create_from_bytes(const cl_icd_dispatch *layer)
{
    static char bytes[] = "bytes";
    const struct objects o = create_objects(layer);
    __typeof__(clCreateBufferWithPropertiesINTEL) *create =
        (__typeof__(clCreateBufferWithPropertiesINTEL) *)
            layer->clGetExtensionFunctionAddressForPlatform(o.platform,
                                                            "clCreateBufferWithPropertiesINTEL");
    CHECK(layer->clCreateBuffer(o.context, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, NULL));
    CHECK(create(o.context, NULL, CL_MEM_COPY_HOST_PTR, sizeof bytes, bytes, NULL));
}

/* Whatever entry point takes them. */
static void bytes_that_objects_are_made_of_are_kept(void **state)
{
    (void)state;
    struct recording recording;
    struct api_content *contents;
    assert_int_equal(run(create_from_bytes, trace_path, findings_path), 0);
    open_recording(&recording, trace_path, false);
    const struct api_call *const calls[] = {
        call_of(&recording, API_ENTRY_clCreateBuffer, 1),
        call_of(&recording, API_ENTRY_clCreateBufferWithPropertiesINTEL, 0)};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(contents_of(&recording, calls[i], &contents), 1);
        assert_string_equal(contents[0].bytes, "bytes");
    }
    close_recording(&recording);
}

/* Any number of slots that a loader may come with. */
static void check_slots(const cl_icd_dispatch *layer)
{
    (void)layer;
    static const cl_uint counts[] = {0, 1, 149, 150, 151, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        cl_uint count;
        api_function *const *table =
            (api_function *const *)(const void *)load_layer(counts[i], &count);
        CHECK(count == (counts[i] < API_SLOT_COUNT ? counts[i] : API_SLOT_COUNT));
        for (uint32_t slot = 0; slot < count; slot++)
            CHECK(!table[slot] == !fake_table[slot]);
        if (count > API_ENTRY_clCreateFromD3D10BufferKHR) /* headers have no type for it here */
            CHECK(table[API_ENTRY_clCreateFromD3D10BufferKHR - 1] !=
                  fake_table[API_ENTRY_clCreateFromD3D10BufferKHR - 1]);
        if (count == API_SLOT_COUNT)
            CHECK(table[API_SLOT_COUNT - 1] != fake_table[API_SLOT_COUNT - 1]);
    }
}

static void tables_of_any_length_are_served(void **state)
{
    (void)state;
    assert_int_equal(run(check_slots, "", findings_path), 0);
}

static void ask_for_info(const cl_icd_dispatch *layer)
{
    (void)layer;
    void *library = dlopen(LAYER_PATH, RTLD_NOW | RTLD_LOCAL);
    const pfn_clGetLayerInfo info = (pfn_clGetLayerInfo)dlsym(library, "clGetLayerInfo");
    cl_layer_api_version version = 0;
    size_t size = 0;
    char name[16];
    CHECK(info(CL_LAYER_API_VERSION, sizeof version, &version, &size) == CL_SUCCESS);
    CHECK(version == CL_LAYER_API_VERSION_100 && size == sizeof version);
    CHECK(info(CL_LAYER_NAME, sizeof name, name, NULL) == CL_SUCCESS && strcmp(name, "clerk") == 0);
    CHECK(info(CL_LAYER_NAME, 2, name, NULL) == CL_INVALID_VALUE);
    CHECK(info(0, sizeof name, name, NULL) == CL_INVALID_VALUE);
    CHECK(dlsym(library, "clInitLayerWithProperties") && dlsym(library, "clDeinitLayer"));
}

static void both_protocols_are_exported(void **state)
{
    (void)state;
    assert_int_equal(run(ask_for_info, "", findings_path), 0);
}

static int make_directory(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(trace_path, sizeof trace_path, "%s/t.db", directory);
    snprintf(findings_path, sizeof findings_path, "%s/findings.jsonl", directory);
    snprintf(errors_path, sizeof errors_path, "%s/errors", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    remove_files();
    return rmdir(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_recorded_with_arguments_and_results),
        cmocka_unit_test(facts_are_asked_once),
        cmocka_unit_test(bytes_are_kept_as_they_were_given_and_got),
        cmocka_unit_test(only_what_a_map_changed_is_kept),
        cmocka_unit_test(a_dead_handle_does_not_reach_the_driver),
        cmocka_unit_test(without_trace_and_file_the_report_is_on_standard_error),
        cmocka_unit_test(wild_pointers_are_survived),
        cmocka_unit_test(a_failed_build_tells_its_callback),
        cmocka_unit_test(calls_in_callbacks_are_marked),
        cmocka_unit_test(the_call_that_died_is_recorded),
        cmocka_unit_test(what_the_driver_calls_is_not_the_applications),
        cmocka_unit_test(a_forked_child_has_its_own_trace),
        cmocka_unit_test(a_child_that_a_callback_forks_has_its_own_trace),
        cmocka_unit_test(a_forked_child_knows_the_handles),
        cmocka_unit_test(each_thread_has_its_number_and_all_its_calls),
        cmocka_unit_test(a_signal_handler_may_interrupt_clerk),
        cmocka_unit_test(a_trace_that_cannot_be_written_lets_the_program_run),
        cmocka_unit_test(extension_functions_are_recorded_or_named),
        cmocka_unit_test(bytes_that_objects_are_made_of_are_kept),
        cmocka_unit_test(tables_of_any_length_are_served),
        cmocka_unit_test(both_protocols_are_exported),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
