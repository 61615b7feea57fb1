#include "viewer-cli/debug/complete.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The cursor is at the bar; "word, parent" of what is found. */
static void assert_place(const char *marked, const char *expected)
{
    char text[64];
    char found[64];
    const size_t cursor = strcspn(marked, "|");
    snprintf(text, sizeof text, "%.*s%s", (int)cursor, marked, marked + cursor + 1);
    const struct complete_place place = complete_find(text, cursor);
    snprintf(found, sizeof found, "%.*s, %.*s%s%s", (int)(cursor - place.word), text + place.word,
             (int)place.parent_length, text + place.parent, place.is_pointed ? "->" : "",
             place.is_first ? " first" : "");
    assert_string_equal(found, expected);
}

static void words_and_their_parents(void **state)
{
    (void)state;
    assert_place("|", ",  first");
    assert_place("  ac|c", "ac,  first");
    assert_place("1 + $gi|", "$gi, ");
    assert_place("1 + both.co|unts", "co, both");
    assert_place("a[i].first->|", ", a[i].first->");
    assert_place("f((*p).x)[g(1)[2]].|", ", f((*p).x)[g(1)[2]]");
    assert_place("a-b->c|", "c, b->");
    assert_place(")].x|", "x, ");
    assert_place(".x|", "x, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_and_their_parents)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
