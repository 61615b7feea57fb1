/* clerk doctor: what clerk needs from the machine, what of it is there, and how to get the rest.
 * Each thing is tried, not only looked for. */
#include "checkers/probe/reply.h"
#include "checkers/probe/request.h"
#include "checkers/sink.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"
#include "trace/base/process.h"
#include "viewer-cli/drivers.h"
#include "viewer-cli/verb.h"

#include <CL/cl.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const struct option_row doctor_options[] = {
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
};

struct doctor {
    bool json;
    bool is_healthy; /* but for drivers: */
    bool has_driver, has_compilers;
    struct table *table;
    struct text text;
};

/* One thing: found, with a detail, or missing, with a remedy. What is optional leaves clerk
 * healthy. */
static void tell(struct doctor *doctor, const char *thing, bool found, bool required,
                 const char *detail, const char *remedy)
{
    if (!found && required)
        doctor->is_healthy = false;
    if (!doctor->json) {
        table_cell(doctor->table, found ? "found" : "missing");
        table_cell(doctor->table, thing);
        if (found || !remedy)
            table_cell(doctor->table, detail);
        else
            table_cell_format(doctor->table, "%s%s%s", detail, *detail ? "; " : "", remedy);
        return;
    }
    struct text *text = &doctor->text;
    text_append_char(text, '{');
    json_string(text, "thing", thing);
    text_format(text, ",\"found\":%s,\"required\":%s", found ? "true" : "false",
                required ? "true" : "false");
    json_string(text, "detail", detail);
    if (remedy && !found)
        json_string(text, "remedy", remedy);
    else
        text_append(text, ",\"remedy\":null");
    text_append(text, "}\n");
}

/* ---- the loader and its drivers ---- */

static void check_loader(struct doctor *doctor)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
    const char *kind = "libOpenCL.so.1";
    if (drivers_know_no_layers(environ))
        kind = "libOpenCL.so.1 (knows no layers: clerk run uses LD_PRELOAD)";
    else if (loader && dlsym(loader, "clGetICDLoaderInfoOCLICD"))
        kind = "libOpenCL.so.1 (ocl-icd)";
    tell(doctor, "OpenCL loader", loader != NULL, true, loader ? kind : "",
         "apt install ocl-icd-libopencl1");
    if (loader)
        dlclose(loader);
}

static int is_icd(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".icd") == 0;
}

/* A file of one line that names the driver's library. */
static void check_icd(struct doctor *doctor, const char *path)
{
    void *bytes = NULL;
    size_t size;
    struct error error;
    char *thing = alloc_format("driver %s", path_base(path));
    if (!thing)
        return;
    if (file_read(path, 4096, &bytes, &size, &error)) {
        tell(doctor, thing, false, false, error.text, NULL);
    } else {
        char *library = bytes;
        library[strcspn(library, "\r\n")] = 0;
        void *driver = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
        const char *why = driver ? NULL : dlerror();
        tell(doctor, thing, driver != NULL, false, driver ? library : why ? why : library, NULL);
    }
    alloc_free(bytes);
    alloc_free(thing);
}

/* OCL_ICD_VENDORS may name one .icd file, or a library, in place of a directory. */
static void check_named_driver(struct doctor *doctor, const char *name)
{
    const size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".icd") == 0 && file_exists(name)) {
        check_icd(doctor, name);
        return;
    }
    void *driver = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    tell(doctor, "OCL_ICD_VENDORS", driver != NULL, false, name,
         "let it name a directory of .icd files, such a file, or a driver's library");
}

static void check_drivers(struct doctor *doctor)
{
    const char *directory = getenv("OCL_ICD_VENDORS");
    if (directory && *directory && !file_is_directory(directory)) {
        check_named_driver(doctor, directory);
        return;
    }
    if (!directory || !*directory)
        directory = "/etc/OpenCL/vendors";
    struct dirent **entries = NULL;
    const int count = scandir(directory, &entries, is_icd, alphasort);
    if (count <= 0)
        tell(doctor, "drivers of the system", false, false, directory,
             "apt install pocl-opencl-icd, or your vendor's; the reference device needs none");
    for (int i = 0; i < count; ++i) {
        char *path = path_join(directory, entries[i]->d_name);
        if (path)
            check_icd(doctor, path);
        alloc_free(path);
        free(entries[i]);
    }
    free(entries);
}

