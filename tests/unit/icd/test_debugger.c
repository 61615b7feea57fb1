/* The device under a debugger, asked through its socket as a front end does: where it stops, and
 * what it says of values. */
#include "checkers/sink.h"
#include "tests/unit/icd/fixture.h"
#include "trace/debug/json_object.h"
#include "trace/debug/message.h"
#include "trace/debug/requests.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the kernel runs on: a launch of it, made on another thread. */
struct launch {
    struct fixture *fixture;
    const char *file, *kernel;
    size_t global, local, shared;
    int n;
    cl_int result;
    int out[128];
    uint64_t call_id;
};

static int front_end = -1;
static bool waits;            /* for the answer to a request that resumed */
static struct launch running; /* outlives a test that fails */
static pthread_t runner;
static bool runs;

static cJSON *receive(void)
{
    struct text text = TEXT_INIT;
    struct error error;
    cJSON *answer = NULL;
    assert_int_equal(message_receive(front_end, &text, &error), STATUS_OK);
    assert_int_equal(json_object_parse(text.bytes, text.size, &answer, &error), STATUS_OK);
    text_release(&text);
    return answer;
}

static void say(const char *request)
{
    struct error error;
    assert_int_equal(message_send(front_end, request, strlen(request), &error), STATUS_OK);
}

static cJSON *ask(const char *request)
{
    say(request);
    return receive();
}

/* The answer is short, and the same at each run: compared as a whole. */
static void assert_answer(const char *request, const char *wanted)
{
    cJSON *answer = ask(request);
    char *text = cJSON_PrintUnformatted(answer);
    assert_string_equal(text, wanted);
    free(text);
    cJSON_Delete(answer);
}

/* "breakpoint steps:9 item 3" of the stop in an answer, which is freed. */
static const char *describe(cJSON *answer)
{
    static char text[256];
    const cJSON *stop = json_object_item(answer, "stop");
    const cJSON *focus = json_object_item(stop, "focus");
    const cJSON *place = json_object_item(focus, "place");
    const cJSON *item = json_object_item(focus, "item");
    uint64_t line = 0;
    uint64_t id = 0;
    if (!stop) {
        snprintf(text, sizeof text, "%s", json_object_text(answer, "error"));
        cJSON_Delete(answer);
        return text;
    }
    json_object_number(place, "line", &line);
    json_item_number(json_array_first(item), &id);
    const char *function = json_object_text(place, "function");
    snprintf(text, sizeof text, "%s %s:%d item %d", json_object_text(stop, "reason"),
             function ? function : "", (int)line, (int)id);
    cJSON_Delete(answer);
    return text;
}

/* "i=0 u=undef", the values in an answer, which is freed. */
static const char *list(cJSON *answer)
{
    static char text[1024];
    size_t size = 0;
    text[0] = '\0';
    for (const cJSON *at = json_array_first(json_object_item(answer, "values")); at;
         at = json_array_next(at))
        size += (size_t)snprintf(text + size, sizeof text - size, "%s%s=%s", size ? " " : "",
                                 json_object_text(at, "name"), json_object_text(at, "value"));
    cJSON_Delete(answer);
    return text;
}

static const char *value_of(const char *expression)
{
    static char text[512];
    char request[512];
    struct text quoted = TEXT_INIT;
    text_append_json(&quoted, expression);
    snprintf(request, sizeof request, "{\"request\":\"evaluate\",\"expression\":%s}", quoted.bytes);
    text_release(&quoted);
    cJSON *answer = ask(request);
    const char *value = json_object_text(json_object_item(answer, "value"), "value");
    snprintf(text, sizeof text, "%s", value ? value : json_object_text(answer, "error"));
    cJSON_Delete(answer);
    return text;
}

/* ---- launches ---- */

static char *read_source(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CLERK_TEST_DEBUGGER, name);
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

/* What a layer, or a replay, says of the call that comes. */
static void tell_call(const struct fixture *fixture, uint64_t call_id)
{
    sink_call_function *set = NULL;
    *(void **)&set =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, SINK_CALL_FUNCTION);
    set(call_id);
}

