#include "checkers/suppress.h"

#include "checkers/frame.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One line of a file; filters that are NULL hold always. */
struct suppression {
    enum rule_index rule;
    const char *function;
    const char *file;
    const char *line;
    const char *kernel;
    const char *object;
    const char *fingerprint;
    const char *name; /* of the file */
    unsigned long number;
    bool is_used;
    uint64_t key; /* of the finding that the fingerprint covers, once it is used */
};

struct suppressions {
    struct suppression *items;
    size_t count, capacity;
    struct arena arena; /* the globs */
};

enum { FINGERPRINT_SIZE = 17 };

static void print_fingerprint(const struct finding *finding, char fingerprint[FINGERPRINT_SIZE])
{
    snprintf(fingerprint, FINGERPRINT_SIZE, "%016" PRIx64, finding_fingerprint(finding));
}

/* ---- matching ---- */

/* `*` is any text, `?` one byte. Iterative: only the last star needs to be tried again. */
static bool glob_matches_n(const char *glob, const char *string, size_t length)
{
    const char *const end = string + length;
    const char *star = NULL;
    const char *retry = NULL;
    while (string < end) {
        if (*glob == '*') {
            star = glob++;
            retry = string;
        } else if (*glob == '?' || (*glob && *glob == *string)) {
            ++glob;
            ++string;
        } else if (star) {
            glob = star + 1;
            string = ++retry;
        } else {
            return false;
        }
    }
    while (*glob == '*')
        ++glob;
    return *glob == 0;
}

static bool glob_matches(const char *glob, const char *string)
{
    return glob_matches_n(glob, string, strlen(string));
}

/* A filter against a string that may be unknown. */
static bool filter_holds(const char *glob, const char *string)
{
    return !glob || (string && glob_matches(glob, string));
}

static bool file_holds(const char *glob, const char *file)
{
    if (filter_holds(glob, file))
        return true;
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash && glob_matches(glob, slash + 1);
}

/* A frame of a kernel is "sum at reduce.cl:30:5", of the host "main+0x52 (app)": the name ends at a
 * space or a plus sign. */
static bool frame_holds(const char *glob, const char *frame)
{
    return glob_matches_n(glob, frame, strcspn(frame, " +"));
}

static bool function_holds(const char *glob, const struct finding_place *place)
{
    if (filter_holds(glob, place->function))
        return true;
    for (size_t i = 0; i < place->frame_count; ++i)
        if (frame_holds(glob, place->frames[i]))
            return true;
    return false;
}

static bool spot_holds(const struct suppression *item, const struct finding_place *place)
{
    char line[16];
    snprintf(line, sizeof line, "%" PRIu32, place->line);
    return function_holds(item->function, place) && file_holds(item->file, place->file) &&
           filter_holds(item->line, place->line ? line : NULL);
}

/* A line that was written before the file of the source was found goes on to hold. */
static bool place_holds(const struct suppression *item, const struct finding_place *place)
{
    const struct finding_place compiled = finding_place_compiled(place);
    return spot_holds(item, place) || (place->compiled && spot_holds(item, &compiled));
}

static bool object_holds(const char *glob, const struct finding *finding)
{
    size_t length;
    const char *object = glob ? finding_object(finding, &length) : NULL;
    return !glob || (object && glob_matches_n(glob, object, length));
}

/* What looks like a finding that the line covers, and is not it, is another. */
static bool fingerprint_holds(const struct suppression *item, const struct finding *finding)
{
    char fingerprint[FINGERPRINT_SIZE];
    if (!item->fingerprint)
        return true;
    print_fingerprint(finding, fingerprint);
    return glob_matches(item->fingerprint, fingerprint) &&
           (!item->is_used || item->key == finding_key(finding));
}

static bool item_covers(const struct suppression *item, const struct finding *finding)
{
    if (item->rule != finding->rule || !filter_holds(item->kernel, finding->kernel) ||
        !object_holds(item->object, finding) || !fingerprint_holds(item, finding))
        return false;
    if (!item->function && !item->file && !item->line)
        return true;
    for (size_t i = 0; i < finding->place_count; ++i)
        if (place_holds(item, &finding->places[i]))
            return true;
    return false;
}

