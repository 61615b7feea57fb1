/* Findings as a person reads them in a terminal, in the manner of a good compiler:
 *
 *     error: [race-local] work-items 0 and 1 of work-group 0 race on ...
 *       --> reduce.cl:16:26
 *        |
 *     16 |     tile[lid] += tile[lid + s];
 *        |                  ^ read of 4 bytes by work-item 0
 *        |
 *       reason: no barrier separates them
 *       fix:    put barrier(CLK_LOCAL_MEM_FENCE) between the two accesses
 *       rule:   OpenCL API 3.0, 3.3.6 (clerk rules race-local)
 *
 * Nothing is wider than asked for as long as words allow it. Text comes from outside (kernel
 * source, names in a SPIR-V module), so control characters never reach the terminal. */
#include "checkers/finding.h"
#include "checkers/frame.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH_MIN = 40,
    WIDTH_MAX = 100,
    TAB = 4,               /* columns between tab stops of quoted source */
    GUTTER_MAX = 10,       /* digits of a 32-bit line number */
    KEY_WIDTH = 8,         /* "reason: " */
    LABEL_MIN = 30,        /* a label with less room than this beside its caret goes below it */
    FRAMES_MAX = 16,       /* frames of one place that are printed */
    LAUNCHES_MAX = 6,      /* places from which the kernel was launched that are printed, */
    LAUNCH_FRAMES_MAX = 2, /* and frames of those but the first */
    NAME_MAX_WIDTH = 72,   /* of a function with its parameters */
};

/* ---- colour ---- */

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_ERROR, STYLE_WARNING, STYLE_NOTE, STYLE_FRAME };

static const char *const style_escapes[] = {
    [STYLE_PLAIN] = "\x1b[0m",      [STYLE_BOLD] = "\x1b[1m",    [STYLE_ERROR] = "\x1b[1;31m",
    [STYLE_WARNING] = "\x1b[1;33m", [STYLE_NOTE] = "\x1b[1;36m", [STYLE_FRAME] = "\x1b[1;34m",
};

struct printer {
    struct text *text;
    bool color;
    size_t width;
    int gutter;       /* digits of the largest line number of the finding */
    enum style style; /* of the finding's severity */
    bool shows_all_frames;
};

static void set_style(struct printer *printer, enum style style)
{
    if (printer->color)
        text_append(printer->text, style_escapes[style]);
}

static void print_styled(struct printer *printer, enum style style, const char *string)
{
    set_style(printer, style);
    text_append(printer->text, string);
    set_style(printer, STYLE_PLAIN);
}

/* ---- characters ---- */

/* Columns of text that is visible already. */
static size_t columns_of(const char *string, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; ++i)
        columns += ((unsigned char)string[i] & 0xc0) != 0x80;
    return columns;
}

/* Bytes that continue a character. */
static size_t continuation_size(const char *bytes)
{
    size_t size = 0;
    while (((unsigned char)bytes[size] & 0xc0) == 0x80)
        ++size;
    return size;
}

static void append_safe(struct text *text, const char *string, size_t size)
{
    text_append_visible_n(text, string, size, VISIBLE_ONE_LINE);
}

static void append_spaces(struct text *text, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        text_append_char(text, ' ');
}

/* ---- wrapped text ---- */

static bool is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/* Appends the words of `string`; `column` is where the line stands now, `begin_line` starts each
 * further line and returns the column at which its text begins. */
typedef size_t begin_line_function(struct printer *printer, size_t indent);

static void append_wrapped_n(struct printer *printer, const char *sentence, size_t size,
                             size_t column, begin_line_function *begin_line, size_t indent)
{
    struct text visible = TEXT_INIT;
    append_safe(&visible, sentence, size);
    const char *string = visible.bytes ? visible.bytes : "";
    bool line_has_word = false;
    while (*string) {
        while (is_space(*string))
            ++string;
        size_t length = 0;
        while (string[length] && !is_space(string[length]))
            ++length;
        if (length == 0)
            break;
        const size_t width = columns_of(string, length);
        if (line_has_word && column + 1 + width > printer->width) {
            text_append_char(printer->text, '\n');
            column = begin_line(printer, indent);
            line_has_word = false;
        }
        if (line_has_word) {
            text_append_char(printer->text, ' ');
            ++column;
        }
        text_append_n(printer->text, string, length);
        column += width;
        line_has_word = true;
        string += length;
    }
    printer->text->failed |= visible.failed;
    text_release(&visible);
}

