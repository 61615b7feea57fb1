#include "viewer-cli/source_lines.h"

#include "checkers/frame.h"
#include "trace/base/alloc.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file that frames name; what libdwfl keeps of it is its own, so that modules of any number do
 * not overlap. */
struct module {
    struct module *next;
    char *path;
    Dwfl *dwfl;
    Dwfl_Module *of_dwfl; /* NULL: it cannot be read, or was changed */
    Dwarf_Addr start;
};

struct source_lines {
    struct module *modules;
    time_t limit;                 /* of the times at which modules were changed; 0 = none */
    bool has_modules;             /* those of the run are on this machine */
    struct kernel_files *kernels; /* or NULL */
    char directory[PATH_MAX];
};

static struct source_lines *create(struct kernel_files *kernels)
{
    /* libdwfl would ask servers for debug information; a report does not wait for a network. */
    unsetenv("DEBUGINFOD_URLS");
    struct source_lines *lines = alloc_zero(1, sizeof *lines);
    if (!lines) {
        kernel_files_destroy(kernels);
        return NULL;
    }
    if (!getcwd(lines->directory, sizeof lines->directory))
        lines->directory[0] = 0;
    lines->kernels = kernels;
    return lines;
}

struct source_lines *source_lines_create(struct kernel_files *kernels)
{
    struct source_lines *lines = create(kernels);
    if (lines)
        lines->has_modules = true;
    return lines;
}

struct source_lines *source_lines_create_for(const struct options *options, struct trace *trace,
                                             bool reads_at_once)
{
    struct tm begun = {0};
    char host[256] = "";
    struct source_lines *lines = create(kernel_files_create_for(options, trace, reads_at_once));
    const char *recorded = trace_fact(trace, "host");
    gethostname(host, sizeof host - 1);
    if (!lines || !recorded || strcmp(recorded, host) != 0)
        return lines;
    const char *start = trace_fact(trace, "start_time");
    if (!start || !strptime(start, "%Y-%m-%dT%H:%M:%SZ", &begun))
        return lines;
    lines->limit = timegm(&begun);
    lines->has_modules = true;
    return lines;
}

void source_lines_destroy(struct source_lines *lines)
{
    while (lines && lines->modules) {
        struct module *module = lines->modules;
        lines->modules = module->next;
        dwfl_end(module->dwfl);
        alloc_free(module->path);
        alloc_free(module);
    }
    if (lines)
        kernel_files_destroy(lines->kernels);
    alloc_free(lines);
}

/* ---- modules ---- */

/* A trace may name any file: what this user or the system has installed, and nobody else wrote. */
static bool is_trusted(const struct stat *facts)
{
    return (facts->st_uid == 0 || facts->st_uid == geteuid()) && !(facts->st_mode & S_IWOTH);
}

static void load(struct source_lines *lines, struct module *module)
{
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    struct stat facts;
    if (stat(module->path, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        (lines->limit && (facts.st_mtime > lines->limit || !is_trusted(&facts))))
        return;
    module->dwfl = dwfl_begin(&callbacks);
    if (!module->dwfl)
        return;
    module->of_dwfl = dwfl_report_offline(module->dwfl, "", module->path, -1);
    dwfl_report_end(module->dwfl, NULL, NULL);
    if (module->of_dwfl)
        dwfl_module_info(module->of_dwfl, NULL, &module->start, NULL, NULL, NULL, NULL, NULL);
}

/* NULL when memory is out. */
static struct module *get_module(struct source_lines *lines, const char *path)
{
    struct module *module = lines->modules;
    while (module && strcmp(module->path, path) != 0)
        module = module->next;
    if (module)
        return module;
    module = alloc_zero(1, sizeof *module);
    char *copy = alloc_string(path);
    if (!module || !copy) {
        alloc_free(module);
        alloc_free(copy);
        return NULL;
    }
    *module = (struct module){.next = lines->modules, .path = copy};
    load(lines, module);
    return lines->modules = module;
}

/* ---- frames ---- */

/* Below the current directory a file is named from there. */
static const char *name_file(struct source_lines *lines, const char *file, const char *directory,
                             struct arena *arena)
{
    const char *whole = file[0] == '/' || !directory
                            ? arena_string(arena, file)
                            : arena_format(arena, "%s/%s", directory, file);
    char real[PATH_MAX];
    if (whole && realpath(whole, real)) /* without what builds put between: "build/../app.c" */
        whole = arena_string(arena, real);
    const size_t length = strlen(lines->directory);
    if (whole && length > 1 && strncmp(whole, lines->directory, length) == 0 &&
        whole[length] == '/')
        return whole + length + 1;
    return whole;
}

/* What debug information tells of an address of return. */
struct source_line {
    const char *function, *file; /* file NULL: nothing is known; function NULL: its name is not */
    uint32_t line;
};

/* What an inlined call was compiled from: the line that calls. */
static bool call_site(struct source_lines *lines, Dwarf_Die *unit, Dwarf_Die *call,
                      const char *directory, struct arena *arena, struct source_line *line)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file, number;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count || number > UINT32_MAX)
        return false;
    const char *name = dwarf_filesrc(files, file, NULL, NULL);
    if (!name)
        return false;
    line->file = name_file(lines, name, directory, arena);
    line->line = (uint32_t)number;
    return line->file != NULL;
}

