#include "layer/python_stack.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* As <Python.h> declares them, which clerk is not built with. */
typedef struct _object object;
static int (*is_initialized)(void);
static void *(*thread_of_lock)(void); /* NULL = this thread does not have the lock */
static void *(*thread_here)(void);
static object *(*current_frame)(void);
static object *(*frame_back)(object *frame);
static object *(*frame_code)(object *frame);
static int (*frame_line)(object *frame);
static object *(*attribute)(object *of, const char *name);
static const char *(*utf8)(object *string);
static void (*retain)(object *object);
static void (*release)(object *object);
static void (*error_fetch)(object **type, object **value, object **trace);
static void (*error_restore)(object *type, object *value, object *trace);
static int (*collector_disable)(void);
static int (*collector_enable)(void);
static int (*code_line)(object *code, int offset);

/* Where the interpreter keeps its frames: offsets, in bytes. */
struct layout {
    size_t thread_frame; /* of the innermost frame, in a thread's state; or */
    bool is_indirect;    /* of a pointer to what has it at this offset: */
    size_t indirect_frame;
    size_t frame_code, frame_back, frame_instruction;
    size_t frame_owner; /* 0 = all frames are of functions */
    size_t code_file, code_name, code_lines, code_first_line;
    size_t code_instructions; /* 0 = the frame counts them, instead of a pointer to one */
};
/* CPython 3.10: PyThreadState, PyFrameObject, PyCodeObject. */
static const struct layout layout_3_10 = {24, false, 0, 32, 24, 96, 0, 104, 112, 120, 40, 0};
/* From 3.11 on: PyThreadState, _PyCFrame, _PyInterpreterFrame, PyCodeObject. */
static const struct layout layout_3_11 = {56, true, 8, 32, 48, 56, 69, 112, 120, 136, 72, 184};
static const struct layout layout_3_12 = {56, true, 0, 0, 8, 56, 70, 112, 120, 136, 68, 192};
static struct layout layout_3_13;
static const struct layout *layout; /* NULL = not known */
enum { OWNED_BY_C = 3 };            /* a frame of no function */

static bool is_there;

/* 3.13 tells, for debuggers: _Py_DebugOffsets, as words. Later versions have others. */
static const struct layout *read_layout(unsigned long version)
{
    enum { VERSION = 1, FREE_THREADED = 2 };
    const uint64_t *words = dlsym(RTLD_DEFAULT, "_PyRuntime");
    if (!words || memcmp(words, "xdebugpy", 8) != 0 || words[VERSION] != version ||
        words[FREE_THREADED] != 0)
        return NULL;
    layout_3_13 = (struct layout){.thread_frame = words[23],
                                  .frame_code = words[30],
                                  .frame_back = words[29],
                                  .frame_instruction = words[31],
                                  .frame_owner = words[33],
                                  .code_file = words[35],
                                  .code_name = words[36],
                                  .code_lines = words[38],
                                  .code_first_line = words[39],
                                  .code_instructions = words[43]};
    return &layout_3_13;
}

/* 0x030b07f0 is 3.11.7; before 3.11 there is a text, "3.10.13 (main, ...". */
static unsigned long find_version(void)
{
    const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");
    const char *(*text_of)(void);
    void *found = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    memcpy(&text_of, &found, sizeof found);
    return version ? *version : found && strncmp(text_of(), "3.10.", 5) == 0 ? 0x030a0000 : 0;
}

/* Of the versions that are known; what another one keeps where is not guessed. */
static const struct layout *find_layout(void)
{
    const unsigned long version = find_version();
    void *found = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    memcpy(&code_line, &found, sizeof found);
    if (!found || sizeof(void *) != 8)
        return NULL;
    switch (version >> 16) {
    case 0x030a:
        return &layout_3_10;
    case 0x030b:
        return &layout_3_11;
    case 0x030c:
        return &layout_3_12;
    case 0x030d:
        return read_layout(version);
    default:
        return NULL;
    }
}

static void find(void)
{
    static const struct {
        const char *name;
        void *function;       /* a pointer to a function */
        const char *old_name; /* before 3.13 */
    } names[] = {
        {"Py_IsInitialized", &is_initialized, NULL},
        {"PyThreadState_GetUnchecked", &thread_of_lock, "_PyThreadState_UncheckedGet"},
        {"PyGILState_GetThisThreadState", &thread_here, NULL},
        {"PyEval_GetFrame", &current_frame, NULL},
        {"PyFrame_GetBack", &frame_back, NULL},
        {"PyFrame_GetCode", &frame_code, NULL},
        {"PyFrame_GetLineNumber", &frame_line, NULL},
        {"PyObject_GetAttrString", &attribute, NULL},
        {"PyUnicode_AsUTF8", &utf8, NULL},
        {"Py_IncRef", &retain, NULL},
        {"Py_DecRef", &release, NULL},
        {"PyErr_Fetch", &error_fetch, NULL},
        {"PyErr_Restore", &error_restore, NULL},
        {"PyGC_Disable", &collector_disable, NULL},
        {"PyGC_Enable", &collector_enable, NULL},
    };
    is_there = true;
    for (size_t i = 0; is_there && i < sizeof names / sizeof *names; i++) {
        void *found = dlsym(RTLD_DEFAULT, names[i].name);
        if (!found && names[i].old_name)
            found = dlsym(RTLD_DEFAULT, names[i].old_name);
        is_there = found != NULL;
        memcpy(names[i].function, &found, sizeof found);
    }
    if (is_there)
        layout = find_layout();
}

/* ---- asking the interpreter ---- */

