/* page.html as text, in two parts: the data of the run stand between them.
 * viewer-cli/export/page.cmake makes them when clerk is built. */
#ifndef VIEWER_CLI_EXPORT_PAGE_H
#define VIEWER_CLI_EXPORT_PAGE_H

extern const char page_before_data[];
extern const char page_behind_data[];

#endif