bool suppressions_match(struct suppressions *set, const struct finding *finding)
{
    bool is_covered = false;
    for (size_t i = 0; set && i < set->count; ++i) {
        struct suppression *item = &set->items[i];
        if ((is_covered && item->fingerprint) || !item_covers(item, finding))
            continue;
        is_covered = item->is_used = true;
        item->key = item->fingerprint ? finding_key(finding) : 0;
    }
    return is_covered;
}

void suppressions_each_unused(const struct suppressions *set, suppressions_visit *visit, void *user)
{
    for (size_t i = 0; set && i < set->count; ++i) {
        const struct suppression *item = &set->items[i];
        struct text sentence = TEXT_INIT;
        text_format(&sentence, "line %lu of '%s' (%s) covers no finding", item->number, item->name,
                    rule_get(item->rule)->id);
        if (!item->is_used && !sentence.failed)
            visit(user, sentence.bytes);
        text_release(&sentence);
    }
}

/* ---- printing ---- */

static bool is_visible(const char *value, size_t length)
{
    struct text shown = TEXT_INIT;
    text_append_visible_n(&shown, value, length, VISIBLE_ONE_LINE);
    const bool is_same = shown.size == length && memcmp(shown.bytes, value, length) == 0;
    text_release(&shown);
    return is_same;
}

static void print_filter(struct text *text, const char *key, const char *value, size_t length)
{
    const bool keeps_all = is_visible(value, length);
    if (length == 0)
        return;
    text_format(text, " %s=", key);
    for (size_t i = 0; i < length; ++i) { /* what a file cannot hold stands there as any byte */
        const bool is_plain = value[i] > ' ' && value[i] <= '~';
        const bool is_kept = value[i] != ' ' && value[i] != '#' && (is_plain || keeps_all);
        text_append_char(text, is_kept ? value[i] : '?');
    }
}

/* Of a call the function of the program that made it, where that is known: a program has many calls
 * of one name. */
static void print_function(const struct finding_place *place, struct text *text)
{
    const bool is_kernel = place->kind == FINDING_PLACE_KERNEL;
    const size_t i = frame_find_own(place->frames, is_kernel ? 0 : place->frame_count);
    if (!is_kernel && i < place->frame_count)
        print_filter(text, "function", place->frames[i], strcspn(place->frames[i], " +"));
    else if (place->function)
        print_filter(text, "function", place->function, strlen(place->function));
}

void suppression_print(const struct finding *finding, struct text *text)
{
    const struct finding_place *place = finding->place_count ? &finding->places[0] : NULL;
    text_append(text, "# ");
    text_append_visible(text, finding->message, VISIBLE_ONE_LINE);
    text_format(text, "\n%s", rule_get(finding->rule)->id);
    if (finding->kernel)
        print_filter(text, "kernel", finding->kernel, strlen(finding->kernel));
    if (place)
        print_function(place, text);
    size_t length;
    const char *object = finding_object(finding, &length);
    if (object)
        print_filter(text, "object", object, length);
    char fingerprint[FINGERPRINT_SIZE];
    print_fingerprint(finding, fingerprint);
    text_format(text, " fingerprint=%s\n", fingerprint);
}

/* ---- parsing ---- */

static const char *const blanks = " \t\r";

/* Where a filter's glob goes; NULL when there is no such key. */
static const char **filter_slot(struct suppression *item, const char *key, size_t length)
{
    const struct {
        const char *key;
        const char **slot;
    } slots[] = {{"function", &item->function}, {"file", &item->file},
                 {"line", &item->line},         {"kernel", &item->kernel},
                 {"object", &item->object},     {"fingerprint", &item->fingerprint}};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i)
        if (strlen(slots[i].key) == length && memcmp(slots[i].key, key, length) == 0)
            return slots[i].slot;
    return NULL;
}

static enum status parse_filter(struct suppressions *set, const char *word,
                                struct suppression *item, struct error *error)
{
    const char *equals = strchr(word, '=');
    if (!equals)
        return error_set(error, STATUS_MALFORMED, "'%.60s' is not a filter KEY=GLOB", word);
    const char **slot = filter_slot(item, word, (size_t)(equals - word));
    if (!slot)
        return error_set(error, STATUS_MALFORMED,
                         "'%.*s' is not a filter; the filters are function, file, line, kernel, "
                         "object and fingerprint",
                         equals - word > 60 ? 60 : (int)(equals - word), word);
    if (*slot)
        return error_set(error, STATUS_MALFORMED, "the filter '%.*s' is given twice",
                         (int)(equals - word), word);
    if (!equals[1])
        return error_set(error, STATUS_MALFORMED, "the filter '%s' has no value", word);
    *slot = arena_string(&set->arena, equals + 1);
    return *slot ? STATUS_OK : error_no_memory(error, strlen(equals));
}

