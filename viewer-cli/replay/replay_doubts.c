#include "viewer-cli/replay/cmd_replay.h"

#include "trace/base/alloc.h"

#include <inttypes.h>

void replay_doubts_add(struct replay_doubts *doubts, uint64_t call_id)
{
    uint64_t *launches = alloc_grow(doubts->launches, doubts->launch_count,
                                    &doubts->launch_capacity, sizeof *launches);
    if (!launches) {
        doubts->failed = true;
        return;
    }
    doubts->launches = launches;
    launches[doubts->launch_count++] = call_id;
}

static bool is_doubted(const struct replay_doubts *doubts, uint64_t call_id)
{
    bool found = false;
    for (size_t i = doubts->launch_count; i-- > 0 && !found;)
        found = doubts->launches[i] == call_id;
    /* Which launch it is of is not known where several ran at once. */
    return found || (call_id == 0 && doubts->launch_count > 0);
}

/* Of commands that race, each counts. */
static bool is_about_doubted(const struct replay_doubts *doubts, const struct finding *finding)
{
    bool is = is_doubted(doubts, finding->call_id);
    for (size_t i = 0; i < finding->place_count && !is; ++i)
        is = finding->places[i].call_id != 0 && is_doubted(doubts, finding->places[i].call_id);
    return is;
}

bool replay_doubts_keep(struct replay_doubts *doubts, const struct finding *finding)
{
    if (!is_about_doubted(doubts, finding))
        return false;
    const struct finding **findings = alloc_grow(doubts->findings, doubts->finding_count,
                                                 &doubts->finding_capacity, sizeof *findings);
    const struct finding *copy = findings ? finding_copy(&doubts->arena, finding) : NULL;
    if (findings)
        doubts->findings = findings;
    if (copy)
        findings[doubts->finding_count++] = copy;
    else
        doubts->failed = true;
    if (finding->rule == RULE_WAIT_FOREVER || finding->rule == RULE_LAUNCH_UNFINISHED)
        doubts->unanswered = finding->call_id ? finding->call_id : UINT64_MAX;
    return true;
}

enum status replay_doubts_check(const struct replay_doubts *doubts, struct error *error)
{
    static const char why[] = "does not end, and shares memory with the host: the recorded program "
                              "may have answered it there, and a replay has no program that does";
    if (!doubts->unanswered)
        return STATUS_OK;
    return doubts->unanswered == UINT64_MAX
               ? error_set(error, STATUS_UNSUPPORTED, "a kernel %s", why)
               : error_set(error, STATUS_UNSUPPORTED, "the kernel of call %" PRIu64 " %s",
                           doubts->unanswered, why);
}

void replay_doubts_finish(struct replay_doubts *doubts, const struct replay_result *result,
                          const struct reporting *reporting)
{
    const bool host_wrote = doubts->unanswered || result->host_bytes || result->unsure_results;
    for (size_t i = 0; i < doubts->finding_count && !host_wrote; ++i)
        report_add(reporting->report, doubts->findings[i]);
    if (doubts->finding_count && host_wrote)
        reporting_add_gap(reporting, SEVERITY_ERROR,
                          "what was found in kernels that share memory with the host is not told: "
                          "the recorded program wrote there while commands were under way, and a "
                          "replay has no program that does");
    if (doubts->failed)
        reporting_add_gap(reporting, SEVERITY_ERROR, "memory ran out, and findings were lost");
}

void replay_doubts_release(struct replay_doubts *doubts)
{
    alloc_free(doubts->launches);
    alloc_free(doubts->findings);
    arena_release(&doubts->arena);
}
