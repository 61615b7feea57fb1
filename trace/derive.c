/* What happened to OpenCL's objects, told from the calls.
 *
 * Calls are taken in the order in which they took effect (trace/call_order.h). So handles that are
 * used again never get confused, and the tables are a function of the calls, not of who stored them
 * in which order. */
#include "trace/recover.h"

#include "trace/api/entry.h"
#include "trace/api/enumerant.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/call_order.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "trace/base/hash.h"

struct object_key {
    uint64_t handle;
    uint64_t kind; /* enum api_object_kind */
};

/* One that is alive. Its row is written when it is released, or at the end. */
struct object {
    struct object_key key;
    int64_t id;
    int64_t parent;  /* 0 = none */
    int64_t program; /* of a kernel; 0 = not known */
    uint64_t created_call;
    uint64_t reference_count;
    uint64_t launch; /* of an event: the call */
    bool is_found;   /* a platform or root device, which the program does not create */
    char name[32];
    char *label;
    UT_hash_handle hh;
};

/* How many there were of what is called so: "buffer#3" is the third. */
struct noun_count {
    const char *noun; /* as api_object_noun has it */
    uint64_t count;
};
enum { NOUN_MAX = API_OBJECT_KIND_COUNT + 2 }; /* images and pipes are memory objects as well */

enum statement {
    INSERT_OBJECT,
    INSERT_PROGRAM,
    UPDATE_BUILD,
    UPDATE_LOG,
    INSERT_KERNEL,
    UPDATE_KERNEL,
    INSERT_LAUNCH,
    UPDATE_QUEUED,
    UPDATE_SUBMIT,
    UPDATE_START,
    UPDATE_END,
    UPDATE_COMPLETE,
    STATEMENT_COUNT
};

#define UPDATE_TIME(column) "UPDATE launch SET " column " = ?2 WHERE call = ?1"
static const char *const statement_sql[STATEMENT_COUNT] = {
    [INSERT_OBJECT] = "INSERT INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    [INSERT_PROGRAM] = "INSERT INTO program (id, origin, source, il) VALUES (?, ?, ?, ?)",
    [UPDATE_BUILD] = "UPDATE program SET build_call = ?2, options = ?3,"
                     " build_result = (SELECT result FROM call WHERE id = ?2) WHERE id = ?1",
    [UPDATE_LOG] = "UPDATE program SET log = ?2 WHERE id = ?1",
    [INSERT_KERNEL] = "INSERT INTO kernel VALUES (?, ?, ?)",
    [UPDATE_KERNEL] = "UPDATE kernel SET name = ?2 WHERE id = ?1 AND name IS NULL",
    [INSERT_LAUNCH] = "INSERT INTO launch (call, kernel, kernel_name, queue, work_dim,"
                      " global_offset, global_size, local_size, event)"
                      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    [UPDATE_QUEUED] = UPDATE_TIME("queued_ns"),
    [UPDATE_SUBMIT] = UPDATE_TIME("submit_ns"),
    [UPDATE_START] = UPDATE_TIME("start_ns"),
    [UPDATE_END] = UPDATE_TIME("end_ns"),
    [UPDATE_COMPLETE] = UPDATE_TIME("complete_ns"),
};

struct derivation {
    struct store *store;
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    struct object *objects; /* alive, by key */
    int64_t object_count;
    struct noun_count nouns[NOUN_MAX];
    struct arena arena; /* of the call at hand */
    struct error *error;
    enum status status; /* the first failure */
};

/* ---- statements ---- */

static void fail(struct derivation *derivation, enum status status)
{
    if (!derivation->status)
        derivation->status = status;
}

static void fail_memory(struct derivation *derivation)
{
    if (!derivation->status)
        derivation->status = error_no_memory(derivation->error, sizeof(struct object));
}

static void fail_database(struct derivation *derivation)
{
    if (!derivation->status)
        derivation->status =
            store_failure(derivation->database, store_path(derivation->store), derivation->error);
}

static void run(struct derivation *derivation, enum statement index)
{
    sqlite3_stmt *statement = derivation->statements[index];
    if (sqlite3_step(statement) != SQLITE_DONE)
        fail_database(derivation);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
}

static void bind_id(sqlite3_stmt *statement, int index, int64_t id)
{
    if (id)
        sqlite3_bind_int64(statement, index, id);
}

