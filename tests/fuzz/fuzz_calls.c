/* Calls random entry points with random arguments, right and wrong ones, under the layer over the
 * stub driver: released handles, handles of other kinds and of nothing, NULL, counts beyond any
 * list, strings without an end. The layer must neither crash nor hang, and no thread may wait for
 * ever.
 *
 *     fuzz_calls SEED ROUNDS SECONDS LAYER STUB|nothing [TRACE]
 *
 * Over a driver that does nothing, and so survives everything, all pointers may lead anywhere.
 *
 * A round is a process of its own, with up to four threads, which records into TRACE if that is
 * given; fuzz_calls stops after ROUNDS or SECONDS, whichever comes first. The seed of a round that
 * fails is printed, and is SEED of the first round that repeats it; threads may still take turns in
 * another way. */
#include "trace/api/entry.h"

#include <CL/cl_layer.h>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CALLS = 1000, /* of a thread */
    THREADS_MAX = 4,
    POOL = 32, /* handles of each kind that are remembered */
    SCRATCH =
        1
        << 20, /* bytes that a thread's arguments are made in; a page that cannot be read follows */
    LIST = 1 << 10,    /* bytes that an argument has at least */
    STRINGS = 1 << 10, /* of the scratch memory, for strings */
    ROUND_SECONDS = 280,
};

static const cl_icd_dispatch *layer;
static cl_platform_id platform;

/* ---- random numbers ---- */

struct fuzzer {
    uint64_t random;
    uint8_t *scratch; /* SCRATCH bytes */
    size_t used;
    uint64_t pool[API_OBJECT_KIND_COUNT][POOL];
    uint64_t memory[POOL]; /* addresses that calls returned */
};

/* The driver does nothing: then what is passed may be anything. */
static bool over_nothing;

static uint64_t random_next(struct fuzzer *fuzzer)
{
    fuzzer->random ^= fuzzer->random >> 12; /* xorshift64* */
    fuzzer->random ^= fuzzer->random << 25;
    fuzzer->random ^= fuzzer->random >> 27;
    return fuzzer->random * UINT64_C(2685821657736338717);
}

static uint64_t random_below(struct fuzzer *fuzzer, uint64_t limit)
{
    return random_next(fuzzer) % limit;
}

static bool one_in(struct fuzzer *fuzzer, uint64_t count)
{
    return random_below(fuzzer, count) == 0;
}

/* ---- arguments ---- */

static uint64_t random_number(struct fuzzer *fuzzer)
{
    switch (random_below(fuzzer, 8)) {
    case 0:
        return 0;
    case 1:
        return random_next(fuzzer) >> random_below(fuzzer, 64);
    case 2:
        return UINT64_C(1) << random_below(fuzzer, 64);
    case 3:
        return 0x1000 + random_below(fuzzer, 0x300); /* where enumerants are */
    case 4:
        return (uint64_t)-1 - random_below(fuzzer, 70);
    default:
        return random_below(fuzzer, 65);
    }
}

static uint64_t random_handle(struct fuzzer *fuzzer, unsigned kind)
{
    switch (random_below(fuzzer, 16)) {
    case 0:
        return 0;
    case 1:
        return random_next(fuzzer);
    case 2:
        kind = (unsigned)random_below(fuzzer, API_OBJECT_KIND_COUNT);
        break;
    default:
        break;
    }
    return fuzzer->pool[kind][random_below(fuzzer, POOL)];
}

/* What leads nowhere, or to the last bytes that can be read. */
static uint64_t random_wild(struct fuzzer *fuzzer)
{
    const uint64_t end = (uint64_t)(uintptr_t)fuzzer->scratch + SCRATCH;
    switch (random_below(fuzzer, 6)) {
    case 0:
        return 0;
    case 1:
        return 1 + random_below(fuzzer, 64);
    case 2:
        return UINT64_MAX - random_below(fuzzer, 64);
    case 3:
        return random_next(fuzzer);
    default:
        return end - random_below(fuzzer, 40);
    }
}

