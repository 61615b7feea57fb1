/* Between the files of the machine that execute images: the lanes of one instruction that mean the
 * same image, and what they read. Colors are those of all 64 lanes, some color where a lane is not
 * asked for. */
#ifndef REFERENCE_VM_EXEC_IMAGE_H
#define REFERENCE_VM_EXEC_IMAGE_H

#include "reference/vm/access.h"
#include "reference/vm/image.h"

/* The lanes of one instruction that mean the same image. */
struct image_lanes {
    struct vm_vector *vector;
    const struct vm_instruction *in;
    const struct vm_object *object;
    const struct vm_image *image;
    struct vm_image level;   /* what `image` is, if it is not the object's first level, */
    uint32_t level_number;   /* but this one */
    uint64_t object_pointer; /* of the object, */
    uint64_t pointer;        /* and of the first texel of the level */
    uint64_t sampler;
    uint64_t mask;
    uint64_t untold;  /* coordinates undefined: served, but not told about */
    int32_t size[3];  /* texels by axis: width, height, depth or layers */
    uint32_t axes[3]; /* of each coordinate of the built-in */
    uint32_t coordinate_count;
    uint64_t next_mask; /* of lanes that mix the level with the next one, */
    uint32_t next_level;
    float next_part[VM_LANES]; /* of which they want so much */
};

struct image_levels {
    int32_t at[VM_LANES];
    float part[VM_LANES]; /* of the next level, where two are mixed */
};

/* Texels of 64 lanes, by axis. */
struct image_texels {
    int32_t at[3][VM_LANES];
};

struct image_colors {
    uint32_t channels[4][VM_LANES];
    uint64_t undefined[4]; /* of each channel, the lanes */
};

/* Lanes whose texel is in the image. */
static inline uint64_t image_lanes_inside(const struct image_lanes *lanes,
                                          const struct image_texels *texels)
{
    LANES_WHERE(32, inside, lane,
                (u32)texels->at[0][lane] < (u32)lanes->size[0] &&
                    (u32)texels->at[1][lane] < (u32)lanes->size[1] &&
                    (u32)texels->at[2][lane] < (u32)lanes->size[2]);
    return inside & lanes->mask;
}

#ifdef VM_MACHINE
/* ---- exec_image.c ---- */

/* Tells the observer of lanes of the mask; the caller says in `image` what is wrong. */
void MACHINE(image_tell)(const struct image_lanes *lanes, enum observer_fault_kind kind,
                         uint64_t mask, const struct observer_image *image);
void MACHINE(image_tell_outside)(const struct image_lanes *lanes, const struct image_texels *texels,
                                 uint64_t mask, bool not_finite);
/* The texels that integer coordinates name. */
void MACHINE(image_integer_texels)(const struct image_lanes *lanes, struct image_texels *texels);
/* Texels outside the image have the border's color, or without one 0. */
void MACHINE(image_fetch)(const struct image_lanes *lanes, const struct image_texels *texels,
                          bool border, struct image_colors *colors);

/* Goes to that level of the object's image. */
void MACHINE(image_enter)(struct image_lanes *lanes, uint32_t level);

/* ---- exec_level.c ---- */

/* Which level of a mipmapped image each lane means, by the level of detail or the gradients after
 * the coordinates; `image` is the first level. A sampler's are levels that are there. */
void MACHINE(image_levels)(const struct image_lanes *lanes, struct image_levels *levels);

/* ---- exec_sample.c ---- */

void MACHINE(image_sample)(struct image_lanes *lanes, struct image_colors *colors);
#endif

#endif
