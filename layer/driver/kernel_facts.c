#include "layer/driver/kernel_facts.h"

#include "checkers/probe/macros.h"
#include "checkers/probe/request.h"
#include "layer/driver/driver_ask.h"
#include "layer/driver/driver_macros.h"
#include "trace/api/cache.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/clock.h"
#include "trace/base/file.h"
#include "trace/base/hash.h"
#include "trace/base/pack.h"
#include "trace/base/process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    WAIT_MS = 2000,         /* of a call, from the start of the build */
    PROBE_TIME_MS = 300000, /* of the process */
    ANSWER_MAX = 64 << 20,  /* bytes of facts */
    THREAD_STACK = 256 << 10
};

/* What was found, or is being. Held by the program and by the thread that waits for the process. */
struct held_facts {
    atomic_uint holds;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool done; /* under the mutex; from then on nothing changes */
    bool found;
    struct facts facts;
    uint64_t begun_ns;
    _Atomic int64_t process; /* that is looking for it; 0 = none */
    /* What the thread is given, since it does not look at the environment itself. */
    struct text request;
    struct arena arena;
    const char *const *environment;
    char *probe;  /* the program's path */
    bool is_kept; /* is to be in the cache, under the key, once it is found; under the mutex */
    struct cache_key key;
};

struct program {
    UT_hash_handle hh;
    uint64_t handle;
    struct request *compiled; /* of one part: what clLinkProgram makes programs of; or NULL */
    struct held_facts *held;  /* or NULL */
};

struct kernel_facts {
    pthread_mutex_t mutex;
    struct program *programs;
    char *probe;
    struct stat probe_file;
};

/* ---- what was found ---- */

void kernel_facts_drop(struct held_facts *held)
{
    if (!held || atomic_fetch_sub(&held->holds, 1) != 1)
        return;
    facts_release(&held->facts);
    text_release(&held->request);
    arena_release(&held->arena);
    pthread_cond_destroy(&held->changed);
    pthread_mutex_destroy(&held->mutex);
    alloc_free(held->probe);
    alloc_free(held);
}

static struct held_facts *hold(struct held_facts *held)
{
    if (held)
        atomic_fetch_add(&held->holds, 1);
    return held;
}

static struct held_facts *make_held(const char *probe)
{
    pthread_condattr_t attributes;
    struct held_facts *held = alloc_zero(1, sizeof *held);
    char *path = held ? alloc_string(probe) : NULL;
    if (!path) {
        alloc_free(held);
        return NULL;
    }
    held->holds = 1;
    held->begun_ns = clock_monotonic_ns();
    held->request = (struct text)TEXT_INIT;
    held->probe = path;
    pthread_mutex_init(&held->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&held->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return held;
}

static void finish(struct held_facts *held, bool found)
{
    pthread_mutex_lock(&held->mutex);
    held->found = found;
    held->done = true;
    pthread_cond_broadcast(&held->changed);
    pthread_mutex_unlock(&held->mutex);
}

/* Locked; by a thread of the program's, since the cache looks at the environment. */
static void store(struct held_facts *held)
{
    struct text text = TEXT_INIT;
    facts_pack(&held->facts, &text);
    if (!text.failed)
        cache_store(held->key, text.bytes, text.size);
    text_release(&text);
    held->is_kept = false;
}

static bool wait_for(struct held_facts *held)
{
    const uint64_t until_ns = held->begun_ns + (uint64_t)WAIT_MS * 1000000;
    const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
                                   .tv_nsec = (long)(until_ns % 1000000000)};
    int late = 0;
    pthread_mutex_lock(&held->mutex);
    while (!held->done && late == 0)
        late = pthread_cond_timedwait(&held->changed, &held->mutex, &until);
    const bool found = held->done && held->found;
    if (found && held->is_kept)
        store(held);
    pthread_mutex_unlock(&held->mutex);
    return found;
}

/* ---- asking the process ---- */

static bool ask_process(struct held_facts *held)
{
    const char *const arguments[] = {held->probe, NULL};
    const struct process_request request = {.arguments = arguments,
                                            .environment = held->environment,
                                            .input = held->request.bytes,
                                            .input_size = held->request.size,
                                            .output_max = ANSWER_MAX,
                                            .output_limited = true,
                                            .timeout_ms = PROBE_TIME_MS,
                                            .hidden = true,
                                            .running = &held->process};
    struct process_result result;
    if (process_own_descriptors(NULL) != STATUS_OK ||
        process_run(&request, &result, NULL) != STATUS_OK)
        return false;
    const struct text *answer = &result.standard_output;
    const bool found = facts_unpack(answer->bytes, answer->size, &held->facts);
    process_result_release(&result);
    return found;
}

