/* The schema of a trace, of each version of the format. docs/TRACE_FORMAT.md explains it to people
 * who query traces, and lists its versions: a change here is a new STORE_VERSION, a row for what is
 * new beside the row for what was, and a line there.
 *
 * SQLite keeps the text of each statement, from the name on, and performs it again whenever it
 * opens the file: a view or a table with generated columns computes whatever its author likes. So a
 * file is a trace only if all its texts are among these. */
#include "trace/schema.h"

#include "trace/store.h"

#include <sqlite3.h>
#include <string.h>

enum { LATEST = STORE_VERSION };

struct part {
    int first, last;
    const char *sql; /* as SQLite keeps it */
};

/* What refers to the table of calls, which is called call_row since version 3. */
#define OF_CALLS(before, after)                                                                    \
    {1, 2, before "call" after},                                                                   \
    {                                                                                              \
        3, LATEST, before "call_row" after                                                         \
    }

/* clang-format off */
static const struct part parts[] = {
    /* ---- tables; call_form: programs make the same calls again and again, whose common form
     * stands once; from thread on: derived from the calls when recording is over: trace/derive.c */
    {1, LATEST,
     "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"},
    {1, LATEST,
     "CREATE TABLE machine (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"},
    {1, 2,
     "CREATE TABLE call (\n"
     "  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, name TEXT NOT NULL,\n"
     "  begin_ns INTEGER NOT NULL, end_ns INTEGER, result TEXT, arguments TEXT,\n"
     "  failed INTEGER NOT NULL, flags INTEGER NOT NULL, entry INTEGER NOT NULL,\n"
     "  record BLOB NOT NULL)"},
    {1, LATEST,
     "CREATE TABLE content (digest BLOB PRIMARY KEY, size INTEGER NOT NULL,\n"
     "  encoding INTEGER NOT NULL, bytes BLOB NOT NULL)"},
    {1, LATEST,
     "CREATE TABLE call_content (call INTEGER NOT NULL, argument INTEGER NOT NULL,\n"
     "  offset INTEGER NOT NULL, size INTEGER NOT NULL, digest BLOB NOT NULL REFERENCES content)"},
    OF_CALLS("CREATE TABLE finding (id INTEGER PRIMARY KEY, call INTEGER REFERENCES ", ",\n"
     "  rule TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL, json TEXT NOT NULL)"),
    OF_CALLS("CREATE TABLE stack (call INTEGER NOT NULL REFERENCES ", ", depth INTEGER NOT NULL,\n"
     "  frame TEXT NOT NULL, PRIMARY KEY (call, depth)) WITHOUT ROWID"),
    {1, LATEST,
     "CREATE TABLE spool_progress (stream INTEGER PRIMARY KEY, sequence INTEGER NOT NULL,\n"
     "  offset INTEGER NOT NULL)"},
    {1, LATEST,
     "CREATE TABLE thread (id INTEGER PRIMARY KEY, first_call INTEGER, last_call INTEGER,\n"
     "  call_count INTEGER NOT NULL)"},
    {1, 2,
     "CREATE TABLE object (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,\n"
     "  label TEXT, handle INTEGER NOT NULL, parent INTEGER REFERENCES object,\n"
     "  created_call INTEGER REFERENCES call, released_call INTEGER REFERENCES call)"},
    {3, LATEST,
     "CREATE TABLE object (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,\n"
     "  label TEXT, handle INTEGER NOT NULL, parent INTEGER REFERENCES object,\n"
     "  created_call INTEGER REFERENCES call_row, released_call INTEGER REFERENCES call_row)"},
    OF_CALLS("CREATE TABLE program (id INTEGER PRIMARY KEY REFERENCES object, origin TEXT NOT NULL,\n"
     "  source TEXT, il BLOB, options TEXT, build_call INTEGER REFERENCES ", ", build_result TEXT,\n"
     "  log TEXT)"),
    {1, LATEST,
     "CREATE TABLE kernel (id INTEGER PRIMARY KEY REFERENCES object,\n"
     "  program INTEGER REFERENCES program, name TEXT)"},
    {1, 2,
     "CREATE TABLE launch (call INTEGER PRIMARY KEY REFERENCES call,\n"
     "  kernel INTEGER REFERENCES kernel, kernel_name TEXT, queue INTEGER REFERENCES object,\n"
     "  work_dim INTEGER, global_offset TEXT, global_size TEXT, local_size TEXT,\n"
     "  event INTEGER REFERENCES object, queued_ns INTEGER, submit_ns INTEGER, start_ns INTEGER,\n"
     "  end_ns INTEGER, duration_ns INTEGER)"},
    {3, 6,
     "CREATE TABLE launch (call INTEGER PRIMARY KEY REFERENCES call_row,\n"
     "  kernel INTEGER REFERENCES kernel, kernel_name TEXT, queue INTEGER REFERENCES object,\n"
     "  work_dim INTEGER, global_offset TEXT, global_size TEXT, local_size TEXT,\n"
     "  event INTEGER REFERENCES object, queued_ns INTEGER, submit_ns INTEGER, start_ns INTEGER,\n"
     "  end_ns INTEGER, duration_ns INTEGER)"},
    {7, LATEST,
     "CREATE TABLE launch (call INTEGER PRIMARY KEY REFERENCES call_row,\n"
     "  kernel INTEGER REFERENCES kernel, kernel_name TEXT, queue INTEGER REFERENCES object,\n"
     "  work_dim INTEGER, global_offset TEXT, global_size TEXT, local_size TEXT,\n"
     "  event INTEGER REFERENCES object, queued_ns INTEGER, submit_ns INTEGER, start_ns INTEGER,\n"
     "  end_ns INTEGER, complete_ns INTEGER, duration_ns INTEGER)"},
    {2, LATEST,
     "CREATE TABLE launch_content (call INTEGER NOT NULL, handle INTEGER NOT NULL,\n"
     "  after INTEGER NOT NULL, offset INTEGER NOT NULL, size INTEGER NOT NULL,\n"
     "  digest BLOB NOT NULL)"},
    {3, LATEST,
     "CREATE TABLE call_form (id INTEGER PRIMARY KEY, name TEXT NOT NULL, result TEXT,\n"
     "  arguments TEXT, entry INTEGER NOT NULL, record BLOB NOT NULL)"},
    {3, LATEST,
     "CREATE TABLE call_row (id INTEGER PRIMARY KEY, thread INTEGER NOT NULL,\n"
     "  begin_ns INTEGER NOT NULL, duration_ns INTEGER, failed INTEGER NOT NULL,\n"
     "  flags INTEGER NOT NULL, form INTEGER NOT NULL REFERENCES call_form)"},
    {4, 4,
     "CREATE TABLE callback (call INTEGER NOT NULL REFERENCES call_row, thread INTEGER,\n"
     "  begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL)"},
    {4, LATEST,
     "CREATE TABLE callback (call INTEGER NOT NULL REFERENCES call_row, thread INTEGER,\n"
     "  begin_ns INTEGER NOT NULL, end_ns INTEGER)"},
    {7, LATEST,
     "CREATE TABLE command_time (call INTEGER PRIMARY KEY REFERENCES call_row,\n"
     "  queued_ns INTEGER NOT NULL, submit_ns INTEGER NOT NULL, start_ns INTEGER NOT NULL,\n"
     "  end_ns INTEGER NOT NULL, complete_ns INTEGER)"},
    {7, LATEST,
     "CREATE TABLE launch_line (call INTEGER NOT NULL REFERENCES call_row, file TEXT NOT NULL,\n"
     "  line INTEGER NOT NULL, operations INTEGER NOT NULL, active INTEGER NOT NULL,\n"
     "  present INTEGER NOT NULL, global_lines INTEGER NOT NULL, global_least INTEGER NOT NULL,\n"
     "  local_turns INTEGER NOT NULL, local_least INTEGER NOT NULL,\n"
     "  PRIMARY KEY (call, file, line)) WITHOUT ROWID"},
    {7, LATEST,
     "CREATE TABLE launch_child (call INTEGER NOT NULL REFERENCES call_row,\n"
     "  id INTEGER NOT NULL, parent INTEGER, kernel_name TEXT NOT NULL, queue INTEGER NOT NULL,\n"
     "  work_dim INTEGER NOT NULL, global_offset TEXT, global_size TEXT NOT NULL,\n"
     "  local_size TEXT NOT NULL,\n"
     "  start_ns INTEGER, end_ns INTEGER, complete_ns INTEGER, result TEXT NOT NULL,\n"
     "  PRIMARY KEY (call, id)) WITHOUT ROWID"},
    /* ---- indexes that are kept up to date while recording */
    {1, LATEST,
     "CREATE INDEX call_content_call ON call_content (call, argument, offset)"},
    {2, LATEST,
     "CREATE INDEX launch_content_call ON launch_content (call, after, handle, offset)"},
    {4, 4,
     "CREATE INDEX callback_call ON callback (call, begin_ns)"},
    {4, LATEST,
     "CREATE UNIQUE INDEX callback_call ON callback (call, begin_ns)"},
    /* ---- views; object_view asks for a call at a time: an outer join would go through all */
    {3, LATEST,
     "CREATE VIEW call AS SELECT call_row.id AS id, thread, name, begin_ns,\n"
     "  begin_ns + duration_ns AS end_ns, result, arguments, failed, flags, entry, record\n"
     "  FROM call_row JOIN call_form ON call_form.id = form"},
    {1, LATEST,
     "CREATE VIEW call_view AS SELECT id, thread,\n"
     "  printf('%.3f', begin_ns / 1e6) AS begin_ms,\n"
     "  CASE WHEN end_ns IS NULL THEN '-' ELSE printf('%.1f', (end_ns - begin_ns) / 1e3) END\n"
     "    AS duration_us,\n"
     "  name || '(' || ifnull(arguments, '') || ')' AS call,\n"
     "  CASE WHEN end_ns IS NULL THEN 'never returned' ELSE ifnull(result, '') END AS result\n"
     "  FROM call WHERE NOT flags & 4 ORDER BY id"},
    {1, LATEST,
     "CREATE VIEW launch_view AS SELECT launch.call, ifnull(kernel_name, '?') AS kernel,\n"
     "  global_size, ifnull(local_size, 'chosen by the device') AS local_size,\n"
     "  ifnull(global_offset, '0') AS global_offset, queue.name AS queue, call.thread,\n"
     "  CASE WHEN duration_ns IS NULL THEN 'not measured'\n"
     "       ELSE printf('%.1f', duration_ns / 1e3) END AS duration_us,\n"
     "  ifnull(call.result, 'never returned') AS result\n"
     "  FROM launch JOIN call ON call.id = launch.call\n"
     "  LEFT JOIN object AS queue ON queue.id = launch.queue ORDER BY launch.call"},
    {1, 3,
     "CREATE VIEW object_view AS SELECT object.name, kind, label,\n"
     "  printf('0x%x', handle) AS handle,\n"
     "  CASE WHEN created_call IS NULL THEN 'not recorded'\n"
     "       ELSE made.name || ' (call ' || created_call || ')' END AS created,\n"
     "  CASE WHEN released_call IS NULL THEN 'never'\n"
     "       ELSE freed.name || ' (call ' || released_call || ')' END AS released\n"
     "  FROM object LEFT JOIN call AS made ON made.id = created_call\n"
     "  LEFT JOIN call AS freed ON freed.id = released_call ORDER BY object.id"},
    {4, LATEST,
     "CREATE VIEW object_view AS SELECT object.name, kind, label,\n"
     "  printf('0x%x', handle) AS handle,\n"
     "  CASE WHEN created_call IS NULL THEN 'not recorded' ELSE\n"
     "    (SELECT name FROM call WHERE id = created_call) || ' (call ' || created_call || ')'\n"
     "    END AS created,\n"
     "  CASE WHEN released_call IS NULL THEN 'never' ELSE\n"
     "    (SELECT name FROM call WHERE id = released_call) || ' (call ' || released_call || ')'\n"
     "    END AS released\n"
     "  FROM object ORDER BY object.id"},
    {1, 3,
     "CREATE VIEW finding_view AS SELECT finding.id, severity, rule, message, call.id AS call,\n"
     "  call.name AS entry_point FROM finding LEFT JOIN call ON call.id = finding.call\n"
     "  ORDER BY finding.id"},
    {4, LATEST,
     "CREATE VIEW finding_view AS SELECT id, severity, rule, message, call,\n"
     "  (SELECT name FROM call WHERE call.id = finding.call) AS entry_point\n"
     "  FROM finding ORDER BY id"},
    {2, LATEST,
     "CREATE VIEW launch_content_view AS SELECT launch_content.call, kernel_name AS kernel,\n"
     "  ifnull(object.name, printf('0x%x', launch_content.handle)) AS object,\n"
     "  CASE WHEN after THEN 'after' ELSE 'before' END AS moment, offset,\n"
     "  launch_content.size, hex(launch_content.digest) AS digest,\n"
     "  CASE WHEN content.digest IS NULL THEN 'no' ELSE 'yes' END AS bytes_kept\n"
     "  FROM launch_content LEFT JOIN launch ON launch.call = launch_content.call\n"
     "  LEFT JOIN object ON object.handle = launch_content.handle\n"
     "    AND ifnull(created_call, 0) <= launch_content.call\n"
     "    AND ifnull(released_call, 9223372036854775807) >= launch_content.call\n"
     "  LEFT JOIN content ON content.digest = launch_content.digest\n"
     "  ORDER BY launch_content.call, object.id, after, offset"},
};

