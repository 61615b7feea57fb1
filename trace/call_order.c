#include "trace/call_order.h"

#include "trace/api/entry.h"

static bool releases(const struct api_entry_info *info)
{
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        if (info->parameters[i].flags & API_PARAMETER_RELEASED)
            return true;
    return false;
}

void call_order_print(struct text *query)
{
    bool any = false;
    text_append(query, "CASE WHEN end_ns IS NULL OR name IN (");
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry) {
        const struct api_entry_info *info = api_entry_get(entry);
        if (!releases(info))
            continue;
        text_format(query, "%s'%s'", any ? "," : "", info->name);
        any = true;
    }
    text_append(query, ") THEN begin_ns ELSE end_ns END, id");
}
