/* The compiler road. The source goes to clang through a pipe, after a few lines of ours and
 * `#line 1 "<source>"`, which is how diagnostics, line tables and reports name it. The children run
 * in the application's directory, so that -I means what it says there; nothing is written but, for
 * sources that include files, the list of these.
 *
 * The cache holds the list of the files included, with digests: an entry counts only if they are
 * unchanged. (A file that appears earlier in the search path than one found before is not noticed.)
 */
#include "reference/compiler/compile.h"

#include "reference/compiler/pair.h"
#include "reference/compiler/pragmas.h"
#include "reference/compiler/repairs.h"
#include "reference/compiler/tool.h"
#include "reference/compiler/toolchain.h"
#include "reference/compiler/translate.h"
#include "reference/compiler/validate.h"
#include "reference/limits/limits.h"
#include "reference/spirv/debug_info.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/pack.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The version changes with the headers in opencl_cpp, too: their bytes are not in the key. */
enum { ROAD_VERSION = 26, HEADER_MAX = 64 << 20 };

static const char *const fixed_arguments[] = {
    "-x",
    "cl",
    "-emit-llvm",
    "-O0",
    "-gline-tables-only",
    "-fno-discard-value-names", /* findings name variables */
    "-cl-kernel-arg-info",
    "-Xclang",
    "-finclude-default-header",
    "-Xclang",
    "-fsanitize-address-use-after-scope", /* without the sanitizer: where lifetimes begin and end */
    "-fno-color-diagnostics",
    "-fno-crash-diagnostics", /* it would leave files behind */
    /* File names in line tables: as the compiler was given them. */
    "-fdebug-compilation-dir=/clerk",
    "-fdebug-prefix-map=/clerk=",
};

/* What one compilation works with; everything lies in the arena. */
struct road {
    const struct compile_request *request;
    struct text *log;
    struct arena arena;
    struct toolchain tools;
    const char **arguments; /* of clang, without the program and what differs from run to run */
    size_t argument_count;
    struct cache_key key;
    bool includes;                     /* the source may include files */
    enum target_sub_groups sub_groups; /* what the prelude has for them */
    struct text source;                /* with the prelude */
    struct scratch headers;            /* those of clCompileProgram, in this directory, */
    const char *header_directory;      /* the same with a slash; NULL = none */
    const char *opencl_cpp;            /* the directory of its headers, with a slash; NULL = none */
    struct sources *sources;
    struct text dependencies; /* count, then name and digest of each: as the cache holds them */
};

static enum status fail(struct road *road, const char *sentence)
{
    text_format(road->log, "error: %s\n", sentence);
    return STATUS_UNSUPPORTED;
}

static enum status out_of_memory(struct road *road)
{
    text_append(road->log, "error: out of memory\n");
    return STATUS_NO_MEMORY;
}

/* ---- arguments and key ---- */

static bool contains(const char *bytes, size_t size, const char *word)
{
    return memmem(bytes, size, word, strlen(word)) != NULL;
}

/* NULL when memory is out. */
static const char *claims(struct road *road, bool features)
{
    struct text text = TEXT_INIT;
    target_append_claims(road->request->target, features, &text);
    const char *argument = text.failed ? NULL : arena_string(&road->arena, text.bytes);
    text_release(&text);
    return argument;
}

/* clang takes the other versions as they are. */
static bool is_c_3_1(const struct build_options *options)
{
    return strcmp(options->standard, "CL3.1") == 0;
}

/* OpenCL C++ 1.0 is compiled as C++ for OpenCL, with headers of ours (opencl_cpp). */
static bool is_opencl_cpp(const struct build_options *options)
{
    return strcmp(options->standard, OPENCL_CPP) == 0;
}

/* What clang is told. */
static const char *clang_standard(const struct build_options *options)
{
    return is_c_3_1(options) ? "CL3.0" : is_opencl_cpp(options) ? "CLC++1.0" : options->standard;
}