/* Made in bulk at the end, which costs half of what keeping them up to date costs. */
static const struct part indexes[] = {
    {1, 2,
     "CREATE INDEX call_name ON call (name)"},
    {1, 2,
     "CREATE INDEX call_thread ON call (thread)"},
    {1, 2,
     "CREATE INDEX call_failed ON call (id) WHERE failed OR end_ns IS NULL"},
    {1, LATEST,
     "CREATE INDEX object_lifetime ON object (handle, ifnull(created_call, 0))"},
    {3, LATEST,
     "CREATE INDEX call_row_form ON call_row (form)"},
    {3, LATEST,
     "CREATE INDEX call_row_thread ON call_row (thread)"},
    {3, LATEST,
     "CREATE INDEX call_row_failed ON call_row (id)\n"
     "  WHERE failed OR duration_ns IS NULL"},
    {4, LATEST,
     "CREATE INDEX call_form_name ON call_form (name)"},
};
/* clang-format on */

enum { PART_COUNT = sizeof parts / sizeof *parts, INDEX_COUNT = sizeof indexes / sizeof *indexes };

/* ---- making it ---- */

static bool is_of(const struct part *part, int version)
{
    return part->first <= version && version <= part->last;
}

/* Of two forms that one version had the later one. */
static bool is_superseded(const struct part *part, int version);