static void *ask_in_background(void *user)
{
    struct held_facts *held = user;
    finish(held, ask_process(held));
    kernel_facts_drop(held);
    return NULL;
}

/* The application's signals are for its own threads. */
static bool start_thread(struct held_facts *held)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, &attributes, ask_in_background, hold(held)) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (!started)
        kernel_facts_drop(held);
    return started;
}

/* ---- the cache ---- */

static struct cache_key key_of(const struct kernel_facts *known, const struct text *request)
{
    struct text identity = TEXT_INIT;
    pack_string(&identity, "facts");
    pack_number(&identity, (uint64_t)known->probe_file.st_size);
    pack_number(&identity, (uint64_t)known->probe_file.st_mtim.tv_sec);
    pack_number(&identity, (uint64_t)known->probe_file.st_mtim.tv_nsec);
    text_append_n(&identity, request->bytes, request->size);
    const struct cache_key key = cache_digest(identity.bytes, identity.size);
    text_release(&identity);
    return key;
}

static bool load(struct held_facts *held)
{
    size_t size;
    uint8_t *bytes = cache_load(held->key, &size);
    const bool found = bytes && facts_unpack(bytes, size, &held->facts);
    alloc_free(bytes);
    if (!found)
        facts_release(&held->facts);
    return found;
}

/* NULL: nothing will be known. */
static struct held_facts *find_out(const struct kernel_facts *known, const struct request *request)
{
    struct held_facts *held = make_held(known->probe);
    if (!held)
        return NULL;
    request_pack(request, &held->request);
    held->is_kept = !macros_may_be_elsewhere(request); /* the files may change */
    held->key = key_of(known, &held->request);
    held->environment = process_environment(&held->arena, NULL);
    if (held->is_kept && load(held)) {
        held->is_kept = false;
        finish(held, true);
    } else if (held->request.failed || !held->environment || !start_thread(held)) {
        kernel_facts_drop(held);
        held = NULL;
    }
    return held;
}

/* ---- what a program is made of, by the driver ---- */

static void describe_device(uint64_t device, struct request *request)
{
    struct arena *arena = &request->arena;
    unsigned major = 0, minor = 0;
    sscanf(driver_ask_text(arena, device, CL_DEVICE_VERSION), "OpenCL %u.%u", &major, &minor);
    request->device = (struct request_device){
        .extensions = driver_ask_text(arena, device, CL_DEVICE_EXTENSIONS),
        .version = major * 100 + minor * 10,
        .address_bits = driver_ask_number(device, CL_DEVICE_ADDRESS_BITS),
        .is_embedded =
            strcmp(driver_ask_text(arena, device, CL_DEVICE_PROFILE), "EMBEDDED_PROFILE") == 0,
        .has_images = driver_ask_number(device, CL_DEVICE_IMAGE_SUPPORT) != 0,
        .is_little_endian = driver_ask_number(device, CL_DEVICE_ENDIAN_LITTLE) != 0,
        .macros = "",
    };
}

/* False: it is of the reference device, which tells all; or nothing can be known. */
static bool choose_device(const struct session *session, uint64_t program, uint64_t *device)
{
    uint64_t devices[64];
    uint64_t platform = 0;
    size_t size = 0;
    if (!driver_ask(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, devices,
                    sizeof devices, &size) ||
        size < sizeof *devices)
        return false;
    *device = devices[0];
    return driver_ask(API_ENTRY_clGetDeviceInfo, *device, CL_DEVICE_PLATFORM, &platform,
                      sizeof platform, NULL) &&
           platform != session->reference_platform;
}

static const char *options_of(const struct api_call *call, struct arena *arena)
{
    const struct api_value *options = &call->arguments[API_clBuildProgram_options];
    return options->data ? arena_string_n(arena, options->data, options->size) : "";
}
_Static_assert((int)API_clBuildProgram_options == (int)API_clCompileProgram_options,
               "both have their options in one place");

