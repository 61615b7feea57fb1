#include "reference/icd/kernels/host_changes.h"

#include "checkers/finding.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/findings.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/vm/memory.h"
#include "reference/vm/svm.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <string.h>

struct area { /* an allocation */
    uint32_t number;
    uint64_t size;
    uint8_t *before;          /* what its bytes were when they were looked at last */
    uint64_t *changed;        /* by the host since the launch was enqueued: a bit a byte */
    uint64_t *reads, *writes; /* of the kernel, once it has run */
};

struct host_changes {
    struct host_changes *next, *previous; /* enqueued earlier, later */
    struct area *areas;
    size_t area_count;
    uint64_t size; /* of all */
    char *kernel;  /* NULL = it has not run */
    uint64_t call_id;
    struct ordered_command *order; /* held, once it has run */
    bool any, told;
};

static struct host_changes *newest;
static uint64_t watched_size;

/* ---- what is looked at ---- */

static const struct vm_object *root_of(uint32_t number)
{
    const struct vm_object *object = number ? vm_memory_find(icd_memory(), number) : NULL;
    return object && object->root->identity.svm != OBSERVER_SVM_NONE ? object->root : NULL;
}

/* Nobody else can order the two. */
static bool only_fine(const uint32_t *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct vm_object *root = root_of(objects[i]);
        if (root && root->identity.svm != OBSERVER_SVM_FINE &&
            svm_is_beside_host(root->identity.svm))
            return false;
    }
    return true;
}

static struct area *find_area(const struct host_changes *changes, uint32_t number)
{
    for (size_t i = 0; i < changes->area_count; i++) {
        if (changes->areas[i].number == number)
            return &changes->areas[i];
    }
    return NULL;
}

static bool add_area(struct host_changes *changes, const struct vm_object *root)
{
    const size_t words = (size_t)(root->size + 63) / 64;
    struct area *area = &changes->areas[changes->area_count++];
    *area = (struct area){.number = root->identity.id,
                          .size = root->size,
                          .before = alloc((size_t)root->size),
                          .changed = alloc_zero(words, sizeof *area->changed),
                          .reads = alloc_zero(words, sizeof *area->reads),
                          .writes = alloc_zero(words, sizeof *area->writes)};
    changes->size += root->size;
    if (!area->before || !area->changed || !area->reads || !area->writes)
        return false;
    memcpy(area->before, root->bytes, (size_t)root->size);
    return true;
}

static bool add_areas(struct host_changes *changes, const uint32_t *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct vm_object *root = root_of(objects[i]);
        if (!root || root->identity.svm != OBSERVER_SVM_FINE || root->freed ||
            find_area(changes, root->identity.id))
            continue;
        if (!range_within(watched_size + changes->size, root->size, HOST_CHANGES_LIMIT) ||
            !add_area(changes, root))
            return false;
    }
    return changes->area_count > 0;
}

struct host_changes *host_changes_begin(const uint32_t *objects, size_t count)
{
    const struct launch_options options = options_launch();
    if (!checks_has(&options.checks, RULE_RACE_HOST_EARLY) || !only_fine(objects, count))
        return NULL;
    struct host_changes *changes = alloc_zero(1, sizeof *changes);
    if (!changes)
        return NULL;
    changes->next = newest;
    if (newest)
        newest->previous = changes;
    newest = changes;
    changes->areas = alloc_zero(count, sizeof *changes->areas);
    const bool complete = changes->areas && add_areas(changes, objects, count);
    watched_size += changes->size;
    if (complete)
        return changes;
    host_changes_drop(changes);
    return NULL;
}

bool host_changes_any(const struct host_changes *changes)
{
    return changes->any;
}

static void release_areas(struct host_changes *changes)
{
    watched_size -= changes->size;
    for (size_t i = 0; i < changes->area_count; i++) {
        alloc_free(changes->areas[i].before);
        alloc_free(changes->areas[i].changed);
        alloc_free(changes->areas[i].reads);
        alloc_free(changes->areas[i].writes);
    }
    changes->area_count = 0;
    changes->size = 0;
}

void host_changes_drop(struct host_changes *changes)
{
    if (!changes)
        return;
    if (changes->previous)
        changes->previous->next = changes->next;
    else
        newest = changes->next;
    if (changes->next)
        changes->next->previous = changes->previous;
    release_areas(changes);
    if (changes->order)
        command_drop(changes->order);
    alloc_free(changes->areas);
    alloc_free(changes->kernel);
    alloc_free(changes);
}

/* ---- what is wrong ---- */

static bool has(const uint64_t *bits, uint64_t byte)
{
    return bits[byte / 64] >> byte % 64 & 1;
}

/* The first bytes that host and kernel both use; false when there are none. */
static bool find_conflict(const struct area *area, uint64_t *first, uint64_t *end)
{
    for (uint64_t w = 0; w < (area->size + 63) / 64; w++) {
        const uint64_t both = area->changed[w] & (area->reads[w] | area->writes[w]);
        if (both == 0)
            continue;
        *first = 64 * w + (uint64_t)__builtin_ctzll(both);
        for (*end = *first + 1; *end < area->size && has(area->changed, *end); ++*end) {
            if (!has(area->reads, *end) && !has(area->writes, *end))
                break;
        }
        return true;
    }
    return false;
}

