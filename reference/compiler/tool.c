/* LLVM's programs print, when they end by a fault of their own, what they were doing:
 *
 *     clang-15: ../Type.h:333: void f(): Assertion `Count == 2' failed.
 *     PLEASE submit a bug report to ...
 *     Stack dump:
 *     0.      Program arguments: ...
 *     1.      <source>:4:2: current parser token 'x'
 *     #0 0x00007f26e315c1b1 ...
 *
 * before which the diagnostics of the program stand. clang, which catches the signal, ends with a
 * status of 128 and the signal, or with 70. */
#include "reference/compiler/tool.h"

#include "reference/compiler/toolchain.h"
#include "trace/api/cache.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char LIBRARY_NAME[] = "libclerk_loaded.so"; /* trace/base/served.c */

static uint64_t number_of(enum setting setting)
{
    return strtoull(setting_value(setting), NULL, 10);
}

/* ---- a compiler that is loaded ---- */

/* The library that makes a server of a compiler, which lies beside us; NULL where it does not. */
static const char *find_library(struct arena *arena)
{
    Dl_info here;
    if (!dladdr(&LIBRARY_NAME, &here) || !strchr(here.dli_fname, '/'))
        return NULL;
    char *directory = path_directory(here.dli_fname);
    const char *library = directory ? arena_format(arena, "%s/%s", directory, LIBRARY_NAME) : NULL;
    alloc_free(directory);
    return library && library[0] == '/' && file_exists(library) ? library : NULL;
}

/* A script would load the library into its interpreter. */
static bool is_binary(const char *path)
{
    char magic[4] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = file >= 0 && read(file, magic, sizeof magic) == sizeof magic &&
                    memcmp(magic, "\177ELF", sizeof magic) == 0;
    if (file >= 0)
        close(file);
    return is;
}

/* A process that gets the orphans of others takes them for its own. */
static bool gets_orphans(void)
{
    int gets = 0;
    prctl(PR_GET_CHILD_SUBREAPER, &gets);
    return gets || getpid() == 1;
}

static const char *name_server(const char *program, const char *library, struct arena *arena)
{
    struct text text = TEXT_INIT;
    const char *name = NULL;
    if (process_server_circumstances(program, &text)) {
        text_format(&text, "%s\n", library);
        const struct cache_key key = cache_digest(text.bytes, text.size);
        name = arena_format(arena, "%016" PRIx64 "%016" PRIx64, key.hi, key.lo);
    }
    text_release(&text);
    return name;
}

/* NULL where none is to be, or can be. */
static const struct process_server *make_server(const char *program, struct arena *arena)
{
    const uint64_t idle = number_of(SETTING_COMPILER_IDLE);
    const char *library =
        idle && !gets_orphans() && is_binary(program) ? find_library(arena) : NULL;
    char *cache = library ? cache_directory() : NULL;
    struct process_server *server = cache && cache_check_private(cache, NULL) == STATUS_OK
                                        ? arena_alloc(arena, 1, sizeof *server)
                                        : NULL;
    if (server)
        *server = (struct process_server){
            .directory = arena_format(arena, "%s/loaded", cache),
            .name = name_server(program, library, arena),
            .library = library,
            .idle = arena_format(arena, PROCESS_SERVER_IDLE "=%" PRIu64, idle)};
    alloc_free(cache);
    return server && server->directory && server->name && server->idle ? server : NULL;
}

/* Its environment is NULL when memory is out. */
static struct process_request make_request(const char *const *arguments, struct arena *arena)
{
    return (struct process_request){
        .arguments = arguments,
        .environment = toolchain_environment(arena),
        .output_max = (size_t)number_of(SETTING_COMPILER_OUTPUT) << 20,
        .timeout_ms = (uint32_t)number_of(SETTING_COMPILER_TIME) * 1000,
        .memory_max = number_of(SETTING_COMPILER_MEMORY) << 20,
        .output_limited = true,
        .own_group = true,
    };
}

