#include "replay/types.h"

#include "trace/api/clerk_queries.h"
#include "trace/base/alloc.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

/* ---- one answer ---- */

/* Takes a type that is known, or the first of those that are not; true when it is known. */
static bool take(char noted[REPLAY_TYPE_SIZE], const char *type, bool is_first)
{
    const bool known = replay_type_is_known(type);
    if (known || is_first)
        snprintf(noted, REPLAY_TYPE_SIZE, "%s", type);
    return known;
}

static bool ask(const struct replay_target *target, cl_kernel kernel, cl_uint index,
                cl_kernel_arg_info name, char type[REPLAY_TYPE_SIZE])
{
    type[0] = 0;
    return CL(target, clGetKernelArgInfo)(kernel, index, name, REPLAY_TYPE_SIZE, type, NULL) ==
           CL_SUCCESS;
}

/* ---- what the recording's driver told ---- */

/* The answer about the type comes after that about the address, and then what the type is if the
 * program has a name of its own for it. */
static void hear_type(struct replay_object *kernel, uint64_t index, const struct api_value *answer)
{
    const bool heard = index < kernel->type_count && kernel->types[index][0] != '\0';
    char type[REPLAY_TYPE_SIZE];
    snprintf(type, sizeof type, "%.*s", (int)(answer->size < sizeof type ? answer->size : 0),
             (const char *)answer->data);
    if (!heard && replay_type_is_known(type))
        replay_object_type(kernel, index, type);
    if (replay_argument_nature(CL_KERNEL_ARG_ADDRESS_PRIVATE, type) == ARGUMENT_OBJECT)
        replay_object_nature(kernel, index, ARGUMENT_OBJECT);
}

void replay_types_hear(const struct replay *replay, const struct api_call *call)
{
    const struct api_value *answer = &call->arguments[API_clGetKernelArgInfo_param_value];
    cl_kernel_arg_address_qualifier address;
    if (call->entry != API_ENTRY_clGetKernelArgInfo || !answer->data)
        return;
    struct replay_object *kernel =
        replay_objects_find(replay->objects, call->arguments[API_clGetKernelArgInfo_kernel].bits);
    const uint64_t index = call->arguments[API_clGetKernelArgInfo_arg_indx].bits;
    const uint64_t name = call->arguments[API_clGetKernelArgInfo_param_name].bits;
    if (!kernel || kernel->kind != API_OBJECT_KERNEL)
        return;
    if (name == CL_KERNEL_ARG_TYPE_NAME || name == CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK) {
        hear_type(kernel, index, answer);
    } else if (name == CL_KERNEL_ARG_ADDRESS_QUALIFIER && answer->size == sizeof address) {
        memcpy(&address, answer->data, sizeof address);
        replay_object_nature(kernel, index, replay_argument_nature(address, ""));
    }
}

/* ---- what the compiler knows ---- */

struct compiled {
    int64_t id;         /* of the recording's program */
    cl_program program; /* NULL: it cannot be built here */
};

struct replay_compiler {
    struct replay_target *device; /* NULL: there is none */
    cl_context context;
    struct compiled *programs;
    size_t program_count, program_capacity;
};

static struct replay_compiler *open_compiler(const struct replay *replay)
{
    struct replay_compiler *compiler = alloc_zero(1, sizeof *compiler);
    if (!compiler || !replay->options->compiler ||
        replay_target_open_driver(replay->options->compiler, &compiler->device, NULL) != STATUS_OK)
        return compiler;
    cl_int status = CL_SUCCESS;
    compiler->context = CL(compiler->device, clCreateContext)(NULL, 1, &compiler->device->device,
                                                              NULL, NULL, &status);
    return compiler;
}

void replay_compiler_destroy(struct replay_compiler *compiler)
{
    if (!compiler)
        return;
    for (size_t i = 0; i < compiler->program_count; ++i)
        if (compiler->programs[i].program)
            CL(compiler->device, clReleaseProgram)(compiler->programs[i].program);
    if (compiler->context)
        CL(compiler->device, clReleaseContext)(compiler->context);
    replay_target_close(compiler->device);
    alloc_free(compiler->programs);
    alloc_free(compiler);
}

/* The columns of a row: its program, the source or module of that, and the options. */
enum { COLUMN_PROGRAM, COLUMN_SOURCE, COLUMN_IL, COLUMN_OPTIONS, COLUMN_KERNEL };

static cl_program create_program(const struct replay_compiler *compiler, sqlite3_stmt *row)
{
    const char *source = (const char *)sqlite3_column_text(row, COLUMN_SOURCE);
    const size_t source_size = (size_t)sqlite3_column_bytes(row, COLUMN_SOURCE);
    const void *il = sqlite3_column_blob(row, COLUMN_IL);
    cl_int status = CL_SUCCESS;
    if (source)
        return CL(compiler->device, clCreateProgramWithSource)(compiler->context, 1, &source,
                                                               &source_size, &status);
    return il && compiler->device->functions[API_ENTRY_clCreateProgramWithIL]
               ? CL(compiler->device, clCreateProgramWithIL)(
                     compiler->context, il, (size_t)sqlite3_column_bytes(row, COLUMN_IL), &status)
               : NULL;
}