static void append_wrapped(struct printer *printer, const char *sentence, size_t column,
                           begin_line_function *begin_line, size_t indent)
{
    append_wrapped_n(printer, sentence, strlen(sentence), column, begin_line, indent);
}

static size_t begin_indented(struct printer *printer, size_t indent)
{
    append_spaces(printer->text, indent);
    return indent;
}

/* "  reason: ..." with the following lines under the first word. */
static void print_entry(struct printer *printer, const char *key, const char *value)
{
    if (!value)
        return;
    const size_t indent = 2 + KEY_WIDTH;
    text_append(printer->text, "  ");
    set_style(printer, STYLE_BOLD);
    text_format(printer->text, "%s:", key);
    set_style(printer, STYLE_PLAIN);
    append_spaces(printer->text, KEY_WIDTH - strlen(key) - 1);
    for (const char *line = value;; line++) { /* a compiler's log has several */
        const size_t size = strcspn(line, "\n");
        append_wrapped_n(printer, line, size, indent, begin_indented, indent);
        text_append_char(printer->text, '\n');
        line += size;
        if (*line == '\0')
            break;
        append_spaces(printer->text, indent);
    }
}

/* The same on one line, to be copied. */
static void print_whole(struct printer *printer, const char *key, const char *value)
{
    if (!value)
        return;
    text_append(printer->text, "  ");
    set_style(printer, STYLE_BOLD);
    text_format(printer->text, "%s:", key);
    set_style(printer, STYLE_PLAIN);
    append_spaces(printer->text, strlen(key) < KEY_WIDTH - 1 ? KEY_WIDTH - strlen(key) - 1 : 1);
    text_append_visible(printer->text, value, VISIBLE_ONE_LINE);
    text_append_char(printer->text, '\n');
}

/* ---- quoted source ---- */

/* The gutter of a line that is not source: "   | ". Returns the column after it. */
static size_t print_gutter(struct printer *printer, bool space_behind)
{
    append_spaces(printer->text, (size_t)printer->gutter + 1);
    print_styled(printer, STYLE_FRAME, "|");
    if (space_behind)
        text_append_char(printer->text, ' ');
    return (size_t)printer->gutter + 3;
}

/* As begin_line_function: a gutter, then `indent` spaces. */
static size_t begin_quoted(struct printer *printer, size_t indent)
{
    const size_t column = print_gutter(printer, true);
    append_spaces(printer->text, indent);
    return column + indent;
}

/* A source line with tabs expanded; *caret is set to the column, from 0, of byte `byte_column` - 1.
 */
static void expand_source(const char *source, uint32_t byte_column, struct text *line,
                          size_t *caret)
{
    size_t column = 0;
    size_t i = 0;
    *caret = 0;
    const size_t size = strcspn(source, "\r\n");
    while (i < size) {
        char shown[VISIBLE_SHOWN_SIZE];
        const size_t length = visible_next(source + i, size - i, shown);
        if (byte_column && i < byte_column && byte_column <= i + length)
            *caret = column;
        if (source[i] == '\t') {
            const size_t width = TAB - column % TAB;
            append_spaces(line, width);
            column += width;
        } else {
            append_safe(line, source + i, length);
            column += *shown ? strlen(shown) : 1;
        }
        i += length;
    }
    if (byte_column > i)
        *caret = column;
}

/* Cuts `line` to `width` columns so that `*caret` stays visible; "..." stands for what is gone. */
static void cut_line(struct text *line, size_t width, size_t *caret)
{
    const size_t columns = columns_of(line->bytes, line->size);
    if (columns <= width)
        return;
    struct text cut = TEXT_INIT;
    const size_t start = *caret + width / 3 < width ? 0 : *caret - width / 2;
    const size_t end = start + width - 3;
    size_t column = 0;
    for (size_t i = 0; i < line->size;) {
        const size_t length = 1 + continuation_size(line->bytes + i + 1);
        if (column == start && start)
            text_append(&cut, "...");
        if (column >= (start ? start + 3 : 0) && column < end)
            text_append_n(&cut, line->bytes + i, length);
        ++column;
        i += length;
    }
    if (columns > end)
        text_append(&cut, "...");
    *caret -= start;
    text_release(line);
    *line = cut;
}