static void bind_string(sqlite3_stmt *statement, int index, const char *string)
{
    if (string)
        sqlite3_bind_text(statement, index, string, -1, SQLITE_TRANSIENT);
}

/* ---- what a call says ---- */

/* The index of a parameter's value, or NULL when the call (whose arguments come from a file) has
 * none of that kind there. */
static const struct api_value *value_get(const struct api_call *call, uint32_t index,
                                         enum api_value_kind kind)
{
    if (index >= call->argument_count || index >= API_ARGUMENT_MAX)
        return NULL;
    const struct api_value *value = &call->arguments[index];
    return value->kind == kind ? value : NULL;
}

static bool element_get(const struct api_value *list, uint32_t index, uint64_t *element)
{
    if (!list->data || (uint64_t)index * 8 + 8 > list->size)
        return false;
    memcpy(element, (const unsigned char *)list->data + (size_t)index * 8, 8);
    return true;
}

static bool list_get(const struct api_value *list, uint32_t index, uint64_t *element)
{
    return index < list->count && element_get(list, index, element);
}

/* A string of the call, ended with NUL in the arena; NULL when there is none. */
static const char *string_get(struct derivation *derivation, const struct api_call *call,
                              uint32_t index, enum api_value_kind kind)
{
    const struct api_value *value = value_get(call, index, kind);
    if (!value || !value->data)
        return NULL;
    const size_t size = strnlen(value->data, value->size);
    char *string = arena_string_n(&derivation->arena, value->data, size);
    if (!string)
        fail_memory(derivation);
    return string;
}

/* Every query has param_name, param_value_size, param_value side by side: where the answer is. */
static uint32_t answer_index(const struct api_call *call)
{
    return api_entry_find_role(api_entry_get(call->entry), API_ROLE_INFO_VALUE);
}

static const struct api_value *query_get(const struct api_call *call)
{
    return value_get(call, answer_index(call) - 2, API_VALUE_SCALAR);
}

/* The string that answers this query; NULL when the call asks for something else. */
static const char *answer_string(struct derivation *derivation, const struct api_call *call,
                                 uint64_t wanted)
{
    const struct api_value *query = query_get(call);
    return query && query->bits == wanted
               ? string_get(derivation, call, answer_index(call), API_VALUE_BYTES)
               : NULL;
}

/* ---- objects ---- */

static struct object *object_find(struct derivation *derivation, enum api_object_kind kind,
                                  uint64_t handle)
{
    const struct object_key key = {.handle = handle, .kind = kind};
    struct object *object;
    HASH_FIND(hh, derivation->objects, &key, sizeof key, object);
    return object;
}

static struct object *argument_object(struct derivation *derivation, const struct api_call *call,
                                      uint32_t index)
{
    const struct api_value *value = value_get(call, index, API_VALUE_HANDLE);
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!value || index >= info->parameter_count)
        return NULL;
    return object_find(derivation, (enum api_object_kind)info->parameters[index].kind, value->bits);
}

static uint64_t next_number(struct derivation *derivation, const char *noun)
{
    struct noun_count *item = derivation->nouns;
    while (item->noun && item->noun != noun)
        ++item;
    ASSERT(item < derivation->nouns + NOUN_MAX);
    item->noun = noun;
    return ++item->count;
}

static void object_write(struct derivation *derivation, struct object *object,
                         uint64_t released_call)
{
    sqlite3_stmt *statement = derivation->statements[INSERT_OBJECT];
    sqlite3_bind_int64(statement, 1, object->id);
    bind_string(statement, 2, api_object_kind_name((enum api_object_kind)object->key.kind));
    bind_string(statement, 3, object->name);
    bind_string(statement, 4, object->label);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)object->key.handle);
    bind_id(statement, 6, object->parent);
    bind_id(statement, 7, (int64_t)object->created_call);
    bind_id(statement, 8, (int64_t)released_call);
    run(derivation, INSERT_OBJECT);
}

static void object_end(struct derivation *derivation, struct object *object, uint64_t released_call)
{
    object_write(derivation, object, released_call);
    HASH_DEL(derivation->objects, object);
    alloc_free(object->label);
    alloc_free(object);
}

