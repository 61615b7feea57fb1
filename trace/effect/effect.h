/* What a call does to memory: which bytes of which objects, and of the host's memory, it reads,
 * writes or maps. Of a call that records a command: what that does when it is executed.
 *
 * From the call alone, and from what its images are; everything is expanded from
 * trace/effect/effects.def. It never looks at the program's memory. What kernels do is not here: it
 * depends on their arguments; nor is what migrates, which names any number of objects. */
#ifndef TRACE_EFFECT_EFFECT_H
#define TRACE_EFFECT_EFFECT_H

#include "trace/api/call.h"
#include "trace/api/entry.h"
#include "trace/effect/shape.h"

enum effect_kind {
    EFFECT_READS,
    EFFECT_WRITES,
    EFFECT_MAPS, /* reads; or writes too, as the flags of the map say */
};

enum effect_place {
    EFFECT_BUFFER, /* bytes of a memory object that is a buffer */
    EFFECT_IMAGE,  /* texels */
    EFFECT_HOST,   /* memory of the host, from an address on */
    EFFECT_SHARED, /* shared virtual memory, or memory of the host, which the address tells */
};

/* How a row of the table says which memory and which bytes: by parameters of the entry point, in
 * the order of these names, the memory first. */
enum effect_form {
    EFFECT_FORM_NONE,
    EFFECT_FORM_BYTES,          /* memory, offset, size */
    EFFECT_FORM_RECTANGLE,      /* memory, origin, region, row_pitch, slice_pitch */
    EFFECT_FORM_TEXELS,         /* memory, origin, region */
    EFFECT_FORM_TEXEL_BYTES,    /* memory, offset, image, region */
    EFFECT_FORM_HOST,           /* memory, size */
    EFFECT_FORM_HOST_RECTANGLE, /* memory, origin, region, row_pitch, slice_pitch */
    EFFECT_FORM_HOST_TEXELS,    /* memory, image, region, row_pitch, slice_pitch */
    EFFECT_FORM_SHARED,         /* memory, size */
    EFFECT_FORM_MAPPED,         /* size; the memory is what the call returns */
    EFFECT_FORM_MAPPED_TEXELS,  /* image, region, row_pitch, slice_pitch */
};
struct effect_row {
    uint8_t form, kind; /* enum effect_form, effect_kind */
    uint8_t at[5];      /* indices of parameters */
};

/* One thing that the call does to one memory. */
struct effect {
    enum effect_kind kind;
    enum effect_place place;
    uint32_t argument; /* the parameter that names the memory, or API_ARGUMENT_RESULT */
    uint64_t memory;   /* the handle of the object, or the address */
    bool known;        /* what follows; if not, it is somewhere in that memory */
    /* Which bytes, from the memory's first on. Of texels: row_size is the width of the region, rows
     * and slices the rest of it, and `origin` where it starts: x, y, z and the level. */
    struct rectangle bytes;
    uint64_t origin[4];
};

enum { EFFECTS_MAX = 2 };
struct effects {
    struct effect items[EFFECTS_MAX];
    uint32_t count;
};

/* What is known of an image, by its handle; all 0 when nothing is. */
typedef struct image_shape effect_image(void *user, uint64_t image);

/* In the order of the rows of the table, without what a NULL pointer was given for. The bytes are
 * not known where sizes overflow, lists could not be read, or they are those of texels of an image
 * that is not known. A rectangle may be empty, and go beyond its object. */
void effects_of(const struct api_call *call, effect_image *image, void *user,
                struct effects *effects);
/* The rows of an entry point, EFFECTS_MAX of them: what it has no use for is of EFFECT_FORM_NONE.
 */
const struct effect_row *effects_rows(uint32_t entry);
/* Does the table have the entry point? */
bool effects_know(uint32_t entry);

/* What it does to memory that is named by an address: 1 << EFFECT_..., each kind a bit. */
unsigned effects_on_host(uint32_t entry);

/* The first effect on such a place, or NULL. */
const struct effect *effects_find(const struct effects *effects, enum effect_place place);

/* The bytes behind host_ptr of a call that makes a memory object, which it reads if its flags say
 * so. False when it has no such pointer, or says nothing that makes sense. */
bool effect_of_create(const struct api_call *call, struct effect *effect);

#endif
