#include "reference/vm/access.h"

#include "reference/vm/counters.h"
#include "reference/vm/trial.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- addresses that follow a pattern ---- */

/* Do all 64 lanes follow strided runs? A run ends where the step from lane to lane is another one.
 */
static bool addresses_in_runs(const row_u64 *addresses, struct vm_pattern *pattern)
{
    const uint64_t step = addresses[1] - addresses[0];
    uint32_t shift = 1;
    while (shift < ACCESS_NO_RUNS && addresses[1U << shift] - addresses[(1U << shift) - 1] == step)
        shift++;
    const uint32_t run = 1U << shift;
    const uint64_t jump = run < VM_LANES ? addresses[run] - addresses[0] : 0;
    uint64_t difference = 0;
    for (uint32_t lane = 0; lane < run - 1; lane++)
        difference |= (addresses[lane + 1] - addresses[lane]) ^ step;
    for (uint32_t lane = 0; lane < VM_LANES - run; lane++)
        difference |= (addresses[lane + run] - addresses[lane]) ^ jump;
    pattern->stride = (int64_t)step;
    pattern->run_shift = shift;
    pattern->jump = (int64_t)jump;
    return difference == 0;
}

/* Do the lanes of the mask follow addresses[first] + (lane - first) * stride? */
static bool addresses_strided(const row_u64 *addresses, uint64_t mask, struct vm_pattern *pattern)
{
    const uint32_t first = pattern->first;
    const uint64_t behind = mask & (mask - 1);
    if (!behind)
        return true;
    const uint32_t second = (uint32_t)__builtin_ctzll(behind);
    int64_t step = (int64_t)(addresses[second] - addresses[first]);
    if (second - first != 1) {
        const int64_t distance = (int64_t)(second - first);
        if (step % distance != 0)
            return false;
        step /= distance;
    }
    const uint64_t origin = addresses[first] - (uint64_t)first * (uint64_t)step;
    uint64_t difference = 0;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        difference |=
            mask & lane_bits_64[lane] ? addresses[lane] ^ (origin + lane * (uint64_t)step) : 0;
    pattern->stride = step;
    return difference == 0;
}

/* Finds the pattern of the addresses of the lanes of the mask, of which `first` and `last` are set.
 */
static bool find_pattern(const struct access *access, struct vm_pattern *pattern)
{
    const row_u64 *addresses = access->addresses;
    struct vm_vector *vector = access->vector;
    pattern->stride = 0;
    pattern->jump = 0;
    pattern->run_shift = ACCESS_NO_RUNS;
    if (!addresses)
        return true;
    if (access->affine) {
        const struct vm_affine *affine = vm_affine(vector, access->affine);
        if (pattern_of_terms(pattern, affine->step, affine->jump, vector->run_shift, access->mask))
            return true;
        MACHINE(affine_fill)(vector, access->affine, sizeof *addresses);
    }
    return access->mask == ~UINT64_C(0) ? addresses_in_runs(addresses, pattern)
                                        : addresses_strided(addresses, access->mask, pattern);
}

static uint64_t first_address(const struct access *access, uint32_t lane)
{
    if (access->affine)
        return affine_element(access->vector, vm_affine(access->vector, access->affine), lane);
    return access->addresses ? access->addresses[lane] : access->address;
}

static bool object_freed(const struct vm_object *object)
{
    return __atomic_load_n(&object->freed, __ATOMIC_RELAXED);
}

/* Is this kind of access forbidden? Where the object is not sealed it is told and performed, as
 * every device does it: the results of a program that is wrong here do not change. */
static bool object_forbids(const struct vm_object *object, enum observer_access_kind kind,
                           enum observer_fault_kind *fault)
{
    const bool reads = kind != OBSERVER_WRITE && kind != OBSERVER_ATOMIC_WRITE;
    const bool writes = kind != OBSERVER_READ && kind != OBSERVER_ATOMIC_READ;
    if (writes && (object->read_only || object->sealed)) {
        *fault = OBSERVER_FAULT_READ_ONLY;
        return true;
    }
    *fault = OBSERVER_FAULT_WRITE_ONLY;
    return reads && object->write_only;
}

/* ---- telling ---- */

