/* Parts of answers that more than one file has. */
#include "reference/debug/private.h"
#include "trace/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void debug_put_triple(struct text *answer, const char *key, const uint64_t values[3])
{
    json_key(answer, key);
    text_format(answer, "[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", values[0], values[1], values[2]);
}

void debug_put_place(const struct debug_session *session, struct text *answer, uint32_t place)
{
    if (place == 0)
        return;
    const struct vm_place *at = debug_place(session, place);
    json_key(answer, "place");
    text_append(answer, "{");
    json_string(answer, "function", at->function);
    json_string(answer, "file", at->file);
    json_number(answer, "line", at->line);
    json_known_number(answer, "column", at->column);
    text_append(answer, "}");
}

void debug_say(struct debug_session *session, const char *text)
{
    char *said = session->stop.text;
    const size_t used = strlen(said);
    snprintf(said + used, sizeof session->stop.text - used, "%s%s", used ? "; " : "",
             text ? text : "");
}