static void *run(void *user)
{
    struct launch *launch = user;
    const struct fixture *fixture = launch->fixture;
    char *source = read_source(launch->file);
    const char *strings = source;
    cl_int result;
    cl_program program = clCreateProgramWithSource(fixture->context, 1, &strings, NULL, &result);
    launch->result = clBuildProgram(program, 1, &fixture->device, NULL, NULL, NULL);
    if (launch->result != CL_SUCCESS) /* who waits for the launch is to fail */
        shutdown(front_end, SHUT_RDWR);
    cl_kernel kernel = clCreateKernel(program, launch->kernel, &result);
    cl_mem out =
        clCreateBuffer(fixture->context, CL_MEM_READ_WRITE, sizeof launch->out, NULL, &result);
    cl_uint argument = 0;
    clSetKernelArg(kernel, argument++, sizeof out, &out);
    if (launch->shared)
        clSetKernelArg(kernel, argument++, launch->shared, NULL);
    if (launch->n)
        clSetKernelArg(kernel, argument++, sizeof launch->n, &launch->n);
    tell_call(fixture, launch->call_id);
    launch->result |= clEnqueueNDRangeKernel(fixture->queue, kernel, 1, NULL, &launch->global,
                                             &launch->local, 0, NULL, NULL);
    launch->result |= clEnqueueReadBuffer(fixture->queue, out, CL_TRUE, 0,
                                          launch->global * sizeof(int), launch->out, 0, NULL, NULL);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    free(source);
    return NULL;
}

static void enqueue(const struct launch *launch)
{
    running = *launch;
    assert_int_equal(pthread_create(&runner, NULL, run, &running), 0);
    runs = true;
}

static void begin(const struct launch *launch)
{
    enqueue(launch);
    cJSON *answer = waits ? receive() : ask("{\"request\":\"hello\",\"version\":1}");
    char wanted[64];
    snprintf(wanted, sizeof wanted, "launch %s:", launch->kernel);
    assert_memory_equal(describe(answer), wanted, strlen(wanted));
    waits = false;
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"launch\"}"));
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"end\"}"));
}

/* It stands at the launch's end. */
static void finish(struct launch *launch)
{
    cJSON_Delete(ask("{\"request\":\"delete\"}"));
    say("{\"request\":\"continue\"}");
    waits = true;
    assert_int_equal(pthread_join(runner, NULL), 0);
    runs = false;
    *launch = running;
    assert_int_equal(launch->result, CL_SUCCESS);
}

/* A launch that a test has left where it failed goes on without a debugger, as those of later tests
 * do, which fail. One that then never ends ends all. */
static int teardown(void **state)
{
    enum { SECONDS = 20 };
    if (runs) {
        shutdown(front_end, SHUT_RDWR);
        alarm(SECONDS);
        pthread_join(runner, NULL);
        alarm(0);
    }
    runs = false;
    return fixture_teardown(state);
}

static int setup(void **state)
{
    int sockets[2];
    fixture_setup(state);
    const struct fixture *fixture = *state;
    debug_set_function *set_debugger = NULL;
    *(void **)&set_debugger =
        clGetExtensionFunctionAddressForPlatform(fixture->platform, DEBUG_SET_FUNCTION);
    assert_non_null(set_debugger);
    if (front_end >= 0)
        return 0;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    assert_int_equal(set_debugger(DEBUG_VERSION + 1, sockets[1]), CL_INVALID_VALUE);
    assert_int_equal(set_debugger(DEBUG_VERSION, sockets[1]), CL_SUCCESS);
    front_end = sockets[0];
    return 0;
}

/* ---- tests ---- */

static const char *step(void)
{
    return describe(ask("{\"request\":\"step\"}"));
}

static const char *locals(void)
{
    return list(ask("{\"request\":\"locals\"}"));
}

