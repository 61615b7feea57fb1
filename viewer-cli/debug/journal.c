#include "viewer-cli/debug/journal.h"

#include "trace/base/json.h"

#include <string.h>

struct debug_note {
    struct debug_note *next;
    const char *request;
    uint64_t temporary; /* the number of such a breakpoint that was not hit yet; else 0 */
};

void debug_journal_release(struct debug_journal *journal)
{
    arena_release(&journal->arena);
    journal->first = NULL;
    journal->last = NULL;
}

void debug_journal_keep(struct debug_journal *journal, const struct text *request, uint64_t number)
{
    struct debug_note *note = arena_alloc(&journal->arena, 1, sizeof *note);
    const char *copy = arena_string(&journal->arena, request->bytes);
    if (!note || !copy)
        return;
    *note = (struct debug_note){.request = copy, .temporary = number};
    if (journal->last)
        journal->last->next = note;
    else
        journal->first = note;
    journal->last = note;
}

void debug_journal_hit(struct debug_journal *journal, uint64_t number)
{
    for (struct debug_note *note = journal->first; number && note; note = note->next) {
        if (note->temporary != number)
            continue;
        struct text request = TEXT_INIT;
        debug_request_begin(&request, DEBUG_REQUEST_DELETE);
        json_number(&request, "number", number);
        debug_request_end(&request);
        note->temporary = 0;
        debug_journal_keep(journal, &request, 0);
        text_release(&request);
        return;
    }
}

enum status debug_journal_tell(const struct debug_journal *journal, struct debug_session *session,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (const struct debug_note *note = journal->first; !status && note; note = note->next) {
        struct text request = TEXT_INIT;
        struct cJSON *answer = NULL;
        text_append(&request, note->request);
        status = debug_session_ask(session, &request, &answer, error);
        json_object_release(answer);
        text_release(&request);
        /* The same was done once: what is refused now has no effect, but has had a number. */
        if (status == STATUS_INVALID)
            status = STATUS_OK;
    }
    return status;
}
