/* Images: coordinates to texels, texels to colors. Lanes are taken together by image (and sampler);
 * their texels pass the gate as accesses to the bytes of the image's object, so that races and
 * undefined values are those of buffers. What the gate cannot know is told from here: coordinates
 * outside the image, channels that the built-in is not for, samplers that do not fit. */
#include "reference/vm/exec_image.h"

#include "reference/vm/defined.h"
#include "reference/vm/undefined_rows.h"

#include <string.h>

/* ---- telling ---- */

void MACHINE(image_tell)(const struct image_lanes *lanes, enum observer_fault_kind kind,
                         uint64_t mask, const struct observer_image *image)
{
    struct observer_image told = *image;
    told.type = vm_image_type_name(lanes->image->type);
    told.coordinate_count = lanes->coordinate_count;
    for (uint32_t c = 0; c < lanes->coordinate_count; c++)
        told.size[c] = (uint64_t)lanes->size[lanes->axes[c]];
    if (!told.no_level)
        told.level = lanes->level_number;
    const struct observer_fault fault = {
        .kind = kind,
        .site = vm_site(lanes->vector, lanes->in),
        .access = lanes->in->op == VM_OP_image_write ? OBSERVER_WRITE : OBSERVER_READ,
        .object = &lanes->object->root->identity,
        .size = lanes->image->texel_size,
        .mask = mask & ~lanes->untold,
        .image = &told};
    vm_tell_fault(lanes->vector, &fault);
}

void MACHINE(image_tell_outside)(const struct image_lanes *lanes, const struct image_texels *texels,
                                 uint64_t mask, bool not_finite)
{
    struct observer_image told = {.not_finite = not_finite,
                                  .sampled = lanes->in->op == VM_OP_image_sample};
    if (!(mask & ~lanes->untold))
        return;
    const uint32_t lane = (uint32_t)__builtin_ctzll(mask & ~lanes->untold);
    for (uint32_t c = 0; c < lanes->coordinate_count; c++)
        told.coordinates[c] = texels->at[lanes->axes[c]][lane];
    MACHINE(image_tell)(lanes, OBSERVER_FAULT_IMAGE_BOUNDS, mask, &told);
}

static const char *channels_name(uint32_t classes)
{
    const bool floats = classes & 1U << VM_IMAGE_FLOAT;
    const bool is_signed = classes & 1U << VM_IMAGE_INT;
    return floats                                       ? "floating-point or normalised"
           : is_signed && classes & 1U << VM_IMAGE_UINT ? "integers"
           : is_signed                                  ? "signed integers"
                                                        : "unsigned integers";
}

/* Is the built-in one for the channels of the image? */
static bool class_fits(const struct image_lanes *lanes)
{
    const uint32_t wanted = lanes->in->aux >> VM_IMAGE_CLASS_SHIFT & VM_IMAGE_CLASSES;
    const uint32_t found = 1U << vm_image_class(lanes->image->channel);
    if (wanted & found)
        return true;
    const struct observer_image told = {.wanted = channels_name(wanted),
                                        .found = channels_name(found)};
    MACHINE(image_tell)(lanes, OBSERVER_FAULT_IMAGE_FORMAT, lanes->mask, &told);
    return false;
}

/* ---- lanes by image ---- */

static const struct vm_object *image_object(const struct vm_vector *vector, uint64_t pointer)
{
    const struct vm_object *object = access_object(vector, pointer);
    return object && object->image ? object : NULL;
}

static int32_t size_of_axis(uint64_t size)
{
    return size < INT32_C(1) << 30 ? (int32_t)size : INT32_C(1) << 30;
}

static void describe_image(struct image_lanes *lanes)
{
    const struct vm_image *image = lanes->image;
    const bool array = image->type == VM_IMAGE_1D_ARRAY || image->type == VM_IMAGE_2D_ARRAY;
    lanes->size[0] = size_of_axis(image->width);
    lanes->size[1] = size_of_axis(image->height);
    lanes->size[2] = size_of_axis(array ? image->layers : image->depth);
    lanes->axes[0] = 0;
    lanes->axes[1] = image->type == VM_IMAGE_1D_ARRAY ? 2 : 1;
    lanes->axes[2] = image->type == VM_IMAGE_1D_ARRAY ? 1 : 2;
}

