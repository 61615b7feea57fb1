/* clerk_probe: what the kernels of a program are. The layer writes a request (request.h) to its
 * standard input and reads the reply (reply.h) from its standard output; it is a process of its
 * own, so that nothing that compilers or modules do harms the program. Exit statuses: 0 = the facts
 * are written; 1 = there are none, and standard error says why; 2 = it was not called so. */
#include "checkers/probe/reply.h"
#include "checkers/probe/request.h"
#include "reference/probe/answer.h"
#include "reference/probe/checked_text.h"
#include "reference/probe/module/checked_module.h"
#include "trace/api/settings.h"
#include "trace/base/file.h"
#include "trace/base/visible.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REQUEST_MAX = 256 << 20, ROOM = 64 << 10 };

static enum status read_request(struct text *bytes, struct error *error)
{
    char room[ROOM];
    ssize_t got;
    do {
        got = read(STDIN_FILENO, room, sizeof room);
        if (got > 0)
            text_append_n(bytes, room, (size_t)got);
        if (bytes->size > REQUEST_MAX)
            return error_set(error, STATUS_UNSUPPORTED, "the request has more than %d bytes",
                             REQUEST_MAX);
    } while (got > 0 || (got < 0 && errno == EINTR));
    if (got < 0)
        return error_set_errno(error, "cannot read the request");
    return bytes->failed ? error_no_memory(error, bytes->size) : STATUS_OK;
}

static enum status write_reply(const struct facts *facts, const struct checked *checked,
                               struct error *error)
{
    struct text bytes = TEXT_INIT;
    reply_pack(facts, checked, &bytes);
    const enum status status =
        bytes.failed
            ? error_no_memory(error, bytes.size)
            : descriptor_write(STDOUT_FILENO, bytes.bytes, bytes.size, "standard output", error);
    text_release(&bytes);
    return status;
}

/* Of a program whose facts cannot be found there may be a copy all the same. */
static enum status reply(const struct request *request, struct error *error)
{
    struct facts facts = {0};
    struct checked checked = {0};
    enum status status = answer_request(request, &facts, error);
    if (request->wants_checked)
        status = checked_module_is_one(request)
                     ? checked_module_make(request, &checked, error)
                     : checked_text_make(request, &facts, &checked, error);
    if (status == STATUS_OK)
        status = write_reply(&facts, request->wants_checked ? &checked : NULL, error);
    facts_release(&facts);
    checked_release(&checked);
    return status;
}

static enum status answer(struct error *error)
{
    struct text bytes = TEXT_INIT;
    struct request request = {0};
    enum status status = read_request(&bytes, error);
    if (status == STATUS_OK && !request_unpack(bytes.bytes, bytes.size, &request))
        status = error_set(error, STATUS_MALFORMED,
                           "the request of %zu bytes is none of this version of clerk", bytes.size);
    if (status == STATUS_OK)
        status = reply(&request, error);
    request_release(&request);
    text_release(&bytes);
    return status;
}

int main(int argc, char **argv)
{
    struct error error;
    (void)argv;
    if (argc > 1 || isatty(STDIN_FILENO)) {
        fprintf(stderr, "usage: clerk_probe < request > reply\n"
                        "clerk's layer runs it to learn what the kernels of a program are.\n");
        return 2;
    }
    /* The device is another driver's: what the reference device is like does not count. */
    unsetenv(setting_get(SETTING_PERSONALITY)->variable);
    if (answer(&error) == STATUS_OK)
        return 0;
    visible_tell("clerk_probe: %s\n", error.text);
    return 1;
}
