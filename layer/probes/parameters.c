#include "layer/probes/parameters.h"

#include "layer/targets.h"

/* An object has cells if the kernel may write it through any of its arguments, and then all that
 * lead to it use them. */
static bool wants_cells(const struct probed *probed, uint64_t object, uint32_t *shift)
{
    const struct checked_kernel *checked = probed->checked;
    bool is_written = false;
    *shift = UINT32_MAX;
    for (size_t i = 0; i < checked->parameter_count; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        if (parameter->hidden != CHECKED_HIDDEN_CELLS ||
            probed->reaches[parameter->argument].object != object)
            continue;
        is_written |= parameter->is_written;
        *shift = parameter->shift < *shift ? parameter->shift : *shift;
    }
    return is_written;
}

/* ---- apart by form ---- */

static const void *value_of(const void *user, uint32_t argument, size_t *size)
{
    const struct probed *probed = user;
    if (!probed->given || argument >= probed->given->count)
        return NULL;
    *size = probed->given->arguments[argument].size;
    return given_value(&probed->given->arguments[argument]);
}

/* May they have bytes in common? */
static bool meet(const struct reach *a, const struct reach *b)
{
    const uint64_t size_a = a->size & CHECKED_SIZE_UNKNOWN, size_b = b->size & CHECKED_SIZE_UNKNOWN;
    return a->object != 0 && a->object == b->object &&
           (size_a == CHECKED_SIZE_UNKNOWN || size_b == CHECKED_SIZE_UNKNOWN ||
            (a->before < b->before + size_b && b->before < a->before + size_a));
}

/* Does another argument lead to the same bytes, and one of them write there? */
static bool is_shared(const struct probed *probed, const struct checked_parameter *parameter)
{
    const struct checked_kernel *checked = probed->checked;
    bool shared = false;
    for (size_t i = 0; i < checked->parameter_count && !shared; i++) {
        const struct checked_parameter *other = &checked->parameters[i];
        shared = other->hidden == CHECKED_HIDDEN_CELLS && other->argument != parameter->argument &&
                 (other->is_written || parameter->is_written) &&
                 meet(&probed->reaches[parameter->argument], &probed->reaches[other->argument]);
    }
    return shared;
}

/* Those that have no cells then. Others have theirs in any case. */
static bool global_is_apart(const struct probed *probed, const struct apart_launch *launch)
{
    const struct checked_kernel *checked = probed->checked;
    bool apart = true;
    for (size_t i = 0; i < checked->parameter_count && apart; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        const struct fact_argument *fact = probed_fact(probed, parameter->argument);
        if (parameter->hidden == CHECKED_HIDDEN_CELLS && fact && fact->apart.is_known)
            apart = !is_shared(probed, parameter) && apart_holds(&fact->apart, launch, false);
    }
    return apart;
}

static bool local_is_apart(const struct probed *probed, const struct apart_launch *launch)
{
    const struct fact_kernel *facts = probed->facts;
    bool apart = true;
    for (size_t i = 0; i < facts->local_count && apart; i++)
        apart =
            !facts->locals[i].apart.is_known || apart_holds(&facts->locals[i].apart, launch, true);
    for (size_t i = 0; i < facts->argument_count && apart; i++)
        apart = facts->arguments[i].address != CL_KERNEL_ARG_ADDRESS_LOCAL ||
                !facts->arguments[i].apart.is_known ||
                apart_holds(&facts->arguments[i].apart, launch, true);
    return apart;
}

/* Is all local memory written before it is read? */
static bool local_is_written(const struct probed *probed, const struct apart_launch *launch)
{
    const struct fact_kernel *facts = probed->facts;
    bool written = true;
    for (size_t i = 0; written && i < facts->local_count; i++)
        written = apart_fills(&facts->locals[i].apart, launch, facts->locals[i].size);
    for (size_t i = 0; written && i < facts->argument_count; i++)
        written = facts->arguments[i].address != CL_KERNEL_ARG_ADDRESS_LOCAL ||
                  apart_fills(&facts->arguments[i].apart, launch, probed->reaches[i].size);
    return written;
}

bool parameters_are_apart(const struct probed *probed, uint32_t dimensions, const uint64_t *offset,
                          const uint64_t *global, const uint64_t *local, bool *is_written)
{
    const struct fact_kernel *facts = probed->facts;
    struct apart_launch launch = {.dimensions = dimensions, .value_of = value_of, .user = probed};
    for (uint32_t i = 0; i < 3; i++) {
        launch.offset[i] = i < dimensions ? offset[i] : 0;
        launch.global[i] = i < dimensions ? global[i] : 1;
        launch.local[i] = i >= dimensions ? 1 : local[i] != 0 ? local[i] : facts->group_size[i];
    }
    *is_written = local_is_written(probed, &launch);
    return probed->checked->uses_sub_groups ||
           (global_is_apart(probed, &launch) && local_is_apart(probed, &launch));
}

/* ---- global memory ---- */

static struct shadow shadow_of(const struct probed *probed, struct shadows *shadows,
                               const struct parameters_launch *launch, uint32_t argument,
                               enum parameters_lack *lack)
{
    const struct fact_argument *fact = probed_fact(probed, argument);
    const struct reach *reach = &probed->reaches[argument];
    struct shadow_wish wish = {.queue = launch->queue,
                               .object = reach->object,
                               .size = reach->object_size,
                               .launch = launch->number};
    struct shadow shadow = {0};
    if (touching_find(launch->touching, reach->object, &shadow)) {
        LAYER_TARGET(clRetainMemObject)(shadow.cells);
        return shadow;
    }
    if (launch->is_apart && fact && fact->apart.is_known)
        return shadow;
    if (reach->object == 0 || !wants_cells(probed, reach->object, &wish.shift))
        return shadow;
    if (!launch->device->has_long_atomics) {
        *lack = LACK_ATOMICS;
        return shadow;
    }
    shadow = shadows_take(shadows, &wish);
    if (!shadow.cells)
        *lack = LACK_MEMORY;
    return shadow;
}

