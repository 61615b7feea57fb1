/* clerk kernel --merge: what the shards of --sample gave, as one list of lines. Each was found by
 * some executions; found by any shard is found. So a line that several have is told once, by the
 * first in the order of the shards, and of two that differ in how it is reached the stronger
 * counts: without weak ordering. Counts are added up. */
#include "viewer-cli/kernel/cmd_kernel.h"

#include "checkers/finding.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/hash.h"
#include "viewer-cli/shard.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_SIZE_MAX = 1 << 30 };

/* The output of one shard. */
struct part {
    const char *path;
    char *text;
    struct shard shard;
};

/* A line without how it is reached, and without its count. */
struct told {
    char *key;
    cJSON *line;
    uint64_t count; /* that its reason begins with; 0 = none */
    UT_hash_handle hh;
};

struct merge {
    struct part *parts;
    size_t part_count;
    struct shard_set shards;
    struct told *told; /* in the order in which they came */
    cJSON *result;     /* the line of the exploration, added up */
    struct text out;
};

static const char *text_of(const cJSON *line, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static bool is_true(const cJSON *line, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, name));
}

/* ---- verdicts ---- */

/* How much a verdict says: found counts more than what is not decided, and that more than nothing.
 */
static int weight(const char *verdict)
{
    static const char *const nothing[] = {"none", "holds", "not reachable", "always holds"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        if (strcmp(verdict, nothing[i]) == 0) {
            return 0;
        }
    }
    return strcmp(verdict, "not decided") == 0 ? 1 : 2;
}

static bool is_same_exploration(const cJSON *a, const cJSON *b)
{
    return strcmp(text_of(a, "kernel"), text_of(b, "kernel")) == 0 &&
           strcmp(text_of(a, "test"), text_of(b, "test")) == 0;
}

/* Adds the line of another shard's exploration. False when memory is out. */
static bool add_result(cJSON *sum, const cJSON *line)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, line)
    {
        cJSON *known = cJSON_GetObjectItemCaseSensitive(sum, item->string);
        const bool counts = cJSON_IsNumber(item) && cJSON_IsNumber(known);
        const bool says_more = (cJSON_IsTrue(item) && cJSON_IsFalse(known)) ||
                               (cJSON_IsString(item) && cJSON_IsString(known) &&
                                weight(item->valuestring) > weight(known->valuestring));
        cJSON *copy = counts ? cJSON_CreateNumber(known->valuedouble + item->valuedouble)
                      : says_more || !known ? cJSON_Duplicate(item, true)
                                            : NULL;
        if (!copy && (counts || says_more || !known)) {
            return false;
        }
        if (copy && known) {
            cJSON_ReplaceItemInObjectCaseSensitive(sum, item->string, copy);
        } else if (copy) {
            cJSON_AddItemToObject(sum, item->string, copy);
        }
    }
    return true;
}

static enum status take_result(struct merge *merge, const cJSON *line, const char *path,
                               struct error *error)
{
    if (merge->result == NULL) {
        merge->result = cJSON_Duplicate(line, true);
        return merge->result != NULL ? STATUS_OK : error_no_memory(error, strlen(path));
    }
    if (!is_same_exploration(merge->result, line)) {
        return error_set(error, STATUS_INVALID, "'%s' is of another kernel or test than the first",
                         path);
    }
    return add_result(merge->result, line) ? STATUS_OK : error_no_memory(error, strlen(path));
}

/* ---- other lines ---- */

/* "33 executions were chosen at random": the number, which is taken off. */
static uint64_t take_count(cJSON *line)
{
    cJSON *reason = cJSON_GetObjectItemCaseSensitive(line, "reason");
    const char *rest = cJSON_IsString(reason) ? reason->valuestring : "";
    uint64_t count = 0;
    if (strcmp(text_of(line, "kind"), "incomplete") != 0 || !number_take(&rest, &count)) {
        return 0;
    }
    memmove(reason->valuestring, rest, strlen(rest) + 1);
    return count;
}

