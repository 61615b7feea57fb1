/* Steps about buffers and what all memory objects have in common: bounds, pitches, overlap, flags
 * that forbid, mappings. */
#include "checkers/host/checker.h"

#include "trace/base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which kind of memory object ---- */

enum { BUFFER = 1, IMAGE = 2, PIPE = 4 };

static unsigned kind_of(const struct mem_traits *mem)
{
    return mem->type == CL_MEM_OBJECT_BUFFER ? BUFFER
           : mem->type == CL_MEM_OBJECT_PIPE ? PIPE
                                             : IMAGE;
}

static const char *kind_name(const struct mem_traits *mem)
{
    const unsigned kind = kind_of(mem);
    return kind == BUFFER ? "a buffer" : kind == PIPE ? "a pipe" : "an image";
}

static void judge_kind(struct judged *judged, const struct step *step, unsigned kinds,
                       const char *needed)
{
    struct mem_traits mem;
    if (!judged_mem(judged, step->argument, &mem) || (kind_of(&mem) & kinds))
        return;
    advise(judged, ADVICE_MEMORY_KIND);
    blame_step(judged, step, judged_bits(judged, step->argument), "is %s; %s is needed",
               kind_name(&mem), needed);
}

void judge_buffer(struct judged *judged, const struct step *step)
{
    judge_kind(judged, step, BUFFER, "a buffer");
}

void judge_image(struct judged *judged, const struct step *step)
{
    judge_kind(judged, step, IMAGE, "an image");
}

void judge_pipe(struct judged *judged, const struct step *step)
{
    judge_kind(judged, step, PIPE, "a pipe");
}

void judge_no_pipe(struct judged *judged, const struct step *step)
{
    judge_kind(judged, step, BUFFER | IMAGE, "a buffer or an image");
}

/* Every element of a list is a buffer. */
void judge_buffers(struct judged *judged, const struct step *step)
{
    const struct api_value *list = &judged->call->arguments[step->argument];
    struct mem_traits mem;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i) {
        const uint64_t handle = list_word(list, i);
        if (judged_traits(judged, handle, API_OBJECT_MEM, &mem) && mem.type != 0 &&
            mem.type != CL_MEM_OBJECT_BUFFER)
            blame_element(judged, step, i, handle, "is %s; a buffer is needed", kind_name(&mem));
    }
}

/* ---- creation ---- */

/* argument size, other context: some device can have it */
void judge_allocation_size(struct judged *judged, const struct step *step)
{
    const uint64_t size = judged_bits(judged, step->argument);
    struct fact_range limit;
    if (judged_fact(judged, judged_bits(judged, step->other), DEVICE_FACT_ALLOCATION_SIZE,
                    &limit) &&
        size > limit.most)
        blame_step(judged, step, 0,
                   "is %" PRIu64 ", more than the %" PRIu64
                   " bytes (CL_DEVICE_MAX_MEM_ALLOC_SIZE) that a device of the context can have",
                   size, limit.most);
}

enum { TAKES_HOST_POINTER = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR };

/* argument host_ptr, other flags */
void judge_host_pointer(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->other);
    const bool present = judged->call->arguments[step->argument].present;
    if (flags & MEM_FLAGS_OF_VENDORS) /* they may say something about host_ptr */
        return;
    if (!present && (flags & TAKES_HOST_POINTER)) {
        advise(judged, ADVICE_HOST_POINTER_MISSING);
        blame_step(judged, step, 0, "is NULL although flags has %s",
                   flags & CL_MEM_USE_HOST_PTR ? "CL_MEM_USE_HOST_PTR" : "CL_MEM_COPY_HOST_PTR");
    }
    if (present && !(flags & TAKES_HOST_POINTER))
        blame_step(judged, step, 0,
                   "is not NULL although flags has neither CL_MEM_USE_HOST_PTR nor "
                   "CL_MEM_COPY_HOST_PTR");
}

/* argument size, other host_ptr, then flags: no more than clSVMAlloc gave */
void judge_svm_pointer_size(struct judged *judged, const struct step *step)
{
    const uint64_t address = judged_bits(judged, step->other);
    const uint64_t size = judged_bits(judged, step->argument);
    struct svm_range range;
    if ((judged_bits(judged, step->at[2]) & TAKES_HOST_POINTER) &&
        svm_find(judged->checker->svm, address, &range) && range.address == address &&
        size > range.size)
        blame_step(judged, step, 0,
                   "is %" PRIu64 ", more than the %" PRIu64 " bytes that clSVMAlloc gave at %s",
                   size, range.size, judged_name(judged, step->other));
}