enum { SCOPES_MAX = 64, NAMESPACES_MAX = 16 };

/* Which part of the scope has the address; functions may lie in namespaces and classes, which have
 * no addresses, so many within each other. */
static bool find_part(Dwarf_Die *scope, Dwarf_Addr address, int namespaces, Dwarf_Die *part)
{
    for (int has = dwarf_child(scope, part); has == 0; has = dwarf_siblingof(part, part)) {
        const int tag = dwarf_tag(part);
        Dwarf_Die inner;
        if (dwarf_haspc(part, address) == 1)
            return true;
        if (namespaces > 0 &&
            (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
            find_part(part, address, namespaces - 1, &inner)) {
            *part = inner;
            return true;
        }
    }
    return false;
}

/* All within the unit that has the address, outermost first: how many. dwarf_getscopes goes on from
 * an inlined function to where that was declared, and fails where that is another unit. */
static int find_scopes(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die scopes[SCOPES_MAX])
{
    int count = 0;
    while (count < SCOPES_MAX &&
           find_part(count ? &scopes[count - 1] : unit, address, NAMESPACES_MAX, &scopes[count]))
        ++count;
    return count;
}

/* A binding's functions are inlined into those that use them: then the line of the user's that
 * calls says more than the binding's. Without one `line` stays. `address` is as in the unit. */
static void leave_inlined(struct source_lines *lines, Dwarf_Die *unit, Dwarf_Addr address,
                          const char *directory, struct arena *arena, struct source_line *line)
{
    Dwarf_Die scopes[SCOPES_MAX];
    for (int i = find_scopes(unit, address, scopes) - 1;
         i >= 0 && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; --i) {
        struct source_line outer = *line;
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
            call_site(lines, unit, &scopes[i], directory, arena, &outer) &&
            frame_file_is_own(outer.file)) {
            *line = outer;
            break;
        }
    }
}

/* The unit that has the address. libdwfl goes by .debug_aranges, which clang does not write, and
 * counts what lies behind a unit as its own, as functions without debug information may. */
static Dwarf_Die *find_unit(Dwfl_Module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, bias);
    if (unit && dwarf_haspc(unit, address - *bias) == 1)
        return unit;
    unit = dwfl_module_nextcu(module, NULL, bias);
    while (unit && dwarf_haspc(unit, address - *bias) != 1)
        unit = dwfl_module_nextcu(module, unit, bias);
    return unit;
}

static struct source_line find_line(struct source_lines *lines, const char *path, uint64_t offset,
                                    struct arena *arena)
{
    int number = 0;
    struct source_line line = {0};
    struct module *module = get_module(lines, path);
    if (!module || !module->of_dwfl || !offset)
        return line;
    const Dwarf_Addr address = module->start + offset - 1; /* within the call */
    Dwarf_Addr bias;
    Dwarf_Die *unit = find_unit(module->of_dwfl, address, &bias);
    Dwarf_Line *found = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
    const char *file = found ? dwarf_linesrc(found, NULL, NULL) : NULL;
    if (found)
        dwarf_lineno(found, &number);
    if (!file || number <= 0)
        return line;
    Dwarf_Attribute attribute;
    const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
    line.file = name_file(lines, file, directory, arena);
    line.function = dwfl_module_addrname(module->of_dwfl, address);
    line.line = (uint32_t)number;
    if (line.file && !frame_file_is_own(line.file))
        leave_inlined(lines, unit, address - bias, directory, arena, &line);
    return line;
}

