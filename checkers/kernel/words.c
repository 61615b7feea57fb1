#include "checkers/kernel/words.h"

#include "checkers/access_words.h"
#include "trace/base/assert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- work-items ---- */

uint64_t group_linear(const struct kernel_checker *checker, const uint64_t group[3])
{
    const uint64_t *count = checker->launch.group_count;
    return group[0] + count[0] * (group[1] + count[1] * group[2]);
}

static struct work_item item_in(const struct kernel_checker *checker, const uint64_t group[3],
                                const uint64_t size[3], uint32_t local_linear)
{
    const struct observer_launch *launch = &checker->launch;
    struct work_item item = {
        .local = {local_linear % size[0], local_linear / size[0] % size[1],
                  local_linear / size[0] / size[1]},
    };
    for (int i = 0; i < 3; i++) {
        item.group[i] = group[i];
        item.global[i] =
            launch->global_offset[i] + group[i] * launch->local_size[i] + item.local[i];
    }
    return item;
}

struct work_item work_item_of(const struct kernel_checker *checker, uint64_t group_linear,
                              uint32_t local_linear)
{
    const struct observer_launch *launch = &checker->launch;
    const uint64_t *count = launch->group_count;
    const uint64_t group[3] = {group_linear % count[0], group_linear / count[0] % count[1],
                               group_linear / count[0] / count[1]};
    uint64_t size[3];
    ASSERT(group[2] < count[2]);
    for (int i = 0; i < 3; i++) {
        const uint64_t left = launch->global_size[i] - group[i] * launch->local_size[i];
        size[i] = left < launch->local_size[i] ? left : launch->local_size[i];
    }
    return item_in(checker, group, size, local_linear);
}

struct work_item work_item_here(const struct kernel_checker *checker, uint32_t local_linear)
{
    return item_in(checker, checker->now.group, checker->now.group_size, local_linear);
}

/* ---- strings ---- */

const char *words(struct kernel_checker *checker, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *made = NULL;
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length >= 0) {
        made = arena_alloc(&checker->arena, (size_t)length + 1, 1);
    }
    if (made != NULL) {
        va_start(list, format);
        vsnprintf(made, (size_t)length + 1, format, list);
        va_end(list);
    }
    if (made == NULL) {
        checker->out_of_memory = true;
        return "?";
    }
    return made;
}

const char *words_id(struct kernel_checker *checker, const uint64_t id[3])
{
    return access_words_id(&checker->arena, id, checker->launch.dimensions);
}

const char *words_sizes(struct kernel_checker *checker, const uint64_t *sizes, uint32_t count)
{
    const char *made = words(checker, "%" PRIu64, sizes[0]);
    for (uint32_t i = 1; i < count; i++) {
        made = words(checker, "%s x %" PRIu64, made, sizes[i]);
    }
    return made;
}

const char *words_item(struct kernel_checker *checker, const struct work_item *item)
{
    return words(checker, "work-item %s of work-group %s", words_id(checker, item->local),
                 words_id(checker, item->group));
}

const char *words_access(struct kernel_checker *checker, const char *access,
                         const struct work_item *item)
{
    return words(checker, "%s by %s, global id %s", access, words_item(checker, item),
                 words_id(checker, item->global));
}

const char *words_kind(enum observer_access_kind kind)
{
    static const char *const kinds[] = {
        [OBSERVER_READ] = "read",
        [OBSERVER_WRITE] = "write",
        [OBSERVER_ATOMIC_READ] = "atomic read",
        [OBSERVER_ATOMIC_WRITE] = "atomic write",
        [OBSERVER_ATOMIC_RMW] = "atomic read-modify-write",
    };
    return kinds[kind];
}

const char *words_region(enum observer_region region)
{
    static const char *const regions[] = {
        [OBSERVER_GLOBAL] = "global",
        [OBSERVER_LOCAL] = "local",
        [OBSERVER_PRIVATE] = "private",
        [OBSERVER_CONSTANT] = "constant",
    };
    return regions[region];
}

const char *words_bytes(struct kernel_checker *checker, uint64_t count)
{
    return count == 1 ? "1 byte" : words(checker, "%" PRIu64 " bytes", count);
}

const char *words_range(struct kernel_checker *checker, uint64_t offset, uint64_t size)
{
    if (size == 1) {
        return words(checker, "byte %" PRIu64, offset);
    }
    if (size <= 8 && (size & (size - 1)) == 0 && offset % size == 0) {
        return words(checker, "element %" PRIu64, offset / size);
    }
    return words(checker, "bytes %" PRIu64 " to %" PRIu64, offset, offset + size - 1);
}

