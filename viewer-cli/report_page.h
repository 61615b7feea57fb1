/* A report as the page of viewer-cli/export/page.html: its findings, and no calls. */
#ifndef VIEWER_CLI_REPORT_PAGE_H
#define VIEWER_CLI_REPORT_PAGE_H

#include "checkers/report.h"
#include "trace/base/text.h"

#include <stddef.h>

/* `title` is what the page is about: a program, a trace, a kernel's file. */
void report_page_print(struct report *report, const char *title, struct text *text);

/* Appends a finding as JSON, host stacks as people read them. */
void page_append_finding(struct text *json, const struct finding *finding);

/* Appends JSON as the page has it: only strings hold a "<", which may not end the script. */
void page_append_json(struct text *text, const char *json, size_t size);

#endif
