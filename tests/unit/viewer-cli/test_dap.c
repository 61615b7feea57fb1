/* Requests of an editor to those of the debugger, and back, over an engine whose answers are
 * written beforehand. */
#include "scripted_engine.h"

#include "viewer-cli/debug/dap.h"
#include "viewer-cli/debug/dap_launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pthread.h>

static const struct scripted_answer answers[] = {
    {"break", "{\"ok\":true,\"breakpoint\":{\"number\":4,\"verified\":true,\"file\":\"<source>\","
              "\"line\":4,\"text\":\"moved to the next line with code\"}}"},
    {"break", "{\"ok\":false,\"error\":\"there is no line 99\"}"},
    {"delete", "{\"ok\":true}"},
    {"threads", "{\"ok\":true,\"threads\":[{\"id\":7,\"items\":\"0-63\",\"place\":{\"function\":"
                "\"k\",\"line\":3}}]}"},
    {"focus", "{\"ok\":true,\"focus\":{}}"},
    {"next", "{\"ok\":true,\"output\":\"text\",\"stop\":{\"reason\":\"breakpoint\",\"text\":"
             "\"breakpoint 4\",\"breakpoints\":[4]}}"},
    {"stack", "{\"ok\":true,\"frames\":[{\"frame\":0,\"place\":{\"function\":\"k\",\"file\":"
              "\"no.h\",\"line\":3,\"column\":5}}],\"total\":2}"},
    {"disassemble", "{\"ok\":true,\"instructions\":[{\"site\":0,\"text\":\"iadd_32\"}],"
                    "\"focus\":18}"},
    {"scopes", "{\"ok\":true,\"scopes\":[{\"name\":\"Locals\",\"reference\":2,\"children\":1}]}"},
    {"variables", "{\"ok\":true,\"values\":[{\"name\":\"p\",\"type\":\"struct s\",\"value\":"
                  "\"{...}\",\"children\":1,\"reference\":5}]}"},
    {"variables", "{\"ok\":true,\"values\":[{\"name\":\"x\",\"type\":\"int\",\"value\":"
                  "\"undef\",\"address\":\"a+4\"}]}"},
    {"set", "{\"ok\":true,\"value\":{\"value\":\"3\",\"type\":\"int\"}}"},
    {"memory", "{\"ok\":true,\"address\":\"a+4\",\"bytes\":\"4d616e79\"}"},
    {"lanes", "{\"ok\":true,\"vectors\":[{\"vector\":0,\"signs\":\"A\"}]}"},
    {"who", ""},
    {"continue", NULL},
    {NULL, NULL},
};

static void *serve(void *user)
{
    struct dap *dap = user;
    dap_serve(dap, NULL);
    close(dap->wire.output);
    return NULL;
}

/* Reads messages into lines until one has the words, or there is no more. */
static void read_until(struct dap_wire *client, const char *words, struct text *lines)
{
    const size_t from = lines->size;
    while (!words || !strstr(lines->bytes + from, words)) {
        const char *json;
        size_t size;
        if (dap_wire_take(client, &json, &size, NULL) == STATUS_OK) {
            text_append_n(lines, json, size);
            text_append_char(lines, '\n');
        } else if (client->ended) {
            assert_null(words);
            return;
        } else {
            dap_wire_read(client);
        }
    }
}

static void send_to(struct dap_wire *client, const char *message)
{
    struct text json = TEXT_INIT;
    text_append(&json, message);
    assert_int_equal(dap_wire_write(client, &json, NULL), STATUS_OK);
    text_release(&json);
}

/* What a client is written: the JSON, a line each. It sends the messages, waits for words of an
 * answer where one begins with '?', and goes. The process stands at a stop. */
static struct text talk(const char *const *messages, struct text *asked)
{
    int in[2];
    int out[2];
    pthread_t thread;
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    struct dap_wire client = {.input = out[0], .output = in[1], .read = TEXT_INIT};
    struct scripted_engine *engine = scripted_engine_start(answers);
    const struct debug_front front = {.user = NULL};
    struct dap dap = {
        .wire = {.input = in[0], .output = out[1], .read = TEXT_INIT},
        .out = TEXT_INIT,
        .complaint = TEXT_INIT,
        .rule = TEXT_INIT,
        .report = TEXT_INIT,
        .path = "/no/k.cl",
        .session = scripted_engine_session(engine, &front),
        .phase = DAP_STOPPED,
    };
    struct text lines = TEXT_INIT;
    assert_int_equal(pthread_create(&thread, NULL, serve, &dap), 0);
    for (size_t i = 0; messages[i]; ++i) {
        if (*messages[i] == '?')
            read_until(&client, messages[i] + 1, &lines);
        else
            send_to(&client, messages[i]);
    }
    close(in[1]);
    read_until(&client, NULL, &lines);
    pthread_join(thread, NULL);
    *asked = scripted_engine_end(engine);
    close(in[0]);
    close(out[0]);
    dap_wire_release(&client);
    return lines;
}

