/* Families (children.h): who of the kernels that are under way goes on, and which command begins.
 */
#include "reference/icd/kernels/child_report.h"
#include "reference/icd/kernels/family.h"
#include "reference/icd/kernels/perform.h"
#include "reference/icd/kernels/races.h"
#include "reference/sched/permute.h"
#include "trace/api/call.h"
#include "trace/base/alloc.h"
#include "trace/base/visible.h"

#include <inttypes.h>
#include <string.h>

/* ---- telling ---- */

/* Tells that a child has ended; `member` NULL: it never began. */
static void tell_child(const struct family *family, const struct waiting *command,
                       const struct member *member, cl_int status)
{
    const struct launch_options *options = family->request.options;
    const uint64_t call_id = family->request.launch->call_id;
    if (!command || !command->on || !options->tell_child || call_id == 0)
        return;
    struct api_child child = {.id = command->id,
                              .parent = command->parent->command ? command->parent->command->id : 0,
                              .call_id = call_id,
                              .queue = (uint64_t)command->queue,
                              .dimensions = command->range.dimensions,
                              .status = status};
    memcpy(child.global_size, command->range.global, sizeof(child.global_size));
    memcpy(child.local_size, command->range.local, sizeof(child.local_size));
    memcpy(child.global_offset, command->range.offset, sizeof(child.global_offset));
    if (member && member->ran) {
        child.start_ns = member->start;
        child.end_ns = member->end;
        child.complete_ns = family->clock;
    }
    options->tell_child(options->child_user, &child, command->on->code->name);
}

/* ---- the end of commands ---- */

void family_end_event(struct device_event *event, cl_int status, const uint64_t times[2])
{
    if (!event)
        return;
    memcpy(event->times, times, sizeof(event->times));
    device_event_end(event, status);
}

/* The member's own run or one of its children has ended. A kernel ends when both have, and then is
 * a child of its own parent that has ended. */
static void end_part(struct family *family, struct member *member, cl_int status)
{
    while (member) {
        if (status < 0 && member->status == CL_COMPLETE)
            member->status = status;
        if (--member->pending > 0)
            return;
        const uint64_t times[2] = {member->end - member->start, family->clock - member->start};
        struct ordered_command *order = child_races_end(family->races, member->run);
        if (member->event)
            member->event->order = order;
        family_end_event(member->event, member->status, times);
        tell_child(family, member->command, member, member->status);
        status = member->status;
        member = member->parent;
    }
}

/* Takes the command out of its queue, begins it as far as races go, and looks whether what it
 * waited for went well. */
