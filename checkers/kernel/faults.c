/* Findings about accesses that are wrong by themselves. */
#include "checkers/access_words.h"
#include "checkers/image_words.h"
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>

/* The memory as the kernel sees it. */
static enum observer_region fault_region(const struct observer_fault *fault)
{
    return fault->constant_pointer ? OBSERVER_CONSTANT : fault->object->region;
}

static enum rule_index fault_rule(const struct observer_fault *fault)
{
    static const enum rule_index rules[] = {
        [OBSERVER_FAULT_NULL] = RULE_ACCESS_NULL,
        [OBSERVER_FAULT_WILD] = RULE_ACCESS_WILD,
        [OBSERVER_FAULT_FREED] = RULE_ACCESS_FREED,
        [OBSERVER_FAULT_READ_ONLY] = RULE_ACCESS_READ_ONLY,
        [OBSERVER_FAULT_WRITE_ONLY] = RULE_ACCESS_WRITE_ONLY,
        [OBSERVER_FAULT_MISALIGNED] = RULE_ACCESS_MISALIGNED,
        [OBSERVER_FAULT_SYSTEM] = RULE_SVM_SYSTEM,
        [OBSERVER_FAULT_UNLISTED] = RULE_ACCESS_UNLISTED,
        [OBSERVER_FAULT_IMAGE_BOUNDS] = RULE_IMAGE_BOUNDS,
        [OBSERVER_FAULT_IMAGE_FORMAT] = RULE_IMAGE_FORMAT,
        [OBSERVER_FAULT_IMAGE_SAMPLER] = RULE_IMAGE_SAMPLER,
        [OBSERVER_FAULT_BLOCK] = RULE_SUB_GROUP_BLOCK,
        [OBSERVER_FAULT_ENDED] = RULE_LIFETIME_ENDED,
        [OBSERVER_FAULT_FOREIGN] = RULE_ACCESS_FOREIGN,
        [OBSERVER_FAULT_CONSTANT] = RULE_CONSTANT_WRITTEN,
        [OBSERVER_FAULT_STALE] = RULE_ACCESS_STALE,
    };
    static const enum rule_index bounds[] = {
        [OBSERVER_GLOBAL] = RULE_BOUNDS_GLOBAL,
        [OBSERVER_LOCAL] = RULE_BOUNDS_LOCAL,
        [OBSERVER_PRIVATE] = RULE_BOUNDS_PRIVATE,
        [OBSERVER_CONSTANT] = RULE_BOUNDS_CONSTANT,
    };
    switch (fault->kind) {
    case OBSERVER_FAULT_PIPE:
        return pipe_rule(fault->pipe);
    case OBSERVER_FAULT_SUBSCRIPT:
        return fault->array->is_vector ? RULE_BOUNDS_VECTOR : RULE_BOUNDS_ARRAY;
    case OBSERVER_FAULT_BOUNDS:
        return fault->object == NULL ? RULE_ACCESS_WILD : bounds[fault_region(fault)];
    default:
        return rules[fault->kind];
    }
}

/* "reads" for an access; what a copy or an atomic does beside is told by its own fault. */
static const char *verb_of(enum observer_access_kind kind)
{
    static const char *const verbs[] = {
        [OBSERVER_READ] = "reads",
        [OBSERVER_WRITE] = "writes",
        [OBSERVER_ATOMIC_READ] = "atomically reads",
        [OBSERVER_ATOMIC_WRITE] = "atomically writes",
        [OBSERVER_ATOMIC_RMW] = "atomically updates",
    };
    return verbs[kind];
}

static struct access_place place_of(const struct kernel_checker *checker,
                                    const struct observer_fault *fault)
{
    return (struct access_place){.region = words_region(fault_region(fault)),
                                 .name = words_name(checker, fault->object),
                                 .offset = fault->offset,
                                 .bytes = fault->size,
                                 .size = fault->object->size};
}

static const char *bounds_reason(struct kernel_checker *checker, const struct observer_fault *fault)
{
    if (fault->neighbour != NULL) {
        return words(
            checker,
            "the pointer came from a sub-buffer, and the access leaves it for byte %" PRId64
            " of the buffer '%s' that it is a part of",
            fault->neighbour_offset, words_name(checker, fault->neighbour));
    }
    const struct access_place place = place_of(checker, fault);
    return access_words_beyond(&checker->arena, &place);
}

