/* Findings about single events: accesses that are wrong by themselves, undefined values, barriers
 * that not all work-items reach, and what could not be judged. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>
#include <string.h>

static struct work_item lowest_item(const struct kernel_checker *checker, uint64_t mask)
{
    return work_item_here(checker,
                          checker->now.vector * OBSERVER_LANES + (uint32_t)__builtin_ctzll(mask));
}

/* The other lanes of the mask: ", as do 3 more work-items". */
static const char *others_too(struct kernel_checker *checker, uint64_t mask)
{
    const int count = __builtin_popcountll(mask) - 1;
    if (count == 0) {
        return "";
    }
    return count == 1 ? ", as does 1 more work-item"
                      : words(checker, ", as do %d more work-items", count);
}

/* ---- faults ---- */

/* The memory as the kernel sees it. */
static enum observer_region fault_region(const struct observer_fault *fault)
{
    return fault->constant_pointer ? OBSERVER_CONSTANT : fault->object->region;
}

static enum rule_index fault_rule(const struct observer_fault *fault)
{
    switch (fault->kind) {
    case OBSERVER_FAULT_NULL:
        return RULE_ACCESS_NULL;
    case OBSERVER_FAULT_WILD:
        return RULE_ACCESS_WILD;
    case OBSERVER_FAULT_FREED:
        return RULE_ACCESS_FREED;
    case OBSERVER_FAULT_READ_ONLY:
        return RULE_ACCESS_READ_ONLY;
    case OBSERVER_FAULT_WRITE_ONLY:
        return RULE_ACCESS_WRITE_ONLY;
    case OBSERVER_FAULT_MISALIGNED:
        return RULE_ACCESS_MISALIGNED;
    case OBSERVER_FAULT_IMAGE_BOUNDS:
        return RULE_IMAGE_BOUNDS;
    case OBSERVER_FAULT_IMAGE_FORMAT:
        return RULE_IMAGE_FORMAT;
    case OBSERVER_FAULT_IMAGE_SAMPLER:
        return RULE_IMAGE_SAMPLER;
    case OBSERVER_FAULT_BOUNDS:
        break;
    }
    static const enum rule_index bounds[] = {
        [OBSERVER_GLOBAL] = RULE_BOUNDS_GLOBAL,
        [OBSERVER_LOCAL] = RULE_BOUNDS_LOCAL,
        [OBSERVER_PRIVATE] = RULE_BOUNDS_PRIVATE,
        [OBSERVER_CONSTANT] = RULE_BOUNDS_CONSTANT,
    };
    return fault->object == NULL ? RULE_ACCESS_WILD : bounds[fault_region(fault)];
}

/* "reads" for an access; what a copy or an atomic does beside is told by its own fault. */
static const char *verb_of(enum observer_access_kind kind)
{
    switch (kind) {
    case OBSERVER_READ:
        return "reads";
    case OBSERVER_WRITE:
        return "writes";
    case OBSERVER_ATOMIC_READ:
        return "atomically reads";
    case OBSERVER_ATOMIC_WRITE:
        return "atomically writes";
    case OBSERVER_ATOMIC_RMW:
        break;
    }
    return "atomically updates";
}

static const char *bounds_reason(struct kernel_checker *checker, const struct observer_fault *fault)
{
    const uint64_t size = fault->object->size;
    if (fault->neighbour != NULL) {
        return words(
            checker,
            "the pointer came from a sub-buffer, and the access leaves it for byte %" PRId64
            " of the buffer '%s' that it is a part of",
            fault->neighbour_offset, words_name(checker, fault->neighbour));
    }
    if (fault->offset < 0) {
        return words(checker, "the access begins %s before the start of '%s'",
                     words_bytes(checker, 0 - (uint64_t)fault->offset),
                     words_name(checker, fault->object));
    }
    if ((uint64_t)fault->offset < size) {
        return words(checker, "the access begins inside '%s' and ends %s past its end",
                     words_name(checker, fault->object),
                     words_bytes(checker, (uint64_t)fault->offset + fault->size - size));
    }
    const uint64_t beyond = (uint64_t)fault->offset - size;
    const char *const distance =
        beyond == 0 ? "right at the end"
                    : words(checker, "%s past the end", words_bytes(checker, beyond));
    if (fault->size <= 8 && size % fault->size == 0) {
        return words(checker, "the access begins %s of '%s', whose elements are 0 to %" PRIu64,
                     distance, words_name(checker, fault->object), size / fault->size - 1);
    }
    return words(checker, "the access begins %s of '%s'", distance,
                 words_name(checker, fault->object));
}