void schema_print(int version, struct text *sql)
{
    for (size_t i = 0; i < PART_COUNT; ++i)
        if (is_of(&parts[i], version) && !is_superseded(&parts[i], version))
            text_format(sql, "%s;\n", parts[i].sql);
}

void schema_print_indexes(int version, struct text *sql)
{
    static const char verb[] = "CREATE INDEX ";
    for (size_t i = 0; i < INDEX_COUNT; ++i)
        if (is_of(&indexes[i], version))
            text_format(sql, "%sIF NOT EXISTS %s;\n", verb, indexes[i].sql + strlen(verb));
}

/* ---- checking it ---- */

/* The object that the statement makes: "CREATE UNIQUE INDEX name ON" */
static const char *name_of(const struct part *part, size_t *size)
{
    static const char *const kinds[] = {"TABLE ", "VIEW ", "INDEX "};
    const char *name = part->sql;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && name == part->sql; ++i) {
        const char *kind = strstr(part->sql, kinds[i]);
        if (kind && kind - part->sql < 16)
            name = kind + strlen(kinds[i]);
    }
    *size = strcspn(name, " ");
    return name;
}

static bool is_named(const struct part *part, const char *name, size_t size)
{
    size_t own_size;
    const char *own = name_of(part, &own_size);
    return own_size == size && memcmp(own, name, size) == 0;
}

