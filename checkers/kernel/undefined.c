/* Findings about uses of undefined values. */
#include "checkers/kernel/state.h"
#include "checkers/kernel/words.h"

#include <inttypes.h>

/* Results that the specification leaves open, why it does, and what to do. */
static const struct {
    const char *value, *reason, *advice;
} opens[] = {
    [OBSERVER_CAUSE_DIVISION] =
        {"the unspecified result of a division",
         "the divisor is 0, or it is -1 and the dividend the least integer",
         "Test the divisor before: it must not be 0, nor -1 where the dividend may be the least "
         "integer."},
    [OBSERVER_CAUSE_CONVERSION] = {"the result of a conversion that does not fit the integer type",
                                   "the number is beyond the integer type's range, or a NaN",
                                   "Convert with _sat, as convert_uchar_sat does, or test the "
                                   "number before it is converted."},
    [OBSERVER_CAUSE_CLAMP] = {"the undefined result of clamp", "minval is greater than maxval",
                              "Pass the lower limit as minval and the higher one as maxval."},
    [OBSERVER_CAUSE_SMOOTHSTEP] = {"the undefined result of smoothstep",
                                   "edge0 is not less than edge1, or x is a NaN",
                                   "Pass the smaller edge as edge0 and a greater one as edge1, and "
                                   "test whether x is a NaN before."},
    [OBSERVER_CAUSE_MUL24] = {"the implementation-defined result of mul24 or mad24",
                              "a factor does not fit in 24 bits",
                              "Multiply by * instead, or test that both factors fit in 24 bits."},
    [OBSERVER_CAUSE_SHIFT] = {"the undefined result of a shift",
                              "the number of bits to shift by is not less than the width of the "
                              "number",
                              "Take the number of bits modulo the width of the number, as OpenCL C "
                              "does, or test it before."},
};

static bool is_open(enum observer_undefined_cause cause)
{
    return cause >= OBSERVER_CAUSE_DIVISION;
}

/* Is it a value that a migration has left undefined? */
static bool is_emptied(const struct observer_undefined *undefined)
{
    const struct observer_object *object = undefined->origin_object;
    return object != NULL && undefined->cause == OBSERVER_CAUSE_UNWRITTEN &&
           undefined->origin_offset >= object->emptied_first &&
           undefined->origin_offset < object->emptied_end;
}

/* "was never written" */
static const char *unwritten_words(const struct observer_undefined *undefined)
{
    if (is_emptied(undefined)) {
        return "nothing has written since it was migrated without its contents";
    }
    return undefined->origin_object->svm == OBSERVER_SVM_COARSE
               ? "no command has written, nor the host while it was mapped"
               : "was never written";
}

/* Whose value it is, as far as that is known. */
static const char *undefined_value(struct kernel_checker *checker,
                                   const struct observer_undefined *undefined)
{
    const struct observer_object *object = undefined->origin_object;
    if (is_open(undefined->cause)) {
        return opens[undefined->cause].value;
    }
    if (undefined->cause == OBSERVER_CAUSE_COMPONENT) {
        return "a component that the vector does not have";
    }
    if (undefined->cause == OBSERVER_CAUSE_ABSENT) {
        return "the value of a work-item that took no part in the sub-group function";
    }
    if (object != NULL && (object->is_image || undefined->origin_size == 0)) {
        return words(checker, "a value of %s memory '%s' that %s", words_region(object->region),
                     words_name(checker, object), unwritten_words(undefined));
    }
    if (object != NULL) {
        return words(checker, "%s of %s memory '%s', %swhich %s",
                     words_range(checker, undefined->origin_offset, undefined->origin_size),
                     words_region(object->region), words_name(checker, object),
                     undefined->origin_partly ? "a part of " : "", unwritten_words(undefined));
    }
    if (undefined->origin_name == NULL || *undefined->origin_name == '\0') {
        return "a value that was never written";
    }
    if (undefined->origin_part == OBSERVER_PART_OTHER) {
        return words(checker, "a part of '%s' that was never written", undefined->origin_name);
    }
    if (undefined->origin_part != 0) {
        return words(checker, "element %" PRIu64 " of '%s', which was never written",
                     undefined->origin_part - 1, undefined->origin_name);
    }
    return words(checker, "the value of '%s', which was never written", undefined->origin_name);
}

