#include "reference/native/build.h"

#include "reference/compiler/tool.h"
#include "reference/compiler/toolchain.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/pack.h"
#include "trace/base/scratch.h"
#include "trace/base/thread.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { OBJECT_SIZE_MAX = 64 << 20, THREAD_STACK = 256 << 10 };

struct native_build {
    unsigned holds; /* whoever started it, and the thread */
    bool ended;
    struct text text;
    struct arena arena; /* of the request */
    struct process_request request;
    struct cache_key key;
    char *cache;              /* directory; NULL = it was found there */
    struct scratch directory; /* where the compiler writes */
    char *path;
    uint8_t *bytes; /* NULL = it failed */
    size_t size;
    struct error error; /* why */
};

/* As the machine is compiled (reference/vm/CMakeLists.txt), so that bits are the same. The text
 * reads rows as different types. */
static const char *const flags[] = {
    "-x",
    "c",
    "-std=gnu11",
    "-O2",
    "-w",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-nostdlib",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
};
enum { FLAG_COUNT = sizeof flags / sizeof *flags, ARGUMENTS_MAX = FLAG_COUNT + 16 };

static const char *architecture_flag(const struct native_set *set)
{
    if (strcmp(set->name, "v4") == 0)
        return "-march=x86-64-v4";
    return strcmp(set->name, "v3") == 0 ? "-march=x86-64-v3" : NULL;
}

/* A shell's, which says that the compiler came to its end: how a hidden process ended cannot be
 * known, and one that was killed leaves a part of a file. The directory is where that one leaves
 * its own. Processor time ends a compiler that makes too much of a kernel, also where we are gone.
 */
#define COMPILE(nice)                                                                              \
    "ulimit -t 60; TMPDIR=$1; export TMPDIR; shift; " nice "\"$@\" && echo compiled"

/* NULL when memory is out. */
static const char **make_arguments(struct native_build *build, const struct native_set *set,
                                   const struct toolchain *tools, bool waits)
{
    const char **arguments = arena_alloc(&build->arena, ARGUMENTS_MAX, sizeof *arguments);
    size_t count = 0;
    if (!arguments)
        return NULL;
    arguments[count++] = "/bin/sh";
    arguments[count++] = "-c";
    arguments[count++] = waits ? COMPILE("") : COMPILE("nice -n 5 ");
    arguments[count++] = "sh";
    arguments[count++] = build->directory.path;
    arguments[count++] = tools->clang;
    for (size_t i = 0; i < FLAG_COUNT; i++)
        arguments[count++] = flags[i];
    if (architecture_flag(set))
        arguments[count++] = architecture_flag(set);
    if (strcmp(set->name, "v4") == 0)
        arguments[count++] = "-mprefer-vector-width=512";
    arguments[count++] = "-o";
    arguments[count++] = build->path;
    arguments[count++] = "-";
    arguments[count] = NULL;
    return arguments;
}

static struct cache_key make_key(const struct native_build *build, const struct native_set *set,
                                 const struct toolchain *tools)
{
    struct text identity = TEXT_INIT;
    pack_string(&identity, "native");
    pack_string(&identity, tools->clang_version);
    pack_string(&identity, set->name);
    for (size_t i = 0; i < FLAG_COUNT; i++)
        pack_string(&identity, flags[i]);
    pack_string(&identity, build->text.bytes);
    const struct cache_key key = cache_digest(identity.bytes, identity.size);
    text_release(&identity);
    return key;
}

/* ---- compiling ---- */

/* Compilers that are running: they end with the process that wants their work. A fork copies the
 * slots, whose owner then is another process: without locks, since it would copy those held. */
static struct {
    _Atomic int owner; /* 0 = none */
    _Atomic int64_t compiler;
} slots[16];
enum { SLOT_COUNT = sizeof slots / sizeof *slots, SLOT_CLAIMED = -1 };

/* SLOT_COUNT when all are taken: then processor time alone ends it. */
static size_t claim_slot(void)
{
    const int self = getpid();
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        int owner = atomic_load(&slots[i].owner);
        if (owner == self || owner == SLOT_CLAIMED ||
            !atomic_compare_exchange_strong(&slots[i].owner, &owner, SLOT_CLAIMED))
            continue;
        atomic_store(&slots[i].compiler, 0);
        atomic_store(&slots[i].owner, self);
        return i;
    }
    return SLOT_COUNT;
}