static void test_steps_and_their_values(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "steps.cl",
                            .kernel = "steps",
                            .global = 64,
                            .local = 64,
                            .n = 2};
    begin(&launch);
    cJSON_Delete(ask("{\"request\":\"break\",\"function\":\"steps\"}"));
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "breakpoint steps:9 item 0");
    assert_string_equal(locals(), "");
    assert_string_equal(list(ask("{\"request\":\"arguments\"}")), "out=buffer#1 n=2");
    assert_string_equal(describe(ask("{\"request\":\"focus\",\"item\":[3]}")), "(null)");
    assert_string_equal(step(), "step steps:10 item 3");
    assert_string_equal(locals(), "i=3");
    assert_string_equal(step(), "step steps:11 item 3");
    assert_string_equal(step(), "step steps:12 item 3");
    assert_string_equal(locals(), "i=3 sum=0 p={a = undef, b = undef}");
    assert_string_equal(step(), "step steps:13 item 3");
    assert_string_equal(step(), "step steps:14 item 3");
    assert_string_equal(step(), "step twice:4 item 3");
    assert_string_equal(value_of("v"), "0");
    assert_string_equal(step(), "step twice:5 item 3");
    assert_string_equal(locals(), "w=0");
    cJSON_Delete(ask("{\"request\":\"focus\",\"frame\":1}"));
    assert_string_equal(value_of("p"), "{a = undef, b = undef}");
    assert_string_equal(value_of("w"), "there is no 'w' that this place sees");
    assert_string_equal(describe(ask("{\"request\":\"finish\"}")),
                        "no function calls the kernel itself");
    cJSON_Delete(ask("{\"request\":\"focus\",\"frame\":0}"));
    assert_string_equal(describe(ask("{\"request\":\"finish\"}")), "step steps:14 item 3");
    assert_string_equal(describe(ask("{\"request\":\"next\"}")), "step steps:15 item 3");
    assert_string_equal(locals(), "i=3 sum=0 p={a = undef, b = 0} j=0");
    assert_string_equal(step(), "step steps:12 item 3");
    assert_string_equal(describe(ask("{\"request\":\"next\"}")), "step steps:13 item 3");
    assert_string_equal(describe(ask("{\"request\":\"next\"}")), "step steps:14 item 3");
    assert_string_equal(describe(ask("{\"request\":\"next\"}")), "step steps:15 item 3");
    assert_string_equal(locals(), "i=3 sum=3 p={a = undef, b = 6} j=1");
    assert_string_equal(describe(ask("{\"request\":\"until\",\"line\":17}")),
                        "step steps:17 item 3");
    assert_string_equal(step(), "step steps:18 item 3");
    assert_string_equal(step(), "step steps:19 item 3");
    assert_string_equal(value_of("u"), "7");
    assert_string_equal(value_of("$gid.x + i"), "6");
    assert_answer("{\"request\":\"differ\",\"expression\":\"u\"}",
                  "{\"ok\":true,\"values\":[{\"value\":\"undef\",\"state\":\"undefined\","
                  "\"count\":63,\"items\":\"0-2, 4-63\"},{\"value\":\"7\",\"state\":\"defined\","
                  "\"count\":1,\"items\":\"3\"}]}");
    assert_string_equal(step(), "step steps:20 item 3");
    assert_string_equal(value_of("out[3]"), "9");
    assert_string_equal(value_of("out[4] == 12 && out[0] == 0"), "1");
    assert_string_equal(value_of("out[128]"), "<out of bounds>");
    assert_memory_equal(value_of("max()"), "max cannot be called", 20);
    assert_string_equal(value_of("max(i, 4) << 1"), "8");
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "end :0 item 0");
    finish(&launch);
    assert_int_equal(launch.out[63], 63 + 2 * 63);
}

static void test_breakpoints_with_conditions(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "steps.cl",
                            .kernel = "steps",
                            .global = 64,
                            .local = 64,
                            .n = 9};
    begin(&launch);
    assert_answer(
        "{\"request\":\"break\",\"line\":6,\"condition\":\"v >\"}",
        "{\"ok\":false,\"error\":\"column 4 of 'v >': it ends where a value is wanted\"}");
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":5,\"condition\":\"w > 1000\"}"));
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "breakpoint twice:5 item 51");
    assert_string_equal(value_of("w"), "1020");
    cJSON_Delete(ask("{\"request\":\"delete\"}"));
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":13,\"item\":[7],\"hit\":3}"));
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "breakpoint steps:13 item 7");
    assert_string_equal(value_of("j"), "7");
    cJSON_Delete(ask("{\"request\":\"delete\"}"));
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":19,\"temporary\":true,"
                     "\"log\":\"{i} has {sum}\"}"));
    cJSON *answer = ask("{\"request\":\"continue\"}");
    assert_string_equal(json_object_text(answer, "output"), "0 has 0\n");
    assert_string_equal(describe(answer), "end :0 item 0");
    finish(&launch);
}

