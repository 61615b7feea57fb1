/* Calls are taken in their order: each kernel keeps the arguments that it was given last, and the
 * driver's word on their names and types, for which the layer asks when a kernel appears. */
#include "viewer-cli/recorded_arguments.h"

#include "replay/compare.h"
#include "trace/api/clerk_queries.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/store.h"
#include "viewer-cli/kernel/kernel_argument.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <string.h>

#include "trace/base/hash.h"
#include "trace/effect/argument.h"

/* More than any device takes; a damaged trace does not make us allocate for more. */
enum { ARGUMENT_MAX = 1024 };

struct kernel {
    uint64_t handle;
    struct recorded_kernel given;
    size_t capacity; /* of its arguments */
    UT_hash_handle hh;
};

/* The calls in their order. */
struct walk {
    struct kernel *kernels;
    recorded_visit *visit;
    void *user;
};

/* While the tables are filled. */
struct filler {
    struct trace_names names;
    struct rows *put;        /* a row of given */
    struct rows *put_object; /* of given_object */
    struct rows *find_size;  /* of the object with a handle, at a call */
    struct text words, json;
    enum status status; /* of the rows of given_object */
    struct error *error;
};

/* ---- kernels ---- */

static void release_arguments(struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->given.count; ++i) {
        text_release(&kernel->given.arguments[i].name);
        text_release(&kernel->given.arguments[i].type);
        text_release(&kernel->given.arguments[i].plain_type);
        text_release(&kernel->given.arguments[i].value);
    }
    alloc_free(kernel->given.arguments);
    kernel->given = (struct recorded_kernel){0};
    kernel->capacity = 0;
}

/* NULL when memory is out. */
static struct kernel *get_kernel(struct walk *walk, uint64_t handle)
{
    struct kernel *kernel = NULL;
    HASH_FIND(hh, walk->kernels, &handle, sizeof handle, kernel);
    if (kernel)
        return kernel;
    kernel = alloc_zero(1, sizeof *kernel);
    if (!kernel)
        return NULL;
    kernel->handle = handle;
    HASH_ADD(hh, walk->kernels, handle, sizeof kernel->handle, kernel);
    if (kernel->hh.tbl)
        return kernel;
    alloc_free(kernel);
    return NULL;
}

/* NULL when memory is out, or for an index that no kernel has. */
static struct recorded_argument *get_argument(struct walk *walk, uint64_t handle, uint64_t index)
{
    struct kernel *kernel = index < ARGUMENT_MAX ? get_kernel(walk, handle) : NULL;
    while (kernel && kernel->given.count <= index) {
        struct recorded_argument *arguments = alloc_grow(
            kernel->given.arguments, kernel->given.count, &kernel->capacity, sizeof *arguments);
        if (!arguments)
            return NULL;
        kernel->given.arguments = arguments;
        arguments[kernel->given.count++] = (struct recorded_argument){
            .name = TEXT_INIT, .type = TEXT_INIT, .plain_type = TEXT_INIT, .value = TEXT_INIT};
    }
    return kernel ? &kernel->given.arguments[index] : NULL;
}

static void copy_text(struct text *to, const struct text *from)
{
    text_clear(to);
    text_append_n(to, from->bytes, from->size);
}

/* A handle that was just created means a new kernel; a clone has the arguments of its source. */
static void begin_kernel(struct walk *walk, uint64_t handle, uint64_t source)
{
    struct kernel *kernel = get_kernel(walk, handle);
    struct kernel *from = NULL;
    if (!kernel)
        return;
    release_arguments(kernel);
    HASH_FIND(hh, walk->kernels, &source, sizeof source, from);
    if (from && from != kernel) {
        kernel->given.has_more = from->given.has_more;
        kernel->given.address = from->given.address;
        kernel->given.address_index = from->given.address_index;
    }
    kernel->given.is_of_unknown = source && (!from || from->given.is_of_unknown);
    for (size_t i = 0; from && from != kernel && i < from->given.count; ++i) {
        struct recorded_argument *argument = get_argument(walk, handle, i);
        if (!argument)
            return;
        argument->state = from->given.arguments[i].state;
        argument->size = from->given.arguments[i].size;
        argument->is_local = from->given.arguments[i].is_local;
        copy_text(&argument->name, &from->given.arguments[i].name);
        copy_text(&argument->type, &from->given.arguments[i].type);
        copy_text(&argument->plain_type, &from->given.arguments[i].plain_type);
        copy_text(&argument->value, &from->given.arguments[i].value);
    }
}