void MACHINE(image_enter)(struct image_lanes *lanes, uint32_t level)
{
    struct vm_image found;
    const u64 offset = vm_image_level(lanes->object->image, level, &found);
    lanes->level = found;
    lanes->level_number = level;
    lanes->image = &lanes->level;
    lanes->pointer = lanes->object_pointer + offset;
    describe_image(lanes);
}

/* Leaves the lanes that mean the level of the first of them, and gives back the others. False: the
 * image has no such level, which is told. */
static bool pick_level(struct image_lanes *lanes, uint64_t *rest)
{
    const uint32_t count = lanes->image->levels > 1 ? lanes->image->levels : 1;
    const bool sampled = lanes->in->op == VM_OP_image_sample;
    struct image_levels levels;
    if (sampled && count == 1)
        return true;
    MACHINE(image_levels)(lanes, &levels);
    const int32_t level = levels.at[__builtin_ctzll(lanes->mask)];
    LANES_WHERE(32, same, lane, levels.at[lane] == level);
    *rest |= lanes->mask & ~same;
    lanes->mask &= same;
    if (level < 0 || (uint32_t)level >= count) {
        const struct observer_image told = {.no_level = true, .level = level, .level_count = count};
        MACHINE(image_tell)(lanes, OBSERVER_FAULT_IMAGE_BOUNDS, lanes->mask, &told);
        return false;
    }
    if (level > 0)
        MACHINE(image_enter)(lanes, (uint32_t)level);
    if (sampled) {
        memcpy(lanes->next_part, levels.part, sizeof lanes->next_part);
        LANES_WHERE(32, mixes, lane, levels.part[lane] > 0);
        lanes->next_mask = mixes & lanes->mask;
        lanes->next_level = (uint32_t)level + 1;
    }
    return true;
}

/* A pointer that is not an image's: lets the gate say so. */
static void refuse_pointer(struct image_lanes *lanes)
{
    struct access_span span;
    struct access access;
    access_begin(&access, lanes->vector, lanes->in,
                 lanes->in->op == VM_OP_image_write ? OBSERVER_WRITE : OBSERVER_READ, 1);
    access.address = lanes->pointer & VM_POINTER_TAG ? VM_POINTER_TAG : 0;
    access.mask = lanes->mask;
    access.untold = lanes->untold;
    while (MACHINE(access_next)(&access, &span))
        continue;
}

/* The next lanes of *rest with one image; false when there are none left. Lanes without an image
 * are told about and left out. */
static bool next_image(struct image_lanes *lanes, uint64_t *rest)
{
    const struct vm_instruction *in = lanes->in;
    const struct vm_vector *vector = lanes->vector;
    const row_u64 *pointers = ROW(u64, in->a);
    const bool sampled = in->op == VM_OP_image_sample;
    while (*rest) {
        const uint32_t first = (uint32_t)__builtin_ctzll(*rest);
        lanes->pointer = pointers[first];
        lanes->mask = *rest & lanes_equal(pointers, lanes->pointer);
        if (sampled) {
            const row_u64 *samplers = ROW(u64, in->c);
            lanes->sampler = samplers[first];
            lanes->mask &= lanes_equal(samplers, samplers[first]);
        }
        *rest &= ~lanes->mask;
        lanes->object = image_object(vector, lanes->pointer);
        if (!lanes->object) {
            refuse_pointer(lanes);
            continue;
        }
        lanes->image = lanes->object->image;
        lanes->object_pointer = lanes->pointer;
        lanes->next_mask = 0;
        lanes->level_number = 0;
        describe_image(lanes);
        if (vm_image_places(in->aux) != lanes->coordinate_count && !pick_level(lanes, rest))
            continue;
        if (class_fits(lanes))
            return true;
    }
    return false;
}

static void begin_image(struct image_lanes *lanes, struct vm_vector *vector,
                        const struct vm_instruction *in)
{
    *lanes = (struct image_lanes){
        .vector = vector, .in = in, .coordinate_count = in->aux & VM_IMAGE_COORDINATES};
    lanes->untold = vector->undefined[in->a] & vector->active;
    for (uint32_t i = 0; i < vm_image_places(in->aux); i++)
        lanes->untold |= vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ARGUMENT,
                                              in->b + i * 4, vector->active & ~lanes->untold);
}

