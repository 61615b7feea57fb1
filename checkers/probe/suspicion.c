#include "checkers/probe/suspicion.h"

#include "checkers/access_words.h"
#include "checkers/probe/cells.h"
#include "checkers/probe/texel.h"

#include <inttypes.h>

struct record {
    enum report_kind kind;
    enum report_space space;
    uint32_t argument; /* ARGUMENT_UNKNOWN = not known which */
    const struct checked_site *site;
    uint64_t bytes, size;
    int64_t offset;
    uint64_t id[3], group[3];
    struct cells_other other; /* of a race */
    uint64_t other_site;      /* of divergence */
    struct texel texel;       /* of REPORT_TEXEL, which has no space, bytes, size and offset */
};
enum { ARGUMENT_UNKNOWN = 0xff };

static uint64_t long_of(const uint32_t *words)
{
    return words[0] | (uint64_t)words[1] << 32;
}

static bool read_record(const uint32_t *words, const struct checked *checked, struct record *record)
{
    const uint32_t what = words[REPORT_WORD_WHAT];
    const uint32_t site = words[REPORT_WORD_SITE];
    if (site >= checked->site_count || checked->sites[site].access >= CHECKED_ACCESSES)
        return false;
    *record = (struct record){.kind = (enum report_kind)(what & 0xff),
                              .argument = what >> 8 & 0xff,
                              .space = (enum report_space)(what >> 16 & 0xff),
                              .site = &checked->sites[site],
                              .bytes = words[REPORT_WORD_BYTES],
                              .offset = (int64_t)long_of(words + REPORT_WORD_OFFSET),
                              .size = long_of(words + REPORT_WORD_SIZE),
                              .other = cells_decode(long_of(words + REPORT_WORD_OTHER)),
                              .other_site = long_of(words + REPORT_WORD_OTHER)};
    for (size_t i = 0; i < 3; i++) {
        record->id[i] = words[REPORT_WORD_ID + i];
        record->group[i] = words[REPORT_WORD_GROUP + i];
    }
    if (record->kind == REPORT_TEXEL)
        return texel_read(words, &record->texel);
    return record->kind > REPORT_NOTHING && record->kind <= REPORT_FREED &&
           (record->kind == REPORT_DIVERGENCE
                ? record->site->access == CHECKED_BARRIER || record->site->access == CHECKED_COPY
                : record->site->access != CHECKED_BARRIER) &&
           record->space <= REPORT_LOCAL && record->bytes > 0;
}

/* ---- words ---- */

static const char *sizes(struct arena *arena, const uint64_t *numbers, uint32_t count)
{
    const char *text = "";
    for (uint32_t i = 0; text && i < count; i++)
        text = arena_format(arena, "%s%s%" PRIu64, text, i > 0 ? " x " : "", numbers[i]);
    return text;
}

/* "work-item 1 of work-group 2"; without the first where the driver chose the size of
 * work-groups, and so may have chosen another than it tells. */
static const char *item_words(struct arena *arena, const struct record *record,
                              const struct suspicion_launch *launch)
{
    uint64_t local[3];
    if (launch->local[0] == 0)
        return arena_format(arena, "the work-item with global id %s",
                            access_words_id(arena, record->id, launch->dimensions));
    for (uint32_t i = 0; i < 3; i++)
        local[i] = i < launch->dimensions
                       ? record->id[i] - launch->offset[i] - record->group[i] * launch->local[i]
                       : 0;
    return arena_format(arena, "work-item %s of work-group %s",
                        access_words_id(arena, local, launch->dimensions),
                        access_words_id(arena, record->group, launch->dimensions));
}

/* With the global id, which the words above may have already. */
static const char *whole_item_words(struct arena *arena, const struct record *record,
                                    const struct suspicion_launch *launch)
{
    const char *item = item_words(arena, record, launch);
    return launch->local[0] == 0 || !item
               ? item
               : arena_format(arena, "%s, global id %s", item,
                              access_words_id(arena, record->id, launch->dimensions));
}