/* Memory for an argument: LIST bytes or more, at times as the last ones that can be read. */
static uint8_t *take(struct fuzzer *fuzzer)
{
    if (one_in(fuzzer, 16))
        return fuzzer->scratch + SCRATCH - LIST;
    fuzzer->used = (fuzzer->used + LIST) % (SCRATCH - STRINGS - 2 * LIST);
    return fuzzer->scratch + STRINGS + fuzzer->used;
}

static uint64_t random_words(struct fuzzer *fuzzer, uint64_t (*word)(struct fuzzer *, unsigned),
                             unsigned kind)
{
    uint8_t *bytes = take(fuzzer);
    for (size_t i = 0; i < LIST; i += sizeof(uint64_t)) {
        const uint64_t value = word(fuzzer, kind);
        memcpy(bytes + i, &value, sizeof value);
    }
    return (uint64_t)(uintptr_t)bytes;
}

static uint64_t number_word(struct fuzzer *fuzzer, unsigned kind)
{
    (void)kind;
    return one_in(fuzzer, 4) ? random_handle(fuzzer, API_OBJECT_MEM) : random_number(fuzzer);
}

static const char *const strings[] = {
    "",    "plain", "all",   "one_buffer", "clFinish",      "kernel void plain(void) {}",
    "-w ", "fixed", "other", "two_images", "clGetDeviceIDs"};
enum { STRING_COUNT = sizeof strings / sizeof *strings, STRING_SIZE = 32 };

/* In the scratch memory, too, since a length may be passed that is not theirs. */
static void put_strings(uint8_t *scratch)
{
    for (size_t i = 0; i < STRING_COUNT; ++i)
        memcpy(scratch + i * STRING_SIZE, strings[i], strlen(strings[i]) + 1);
}

static uint64_t string_word(struct fuzzer *fuzzer, unsigned kind)
{
    uint8_t *last = fuzzer->scratch + SCRATCH - LIST;
    (void)kind;
    if (over_nothing && one_in(fuzzer, 32))
        return random_wild(fuzzer);
    if (one_in(fuzzer, 16))
        return 0;
    if (one_in(fuzzer, 16)) { /* without an end */
        memset(last, 'a', LIST);
        return (uint64_t)(uintptr_t)last;
    }
    return (uint64_t)(uintptr_t)fuzzer->scratch + random_below(fuzzer, STRING_COUNT) * STRING_SIZE;
}

static void CL_CALLBACK notify(cl_event event, cl_int status, void *user)
{
    cl_int answer;
    (void)status;
    (void)user;
    layer->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof answer, &answer, NULL);
}

/* Some drivers write there: it is memory, or NULL. */
static uint64_t random_output(struct fuzzer *fuzzer)
{
    return one_in(fuzzer, 6) ? 0 : (uint64_t)(uintptr_t)take(fuzzer);
}

static bool is_pointer(const struct api_parameter *parameter)
{
    return parameter->role != API_ROLE_HANDLE && strchr(parameter->type, '*') != NULL;
}