static void test_lanes_part_and_meet(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "steps.cl",
                            .kernel = "meet",
                            .global = 128,
                            .local = 128,
                            .shared = 512};
    begin(&launch);
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":27,\"item\":[70]}"));
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "breakpoint meet:27 item 70");
    cJSON *answer = ask("{\"request\":\"lanes\"}");
    const cJSON *vector = json_array_first(json_object_item(answer, "vectors"));
    assert_string_equal(json_object_text(vector, "signs"),
                        "||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||||");
    assert_string_equal(json_object_text(json_array_next(vector), "signs"),
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    cJSON_Delete(answer);
    assert_string_equal(value_of("tile[9..11]"), "{9, 20, 22}");
    assert_string_equal(value_of("tile[70]"), "undef");
    cJSON_Delete(ask("{\"request\":\"delete\"}"));
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"finding\"}"));
    answer = ask("{\"request\":\"continue\"}");
    const cJSON *finding = json_object_item(json_object_item(answer, "stop"), "finding");
    assert_string_equal(json_object_text(finding, "rule"), "bounds-global");
    assert_string_equal(describe(answer), "finding meet:31 item 100");
    assert_string_equal(value_of("l"), "100");
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"finding\",\"on\":false}"));
    cJSON_Delete(ask("{\"request\":\"set\",\"expression\":\"out[3] = 1 << 20\"}"));
    assert_string_equal(value_of("out[3]"), "1048576");
    assert_answer(
        "{\"request\":\"memory\",\"expression\":\"out + 2\",\"count\":8}",
        "{\"ok\":true,\"address\":\"0x8000038000000008\",\"bytes\":"
        "\"0300000000001000\",\"undefined\":\"0000000000000000\",\"readable\":8,\"size\":504}");
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "end :0 item 0");
    finish(&launch);
    assert_int_equal(launch.out[3], 1 << 20);
    assert_int_equal(launch.out[2], 3);
}

static void test_pause_of_a_kernel_without_end(void **state)
{
    struct launch launch = {
        .fixture = *state, .file = "steps.cl", .kernel = "endless", .global = 1, .local = 1};
    begin(&launch);
    say("{\"request\":\"continue\"}");
    say("{\"request\":\"position\",\"id\":7}");
    say("{\"request\":\"pause\"}");
    assert_memory_equal(describe(receive()), "pause endless:", 14);
    cJSON *answer = receive(); /* to what was asked meanwhile */
    uint64_t id = 0;
    assert_true(json_object_number(answer, "id", &id));
    assert_int_equal(id, 7);
    cJSON_Delete(answer);
    assert_string_equal(value_of("rounds > 100 && out[0] == 1"), "1");
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":40}"));
    cJSON_Delete(ask("{\"request\":\"set\",\"expression\":\"out[0] = 0\"}"));
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")),
                        "breakpoint endless:40 item 0");
    assert_string_equal(describe(ask("{\"request\":\"continue\"}")), "end :0 item 0");
    finish(&launch);
}

/* The expression that a line prints, or NULL. */
static char *printed_expression(const char *source, uint64_t line)
{
    static const char before[] = "printf(\"%d\\n\", ";
    for (uint64_t l = 1; l < line && source; l++) {
        source = strchr(source, '\n');
        source += source != NULL;
    }
    const char *end = source ? strchr(source, '\n') : NULL;
    const char *at = source ? strstr(source, before) : NULL;
    if (!at || !end || at > end)
        return NULL;
    at += strlen(before);
    return strndup(at, (size_t)(end - at) - strlen(");"));
}

