/* Numbers of stacks are indices into a list, found again by a digest of the return addresses.
 * Frames inside this library and inside the OpenCL loader say nothing about the application and are
 * left out when a stack is described. */
#define UNW_LOCAL_ONLY

#include "layer/stack.h"

#include "layer/hash.h"
#include "layer/python_stack.h"
#include "layer/thread.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <libunwind.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRAME_MAX = 32,
    NAME_SIZE = 512,
    RECENT_SETS = 64,
    RECENT_WAYS = 8, /* the latest of each set */
};

struct stack {
    uint64_t number;
    const char *located; /* of stack_locate; NULL = nobody has asked */
    size_t frame_count;
    size_t python_count;
    char *python[PYTHON_FRAMES_MAX]; /* what they are called; NULL = that is not known */
    /* Where the return addresses stood, relative to the capturing function's frame: as many as
     * frame_count, in `slots`, or 0 of them. */
    size_t slot_count;
    uint32_t slots[FRAME_MAX];
    UT_hash_handle hh;
    void *frames[]; /* and Python's, as python_stack_walk gives them: the hash's key */
};
enum { PYTHON_WORDS = sizeof(struct python_frame) / sizeof(void *) };

/* What an address is called. To find that out takes milliseconds: symbols are read from files. */
struct frame_name {
    void *address;
    const char *text; /* NULL = machinery, which is left out */
    UT_hash_handle hh;
};

struct stack_table {
    pthread_mutex_t mutex;
    struct stack *stacks; /* by frames */
    struct stack **list;  /* by number - 1 */
    size_t count, capacity;
    /* Stacks that are likely to come again, by how deep they are: read without the mutex. */
    _Atomic(const struct stack *) recent[RECENT_SETS][RECENT_WAYS];
    size_t next_way;
    pthread_mutex_t naming; /* guards what follows, and what stacks are located as */
    struct frame_name *names;
    struct arena arena; /* the names */
};

#ifdef __SANITIZE_THREAD__
/* libunwind frees what unw_backtrace keeps of a thread after the thread sanitizer has let go of
 * that thread, and the sanitizer crashes. */
static int walk(void **frames, int max)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t address;
    int count = 0;
    if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
        return 0;
    while (count < max && unw_get_reg(&cursor, UNW_REG_IP, &address) == 0 && address != 0) {
        frames[count++] = (void *)address;
        if (unw_step(&cursor) <= 0)
            break;
    }
    return count;
}
#else
static int walk(void **frames, int max)
{
    return unw_backtrace(frames, max);
}
#endif

struct stack_table *stack_table_create(void)
{
    struct stack_table *table = alloc_zero(1, sizeof *table);
    if (table) {
        pthread_mutex_init(&table->mutex, NULL);
        pthread_mutex_init(&table->naming, NULL);
        /* libunwind's first walk makes what all later ones read: here no other thread does one. */
        void *frame;
        walk(&frame, 1);
    }
    return table;
}

void stack_table_destroy(struct stack_table *table)
{
    if (!table)
        return;
    HASH_CLEAR(hh, table->stacks);
    for (size_t i = 0; i < table->count; i++) {
        for (size_t k = 0; k < table->list[i]->python_count; k++)
            alloc_free(table->list[i]->python[k]);
        alloc_free(table->list[i]);
    }
    alloc_free(table->list);
    HASH_CLEAR(hh, table->names);
    arena_release(&table->arena);
    pthread_mutex_destroy(&table->mutex);
    pthread_mutex_destroy(&table->naming);
    alloc_free(table);
}