/* What is asked of the interpreter here makes objects. That must not begin a collection, whose
 * finalizers may call OpenCL, nor disturb an exception that is on its way. */
struct quiet {
    object *type, *value, *trace;
    int collects;
};

static void begin_quiet(struct quiet *quiet)
{
    quiet->collects = collector_disable();
    error_fetch(&quiet->type, &quiet->value, &quiet->trace);
}

static void end_quiet(const struct quiet *quiet)
{
    error_restore(quiet->type, quiet->value, quiet->trace);
    if (quiet->collects)
        collector_enable();
}

/* The code is never released, so that no other code gets its address. */
static size_t ask(struct python_frame frames[PYTHON_FRAMES_MAX])
{
    struct quiet quiet;
    size_t count = 0;
    begin_quiet(&quiet);
    object *frame = current_frame();
    if (frame)
        retain(frame); /* as frame_back gives them */
    while (frame && count < PYTHON_FRAMES_MAX) {
        frames[count++] =
            (struct python_frame){.code = frame_code(frame), .line = (size_t)frame_line(frame)};
        object *back = frame_back(frame);
        release(frame);
        frame = back;
    }
    if (frame)
        release(frame);
    end_quiet(&quiet);
    return count;
}

/* The text of a member that is a string. */
static const char *member(object *of, const char *name, struct arena *arena)
{
    object *string = attribute(of, name);
    const char *text = string ? utf8(string) : NULL;
    const char *copy = text ? arena_string(arena, text) : NULL;
    if (string)
        release(string);
    return copy;
}

/* ---- reading where it keeps them ---- */

static char *load(const char *from, size_t offset)
{
    char *pointer;
    memcpy(&pointer, from + offset, sizeof pointer);
    return pointer;
}

/* A string of ASCII alone, as PyASCIIObject has it, is asked for without a change of it. */
static const char *read_string(char *string)
{
    enum { STATE = 32, IS_COMPACT = 1 << 5, IS_ASCII = 1 << 6 };
    uint32_t state;
    memcpy(&state, string + STATE, sizeof state);
    return (state & IS_COMPACT) && (state & IS_ASCII) ? utf8((object *)string) : NULL;
}

static size_t digest_of(const char *text)
{
    return text ? XXH3_64bits(text, strlen(text)) : 0;
}

/* Where in the code it is, in bytes: what it counts in are instructions, of two each. */
static int read_offset(const char *frame, const char *code)
{
    int32_t instruction;
    if (layout->code_instructions)
        return (int)(load(frame, layout->frame_instruction) - (code + layout->code_instructions));
    memcpy(&instruction, frame + layout->frame_instruction, sizeof instruction);
    return instruction * 2;
}

/* The interpreter goes through the lines of a function from its first one, which takes microseconds
 * in a long one, and programs enqueue from few places. What it goes by is bytes, as PyBytesObject
 * has them, and the first line; addresses may be another function's by now. */
static size_t line_at(char *code, int offset)
{
    enum { SIZE = 16, BYTES = 32, KEPT = 64 };
    static _Thread_local struct {
        uint64_t key;
        size_t line;
    } kept[KEPT];
    const char *lines = load(code, layout->code_lines);
    int64_t size;
    int32_t first;
    memcpy(&size, lines + SIZE, sizeof size);
    memcpy(&first, code + layout->code_first_line, sizeof first);
    const uint64_t key = XXH3_64bits_withSeed(lines + BYTES, (size_t)size,
                                              (uint64_t)(uint32_t)first << 32 | (uint32_t)offset);
    if (kept[key % KEPT].key != key) {
        kept[key % KEPT].line = (size_t)code_line((object *)code, offset);
        kept[key % KEPT].key = key;
    }
    return kept[key % KEPT].line;
}

static struct python_frame read_frame(const char *frame)
{
    char *code = load(frame, layout->frame_code);
    const char *file = read_string(load(code, layout->code_file));
    const char *name = read_string(load(code, layout->code_name));
    return (struct python_frame){.code = code,
                                 .digest = digest_of(file) * 31 + digest_of(name),
                                 .line = line_at(code, read_offset(frame, code))};
}

/* Frames of the calling thread do not change while it is in a call. */
static size_t read_all(const char *thread, struct python_frame frames[PYTHON_FRAMES_MAX])
{
    size_t count = 0;
    const char *frame = load(thread, layout->thread_frame);
    if (layout->is_indirect && frame)
        frame = load(frame, layout->indirect_frame);
    for (; frame && count < PYTHON_FRAMES_MAX; frame = load(frame, layout->frame_back))
        if (layout->frame_owner == 0 || frame[layout->frame_owner] != OWNED_BY_C)
            frames[count++] = read_frame(frame);
    return count;
}

/* ---- both ---- */

size_t python_stack_walk(struct python_frame frames[PYTHON_FRAMES_MAX])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    const void *thread = is_there && is_initialized() ? thread_here() : NULL;
    if (!thread)
        return 0;
    if (layout)
        return read_all(thread, frames);
    return thread_of_lock() == thread ? ask(frames) : 0;
}

const char *python_stack_describe(const struct python_frame *frame, struct arena *arena)
{
    char path[PATH_MAX];
    struct quiet quiet;
    const char *file, *name;
    if (layout) {
        file = read_string(load(frame->code, layout->code_file));
        name = read_string(load(frame->code, layout->code_name));
    } else {
        begin_quiet(&quiet);
        file = member(frame->code, "co_filename", arena);
        name = member(frame->code, "co_name", arena);
        end_quiet(&quiet);
    }
    if (!file || !name)
        return NULL;
    return arena_format(arena, "%s (%s:%zu)", name, realpath(file, path) ? path : file,
                        frame->line);
}