static void report(const struct host_changes *changes, const struct area *area, uint64_t first,
                   uint64_t end)
{
    const struct vm_object *object = vm_memory_find(icd_memory(), area->number);
    char *bytes = end - first == 1 ? alloc_format("byte %" PRIu64, first)
                                   : alloc_format("bytes %" PRIu64 " to %" PRIu64, first, end - 1);
    char *message =
        alloc_format("the program changes %s of %s (%s), which kernel '%s' %s, before "
                     "it knows that the kernel has ended",
                     bytes ? bytes : "some", object->identity.name, object->identity.origin,
                     changes->kernel, has(area->writes, first) ? "writes" : "reads");
    const struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                        .label = "the kernel is enqueued",
                                        .function = "clEnqueueNDRangeKernel",
                                        .call_id = changes->call_id};
    const struct finding finding = {
        .rule = RULE_RACE_HOST_EARLY,
        .message = message ? message : "the program changes memory that a kernel uses",
        .reason = "A kernel may run at any time from the call that enqueues it on, and it shares "
                  "no atomic objects with the host that could order the two.",
        .kernel = changes->kernel,
        .places = &place,
        .place_count = 1,
        .call_id = changes->call_id,
        .count = 1};
    findings_receive(NULL, &finding);
    alloc_free(message);
    alloc_free(bytes);
}

/* Each launch is told of once: what follows is mostly the same. */
static void judge(struct host_changes *changes)
{
    uint64_t first, end;
    for (size_t i = 0; i < changes->area_count && changes->kernel && !changes->told; i++) {
        if (find_conflict(&changes->areas[i], &first, &end)) {
            changes->told = true;
            report(changes, &changes->areas[i], first, end);
        }
    }
}

/* ---- moments ---- */

/* The bytes as they are now; NULL = they are gone. */
static const uint8_t *bytes_of(const struct area *area)
{
    const struct vm_object *object = vm_memory_find(icd_memory(), area->number);
    return object && !object->freed && object->size == area->size ? object->bytes : NULL;
}

static bool look_at(struct area *area)
{
    const uint8_t *bytes = bytes_of(area);
    if (!bytes || memcmp(area->before, bytes, (size_t)area->size) == 0)
        return false;
    for (uint64_t byte = 0; byte < area->size; byte++)
        area->changed[byte / 64] |= (uint64_t)(area->before[byte] != bytes[byte]) << byte % 64;
    memcpy(area->before, bytes, (size_t)area->size);
    return true;
}

void host_changes_look(void)
{
    for (struct host_changes *changes = newest; changes; changes = changes->next) {
        bool differs = false;
        for (size_t i = 0; i < changes->area_count; i++)
            differs |= look_at(&changes->areas[i]);
        changes->any |= differs;
        if (differs)
            judge(changes);
    }
}

void host_changes_pass(void)
{
    for (struct host_changes *changes = newest; changes; changes = changes->next) {
        for (size_t i = 0; i < changes->area_count; i++) {
            const uint8_t *bytes = bytes_of(&changes->areas[i]);
            if (bytes)
                memcpy(changes->areas[i].before, bytes, (size_t)changes->areas[i].size);
        }
    }
}

static void add_touched(struct area *area, const struct touched_object *touched)
{
    static const bool writes[TOUCHED_KIND_COUNT] = {
        [TOUCHED_WRITE] = true,      [TOUCHED_ATOMIC_WRITE] = true, [TOUCHED_NARROW_WRITE] = true,
        [TOUCHED_WIDE_WRITE] = true, [TOUCHED_LEGACY_WRITE] = true,
    };
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
        uint64_t *bits = writes[kind] ? area->writes : area->reads;
        for (uint64_t w = touched->low[kind]; touched->bits[kind] && w < touched->high[kind]; w++)
            bits[w] |= touched->bits[kind][w];
    }
}

void host_changes_ran(struct host_changes *changes, const struct host_changes_run *run)
{
    changes->kernel = alloc_string(run->kernel);
    if (!changes->kernel || commands_host_knows(run->commands, run->order)) {
        host_changes_drop(changes);
        return;
    }
    changes->call_id = run->call_id;
    changes->order = command_retain(run->order);
    for (size_t i = 0; i < run->touched->count; i++) {
        struct area *area = find_area(changes, run->touched->objects[i].id);
        if (area)
            add_touched(area, &run->touched->objects[i]);
    }
    judge(changes);
}

void host_changes_known(struct commands *commands)
{
    for (struct host_changes *changes = newest, *next; changes; changes = next) {
        next = changes->next;
        if (changes->order && commands_host_knows(commands, changes->order))
            host_changes_drop(changes);
    }
}

void host_changes_forget(void)
{
    for (struct host_changes *changes = newest, *next; changes; changes = next) {
        next = changes->next;
        if (changes->order)
            host_changes_drop(changes);
        else
            release_areas(changes);
    }
}