static bool region_of(const struct judged *judged, uint8_t index, cl_buffer_region *region)
{
    const struct api_value *info = &judged->call->arguments[index];
    if (!info->present || !info->data || info->size < sizeof *region)
        return false;
    memcpy(region, info->data, sizeof *region);
    return true;
}

/* argument buffer: not a sub-buffer itself */
void judge_whole_buffer(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    if (!judged_mem(judged, step->argument, &mem) || mem.type != CL_MEM_OBJECT_BUFFER ||
        mem.source == 0)
        return;
    advise(judged, ADVICE_SUB_BUFFER_PARENT);
    blame_step(judged, step, judged_bits(judged, step->argument),
               "is a sub-buffer; a buffer of its own is needed");
}

/* argument buffer_create_info, other buffer */
void judge_sub_buffer_bounds(struct judged *judged, const struct step *step)
{
    cl_buffer_region region;
    struct mem_traits mem;
    if (region_of(judged, step->argument, &region) && judged_mem(judged, step->other, &mem) &&
        mem.type == CL_MEM_OBJECT_BUFFER && !range_within(region.origin, region.size, mem.size))
        blame_step(judged, step, judged_bits(judged, step->other),
                   "describes %zu bytes from byte %zu on, of a buffer of %" PRIu64 " bytes",
                   region.size, region.origin, mem.size);
}

/* The same: some device can address it. */
void judge_sub_buffer_alignment(struct judged *judged, const struct step *step)
{
    cl_buffer_region region;
    struct fact_range bits;
    const uint64_t context = judged_context(judged, judged_bits(judged, step->other));
    if (region_of(judged, step->argument, &region) &&
        judged_fact(judged, context, DEVICE_FACT_BASE_ALIGN_BITS, &bits) && bits.least >= 8 &&
        region.origin % (bits.least / 8) != 0)
        blame_step(judged, step, 0,
                   "has the origin %zu; no device of the context takes one that is not a multiple "
                   "of %" PRIu64 " (CL_DEVICE_MEM_BASE_ADDR_ALIGN)",
                   region.origin, bits.least / 8);
}

/* ---- what a command may do with it ---- */

/* A sub-buffer starts where the device of the queue can address it. */
void judge_alignment(struct judged *judged, const struct step *step)
{
    struct mem_traits mem;
    uint64_t bits;
    if (judged_mem(judged, step->argument, &mem) && mem.type == CL_MEM_OBJECT_BUFFER &&
        mem.root_offset != 0 &&
        device_fact(judged_device(judged), DEVICE_FACT_BASE_ALIGN_BITS, &bits) && bits >= 8 &&
        mem.root_offset % (bits / 8) != 0)
        blame_step(judged, step, judged_bits(judged, step->argument),
                   "is a sub-buffer that starts at byte %" PRIu64 ", not at a multiple of %" PRIu64
                   " (CL_DEVICE_MEM_BASE_ADDR_ALIGN)",
                   mem.root_offset, bits / 8);
}

enum {
    NO_HOST_READS = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS,
    NO_HOST_WRITES = CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
};

/* The host does something with the argument that some of the object's flags forbid. */
static void judge_host_access(struct judged *judged, const struct step *step, uint64_t forbidding,
                              const char *does)
{
    struct mem_traits mem;
    if (!judged_mem(judged, step->argument, &mem) || !(mem.flags & forbidding))
        return;
    const uint64_t flags = mem.flags & forbidding;
    const char *flag = flags & CL_MEM_HOST_NO_ACCESS    ? "CL_MEM_HOST_NO_ACCESS"
                       : flags & CL_MEM_HOST_WRITE_ONLY ? "CL_MEM_HOST_WRITE_ONLY"
                                                        : "CL_MEM_HOST_READ_ONLY";
    blame_step(judged, step, judged_bits(judged, step->argument),
               "is made with %s, and the host %s", flag, does);
}

void judge_host_reads(struct judged *judged, const struct step *step)
{
    judge_host_access(judged, step, NO_HOST_READS, "reads it");
}

void judge_host_writes(struct judged *judged, const struct step *step)
{
    judge_host_access(judged, step, NO_HOST_WRITES, "writes it");
}

/* other: map_flags. A map for both is told of by what it reads, if that is forbidden. */
void judge_host_maps(struct judged *judged, const struct step *step)
{
    const uint64_t flags = judged_bits(judged, step->other);
    struct mem_traits mem;
    if ((flags & CL_MAP_READ) && judged_mem(judged, step->argument, &mem) &&
        (mem.flags & NO_HOST_READS))
        judge_host_access(judged, step, NO_HOST_READS, "maps it to read");
    else if (flags & MAP_WRITES)
        judge_host_access(judged, step, NO_HOST_WRITES, "maps it to write");
}