/* ---- texels ---- */

void MACHINE(image_integer_texels)(const struct image_lanes *lanes, struct image_texels *texels)
{
    const struct vm_vector *vector = lanes->vector;
    memset(texels, 0, sizeof *texels);
    for (uint32_t c = 0; c < lanes->coordinate_count; c++)
        memcpy(texels->at[lanes->axes[c]], ROW(s32, lanes->in->b + c * 4), sizeof texels->at[0]);
}

/* One more than the highest lane of a mask that is not empty. */
static uint32_t lanes_end(uint64_t mask)
{
    return VM_LANES - (uint32_t)__builtin_clzll(mask);
}

/* The gate, for the texels of the lanes in the mask. */
static void begin_access(const struct image_lanes *lanes, const struct image_texels *texels,
                         uint64_t mask, enum observer_access_kind kind, u64 addresses[VM_LANES],
                         struct access *access)
{
    const struct vm_image *image = lanes->image;
    const u64 texel_size = image->texel_size;
    const u64 row_pitch = image->row_pitch;
    const u64 slice_pitch = image->slice_pitch;
    FOR_LANES(lane)
        addresses[lane] = lanes->pointer + (u64)(s64)texels->at[0][lane] * texel_size +
                          (u64)(s64)texels->at[1][lane] * row_pitch +
                          (u64)(s64)texels->at[2][lane] * slice_pitch;
    access_begin(access, lanes->vector, lanes->in, kind, image->texel_size);
    access->addresses = addresses;
    access->mask = mask;
    access->untold = lanes->untold;
    access->is_read_write = lanes->in->aux & VM_IMAGE_READ_WRITE;
}

static void undefine_channels(const struct image_lanes *lanes, uint32_t lane, uint64_t undefined,
                              const uint8_t *texel, struct image_colors *colors)
{
    uint8_t bits[VM_IMAGE_TEXEL_MAX];
    for (uint32_t i = 0; i < lanes->image->texel_size; i++)
        bits[i] = undefined >> i & 1 ? 0xff : 0;
    const uint32_t channels = vm_image_undefined_channels(lanes->image, texel, bits);
    for (uint32_t c = 0; c < 4; c++)
        colors->undefined[c] |= (uint64_t)(channels >> c & 1) << lane;
}

static void texels_undefined(const struct image_lanes *lanes, const struct access_span *span,
                             const uint8_t *bytes, struct image_colors *colors)
{
    const uint32_t size = lanes->image->texel_size;
    FOR_EACH_LANE(lane, component_undefined(span, size, 0)) {
        undefine_channels(lanes, lane, lane_undefined(span, lane, size, 0),
                          bytes + (size_t)lane * size, colors);
    }
}

/* Colors of the texels of the mask, all of which lie in the image; other lanes get some color. */
static void fetch(const struct image_lanes *lanes, const struct image_texels *texels, uint64_t mask,
                  struct image_colors *colors)
{
    const uint32_t size = lanes->image->texel_size;
    uint8_t bytes[VM_LANES * VM_IMAGE_TEXEL_MAX];
    u64 addresses[VM_LANES];
    struct access access;
    struct access_span span;
    const uint32_t count = lanes_end(mask);
    memset(bytes, 0, (size_t)size * count);
    begin_access(lanes, texels, mask, OBSERVER_READ, addresses, &access);
    while (MACHINE(access_next)(&access, &span)) {
        span_load(&span, size, bytes, size);
        if (span.object->undefined)
            texels_undefined(lanes, &span, bytes, colors);
    }
    vm_image_unpack_lanes(lanes->image, bytes, count, colors->channels);
    for (uint32_t c = 0; c < 4 && count < VM_LANES; c++)
        memset(&colors->channels[c][count], 0, (VM_LANES - count) * sizeof(uint32_t));
}

/* Colors of all lanes: texels outside are the border's, or nothing where there is none. */
void MACHINE(image_fetch)(const struct image_lanes *lanes, const struct image_texels *texels,
                          bool border, struct image_colors *colors)
{
    const uint64_t inside = image_lanes_inside(lanes, texels);
    const uint64_t outside = lanes->mask & ~inside;
    uint32_t color[4] = {0};
    memset(colors->undefined, 0, sizeof colors->undefined);
    if (inside)
        fetch(lanes, texels, inside, colors);
    else
        memset(colors->channels, 0, sizeof colors->channels);
    if (!outside)
        return;
    if (border)
        vm_image_border(lanes->image, color);
    FOR_EACH_LANE(lane, outside) {
        for (uint32_t c = 0; c < 4; c++)
            colors->channels[c][lane] = color[c];
    }
}