static uint64_t random_argument(struct fuzzer *fuzzer, const struct api_parameter *parameter)
{
    if (over_nothing && is_pointer(parameter) && one_in(fuzzer, 6))
        return random_wild(fuzzer);
    if (parameter->flags & API_PARAMETER_OUT)
        return random_output(fuzzer);
    switch ((enum api_role)parameter->role) {
    case API_ROLE_HANDLE:
        return random_handle(fuzzer, parameter->kind);
    case API_ROLE_HANDLES:
    case API_ROLE_WAIT_LIST:
        return one_in(fuzzer, 3) ? 0 : random_words(fuzzer, random_handle, parameter->kind);
    case API_ROLE_STRING:
        return string_word(fuzzer, 0);
    case API_ROLE_STRINGS:
    case API_ROLE_BINARIES:
    case API_ROLE_CONFIGS: /* pointers, too */
        return one_in(fuzzer, 8) ? 0 : random_words(fuzzer, string_word, 0);
    case API_ROLE_CALLBACK:
        return one_in(fuzzer, 2) ? 0 : (uint64_t)(uintptr_t)notify;
    case API_ROLE_SCALAR:
    case API_ROLE_ENUM:
    case API_ROLE_FLAGS:
    case API_ROLE_BLOCKING:
        return random_number(fuzzer);
    case API_ROLE_ADDRESS:
        return one_in(fuzzer, 3) ? fuzzer->memory[random_below(fuzzer, POOL)]
                                 : random_output(fuzzer);
    case API_ROLE_IN_MEMORY: /* of any size: what follows can be read, or is the end of it all */
    case API_ROLE_OUT_MEMORY:
    case API_ROLE_HOST_MEMORY:
        return random_output(fuzzer);
    default: /* lists, values and properties, which the layer reads and the stub does not */
        if (one_in(fuzzer, 16)) /* what cannot be read */
            return (uint64_t)(uintptr_t)fuzzer->scratch + SCRATCH + random_below(fuzzer, 64);
        return one_in(fuzzer, 4) ? 0 : random_words(fuzzer, number_word, 0);
    }
}

/* A driver may trust the lengths of what is not checked: lists are at most as long as their memory.
 */
static void bound_counts(struct fuzzer *fuzzer, const struct api_entry_info *info, uint64_t *words)
{
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        const bool in_list = parameter->role == API_ROLE_WAIT_LIST;
        if (in_list && words[i] != 0 && words[parameter->count_index] > LIST / sizeof(uint64_t))
            words[parameter->count_index] = random_below(fuzzer, 5);
    }
}

/* ---- calls ---- */

static void remember(struct fuzzer *fuzzer, unsigned kind, uint64_t handle)
{
    if (handle != 0)
        fuzzer->pool[kind][random_below(fuzzer, POOL)] = handle;
}

static void remember_results(struct fuzzer *fuzzer, const struct api_entry_info *info,
                             const uint64_t *words, uint64_t result)
{
    if (info->return_role == API_ROLE_HANDLE)
        remember(fuzzer, info->return_kind, result);
    if (info->return_role == API_ROLE_POINTER && result != 0)
        fuzzer->memory[random_below(fuzzer, POOL)] = result;
    for (uint32_t i = 0; i < info->parameter_count && result == CL_SUCCESS && !over_nothing; ++i) {
        const enum api_role role = (enum api_role)info->parameters[i].role;
        uint64_t handle;
        if (words[i] == 0 || (role != API_ROLE_OUT_EVENT && role != API_ROLE_OUT_HANDLES))
            continue;
        memcpy(&handle, (const void *)(uintptr_t)words[i], sizeof handle);
        remember(fuzzer, info->parameters[i].kind, handle);
    }
}

static api_function *target_of(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    if (info->flags & API_ENTRY_EXTENSION)
        return (api_function *)layer->clGetExtensionFunctionAddressForPlatform(platform,
                                                                               info->name);
    return api_dispatch_function(layer, API_SLOT_COUNT, entry);
}

/* Those that take a name read it without a look, as drivers do: they are called by target_of. */
static bool trusts_name(uint32_t entry)
{
    return entry == API_ENTRY_clGetExtensionFunctionAddress ||
           entry == API_ENTRY_clGetExtensionFunctionAddressForPlatform;
}

static void call_one(struct fuzzer *fuzzer, uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    uint64_t words[API_ARGUMENT_MAX] = {0};
    api_function *target = trusts_name(entry) && !over_nothing ? NULL : target_of(entry);
    if (!target)
        return;
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const bool is_outlet = (info->parameters[i].flags & API_PARAMETER_OUT) != 0;
        words[i] = random_argument(fuzzer, &info->parameters[i]);
        if (is_outlet && words[i] != 0 && !over_nothing)
            memset((void *)(uintptr_t)words[i], 0, sizeof(uint64_t));
    }
    bound_counts(fuzzer, info, words);
    const uint64_t result = api_perform(entry, target, words);
    /* A function is memory of the fuzzer's own, between whose objects a sanitizer lets nobody read.
     */
    if (!trusts_name(entry))
        remember_results(fuzzer, info, words, result);
}

