/* Aligned columns and human units. Widths count characters, not bytes of UTF-8. */
#include "viewer-cli/verb.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <string.h>

enum { COLUMN_MAX = 16, GAP = 2, NARROW = 16 };

struct table {
    struct table_column columns[COLUMN_MAX];
    size_t column_count;
    size_t limit; /* of a line; 0 = none */
    bool has_bold_titles;
    size_t widths[COLUMN_MAX];
    struct text cells; /* each ends with NUL */
    size_t cell_count;
};

static size_t width_of(const char *string)
{
    size_t width = 0;
    for (; *string; ++string)
        width += ((unsigned char)*string & 0xc0) != 0x80;
    return width;
}

struct table *table_create(const struct table_column *columns, size_t column_count)
{
    ASSERT(column_count && column_count <= COLUMN_MAX);
    struct table *table = alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->cells = (struct text)TEXT_INIT;
    table->column_count = column_count;
    for (size_t i = 0; i < column_count; ++i) {
        table->columns[i] = columns[i];
        table->widths[i] = width_of(columns[i].title);
    }
    return table;
}

void table_destroy(struct table *table)
{
    if (!table)
        return;
    text_release(&table->cells);
    alloc_free(table);
}

void table_cell(struct table *table, const char *string)
{
    if (!string)
        string = "";
    const size_t column = table->cell_count++ % table->column_count;
    const size_t start = table->cells.size;
    text_append_visible(&table->cells, string, VISIBLE_ONE_LINE);
    const size_t width = table->cells.failed ? 0 : width_of(table->cells.bytes + start);
    if (width > table->widths[column])
        table->widths[column] = width;
    text_append_char(&table->cells, 0);
}

void table_cell_format(struct table *table, const char *format, ...)
{
    va_list list;
    struct error cell; /* a bounded buffer that formats */
    va_start(list, format);
    error_set_v(&cell, STATUS_OK, format, list);
    va_end(list);
    table_cell(table, cell.text);
}

void table_limit(struct table *table, size_t width)
{
    table->limit = width;
}

void table_embolden_titles(struct table *table)
{
    table->has_bold_titles = true;
}

size_t table_row_count(const struct table *table)
{
    return table->cell_count / table->column_count;
}

static void print_spaces(struct text *text, size_t count)
{
    while (count-- > 0)
        text_append_char(text, ' ');
}

/* Leaves `limit` characters after `start` where there are more, the last three of them points. */
static void cut(struct text *text, size_t start, size_t limit)
{
    size_t width = 0;
    if (text->failed || limit < 3 || width_of(text->bytes + start) <= limit)
        return;
    for (size_t at = start; at < text->size; ++at) {
        width += ((unsigned char)text->bytes[at] & 0xc0) != 0x80;
        if (width == limit - 2) {
            text->bytes[text->size = at] = 0;
            text_append(text, "...");
            return;
        }
    }
}

/* No spaces stand at the end of a line. */
static void end_line(struct text *text, size_t line_start)
{
    while (text->size > line_start && text->bytes[text->size - 1] == ' ')
        text->bytes[--text->size] = 0;
    text_append_char(text, '\n');
}

/* A column of words may become this narrow; numbers stay whole. */
static size_t least_width(const struct table *table, size_t column)
{
    const size_t width = table->widths[column];
    return table->columns[column].align == TABLE_LEFT && width > NARROW ? NARROW : width;
}

/* The columns that a line has room for, from the left, and their widths: what is too much is taken
 * from the widest column that may become narrower, again and again. */
static size_t fit(const struct table *table, size_t *widths)
{
    size_t whole = 0;
    size_t least = 0;
    size_t count = 0;
    for (; count < table->column_count; ++count) {
        least += (count ? GAP : 0) + least_width(table, count);
        if (table->limit && count && least > table->limit)
            break;
        widths[count] = table->widths[count];
        whole += (count ? GAP : 0) + widths[count];
    }
    for (; table->limit && whole > table->limit; --whole) {
        size_t *widest = NULL;
        for (size_t i = 0; i < count; ++i)
            if (widths[i] > least_width(table, i) && (!widest || widths[i] > *widest))
                widest = &widths[i];
        if (!widest)
            break;
        --*widest;
    }
    return count;
}

static void print_cell(const struct table *table, size_t column, bool is_last, size_t width,
                       const char *string, struct text *text)
{
    const size_t own_width = width_of(string);
    const size_t padding = own_width < width ? width - own_width : 0;
    const size_t start = text->size;
    if (table->columns[column].align == TABLE_RIGHT)
        print_spaces(text, padding);
    text_append(text, string);
    cut(text, start, width);
    if (!is_last)
        print_spaces(text, GAP + (table->columns[column].align == TABLE_LEFT ? padding : 0));
}

bool table_print(struct table *table, bool with_titles, struct text *text)
{
    ASSERT(table->cell_count % table->column_count == 0);
    size_t widths[COLUMN_MAX];
    const size_t count = fit(table, widths);
    size_t line_start = text->size;
    if (with_titles && table->has_bold_titles)
        text_append(text, "\x1b[1m");
    for (size_t i = 0; with_titles && i < count; ++i)
        print_cell(table, i, i + 1 == count, widths[i], table->columns[i].title, text);
    if (with_titles && table->has_bold_titles)
        text_append(text, "\x1b[0m");
    if (with_titles)
        end_line(text, line_start);
    const char *cell = table->cells.bytes;
    for (size_t i = 0; i < table->cell_count && !table->cells.failed; ++i) {
        const size_t column = i % table->column_count;
        if (column == 0)
            line_start = text->size;
        if (column < count)
            print_cell(table, column, column + 1 == count, widths[column], cell, text);
        cell += strlen(cell) + 1;
        if (column + 1 == table->column_count)
            end_line(text, line_start);
    }
    return !table->cells.failed && !text->failed;
}

void table_clear(struct table *table)
{
    text_clear(&table->cells);
    table->cell_count = 0;
}

/* Three digits at most before the point, one after it where it tells something. */
static void print_scaled(double value, const char *unit, struct text *text)
{
    if (value < 99.95)
        text_format(text, "%.1f %s", value, unit);
    else
        text_format(text, "%.0f %s", value, unit);
}

void print_size(uint64_t bytes, struct text *text)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (bytes < 1024) {
        text_format(text, "%" PRIu64 " B", bytes);
        return;
    }
    double value = (double)bytes / 1024;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1024;
        ++unit;
    }
    print_scaled(value, units[unit], text);
}

void print_duration(uint64_t nanoseconds, struct text *text)
{
    if (nanoseconds < 1000)
        text_format(text, "%" PRIu64 " ns", nanoseconds);
    else if (nanoseconds < 999500)
        print_scaled((double)nanoseconds / 1e3, "us", text);
    else if (nanoseconds < UINT64_C(999500000))
        print_scaled((double)nanoseconds / 1e6, "ms", text);
    else
        print_scaled((double)nanoseconds / 1e9, "s", text);
}

void print_count(uint64_t count, struct text *text)
{
    char digits[24];
    size_t used = 0;
    do {
        digits[used++] = (char)('0' + count % 10);
        count /= 10;
    } while (count);
    while (used-- > 0) {
        text_append_char(text, digits[used]);
        if (used && used % 3 == 0)
            text_append_char(text, ',');
    }
}