static enum status parse_rule(const char *word, struct suppression *item, struct error *error)
{
    item->rule = rule_find(word);
    if (item->rule != RULE_COUNT)
        return STATUS_OK;
    const char *nearest = rule_nearest_id(word);
    return nearest ? error_set(error, STATUS_MALFORMED, "there is no rule '%.60s'; '%s' is a rule",
                               word, nearest)
                   : error_set(error, STATUS_MALFORMED,
                               "there is no rule '%.60s' (clerk rules lists them)", word);
}

/* Parses one line, which it cuts into words, and appends it to the set unless it is blank. */
static enum status parse_line(struct suppressions *set, char *line, struct suppression item,
                              struct error *error)
{
    line[strcspn(line, "#")] = 0;
    char *rest;
    for (char *word = strtok_r(line, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest)) {
        const enum status status = item.rule == RULE_COUNT ? parse_rule(word, &item, error)
                                                           : parse_filter(set, word, &item, error);
        if (status != STATUS_OK)
            return status;
    }
    if (item.rule == RULE_COUNT)
        return STATUS_OK;
    struct suppression *items = alloc_grow(set->items, set->count, &set->capacity, sizeof item);
    if (!items)
        return error_no_memory(error, sizeof item);
    set->items = items;
    set->items[set->count++] = item;
    return STATUS_OK;
}

static enum status parse_lines(struct suppressions *set, char *text, size_t size, const char *name,
                               struct error *error)
{
    const char *end = text + size;
    unsigned long number = 1;
    const char *kept_name = arena_string(&set->arena, name);
    if (!kept_name)
        return error_no_memory(error, strlen(name));
    for (char *line = text; line < end; ++number) {
        char *newline = memchr(line, '\n', (size_t)(end - line));
        char *line_end = newline ? newline : text + size;
        enum status status = STATUS_OK;
        if (memchr(line, 0, (size_t)(line_end - line)))
            status = error_set(error, STATUS_MALFORMED, "the line holds a NUL byte");
        *line_end = 0;
        if (status == STATUS_OK)
            status = parse_line(
                set, line,
                (struct suppression){.rule = RULE_COUNT, .name = kept_name, .number = number},
                error);
        if (status != STATUS_OK) {
            error_prefix(error, "%s:%lu", name, number);
            return status;
        }
        line = line_end + 1;
    }
    return STATUS_OK;
}

enum status suppressions_parse(const char *text, size_t size, const char *name,
                               struct suppressions **set, struct error *error)
{
    struct suppressions *result = *set;
    char *copy = alloc(size + 1);
    enum status status = STATUS_OK;
    if (!result)
        result = alloc_zero(1, sizeof *result);
    if (!result || !copy) {
        status = error_no_memory(error, size + 1);
        goto out;
    }
    if (size)
        memcpy(copy, text, size);
    copy[size] = 0;
    const size_t count = result->count;
    status = parse_lines(result, copy, size, name, error);
    if (status != STATUS_OK)
        result->count = count;
out:
    alloc_free(copy);
    if (status == STATUS_OK)
        *set = result;
    else if (result != *set)
        suppressions_destroy(result);
    return status;
}

enum status suppressions_load(const char *path, struct suppressions **set, struct error *error)
{
    enum { FILE_SIZE_MAX = 1 << 20 };
    void *bytes;
    size_t size;
    enum status status = file_read(path, FILE_SIZE_MAX, &bytes, &size, error);
    if (status != STATUS_OK)
        return status;
    status = suppressions_parse(bytes, size, path, set, error);
    alloc_free(bytes);
    return status;
}

void suppressions_destroy(struct suppressions *set)
{
    if (!set)
        return;
    arena_release(&set->arena);
    alloc_free(set->items);
    alloc_free(set);
}
