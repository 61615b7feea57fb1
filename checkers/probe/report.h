/* The buffer into which the checked copies of kernels (checked.h) report, as words of 32 bits in
 * the device's byte order. The layer makes it zero before the first launch; the text that writes it
 * is checks.cl. */
#ifndef CHECKERS_PROBE_REPORT_H
#define CHECKERS_PROBE_REPORT_H

enum {
    REPORT_COUNT = 0,  /* records that were to be written, counted atomically; more than there is
                          room for are lost */
    REPORT_SPARE = 32, /* where an access goes that may not be performed where it leads to; aligned
                          for every type, as long as the largest access that is checked */
    REPORT_SPARE_BYTES = 4096,
    REPORT_SITES = REPORT_SPARE + REPORT_SPARE_BYTES / 4, /* a count for each site, not exact */

    REPORT_SITE_MAX = 16,     /* records of one site; further ones are only counted until it is */
    REPORT_RECORD_MAX = 256,  /* in a buffer */
    REPORT_RECORD_WORDS = 16, /* the records begin at the first multiple of this after the sites */
};

enum report_kind {
    REPORT_NOTHING,
    REPORT_BOUNDS,     /* the access is beside what the argument leads to */
    REPORT_NULL,       /* the argument leads to nothing: its size is 0 */
    REPORT_READ_ONLY,  /* a write to memory that the kernel may only read; it was performed */
    REPORT_NOWHERE,    /* no argument leads there, and no pointer could come from elsewhere */
    REPORT_RACE,       /* another work-item's access to the bytes that nothing ordered before it */
    REPORT_UNWRITTEN,  /* it takes what nobody has written, not even in part */
    REPORT_DIVERGENCE, /* of a barrier: the work-items of the group are not all there. OFFSET is how
                          many have come, SIZE how many there are, OTHER a site that others are at
                        */
    REPORT_FREED,      /* into shared virtual memory that was freed */
    REPORT_TEXEL,      /* coordinates that the image does not have; see below */
};

/* The words of a record. */
enum report_word {
    REPORT_WORD_WHAT, /* enum report_kind, | argument << 8 (0xff = not known which), | address space
                         << 16: enum report_space; 0 = not yet written */
    REPORT_WORD_SITE, /* its number in checked.sites */
    REPORT_WORD_LAUNCH, /* the parameter CHECKED_HIDDEN_LAUNCH */
    REPORT_WORD_BYTES,  /* of the access */
    REPORT_WORD_OFFSET, /* two words, low first: where it begins, from where the argument points to,
                           signed; of REPORT_NOWHERE and REPORT_FREED the address */
    REPORT_WORD_SIZE = REPORT_WORD_OFFSET + 2, /* two words: of what the argument leads to */
    REPORT_WORD_ID = REPORT_WORD_SIZE + 2,     /* three words: get_global_id of the work-item */
    REPORT_WORD_GROUP = REPORT_WORD_ID + 3,    /* three words: get_group_id */
    REPORT_WORD_OTHER = REPORT_WORD_GROUP + 3, /* two words: of a race, the other side's cell */
};

enum report_space { REPORT_GLOBAL, REPORT_CONSTANT, REPORT_LOCAL };

/* A record of REPORT_TEXEL has the type of the image in place of the address space, and how many
 * coordinates there are in place of the bytes, with REPORT_IMAGE_SAMPLED for a sampler. The
 * coordinates are three signed words, two in OFFSET and the first of OTHER; the sizes of the image
 * three words, two in SIZE and the second of OTHER. */
enum report_image {
    REPORT_IMAGE_1D,
    REPORT_IMAGE_1D_ARRAY,
    REPORT_IMAGE_2D,
    REPORT_IMAGE_2D_ARRAY,
    REPORT_IMAGE_3D,
    REPORT_IMAGES
};
enum { REPORT_IMAGE_SAMPLED = 16 };

#endif
