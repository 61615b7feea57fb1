#include "viewer-cli/source_lines.h"

#include "trace/base/alloc.h"

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
    time_t limit; /* of the times at which modules were changed; 0 = none */
    char directory[PATH_MAX];
};

static struct source_lines *create(time_t limit)
{
    struct source_lines *lines = alloc_zero(1, sizeof *lines);
    if (lines && !getcwd(lines->directory, sizeof lines->directory))
        lines->directory[0] = 0;
    if (lines)
        lines->limit = limit;
    return lines;
}

struct source_lines *source_lines_create(void)
{
    return create(0);
}

struct source_lines *source_lines_create_for(struct trace *trace)
{
    struct tm begun = {0};
    char host[256] = "";
    const char *recorded = trace_fact(trace, "host");
    gethostname(host, sizeof host - 1);
    if (!recorded || strcmp(recorded, host) != 0)
        return NULL;
    const char *start = trace_fact(trace, "start_time");
    if (!start || !strptime(start, "%Y-%m-%dT%H:%M:%SZ", &begun))
        return NULL;
    return create(timegm(&begun));
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
    alloc_free(lines);
}

/* ---- modules ---- */

static void load(struct source_lines *lines, struct module *module)
{
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};
    struct stat facts;
    if (stat(module->path, &facts) != 0 || (lines->limit && facts.st_mtime > lines->limit))
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

/* The file of an address in the module; NULL = not known. Below the current directory it is named
 * from there. */
static const char *find_line(struct source_lines *lines, const char *path, uint64_t offset,
                             uint32_t *line, struct arena *arena)
{
    int number = 0;
    struct module *module = get_module(lines, path);
    /* An address of return is behind its call. */
    Dwfl_Line *found = module && module->of_dwfl && offset
                           ? dwfl_module_getsrc(module->of_dwfl, module->start + offset - 1)
                           : NULL;
    const char *file = found ? dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL;
    if (!file || number <= 0)
        return NULL;
    *line = (uint32_t)number;
    const char *directory = file[0] == '/' ? NULL : dwfl_line_comp_dir(found);
    const char *whole =
        directory ? arena_format(arena, "%s/%s", directory, file) : arena_string(arena, file);
    char real[PATH_MAX];
    if (whole && realpath(whole, real)) /* without what builds put between: "build/../app.c" */
        whole = arena_string(arena, real);
    const size_t length = strlen(lines->directory);
    if (whole && length > 1 && strncmp(whole, lines->directory, length) == 0 &&
        whole[length] == '/')
        return whole + length + 1;
    return whole;
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

static void add_to_place(struct source_lines *lines, struct finding_place *place,
                         struct arena *arena)
{
    const char **frames = arena_alloc(arena, place->frame_count + 1, sizeof *frames);
    if (!frames)
        return;
    for (size_t i = 0; i < place->frame_count; ++i) {
        const char *path;
        uint64_t offset;
        uint32_t line;
        frames[i] = place->frames[i];
        if (!parse_frame(frames[i], arena, &path, &offset))
            continue;
        const char *file = find_line(lines, path, offset, &line, arena);
        if (!file)
            continue;
        /* "main" of "main+0x12 ..."; operators of C++ have a plus sign of their own. */
        const char *name_end = strstr(frames[i], "+0x");
        const char *named =
            arena_format(arena, "%.*s (%s:%" PRIu32 ")", (int)(name_end ? name_end - frames[i] : 0),
                         frames[i], file, line);
        if (named)
            frames[i] = named;
        if (!place->file) {
            place->file = file;
            place->line = line;
        }
    }
    place->frames = frames;
}

void source_lines_add(struct source_lines *lines, struct finding *finding, struct arena *arena)
{
    struct finding_place *places =
        lines ? arena_copy(arena, finding->places, finding->place_count * sizeof *places) : NULL;
    if (!places)
        return;
    for (size_t i = 0; i < finding->place_count; ++i)
        if (places[i].kind != FINDING_PLACE_KERNEL && places[i].frame_count)
            add_to_place(lines, &places[i], arena);
    finding->places = places;
}