static struct object *object_create(struct derivation *derivation, const struct api_call *call,
                                    enum api_object_kind kind, uint64_t handle)
{
    const char *noun = api_object_noun(kind, call->entry);
    struct object *before = object_find(derivation, kind, handle);
    /* Its release was not recorded: by the driver's word it is another object now. */
    if (before)
        object_end(derivation, before, 0);
    struct object *object = alloc_zero(1, sizeof *object);
    if (!object) {
        fail_memory(derivation);
        return NULL;
    }
    object->key = (struct object_key){.handle = handle, .kind = kind};
    object->id = ++derivation->object_count;
    object->created_call = call->id;
    object->reference_count = 1;
    struct object *parent = argument_object(derivation, call, 0);
    object->parent = parent ? parent->id : 0;
    sqlite3_snprintf(sizeof object->name, object->name, "%s#%llu", noun,
                     (unsigned long long)next_number(derivation, noun));
    HASH_ADD(hh, derivation->objects, key, sizeof object->key, object);
    if (!object->hh.tbl) {
        fail_memory(derivation);
        alloc_free(object);
        return NULL;
    }
    return object;
}

static void object_set_label(struct derivation *derivation, struct object *object,
                             const char *label)
{
    if (!object || !label)
        return;
    char *copy = alloc_string(label);
    if (!copy) {
        fail_memory(derivation);
        return;
    }
    alloc_free(object->label);
    object->label = copy;
}

/* ---- calls ---- */