/* "embed" stands in no OpenCL C, "include" also in a macro's text or after a line splice. */
static bool may_include(const struct compile_request *request)
{
    return request->header_count > 0 || is_opencl_cpp(request->options) ||
           contains(request->source, request->source_size, "include") ||
           contains(request->source, request->source_size, "\\\n");
}

/* Where clerk.h is, for sources that include files; NULL = it is not installed. */
static const char *own_headers(struct road *road)
{
    Dl_info here;
    if (!dladdr(&fixed_arguments, &here) || here.dli_fname[0] != '/')
        return NULL;
    char *directory = path_directory(here.dli_fname);
    const char *headers =
        directory ? arena_format(&road->arena, "%s/../../share/clerk/include", directory) : NULL;
    const char *header = headers ? arena_format(&road->arena, "%s/clerk.h", headers) : NULL;
    alloc_free(directory);
    return header && file_exists(header) ? headers : NULL;
}

static bool make_arguments(struct road *road)
{
    const struct build_options *options = road->request->options;
    const size_t fixed = sizeof(fixed_arguments) / sizeof(fixed_arguments[0]);
    const bool cpp = strncmp(clang_standard(options), "CLC++", 5) == 0;
    const bool features = cpp || strncmp(options->standard, "CL3", 3) == 0;
    const char **all =
        arena_alloc(&road->arena, fixed + options->argument_count + 18, sizeof(*all));
    const char *standard = arena_format(&road->arena, "-cl-std=%s", clang_standard(options));
    const char *extensions = claims(road, features);
    if (!all || !standard || !extensions)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < fixed; i++)
        all[count++] = fixed_arguments[i];
    all[count++] = "-target";
    all[count++] = target_name(road->request->target);
    if (road->tools.line_numbers)
        all[count++] = road->tools.line_numbers;
    all[count++] = standard;
    /* Where FP_CONTRACT is on, clang writes "fmuladd", which llvm-spirv makes a mad. */
    const bool fused = !road->request->target && limits_personality()->fused;
    all[count++] = fused ? "-ffp-contract=on" : "-ffp-contract=off";
    /* At -O0, C99 leaves the bodies of inline functions out. For destructors see
     * repair_destructors.c. */
    all[count++] = cpp ? "-fno-use-cxa-atexit" : "-fgnu89-inline";
    all[count++] = "-Xclang";
    all[count++] = extensions;
    /* llvm-spirv leaves aliases out: constructors that another program calls had no body. */
    if (cpp && road->request->to_be_linked) {
        all[count++] = "-Xclang";
        all[count++] = "-mno-constructor-aliases";
    }
    if (road->request->debugging)
        all[count++] = "-g"; /* the last one counts */
    const char *headers = road->includes ? own_headers(road) : NULL;
    if (headers) { /* behind all others */
        all[count++] = "-idirafter";
        all[count++] = headers;
    }
    if (headers && is_opencl_cpp(options)) {
        road->opencl_cpp = arena_format(&road->arena, "%s/opencl_cpp/", headers);
        if (!road->opencl_cpp)
            return false;
        all[count++] = "-idirafter";
        all[count++] = road->opencl_cpp;
        all[count++] = "-Werror=unknown-attributes"; /* [[cl::required_work_group_size(...)]] */
        all[count++] = "-Wno-c++11-narrowing";       /* in float4(1, i) there is none */
    }
    for (size_t i = 0; i < options->argument_count; i++)
        all[count++] = options->arguments[i];
    if (road->request->target) /* what its warnings say, that driver's compiler knows */
        all[count++] = "-Wno-error";
    road->arguments = all;
    road->argument_count = count;
    return true;
}

static bool is_of_a_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
}

/* Does a line end within a name? */
static bool splits_names(const char *source, size_t size)
{
    const char *const end = source + size;
    const char *at = source;
    while ((at = memmem(at, (size_t)(end - at), "\\\n", 2)) != NULL) {
        if (at > source && is_of_a_name(at[-1]) && at + 2 < end &&
            (is_of_a_name(at[2]) || at[2] == '\\'))
            return true;
        at += 2;
    }
    return false;
}

