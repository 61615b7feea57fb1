#include "viewer-cli/debug/examine.h"

#include "trace/base/alloc.h"
#include "trace/base/half.h"
#include "trace/base/options.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { LINE_SIZE = 16 };

static const struct {
    char letter;
    uint32_t size;
} units[] = {{'b', 1}, {'h', 2}, {'w', 4}, {'g', 8}};

static uint32_t usual_size(char letter)
{
    return letter == 'c' || letter == 's' ? 1 : letter == 'a' ? 8 : 4;
}

bool examine_parse(const char **text, struct examine_format *format)
{
    const char *at = *text;
    *format = (struct examine_format){.count = 1, .letter = 'x'};
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
            else if (strchr("xduotfacsi", *at))
                format->letter = *at;
            else
                return false;
        }
        at += strspn(at, " \t");
    }
    format->size = format->size ? format->size : usual_size(format->letter);
    if (format->letter == 'f' && format->size == 1) /* there is none */
        return false;
    if (!format->count || format->count > EXAMINE_SIZE_MAX / format->size)
        return false;
    *text = at;
    return true;
}

uint64_t examine_size(const struct examine_format *format)
{
    const uint64_t size = format->letter == 's' ? EXAMINE_STRING_MAX : format->size;
    return format->count < EXAMINE_SIZE_MAX / size ? format->count * size : EXAMINE_SIZE_MAX;
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
    if (size == 2) {
        text_format(text, " %.5g", (double)half_to_float((uint16_t)value));
    } else if (size == 4) {
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
    case 'o':
        text_format(text, " 0%" PRIo64, value);
        break;
    case 't':
        text_append_char(text, ' ');
        for (uint32_t bit = 8 * format->size; bit-- > 0;)
            text_append_char(text, value >> bit & 1 ? '1' : '0');
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

/* A line for each, up to its NUL or where nothing is known any more. */
static void print_strings(uint64_t count, const uint8_t *bytes, const uint8_t *undefined,
                          size_t size, const char *address, struct text *text)
{
    for (size_t at = 0; count > 0 && at < size; --count) {
        const size_t begin = at;
        struct text string = TEXT_INIT;
        while (at < size && at - begin < EXAMINE_STRING_MAX && bytes[at] && !undefined[at])
            text_append_n(&string, &bytes[at++], 1);
        text_format(text, "%s+%zu: ", address, begin);
        text_append_json_n(text, string.bytes, string.size);
        const bool ends = at < size && !undefined[at] && !bytes[at];
        text_append(text, ends                              ? "\n"
                          : at == size                      ? " out of bounds\n"
                          : at - begin < EXAMINE_STRING_MAX ? " undef\n"
                                                            : " ...\n");
        at += ends || (at < size && undefined[at]);
        text_release(&string);
    }
    if (!size)
        text_format(text, "%s+0: out of bounds\n", address);
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
    if (format->letter == 's')
        print_strings(format->count, bytes, undefined, count, address ? address : "", text);
    for (size_t at = 0; format->letter != 's' && at < size; at += format->size) {
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
    if (format->letter != 's')
        text_append_char(text, '\n');
    alloc_free(bytes);
}
