#include "reference/native/native.h"

#include "reference/native/build.h"
#include "reference/native/generate.h"
#include "reference/native/load.h"
#include "reference/vm/exec.h"
#include "reference/vm/native.h"
#include "trace/api/cache.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"

#include <pthread.h>
#include <string.h>

/* Instructions, each for up to 64 work-items: 10 to 20 ms. */
static const uint64_t HOT = 2000000;
/* After how many to look again. */
static const uint64_t LOOK = 200000;
static const uint64_t NEVER = UINT64_MAX / 2;
/* clang's time grows faster than what it compiles: of nearly 10,000 it took 104 s, of some 2,000 6
 * s. It is taken again by each run of a program that ends before clang does. */
enum { INSTRUCTIONS_MAX = 3000 };

enum state {
    STATE_COLD,
    STATE_BUILDING,
    STATE_READY,
    STATE_NONE, /* there is none, and will not be */
};

struct native {
    struct vm_native_source source; /* the first member */
    const struct vm_code *code;
    pthread_mutex_t mutex; /* for what follows */
    enum state state;
    uint64_t done;
    struct native_build *build;
    vm_native_run *made;
};

static enum native_mode mode_of_process;

void native_set_mode(enum native_mode mode)
{
    __atomic_store_n(&mode_of_process, mode, __ATOMIC_RELAXED);
}

/* ---- making it ---- */

static struct native_set current_set(void)
{
    const char *name = vm_machine_selected();
    return (struct native_set){.name = name, .rounds = strcmp(name, "base") != 0};
}

/* Takes the text. */
static enum status begin(struct text *text, const struct native_set *set, bool waits,
                         struct native_build **build, struct error *error)
{
    char *cache = cache_directory();
    enum status status = cache ? cache_check_private(cache, error)
                               : error_set(error, STATUS_NOT_FOUND,
                                           "nothing is to be kept in a cache (CLERK_CACHE)");
    if (status == STATUS_OK && text->failed)
        status = error_no_memory(error, 1);
    if (status == STATUS_OK)
        status = native_build_start(text, set, cache, waits, build, error);
    text_release(text);
    alloc_free(cache);
    return status;
}

static bool begin_code(struct native *native, bool waits, struct error *error)
{
    const struct native_set set = current_set();
    struct text text = TEXT_INIT;
    if (native->code->instruction_count <= INSTRUCTIONS_MAX &&
        native_generate(native->code, &set, &text))
        return begin(&text, &set, waits, &native->build, error) == STATUS_OK;
    error->text[0] = '\0';
    text_release(&text);
    return false;
}

static enum status end(struct native_build *build, vm_native_run **made, struct error *error)
{
    size_t size;
    uint8_t *bytes = native_build_take(build, &size, error);
    const enum status status = bytes ? native_load(bytes, size, made, error) : STATUS_IO;
    alloc_free(bytes);
    return status;
}

/* ---- when ---- */

/* Who waits for it wants to know why it does not come; nothing is to be told where there is nothing
 * to gain. */
static void give_up(struct native *native, bool waits, const struct error *error)
{
    native->state = STATE_NONE;
    if (waits && error->text[0] != '\0')
        visible_tell("clerk: no native code of kernel '%s': %s\n", native->code->name, error->text);
}

static void go_on(struct native *native, bool waits)
{
    struct error error;
    if (native->state == STATE_COLD && (waits || native->done >= HOT)) {
        native->state = STATE_BUILDING;
        if (!begin_code(native, waits, &error))
            give_up(native, waits, &error);
    }
    if (native->state != STATE_BUILDING || !native_build_ended(native->build))
        return;
    native->state = STATE_READY;
    if (end(native->build, &native->made, &error) != STATUS_OK)
        give_up(native, waits, &error);
    native_build_drop(native->build);
    native->build = NULL;
}

static vm_native_run *get(struct vm_native_source *source, uint64_t done, uint64_t *next)
{
    struct native *native = (struct native *)source;
    const enum native_mode mode = __atomic_load_n(&mode_of_process, __ATOMIC_RELAXED);
    *next = NEVER;
    if (mode == NATIVE_OFF)
        return NULL;
    pthread_mutex_lock(&native->mutex);
    native->done += done;
    go_on(native, mode == NATIVE_ALWAYS);
    const enum state state = native->state;
    pthread_mutex_unlock(&native->mutex);
    if (state == STATE_COLD || state == STATE_BUILDING)
        *next = LOOK;
    return state == STATE_READY ? native->made : NULL;
}

static void destroy(struct vm_native_source *source)
{
    struct native *native = (struct native *)source;
    native_build_drop(native->build);
    pthread_mutex_destroy(&native->mutex);
    alloc_free(native);
}

struct vm_native_source *native_source_create(const struct vm_code *code)
{
    struct native *native = alloc_zero(1, sizeof *native);
    if (!native)
        return NULL;
    native->source = (struct vm_native_source){.get = get, .destroy = destroy};
    native->code = code;
    pthread_mutex_init(&native->mutex, NULL);
    return &native->source;
}

/* ---- trying it ---- */

bool native_try(struct text *sentence)
{
    const struct native_set set = current_set();
    struct text text = TEXT_INIT;
    struct native_build *build = NULL;
    struct error error;
    vm_native_run *run = NULL;
    text_append(&text, "__attribute__((visibility(\"default\"))) unsigned " NATIVE_SYMBOL
                       "(void *call) { return ~0u; }\n");
    enum status status = begin(&text, &set, true, &build, &error);
    if (status == STATUS_OK)
        status = end(build, &run, &error);
    native_build_drop(build);
    const bool works = status == STATUS_OK && run(NULL) == VM_NATIVE_NO_SITE;
    if (works)
        text_format(sentence, "for processors of the set \"%s\"", set.name);
    else
        text_format(sentence, "kernels are interpreted: %s",
                    status == STATUS_OK ? "what was compiled does not run rightly" : error.text);
    return works;
}