/* With the table locked; `count` frames, and behind them Python's. NULL when memory is out. */
static struct stack *stack_add(struct stack_table *table, void *const *frames, size_t count,
                               size_t python_count)
{
    const size_t words = count + python_count * PYTHON_WORDS;
    struct stack **list = alloc_grow(table->list, table->count, &table->capacity, sizeof *list);
    if (!list)
        return NULL;
    table->list = list;
    struct stack *stack = alloc(sizeof *stack + words * sizeof *frames);
    if (!stack)
        return NULL;
    stack->number = table->count + 1;
    stack->frame_count = count;
    stack->slot_count = 0;
    stack->located = NULL;
    stack->python_count = python_count;
    memset(stack->python, 0, sizeof stack->python);
    memcpy(stack->frames, frames, words * sizeof *frames);
    bool added = true;
    HASH_ADD_KEYPTR(hh, table->stacks, stack->frames, (unsigned)(words * sizeof *frames), stack);
    if (!added) {
        alloc_free(stack);
        return NULL;
    }
    list[table->count++] = stack;
    return stack;
}

/* ---- stacks that come again ----
 *
 * To walk a stack takes longer than all the rest of a call. But the same stack is captured again
 * and again: then its return addresses stand in the same places as before, and to compare them is
 * enough. A place is looked at only after all those inside it: as long as they hold what they held,
 * the functions are the same, and so the next frame is where it was. */

#ifdef __x86_64__
enum { SLOTS_ARE_FOUND = true };
#else
enum { SLOTS_ARE_FOUND = false }; /* return addresses may be in registers */
#endif

static bool stands_here(const struct stack *stack, const char *frame)
{
    for (size_t i = 1; i < stack->slot_count; i++)
        if (memcmp(frame + stack->slots[i], &stack->frames[i], sizeof stack->frames[i]) != 0)
            return false;
    return stack->slot_count > 0;
}

/* Finds where the return addresses of a new stack stand. The first of them is in stack_capture
 * itself. Where clerk goes on with a stack of its own, the rest is in another distance each time.
 */