static const char *fault_where(struct kernel_checker *checker, const struct observer_fault *fault)
{
    if (fault->object == NULL) {
        return fault->kind == OBSERVER_FAULT_NULL ? "through a null pointer"
                                                  : "through a pointer that points into no object";
    }
    const bool whole = fault->offset >= 0 && fault->offset % fault->size == 0 && fault->size <= 8 &&
                       fault->object->size % fault->size == 0;
    const char *const at = whole ? words(checker, "element %" PRId64, fault->offset / fault->size)
                                 : words(checker, "byte %" PRId64, fault->offset);
    return words(checker, "at %s of %s memory '%s' (%s)", at, words_region(fault_region(fault)),
                 words_name(checker, fault->object), words_bytes(checker, fault->object->size));
}

static const char *fault_reason(struct kernel_checker *checker, const struct observer_fault *fault)
{
    switch (fault->kind) {
    case OBSERVER_FAULT_BOUNDS:
        return fault->object == NULL ? NULL : bounds_reason(checker, fault);
    case OBSERVER_FAULT_FREED:
        return "the object was released before the kernel ran to its end";
    case OBSERVER_FAULT_READ_ONLY:
        return fault->object != NULL && fault->object->region == OBSERVER_CONSTANT
                   ? "constant memory cannot be written by a kernel"
                   : "the memory object was created with CL_MEM_READ_ONLY";
    case OBSERVER_FAULT_WRITE_ONLY:
        return "the memory object was created with CL_MEM_WRITE_ONLY";
    case OBSERVER_FAULT_MISALIGNED:
        return words(checker,
                     "the type asks for an alignment of %s, and byte %" PRId64 " does not have it",
                     words_bytes(checker, fault->alignment), fault->offset);
    default:
        return NULL;
    }
}

/* ---- faults of images ---- */

/* "(3, 4)", or "3" where there is one coordinate. */
static const char *coordinates_words(struct kernel_checker *checker,
                                     const struct observer_image *image)
{
    const int64_t *at = image->coordinates;
    switch (image->coordinate_count) {
    case 1:
        return words(checker, "%" PRId64, at[0]);
    case 2:
        return words(checker, "(%" PRId64 ", %" PRId64 ")", at[0], at[1]);
    default:
        return words(checker, "(%" PRId64 ", %" PRId64 ", %" PRId64 ")", at[0], at[1], at[2]);
    }
}

/* "64 x 32 texels", layers being the last of an array's numbers. */
static const char *image_size_words(struct kernel_checker *checker,
                                    const struct observer_image *image)
{
    const uint64_t *size = image->size;
    switch (image->coordinate_count) {
    case 1:
        return words(checker, "%" PRIu64 " texel%s", size[0], size[0] == 1 ? "" : "s");
    case 2:
        return words(checker, "%" PRIu64 " x %" PRIu64 " texels", size[0], size[1]);
    default:
        return words(checker, "%" PRIu64 " x %" PRIu64 " x %" PRIu64 " texels", size[0], size[1],
                     size[2]);
    }
}

static const char *image_message(struct kernel_checker *checker, const struct observer_fault *fault,
                                 const struct work_item *item)
{
    const struct observer_image *image = fault->image;
    const char *const who = words_item(checker, item);
    const char *const verb = verb_of(fault->access);
    const char *const which =
        words(checker, "%s '%s' (%s)", image->type, words_name(checker, fault->object),
              image_size_words(checker, image));
    const char *const others = others_too(checker, fault->mask);
    if (fault->kind == OBSERVER_FAULT_IMAGE_FORMAT) {
        return words(checker, "%s %s %s as if its channels were %s%s", who, verb, which,
                     image->wanted, others);
    }
    if (fault->kind == OBSERVER_FAULT_IMAGE_SAMPLER) {
        return words(checker, "%s %s %s by a sampler that does not fit%s", who, verb, which,
                     others);
    }
    if (image->not_finite) {
        return words(checker, "%s %s %s at a coordinate that is no finite number%s", who, verb,
                     which, others);
    }
    return words(checker, "%s %s texel %s of %s%s", who, verb, coordinates_words(checker, image),
                 which, others);
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
    if (fault->access == OBSERVER_WRITE) {
        return "what a write outside the image does is undefined";
    }
    return image->sampled ? "the sampler has CLK_ADDRESS_NONE, which leaves the value undefined"
                          : "without a sampler the value is undefined";
}