static void print_label(struct printer *printer, const char *label, size_t caret)
{
    const size_t at = begin_quoted(printer, caret);
    set_style(printer, printer->style);
    text_append_char(printer->text, '^');
    const size_t length = strlen(label);
    if (length) {
        const size_t width = columns_of(label, length);
        if (at + 2 + width <= printer->width || at + 2 + LABEL_MIN <= printer->width) {
            text_append_char(printer->text, ' ');
            append_wrapped(printer, label, at + 2, begin_quoted, caret + 2);
        } else {
            const size_t room = printer->width - (size_t)printer->gutter - 3;
            size_t indent = width < room ? room - width : 0;
            if (indent > caret)
                indent = caret;
            set_style(printer, STYLE_PLAIN);
            text_append_char(printer->text, '\n');
            const size_t column = begin_quoted(printer, indent);
            set_style(printer, printer->style);
            append_wrapped(printer, label, column, begin_quoted, indent);
        }
    }
    set_style(printer, STYLE_PLAIN);
    text_append_char(printer->text, '\n');
}

static void print_source(struct printer *printer, const struct finding_place *place)
{
    struct text line = TEXT_INIT;
    size_t caret;
    expand_source(place->source, place->column, &line, &caret);
    cut_line(&line, printer->width - (size_t)printer->gutter - 3, &caret);
    while (line.size && line.bytes[line.size - 1] == ' ')
        line.bytes[--line.size] = 0;
    set_style(printer, STYLE_FRAME);
    text_format(printer->text, "%*" PRIu32 " |", printer->gutter, place->line);
    set_style(printer, STYLE_PLAIN);
    if (line.size)
        text_format(printer->text, " %s", line.bytes);
    text_append_char(printer->text, '\n');
    if (line.failed)
        printer->text->failed = true;
    text_release(&line);
    if (place->column == 0) /* no caret without a column: point at the first character */
        caret = strspn(place->source, " \t") == strlen(place->source) ? 0 : caret;
    print_label(printer, place->label ? place->label : "", caret);
}

/* ---- places ---- */

static void print_arrow(struct printer *printer)
{
    append_spaces(printer->text, (size_t)printer->gutter);
    print_styled(printer, STYLE_FRAME, "--> ");
}

static void append_string(struct printer *printer, const char *string)
{
    append_safe(printer->text, string, strlen(string));
}

/* Do two kernel places show the same spot, so that one quotation serves both? */
static bool same_spot(const struct finding_place *a, const struct finding_place *b)
{
    return a->kind == FINDING_PLACE_KERNEL && b->kind == FINDING_PLACE_KERNEL && a->file &&
           b->file && strcmp(a->file, b->file) == 0 && a->line && a->line == b->line &&
           a->column == b->column && a->source && b->source && strcmp(a->source, b->source) == 0;
}

/* Parameters of C++ may take several lines; they are left out then: "f(...)+0x12". */
static void append_function(struct printer *printer, const char *name, size_t length)
{
    const char *open = length > NAME_MAX_WIDTH ? memchr(name, '(', length) : NULL;
    const char *close = name + length;
    while (open && close > open && *--close != ')')
        continue;
    if (!open || close == open) {
        append_safe(printer->text, name, length);
        return;
    }
    append_safe(printer->text, name, (size_t)(open + 1 - name));
    text_append(printer->text, "...");
    append_safe(printer->text, close, (size_t)(name + length - close));
}

/* Of "main+0x12 (/home/me/app+0x1139)" people read "main+0x12 (app)". */
static void append_frame(struct printer *printer, const char *frame)
{
    const char *open = strrchr(frame, '(');
    const char *slash = open ? strrchr(open, '/') : NULL;
    const char *plus = slash ? strstr(slash, "+0x") : NULL;
    append_function(printer, frame, open ? (size_t)(open - frame) : strlen(frame));
    if (!plus) {
        append_string(printer, open ? open : "");
        return;
    }
    text_append_char(printer->text, '(');
    append_safe(printer->text, slash + 1, (size_t)(plus - slash - 1));
    text_append_char(printer->text, ')');
}

