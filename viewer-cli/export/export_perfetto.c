/* clerk export --format perfetto: a Trace of perfetto.dev as protobuf writes it.
 *
 * A Trace is a list of TracePackets. One describes a track (the process, a thread, a lane of a
 * queue), or one is the begin or the end of a slice on a track, an instant there: a finding, or
 * what a counter counts: the memory in use. A flow, the number of a call, leads from it to the
 * command that it enqueued. Their fields are those of Perfetto's protos/perfetto/trace; their order
 * in the file is free, as each has its time. */
#include "trace/base/visible.h"
#include "viewer-cli/export/export_marks.h"

#include <inttypes.h>

/* The wire format: a field's number and type in one varint, then the value or its size and bytes.
 */
enum { WIRE_VARINT = 0, WIRE_FIXED_64 = 1, WIRE_BYTES = 2 };

enum {
    TRACE_PACKET = 1,

    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_TRACK = 60,

    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PROCESS = 3,
    TRACK_THREAD = 4,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,

    PROCESS_PID = 1,
    PROCESS_NAME = 6,

    THREAD_PID = 1,
    THREAD_TID = 2,
    THREAD_NAME = 5,

    COUNTER_UNIT = 3,

    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_TRACK = 11,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER = 30,
    EVENT_FLOW = 47,