/* Of the source, or of a macro that an option defines. */
static bool mentions(const struct compile_request *request, const char *word)
{
    bool found = contains(request->source, request->source_size, word);
    for (size_t i = 0; i < request->options->argument_count; i++)
        found |= strstr(request->options->arguments[i], word) != NULL;
    return found;
}

/* Names may also be put together, "sub##_group". */
static enum target_sub_groups find_sub_groups(const struct compile_request *request)
{
    if (request->header_count > 0 || mentions(request, "include") || mentions(request, "##") ||
        mentions(request, "%:") || mentions(request, "??") ||
        splits_names(request->source, request->source_size) || mentions(request, "intel_sub_group"))
        return TARGET_ALL_SUB_GROUPS;
    return mentions(request, "sub_group") ? TARGET_COMMON_SUB_GROUPS : TARGET_NO_SUB_GROUPS;
}

static bool make_key(struct road *road)
{
    const struct compile_request *request = road->request;
    struct text key = TEXT_INIT;
    pack_number(&key, ROAD_VERSION);
    pack_string(&key, road->tools.clang_version);
    pack_string(&key, road->tools.llvm_spirv_version);
    for (size_t i = 0; i < road->argument_count; i++)
        pack_string(&key, road->arguments[i]);
    pack_bytes(&key, road->source.bytes, road->source.size);
    pack_number(&key, request->header_count);
    for (size_t i = 0; i < request->header_count; i++) {
        pack_string(&key, request->headers[i].name);
        pack_bytes(&key, request->headers[i].text, request->headers[i].size);
    }
    if (road->includes) {
        char *directory = getcwd(NULL, 0);
        pack_string(&key, directory ? directory : "");
        free(directory);
    }
    road->key = cache_digest(key.bytes, key.size);
    const bool made = !key.failed;
    text_release(&key);
    return made;
}

static void make_source(struct road *road, enum target_sub_groups sub_groups)
{
    const struct compile_request *request = road->request;
    text_clear(&road->source);
    target_append_prelude(request->target, is_c_3_1(request->options), sub_groups, &road->source);
    if (is_opencl_cpp(request->options))
        text_append(&road->source, "#include <opencl_language>\n");
    text_append(&road->source, "#line 1 \"" SOURCES_PROGRAM "\"\n");
    const size_t start = road->source.size;
    text_append_n(&road->source, request->source, request->source_size);
    if (!road->source.failed)
        pragmas_blank(road->source.bytes + start, road->source.size - start);
    road->sub_groups = sub_groups;
}

/* ---- files that the source includes ---- */

/* Adds the file to the sources; *digest is what it holds. */
static bool add_source(struct road *road, const char *name, struct cache_key *digest)
{
    void *bytes = NULL;
    size_t size = 0;
    if (file_read(name, HEADER_MAX, &bytes, &size, NULL) != STATUS_OK)
        return false;
    *digest = cache_digest(bytes, size);
    const bool added = sources_add(road->sources, name, bytes, size);
    alloc_free(bytes);
    return added;
}

static bool add_file(struct road *road, const char *name)
{
    struct cache_key digest;
    if (!add_source(road, name, &digest))
        return false;
    pack_string(&road->dependencies, name);
    pack_number(&road->dependencies, digest.lo);
    pack_number(&road->dependencies, digest.hi);
    return true;
}

/* Takes one name from a list in the form of make(1): "-: a.h b\ c.h \" ... NULL at the end. */
static char *next_dependency(const char **rest, struct arena *arena)
{
    const char *at = *rest;
    while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'))
        at++;
    if (*at == '\0')
        return NULL;
    char *name = arena_alloc(arena, strlen(at) + 1, 1);
    size_t size = 0;
    for (; name && *at != '\0' && *at != ' ' && *at != '\n'; at++) {
        if (*at == '\\' && at[1] == '\n')
            break;
        if ((*at == '\\' && (at[1] == ' ' || at[1] == '#')) || (*at == '$' && at[1] == '$'))
            at++;
        name[size++] = *at;
    }
    *rest = at;
    return name;
}