/* Objects to begin with; otherwise hardly a call would get beyond its first argument. */
static void make_objects(struct fuzzer *fuzzer)
{
    cl_device_id device = NULL;
    cl_int error;
    const char *source = "kernel void plain(void) {}";
    layer->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = layer->clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_program program = layer->clCreateProgramWithSource(context, 1, &source, NULL, &error);
    layer->clBuildProgram(program, 0, NULL, "", NULL, NULL);
    for (int i = 0; i < POOL; ++i) {
        static const char *const kernels[] = {"plain", "all", "one_buffer", "two_images"};
        fuzzer->pool[API_OBJECT_PLATFORM][i] = (uint64_t)(uintptr_t)platform;
        fuzzer->pool[API_OBJECT_DEVICE][i] = (uint64_t)(uintptr_t)device;
        fuzzer->pool[API_OBJECT_CONTEXT][i] = (uint64_t)(uintptr_t)context;
        fuzzer->pool[API_OBJECT_PROGRAM][i] = (uint64_t)(uintptr_t)program;
        fuzzer->pool[API_OBJECT_QUEUE][i] =
            (uint64_t)(uintptr_t)layer->clCreateCommandQueue(context, device, 0, &error);
        fuzzer->pool[API_OBJECT_MEM][i] = (uint64_t)(uintptr_t)layer->clCreateBuffer(
            context, CL_MEM_READ_WRITE, 64, NULL, &error);
        fuzzer->pool[API_OBJECT_KERNEL][i] =
            (uint64_t)(uintptr_t)layer->clCreateKernel(program, kernels[i % 4], &error);
        fuzzer->pool[API_OBJECT_EVENT][i] =
            (uint64_t)(uintptr_t)layer->clCreateUserEvent(context, &error);
        fuzzer->pool[API_OBJECT_SAMPLER][i] = (uint64_t)(uintptr_t)layer->clCreateSampler(
            context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
    }
}

static uint8_t *make_scratch(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory =
        mmap(NULL, SCRATCH + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + SCRATCH, page, PROT_NONE) != 0)
        abort();
    put_strings(memory);
    return memory;
}

static void *run_thread(void *user)
{
    struct fuzzer *fuzzer = user;
    for (int i = 0; i < CALLS; ++i)
        call_one(fuzzer, (uint32_t)(1 + random_below(fuzzer, API_ENTRY_COUNT - 1)));
    return NULL;
}

/* ---- the driver that does nothing ---- */

/* Looks at no argument. What it returns are handles in turn, each some times, or no error. */
static void *CL_API_CALL give_object(void)
{
    static _Atomic uint64_t calls;
    return (void *)(uintptr_t)(0x100000 + calls++ / 3 % 512 * 64);
}

static cl_int CL_API_CALL give_status(void)
{
    return CL_SUCCESS;
}

static void *CL_API_CALL give_no_memory(void)
{
    return NULL;
}

static void *CL_API_CALL give_function(cl_platform_id asked, const char *name)
{
    (void)asked;
    (void)name;
    return (void *)give_status;
}

static const cl_icd_dispatch *nothing(void)
{
    static api_function *slots[API_SLOT_COUNT];
    for (uint32_t i = 0; i < API_SLOT_COUNT; ++i) {
        const struct api_entry_info *info = api_entry_get(i + 1);
        slots[i] = info->return_role == API_ROLE_HANDLE    ? (api_function *)give_object
                   : info->return_role == API_ROLE_POINTER ? (api_function *)give_no_memory
                                                           : (api_function *)give_status;
    }
    slots[API_ENTRY_clGetExtensionFunctionAddressForPlatform - 1] = (api_function *)give_function;
    return (const cl_icd_dispatch *)slots;
}

/* ---- rounds ---- */