/* "of work-item 1 of work-group 0" */
static const char *owner_words(struct kernel_checker *checker, const struct observer_owner *owner)
{
    const struct work_item item = work_item_of(checker, owner->group, owner->item);
    return owner->region == OBSERVER_PRIVATE
               ? words(checker, "of %s", words_item(checker, &item))
               : words(checker, "of work-group %s", words_id(checker, item.group));
}

/* Where it is not certain whose memory it is. */
static const char *unknown_owner_words(struct kernel_checker *checker,
                                       const struct observer_owner *owner)
{
    const char *const whose = owner->region == OBSERVER_PRIVATE ? "work-item" : "work-group";
    return words(checker, "through a pointer to %s memory of %s %s%s", words_region(owner->region),
                 owner->kind == OBSERVER_OWNER_LAUNCH ? "a" : "another", whose,
                 owner->kind == OBSERVER_OWNER_LAUNCH ? " of another launch" : "");
}

static const char *fault_where(struct kernel_checker *checker, const struct observer_fault *fault)
{
    if (fault->object == NULL && fault->owner != NULL) {
        return unknown_owner_words(checker, fault->owner);
    }
    if (fault->object == NULL) {
        return fault->kind == OBSERVER_FAULT_NULL ? "through a null pointer"
                                                  : "through a pointer that points into no object";
    }
    if (fault->object->svm == OBSERVER_SVM_SYSTEM && !fault->object->block) {
        return words(checker, "at byte %" PRId64 " of '%s'", fault->offset, fault->object->name);
    }
    const struct access_place place = place_of(checker, fault);
    return words(checker, "%s%s%s", access_words_where(&checker->arena, &place),
                 fault->owner != NULL ? " " : "",
                 fault->owner != NULL ? owner_words(checker, fault->owner) : "");
}

static const char *fault_reason(struct kernel_checker *checker, const struct observer_fault *fault)
{
    switch (fault->kind) {
    case OBSERVER_FAULT_BOUNDS:
        return fault->object == NULL ? NULL : bounds_reason(checker, fault);
    case OBSERVER_FAULT_WILD:
        return fault->system_spared
                   ? "the kernel was said to use no memory that the host has by its own means, as "
                     "a replay does of each: such memory is not recorded"
                   : NULL;
    case OBSERVER_FAULT_FREED:
        return fault->object->block ? "the program has freed it, and malloc has not given it again"
                                    : "the object was released before the kernel ran to its end";
    case OBSERVER_FAULT_READ_ONLY:
        return fault->object != NULL && fault->object->region == OBSERVER_CONSTANT
                   ? "constant memory cannot be written by a kernel"
               : fault->object != NULL && fault->object->svm == OBSERVER_SVM_SYSTEM
                   ? "the host has mapped it for reading alone"
                   : "the memory object was created with CL_MEM_READ_ONLY";
    case OBSERVER_FAULT_WRITE_ONLY:
        return "the memory object was created with CL_MEM_WRITE_ONLY";
    case OBSERVER_FAULT_MISALIGNED:
        return words(checker,
                     "the type asks for an alignment of %s, and byte %" PRId64 " does not have it",
                     words_bytes(checker, fault->alignment), fault->offset - fault->part);
    case OBSERVER_FAULT_ENDED:
        return fault->end_by_return
                   ? words(checker, "the function that '%s' is a variable of has returned",
                           words_name(checker, fault->object))
                   : words(checker, "the block that '%s' was declared in has been left",
                           words_name(checker, fault->object));
    case OBSERVER_FAULT_CONSTANT:
        return words(checker,
                     "the kernel was given these bytes as constant memory, too, by its "
                     "argument '%s'",
                     fault->constant_argument);
    case OBSERVER_FAULT_FOREIGN:
        return fault->owner->region == OBSERVER_PRIVATE
                   ? "each work-item has private memory of its own, which no other one can reach"
                   : "each work-group has local memory of its own, which no other one can reach";
    case OBSERVER_FAULT_STALE:
        return words(checker,
                     "the pointer was put into memory by %s, and the addresses of memory objects "
                     "hold for one launch alone",
                     fault->keeper->launch);
    case OBSERVER_FAULT_SYSTEM:
        return "no function of OpenCL gave this memory to the program, and few devices have all of "
               "the system's as shared virtual memory";
    case OBSERVER_FAULT_UNLISTED:
        return "it is not an argument of the kernel, and clSetKernelExecInfo did not name it";
    default:
        return NULL;
    }
}

