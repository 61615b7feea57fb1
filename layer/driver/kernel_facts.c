#include "layer/driver/kernel_facts.h"

#include "layer/driver/driver_ask.h"
#include "layer/driver/driver_macros.h"
#include "layer/driver/spec_constants.h"
#include "trace/api/entry.h"
#include "trace/api/program_texts.h"
#include "trace/base/alloc.h"
#include "trace/base/hash.h"
#include "trace/base/pack.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct program {
    UT_hash_handle hh;
    uint64_t handle;
    struct request *compiled; /* what clLinkProgram makes programs of; or NULL */
    struct held_facts *held;  /* or NULL */
    bool is_binary;           /* made from one */
    int64_t references;       /* that the program has to it */
};

/* That a program gave out. */
struct binary {
    UT_hash_handle hh;
    struct cache_key key;
    struct held_facts *held; /* of the program; NULL: those that gave it out differ */
};

struct kernel_facts {
    pthread_mutex_t mutex;
    struct program *programs;
    struct binary *binaries;
    struct prober prober;
    struct spec_constants *constants;
};

/* ---- what a program is made of, by the driver ---- */

static void describe_device(uint64_t device, bool is_alone, struct request *request)
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
        .is_alone = is_alone,
        .macros = "",
    };
}

/* False: it is of the reference device, which tells all; or nothing can be known. */
static bool choose_device(const struct session *session, uint64_t program, uint64_t *device,
                          bool *is_alone)
{
    uint64_t devices[64];
    uint64_t platform = 0;
    size_t size = 0;
    if (!driver_ask(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, devices,
                    sizeof devices, &size) ||
        size < sizeof *devices)
        return false;
    *device = devices[0];
    *is_alone = size == sizeof *devices;
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
    bool is_alone;
    bool known = part && choose_device(session, program, &device, &is_alone);
    if (known) {
        describe_device(device, is_alone, request);
        request->wants_checked = session->probes != NULL;
        request->parts = part;
        request->part_count = 1;
        part->options = options_of(call, arena);
        part->bytes = driver_ask_bytes(arena, API_ENTRY_clGetProgramInfo, program,
                                       CL_PROGRAM_SOURCE, &part->size);
        if (part->bytes && part->size > 1) {
            part->size--; /* the NUL */
            program_text_keep(part->bytes, part->size);
        } else {
            part->is_il = true;
            part->bytes = driver_ask_bytes(arena, API_ENTRY_clGetProgramInfo, program,
                                           CL_PROGRAM_IL, &part->size);
        }
        known = part->bytes && part->options &&
                (!part->is_il ||
                 spec_constants_describe(session->kernel_facts->constants, program, arena, part));
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
    held_facts_drop(program->held);
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

/* Takes what it is given, of which all may be NULL or 0: then it has the references of before. */
static void enter(struct kernel_facts *known, const struct program *entry)
{
    const uint64_t handle = entry->handle;
    struct program lost = *entry;
    struct program *program = alloc_zero(1, sizeof *program), *before;
    if (program)
        *program = *entry;
    pthread_mutex_lock(&known->mutex);
    HASH_FIND(hh, known->programs, &handle, sizeof handle, before);
    if (program && before && program->references == 0)
        program->references = before->references;
    forget(known, handle);
    if (program)
        HASH_ADD(hh, known->programs, handle, sizeof program->handle, program);
    pthread_mutex_unlock(&known->mutex);
    if (program && program->hh.tbl)
        return;
    clear(&lost);
    alloc_free(program);
}

/* NULL when memory is out. */
static struct request *copy_request(const struct request *request)
{
    struct text packed = TEXT_INIT;
    struct request *copy = alloc_zero(1, sizeof *copy);
    request_pack(request, &packed);
    if (copy && (packed.failed || !request_unpack(packed.bytes, packed.size, copy))) {
        request_release(copy);
        alloc_free(copy);
        copy = NULL;
    }
    text_release(&packed);
    return copy;
}

/* Adds what the program was compiled of, or linked of as a library. Locked; false when that is not
 * known. */
static bool add_parts(struct kernel_facts *known, uint64_t handle, struct request *request)
{
    struct program *program;
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    const struct request *compiled = program ? program->compiled : NULL;
    const size_t count = request->part_count + (compiled ? compiled->part_count : 0);
    struct request_part *parts =
        compiled ? arena_alloc(&request->arena, count, sizeof *parts) : NULL;
    if (!parts)
        return false;
    request->device = compiled->device;
    request->wants_checked = compiled->wants_checked;
    if (request->part_count)
        memcpy(parts, request->parts, request->part_count * sizeof *parts);
    memcpy(parts + request->part_count, compiled->parts, compiled->part_count * sizeof *parts);
    request->parts = parts;
    request->part_count = count;
    return true;
}

static bool makes_library(const struct api_call *call)
{
    static const char option[] = "-create-library";
    const struct api_value *options = &call->arguments[API_clLinkProgram_options];
    return options->data && memmem(options->data, options->size, option, strlen(option));
}

/* All that the linked program is made of; nothing when a part is not known. Locked. */
static void find_out_linked(struct kernel_facts *known, const struct api_call *call,
                            struct program *linked)
{
    const struct api_value *list = &call->arguments[API_clLinkProgram_input_programs];
    const uint64_t *handles = list->kind == API_VALUE_HANDLES ? list->data : NULL;
    struct request request = {.is_linked = true};
    bool is_known = handles && list->count != 0;
    for (uint32_t i = 0; is_known && i < list->count; i++)
        is_known = add_parts(known, handles[i], &request);
    if (is_known && makes_library(call))
        linked->compiled = copy_request(&request);
    else if (is_known)
        linked->held = held_facts_find_out(&known->prober, &request);
    request_release(&request);
}

/* ---- binaries ---- */

/* Of a program of one device alone: of several, each may have been built of something else. NULL
 * when there is none of a build that succeeded. */
static const void *read_binary(const struct api_call *call, struct readable *readable, size_t *size)
{
    const uint64_t program = call->arguments[API_clGetProgramInfo_program].bits;
    const struct api_value *answer = &call->arguments[API_clGetProgramInfo_param_value];
    uint64_t device, address;
    cl_build_status status;
    size_t actual;
    if (!answer->data || answer->size != sizeof address ||
        !driver_ask(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES, size,
                    sizeof *size, &actual) ||
        actual != sizeof *size || *size == 0 ||
        !driver_ask(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, &device, sizeof device,
                    NULL) ||
        !driver_ask_of(API_ENTRY_clGetProgramBuildInfo, program, device, CL_PROGRAM_BUILD_STATUS,
                       &status, sizeof status) ||
        status != CL_BUILD_SUCCESS)
        return NULL;
    memcpy(&address, answer->data, sizeof address);
    const void *bytes = (const void *)(uintptr_t)address;
    return bytes && readable_bytes(readable, bytes, *size) ? bytes : NULL;
}

/* Locked, as those below. NULL when memory is out. */
static struct binary *add_binary(struct kernel_facts *known, struct cache_key key,
                                 struct held_facts *held)
{
    struct binary *binary = alloc_zero(1, sizeof *binary);
    if (!binary)
        return NULL;
    *binary = (struct binary){.key = key, .held = held_facts_hold(held)};
    HASH_ADD(hh, known->binaries, key, sizeof binary->key, binary);
    if (binary->hh.tbl)
        return binary;
    held_facts_drop(binary->held);
    alloc_free(binary);
    return NULL;
}

/* Is that news? */
static bool note_binary(struct kernel_facts *known, struct cache_key key, struct held_facts *held)
{
    struct binary *binary;
    HASH_FIND(hh, known->binaries, &key, sizeof key, binary);
    if (!binary)
        return add_binary(known, key, held) != NULL;
    if (!binary->held || held_facts_agree(binary->held, held))
        return false;
    held_facts_drop(binary->held);
    binary->held = NULL;
    return true;
}

static struct held_facts *find_by_binary(struct kernel_facts *known, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clCreateProgramWithBinary_binaries];
    struct binary *binary;
    uint64_t size;
    if (list->kind != API_VALUE_STRINGS || list->count != 1 || list->size < sizeof size)
        return NULL;
    memcpy(&size, list->data, sizeof size);
    const struct cache_key key =
        held_facts_binary_key(&known->prober, (const char *)list->data + sizeof size, size);
    HASH_FIND(hh, known->binaries, &key, sizeof key, binary);
    if (binary)
        return held_facts_hold(binary->held);
    struct held_facts *held = held_facts_load(key);
    if (held)
        add_binary(known, key, held);
    return held;
}

/* ---- calls ---- */

static bool is_program(struct kernel_facts *known, uint64_t handle)
{
    struct program *program;
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    return program != NULL;
}

static bool is_of_binary(struct kernel_facts *known, uint64_t handle)
{
    struct program *program;
    pthread_mutex_lock(&known->mutex);
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    const bool is_binary = program && program->is_binary;
    pthread_mutex_unlock(&known->mutex);
    return is_binary;
}

/* Held for the caller; NULL: nothing is or will be known. */
static struct held_facts *held_of(struct kernel_facts *known, uint64_t handle)
{
    struct program *program;
    pthread_mutex_lock(&known->mutex);
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    struct held_facts *held = program ? held_facts_hold(program->held) : NULL;
    pthread_mutex_unlock(&known->mutex);
    return held;
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
    const uint64_t program = call->arguments[API_clBuildProgram_program].bits;
    const bool compiles = call->entry == API_ENTRY_clCompileProgram;
    if (!names_programs(known, call))
        return;
    struct request *request = describe(session, call);
    if (!request && is_of_binary(known, program))
        return; /* it stays what it is */
    struct held_facts *held =
        request && !compiles ? held_facts_find_out(&known->prober, request) : NULL;
    if (request && !compiles) {
        request_release(request);
        alloc_free(request);
        request = NULL;
    }
    enter(known, &(struct program){.handle = program, .compiled = request, .held = held});
}
_Static_assert((int)API_clBuildProgram_program == (int)API_clCompileProgram_program,
               "both have their program in one place");

void kernel_facts_after(const struct session *session, const struct api_call *call)
{
    struct kernel_facts *known = session->kernel_facts;
    if (known && call->entry == API_ENTRY_clSetProgramSpecializationConstant)
        spec_constants_set(known->constants, call);
    const uint64_t made = call->result.kind == API_VALUE_HANDLE ? call->result.bits : 0;
    if (!known || made == 0 || api_entry_get(call->entry)->return_kind != API_OBJECT_PROGRAM)
        return;
    spec_constants_forget(known->constants, made);
    struct program program = {.handle = made,
                              .is_binary = call->entry == API_ENTRY_clCreateProgramWithBinary,
                              .references = 1};
    pthread_mutex_lock(&known->mutex);
    if (call->entry == API_ENTRY_clLinkProgram)
        find_out_linked(known, call, &program);
    else if (program.is_binary)
        program.held = find_by_binary(known, call);
    pthread_mutex_unlock(&known->mutex);
    enter(known, &program);
}

void kernel_facts_gave_binary(const struct session *session, const struct api_call *call,
                              struct readable *readable)
{
    struct kernel_facts *known = session->kernel_facts;
    const uint64_t handle = call->arguments[API_clGetProgramInfo_program].bits;
    struct held_facts *held = known ? held_of(known, handle) : NULL;
    size_t size;
    const void *bytes = held ? read_binary(call, readable, &size) : NULL;
    if (bytes) {
        const struct cache_key key = held_facts_binary_key(&known->prober, bytes, size);
        pthread_mutex_lock(&known->mutex);
        const bool is_news = note_binary(known, key, held);
        pthread_mutex_unlock(&known->mutex);
        if (is_news)
            held_facts_keep(held, key);
    }
    held_facts_drop(held);
}

/* ---- the end of programs ---- */

/* Is it known, and how many references has the program to it with these? */
static bool count_references(struct kernel_facts *known, uint64_t handle, int change,
                             int64_t *references)
{
    struct program *program;
    pthread_mutex_lock(&known->mutex);
    HASH_FIND(hh, known->programs, &handle, sizeof handle, program);
    *references = program ? program->references += change : 0;
    pthread_mutex_unlock(&known->mutex);
    return program != NULL;
}

/* Does one live to which the program has no reference? A kernel keeps it, which a driver may count
 * or not. */
static bool has_kept(struct kernel_facts *known)
{
    bool found = false;
    pthread_mutex_lock(&known->mutex);
    for (const struct program *program = known->programs; program && !found;
         program = program->hh.next)
        found = program->references <= 0;
    pthread_mutex_unlock(&known->mutex);
    return found;
}

/* The program that ends with the kernel, if the driver counts that; or 0. */
static uint64_t ends_with_kernel(struct kernel_facts *known, uint64_t kernel)
{
    uint64_t program = 0;
    int64_t references;
    return has_kept(known) &&
                   driver_is_last(API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT) &&
                   driver_ask(API_ENTRY_clGetKernelInfo, kernel, CL_KERNEL_PROGRAM, &program,
                              sizeof program, NULL) &&
                   count_references(known, program, 0, &references) && references <= 0
               ? program
               : 0;
}

void kernel_facts_count(const struct session *session, uint32_t entry, uint64_t handle)
{
    struct kernel_facts *known = session->kernel_facts;
    const int change = entry == API_ENTRY_clRetainProgram ? 1 : -1;
    uint64_t program = handle;
    int64_t references;
    if (!known)
        return;
    if (entry == API_ENTRY_clReleaseKernel)
        program = ends_with_kernel(known, handle);
    else if (!count_references(known, handle, change, &references) || references > 0)
        return;
    if (program == 0 ||
        !driver_is_last(API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT))
        return;
    spec_constants_forget(known->constants, program);
    pthread_mutex_lock(&known->mutex);
    forget(known, program);
    pthread_mutex_unlock(&known->mutex);
}

const struct fact_kernel *kernel_facts_find(const struct session *session, uint64_t program,
                                            const char *kernel, struct held_facts **held)
{
    struct kernel_facts *known = session->kernel_facts;
    *held = known ? held_of(known, program) : NULL;
    const struct facts *facts = held_facts_wait(*held);
    return facts ? facts_find(facts, kernel) : NULL;
}

struct held_facts *kernel_facts_hold(const struct session *session, uint64_t program)
{
    return session->kernel_facts ? held_of(session->kernel_facts, program) : NULL;
}

/* ---- all of it ---- */

struct kernel_facts *kernel_facts_create(void)
{
    struct kernel_facts *known = alloc_zero(1, sizeof *known);
    if (!known)
        return NULL;
    known->constants = spec_constants_create();
    if (!known->constants || !prober_init(&known->prober)) {
        spec_constants_destroy(known->constants);
        prober_release(&known->prober);
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
    for (struct program *program = known->programs; program; program = program->hh.next)
        held_facts_stop(program->held);
    pthread_mutex_unlock(&known->mutex);
}

void kernel_facts_destroy(struct kernel_facts *known)
{
    if (!known)
        return;
    while (known->programs)
        forget(known, known->programs->handle);
    while (known->binaries) {
        struct binary *binary = known->binaries;
        HASH_DEL(known->binaries, binary);
        held_facts_drop(binary->held);
        alloc_free(binary);
    }
    pthread_mutex_destroy(&known->mutex);
    spec_constants_destroy(known->constants);
    prober_release(&known->prober);
    alloc_free(known);
}