static const cl_icd_dispatch *load_stub(const char *path)
{
    void *stub = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const clIcdGetPlatformIDsKHR_fn platforms =
        stub ? (clIcdGetPlatformIDsKHR_fn)dlsym(stub, "clIcdGetPlatformIDsKHR") : NULL;
    const cl_icd_dispatch *target;
    if (!platforms || platforms(1, &platform, NULL) != CL_SUCCESS) {
        fprintf(stderr, "fuzz_calls: %s is not a driver\n", path);
        exit(2);
    }
    memcpy(&target, platform, sizeof target); /* an ICD's objects begin with it */
    return target;
}

static void load(const char *layer_path, const char *stub_path)
{
    void *library = dlopen(layer_path, RTLD_NOW | RTLD_LOCAL);
    const pfn_clInitLayer init = library ? (pfn_clInitLayer)dlsym(library, "clInitLayer") : NULL;
    const cl_icd_dispatch *target = over_nothing ? nothing() : load_stub(stub_path);
    cl_uint count;
    if (!init) {
        fprintf(stderr, "fuzz_calls: %s is not a layer\n", layer_path);
        exit(2);
    }
    if (init(API_SLOT_COUNT - 1, target, &count, &layer) != CL_SUCCESS)
        exit(2);
}

static void run_round(uint64_t seed, const char *layer_path, const char *stub_path)
{
    static struct fuzzer fuzzers[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    const size_t count = seed % THREADS_MAX + 1;
    alarm(ROUND_SECONDS);
    load(layer_path, stub_path);
    for (size_t i = 0; i < count; ++i) {
        fuzzers[i].random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + i;
        fuzzers[i].scratch = make_scratch();
    }
    make_objects(&fuzzers[0]);
    for (size_t i = 1; i < count; ++i)
        memcpy(fuzzers[i].pool, fuzzers[0].pool, sizeof fuzzers[0].pool);
    for (size_t i = 1; i < count; ++i)
        if (pthread_create(&threads[i], NULL, run_thread, &fuzzers[i]) != 0)
            abort();
    run_thread(&fuzzers[0]);
    for (size_t i = 1; i < count; ++i)
        pthread_join(threads[i], NULL);
    exit(0);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: fuzz_calls SEED ROUNDS SECONDS LAYER STUB|nothing [TRACE]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 0);
    const uint64_t rounds = strtoull(argv[2], NULL, 0);
    const double end = now() + strtod(argv[3], NULL);
    over_nothing = strcmp(argv[5], "nothing") == 0;
    setenv("CLERK_CHECKS", "all", 1);
    unsetenv("CLERK_TRACE");
    char findings[] = "/tmp/clerk-fuzz-XXXXXX";
    const int descriptor = mkstemp(findings);
    struct stat facts;
    if (descriptor < 0)
        return 2;
    setenv("CLERK_FINDINGS", findings, 1);
    uint64_t round = 0, findings_size = 0;
    for (; round < rounds && now() < end; ++round) {
        const uint64_t seed = first + round;
        int status;
        if (argc == 7 && seed % 2 == 1)
            setenv("CLERK_TRACE", argv[6], 1);
        else
            unsetenv("CLERK_TRACE");
        if (argc == 7)
            remove(argv[6]);
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0)
            run_round(seed, argv[4], argv[5]);
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 2;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "fuzz_calls: the round of seed %llu ended with %s %d\n",
                    (unsigned long long)seed, WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            unlink(findings);
            return 1;
        }
        if (fstat(descriptor, &facts) != 0 || ftruncate(descriptor, 0) != 0)
            return 2;
        findings_size += (uint64_t)facts.st_size;
    }
    unlink(findings);
    if (findings_size == 0) {
        fprintf(stderr, "fuzz_calls: nothing was found in %llu rounds: did anybody look?\n",
                (unsigned long long)round);
        return 1;
    }
    printf("fuzz_calls: %llu rounds\n", (unsigned long long)round);
    return 0;
}
