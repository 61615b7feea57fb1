#include "reference/icd/kernels/host_changes.h"

#include "checkers/finding.h"
#include "reference/icd/findings.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/vm/memory.h"
#include "reference/vm/svm.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <inttypes.h>
#include <string.h>

enum { SMALL = 4096 }; /* work-items of a launch for which workers are no loss */

struct view { /* of an allocation */
    struct view *next;
    uint32_t number;
    uint64_t size;
    uint8_t *before; /* what its bytes were when they were looked at last */
    uint32_t users;
};

struct area { /* an allocation of a launch */
    struct view *view;
    bool coarse;
    uint64_t *changed;        /* by the host since the launch was enqueued: a bit a byte */
    uint64_t *reads, *writes; /* of the kernel, once it has run */
};

struct host_changes {
    struct host_changes *next, *previous; /* enqueued earlier, later */
    struct area *areas;
    size_t area_count;
    char *kernel;
    uint64_t call_id;
    bool (*is_mapped)(uint32_t object);
    struct ordered_command *order; /* held, once it has run */
    bool is_fresh;                 /* something has changed that is not judged yet */
    bool told;
};

static struct host_changes *newest;
static struct view *views;
static uint64_t watched_size;
static bool leaves_coarse;

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
        if (changes->areas[i].view->number == number)
            return &changes->areas[i];
    }
    return NULL;
}

/* NULL when memory is out, or there would be too much. */
static struct view *use_view(const struct vm_object *root)
{
    struct view *view = views;
    while (view && view->number != root->identity.id)
        view = view->next;
    if (!view) {
        if (!range_within(watched_size, root->size, HOST_CHANGES_LIMIT) ||
            !(view = alloc_zero(1, sizeof *view)))
            return NULL;
        *view = (struct view){.next = views,
                              .number = root->identity.id,
                              .size = root->size,
                              .before = alloc((size_t)root->size)};
        views = view;
        watched_size += view->size;
        if (view->before)
            memcpy(view->before, root->bytes, (size_t)root->size);
    }
    view->users++;
    return view;
}

static void leave_view(struct view *view)
{
    struct view **link = &views;
    if (--view->users > 0)
        return;
    while (*link != view)
        link = &(*link)->next;
    *link = view->next;
    watched_size -= view->size;
    alloc_free(view->before);
    alloc_free(view);
}

static bool add_area(struct host_changes *changes, const struct vm_object *root)
{
    const size_t words = (size_t)(root->size + 63) / 64;
    struct view *view = use_view(root);
    if (!view)
        return false;
    struct area *area = &changes->areas[changes->area_count++];
    *area = (struct area){.view = view,
                          .coarse = root->identity.svm == OBSERVER_SVM_COARSE,
                          .changed = alloc_zero(words, sizeof *area->changed),
                          .reads = alloc_zero(words, sizeof *area->reads),
                          .writes = alloc_zero(words, sizeof *area->writes)};
    return view->before && area->changed && area->reads && area->writes;
}

/* Of coarse-grained memory that the kernel only reads the layer knows at the next command whether
 * it was changed; where memory is separate the host changes a copy. */
static bool is_wanted(const struct host_changes_launch *launch, size_t i,
                      const struct vm_object *root)
{
    const struct launch_options options = options_launch();
    const bool may_write =
        i >= launch->code->parameter_count || !launch->code->parameters[i].only_read;
    if (root->freed || root->host_copy)
        return false;
    return root->identity.svm == OBSERVER_SVM_FINE
               ? checks_has(&options.checks, RULE_RACE_HOST_EARLY)
               : root->identity.svm == OBSERVER_SVM_COARSE && may_write && !leaves_coarse &&
                     checks_has(&options.checks, RULE_SVM_UNMAPPED);
}

static bool add_areas(struct host_changes *changes, const struct host_changes_launch *launch)
{
    for (size_t i = 0; i < launch->count; i++) {
        const struct vm_object *root = root_of(launch->objects[i]);
        if (!root || find_area(changes, root->identity.id) || !is_wanted(launch, i, root))
            continue;
        if (!add_area(changes, root))
            return false;
    }
    return changes->area_count > 0;
}

struct host_changes *host_changes_begin(const struct host_changes_launch *launch)
{
    struct host_changes *changes =
        only_fine(launch->objects, launch->count) ? alloc_zero(1, sizeof *changes) : NULL;
    if (!changes)
        return NULL;
    host_changes_look(); /* what has changed until now is nothing to this launch */
    changes->next = newest;
    if (newest)
        newest->previous = changes;
    newest = changes;
    changes->call_id = launch->call_id;
    changes->is_mapped = launch->is_mapped;
    changes->kernel = alloc_string(launch->code->name);
    changes->areas = alloc_zero(launch->count, sizeof *changes->areas);
    const bool complete = changes->kernel && changes->areas && add_areas(changes, launch);
    if (complete)
        return changes;
    host_changes_drop(changes);
    return NULL;
}

static bool has_changed(const struct area *area)
{
    uint64_t any = 0;
    for (uint64_t w = 0; w < (area->view->size + 63) / 64; w++)
        any |= area->changed[w];
    return any != 0;
}

bool host_changes_ask_for_touched(const struct host_changes *changes, uint64_t work_items)
{
    for (size_t i = 0; changes && i < changes->area_count; i++) {
        const struct area *area = &changes->areas[i];
        if (!area->coarse && (work_items <= SMALL || has_changed(area)))
            return true;
    }
    return false;
}

