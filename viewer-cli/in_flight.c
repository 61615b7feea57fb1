#include "viewer-cli/in_flight.h"

#include "checkers/frame.h"
#include "trace/api/entry.h"
#include "trace/api/in_flight.h"
#include "trace/base/alloc.h"
#include "trace/base/scratch.h"
#include "trace/base/text.h"
#include "trace/base/visible.h"
#include "viewer-cli/source_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { TOLD_MAX = 4, FRAMES_MAX = 4 };

struct calls_in_flight {
    struct scratch file;
};

enum status calls_in_flight_create(struct calls_in_flight **calls, struct error *error)
{
    struct calls_in_flight *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    enum status status = scratch_make_file(&made->file, error);
    if (!status &&
        truncate(made->file.path, IN_FLIGHT_THREADS * (off_t)sizeof(struct in_flight)) != 0)
        status = error_set_errno(error, "cannot write '%s'", made->file.path);
    if (status) {
        calls_in_flight_destroy(made);
        return status;
    }
    *calls = made;
    return STATUS_OK;
}

void calls_in_flight_destroy(struct calls_in_flight *calls)
{
    if (calls)
        scratch_release(&calls->file);
    alloc_free(calls);
}

const char *calls_in_flight_path(const struct calls_in_flight *calls)
{
    return calls->file.path;
}

static bool is_no_more(uint32_t process)
{
    return process != 0 && process <= INT32_MAX && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* As a place of a finding: its frames get their lines in the same way. */
static struct finding_place make_place(const struct in_flight *thread, const char *name,
                                       struct arena *arena)
{
    struct finding_place place = {.kind = FINDING_PLACE_CALL, .function = name};
    char *text =
        arena_string_n(arena, thread->frames, strnlen(thread->frames, sizeof thread->frames));
    const char **frames = arena_alloc(arena, IN_FLIGHT_FRAMES_SIZE, sizeof *frames);
    place.frames = frames;
    for (char *end; frames && text && (end = strchr(text, '\n')) != NULL; text = end + 1) {
        *end = '\0';
        frames[place.frame_count++] = text;
    }
    return place;
}

/* Where lines are known the outermost frame, which begins the program, has none. */
static void append_own_frames(const struct finding_place *place, struct text *text)
{
    int told = 0;
    for (size_t i = 0; i < place->frame_count && told < FRAMES_MAX; i++)
        if (frame_is_own(place->frames[i]) && (told == 0 || place->frames[i][0] != '0'))
            text_format(text, "       %s %s\n", told++ == 0 ? "at" : "  ", place->frames[i]);
}

static void tell(struct source_lines *lines, const struct in_flight *thread, uint32_t program)
{
    struct arena arena = {0};
    struct text text = TEXT_INIT;
    const char *name = api_entry_get(atomic_load(&thread->entry))->name;
    struct finding_place place = make_place(thread, name, &arena);
    struct finding finding = {.places = &place, .place_count = 1};
    source_lines_add(lines, &finding, &arena);
    text_format(&text, "clerk: call %" PRIu64 ", %s by thread %" PRIu32, thread->call, name,
                thread->thread);
    if (atomic_load(&thread->process) != program)
        text_format(&text, " of process %" PRIu32, atomic_load(&thread->process));
    text_format(&text, ", never returned\n");
    append_own_frames(&finding.places[0], &text);
    visible_print(stderr, text.bytes, text.size);
    text_release(&text);
    arena_release(&arena);
}

/* May a kernel be why the call did not return? It waits for kernels, and the program has launched
 * some that nothing watched. */
static bool may_be_kernel(const struct in_flight *threads, size_t count,
                          const struct in_flight *waiting)
{
    const uint32_t entry = atomic_load(&waiting->entry);
    const bool waits = entry == API_ENTRY_clFinish || entry == API_ENTRY_clWaitForEvents ||
                       api_entry_enqueues(entry);
    bool has_launched = false;
    for (size_t i = 0; i < count; i++)
        has_launched |= atomic_load(&threads[i].process) == atomic_load(&waiting->process) &&
                        atomic_load(&threads[i].unchecked) != 0;
    return waits && has_launched;
}

size_t calls_in_flight_tell(const struct calls_in_flight *calls, uint32_t program)
{
    void *bytes = NULL;
    size_t size = 0, count = 0;
    if (file_read_private(calls->file.path, IN_FLIGHT_THREADS * sizeof(struct in_flight), &bytes,
                          &size, NULL))
        return 0;
    struct source_lines *lines = source_lines_create(NULL);
    const struct in_flight *threads = bytes;
    const size_t thread_count = size / sizeof *threads;
    bool may_be_kernels = false;
    for (size_t i = 0; i < thread_count; i++) {
        if (atomic_load(&threads[i].entry) == API_ENTRY_UNKNOWN ||
            !is_no_more(atomic_load(&threads[i].process)))
            continue;
        may_be_kernels |= may_be_kernel(threads, thread_count, &threads[i]);
        if (count++ < TOLD_MAX)
            tell(lines, &threads[i], program);
    }
    if (may_be_kernels)
        visible_tell("clerk: if a kernel is why, clerk run --probes may tell which, and what is "
                     "wrong with it\n");
    source_lines_destroy(lines);
    alloc_free(bytes);
    return count;
}