/* ---- ranges ---- */

/* argument offset, other size, then the buffer */
void judge_range(struct judged *judged, const struct step *step)
{
    const uint64_t offset = judged_bits(judged, step->argument);
    const uint64_t size = judged_bits(judged, step->other);
    struct object_label room;
    struct mem_traits mem;
    if (!judged_mem(judged, step->at[2], &mem) || mem.type != CL_MEM_OBJECT_BUFFER ||
        range_within(offset, size, mem.size))
        return;
    const uint64_t handle = judged_bits(judged, step->at[2]);
    blame_step(judged, step, handle,
               "is %" PRIu64 ", from where %" PRIu64 " bytes reach beyond the end of %s", offset,
               size, label_object(judged, handle, &room));
}

/* The pattern does not divide that parameter. */
static void blame_rest(struct judged *judged, const struct step *step, uint8_t divided)
{
    advise(judged, ADVICE_PATTERN_WHOLE);
    blame_step(judged, step, 0, "is %" PRIu64 "; %s (%" PRIu64 ") must be a multiple of it",
               judged_bits(judged, step->argument), judged_name(judged, divided),
               judged_bits(judged, divided));
}

/* argument pattern_size, other size, then offset or none */
void judge_pattern(struct judged *judged, const struct step *step)
{
    const uint64_t pattern = judged_bits(judged, step->argument);
    const uint64_t size = judged_bits(judged, step->other);
    const uint8_t offset = step->at[2];
    enum { PATTERN_MAX = 128 };
    if (pattern == 0)
        return;
    if ((pattern & (pattern - 1)) != 0 || pattern > PATTERN_MAX)
        blame_step(judged, step, 0, "is %" PRIu64 ", not a power of two from 1 to 128", pattern);
    else if (size % pattern != 0)
        blame_rest(judged, step, step->other);
    else if (offset != API_PARAMETER_NONE && judged_bits(judged, offset) % pattern != 0)
        blame_rest(judged, step, offset);
}

/* argument src_offset, other dst_offset, then size, src_buffer, dst_buffer */
void judge_copy_overlap(struct judged *judged, const struct step *step)
{
    const uint64_t size = judged_bits(judged, step->at[2]);
    const uint64_t source_offset = judged_bits(judged, step->argument);
    const uint64_t target_offset = judged_bits(judged, step->other);
    struct mem_traits source;
    struct mem_traits target;
    if (!judged_mem(judged, step->at[3], &source) || !judged_mem(judged, step->at[4], &target) ||
        source.root_serial != target.root_serial || size == 0 ||
        !range_within(source_offset, size, source.size) ||
        !range_within(target_offset, size, target.size))
        return;
    const uint64_t from = source.root_offset + source_offset;
    const uint64_t to = target.root_offset + target_offset;
    if ((from > to ? from - to : to - from) >= size)
        return;
    const uint64_t handle = judged_bits(judged, step->at[3]);
    /* The specification speaks of one object, and of two sub-buffers, not of a buffer and its part.
     */
    if (source.serial != target.serial && (source.source == 0 || target.source == 0))
        blame_unsure(judged, step, "is %" PRIu64 "; the bytes copied and their places overlap",
                     source_offset);
    else
        blame_step(judged, step, handle,
                   "is %" PRIu64 ", %s is %" PRIu64 ": the %" PRIu64
                   " bytes copied and the bytes they are copied to overlap",
                   source_offset, judged_name(judged, step->other), target_offset, size);
}

/* ---- rectangles ---- */

static bool region_is_empty(const uint64_t region[3])
{
    return region[0] == 0 || region[1] == 0 || region[2] == 0;
}

/* argument row pitch, other slice pitch, then region */
void judge_pitches(struct judged *judged, const struct step *step)
{
    const uint64_t row = judged_bits(judged, step->argument);
    const uint64_t slice = judged_bits(judged, step->other);
    uint64_t region[3];
    uint64_t slice_size;
    if (!judged_triple(judged, step->at[2], region) || region_is_empty(region))
        return;
    if (row != 0 && row < region[0]) {
        blame_step(judged, step, 0, "is %" PRIu64 ", less than a row of %" PRIu64 " bytes", row,
                   region[0]);
        return;
    }
    const uint64_t pitch = row ? row : region[0];
    if (slice == 0)
        return;
    if (!size_mul(region[1], pitch, &slice_size) || slice < slice_size)
        blame_as(judged, step->rule, step->error, step->other, 0,
                 "is %" PRIu64 ", less than %" PRIu64 " rows, %" PRIu64 " bytes apart", slice,
                 region[1], pitch);
    else if (slice % pitch != 0)
        blame_as(judged, step->rule, step->error, step->other, 0,
                 "is %" PRIu64 ", not a multiple of the row pitch %" PRIu64, slice, pitch);
}

