/* Blocks that a sub-group reads and writes: cl_intel_subgroups, "Sub-group Read and Write
 * Functions". What is in the memory passes the gate, lane by lane; from here is told what the
 * extension asks for besides. Elements of an image are bytes of its rows, whatever its texels. */
#include "reference/vm/defined.h"
#include "reference/vm/image.h"
#include "reference/vm/sub_groups.h"

#include <string.h>

/* What the extension asks for. */
enum {
    ALIGNMENT_READ = 4,
    ALIGNMENT_WRITE = 16,
    ALIGNMENT_IMAGE_COLUMN = 4,
    ALIGNMENT_IMAGE_BUFFER = 32,
    ALIGNMENT_IMAGE_PITCH = 64,
    TEXEL_MAX = 4
};

static bool is_write(const struct vm_instruction *in)
{
    return (in->aux & VM_BLOCK_WRITES) != 0;
}

static void tell(const struct vm_vector *vector, const struct vm_instruction *in,
                 const struct vm_object *object, uint64_t lanes, struct observer_block block)
{
    const struct observer_fault fault = {.kind = OBSERVER_FAULT_BLOCK,
                                         .site = vm_site(vector, in),
                                         .access = is_write(in) ? OBSERVER_WRITE : OBSERVER_READ,
                                         .object = &object->identity,
                                         .size = in->width,
                                         .mask = lanes,
                                         .block = &block};
    vm_tell_fault(vector, &fault);
}

/* Tells if `found` is not a multiple of `wanted`. */
static void check_multiple(const struct vm_vector *vector, const struct vm_instruction *in,
                           const struct vm_object *object, uint64_t lanes,
                           enum observer_block_misuse misuse, uint64_t found, uint64_t wanted)
{
    if (found % wanted != 0)
        tell(vector, in, object, lanes,
             (struct observer_block){.misuse = misuse, .found = found, .wanted = wanted});
}

/* Of memory that the application gave, how its address is aligned counts, too. */
static void check_start(const struct vm_vector *vector, const struct vm_instruction *in,
                        const struct vm_object *object, uint64_t lanes, uint64_t offset,
                        uint64_t wanted)
{
    const uint64_t address = (uintptr_t)object->bytes + offset;
    if ((object->root_offset + offset) % wanted != 0)
        check_multiple(vector, in, object, lanes, OBSERVER_BLOCK_OFFSET,
                       object->root_offset + offset, wanted);
    else if (object->root->is_host_memory && address % wanted != 0)
        tell(vector, in, object, lanes,
             (struct observer_block){.misuse = OBSERVER_BLOCK_HOST_POINTER, .wanted = wanted});
}

static void check_image(const struct vm_vector *vector, const struct vm_instruction *in,
                        const struct vm_object *object, uint64_t lanes)
{
    const struct vm_image *image = object->image;
    const uint64_t column = ROW(u64, in->c)[__builtin_ctzll(lanes)];
    if (image->texel_size > TEXEL_MAX)
        tell(vector, in, object, lanes,
             (struct observer_block){
                 .misuse = OBSERVER_BLOCK_TEXEL, .found = image->texel_size, .wanted = TEXEL_MAX});
    if (is_write(in))
        check_multiple(vector, in, object, lanes, OBSERVER_BLOCK_COLUMN, column,
                       ALIGNMENT_IMAGE_COLUMN);
    if (object->root == object)
        return;
    check_multiple(vector, in, object, lanes, OBSERVER_BLOCK_PITCH, image->row_pitch,
                   ALIGNMENT_IMAGE_PITCH);
    check_start(vector, in, object, lanes, 0, ALIGNMENT_IMAGE_BUFFER);
}

void MACHINE(op_sub_group_block)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint64_t undefined = vector->undefined[in->a];
    FOR_SUB_GROUPS(vector, first, lanes) {
        const uint32_t lowest = (uint32_t)__builtin_ctzll(lanes);
        const uint64_t count = (uint64_t)__builtin_popcountll(lanes);
        const uint64_t size = ROW(u64, in->b)[lowest];
        const uint64_t pointer = access_pointer(vector, ROW(u64, in->a)[lowest], lowest);
        const struct vm_object *object = access_object(vector, pointer);
        if (!object || object->freed || undefined & lanes)
            continue; /* which the gate tells */
        if (count < size)
            tell(vector, in, object, lanes,
                 (struct observer_block){
                     .misuse = OBSERVER_BLOCK_PARTIAL, .found = count, .wanted = size});
        if ((in->aux & VM_BLOCK_IMAGE) == 0)
            check_start(vector, in, object, lanes, (uint64_t)vm_pointer_offset(pointer),
                        is_write(in) ? ALIGNMENT_WRITE : ALIGNMENT_READ);
        else if (object->image)
            check_image(vector, in, object, lanes);
    }
}

