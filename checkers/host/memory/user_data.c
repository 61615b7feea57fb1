#include "checkers/host/memory/watched.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"

struct user_data {
    struct user_data *next;
    uint64_t call_id;
    struct use_bytes bytes; /* the first, whatever is after it */
    bool stays;             /* it may be called any number of times */
    bool freed;
    struct use_origin given, freed_by;
};

bool user_data_concerns(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return api_entry_find_role(info, API_ROLE_USER_DATA) != API_PARAMETER_NONE &&
           api_entry_find_role(info, API_ROLE_CALLBACK) != API_PARAMETER_NONE;
}

void user_data_given(struct user_data **list, struct watched *watched, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    const uint64_t address = call->arguments[api_entry_find_role(info, API_ROLE_USER_DATA)].bits;
    const bool called = call->arguments[api_entry_find_role(info, API_ROLE_CALLBACK)].present;
    struct user_data *data = called && address != 0 ? alloc(sizeof *data) : NULL;
    if (!data)
        return;
    *data = (struct user_data){.next = *list,
                               .call_id = call->id,
                               .bytes = reach_linear(address, 1),
                               .stays = info->return_kind == API_OBJECT_CONTEXT,
                               .given = watched_origin(watched, call)};
    *list = data;
    watched_lend(watched, &data->bytes);
}

static struct user_data **find(struct user_data **list, uint64_t call_id)
{
    while (*list && (*list)->call_id != call_id)
        list = &(*list)->next;
    return list;
}

static void remove_first(struct user_data **link, struct watched *watched)
{
    struct user_data *data = *link;
    *link = data->next;
    watched_return(watched, &data->bytes);
    alloc_free(data);
}

void user_data_forget(struct user_data **list, struct watched *watched, uint64_t call_id)
{
    struct user_data **link = find(list, call_id);
    if (*link)
        remove_first(link, watched);
}

void user_data_release(struct user_data **list, struct watched *watched)
{
    while (*list)
        remove_first(list, watched);
}

void user_data_freed(struct user_data *list, const struct use_bytes *bytes,
                     const struct use_origin *now)
{
    for (struct user_data *data = list; data; data = data->next) {
        if (data->freed || !watched_meet(bytes, &data->bytes))
            continue;
        data->freed = true;
        data->freed_by = *now;
    }
}

void user_data_called(struct user_data **list, struct watched *watched, uint64_t call_id)
{
    struct user_data **link = find(list, call_id);
    const struct user_data *data = *link;
    if (!data)
        return;
    if (data->freed) {
        const struct claim claim = {
            .rule = RULE_USER_DATA_FREED,
            .given = &data->given,
            .role = "is given the callback and its user data",
            .now = &data->freed_by,
            .event = "frees the user data",
            .message = "a callback is called with user data that the program has freed"};
        watched_tell(watched, &claim);
    }
    if (!data->stays)
        remove_first(link, watched);
}
