#include "viewer-cli/view/view_screen.h"

#include "trace/base/alloc.h"

size_t view_list_count(const struct view_list *list, const struct view_run *run)
{
    return list->calls ? list->count : run->call_count;
}

size_t view_list_call(const struct view_list *list, size_t position)
{
    return list->calls ? list->calls[position] : position;
}

size_t view_list_position(const struct view_list *list, size_t call)
{
    size_t low = 0;
    size_t high = list->count;
    if (!list->calls)
        return call;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (list->calls[middle] < call)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool view_list_filter(struct view_list *list, const struct view_run *run, const char *words)
{
    view_list_release(list);
    for (size_t from = 0; from < run->call_count;) {
        const size_t found = view_run_search(run, from, words);
        if (found < from || found == run->call_count)
            break; /* it went round the end */
        size_t *calls = alloc_grow(list->calls, list->count, &list->capacity, sizeof *calls);
        if (!calls) {
            view_list_release(list);
            return false;
        }
        list->calls = calls;
        calls[list->count++] = found;
        from = found + 1;
    }
    return list->calls != NULL;
}

void view_list_release(struct view_list *list)
{
    alloc_free(list->calls);
    *list = (struct view_list){.calls = NULL};
}
