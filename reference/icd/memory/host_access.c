
#include "checkers/finding.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/findings.h"
#include "reference/icd/memory/svm.h"
#include "reference/vm/svm.h"
#include "trace/base/alloc.h"
#include "trace/base/fault.h"
#include "trace/base/size.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    NOTES = 64,  /* of a launch; more accesses are let pass */
    VECTOR = 64, /* bytes that one instruction reads, at most */
};

struct watched_object {
    uint32_t id;
    bool coarse;
    uintptr_t begin;
    uint64_t size;
    /* The first access that is wrong, and how many are. */
    const struct note *wrong;
    uint64_t wrong_count;
    bool kernel_writes; /* the byte of that access */
};

struct host_access {
    struct checks checks;
    pthread_t device; /* the thread that executes the launch */
    struct watched_object *objects;
    size_t object_count;
    struct note {
        uintptr_t address;
        enum fault_access access;
        size_t frame_count;
        void *frames[FAULT_FRAMES]; /* innermost first */
    } notes[NOTES];
    atomic_size_t note_count; /* ever begun */
};

static uintptr_t page_size;                  /* of the system */
static struct host_access *_Atomic watching; /* of the running launch, which is the only one */
static atomic_uint faults; /* that are being looked at: a launch ends when there are none */
static const struct vm_memory *_Atomic memory;

/* ---- faults ---- */

static struct watched_object *find_object(const struct host_access *access, uintptr_t address)
{
    for (size_t i = 0; i < access->object_count; i++) {
        struct watched_object *object = &access->objects[i];
        if (address >= object->begin && address - object->begin < object->size)
            return object;
    }
    return NULL;
}

static void take_note(struct host_access *access, uintptr_t address, const void *context)
{
    const size_t index = atomic_fetch_add(&access->note_count, 1);
    if (index >= NOTES)
        return;
    struct note *note = &access->notes[index];
    void *walked[FAULT_FRAMES + 8]; /* those of the handler come first */
    const int count = backtrace(walked, sizeof walked / sizeof *walked);
    note->address = address;
    note->access = fault_access_of(context);
    note->frame_count = fault_trim(context, walked, count > 0 ? (size_t)count : 0, note->frames);
}

/* The page is given back, for reading only if it was read: so a write to it is noted, too. */
static bool take(const char *address, const void *context)
{
    struct vm_shared_range range;
    if (!vm_memory_find_shared(memory, (uintptr_t)address, &range))
        return false;
    atomic_fetch_add(&faults, 1);
    struct host_access *access = atomic_load(&watching);
    const bool reads = access && fault_access_of(context) == FAULT_READ;
    if (access && !pthread_equal(pthread_self(), access->device))
        take_note(access, (uintptr_t)address, context);
    mprotect((void *)((uintptr_t)address / page_size * page_size), page_size,
             reads ? PROT_READ : PROT_READ | PROT_WRITE);
    atomic_fetch_sub(&faults, 1);
    return true;
}

/* ---- a launch ---- */

static void protect(const struct host_access *access, int protection)
{
    for (size_t i = 0; i < access->object_count; i++)
        mprotect((void *)access->objects[i].begin, size_align(access->objects[i].size, page_size),
                 protection);
}

static const struct vm_object *root_of(uint32_t number)
{
    const struct vm_object *object = number ? vm_memory_find(memory, number) : NULL;
    return object && object->root->identity.svm != OBSERVER_SVM_NONE ? object->root : NULL;
}

/* May the kernel and the host tell each other something while it runs? */
static bool may_synchronise(const uint32_t *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct vm_object *root = root_of(objects[i]);
        if (root && svm_is_beside_host(root->identity.svm) &&
            root->identity.svm != OBSERVER_SVM_FINE)
            return true;
    }
    return false;
}

