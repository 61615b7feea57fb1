#include "viewer-cli/findings.h"

#include "trace/base/hash.h"
#include "trace/base/json.h"

struct distinct {
    struct distinct_key {
        uint64_t key;
        uint64_t is_known; /* else the rule is not, `key` the id, and each its own */
    } key;                 /* no padding */
    int64_t id;
    uint64_t count;
    struct finding *finding; /* NULL: not known */
    size_t place_count;      /* of the first of them */
    UT_hash_handle hh;
};

/* Those of one trace, in the order of their ids. */
struct collected {
    struct arena arena;
    struct distinct *list;
    struct rows *put_equal; /* into equal_finding */
};

static struct distinct *add_first(struct collected *collected, const struct distinct_key *key,
                                  int64_t id, const struct finding *finding)
{
    struct distinct *distinct = arena_alloc(&collected->arena, 1, sizeof *distinct);
    if (!distinct)
        return NULL;
    *distinct = (struct distinct){.key = *key, .id = id, .count = 1};
    if (key->is_known) {
        distinct->finding = finding_copy(&collected->arena, finding);
        if (!distinct->finding)
            return NULL;
        distinct->count = finding->count;
        distinct->place_count = finding->place_count;
    }
    HASH_ADD(hh, collected->list, key, sizeof distinct->key, distinct);
    return distinct->hh.tbl ? distinct : NULL;
}

static bool add_finding(struct collected *collected, int64_t id, const char *json)
{
    struct arena arena = {0};
    struct finding finding;
    struct distinct *distinct;
    struct distinct_key key = {.key = (uint64_t)id};
    if (finding_parse_json(json, &arena, &finding, NULL) == STATUS_OK)
        key = (struct distinct_key){.key = finding_key(&finding), .is_known = 1};
    HASH_FIND(hh, collected->list, &key, sizeof key, distinct);
    if (!distinct) {
        distinct = add_first(collected, &key, id, &finding);
    } else {
        distinct->count += finding.count;
        if (!finding_add_launches(distinct->finding, &finding, &collected->arena))
            distinct = NULL;
    }
    if (distinct)
        rows_bind_number(collected->put_equal, 1, distinct->id);
    arena_release(&arena);
    return distinct != NULL;
}

static enum status collect(struct trace *trace, const char *sql, struct collected *collected,
                           struct error *error)
{
    struct rows *rows = NULL;
    enum status status =
        rows_open(trace, "INSERT OR IGNORE INTO temp.equal_finding VALUES (?1, ?2)",
                  &collected->put_equal, error);
    if (!status)
        status = rows_open(trace, sql, &rows, error);
    while (rows_next(rows, &status, error)) {
        if (!add_finding(collected, rows_number(rows, 0), rows_text(rows, 1))) {
            status = error_no_memory(error, sizeof(struct distinct));
            break;
        }
        rows_bind_number(collected->put_equal, 2, rows_number(rows, 0));
        status = rows_run(collected->put_equal, error);
    }
    rows_close(collected->put_equal);
    rows_close(rows);
    return status;
}

static enum status put(struct rows *rows, const struct distinct *distinct, struct error *error)
{
    struct text json = TEXT_INIT;
    rows_bind_number(rows, 1, distinct->id);
    rows_bind_number(rows, 2, (int64_t)distinct->count);
    if (distinct->finding && distinct->finding->place_count > distinct->place_count) {
        finding_print_json(distinct->finding, &json);
        rows_bind_text(rows, 3, json.bytes);
    }
    const enum status status = rows_run(rows, error);
    text_release(&json);
    return status;
}

enum status findings_make(struct trace *trace, const char *rows, struct error *error)
{
    struct collected collected = {.list = NULL};
    struct rows *put_rows = NULL;
    enum status status = rows_execute(trace,
                                      "CREATE TEMP TABLE IF NOT EXISTS distinct_finding"
                                      " (id INTEGER PRIMARY KEY, count INTEGER, merged TEXT);"
                                      "DELETE FROM temp.distinct_finding;"
                                      "CREATE TEMP TABLE IF NOT EXISTS equal_finding"
                                      " (id INTEGER, equal INTEGER, PRIMARY KEY (id, equal))"
                                      " WITHOUT ROWID;"
                                      "DELETE FROM temp.equal_finding",
                                      error);
    if (!status)
        status = collect(trace, rows ? rows : "SELECT id, json FROM finding ORDER BY id",
                         &collected, error);
    if (!status)
        status = rows_open(trace, "INSERT INTO temp.distinct_finding VALUES (?1, ?2, ?3)",
                           &put_rows, error);
    for (const struct distinct *each = collected.list; each && !status; each = each->hh.next)
        status = put(put_rows, each, error);
    rows_close(put_rows);
    HASH_CLEAR(hh, collected.list);
    arena_release(&collected.arena);
    return status;
}

/* ---- reading them ---- */

enum status findings_open(struct trace *trace, struct rows **rows, struct error *error)
{
    return rows_open(trace,
                     "SELECT ifnull(merged, json), severity, rule, message, count,"
                     " ifnull(finding.call, 0), object.name, finding.id"
                     " FROM finding JOIN temp.distinct_finding USING (id)"
                     " LEFT JOIN launch ON launch.call = finding.call"
                     " LEFT JOIN kernel ON kernel.id = kernel"
                     " LEFT JOIN object ON object.id = kernel.program ORDER BY finding.id",
                     rows, error);
}

bool findings_read(struct rows *rows, struct arena *arena, struct finding *finding)
{
    if (finding_parse_json(rows_text(rows, FINDINGS_JSON), arena, finding, NULL) != STATUS_OK)
        return false;
    finding->count = (uint64_t)rows_number(rows, FINDINGS_COUNT);
    return true;
}

void findings_print_unknown_json(struct rows *rows, struct text *text)
{
    text_append_char(text, '{');
    json_string(text, "severity", rows_text(rows, FINDINGS_SEVERITY));
    json_string(text, "rule", rows_text(rows, FINDINGS_RULE));
    json_string(text, "message", rows_text(rows, FINDINGS_MESSAGE));
    text_append_char(text, '}');
}