void fault_report(struct kernel_checker *checker, const struct observer_fault *fault)
{
    const enum rule_index rule = fault_rule(fault);
    const struct case_key key = {
        .rule = rule,
        .site = fault->site,
        .other_site = fault->site,
        .detail = (uint32_t)fault->access,
    };
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    const struct work_item item = lowest_item(checker, fault->mask);
    if (fault->image != NULL) {
        finding->message = image_message(checker, fault, &item);
        finding->reason = image_reason(checker, fault);
    } else {
        finding->message = words(checker, "%s %s %s %s%s", words_item(checker, &item),
                                 verb_of(fault->access), words_bytes(checker, fault->size),
                                 fault_where(checker, fault), others_too(checker, fault->mask));
        finding->reason = fault_reason(checker, fault);
    }
    if (fault->object != NULL) {
        finding->subject = words_object(checker, fault->object);
    }
    struct finding_place *places = NULL;
    if (words_reserve_places(checker, finding, 1, &places)) {
        const char *const what = words(checker, "%s of %s", words_kind(fault->access),
                                       words_bytes(checker, fault->size));
        words_place(checker, fault->site, words_access(checker, what, &item), &places[0]);
    }
}

/* ---- undefined values ---- */

/* Whose value it is, as far as that is known. */
static const char *undefined_value(struct kernel_checker *checker,
                                   const struct observer_undefined *undefined)
{
    const struct observer_object *object = undefined->origin_object;
    switch (undefined->cause) {
    case OBSERVER_CAUSE_COMPONENT:
        return "a component that the vector does not have";
    case OBSERVER_CAUSE_ABSENT:
        return "the value of a work-item that took no part in the sub-group function";
    case OBSERVER_CAUSE_DIVISION:
        return "the unspecified result of a division";
    case OBSERVER_CAUSE_CONVERSION:
        return "the result of a conversion that does not fit the integer type";
    case OBSERVER_CAUSE_UNWRITTEN:
        break;
    }
    if (object != NULL && (object->is_image || undefined->origin_size == 0)) {
        return words(checker, "a value of %s memory '%s' that was never written",
                     words_region(object->region), words_name(checker, object));
    }
    if (object != NULL) {
        return words(checker, "%s of %s memory '%s', %s never written",
                     words_range(checker, undefined->origin_offset, undefined->origin_size),
                     words_region(object->region), words_name(checker, object),
                     undefined->origin_partly ? "a part of which was" : "which was");
    }
    if (undefined->origin_name == NULL || *undefined->origin_name == '\0') {
        return "a value that was never written";
    }
    return words(checker, "the value of '%s', which was never written", undefined->origin_name);
}

