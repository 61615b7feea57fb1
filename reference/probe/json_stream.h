/* Reads JSON (RFC 8259) piece by piece, as it comes from a process, and keeps nothing of it. */
#ifndef REFERENCE_PROBE_JSON_STREAM_H
#define REFERENCE_PROBE_JSON_STREAM_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What is told of it, in order. `key` is "" for an element of an array, and lives until the
 * function returns. False ends the reading. */
struct json_listener {
    bool (*begin)(void *user, const char *key, bool is_array);
    bool (*end)(void *user); /* of what began last and has not ended */
    /* A string, with what is escaped by \u as '?'; a number, true, false or null as it stands. */
    bool (*value)(void *user, const char *key, const char *value);
    void *user;
};

enum json_state {
    JSON_VALUE,
    JSON_VALUE_OR_END, /* after [ */
    JSON_KEY_OR_END,   /* after { */
    JSON_KEY,
    JSON_COLON,
    JSON_COMMA_OR_END,
    JSON_STRING,
    JSON_ESCAPE,
    JSON_CODE, /* the digits after \u */
    JSON_WORD,
    JSON_DONE,
    JSON_BROKEN
};

struct json_stream {
    struct json_listener listener;
    enum json_state state;
    bool is_key;      /* the string that is being read */
    unsigned digits;  /* of JSON_CODE */
    struct text key;  /* the last one */
    struct text word; /* the string or word that is being read */
    struct text open; /* '{' or '[', from the outermost */
};

void json_stream_init(struct json_stream *stream, const struct json_listener *listener);
/* False when this is no JSON, memory is out, or the listener wants no more; then nothing further is
 * read. */
bool json_stream_take(struct json_stream *stream, const char *bytes, size_t size);
/* Was it all, one object or array? */
bool json_stream_is_complete(const struct json_stream *stream);
void json_stream_release(struct json_stream *stream);

#endif