static bool is_superseded(const struct part *part, int version)
{
    size_t size;
    const char *name = name_of(part, &size);
    while (++part < parts + PART_COUNT)
        if (is_of(part, version) && is_named(part, name, size))
            return true;
    return false;
}

/* An index that a version did not have is no harm: a later clerk adds it when it recovers a run. */
static bool is_known_index(const char *sql)
{
    for (size_t i = 0; i < INDEX_COUNT; ++i)
        if (strcmp(indexes[i].sql, sql) == 0)
            return true;
    return false;
}

static size_t find_part(const char *sql, int version)
{
    size_t i = 0;
    while (i < PART_COUNT && !(is_of(&parts[i], version) && strcmp(parts[i].sql, sql) == 0))
        ++i;
    return i;
}

/* SQLite's own index for a PRIMARY KEY has no text. */
static bool is_automatic(const char *type, const char *name, int sql_type)
{
    return sql_type == SQLITE_NULL && strcmp(type, "index") == 0 &&
           strncmp(name, "sqlite_autoindex_", strlen("sqlite_autoindex_")) == 0;
}

static enum status check_rows(sqlite3_stmt *rows, int version, const char *path, bool *is_there,
                              struct error *error)
{
    int code;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(rows, 0);
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        const char *sql = (const char *)sqlite3_column_text(rows, 2);
        const size_t part = sql ? find_part(sql, version) : PART_COUNT;
        if (part < PART_COUNT)
            is_there[part] = true;
        else if (!type || !name ||
                 !(sql ? is_known_index(sql)
                       : is_automatic(type, name, sqlite3_column_type(rows, 2))))
            return error_set(
                error, STATUS_MALFORMED,
                "'%s' is refused: no clerk makes its %s '%.64s'; remove what was added "
                "to it by hand",
                path, type ? type : "part", name ? name : "?");
    }
    return code == SQLITE_DONE ? STATUS_OK : store_failure(sqlite3_db_handle(rows), path, error);
}

static enum status check_whole(int version, const char *path, const bool *is_there,
                               struct error *error)
{
    for (size_t i = 0; i < PART_COUNT; ++i) {
        size_t size;
        const char *name = name_of(&parts[i], &size);
        bool found = !is_of(&parts[i], version);
        for (size_t j = 0; j < PART_COUNT && !found; ++j)
            found = is_there[j] && is_named(&parts[j], name, size);
        if (!found)
            return error_set(error, STATUS_MALFORMED,
                             "'%s' is damaged: it lacks '%.*s' of format version %d", path,
                             (int)size, name, version);
    }
    return STATUS_OK;
}

enum status schema_check(sqlite3 *database, int version, const char *path, struct error *error)
{
    sqlite3_stmt *rows = NULL;
    bool is_there[PART_COUNT] = {false};
    enum status status = store_prepare(
        database, path, "SELECT type, name, sql FROM main.sqlite_schema", &rows, error);
    if (!status)
        status = check_rows(rows, version, path, is_there, error);
    sqlite3_finalize(rows);
    return status ? status : check_whole(version, path, is_there, error);
}