void undefined_report(struct kernel_checker *checker, const struct observer_undefined *undefined)
{
    static const struct {
        enum rule_index rule;
        const char *doing, *use;
    } uses[] = {
        [OBSERVER_UNDEFINED_BRANCH] = {RULE_UNINITIALISED_BRANCH, "branches on", "branch"},
        [OBSERVER_UNDEFINED_ADDRESS] = {RULE_UNINITIALISED_ADDRESS, "computes an address from",
                                        "access"},
        [OBSERVER_UNDEFINED_OUTPUT] = {RULE_UNINITIALISED_OUTPUT, "stores to global memory",
                                       "store"},
        [OBSERVER_UNDEFINED_UPDATE] = {RULE_UNINITIALISED_ATOMIC, "atomically updates",
                                       "atomic operation"},
        [OBSERVER_UNDEFINED_ARGUMENT] = {RULE_UNINITIALISED_ARGUMENT,
                                         "calls a built-in function that goes by", "call"},
        [OBSERVER_UNDEFINED_PRINT] = {RULE_UNINITIALISED_PRINT, "prints", "printf"},
    };
    if (undefined->use == OBSERVER_UNDEFINED_TOO_OFTEN) {
        incomplete_report(checker, "undefined values",
                          "it reads them millions of times; those told are the first");
        return;
    }
    const bool open = undefined->cause == OBSERVER_CAUSE_DIVISION ||
                      undefined->cause == OBSERVER_CAUSE_CONVERSION;
    const bool origin_known = undefined->origin_site != UINT32_MAX;
    const struct case_key key = {
        .rule = open ? RULE_UNSPECIFIED_RESULT : uses[undefined->use].rule,
        .site = undefined->site,
        .other_site = undefined->origin_site,
    };
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    const struct work_item item = lowest_item(checker, undefined->mask);
    const char *const value = undefined_value(checker, undefined);
    finding->message =
        words(checker, "%s %s %s%s", words_item(checker, &item), uses[undefined->use].doing, value,
              others_too(checker, undefined->mask));
    const struct observer_object *object = undefined->origin_object;
    if (open) {
        finding->reason = undefined->cause == OBSERVER_CAUSE_DIVISION
                              ? "the divisor is 0, or it is -1 and the dividend the least integer"
                              : "the number is beyond the integer type's range, or a NaN";
    } else if (object != NULL && object->writer != NULL) {
        finding->reason = words(checker, "the latest launch that could write to '%s' was %s",
                                words_name(checker, object), object->writer);
    }
    if (undefined->cause == OBSERVER_CAUSE_ABSENT) {
        finding->advice = "Use the result only where the work-item that it comes from executes the "
                          "function too.";
    }
    struct finding_place origin = {0};
    if (origin_known && undefined->origin_site != undefined->site) {
        words_place(checker, undefined->origin_site,
                    open ? "that is computed here" : "the undefined value comes from here",
                    &origin);
    }
    const bool two = origin.line != 0; /* a variable's declaration has no place in SPIR-V */
    struct finding_place *places = NULL;
    if (words_reserve_places(checker, finding, two ? 2 : 1, &places)) {
        words_place(checker, undefined->site,
                    words_access(checker, uses[undefined->use].use, &item), &places[0]);
        if (two) {
            places[1] = origin;
        }
    }
}

/* ---- divergence ---- */

static const char *work_items(struct kernel_checker *checker, uint64_t count)
{
    return count == 1 ? "1 work-item" : words(checker, "%" PRIu64 " work-items", count);
}

/* The set that should have come, with its number, and without. */
static const char *words_set(struct kernel_checker *checker,
                             const struct observer_divergence *divergence)
{
    const char *const group = words_triple(checker, checker->now.group);
    if (!divergence->of_sub_group) {
        return words(checker, "work-group %s", group);
    }
    return words(checker, "sub-group %" PRIu32 " of work-group %s",
                 divergence->waiting_item / checker->launch.sub_group_size, group);
}

static const char *kind_of_set(const struct observer_divergence *divergence)
{
    return divergence->of_sub_group ? "sub-group" : "work-group";
}

static const char *operation(const char *name)
{
    return name != NULL ? name : "a barrier";
}

/* Both wait, at different places: "at one barrier and 2 work-items at another". */
static const char *two_places(struct kernel_checker *checker,
                              const struct observer_divergence *divergence)
{
    const char *const here = operation(divergence->operation);
    const char *const there = operation(divergence->other_operation);
    const char *const others = work_items(checker, divergence->other_count);
    if (strcmp(here, there) != 0) {
        return words(checker, "at %s and %s at %s", here, others, there);
    }
    return words(checker, "at one%s and %s at another", strchr(here, ' '), others);
}

