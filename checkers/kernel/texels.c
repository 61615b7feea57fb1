/* OpenCL C 3.0, 6.15.15.6: what a work-item wrote to an image it can rely on reading again only
 * after atomic_work_item_fence(CLK_IMAGE_MEM_FENCE), or a barrier with that flag.
 *
 * A work-item that writes gets a *stamp*, a number of its own, until its next image fence; each
 * texel keeps the stamp of who wrote it last. So a read is unfenced where the texel has the stamp
 * that the work-item has now. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

struct texel_writer {
    uint32_t stamp; /* 0 = not written in this launch */
    uint32_t site;
};

struct written_image {
    uint32_t object_id, texel_size;
    struct texel_writer *texels; /* of the whole object */
};

enum { TEXELS_MAX = 1 << 24 };

void texels_forget(struct texels *texels)
{
    for (size_t i = 0; i < texels->image_count; i++) {
        alloc_free(texels->images[i].texels);
    }
    alloc_free(texels->images);
    *texels = (struct texels){.image_count = 0};
}

static struct written_image *find_image(struct texels *texels, uint32_t object_id)
{
    for (size_t i = 0; i < texels->image_count; i++) {
        if (texels->images[i].object_id == object_id) {
            return &texels->images[i];
        }
    }
    return NULL;
}

/* NULL: it is not followed. */
static struct written_image *add_image(struct kernel_checker *checker,
                                       const struct lane_access *access)
{
    struct texels *texels = &checker->texels;
    const uint64_t count = access->object->size / access->size;
    if (count > TEXELS_MAX) {
        return NULL;
    }
    struct written_image *grown =
        alloc_grow(texels->images, texels->image_count, &texels->image_capacity, sizeof *grown);
    struct texel_writer *writers = alloc_zero(count, sizeof *writers);
    if (grown != NULL) {
        texels->images = grown;
    }
    if (grown == NULL || writers == NULL) {
        alloc_free(writers);
        checker->out_of_memory = true;
        return NULL;
    }
    grown[texels->image_count] = (struct written_image){
        .object_id = access->object->id, .texel_size = access->size, .texels = writers};
    return &grown[texels->image_count++];
}

static struct texel_writer *writer_of(const struct written_image *image,
                                      const struct lane_access *access, unsigned lane)
{
    return &image->texels[lane_offset(access, lane) / image->texel_size];
}

/* Those of the running vector's work-items; NULL = they have none. */
static uint32_t *stamps_of(const struct group_state *group, uint32_t vector)
{
    const size_t first = (size_t)vector * OBSERVER_LANES;
    return first < group->stamp_count ? &group->stamps[first] : NULL;
}

/* NULL when memory is out. */
static uint32_t *make_stamps(struct kernel_checker *checker)
{
    struct group_state *group = &checker->now;
    const uint64_t *size = checker->launch.local_size;
    const uint64_t items = size[0] * size[1] * size[2];
    const size_t count = (items / OBSERVER_LANES + 1) * OBSERVER_LANES;
    uint32_t *made = alloc_zero(count, sizeof *made);
    if (made == NULL) {
        checker->out_of_memory = true;
        return NULL;
    }
    ASSERT(group->stamps == NULL);
    group->stamps = made;
    group->stamp_count = count;
    return stamps_of(group, group->vector);
}

static void note_write(struct kernel_checker *checker, const struct lane_access *access,
                       uint32_t *stamps)
{
    struct written_image *image = find_image(&checker->texels, access->object->id);
    if (image == NULL) {
        image = add_image(checker, access);
    }
    if (image == NULL || image->texel_size != access->size) {
        return;
    }
    for (uint64_t rest = access->mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(rest);
        if (stamps[lane] == 0) {
            stamps[lane] = ++checker->texels.last_stamp;
        }
        *writer_of(image, access, lane) =
            (struct texel_writer){.stamp = stamps[lane], .site = access->site};
    }
}

static void report(struct kernel_checker *checker, const struct lane_access *access,
                   uint32_t write_site, uint64_t mask)
{
    struct finding *finding = case_count(checker, &(struct case_key){.rule = RULE_IMAGE_UNFENCED,
                                                                     .site = access->site,
                                                                     .other_site = write_site});
    if (finding == NULL) {
        return;
    }
    const struct work_item item = work_item_lowest(checker, mask);
    finding->message = words(checker,
                             "%s reads a texel of image '%s' that it has written, without an image "
                             "fence between%s",
                             words_item(checker, &item), words_name(checker, access->object),
                             words_others(checker, mask));
    finding->reason = "it is not guaranteed to see what it wrote";
    finding->subject = words_object(checker, access->object);
    words_add_place(checker, finding, access->site,
                    words_access(checker, "read of the texel", &item));
    words_add_place(checker, finding, write_site, "the write");
}

static void judge_read(struct kernel_checker *checker, const struct lane_access *access,
                       const uint32_t *stamps)
{
    const struct written_image *image = find_image(&checker->texels, access->object->id);
    uint64_t unfenced = 0;
    uint32_t write_site = 0;
    if (image == NULL || image->texel_size != access->size) {
        return;
    }
    for (uint64_t rest = access->mask; rest != 0; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(rest);
        const struct texel_writer *writer = writer_of(image, access, lane);
        if (stamps[lane] == 0 || writer->stamp != stamps[lane]) {
            continue;
        }
        write_site = unfenced == 0 ? writer->site : write_site;
        unfenced |= UINT64_C(1) << lane;
    }
    if (unfenced != 0) {
        report(checker, access, write_site, unfenced);
    }
}

void texels_access(struct kernel_checker *checker, const struct lane_access *access)
{
    uint32_t *stamps = stamps_of(&checker->now, checker->now.vector);
    if (access->kind == OBSERVER_WRITE && stamps == NULL) {
        stamps = make_stamps(checker);
    }
    if (access->kind == OBSERVER_WRITE && stamps != NULL) {
        note_write(checker, access, stamps);
    } else if (stamps != NULL) {
        judge_read(checker, access, stamps);
    }
}

void texels_fence(struct kernel_checker *checker, uint32_t vector, uint64_t mask)
{
    uint32_t *stamps = stamps_of(&checker->now, vector);
    for (uint64_t rest = stamps != NULL ? mask : 0; rest != 0; rest &= rest - 1) {
        stamps[__builtin_ctzll(rest)] = 0;
    }
}

void texels_fence_group(struct kernel_checker *checker)
{
    if (checker->now.stamp_count > 0) {
        memset(checker->now.stamps, 0, checker->now.stamp_count * sizeof *checker->now.stamps);
    }
}