/* What a printf line is going to print: "" where it calls functions, which print before it. */
static void foretell(const char *source, uint64_t line, char foretold[512])
{
    char *expression = printed_expression(source, line);
    foretold[0] = '\0';
    if (expression && !strstr(expression, "sum_of") && !strstr(expression, "scale")) {
        const char *value = value_of(expression);
        const bool truth = strcmp(value, "true") == 0;
        snprintf(foretold, 512, "%.*s\n", (int)strcspn(value, " "), /* 120 'x' */
                 truth                         ? "1"
                 : strcmp(value, "false") == 0 ? "0"
                                               : value);
    }
    free(expression);
}

static void test_values_are_those_that_are_printed(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "values.cl",
                            .kernel = "values",
                            .global = 8,
                            .local = 8,
                            .shared = 32,
                            .n = 4};
    begin(&launch);
    char *source = read_source("values.cl");
    char foretold[512] = "";
    uint32_t judged = 0;
    cJSON_Delete(ask("{\"request\":\"break\",\"line\":56,\"item\":[5]}"));
    cJSON *answer = ask("{\"request\":\"continue\"}");
    for (;;) {
        const cJSON *stop = json_object_item(answer, "stop");
        const char *output = json_object_text(answer, "output");
        uint64_t line = 0;
        if (foretold[0] != '\0')
            assert_string_equal(output ? output : "", foretold);
        judged += foretold[0] != '\0';
        const bool ended = strcmp(json_object_text(stop, "reason"), "end") == 0;
        json_object_number(json_object_item(json_object_item(stop, "focus"), "place"), "line",
                           &line);
        cJSON_Delete(answer);
        if (ended)
            break;
        foretell(source, line, foretold);
        answer = ask("{\"request\":\"step\"}");
    }
    assert_int_equal(judged, 86);
    free(source);
    finish(&launch);
}

/* No instruction of the first launch asks whether it is wanted. */
static void test_a_pause_is_seen_where_the_next_launch_begins(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "steps.cl",
                            .kernel = "steps",
                            .global = 64,
                            .local = 64,
                            .n = 2};
    struct launch next = launch;
    next.call_id = 117;
    begin(&launch);
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"launch\",\"on\":false}"));
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"end\",\"on\":false}"));
    say("{\"request\":\"continue\"}");
    say("{\"request\":\"pause\"}");
    assert_int_equal(pthread_join(runner, NULL), 0);
    enqueue(&next);
    assert_string_equal(describe(receive()), "pause steps:9 item 0");
    cJSON *answer = ask("{\"request\":\"position\"}");
    assert_string_equal(json_object_text(answer, "position"), "117:0");
    cJSON_Delete(answer);
    cJSON_Delete(ask("{\"request\":\"catch\",\"what\":\"launch\"}"));
    finish(&next);
}

/* ---- conditions ---- */