/* What programs get of all that: the loader is asked. */
static void check_platforms(struct doctor *doctor)
{
    char detail[32];
    const int count = drivers_count_platforms(environ);
    snprintf(detail, sizeof detail, "%d", count);
    doctor->has_driver = count > 0;
    tell(doctor, "OpenCL platforms", count > 0, false,
         count > 0    ? detail
         : count == 0 ? "the loader finds none"
                      : "the loader, or a driver, does not answer",
         "programs run on clerk's own device alone (clerk run --device reference)");
}

/* ---- clerk's own files ---- */

static void check_library(struct doctor *doctor, const char *thing, const char *relative,
                          const char *symbol)
{
    static const char remedy[] = "build or install clerk completely";
    char *path = verb_own_path(relative);
    if (!path)
        return;
    void *library = file_exists(path) ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    if (!library) {
        const char *why = file_exists(path) ? dlerror() : path;
        tell(doctor, thing, false, true, why ? why : path, remedy);
    } else if (!dlsym(library, symbol)) {
        tell(doctor, thing, false, true, "it is not clerk's", remedy);
    } else {
        tell(doctor, thing, true, true, path, NULL);
    }
    if (library)
        dlclose(library);
    alloc_free(path);
}

static void check_own_files(struct doctor *doctor)
{
    check_library(doctor, "layer", "lib/clerk/libclerk_layer.so", "clInitLayer");
    /* The preloaded library is not loaded here: it would stand before the loader in this process.
     */
    char *preload = verb_own_path("lib/clerk/libclerk_preload.so");
    if (preload)
        tell(doctor, "preload library", file_exists(preload), true, preload,
             "build or install clerk completely");
    alloc_free(preload);
    check_library(doctor, "reference device", "lib/clerk/libclerk_device.so",
                  "clGetExtensionFunctionAddress");
}

/* ---- the compilers ---- */

static void tell_pair(void *user, const char *pair, int32_t taken, const char *detail)
{
    struct doctor *doctor = user;
    char *said = pair ? alloc_format("%s: %s", pair, detail) : NULL;
    doctor->has_compilers |= taken != 0;
    tell(doctor, "compilers", taken != 0, false, said ? said : detail, NULL);
    alloc_free(said);
}

static void tell_native(void *user, int32_t works, const char *sentence)
{
    tell(user, "native code of kernels", works != 0, false, sentence, NULL);
}

/* The device tries them: each pair compiles a program whose SPIR-V is known, and clang a function
 * as it makes them of kernels. */
static void check_compilers(struct doctor *doctor)
{
    char *path = verb_own_path("lib/clerk/libclerk_device.so");
    void *device = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    __typeof__(clGetExtensionFunctionAddress) *const find =
        device ? (__typeof__(clGetExtensionFunctionAddress) *)dlsym(device,
                                                                    "clGetExtensionFunctionAddress")
               : NULL;
    sink_pairs_function *const examine =
        find ? (sink_pairs_function *)find(SINK_PAIRS_FUNCTION) : NULL;
    sink_native_function *const try_native =
        find ? (sink_native_function *)find(SINK_NATIVE_FUNCTION) : NULL;
    if (examine)
        examine(tell_pair, doctor);
    if (!doctor->has_compilers) /* of several pairs one is enough */
        doctor->is_healthy = false;
    if (try_native)
        try_native(tell_native, doctor);
    if (device)
        dlclose(device);
    alloc_free(path);
}

/* ---- what the layer asks of kernels ---- */

enum { PROBE_TIME_MS = 120000, PROBE_ANSWER_MAX = 1 << 20 };

static const char incomplete[] = "build or install clerk completely";

static bool answers_rightly(const struct text *answer)
{
    struct facts facts;
    struct checked checked;
    const bool is_answer = reply_unpack(answer->bytes, answer->size, &facts, &checked);
    const struct fact_kernel *kernel = is_answer ? facts_find(&facts, "add") : NULL;
    const bool is_right = kernel && kernel->argument_count == 2 &&
                          kernel->arguments[0].address == CL_KERNEL_ARG_ADDRESS_GLOBAL &&
                          kernel->arguments[1].size == sizeof(cl_float);
    facts_release(&facts);
    checked_release(&checked);
    return is_right;
}

