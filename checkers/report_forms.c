#include "checkers/report_forms.h"

#include "trace/base/file.h"

#include <string.h>

static const struct {
    const char *name;
    const char *extensions[2];
} forms[REPORT_FORMAT_COUNT] = {
    [REPORT_TEXT] = {"text", {".txt"}},     [REPORT_JSON] = {"json", {".json", ".jsonl"}},
    [REPORT_SARIF] = {"sarif", {".sarif"}}, [REPORT_JUNIT] = {"junit", {".xml"}},
    [REPORT_GITHUB] = {"github", {NULL}},   [REPORT_GCC] = {"gcc", {NULL}},
};

enum report_format report_format_named(const char *name)
{
    unsigned format = 0;
    while (format < REPORT_FORMAT_COUNT && strcmp(forms[format].name, name) != 0)
        ++format;
    return (enum report_format)format;
}

enum report_format report_format_of_path(const char *path)
{
    for (unsigned format = 0; format < REPORT_FORMAT_COUNT; ++format)
        for (size_t i = 0; i < 2 && forms[format].extensions[i]; ++i)
            if (path_has_extension(path, forms[format].extensions[i]))
                return (enum report_format)format;
    return REPORT_TEXT;
}

void report_print(struct report *report, const struct report_style *style, struct text *text)
{
    switch (style->format) {
    case REPORT_JSON:
        report_print_json(report, text);
        break;
    case REPORT_SARIF:
        report_print_sarif(report, style, text);
        break;
    case REPORT_JUNIT:
        report_print_junit(report, style, text);
        break;
    case REPORT_GITHUB:
        report_print_github(report, style, text);
        break;
    case REPORT_GCC:
        report_print_gcc(report, style, text);
        break;
    default:
        report_print_text(report, style->color, style->width, text);
    }
}