/* ---- calls that tell of arguments ---- */

static void learn(struct walk *walk, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    const struct api_value *answer = &a[API_clGetKernelArgInfo_param_value];
    struct recorded_argument *argument = get_argument(walk, a[API_clGetKernelArgInfo_kernel].bits,
                                                      a[API_clGetKernelArgInfo_arg_indx].bits);
    if (!argument || answer->kind != API_VALUE_BYTES || !answer->data)
        return;
    struct text *text = NULL;
    switch (a[API_clGetKernelArgInfo_param_name].bits) {
    case CL_KERNEL_ARG_NAME:
        text = &argument->name;
        break;
    case CL_KERNEL_ARG_TYPE_NAME:
        text = &argument->type;
        break;
    case CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK:
        text = &argument->plain_type;
        break;
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
        const cl_kernel_arg_address_qualifier local = CL_KERNEL_ARG_ADDRESS_LOCAL;
        argument->is_local =
            answer->size == sizeof local && memcmp(answer->data, &local, sizeof local) == 0;
        break;
    }
    default:
        break;
    }
    if (text) {
        text_clear(text);
        text_append_n(text, answer->data, strnlen(answer->data, answer->size));
    }
}

static void set(struct walk *walk, const struct argument_set *set)
{
    const bool is_address = set->how == ARGUMENT_SET_SHARED || set->how == ARGUMENT_SET_ADDRESS;
    struct kernel *kernel = get_kernel(walk, set->kernel);
    struct recorded_argument *argument = get_argument(walk, set->kernel, set->index);
    if (kernel)
        kernel->given.has_more |= set->index >= ARGUMENT_MAX;
    if (!argument)
        return;
    if (is_address && !kernel->given.address) {
        kernel->given.address =
            set->how == ARGUMENT_SET_SHARED ? RECORDED_OF_SHARED : RECORDED_OF_DEVICE;
        kernel->given.address_index = set->index;
    }
    argument->size = set->size;
    argument->state = is_address ? RECORDED_ADDRESS : set->bytes ? RECORDED_VALUE : RECORDED_NONE;
    text_clear(&argument->value);
    if (is_address)
        text_append_n(&argument->value, (const char *)&set->address, sizeof set->address);
    else if (set->bytes)
        text_append_n(&argument->value, set->bytes, set->size);
}

/* ---- printing ---- */

static uint64_t number_of(const struct recorded_argument *argument)
{
    uint64_t number = 0;
    memcpy(&number, argument->value.bytes,
           argument->value.size < sizeof number ? argument->value.size : sizeof number);
    return number;
}

/* Bytes of a buffer; 0 of what is none. */
static uint64_t object_size(struct filler *filler, uint64_t handle)
{
    enum status status = STATUS_OK;
    rows_bind_number(filler->find_size, 1, (int64_t)handle);
    rows_bind_number(filler->find_size, 2, (int64_t)filler->names.call_id);
    const uint64_t size = rows_next(filler->find_size, &status, NULL)
                              ? (uint64_t)rows_number(filler->find_size, 0)
                              : 0;
    rows_reset(filler->find_size);
    return size;
}

static void print_object(struct filler *filler, size_t index, const char *name, uint64_t handle)
{
    const uint64_t size = object_size(filler, handle);
    rows_bind_number(filler->put_object, 1, (int64_t)filler->names.call_id);
    rows_bind_number(filler->put_object, 2, (int64_t)index);
    rows_bind_text(filler->put_object, 3, name);
    if (!filler->status)
        filler->status = rows_run(filler->put_object, filler->error);
    text_append(&filler->words, name);
    json_string(&filler->json, "object", name);
    if (!size)
        return;
    text_append(&filler->words, " (");
    print_size(size, &filler->words);
    text_append_char(&filler->words, ')');
    json_number(&filler->json, "size", size);
}

