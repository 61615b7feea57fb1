/* How lists look on this standard output: of a terminal, before a pager may stand before it; and
 * how they get there. */
#include "viewer-cli/pager.h"
#include "viewer-cli/show/show.h"

#include <unistd.h>

static size_t terminal_width;
static bool has_colour;

void show_set_look(const struct options *options)
{
    terminal_width = pager_terminal_width(STDOUT_FILENO);
    has_colour = verb_use_colour(options_text(options, "color"), STDOUT_FILENO);
}

size_t show_width(const struct options *options)
{
    return (size_t)options_number(options, "width", terminal_width);
}

bool show_has_colour(void)
{
    return has_colour;
}

enum { PAGE_ROWS = 512, PAGE_SIZE = 1 << 16 };

enum status listing_open(struct listing *listing, const struct table_column *columns,
                         size_t column_count, const struct options *options, struct error *error)
{
    *listing = (struct listing){.table = table_create(columns, column_count),
                                .text = TEXT_INIT,
                                .json = options_has(options, "json")};
    if (!listing->table)
        return error_no_memory(error, column_count * sizeof *columns);
    table_limit(listing->table, show_width(options));
    if (has_colour)
        table_embolden_titles(listing->table);
    return STATUS_OK;
}

bool listing_flush(struct listing *listing)
{
    if (table_row_count(listing->table)) {
        table_print(listing->table, !listing->has_titles, &listing->text);
        listing->has_titles = true;
        table_clear(listing->table);
    }
    const bool printed = verb_print(&listing->text);
    listing->failed |= listing->text.failed;
    text_clear(&listing->text);
    return printed;
}

bool listing_count(struct listing *listing)
{
    ++listing->count;
    return (listing->text.size < PAGE_SIZE && table_row_count(listing->table) < PAGE_ROWS) ||
           listing_flush(listing);
}

enum status listing_close(struct listing *listing, const char *none, enum status status,
                          struct error *error)
{
    if (!status && !listing->count && !listing->json)
        text_format(&listing->text, "%s\n", none);
    if (!status)
        listing_flush(listing);
    if (!status && listing->failed)
        status = error_no_memory(error, PAGE_SIZE);
    table_destroy(listing->table);
    text_release(&listing->text);
    return status;
}
