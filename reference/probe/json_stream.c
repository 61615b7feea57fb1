#include "reference/probe/json_stream.h"

#include <string.h>

/* Deeper than any compiler nests. */
enum { DEPTH_MAX = 1 << 20 };

void json_stream_init(struct json_stream *stream, const struct json_listener *listener)
{
    *stream = (struct json_stream){.listener = *listener,
                                   .state = JSON_VALUE,
                                   .key = TEXT_INIT,
                                   .word = TEXT_INIT,
                                   .open = TEXT_INIT};
}

void json_stream_release(struct json_stream *stream)
{
    text_release(&stream->key);
    text_release(&stream->word);
    text_release(&stream->open);
}

bool json_stream_is_complete(const struct json_stream *stream)
{
    return stream->state == JSON_DONE;
}

static bool is_in(const struct json_stream *stream, char what)
{
    return stream->open.size > 0 && stream->open.bytes[stream->open.size - 1] == what;
}

static const char *key_here(const struct json_stream *stream)
{
    return is_in(stream, '{') ? stream->key.bytes : "";
}

static bool begin(struct json_stream *stream, char what)
{
    const bool is_array = what == '[';
    if (stream->open.size >= DEPTH_MAX ||
        !stream->listener.begin(stream->listener.user, key_here(stream), is_array))
        return false;
    text_append_char(&stream->open, what);
    stream->state = is_array ? JSON_VALUE_OR_END : JSON_KEY_OR_END;
    return !stream->open.failed;
}

static bool end(struct json_stream *stream, char what)
{
    if (!is_in(stream, what == '}' ? '{' : '['))
        return false;
    stream->open.bytes[--stream->open.size] = '\0';
    stream->state = stream->open.size > 0 ? JSON_COMMA_OR_END : JSON_DONE;
    return stream->listener.end(stream->listener.user);
}

static bool end_of_value(struct json_stream *stream)
{
    stream->state = JSON_COMMA_OR_END;
    return !stream->word.failed &&
           stream->listener.value(stream->listener.user, key_here(stream), stream->word.bytes);
}

static bool end_of_string(struct json_stream *stream)
{
    if (!stream->is_key)
        return end_of_value(stream);
    text_clear(&stream->key);
    text_append_n(&stream->key, stream->word.bytes, stream->word.size);
    stream->state = JSON_COLON;
    return !stream->key.failed && !stream->word.failed;
}

static void begin_string(struct json_stream *stream, bool is_key)
{
    text_clear(&stream->word);
    stream->is_key = is_key;
    stream->state = JSON_STRING;
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' ||
           c == 'E';
}

static bool begin_value(struct json_stream *stream, char c)
{
    if (c == '{' || c == '[')
        return begin(stream, c);
    if (stream->open.size == 0 || (c != '"' && !is_of_word(c)))
        return false;
    begin_string(stream, false);
    if (c == '"')
        return true;
    stream->state = JSON_WORD;
    text_append_char(&stream->word, c);
    return true;
}

/* One character that is part of no string or word. */
static bool take_mark(struct json_stream *stream, char c)
{
    switch (stream->state) {
    case JSON_VALUE_OR_END:
        return c == ']' ? end(stream, c) : begin_value(stream, c);
    case JSON_VALUE:
        return begin_value(stream, c);
    case JSON_KEY_OR_END:
    case JSON_KEY:
        if (c == '}' && stream->state == JSON_KEY_OR_END)
            return end(stream, c);
        begin_string(stream, true);
        return c == '"';
    case JSON_COLON:
        stream->state = JSON_VALUE;
        return c == ':';
    case JSON_COMMA_OR_END:
        if (c != ',')
            return (c == '}' || c == ']') && end(stream, c);
        stream->state = is_in(stream, '{') ? JSON_KEY : JSON_VALUE;
        return true;
    default:
        return false;
    }
}

static bool take_escape(struct json_stream *stream, char c)
{
    static const char names[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    stream->state = c == 'u' ? JSON_CODE : JSON_STRING;
    stream->digits = 0;
    if (name)
        text_append_char(&stream->word, meanings[name - names]);
    return name || c == 'u';
}

static bool take_code(struct json_stream *stream, char c)
{
    if (c == '\0' || !strchr("0123456789abcdefABCDEF", c))
        return false;
    if (++stream->digits < 4)
        return true;
    text_append_char(&stream->word, '?');
    stream->state = JSON_STRING;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Takes what belongs to the string or word; *at is then at what ends it, or at the end. */
static void take_run(struct json_stream *stream, const char **at, const char *end)
{
    const char *from = *at;
    const char *to = from;
    if (stream->state == JSON_STRING)
        while (to < end && *to != '"' && *to != '\\' && *to != '\0')
            to++;
    else
        while (to < end && is_of_word(*to))
            to++;
    text_append_n(&stream->word, from, (size_t)(to - from));
    *at = to;
}

static bool take_one(struct json_stream *stream, char c)
{
    switch (stream->state) {
    case JSON_STRING:
        if (c == '\\')
            stream->state = JSON_ESCAPE;
        return c == '\\' || (c == '"' && end_of_string(stream));
    case JSON_ESCAPE:
        return take_escape(stream, c);
    case JSON_CODE:
        return take_code(stream, c);
    case JSON_WORD:
        if (!end_of_value(stream))
            return false;
        break;
    default:
        break;
    }
    return is_blank(c) || take_mark(stream, c);
}

bool json_stream_take(struct json_stream *stream, const char *bytes, size_t size)
{
    const char *const end = bytes + size;
    bool taken = stream->state != JSON_BROKEN;
    for (const char *at = bytes; taken && at < end; at++) {
        /* Most of what clang writes is blanks before a line. */
        if (stream->state == JSON_STRING || stream->state == JSON_WORD)
            take_run(stream, &at, end);
        else if (stream->state < JSON_STRING)
            while (at < end && is_blank(*at))
                at++;
        if (at < end)
            taken = take_one(stream, *at);
        else
            break;
    }
    if (!taken)
        stream->state = JSON_BROKEN;
    return taken;
}