#define REQUEST(seq, command, arguments)                                                           \
    "{\"seq\":" #seq ",\"type\":\"request\",\"command\":\"" command "\",\"arguments\":" arguments  \
    "}"
#define RESPONSE(seq, request, command)                                                            \
    "{\"seq\":" #seq ",\"type\":\"response\",\"request_seq\":" #request                            \
    ",\"success\":true,\"command\":\"" command "\""
#define REFUSAL(seq, request, command, sentence)                                                   \
    "{\"seq\":" #seq ",\"type\":\"response\",\"request_seq\":" #request                            \
    ",\"success\":false,\"command\":\"" command "\",\"message\":\"" sentence                       \
    "\",\"body\":{\"error\":{\"id\":1,\"format\":\"{sentence}\",\"showUser\":true,\"variables\":{" \
    "\"sentence\":\"" sentence "\"}}}}\n"

static void assert_served(const char *const *requests, const char *written, const char *asked)
{
    struct text questions;
    struct text lines = talk(requests, &questions);
    assert_string_equal(lines.bytes, written);
    assert_string_equal(questions.bytes, asked);
    text_release(&lines);
    text_release(&questions);
}

static void breakpoints_replace_each_other(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "setBreakpoints",
                "{\"source\":{\"path\":\"/no/k.cl\"},\"breakpoints\":[{\"line\":3,\"condition\":"
                "\"x > 2\"},{\"line\":99},{\"line\":3,\"hitCondition\":\"often\"}]}"),
        REQUEST(2, "setBreakpoints", "{\"source\":{\"path\":\"/no/k.cl\"}}"),
        REQUEST(3, "disconnect", "{}"),
        NULL,
    };
    assert_served(
        requests,
        RESPONSE(1, 1,
                 "setBreakpoints") ",\"body\":{\"breakpoints\":[{\"id\":4,"
                                   "\"verified\":true,\"line\":4,\"source\":{\"name\":\"k.cl\","
                                   "\"sourceReference\":1},\"message\":\"moved to the next line "
                                   "with code\"},{"
                                   "\"verified\":false,\"message\":\"there is no line "
                                   "99\"},{\"verified\":false,"
                                   "\"message\":\"a hit condition is a number, the first "
                                   "time that stops, or >= 5, > 5, <= 5, < 5, == 5, % "
                                   "5\"}]}}\n" RESPONSE(
                                       2, 2, "setBreakpoints") ",\"body\":{\"breakpoints\":[]}}"
                                                               "\n" RESPONSE(3, 3,
                                                                             "disconnect") "}\n",
        "{\"request\":\"break\",\"file\":\"<source>\",\"line\":3,\"condition\":\"x > 2\"}"
        "\n{\"request\":\"break\",\"file\":\"<source>\",\"line\":99}\n"
        "{\"request\":\"delete\",\"number\":4}\n");
}

static void a_step_is_answered_before_its_stop(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "next", "{\"threadId\":7}"),
        /* Waits for the stop. */
        REQUEST(2, "stackTrace", "{\"threadId\":7}"),
        "?\"command\":\"stackTrace\"",
        NULL,
    };
    struct text asked;
    struct text lines = talk(requests, &asked);
    assert_non_null(strstr(lines.bytes, RESPONSE(1, 1, "next") "}\n"));
    assert_non_null(strstr(
        lines.bytes,
        "{\"seq\":2,\"type\":\"event\",\"event\":\"output\",\"body\":{\"category\":"
        "\"stdout\",\"output\":\"text\"}}\n"
        "{\"seq\":3,\"type\":\"event\",\"event\":\"stopped\",\"body\":{\"reason\":"
        "\"breakpoint\",\"description\":\"breakpoint 4\",\"threadId\":7,"
        "\"allThreadsStopped\":true,\"hitBreakpointIds\":[4]}}\n" RESPONSE(
            4, 2,
            "stackTrace") ",\"body\":{\"stackFrames\":[{\"id\":7169,\"name\":\"k\",\"source\":{"
                          "\"name\":"
                          "\"no.h\",\"sourceReference\":1},\"line\":3,\"column\":5,"
                          "\"instructionPointerReference\":\"0x12\"}],\"totalFrames\":2}}\n"));
    text_release(&asked);
    text_release(&lines);
}