static const char *divergence_message(struct kernel_checker *checker,
                                      const struct observer_divergence *divergence)
{
    const char *const what = operation(divergence->operation);
    const char *const set = words_set(checker, divergence);
    const char *const waiting = work_items(checker, divergence->waiting_count);
    const char *const others = work_items(checker, divergence->other_count);
    const char *const s = divergence->waiting_count == 1 ? "s" : "";
    switch (divergence->kind) {
    case OBSERVER_DIVERGENCE_FINISHED:
        return words(checker, "%s of %s wait%s at %s that %s will never reach", waiting, set, s,
                     what, others);
    case OBSERVER_DIVERGENCE_ELSEWHERE:
        return words(checker, "%s of %s wait%s %s", waiting, set, s,
                     two_places(checker, divergence));
    case OBSERVER_DIVERGENCE_ITERATION:
        return words(checker,
                     "%s of %s wait%s at %s in iteration %" PRIu64
                     " of a loop and %s in iteration %" PRIu64,
                     waiting, set, s, what, divergence->waiting_iteration, others,
                     divergence->other_iteration);
    case OBSERVER_DIVERGENCE_ARGUMENTS:
        if (divergence->other_count == 0) {
            return words(checker, "%s names a work-item that %s does not have", what, set);
        }
        return words(checker, "%s of %s call%s %s with other arguments than %s", waiting, set, s,
                     what, others);
    case OBSERVER_DIVERGENCE_MIXED:
        break;
    }
    return words(checker,
                 "%s of %s wait%s at a barrier of one kind and %s at one of the other kind",
                 waiting, set, s, others);
}

static const char *divergence_reason(struct kernel_checker *checker,
                                     const struct observer_divergence *divergence)
{
    const char *const what = operation(divergence->operation);
    const char *const the = words(checker, "the%s", strchr(what, ' '));
    switch (divergence->kind) {
    case OBSERVER_DIVERGENCE_FINISHED:
        return words(checker,
                     "once one work-item reaches %s all of the %s must, but some have ended", the,
                     kind_of_set(divergence));
    case OBSERVER_DIVERGENCE_ELSEWHERE:
        return words(checker,
                     "all work-items of the %s must execute the same%s, reached by the same calls",
                     kind_of_set(divergence), strchr(what, ' '));
    case OBSERVER_DIVERGENCE_ITERATION:
        return words(checker,
                     "inside a loop all work-items must execute %s in each iteration before any "
                     "goes on",
                     the);
    case OBSERVER_DIVERGENCE_ARGUMENTS:
        if (divergence->other_count == 0) {
            return divergence->of_sub_group
                       ? "the sub-group local id must be below the size of the sub-group"
                       : "the local id must be below the local size in each dimension";
        }
        return words(checker,
                     "%s is executed by the %s as one, so its arguments must be the same for all "
                     "work-items",
                     what, kind_of_set(divergence));
    case OBSERVER_DIVERGENCE_MIXED:
        break;
    }
    return "a work-group barrier and a sub-group barrier are different functions and never match";
}

void divergence_report(struct kernel_checker *checker, const struct observer_divergence *divergence)
{
    const bool in_order = divergence->site <= divergence->other_site;
    const struct case_key key = {
        .rule = RULE_DIVERGENCE_BARRIER,
        .site = in_order ? divergence->site : divergence->other_site,
        .other_site = in_order ? divergence->other_site : divergence->site,
        .detail = (uint32_t)divergence->kind,
    };
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    finding->message = divergence_message(checker, divergence);
    finding->reason = divergence_reason(checker, divergence);
    if (divergence->kind == OBSERVER_DIVERGENCE_ARGUMENTS) {
        finding->advice =
            words(checker, "Compute these arguments from what is the same for the whole %s.",
                  kind_of_set(divergence));
    } else if (divergence->of_sub_group) {
        finding->advice = "Move it out of the conditional or loop, so that every work-item of the "
                          "sub-group executes it the same number of times.";
    }
    const struct work_item waiting = work_item_here(checker, divergence->waiting_item);
    const struct work_item other = work_item_here(checker, divergence->other_item);
    const char *const waits = words(checker, "%s waits here", words_item(checker, &waiting));
    struct finding_place *places = NULL;
    if (divergence->kind == OBSERVER_DIVERGENCE_ARGUMENTS && divergence->other_count == 0) {
        if (words_reserve_places(checker, finding, 1, &places)) {
            words_place(checker, divergence->site, "here", &places[0]);
        }
        return;
    }
    if (divergence->kind == OBSERVER_DIVERGENCE_FINISHED) {
        if (words_reserve_places(checker, finding, 1, &places)) {
            words_place(checker, divergence->site,
                        words(checker, "%s, work-item %s has ended", waits,
                              words_triple(checker, other.local)),
                        &places[0]);
        }
        return;
    }
    const bool loop = divergence->kind == OBSERVER_DIVERGENCE_ITERATION;
    if (words_reserve_places(checker, finding, 2, &places)) {
        words_place(
            checker, divergence->site,
            loop ? words(checker, "%s, in iteration %" PRIu64, waits, divergence->waiting_iteration)
                 : waits,
            &places[0]);
        const char *const here = words(checker, "%s waits here", words_item(checker, &other));
        words_place(
            checker, divergence->other_site,
            loop ? words(checker, "%s, in iteration %" PRIu64, here, divergence->other_iteration)
                 : here,
            &places[1]);
    }
}