/* ---- faults of images ---- */

static const char *image_message(struct kernel_checker *checker, const struct observer_fault *fault,
                                 const struct work_item *item)
{
    const struct observer_image *image = fault->image;
    const char *const who = words_item(checker, item);
    const char *const verb = verb_of(fault->access);
    const char *const level =
        image->level == 0 ? "" : words(checker, "level %" PRId64 " of ", image->level);
    const struct image_place place = {.type = words(checker, "%s%s", level, image->type),
                                      .name = words_name(checker, fault->object),
                                      .coordinate_count = image->coordinate_count,
                                      .coordinates = image->coordinates,
                                      .size = image->size};
    const char *const which = image_words_which(&checker->arena, &place);
    const char *const others = words_others(checker, fault->mask);
    if (fault->kind == OBSERVER_FAULT_IMAGE_FORMAT) {
        return words(checker, "%s %s %s as if its channels were %s%s", who, verb, which,
                     image->wanted, others);
    }
    if (fault->kind == OBSERVER_FAULT_IMAGE_SAMPLER) {
        return words(checker, "%s %s %s by a sampler that does not fit%s", who, verb, which,
                     others);
    }
    if (image->not_finite) {
        return words(checker, "%s %s %s at a coordinate that is not a finite number%s", who, verb,
                     which, others);
    }
    if (image->no_level) {
        return words(checker, "%s %s %s%s", who, verb, which, others);
    }
    return words(checker, "%s %s %s%s", who, verb, image_words_texel(&checker->arena, &place),
                 others);
}

static const char *image_reason(struct kernel_checker *checker, const struct observer_fault *fault)
{
    const struct observer_image *image = fault->image;
    if (fault->kind == OBSERVER_FAULT_IMAGE_FORMAT) {
        return words(checker, "its channels are %s", image->found);
    }
    if (fault->kind == OBSERVER_FAULT_IMAGE_SAMPLER) {
        return image->reason;
    }
    if (image->not_finite) {
        return "what a sampler makes of infinities and NaN is undefined";
    }
    if (image->no_level) {
        return image->level_count == 1
                   ? "the image has level 0 alone"
                   : words(checker, "the image has %" PRIu32 " levels, 0 to %" PRIu32,
                           image->level_count, image->level_count - 1);
    }
    return image_words_outside(fault->access == OBSERVER_WRITE, image->sampled);
}

/* NULL: what the rule says. */
static const char *image_advice(struct kernel_checker *checker, const struct observer_fault *fault)
{
    const struct observer_image *image = fault->image;
    if (fault->kind != OBSERVER_FAULT_IMAGE_FORMAT) {
        return image->advice;
    }
    const char *const suffix = image->found[0] == 'f' ? "f" : image->found[0] == 's' ? "i" : "ui";
    return words(checker,
                 "Call %s_image%s, which is for %s%s; or create the image with a channel data type "
                 "that fits this call.",
                 fault->access == OBSERVER_WRITE ? "write" : "read", suffix, image->found,
                 image->found[0] == 'f' ? " channels" : "");
}

/* ---- subscripts ---- */

/* "an array of 4 elements, member 1 of 'struct S'" */
static const char *array_words(struct kernel_checker *checker, const struct observer_array *array)
{
    const char *const elements =
        words(checker, "%" PRIu64 " element%s", array->count, array->count == 1 ? "" : "s");
    if (array->structure != NULL) {
        return words(checker, "an array of %s, member %" PRIu32 " of '%s',", elements,
                     array->member, array->structure);
    }
    return words(checker, "%s of %s", array->is_row ? "a row" : "an array", elements);
}