static void print_null(struct filler *filler)
{
    text_append(&filler->words, "NULL");
    json_key(&filler->json, "object");
    text_append(&filler->json, "null");
}

static void print_bytes(const struct text *value, struct text *text)
{
    enum { SHOWN_BYTES = 16 };
    text_append_char(text, '<');
    for (size_t i = 0; i < value->size && i < SHOWN_BYTES; ++i)
        text_format(text, "%s%02x", i ? " " : "", (unsigned char)value->bytes[i]);
    text_append(text, value->size > SHOWN_BYTES ? " ...>" : ">");
}

/* A number of the type that the kernel declares; else a handle; else bytes. */
static void print_value(struct filler *filler, const struct recorded_argument *argument,
                        size_t index)
{
    const struct text *value = &argument->value;
    const struct kernel_type type = kernel_type_parse(argument->type.bytes, argument->type.size);
    const char *name = NULL;
    if (type.scalar && kernel_type_size(type) == value->size) {
        kernel_element_print(type, (const uint8_t *)value->bytes, false, &filler->words);
        json_key(&filler->json, "value");
        kernel_element_print(type, (const uint8_t *)value->bytes, true, &filler->json);
    } else if (value->size == sizeof(uint64_t) &&
               (name = trace_handle_name(&filler->names, number_of(argument))) != NULL) {
        print_object(filler, index, name, number_of(argument));
    } else if (value->size == sizeof(uint64_t) && !number_of(argument) && !type.scalar) {
        print_null(filler);
    } else {
        struct text bytes = TEXT_INIT;
        print_bytes(value, &bytes);
        text_append(&filler->words, bytes.bytes);
        json_string(&filler->json, "bytes", bytes.bytes);
        text_release(&bytes);
    }
}

/* Plain types do not tell int from uint, so that of a type with a name of its own is for the others
 * alone. */
static bool is_named_by_program(const struct text *type)
{
    return type->size && !replay_type_is_known(type->bytes) &&
           !kernel_type_parse(type->bytes, type->size).scalar;
}

static void print_argument(struct filler *filler, const struct recorded_argument *argument,
                           size_t index)
{
    struct text *words = &filler->words;
    text_append(words, index ? ", " : "");
    if (argument->name.size)
        text_format(words, "%s=", argument->name.bytes);
    json_item(&filler->json);
    text_append_char(&filler->json, '{');
    json_string(&filler->json, "name", argument->name.size ? argument->name.bytes : NULL);
    json_string(&filler->json, "type", argument->type.size ? argument->type.bytes : NULL);
    if (argument->plain_type.size && is_named_by_program(&argument->type))
        json_string(&filler->json, "plain_type", argument->plain_type.bytes);
    switch (argument->state) {
    case RECORDED_UNSET:
        text_append(words, "unset");
        break;
    case RECORDED_VALUE:
        print_value(filler, argument, index);
        break;
    case RECORDED_ADDRESS:
        text_format(words, "0x%" PRIx64, number_of(argument));
        json_number(&filler->json, "address", number_of(argument));
        break;
    case RECORDED_NONE:
        if (argument->is_local || argument->size != sizeof(uint64_t)) {
            text_append(words, "local ");
            print_size(argument->size, words);
            json_number(&filler->json, "local", argument->size);
        } else {
            print_null(filler);
        }
        break;
    }
    text_append_char(&filler->json, '}');
}

static enum status put_launch(void *user, const struct api_call *call,
                              const struct recorded_kernel *kernel, struct error *error)
{
    struct filler *filler = user;
    filler->names.call_id = call->id;
    text_clear(&filler->words);
    text_clear(&filler->json);
    text_append_char(&filler->json, '[');
    for (size_t i = 0; i < kernel->count; ++i)
        print_argument(filler, &kernel->arguments[i], i);
    text_append_char(&filler->json, ']');
    if (filler->words.failed || filler->json.failed)
        return error_no_memory(error, filler->words.size);
    rows_bind_number(filler->put, 1, (int64_t)call->id);
    rows_bind_text(filler->put, 2, filler->words.bytes);
    rows_bind_text(filler->put, 3, filler->json.bytes);
    return filler->status ? filler->status : rows_run(filler->put, error);
}