static void release_areas(struct host_changes *changes)
{
    for (size_t i = 0; i < changes->area_count; i++) {
        leave_view(changes->areas[i].view);
        alloc_free(changes->areas[i].changed);
        alloc_free(changes->areas[i].reads);
        alloc_free(changes->areas[i].writes);
    }
    changes->area_count = 0;
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

/* Is it wrong that the host has changed the byte? */
static bool conflicts(const struct area *area, uint64_t byte)
{
    return has(area->changed, byte) &&
           (area->coarse || has(area->reads, byte) || has(area->writes, byte));
}

/* The first such bytes; false when there are none. */
static bool find_conflict(const struct area *area, uint64_t *first, uint64_t *end)
{
    for (*first = 0; *first < area->view->size && !conflicts(area, *first); ++*first)
        ;
    for (*end = *first; *end < area->view->size && conflicts(area, *end); ++*end)
        ;
    return *first < *end;
}

static char *describe(const struct host_changes *changes, const struct area *area, uint64_t first,
                      uint64_t end)
{
    const struct observer_object *identity =
        &vm_memory_find(icd_memory(), area->view->number)->identity;
    char *bytes = end - first == 1 ? alloc_format("byte %" PRIu64, first)
                                   : alloc_format("bytes %" PRIu64 " to %" PRIu64, first, end - 1);
    char *message =
        area->coarse
            ? alloc_format("the program changes %s of %s (%s), which it has not mapped, before it "
                           "knows that kernel '%s' has ended",
                           bytes ? bytes : "some", identity->name, identity->origin,
                           changes->kernel)
            : alloc_format("the program changes %s of %s (%s), which kernel '%s' %s, before it "
                           "knows that the kernel has ended",
                           bytes ? bytes : "some", identity->name, identity->origin,
                           changes->kernel, has(area->writes, first) ? "writes" : "reads");
    alloc_free(bytes);
    return message;
}

static void report(const struct host_changes *changes, const struct area *area, uint64_t first,
                   uint64_t end)
{
    char *message = describe(changes, area, first, end);
    const struct finding_place place = {.kind = FINDING_PLACE_CALL,
                                        .label = "the kernel is enqueued",
                                        .function = "clEnqueueNDRangeKernel",
                                        .call_id = changes->call_id};
    const struct finding finding = {
        .rule = area->coarse ? RULE_SVM_UNMAPPED : RULE_RACE_HOST_EARLY,
        .message = message ? message : "the program changes memory that a kernel uses",
        .reason = area->coarse
                      ? "A kernel that is given coarse-grained memory has it from the call that "
                        "enqueues it to its end."
                      : "A kernel may run at any time from the call that enqueues it on, and it "
                        "shares no atomic objects with the host that could order the two.",
        .kernel = changes->kernel,
        .places = &place,
        .place_count = 1,
        .call_id = changes->call_id,
        .count = 1};
    findings_receive(NULL, &finding);
    alloc_free(message);
}

/* A launch is judged once it has run. It is told of once: what follows is mostly the same. */
static void judge(struct host_changes *changes)
{
    uint64_t first, end;
    if (!changes->order || !changes->is_fresh)
        return;
    changes->is_fresh = false;
    for (size_t i = 0; i < changes->area_count && !changes->told; i++) {
        if (find_conflict(&changes->areas[i], &first, &end)) {
            changes->told = true;
            report(changes, &changes->areas[i], first, end);
        }
    }
}

/* ---- moments ---- */

/* The bytes as they are now; NULL = they are gone. */
static const uint8_t *bytes_of(const struct view *view)
{
    const struct vm_object *object = vm_memory_find(icd_memory(), view->number);
    return object && !object->freed && object->size == view->size ? object->bytes : NULL;
}

static void add_changed(struct area *area, const uint8_t *bytes)
{
    for (uint64_t byte = 0; byte < area->view->size; byte++)
        area->changed[byte / 64] |= (uint64_t)(area->view->before[byte] != bytes[byte])
                                    << byte % 64;
}

static void look_at(struct view *view)
{
    const uint8_t *bytes = bytes_of(view);
    if (!bytes || memcmp(view->before, bytes, (size_t)view->size) == 0)
        return;
    for (struct host_changes *changes = newest; changes; changes = changes->next) {
        struct area *area = find_area(changes, view->number);
        if (!area || (area->coarse && (leaves_coarse || changes->is_mapped(view->number))))
            continue;
        add_changed(area, bytes);
        changes->is_fresh = true;
    }
    memcpy(view->before, bytes, (size_t)view->size);
}

void host_changes_look(void)
{
    for (struct view *view = views; view; view = view->next)
        look_at(view);
    for (struct host_changes *changes = newest; changes; changes = changes->next)
        judge(changes);
}

void host_changes_pass(void)
{
    for (struct view *view = views; view; view = view->next) {
        const uint8_t *bytes = bytes_of(view);
        if (bytes)
            memcpy(view->before, bytes, (size_t)view->size);
    }
}

static void add_touched(struct area *area, const struct touched_object *touched)
{
    for (int kind = 0; kind < TOUCHED_KIND_COUNT; kind++) {
        uint64_t *bits = touched_writes(kind) ? area->writes : area->reads;
        for (uint64_t w = touched->low[kind]; touched->bits[kind] && w < touched->high[kind]; w++)
            bits[w] |= touched->bits[kind][w];
    }
}

void host_changes_ran(struct host_changes *changes, const struct touched *touched,
                      struct ordered_command *order, struct commands *commands)
{
    if (commands_host_knows(commands, order)) {
        host_changes_drop(changes);
        return;
    }
    changes->order = command_retain(order);
    for (size_t i = 0; touched && i < touched->count; i++) {
        struct area *area = find_area(changes, touched->objects[i].id);
        if (area)
            add_touched(area, &touched->objects[i]);
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

void host_changes_leave_coarse(void)
{
    leaves_coarse = true;
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