static const char *subscript_message(struct kernel_checker *checker,
                                     const struct observer_fault *fault,
                                     const struct work_item *item)
{
    const struct observer_array *array = fault->array;
    const char *const who = words_item(checker, item);
    const char *const verb = verb_of(fault->access);
    const char *const others = words_others(checker, fault->mask);
    if (array->is_vector) {
        return words(checker, "%s %s component %" PRId64 " of a vector of %" PRIu64 "%s", who, verb,
                     array->index, array->count, others);
    }
    return words(checker, "%s %s %s at index %" PRId64 " of %s in %s memory '%s' (%s)%s", who, verb,
                 words_bytes(checker, fault->size), array->index, array_words(checker, array),
                 words_region(fault_region(fault)), words_name(checker, fault->object),
                 words_bytes(checker, fault->object->size), others);
}

static const char *subscript_reason(struct kernel_checker *checker,
                                    const struct observer_fault *fault)
{
    return fault->object == NULL
               ? words(checker, "its components are 0 to %" PRIu64, fault->array->count - 1)
               : words(checker,
                       "byte %" PRId64 " of '%s' is not in the array that the access names",
                       fault->offset, words_name(checker, fault->object));
}

/* ---- blocks of sub-groups ---- */

static const char *block_message(struct kernel_checker *checker, const struct observer_fault *fault,
                                 const struct work_item *item)
{
    return words(checker, "the sub-group of %s %s a block %s '%s' that is not as it must be",
                 words_item(checker, item), verb_of(fault->access),
                 fault->access == OBSERVER_READ ? "of" : "to", words_name(checker, fault->object));
}

static const char *block_reason(struct kernel_checker *checker, const struct observer_block *block)
{
    const uint64_t found = block->found;
    const char *const wanted = words_bytes(checker, block->wanted);
    switch (block->misuse) {
    case OBSERVER_BLOCK_PARTIAL:
        return words(checker,
                     "the sub-group has %" PRIu64 " of %" PRIu64
                     " work-items, and what a partial one does is undefined",
                     found, block->wanted);
    case OBSERVER_BLOCK_OFFSET:
        return words(checker, "it begins at byte %" PRIu64 ", which is not a multiple of %s", found,
                     wanted);
    case OBSERVER_BLOCK_HOST_POINTER:
        return words(checker, "the application gave memory for it that is not aligned to %s",
                     wanted);
    case OBSERVER_BLOCK_TEXEL:
        return words(checker, "the image's texels have %s; they may have %s at most",
                     words_bytes(checker, found), wanted);
    case OBSERVER_BLOCK_COLUMN:
        return words(checker,
                     "it begins at byte %" PRId64 " of a row, which is not a multiple of %s",
                     (int64_t)found, wanted);
    case OBSERVER_BLOCK_PITCH:
        return words(checker,
                     "the rows of the image, which was made from a buffer, are %s apart, no "
                     "multiple of %s",
                     words_bytes(checker, found), wanted);
    case OBSERVER_BLOCK_BOUNDS:
        break;
    }
    return words(checker,
                 "byte %" PRId64 " of a row of %s is beyond its end, and bounds count columns of 4 "
                 "bytes, of which the image's have fewer",
                 (int64_t)found, wanted);
}

static const char *block_advice(struct kernel_checker *checker, const struct observer_block *block,
                                bool reads)
{
    const char *const wanted = words_bytes(checker, block->wanted);
    switch (block->misuse) {
    case OBSERVER_BLOCK_PARTIAL:
        return words(checker,
                     "Launch work-groups of a multiple of get_max_sub_group_size() work-items, "
                     "here %" PRIu64 ", or let the last sub-group %s element by element.",
                     block->wanted, reads ? "read" : "write");
    case OBSERVER_BLOCK_OFFSET:
        return words(checker, "Let each block begin at a multiple of %s.", wanted);
    case OBSERVER_BLOCK_HOST_POINTER:
        return words(checker,
                     "Align the host_ptr of the memory object to %s, or leave CL_MEM_USE_HOST_PTR "
                     "out.",
                     wanted);
    case OBSERVER_BLOCK_TEXEL:
        return words(checker,
                     "Use an image whose texels have %s at most, or read and write it texel by "
                     "texel.",
                     wanted);
    case OBSERVER_BLOCK_COLUMN:
        return words(checker, "Pass as x a multiple of %s: it counts bytes of the row, not texels.",
                     wanted);
    case OBSERVER_BLOCK_PITCH:
        return words(checker, "Create the image with an image_row_pitch that is a multiple of %s.",
                     wanted);
    case OBSERVER_BLOCK_BOUNDS:
        break;
    }
    return "Keep x, which counts bytes, and the bytes of the whole sub-group behind it within the "
           "row; or use an image whose texels have 4 bytes.";
}

