/* Finding the compilers. Only version 15 will do: later versions write other atomics and no lines.
 */
#include "reference/icd/toolchain.h"

#include "reference/icd/cache.h"
#include "reference/icd/tool.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern char **environ;

struct tool {
    enum setting setting;
    const char *names[2]; /* to look for in PATH, best first */
    const char *sign;     /* what stands before the version number in its answer to --version */
};

static const struct tool clang = {SETTING_CLANG, {"clang-15", "clang"}, "clang version "};
static const struct tool llvm_spirv = {
    SETTING_LLVM_SPIRV, {"llvm-spirv-15", "llvm-spirv"}, "LLVM version "};

const char *const *toolchain_environment(struct arena *arena)
{
    size_t count = 0;
    while (environ[count])
        count++;
    const char **copy = arena_alloc(arena, count + 2, sizeof(*copy));
    if (!copy)
        return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "OPENCL_LAYERS=", strlen("OPENCL_LAYERS=")) != 0 &&
            strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0)
            copy[kept++] = environ[i];
    }
    copy[kept++] = "LLVM_DISABLE_SYMBOLIZATION=1";
    copy[kept] = NULL;
    return copy;
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
    cache_put_bytes(&identity, "probe", 5);
    cache_put_bytes(&identity, path, strlen(path));
    cache_put_number(&identity, (uint64_t)info.st_size);
    cache_put_number(&identity, (uint64_t)info.st_mtim.tv_sec);
    cache_put_number(&identity, (uint64_t)info.st_mtim.tv_nsec);
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

static bool is_version_15(const char *version, const struct tool *tool)
{
    return strtol(version + strlen(tool->sign), NULL, 10) == 15;
}

static enum status find(const struct tool *tool, struct arena *arena, const char **path,
                        const char **version, struct error *error)
{
    const char *wish = setting_value(tool->setting);
    const bool asked = wish[0] != '\0';
    for (size_t i = 0; i < (asked ? 1 : 2); i++) {
        char *found = process_find_program(asked ? wish : tool->names[i]);
        char *kept = found ? arena_string(arena, found) : NULL;
        alloc_free(found);
        bool hangs = false;
        const char *says = kept ? probe(kept, tool, arena, &hangs) : NULL;
        if (hangs)
            return error_set(error, STATUS_NOT_FOUND,
                             "%s has not answered --version within %s seconds, and was ended; %s "
                             "sets this limit",
                             kept, setting_value(SETTING_COMPILER_TIME),
                             setting_get(SETTING_COMPILER_TIME)->variable);
        if (says && is_version_15(says, tool)) {
            *path = kept;
            *version = says;
            return STATUS_OK;
        }
        if (asked && kept)
            return error_set(error, STATUS_NOT_FOUND, "%s=%s: this is not %s of version 15 (%s)",
                             setting_get(tool->setting)->variable, wish, tool->names[1],
                             says ? says : "it does not say which it is");
    }
    if (asked)
        return error_set(error, STATUS_NOT_FOUND, "%s=%s: there is no such program",
                         setting_get(tool->setting)->variable, wish);
    return error_set(error, STATUS_NOT_FOUND,
                     "no %s was found in PATH: install the Debian packages clang-15 and "
                     "llvm-spirv-15, or name the programs with CLERK_CLANG and CLERK_LLVM_SPIRV",
                     tool->names[0]);
}

enum status toolchain_find(struct arena *arena, struct toolchain *toolchain, struct error *error)
{
    struct toolchain made;
    enum status status = find(&clang, arena, &made.clang, &made.clang_version, error);
    if (status == STATUS_OK)
        status = find(&llvm_spirv, arena, &made.llvm_spirv, &made.llvm_spirv_version, error);
    if (status == STATUS_OK)
        *toolchain = made;
    return status;
}