static void find_slots(struct stack *stack, const char *frame)
{
    unw_context_t context;
    unw_cursor_t cursor;
    size_t i = 1;
    if (!SLOTS_ARE_FOUND || unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
        return;
    while (i < stack->frame_count && unw_step(&cursor) > 0) {
        unw_word_t address, pointer;
        if (unw_get_reg(&cursor, UNW_REG_IP, &address) != 0 ||
            unw_get_reg(&cursor, UNW_REG_SP, &pointer) != 0)
            return;
        if (room_is_switch(address))
            return;
        if (address != (unw_word_t)stack->frames[i] && i == 1)
            continue; /* not yet outside of stack_capture */
        const char *slot = (const char *)pointer - sizeof(void *);
        if (slot < frame || slot - frame > UINT32_MAX ||
            memcmp(slot, &stack->frames[i], sizeof stack->frames[i]) != 0)
            return;
        stack->slots[i++] = (uint32_t)(slot - frame);
    }
    if (i == stack->frame_count)
        stack->slot_count = i;
}

static bool is_called_by(const struct stack *stack, const struct python_frame *python, size_t count)
{
    return stack->python_count == count &&
           (count == 0 ||
            memcmp(stack->frames + stack->frame_count, python, count * sizeof *python) == 0);
}

static _Atomic(const struct stack *) *recent_set(struct stack_table *table, const char *frame)
{
    return table->recent[((uintptr_t)frame >> 4) % RECENT_SETS];
}

static const struct stack *find_recent(struct stack_table *table, const char *frame,
                                       const struct python_frame *python, size_t python_count)
{
    _Atomic(const struct stack *) *set = recent_set(table, frame);
    for (size_t way = 0; way < RECENT_WAYS; way++) {
        const struct stack *stack = atomic_load_explicit(&set[way], memory_order_acquire);
        if (stack && stands_here(stack, frame) && is_called_by(stack, python, python_count))
            return stack;
    }
    return NULL;
}

/* With the table locked. */
static void remember_recent(struct stack_table *table, const struct stack *stack, const char *frame)
{
    _Atomic(const struct stack *) *set = recent_set(table, frame);
    atomic_store_explicit(&set[table->next_way++ % RECENT_WAYS], stack, memory_order_release);
}

/* `frame` is stack_capture's, NULL = another took the frames. With the table locked. */
static struct stack *find_or_add(struct stack_table *table, void *const *frames, size_t count,
                                 size_t python_count, const char *frame)
{
    const size_t words = count + python_count * PYTHON_WORDS;
    struct stack *stack;
    HASH_FIND(hh, table->stacks, frames, (unsigned)(words * sizeof *frames), stack);
    if (stack)
        return stack;
    stack = stack_add(table, frames, count, python_count);
    if (stack && frame)
        find_slots(stack, frame);
    return stack;
}

/* Their names are known to the thread that calls alone, and only now. Without the lock, as the
 * interpreter is asked. */
static void name_python(struct stack *stack, const struct python_frame *python)
{
    struct arena arena = {0};
    for (size_t i = 0; i < stack->python_count; i++) {
        const char *text = python_stack_describe(&python[i], &arena);
        stack->python[i] = text ? alloc_string(text) : NULL;
    }
    arena_release(&arena);
}

uint64_t stack_capture(void *user)
{
    struct stack_table *table = user;
    const char *frame = __builtin_frame_address(0);
    void *frames[FRAME_MAX + PYTHON_FRAMES_MAX * PYTHON_WORDS];
    struct python_frame python[PYTHON_FRAMES_MAX];
    const size_t python_count = python_stack_walk(python);
    const struct stack *recent = find_recent(table, frame, python, python_count);
    if (recent)
        return recent->number;
    const int count = walk(frames, FRAME_MAX);
    if (count <= 0)
        return 0;
    memcpy(frames + count, python, python_count * sizeof *python);
    pthread_mutex_lock(&table->mutex);
    const size_t known = table->count;
    struct stack *stack = find_or_add(table, frames, (size_t)count, python_count, frame);
    if (stack && stands_here(stack, frame))
        remember_recent(table, stack, frame);
    const uint64_t number = stack ? stack->number : 0;
    pthread_mutex_unlock(&table->mutex);
    if (number > known)
        name_python(stack, python);
    return number;
}

size_t stack_walk(void **frames, size_t count)
{
    const int walked = walk(frames, (int)count);
    return walked > 0 ? (size_t)walked : 0;
}

uint64_t stack_keep(struct stack_table *table, void *const *frames, size_t count)
{
    pthread_mutex_lock(&table->mutex);
    const struct stack *stack = find_or_add(table, frames, count, 0, NULL);
    const uint64_t number = stack ? stack->number : 0;
    pthread_mutex_unlock(&table->mutex);
    return number;
}

/* The function around an address, also one that is not exported, as far as the file has symbols. Of
 * a stripped file libunwind names the symbol before the address, whatever function it is of: where
 * the unwind table knows the function, both must begin at the same place. */
static bool function_name(void *address, char *name, size_t size, uint64_t *offset)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t distance;
    unw_proc_info_t function;
    if (unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0 ||
        unw_set_reg(&cursor, UNW_REG_IP, (unw_word_t)address) != 0)
        return false;
    if (unw_get_proc_name(&cursor, name, size, &distance) != 0)
        return false;
    if (unw_get_proc_info(&cursor, &function) == 0 && function.start_ip != 0 &&
        function.start_ip != (unw_word_t)address - distance)
        return false;
    *offset = distance;
    return true;
}

static bool is_machinery(const Dl_info *info, const Dl_info *own)
{
    return info->dli_fbase == own->dli_fbase ||
           strncmp(path_base(info->dli_fname), "libOpenCL.so", 12) == 0;
}

/* A name of C++ as its programmer wrote it, where the program has the runtime that tells. */
static const char *demangle(const char *name, struct arena *arena)
{
    typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);
    void *found = strncmp(name, "_Z", 2) == 0 ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;
    demangler *demangles;
    memcpy(&demangles, &found, sizeof demangles);
    char *plain = found ? demangles(name, NULL, NULL, NULL) : NULL;
    const char *kept = plain ? arena_string(arena, plain) : NULL;
    free(plain);
    return kept ? kept : name;
}

/* The whole path of a module, for those who look up lines in it; the program itself may be known by
 * the name alone by which it was found in PATH. */
static const char *module_path(const char *name, char *path)
{
    const bool is_program = strcmp(name, program_invocation_name) == 0;
    return realpath(is_program ? "/proc/self/exe" : name, path) ? path : name;
}

