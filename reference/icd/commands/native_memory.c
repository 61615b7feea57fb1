#include "reference/icd/commands/native_memory.h"

#include "checkers/finding.h"
#include "reference/icd/findings.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/memory/mem.h"
#include "reference/vm/bits.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <string.h>

struct compared {
    cl_mem mem; /* that owns the bytes; held */
    uint8_t *before;
};

struct native_memory {
    const cl_mem *given; /* borrowed */
    size_t given_count;
    uint64_t size; /* bytes of all that are compared */
    struct compared *objects;
    size_t count, capacity;
};

/* ---- before ---- */

static const struct vm_object *object_of(cl_mem mem)
{
    return vm_memory_find(icd_memory(), mem->number);
}

static bool is_given(const struct native_memory *memory, cl_mem root)
{
    for (size_t i = 0; i < memory->given_count; i++) {
        if (memory->given[i] && mem_root(memory->given[i]) == root)
            return true;
    }
    return false;
}

static bool is_given_whole(const struct native_memory *memory, cl_mem root)
{
    for (size_t i = 0; i < memory->given_count; i++) {
        if (memory->given[i] == root)
            return true;
    }
    return false;
}

static bool is_compared(const struct native_memory *memory, cl_mem root)
{
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->objects[i].mem == root)
            return true;
    }
    return false;
}

static bool is_mapped_for_writing(cl_mem root)
{
    for (size_t i = 0; i < root->mapping_count; i++) {
        if (root->mappings[i].flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION))
            return true;
    }
    return false;
}

/* May what the function writes be wrong, and can nobody else write it? */
static bool is_judged(const struct native_memory *memory, cl_mem root)
{
    const struct vm_object *object = object_of(root);
    return !is_mapped_for_writing(root) && object->root->identity.svm == OBSERVER_SVM_NONE &&
           !object->is_pipe && object->size <= NATIVE_MEMORY_LIMIT - memory->size &&
           (!root->host_ptr || is_given(memory, root)) &&
           (!is_given_whole(memory, root) || races_watches(&root->number, 1));
}

static void add(struct native_memory *memory, cl_mem root)
{
    if (is_compared(memory, root) || !is_judged(memory, root))
        return;
    const struct vm_object *object = object_of(root);
    struct compared *grown =
        alloc_grow(memory->objects, memory->count, &memory->capacity, sizeof *memory->objects);
    uint8_t *before = grown ? alloc_spare(object->size, 1) : NULL;
    if (grown)
        memory->objects = grown;
    if (!before)
        return;
    memcpy(before, object->bytes, object->size);
    object_hold(root);
    memory->objects[memory->count++] = (struct compared){root, before};
    memory->size += object->size;
}

static void add_given(struct native_memory *memory)
{
    for (size_t i = 0; i < memory->given_count; i++) {
        if (memory->given[i])
            add(memory, mem_root(memory->given[i]));
    }
}

static void add_others(struct native_memory *memory)
{
    for (cl_mem shown = mem_shown(); shown; shown = shown->shown.next)
        add(memory, shown);
}

static void destroy(struct native_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        object_drop(memory->objects[i].mem);
        alloc_free(memory->objects[i].before);
    }
    alloc_free(memory->objects);
    alloc_free(memory);
}

