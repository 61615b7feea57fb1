#include "layer/driver/kernel_facts.h"

#include "layer/driver/driver_ask.h"
#include "layer/driver/driver_macros.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/hash.h"
#include "trace/base/pack.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct program {
    UT_hash_handle hh;
    uint64_t handle;
    struct request *compiled; /* of one part: what clLinkProgram makes programs of; or NULL */
    struct held_facts *held;  /* or NULL */
};

struct kernel_facts {
    pthread_mutex_t mutex;
    struct program *programs;
    struct prober prober;
};

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
        held = held_facts_find_out(&known->prober, &request);
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
    struct held_facts *held =
        request && !compiles ? held_facts_find_out(&known->prober, request) : NULL;
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
    *held = entry ? held_facts_hold(entry->held) : NULL;
    pthread_mutex_unlock(&known->mutex);
    const struct facts *facts = held_facts_wait(*held);
    return facts ? facts_find(facts, kernel) : NULL;
}

/* ---- all of it ---- */

struct kernel_facts *kernel_facts_create(void)
{
    struct kernel_facts *known = alloc_zero(1, sizeof *known);
    if (!known)
        return NULL;
    if (!prober_init(&known->prober)) {
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
    pthread_mutex_destroy(&known->mutex);
    prober_release(&known->prober);
    alloc_free(known);
}