static const char *frame_locate(void *address, const Dl_info *info, struct arena *arena)
{
    char path[PATH_MAX];
    const size_t distance = (size_t)((char *)address - (char *)info->dli_fbase);
    return arena_format(arena, "0x%zx (%s+0x%zx)", distance, module_path(info->dli_fname, path),
                        distance);
}

static const char *frame_describe(void *address, const Dl_info *info, struct arena *arena)
{
    char name[NAME_SIZE];
    uint64_t offset;
    /* A return address is after its call, perhaps already in the next function. */
    void *inside = (char *)address - 1;
    if (!info->dli_fname)
        return arena_string(arena, "?");
    const char *place = frame_locate(address, info, arena);
    if (!place || !function_name(inside, name, sizeof name, &offset))
        return place;
    return arena_format(arena, "%s+0x%" PRIx64 "%s", demangle(name, arena), offset + 1,
                        strchr(place, ' '));
}

/* With `naming` locked. NULL when memory is out. */
static const struct frame_name *name_frame(struct stack_table *table, void *address)
{
    struct frame_name *name;
    Dl_info own = {0};
    Dl_info info = {0};
    HASH_FIND_PTR(table->names, &address, name);
    if (name)
        return name;
    dladdr(&is_machinery, &own);
    dladdr(address, &info);
    name = arena_alloc(&table->arena, 1, sizeof *name);
    if (!name)
        return NULL;
    *name = (struct frame_name){.address = address};
    if (!info.dli_fname || !is_machinery(&info, &own)) {
        name->text = frame_describe(address, &info, &table->arena);
        if (!name->text)
            return NULL;
    }
    bool added = true;
    HASH_ADD_PTR(table->names, address, name);
    return added ? name : NULL;
}

static struct stack *stack_find(struct stack_table *table, uint64_t number)
{
    pthread_mutex_lock(&table->mutex);
    struct stack *stack = number > 0 && number <= table->count ? table->list[number - 1] : NULL;
    pthread_mutex_unlock(&table->mutex);
    return stack;
}

size_t stack_describe(void *user, uint64_t number, struct arena *arena, const char *const **frames)
{
    struct stack_table *table = user;
    const struct stack *stack = stack_find(table, number);
    if (!stack)
        return 0;
    const char **described =
        arena_alloc(arena, stack->python_count + stack->frame_count, sizeof *described);
    size_t count = 0;
    for (size_t i = 0; described && i < stack->python_count; i++)
        if (stack->python[i])
            described[count++] = stack->python[i];
    pthread_mutex_lock(&table->naming);
    for (size_t i = 0; described && i < stack->frame_count; i++) {
        const struct frame_name *name = name_frame(table, stack->frames[i]);
        if (!name)
            break;
        if (name->text)
            described[count++] = name->text;
    }
    pthread_mutex_unlock(&table->naming);
    *frames = described;
    return count;
}

/* With `naming` locked. */
static const char *locate(struct stack_table *table, const struct stack *stack)
{
    const char *text = "";
    Dl_info own = {0};
    dladdr(&is_machinery, &own);
    for (size_t i = 0; text && i < stack->python_count; i++)
        if (stack->python[i])
            text = arena_format(&table->arena, "%s%s\n", text, stack->python[i]);
    for (size_t i = 0; text && i < stack->frame_count; i++) {
        Dl_info info = {0};
        dladdr(stack->frames[i], &info);
        if (!info.dli_fname || is_machinery(&info, &own))
            continue;
        const char *frame = frame_locate(stack->frames[i], &info, &table->arena);
        text = frame ? arena_format(&table->arena, "%s%s\n", text, frame) : NULL;
    }
    return text;
}

const char *stack_locate(struct stack_table *table, uint64_t number)
{
    struct stack *stack = stack_find(table, number);
    if (!stack)
        return NULL;
    pthread_mutex_lock(&table->naming);
    if (!stack->located)
        stack->located = locate(table, stack);
    const char *located = stack->located;
    pthread_mutex_unlock(&table->naming);
    return located;
}
