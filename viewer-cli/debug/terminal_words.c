#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <string.h>

size_t terminal_take_word(const char **at, const char **word)
{
    const size_t length = strcspn(*at, " \t");
    *word = *at;
    *at += length;
    *at += strspn(*at, " \t");
    return length;
}

bool terminal_word_is(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

bool terminal_number(const char *text, uint64_t *number)
{
    uint64_t taken;
    if (!number_take(&text, &taken) || *text)
        return false;
    *number = taken;
    return true;
}

bool terminal_put_numbers(struct text *request, const char *key, const char *text)
{
    const char *at = text;
    const bool bracketed = *at == '(';
    uint64_t number;
    size_t count = 0;
    struct text list = TEXT_INIT;
    at += bracketed;
    while (count < 3 && number_take(&at, &number)) {
        text_format(&list, "%s%" PRIu64, count ? "," : "", number);
        ++count;
        if (*at != ',')
            break;
        ++at;
    }
    at += bracketed && *at == ')';
    const bool good = count && !*at && at[-1] != ',' && (!bracketed || at[-1] == ')');
    if (good) {
        json_key(request, key);
        text_format(request, "[%s]", list.bytes);
    }
    text_release(&list);
    return good;
}

void terminal_print_item(const struct cJSON *item, struct text *text)
{
    const char *between = "";
    text_append_char(text, '(');
    for (const struct cJSON *at = json_array_first(item); at; at = json_array_next(at)) {
        uint64_t number;
        text_append(text, between);
        if (json_item_number(at, &number))
            text_format(text, "%" PRIu64, number);
        else
            text_append_char(text, '?');
        between = ",";
    }
    text_append_char(text, ')');
}