const char *words_flags(uint32_t flags)
{
    static const char *const names[8] = {
        "0",
        "CLK_LOCAL_MEM_FENCE",
        "CLK_GLOBAL_MEM_FENCE",
        "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
        "CLK_IMAGE_MEM_FENCE",
        "CLK_LOCAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE",
        "CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE",
        "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE | CLK_IMAGE_MEM_FENCE",
    };
    return names[flags & 7];
}

const char *words_scope(enum observer_scope scope)
{
    static const char *const scopes[] = {
        [OBSERVER_SCOPE_WORK_ITEM] = "memory_scope_work_item",
        [OBSERVER_SCOPE_SUB_GROUP] = "memory_scope_sub_group",
        [OBSERVER_SCOPE_WORK_GROUP] = "memory_scope_work_group",
        [OBSERVER_SCOPE_DEVICE] = "memory_scope_device",
        [OBSERVER_SCOPE_ALL_DEVICES] = "memory_scope_all_devices",
    };
    return scopes[scope];
}

const char *words_order(enum observer_order order)
{
    static const char *const orders[] = {
        [OBSERVER_ORDER_RELAXED] = "memory_order_relaxed",
        [OBSERVER_ORDER_ACQUIRE] = "memory_order_acquire",
        [OBSERVER_ORDER_RELEASE] = "memory_order_release",
        [OBSERVER_ORDER_ACQ_REL] = "memory_order_acq_rel",
        [OBSERVER_ORDER_SEQ_CST] = "memory_order_seq_cst",
    };
    return orders[order];
}

enum { FLOAT_DIGITS = 9, DOUBLE_DIGITS = 17 };

/* The shortest digits that give the number back; with a point whatever the locale is. */
static const char *floating_value(struct kernel_checker *checker, double number, int digits_max)
{
    char digits[64] = "";
    for (int count = 6; count <= digits_max; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, number);
        const double again =
            digits_max == FLOAT_DIGITS ? (double)strtof(digits, NULL) : strtod(digits, NULL);
        if (again == number) {
            break;
        }
    }
    char *const comma = strchr(digits, ',');
    if (comma != NULL) {
        *comma = '.';
    }
    return words(checker, "%s", digits);
}

const char *words_value(struct kernel_checker *checker, const void *bytes, uint32_t size,
                        bool is_floating)
{
    uint64_t value = 0;
    if (is_floating && size == sizeof(float)) {
        float number;
        memcpy(&number, bytes, sizeof number);
        return floating_value(checker, (double)number, FLOAT_DIGITS);
    }
    if (is_floating && size == sizeof(double)) {
        double number;
        memcpy(&number, bytes, sizeof number);
        return floating_value(checker, number, DOUBLE_DIGITS);
    }
    memcpy(&value, bytes, size); /* the device is little-endian, as its hosts are */
    const unsigned spare = 64 - 8 * size;
    const int64_t number = (int64_t)(value << spare) >> spare;
    if (number > -1000000 && number < 1000000) {
        return words(checker, "%" PRId64, number);
    }
    return words(checker, "0x%" PRIx64, value);
}

const char *words_line(struct kernel_checker *checker, uint32_t site)
{
    struct finding_place place;
    words_place(checker, site, NULL, &place);
    if (place.line == 0) {
        return "an unknown line";
    }
    return words(checker, "line %" PRIu32, place.line);
}

const char *words_changed_line(struct kernel_checker *checker, uint32_t site, const char *from,
                               const char *to)
{
    const char *const line = words_line(checker, site);
    struct finding_place place;
    words_place(checker, site, NULL, &place);
    const char *const text = place.source != NULL ? place.source + strspn(place.source, " \t") : "";
    const char *const found = strstr(text, from);
    if (found == NULL || strstr(found + 1, from) != NULL) {
        return words(checker, "%s.", line);
    }
    size_t length = strlen(text);
    while (strchr(" \t\r\n", text[length - 1]) != NULL) {
        length--;
    }
    const size_t before = (size_t)(found - text);
    const char *const after = found + strlen(from);
    return words(checker, "%s: %.*s%s%.*s", line, (int)before, text, to,
                 (int)(length - before - strlen(from)), after);
}