/* False when memory is out, or a header cannot be had. */
static bool add_headers(const struct api_call *call, struct arena *arena, struct request_part *part)
{
    const struct api_value *programs = &call->arguments[API_clCompileProgram_input_headers];
    const struct api_value *names = &call->arguments[API_clCompileProgram_header_include_names];
    const uint64_t *handles = programs->kind == API_VALUE_HANDLES ? programs->data : NULL;
    struct unpacker from = {.at = names->data, .left = names->data ? names->size : 0};
    if (!handles)
        return true;
    part->headers = arena_alloc(arena, programs->count, sizeof *part->headers);
    part->header_count = part->headers && names->kind == API_VALUE_STRINGS ? programs->count : 0;
    for (size_t i = 0; i < part->header_count; i++) {
        struct request_header *header = &part->headers[i];
        header->name = unpack_string(&from, arena);
        header->text = driver_ask_bytes(arena, API_ENTRY_clGetProgramInfo, handles[i],
                                        CL_PROGRAM_SOURCE, &header->size);
        if (!header->text || header->size == 0)
            return false;
        header->size--; /* the NUL */
    }
    return !from.failed && part->header_count == programs->count;
}

/* The request for the program that the call builds or compiles; NULL when nothing can be asked. */
static struct request *describe(const struct session *session, const struct api_call *call)
{
    const uint64_t program = call->arguments[API_clBuildProgram_program].bits;
    struct request *request = alloc_zero(1, sizeof *request);
    struct arena *arena = request ? &request->arena : NULL;
    struct request_part *part = request ? arena_alloc(arena, 1, sizeof *part) : NULL;
    uint64_t device;
    bool known = part && choose_device(session, program, &device);
    if (known) {
        describe_device(device, request);
        request->parts = part;
        request->part_count = 1;
        part->options = options_of(call, arena);
        part->bytes = driver_ask_bytes(arena, API_ENTRY_clGetProgramInfo, program,
                                       CL_PROGRAM_SOURCE, &part->size);
        if (part->bytes && part->size > 1) {
            part->size--; /* the NUL */
        } else {
            part->is_il = true;
            part->bytes = driver_ask_bytes(arena, API_ENTRY_clGetProgramInfo, program,
                                           CL_PROGRAM_IL, &part->size);
        }
        known = part->bytes && part->options;
    }
    if (known && call->entry == API_ENTRY_clCompileProgram)
        known = add_headers(call, arena, part);
    if (known)
        request->device.macros = driver_macros_of(program, device, request);
    if (known && request->device.macros)
        return request;
    if (request)
        request_release(request);
    alloc_free(request);
    return NULL;
}

/* ---- programs ---- */

static void clear(struct program *program)
{
    kernel_facts_drop(program->held);
    if (program->compiled)
        request_release(program->compiled);
    alloc_free(program->compiled);
    program->held = NULL;
    program->compiled = NULL;
}

/* Locked. */
static void forget(struct kernel_facts *known, uint64_t handle)
{
    struct program *program;
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    if (!program)
        return;
    HASH_DEL(known->programs, program);
    clear(program);
    alloc_free(program);
}

/* Takes both, of which either may be NULL. */
static void enter(struct kernel_facts *known, uint64_t handle, struct request *compiled,
                  struct held_facts *held)
{
    struct program *program = alloc_zero(1, sizeof *program);
    if (program)
        *program = (struct program){.handle = handle, .compiled = compiled, .held = held};
    pthread_mutex_lock(&known->mutex);
    forget(known, handle);
    if (program)
        HASH_ADD(hh, known->programs, handle, sizeof program->handle, program);
    pthread_mutex_unlock(&known->mutex);
    if (program && program->hh.tbl)
        return;
    struct program lost = {.compiled = compiled, .held = held};
    clear(&lost);
    alloc_free(program);
}

/* All that the linked program is made of; NULL when a part is not known. Locked. */
static struct held_facts *find_out_linked(struct kernel_facts *known, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clLinkProgram_input_programs];
    const uint64_t *handles = list->kind == API_VALUE_HANDLES ? list->data : NULL;
    struct request request = {.is_linked = true};
    struct held_facts *held = NULL;
    if (!handles || list->count == 0)
        return NULL;
    request.parts = arena_alloc(&request.arena, list->count, sizeof *request.parts);
    for (uint32_t i = 0; request.parts && i < list->count; i++) {
        struct program *program;
        HASH_FIND(hh, known->programs, &handles[i], sizeof *handles, program);
        if (!program || !program->compiled)
            break;
        request.device = program->compiled->device;
        request.parts[request.part_count++] = program->compiled->parts[0];
    }
    if (request.parts && request.part_count == list->count)
        held = find_out(known, &request);
    request_release(&request);
    return held;
}