/* What the program knows of it: a loan is the whole of what was lent. */
static const struct vm_object *lent_object(const struct access *access,
                                           const struct vm_object *object)
{
    return object->lender ? vm_memory_find(access->vector->run->memory, object->lender) : object;
}

static void tell_fault(const struct access *access, enum observer_fault_kind kind,
                       const struct vm_object *object, uint64_t mask, int64_t offset)
{
    struct observer_fault fault = {.kind = kind,
                                   .site = access->site,
                                   .access = access->kind,
                                   .object = object ? &object->identity : NULL,
                                   .constant_pointer = access->is_constant,
                                   .system_spared = access->vector->run->system == VM_SYSTEM_SPARED,
                                   .size = access->size,
                                   .mask = mask & ~access->untold,
                                   .offset = offset,
                                   .alignment = access->alignment,
                                   .part = access->part};
    if (kind == OBSERVER_FAULT_BOUNDS && object->root != lent_object(access, object)) {
        const int64_t reached = (int64_t)object->root_offset + offset;
        if (reached >= 0 && (uint64_t)reached < object->root->size) {
            fault.neighbour = &object->root->identity;
            fault.neighbour_offset = reached;
        }
    }
    vm_tell_fault(access->vector, &fault);
}

/* Private and constant memory cannot race; but private memory must not be accessed atomically. */
static bool access_told(const struct access *access, const struct access_span *span)
{
    const struct observer *observer = access->vector->run->observer;
    const enum observer_region region = span->object->identity.region;
    return observer && observer->access &&
           (region == OBSERVER_GLOBAL || region == OBSERVER_LOCAL ||
            (region == OBSERVER_PRIVATE && access->atomic)) &&
           (span->mask & ~access->untold);
}

/* Tells of the span as of a row. False: it is none, or more must be told. */
static bool tell_row(const struct observer *observer, const struct access *access,
                     const struct access_span *span)
{
    const struct vm_object *object = span->object;
    const bool uniform = span_uniform(span);
    const bool runs = span->run_shift < ACCESS_NO_RUNS && !uniform;
    if (!observer->row || access_is_atomic(access->kind) || access->untold ||
        access->is_read_write || object->root->identity.is_image || !span->strided ||
        !(uniform || span->mask >> span->first == bits_low(span->last - span->first + 1)) ||
        (runs && span->mask != ~UINT64_C(0)))
        return false;
    const struct lane_row row = {.site = access->site,
                                 .size = access->size,
                                 .object = &object->root->identity,
                                 .offset = object->root_offset + span->place,
                                 .stride = span->stride,
                                 .jump = runs ? span->jump : 0,
                                 .run = runs ? 1U << span->run_shift : 0,
                                 .first = (uint8_t)span->first,
                                 .last = (uint8_t)span->last,
                                 .writes = access->kind == OBSERVER_WRITE};
    return observer->row(observer->state, &row);
}

void MACHINE(access_tell)(const struct access *access, const struct access_span *span)
{
    if (!access_told(access, span))
        return;
    const struct observer *observer = access->vector->run->observer;
    const struct vm_object *object = span->object;
    uint64_t offsets[VM_LANES];
    if (tell_row(observer, access, span))
        return;
    struct lane_access told = {.site = access->site,
                               .kind = access->kind,
                               .object = &object->root->identity,
                               .size = access->size,
                               .mask = span->mask & ~access->untold,
                               .order = access->order,
                               .scope = access->scope,
                               .atomic = access->atomic,
                               .is_volatile = access->is_volatile,
                               .is_floating = access->is_floating,
                               .is_texel = object->root->identity.is_image,
                               .is_read_write = access->is_read_write,
                               .value = access->value,
                               .value_stride = access->value_stride};
    if (span->strided) {
        told.offset = object->root_offset + span->place;
        told.stride = span->stride;
        told.run = span->run_shift < ACCESS_NO_RUNS ? 1U << span->run_shift : 0;
        told.jump = span->jump;
    } else if (object->root_offset == 0) {
        told.offsets = span->places;
    } else {
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            offsets[lane] = span->places[lane] + object->root_offset;
        told.offsets = offsets;
    }
    observer->access(observer->state, &told);
}

