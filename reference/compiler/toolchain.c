/* Finding the compilers: of the pairs of one version, each a clang-19 and an llvm-spirv-19, or a
 * clang and an llvm-spirv, the newest. */
#include "reference/compiler/toolchain.h"

#include "reference/compiler/tool.h"
#include "trace/api/cache.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct tool {
    enum setting setting;
    const char *name; /* in PATH, also with a version after it */
    const char *sign; /* what stands before the version in its answer to --version */
};

static const struct tool clang = {SETTING_CLANG, "clang", "clang version "};
static const struct tool llvm_spirv = {SETTING_LLVM_SPIRV, "llvm-spirv", "LLVM version "};

/* A program that was found. */
struct found {
    const char *path;
    const char *says; /* from the sign on */
    unsigned version;
};

const char *const *toolchain_environment(struct arena *arena)
{
    return process_environment(arena, "LLVM_DISABLE_SYMBOLIZATION=1");
}

/* The answer to --version, from the sign to the end of its line; NULL when it is not such a tool.
 */
static char *ask_version(const char *path, const struct tool *tool, struct arena *arena,
                         bool *hangs)
{
    const char *const arguments[] = {path, "--version", NULL};
    struct process_result result;
    char *version = NULL;
    if (tool_run(arguments, NULL, 0, arena, &result, NULL) != STATUS_OK)
        return NULL;
    *hangs = result.timed_out;
    const char *found = strstr(result.standard_output.bytes, tool->sign);
    if (found)
        version = arena_string_n(arena, found, strcspn(found, "\n"));
    process_result_release(&result);
    return version;
}

/* ask_version, remembered. */
static const char *probe(const char *path, const struct tool *tool, struct arena *arena,
                         bool *hangs)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return NULL;
    struct text identity = TEXT_INIT;
    pack_string(&identity, "probe");
    pack_string(&identity, path);
    pack_number(&identity, (uint64_t)info.st_size);
    pack_number(&identity, (uint64_t)info.st_mtim.tv_sec);
    pack_number(&identity, (uint64_t)info.st_mtim.tv_nsec);
    const struct cache_key key = cache_digest(identity.bytes, identity.size);
    text_release(&identity);
    size_t size;
    uint8_t *known = cache_load(key, &size);
    if (known) {
        const char *version = arena_string_n(arena, (const char *)known, size);
        alloc_free(known);
        return version;
    }
    const char *version = ask_version(path, tool, arena, hangs);
    if (version)
        cache_store(key, version, strlen(version));
    return version;
}

static enum status not_found(const struct tool *tool, const struct found *other,
                             struct error *error)
{
    if (other)
        return error_set(
            error, STATUS_NOT_FOUND,
            "%s is of version %u, and no %s-%u was found: install both of one version, "
            "or name the programs with CLERK_CLANG and CLERK_LLVM_SPIRV",
            other->path, other->version, tool->name, other->version);
    return error_set(error, STATUS_NOT_FOUND,
                     "no %s of version %d or later was found in PATH: install Debian packages of "
                     "one version, as clang-15 and llvm-spirv-15 or clang-19 and llvm-spirv-19, or "
                     "name the programs with CLERK_CLANG and CLERK_LLVM_SPIRV",
                     tool->name, TOOLCHAIN_OLDEST);
}

/* The program that `name` is; its path stays NULL where that is not such a tool. */
static enum status look_at(const struct tool *tool, const char *name, struct arena *arena,
                           struct found *result, struct error *error)
{
    char *path = process_find_program(name);
    bool hangs = false;
    *result = (struct found){.path = path ? arena_string(arena, path) : NULL};
    alloc_free(path);
    if (!result->path)
        return STATUS_OK;
    result->says = probe(result->path, tool, arena, &hangs);
    if (hangs)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s has not answered --version within %s seconds, and was ended; %s sets "
                         "this limit",
                         result->path, setting_value(SETTING_COMPILER_TIME),
                         setting_get(SETTING_COMPILER_TIME)->variable);
    if (result->says)
        result->version = (unsigned)strtoul(result->says + strlen(tool->sign), NULL, 10);
    return STATUS_OK;
}