static bool set(const struct probed *probed, const struct parameters_launch *launch, size_t index,
                const void *value, size_t size)
{
    const cl_uint at = probed->checked->argument_count + (cl_uint)index;
    return LAYER_TARGET(clSetKernelArg)(launch->kernel, at, size, value) == CL_SUCCESS;
}

/* An argument alone keeps no memory object: the kernel does, until its next launch. */
static bool set_kept(const struct probed *probed, const struct parameters_launch *launch,
                     size_t index, cl_mem memory, cl_mem *kept)
{
    const bool done = set(probed, launch, index, &memory, sizeof memory);
    if (*kept)
        LAYER_TARGET(clReleaseMemObject)(*kept);
    *kept = memory;
    return done;
}

static bool set_cells(const struct probed *probed, const struct parameters_launch *launch,
                      size_t index, const struct shadow *shadow)
{
    return set_kept(probed, launch, index, shadow->cells,
                    &probed->cells[probed->checked->parameters[index].argument]);
}

/* The other copy has no such parameter. */
static bool set_map(const struct probed *probed, const struct parameters_launch *launch,
                    size_t index)
{
    const uint32_t argument = probed->checked->parameters[index].argument;
    if (!launch->is_full)
        return true;
    cl_mem map = following_find(launch->following, probed->reaches[argument].object);
    if (map)
        LAYER_TARGET(clRetainMemObject)(map);
    return set_kept(probed, launch, index, map, &probed->maps[argument]);
}

/* Kept likewise. */
static bool set_shared(struct probed *probed, size_t index, const struct parameters_launch *launch)
{
    cl_mem table = allocations_take(launch->allocations, launch->queue, probed->given);
    const bool done = set(probed, launch, index, &table, sizeof table);
    if (probed->shared)
        LAYER_TARGET(clReleaseMemObject)(probed->shared);
    probed->shared = table;
    return done;
}

/* Words for the cells of all local memory of a launch; 0 = there is no room for them. Where the
 * kernel has more variables than this allows for, it leaves the last ones alone. */
static uint32_t local_words(const struct probed *probed, const struct copy_device *device,
                            uint32_t shift)
{
    enum { VARIABLES = 32, WORD = sizeof(cl_uint) };
    const struct checked_kernel *checked = probed->checked;
    uint64_t bytes = probed->local_size, cells = (probed->local_size >> shift) + VARIABLES;
    for (size_t i = 0; i < checked->parameter_count; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        const struct reach *reach = &probed->reaches[parameter->argument];
        if (parameter->hidden != CHECKED_HIDDEN_SIZE || reach->object != 0 ||
            reach->size > device->local_size)
            continue; /* of local arguments alone the object is not known, but the size */
        bytes += reach->size;
        cells += (reach->size >> shift) + 1;
    }
    return bytes + 2 * cells * WORD <= device->local_size ? (uint32_t)(2 * cells) : 0;
}

bool parameters_set(struct probed *probed, struct shadows *shadows,
                    const struct parameters_launch *launch, enum parameters_lack *lack)
{
    const struct checked_kernel *checked = probed->checked;
    struct shadow shadow = {0}; /* of the last argument that could have one */
    uint32_t words = 0;
    bool done = true;
    *lack = checked->uses_sub_groups ? LACK_ORDER : checked->waits ? LACK_WAITS : LACK_NOTHING;
    for (size_t i = 0; done && i < checked->parameter_count; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        const struct reach *reach = &probed->reaches[parameter->argument];
        uint64_t window;
        switch (parameter->hidden) {
        case CHECKED_HIDDEN_SIZE:
            done = set(probed, launch, i, &reach->size, sizeof reach->size);
            break;
        case CHECKED_HIDDEN_REPORT:
            done = set(probed, launch, i, &launch->device->report, sizeof launch->device->report);
            break;
        case CHECKED_HIDDEN_LAUNCH:
            done = set(probed, launch, i, &launch->number, sizeof launch->number);
            break;
        case CHECKED_HIDDEN_SAMPLER:
            done = set(probed, launch, i, &reach->sampler, sizeof reach->sampler);
            break;
        case CHECKED_HIDDEN_SHARED:
            done = set_shared(probed, i, launch);
            break;
        case CHECKED_HIDDEN_CELLS:
            shadow = shadow_of(probed, shadows, launch, parameter->argument, lack);
            done = set_cells(probed, launch, i, &shadow);
            break;
        case CHECKED_HIDDEN_WINDOW: /* after the cells */
            window = reach->before | (uint64_t)shadow.shift << CHECKED_WINDOW_SHIFT;
            done = set(probed, launch, i, &window, sizeof window);
            break;
        case CHECKED_HIDDEN_WRITTEN:
            done = set_map(probed, launch, i);
            break;
        case CHECKED_HIDDEN_BEFORE:
            done = !launch->is_full || set(probed, launch, i, &reach->before, sizeof reach->before);
            break;
        case CHECKED_HIDDEN_LOCAL_CELLS:
            if (!launch->is_apart || !parameter->is_apart || !launch->is_written) {
                words = local_words(probed, launch->device, parameter->shift);
                *lack = words == 0 ? LACK_LOCAL : *lack;
            }
            done = set(probed, launch, i, NULL, (words > 0 ? words : 2) * sizeof(cl_uint));
            break;
        case CHECKED_HIDDEN_LOCAL_WORDS: /* after the cells */
            done = set(probed, launch, i, &words, sizeof words);
            break;
        default:
            done = false;
        }
    }
    return done;
}
