/* The lists of clerk show that are one query each: a row here says the query, its columns, and how
 * people read them. JSON has the same columns with their plain values. */
#include "trace/base/assert.h"
#include "trace/base/json.h"
#include "viewer-cli/commands.h"
#include "viewer-cli/line_counts.h"
#include "viewer-cli/memory_use.h"
#include "viewer-cli/recorded_arguments.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/show/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum form {
    FORM_END, /* after the last column */
    FORM_TEXT,
    FORM_NAMES, /* with spaces between; in JSON a list */
    FORM_NUMBER,
    FORM_SIZE,
    FORM_DURATION,
    FORM_SHARE, /* of 1; for people in percent */
    FORM_JSON,  /* as it stands */
};

struct list_column {
    const char *title; /* for people; NULL: JSON alone has it */
    const char *key;   /* in JSON; NULL: people alone have it */
    enum form form;
    const char *missing; /* what people read for NULL */
};

enum { LIST_COLUMN_MAX = 24 };

struct list {
    const char *name;
    const char *none; /* what people read when there are no rows */
    const char
        *sql; /* its columns are those below, in order; after them may be those of show_filtered */
    const char *order;
    const char *order_of_some; /* with --limit; NULL: the same */
    enum status (*prepare)(struct trace *trace, struct error *error); /* or NULL */
    struct list_column columns[LIST_COLUMN_MAX];
};

static enum status make_commands(struct trace *trace, struct error *error)
{
    const enum status status = commands_make(trace, error);
    return status ? status : recorded_arguments_make(trace, error);
}

/* device_of: of each command-queue the device that it was made for. */
#define QUEUE_DEVICES                                                                              \
    "WITH device_of AS (SELECT own.id, own.name, (SELECT device.name FROM object AS device"        \
    "   WHERE device.kind = 'device' AND device.created_call < own.created_call"                   \
    "    AND instr(arguments, 'device = ' || printf('0x%x', device.handle) || ',')"                \
    "   ORDER BY device.id DESC LIMIT 1) AS device"                                                \
    "  FROM object AS own JOIN call ON call.id = own.created_call"                                 \
    "  WHERE own.kind = 'command-queue')"

/* child: of each kernel that was enqueued on the device what a launch has; times where the launch
 * has some, so that kernels are compared by the same launches. */
#define CHILDREN                                                                                   \
    "child AS (SELECT own.*, 'child#' || id || ifnull(' of child#' || parent, '') AS words,"       \
    "  launch.end_ns + own.start_ns AS began, launch.end_ns + own.end_ns AS ended,"                \
    "  launch.end_ns + own.complete_ns AS completed,"                                              \
    "  iif(launch.end_ns, own.end_ns - own.start_ns, NULL) AS duration,"                           \
    "  (SELECT object.id FROM object WHERE handle = own.queue AND kind = 'command-queue'"          \
    "   AND ifnull(created_call, 0) <= own.call AND ifnull(released_call, own.call) >= own.call"   \
    "   ORDER BY object.id DESC LIMIT 1) AS queue_id"                                              \
    "  FROM launch_child AS own LEFT JOIN launch ON launch.call = own.call)"

