/* `x`. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lane code lies in no memory: these are the next ones of the focus. */
static bool examine_code(struct terminal *terminal, uint64_t count)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_DISASSEMBLE);
    json_number(&request, "count", count);
    const bool done = terminal_show_items(terminal, terminal_ask(terminal, &request),
                                          "instructions", terminal_show_instruction, "No code.");
    text_release(&request);
    return done;
}

/* Behind what the answer has, unless that is strings, whose lengths differ. */
static void go_on_behind(struct terminal *terminal, const struct examine_format *format,
                         const struct cJSON *answer)
{
    const char *address = json_object_text(answer, "address");
    const uint64_t behind = address ? strtoull(address, NULL, 0) + examine_size(format) : 0;
    terminal->examined = *format;
    terminal->examined_address[0] = 0;
    if (address && format->letter != 's')
        snprintf(terminal->examined_address, sizeof terminal->examined_address, "0x%" PRIx64,
                 behind);
}

bool terminal_examine(struct terminal *terminal, const char *rest)
{
    struct examine_format format;
    const bool is_formatted = *rest == '/';
    const bool good = examine_parse(&rest, &format);
    if (good && !is_formatted && !*rest)
        format = terminal->examined;
    if (good && format.letter == 'i')
        return examine_code(terminal, format.count);
    if (good && !*rest)
        rest = terminal->examined_address;
    if (!good || !*rest)
        return terminal_refuse(terminal,
                               "x/[COUNT][x|d|u|o|t|f|a|c|s|i][b|h|w|g] EXPRESSION: of at most "
                               "%d bytes, as x/4xw out; x/4i shows lane code",
                               EXAMINE_SIZE_MAX);
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_MEMORY);
    terminal_put_expression(terminal, &request, "expression", rest);
    json_number(&request, "count", examine_size(&format));
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    if (done) {
        examine_print(&format, answer, &terminal->text);
        go_on_behind(terminal, &format, answer);
    }
    json_object_release(answer);
    text_release(&request);
    return done;
}