static const char *const conditions[] = {
    "j == 2 && i == 40",
    "i + 1 == 5",
    "i * j - 7 > n",
    "i / j > 3",
    "i % (j - 1) == 1",
    "(i & 6) == 4 || (i ^ j) == 33",
    "i << j == 24",
    "-i >> 1 == -9 || u >> 28 == 3",
    "c < -90",
    "c == d",
    "-c > 100",
    "(uchar)c > 250",
    "(char)u < 0 && u > 9",
    "d + 1 > 255",
    "s < 0 ? i == 60 : i == 1",
    "s * t < 0",
    "u > -1000",
    "u - i == 0u",
    "l < 0",
    "l / -1 > 30",
    "l == i",
    "m > 5",
    "m % 7 == i",
    "abs(s) > 30000 || abs(c) == 100",
    "f != f",
    "isnan(f) || isinf(v.x)",
    "!isfinite(g)",
    "f",
    "!f && i > 25",
    "f < 0.1f && f > -0.1",
    "fabs(f) > 9.5f",
    "-g > 2.5",
    "(int)f == -4",
    "(uint)g > 100u",
    "(float)i / 3 == 11.0f",
    "b",
    "b + 1 == 2 && !(i < 30)",
    "(bool)d == false",
    "v.x == v.s1",
    "v.w < f",
    "w.y * 2 == -40",
    "e == GREEN && i > 50",
    "min(i, 60) == 60",
    "max(f, 2.0f) == 2.0f && i > 10",
    "fmin(g, 1) < clamp(i, 3, 9)",
    "convert_int(g) == 5 || as_uint(f) == 0x80000000u || as_int(f) == 0",
    "~i == -61",
    "+c == -100",
    "x == -5",
    "x",
    "!x",
    "x > 0 || i == 6",
    "i == 6 || x > 0",
    "x > 0 && i < 50",
    "i < 50 && x <= 0",
    "!(x && i < 9)",
    "some",
    "!some",
    "(uint)some",
    "(uchar)some",
    "some + 0",
    "(some & 0x10) != 0",
    "as_float(some)",
    "$gid.x % 16 == 15",
    "$lid.x == i - 3",
    "$gid[0] + i == 66",
    "get_global_id(0) == 70 || get_local_id(0) == i + 1",
    "$vector == 1 && $lane == j",
    "$group.x == 0 && i == 44",
    "out[i] > 100",
    "out[i - 90] == 0",
    "out[i * 40] == 0 || i == 3",
    "*p < 0",
    "p == 0",
    "p != 0 && p > out",
    "!p",
    "tile[lane] == 1",
    "tile[x] > 0",
    "table[i & 3] == -20",
    "table[i] == 40",
    "bytes[1] == 5",
    "bytes[lane & 3]",
    "bytes[j]",
    "record[0].a == 12",
    "record[1].a",
    "record[lane & 1].b > 20",
    "record[1].list[2] == 200",
    "(record + 1)->b > 3",
    "pair.a == 60",
    "pair.b != pair.b",
    "pair.list[1] + i == 50",
    "tile[j] == -47",
    "out[i] == out[j] || out[5] == 3",
    "bytes[2] & 1",
    "i > 40 ? j == 1 : s < 0",
    "(x > 0 ? i : lane) == 2",
    "(x ? some : i) > 60",
    "(p ? *p : 7) == 7",
    "i < 30 ? x : tile[x]",
    "(f < 0 ? f : g) < -2",
    "(i < 30 ? c : d) > 5",
    "sizeof(int) == 4 && i == 9",
    "(i, i == 8)",
    "nothing == 3 && i == 5",
    "i == 5 && nothing == 3",
    "f % 2 == 1 && i == 5",
    "i == 5 || f % 2 == 1",
    "1 || nothing",
    "v.y == 3 && any(w) && i == 3",
    "i == 3 || any(w)",
};

/* Logs the lowest lane from `first` on for which the condition holds: decided for all lanes at
 * once, and, behind a comma, for each. */
static void log_lanes(size_t condition, int first)
{
    for (int one_by_one = 0; one_by_one < 2; one_by_one++) {
        char request[512];
        snprintf(request, sizeof request,
                 "{\"request\":\"break\",\"line\":45,\"condition\":\"%s$lane >= %d && (%s)\","
                 "\"log\":\"%zu from %d: {$vector} {$lane} {j}\"}",
                 one_by_one ? "0, " : "", first, conditions[condition], condition, first);
        cJSON_Delete(ask(request));
    }
}

/* Each line comes twice. */
static uint32_t count_pairs(const char *log)
{
    uint32_t pairs = 0;
    while (*log) {
        const size_t size = strcspn(log, "\n") + 1;
        if (strncmp(log, log + size, size) != 0)
            fail_msg("decided in two ways: %.*s", (int)size, log);
        log += 2 * size;
        pairs++;
    }
    return pairs;
}

static void test_conditions_are_the_same_for_all_lanes_at_once(void **state)
{
    struct launch launch = {.fixture = *state,
                            .file = "conditions.cl",
                            .kernel = "conditions",
                            .global = 96,
                            .local = 96,
                            .shared = 400,
                            .n = 4};
    begin(&launch);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        static const int firsts[] = {0, 1, 9, 29, 50};
        for (size_t k = 0; k < sizeof firsts / sizeof *firsts; k++)
            log_lanes(i, firsts[k]);
    }
    cJSON *answer = ask("{\"request\":\"continue\"}");
    assert_true(count_pairs(json_object_text(answer, "output")) > 1500);
    assert_string_equal(describe(answer), "end :0 item 0");
    finish(&launch);
}

