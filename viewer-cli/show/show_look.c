/* How lists look on this standard output: of a terminal, before a pager may stand before it. */
#include "viewer-cli/pager.h"
#include "viewer-cli/show/show.h"
#include "viewer-cli/verb.h"

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

void show_lay_out(struct table *table, const struct options *options)
{
    table_limit(table, show_width(options));
    if (has_colour)
        table_embolden_titles(table);
}