static void add_object(struct host_access *access, const struct vm_object *root, bool fine)
{
    const uint32_t id = root->identity.id;
    const bool coarse = root->identity.svm == OBSERVER_SVM_COARSE;
    const uintptr_t begin = (uintptr_t)vm_memory_host_bytes(memory, id);
    const bool wanted = coarse
                            ? checks_has(&access->checks, RULE_SVM_UNMAPPED) && !svm_is_mapped(id)
                            : fine && root->identity.svm == OBSERVER_SVM_FINE &&
                                  checks_has(&access->checks, RULE_RACE_HOST_TIMED);
    if (!wanted || root->freed || find_object(access, begin))
        return;
    access->objects[access->object_count++] =
        (struct watched_object){.id = id, .coarse = coarse, .begin = begin, .size = root->size};
}

static void list_objects(struct host_access *access, const uint32_t *objects, size_t count)
{
    const bool fine = !may_synchronise(objects, count);
    for (size_t i = 0; i < count; i++) {
        const struct vm_object *root = root_of(objects[i]);
        if (root)
            add_object(access, root, fine);
    }
}

static void destroy(struct host_access *access)
{
    alloc_free(access->objects);
    alloc_free(access);
}

struct host_access *host_access_begin(const struct launch_options *options, const uint32_t *objects,
                                      size_t count)
{
    void *frame;
    memory = icd_memory();
    if (!vm_memory_shared_is_watched(memory))
        return NULL;
    struct host_access *access = alloc_zero(1, sizeof *access);
    if (!access)
        return NULL;
    access->checks = options->checks;
    access->device = pthread_self();
    access->objects = alloc_zero(count, sizeof *access->objects);
    if (access->objects)
        list_objects(access, objects, count);
    if (access->object_count == 0) {
        destroy(access);
        return NULL;
    }
    page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
    backtrace(&frame, 1); /* the first one loads what all others use */
    fault_stand_first(take);
    atomic_store(&watching, access);
    protect(access, PROT_NONE);
    return access;
}

bool host_access_wants_touched(const struct host_access *access)
{
    for (size_t i = 0; access && i < access->object_count; i++) {
        if (!access->objects[i].coarse)
            return true;
    }
    return false;
}

/* ---- judging ---- */

static bool is_in(const void *address, const void *module_address)
{
    Dl_info a = {0};
    Dl_info b = {0};
    return dladdr(address, &a) && dladdr(module_address, &b) && a.dli_fbase == b.dli_fbase;
}

static bool is_in_c_library(const void *address)
{
    void *known = dlsym(RTLD_DEFAULT, "strlen");
    return known && is_in(address, known);
}