enum status tool_run(const char *const *arguments, const void *input, size_t input_size,
                     struct arena *arena, struct process_result *result, struct error *error)
{
    struct process_request request = make_request(arguments, arena);
    if (!request.environment)
        return error_no_memory(error, 1);
    request.input = input;
    request.input_size = input_size;
    request.server = make_server(arguments[0], arena);
    return process_run(&request, result, error);
}

enum status tool_run_through(const char *const *arguments, const struct text *input,
                             bool (*take)(void *user, const void *bytes, size_t size), void *user,
                             struct arena *arena, struct process_result *result,
                             struct error *error)
{
    struct process_request request = make_request(arguments, arena);
    if (!request.environment)
        return error_no_memory(error, 1);
    request.input = input->bytes;
    request.input_size = input->size;
    request.take = take;
    request.server = make_server(arguments[0], arena);
    request.user = user;
    return process_run(&request, result, error);
}

enum status tool_start(const char *const *arguments, struct arena *arena, struct process **process,
                       struct error *error)
{
    struct process_request request = make_request(arguments, arena);
    if (!request.environment)
        return error_no_memory(error, 1);
    request.server = make_server(arguments[0], arena);
    return process_start(&request, process, error);
}

bool tool_make_hidden(const char *const *arguments, struct arena *arena,
                      struct process_request *request)
{
    *request = make_request(arguments, arena);
    request->hidden = true;
    return request->environment != NULL;
}

bool tool_succeeded(const struct process_result *result)
{
    return result->signal == 0 && result->exit_status == 0 && !result->timed_out &&
           !result->flooded;
}

/* ---- how it ended ---- */

/* The first of these marks the end of what was said of the program. */
static const char *const marks[] = {
    "PLEASE submit a bug report",      "Stack dump:",      "LLVM ERROR: ",
    "fatal error: error in backend: ", "terminate called", "UNREACHABLE executed",
};

static bool crashed(const struct process_result *result)
{
    const char *said = result->standard_error.bytes;
    return result->signal != 0 || result->exit_status >= 128 || strstr(said, "\nStack dump:\n") ||
           strncmp(said, "Stack dump:\n", strlen("Stack dump:\n")) == 0;
}

static bool is_mark(const char *line, size_t size)
{
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (memmem(line, size, marks[i], strlen(marks[i])))
            return true;
    }
    return memmem(line, size, ": Assertion `", strlen(": Assertion `")) != NULL;
}

/* Where the diagnostics of the program end. */
static const char *end_of_diagnostics(const char *said)
{
    while (*said != '\0') {
        const size_t size = strcspn(said, "\n");
        if (is_mark(said, size))
            return said;
        said += size + (said[size] == '\n');
    }
    return said;
}

/* "<source>:4:2" of the first line "1.\t<source>:4:2: current parser token" that has a place. */
static size_t find_place(const char *said, const char **place)
{
    for (const char *line = strstr(said, "Stack dump:\n"); line != NULL;
         line = strchr(line + 1, '\n')) {
        const char *at = line + 1;
        const size_t digits = strspn(at, "0123456789");
        if (line[0] != '\n' || digits == 0 || strncmp(at + digits, ".\t", 2) != 0)
            continue;
        at += digits + 2;
        const char *const end = at + strcspn(at, "\n");
        for (const char *colon = at; (colon = strchr(colon, ':')) != NULL && colon < end; colon++) {
            const size_t row = strspn(colon + 1, "0123456789");
            if (row == 0 || colon[1 + row] != ':')
                continue;
            const size_t column = strspn(colon + 2 + row, "0123456789");
            if (column == 0)
                continue;
            *place = at;
            return (size_t)(colon - at) + 2 + row + column;
        }
    }
    return 0;
}

/* "Assertion `Count == 2' failed", "LLVM ERROR: out of memory"; 0 = it does not say. */
static size_t find_reason(const char *said, const char **reason)
{
    static const char *const starts[] = {
        "Assertion `", "LLVM ERROR: ", "error in backend: ", "UNREACHABLE executed"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        const char *found = strstr(said, starts[i]);
        if (!found)
            continue;
        const size_t size = strcspn(found, "\n");
        *reason = found;
        return size > 0 && found[size - 1] == '.' ? size - 1 : size;
    }
    return 0;
}