static const struct list lists[] = {
    {"launches",
     "no kernel was launched",
     "WITH " CHILDREN "SELECT launch.call AS call, call.thread AS thread, kernel_name, kernel_name,"
     " global_size || ifnull(' from ' || global_offset, ''), local_size, queue.name,"
     " CASE WHEN call.end_ns IS NULL THEN 'never returned' WHEN failed THEN call.result"
     "  ELSE duration_ns END, words, global_size, global_offset, duration_ns, call.result, "
     "queued_ns,"
     " submit_ns, start_ns, launch.end_ns, complete_ns, json, NULL AS child, NULL,"
     " failed OR call.end_ns IS NULL AS failed,"
     " ifnull((SELECT group_concat(object, ' ') FROM temp.given_object AS own"
     "  WHERE own.call = launch.call), '')"
     "  || ' ' || ifnull(queue.name, '') || ' ' || ifnull(kernel.name, '')"
     "  || ' ' || ifnull(event.name, '') AS objects"
     " FROM launch JOIN call ON call.id = launch.call"
     " LEFT JOIN temp.given ON given.call = launch.call"
     " LEFT JOIN object AS queue ON queue.id = launch.queue"
     " LEFT JOIN object AS kernel ON kernel.id = launch.kernel"
     " LEFT JOIN object AS event ON event.id = launch.event"
     " UNION ALL SELECT child.call, call_row.thread, kernel_name,"
     " '  ' || child.words || ': ' || kernel_name,"
     " global_size || ifnull(' from ' || global_offset, ''), local_size, queue.name,"
     " iif(child.result = 'CL_SUCCESS', duration, child.result), NULL, global_size, global_offset,"
     " duration, child.result, NULL, NULL, began, ended, completed, NULL, child.id, child.parent,"
     " child.result <> 'CL_SUCCESS', ifnull(queue.name, '')"
     " FROM child JOIN call_row ON call_row.id = child.call"
     " LEFT JOIN object AS queue ON queue.id = queue_id",
     "call, child",
     NULL,
     recorded_arguments_make,
     {{"call", "call", FORM_NUMBER, ""},        {"thread", "thread", FORM_NUMBER, ""},
      {NULL, "kernel", FORM_TEXT, NULL},        {"kernel", NULL, FORM_TEXT, "?"},
      {"global size", NULL, FORM_TEXT, "?"},    {"local size", "local_size", FORM_TEXT, "driver's"},
      {"queue", "queue", FORM_TEXT, "?"},       {"took", NULL, FORM_DURATION, "-"},
      {"arguments", NULL, FORM_TEXT, ""},       {NULL, "global_size", FORM_TEXT, NULL},
      {NULL, "global_offset", FORM_TEXT, NULL}, {NULL, "duration_ns", FORM_NUMBER, NULL},
      {NULL, "result", FORM_TEXT, NULL},        {NULL, "queued_ns", FORM_NUMBER, NULL},
      {NULL, "submit_ns", FORM_NUMBER, NULL},   {NULL, "start_ns", FORM_NUMBER, NULL},
      {NULL, "end_ns", FORM_NUMBER, NULL},      {NULL, "complete_ns", FORM_NUMBER, NULL},
      {NULL, "arguments", FORM_JSON, NULL},     {NULL, "child", FORM_NUMBER, NULL},
      {NULL, "parent", FORM_NUMBER, NULL}}},
    {"commands",
     "no command was enqueued",
     "SELECT command.call AS call, call.thread AS thread,"
     " substr(call.name, 10) || ifnull(' ' || kernel_name, '')"
     "  || ifnull(' ' || command.objects, ''),"
     " bytes, CASE WHEN call.end_ns IS NULL THEN 'never returned' WHEN failed THEN call.result"
     "  ELSE iif(command.end_ns >= command.start_ns, command.end_ns - command.start_ns, NULL) END,"
     " command.queue, command.event, waits_for,"
     " iif(command.end_ns >= command.start_ns, command.end_ns - command.start_ns, NULL),"
     " call.result, call.name AS entry_point, kernel_name,"
     " ifnull(command.objects, given_objects), command.queued_ns, command.submit_ns,"
     " command.start_ns, command.end_ns, command.complete_ns, json, failed OR call.end_ns IS NULL "
     "AS failed,"
     " ifnull(command.objects, '') || ' ' || ifnull(given_objects, '') || ' ' ||"
     "  ifnull(command.queue, '') || ' ' || ifnull(command.event, '') || ' ' ||"
     "  ifnull(waits_for, '') || ' ' || ifnull(kernel.name, '') AS objects"
     " FROM (SELECT *, (SELECT group_concat(object, ' ') FROM temp.given_object AS one"
     "  WHERE one.call = command.call) AS given_objects FROM temp.command) AS command"
     " JOIN call ON call.id = command.call LEFT JOIN temp.given ON given.call = command.call"
     " LEFT JOIN launch ON launch.call = command.call"
     " LEFT JOIN object AS kernel ON kernel.id = launch.kernel",
     "call",
     NULL,
     make_commands,
     {{"call", "call", FORM_NUMBER, ""},
      {"thread", "thread", FORM_NUMBER, ""},
      {"command", NULL, FORM_TEXT, ""},
      {"bytes", "bytes", FORM_SIZE, ""},
      {"took", NULL, FORM_DURATION, "-"},
      {"queue", "queue", FORM_TEXT, "?"},
      {"event", "event", FORM_TEXT, ""},
      {"waits for", "waits_for", FORM_NAMES, ""},
      {NULL, "duration_ns", FORM_NUMBER, NULL},
      {NULL, "result", FORM_TEXT, NULL},
      {NULL, "entry_point", FORM_TEXT, NULL},
      {NULL, "kernel", FORM_TEXT, NULL},
      {NULL, "objects", FORM_NAMES, NULL},
      {NULL, "queued_ns", FORM_NUMBER, NULL},
      {NULL, "submit_ns", FORM_NUMBER, NULL},
      {NULL, "start_ns", FORM_NUMBER, NULL},
      {NULL, "end_ns", FORM_NUMBER, NULL},
      {NULL, "complete_ns", FORM_NUMBER, NULL},
      {NULL, "arguments", FORM_JSON, NULL}}},
    {"kernels",
     "no kernel was launched",
     QUEUE_DEVICES
     ", " CHILDREN ", ran AS (SELECT kernel_name, queue AS queue_id, launch.duration_ns AS ns, "
     "json AS given, 'host' AS by"
     "   FROM launch JOIN call_row ON call_row.id = launch.call"
     "   LEFT JOIN temp.given ON given.call = launch.call WHERE NOT failed"
     "  UNION ALL SELECT kernel_name, queue_id, duration, NULL, 'device' FROM child"
     "   WHERE result = 'CL_SUCCESS')"
     "SELECT kernel_name, kernel_name || iif(by = 'device', ' (child)', ''), device, count(*),"
     " count(ns), sum(ns) AS total,"
     " iif(sum(ns) > 0, round(1.0 * sum(ns) / sum(sum(ns)) OVER (), 4), NULL),"
     " sum(ns) / count(ns), min(ns), max(ns), sum((SELECT sum(size) FROM (SELECT DISTINCT"
     "  value ->> 'object', value ->> 'size' AS size FROM json_each(ran.given)))), by"
     " FROM ran LEFT JOIN device_of ON device_of.id = queue_id GROUP BY kernel_name, by, device",
     "total IS NULL, total DESC, kernel_name, by, device",
     NULL,
     recorded_arguments_make,
     {{NULL, "kernel", FORM_TEXT, NULL},
      {"kernel", NULL, FORM_TEXT, "?"},
      {"device", "device", FORM_TEXT, "?"},
      {"launches", "launches", FORM_NUMBER, ""},
      {"timed", "timed_launches", FORM_NUMBER, ""},
      {"total", "total_ns", FORM_DURATION, "-"},
      {"share", "share", FORM_SHARE, "-"},
      {"mean", "mean_ns", FORM_DURATION, "-"},
      {"least", "least_ns", FORM_DURATION, "-"},
      {"most", "most_ns", FORM_DURATION, "-"},
      {"given", "given_bytes", FORM_SIZE, "-"},
      {NULL, "enqueued_by", FORM_TEXT, NULL}}},
    /* Kernels that execute most come first, their lines in order. */
    {"lines",
     "no lines were counted (clerk run --device reference --profile --profile-lines)",
     "SELECT kernel, iif(line, iif(text NOT NULL, line, file || ':' || line), '?'),"
     " operations, round(1.0 * operations / sum(operations) OVER (), 4),"
     " substr('**********', 1, (10 * operations + max(operations) OVER () - 1)"
     "  / max(operations) OVER ()),"
     " idle, memory,"
     " replace(text, char(9), '    '), program, file, line, active, present, global_lines,"
     " global_least, local_turns, local_least,"
     " sum(operations) OVER (PARTITION BY program, kernel) AS whole FROM temp.line_count",
     "whole DESC, program, kernel, file, line",
     "operations DESC, program, kernel, file, line",
     line_counts_make,
     {{"kernel", "kernel", FORM_TEXT, "?"},
      {"line", NULL, FORM_TEXT, ""},
      {"operations", "operations", FORM_NUMBER, ""},
      {"share", "share", FORM_SHARE, ""},
      {"heat", NULL, FORM_TEXT, ""},
      {"idle", "idle", FORM_SHARE, ""},
      {"memory", "memory", FORM_TEXT, ""},
      {"source", "text", FORM_TEXT, ""},
      {NULL, "program", FORM_TEXT, NULL},
      {NULL, "file", FORM_TEXT, NULL},
      {NULL, "line", FORM_NUMBER, NULL},
      {NULL, "active", FORM_NUMBER, NULL},
      {NULL, "present", FORM_NUMBER, NULL},
      {NULL, "global_lines", FORM_NUMBER, NULL},
      {NULL, "global_least", FORM_NUMBER, NULL},
      {NULL, "local_turns", FORM_NUMBER, NULL},
      {NULL, "local_least", FORM_NUMBER, NULL}}},
    /* A map need not move what it shows. */
    {"transfers",
     "nothing was transferred",
     QUEUE_DEVICES
     ", moved AS (SELECT substr(call.name, 10) AS command, queue, bytes,"
     "   command.end_ns - command.start_ns AS ns FROM temp.command"
     "   JOIN call ON call.id = command.call WHERE NOT failed AND bytes NOT NULL)"
     "SELECT command, device, count(*), count(ns), sum(bytes), sum(ns) AS total,"
     " iif(sum(ns) > 0, round(1.0 * sum(ns) / sum(sum(ns)) OVER (), 4), NULL),"
     " sum(ns) / count(ns), min(ns), max(ns),"
     " iif(command LIKE '%Map%', NULL,"
     "  CAST(1e9 * sum(bytes) FILTER (WHERE ns NOT NULL) / sum(ns) AS INTEGER))"
     " FROM moved LEFT JOIN device_of ON device_of.name = queue GROUP BY command, device",
     "total IS NULL, total DESC, command, device",
     NULL,
     commands_make,
     {{"command", "command", FORM_TEXT, ""},
      {"device", "device", FORM_TEXT, "?"},
      {"times", "commands", FORM_NUMBER, ""},
      {"timed", "timed_commands", FORM_NUMBER, ""},
      {"bytes", "bytes", FORM_SIZE, ""},
      {"total", "total_ns", FORM_DURATION, "-"},
      {"share", "share", FORM_SHARE, "-"},
      {"mean", "mean_ns", FORM_DURATION, "-"},
      {"least", "least_ns", FORM_DURATION, "-"},
      {"most", "most_ns", FORM_DURATION, "-"},
      {"a second", "bytes_per_second", FORM_SIZE, "-"}}},
    /* From the first start to the last end, of all launches and transfers; nothing is said of a
     * queue of which one has no times. A gap lies between the latest end of those that started
     * earlier and a start. */
    {"queues",
     "no command was enqueued",
     QUEUE_DEVICES
     ", timed AS (SELECT command.*, launch.call IS NOT NULL AS launches,"
     "   launch.call IS NOT NULL OR bytes NOT NULL AS works,"
     "   command.start_ns - max(command.end_ns) OVER (PARTITION BY command.queue"
     "    ORDER BY command.start_ns, command.end_ns, command.call"
     "    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap"
     "  FROM (SELECT * FROM temp.command) AS command"
     "   JOIN call_row ON call_row.id = command.call"
     "   LEFT JOIN launch ON launch.call = command.call WHERE NOT failed),"
     " whole AS (SELECT queue, count(*) AS commands, sum(launches) AS launches,"
     "   sum(bytes) AS bytes, iif(sum(works AND end_ns IS NULL) = 0,"
     "    max(end_ns) - min(start_ns), NULL) AS within, count(gap) FILTER (WHERE gap > 0) AS gaps,"
     "   sum(gap) FILTER (WHERE gap > 0) AS idle, max(gap) FILTER (WHERE gap > 0) AS longest"
     "  FROM timed GROUP BY queue)"
     "SELECT queue, device, commands, launches, bytes, within - ifnull(idle, 0), within,"
     " iif(within > 0, round(1.0 * (within - ifnull(idle, 0)) / within, 4), NULL),"
     " iif(within NOT NULL, gaps, NULL), iif(within NOT NULL, longest, NULL),"
     " CAST(substr(queue, 7) AS INTEGER) AS number"
     " FROM whole LEFT JOIN device_of ON device_of.name = queue",
     "number",
     NULL,
     commands_make,
     {{"queue", "queue", FORM_TEXT, "?"},
      {"device", "device", FORM_TEXT, "?"},
      {"commands", "commands", FORM_NUMBER, ""},
      {"launches", "launches", FORM_NUMBER, ""},
      {"bytes", "bytes", FORM_SIZE, "-"},
      {"ran", "ran_ns", FORM_DURATION, "-"},
      {"within", "within_ns", FORM_DURATION, "-"},
      {"busy", "busy", FORM_SHARE, "-"},
      {"gaps", "gaps", FORM_NUMBER, "-"},
      {"longest gap", "longest_gap_ns", FORM_DURATION, "-"}}},
    {"usage",
     "no memory was taken",
     "SELECT call, ns, name, taken, given_back, in_use,"
     " iif(number = (SELECT number FROM temp.memory_use ORDER BY in_use DESC, number LIMIT 1),"
     "  'peak', NULL), call_row.thread AS thread, number"
     " FROM temp.memory_use JOIN call_row ON call_row.id = call",
     "number",
     NULL,
     memory_use_make,
     {{"call", "call", FORM_NUMBER, ""},
      {"after", "ns", FORM_DURATION, ""},
      {"memory", "object", FORM_TEXT, ""},
      {"taken", "taken_bytes", FORM_SIZE, ""},
      {"given back", "given_back_bytes", FORM_SIZE, ""},
      {"in use", "in_use_bytes", FORM_SIZE, ""},
      {"", "peak", FORM_TEXT, ""}}},
    {"peak",
     "no memory was taken",
     "WITH peak AS (SELECT number, in_use FROM temp.memory_use"
     "  ORDER BY in_use DESC, number LIMIT 1)"
     "SELECT name, bytes, round(1.0 * bytes / max(peak.in_use, 1), 4), call,"
     " (SELECT name FROM call WHERE id = memory_use.call),"
     " (SELECT call FROM temp.memory_use AS back WHERE back.number = held.last), peak.in_use"
     " FROM peak JOIN temp.memory_held AS held ON first <= peak.number"
     "  AND ifnull(last > peak.number, 1) JOIN temp.memory_use USING (name)"
     " WHERE memory_use.number = first",
     "bytes DESC, call, name",
     NULL,
     memory_use_make,
     {{"memory", "object", FORM_TEXT, ""},
      {"bytes", "bytes", FORM_SIZE, ""},
      {"share", "share", FORM_SHARE, ""},
      {"created", "created_call", FORM_NUMBER, ""},
      {"created by", "created_by", FORM_TEXT, ""},
      {"released", "released_call", FORM_NUMBER, "never"},
      {NULL, "peak_bytes", FORM_NUMBER, NULL}}},
    {"threads",
     "no calls were made",
     "SELECT thread, count(*), min(id), max(id), sum(failed), sum(duration_ns) FROM call_row"
     " WHERE NOT flags & 4 GROUP BY thread",
     "thread",
     NULL,
     NULL,
     {{"thread", "thread", FORM_NUMBER, ""},
      {"calls", "calls", FORM_NUMBER, ""},
      {"first", "first_call", FORM_NUMBER, ""},
      {"last", "last_call", FORM_NUMBER, ""},
      {"failed", "failed_calls", FORM_NUMBER, ""},
      {"in calls", "in_calls_ns", FORM_DURATION, ""}}},
    /* Which commands an object was part of: as what they name, wait for or are enqueued in, as a
     * kernel or its program, or as an argument. */
    {"objects",
     "no OpenCL objects were seen",
     "WITH part (object, call) AS (SELECT object, call FROM temp.command_object"
     " UNION SELECT object, call FROM temp.given_object"
     " UNION SELECT queue, call FROM temp.command"
     " UNION SELECT object.name, call FROM launch JOIN object ON object.id = launch.kernel"
     " UNION SELECT object.name, call FROM launch JOIN kernel ON kernel.id = launch.kernel"
     "  JOIN object ON object.id = kernel.program),"
     " used AS (SELECT object, count(*) AS count, max(call) AS last FROM part"
     "  JOIN call_row ON call_row.id = call WHERE NOT failed GROUP BY object)"
     "SELECT object.name, kind, label, created_call AS call,"
     " ifnull(used.count, iif(kind IN ('platform', 'device', 'context'), NULL, 0)), used.last,"
     " released_call, (SELECT name FROM call WHERE id = created_call) AS entry_point,"
     " (SELECT name FROM call WHERE id = released_call), id,"
     " (SELECT thread FROM call_row WHERE id = created_call) AS thread"
     " FROM object LEFT JOIN used ON used.object = object.name",
     "id",
     NULL,
     make_commands,
     {{"object", "name", FORM_TEXT, "?"},
      {"kind", "kind", FORM_TEXT, "?"},
      {"what", "label", FORM_TEXT, ""},
      {"created", "created_call", FORM_NUMBER, "?"},
      {"commands", "commands", FORM_NUMBER, ""},
      {"last", "last_command", FORM_NUMBER, ""},
      {"released", "released_call", FORM_NUMBER, "never"},
      {"created by", "created_by", FORM_TEXT, "not recorded"},
      {"released by", "released_by", FORM_TEXT, ""}}},
    {"programs",
     "no program was created",
     "SELECT object.name, origin, (SELECT group_concat(name, ' ') FROM (SELECT DISTINCT name"
     " FROM kernel WHERE kernel.program = program.id ORDER BY name)), length(source),"
     " options, build_call, build_result, source, log, id"
     " FROM program JOIN object USING (id)",
     "id",
     NULL,
     NULL,
     {{"program", "name", FORM_TEXT, "?"},
      {"from", "origin", FORM_TEXT, "?"},
      {"kernels used", "kernels", FORM_TEXT, "none"},
      {"source bytes", "source_size", FORM_NUMBER, ""},
      {"options", "options", FORM_TEXT, ""},
      {"built by", "build_call", FORM_NUMBER, "never"},
      {"result", "build_result", FORM_TEXT, ""},
      {NULL, "source", FORM_TEXT, NULL},
      {NULL, "log", FORM_TEXT, NULL}}},
};