static void tell_access(const struct access *access, const struct access_span *span)
{
    if (!access->is_later && (!access->atomic || !access->atomic->is_compare_exchange))
        MACHINE(access_tell)(access, span);
}

/* The debugger is told before the observer is. */
static void tell_debugged(const struct access *access, const struct access_span *span)
{
    struct vm_debugger *debugger = access->vector->run->debugger;
    if (debugger->access && !access->is_later)
        debugger->access(debugger->state, access, span);
    debugger->blamed = span->mask;
    tell_access(access, span);
    debugger->blamed = 0;
}

/* Puts what the explorer gives in the place of the span's object. */
static bool explore(struct access *access, struct access_span *span)
{
    const struct vm_explorer *explorer = access->vector->run->explorer;
    const struct vm_coming_access coming = {
        .site = access->site,
        .size = access->size,
        .kind = access->kind,
        .is_compare_exchange = access->atomic && access->atomic->is_compare_exchange,
        .is_floating = access->is_floating,
        .is_volatile = access->is_volatile,
        .order = access->order,
        .failure_order = access->atomic ? access->atomic->failure_order : OBSERVER_ORDER_RELAXED,
        .scope = access->scope,
        .object = span->object,
        .offset = access_place(span, span->first),
        .value = access->value ? (const uint8_t *)access->value + span->first * access->value_stride
                               : NULL,
    };
    const enum observer_region region = span->object->identity.region;
    if (region != OBSERVER_GLOBAL && region != OBSERVER_LOCAL)
        return true;
    const struct vm_object *given = explorer->access(explorer->state, &coming);
    if (given == span->object)
        return true;
    span->object = given;
    span->strided = true;
    span->place = 0;
    span->stride = 0;
    span->run_shift = ACCESS_NO_RUNS;
    span->jump = 0;
    if (!span->object)
        access->vector->active = 0;
    return span->object != NULL;
}

/* Was the launch told that the kernel uses this shared virtual memory? */
static bool is_listed(const struct vm_run *run, const struct observer_object *root)
{
    size_t low = 0;
    size_t high = run->svm_listed_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (run->svm_listed[middle] < root->id)
            low = middle + 1;
        else
            high = middle;
    }
    return (low < run->svm_listed_count && run->svm_listed[low] == root->id) ||
           run->svm_kinds >> root->svm & 1;
}

static __attribute__((noinline)) void tell_shared(const struct access *access,
                                                  const struct access_span *span)
{
    const struct vm_run *run = access->vector->run;
    const struct observer_object *root = &span->object->root->identity;
    const int64_t offset = (int64_t)access_place(span, span->first);
    if (root->svm == OBSERVER_SVM_SYSTEM && run->system == VM_SYSTEM_UNSAID)
        tell_fault(access, OBSERVER_FAULT_SYSTEM, span->object, span->mask, offset);
    else if (root->svm != OBSERVER_SVM_NONE && root->svm != OBSERVER_SVM_SYSTEM &&
             !is_listed(run, root))
        tell_fault(access, OBSERVER_FAULT_UNLISTED, span->object, span->mask, offset);
}

/* What the span writes of bytes that the launch was given as constant memory, too. */
static __attribute__((noinline)) void tell_constants(const struct access *access,
                                                     const struct access_span *span)
{
    const struct vm_run *run = access->vector->run;
    const struct vm_object *object = span->object;
    if (access->kind == OBSERVER_READ || access->kind == OBSERVER_ATOMIC_READ)
        return;
    for (uint32_t i = 0; i < run->constant_range_count; i++) {
        const struct vm_constant_range *range = &run->constant_ranges[i];
        uint64_t written = 0;
        FOR_EACH_LANE(lane, object->root == range->root ? span->mask : 0) {
            const uint64_t first = object->root_offset + access_place(span, lane);
            if (first < range->end && range->first < first + access->size)
                written |= UINT64_C(1) << lane;
        }
        written &= ~access->untold;
        if (!written)
            continue;
        const struct observer_fault fault = {
            .kind = OBSERVER_FAULT_CONSTANT,
            .site = access->site,
            .access = access->kind,
            .object = &object->identity,
            .size = access->size,
            .mask = written,
            .offset = (int64_t)access_place(span, (uint32_t)__builtin_ctzll(written)),
            .constant_argument = range->argument};
        vm_tell_fault(access->vector, &fault);
        return;
    }
}