    ANNOTATION_NUMBER = 3,
    ANNOTATION_STRING = 6,
    ANNOTATION_NAME = 10,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { UNIT_BYTES = 3 };

/* All packets are of one sequence and one process; uuids of threads are their numbers after it. */
enum { SEQUENCE = 1, PID = 1, PROCESS_UUID = 1, THREAD_UUID = 1, QUEUE_UUID_BIT = 32 };
#define MEMORY_UUID (UINT64_C(1) << 63)

static void put_varint(struct text *text, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        text_append_char(text, (char)(value | 0x80));
    text_append_char(text, (char)value);
}

static void put_number(struct text *text, uint32_t field, uint64_t value)
{
    put_varint(text, field << 3 | WIRE_VARINT);
    put_varint(text, value);
}

static void put_fixed(struct text *text, uint32_t field, uint64_t value)
{
    put_varint(text, field << 3 | WIRE_FIXED_64);
    for (int i = 0; i < 8; ++i)
        text_append_char(text, (char)(value >> 8 * i));
}

static void put_bytes(struct text *text, uint32_t field, const void *bytes, size_t size)
{
    put_varint(text, field << 3 | WIRE_BYTES);
    put_varint(text, size);
    text_append_n(text, bytes, size);
}

/* A string is UTF-8, and goes to a viewer's log too. */
static void put_string(struct text *text, uint32_t field, const char *string)
{
    struct text visible = TEXT_INIT;
    text_append_visible(&visible, string, VISIBLE_LINES);
    put_bytes(text, field, visible.bytes, visible.size);
    text->failed |= visible.failed;
    text_release(&visible);
}

/* Messages within messages are made innermost first; each is kept here while the outer one grows.
 */
struct perfetto {
    struct export_file *file;
    struct text packet, message, inner;
    struct export_marks marks;
};

/* Puts what `inner` holds into `message`. */
static void put_inner(struct perfetto *perfetto, uint32_t field)
{
    put_bytes(&perfetto->message, field, perfetto->inner.bytes, perfetto->inner.size);
    perfetto->message.failed |= perfetto->inner.failed;
    text_clear(&perfetto->inner);
}

/* Ends the packet, with `message` in it, and writes it. */
static enum status put_packet(struct perfetto *perfetto, uint32_t field, struct error *error)
{
    struct text *packet = &perfetto->packet;
    put_number(packet, PACKET_SEQUENCE, SEQUENCE);
    put_bytes(packet, field, perfetto->message.bytes, perfetto->message.size);
    put_bytes(&perfetto->file->text, TRACE_PACKET, packet->bytes, packet->size);
    perfetto->file->text.failed |= packet->failed || perfetto->message.failed;
    text_clear(packet);
    text_clear(&perfetto->message);
    return export_flush(perfetto->file, error);
}

/* ---- tracks ---- */

static enum status put_process(struct perfetto *perfetto, struct trace *trace, struct error *error)
{
    const char *program = trace_fact(trace, "program");
    put_number(&perfetto->inner, PROCESS_PID, PID);
    put_string(&perfetto->inner, PROCESS_NAME, program ? program : "?");
    put_number(&perfetto->message, TRACK_UUID, PROCESS_UUID);
    put_inner(perfetto, TRACK_PROCESS);
    return put_packet(perfetto, PACKET_TRACK, error);
}

static enum status put_thread(struct perfetto *perfetto, uint32_t thread, struct error *error)
{
    struct text name = TEXT_INIT;
    text_format(&name, "thread %" PRIu32, thread);
    put_number(&perfetto->inner, THREAD_PID, PID);
    put_number(&perfetto->inner, THREAD_TID, thread);
    put_string(&perfetto->inner, THREAD_NAME, name.bytes);
    put_number(&perfetto->message, TRACK_UUID, THREAD_UUID + (uint64_t)thread);
    put_number(&perfetto->message, TRACK_PARENT, PROCESS_UUID);
    put_inner(perfetto, TRACK_THREAD);
    text_release(&name);
    return put_packet(perfetto, PACKET_TRACK, error);
}

static uint64_t lane_uuid(uint32_t queue, uint32_t lane)
{
    return (uint64_t)(queue + 1) << QUEUE_UUID_BIT | lane;
}

static enum status put_lane(struct perfetto *perfetto, const struct export_run *run, uint32_t queue,
                            uint32_t lane, struct error *error)
{
    put_number(&perfetto->message, TRACK_UUID, lane_uuid(queue, lane));
    put_string(&perfetto->message, TRACK_NAME, run->queues[queue].name);
    put_number(&perfetto->message, TRACK_PARENT, PROCESS_UUID);
    return put_packet(perfetto, PACKET_TRACK, error);
}

static enum status put_tracks(struct perfetto *perfetto, const struct export_run *run,
                              struct error *error)
{
    enum status status = put_process(perfetto, run->trace, error);
    for (size_t i = 0; i < run->thread_count && !status; ++i)
        status = put_thread(perfetto, run->threads[i], error);
    for (uint32_t i = 0; i < run->queue_count; ++i)
        for (uint32_t lane = 0; lane < run->queues[i].lane_count && !status; ++lane)
            status = put_lane(perfetto, run, i, lane, error);
    return status;
}

/* ---- slices and instants ---- */

static void note_string(struct perfetto *perfetto, const char *name, const char *value)
{
    put_string(&perfetto->inner, ANNOTATION_NAME, name);
    put_string(&perfetto->inner, ANNOTATION_STRING, value);
    put_inner(perfetto, EVENT_ANNOTATION);
}

static void note_number(struct perfetto *perfetto, const char *name, uint64_t value)
{
    put_string(&perfetto->inner, ANNOTATION_NAME, name);
    put_number(&perfetto->inner, ANNOTATION_NUMBER, value);
    put_inner(perfetto, EVENT_ANNOTATION);
}

/* With what `message` has already; the end of a slice has no name. */
static enum status put_event(struct perfetto *perfetto, int type, uint64_t track, uint64_t time,
                             const char *name, struct error *error)
{
    put_number(&perfetto->packet, PACKET_TIMESTAMP, time);
    put_number(&perfetto->message, EVENT_TYPE, (uint64_t)type);
    put_number(&perfetto->message, EVENT_TRACK, track);
    if (name)
        put_string(&perfetto->message, EVENT_NAME, name);
    return put_packet(perfetto, PACKET_EVENT, error);
}

static enum status put_marks(struct perfetto *perfetto, uint64_t call, bool is_of_command,
                             uint64_t track, uint64_t time, struct error *error)
{
    size_t count;
    const struct export_mark *marks =
        export_marks_at(&perfetto->marks, call, is_of_command, &count);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && !status; ++i) {
        note_string(perfetto, "severity", marks[i].severity);
        note_string(perfetto, "message", marks[i].message);
        note_number(perfetto, "call", call);
        put_string(&perfetto->message, EVENT_CATEGORY, "finding");
        status = put_event(perfetto, INSTANT, track, time, marks[i].rule, error);
    }
    return status;
}

