/* Conversions are taken apart, and each component is given to snprintf with a format made anew, of
 * flags, width, precision and the conversion's letter. */
#include "reference/vm/printf.h"

#include "reference/vm/convert.h"
#include "reference/vm/machine.h"
#include "reference/vm/undefined_rows.h"
#include "trace/base/half.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Widths and precisions beyond it print no more. */
enum { NUMBER_MAX = 4096, COMPONENT_MAX = 16 };

enum length { LENGTH_NONE, LENGTH_HH, LENGTH_H, LENGTH_HL, LENGTH_L };

struct conversion {
    char flags[6];
    int width;       /* 0 = none */
    int precision;   /* -1 = none */
    uint32_t vector; /* components; 0 = a scalar */
    enum length length;
    char letter;
};

/* ---- reading a conversion ---- */

static int read_number(const char **at)
{
    int number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at)
        number = number * 10 + (**at - '0') < NUMBER_MAX ? number * 10 + (**at - '0') : NUMBER_MAX;
    return number;
}

static bool read_vector(const char **at, uint32_t *count)
{
    if (**at != 'v')
        return true;
    ++*at;
    const int number = read_number(at);
    *count = (uint32_t)number;
    return number == 2 || number == 3 || number == 4 || number == 8 || number == 16;
}

static enum length read_length(const char **at)
{
    static const struct {
        const char *text;
        enum length length;
    } lengths[] = {{"hh", LENGTH_HH}, {"hl", LENGTH_HL}, {"h", LENGTH_H},
                   {"l", LENGTH_L},   {"z", LENGTH_L},   {"t", LENGTH_L}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t size = strlen(lengths[i].text);
        if (strncmp(*at, lengths[i].text, size) == 0) {
            *at += size;
            return lengths[i].length;
        }
    }
    return LENGTH_NONE;
}

/* From after the '%' to after the letter. False when it is not a conversion. */
static bool read_conversion(const char **at, struct conversion *conversion)
{
    size_t flags = 0;
    *conversion = (struct conversion){.precision = -1};
    for (; **at != '\0' && strchr("-+ #0", **at); ++*at) {
        if (!strchr(conversion->flags, **at))
            conversion->flags[flags++] = **at;
    }
    conversion->width = read_number(at);
    if (**at == '.') {
        ++*at;
        conversion->precision = read_number(at);
    }
    if (!read_vector(at, &conversion->vector))
        return false;
    conversion->length = read_length(at);
    conversion->letter = **at;
    if (**at == '\0' || !strchr("diouxXfFeEgGaAcsp", **at))
        return false;
    ++*at;
    return true;
}

/* ---- one component ---- */

/* snprintf's format for the conversion: its flags and numbers, and `letters` at the end. */
static void make_format(const struct conversion *conversion, const char *letters, char format[32])
{
    int size = snprintf(format, 32, "%%%s", conversion->flags);
    if (conversion->width > 0)
        size += snprintf(format + size, (size_t)(32 - size), "%d", conversion->width);
    if (conversion->precision >= 0)
        size += snprintf(format + size, (size_t)(32 - size), ".%d", conversion->precision);
    snprintf(format + size, (size_t)(32 - size), "%s", letters);
}

/* Room for what snprintf can make of a number: 309 digits, or as many as are asked for. */
enum { OUTPUT_MAX = 2 * NUMBER_MAX };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void append_output(struct text *text, const char *output, int size)
{
    if (size > 0)
        text_append_n(text, output, (size_t)size < OUTPUT_MAX ? (size_t)size : OUTPUT_MAX - 1);
}

/* The bytes that the conversion looks at: of wider arguments the low ones. */
static uint32_t integer_width(const struct conversion *conversion, uint32_t width)
{
    static const uint32_t widths[] = {
        [LENGTH_HH] = 1, [LENGTH_H] = 2, [LENGTH_HL] = 4, [LENGTH_L] = 8};
    uint32_t wanted = widths[conversion->length];
    if (conversion->length == LENGTH_NONE)
        wanted = conversion->vector ? width : 4;
    return wanted < width ? wanted : width;
}

static void print_integer(const struct conversion *conversion, uint64_t bits, uint32_t width,
                          struct text *text)
{
    char format[32];
    char output[OUTPUT_MAX];
    const char letters[] = {'l', 'l', conversion->letter, '\0'};
    const uint32_t unused = 64 - 8 * integer_width(conversion, width);
    const bool is_signed = conversion->letter == 'd' || conversion->letter == 'i';
    make_format(conversion, letters, format);
    const int size =
        is_signed ? snprintf(output, sizeof output, format, (long long)(bits << unused) >> unused)
                  : snprintf(output, sizeof output, format,
                             (unsigned long long)(bits << unused >> unused));
    append_output(text, output, size);
}