/* ---- images ---- */

/* The lanes of a sub-group, and where in the image each has its element. */
struct block {
    struct vm_vector *vector;
    const struct vm_instruction *in;
    const struct vm_object *object;
    uint64_t pointer;
    uint64_t mask;
    uint64_t outside; /* lanes for which nothing says what is there: told about */
    uint64_t column;  /* of the first of them */
};

static int64_t clamped(int64_t value, int64_t last)
{
    return value < 0 ? 0 : value > last ? last : value;
}

/* The column of byte `x` of a row: bounds are as many uints as the image has columns, whatever its
 * texels; a byte outside is that byte of the uint at the edge. */
static int64_t column_of(const struct vm_image *image, int64_t x)
{
    return clamped(x >> 2, (int64_t)image->width - 1) * 4 + (x & 3);
}

/* Do the elements of all lanes lie in one piece? Not those across an edge. */
static bool in_one_piece(const struct block *block)
{
    const struct vm_vector *vector = block->vector;
    const struct vm_image *image = block->object->image;
    const uint32_t last = block->in->width - 1u;
    bool whole = true;
    FOR_EACH_LANE(lane, block->mask) {
        const int64_t x = ROW(s32, block->in->b)[lane];
        whole &= column_of(image, x + last) == column_of(image, x) + last;
    }
    return whole;
}

/* The lanes that access `size` bytes of memory, `offset` bytes after the start of their elements,
 * and at which pointers. A read outside the bounds is one of the edge, a write is left out. Where
 * texels are smaller than uints, a row ends before the bounds. */
static uint64_t find_places(struct block *block, uint32_t offset, uint32_t size,
                            u64 pointers[VM_LANES])
{
    const struct vm_image *image = block->object->image;
    const struct vm_vector *vector = block->vector;
    const int64_t row_size = (int64_t)(image->width * image->texel_size);
    const bool writes = is_write(block->in);
    uint64_t found = 0;
    FOR_EACH_LANE(lane, block->mask) {
        const int64_t x = (int64_t)ROW(s32, block->in->b)[lane] + offset;
        const int64_t y = ROW(s32, block->in->b + 4)[lane];
        const int64_t column = column_of(image, x);
        const int64_t row = clamped(y, (int64_t)image->height - 1);
        if (writes && (column != x || row != y))
            continue;
        pointers[lane] = block->pointer + (uint64_t)row * image->row_pitch + (uint64_t)column;
        if (column + size <= row_size) {
            found |= UINT64_C(1) << lane;
        } else {
            block->column = block->outside ? block->column : (uint64_t)x;
            block->outside |= UINT64_C(1) << lane;
        }
    }
    return found;
}

static void tell_outside(const struct block *block)
{
    const struct vm_image *image = block->object->image;
    if (block->outside)
        tell(block->vector, block->in, block->object, block->outside,
             (struct observer_block){.misuse = OBSERVER_BLOCK_BOUNDS,
                                     .found = block->column,
                                     .wanted = image->width * image->texel_size});
}

static bool begin_block(struct block *block, struct vm_vector *vector,
                        const struct vm_instruction *in, uint64_t lanes)
{
    const uint64_t pointer = ROW(u64, in->a)[__builtin_ctzll(lanes)];
    const struct vm_object *object = access_object(vector, pointer);
    *block = (struct block){
        .vector = vector, .in = in, .object = object, .pointer = pointer, .mask = lanes};
    return object && object->image;
}

static void begin_access(const struct block *block, const u64 pointers[VM_LANES], uint32_t size,
                         uint64_t mask, struct access *access)
{
    access_begin(access, block->vector, block->in,
                 is_write(block->in) ? OBSERVER_WRITE : OBSERVER_READ, size);
    access->addresses = pointers;
    access->mask = mask;
    access->is_read_write = (block->in->aux & VM_BLOCK_READ_WRITE) != 0;
}