/* The access, where somebody else takes part. Rare: kept out of the way. */
static __attribute__((noinline)) bool serve_attended(struct access *access,
                                                     struct access_span *span)
{
    const struct vm_run *run = access->vector->run;
    if (run->explorer)
        return explore(access, span);
    /* Whatever performs an access in another way notes it as well. */
    if (run->part && span->object->identity.region == OBSERVER_GLOBAL &&
        !trial_note(run->part, access, span))
        return false;
    if (run->counters && !access->is_later)
        vm_counters_access(access, span);
    if (run->debugger)
        tell_debugged(access, span);
    else
        tell_access(access, span);
    return true;
}

/* The access goes to where the span leads. */
static bool serve(struct access *access, struct access_span *span)
{
    ASSERT(span->mask >> span->last == 1 && span->mask << (63 - span->first) == UINT64_C(1) << 63);
    if (__builtin_expect(access->vector->run->constant_range_count != 0, 0))
        tell_constants(access, span);
    if (access->shared)
        tell_shared(access, span);
    const struct vm_run *run = access->vector->run;
    if (__builtin_expect(((uintptr_t)run->explorer | (uintptr_t)run->part |
                          (uintptr_t)run->debugger | (uintptr_t)run->counters) != 0,
                         0))
        return serve_attended(access, span);
    tell_access(access, span);
    return true;
}

/* ---- the common case: a pattern, within one object, nothing wrong ---- */

/* Owned pointers of the lanes follow a pattern, and the first lane's is its own: so are the others,
 * whose numbers in it count on as those of the lanes do. What is left are the steps of offsets. */
static void claim_pattern(const struct access *access, struct vm_pattern *pattern, uint64_t owned)
{
    const uint64_t step = vm_owned_is_private(owned) && pattern->first != pattern->last
                              ? access->vector->run->owners.private_count
                              : 0;
    pattern->stride -= (int64_t)(step << VM_OWNED_OFFSET_BITS);
    if (pattern->run_shift < ACCESS_NO_RUNS)
        pattern->jump -= (int64_t)(step << VM_OWNED_OFFSET_BITS << pattern->run_shift);
}

static bool resolve_pattern(const struct access *access, struct access_span *span)
{
    struct vm_pattern pattern = {.first = (uint32_t)__builtin_ctzll(access->mask),
                                 .last = 63 - (uint32_t)__builtin_clzll(access->mask)};
    const uint64_t found = first_address(access, pattern.first);
    const bool owned = vm_pointer_is_owned(found);
    const uint64_t address = owned ? access_claim(access->vector, found, pattern.first) : found;
    const struct vm_object *object = access_object(access->vector, address);
    if (!object || !find_pattern(access, &pattern))
        return false;
    if (__builtin_expect(owned, 0))
        claim_pattern(access, &pattern, found);
    enum observer_fault_kind fault;
    if (object_freed(object) || object_forbids(object, access->kind, &fault))
        return false;
    if (access->uniform && object->private_stride)
        return false;
    const uint64_t offset = (uint64_t)vm_pointer_offset(address);
    if (!pattern_within(&pattern, object->size, access->size, address) ||
        !pattern_aligned(&pattern, object->root_offset + offset - access->part, access->alignment))
        return false;
    span->object = object;
    span->mask = access->mask;
    span->strided = true;
    span->place = pattern_place(&pattern, offset, object->private_stride);
    span_set_pattern(span, &pattern);
    return true;
}

/* ---- the general case: one object after the other, lanes that fault taken out ---- */

static uint64_t lanes_of_object(const uint64_t *addresses, uint64_t mask, uint64_t address)
{
    LANES_WHERE(64, same, lane, (addresses[lane] ^ address) >> VM_POINTER_OFFSET_BITS == 0);
    return same & mask;
}

