/* The form of a spool on disk. Writer (trace/spool.c) and readers (trace/ingest.c, live;
 * trace/recover.c, after a crash) share it. All numbers are in the byte order of the machine: a
 * spool never travels.
 *
 *   FILE.spool/process       text: who writes it; see trace/recover.h
 *   FILE.spool/N.segment     one thread's records, in the order of sequence
 *
 *   segment:  header (64 bytes) | record | record | ... | zeros
 *   record:   commit word (8 bytes) | payload | padding to 8 bytes
 *
 * The commit word holds a mark, the kind and the payload's size. It is written last, with release
 * order: a zero commit word ends what was written, whenever the writer died. */
#ifndef TRACE_SEGMENT_H
#define TRACE_SEGMENT_H

#include "trace/api/call.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEGMENT_VERSION = 5,
    SEGMENT_CONTENT_SIZE = 1 << 18, /* larger contents are split */
    /* Usual: four such pieces, and a page for what is around them. One large record makes a larger
     * one. */
    SEGMENT_SIZE = 4 * SEGMENT_CONTENT_SIZE + 4096,
    SEGMENT_DIGEST_SIZE = 16, /* XXH3-128, canonical */
};
#define SEGMENT_SUFFIX ".segment"
#define SEGMENT_MAGIC  "clerkseg"

struct segment_header {
    char magic[8];
    uint32_t version;
    uint32_t stream;   /* the writing thread, from 1; 0 = made in advance, never used */
    uint32_t sequence; /* from 1 in each stream */
    uint32_t reserved;
    uint64_t size; /* of the file */
    uint64_t unused[4];
};
_Static_assert(sizeof(struct segment_header) == 64, "the header's size is part of the format");

enum segment_kind {
    SEGMENT_CALL_BEGIN = 1, /* struct segment_call, api_call_encode */
    SEGMENT_CALL_END,       /* the same: replaces the begin, or is of a call that has none */
    SEGMENT_CALL_RETURN,    /* struct segment_return: the call ended; its arguments are as before */
    SEGMENT_CONTENT,        /* struct segment_content, then the bytes */
    SEGMENT_CONTENT_DIGEST, /* struct segment_content, then the digest of bytes that are not kept */
    SEGMENT_FINDING,        /* u64 call, strings: rule, severity, message, json */
    SEGMENT_STACK,          /* u64 call, strings: frames, innermost first */
    SEGMENT_FACT,           /* u64 0, strings: name, value */
    SEGMENT_END,            /* the stream goes on in the next segment */
    SEGMENT_CALLBACK,       /* struct api_callback */
    SEGMENT_TIMES,          /* struct api_command_times */
    SEGMENT_LINE,           /* struct api_line, then the file */
    SEGMENT_BEGINS,         /* u64: the recording begins after that call (spool_begin_after) */
    SEGMENT_CHILD,          /* struct api_child, then the kernel's name */
    SEGMENT_KIND_END,
};

struct segment_call {
    uint64_t id;
    uint64_t begin_ns, end_ns;
    uint32_t thread, entry, flags;
    uint32_t reserved;
};

struct segment_return {
    uint64_t id;
    uint64_t end_ns;
    uint64_t bits; /* of the result, which has no data */
    uint32_t flags;
    uint8_t kind, present;
    uint16_t reserved;
};

struct segment_content {
    uint64_t call_id;
    uint64_t offset;
    uint64_t size;
    uint64_t object; /* of a launch, else 0 */
    uint32_t argument;
    uint32_t after; /* of a launch: 1 = what it left */
};

/* The bytes a record takes. */
static inline uint64_t segment_record_size(uint64_t payload_size)
{
    return 8 + ((payload_size + 7) & ~UINT64_C(7));
}

#define SEGMENT_MARK UINT64_C(0xc1e4)

static inline uint64_t segment_commit_word(enum segment_kind kind, uint32_t payload_size)
{
    return SEGMENT_MARK << 48 | (uint64_t)kind << 32 | payload_size;
}

struct segment_record {
    enum segment_kind kind;
    const unsigned char *payload; /* within the segment */
    uint32_t size;
};

enum segment_step {
    SEGMENT_STEP_RECORD,  /* *record is filled, *offset moved after it */
    SEGMENT_STEP_NOTHING, /* nothing more was written up to now */
    SEGMENT_STEP_END,     /* the next segment goes on */
    SEGMENT_STEP_DAMAGED, /* bytes that no writer wrote */
};

/* The record at *offset of a segment of `size` mapped bytes; start at sizeof(struct
 * segment_header). */
enum segment_step segment_next(const unsigned char *segment, uint64_t size, uint64_t *offset,
                               struct segment_record *record);

enum segment_start {
    SEGMENT_START_NONE,    /* its writer died before it was a segment */
    SEGMENT_START_VALID,   /* as one begins */
    SEGMENT_START_DAMAGED, /* as none does */
};
/* How the file of that many bytes begins. */
enum segment_start segment_look(const unsigned char *segment, uint64_t size);

/* Payloads that are a number and strings. `text` is appended to. */
void segment_print_strings(uint64_t number, const char *const *strings, size_t count,
                           struct text *text);
/* Walks them: segment_strings_begin gives the number and false if the payload is too short; then
 * segment_strings_next gives each string (not NUL-terminated) until it returns false. */
struct segment_strings {
    const unsigned char *next, *end;
};
bool segment_strings_begin(const struct segment_record *record, struct segment_strings *strings,
                           uint64_t *number);
bool segment_strings_next(struct segment_strings *strings, const char **string, size_t *size);

#endif
