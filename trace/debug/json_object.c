#include "trace/debug/json_object.h"

#include "trace/base/options.h"

#include <cjson/cJSON.h>

#include <string.h>

/* Up to it every integer is a double. */
static const double integer_max = 9007199254740992.0;

enum status json_object_parse(const char *bytes, size_t size, struct cJSON **object,
                              struct error *error)
{
    const char *end = bytes;
    /* cJSON takes it for the end, and would pass over what follows. */
    if (memchr(bytes, 0, size))
        return error_set(error, STATUS_MALFORMED, "a message has a byte of value 0");
    cJSON *parsed = cJSON_ParseWithLengthOpts(bytes, size, &end, false);
    if (!parsed)
        return error_set(error, STATUS_MALFORMED, "a message is no JSON from its byte %zu on",
                         (size_t)(end - bytes));
    while (end < bytes + size && strchr(" \t\r\n", *end))
        ++end;
    if (end < bytes + size || !cJSON_IsObject(parsed)) {
        cJSON_Delete(parsed);
        return error_set(error, STATUS_MALFORMED, "a message is not one JSON object");
    }
    *object = parsed;
    return STATUS_OK;
}

void json_object_release(struct cJSON *object)
{
    cJSON_Delete(object);
}

const struct cJSON *json_object_item(const struct cJSON *object, const char *key)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

const char *json_item_text(const struct cJSON *item)
{
    return cJSON_GetStringValue(item);
}

const char *json_object_text(const struct cJSON *object, const char *key)
{
    return json_item_text(json_object_item(object, key));
}

static bool read_integer(const struct cJSON *item, int64_t *number)
{
    if (!cJSON_IsNumber(item) ||
        !(item->valuedouble >= -integer_max && item->valuedouble <= integer_max) ||
        item->valuedouble != (double)(int64_t)item->valuedouble)
        return false;
    *number = (int64_t)item->valuedouble;
    return true;
}

bool json_object_integer(const struct cJSON *object, const char *key, int64_t *number)
{
    return read_integer(json_object_item(object, key), number);
}

bool json_item_number(const struct cJSON *item, uint64_t *number)
{
    int64_t integer;
    if (read_integer(item, &integer)) {
        if (integer >= 0)
            *number = (uint64_t)integer;
        return integer >= 0;
    }
    const char *digits = json_item_text(item);
    uint64_t taken;
    if (!digits || !number_take(&digits, &taken) || *digits)
        return false;
    *number = taken;
    return true;
}

bool json_object_number(const struct cJSON *object, const char *key, uint64_t *number)
{
    return json_item_number(json_object_item(object, key), number);
}

bool json_object_flag(const struct cJSON *object, const char *key)
{
    return cJSON_IsTrue(json_object_item(object, key));
}

const struct cJSON *json_array_first(const struct cJSON *array)
{
    return cJSON_IsArray(array) || cJSON_IsObject(array) ? array->child : NULL;
}

const struct cJSON *json_array_next(const struct cJSON *item)
{
    return item->next;
}

const char *json_item_key(const struct cJSON *item)
{
    return item->string;
}