/* Does a library of clerk's use it, which may look at any memory? */
static bool is_clerk(const struct note *note)
{
    Dl_info info = {0};
    size_t i = 0;
    while (i < note->frame_count && is_in_c_library(note->frames[i]))
        i++;
    if (i == note->frame_count || !dladdr(note->frames[i], &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    return strncmp(slash ? slash + 1 : info.dli_fname, "libclerk_", 9) == 0;
}

/* The bytes of the object that the access certainly has one of: functions of the C library read
 * whole vectors that begin before a string, or end after it. */
static void find_bytes(const struct note *note, const struct watched_object *object,
                       uint64_t *first, uint64_t *end)
{
    *first = note->address - object->begin;
    *end = *first + 1;
    if (note->access == FAULT_WRITE || !is_in_c_library(note->frames[0]))
        return;
    *first = *first / VECTOR * VECTOR;
    *end = range_within(*first, VECTOR, object->size) ? *first + VECTOR : object->size;
}

/* Is each of these bytes written, or else read? */
static bool has_all(const struct touched_object *object, bool writes, uint64_t first, uint64_t end)
{
    for (uint64_t byte = first; byte < end; byte++) {
        bool has = false;
        for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++)
            has |= touched_writes((enum touched_kind)kind) == writes && object->bits[kind] &&
                   (object->bits[kind][byte / 64] >> byte % 64 & 1);
        if (!has)
            return false;
    }
    return true;
}

static bool one_has_all(const struct touched_object *objects, size_t count, uint32_t id,
                        bool writes, uint64_t first, uint64_t end)
{
    for (size_t i = 0; i < count; i++) {
        if (objects[i].id == id && has_all(&objects[i], writes, first, end))
            return true;
    }
    return false;
}

static bool touches(const struct touched *touched, uint32_t id, bool writes, uint64_t first,
                    uint64_t end)
{
    return one_has_all(touched->objects, touched->count, id, writes, first, end) ||
           one_has_all(touched->kept, touched->kept_count, id, writes, first, end);
}

static const char *describe_frame(void *address, struct arena *arena)
{
    Dl_info info = {0};
    if (!dladdr(address, &info) || !info.dli_fname)
        return "?";
    const uintptr_t distance = (uintptr_t)address - (uintptr_t)info.dli_fbase;
    return arena_format(arena, "0x%" PRIxPTR " (%s+0x%" PRIxPTR ")", distance, info.dli_fname,
                        distance);
}

static void judge(const struct host_access *access, const struct note *note,
                  const struct touched *touched)
{
    struct watched_object *object = find_object(access, note->address);
    if (!object || is_clerk(note))
        return;
    uint64_t first, end;
    find_bytes(note, object, &first, &end);
    const bool kernel_writes = !object->coarse && touches(touched, object->id, true, first, end);
    if (!object->coarse && !kernel_writes &&
        (note->access != FAULT_WRITE || !touches(touched, object->id, false, first, end)))
        return;
    if (object->wrong_count++ > 0)
        return;
    object->wrong = note;
    object->kernel_writes = kernel_writes;
}

static void report(const struct watched_object *object, const char *kernel, uint64_t call_id)
{
    struct arena arena = {0};
    const struct note *note = object->wrong;
    const struct observer_object *identity = &vm_memory_find(memory, object->id)->identity;
    const char *conflict =
        object->coarse ? arena_format(&arena, "has not mapped, while kernel '%s' runs", kernel)
                       : arena_format(&arena, "kernel '%s' %s at the same time", kernel,
                                      object->kernel_writes ? "writes" : "reads");
    const char *message = arena_format(
        &arena, "the host %s byte %" PRIu64 " of %s (%s), which %s%s",
        note->access == FAULT_WRITE ? "writes" : "reads", (uint64_t)(note->address - object->begin),
        identity->name, identity->origin, object->coarse ? "it " : "", conflict ? conflict : "");
    const char **frames = arena_alloc(&arena, note->frame_count, sizeof *frames);
    for (size_t i = 0; frames && i < note->frame_count; i++)
        frames[i] = describe_frame(note->frames[i], &arena);
    const struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                        .label = "the host uses it here",
                                        .frames = frames,
                                        .frame_count = frames ? note->frame_count : 0};
    const struct finding finding = {
        .rule = object->coarse ? RULE_SVM_UNMAPPED : RULE_RACE_HOST_TIMED,
        .message = message ? message : "the host uses shared virtual memory while a kernel does",
        .reason = object->coarse
                      ? "A kernel that is given coarse-grained memory has it from its begin to its "
                        "end."
                      : "The memory was not allocated with CL_MEM_SVM_ATOMICS, and no atomic "
                        "operation in other memory can order the two. Whether they meet is decided "
                        "by time alone, so another run may not show it.",
        .kernel = kernel,
        .places = &place,
        .place_count = 1,
        .call_id = call_id,
        .count = object->wrong_count};
    findings_receive(NULL, &finding);
    arena_release(&arena);
}

void host_access_end(struct host_access *access, const char *kernel, uint64_t call_id,
                     const struct touched *touched)
{
    if (!access)
        return;
    atomic_store(&watching, NULL);
    while (atomic_load(&faults) > 0)
        sched_yield();
    protect(access, PROT_READ | PROT_WRITE);
    const size_t count = atomic_load(&access->note_count);
    for (size_t i = 0; i < count && i < NOTES; i++)
        judge(access, &access->notes[i], touched);
    for (size_t i = 0; i < access->object_count; i++) {
        if (access->objects[i].wrong)
            report(&access->objects[i], kernel, call_id);
    }
    destroy(access);
}