static enum status put_call(void *user, const struct api_call *call, const char *words,
                            struct error *error)
{
    struct perfetto *perfetto = user;
    const uint64_t track = THREAD_UUID + (uint64_t)call->thread;
    note_number(perfetto, "call", call->id);
    note_string(perfetto, "words", words);
    if (export_marks_command(&perfetto->marks, call->id))
        put_fixed(&perfetto->message, EVENT_FLOW, call->id);
    enum status status =
        put_event(perfetto, SLICE_BEGIN, track, call->begin_ns, api_call_name(call), error);
    if (!status)
        status = put_marks(perfetto, call->id, false, track, call->begin_ns, error);
    if (!status && call->flags & API_CALL_COMPLETED)
        status = put_event(perfetto, SLICE_END, track, call->end_ns, NULL, error);
    return status;
}

static enum status put_command(struct perfetto *perfetto, const struct export_command *command,
                               struct error *error)
{
    const uint64_t track = lane_uuid(command->queue, command->lane);
    note_number(perfetto, "call", command->call);
    if (command->global_size) {
        note_string(perfetto, "global_size", command->global_size);
        note_string(perfetto, "local_size", command->local_size);
    }
    if (*command->arguments)
        note_string(perfetto, "arguments", command->arguments);
    if (command->bytes >= 0)
        note_number(perfetto, "bytes", (uint64_t)command->bytes);
    note_string(perfetto, "times", command->is_measured ? "measured" : "of the call");
    put_fixed(&perfetto->message, EVENT_FLOW, command->call);
    enum status status =
        put_event(perfetto, SLICE_BEGIN, track, command->begin_ns, command->name, error);
    if (!status)
        status = put_marks(perfetto, command->call, true, track, command->begin_ns, error);
    return status ? status : put_event(perfetto, SLICE_END, track, command->end_ns, NULL, error);
}

/* ---- counters ---- */

static enum status put_memory_track(struct perfetto *perfetto, struct error *error)
{
    put_number(&perfetto->inner, COUNTER_UNIT, UNIT_BYTES);
    put_number(&perfetto->message, TRACK_UUID, MEMORY_UUID);
    put_string(&perfetto->message, TRACK_NAME, "memory in use");
    put_number(&perfetto->message, TRACK_PARENT, PROCESS_UUID);
    put_inner(perfetto, TRACK_COUNTER);
    return put_packet(perfetto, PACKET_TRACK, error);
}

static enum status put_use(void *user, uint64_t ns, uint64_t bytes, struct error *error)
{
    struct perfetto *perfetto = user;
    put_number(&perfetto->message, EVENT_COUNTER, bytes);
    return put_event(perfetto, COUNTER, MEMORY_UUID, ns, NULL, error);
}

enum status export_perfetto(const struct export_run *run, struct export_file *file,
                            struct error *error)
{
    struct perfetto perfetto = {
        .file = file, .packet = TEXT_INIT, .message = TEXT_INIT, .inner = TEXT_INIT};
    enum status status = export_marks_load(run, &perfetto.marks, error);
    if (!status)
        status = put_tracks(&perfetto, run, error);
    if (!status)
        status = export_each_call(run, put_call, &perfetto, error);
    for (size_t i = 0; i < run->command_count && !status; ++i)
        status = put_command(&perfetto, &run->commands[i], error);
    if (!status)
        status = put_memory_track(&perfetto, error);
    if (!status)
        status = export_each_use(run, put_use, &perfetto, error);
    text_release(&perfetto.packet);
    text_release(&perfetto.message);
    text_release(&perfetto.inner);
    export_marks_release(&perfetto.marks);
    return status;
}
