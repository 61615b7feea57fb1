/* Queues of the device itself: each active lane by itself, in order. What a command takes with it
 * and what it waits for is read from memory here, by the gate, as the event that it gives is
 * written; the rest is the business of who keeps the queues. */
#include "reference/vm/defined.h"
#include "trace/base/alloc.h"

#include <string.h>

enum { PIECE = 64, EVENT_MAX = 1 << 20 };

/* An access of one lane. */
static void begin(struct access *access, struct vm_vector *vector, const struct vm_instruction *in,
                  uint32_t lane, enum observer_access_kind kind, uint64_t addresses[VM_LANES],
                  uint32_t size)
{
    access_begin(access, vector, in, kind, size);
    access->addresses = addresses;
    access->mask = UINT64_C(1) << lane;
}

/* `undefined` gets a bit for each byte, unless it is NULL. False when some cannot be read. */
static bool read_bytes(struct vm_vector *vector, const struct vm_instruction *in, uint32_t lane,
                       uint64_t address, uint64_t size, uint8_t *bytes, uint8_t *undefined)
{
    for (uint64_t done = 0; done < size; done += PIECE) {
        uint64_t addresses[VM_LANES] = {0};
        struct access access;
        struct access_span span;
        addresses[lane] = address + done;
        begin(&access, vector, in, lane, OBSERVER_READ, addresses,
              size - done < PIECE ? (uint32_t)(size - done) : PIECE);
        if (!MACHINE(access_next)(&access, &span))
            return false;
        memcpy(bytes + done, span.object->bytes + access_place(&span, lane), access.size);
        for (uint32_t at = 0; at < access.size && undefined && span.object->undefined; at += 8)
            undefined[(done + at) / 8] = (uint8_t)lane_undefined(
                &span, lane, access.size - at < 8 ? access.size - at : 8, at);
    }
    return true;
}

static void write_event(struct vm_vector *vector, const struct vm_instruction *in, uint32_t lane,
                        uint64_t address, uint64_t event)
{
    uint64_t addresses[VM_LANES] = {0};
    struct access access;
    struct access_span span;
    addresses[lane] = address;
    begin(&access, vector, in, lane, OBSERVER_WRITE, addresses, sizeof event);
    if (!MACHINE(access_next)(&access, &span))
        return;
    memcpy(span.object->bytes + access_place(&span, lane), &event, sizeof event);
    span_define(&span, sizeof event);
}

/* OpenCL C 3.0, 6.15.18.5, capture_event_profiling_info: "value is a pointer to two 64-bit values",
 * which are written once the command has ended. */
static void check_times(struct vm_vector *vector, const struct vm_instruction *in, uint32_t lane,
                        uint64_t address)
{
    uint64_t addresses[VM_LANES] = {0};
    struct access access;
    struct access_span span;
    addresses[lane] = address;
    begin(&access, vector, in, lane, OBSERVER_WRITE, addresses, 2 * sizeof(uint64_t));
    access.alignment = sizeof(uint64_t);
    access.is_later = true;
    MACHINE(access_next)(&access, &span);
}

/* The wait list of arguments[at] events at arguments[at + 1]. The caller frees it. */
static uint64_t *read_events(struct vm_vector *vector, const struct vm_instruction *in,
                             uint32_t lane, const uint64_t *arguments, uint32_t at)
{
    const uint32_t count = (uint32_t)arguments[at];
    if (count == 0 || count > EVENT_MAX || arguments[at + 1] == 0)
        return NULL;
    uint64_t *events = alloc_zero(count, sizeof *events);
    if (events && read_bytes(vector, in, lane, arguments[at + 1], (uint64_t)count * sizeof *events,
                             (uint8_t *)events, NULL))
        return events;
    alloc_free(events);
    return NULL;
}

/* No object has this number. */
enum { NO_OBJECT = VM_LAUNCH_OBJECTS_END - 1 };

/* Pointers to local and private memory mean nothing to a child, which has its own: they are told,
 * and made to lead nowhere. */