static void derive_program(struct derivation *derivation, const struct api_call *call,
                           const struct object *program)
{
    sqlite3_stmt *statement = derivation->statements[INSERT_PROGRAM];
    const char *origin = "other";
    struct text source = TEXT_INIT;
    sqlite3_bind_int64(statement, 1, program->id);
    const struct api_value *value;
    switch (call->entry) {
    case API_ENTRY_clCreateProgramWithSource:
        origin = "source";
        value = value_get(call, API_clCreateProgramWithSource_strings, API_VALUE_STRINGS);
        if (!value || !value->data)
            break;
        for (uint64_t at = 0; value->size - at >= 8;) {
            uint64_t size;
            memcpy(&size, (const unsigned char *)value->data + at, 8);
            at += 8;
            if (size > value->size - at)
                break;
            text_append_n(&source, (const unsigned char *)value->data + at, size);
            at += size;
        }
        sqlite3_bind_text64(statement, 3, source.bytes, source.size, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case API_ENTRY_clCreateProgramWithIL:
        origin = "il";
        value = value_get(call, API_clCreateProgramWithIL_il, API_VALUE_BYTES);
        if (value && value->data)
            sqlite3_bind_blob64(statement, 4, value->data, value->size, SQLITE_TRANSIENT);
        break;
    case API_ENTRY_clCreateProgramWithBinary:
        origin = "binary";
        break;
    case API_ENTRY_clCreateProgramWithBuiltInKernels:
        origin = "built-in kernels";
        break;
    case API_ENTRY_clLinkProgram:
        origin = "linked";
        break;
    default:
        break;
    }
    bind_string(statement, 2, origin);
    if (source.failed)
        fail_memory(derivation);
    run(derivation, INSERT_PROGRAM);
    text_release(&source);
}

static void derive_kernel(struct derivation *derivation, const struct api_call *call,
                          struct object *kernel)
{
    sqlite3_stmt *statement = derivation->statements[INSERT_KERNEL];
    const char *name = NULL;
    if (call->entry == API_ENTRY_clCreateKernel)
        name = string_get(derivation, call, API_clCreateKernel_kernel_name, API_VALUE_STRING);
    object_set_label(derivation, kernel, name);
    sqlite3_bind_int64(statement, 1, kernel->id);
    /* A clone is of its source's program. */
    const struct object *from = argument_object(derivation, call, 0);
    if (from)
        kernel->program = from->key.kind == API_OBJECT_PROGRAM ? from->id : from->program;
    bind_id(statement, 2, kernel->program);
    bind_string(statement, 3, name);
    run(derivation, INSERT_KERNEL);
}

static void label_memory(struct derivation *derivation, const struct api_call *call,
                         struct object *memory)
{
    const uint32_t index = api_entry_find_parameter(api_entry_get(call->entry), "size");
    const struct api_value *size = value_get(call, index, API_VALUE_SCALAR);
    if (!size)
        return;
    char label[48];
    sqlite3_snprintf(sizeof label, label, "%llu bytes", (unsigned long long)size->bits);
    object_set_label(derivation, memory, label);
}

static void derive_object(struct derivation *derivation, const struct api_call *call,
                          enum api_object_kind kind, uint64_t handle)
{
    if (!handle)
        return;
    /* Platforms and root devices are found again and again rather than created. */
    const bool is_found = api_entry_lists(call->entry, kind);
    if (is_found && object_find(derivation, kind, handle))
        return;
    struct object *object = object_create(derivation, call, kind, handle);
    if (!object)
        return;
    object->is_found = is_found;
    if (kind == API_OBJECT_PROGRAM)
        derive_program(derivation, call, object);
    else if (kind == API_OBJECT_KERNEL)
        derive_kernel(derivation, call, object);
    else if (kind == API_OBJECT_MEM)
        label_memory(derivation, call, object);
}

/* "1024,16", "1024": NULL when the application passed none. */
static const char *sizes_get(struct derivation *derivation, const struct api_call *call,
                             uint32_t index)
{
    const struct api_value *sizes = value_get(call, index, API_VALUE_SIZES);
    uint64_t element;
    if (!sizes || !list_get(sizes, 0, &element))
        return NULL;
    struct text text = TEXT_INIT;
    for (uint32_t i = 0; i < 3 && list_get(sizes, i, &element); ++i)
        text_format(&text, "%s%" PRIu64, i ? "," : "", element);
    const char *string = text.failed ? NULL : arena_string(&derivation->arena, text.bytes);
    text_release(&text);
    if (!string)
        fail_memory(derivation);
    return string;
}

static void derive_launch(struct derivation *derivation, const struct api_call *call,
                          struct object *queue)
{
    sqlite3_stmt *statement = derivation->statements[INSERT_LAUNCH];
    const bool is_task = call->entry == API_ENTRY_clEnqueueTask;
    const uint32_t event_index =
        api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    const struct object *kernel = argument_object(derivation, call, 1);
    const struct api_value *events = value_get(call, event_index, API_VALUE_HANDLES);
    uint64_t handle;
    struct object *event = NULL;
    if (events && list_get(events, 0, &handle))
        event = object_find(derivation, API_OBJECT_EVENT, handle);
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)call->id);
    if (kernel) {
        sqlite3_bind_int64(statement, 2, kernel->id);
        bind_string(statement, 3, kernel->label ? kernel->label : kernel->name);
    }
    bind_id(statement, 4, queue ? queue->id : 0);
    if (is_task) {
        sqlite3_bind_int64(statement, 5, 1);
        bind_string(statement, 7, "1");
        bind_string(statement, 8, "1");
    } else {
        const struct api_value *work_dim =
            value_get(call, API_clEnqueueNDRangeKernel_work_dim, API_VALUE_SCALAR);
        if (work_dim)
            sqlite3_bind_int64(statement, 5, (sqlite3_int64)work_dim->bits);
        bind_string(statement, 6,
                    sizes_get(derivation, call, API_clEnqueueNDRangeKernel_global_work_offset));
        bind_string(statement, 7,
                    sizes_get(derivation, call, API_clEnqueueNDRangeKernel_global_work_size));
        bind_string(statement, 8,
                    sizes_get(derivation, call, API_clEnqueueNDRangeKernel_local_work_size));
    }
    if (event) {
        sqlite3_bind_int64(statement, 9, event->id);
        event->launch = call->id;
    }
    run(derivation, INSERT_LAUNCH);
}

static void derive_build(struct derivation *derivation, const struct api_call *call,
                         struct object *program)
{
    const uint32_t options = api_entry_find_parameter(api_entry_get(call->entry), "options");
    if (!program)
        return;
    sqlite3_stmt *statement = derivation->statements[UPDATE_BUILD];
    sqlite3_bind_int64(statement, 1, program->id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)call->id);
    bind_string(statement, 3, string_get(derivation, call, options, API_VALUE_STRING));
    run(derivation, UPDATE_BUILD);
}

/* The program is what the call returns. */
static void derive_link(struct derivation *derivation, const struct api_call *call,
                        struct object *context)
{
    (void)context;
    if (call->result.kind == API_VALUE_HANDLE)
        derive_build(derivation, call,
                     object_find(derivation, API_OBJECT_PROGRAM, call->result.bits));
}