/* Where the arguments origin, region, row pitch and slice pitch are parameters. */
struct rectangle_at {
    uint8_t origin, region, row, slice;
};

/* The rectangle in a buffer; false when it is unknown or not right by itself. Where it starts may
 * not be a number: then *within is false, as where it does not end in a buffer of that size. */
static bool rectangle_of(const struct judged *judged, struct rectangle_at at, uint64_t buffer_size,
                         struct rectangle *rectangle, bool *within)
{
    uint64_t origin[3], region[3];
    uint64_t least, span;
    if (!judged_triple(judged, at.origin, origin) || !judged_triple(judged, at.region, region) ||
        region_is_empty(region))
        return false;
    *rectangle = (struct rectangle){.row_size = region[0], .rows = region[1], .slices = region[2]};
    if (!rectangle_set_pitches(rectangle, judged_bits(judged, at.row),
                               judged_bits(judged, at.slice)) ||
        rectangle->row_pitch < rectangle->row_size ||
        !size_mul(rectangle->rows, rectangle->row_pitch, &least) || rectangle->slice_pitch < least)
        return false;
    *within = rectangle_move(rectangle, origin) && rectangle_span(rectangle, &span) &&
              range_within(rectangle->first, span, buffer_size);
    return true;
}

/* argument origin, other region, then row pitch, slice pitch, buffer */
void judge_rect(struct judged *judged, const struct step *step)
{
    const struct rectangle_at at = {step->argument, step->other, step->at[2], step->at[3]};
    struct object_label room;
    struct mem_traits mem;
    struct rectangle rectangle;
    uint64_t origin[3];
    bool within;
    if (!judged_mem(judged, step->at[4], &mem) || mem.type != CL_MEM_OBJECT_BUFFER ||
        !rectangle_of(judged, at, mem.size, &rectangle, &within) || within ||
        !judged_triple(judged, step->argument, origin))
        return;
    const uint64_t handle = judged_bits(judged, step->at[4]);
    blame_step(judged, step, handle,
               "is (%" PRIu64 ", %" PRIu64 ", %" PRIu64 "), from where a region of %" PRIu64
               " by %" PRIu64 " by %" PRIu64 " reaches beyond the end of %s",
               origin[0], origin[1], origin[2], rectangle.row_size, rectangle.rows,
               rectangle.slices, label_object(judged, handle, &room));
}

/* Do two rectangles of one shape and with the same pitches, `distance` bytes apart, have a byte in
 * common? Row y of slice z starts y row pitches and z slice pitches after the first. */
static bool rectangles_meet(const struct rectangle *rectangle, int64_t distance)
{
    const int64_t width = (int64_t)rectangle->row_size;
    const int64_t pitch = (int64_t)rectangle->row_pitch;
    const int64_t rows = (int64_t)rectangle->rows;
    const int64_t slices = (int64_t)rectangle->slices;
    for (int64_t z = 1 - slices; z < slices; ++z) {
        const int64_t rest = distance + z * (int64_t)rectangle->slice_pitch;
        const int64_t nearest = -rest / pitch;
        for (int64_t y = nearest - 1; y <= nearest + 1; ++y)
            if (y > -rows && y < rows && llabs(rest + y * pitch) < width)
                return true;
    }
    return false;
}

/* argument src_origin, other dst_origin, then region, the pitches of the source, those of the
 * target; the buffers are src_buffer and dst_buffer */
void judge_rect_overlap(struct judged *judged, const struct step *step)
{
    const struct rectangle_at source_at = {step->argument, step->at[2], step->at[3], step->at[4]};
    const struct rectangle_at target_at = {step->other, step->at[2], step->at[5], step->at[6]};
    struct mem_traits source, target;
    struct rectangle from, to;
    bool from_within, to_within;
    if (!judged_mem(judged, API_clEnqueueCopyBufferRect_src_buffer, &source) ||
        !judged_mem(judged, API_clEnqueueCopyBufferRect_dst_buffer, &target) ||
        source.root_serial != target.root_serial ||
        !rectangle_of(judged, source_at, source.size, &from, &from_within) ||
        !rectangle_of(judged, target_at, target.size, &to, &to_within) || !from_within ||
        !to_within)
        return;
    const bool same = source.serial == target.serial;
    const bool parts = source.source != 0 && target.source != 0;
    const int64_t distance =
        (int64_t)(to.first + target.root_offset) - (int64_t)(from.first + source.root_offset);
    if (from.row_pitch != to.row_pitch || from.slice_pitch != to.slice_pitch || !(same || parts))
        blame_unsure(judged, step, "and %s: what is copied and its place overlap",
                     judged_name(judged, step->other));
    else if (rectangles_meet(&from, distance))
        blame_step(judged, step, judged_bits(judged, API_clEnqueueCopyBufferRect_src_buffer),
                   "and %s: the bytes copied and the bytes they are copied to overlap",
                   judged_name(judged, step->other));
}