struct native_memory *native_memory_begin(const cl_mem *mems, size_t count)
{
    const struct launch_options options = options_launch();
    struct native_memory *memory = alloc_zero(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->given = mems;
    memory->given_count = count;
    add_given(memory);
    if (checks_has(&options.checks, RULE_NATIVE_OUTSIDE))
        add_others(memory);
    if (memory->count > 0)
        return memory;
    destroy(memory);
    return NULL;
}

/* ---- after ---- */

static bool is_in_given(const struct native_memory *memory, cl_mem root, uint64_t byte)
{
    for (size_t i = 0; i < memory->given_count; i++) {
        const cl_mem mem = memory->given[i];
        if (mem && mem_root(mem) == root && byte >= object_of(mem)->root_offset &&
            byte - object_of(mem)->root_offset < mem->size)
            return true;
    }
    return false;
}

/* The bytes between which all changed ones lie; end 0: there are none. */
struct extent {
    uint64_t first, end;
};

static void report_outside(cl_mem root, const struct extent *outside)
{
    char what[RACES_WHAT_SIZE];
    const struct uses_conflict where = {
        .object = root->number, .first = outside->first, .size = outside->end - outside->first};
    races_describe(&where, what);
    struct arena arena = {0};
    const char *message =
        arena_format(&arena, "a native kernel was not given %s, and %s", what,
                     where.size == 1 ? "has changed it" : "has changed some of them");
    const struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                        .label = "the native kernel is enqueued here",
                                        .function = "clEnqueueNativeKernel",
                                        .call_id = races_running_call_id()};
    findings_receive(NULL, &(struct finding){
                               .rule = RULE_NATIVE_OUTSIDE,
                               .message = message ? message : rule_get(RULE_NATIVE_OUTSIDE)->claim,
                               .reason = "No other command ran, and the object was not mapped. The "
                                         "function has kept an address that it, another native "
                                         "kernel or a map was given before: the bytes need not be "
                                         "there any more.",
                               .places = &place,
                               .place_count = 1,
                               .call_id = races_running_call_id(),
                               .count = 1});
    arena_release(&arena);
}

struct changes {
    struct extent given, outside;
    uint64_t *bits; /* of the object: those that the function was given */
};

static void extend(struct extent *extent, uint64_t byte)
{
    extent->first = extent->end == 0 ? byte : extent->first;
    extent->end = byte + 1;
}

static void note_change(struct changes *changes, bool given, uint64_t byte)
{
    extend(given ? &changes->given : &changes->outside, byte);
    if (given)
        bits_put(changes->bits, byte, 1, 1);
}

static void find_changes(const struct native_memory *memory, const struct compared *compared,
                         struct changes *changes)
{
    enum { BLOCK = 4096 };
    const struct vm_object *object = object_of(compared->mem);
    for (uint64_t start = 0; start < object->size; start += BLOCK) {
        const uint64_t rest = object->size - start;
        const uint64_t size = rest < BLOCK ? rest : BLOCK;
        if (memcmp(object->bytes + start, compared->before + start, size) == 0)
            continue;
        for (uint64_t i = start; i < start + size; i++) {
            if (object->bytes[i] != compared->before[i])
                note_change(changes, is_in_given(memory, compared->mem, i), i);
        }
    }
}

static void tell_written(const struct compared *compared, const struct changes *changes)
{
    const uint64_t first = changes->given.first / 64 * 64;
    const struct use_bytes bytes = {
        .first = first, .size = changes->given.end - first, .bits = changes->bits + first / 64};
    if (changes->given.end > 0)
        races_use(compared->mem->number, USE_WRITE, &bytes);
}

static void judge(const struct native_memory *memory, const struct compared *compared)
{
    const struct launch_options options = options_launch();
    struct changes changes = {
        .bits = alloc_zero(bits_word_count(object_of(compared->mem)->size), sizeof(uint64_t))};
    if (!changes.bits)
        return;
    find_changes(memory, compared, &changes);
    tell_written(compared, &changes);
    if (changes.outside.end > 0)
        vm_memory_define(icd_memory(), compared->mem->number, changes.outside.first,
                         changes.outside.end - changes.outside.first);
    if (changes.outside.end > 0 && checks_has(&options.checks, RULE_NATIVE_OUTSIDE))
        report_outside(compared->mem, &changes.outside);
    alloc_free(changes.bits);
}

void native_memory_end(struct native_memory *memory)
{
    for (size_t i = 0; memory && i < memory->count; i++)
        judge(memory, &memory->objects[i]);
    if (memory)
        destroy(memory);
}