/* ---- results ---- */

static void merge_result(const struct image_lanes *lanes, const struct image_colors *colors,
                         struct image_colors *result)
{
    for (uint32_t c = 0; c < lanes->in->count; c++) {
        result->undefined[c] |= colors->undefined[c] & lanes->mask;
        if (lanes->mask == ~UINT64_C(0)) {
            memcpy(result->channels[c], colors->channels[c], sizeof result->channels[c]);
            continue;
        }
        for (uint32_t lane = 0; lane < VM_LANES; lane++) {
            if (lanes->mask & lane_bits_64[lane])
                result->channels[c][lane] = colors->channels[c][lane];
        }
    }
}

static void write_result(struct vm_vector *vector, const struct vm_instruction *in,
                         const struct image_colors *result)
{
    for (uint32_t c = 0; c < in->count; c++) {
        const vm_row row = in->dst + c * 4;
        memcpy(ROW(u32, row), result->channels[c], sizeof result->channels[c]);
        FOR_EACH_LANE(lane, result->undefined[c]) {
            const struct vm_origin birth = {.address = ROW(u64, in->a)[lane],
                                            .site = vm_site(vector, in)};
            vm_undefined_put(vector, row, false, lane, UINT32_MAX, birth);
        }
        vector->undefined[row] = result->undefined[c];
    }
}

/* ---- reads without a sampler ---- */

void MACHINE(op_image_read)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct image_lanes lanes;
    struct image_texels texels;
    struct image_colors colors;
    struct image_colors result = {.undefined = {0}};
    uint64_t rest = vector->active;
    begin_image(&lanes, vector, in);
    while (next_image(&lanes, &rest)) {
        MACHINE(image_integer_texels)(&lanes, &texels);
        const uint64_t outside = lanes.mask & ~image_lanes_inside(&lanes, &texels);
        if (outside)
            MACHINE(image_tell_outside)(&lanes, &texels, outside, false);
        MACHINE(image_fetch)(&lanes, &texels, false, &colors);
        merge_result(&lanes, &colors, &result);
    }
    write_result(vector, in, &result);
}

/* ---- reads with a sampler ---- */

/* The weighted average with the next level, of lanes that want one. */
static void mix_next_level(struct image_lanes *lanes, struct image_colors *colors)
{
    const uint64_t mask = lanes->mask;
    struct image_colors next;
    MACHINE(image_enter)(lanes, lanes->next_level);
    lanes->mask = lanes->next_mask;
    MACHINE(image_sample)(lanes, &next);
    for (uint32_t c = 0; c < 4; c++) {
        float low[VM_LANES], high[VM_LANES];
        memcpy(low, colors->channels[c], sizeof low);
        memcpy(high, next.channels[c], sizeof high);
        FOR_LANES(lane) {
            const float part = lanes->next_part[lane];
            const float mixed = (1.0f - part) * low[lane] + part * high[lane];
            low[lane] = part > 0 ? mixed : low[lane];
        }
        memcpy(colors->channels[c], low, sizeof low);
        colors->undefined[c] |= next.undefined[c] & lanes->next_mask;
    }
    lanes->mask = mask;
}

void MACHINE(op_image_sample)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct image_lanes lanes;
    struct image_colors colors;
    struct image_colors result = {.undefined = {0}};
    uint64_t rest = vector->active;
    begin_image(&lanes, vector, in);
    while (next_image(&lanes, &rest)) {
        MACHINE(image_sample)(&lanes, &colors);
        if (lanes.next_mask)
            mix_next_level(&lanes, &colors);
        merge_result(&lanes, &colors, &result);
    }
    write_result(vector, in, &result);
}

/* ---- writes ---- */

/* Tells of the undefined channels that leave the kernel. Returns the lanes that write a texel of
 * which no channel is defined. */
