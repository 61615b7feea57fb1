/* How long a debugger's front end waits for an answer of the past: prints a row of a Markdown table
 * for each request that goes back, from random positions of one launch: the median, the 95th
 * percentile and the longest in milliseconds. Fails where a median is above what is waited for
 * without impatience: 0.2 s where the answer is within ten million operations, 2 s anywhere.
 *
 *     bench_debugged DEBUGGED.cl [MILLIONS OF OPERATIONS [POSITIONS]]
 *
 * With `same` behind them it is not measured: the positions are reached one after the other, and
 * again in random order, and the whole state must be the same.
 */
#include "tests/bench/host.h"
#include "trace/debug/json_object.h"
#include "trace/debug/message.h"
#include "trace/debug/requests.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { POSITIONS_MAX = 1000, ITEMS = 4096 };

static int front_end;
static const char *source_path;
static cl_uint rounds;
static unsigned launches = 1;

static struct cJSON *receive(void)
{
    struct text text = TEXT_INIT;
    struct error error;
    struct cJSON *answer = NULL;
    if (message_receive(front_end, &text, &error) != STATUS_OK ||
        json_object_parse(text.bytes, text.size, &answer, &error) != STATUS_OK ||
        !json_object_flag(answer, "ok")) {
        fprintf(stderr, "bench: no answer: %s\n", text.bytes);
        exit(2);
    }
    text_release(&text);
    return answer;
}

static void say(const char *request)
{
    struct error error;
    if (message_send(front_end, request, strlen(request), &error) != STATUS_OK) {
        fprintf(stderr, "bench: %s\n", error.text);
        exit(2);
    }
}

/* Gives the position of the stop in its answer. */
static uint64_t ask(const char *request)
{
    say(request);
    struct cJSON *answer = receive();
    const char *position = json_object_text(json_object_item(answer, "stop"), "position");
    const char *colon = position ? strchr(position, ':') : NULL;
    const uint64_t at = colon ? strtoull(colon + 1, NULL, 10) : 0;
    json_object_release(answer);
    return at;
}

static uint64_t go_to(uint64_t position)
{
    char request[96];
    snprintf(request, sizeof request, "{\"request\":\"goto\",\"position\":\"%" PRIu64 "\"}",
             position);
    return ask(request);
}