static cl_program build(const struct replay_compiler *compiler, sqlite3_stmt *row)
{
    cl_program program = create_program(compiler, row);
    if (!program ||
        CL(compiler->device, clBuildProgram)(program, 1, &compiler->device->device,
                                             (const char *)sqlite3_column_text(row, COLUMN_OPTIONS),
                                             NULL, NULL) == CL_SUCCESS)
        return program;
    CL(compiler->device, clReleaseProgram)(program);
    return NULL;
}

/* Each program is built once. */
static cl_program find_program(struct replay_compiler *compiler, sqlite3_stmt *row)
{
    const int64_t id = sqlite3_column_int64(row, COLUMN_PROGRAM);
    for (size_t i = 0; i < compiler->program_count; ++i)
        if (compiler->programs[i].id == id)
            return compiler->programs[i].program;
    void *grown = alloc_grow(compiler->programs, compiler->program_count,
                             &compiler->program_capacity, sizeof *compiler->programs);
    if (!grown)
        return NULL;
    compiler->programs = grown;
    struct compiled *compiled = &compiler->programs[compiler->program_count++];
    *compiled = (struct compiled){.id = id, .program = build(compiler, row)};
    return compiled->program;
}

static void learn_types(struct replay_compiler *compiler, sqlite3_stmt *row,
                        struct replay_object *object)
{
    const char *name = (const char *)sqlite3_column_text(row, COLUMN_KERNEL);
    cl_program program = name ? find_program(compiler, row) : NULL;
    cl_int status = CL_SUCCESS;
    cl_kernel kernel =
        program ? CL(compiler->device, clCreateKernel)(program, name, &status) : NULL;
    char type[REPLAY_TYPE_SIZE];
    if (!kernel)
        return;
    for (cl_uint i = 0; ask(compiler->device, kernel, i, CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK, type);
         ++i)
        if (replay_type_is_known(type))
            replay_object_type(object, i, type);
    CL(compiler->device, clReleaseKernel)(kernel);
}

/* Asks once for each kernel. */
static void compile_types(const struct replay *replay, uint64_t call_id,
                          struct replay_object *object)
{
    static const char sql[] =
        "SELECT program.id, source, il, options, kernel.name FROM object"
        " JOIN kernel ON kernel.id = object.id JOIN program ON program.id = kernel.program"
        " WHERE object.handle = ?1 AND object.kind = 'kernel' AND"
        " ifnull(created_call, 0) <= ?2 ORDER BY created_call DESC LIMIT 1";
    struct replay_compiler **compiler = replay->compiler;
    sqlite3_stmt *row = NULL;
    object->is_compiled = true;
    if (!*compiler)
        *compiler = open_compiler(replay);
    if (!*compiler || !(*compiler)->context ||
        sqlite3_prepare_v2(trace_database(replay->trace), sql, -1, &row, NULL) != SQLITE_OK)
        return;
    sqlite3_bind_int64(row, 1, (sqlite3_int64)object->old_handle);
    sqlite3_bind_int64(row, 2, (sqlite3_int64)call_id);
    if (sqlite3_step(row) == SQLITE_ROW)
        learn_types(*compiler, row, object);
    sqlite3_finalize(row);
}

/* ---- together ---- */

static bool take_of_kernel(const struct replay_object *kernel, cl_uint index,
                           char noted[REPLAY_TYPE_SIZE])
{
    return index < kernel->type_count && take(noted, kernel->types[index], false);
}

void replay_types_note(const struct replay *replay, const struct replay_argument *argument,
                       char noted[REPLAY_TYPE_SIZE])
{
    char type[REPLAY_TYPE_SIZE];
    if (ask(replay->target, argument->kernel, argument->index, CL_KERNEL_ARG_TYPE_NAME, type) &&
        take(noted, type, true))
        return;
    if (ask(replay->target, argument->kernel, argument->index, CL_KERNEL_ARG_PLAIN_TYPE_NAME_CLERK,
            type) &&
        take(noted, type, false))
        return;
    struct replay_object *kernel =
        argument->recorded_kernel ? replay_objects_find(replay->objects, argument->recorded_kernel)
                                  : NULL;
    if (!kernel || kernel->kind != API_OBJECT_KERNEL ||
        take_of_kernel(kernel, argument->index, noted))
        return;
    /* That takes a build, so it is for who compares values only. */
    if (replay->options->tolerance.allowed && !kernel->is_compiled) {
        compile_types(replay, argument->call_id, kernel);
        take_of_kernel(kernel, argument->index, noted);
    }
}