void copy_lost_report(struct kernel_checker *checker, uint32_t site)
{
    const struct case_key key = {.rule = RULE_ASYNC_COPY_LOST, .site = site, .other_site = site};
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker,
                             "work-group %s ended without waiting for an asynchronous copy that it "
                             "started",
                             words_triple(checker, checker->now.group));
    finding->reason = "what is not waited for may happen later, or not at all";
    struct finding_place *places = NULL;
    if (words_reserve_places(checker, finding, 1, &places)) {
        words_place(checker, site, "the copy", &places[0]);
    }
}

/* ---- launches that do not end ---- */

static const char *standing_words(struct kernel_checker *checker,
                                  const struct observer_standing *standing)
{
    const struct work_item first = work_item_here(checker, standing->first_item);
    const bool one = standing->item_count == 1;
    const char *const does = standing->waits            ? (one ? "waits" : "wait")
                             : standing->object != NULL ? (one ? "goes round" : "go round")
                                                        : (one ? "is" : "are");
    const char *read = "";
    if (standing->object != NULL) {
        read = words(checker, ", which reads %" PRIu64 " from %s of %s", standing->value,
                     words_range(checker, standing->offset, standing->size),
                     words_object(checker, standing->object));
    }
    if (one) {
        return words(checker, "%s %s here%s", words_item(checker, &first), does, read);
    }
    return words(checker, "%s %s here, the first of them %s%s",
                 work_items(checker, standing->item_count), does, words_item(checker, &first),
                 read);
}

static const char *unfinished_message(struct kernel_checker *checker,
                                      const struct observer_unfinished *unfinished)
{
    const char *const barriers = unfinished->waiting_count == 0
                                     ? ""
                                     : words(checker, ", and %s wait%s at barriers",
                                             work_items(checker, unfinished->waiting_count),
                                             unfinished->waiting_count == 1 ? "s" : "");
    const char *const running = work_items(checker, unfinished->running_count);
    const char *const group = words_triple(checker, checker->now.group);
    const char *const s = unfinished->running_count == 1 ? "s" : "";
    const uint64_t others = unfinished->waiting_groups - 1;
    if (unfinished->operation_limit != 0) {
        return words(checker,
                     "kernel '%s' did not end within %" PRIu64
                     " operations: %s of work-group %s still run%s%s",
                     checker->launch.kernel, unfinished->operation_limit, running, group, s,
                     barriers);
    }
    return words(checker, "kernel '%s' %s: %s of work-group %s wait%s%s in loops%s%s",
                 checker->launch.kernel, unfinished->unstarted_groups == 0 ? "hangs" : "was ended",
                 running, group, s, unfinished->unstarted_groups == 0 ? " for ever" : "", barriers,
                 others == 0 ? ""
                 : others == 1
                     ? "; another work-group waits, too"
                     : words(checker, "; %" PRIu64 " other work-groups wait, too", others));
}

/* A launch that would go on if more groups could wait at a time is merely unfinished. */
void unfinished_report(struct kernel_checker *checker, const struct observer_unfinished *unfinished)
{
    const bool hangs = unfinished->operation_limit == 0 && unfinished->unstarted_groups == 0;
    const struct case_key key = {.rule = hangs ? RULE_WAIT_FOREVER : RULE_LAUNCH_UNFINISHED};
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    finding->message = unfinished_message(checker, unfinished);
    finding->reason =
        hangs ? "every work-item that has not ended went round its loop once more, and nothing "
                "changed: neither memory nor what any of them holds"
        : unfinished->operation_limit != 0
            ? "a loop may never end; also one that waits for other work-items or work-groups, as "
              "OpenCL does not promise that these make progress meanwhile"
            : words(checker,
                    "so many work-groups wait for others that the device begins no more of them: "
                    "%" PRIu64 " have not begun",
                    unfinished->unstarted_groups);
    struct finding_place *places = NULL;
    if (words_reserve_places(checker, finding, unfinished->place_count, &places)) {
        for (size_t i = 0; i < unfinished->place_count; i++) {
            const struct observer_standing *standing = &unfinished->places[i];
            words_place(checker, standing->site, standing_words(checker, standing), &places[i]);
        }
    }
}