/* Sets the places and returns the lanes of the mask whose bytes lie in the object. */
static uint64_t lanes_within(const uint64_t *addresses, const struct vm_object *object,
                             uint32_t size, uint64_t mask, uint64_t places[VM_LANES])
{
    FOR_LANES(lane)
        places[lane] = (addresses[lane] & VM_POINTER_OFFSET_MASK) - VM_POINTER_BIAS;
    if (object->size < size)
        return 0;
    const uint64_t limit = object->size - size;
    LANES_WHERE(64, within, lane, places[lane] <= limit);
    return within & mask;
}

static uint64_t lanes_misaligned(const struct access *access, const struct vm_object *object,
                                 uint64_t mask, const uint64_t places[VM_LANES])
{
    if (access->alignment <= 1)
        return 0;
    const uint64_t start = object->root_offset - access->part;
    LANES_WHERE(64, misaligned, lane, (start + places[lane]) & (access->alignment - 1));
    return misaligned & mask;
}

/* Is it an owned pointer, of this launch or an earlier one? */
static bool is_given(const struct vm_vector *vector, uint64_t pointer)
{
    const uint64_t end = vector->run->owners.end;
    return vm_pointer_is_owned(pointer) &&
           (end > VM_OWNED_NUMBERS || vm_owned_number(pointer) < end);
}

/* Whose variable such a pointer leads to. When numbers have gone round it is not certain. */
static const struct vm_object *find_owner(const struct vm_vector *vector, uint64_t pointer,
                                          struct observer_owner *owner)
{
    const struct vm_owners *owners = &vector->run->owners;
    const bool private = vm_owned_is_private(pointer);
    const uint64_t number = vm_owned_number(pointer);
    *owner = (struct observer_owner){.kind = OBSERVER_OWNER_UNKNOWN,
                                     .region = private ? OBSERVER_PRIVATE : OBSERVER_LOCAL};
    if (owners->end > VM_OWNED_NUMBERS)
        return NULL;
    owner->kind = OBSERVER_OWNER_LAUNCH;
    if (number < owners->first)
        return NULL;
    const uint64_t in_launch = number - owners->first;
    const uint64_t in_group = in_launch % owners->group_stride;
    ASSERT(owners->local_count <= owners->group_stride);
    if (private != (in_group >= owners->local_count))
        return NULL;
    owner->kind = OBSERVER_OWNER_KNOWN;
    owner->group = in_launch / owners->group_stride;
    if (!private)
        return &vector->objects[in_group];
    const uint64_t in_items = in_group - owners->local_count;
    owner->item = (uint32_t)(in_items / owners->private_count);
    return &vector->objects[owners->private_object + in_items % owners->private_count];
}

/* Owned pointers to what is not the lanes' own. */
static void fault_foreign(const struct access *access, uint64_t mask)
{
    const uint64_t told = mask & ~access->untold;
    if (!told)
        return;
    const uint64_t pointer = access->copy[__builtin_ctzll(told)];
    struct observer_owner owner;
    const struct vm_object *object = find_owner(access->vector, pointer, &owner);
    const struct observer_fault fault = {.kind = OBSERVER_FAULT_FOREIGN,
                                         .site = access->site,
                                         .access = access->kind,
                                         .object = object ? &object->identity : NULL,
                                         .size = access->size,
                                         .mask = told,
                                         .offset = vm_owned_offset(pointer),
                                         .owner = &owner};
    vm_tell_fault(access->vector, &fault);
}

/* The lanes of the mask, the first one's address being `address`, that are wrong in the same way by
 * a block which malloc gave; 0 = it is not by that. */
static uint64_t fault_block(const struct access *access, uint64_t mask, uint64_t address)
{
    const struct vm_run *run = access->vector->run;
    struct heap_block block;
    struct heap_block other;
    uint64_t same = 0;
    if (run->system == VM_SYSTEM_SPARED ||
        !vm_memory_blame_block(run->memory, &run->blocks, address, access->size, &block))
        return 0;
    FOR_EACH_LANE(lane, mask) {
        if (vm_memory_blame_block(run->memory, &run->blocks, access->copy[lane], access->size,
                                  &other) &&
            other.first == block.first && other.freed == block.freed)
            same |= UINT64_C(1) << lane;
    }
    const uint64_t told = same & ~access->untold ? same & ~access->untold : same;
    struct vm_object object = {.identity = {.region = OBSERVER_GLOBAL,
                                            .size = block.size,
                                            .name = "memory from malloc",
                                            .svm = OBSERVER_SVM_SYSTEM,
                                            .block = block.first},
                               .size = block.size};
    object.root = &object;
    tell_fault(access, block.freed ? OBSERVER_FAULT_FREED : OBSERVER_FAULT_BOUNDS, &object, same,
               (int64_t)(access->copy[__builtin_ctzll(told)] - block.first));
    return same;
}