static void tell_limit(struct text *log, const char *name, const char *what, enum setting setting,
                       const char *unit)
{
    text_format(log, "error: %s %s %s %s, and was ended; %s sets this limit\n", name, what,
                setting_value(setting), unit, setting_get(setting)->variable);
}

static void tell_crash(struct text *log, const char *name, const struct process_result *result)
{
    const char *reason = NULL;
    const size_t reason_size = find_reason(result->standard_error.bytes, &reason);
    text_format(log, "error: %s crashed (", name);
    if (reason_size > 0)
        text_append_n(log, reason, reason_size);
    else if (result->signal != 0)
        text_format(log, "signal %d", result->signal);
    else
        text_format(log, "status %d", result->exit_status);
    text_append(log, "): the program may be right, but it cannot be built with this compiler\n");
}

static bool lacked_memory(const struct process_result *result)
{
    const char *said = result->standard_error.bytes;
    return number_of(SETTING_COMPILER_MEMORY) > 0 && crashed(result) &&
           (strstr(said, "out of memory") || strstr(said, "bad_alloc") ||
            strstr(said, "Cannot allocate memory") || strstr(said, "failed to map segment"));
}

bool tool_limited(const struct process_result *result)
{
    return result->timed_out || result->flooded || lacked_memory(result);
}

static void tell_limited(struct text *log, const char *name, const struct process_result *result)
{
    if (result->timed_out)
        tell_limit(log, name, "ran for more than", SETTING_COMPILER_TIME, "seconds");
    else if (result->flooded)
        tell_limit(log, name, "wrote more than", SETTING_COMPILER_OUTPUT, "MiB");
    else
        tell_limit(log, name, "needs more memory than", SETTING_COMPILER_MEMORY, "MiB");
}

void tool_tell(const char *path, const struct process_result *result, struct text *log)
{
    const char *said = result->standard_error.bytes;
    const char *name = path_base(path);
    const char *place = NULL;
    if (tool_limited(result)) {
        if (!result->timed_out && !result->flooded)
            text_append_n(log, said, (size_t)(end_of_diagnostics(said) - said));
        tell_limited(log, name, result);
    } else if (crashed(result)) {
        text_append_n(log, said, (size_t)(end_of_diagnostics(said) - said));
        const size_t size = find_place(said, &place);
        text_append_n(log, place, size);
        text_append(log, size > 0 ? ": " : "");
        tell_crash(log, name, result);
    } else {
        text_append(log, said);
        if (result->exit_status != 0 && result->standard_error.size == 0)
            text_format(log, "error: %s ended with status %d\n", name, result->exit_status);
    }
}

/* On one line, without the line of the tool's own source, "... [Src: ./lib/SPIRV/...]", and without
 * the end of what may be a whole table of the program's. */
static void append_flat(struct text *log, const char *said)
{
    enum { SAID_MAX = 400 };
    const char *own = strstr(said, "[Src: ");
    const size_t size = own ? (size_t)(own - said) : strlen(said);
    const char *const end = said + (size < SAID_MAX ? size : SAID_MAX);
    bool blank = false;
    for (const char *at = said; at < end; at++) {
        if (*at == ' ' || *at == '\n' || *at == '\t') {
            blank = true;
            continue;
        }
        if (blank && at > said)
            text_append_char(log, ' ');
        text_append_char(log, *at);
        blank = false;
    }
    text_append(log, size > SAID_MAX ? "...\n" : "\n");
}

void tool_tell_at(const char *path, const struct process_result *result, const char *place,
                  struct text *log)
{
    if (tool_succeeded(result)) {
        text_append(log, result->standard_error.bytes);
        return;
    }
    text_append(log, place);
    text_append(log, place[0] != '\0' ? ": " : "");
    if (tool_limited(result)) {
        tell_limited(log, path_base(path), result);
    } else if (crashed(result)) {
        tell_crash(log, path_base(path), result);
    } else if (result->standard_error.size == 0) {
        text_format(log, "error: %s ended with status %d\n", path_base(path), result->exit_status);
    } else {
        text_format(log, "error: %s does not take this: ", path_base(path));
        append_flat(log, result->standard_error.bytes);
    }
}