/* The frames of a host stack that only bindings and the system know tell nothing beside those that
 * the program's author does. How many of the first `count` are left out: none where all would be.
 */
static size_t folded_frames(const struct printer *printer, const struct finding_place *place,
                            size_t count)
{
    size_t folded = 0;
    if (place->kind == FINDING_PLACE_KERNEL || printer->shows_all_frames)
        return 0;
    for (size_t i = 0; i < count; ++i)
        folded += !frame_is_own(place->frames[i]);
    return folded == count ? 0 : folded;
}

static void print_frames(struct printer *printer, const struct finding_place *place,
                         const char *first, const char *further, size_t most)
{
    const size_t count = frames_telling(place->frames, place->frame_count);
    const size_t folded = folded_frames(printer, place, count);
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < most; ++i) {
        if (folded && !frame_is_own(place->frames[i]))
            continue;
        append_spaces(printer->text, (size_t)printer->gutter + 4);
        text_append(printer->text, shown++ == 0 ? first : further);
        append_frame(printer, place->frames[i]);
        text_append_char(printer->text, '\n');
    }
    if (count - folded > shown) {
        append_spaces(printer->text, (size_t)printer->gutter + 4);
        text_format(printer->text, "%s... %zu more\n", further, count - folded - shown);
    }
    if (folded) {
        append_spaces(printer->text, (size_t)printer->gutter + 4);
        text_format(printer->text, "%s(%zu of bindings and the system folded)\n", further, folded);
    }
}

static void print_kernel_location(struct printer *printer, const struct finding_place *place)
{
    print_arrow(printer);
    append_string(printer, place->file ? place->file : "<unknown>");
    if (place->line)
        text_format(printer->text, ":%" PRIu32, place->line);
    if (place->line && place->column)
        text_format(printer->text, ":%" PRIu32, place->column);
    if (place->function) {
        text_append(printer->text, ", in ");
        append_string(printer, place->function);
    }
    text_append_char(printer->text, '\n');
}

static void print_kernel_place(struct printer *printer, const struct finding_place *place)
{
    print_kernel_location(printer, place);
    if (place->source && place->line) {
        print_gutter(printer, false);
        text_append_char(printer->text, '\n');
        print_source(printer, place);
    } else if (place->label) {
        const size_t column = begin_indented(printer, (size_t)printer->gutter + 4);
        append_wrapped(printer, place->label, column, begin_indented, column);
        text_append_char(printer->text, '\n');
    }
    print_frames(printer, place, "called by ", "called by ", FRAMES_MAX);
}

static void print_call(struct printer *printer, const struct finding_place *place)
{
    print_arrow(printer);
    if (place->label) {
        append_wrapped(printer, place->label, (size_t)printer->gutter + 4, begin_indented,
                       (size_t)printer->gutter + 4);
    } else {
        append_string(printer, place->function ? place->function : "a call");
        if (place->argument) {
            text_append(printer->text, ", argument ");
            append_string(printer, place->argument);
        }
    }
    if (place->call_id)
        text_format(printer->text, " (call %" PRIu64 ")", place->call_id);
    text_append_char(printer->text, '\n');
}

/* Of the places from which the kernel was launched the first is printed in full. */
static void print_call_place(struct printer *printer, const struct finding *finding, size_t index)
{
    const struct finding_place *place = &finding->places[index];
    size_t before = 0;
    for (size_t i = 0; i < index; ++i)
        before += finding_place_is_launch(&finding->places[i]);
    if (!finding_place_is_launch(place) || before < LAUNCHES_MAX) {
        print_call(printer, place);
        print_frames(printer, place, "at ", "   ",
                     finding_place_is_launch(place) && before > 0 ? LAUNCH_FRAMES_MAX : FRAMES_MAX);
    } else if (index + 1 == finding->place_count) {
        print_arrow(printer);
        text_format(printer->text, "enqueued at %zu more places\n", before + 1 - LAUNCHES_MAX);
    }
}

/* The quotation of an earlier place shows place `index` as well. */
static bool is_shown_already(const struct finding *finding, size_t index)
{
    const struct finding_place *place = &finding->places[index];
    return index > 0 && place->frame_count == 0 && finding->places[index - 1].frame_count == 0 &&
           same_spot(&finding->places[index - 1], place);
}