/* What it says of itself: one sentence. */
static const char *complaint(const struct process_result *result)
{
    static const char name[] = "clerk_probe: ";
    char *said = result->standard_error.bytes;
    said[strcspn(said, "\n")] = '\0';
    if (strncmp(said, name, strlen(name)) == 0)
        said += strlen(name);
    return result->timed_out ? "it does not end" : *said ? said : "it does not answer rightly";
}

static void try_probe(struct doctor *doctor, const char *path, const struct text *question)
{
    const char *const arguments[] = {path, NULL};
    const struct process_request request = {.arguments = arguments,
                                            .input = question->bytes,
                                            .input_size = question->size,
                                            .output_max = PROBE_ANSWER_MAX,
                                            .timeout_ms = PROBE_TIME_MS};
    struct process_result result;
    struct error error;
    if (process_run(&request, &result, &error) != STATUS_OK) {
        tell(doctor, "clerk_probe", false, true, error.text, incomplete);
        return;
    }
    const bool works = result.exit_status == 0 && answers_rightly(&result.standard_output);
    tell(doctor, "clerk_probe", works, true, works ? path : complaint(&result), NULL);
    process_result_release(&result);
}

/* By it the layer knows the kernels of other drivers: it is asked as the layer asks. */
static void check_probe(struct doctor *doctor)
{
    static const char source[] = "kernel void add(global float *sum, float term) { *sum += term; }";
    struct request_part part = {.bytes = source, .size = strlen(source), .options = ""};
    const struct request request = {.device = {.extensions = "",
                                               .version = 300,
                                               .address_bits = 64,
                                               .is_little_endian = true,
                                               .macros = ""},
                                    .parts = &part,
                                    .part_count = 1};
    struct text question = TEXT_INIT;
    char *path = verb_own_path("lib/clerk/clerk_probe");
    request_pack(&request, &question);
    if (path && !file_exists(path))
        tell(doctor, "clerk_probe", false, true, path, incomplete);
    else if (path)
        try_probe(doctor, path, &question);
    text_release(&question);
    alloc_free(path);
}

static int run_doctor(const struct options *options)
{
    static const struct table_column columns[] = {
        {"", TABLE_LEFT}, {"", TABLE_LEFT}, {"", TABLE_LEFT}};
    if (options_operand_count(options))
        return verb_usage(&verb_doctor, "'%s': it takes no operand", options_operand(options, 0));
    struct doctor doctor = {.json = options_has(options, "json"),
                            .is_healthy = true,
                            .table = table_create(columns, 3),
                            .text = TEXT_INIT};
    if (!doctor.table) {
        struct error error;
        error_no_memory(&error, sizeof columns);
        return verb_fail(&verb_doctor, &error);
    }
    check_loader(&doctor);
    check_drivers(&doctor);
    check_platforms(&doctor);
    check_own_files(&doctor);
    check_compilers(&doctor);
    check_probe(&doctor);
    if (!doctor.json) {
        table_print(doctor.table, false, &doctor.text);
        text_append(
            &doctor.text,
            !doctor.is_healthy ? "\nclerk cannot do all of its work before that is mended\n"
            : doctor.has_driver
                ? "\neverything that clerk needs is here\n"
                : "\nno OpenCL driver is here: programs run with --device reference alone\n");
    }
    verb_print(&doctor.text);
    table_destroy(doctor.table);
    text_release(&doctor.text);
    return verb_finish(&verb_doctor, doctor.is_healthy && doctor.has_driver ? VERB_OK : VERB_FOUND);
}

const struct verb verb_doctor = {
    .name = "doctor",
    .synopsis = "[options]",
    .summary = "say what is installed, what is missing, and how to get it",
    .options = doctor_options,
    .option_count = sizeof doctor_options / sizeof *doctor_options,
    .help = "Tries the OpenCL loader, the drivers, clerk's own libraries, the compilers, and\n"
            "clerk_probe, by which the kernels of other drivers are known.\n"
            "\n"
            "Exit status: 0 if everything that clerk needs is there, and a driver to run programs\n"
            "on, 1 if something is missing.\n",
    .examples = "  clerk doctor\n",
    .run = run_doctor,
};