/* NULL: as of a variable, which is what the rule says. */
static const char *advice_to_write(const struct observer_object *object)
{
    if (object->svm == OBSERVER_SVM_COARSE) {
        return "Let the host write coarse-grained shared virtual memory between clEnqueueSVMMap "
               "and clEnqueueSVMUnmap; what it writes at other times need not reach the kernel.";
    }
    if (object->is_image) {
        return "Fill or write the whole image before the launch (clEnqueueFillImage, "
               "clEnqueueWriteImage), or read only texels that are written.";
    }
    if (object->region == OBSERVER_GLOBAL) {
        return "Fill or write the whole buffer before the launch (clEnqueueFillBuffer, "
               "clEnqueueWriteBuffer), or let the kernel write each element before it reads it.";
    }
    return object->region == OBSERVER_LOCAL
               ? "Write each element that is read, also those at the edges, and put "
                 "barrier(CLK_LOCAL_MEM_FENCE) between the write and the read."
               : NULL;
}

void undefined_report(void *state, const struct observer_undefined *undefined)
{
    struct kernel_checker *checker = state;
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
                                         "calls a built-in function that depends on", "call"},
        [OBSERVER_UNDEFINED_PRINT] = {RULE_UNINITIALISED_PRINT, "prints", "printf"},
    };
    if (undefined->use == OBSERVER_UNDEFINED_TOO_OFTEN) {
        incomplete_report(checker, "undefined values",
                          "it reads them millions of times; those told are the first",
                          "Mend those that are told: then all others are looked for again.");
        return;
    }
    const bool open = is_open(undefined->cause);
    const bool origin_known = undefined->origin_site != UINT32_MAX;
    struct finding *finding =
        case_count(checker, &(struct case_key){
                                .rule = open ? RULE_UNSPECIFIED_RESULT : uses[undefined->use].rule,
                                .site = undefined->site,
                                .other_site = undefined->origin_site,
                            });
    if (finding == NULL) {
        return;
    }
    const struct work_item item = work_item_lowest(checker, undefined->mask);
    const char *const value = undefined_value(checker, undefined);
    finding->message =
        words(checker, "%s %s %s%s", words_item(checker, &item), uses[undefined->use].doing, value,
              words_others(checker, undefined->mask));
    const struct observer_object *object = undefined->origin_object;
    if (open) {
        finding->reason = opens[undefined->cause].reason;
        finding->advice = opens[undefined->cause].advice;
    } else if (object != NULL && object->writer != NULL) {
        finding->reason = words(checker, "the latest launch that could write to '%s' was %s",
                                words_name(checker, object), object->writer);
    }
    if (undefined->cause == OBSERVER_CAUSE_UNWRITTEN && object != NULL &&
        undefined->use != OBSERVER_UNDEFINED_UPDATE) { /* of which the rule tells */
        finding->advice = is_emptied(undefined)
                              ? "Migrate the object without "
                                "CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, or write what is read "
                                "after it."
                              : advice_to_write(object);
    }
    if (undefined->cause == OBSERVER_CAUSE_ABSENT) {
        finding->advice = "Use the result only where the work-item that it comes from executes the "
                          "function too.";
    }
    words_add_place(checker, finding, undefined->site,
                    words_access(checker, uses[undefined->use].use, &item));
    if (origin_known && undefined->origin_site != undefined->site) {
        struct finding_place origin;
        words_place(checker, undefined->origin_site,
                    open ? "that is computed here" : "the undefined value comes from here",
                    &origin);
        if (origin.line != 0) { /* a variable's declaration has no place in SPIR-V */
            place_add(checker, finding, &origin);
        }
    }
}
