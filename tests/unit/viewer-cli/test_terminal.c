/* Lines to requests and answers to lines, over an engine whose answers are written beforehand. */
#include "scripted_engine.h"

#include "viewer-cli/debug/terminal.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct scripted_answer answers[] = {
    {"source", "{\"ok\":true,\"file\":\"<source>\",\"text\":\"kernel void k()\\n{\\n  int x = "
               "1;\\n}\\n\"}"},
    {"break", "{\"ok\":true,\"breakpoint\":{\"number\":1,\"verified\":true,\"enabled\":true,"
              "\"file\":\"<source>\",\"line\":3,\"function\":\"k\"}}"},
    {"continue", "{\"ok\":true,\"output\":\"printed\",\"stop\":{\"reason\":\"breakpoint\","
                 "\"position\":\"1:7\",\"breakpoints\":[1],\"focus\":"
                 "{\"item\":[3,0,0],\"state\":\"active\",\"place\":{\"function\":\"k\",\"file\":"
                 "\"<source>\",\"line\":3}}}}"},
    {"continue", NULL},
    {"step", "{\"ok\":true,\"stop\":{\"reason\":\"step\",\"focus\":{\"item\":[3,0,0],\"state\":"
             "\"active\",\"place\":{\"function\":\"k\",\"file\":\"<source>\",\"line\":4}}}}"},
    {"evaluate", "{\"ok\":true,\"value\":{\"name\":\"x\",\"type\":\"int\",\"value\":\"undef\","
                 "\"state\":\"undefined\"}}"},
    {"position", "{\"ok\":true,\"position\":\"1:7\"}"},
    {"who", "{\"ok\":true,\"writer\":{\"position\":\"1:5\",\"item\":[2,0,0],\"place\":{"
            "\"function\":\"k\",\"file\":\"<source>\",\"line\":3},\"before\":\"0\",\"after\":"
            "\"7\"}}"},
    {"goto", "{\"ok\":true,\"stop\":{\"reason\":\"goto\"}}"},
    {"differ", "{\"ok\":true,\"values\":[{\"value\":\"7.5\",\"count\":62,\"items\":\"0-61\"},{"
               "\"value\":\"undef\",\"count\":1,\"items\":\"62\"}],\"more\":2}"},
    {"delete", "{\"ok\":true}"},
    {NULL, NULL},
};

/* Runs the commands; what was printed, and what was asked, are released by the caller. */
static bool run_commands(const char *commands, struct text *printed, struct text *asked)
{
    char input_path[] = "/tmp/clerk-terminal-XXXXXX";
    char output_path[] = "/tmp/clerk-terminal-XXXXXX";
    const int input = mkstemp(input_path);
    const int output = mkstemp(output_path);
    assert_true(input >= 0 && output >= 0);
    assert_int_equal(write(input, commands, strlen(commands)), (ssize_t)strlen(commands));
    lseek(input, 0, SEEK_SET);
    struct scripted_engine *engine = scripted_engine_start(answers);
    const struct debug_front front = {.user = NULL};
    struct terminal terminal = {
        .path = "dir/k.cl",
        .batch = true,
        .session = scripted_engine_session(engine, &front),
        .text = TEXT_INIT,
        .shown_function = TEXT_INIT,
        .shown_item = TEXT_INIT,
        .shown_file = TEXT_INIT,
        .written_at = TEXT_INIT,
    };
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(output, STDOUT_FILENO);
    const bool done = terminal_run(&terminal, input);
    terminal_end(&terminal);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    *asked = scripted_engine_end(engine);
    char bytes[8192];
    const ssize_t size = pread(output, bytes, sizeof bytes, 0);
    assert_in_range(size, 0, sizeof bytes - 1);
    *printed = (struct text)TEXT_INIT;
    text_append_n(printed, bytes, (size_t)size);
    close(input);
    close(output);
    unlink(input_path);
    unlink(output_path);
    return done;
}

static void assert_transcript(const char *commands, const char *expected, const char *requests)
{
    struct text printed;
    struct text asked;
    run_commands(commands, &printed, &asked);
    assert_string_equal(printed.bytes, expected);
    if (requests)
        assert_string_equal(asked.bytes, requests);
    text_release(&printed);
    text_release(&asked);
}

static void stops_and_steps(void **state)
{
    (void)state;
    assert_transcript("c\ns\n",
                      "(clerk) c\n"
                      "printed\n"
                      "Breakpoint 1\n"
                      "item (3,0,0) in k at k.cl:3\n"
                      "3\t  int x = 1;\n"
                      "(clerk) s\n"
                      "4\t}\n",
                      "{\"request\":\"continue\"}\n"
                      "{\"request\":\"source\",\"file\":\"<source>\"}\n"
                      "{\"request\":\"step\",\"count\":1}\n");
}