static void children_have_expressions(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "scopes", "{\"frameId\":7169}"),
        REQUEST(2, "variables", "{\"variablesReference\":2}"),
        REQUEST(3, "variables", "{\"variablesReference\":5}"),
        REQUEST(4, "setVariable", "{\"variablesReference\":5,\"name\":\"x\",\"value\":\"3\"}"),
        REQUEST(5, "setVariable", "{\"variablesReference\":6,\"name\":\"x\",\"value\":\"3\"}"),
        REQUEST(6, "disconnect", "{}"),
        NULL,
    };
    assert_served(
        requests,
        RESPONSE(
            1, 1,
            "scopes") ",\"body\":{\"scopes\":[{\"name\":\"Locals\",\"presentationHint\":"
                      "\"locals\",\"variablesReference\":2,\"namedVariables\":1,\"expensive\":"
                      "false}]}}\n" RESPONSE(
                          2, 2,
                          "variables") ",\"body\":{\"variables\":[{\"name\":\"p\",\"evaluateName\":"
                                       "\"p\",\"value\":\"{...}\",\"type\":\"struct "
                                       "s\",\"variablesReference\":5,"
                                       "\"namedVariables\":1}]}}\n" RESPONSE(
                                           3, 3,
                                           "variables") ",\"body\":{\"variables\":[{\"name\":\"x\","
                                                        "\"evaluateName\":"
                                                        "\"p.x\",\"value\":\"undef\",\"type\":"
                                                        "\"int\",\"variablesReference\":0,"
                                                        "\"memoryReference\":\"a+4\"}]}}"
                                                        "\n" RESPONSE(
                                                            4, 4,
                                                            "setVariable") ",\"body\":{\"value\":"
                                                                           "\"3\",\"type\":\"int\","
                                                                           "\"variablesReference\":"
                                                                           "0}}\n" REFUSAL(
                                                                               5, 5, "setVariable",
                                                                               "this cannot be "
                                                                               "changed")
                                                                               RESPONSE(6, 6,
                                                                                        "disconnec"
                                                                                        "t") "}\n",
        "{\"request\":\"scopes\",\"thread\":7,\"frame\":0}\n"
        "{\"request\":\"variables\",\"reference\":2}\n"
        "{\"request\":\"variables\",\"reference\":5}\n"
        "{\"request\":\"memory\",\"expression\":\"p.x\",\"count\":1}\n"
        "{\"request\":\"set\",\"expression\":\"p.x = 3\"}\n");
}

static void memory_and_code_have_their_forms(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "readMemory", "{\"memoryReference\":\"a\",\"offset\":4,\"count\":5}"),
        REQUEST(2, "disassemble",
                "{\"memoryReference\":\"0x1\",\"instructionOffset\":-2,\"instructionCount\":3}"),
        REQUEST(3, "clerk/lanes", "{}"),
        REQUEST(4, "clerk/end", "{}"),
        REQUEST(5, "disconnect", "{}"),
        NULL,
    };
    assert_served(
        requests,
        RESPONSE(
            1, 1,
            "readMemory") ",\"body\":{\"address\":\"a+4\",\"unreadableBytes\":1,"
                          "\"data\":\"TWFueQ==\"}}\n" RESPONSE(
                              2, 2,
                              "disassemble") ",\"body\":{\"instructions\":[{\"address\":\"-0x1\","
                                             "\"instruction\":\"\",\"presentationHint\":"
                                             "\"invalid\"},{\"address\":\"0x0\","
                                             "\"instruction\":\"iadd_32\"},{\"address\":\"0x1\","
                                             "\"instruction\":\"\","
                                             "\"presentationHint\":\"invalid\"}]}}\n" RESPONSE(
                                                 3, 3,
                                                 "clerk/lanes") ",\"body\":{\"vectors\":[{"
                                                                "\"vector\":0,\"signs\":\"A\"}]}}"
                                                                "\n" REFUSAL(4, 4, "clerk/end",
                                                                             "there is no request "
                                                                             "'clerk/end'")
                                                                    RESPONSE(5, 5,
                                                                             "disconnect") "}\n",
        "{\"request\":\"memory\",\"address\":\"a\",\"offset\":4,\"count\":5}\n"
        "{\"request\":\"disassemble\",\"start\":0,\"count\":2}\n"
        "{\"request\":\"lanes\"}\n");
}

static void every_request_is_answered(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "continue", "{\"threadId\":1}"),
        REQUEST(2, "evaluate", "{\"expression\":\"x\"}"),
        REQUEST(3, "blow", "{}"),
        "[]",
        "{\"seq\":4,\"type\":\"response\"}",
        "?\"request_seq\":2",
        NULL,
    };
    struct text asked;
    struct text lines = talk(requests, &asked);
    assert_non_null(strstr(lines.bytes, "\"request_seq\":1,\"success\":true"));
    assert_non_null(strstr(lines.bytes, "\"event\":\"terminated\""));
    assert_non_null(strstr(lines.bytes, "\"request_seq\":2,\"success\":false"));
    assert_non_null(strstr(lines.bytes, "there is no request 'blow'"));
    assert_non_null(strstr(lines.bytes, "a message is not one JSON object"));
    text_release(&asked);
    text_release(&lines);
}

