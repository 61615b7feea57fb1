#include "reference/explore/explore.h"

#include "reference/explore/private.h"
#include "trace/base/alloc.h"

#include <fenv.h>
#include <string.h>

/* ---- refusals ---- */

static const char *refusal_of_barrier(const struct vm_barrier *barrier)
{
    switch (barrier->collective) {
    case VM_COLLECTIVE_NONE:
        return NULL;
    case VM_COLLECTIVE_COPY:
    case VM_COLLECTIVE_COPY_LINES:
    case VM_COLLECTIVE_COPY_FENCE:
    case VM_COLLECTIVE_WAIT:
        return "it copies asynchronously";
    default:
        return explorer_gathers(barrier) ? NULL : "it calls a function of sub-groups, or of pipes";
    }
}

/* NULL: the op can be explored. */
static const char *refusal(const struct vm_code *code, const struct vm_instruction *in)
{
    const uint32_t traits = vm_op_traits((enum vm_op)in->op);
    if (traits & VM_BARRIER)
        return refusal_of_barrier(&code->barriers[in->aux]);
    if (traits & VM_SUB_GROUP && !explorer_is_together(code, (uint32_t)(in - code->instructions)))
        return "it calls a function of sub-groups that not all of one need to come to";
    if (!(traits & VM_UNEXPLORED))
        return NULL;
    return traits & VM_IMAGE  ? "it accesses images"
           : traits & VM_PIPE ? "it uses pipes"
                              : "it uses queues of the device";
}

static void check_code(struct explorer *explorer)
{
    const struct vm_code *code = explorer->request.code;
    for (uint32_t site = 0; site < code->instruction_count; site++) {
        const char *words = refusal(code, &code->instructions[site]);
        if (words)
            explorer_fail(explorer, site, "%s", words);
    }
}

/* ---- work-items ---- */

static void describe_items(struct explorer *explorer)
{
    const struct sched_launch *request = &explorer->request;
    struct launch *launch = explorer->launch;
    struct litmus_test *test = &explorer->test;
    const uint64_t group_count =
        launch->group_count[0] * launch->group_count[1] * launch->group_count[2];
    for (uint32_t group = 0; group < group_count; group++) {
        launch_set_group(launch, group);
        for (uint32_t lane = 0; lane < launch->group.item_count; lane++) {
            const uint64_t *size = launch->group.size;
            const uint64_t local[3] = {lane % size[0], lane / size[0] % size[1],
                                       lane / size[0] / size[1]};
            uint64_t number = 0;
            for (uint32_t d = 3; d-- > 0;)
                number = number * request->global_size[d] +
                         launch->group.id[d] * request->local_size[d] + local[d];
            explorer->lanes[test->thread_count] = lane;
            test->units[test->thread_count] = (struct oracle_unit){
                .group = group, .sub_group = lane / request->sub_group_size, .is_item = true};
            test->threads[test->thread_count++].number = (uint32_t)number;
        }
    }
}

static enum status create(const struct sched_launch *request, uint32_t rounds,
                          struct explorer **explorer, struct error *error)
{
    uint64_t items = 1;
    for (uint32_t d = 0; d < 3; d++) {
        if (request->global_size[d] > LITMUS_THREADS_MAX)
            items = UINT32_MAX;
        items *= request->global_size[d];
    }
    if (items > LITMUS_THREADS_MAX)
        return error_set(error, STATUS_UNSUPPORTED, "it has more than %d work-items",
                         LITMUS_THREADS_MAX);
    struct explorer *made = alloc_zero(1, sizeof *made);
    if (!made)
        return error_no_memory(error, sizeof *made);
    *explorer = made;
    made->request = *request;
    made->request.order = SCHED_ASCENDING;
    made->request.items = false;
    made->request.turn = 0;
    made->request.observer = NULL; /* undefined values are not followed */
    made->test.name = request->code->name;
    made->test.machine = &explorer_machine;
    made->test.program = made;
    made->test.is_kernel = true;
    made->test.has_barriers = request->code->barrier_count > 0;
    made->test.may_wait = request->code->spin_count > 0;
    made->test.lacks_orders =
        request->code->opencl_c_version != 0 && request->code->opencl_c_version < 200;
    enum status status = launch_create(&made->request, NULL, &made->launch, error);
    if (status != STATUS_OK)
        return status;
    if (!explorer_make_places(made))
        return error_no_memory(error, sizeof *made->places);
    describe_items(made);
    check_code(made);
    return explorer_create_item(made, rounds, error);
}

static void destroy(struct explorer *explorer)
{
    if (!explorer)
        return;
    launch_destroy(explorer->launch);
    arena_release(&explorer->arena);
    alloc_free(explorer);
}

/* ---- the whole ---- */

static enum status repair_and_tell(struct explorer *explorer, const struct litmus_options *options,
                                   struct explored *found, explored_function *explored, void *user,
                                   struct error *error)
{
    struct litmus_repair repair = {.kind = LITMUS_REPAIR_UNWANTED};
    enum status status = STATUS_OK;
    if (found->result)
        status = litmus_repair(&explorer->test, options, found->result, &repair, error);
    found->repair = &repair;
    if (explorer->failed) { /* with changes alone: the result stands */
        repair = (struct litmus_repair){.kind = LITMUS_REPAIR_UNKNOWN};
        explorer->failed = false;
    }
    if (status == STATUS_OK)
        explored(user, found);
    found->repair = NULL;
    return status;
}

static enum status search(struct explorer *explorer, const struct litmus_options *options,
                          const struct litmus_choices *choices, explored_function *explored,
                          void *user, struct error *error)
{
    struct explored found = {.test = &explorer->test};
    struct litmus_result *result = NULL;
    struct graph graph = {0};
    enum status status = choices ? litmus_replay(&explorer->test, options, choices, &graph, error)
                                 : litmus_search(&explorer->test, options, &result, error);
    found.result = result;
    found.graph = choices ? &graph : NULL;
    if (status == STATUS_OK && !explorer->failed)
        status = repair_and_tell(explorer, options, &found, explored, user, error);
    graph_release(&graph);
    litmus_result_destroy(result);
    return status;
}

enum status explore_run(const struct sched_launch *request, const struct litmus_options *options,
                        const struct litmus_choices *choices, explored_function *explored,
                        void *user, struct error *error)
{
    struct explorer *explorer = NULL;
    struct litmus_options of_launch = *options;
    of_launch.seq_cst_alone = request->seq_cst_alone;
    of_launch.scope_rule = request->wide_scopes ? ORACLE_SCOPES_WIDE_ENOUGH : ORACLE_SCOPES_EQUAL;
    enum status status = create(request, options->rounds, &explorer, error);
    fenv_t environment;
    fegetenv(&environment);
    fesetenv(FE_DFL_ENV);
    if (status == STATUS_OK && !explorer->failed)
        status = search(explorer, &of_launch, choices, explored, user, error);
    fesetenv(&environment);
    if (explorer && explorer->failed)
        status = error_set(error, explorer->status, "%s", explorer->error.text);
    if (status == STATUS_UNSUPPORTED)
        error_prefix(error, "kernel '%s' cannot be explored", request->code->name);
    destroy(explorer);
    return status;
}