/* ---- going back ---- */

static uint64_t position_of(cJSON *answer, uint64_t *digest)
{
    const char *text = json_object_text(answer, "position");
    const char *colon = text ? strchr(text, ':') : NULL;
    assert_non_null(colon);
    const char *hexadecimal = json_object_text(answer, "digest");
    *digest = hexadecimal ? strtoull(hexadecimal, NULL, 16) : 0;
    const uint64_t position = strtoull(colon + 1, NULL, 10);
    cJSON_Delete(answer);
    return position;
}

static void go_to(uint64_t position)
{
    char request[96];
    snprintf(request, sizeof request, "{\"request\":\"goto\",\"position\":\"%" PRIu64 "\"}",
             position);
    cJSON_Delete(ask(request));
}

static uint64_t digest_at(uint64_t position)
{
    uint64_t digest;
    go_to(position);
    assert_int_equal(position_of(ask("{\"request\":\"position\",\"digest\":true}"), &digest),
                     position);
    return digest;
}

static uint64_t random_number(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

enum { ENDS_AT = 1000000, POSITIONS = 120 };

/* What one instruction of the focus item leads to is the same as a position to go to is; false: it
 * leads elsewhere. */
static bool is_reached(const char *request, uint64_t position, uint64_t wanted)
{
    uint64_t digest;
    cJSON_Delete(ask(request));
    if (position_of(ask("{\"request\":\"position\",\"digest\":true}"), &digest) != position)
        return false;
    assert_int_equal(digest, wanted);
    return true;
}

/* Positions are first reached by running on, in the process that was started; then in any order,
 * from several checkpoints; and some from those beside them by single instructions, forward and
 * back. */
static uint64_t length_of(struct launch *launch)
{
    begin(launch);
    uint64_t digest;
    go_to(ENDS_AT);
    const uint64_t length = position_of(ask("{\"request\":\"position\"}"), &digest);
    finish(launch);
    return length;
}

static void try_positions(struct launch *launch)
{
    const uint64_t length = length_of(launch);
    begin(launch);
    uint64_t positions[POSITIONS];
    uint64_t digests[POSITIONS];
    uint64_t seed = length;
    uint32_t reached = 0;
    cJSON_Delete(ask("{\"request\":\"hello\",\"version\":1,\"stride\":400}"));
    for (size_t i = 0; i < POSITIONS; i++) {
        positions[i] = 1 + (length - 1) * i / POSITIONS;
        digests[i] = digest_at(positions[i]);
    }
    for (size_t i = 0; i < 2 * POSITIONS; i++) {
        const size_t at = random_number(&seed) % POSITIONS;
        assert_int_equal(digest_at(positions[at]), digests[at]);
        if (i % 8 != 0 || at + 1 == POSITIONS)
            continue;
        digest_at(positions[at] + 1);
        reached += is_reached("{\"request\":\"reverse-step\",\"granularity\":\"instruction\"}",
                              positions[at], digests[at]);
        digest_at(positions[at] - 1);
        reached += is_reached("{\"request\":\"step\",\"granularity\":\"instruction\"}",
                              positions[at], digests[at]);
    }
    assert_true(reached >= POSITIONS / 10);
    go_to(ENDS_AT);
    finish(launch);
}

static void test_positions_are_the_same_by_all_ways(void **state)
{
    struct launch steps = {.fixture = *state,
                           .file = "steps.cl",
                           .kernel = "steps",
                           .global = 128,
                           .local = 32,
                           .n = 9};
    struct launch meet = {.fixture = *state,
                          .file = "steps.cl",
                          .kernel = "meet",
                          .global = 128,
                          .local = 128,
                          .shared = 512};
    try_positions(&steps);
    try_positions(&meet);
}

int main(void)
{
    fixture_environment(CLERK_TEST_VENDORS, CLERK_TEST_CACHE);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_steps_and_their_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_breakpoints_with_conditions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lanes_part_and_meet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_pause_is_seen_where_the_next_launch_begins, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_pause_of_a_kernel_without_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values_are_those_that_are_printed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_conditions_are_the_same_for_all_lanes_at_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_positions_are_the_same_by_all_ways, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