/* The launch may be over, and its program gone: the place outlives neither. */
static void add_keeper(struct kernel_checker *checker, struct finding *finding,
                       const struct observer_keeper *keeper)
{
    const struct observer_frame *at = &keeper->at;
    place_add(checker, finding,
              &(struct finding_place){
                  .kind = FINDING_PLACE_KERNEL,
                  .label = keeper->at_others ? "an earlier launch put it into memory here, or at "
                                               "another place of that kernel"
                                             : "an earlier launch put it into memory here",
                  .function = at->function,
                  .file = at->file != NULL && *at->file != '\0' ? at->file : NULL,
                  .line = at->line,
                  .column = at->column,
                  .source = at->source});
}

void fault_report(void *state, const struct observer_fault *fault)
{
    struct kernel_checker *checker = state;
    const enum rule_index rule = fault_rule(fault);
    struct finding *finding =
        case_count(checker, &(struct case_key){
                                .rule = rule,
                                .site = rule == RULE_SVM_SYSTEM ? 0 : fault->site,
                                .detail = rule == RULE_SVM_SYSTEM ? 0
                                          : fault->block != NULL  ? (uint32_t)fault->block->misuse
                                                                  : (uint32_t)fault->access,
                            });
    if (finding == NULL) {
        return;
    }
    const struct work_item item = work_item_lowest(checker, fault->mask);
    if (fault->block != NULL) {
        finding->message = block_message(checker, fault, &item);
        finding->reason = block_reason(checker, fault->block);
        finding->advice = block_advice(checker, fault->block, fault->access == OBSERVER_READ);
    } else if (fault->array != NULL) {
        finding->message = subscript_message(checker, fault, &item);
        finding->reason = subscript_reason(checker, fault);
    } else if (fault->pipe != NULL) {
        finding->message = pipe_message(checker, fault, &item);
        finding->reason = pipe_reason(fault->pipe);
    } else if (fault->image != NULL) {
        finding->message = image_message(checker, fault, &item);
        finding->reason = image_reason(checker, fault);
        finding->advice = image_advice(checker, fault);
    } else {
        finding->message = words(checker, "%s %s %s %s%s", words_item(checker, &item),
                                 verb_of(fault->access), words_bytes(checker, fault->size),
                                 fault_where(checker, fault), words_others(checker, fault->mask));
        finding->reason = fault_reason(checker, fault);
        if (fault->kind == OBSERVER_FAULT_READ_ONLY && fault->object->svm == OBSERVER_SVM_SYSTEM) {
            finding->advice = "Let the host map it with PROT_WRITE, or do not write to it.";
        } else if (fault->kind == OBSERVER_FAULT_FREED && fault->object->block) {
            finding->advice = "Free it when every kernel that uses it has finished.";
        }
    }
    if (fault->object != NULL) {
        finding->subject = words_object(checker, fault->object);
    }
    const char *const what = fault->pipe == NULL
                                 ? words(checker, "%s of %s", words_kind(fault->access),
                                         words_bytes(checker, fault->size))
                             : fault->access == OBSERVER_READ ? "use for reading"
                                                              : "use for writing";
    words_add_place(checker, finding, fault->site, words_access(checker, what, &item));
    if (fault->kind == OBSERVER_FAULT_ENDED) {
        words_add_place(checker, finding, fault->end_site,
                        words(checker, "the lifetime of '%s' ended here%s",
                              words_name(checker, fault->object),
                              fault->end_by_return ? ", with this call" : ""));
    }
    if (fault->kind == OBSERVER_FAULT_STALE && fault->keeper->at.line != 0) {
        add_keeper(checker, finding, fault->keeper);
    }
}
