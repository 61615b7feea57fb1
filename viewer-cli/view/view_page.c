/* Pages of text that clerk view shows in place of its list. */
#include "viewer-cli/rows.h"
#include "viewer-cli/verb.h"
#include "viewer-cli/view/view_screen.h"

#include <string.h>

enum { LINES_MAX = 5000 };

/* Each query has one column, the text of one line or of several; NULL: the page is no list. */
static const struct {
    const char *title, *sql, *none;
} pages[VIEW_PAGE_COUNT] = {
    [VIEW_PAGE_HELP] = {"HELP", NULL, NULL},
    [VIEW_PAGE_LAUNCHES] =
        {"LAUNCHES - g: go to one, by its number",
         "SELECT printf('%7d  %s on %s work-items%s  %s', launch.call,"
         " ifnull(kernel_name, '?'), replace(ifnull(global_size, '?'), ',', ' x '),"
         " ifnull(' in groups of ' || replace(local_size, ',', ' x '), ''),"
         " ifnull(given.words, ''))"
         " FROM launch LEFT JOIN temp.given ON given.call = launch.call ORDER BY launch.call",
         "no kernel was launched"},
    [VIEW_PAGE_OBJECTS] =
        {"OBJECTS - g: go to the call that made one",
         "SELECT printf('%-16s  from call %s%s%s', name, ifnull(created_call, '?'),"
         " ifnull(', released by call ' || released_call, ''), ifnull(', ' || label, ''))"
         " FROM object ORDER BY id",
         "no object was made"},
    [VIEW_PAGE_SOURCES] =
        {"SOURCES",
         "SELECT object.name || ifnull(nullif(' ' || options, ' '), '') || char(10) ||"
         " ifnull(source, 'its source was not recorded') || char(10)"
         " FROM program JOIN object USING (id) ORDER BY id",
         "no program was made"},
    [VIEW_PAGE_LINES] =
        {"LINES - what they executed, and the share of work-items that stood idle",
         "SELECT iif(lag(kernel) OVER lines IS NOT kernel OR lag(program) OVER lines IS NOT"
         "  program, ifnull(kernel, '?') || ' of ' || ifnull(program, '?') || char(10), '') ||"
         " printf('%5.1f %% %-10s %5s %5s | %s', 100.0 * operations / sum(operations) OVER (),"
         "  substr('**********', 1, (10 * operations + max(operations) OVER () - 1)"
         "   / max(operations) OVER ()), printf('%.0f %%', 100 * idle), iif(line, line, '?'),"
         "  ifnull(text, file) || iif(memory = '', '', '  <- ' || memory))"
         " FROM temp.line_count WINDOW lines AS (ORDER BY program, kernel, file, line)"
         " ORDER BY program, kernel, file, line",
         "no lines were counted (clerk run --device reference --profile --profile-lines)"},
};

const char *view_page_title(enum view_page page)
{
    return pages[page].title;
}

enum status view_page_print(const struct view_run *run, enum view_page page, struct text *text,
                            struct error *error)
{
    struct rows *rows = NULL;
    size_t count = 0;
    if (!pages[page].sql) {
        text_append(text, verb_view.help);
        return STATUS_OK;
    }
    enum status status = rows_open(run->trace, pages[page].sql, &rows, error);
    while (count <= LINES_MAX && rows_next(rows, &status, error)) {
        text_append(text, count < LINES_MAX ? rows_text(rows, 0) : "... and more: clerk show");
        text_append_char(text, '\n');
        ++count;
    }
    if (!status && !count)
        text_append(text, pages[page].none);
    rows_close(rows);
    return status;
}
