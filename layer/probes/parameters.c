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

static struct shadow shadow_of(const struct probed *probed, struct shadows *shadows,
                               const struct parameters_launch *launch, uint32_t argument,
                               enum parameters_lack *lack)
{
    const struct reach *reach = &probed->reaches[argument];
    struct shadow_wish wish = {.queue = launch->queue,
                               .object = reach->object,
                               .size = reach->object_size,
                               .launch = launch->number};
    struct shadow shadow = {0};
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

static bool set(const struct probed *probed, size_t index, const void *value, size_t size)
{
    const cl_uint at = probed->checked->argument_count + (cl_uint)index;
    return LAYER_TARGET(clSetKernelArg)(probed->kernel, at, size, value) == CL_SUCCESS;
}

/* An argument alone keeps no memory object: the kernel does, until its next launch. */
static bool set_cells(const struct probed *probed, size_t index, const struct shadow *shadow)
{
    cl_mem *kept = &probed->cells[probed->checked->parameters[index].argument];
    const bool done = set(probed, index, &shadow->cells, sizeof shadow->cells);
    if (*kept)
        LAYER_TARGET(clReleaseMemObject)(*kept);
    *kept = shadow->cells;
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
            reach->size >= device->local_size)
            continue; /* of local arguments alone the object is not known, but the size */
        bytes += reach->size;
        cells += (reach->size >> shift) + 1;
    }
    return bytes + 2 * cells * WORD <= device->local_size ? (uint32_t)(2 * cells) : 0;
}

bool parameters_set(const struct probed *probed, struct shadows *shadows,
                    const struct parameters_launch *launch, enum parameters_lack *lack)
{
    const struct checked_kernel *checked = probed->checked;
    struct shadow shadow = {0}; /* of the last argument that could have one */
    uint32_t words = 0;
    bool done = true;
    *lack = checked->is_ordered_otherwise ? LACK_ORDER : LACK_NOTHING;
    for (size_t i = 0; done && i < checked->parameter_count; i++) {
        const struct checked_parameter *parameter = &checked->parameters[i];
        const struct reach *reach = &probed->reaches[parameter->argument];
        uint64_t window;
        switch (parameter->hidden) {
        case CHECKED_HIDDEN_SIZE:
            done = set(probed, i, &reach->size, sizeof reach->size);
            break;
        case CHECKED_HIDDEN_REPORT:
            done = set(probed, i, &launch->device->report, sizeof launch->device->report);
            break;
        case CHECKED_HIDDEN_LAUNCH:
            done = set(probed, i, &launch->number, sizeof launch->number);
            break;
        case CHECKED_HIDDEN_CELLS:
            shadow = shadow_of(probed, shadows, launch, parameter->argument, lack);
            done = set_cells(probed, i, &shadow);
            break;
        case CHECKED_HIDDEN_WINDOW: /* after the cells */
            window = reach->before | (uint64_t)shadow.shift << CHECKED_WINDOW_SHIFT;
            done = set(probed, i, &window, sizeof window);
            break;
        case CHECKED_HIDDEN_LOCAL_CELLS:
            words = local_words(probed, launch->device, parameter->shift);
            if (words == 0)
                *lack = LACK_LOCAL;
            done = set(probed, i, NULL, (words > 0 ? words : 2) * sizeof(cl_uint));
            break;
        case CHECKED_HIDDEN_LOCAL_WORDS: /* after the cells */
            done = set(probed, i, &words, sizeof words);
            break;
        default:
            done = false;
        }
    }
    return done;
}