static uint64_t undefined_colors(const struct image_lanes *lanes, uint64_t mask)
{
    struct vm_vector *vector = lanes->vector;
    const uint32_t kept = vm_image_channels(lanes->image);
    const vm_row first = lanes->in->c;
    uint64_t undefined = mask & ~lanes->untold;
    vm_tell_undefined_output(vector, vm_site(vector, lanes->in), first, 4, kept, undefined);
    for (uint32_t c = 0; c < 4 && undefined; c++) {
        if (kept >> c & 1)
            undefined = vm_undefined_lanes(vector, first + c * 4, 4, undefined);
    }
    return undefined;
}

static void store_texels(const struct image_lanes *lanes, const struct image_texels *texels,
                         uint64_t mask)
{
    struct vm_vector *vector = lanes->vector;
    const uint32_t size = lanes->image->texel_size;
    const uint64_t undefined = undefined_colors(lanes, mask);
    uint8_t bytes[VM_LANES * VM_IMAGE_TEXEL_MAX];
    u64 addresses[VM_LANES];
    struct access access;
    struct access_span span;
    vector->run->undefined_stores += undefined != 0;
    vm_image_pack_lanes(lanes->image, vm_unit(vector, lanes->in->c), lanes_end(mask), bytes);
    begin_access(lanes, texels, mask, OBSERVER_WRITE, addresses, &access);
    access.value = bytes;
    access.value_stride = size;
    while (MACHINE(access_next)(&access, &span)) {
        span_note_store(vector, &span, size, bytes, size);
        span_store(&span, size, bytes, size, vector->run->lane_order);
        FOR_LANES_IN_ORDER(lane, span.object->undefined ? span.mask : 0, vector->run->lane_order) {
            lane_define(&span, lane, size, 0, undefined >> lane & 1 ? ~UINT64_C(0) : 0);
        }
    }
}

void MACHINE(op_image_write)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct image_lanes lanes;
    struct image_texels texels;
    uint64_t rest = vector->active;
    begin_image(&lanes, vector, in);
    while (next_image(&lanes, &rest)) {
        MACHINE(image_integer_texels)(&lanes, &texels);
        const uint64_t inside = image_lanes_inside(&lanes, &texels);
        const uint64_t outside = lanes.mask & ~inside;
        if (outside)
            MACHINE(image_tell_outside)(&lanes, &texels, outside, false);
        if (inside)
            store_texels(&lanes, &texels, inside);
    }
}

/* ---- queries ---- */

static uint32_t query_image(const struct vm_image *image, enum vm_image_query query)
{
    switch (query) {
    case VM_IMAGE_QUERY_WIDTH:
        return (uint32_t)image->width;
    case VM_IMAGE_QUERY_HEIGHT:
        return (uint32_t)image->height;
    case VM_IMAGE_QUERY_DEPTH:
        return (uint32_t)image->depth;
    case VM_IMAGE_QUERY_LAYERS:
        return (uint32_t)image->layers;
    case VM_IMAGE_QUERY_CHANNEL:
        return image->channel;
    case VM_IMAGE_QUERY_LEVELS:
        return image->levels > 1 ? image->levels : 1;
    default:
        return image->order;
    }
}

void MACHINE(op_image_query)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const row_u64 *pointers = ROW(u64, in->a);
    uint32_t values[VM_LANES] = {0};
    for (uint64_t rest = vector->active; rest;) {
        const uint64_t pointer = pointers[__builtin_ctzll(rest)];
        const uint64_t mask = rest & lanes_equal(pointers, pointer);
        const struct vm_object *object = image_object(vector, pointer);
        rest &= ~mask;
        for (uint32_t lane = 0; lane < VM_LANES && object; lane++) {
            if (mask & lane_bits_64[lane])
                values[lane] = query_image(object->image, (enum vm_image_query)in->aux);
        }
    }
    vm_undefined_whole(vector, in->dst, 4, vector->undefined[in->a] & vector->active, in->a, in);
    memcpy(ROW(u32, in->dst), values, sizeof values);
}

void MACHINE(op_image_query_u)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_object *object = image_object(vector, *ROW(u64, in->a));
    *ROW(u64, in->dst) = object ? query_image(object->image, (enum vm_image_query)in->aux) : 0;
    vector->undefined[in->dst] = 0; /* of an argument */
}