static const char *launch_words(struct arena *arena, const struct suspicion_launch *launch)
{
    if (launch->dimensions == 0)
        return arena_format(arena, "kernel '%s' on %s", launch->kernel, launch->device);
    const bool one = launch->dimensions == 1 && launch->global[0] == 1;
    const char *groups = launch->local[0] == 0
                             ? ""
                             : arena_format(arena, " in work-groups of %s",
                                            sizes(arena, launch->local, launch->dimensions));
    return arena_format(arena, "kernel '%s', %s work-item%s%s, on %s", launch->kernel,
                        sizes(arena, launch->global, launch->dimensions), one ? "" : "s", groups,
                        launch->device);
}

static const char *known(const char *text)
{
    return text && text[0] != '\0' ? text : NULL;
}

/* What the kernel calls the memory. */
static const char *name_words(struct arena *arena, const struct record *record,
                              const struct suspicion_launch *launch)
{
    const struct fact_kernel *facts = launch->facts;
    const struct checked_site *site = record->site;
    if (record->argument == ARGUMENT_UNKNOWN)
        return known(site->variable)     ? site->variable
               : known(site->expression) ? site->expression
                                         : "(without a name)";
    if (facts && record->argument < facts->argument_count &&
        facts->arguments[record->argument].name[0] != '\0')
        return facts->arguments[record->argument].name;
    return arena_format(arena, "argument %" PRIu32, record->argument);
}

static const struct {
    const char *verb, *noun;
} accesses[] = {
    [CHECKED_READ] = {"reads", "read"},
    [CHECKED_WRITE] = {"writes", "write"},
    [CHECKED_UPDATE] = {"reads and writes", "read and write"},
    [CHECKED_ATOMIC] = {"atomically updates", "atomic read-modify-write"},
    [CHECKED_BARRIER] = {"waits at", "barrier"},
    [CHECKED_COPY] = {"copies", "copy"},
};

/* ---- races ---- */

/* A linear number in a box of `sizes`. */
static const char *place_in(struct arena *arena, uint64_t linear, const uint64_t box[3],
                            uint32_t dimensions)
{
    const uint64_t at[3] = {linear % box[0], linear / box[0] % box[1], linear / box[0] / box[1]};
    return access_words_id(arena, at, dimensions);
}

/* How many work-groups and work-items of a group there are; false: the driver chose. */
static bool boxes_of(const struct suspicion_launch *launch, uint64_t groups[3], uint64_t items[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        items[i] = i < launch->dimensions ? launch->local[i] : 1;
        if (items[i] == 0)
            return false;
        groups[i] = i < launch->dimensions ? (launch->global[i] + items[i] - 1) / items[i] : 1;
        if (groups[i] == 0)
            return false;
    }
    return launch->dimensions > 0;
}

static bool is_own_group(const struct record *record, const struct suspicion_launch *launch)
{
    uint64_t groups[3], items[3];
    if (record->space == REPORT_LOCAL)
        return true;
    if (record->other.many_groups || !boxes_of(launch, groups, items))
        return false;
    const uint64_t own =
        record->group[0] + groups[0] * (record->group[1] + groups[1] * record->group[2]);
    return cells_may_be_group(record->other, own);
}

static bool is_copy(const struct record *record)
{
    return record->site->access == CHECKED_COPY;
}

static bool is_other_copy(const struct cells_other *other)
{
    return !other->many_groups && !other->many_items && other->lid == CLERK_LID_COPY;
}

/* "work-item 1 of work-group 2", as far as the cell tells. */
static const char *other_words(struct arena *arena, const struct record *record,
                               const struct suspicion_launch *launch)
{
    const struct cells_other *other = &record->other;
    uint64_t groups[3], items[3];
    const bool is_known = boxes_of(launch, groups, items);
    const bool has_group = !other->many_groups && is_known;
    const char *item = is_other_copy(other) ? "an asynchronous copy"
                       : is_known && !other->many_groups && !other->many_items
                           ? arena_format(arena, "work-item %s",
                                          place_in(arena, other->lid, items, launch->dimensions))
                           : "a work-item";
    if (is_own_group(record, launch))
        return arena_format(arena, "%s of the same work-group", item);
    return has_group ? arena_format(arena, "%s of work-group %s", item,
                                    place_in(arena, other->group, groups, launch->dimensions))
                     : arena_format(arena, "%s of another work-group", item);
}