/* What was read: values, and which of their bits are undefined. */
struct elements {
    uint8_t values[VM_LANES * sizeof(uint32_t)];
    uint64_t bits[VM_LANES];
    struct vm_origin births[VM_LANES];
};

static void read_part(struct block *block, uint32_t offset, uint32_t size,
                      struct elements *elements)
{
    const struct vm_vector *vector = block->vector;
    const uint32_t width = block->in->width;
    const uint32_t site = vm_site(vector, block->in);
    row_u64 pointers[VM_LANES];
    struct access access;
    struct access_span span;
    const uint64_t found = find_places(block, offset, size, pointers);
    FOR_EACH_LANE(lane, block->mask & ~found) {
        elements->bits[lane] |= bits_low(size * 8) << offset * 8;
        elements->births[lane] = (struct vm_origin){.site = site};
    }
    begin_access(block, pointers, size, found, &access);
    while (MACHINE(access_next)(&access, &span)) {
        span_load(&span, size, elements->values + offset, width);
        FOR_EACH_LANE(lane, span_defined(&span, size) ? 0 : component_undefined(&span, size, 0)) {
            elements->bits[lane] |= lane_undefined_bits(vector, &span, lane, size, 0) << offset * 8;
            elements->births[lane] = span_birth(vector, &span, lane, 0, size, site);
        }
    }
}

void MACHINE(op_image_block_read)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const uint32_t width = in->width;
    uint64_t undefined = 0;
    struct elements elements;
    struct block block;
    memset(&elements, 0, sizeof elements);
    FOR_SUB_GROUPS(vector, first, lanes) {
        if (!begin_block(&block, vector, in, lanes))
            continue;
        const uint32_t size = in_one_piece(&block) ? width : 1;
        for (uint32_t offset = 0; offset < width; offset += size)
            read_part(&block, offset, size, &elements);
        tell_outside(&block);
    }
    memcpy(vm_unit(vector, in->dst), elements.values, (size_t)VM_LANES * width);
    FOR_EACH_LANE(lane, vector->active) {
        if (elements.bits[lane] == 0)
            continue;
        undefined |= UINT64_C(1) << lane;
        vm_undefined_put(vector, in->dst, false, lane, elements.bits[lane], elements.births[lane]);
    }
    vector->undefined[in->dst] = undefined;
}

static void write_part(struct block *block, uint32_t offset, uint32_t size)
{
    struct vm_vector *vector = block->vector;
    const struct vm_instruction *in = block->in;
    const uint32_t width = in->width;
    const uint8_t *values = (const uint8_t *)vm_unit(vector, in->c) + offset;
    row_u64 pointers[VM_LANES];
    struct access access;
    struct access_span span;
    const uint64_t found = find_places(block, offset, size, pointers);
    begin_access(block, pointers, size, found, &access);
    access.value = values;
    access.value_stride = width;
    while (MACHINE(access_next)(&access, &span)) {
        span_note_store(vector, &span, size, values, width);
        span_store(&span, size, values, width, vector->run->lane_order);
        FOR_LANES_IN_ORDER(lane, span.object->undefined ? span.mask : 0, vector->run->lane_order) {
            lane_define_bits(vector, &span, lane, size, 0,
                             vm_undefined_bits(vector, in->c, lane, width) >> offset * 8 &
                                 bits_low(size * 8),
                             vm_undefined_birth(vector, in->c, lane));
        }
    }
}

void MACHINE(op_image_block_write)(struct vm_vector *vector, const struct vm_instruction *in)
{
    struct block block;
    const uint64_t output = vm_undefined_lanes(vector, in->c, in->width, vector->active);
    if (output)
        vm_tell_undefined_row(vector, vm_site(vector, in), OBSERVER_UNDEFINED_OUTPUT, in->c,
                              output);
    FOR_SUB_GROUPS(vector, first, lanes) {
        if (!begin_block(&block, vector, in, lanes))
            continue;
        const uint32_t size = in_one_piece(&block) ? in->width : 1;
        for (uint32_t offset = 0; offset < in->width; offset += size)
            write_part(&block, offset, size);
        tell_outside(&block);
    }
}