/* Addresses of no object: near 0 on either side it is a null pointer that was walked from. The
 * lanes that were told of, with `address` in the first. */
static uint64_t fault_nowhere(const struct access *access, uint64_t mask, uint64_t address)
{
    if (address == VM_POINTER_NOWHERE)
        return mask;
    if (is_given(access->vector, address)) {
        fault_foreign(access, mask);
        return mask;
    }
    const uint64_t of_block = fault_block(access, mask, address);
    if (of_block)
        return of_block;
    const int64_t distance = (int64_t)address;
    const int64_t near = INT64_C(1) << 32;
    const bool null = distance > -near && distance < near;
    tell_fault(access, null ? OBSERVER_FAULT_NULL : OBSERVER_FAULT_WILD, NULL, mask, distance);
    return mask;
}

/* One that has ended is there nevertheless. */
static void tell_ended(const struct access *access, const struct vm_object *object, uint64_t lanes)
{
    const struct vm_code *code = access->vector->run->code;
    const uint32_t site = object->end_sites[__builtin_ctzll(lanes)];
    ASSERT(site < code->instruction_count);
    const uint64_t told = lanes & ~access->untold;
    uint64_t same = 0;
    FOR_EACH_LANE(lane, told) {
        same |= object->end_sites[lane] == site ? UINT64_C(1) << lane : 0;
    }
    if (!same)
        return;
    const struct observer_fault fault = {.kind = OBSERVER_FAULT_ENDED,
                                         .site = access->site,
                                         .access = access->kind,
                                         .object = &object->identity,
                                         .size = access->size,
                                         .mask = same,
                                         .offset =
                                             vm_pointer_offset(access->copy[__builtin_ctzll(same)]),
                                         .end_site = site,
                                         .end_by_return = code->instructions[site].aux};
    vm_tell_fault(access->vector, &fault);
}

/* The loan's launch is over. What was lent may still be there, as it is on every device. */
static const struct vm_object *follow_stale(const struct access *access,
                                            const struct vm_object *loan, uint64_t mask)
{
    const struct vm_object *object = vm_memory_find(access->vector->run->memory, loan->lender);
    const uint64_t told = mask & ~access->untold;
    if (object_freed(object) || !told)
        return object;
    const struct observer_fault fault = {.kind = OBSERVER_FAULT_STALE,
                                         .site = access->site,
                                         .access = access->kind,
                                         .object = &object->identity,
                                         .size = access->size,
                                         .mask = told,
                                         .offset =
                                             vm_pointer_offset(access->copy[__builtin_ctzll(told)]),
                                         .keeper = loan->keeper};
    vm_tell_fault(access->vector, &fault);
    return object;
}

/* Tells what is wrong with lanes of one object; returns those that may go on, their places set. */
static uint64_t resolve_object(struct access *access, const struct vm_object *object, uint64_t mask,
                               uint64_t places[VM_LANES])
{
    if (object->ended & mask)
        tell_ended(access, object, object->ended & mask);
    if (!object->private_stride && object_freed(object)) {
        const uint32_t first = (uint32_t)__builtin_ctzll(mask);
        tell_fault(access, OBSERVER_FAULT_FREED, object, mask,
                   vm_pointer_offset(access->copy[first]));
        return 0;
    }
    const uint64_t within = lanes_within(access->copy, object, access->size, mask, places);
    const uint64_t outside = mask & ~within;
    if (outside) {
        const uint64_t told = outside & ~access->untold ? outside & ~access->untold : outside;
        tell_fault(access, OBSERVER_FAULT_BOUNDS, object, outside,
                   (int64_t)places[__builtin_ctzll(told)]);
    }
    enum observer_fault_kind fault;
    if (within && object_forbids(object, access->kind, &fault)) {
        tell_fault(access, fault, object, within, (int64_t)places[__builtin_ctzll(within)]);
        if (object->sealed)
            return 0;
    }
    const uint64_t misaligned = lanes_misaligned(access, object, within & ~access->untold, places);
    if (misaligned)
        tell_fault(access, OBSERVER_FAULT_MISALIGNED, object, misaligned,
                   (int64_t)places[__builtin_ctzll(misaligned)]);
    if (object->private_stride) {
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            places[lane] += lane * object->private_stride;
    }
    return within;
}