/* Which side of a race came first, and which of like threads it was of, is chance. */
static void order_sides(cJSON *race)
{
    cJSON *first = cJSON_DetachItemFromObjectCaseSensitive(race, "first");
    cJSON *second = cJSON_DetachItemFromObjectCaseSensitive(race, "second");
    cJSON_DeleteItemFromObjectCaseSensitive(first, "thread");
    cJSON_DeleteItemFromObjectCaseSensitive(second, "thread");
    char *words[2] = {cJSON_PrintUnformatted(first), cJSON_PrintUnformatted(second)};
    const bool swap = words[0] != NULL && words[1] != NULL && strcmp(words[0], words[1]) > 0;
    cJSON_AddItemToObject(race, "first", swap ? second : first);
    cJSON_AddItemToObject(race, "second", swap ? first : second);
    cJSON_free(words[0]);
    cJSON_free(words[1]);
}

static char *key_of(const cJSON *line)
{
    static const char *const how[] = {"only_weak", "only_by_scope", "only_by_buffering", "choices"};
    static const char *const decided[] = {"verdict", "reason"};
    cJSON *copy = cJSON_Duplicate(line, true);
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(copy, how[i]);
    }
    if (cJSON_HasObjectItem(line, "verdict")) { /* an assertion: of each shard it may be another */
        for (size_t i = 0; i < sizeof decided / sizeof *decided; i++) {
            cJSON_DeleteItemFromObjectCaseSensitive(copy, decided[i]);
        }
    }
    if (cJSON_HasObjectItem(copy, "second")) {
        order_sides(copy);
    }
    char *key = copy != NULL ? cJSON_PrintUnformatted(copy) : NULL;
    cJSON_Delete(copy);
    return key;
}

static bool says_more(const cJSON *line, const cJSON *known)
{
    const int more = weight(text_of(line, "verdict")) - weight(text_of(known, "verdict"));
    return more != 0 ? more > 0 : is_true(known, "only_weak") && !is_true(line, "only_weak");
}

/* Takes the line. False when memory is out. */
static bool take_told(struct merge *merge, cJSON *line)
{
    struct told *told = NULL;
    const uint64_t count = take_count(line);
    char *key = key_of(line);
    if (key != NULL) {
        HASH_FIND_STR(merge->told, key, told);
    }
    if (told != NULL) {
        cJSON *left = line;
        if (says_more(line, told->line)) {
            left = told->line;
            told->line = line;
        }
        told->count += count;
        cJSON_Delete(left);
        cJSON_free(key);
        return true;
    }
    told = key != NULL ? alloc_zero(1, sizeof *told) : NULL;
    if (told != NULL) {
        *told = (struct told){.key = key, .line = line, .count = count};
        HASH_ADD_KEYPTR(hh, merge->told, told->key, strlen(told->key), told);
        if (told->hh.tbl != NULL) {
            return true;
        }
    }
    alloc_free(told);
    cJSON_free(key);
    cJSON_Delete(line);
    return false;
}

/* ---- the parts ---- */

/* Its last line says which shard it is: an output without one is of a process that was killed. */
static enum status read_part(struct merge *merge, struct part *part, struct error *error)
{
    size_t size;
    enum status status = file_read_text(part->path, FILE_SIZE_MAX, &part->text, &size, error);
    if (status != STATUS_OK) {
        return status;
    }
    const char *line = shard_last_line(part->text, size);
    if (line == NULL || !finding_parse_shard(line, &part->shard.index, &part->shard.count)) {
        return error_set(error, STATUS_MALFORMED,
                         "'%s' is not the whole output of a clerk kernel --sample N --shard I/N "
                         "--json",
                         part->path);
    }
    return shard_set_add(&merge->shards, &part->shard, part->path, error);
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a;
    const struct part *y = b;
    return (x->shard.index > y->shard.index) - (x->shard.index < y->shard.index);
}

static enum status take_line(struct merge *merge, const char *text, const char *path,
                             struct error *error)
{
    cJSON *line = cJSON_Parse(text);
    const char *kind = text_of(line, "kind");
    enum status status = STATUS_OK;
    if (strcmp(kind, "exploration") == 0 || strcmp(kind, "litmus") == 0) {
        status = take_result(merge, line, path, error);
    } else if (!cJSON_IsObject(line)) {
        status = error_set(error, STATUS_MALFORMED, "'%s' has a line that is not JSON", path);
    } else if (!cJSON_HasObjectItem(line, "shard")) {
        return take_told(merge, line) ? STATUS_OK : error_no_memory(error, strlen(text));
    }
    cJSON_Delete(line);
    return status;
}