static double as_double(uint64_t bits, uint32_t width)
{
    const uint32_t low = (uint32_t)bits;
    float narrow;
    double value;
    if (width == 8) {
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (width == 2)
        return (double)half_to_float((uint16_t)bits);
    memcpy(&narrow, &low, sizeof narrow);
    return (double)narrow;
}

static void print_float(const struct conversion *conversion, uint64_t bits, uint32_t width,
                        struct text *text)
{
    char format[32];
    char output[OUTPUT_MAX];
    const char letters[] = {conversion->letter, '\0'};
    make_format(conversion, letters, format);
    append_output(text, output, snprintf(output, sizeof output, format, as_double(bits, width)));
}

static void print_character(const struct conversion *conversion, uint64_t bits, struct text *text)
{
    char format[32];
    char output[OUTPUT_MAX];
    make_format(conversion, "c", format);
    append_output(text, output, snprintf(output, sizeof output, format, (int)(unsigned char)bits));
}

/* `size` bytes, or fewer where a NUL ends them. */
static void print_string(const struct conversion *conversion, const char *bytes, size_t size,
                         struct text *text)
{
    const void *end = memchr(bytes, '\0', size);
    size_t shown = end ? (size_t)((const char *)end - bytes) : size;
    if (conversion->precision >= 0 && shown > (size_t)conversion->precision)
        shown = (size_t)conversion->precision;
    const size_t width = (size_t)conversion->width;
    const bool left = strchr(conversion->flags, '-') != NULL;
    for (size_t i = shown; !left && i < width; i++)
        text_append_char(text, ' ');
    text_append_n(text, bytes, shown);
    for (size_t i = shown; left && i < width; i++)
        text_append_char(text, ' ');
}

static void print_pointer(const struct conversion *conversion, uint64_t bits, struct text *text)
{
    char digits[32];
    const int size = snprintf(digits, sizeof digits, "0x%llx", (unsigned long long)bits);
    print_string(&(struct conversion){.width = conversion->width,
                                      .precision = -1,
                                      .flags = {conversion->flags[0]}},
                 digits, (size_t)size, text);
}

#pragma GCC diagnostic pop

static void print_pointed(const struct printf_request *request, const struct conversion *conversion,
                          uint64_t pointer, struct text *text)
{
    size_t size = 0;
    const char *bytes = request->string ? request->string(request->user, pointer, &size) : NULL;
    if (!bytes) {
        bytes = "(null)";
        size = strlen(bytes);
    }
    print_string(conversion, bytes, size, text);
}

static void print_component(const struct printf_request *request,
                            const struct conversion *conversion, uint64_t bits, uint32_t width,
                            struct text *text)
{
    switch (conversion->letter) {
    case 'c':
        print_character(conversion, bits, text);
        break;
    case 's':
        print_pointed(request, conversion, bits, text);
        break;
    case 'p':
        print_pointer(conversion, bits, text);
        break;
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        print_integer(conversion, bits, width, text);
        break;
    default:
        print_float(conversion, bits, width, text);
        break;
    }
}

/* ---- the whole ---- */

/* "the values are separated by commas" */
static void print_argument(const struct printf_request *request,
                           const struct conversion *conversion,
                           const struct printf_argument *argument, struct text *text)
{
    const uint32_t wanted = conversion->vector ? conversion->vector : 1;
    for (uint32_t i = 0; i < wanted && i < argument->count; i++) {
        if (i > 0)
            text_append_char(text, ',');
        print_component(request, conversion, argument->components[i], argument->width, text);
    }
}

static void format_all(const struct printf_request *request, struct text *text)
{
    size_t next = 0;
    for (const char *at = request->format; *at != '\0';) {
        const char *start = at;
        const size_t plain = strcspn(at, "%");
        text_append_n(text, at, plain);
        at += plain;
        if (*at == '\0')
            break;
        start = at++;
        struct conversion conversion;
        if (*at == '%') {
            text_append_char(text, '%');
            at++;
        } else if (!read_conversion(&at, &conversion) || next == request->argument_count) {
            text_append_n(text, start, (size_t)(at - start));
        } else {
            print_argument(request, &conversion, &request->arguments[next++], text);
        }
    }
}

static locale_t plain_locale;

static void make_locale(void)
{
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void printf_format(const struct printf_request *request, struct text *text)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    const locale_t before = plain_locale ? uselocale(plain_locale) : (locale_t)0;
    format_all(request, text);
    if (before)
        uselocale(before);
}

/* ---- the op ---- */

static const char *find_string(const void *user, uint64_t pointer, size_t *size)
{
    const struct vm_vector *vector = user;
    const uint32_t number = vm_pointer_object(pointer);
    const int64_t offset = vm_pointer_offset(pointer);
    if (!(pointer & VM_POINTER_TAG) || number >= VM_LAUNCH_OBJECT)
        return NULL;
    const struct vm_object *object = vm_memory_find(vector->run->memory, number);
    if (!object || object->freed || offset < 0 || (uint64_t)offset >= object->size)
        return NULL;
    *size = (size_t)(object->size - (uint64_t)offset);
    return (const char *)object->bytes + offset;
}

static void print_lane(const struct vm_vector *vector, const struct vm_print *print, uint32_t lane,
                       struct text *text)
{
    uint64_t components[VM_PRINT_ARGUMENTS_MAX][COMPONENT_MAX];
    struct printf_argument arguments[VM_PRINT_ARGUMENTS_MAX];
    const vm_row *row = print->rows;
    for (uint32_t i = 0; i < print->argument_count; i++) {
        const struct vm_print_argument *from = &print->arguments[i];
        arguments[i] = (struct printf_argument){
            .components = components[i], .width = from->width, .count = from->count};
        for (uint32_t c = 0; c < from->count; c++)
            components[i][c] = lane_get(
                (const uint8_t *)vm_unit(vector, *row++) + (size_t)lane * from->width, from->width);
    }
    printf_format(&(struct printf_request){.format = print->format,
                                           .arguments = arguments,
                                           .argument_count = print->argument_count,
                                           .string = find_string,
                                           .user = vector},
                  text);
}

static void tell_undefined(const struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_print *print = &vector->run->code->prints[in->aux];
    for (uint32_t i = 0; i < print->row_count; i++)
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_PRINT, print->rows[i], vector->active);
}

void vm_printf(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct vm_run *run = vector->run;
    run->progress_count++;
    tell_undefined(vector, in);
    if (!run->output)
        return;
    FOR_LANES_IN_ORDER(lane, vector->active, run->lane_order)
        print_lane(vector, &run->code->prints[in->aux], lane, run->output);
}
