/* What comes to the front ends of the debugger from outside: an editor's messages, and the answers
 * of the debugged process, which a stranger's kernel may have damaged. Both are made of words that
 * mean something there, put together and damaged at random.
 *
 * What a client is written are whole messages, each one JSON object, numbered one by one.
 *
 *     fuzz_debugger ROUNDS SECONDS      stops at whichever comes first */
#include "trace/debug/message.h"
#include "viewer-cli/debug/dap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { HANG_SECONDS = 20, REQUESTS_MAX = 12, ANSWERS_MAX = 40, MESSAGE_SIZE = 2000 };

static uint64_t random_state = UINT64_C(0x9e3779b97f4a7c15);

static size_t random_below(size_t limit)
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (size_t)((random_state * UINT64_C(2685821657736338717) >> 16) % limit);
}

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "fuzz_debugger: %s:\n%s\n", what, text);
    exit(1);
}

/* ---- random messages ---- */

/* No launch: it would start a process. */
static const char *const commands[] = {
    "initialize",
    "configurationDone",
    "setBreakpoints",
    "setFunctionBreakpoints",
    "setExceptionBreakpoints",
    "dataBreakpointInfo",
    "setDataBreakpoints",
    "continue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "reverseContinue",
    "gotoTargets",
    "goto",
    "stackTrace",
    "scopes",
    "variables",
    "evaluate",
    "setVariable",
    "setExpression",
    "readMemory",
    "disassemble",
    "source",
    "loadedSources",
    "exceptionInfo",
    "threads",
    "pause",
    "cancel",
    "clerk/lanes",
    "clerk/who",
    "clerk/",
    "clerk",
    "nothing",
    "terminate",
};

/* Members of either side. */
static const char *const keys[] = {
    "source",
    "path",
    "sourceReference",
    "breakpoints",
    "line",
    "condition",
    "hitCondition",
    "logMessage",
    "filters",
    "filterOptions",
    "filterId",
    "name",
    "dataId",
    "accessType",
    "threadId",
    "frameId",
    "variablesReference",
    "value",
    "expression",
    "memoryReference",
    "offset",
    "count",
    "instructionCount",
    "instructionOffset",
    "targetId",
    "requestId",
    "granularity",
    "format",
    "hex",
    "linesStartAt1",
    "ok",
    "stop",
    "reason",
    "text",
    "finding",
    "rule",
    "breakpoint",
    "number",
    "verified",
    "watch",
    "threads",
    "id",
    "items",
    "place",
    "function",
    "file",
    "frames",
    "frame",
    "total",
    "scopes",
    "reference",
    "children",
    "values",
    "type",
    "address",
    "bytes",
    "undefined",
    "instructions",
    "site",
    "focus",
    "output",
    "sources",
    "known",
};

static const char *const values[] = {
    "true",
    "false",
    "null",
    "0",
    "1",
    "7",
    "-1",
    "1e300",
    "0.5",
    "4096",
    "9007199254740993",
    "\"\"",
    "\"x\"",
    "\"a.b\"",
    "\"[3]\"",
    "\"<source>\"",
    "\"/no/k.cl\"",
    "\"0x1f\"",
    "\"12345678901234567\"",
    "\"pause\"",
    "\"end\"",
    "\"breakpoint\"",
    "\"finding\"",
    "\"00ff7\"",
    "\"\\u0000\\ud800\"",
    "\"\xff\"",
    "\"instruction\"",
};

#define RANDOM_OF(words) (words)[random_below(sizeof(words) / sizeof *(words))]

static void append_object(struct text *text, size_t depth);

static void append_value(struct text *text, size_t depth)
{
    const size_t kind = depth > 3 ? 0 : random_below(6);
    if (kind == 1) {
        append_object(text, depth + 1);
    } else if (kind == 2) {
        text_append_char(text, '[');
        for (size_t i = random_below(4); i; --i) {
            append_value(text, depth + 1);
            text_append(text, i > 1 ? "," : "");
        }
        text_append_char(text, ']');
    } else {
        text_append(text, RANDOM_OF(values));
    }
}

static void append_members(struct text *text, size_t depth)
{
    for (size_t i = random_below(8); i; --i) {
        text_format(text, ",\"%s\":", RANDOM_OF(keys));
        append_value(text, depth);
    }
}

