/* The command line and the clock of both programs. For each kernel one line:
 *
 *     NAME  MILLISECONDS a launch  DIGEST  MICROSECONDS of the calling thread an enqueue
 * MILLISECONDS until ready
 *
 * A batch of launches is enqueued, then one clFinish waits for them: the least of the batches
 * counts, by the wall clock, so that it is the same under a layer. What comes before them is a
 * launch of its own; *until ready* is the time to its end from the first call that concerns the
 * kernel, with building it. The digest is of all bytes of all buffers after one more launch on
 * fresh inputs, so that it does not depend on how many there were. */
#include "tests/bench/gpu/device.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    const char *kernel; /* NULL: all */
    const char *folder;
    uint32_t side;
    unsigned launches; /* in a batch */
    unsigned repeats;  /* batches */
    double seconds;    /* no batch of a kernel begins later than this */
    bool verify, digest;
};

struct timing {
    double launch_ms, enqueue_us, ready_ms;
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* ---- the digest ---- */

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        uint64_t word = 0;
        const size_t part = size < sizeof word ? size : sizeof word;
        memcpy(&word, at, part);
        digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        digest ^= digest >> 32;
        at += part;
        size -= part;
    }
    return digest;
}

static uint64_t digest_launch(const struct case_launch *launch)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    for (unsigned i = 0; i < launch->buffer_count; ++i)
        digest = digest_bytes(digest, launch->buffers[i].after, launch->buffers[i].size);
    return digest;
}

/* ---- measuring ---- */

static void measure_batch(struct device *device, struct device_kernel *kernel, unsigned launches,
                          struct timing *best)
{
    const double began = now_ms();
    for (unsigned i = 0; i < launches; ++i)
        device_kernel_enqueue(kernel);
    const double enqueued = now_ms();
    device_finish(device);
    const double launch_ms = (now_ms() - began) / launches;
    const double enqueue_us = (enqueued - began) * 1e3 / launches;
    if (best->launch_ms <= 0 || launch_ms < best->launch_ms)
        best->launch_ms = launch_ms;
    if (best->enqueue_us <= 0 || enqueue_us < best->enqueue_us)
        best->enqueue_us = enqueue_us;
}

static void measure(struct device *device, struct device_kernel *kernel,
                    const struct options *options, struct timing *timing)
{
    const double began = now_ms();
    for (unsigned i = 0; i < options->repeats; ++i) {
        if (i > 0 && now_ms() - began > options->seconds * 1e3)
            break;
        measure_batch(device, kernel, options->launches, timing);
    }
}

/* Whether the results are right, where that is asked. */
static bool run(struct device *device, size_t index, const struct options *options)
{
    struct case_launch launch;
    struct timing timing = {0};
    case_prepare(index, options->side, &launch);
    const double began = now_ms();
    struct device_kernel *kernel = device_kernel_create(device, &launch);
    device_kernel_write(kernel);
    device_kernel_enqueue(kernel);
    device_finish(device);
    timing.ready_ms = now_ms() - began;
    measure(device, kernel, options, &timing);
    bool right = true;
    uint64_t digest = 0;
    if (options->digest) {
        device_kernel_write(kernel);
        device_kernel_enqueue(kernel);
        device_finish(device);
        device_kernel_read(kernel);
        digest = digest_launch(&launch);
        right = !options->verify || case_verify(index, &launch);
    }
    device_kernel_destroy(kernel);
    printf("%-14s %10.6f %016" PRIx64 " %9.3f %9.3f\n", launch.kernel, timing.launch_ms, digest,
           timing.enqueue_us, timing.ready_ms);
    fflush(stdout);
    if (!right)
        fprintf(stderr, "gpu bench: %s gives a wrong result\n", launch.kernel);
    case_release(&launch);
    return right;
}

static int run_all(const struct options *options)
{
    struct device *device = device_open(options->folder);
    printf("# %s, size %" PRIu32 ", %u launches a batch, %u batches\n", device_describe(device),
           options->side, options->launches, options->repeats);
    fflush(stdout);
    bool right = true;
    for (size_t i = 0; i < case_count(); ++i) {
        if (!options->kernel || strcmp(options->kernel, case_name(i)) == 0)
            right = run(device, i, options) && right;
    }
    device_close(device);
    return right ? 0 : 1;
}

/* ---- the command line ---- */

static int usage(void)
{
    fprintf(
        stderr,
        "usage: gpu_bench KERNEL|all [--kernels FOLDER] [--size N] [--launches N] [--repeats N]\n"
        "                 [--seconds N] [--verify] [--no-digest]\n"
        "       gpu_bench --list\n"
        "  --kernels FOLDER  where the sources of the kernels are (OpenCL only)\n"
        "  --size N          most kernels have N x N elements; a multiple of %d (2048)\n"
        "  --launches N      in a batch (16)\n"
        "  --repeats N       batches, of which the least counts (10)\n"
        "  --seconds N       no further batch of a kernel after this time (2)\n"
        "  --verify          compare the results with those of plain C\n"
        "  --no-digest       leave out the launch whose results are read\n",
        CASE_SIDE_UNIT);
    return 2;
}

static int list(void)
{
    for (size_t i = 0; i < case_count(); ++i)
        puts(case_name(i));
    return 0;
}

static bool is_known(const char *kernel)
{
    for (size_t i = 0; i < case_count(); ++i) {
        if (strcmp(kernel, case_name(i)) == 0)
            return true;
    }
    return false;
}

/* From 1 to the maximum; 0 for anything else. */
static unsigned number(const char *text, unsigned max)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    return *end == '\0' && value <= max ? (unsigned)value : 0;
}

/* How many words it is, with its value; 0 where it is none. */
static int read_option(char **words, struct options *options)
{
    if (strcmp(words[0], "--verify") == 0)
        return options->verify = true;
    if (strcmp(words[0], "--no-digest") == 0)
        return !(options->digest = false);
    if (!words[1])
        return 0;
    if (strcmp(words[0], "--kernels") == 0)
        options->folder = words[1];
    else if (strcmp(words[0], "--size") == 0)
        options->side = number(words[1], 16384);
    else if (strcmp(words[0], "--launches") == 0)
        options->launches = number(words[1], 10000);
    else if (strcmp(words[0], "--repeats") == 0)
        options->repeats = number(words[1], 10000);
    else if (strcmp(words[0], "--seconds") == 0)
        options->seconds = number(words[1], 10000);
    else
        return 0;
    return 2;
}

int main(int argc, char **argv)
{
    struct options options = {
        .folder = ".", .side = 2048, .launches = 16, .repeats = 10, .seconds = 2, .digest = true};
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc < 2)
        return usage();
    if (strcmp(argv[1], "all") != 0) {
        options.kernel = argv[1];
        if (!is_known(options.kernel))
            return usage();
    }
    for (int i = 2; i < argc;) {
        const int words = read_option(&argv[i], &options);
        if (words == 0)
            return usage();
        i += words;
    }
    if (!options.side || options.side % CASE_SIDE_UNIT || !options.launches || !options.repeats ||
        options.seconds <= 0)
        return usage();
    return run_all(&options);
}