static bool read_dependencies(struct road *road, const char *list)
{
    const char *colon = strstr(list, ": ");
    const char *rest = colon ? colon + 2 : "";
    char *name;
    size_t count = 0;
    struct text files = road->dependencies;
    road->dependencies = (struct text)TEXT_INIT;
    while ((name = next_dependency(&rest, &road->arena)) != NULL) {
        const size_t prefix = road->header_directory ? strlen(road->header_directory) : 0;
        /* The headers that came with the call are part of the key. */
        if (prefix > 0 && strncmp(name, road->header_directory, prefix) == 0)
            continue;
        if (!add_file(road, name))
            return false;
        count++;
    }
    struct text body = road->dependencies;
    road->dependencies = files;
    pack_number(&road->dependencies, count);
    text_append_n(&road->dependencies, body.bytes, body.size);
    text_release(&body);
    return true;
}

static bool add_own_sources(struct road *road)
{
    const struct compile_request *request = road->request;
    road->sources = sources_create();
    bool added = road->sources &&
                 sources_add(road->sources, SOURCES_PROGRAM, request->source, request->source_size);
    for (size_t i = 0; added && i < request->header_count; i++)
        added = sources_add(road->sources, request->headers[i].name, request->headers[i].text,
                            request->headers[i].size);
    return added;
}

/* ---- the cache ---- */

/* Unchanged files get into the sources on the way. */
static bool check_dependencies(struct road *road, struct unpacker *reader)
{
    const uint64_t count = unpack_number(reader);
    for (uint64_t i = 0; i < count && !reader->failed; i++) {
        size_t size;
        const char *bytes = unpack_bytes(reader, &size);
        const uint64_t lo = unpack_number(reader);
        const uint64_t hi = unpack_number(reader);
        char *name = arena_string_n(&road->arena, bytes, size);
        struct cache_key digest;
        if (!name || !add_source(road, name, &digest) || digest.lo != lo || digest.hi != hi)
            return false;
    }
    return !reader->failed;
}

static bool load(struct road *road, struct compile_result *result)
{
    size_t size = 0;
    uint8_t *entry = cache_load(road->key, &size);
    if (!entry)
        return false;
    struct unpacker reader = {.at = entry, .left = size};
    bool loaded = check_dependencies(road, &reader);
    size_t log_size, spirv_size;
    const char *log = unpack_bytes(&reader, &log_size);
    const void *spirv = unpack_bytes(&reader, &spirv_size);
    loaded = loaded && !reader.failed;
    if (loaded) {
        result->spirv = alloc(spirv_size);
        loaded = result->spirv != NULL;
    }
    if (loaded) {
        memcpy(result->spirv, spirv, spirv_size);
        result->spirv_size = spirv_size;
        text_append_n(road->log, log, log_size);
    }
    alloc_free(entry);
    return loaded;
}

static void store(const struct road *road, size_t log_start, const struct compile_result *result)
{
    struct text entry = TEXT_INIT;
    text_append_n(&entry, road->dependencies.bytes, road->dependencies.size);
    pack_bytes(&entry, road->log->bytes + log_start, road->log->size - log_start);
    pack_bytes(&entry, result->spirv, result->spirv_size);
    if (!entry.failed && !road->dependencies.failed && !road->log->failed)
        cache_store(road->key, entry.bytes, entry.size);
    text_release(&entry);
}

/* ---- the children ---- */

