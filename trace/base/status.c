#include "trace/base/status.h"

#include "trace/base/visible.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum status error_set_v(struct error *error, enum status status, const char *format, va_list list)
{
    if (!error)
        return status;
    error->status = status;
    char told[ERROR_TEXT_SIZE];
    const int length = vsnprintf(told, sizeof told, format, list);
    if (length >= (int)sizeof told || !visible_copy(error->text, sizeof error->text, told)) {
        visible_copy(error->text, sizeof error->text - 3, told);
        strcat(error->text, "...");
    }
    return status;
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    error_set_v(error, status, format, list);
    va_end(list);
    return status;
}

enum status error_set_errno(struct error *error, const char *format, ...)
{
    const int number = errno;
    if (!error)
        return STATUS_IO;
    va_list list;
    va_start(list, format);
    error_set_v(error, STATUS_IO, format, list);
    va_end(list);
    const size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, ": %s", strerror(number));
    return STATUS_IO;
}

void error_prefix(struct error *error, const char *format, ...)
{
    if (!error)
        return;
    char rest[ERROR_TEXT_SIZE];
    memcpy(rest, error->text, sizeof rest);
    va_list list;
    va_start(list, format);
    error_set_v(error, error->status, format, list);
    va_end(list);
    const size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, ": %s", rest);
}

enum status error_no_memory(struct error *error, unsigned long long size)
{
    return error_set(error, STATUS_NO_MEMORY, "out of memory (asked for %llu bytes)", size);
}