/* What the setting names. */
static enum status find_named(const struct tool *tool, const char *name, struct arena *arena,
                              struct found *result, struct error *error)
{
    const enum status status = look_at(tool, name, arena, result, error);
    const char *variable = setting_get(tool->setting)->variable;
    if (status != STATUS_OK)
        return status;
    if (!result->path)
        return error_set(error, STATUS_NOT_FOUND, "%s=%s: no such program", variable, name);
    if (result->version < TOOLCHAIN_OLDEST)
        return error_set(error, STATUS_NOT_FOUND,
                         "%s=%s: this is not %s of version %d or later (%s)", variable, name,
                         tool->name, TOOLCHAIN_OLDEST,
                         result->says ? result->says : "it does not say which it is");
    return STATUS_OK;
}

/* The tool of that version in PATH; `plain` is the one whose name has none. */
static enum status find_version(const struct tool *tool, unsigned version,
                                const struct found *plain, struct arena *arena,
                                struct found *result, struct error *error)
{
    const char *name = arena_format(arena, "%s-%u", tool->name, version);
    const enum status status = name ? look_at(tool, name, arena, result, error) : STATUS_OK;
    if (status == STATUS_OK && (!name || !result->path || result->version != version))
        *result = plain->version == version ? *plain : (struct found){0};
    return status;
}

/* What versions differ in, from `since` on. Of faults there is no table: whatever repairs them
 * looks for the fault. */
static const struct needs {
    unsigned since;
    const char *max_version;  /* of which non-uniform functions need 1.3, some of them 1.5 */
    const char *line_numbers; /* in diagnostics */
    bool typed_pointers;
} needs[] = {
    {17, "--spirv-max-version=1.5", "-fno-diagnostics-show-line-numbers", false},
    {16, "--spirv-max-version=1.3", NULL, false},
    {TOOLCHAIN_OLDEST, "--spirv-max-version=1.3", NULL, true},
};

static struct toolchain make(const struct found *compiler, const struct found *translator)
{
    const struct needs *row = needs;
    while (row->since > compiler->version)
        row++;
    return (struct toolchain){.max_version = row->max_version,
                              .line_numbers = row->line_numbers,
                              .typed_pointers = row->typed_pointers,
                              .clang = compiler->path,
                              .clang_version = compiler->says,
                              .llvm_spirv = translator->path,
                              .llvm_spirv_version = translator->says,
                              .version = compiler->version};
}

/* One tool is named, the other has its version. */
static enum status find_partner(const struct tool *named, const struct tool *other,
                                struct arena *arena, struct found *result, struct found *partner,
                                struct error *error)
{
    enum status status = find_named(named, setting_value(named->setting), arena, result, error);
    if (status != STATUS_OK)
        return status;
    const char *wish = setting_value(other->setting);
    if (wish[0] == '\0') {
        struct found plain;
        status = look_at(other, other->name, arena, &plain, error);
        if (status == STATUS_OK)
            status = find_version(other, result->version, &plain, arena, partner, error);
        return status == STATUS_OK && !partner->path ? not_found(other, result, error) : status;
    }
    status = find_named(other, wish, arena, partner, error);
    if (status == STATUS_OK && partner->version != result->version)
        status = error_set(error, STATUS_NOT_FOUND,
                           "%s is of version %u and %s of version %u: they have to be of one",
                           result->path, result->version, partner->path, partner->version);
    return status;
}

bool toolchain_is_named(void)
{
    return setting_value(SETTING_CLANG)[0] != '\0' || setting_value(SETTING_LLVM_SPIRV)[0] != '\0';
}

/* Of all that says which pair is the newest: the directories of PATH as they are, and the tools
 * whose names have no version. `settled` = a change from now on would be seen in it. */