static void print_place(struct printer *printer, const struct finding *finding, size_t index)
{
    const struct finding_place *place = &finding->places[index];
    if (place->kind != FINDING_PLACE_KERNEL) {
        print_call_place(printer, finding, index);
        return;
    }
    if (is_shown_already(finding, index)) {
        size_t caret;
        struct text line = TEXT_INIT;
        expand_source(place->source, place->column, &line, &caret);
        cut_line(&line, printer->width - (size_t)printer->gutter - 3, &caret);
        text_release(&line);
        print_label(printer, place->label ? place->label : "", caret);
    } else {
        print_kernel_place(printer, place);
    }
}

/* ---- the finding ---- */

static int gutter_width(const struct finding *finding)
{
    int width = 2;
    for (size_t i = 0; i < finding->place_count; ++i) {
        if (finding->places[i].kind != FINDING_PLACE_KERNEL)
            continue;
        char digits[GUTTER_MAX + 1];
        const int length = snprintf(digits, sizeof digits, "%" PRIu32, finding->places[i].line);
        if (length > width)
            width = length;
    }
    return width;
}

static void print_headline(struct printer *printer, const struct finding *finding,
                           const struct rule *rule)
{
    const char *severity = severity_name(rule->severity);
    const size_t indent = strlen(severity) + 2;
    set_style(printer, printer->style);
    text_format(printer->text, "%s: ", severity);
    set_style(printer, STYLE_BOLD);
    text_format(printer->text, "[%s] ", rule->id);
    append_wrapped(printer, finding->message ? finding->message : rule->claim,
                   indent + strlen(rule->id) + 3, begin_indented, indent);
    set_style(printer, STYLE_PLAIN);
    text_append_char(printer->text, '\n');
}

/* How often, and by which processes. */
static void print_seen(struct printer *printer, const struct finding *finding)
{
    struct text seen = TEXT_INIT;
    if (finding->count > 1)
        text_format(&seen, "%" PRIu64 " times", finding->count);
    if (finding->process_count) {
        text_append(&seen, seen.size ? ", in " : "in ");
        finding_append_processes(finding, &seen);
    }
    print_entry(printer, "seen", seen.size ? seen.bytes : NULL);
    text_release(&seen);
}

static void print(const struct finding *finding, bool color, size_t width, bool shows_all_frames,
                  struct text *text)
{
    static const enum style severity_styles[] = {
        [SEVERITY_NOTE] = STYLE_NOTE,
        [SEVERITY_WARNING] = STYLE_WARNING,
        [SEVERITY_ERROR] = STYLE_ERROR,
    };
    const struct rule *rule = rule_get(finding->rule);
    struct printer printer = {.text = text,
                              .color = color,
                              .width = width == 0 || width > WIDTH_MAX ? WIDTH_MAX
                                       : width < WIDTH_MIN             ? WIDTH_MIN
                                                                       : width,
                              .gutter = gutter_width(finding),
                              .style = severity_styles[rule->severity],
                              .shows_all_frames = shows_all_frames};
    print_headline(&printer, finding, rule);
    for (size_t i = 0; i < finding->place_count; ++i)
        print_place(&printer, finding, i);
    if (finding->place_count &&
        finding->places[finding->place_count - 1].kind == FINDING_PLACE_KERNEL) {
        print_gutter(&printer, false);
        text_append_char(text, '\n');
    }
    print_entry(&printer, "object", finding->subject);
    print_entry(&printer, "launch", finding->context);
    print_entry(&printer, "reason", finding->reason);
    print_entry(&printer, "fix", finding->advice ? finding->advice : rule->advice);
    struct text reference = TEXT_INIT;
    text_format(&reference, "%s (clerk rules %s)", rule->specification, rule->id);
    print_entry(&printer, "rule", reference.bytes);
    text_release(&reference);
    print_seen(&printer, finding);
    print_whole(&printer, "schedule", finding->schedule);
    print_whole(&printer, "repeat", finding->repeat);
}

void finding_print_text(const struct finding *finding, bool color, size_t width, struct text *text)
{
    print(finding, color, width, false, text);
}

void finding_print_text_unfolded(const struct finding *finding, bool color, size_t width,
                                 struct text *text)
{
    print(finding, color, width, true, text);
}