__attribute__((destructor)) static void end_compilers(void)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        const int64_t compiler = atomic_load(&slots[i].compiler);
        if (compiler > 0 && atomic_load(&slots[i].owner) == getpid())
            kill((pid_t)-compiler, SIGKILL);
    }
}

static enum status run(struct native_build *build, struct process_result *result)
{
    const size_t slot = claim_slot();
    build->request.running = slot < SLOT_COUNT ? &slots[slot].compiler : NULL;
    const enum status status = process_run(&build->request, result, &build->error);
    if (slot < SLOT_COUNT)
        atomic_store(&slots[slot].owner, 0);
    return status;
}

static void compile(struct native_build *build)
{
    struct process_result result;
    if (run(build, &result) != STATUS_OK)
        return;
    void *bytes = NULL;
    if (strcmp(result.standard_output.bytes, "compiled\n") != 0)
        error_set(&build->error, STATUS_IO, "%s",
                  result.standard_error.size ? result.standard_error.bytes
                  : result.timed_out         ? "clang ran for too long"
                                             : "clang was ended");
    else if (file_read_private(build->path, OBJECT_SIZE_MAX, &bytes, &build->size, &build->error) ==
             STATUS_OK)
        build->bytes = bytes;
    process_result_release(&result);
}

static void *compile_in_background(void *user)
{
    struct native_build *build = user;
    if (process_own_descriptors(&build->error) == STATUS_OK)
        compile(build);
    __atomic_store_n(&build->ended, true, __ATOMIC_RELEASE);
    native_build_drop(build);
    return NULL;
}

/* ---- from start to end ---- */

static enum status prepare(struct native_build *build, const struct native_set *set,
                           const struct toolchain *tools, bool waits, struct error *error)
{
    enum status status = scratch_make_directory(&build->directory, error);
    if (status != STATUS_OK)
        return status;
    build->path = path_join(build->directory.path, "native.so");
    const char **arguments = build->path ? make_arguments(build, set, tools, waits) : NULL;
    if (!arguments || !tool_make_hidden(arguments, &build->arena, &build->request))
        return error_no_memory(error, sizeof *build);
    build->request.input = build->text.bytes;
    build->request.input_size = build->text.size;
    return STATUS_OK;
}

static enum status start(struct native_build *build, bool waits, struct error *error)
{
    if (waits) {
        compile(build);
        build->ended = true;
        return STATUS_OK;
    }
    build->holds++;
    if (thread_start_detached(compile_in_background, build, THREAD_STACK))
        return STATUS_OK;
    build->holds--;
    return error_set(error, STATUS_IO, "no thread can be started");
}

enum status native_build_start(struct text *text, const struct native_set *set, const char *cache,
                               bool waits, struct native_build **build, struct error *error)
{
    struct native_build *made = alloc_zero(1, sizeof *made);
    struct toolchain tools;
    enum status status = made ? STATUS_OK : error_no_memory(error, sizeof *made);
    if (status != STATUS_OK)
        return status;
    made->holds = 1;
    made->text = *text;
    *text = (struct text)TEXT_INIT;
    status = toolchain_find(&made->arena, TOOLCHAIN_BEYOND, &tools, error);
    if (status != STATUS_OK)
        goto out;
    made->key = make_key(made, set, &tools);
    made->bytes = cache_load_from(cache, made->key, &made->size);
    made->ended = made->bytes != NULL;
    if (!made->ended) {
        made->cache = alloc_string(cache);
        status = made->cache ? prepare(made, set, &tools, waits, error)
                             : error_no_memory(error, strlen(cache) + 1);
        if (status == STATUS_OK)
            status = start(made, waits, error);
    }
out:
    if (status == STATUS_OK)
        *build = made;
    else
        native_build_drop(made);
    return status;
}

bool native_build_ended(const struct native_build *build)
{
    return __atomic_load_n(&build->ended, __ATOMIC_ACQUIRE);
}

uint8_t *native_build_take(struct native_build *build, size_t *size, struct error *error)
{
    uint8_t *bytes = build->bytes;
    if (bytes && build->cache)
        cache_store_in(build->cache, build->key, bytes, build->size);
    if (!bytes && error)
        *error = build->error;
    *size = build->size;
    build->bytes = NULL;
    return bytes;
}

void native_build_drop(struct native_build *build)
{
    if (!build || __atomic_sub_fetch(&build->holds, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    scratch_release(&build->directory);
    arena_release(&build->arena);
    text_release(&build->text);
    alloc_free(build->cache);
    alloc_free(build->path);
    alloc_free(build->bytes);
    alloc_free(build);
}