/* argument the source's pitch, other the target's, of one buffer; then src_buffer, dst_buffer */
void judge_same_pitch(struct judged *judged, const struct step *step)
{
    const uint64_t source = judged_bits(judged, step->argument);
    const uint64_t target = judged_bits(judged, step->other);
    if (judged_bits(judged, step->at[2]) != judged_bits(judged, step->at[3]) || source == target)
        return;
    advise(judged, ADVICE_SAME_PITCH);
    if (source == 0 || target == 0) /* 0 stands for one that may be the same */
        blame_unsure(judged, step, "is %" PRIu64 ", %s is %" PRIu64, source,
                     judged_name(judged, step->other), target);
    else
        blame_step(judged, step, judged_bits(judged, step->at[2]),
                   "is %" PRIu64 ", %s is %" PRIu64 ": within one buffer they must be the same",
                   source, judged_name(judged, step->other), target);
}

/* ---- mappings ---- */

/* Is a region mapped for writing that meets this one, or, if `address` is not 0, is any there? */
struct map_question {
    uint64_t origin[3], region[3];
    uint64_t level;
    uint64_t address;
};

static bool intervals_meet(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a < b ? b - a < a_size : a - b < b_size;
}

static bool is_written(const struct mem_map *map, const struct map_question *question)
{
    bool meets = map->writes && map->level == question->level;
    for (size_t i = 0; i < 3; ++i)
        meets = meets && intervals_meet(map->origin[i], map->region[i], question->origin[i],
                                        question->region[i]);
    return meets;
}

static bool has_map(struct object_table *objects, uint64_t handle,
                    const struct map_question *question)
{
    struct locked_traits locked;
    const struct mem_traits *mem = object_lock_traits(objects, handle, API_OBJECT_MEM, &locked);
    bool found = false;
    for (const struct mem_map *map = mem ? mem->maps : NULL; map && !found; map = map->next)
        found = question->address ? map->address == question->address : is_written(map, question);
    object_unlock_traits(&locked);
    return found;
}

/* argument map_flags, other the memory object, then offset and size, or origin and region */
void judge_map_overlap(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->other);
    struct map_question question = {.origin = {judged_bits(judged, step->at[2])},
                                    .region = {judged_bits(judged, step->at[3]), 1, 1}};
    struct mem_traits mem;
    if (!(judged_bits(judged, step->argument) & MAP_WRITES) ||
        !judged_mem(judged, step->other, &mem))
        return;
    if (mem_is_image(&mem) && (!judged_triple(judged, step->at[2], question.origin) ||
                               !judged_triple(judged, step->at[3], question.region)))
        return;
    if (mem_is_image(&mem))
        question.level = image_origin_level(&judged->call->arguments[step->at[2]]);
    if (has_map(judged->checker->objects, handle, &question))
        blame_step(judged, step, handle,
                   "maps for writing a region of which a part is mapped for writing already");
}

/* argument mapped_ptr, other the memory object */
void judge_mapped(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->other);
    const struct map_question question = {.address = judged_bits(judged, step->argument)};
    struct object_label room;
    struct mem_traits mem;
    if (!judged_mem(judged, step->other, &mem) || mem.type == CL_MEM_OBJECT_PIPE ||
        is_blind(judged->checker))
        return;
    if (!has_map(judged->checker->objects, handle, &question))
        blame_step(judged, step, handle, "is not an address at which %s is mapped",
                   label_object(judged, handle, &room));
}

/* argument the memory object that is released: if that is its end, no region of it is mapped */
void judge_released_map(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    struct object_facts facts;
    struct mem_traits mem;
    if (!object_describe(judged->checker->objects, handle, &facts) || facts.references != 1 ||
        facts.shared || facts.dependents != 0 || !judged_mem(judged, step->argument, &mem))
        return;
    if (mem.maps != NULL)
        blame_step(judged, step, handle, "is released while a region of it is mapped");
}