static cl_int leave_queue(struct family *family, struct waiting *command, struct child_run **run)
{
    cl_int status = CL_COMPLETE;
    struct child_event *events = arena_alloc(&family->arena, command->event_count, sizeof(*events));
    for (size_t i = 0; events && i < command->event_count; i++)
        events[i] = (struct child_event){command->events[i]->order, command->events[i]->setter};
    command->origin.parent = command->parent->run;
    command->origin.tangled = command->parent->touched && command->parent->touched->tangled;
    *run = events ? child_races_begin(family->races, command->on ? command->on->code : NULL,
                                      &command->origin, events, command->event_count)
                  : NULL;
    for (size_t i = 0; i < command->event_count; i++) {
        if (command->events[i]->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        device_event_waited(command->events[i]);
    }
    icd_lock();
    command->queue->used -= command->size;
    object_drop(command->queue);
    icd_unlock();
    return status;
}

/* ---- launches ---- */

static void note_change(struct family *family, struct member *member)
{
    family->changes++;
    family->changer = member;
}

/* Of the member, whose request is complete. */
static cl_int begin_launch(struct family *family, struct member *member)
{
    struct error error;
    const enum status status = sched_begin(&member->request, &member->launch, &error);
    if (status != STATUS_OK)
        return launch_outcome(&member->request, status, NULL, &error);
    member->state = SCHED_GOES_ON;
    family->under_way[family->under_way_count++] = member;
    return CL_SUCCESS;
}

static bool make_request(struct family *family, const struct waiting *command,
                         struct member *member)
{
    const struct vm_code *code = member->code;
    uint32_t *globals = arena_alloc(&family->arena, code->global_count, sizeof(*globals));
    struct sched_launch *launch = &member->request;
    for (uint32_t i = 0; globals && i < code->global_count; i++)
        globals[i] = command->on->build->variables[code->globals[i].index];
    member->own_touched = (struct touched){.apart = true, .group = TOUCHED_ALL_GROUPS};
    member->touched = family->request.touched ? &member->own_touched : NULL;
    *launch = *family->request.launch;
    launch->code = code;
    launch->dimensions = command->range.dimensions;
    launch->arguments = command->arguments;
    launch->globals = globals;
    launch->device = &family->device;
    launch->observer =
        findings_observer_beside(family->request.options, member->touched, member->place);
    launch->scouts = NULL; /* they do not collect what is touched, and are none of this launch's */
    launch->sub_group_size = sub_group_size(code);
    launch->label = arena_format(&family->arena, "enqueue_kernel of '%s'", code->name);
    memcpy(launch->global_size, command->range.global, sizeof(launch->global_size));
    memcpy(launch->local_size, command->range.local, sizeof(launch->local_size));
    memcpy(launch->global_offset, command->range.offset, sizeof(launch->global_offset));
    return globals && launch->label;
}

static cl_int start(struct family *family, const struct waiting *command, struct member *member)
{
    cl_int status = CL_OUT_OF_RESOURCES;
    member->place = findings_take_place();
    if (make_request(family, command, member))
        status = begin_launch(family, member);
    if (status != CL_SUCCESS)
        findings_leave_place(member->place);
    return status;
}

static void leave_touched(struct family *family, struct member *member)
{
    if (member->touched && family->request.watched && member != family->root) {
        icd_lock();
        races_use_touched(member->touched, family->request.objects, family->request.object_count);
        icd_unlock();
    }
    if (member->touched)
        child_races_ran(family->races, member->run, member->touched);
    touched_release(&member->own_touched);
    member->touched = NULL;
}

/* The launch of the member has ended. */
static void end_launch(struct family *family, struct member *member)
{
    struct error error;
    struct sched_result result;
    uint32_t kept = 0;
    const enum status status = sched_end(member->launch, &result, &error);
    cl_int outcome = launch_outcome(&member->request, status, &result, &error);
    for (uint32_t i = 0; i < family->under_way_count; i++) {
        if (family->under_way[i] != member)
            family->under_way[kept++] = family->under_way[i];
    }
    family->under_way_count = kept;
    member->launch = NULL;
    if (member != family->root)
        findings_leave_place(member->place);
    leave_touched(family, member);
    if (member == family->root) {
        family->status = outcome;
        outcome = CL_COMPLETE; /* what became of the children is told apart */
        member->end = family->clock;
    } else {
        member->end = ++family->clock;
    }
    note_change(family, member);
    end_part(family, member, outcome);
}

/* What the member did before may be ordered by now before what it goes on with. */
static void note_answers(struct family *family, struct member *member)
{
    const struct observer *observer = member->request.observer;
    if (!member->code->uses_acquire)
        return;
    if (member->counts.operations > 0 && family->acquirings != member->acquirings && observer &&
        observer->answered)
        observer->answered(observer->state);
    member->acquirings = ++family->acquirings;
}

/* It goes on, by so many groups at most. The clock of the family counts what children cost. */
static void go_on(struct family *family, struct member *member, uint64_t most)
{
    const bool waited = member->state != SCHED_GOES_ON && family->changes != member->seen;
    struct member *changer = waited ? family->changer : NULL;
    const struct sched_counts before = member->counts;
    if (family->running && family->running != member)
        sched_note_change(member->launch,
                          changer && changer->start > member->start ? changer->code->name : NULL);
    note_answers(family, member);
    family->running = member;
    member->state = sched_go_on(member->launch, most);
    member->counts = sched_counts(member->launch);
    child_races_step(family->races, member->run, member->touched, member->state == SCHED_ENDED);
    if (member != family->root)
        family->clock += member->counts.operations - before.operations;
    if (member->counts.changes != before.changes || member->code->spin_count == 0)
        note_change(family, member);
    member->seen = family->changes;
    if (member->state == SCHED_ENDED)
        end_launch(family, member);
}

/* ---- commands ---- */

static void execute(struct family *family, struct waiting *command)
{
    struct child_run *run;
    cl_int status = leave_queue(family, command, &run);
    struct member *member = arena_alloc(&family->arena, 1, sizeof(*member));
    if (!member || !command->on) {
        const uint64_t times[2] = {1, 1};
        struct ordered_command *order = child_races_end(family->races, run);
        status = command->on ? CL_OUT_OF_RESOURCES : status;
        if (command->event)
            command->event->order = order;
        family_end_event(command->event, status, times);
        tell_child(family, command, NULL, status);
        end_part(family, command->parent, status);
        return;
    }
    *member = (struct member){.parent = command->parent,
                              .code = command->on->code,
                              .pending = 1,
                              .event = command->event,
                              .run = run,
                              .start = ++family->clock,
                              .command = command,
                              .ran = status == CL_COMPLETE};
    if (status == CL_COMPLETE && !command->range.empty)
        status = start(family, command, member);
    if (member->launch)
        return;
    member->end = ++family->clock;
    end_part(family, member, status);
}

static bool is_ready(const struct waiting *command)
{
    for (size_t i = 0; i < command->event_count; i++) {
        if (command->events[i]->status > CL_COMPLETE)
            return false;
    }
    return true;
}

/* Do its flags let it begin while its parent runs? */
static bool may_be_beside(const struct waiting *command)
{
    return command->origin.wait == CHILD_WAITS_FOR_NOTHING || command->group_ended;
}

/* May it begin now? A debugger looks at one launch at a time. */
static bool may_begin(const struct family *family, const struct waiting *command)
{
    if (!findings_has_place() || family->under_way_count == FINDINGS_PLACES ||
        (family->under_way_count > 0 && family->request.launch->debugger))
        return false;
    return (may_be_beside(command) || !command->parent->launch) && is_ready(command);
}

/* Takes a command out of those that wait. */
static void take(struct family *family, struct waiting *command)
{
    struct waiting **link = &family->first;
    while (*link != command)
        link = &(*link)->next;
    *link = command->next;
    if (!command->next)
        family->last = link;
}

/* Kernels that go on enqueueing others would never end. */
static bool is_exhausted(const struct family *family)
{
    const uint64_t limit = family->request.launch->operation_limit;
    const struct sched_budget *budget = family->request.launch->budget;
    return budget ? budget->spent || budget->operations == 0 : limit != 0 && family->clock > limit;
}

/* What waits for events that nobody can set any more ends with an error, as commands of the host do
 * that wait for a user event which is released (event.c); and all that is left when the limit of
 * operations is passed. */
static void abandon(struct family *family)
{
    struct waiting *command = family->first;
    struct sched_budget *budget = family->request.launch->budget;
    if (budget && is_exhausted(family))
        budget->spent = true;
    else if (is_exhausted(family))
        visible_tell("clerk: %s: ended at the operation limit, %" PRIu64 "\n",
                     family->request.launch->label, family->request.launch->operation_limit);
    else
        child_report_unset(&family->report, command->parent->code, command->origin.site,
                           command->on ? command->on->code->name : NULL);
    family->first = NULL;
    family->last = &family->first;
    while (command) {
        struct waiting *next = command->next;
        const uint64_t times[2] = {1, 1};
        struct child_run *run;
        leave_queue(family, command, &run);
        child_races_end(family->races, run);
        family_end_event(command->event, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, times);
        tell_child(family, command, NULL, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        end_part(family, command->parent, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        command = next;
    }
}

/* Tells of events that the family made and did not release, if it came to its end, and takes from
 * all what means nothing after it. */
static void leave_events(const struct family *family)
{
    const struct sched_budget *budget = family->request.launch->budget;
    const bool ended = !budget || !budget->spent;
    size_t index = 0;
    for (struct device_event *event; (event = device_event_next(&index));) {
        event->order = NULL;
        event->setter = NULL;
        if (event->family != family)
            continue;
        if (event->references > 0 && ended)
            child_report_leak(&family->report, event->code, event->site);
        event->family = NULL;
    }
}

/* ---- the course of a family ---- */

/* What can be done next, the oldest first: members that go on, then commands that begin. */
enum { CHOICES_MAX = 64 };
struct choices {
    struct member *members[FINDINGS_PLACES];
    struct waiting *commands[CHOICES_MAX];
    size_t member_count, command_count;
};

static void find_choices(const struct family *family, size_t most, struct choices *choices)
{
    choices->member_count = choices->command_count = 0;
    for (uint32_t i = 0; i < family->under_way_count; i++) {
        struct member *member = family->under_way[i];
        if (choices->member_count < most &&
            (member->state == SCHED_GOES_ON || member->seen != family->changes))
            choices->members[choices->member_count++] = member;
    }
    for (struct waiting *command = family->first;
         command && choices->member_count + choices->command_count < most;
         command = command->next) {
        if (may_begin(family, command))
            choices->commands[choices->command_count++] = command;
    }
}

/* In ascending order whoever began first goes on until it waits, and what was enqueued first
 * begins first; in descending order the reverse. */
static size_t choose(struct family *family, size_t count)
{
    enum { STREAM = 16, STEPS = 1 << 20 };
    const struct sched_launch *launch = family->request.launch;
    if (launch->order != SCHED_SEEDED)
        return launch->order == SCHED_ASCENDING ? 0 : count - 1;
    return permute(SCHED_SEEDED, launch->seed, STREAM, family->steps++ % STEPS, STEPS) % count;
}

/* How many groups of the member run before there is another choice. */
static uint64_t length_of_step(const struct family *family, const struct member *member,
                               size_t choice_count)
{
    const enum sched_order order = family->request.launch->order;
    const bool enqueues = member->code->device_call_count > 0;
    if (order == SCHED_ASCENDING || (order == SCHED_DESCENDING && !enqueues))
        return UINT64_MAX;
    return enqueues || choice_count > 1 || family->under_way_count > 1 ? 1 : UINT64_MAX;
}

/* Kernels that the member has enqueued, and that begin when it has ended. */
static uint64_t count_later(const struct family *family, const struct member *member)
{
    uint64_t count = 0;
    for (const struct waiting *command = family->first; command; command = command->next)
        count += command->parent == member && !may_be_beside(command);
    return count;
}

/* All that are under way wait: for another command; for the host, if it may store what they wait
 * for; or they count how often they look. Else the first one waits for ever. */
static void let_wait(struct family *family)
{
    const struct sched_launch *launch = family->request.launch;
    struct member *first = family->under_way[0];
    bool look = false;
    for (uint32_t i = 0; i < family->under_way_count; i++)
        look |= family->under_way[i]->state == SCHED_LOOKS;
    const bool anew = look || family->asked != family->changes;
    const bool others = launch->run_others && launch->run_others(launch, NULL, true);
    const bool host = !others && sched_wait_for_host(first->launch, anew);
    family->asked = family->changes;
    if (!others && !host && !look)
        sched_give_up(first->launch, count_later(family, first));
    for (uint32_t i = 0; i < family->under_way_count; i++)
        family->under_way[i]->state = SCHED_GOES_ON;
}

/* Does what comes next. False: there is nothing. */
static bool advance(struct family *family)
{
    const bool first_only = family->request.launch->order == SCHED_ASCENDING;
    struct choices choices;
    if (family->first && is_exhausted(family))
        abandon(family);
    find_choices(family, first_only ? 1 : CHOICES_MAX, &choices);
    const size_t count = choices.member_count + choices.command_count;
    if (count == 0 && family->under_way_count > 0) {
        let_wait(family);
    } else if (count == 0) {
        if (!family->first)
            return false;
        abandon(family);
    } else {
        const size_t chosen = choose(family, count);
        if (chosen < choices.member_count) {
            struct member *member = choices.members[chosen];
            go_on(family, member, length_of_step(family, member, count));
        } else {
            struct waiting *command = choices.commands[chosen - choices.member_count];
            take(family, command);
            execute(family, command);
        }
    }
    return true;
}

/* ---- work-groups ---- */

static void group_runs(void *state, uint64_t group)
{
    struct family *family = state;
    family->group = group;
}

static void group_ended(void *state, uint64_t group)
{
    const struct family *family = state;
    for (struct waiting *command = family->group_waits > 0 ? family->first : NULL; command;
         command = command->next)
        command->group_ended |= command->parent == family->running &&
                                command->origin.wait == CHILD_WAITS_FOR_GROUP &&
                                command->origin.group == group;
}

cl_int family_run(struct family *family, uint64_t *cost, uint64_t *children_cost)
{
    family->status = begin_launch(family, family->root);
    if (!family->root->launch)
        return family->status;
    while (advance(family))
        continue;
    leave_events(family);
    *cost += family->root->counts.operations;
    *children_cost += family->clock;
    return family->status == CL_SUCCESS ? family->root->status : family->status;
}

/* ---- its life ---- */

struct family *family_create(const struct family_request *request)
{
    struct family *family = alloc_zero(1, sizeof(*family));
    if (!family)
        return NULL;
    const struct build *build = request->build;
    family->request = *request;
    family->report = (struct child_report){&request->options->checks, request->launch->call_id};
    family->device = (struct vm_device){family, family_call, group_runs, group_ended};
    family->last = &family->first;
    family->root = arena_alloc(&family->arena, 1, sizeof(*family->root));
    family->children = arena_alloc(&family->arena, build->child_count, sizeof(*family->children));
    family->races = request->touched
                        ? child_races_create(&family->report,
                                             request->watched || request->launch->wait_for_host)
                        : NULL;
    if (!family->root || !family->children) {
        family_destroy(family);
        return NULL;
    }
    *family->root = (struct member){.code = request->launch->code,
                                    .pending = 1,
                                    .request = *request->launch,
                                    .touched = request->touched};
    family->root->request.device = &family->device;
    family->root->run = child_races_begin(family->races, request->launch->code,
                                          &(struct child_origin){.parent = NULL}, NULL, 0);
    for (size_t i = 0; i < build->child_count; i++)
        family->children[i] =
            (struct kernel_device){.build = request->build, .code = build->children[i]};
    return family;
}

void family_destroy(struct family *family)
{
    if (!family)
        return;
    child_races_destroy(family->races);
    arena_release(&family->arena);
    alloc_free(family);
}