static bool is_program(struct kernel_facts *known, uint64_t handle)
{
    struct program *program;
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    return program != NULL;
}

/* A driver is not asked of what was never given as a program. */
static bool names_programs(struct kernel_facts *known, const struct api_call *call)
{
    const struct api_value *headers = &call->arguments[API_clCompileProgram_input_headers];
    const uint64_t *handles =
        call->entry == API_ENTRY_clCompileProgram && headers->kind == API_VALUE_HANDLES
            ? headers->data
            : NULL;
    pthread_mutex_lock(&known->mutex);
    bool are = is_program(known, call->arguments[API_clBuildProgram_program].bits);
    for (uint32_t i = 0; handles && i < headers->count; i++)
        are &= is_program(known, handles[i]);
    pthread_mutex_unlock(&known->mutex);
    return are;
}

void kernel_facts_before(const struct session *session, const struct api_call *call)
{
    struct kernel_facts *known = session->kernel_facts;
    if (!known ||
        (call->entry != API_ENTRY_clBuildProgram && call->entry != API_ENTRY_clCompileProgram))
        return;
    const bool compiles = call->entry == API_ENTRY_clCompileProgram;
    if (!names_programs(known, call))
        return;
    struct request *request = describe(session, call);
    struct held_facts *held = request && !compiles ? find_out(known, request) : NULL;
    if (request && !compiles) {
        request_release(request);
        alloc_free(request);
        request = NULL;
    }
    enter(known, call->arguments[API_clBuildProgram_program].bits, request, held);
}
_Static_assert((int)API_clBuildProgram_program == (int)API_clCompileProgram_program,
               "both have their program in one place");

void kernel_facts_after(const struct session *session, const struct api_call *call)
{
    struct kernel_facts *known = session->kernel_facts;
    const uint64_t made = call->result.kind == API_VALUE_HANDLE ? call->result.bits : 0;
    if (!known || made == 0 || api_entry_get(call->entry)->return_kind != API_OBJECT_PROGRAM)
        return;
    pthread_mutex_lock(&known->mutex);
    struct held_facts *held =
        call->entry == API_ENTRY_clLinkProgram ? find_out_linked(known, call) : NULL;
    pthread_mutex_unlock(&known->mutex);
    enter(known, made, NULL, held);
}

const struct fact_kernel *kernel_facts_find(const struct session *session, uint64_t program,
                                            const char *kernel, struct held_facts **held)
{
    struct kernel_facts *known = session->kernel_facts;
    struct program *entry = NULL;
    *held = NULL;
    if (!known)
        return NULL;
    pthread_mutex_lock(&known->mutex);
    HASH_FIND(hh, known->programs, &program, sizeof program, entry);
    *held = entry ? hold(entry->held) : NULL;
    pthread_mutex_unlock(&known->mutex);
    return *held && wait_for(*held) ? facts_find(&(*held)->facts, kernel) : NULL;
}

/* ---- all of it ---- */

/* clerk_probe lies beside the layer's library. */
static char *find_probe(void)
{
    Dl_info library;
    if (!dladdr((const void *)(uintptr_t)kernel_facts_create, &library))
        return NULL;
    char *directory = path_directory(library.dli_fname);
    char *path = directory ? path_join(directory, "clerk_probe") : NULL;
    alloc_free(directory);
    return path;
}

struct kernel_facts *kernel_facts_create(void)
{
    struct kernel_facts *known = alloc_zero(1, sizeof *known);
    if (!known)
        return NULL;
    known->probe = find_probe();
    if (!known->probe || stat(known->probe, &known->probe_file) != 0) {
        alloc_free(known->probe);
        alloc_free(known);
        return NULL;
    }
    pthread_mutex_init(&known->mutex, NULL);
    return known;
}

void kernel_facts_stop(struct kernel_facts *known)
{
    if (!known)
        return;
    pthread_mutex_lock(&known->mutex);
    for (struct program *program = known->programs; program; program = program->hh.next) {
        const pid_t process = program->held ? (pid_t)program->held->process : 0;
        if (process > 0)
            kill(-process, SIGKILL);
    }
    pthread_mutex_unlock(&known->mutex);
}

void kernel_facts_destroy(struct kernel_facts *known)
{
    if (!known)
        return;
    while (known->programs)
        forget(known, known->programs->handle);
    pthread_mutex_destroy(&known->mutex);
    alloc_free(known->probe);
    alloc_free(known);
}
