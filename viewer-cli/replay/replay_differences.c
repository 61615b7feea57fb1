#include "viewer-cli/replay/cmd_replay.h"

#include "trace/base/json.h"

#include "trace/api/entry.h"
#include "trace/api/enumerant.h"
#include "viewer-cli/tolerance.h"

#include <inttypes.h>

static void print_hexadecimal(const unsigned char *bytes, uint32_t size, struct text *text)
{
    for (uint32_t i = 0; i < size; ++i)
        text_format(text, "%02x", bytes[i]);
}

void replay_difference_print_json(const struct replay_difference *difference,
                                  struct replay_launches *launches, struct text *text)
{
    const struct replay_bytes_difference *bytes = &difference->bytes;
    struct text recorded = TEXT_INIT;
    struct text replayed = TEXT_INIT;
    replay_print_value(difference->type, bytes->recorded, bytes->value_size, &recorded);
    replay_print_value(difference->type, bytes->replayed, bytes->value_size, &replayed);
    text_append_char(text, '{');
    json_string(text, "kind", difference->is_launch ? "launch-difference" : "difference");
    json_number(text, "call", difference->call->id);
    json_string(text, "function", api_entry_get(difference->call->entry)->name);
    json_string(text, "object", difference->object);
    if (difference->is_launch)
        json_string(text, "kernel", replay_launches_kernel(launches, difference->call->id));
    json_number(text, difference->offset_is_in_object ? "offset" : "host_offset",
                difference->offset);
    json_string(text, "type", difference->type);
    json_number(text, "element_size", replay_type_scalar_size(difference->type));
    if (bytes->value_size) {
        json_string(text, "recorded", recorded.bytes);
        json_string(text, "replayed", replayed.bytes);
        text_append(text, ",\"recorded_bytes\":\"");
        print_hexadecimal(bytes->recorded, bytes->value_size, text);
        text_append(text, "\",\"replayed_bytes\":\"");
        print_hexadecimal(bytes->replayed, bytes->value_size, text);
        text_append_char(text, '"');
    }
    json_number(text, "size", difference->size);
    json_number(text, "differing_bytes", bytes->byte_count);
    json_known_number(text, "differing_elements", bytes->element_count);
    tolerance_print_apart_json(bytes->ulp, bytes->relative, text);
    text_append(text, "}\n");
    text_release(&recorded);
    text_release(&replayed);
}

/* A line "    recorded  63            3f 00 00 00"; without a known type the bytes alone. */
static void print_value(const char *what, const char *type, const unsigned char *bytes,
                        uint32_t size, struct text *text)
{
    struct text value = TEXT_INIT;
    replay_print_value(type, bytes, size, &value);
    text_format(text, "    %s  ", what);
    if (replay_type_scalar_size(type) > 1) {
        text_format(text, "%-24s", value.bytes);
        replay_print_value("", bytes, size, text);
    } else {
        text_append(text, value.bytes);
    }
    text_append_char(text, '\n');
    text_release(&value);
}

void replay_difference_print(const struct replay_difference *difference,
                             struct replay_launches *launches, bool is_golden, struct text *text)
{
    const struct replay_bytes_difference *bytes = &difference->bytes;
    const uint32_t scalar_size = replay_type_scalar_size(difference->type);
    text_format(text, "different: call %" PRIu64 ", %s", difference->call->id,
                api_entry_get(difference->call->entry)->name);
    if (difference->is_launch)
        text_format(text, " of '%s', leaves other bytes in %s\n",
                    replay_launches_kernel(launches, difference->call->id), difference->object);
    else
        text_format(text, ", reads other bytes from %s\n", difference->object);
    if (!bytes->value_size) {
        text_format(text,
                    "  first in the piece at byte %" PRIu64 "; %" PRIu64 " of %" PRIu64
                    " bytes are in pieces that differ, of which digests were recorded\n\n",
                    difference->offset, bytes->byte_count, difference->size);
        return;
    }
    text_format(text, "  first at byte %" PRIu64 " of %s", difference->offset,
                difference->offset_is_in_object ? "the object" : "the memory that it reads into");
    if (scalar_size > 1 && difference->offset_is_in_object) {
        text_append(text, ", ");
        replay_print_element(difference->type, difference->offset, text);
        text_format(text, " as '%s'", difference->type);
    }
    text_append_char(text, '\n');
    print_value(is_golden ? "golden  " : "recorded", difference->type, bytes->recorded,
                bytes->value_size, text);
    print_value("replayed", difference->type, bytes->replayed, bytes->value_size, text);
    text_format(text, "  %" PRIu64 " of %" PRIu64 " bytes differ", bytes->byte_count,
                difference->size);
    if (bytes->element_count) {
        text_format(text, ", in %" PRIu64 " of %" PRIu64 " values: ", bytes->element_count,
                    difference->size / scalar_size);
        tolerance_print_apart(bytes->ulp, bytes->relative, text);
    }
    text_append_char(text, '\n');
    text_append_char(text, '\n');
}

static void print_status(int32_t status, struct text *text)
{
    const char *name = api_error_name(status);
    if (name)
        text_append(text, name);
    else
        text_format(text, "%" PRId32, status);
}

void replay_status_print_json(const struct replay_status_difference *difference, struct text *text)
{
    text_format(text,
                "{\"kind\":\"status\",\"call\":%" PRIu64 ",\"function\":\"%s\",\"recorded\":\"",
                difference->call->id, api_entry_get(difference->call->entry)->name);
    print_status(difference->recorded, text);
    text_append(text, "\",\"replayed\":\"");
    print_status(difference->replayed, text);
    text_append(text, "\"}\n");
}

void replay_status_print(const struct replay_status_difference *difference, struct text *text)
{
    text_format(text, "different: call %" PRIu64 ", %s, gave ", difference->call->id,
                api_entry_get(difference->call->entry)->name);
    print_status(difference->recorded, text);
    text_append(text, " in the recording and now gives ");
    print_status(difference->replayed, text);
    text_append(text, "\n\n");
}