static void what_takes_long_is_told_and_cancelled(void **state)
{
    (void)state;
    static const char *const requests[] = {
        REQUEST(1, "initialize", "{\"supportsProgressReporting\":true}"),
        REQUEST(2, "clerk/who", "{\"expression\":\"x\"}"),
        REQUEST(3, "threads", "{}"),
        "?progressStart",
        REQUEST(4, "cancel", "{\"progressId\":\"clerk-0\"}"),
        REQUEST(5, "cancel", "{\"progressId\":\"clerk-1\"}"),
        "?\"command\":\"threads\"",
        REQUEST(6, "disconnect", "{}"),
        NULL,
    };
    struct text asked;
    struct text lines = talk(requests, &asked);
    assert_non_null(strstr(lines.bytes,
                           "{\"seq\":2,\"type\":\"event\",\"event\":\"progressStart\",\"body\":{"
                           "\"progressId\":\"clerk-1\",\"title\":\"Looking for who wrote it\","
                           "\"requestId\":2,\"cancellable\":true,\"message\":\"1 s\"}}\n"));
    assert_non_null(strstr(lines.bytes, "\"event\":\"progressEnd\",\"body\":{\"progressId\":"
                                        "\"clerk-1\"}}\n"));
    assert_non_null(strstr(lines.bytes, "\"request_seq\":2,\"success\":false,\"command\":"
                                        "\"clerk/who\",\"message\":\"cancelled\""));
    assert_string_equal(asked.bytes, "{\"request\":\"who\",\"expression\":\"x\"}\n"
                                     "{\"request\":\"pause\"}\n{\"request\":\"threads\"}\n");
    text_release(&asked);
    text_release(&lines);
}

/* ---- launch ---- */

static void assert_words(const char *json, const char *expected)
{
    struct cJSON *arguments = NULL;
    struct kernel_words words = {.words = NULL};
    struct error error;
    struct text text = TEXT_INIT;
    assert_int_equal(json_object_parse(json, strlen(json), &arguments, NULL), STATUS_OK);
    if (dap_launch_words(arguments, &words, &error))
        text_append(&text, error.text);
    else
        for (int i = 0; i < words.count; ++i)
            text_format(&text, "%s%s", i ? " " : "", words.words[i]);
    assert_string_equal(text.bytes, expected);
    kernel_words_release(&words);
    json_object_release(arguments);
    text_release(&text);
}

static void configurations_become_words(void **state)
{
    (void)state;
    assert_words("{\"file\":\"-k.cl\",\"global\":[64,2],\"local\":8,\"offset\":\"1,1\",\"kernel\":"
                 "\"k\",\"arguments\":[\"int=3\"],\"options\":[\"--checks\",\"none\"]}",
                 "--global=64,2 --local=8 --offset=1,1 --kernel=k --arg=int=3 --checks none -- "
                 "-k.cl");
    assert_words("{}", "\"file\" is missing, the kernel's .cl or .spv; or \"trace\", or "
                       "\"program\"");
    assert_words("{\"trace\":\"app.db\",\"launch\":117,\"file\":\"k.cl\",\"personality\":\"ftz\"}",
                 "--launch=117 --personality=ftz -- app.db");
    assert_words("{\"trace\":\"app.db\"}", "-- app.db");
    assert_words("{\"trace\":\"app.db\",\"launch\":\"x\"}", "\"launch\" is a number");
    assert_words("{\"trace\":\"app.db\",\"finding\":[]}", "\"finding\" is a number");
    assert_words("{\"trace\":\"/no/app.db\",\"finding\":1}",
                 "cannot open '/no/app.db': No such file or directory");
    assert_words("{\"program\":\"./app\",\"args\":[\"-n\",\"3\"],\"options\":[\"--schedule\","
                 "\"desc\"]}",
                 "--device=reference --schedule desc -- ./app -n 3");
    assert_words("{\"file\":\"k.cl\",\"global\":[\"x\"]}",
                 "\"global\" is a number, an array of numbers, or a string as \"64,8\"");
    assert_words("{\"file\":\"k.cl\",\"arguments\":[3]}", "\"arguments\" is an array of strings");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breakpoints_replace_each_other),
        cmocka_unit_test(a_step_is_answered_before_its_stop),
        cmocka_unit_test(children_have_expressions),
        cmocka_unit_test(memory_and_code_have_their_forms),
        cmocka_unit_test(every_request_is_answered),
        cmocka_unit_test(what_takes_long_is_told_and_cancelled),
        cmocka_unit_test(configurations_become_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