static struct cache_key pair_key(unsigned below, const struct found *plain_clang,
                                 const struct found *plain_translator, bool *settled)
{
    enum { CLOCK_STEP_SECONDS = 2 }; /* more than the clock of a file system's times */
    struct text identity = TEXT_INIT;
    const char *path = getenv("PATH");
    const time_t now = time(NULL);
    *settled = path != NULL;
    pack_string(&identity, "pair");
    pack_number(&identity, below);
    pack_number(&identity, plain_clang->version);
    pack_number(&identity, plain_translator->version);
    for (size_t length; path; path = path[length] ? path + length + 1 : NULL) {
        struct stat info = {0};
        length = strcspn(path, ":");
        char *directory = alloc_format("%.*s", length ? (int)length : 1, length ? path : ".");
        if (directory && stat(directory, &info) == 0 &&
            info.st_mtim.tv_sec > now - CLOCK_STEP_SECONDS)
            *settled = false;
        alloc_free(directory);
        pack_bytes(&identity, path, length);
        pack_number(&identity, (uint64_t)info.st_dev);
        pack_number(&identity, (uint64_t)info.st_ino);
        pack_number(&identity, (uint64_t)info.st_mtim.tv_sec);
        pack_number(&identity, (uint64_t)info.st_mtim.tv_nsec);
    }
    const struct cache_key key = cache_digest(identity.bytes, identity.size);
    text_release(&identity);
    return key;
}

/* A thousand names are asked for until the newest pair is found: where it was the last time, if
 * nothing has come or gone. 0 = not known. */
static unsigned remembered_version(struct cache_key key)
{
    size_t size;
    char *known = (char *)cache_load(key, &size);
    const unsigned version = known ? (unsigned)strtoul(known, NULL, 10) : 0;
    alloc_free(known);
    return version;
}

static void remember_version(struct cache_key key, unsigned version)
{
    char digits[16];
    cache_store(key, digits, (size_t)snprintf(digits, sizeof digits, "%u", version) + 1);
}

/* The newest pair in PATH of a version less than `below`. */
static enum status find_pair(unsigned below, struct arena *arena, struct found *compiler,
                             struct found *translator, struct error *error)
{
    struct found plain_clang, plain_translator = {0}, alone = {0}; /* a clang by itself */
    enum status status = look_at(&clang, clang.name, arena, &plain_clang, error);
    if (status == STATUS_OK)
        status = look_at(&llvm_spirv, llvm_spirv.name, arena, &plain_translator, error);
    bool settled;
    const struct cache_key key = pair_key(below, &plain_clang, &plain_translator, &settled);
    const unsigned known = status == STATUS_OK && settled ? remembered_version(key) : 0;
    for (unsigned version = known ? known : below - 1;
         status == STATUS_OK && version >= TOOLCHAIN_OLDEST; version--) {
        status = find_version(&clang, version, &plain_clang, arena, compiler, error);
        if (status != STATUS_OK || !compiler->path)
            continue;
        status = find_version(&llvm_spirv, version, &plain_translator, arena, translator, error);
        if (status == STATUS_OK && translator->path) {
            if (settled && version != known)
                remember_version(key, version);
            return STATUS_OK;
        }
        alone = alone.path ? alone : *compiler;
    }
    if (status != STATUS_OK)
        return status;
    return not_found(alone.path ? &llvm_spirv : &clang, alone.path ? &alone : NULL, error);
}

enum status toolchain_find(struct arena *arena, unsigned below, struct toolchain *toolchain,
                           struct error *error)
{
    struct found compiler = {0}, translator = {0};
    enum status status;
    if (setting_value(SETTING_CLANG)[0] != '\0')
        status = find_partner(&clang, &llvm_spirv, arena, &compiler, &translator, error);
    else if (toolchain_is_named())
        status = find_partner(&llvm_spirv, &clang, arena, &translator, &compiler, error);
    else
        status = find_pair(below, arena, &compiler, &translator, error);
    if (status == STATUS_OK)
        *toolchain = make(&compiler, &translator);
    return status;
}