static void breakpoints_have_clauses(void **state)
{
    (void)state;
    assert_transcript("break 3 if x > 2 item 3,0,0 hit 4\nb k.cl:3 hit 2 if a item b\n"
                      "tbreak k item (1,2)\nbreak other.h:7\n",
                      "(clerk) break 3 if x > 2 item 3,0,0 hit 4\n"
                      "Breakpoint 1 in k at k.cl:3\n"
                      "(clerk) b k.cl:3 hit 2 if a item b\n"
                      "Breakpoint 1 in k at k.cl:3\n"
                      "(clerk) tbreak k item (1,2)\n"
                      "Temporary breakpoint 1 in k at k.cl:3\n"
                      "(clerk) break other.h:7\n"
                      "Breakpoint 1 in k at k.cl:3\n",
                      "{\"request\":\"break\",\"line\":3,\"file\":\"<source>\",\"condition\":"
                      "\"x > 2\",\"item\":[3,0,0],\"hit\":4}\n"
                      "{\"request\":\"break\",\"line\":3,\"file\":\"<source>\",\"condition\":"
                      "\"a item b\",\"hit\":2}\n"
                      "{\"request\":\"break\",\"function\":\"k\",\"item\":[1,2],\"temporary\":"
                      "true}\n"
                      "{\"request\":\"break\",\"line\":7,\"file\":\"other.h\"}\n");
}

static void wrong_clauses_are_refused(void **state)
{
    (void)state;
    static const char where[] =
        "Where? break [FILE:]LINE|FUNCTION [item X,Y,Z] [hit N] [if CONDITION]\n";
    static const char *const wrong[] = {"break",         "break 3 if",           "break 3 item",
                                        "break 3 hit 0", "break 3 item 1,2,3,4", "break k.cl:x",
                                        "break 3 4"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct text expected = TEXT_INIT;
        text_format(&expected, "(clerk) %s\n%s", wrong[i], where);
        assert_transcript(wrong[i], expected.bytes, "");
        text_release(&expected);
    }
}

static void values_are_shown_as_they_are(void **state)
{
    (void)state;
    assert_transcript("p/x x\nprint\np/q x\ndiffer acc\nwhen\n",
                      "(clerk) p/x x\n"
                      "x = undef\n"
                      "(clerk) print\n"
                      "Print what? An expression, as acc + 1 or in[3].\n"
                      "(clerk) p/q x\n"
                      "A format is one of /x, /d, /u, /f, /t (bits) and /c.\n"
                      "(clerk) differ acc\n"
                      "7.5: 62 items (0-61)\n"
                      "undef: 1 item (62)\n"
                      "... and 2 more\n"
                      "(clerk) when\n"
                      "1:7\n",
                      "{\"request\":\"evaluate\",\"expression\":\"x\",\"format\":\"x\"}\n"
                      "{\"request\":\"differ\",\"expression\":\"acc\"}\n"
                      "{\"request\":\"position\"}\n");
}

static void who_leads_to_the_write(void **state)
{
    (void)state;
    assert_transcript("go\nwho out[2]\ngo\n",
                      "(clerk) go\n"
                      "`who` has found no write to go to.\n"
                      "(clerk) who out[2]\n"
                      "written by item (2,0,0) in k at k.cl:3, position 1:5: 7, was 0\n"
                      "(clerk) go\n",
                      "{\"request\":\"who\",\"expression\":\"out[2]\"}\n"
                      "{\"request\":\"goto\",\"position\":\"1:5\"}\n");
}

static void words_may_be_short_or_wrong(void **state)
{
    (void)state;
    assert_transcript("rev\nprnit\nde\nlist 1,2\nl\nlist 90\nfocus blue\n# nothing\n\n",
                      "(clerk) rev\n"
                      "'rev' may be reverse-step, reverse-next, reverse-stepi, reverse-finish, "
                      "reverse-continue.\n"
                      "(clerk) prnit\n"
                      "There is no command 'prnit'; did you mean 'print'?\n"
                      "(clerk) de\n"
                      "'de' may be delete, detach.\n"
                      "(clerk) list 1,2\n"
                      "1\tkernel void k()\n"
                      "2\t{\n"
                      "(clerk) l\n"
                      "3\t  int x = 1;\n"
                      "4\t}\n"
                      "(clerk) list 90\n"
                      "k.cl has no line 85.\n"
                      "(clerk) focus blue\n"
                      "On what? focus item 3,0,0; group 1,0,0; lane 5; thread 2; launch 7; "
                      "finding 2.\n",
                      NULL);
}

static void what_the_engine_cannot_do_is_said(void **state)
{
    (void)state;
    struct text printed;
    struct text asked;
    assert_false(run_commands("rs\n", &printed, &asked));
    assert_string_equal(printed.bytes, "(clerk) rs\nthis is not in the script\n");
    text_release(&printed);
    text_release(&asked);
}

static void the_process_may_end(void **state)
{
    (void)state;
    struct text printed;
    struct text asked;
    assert_false(run_commands("c\nc\nc\nq\nc\n", &printed, &asked));
    assert_string_equal(printed.bytes, "(clerk) c\n"
                                       "printed\n"
                                       "Breakpoint 1\n"
                                       "item (3,0,0) in k at k.cl:3\n"
                                       "3\t  int x = 1;\n"
                                       "(clerk) c\n"
                                       "The process has ended, with status 0.\n"
                                       "(clerk) c\n"
                                       "There is no process: `run` or `start` starts one.\n"
                                       "(clerk) q\n");
    text_release(&printed);
    text_release(&asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_and_steps),
        cmocka_unit_test(breakpoints_have_clauses),
        cmocka_unit_test(wrong_clauses_are_refused),
        cmocka_unit_test(values_are_shown_as_they_are),
        cmocka_unit_test(who_leads_to_the_write),
        cmocka_unit_test(words_may_be_short_or_wrong),
        cmocka_unit_test(what_the_engine_cannot_do_is_said),
        cmocka_unit_test(the_process_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