static void update_text(struct derivation *derivation, enum statement index,
                        const struct object *object, const char *string)
{
    if (!object || !string || !*string)
        return;
    sqlite3_stmt *statement = derivation->statements[index];
    sqlite3_bind_int64(statement, 1, object->id);
    bind_string(statement, 2, string);
    run(derivation, index);
}

static void derive_log(struct derivation *derivation, const struct api_call *call,
                       struct object *program)
{
    update_text(derivation, UPDATE_LOG, program,
                answer_string(derivation, call, CL_PROGRAM_BUILD_LOG));
}

static void derive_kernel_name(struct derivation *derivation, const struct api_call *call,
                               struct object *kernel)
{
    const char *name = kernel ? answer_string(derivation, call, CL_KERNEL_FUNCTION_NAME) : NULL;
    if (kernel && !kernel->label)
        object_set_label(derivation, kernel, name);
    update_text(derivation, UPDATE_KERNEL, kernel, name);
}

static void derive_profile(struct derivation *derivation, const struct api_call *call,
                           struct object *event)
{
    static const struct {
        cl_profiling_info name;
        enum statement update;
    } times[] = {{CL_PROFILING_COMMAND_QUEUED, UPDATE_QUEUED},
                 {CL_PROFILING_COMMAND_SUBMIT, UPDATE_SUBMIT},
                 {CL_PROFILING_COMMAND_START, UPDATE_START},
                 {CL_PROFILING_COMMAND_END, UPDATE_END},
                 {CL_PROFILING_COMMAND_COMPLETE, UPDATE_COMPLETE}};
    const struct api_value *query = query_get(call);
    const struct api_value *answer = value_get(call, answer_index(call), API_VALUE_BYTES);
    uint64_t time;
    if (!event || !event->launch || !query || !answer || answer->size != sizeof time ||
        !element_get(answer, 0, &time))
        return;
    for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
        if (times[i].name != query->bits)
            continue;
        sqlite3_stmt *statement = derivation->statements[times[i].update];
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)event->launch);
        sqlite3_bind_int64(statement, 2, (sqlite3_int64)time);
        run(derivation, times[i].update);
    }
}

/* Devices and platforms that nobody has listed before. */
static void derive_listed(struct derivation *derivation, const struct api_call *call,
                          struct object *object)
{
    const uint32_t index = answer_index(call);
    const struct api_value *name = query_get(call);
    const struct api_value *answer = value_get(call, index, API_VALUE_BYTES);
    const enum api_family family =
        (enum api_family)api_entry_get(call->entry)->parameters[index - 2].family;
    const struct api_enumerant *query = name ? api_enumerant_find(family, name->bits) : NULL;
    uint64_t handle;
    (void)object;
    if (!query || query->answer != API_ANSWER_HANDLES || !answer ||
        !api_entry_lists(call->entry, (enum api_object_kind)query->of))
        return;
    for (uint32_t i = 0; element_get(answer, i, &handle); ++i)
        derive_object(derivation, call, (enum api_object_kind)query->of, handle);
}

static void derive_device(struct derivation *derivation, const struct api_call *call,
                          struct object *device)
{
    derive_listed(derivation, call, device);
    object_set_label(derivation, device, answer_string(derivation, call, CL_DEVICE_NAME));
}

static void derive_platform(struct derivation *derivation, const struct api_call *call,
                            struct object *platform)
{
    object_set_label(derivation, platform, answer_string(derivation, call, CL_PLATFORM_NAME));
}

/* Calls that tell something about an object, their first argument, besides creating it. */
typedef void fact_function(struct derivation *derivation, const struct api_call *call,
                           struct object *object);
static fact_function *const facts[API_ENTRY_COUNT] = {
    [API_ENTRY_clBuildProgram] = derive_build,
    [API_ENTRY_clCompileProgram] = derive_build,
    [API_ENTRY_clLinkProgram] = derive_link,
    [API_ENTRY_clGetProgramBuildInfo] = derive_log,
    [API_ENTRY_clGetKernelInfo] = derive_kernel_name,
    [API_ENTRY_clGetContextInfo] = derive_listed,
    [API_ENTRY_clGetDeviceInfo] = derive_device,
    [API_ENTRY_clGetPlatformInfo] = derive_platform,
    [API_ENTRY_clGetEventProfilingInfo] = derive_profile,
    [API_ENTRY_clEnqueueNDRangeKernel] = derive_launch,
    [API_ENTRY_clEnqueueTask] = derive_launch,
};