static void print_names_json(const char *names, struct text *text)
{
    text_append_char(text, '[');
    for (bool is_last = false; !is_last;) {
        const size_t size = strcspn(names, " ");
        json_item(text);
        text_append_json_n(text, names, size);
        is_last = !names[size];
        names += size + 1;
    }
    text_append_char(text, ']');
}

static void print_row_json(const struct list *list, struct rows *rows, struct text *text)
{
    text_append_char(text, '{');
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        if (!list->columns[i].key)
            continue;
        json_key(text, list->columns[i].key);
        if (rows_is_null(rows, i))
            text_append(text, "null");
        else if (list->columns[i].form == FORM_JSON || list->columns[i].form == FORM_SHARE)
            text_append(text, rows_text(rows, i));
        else if (list->columns[i].form == FORM_NAMES)
            print_names_json(rows_text(rows, i), text);
        else if (list->columns[i].form == FORM_TEXT)
            text_append_json(text, rows_text(rows, i));
        else
            text_format(text, "%" PRId64, rows_number(rows, i));
    }
    text_append(text, "}\n");
}

static void print_row(const struct list *list, struct rows *rows, struct table *table)
{
    struct text cell = TEXT_INIT;
    for (int i = 0; list->columns[i].form != FORM_END; ++i) {
        const struct list_column *column = &list->columns[i];
        if (!column->title)
            continue;
        text_clear(&cell);
        if (rows_is_null(rows, i))
            text_append(&cell, column->missing);
        else if (column->form == FORM_SIZE)
            print_size((uint64_t)rows_number(rows, i), &cell);
        else if (column->form == FORM_DURATION && rows_is_number(rows, i))
            print_duration((uint64_t)rows_number(rows, i), &cell);
        else if (column->form == FORM_SHARE)
            text_format(&cell, "%.1f %%", 100 * strtod(rows_text(rows, i), NULL));
        else
            text_append(&cell, rows_text(rows, i));
        table_cell(table, cell.bytes);
    }
    text_release(&cell);
}