static void append_object(struct text *text, size_t depth)
{
    text_append(text, "{\"line\":3");
    append_members(text, depth);
    text_append_char(text, '}');
}

static void append_request(struct text *text, size_t seq)
{
    text_format(text, "{\"seq\":%zu,\"type\":\"request\",\"command\":\"%s\",\"arguments\":", seq,
                RANDOM_OF(commands));
    append_object(text, 0);
    text_append_char(text, '}');
}

static void append_answer(struct text *text)
{
    text_append(text, random_below(8) ? "{\"ok\":true" : "{\"ok\":false");
    append_members(text, 0);
    text_append_char(text, '}');
}

/* Now and then a byte of it is another one. */
static void damage(struct text *text)
{
    if (random_below(8) == 0 && text->size)
        text->bytes[random_below(text->size)] = (char)random_below(256);
}

/* ---- one round ---- */

static struct debug_session *make_session(int *engine)
{
    static const int outputs[] = {-1, -1};
    const struct debug_front front = {.user = NULL};
    struct debug_session *session = NULL;
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
        debug_session_adopt(0, sockets[0], outputs, &front, &session, NULL))
        fail("there is no session", "");
    *engine = sockets[1];
    return session;
}

static void write_answers(int engine)
{
    for (size_t i = random_below(ANSWERS_MAX); i; --i) {
        struct text answer = TEXT_INIT;
        append_answer(&answer);
        damage(&answer);
        if (answer.size < MESSAGE_SIZE)
            message_send(engine, answer.bytes, answer.size, NULL);
        text_release(&answer);
    }
    shutdown(engine, SHUT_WR);
}

static void write_requests(int input)
{
    struct dap_wire client = {.input = -1, .output = input, .read = TEXT_INIT};
    for (size_t i = 1; i <= REQUESTS_MAX; ++i) {
        struct text request = TEXT_INIT;
        append_request(&request, i);
        damage(&request);
        if (request.size < MESSAGE_SIZE)
            dap_wire_write(&client, &request, NULL);
        text_release(&request);
    }
    dap_wire_release(&client);
}

static void check_message(const char *json, size_t size, uint64_t seq)
{
    struct cJSON *object = NULL;
    uint64_t number = 0;
    if (json_object_parse(json, size, &object, NULL))
        fail("a message is no JSON", json);
    if (!json_object_number(object, "seq", &number) || number != seq)
        fail("a message has another number", json);
    json_object_release(object);
}

static void check_output(int output)
{
    struct dap_wire client = {.input = output, .output = -1, .read = TEXT_INIT};
    const char *json;
    size_t size;
    uint64_t seq = 0;
    lseek(output, 0, SEEK_SET);
    while (!client.ended)
        dap_wire_read(&client);
    while (dap_wire_take(&client, &json, &size, NULL) == STATUS_OK)
        check_message(json, size, ++seq);
    if (client.at != client.read.size)
        fail("what is written is no message", client.read.bytes + client.at);
    dap_wire_release(&client);
}

static void play_round(void)
{
    int input[2];
    int engine;
    const int output = memfd_create("output", MFD_CLOEXEC);
    if (output < 0 || pipe(input))
        fail("there are no files", "");
    struct dap dap = {
        .wire = {.input = input[0], .output = output, .read = TEXT_INIT},
        .out = TEXT_INIT,
        .complaint = TEXT_INIT,
        .rule = TEXT_INIT,
        .report = TEXT_INIT,
        .path = "/no/k.cl",
        .session = make_session(&engine),
        .phase = DAP_STOPPED,
    };
    write_answers(engine);
    write_requests(input[1]);
    close(input[1]);
    alarm(HANG_SECONDS);
    dap_serve(&dap, NULL);
    alarm(0);
    check_output(output);
    close(engine);
    close(input[0]);
    close(output);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage", "fuzz_debugger ROUNDS SECONDS");
    const unsigned long rounds = strtoul(argv[1], NULL, 10);
    const time_t end = time(NULL) + strtol(argv[2], NULL, 10);
    unsigned long round = 0;
    for (; round < rounds && time(NULL) < end; ++round)
        play_round();
    printf("%lu rounds\n", round);
    return 0;
}
