#include "tests/fuzz/mutate_report.h"

#include "tests/fuzz/mutate_trace.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/text.h"

#include <cJSON.h>
#include <string.h>

enum { STRANGE_SIZE_MAX = 1 << 16, DEPTH_MAX = 2000 };

/* One of each kind of line, and together all keys. */
static const char *const lines[] = {
    "{\"finding\":1,\"rule\":\"race-local\",\"severity\":\"error\",\"message\":\"work-items 1 and "
    "0 "
    "race\",\"reason\":\"no barrier\",\"advice\":\"a barrier\",\"subject\":\"local memory 'tile' "
    "(256 bytes)\",\"context\":\"kernel 'sum'\",\"kernel\":\"sum\",\"seen_on\":\"a device\","
    "\"specification\":\"OpenCL\",\"call\":117,\"count\":992,\"known\":true,\"heat\":{\"size\":256,"
    "\"part\":4,\"counts\":[1,2,3]},\"processes\":[{\"command\":\"./sum 64\",\"trace\":\"t.db\","
    "\"id\":7},{\"command\":\"./sum, rank "
    "2\"}],\"places\":[{\"kind\":\"kernel\",\"label\":\"read\","
    "\"function\":\"sum\",\"file\":\"sum.cl\",\"line\":14,\"column\":41,\"source\":\"    "
    "add(tile);\",\"frames\":[\"sum at sum.cl:30:5\"],\"compiled\":{\"file\":\"<source>\",\"line\":"
    "4,\"column\":1,\"source\":\"add(tile);\"}},{\"kind\":\"call\",\"label\":\"enqueued by "
    "clEnqueueNDRangeKernel\",\"function\":\"clEnqueueNDRangeKernel\",\"file\":\"sum.c\",\"line\":"
    "9,\"call\":117,\"frames\":[\"main (sum.c:9)\",\"__libc_start_main+0x85 (libc.so.6)\"]}]}",
    "{\"finding\":1,\"rule\":\"handle-released\",\"severity\":\"error\",\"message\":\"clFinish: "
    "command_queue is queue#1\",\"specification\":\"OpenCL\",\"call\":\"18446744073709551615\","
    "\"count\":1,\"places\":[{\"kind\":\"call\",\"function\":\"clFinish\",\"argument\":"
    "\"command_queue\",\"call\":9},{\"kind\":\"object\",\"label\":\"queue#1 was released by "
    "clReleaseCommandQueue\",\"function\":\"clReleaseCommandQueue\",\"call\":8}]}",
    ("{\"unchecked\":\"the program did not come to its end\",\"severity\":\"note\",\"processes\":[{"
     "\"command\":\"./sum\"}]}"),
    "{\"not_shown\":3,\"rule\":\"race-local\"}",
};
enum { LINE_COUNT = sizeof lines / sizeof *lines };

/* What terminals and forms of reports obey, and what is no text. */
static const char *const strange_words[] = {
    "",
    "\033]0;title\a\033[2J",
    "\342\200\256\302\233",
    "a\nb\r\n::error::c",
    "<script>alert(1)</script>]]>&<!--",
    "'\"`$(x)\\%s%n",
    "../../../etc/passwd",
    "\377\376\300",
    "race-global",
    "18446744073709551616",
};
enum { STRANGE_WORD_COUNT = sizeof strange_words / sizeof *strange_words };

/* ---- values ---- */

static cJSON *make_deep(void)
{
    cJSON *value = cJSON_CreateArray();
    for (uint64_t depth = mutation_random_below(DEPTH_MAX); depth > 0; --depth) {
        cJSON *outer = cJSON_CreateArray();
        cJSON_AddItemToArray(outer, value);
        value = outer;
    }
    return value;
}

static cJSON *make_long(void)
{
    const size_t size = mutation_random_below(STRANGE_SIZE_MAX) + 1;
    char *bytes = alloc_zero(size + 1, 1);
    if (bytes)
        memset(bytes, 'a' + (int)mutation_random_below(26), size);
    cJSON *value = cJSON_CreateString(bytes ? bytes : "");
    alloc_free(bytes);
    return value;
}

static cJSON *make_strange(void)
{
    static const double numbers[] = {0, -1, 0.5, 1e300, 4294967296.0, 9007199254740993.0, -1e18};
    switch (mutation_random_below(8)) {
    case 0:
        return cJSON_CreateNull();
    case 1:
        return cJSON_CreateTrue();
    case 2:
        return cJSON_CreateObject();
    case 3:
        return make_deep();
    case 4:
        return make_long();
    case 5:
        return cJSON_CreateNumber(numbers[mutation_random_below(sizeof numbers / sizeof *numbers)]);
    default:
        return cJSON_CreateString(strange_words[mutation_random_below(STRANGE_WORD_COUNT)]);
    }
}

/* Goes down some way, and replaces what is there, or takes it away, or adds a copy to it. */
static void change_value(cJSON *object)
{
    cJSON *value = object;
    cJSON *parent = NULL;
    while (value->child && (!parent || mutation_random_below(3))) {
        parent = value;
        value = cJSON_IsArray(parent) || cJSON_IsObject(parent)
                    ? cJSON_GetArrayItem(
                          parent, (int)mutation_random_below((uint64_t)cJSON_GetArraySize(parent)))
                    : NULL;
    }
    if (!parent)
        return;
    const uint64_t act = mutation_random_below(6);
    if (act == 0) {
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, value));
    } else if (act == 1 && cJSON_IsObject(parent)) {
        cJSON_AddItemToObject(parent, value->string, make_strange()); /* the key comes twice */
    } else if (act == 1) {
        for (uint64_t i = mutation_random_below(20); i > 0; --i)
            cJSON_AddItemToArray(parent, cJSON_Duplicate(value, true));
    } else {
        cJSON *strange = make_strange();
        if (!cJSON_ReplaceItemViaPointer(parent, value, strange))
            cJSON_Delete(strange);
    }
}

static void append_changed(const char *line, struct text *text)
{
    cJSON *object = cJSON_Parse(line);
    for (uint64_t changes = mutation_random_below(4); object && changes > 0; --changes)
        change_value(object);
    char *printed = object ? cJSON_PrintUnformatted(object) : NULL;
    text_append(text, printed ? printed : line);
    cJSON_free(printed);
    cJSON_Delete(object);
}

/* ---- bytes ---- */

static void change_bytes(struct text *text)
{
    for (uint64_t changes = mutation_random_below(6); text->size && changes > 0; --changes) {
        const size_t at = mutation_random_below(text->size);
        switch (mutation_random_below(4)) {
        case 0:
            text->bytes[at] = (char)mutation_random_below(256);
            break;
        case 1:
            text->bytes[at] = "\n\r\0{}[],:\"\\"[mutation_random_below(11)];
            break;
        case 2:
            text->bytes[at] = (char)(text->bytes[at] ^ 1 << mutation_random_below(8));
            break;
        default:
            if (mutation_random_below(4) == 0)
                text->size = at; /* it was cut */
        }
    }
}

enum status mutate_report(uint64_t number, const char *path)
{
    struct text text = TEXT_INIT;
    mutation_random_begin(number);
    for (uint64_t count = mutation_random_below(7); count > 0; --count) {
        append_changed(lines[mutation_random_below(LINE_COUNT)], &text);
        text_append(&text, mutation_random_below(8) ? "\n" : "\r\n");
    }
    if (mutation_random_below(2))
        change_bytes(&text);
    const enum status status = file_write(path, text.bytes ? text.bytes : "", text.size, NULL);
    text_release(&text);
    return status;
}