/* Of "main+0x12 (/home/me/app+0x1139)": the module and the offset there. */
static bool parse_frame(const char *frame, struct arena *arena, const char **path, uint64_t *offset)
{
    const char *open = strstr(frame, " (/");
    while (open && strstr(open + 1, " (/"))
        open = strstr(open + 1, " (/");
    const char *plus = open ? strrchr(open, '+') : NULL;
    int end = 0;
    if (!plus || sscanf(plus, "+0x%" SCNx64 ")%n", offset, &end) != 1 || !end || plus[end])
        return false;
    *path = arena_string_n(arena, open + 2, (size_t)(plus - open - 2));
    return *path != NULL;
}

/* As the layer names the function, "main" of "main+0x12 (...)"; where it knew no name, as libdw
 * does. */
static const char *name_frame(const char *frame, const struct source_line *line,
                              struct arena *arena)
{
    const char *end = strstr(frame, "+0x");
    const char *module = strstr(frame, " (");
    const bool has_name = end && end < module;
    if (!has_name && !line->function)
        return arena_format(arena, "? (%s:%" PRIu32 ")", line->file, line->line);
    return arena_format(arena, "%.*s (%s:%" PRIu32 ")",
                        has_name ? (int)(end - frame) : (int)strlen(line->function),
                        has_name ? frame : line->function, line->file, line->line);
}

/* "launch (/home/me/app.py:12)" has its line. */
static struct source_line line_of_python(struct source_lines *lines, const char *text,
                                         struct arena *arena)
{
    const struct frame frame = frame_parse(text, arena);
    struct source_line line = {.line = frame.line};
    if (!frame.file || frame.line == 0 || frame.file[0] != '/')
        return line;
    line.function = arena_string_n(arena, frame.name, frame.name_length);
    line.file = line.function ? name_file(lines, frame.file, NULL, arena) : NULL;
    return line;
}

static void add_to_place(struct source_lines *lines, struct finding_place *place,
                         struct arena *arena)
{
    const char **frames = arena_alloc(arena, place->frame_count + 1, sizeof *frames);
    if (!frames)
        return;
    for (size_t i = 0; i < place->frame_count; ++i) {
        const char *path;
        uint64_t offset;
        frames[i] = place->frames[i];
        const bool has_module = parse_frame(frames[i], arena, &path, &offset);
        /* Its module alone says that an interpreter's frame, say, is not the program's own. */
        if (has_module && !frame_file_is_own(path))
            continue;
        const struct source_line line = has_module ? find_line(lines, path, offset, arena)
                                                   : line_of_python(lines, frames[i], arena);
        if (!line.file)
            continue;
        const char *named = name_frame(frames[i], &line, arena);
        if (named)
            frames[i] = named;
        if (!place->file && frame_is_own(frames[i]) && access(line.file, F_OK) == 0) {
            place->file = line.file;
            place->line = line.line;
        }
    }
    place->frames = frames;
}

static void add_callers(struct source_lines *lines, struct finding *finding, struct arena *arena)
{
    struct finding_place *places =
        arena_copy(arena, finding->places, finding->place_count * sizeof *places);
    if (!places)
        return;
    for (size_t i = 0; i < finding->place_count; ++i)
        if (places[i].kind != FINDING_PLACE_KERNEL && places[i].frame_count)
            add_to_place(lines, &places[i], arena);
    finding->places = places;
}

void source_lines_add(struct source_lines *lines, struct finding *finding, struct arena *arena)
{
    if (!lines)
        return;
    kernel_files_name(lines->kernels, finding, arena);
    if (lines->has_modules)
        add_callers(lines, finding, arena);
}