static void check_captures(const struct vm_vector *vector, struct vm_device_request *request,
                           uint8_t *literal)
{
    const struct observer *observer = vector->run->observer;
    for (uint64_t at = 0; at + 8 <= request->call->literal_size; at += 8) {
        uint64_t word;
        memcpy(&word, literal + at, sizeof word);
        word = access_claim(vector, word, request->item % VM_LANES);
        const bool own = (word & VM_POINTER_TAG) && vm_pointer_object(word) >= VM_LAUNCH_OBJECT;
        const struct vm_object *object = own ? access_object(vector, word) : NULL;
        if (!object || vm_pointer_offset(word) < 0 ||
            (uint64_t)vm_pointer_offset(word) > object->size)
            continue;
        word = vm_pointer_make(NO_OBJECT, vm_pointer_offset(word));
        memcpy(literal + at, &word, sizeof word);
        if (observer && observer->queue_fault)
            observer->queue_fault(observer->state,
                                  &(struct observer_queue_fault){.kind = OBSERVER_QUEUE_CAPTURE,
                                                                 .site = request->site,
                                                                 .item = request->item,
                                                                 .function = "enqueue_kernel",
                                                                 .object = &object->identity});
    }
}

static uint64_t enqueue(struct vm_vector *vector, const struct vm_instruction *in, uint32_t lane,
                        struct vm_device_request *request)
{
    const struct vm_device *device = vector->run->device;
    const bool marker = request->call->function == VM_DEVICE_MARKER;
    const uint64_t *arguments = request->arguments;
    const uint32_t list = marker ? 1 : VM_ENQUEUE_EVENT_COUNT;
    const uint64_t size = marker ? 0 : request->call->literal_size;
    uint8_t *literal = alloc_zero(size + size / 8 + 2, 1);
    uint64_t *events = read_events(vector, in, lane, arguments, list);
    if (literal && !marker)
        read_bytes(vector, in, lane, arguments[VM_ENQUEUE_LITERAL], size, literal, literal + size);
    if (literal && !marker)
        check_captures(vector, request, literal);
    request->events = events;
    request->literal = literal;
    request->literal_undefined = literal ? literal + size : NULL;
    request->event = 0;
    const uint64_t result = device->call(device->state, request);
    if (arguments[list + 2] != 0 && request->event != 0)
        write_event(vector, in, lane, arguments[list + 2], request->event);
    alloc_free(events);
    alloc_free(literal);
    return result;
}

/* Without queues: CLK_ENQUEUE_FAILURE, no queue, no event, no sizes. */
static uint64_t refuse(enum vm_device_function function)
{
    if (function == VM_DEVICE_ENQUEUE || function == VM_DEVICE_MARKER)
        return (uint64_t)INT64_C(-101);
    return function == VM_DEVICE_CREATE_EVENT ? UINT64_MAX : 0;
}

void MACHINE(op_device_call)(struct vm_vector *vector, const struct vm_instruction *in)
{
    const struct vm_device *device = vector->run->device;
    const struct vm_device_call *call = &vector->run->code->device_calls[in->aux];
    uint64_t arguments[128];
    uint64_t results[VM_LANES] = {0};
    vector->run->progress_count++;
    for (uint32_t i = 0; i < call->row_count; i++)
        vm_tell_if_undefined(vector, in, OBSERVER_UNDEFINED_ARGUMENT, call->rows[i],
                             vector->active);
    FOR_LANES_IN_ORDER(lane, vector->active, vector->run->lane_order) {
        struct vm_device_request request = {.call = call,
                                            .site = vm_site(vector, in),
                                            .item = vector->index * VM_LANES + lane,
                                            .arguments = arguments};
        for (uint32_t i = 0; i < call->row_count; i++)
            arguments[i] = ROW(u64, call->rows[i])[lane];
        if (!device)
            results[lane] = refuse(call->function);
        else if (call->function == VM_DEVICE_ENQUEUE || call->function == VM_DEVICE_MARKER)
            results[lane] = enqueue(vector, in, lane, &request);
        else
            results[lane] = device->call(device->state, &request);
        if (device && call->function == VM_DEVICE_CAPTURE_TIMES)
            check_times(vector, in, lane, arguments[2]);
    }
    if (in->dst == 0)
        return;
    memcpy(ROW(u64, in->dst), results, sizeof results);
    vector->undefined[in->dst] = 0;
}