static void *run(void *user)
{
    struct host host;
    cl_int status;
    static float in[ITEMS];
    const size_t global = ITEMS;
    const size_t local = 64;
    (void)user;
    host_open(&host, source_path);
    cl_kernel kernel = clCreateKernel(host.program, "debugged", &status);
    host_check(status, "clCreateKernel");
    cl_mem buffers[] = {host_buffer(&host, sizeof in, in), host_buffer(&host, sizeof in, in)};
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffers[0]);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &buffers[1]);
    clSetKernelArg(kernel, 2, sizeof rounds, &rounds);
    for (unsigned i = 0; i < launches; i++)
        host_check(
            clEnqueueNDRangeKernel(host.queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    host_check(clFinish(host.queue), "clFinish");
    clReleaseMemObject(buffers[0]);
    clReleaseMemObject(buffers[1]);
    clReleaseKernel(kernel);
    host_close(&host);
    return NULL;
}

static pthread_t begin(void)
{
    int sockets[2];
    cl_platform_id platform;
    pthread_t thread;
    debug_set_function *set_debugger = NULL;
    host_check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    *(void **)&set_debugger =
        clGetExtensionFunctionAddressForPlatform(platform, DEBUG_SET_FUNCTION);
    if (!set_debugger || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0)
        exit(2);
    host_check(set_debugger(DEBUG_VERSION, sockets[1]), DEBUG_SET_FUNCTION);
    front_end = sockets[0];
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        exit(2);
    ask("{\"request\":\"hello\",\"version\":1}");
    ask("{\"request\":\"catch\",\"what\":\"end\"}");
    ask("{\"request\":\"catch\",\"what\":\"launch\"}");
    return thread;
}

static uint64_t digest(void)
{
    say("{\"request\":\"position\",\"digest\":true}");
    struct cJSON *answer = receive();
    const char *text = json_object_text(answer, "digest");
    const uint64_t found = text ? strtoull(text, NULL, 16) : 0;
    json_object_release(answer);
    return found;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t random_position(uint64_t length)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return 1 + (seed >> 24) % (length - length / 50 - 1);
}

static bool is_late; /* one of the medians was */

/* The request from random positions; before it, `prepare`, which may be NULL. `most`: how long its
 * median may be, in ms. */
static void measure(const char *name, const char *prepare, const char *request, uint64_t length,
                    size_t count, uint64_t most)
{
    uint64_t times[POSITIONS_MAX];
    for (size_t i = 0; i < count; i++) {
        go_to(random_position(length));
        if (prepare)
            ask(prepare);
        const uint64_t before = wall_time_ns();
        ask(request);
        times[i] = wall_time_ns() - before;
    }
    qsort(times, count, sizeof *times, compare);
    const size_t middle = count / 2;
    const size_t late = count * 95 / 100;
    printf("| %s | %.1f | %.1f | %.1f |\n", name, (double)times[middle] / 1e6,
           (double)times[late] / 1e6, (double)times[count - 1] / 1e6);
    fflush(stdout);
    is_late |= times[middle] > most * 1000000;
}

/* Of a launch that begins: first on its way, then by running again. 0, or 1 where a position was
 * not the same. */
static int try_positions(uint64_t length, size_t count)
{
    uint64_t positions[POSITIONS_MAX];
    uint64_t digests[POSITIONS_MAX];
    size_t others = 0;
    for (size_t i = 0; i < count; i++)
        positions[i] = random_position(length);
    qsort(positions, count, sizeof *positions, compare);
    for (size_t i = 0; i < count; i++) {
        go_to(positions[i]);
        digests[i] = digest();
        others += i > 0 && positions[i] != positions[i - 1] && digests[i] == digests[i - 1];
    }
    for (size_t left = count; left > 0; left--) {
        const size_t i = random_position(2 * left) % left;
        const uint64_t position = go_to(positions[i]);
        const uint64_t again = digest();
        others += position != positions[i] || again != digests[i];
        positions[i] = positions[left - 1];
        digests[i] = digests[left - 1];
    }
    printf("%zu positions, reached by two ways each: %zu were not the same\n", count, others);
    return others != 0;
}

static int measure_all(uint64_t length, size_t count)
{
    enum { NEAR = 200, ANYWHERE = 2000 };
    const uint64_t most = length < 10000000 ? NEAR : ANYWHERE;
    printf("| back by | median ms | 95th percentile ms | longest ms |\n|---|---|---|---|\n");
    measure("goto, near the beginning", NULL, "{\"request\":\"goto\",\"position\":\"1000\"}",
            length, count, most);
    measure("one instruction", NULL,
            "{\"request\":\"reverse-step\",\"granularity\":\"instruction\"}", length, count, NEAR);
    measure("reverse-step", NULL, "{\"request\":\"reverse-step\"}", length, count, NEAR);
    measure("reverse-next", NULL, "{\"request\":\"reverse-next\"}", length, count, NEAR);
    ask("{\"request\":\"break\",\"function\":\"step_of\"}");
    measure("reverse-finish", "{\"request\":\"continue\"}", "{\"request\":\"reverse-finish\"}",
            length, count, NEAR);
    measure("reverse-continue", NULL, "{\"request\":\"reverse-continue\"}", length, count, NEAR);
    ask("{\"request\":\"delete\"}");
    measure("reverse-continue, nothing stops", NULL, "{\"request\":\"reverse-continue\"}", length,
            count < 10 ? count : 10, most);
    measure("who wrote what the first item writes last", NULL,
            "{\"request\":\"who\",\"argument\":1,\"offset\":0,\"size\":4,\"type\":\"float\"}",
            length, count < 10 ? count : 10, most);
    if (is_late)
        fprintf(stderr, "bench: a median is above %d ms, or %d where the answer may be anywhere\n",
                NEAR, ANYWHERE);
    return is_late;
}

int main(int argc, char **argv)
{
    const uint64_t millions = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
    const size_t wanted = argc > 3 ? strtoull(argv[3], NULL, 10) : 100;
    const size_t count = wanted < POSITIONS_MAX ? wanted : POSITIONS_MAX;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_debugged DEBUGGED.cl [MILLIONS [POSITIONS]]\n");
        return 2;
    }
    source_path = argv[1];
    rounds = (cl_uint)(millions * 1000000 / (ITEMS / 64) / 45); /* instructions of a round */
    const bool same = argc > 4 && strcmp(argv[4], "same") == 0;
    launches = same ? 2 : 1; /* of one the length is wanted */
    const pthread_t thread = begin();
    const uint64_t before = wall_time_ns();
    const uint64_t length = go_to(UINT64_MAX / 8);
    printf("\n%" PRIu64 " operations, %.1f ns each to the end\n\n", length,
           (double)(wall_time_ns() - before) / (double)length);
    for (unsigned i = 1; i < launches; i++)
        ask("{\"request\":\"continue\"}");
    const int result = same ? try_positions(length, count) : measure_all(length, count);
    ask("{\"request\":\"continue\"}"); /* to the launch's end, */
    say("{\"request\":\"continue\"}"); /* and from there */
    pthread_join(thread, NULL);
    return result;
}