/* ---- the walk ---- */

static enum status take(void *user, const struct api_call *call, struct error *error)
{
    struct walk *walk = user;
    const struct api_value *made = &call->arguments[API_clCreateKernelsInProgram_kernels];
    const uint64_t *kernels = made->data;
    const struct kernel *launched = NULL;
    struct kernel *kernel = NULL;
    struct argument_set given;
    if (api_entry_launches(call->entry)) {
        launched = get_kernel(walk, call->arguments[API_clEnqueueNDRangeKernel_kernel].bits);
        return launched ? walk->visit(walk->user, call, &launched->given, error)
                        : error_no_memory(error, sizeof *launched);
    }
    if (!(call->flags & API_CALL_COMPLETED) || store_call_failed(call))
        return STATUS_OK;
    switch (call->entry) {
    case API_ENTRY_clCreateKernel:
        begin_kernel(walk, call->result.bits, 0);
        break;
    case API_ENTRY_clCloneKernel:
        begin_kernel(walk, call->result.bits, call->arguments[0].bits);
        break;
    case API_ENTRY_clCreateKernelsInProgram:
        for (uint32_t i = 0; made->kind == API_VALUE_HANDLES && i < made->count; ++i)
            begin_kernel(walk, kernels[i], 0);
        break;
    case API_ENTRY_clGetKernelArgInfo:
        learn(walk, call);
        break;
    case API_ENTRY_clSetKernelExecInfo:
        kernel = get_kernel(walk, call->arguments[API_clSetKernelExecInfo_kernel].bits);
        if (kernel && !kernel->given.address)
            kernel->given.address = RECORDED_OF_OTHERS;
        break;
    default:
        if (argument_set_by(call, &given))
            set(walk, &given);
        break;
    }
    return STATUS_OK;
}

enum status recorded_arguments_each(struct trace *trace, uint64_t last_call, recorded_visit *visit,
                                    void *user, struct error *error)
{
    /* What names kernels, and clEnqueueTask. */
    const struct trace_filter filter = {
        .last_id = last_call, .name = "cl*[Kk]*", .with_synthetic = true};
    struct walk walk = {.visit = visit, .user = user};
    const enum status status = trace_each_call(trace, &filter, take, &walk, error);
    struct kernel *kernel;
    struct kernel *next;
    HASH_ITER(hh, walk.kernels, kernel, next)
    {
        HASH_DEL(walk.kernels, kernel);
        release_arguments(kernel);
        alloc_free(kernel);
    }
    return status;
}

enum status recorded_arguments_make(struct trace *trace, struct error *error)
{
    struct filler filler = {
        .names = {.trace = trace}, .words = TEXT_INIT, .json = TEXT_INIT, .error = error};
    enum status status =
        rows_execute(trace,
                     "CREATE TEMP TABLE given (call INTEGER PRIMARY KEY,"
                     " words TEXT, json TEXT);"
                     "CREATE TEMP TABLE given_object (call INTEGER, argument INTEGER,"
                     " object TEXT, PRIMARY KEY (call, argument)) WITHOUT ROWID;"
                     "CREATE INDEX temp.given_name ON given_object (object, call)",
                     error);
    if (!status)
        status = rows_open(trace, "INSERT INTO temp.given VALUES (?1, ?2, ?3)", &filler.put, error);
    if (!status)
        status = rows_open(trace, "INSERT INTO temp.given_object VALUES (?1, ?2, ?3)",
                           &filler.put_object, error);
    /* A buffer's label is "4096 bytes". */
    if (!status)
        status = rows_open(trace,
                           "SELECT CAST(label AS INTEGER) FROM object WHERE handle = ?1"
                           " AND ifnull(created_call, 0) <= ?2 AND label LIKE '% bytes'"
                           " ORDER BY ifnull(created_call, 0) DESC LIMIT 1",
                           &filler.find_size, error);
    if (!status)
        status = recorded_arguments_each(trace, 0, put_launch, &filler, error);
    rows_close(filler.put);
    rows_close(filler.put_object);
    rows_close(filler.find_size);
    text_release(&filler.words);
    text_release(&filler.json);
    return status;
}