static void derive_created(struct derivation *derivation, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (info->return_role == API_ROLE_HANDLE && call->result.kind == API_VALUE_HANDLE)
        derive_object(derivation, call, info->return_kind, call->result.bits);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role != API_ROLE_OUT_EVENT && parameter->role != API_ROLE_OUT_HANDLES)
            continue;
        const struct api_value *list = value_get(call, i, API_VALUE_HANDLES);
        uint64_t handle;
        for (uint32_t j = 0; list && list_get(list, j, &handle); ++j)
            derive_object(derivation, call, (enum api_object_kind)parameter->kind, handle);
    }
}

static void derive_counts(struct derivation *derivation, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const unsigned flags = info->parameters[i].flags;
        if (!(flags & (API_PARAMETER_RETAINED | API_PARAMETER_RELEASED)))
            continue;
        struct object *object = argument_object(derivation, call, i);
        /* Retaining and releasing a root device does nothing: OpenCL API 3.0, 4.3. */
        if (!object || object->is_found)
            continue;
        if (flags & API_PARAMETER_RETAINED)
            ++object->reference_count;
        else if (--object->reference_count == 0)
            object_end(derivation, object, call->id);
    }
}

static void derive_call(struct derivation *derivation, const struct api_call *call)
{
    const bool succeeded = (call->flags & API_CALL_COMPLETED) && !store_call_failed(call);
    if (succeeded) {
        derive_counts(derivation, call);
        derive_created(derivation, call);
    }
    if (call->entry < API_ENTRY_COUNT && facts[call->entry] &&
        (succeeded || api_entry_launches(call->entry) || call->entry == API_ENTRY_clBuildProgram ||
         call->entry == API_ENTRY_clCompileProgram))
        facts[call->entry](derivation, call, argument_object(derivation, call, 0));
}

/* ---- the walk ---- */

static bool entry_is_telling(const struct api_entry_info *info, uint32_t entry)
{
    bool telling = info->return_role == API_ROLE_HANDLE || facts[entry];
    for (uint32_t i = 0; i < info->parameter_count; ++i) {
        const struct api_parameter *parameter = &info->parameters[i];
        telling |= parameter->role == API_ROLE_OUT_EVENT ||
                   parameter->role == API_ROLE_OUT_HANDLES ||
                   (parameter->flags & (API_PARAMETER_RETAINED | API_PARAMETER_RELEASED)) != 0;
    }
    return telling;
}

/* The ids of the calls that matter, in the order in which they took effect. */
static void print_query(struct text *query)
{
    bool any = false;
    text_append(query, "SELECT id FROM call WHERE name IN (");
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry) {
        const struct api_entry_info *info = api_entry_get(entry);
        if (!entry_is_telling(info, entry))
            continue;
        text_format(query, "%s'%s'", any ? "," : "", info->name);
        any = true;
    }
    text_format(query, ") AND NOT flags & %d ORDER BY ", API_CALL_BLOCKED);
    call_order_print(query);
}

static void derive_id(struct derivation *derivation, int64_t id)
{
    struct api_call call;
    arena_reset(&derivation->arena);
    /* What does not decode was not stored by us; it tells nothing. */
    const enum status status = store_find_call(derivation->store, (uint64_t)id, &derivation->arena,
                                               &call, derivation->error);
    if (!status)
        derive_call(derivation, &call);
    else if (status != STATUS_MALFORMED && status != STATUS_UNSUPPORTED)
        fail(derivation, status);
}

static int compare_ids(const void *a, const void *b)
{
    const struct object *const *left = a;
    const struct object *const *right = b;
    return (*left)->id < (*right)->id ? -1 : 1;
}

/* Objects that were never released, in the order of their creation. */
static void write_living(struct derivation *derivation)
{
    const size_t count = HASH_COUNT(derivation->objects);
    struct object **living = alloc_zero(count, sizeof *living);
    if (!living) {
        fail_memory(derivation);
        return;
    }
    size_t filled = 0;
    for (struct object *object = derivation->objects; object; object = object->hh.next)
        living[filled++] = object;
    ASSERT(filled == count);
    if (count)
        qsort(living, count, sizeof *living, compare_ids);
    for (size_t i = 0; i < count; ++i)
        object_write(derivation, living[i], 0);
    alloc_free(living);
}