/* The next name of a directory of headers; NULL = there is none. */
static const char *next_directory(const struct road *road, const char *text, size_t *size)
{
    const char *const directories[] = {road->header_directory, road->opencl_cpp};
    const char *next = NULL;
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        const char *found = directories[i] ? strstr(text, directories[i]) : NULL;
        if (found && (!next || found < next)) {
            next = found;
            *size = strlen(directories[i]);
        }
    }
    return next;
}

/* Appends what a compiler said, without the names of our directories of headers. */
static void append_output(struct road *road, const struct text *output)
{
    const char *at = output->bytes;
    const char *found;
    size_t size;
    while ((found = next_directory(road, at, &size)) != NULL) {
        text_append_n(road->log, at, (size_t)(found - at));
        at = found + size;
    }
    text_append(road->log, at);
}

/* Runs one tool from `input` to result->standard_output. */
static enum status run_tool(struct road *road, const char *const *arguments, const void *input,
                            size_t input_size, struct process_result *result)
{
    struct error error;
    const enum status status = tool_run(arguments, input, input_size, &road->arena, result, &error);
    return status == STATUS_OK ? status : fail(road, error.text);
}

/* A header of the library of OpenCL C++ 1.0 that clang did not find, as in "P:1:10: fatal error:
 * 'opencl_memory' file not found": the program is built as another language, or uses a part that
 * is not there, and the errors that follow say nothing. */
static bool refuse_header(bool opencl_cpp, const struct text *said, struct text *refusal)
{
    static const char fatal[] = ": fatal error: 'opencl_";
    const char *error = strstr(said->bytes, fatal);
    if (!error)
        return false;
    const char *name = error + sizeof(fatal) - sizeof("opencl_");
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    static const char missing[] = "' file not found";
    if (strncmp(name + length, missing, sizeof(missing) - 1) != 0)
        return false;
    const char *place = error;
    while (place > said->bytes && place[-1] != '\n')
        place--;
    text_format(refusal, "%.*s: error: <%.*s> is a header of OpenCL C++ 1.0%s\n",
                (int)(error - place), place, (int)length, name,
                opencl_cpp ? " that is not there: give the program as SPIR-V, or in C++ for OpenCL "
                             "(-cl-std=CLC++)"
                           : ": build the program with -cl-std=" OPENCL_CPP);
    return true;
}

/* clang says of p.get() that p is no structure. */
static const char no_members[] =
    "note: pointer and storage classes of OpenCL C++ 1.0 are plain pointers and types here, and "
    "have no members such as get() and ptr()\n";

static bool misses_member(const struct text *said)
{
    const char *base = strstr(said->bytes, "error: member reference base type '");
    const size_t length = base ? strcspn(base, "\n") : 0;
    return base && (memmem(base, length, "_ptr<", 5) || memmem(base, length, "__clerk_", 8));
}

