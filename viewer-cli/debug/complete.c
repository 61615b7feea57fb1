#include "viewer-cli/debug/complete.h"

#include <ctype.h>
#include <string.h>

static bool is_of_name(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$';
}

static size_t begin_of_name(const char *text, size_t end)
{
    while (end > 0 && is_of_name(text[end - 1]))
        --end;
    return end;
}

/* Before the bracket that opens what closes before `end`; `end` where none does. */
static size_t begin_of_brackets(const char *text, size_t end)
{
    size_t depth = 0;
    for (size_t at = end; at > 0; --at) {
        if (strchr(")]", text[at - 1]))
            ++depth;
        else if (strchr("([", text[at - 1]) && --depth == 0)
            return at - 1;
    }
    return end;
}

/* The length of "." or "->" before `end`; 0 = there is none. */
static size_t length_of_sign(const char *text, size_t end)
{
    if (end >= 2 && text[end - 2] == '-' && text[end - 1] == '>')
        return 2;
    return end >= 1 && text[end - 1] == '.';
}

/* Where the operand that ends there begins: names, their members and elements. */
static size_t begin_of_operand(const char *text, size_t end)
{
    for (;;) {
        size_t begin = end;
        while (begin > 0 && strchr(")]", text[begin - 1])) {
            const size_t opened = begin_of_brackets(text, begin);
            if (opened == begin)
                return begin;
            begin = opened;
        }
        begin = begin_of_name(text, begin);
        const size_t sign = length_of_sign(text, begin);
        if (begin == end || !sign)
            return begin;
        end = begin - sign;
    }
}

struct complete_place complete_find(const char *text, size_t cursor)
{
    struct complete_place place = {.word = begin_of_name(text, cursor)};
    const size_t sign = length_of_sign(text, place.word);
    place.is_first = strspn(text, " \t") >= place.word;
    if (!sign)
        return place;
    place.is_member = true;
    place.is_pointed = sign == 2;
    place.parent = begin_of_operand(text, place.word - sign);
    place.parent_length = place.word - sign - place.parent;
    return place;
}
