/* Prints the statements that make an empty trace of an older version.
 *
 *     schema_of VERSION */
#include "trace/base/text.h"
#include "trace/schema.h"
#include "trace/store.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argument_count, char **arguments)
{
    struct text sql = TEXT_INIT;
    const int version = argument_count == 2 ? atoi(arguments[1]) : STORE_VERSION;
    text_format(&sql, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                (int)STORE_APPLICATION_ID, version);
    schema_print(version, &sql);
    fputs(sql.bytes, stdout);
    text_release(&sql);
    return 0;
}