static const char *dependence_message(struct kernel_checker *checker,
                                      const struct observer_dependence *dependence)
{
    const char *const here = words_triple(checker, checker->now.group);
    if (dependence->within == OBSERVER_SCOPE_DEVICE) {
        return words(checker,
                     "work-group %s waits for work-group %s, which need not begin before it has "
                     "ended",
                     here, words_triple(checker, dependence->other_group));
    }
    const struct work_item first = work_item_here(checker, dependence->place->first_item);
    const struct work_item other = work_item_here(checker, dependence->other_item);
    return words(checker, "work-item %s of work-group %s waits for work-item %s of %s",
                 words_triple(checker, first.local), here, words_triple(checker, other.local),
                 dependence->within == OBSERVER_SCOPE_SUB_GROUP ? "its sub-group"
                                                                : "another sub-group");
}

static const char *dependence_reason(enum observer_scope within)
{
    switch (within) {
    case OBSERVER_SCOPE_SUB_GROUP:
        return "work-items of a sub-group are not guaranteed to make independent forward "
               "progress: devices may let the one that waits go round for ever, and the other "
               "one never go on";
    case OBSERVER_SCOPE_WORK_GROUP:
        return "only devices with CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS let one "
               "sub-group go on while another one of its work-group waits in a loop; others may "
               "run them one after the other, from barrier to barrier";
    default:
        return "OpenCL promises no work-group that others run at the same time, and devices begin "
               "them in ascending order: where not all of them fit at once, the ones that wait "
               "leave no room for the ones that they wait for";
    }
}

void dependence_report(struct kernel_checker *checker, const struct observer_dependence *dependence)
{
    const struct observer_standing *place = dependence->place;
    const enum rule_index rule =
        dependence->within == OBSERVER_SCOPE_SUB_GROUP    ? RULE_PROGRESS_WORK_ITEM
        : dependence->within == OBSERVER_SCOPE_WORK_GROUP ? RULE_PROGRESS_SUB_GROUP
                                                          : RULE_PROGRESS_GROUP;
    const struct case_key key = {.rule = rule, .site = place->site};
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    const struct work_item first = work_item_here(checker, place->first_item);
    finding->message = dependence_message(checker, dependence);
    finding->reason = dependence_reason(dependence->within);
    struct finding_place *places = NULL;
    if (words_reserve_places(checker, finding, 1, &places)) {
        const char *const label = place->object == NULL
                                      ? words(checker, "%s waits here", words_item(checker, &first))
                                      : words(checker, "%s waits here for a change of %s of %s",
                                              words_item(checker, &first),
                                              words_range(checker, place->offset, place->size),
                                              words_object(checker, place->object));
        words_place(checker, place->site, label, &places[0]);
    }
}

void incomplete_report(struct kernel_checker *checker, const char *what, const char *reason)
{
    const struct case_key key = {.rule = RULE_ANALYSIS_INCOMPLETE,
                                 .detail = (uint8_t)what[0]}; /* one of each */
    struct finding *finding = case_count(checker, &key);
    if (finding == NULL) {
        return;
    }
    finding->message = words(checker, "%s in kernel '%s' were not looked for to the end", what,
                             checker->launch.kernel);
    finding->reason = reason;
    struct finding_place *places = NULL;
    if (!words_reserve_places(checker, finding, 1, &places)) {
        return;
    }
    /* The kernel, by the first of its instructions that has a line. */
    for (uint32_t site = 0; site < checker->launch.site_count && places[0].line == 0; site++) {
        words_place(checker, site, "this kernel", &places[0]);
        places[0].frame_count = 0;
    }
}