static const char *race_words(struct arena *arena, const struct record *record,
                              const struct suspicion_launch *launch,
                              const struct access_place *place, const char *who)
{
    if (record->site->access == CHECKED_COPY)
        who = arena_format(arena, "an asynchronous copy of work-group %s",
                           access_words_id(arena, record->group, launch->dimensions));
    return arena_format(arena, "%s and %s race on %s %s", who, other_words(arena, record, launch),
                        access_words_bytes(arena, place->bytes), access_words_where(arena, place));
}

static const char *race_reason(struct arena *arena, const struct record *record,
                               const struct suspicion_launch *launch)
{
    static const char *const kinds[] = {[CLERK_READ] = "read",
                                        [CLERK_ATOMIC] = "atomic operation",
                                        [CLERK_BOTH] = "read or atomic operation",
                                        [CLERK_WRITE] = "write"};
    const bool with_copy = is_copy(record) || is_other_copy(&record->other);
    const char *why = is_own_group(record, launch) && with_copy
                          ? "a copy runs beside the work-items until wait_group_events, and does "
                            "not wait for what they did since the last barrier"
                      : is_own_group(record, launch) && record->space == REPORT_GLOBAL
                          ? "no barrier with CLK_GLOBAL_MEM_FENCE separates them within the "
                            "work-group"
                      : is_own_group(record, launch)
                          ? "no barrier separates them within the work-group"
                          : "they are in different work-groups, which no barrier orders";
    return arena_format(arena, "%s; the other access was a%s %s", why,
                        record->other.kind == CLERK_ATOMIC ? "n" : "",
                        kinds[record->other.kind & 3]);
}

/* ---- divergence ---- */

static bool is_missed(const struct record *record)
{
    return record->offset >= 0 && (uint64_t)record->offset < record->size;
}

static const char *divergence_words(struct arena *arena, const struct record *record,
                                    const struct suspicion_launch *launch)
{
    const char *group = access_words_id(arena, record->group, launch->dimensions);
    if (is_copy(record))
        return arena_format(arena,
                            "the work-items of work-group %s call an asynchronous copy with "
                            "different arguments",
                            group);
    return is_missed(record)
               ? arena_format(arena,
                              "only %" PRId64 " of the %" PRIu64
                              " work-items of work-group %s reach a barrier",
                              record->offset, record->size, group)
               : arena_format(arena, "the work-items of work-group %s wait at different barriers",
                              group);
}

static const char *divergence_reason(const struct record *record)
{
    if (is_copy(record))
        return "an asynchronous copy is executed by the work-group as one, so its arguments must "
               "be "
               "the same for all work-items";
    return is_missed(record) ? "once one work-item reaches the barrier all of the work-group must"
                             : "all work-items of the work-group must execute the same barrier "
                               "before any goes on";
}

/* False when memory is out. */
static bool divergence_finding(const struct record *record, const struct suspicion_launch *launch,
                               struct arena *arena, struct finding *finding)
{
    struct finding_place *places = arena_alloc(arena, 2, sizeof *places);
    const struct checked_site *site = record->site;
    if (!places)
        return false;
    places[0] = (struct finding_place){
        .kind = FINDING_PLACE_KERNEL,
        .label =
            arena_format(arena, "%s%s %s here", whole_item_words(arena, record, launch),
                         launch->local[0] == 0 ? "" : ",", is_copy(record) ? "copies" : "waits"),
        .file = site->file,
        .line = site->line,
        .source = known(site->expression),
    };
    finding->message = divergence_words(arena, record, launch);
    finding->reason = divergence_reason(record);
    finding->advice =
        is_copy(record) ? "Compute these arguments from what is the same for the whole work-group."
                        : NULL;
    finding->places = places;
    finding->place_count = 1;
    if (is_missed(record) || record->other_site >= launch->checked->site_count ||
        &launch->checked->sites[record->other_site] == site)
        return finding->message != NULL;
    const struct checked_site *other = &launch->checked->sites[record->other_site];
    places[finding->place_count++] = (struct finding_place){
        .kind = FINDING_PLACE_KERNEL,
        .label = "other work-items wait here",
        .file = other->file,
        .line = other->line,
        .source = known(other->expression),
    };
    return finding->message != NULL;
}