static enum status take_parts(struct merge *merge, const struct options *options,
                              struct error *error)
{
    const size_t count = options_operand_count(options);
    enum status status = STATUS_OK;
    merge->parts = alloc_zero(count, sizeof *merge->parts);
    if (merge->parts == NULL) {
        return error_no_memory(error, count * sizeof *merge->parts);
    }
    for (; merge->part_count < count && status == STATUS_OK; merge->part_count++) {
        struct part *part = &merge->parts[merge->part_count];
        part->path = options_operand(options, merge->part_count);
        status = read_part(merge, part, error);
    }
    if (status == STATUS_OK) {
        status = shard_set_check(&merge->shards, error);
    }
    if (status == STATUS_OK) {
        qsort(merge->parts, count, sizeof *merge->parts, compare_parts);
    }
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        char *rest = merge->parts[i].text;
        for (char *line; status == STATUS_OK && (line = strsep(&rest, "\n")) != NULL;) {
            if (*line != '\0') {
                status = take_line(merge, line, merge->parts[i].path, error);
            }
        }
    }
    if (status == STATUS_OK && merge->result == NULL) {
        status = error_set(error, STATUS_MALFORMED, "no shard has explored anything");
    }
    return status;
}

/* ---- printing ---- */

static void print_line(struct merge *merge, cJSON *line)
{
    char *printed = cJSON_PrintUnformatted(line);
    merge->out.failed |= printed == NULL;
    text_format(&merge->out, "%s\n", printed != NULL ? printed : "");
    cJSON_free(printed);
}

static void print_told(struct merge *merge, struct told *told)
{
    cJSON *reason = cJSON_GetObjectItemCaseSensitive(told->line, "reason");
    char *counted = told->count > 0
                        ? alloc_format("%" PRIu64 "%s", told->count, cJSON_GetStringValue(reason))
                        : NULL;
    if (counted != NULL) {
        cJSON_SetValuestring(reason, counted);
    }
    print_line(merge, told->line);
    alloc_free(counted);
}

/* What the exit status says: of all shards as of one. */
static int print_merged(struct merge *merge)
{
    static const char *const wrong[] = {"race", "fault", "barrier", "hang"};
    uint64_t races = 0;
    bool found = strcmp(text_of(merge->result, "condition"), "does not always hold") == 0;
    for (struct told *told = merge->told; told != NULL; told = told->hh.next) {
        const char *kind = text_of(told->line, "kind");
        races += strcmp(kind, "race") == 0;
        found = found || strcmp(text_of(told->line, "verdict"), "violated") == 0;
        print_told(merge, told);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        found = found || strcmp(text_of(merge->result, wrong[i]), "found") == 0;
    }
    cJSON_SetNumberValue(cJSON_GetObjectItemCaseSensitive(merge->result, "races"), (double)races);
    print_line(merge, merge->result);
    return found ? VERB_FOUND : VERB_FAILED; /* samples decide nothing else */
}

static void release(struct merge *merge)
{
    struct told *told;
    struct told *next;
    HASH_ITER(hh, merge->told, told, next)
    {
        HASH_DEL(merge->told, told);
        cJSON_free(told->key);
        cJSON_Delete(told->line);
        alloc_free(told);
    }
    for (size_t i = 0; i < merge->part_count; i++) {
        alloc_free(merge->parts[i].text);
    }
    alloc_free(merge->parts);
    shard_set_release(&merge->shards);
    cJSON_Delete(merge->result);
    text_release(&merge->out);
}

int kernel_merge(const struct verb *verb, const struct options *options)
{
    struct error error;
    struct merge merge = {.out = TEXT_INIT};
    if (options_operand_count(options) == 0) {
        return verb_usage(verb, "--merge: which outputs?");
    }
    int result = VERB_FAILED;
    const enum status status = take_parts(&merge, options, &error);
    if (status == STATUS_OK) {
        result = print_merged(&merge);
        verb_print(&merge.out);
    } else {
        verb_fail(verb, &error);
    }
    release(&merge);
    return verb_finish(verb, result);
}
