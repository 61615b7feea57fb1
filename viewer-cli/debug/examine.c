#include "viewer-cli/debug/examine.h"

#include "trace/base/alloc.h"
#include "trace/base/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { LINE_SIZE = 16 };

static const struct {
    char letter;
    uint32_t size;
} units[] = {{'b', 1}, {'h', 2}, {'w', 4}, {'g', 8}};

bool examine_parse(const char **text, struct examine_format *format)
{
    const char *at = *text;
    *format = (struct examine_format){.count = 1, .letter = 'x', .size = 4};
    if (*at == '/') {
        ++at;
        if (isdigit((unsigned char)*at) && !number_take(&at, &format->count))
            return false;
        for (; *at && *at != ' '; ++at) {
            size_t unit = 0;
            while (unit < sizeof units / sizeof *units && units[unit].letter != *at)
                ++unit;
            if (unit < sizeof units / sizeof *units)
                format->size = units[unit].size;
            else if (strchr("xdufc", *at))
                format->letter = *at;
            else
                return false;
        }
        at += strspn(at, " \t");
    }
    /* There is no float of a byte; of two, half is not printed. */
    if (format->letter == 'f' && format->size < 4)
        return false;
    if (!format->count || format->count > EXAMINE_SIZE_MAX / format->size)
        return false;
    *text = at;
    return true;
}

uint64_t examine_size(const struct examine_format *format)
{
    return format->count * format->size;
}

static int digit(char character)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = character ? strchr(digits, character) : NULL;
    return at ? (int)(at - digits) : -1;
}

size_t examine_bytes(const char *digits, uint8_t *bytes, size_t size)
{
    size_t count = 0;
    for (; count < size && digits && digit(digits[0]) >= 0 && digit(digits[1]) >= 0; digits += 2)
        bytes[count++] = (uint8_t)(digit(digits[0]) << 4 | digit(digits[1]));
    return count;
}

/* Memory of the device is little-endian, as its bytes are sent. */
static uint64_t read_unit(const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; ++i)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

static void print_floating(uint64_t value, uint32_t size, struct text *text)
{
    if (size == 4) {
        const uint32_t bits = (uint32_t)value;
        float number;
        memcpy(&number, &bits, sizeof number);
        text_format(text, " %.9g", (double)number);
    } else {
        double number;
        memcpy(&number, &value, sizeof number);
        text_format(text, " %.17g", number);
    }
}

static void print_unit(const struct examine_format *format, uint64_t value, struct text *text)
{
    const unsigned shift = 64 - 8 * format->size;
    switch (format->letter) {
    case 'd':
        text_format(text, " %" PRId64, (int64_t)(value << shift) >> shift);
        break;
    case 'u':
        text_format(text, " %" PRIu64, value);
        break;
    case 'f':
        print_floating(value, format->size, text);
        break;
    case 'c':
        if (value >= 0x20 && value < 0x7f)
            text_format(text, " '%c'", (char)value);
        else
            text_format(text, " '\\x%02" PRIx64 "'", value);
        break;
    default:
        text_format(text, " 0x%0*" PRIx64, (int)format->size * 2, value);
    }
}

void examine_print(const struct examine_format *format, const struct cJSON *memory,
                   struct text *text)
{
    const char *const address = json_object_text(memory, "address");
    const size_t size = (size_t)examine_size(format);
    uint8_t *bytes = alloc_zero(2, size);
    if (!bytes)
        return;
    uint8_t *undefined = bytes + size;
    const size_t count = examine_bytes(json_object_text(memory, "bytes"), bytes, size);
    examine_bytes(json_object_text(memory, "undefined"), undefined, size);
    for (size_t at = 0; at < size; at += format->size) {
        if (at % LINE_SIZE == 0)
            text_format(text, "%s%s+%zu:", at ? "\n" : "", address ? address : "", at);
        if (at + format->size > count)
            text_append(text, " out of bounds");
        else if (read_unit(undefined + at, format->size))
            text_append(text, " undef");
        else
            print_unit(format, read_unit(bytes + at, format->size), text);
        if (at + format->size > count)
            break;
    }
    text_append_char(text, '\n');
    alloc_free(bytes);
}