/* ---- the others ---- */

static const char *where_words(struct arena *arena, const struct record *record,
                               const struct access_place *place)
{
    switch (record->kind) {
    case REPORT_NULL:
        return arena_format(arena, "through '%s', a null pointer", place->name);
    case REPORT_FREED:
        return "through a pointer into shared virtual memory that was freed";
    case REPORT_NOWHERE:
        return arena_format(arena, "through a pointer that points into no %s memory of the kernel",
                            place->region);
    default:
        return access_words_where(arena, place);
    }
}

static const char *reason_words(struct arena *arena, const struct record *record,
                                const struct suspicion_launch *launch,
                                const struct access_place *place)
{
    switch (record->kind) {
    case REPORT_NULL:
        return record->argument == ARGUMENT_UNKNOWN ? "it is a pointer to nothing"
                                                    : "the argument was set to NULL";
    case REPORT_READ_ONLY:
        return "the memory object was created with CL_MEM_READ_ONLY";
    case REPORT_NOWHERE:
        return "it lies in none of its arguments and variables, nor in shared virtual memory";
    case REPORT_FREED:
        return "nothing was allocated there since";
    case REPORT_UNWRITTEN:
        return record->space == REPORT_LOCAL
                   ? "no work-item of the work-group has written there before"
                   : "neither a command nor a work-item has written there before";
    case REPORT_RACE:
        return race_reason(arena, record, launch);
    default:
        return access_words_beyond(arena, place);
    }
}

/* ---- texels ---- */

static struct image_place image_of(struct arena *arena, const struct record *record,
                                   const struct suspicion_launch *launch)
{
    const bool is_known = record->argument != ARGUMENT_UNKNOWN;
    return (struct image_place){.type = record->texel.type,
                                .name = is_known ? name_words(arena, record, launch) : NULL,
                                .coordinate_count = record->texel.coordinate_count,
                                .coordinates = record->texel.coordinates,
                                .size = record->texel.size};
}

static void tell_texel(const struct record *record, const struct suspicion_launch *launch,
                       const char *who, struct arena *arena, struct finding *finding)
{
    const struct image_place place = image_of(arena, record, launch);
    const bool is_write = record->site->access == CHECKED_WRITE;
    finding->message = arena_format(arena, "%s %s %s", who, accesses[record->site->access].verb,
                                    image_words_texel(arena, &place));
    finding->reason = image_words_outside(is_write, record->texel.is_sampled);
    finding->subject = image_words_which(arena, &place);
}

/* ---- all of it ---- */

/* Does more than barriers order the items of the kernel? Not known which it is: of any. */
static bool is_ordered_otherwise(const struct suspicion_launch *launch)
{
    const struct checked *checked = launch->checked;
    const struct checked_kernel *kernel = checked_find(checked, launch->kernel);
    bool any = false;
    for (size_t i = 0; !kernel && i < checked->kernel_count; i++)
        any |= checked->kernels[i].is_ordered_otherwise;
    return kernel ? kernel->is_ordered_otherwise : any;
}

static enum rule_index race_rule(const struct record *record, const struct suspicion_launch *launch)
{
    if (is_ordered_otherwise(launch))
        return RULE_RACE_UNCONFIRMED;
    return record->space == REPORT_LOCAL ? RULE_RACE_LOCAL : RULE_RACE_GLOBAL;
}