static void walk(struct derivation *derivation)
{
    struct text query = TEXT_INIT;
    sqlite3_stmt *calls = NULL;
    print_query(&query);
    if (query.failed)
        fail_memory(derivation);
    else
        fail(derivation, store_prepare(derivation->database, store_path(derivation->store),
                                       query.bytes, &calls, derivation->error));
    int code = SQLITE_DONE;
    while (!derivation->status && (code = sqlite3_step(calls)) == SQLITE_ROW)
        derive_id(derivation, sqlite3_column_int64(calls, 0));
    if (!derivation->status && code != SQLITE_DONE)
        fail_database(derivation);
    if (!derivation->status)
        write_living(derivation);
    sqlite3_finalize(calls);
    text_release(&query);
}

enum status derive_tables(struct store *store, struct error *error)
{
    static const char clear[] = "DELETE FROM thread; DELETE FROM object; DELETE FROM program;"
                                "DELETE FROM kernel; DELETE FROM launch;";
    static const char finish[] =
        "INSERT INTO thread SELECT thread, min(id), max(id), count(*) FROM call GROUP BY thread;"
        /* What `clerk show` says first, which takes seconds to count in a long run. */
        "WITH counts AS MATERIALIZED (SELECT"
        "  sum(NOT flags & 4) AS calls, sum(failed AND NOT flags & 4) AS failed,"
        "  sum(duration_ns IS NULL AND NOT flags & 4) AS unreturned,"
        "  max(begin_ns + ifnull(duration_ns, 0)) AS duration FROM call_row)"
        " INSERT OR REPLACE INTO meta SELECT 'calls', ifnull(calls, 0) FROM counts"
        " UNION ALL SELECT 'failed_calls', ifnull(failed, 0) FROM counts"
        " UNION ALL SELECT 'unreturned_calls', ifnull(unreturned, 0) FROM counts"
        " UNION ALL SELECT 'duration_ns', ifnull(duration, 0) FROM counts"
        " UNION ALL SELECT 'threads', (SELECT count(*) FROM thread WHERE EXISTS"
        "  (SELECT 1 FROM call_row WHERE thread = thread.id AND NOT flags & 4))"
        " UNION ALL SELECT 'contents_size', (SELECT ifnull(sum(size), 0) FROM call_content)"
        "  + (SELECT ifnull(sum(size), 0) FROM launch_content)"
        " UNION ALL SELECT 'stored_size', (SELECT ifnull(sum(length(bytes)), 0) FROM content);"
        "UPDATE launch SET kernel_name = (SELECT name FROM kernel WHERE id = launch.kernel)"
        " WHERE kernel IN (SELECT id FROM kernel WHERE name IS NOT NULL);"
        /* What the layer asked for (clerk run --profile), of the events that the program has asked
         * about, too. */
        "UPDATE launch SET queued_ns = own.queued_ns, submit_ns = own.submit_ns,"
        " start_ns = own.start_ns, end_ns = own.end_ns, complete_ns = own.complete_ns"
        " FROM command_time AS own WHERE own.call = launch.call;"
        "UPDATE launch SET duration_ns = end_ns - start_ns"
        " WHERE start_ns IS NOT NULL AND end_ns >= start_ns;";
    struct derivation derivation = {
        .store = store, .database = store_database(store), .error = error};
    fail(&derivation, store_execute(store, clear, error));
    for (size_t i = 0; i < STATEMENT_COUNT && !derivation.status; ++i)
        fail(&derivation, store_prepare(derivation.database, store_path(store), statement_sql[i],
                                        &derivation.statements[i], error));
    if (!derivation.status)
        walk(&derivation);
    if (!derivation.status)
        fail(&derivation, store_execute(store, finish, error));
    for (size_t i = 0; i < STATEMENT_COUNT; ++i)
        sqlite3_finalize(derivation.statements[i]);
    struct object *object;
    struct object *next;
    HASH_ITER(hh, derivation.objects, object, next)
    {
        HASH_DEL(derivation.objects, object);
        alloc_free(object->label);
        alloc_free(object);
    }
    arena_release(&derivation.arena);
    return derivation.status;
}