const char *words_launch(struct kernel_checker *checker)
{
    const struct observer_launch *launch = &checker->launch;
    const bool one = launch->dimensions == 1 && launch->global_size[0] == 1;
    return words(checker, "kernel '%s', %s work-item%s in work-groups of %s", launch->kernel,
                 words_sizes(checker, launch->global_size, launch->dimensions), one ? "" : "s",
                 words_sizes(checker, launch->local_size, launch->dimensions));
}

const char *words_name(const struct kernel_checker *checker, const struct observer_object *object)
{
    const struct observer_launch *launch = &checker->launch;
    const bool local = object->region == OBSERVER_LOCAL || object->region == OBSERVER_PRIVATE;
    const char *name = NULL;
    if (!local && launch->argument_name != NULL) {
        name = launch->argument_name(launch->launch, object);
    }
    name = name != NULL && *name != '\0' ? name : object->name;
    return *name != '\0' ? name : "(without a name)";
}

const char *words_object(struct kernel_checker *checker, const struct observer_object *object)
{
    const char *const region = words_region(object->region);
    const char *const name = words_name(checker, object);
    /* The origin tells the size. */
    const char *const about =
        object->origin != NULL ? object->origin : words_bytes(checker, object->size);
    if (strcmp(name, object->name) != 0 && *object->name != '\0') {
        return words(checker, "%s memory '%s' (%s: %s)", region, name, object->name, about);
    }
    return words(checker, "%s memory '%s' (%s)", region, name, about);
}

/* ---- places ---- */

/* Does the outer frame merely enter the inner one? Translators give an entry point a body of its
 * own, which calls the kernel as a function; OpenCL C has no recursion, so equal names mean just
 * that. */
static bool is_entry_frame(const struct observer_frame *outer, const struct observer_frame *inner)
{
    return outer->function != NULL && inner->function != NULL &&
           strcmp(outer->function, inner->function) == 0;
}

/* "reduce at sum.cl:12:5" for each caller, innermost first. */
static void place_callers(struct kernel_checker *checker, const struct observer_place *known,
                          struct finding_place *place)
{
    size_t count = known->frame_count - 1;
    while (count > 0 && is_entry_frame(&known->frames[count], &known->frames[count - 1])) {
        count--;
    }
    const char **frames = arena_alloc(&checker->arena, count, sizeof *frames);
    if (frames == NULL) {
        checker->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct observer_frame *frame = &known->frames[i + 1];
        const char *const function = frame->function != NULL ? frame->function : "?";
        frames[i] = function;
        if (frame->file != NULL) {
            frames[i] = words(checker, "%s at %s:%" PRIu32 ":%" PRIu32, function, frame->file,
                              frame->line, frame->column);
        }
    }
    place->frames = frames;
    place->frame_count = count;
}

void words_place(struct kernel_checker *checker, uint32_t site, const char *label,
                 struct finding_place *place)
{
    *place = (struct finding_place){.kind = FINDING_PLACE_KERNEL, .label = label};
    struct observer_place known = {0};
    if (checker->launch.describe != NULL) {
        checker->launch.describe(checker->launch.code, site, &known);
    }
    if (known.frame_count == 0) {
        place->function = checker->launch.kernel;
        return;
    }
    place->function = known.frames[0].function;
    place->file =
        known.frames[0].file != NULL && *known.frames[0].file != '\0' ? known.frames[0].file : NULL;
    place->line = known.frames[0].line;
    place->column = known.frames[0].column;
    place->source = known.frames[0].source;
    if (known.frame_count > 1) {
        place_callers(checker, &known, place);
    }
}

void place_add(struct kernel_checker *checker, struct finding *finding,
               const struct finding_place *place)
{
    checker->out_of_memory |= !finding_add_place(finding, place, &checker->arena);
}

void words_add_place(struct kernel_checker *checker, struct finding *finding, uint32_t site,
                     const char *label)
{
    struct finding_place place;
    words_place(checker, site, label, &place);
    place_add(checker, finding, &place);
}

struct work_item work_item_lowest(const struct kernel_checker *checker, uint64_t mask)
{
    return work_item_here(checker,
                          checker->now.vector * OBSERVER_LANES + (uint32_t)__builtin_ctzll(mask));
}

const char *words_others(struct kernel_checker *checker, uint64_t mask)
{
    const int count = __builtin_popcountll(mask) - 1;
    if (count == 0) {
        return "";
    }
    return count == 1 ? ", as does 1 more work-item"
                      : words(checker, ", as do %d more work-items", count);
}

const char *words_item_count(struct kernel_checker *checker, uint64_t count)
{
    return count == 1 ? "1 work-item" : words(checker, "%" PRIu64 " work-items", count);
}