static enum rule_index rule_of(const struct record *record, const struct suspicion_launch *launch)
{
    static const enum rule_index bounds[] = {[REPORT_GLOBAL] = RULE_BOUNDS_GLOBAL,
                                             [REPORT_CONSTANT] = RULE_BOUNDS_CONSTANT,
                                             [REPORT_LOCAL] = RULE_BOUNDS_LOCAL};
    switch (record->kind) {
    case REPORT_NULL:
        return RULE_ACCESS_NULL;
    case REPORT_FREED:
        return RULE_ACCESS_FREED;
    case REPORT_READ_ONLY:
        return RULE_ACCESS_READ_ONLY;
    case REPORT_NOWHERE:
        return RULE_ACCESS_WILD;
    case REPORT_RACE:
        return race_rule(record, launch);
    case REPORT_UNWRITTEN:
        return RULE_UNINITIALISED_READ;
    case REPORT_DIVERGENCE:
        return RULE_DIVERGENCE_BARRIER;
    case REPORT_TEXEL:
        return RULE_IMAGE_BOUNDS;
    default:
        return bounds[record->space];
    }
}

static void tell_access(const struct record *record, const struct suspicion_launch *launch,
                        const char *who, struct arena *arena, struct finding *finding)
{
    static const char *const regions[] = {"global", "constant", "local"};
    const struct access_place memory = {.region = regions[record->space],
                                        .name = name_words(arena, record, launch),
                                        .offset = record->offset,
                                        .bytes = record->bytes,
                                        .size = record->size};
    const char *bytes = access_words_bytes(arena, record->bytes);
    if (!memory.name)
        return;
    finding->message =
        record->kind == REPORT_RACE
            ? race_words(arena, record, launch, &memory, who)
            : arena_format(arena, "%s %s %s %s", who, accesses[record->site->access].verb, bytes,
                           where_words(arena, record, &memory));
    finding->reason = reason_words(arena, record, launch, &memory);
    if (record->kind != REPORT_NULL && record->kind != REPORT_NOWHERE &&
        record->kind != REPORT_FREED)
        finding->subject = arena_format(arena, "%s memory '%s' (%s)", memory.region, memory.name,
                                        access_words_bytes(arena, memory.size));
}

bool suspicion_is_unwritten_global(const uint32_t words[REPORT_RECORD_WORDS])
{
    return (words[REPORT_WORD_WHAT] & 0xff) == REPORT_UNWRITTEN &&
           (words[REPORT_WORD_WHAT] >> 16 & 0xff) == REPORT_GLOBAL;
}

bool suspicion_finding(const uint32_t words[REPORT_RECORD_WORDS],
                       const struct suspicion_launch *launch, struct arena *arena,
                       struct finding *finding)
{
    struct record record;
    if (!read_record(words, launch->checked, &record))
        return false;
    struct finding_place *place = arena_alloc(arena, 1, sizeof *place);
    const char *who = item_words(arena, &record, launch);
    const char *bytes =
        record.kind == REPORT_TEXEL ? "a texel" : access_words_bytes(arena, record.bytes);
    if (!place || !who)
        return false;
    *place = (struct finding_place){
        .kind = FINDING_PLACE_KERNEL,
        .label = arena_format(arena, "%s of %s by %s", accesses[record.site->access].noun, bytes,
                              whole_item_words(arena, &record, launch)),
        .function = known(record.site->function),
        .file = known(record.site->file),
        .line = record.site->line,
        .source = known(record.site->expression),
    };
    *finding = (struct finding){
        .rule = rule_of(&record, launch),
        .context = launch_words(arena, launch),
        .kernel = launch->kernel,
        .seen_on = launch->device,
        .places = place,
        .place_count = 1,
        .call_id = launch->call_id,
        .count = 1,
    };
    if (record.kind == REPORT_DIVERGENCE)
        return divergence_finding(&record, launch, arena, finding);
    if (record.kind == REPORT_TEXEL)
        tell_texel(&record, launch, who, arena, finding);
    else
        tell_access(&record, launch, who, arena, finding);
    return finding->message != NULL;
}