/* Whether the tool did its work; what it said goes into the log. */
static enum status judge_tool(struct road *road, const char *path,
                              const struct process_result *result)
{
    struct text said = TEXT_INIT;
    struct text refusal = TEXT_INIT;
    tool_tell(path, result, &said);
    const bool refused = refuse_header(is_opencl_cpp(road->request->options), &said, &refusal);
    append_output(road, refused ? &refusal : &said);
    if (is_opencl_cpp(road->request->options) && misses_member(&said))
        text_append(road->log, no_members);
    text_release(&refusal);
    text_release(&said);
    return tool_succeeded(result) ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* `form` is one more argument: what clang is to write. */
static enum status run_clang(struct road *road, const char *form, const char *dependency_file,
                             struct process_result *result)
{
    const char **arguments =
        arena_alloc(&road->arena, road->argument_count + 12, sizeof(*arguments));
    if (!arguments)
        return out_of_memory(road);
    size_t count = 0;
    arguments[count++] = road->tools.clang;
    if (road->header_directory) {
        arguments[count++] = arena_format(&road->arena, "-I%s", road->header_directory);
        arguments[count++] =
            arena_format(&road->arena, "-fdebug-prefix-map=%s=", road->header_directory);
    }
    for (size_t i = 0; i < road->argument_count; i++)
        arguments[count++] = road->arguments[i];
    arguments[count++] = form;
    if (dependency_file) {
        arguments[count++] = "-MMD";
        arguments[count++] = "-MF";
        arguments[count++] = dependency_file;
    }
    arguments[count++] = "-o";
    arguments[count++] = "-";
    arguments[count++] = "-";
    for (size_t i = 0; i < count; i++) {
        if (!arguments[i])
            return out_of_memory(road);
    }
    return run_tool(road, arguments, road->source.bytes, road->source.size, result);
}

/* What clang says may depend on what is declared: it proposes names for those that are none. So a
 * program that it says anything of is compiled with all that may be there. */
static enum status run_clang_first(struct road *road, const char *dependency_file,
                                   struct process_result *result)
{
    const enum status status = run_clang(road, "-c", dependency_file, result);
    const bool is_quiet =
        status != STATUS_OK || (tool_succeeded(result) && result->standard_error.size == 0);
    if (is_quiet || road->sub_groups == TARGET_ALL_SUB_GROUPS)
        return status;
    process_result_release(result);
    *result = (struct process_result){0};
    make_source(road, TARGET_ALL_SUB_GROUPS);
    return road->source.failed ? out_of_memory(road)
                               : run_clang(road, "-c", dependency_file, result);
}

/* What the compiler has to say about the program, it said the first time. */
static bool make_text(void *user, struct text *ir)
{
    struct process_result result = {0};
    const bool made = run_clang(user, "-S", NULL, &result) == STATUS_OK && tool_succeeded(&result);
    if (made) {
        *ir = result.standard_output;
        result.standard_output = (struct text)TEXT_INIT;
    }
    process_result_release(&result);
    return made;
}

static enum status translate(struct road *road, const struct text *bitcode, struct process *ahead,
                             struct text *spirv)
{
    const struct translate_request request = {.tools = &road->tools,
                                              .target = target_name(road->request->target),
                                              .bitcode = bitcode,
                                              .ahead = ahead,
                                              .debugging = road->request->debugging,
                                              .make_text = make_text,
                                              .user = road};
    struct text said = TEXT_INIT;
    const enum status status = translate_bitcode(&request, &road->arena, &said, spirv);
    append_output(road, &said);
    text_release(&said);
    return status;
}

/* Reads the list that clang wrote and removes it. */
static bool take_dependencies(struct road *road, const char *dependency_file)
{
    void *list = NULL;
    size_t size = 0;
    if (!dependency_file) {
        pack_number(&road->dependencies, 0);
        return true;
    }
    const bool read = file_read(dependency_file, HEADER_MAX, &list, &size, NULL) == STATUS_OK &&
                      read_dependencies(road, list);
    alloc_free(list);
    return read;
}

/* Takes the module of llvm-spirv over. For debugging it keeps its debugging instructions, and is
 * repaired with them, so that they fit what is left without them. */
static enum status take_module(struct road *road, struct text *spirv, struct compile_result *result)
{
    result->spirv_size = spirv->size;
    result->spirv = (uint8_t *)text_detach(spirv);
    if (result->spirv && !road->request->debugging)
        result->spirv_size = debug_info_strip(result->spirv, result->spirv_size);
    if (!result->spirv || repair_spirv(&result->spirv, &result->spirv_size) != STATUS_OK ||
        repair_private(&result->spirv, &result->spirv_size) != STATUS_OK ||
        (!road->tools.typed_pointers &&
         repair_pointers(&result->spirv, &result->spirv_size) != STATUS_OK))
        return out_of_memory(road);
    return STATUS_OK;
}

static enum status compile(struct road *road, struct compile_result *result)
{
    struct process_result clang_result = {0};
    struct text spirv = TEXT_INIT;
    struct scratch dependencies = {0};
    if (road->includes)
        scratch_make_file(&dependencies, NULL);
    const char *dependency_file = dependencies.path;
    /* Of a program's process, in which the device is, other threads may fork. */
    struct process *ahead = road->request->target && !road->request->debugging
                                ? translate_start(&road->tools, &road->arena)
                                : NULL;
    const size_t log_start = road->log->size;
    enum status status = run_clang_first(road, dependency_file, &clang_result);
    if (status == STATUS_OK)
        status = judge_tool(road, road->tools.clang, &clang_result);
    const bool cacheable = status == STATUS_OK && take_dependencies(road, dependency_file);
    if (status == STATUS_OK)
        status = translate(road, &clang_result.standard_output, ahead, &spirv);
    else
        process_abandon(ahead);
    if (status == STATUS_OK)
        status = take_module(road, &spirv, result);
    if (status == STATUS_OK && cacheable)
        store(road, log_start, result);
    process_result_release(&clang_result);
    text_release(&spirv);
    scratch_release(&dependencies);
    return status;
}

/* ---- all of it ---- */

static enum status prepare(struct road *road)
{
    struct error error;
    if (road->request->tools)
        road->tools = *road->request->tools;
    else if (pair_choose(&road->arena, &road->tools, &error) != STATUS_OK)
        return fail(road, error.text);
    road->includes = may_include(road->request);
    make_source(road, find_sub_groups(road->request));
    if (road->source.failed || !make_arguments(road) || !make_key(road) || !add_own_sources(road))
        return out_of_memory(road);
    return STATUS_OK;
}

static enum status write_headers(struct road *road)
{
    const struct compile_request *request = road->request;
    struct error error;
    if (header_files_write(request->headers, request->header_count, &road->headers, &error))
        return fail(road, error.text);
    road->header_directory = arena_format(&road->arena, "%s/", road->headers.path);
    return road->header_directory ? STATUS_OK : out_of_memory(road);
}

/* Of a module for debugging, the one that is executed. */
static enum status separate_debug_info(struct road *road, struct compile_result *made)
{
    made->debug = made->spirv;
    made->debug_size = made->spirv_size;
    made->spirv = alloc(made->debug_size);
    if (!made->spirv)
        return out_of_memory(road);
    memcpy(made->spirv, made->debug, made->debug_size);
    made->spirv_size = debug_info_strip(made->spirv, made->debug_size);
    return STATUS_OK;
}

static enum status go(const struct compile_request *request, struct text *log,
                      struct compile_result *result)
{
    struct road road = {
        .request = request, .log = log, .source = TEXT_INIT, .dependencies = TEXT_INIT};
    struct compile_result made = {0};
    enum status status = prepare(&road);
    if (status == STATUS_OK && !load(&road, &made)) {
        sources_drop(road.sources);
        road.sources = NULL;
        if (!add_own_sources(&road))
            status = out_of_memory(&road);
        else if (request->header_count > 0)
            status = write_headers(&road);
        if (status == STATUS_OK)
            status = compile(&road, &made);
        scratch_release(&road.headers);
    }
    if (status == STATUS_OK && request->debugging)
        status = separate_debug_info(&road, &made);
    if (status == STATUS_OK) {
        made.sources = road.sources;
        *result = made;
    } else {
        sources_drop(road.sources);
        alloc_free(made.spirv);
        alloc_free(made.debug);
    }
    text_release(&road.source);
    text_release(&road.dependencies);
    arena_release(&road.arena);
    return status;
}

/* Debug information that the compilers fail at is done without. */
enum status compile_source(const struct compile_request *request, struct text *log,
                           struct compile_result *result)
{
    struct compile_request plain = *request;
    struct text said = TEXT_INIT;
    if (!request->debugging)
        return go(request, log, result);
    enum status status = go(request, &said, result);
    plain.debugging = false;
    if (status == STATUS_OK)
        text_append_n(log, said.bytes, said.size);
    else
        status = go(&plain, log, result);
    text_release(&said);
    return status;
}