static enum status open_listing(const struct list *list, const struct options *options,
                                struct listing *listing, struct error *error)
{
    struct table_column columns[LIST_COLUMN_MAX];
    size_t count = 0;
    for (size_t i = 0; list->columns[i].form != FORM_END; ++i) {
        const enum form form = list->columns[i].form;
        if (list->columns[i].title)
            columns[count++] = (struct table_column){
                list->columns[i].title,
                form == FORM_TEXT || form == FORM_NAMES ? TABLE_LEFT : TABLE_RIGHT};
    }
    return listing_open(listing, columns, count, options, error);
}

static const struct list *find_list(const char *name)
{
    size_t i = 0;
    while (i < sizeof lists / sizeof *lists && strcmp(lists[i].name, name) != 0)
        ++i;
    ASSERT(i < sizeof lists / sizeof *lists);
    return &lists[i];
}

/* Where there is a value for its %Q. */
static void append_condition(struct text *query, const char *condition, const char *value)
{
    char *quoted = value ? rows_query(condition, value) : NULL;
    if (quoted)
        text_append(query, quoted);
    query->failed |= value && !quoted;
    rows_query_free(quoted);
}

char *show_filtered(const char *sql, const char *order, const struct options *options)
{
    struct text query = TEXT_INIT;
    text_format(&query, "SELECT * FROM (%s) WHERE 1", sql);
    if (options_has(options, "from"))
        text_format(&query, " AND call >= %" PRIu64, options_number(options, "from", 0));
    if (options_has(options, "to"))
        text_format(&query, " AND call <= %" PRIu64, options_number(options, "to", 0));
    if (options_has(options, "thread"))
        text_format(&query, " AND thread = %" PRIu64, options_number(options, "thread", 0));
    if (options_has(options, "errors"))
        text_append(&query, " AND failed");
    append_condition(&query, " AND entry_point GLOB %Q", options_text(options, "call"));
    append_condition(&query, " AND instr(' ' || objects || ' ', ' ' || %Q || ' ')",
                     options_text(options, "object"));
    char *whole = query.failed ? NULL : rows_query("%s ORDER BY %s", query.bytes, order);
    text_release(&query);
    return whole;
}

enum status show_list(struct trace *trace, const char *name, const struct options *options,
                      struct error *error)
{
    const struct list *list = find_list(name);
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    struct rows *rows = NULL;
    struct listing listing;
    const bool are_some = list->order_of_some && options_has(options, "limit");
    char *sql = show_filtered(list->sql, are_some ? list->order_of_some : list->order, options);
    enum status status = open_listing(list, options, &listing, error);
    if (!status && !sql)
        status = error_no_memory(error, strlen(list->sql));
    if (!status && list->prepare)
        status = list->prepare(trace, error);
    if (!status)
        status = rows_open(trace, sql, &rows, error);
    for (bool go_on = true; go_on && left-- && rows_next(rows, &status, error);) {
        if (listing.json)
            print_row_json(list, rows, &listing.text);
        else
            print_row(list, rows, listing.table);
        go_on = listing_count(&listing);
    }
    rows_close(rows);
    rows_query_free(sql);
    return listing_close(&listing, list->none, status, error);
}