static bool resolve_each(struct access *access, struct access_span *span)
{
    ASSERT(access->size > 0 && (access->alignment & (access->alignment - 1)) == 0);
    while (access->mask) {
        const uint32_t first = (uint32_t)__builtin_ctzll(access->mask);
        const uint64_t address = access->copy[first];
        const uint64_t mask = lanes_of_object(access->copy, access->mask, address);
        const struct vm_object *object = access_object(access->vector, address);
        if (!object || (access->uniform && object->private_stride)) {
            access->mask &= ~fault_nowhere(access, mask, address);
            continue;
        }
        access->mask &= ~mask;
        if (object->lender != 0 && object_freed(object))
            object = follow_stale(access, object, mask);
        span->mask = resolve_object(access, object, mask, span->places);
        if (!span->mask)
            continue;
        span->object = object;
        span->first = (uint32_t)__builtin_ctzll(span->mask);
        span->last = 63 - (uint32_t)__builtin_clzll(span->mask);
        span->strided = false;
        return true;
    }
    return false;
}

static bool find_range(const struct access *access, uint64_t address, struct vm_shared_range *range)
{
    const struct vm_run *run = access->vector->run;
    return vm_memory_find_shared(run->memory, address, range) ||
           (run->system != VM_SYSTEM_SPARED &&
            vm_memory_find_system(run->memory, &run->blocks, address, access->size, range));
}

/* Makes pointers of addresses of shared virtual memory, the system's too, in the copy; false =
 * there are none. Mostly they are all of one object. */
static bool find_shared(struct access *access)
{
    struct vm_shared_range range = {0};
    bool found = false;
    const uint64_t first = access->copy[__builtin_ctzll(access->mask)];
    if (!(first & VM_POINTER_TAG) && find_range(access, first, &range)) {
        LANES_WHERE(64, within, lane, access->copy[lane] - range.first < range.size);
        if (!(access->mask & ~within)) {
            FOR_LANES(lane)
                access->copy[lane] += range.difference;
            return true;
        }
    }
    FOR_EACH_LANE(lane, access->mask) {
        uint64_t *address = &access->copy[lane];
        if (*address & VM_POINTER_TAG ||
            (*address - range.first >= range.size && !find_range(access, *address, &range)))
            continue;
        *address += range.difference;
        found = true;
    }
    return found;
}

/* Takes the owner out of pointers in the copy that lead to what is the lane's own; false = there
 * were not owned ones. */
static bool claim_own(struct access *access)
{
    LANES_WHERE(64, owned, lane, vm_pointer_is_owned(access->copy[lane]));
    if (!(access->mask & owned))
        return false;
    FOR_LANES(lane)
        access->copy[lane] = access_claim(access->vector, access->copy[lane], lane);
    return true;
}

bool MACHINE(access_next)(struct access *access, struct access_span *span)
{
    if (!access->mask)
        return false;
    if (access->addresses != access->copy) {
        access->shared = false;
        access->uniform = !access->addresses;
        if (__builtin_expect(resolve_pattern(access, span), 1)) {
            access->mask = 0;
            return serve(access, span);
        }
        if (access->affine)
            MACHINE(affine_fill)(access->vector, access->affine, sizeof *access->addresses);
        access->affine = 0;
        if (access->addresses)
            memcpy(access->copy, access->addresses, sizeof access->copy);
        else
            FOR_LANES(lane)
                access->copy[lane] = access->address;
        access->addresses = access->copy;
        const bool claimed = claim_own(access);
        access->shared = find_shared(access);
        if ((claimed || access->shared) && resolve_pattern(access, span)) {
            access->mask = 0;
            return serve(access, span);
        }
    }
    return resolve_each(access, span) && serve(access, span);
}
