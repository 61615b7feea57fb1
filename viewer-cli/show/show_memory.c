/* clerk show TRACE memory: the bytes that calls gave and got, and that launches found and left; as
 * a list, with --type as arrays, with --picture an image as a picture. */
#include "trace/api/entry.h"
#include "trace/base/json.h"
#include "viewer-cli/kernel/kernel_argument.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/show/show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_BYTES = 1024, HEX_LINE = 16 };

/* Some bytes, of one call. */
struct piece {
    const struct api_call *call;
    const char *what; /* the parameter, or "found", "left" */
    char object[64];  /* which memory object they are of; "" = not known */
    uint64_t handle;  /* its handle, or 0 */
    uint64_t offset, size;
    const unsigned char *bytes; /* NULL: their digest alone was kept */
};

struct memory {
    const struct options *options;
    struct trace_names names;
    struct arena arena;      /* of the call at hand */
    struct kernel_type type; /* scalar NULL: none, or hex */
    bool is_hex;
    uint64_t left;          /* pieces still to be shown */
    struct listing listing; /* of pieces */
};

/* ---- printing ---- */

static void print_hex(const unsigned char *bytes, size_t size, struct text *text)
{
    for (size_t line = 0; line < size; line += HEX_LINE) {
        text_format(text, "%8zx: ", line);
        for (size_t i = line; i < line + HEX_LINE; ++i)
            if (i < size)
                text_format(text, "%02x ", bytes[i]);
            else
                text_append(text, "   ");
        text_append_char(text, ' ');
        for (size_t i = line; i < line + HEX_LINE && i < size; ++i)
            text_append_char(text, bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.');
        text_append_char(text, '\n');
    }
}

/* How many of the bytes are printed: whole elements, and the first of them without --full. */
static size_t shown_size(const struct memory *memory, const struct piece *piece)
{
    const uint32_t element = memory->is_hex ? 1 : kernel_type_size(memory->type);
    const bool full = options_has(memory->options, "full");
    const uint64_t size = full || piece->size < SHOWN_BYTES ? piece->size : SHOWN_BYTES;
    return (size_t)(size - size % element);
}

static void print_elements(const struct memory *memory, const struct piece *piece, size_t size,
                           bool json, struct text *text)
{
    const struct kernel_argument argument = {
        .type = memory->type, .count = size / kernel_type_size(memory->type), .size = size};
    if (json && !argument.count)
        text_append(text, "[]");
    else if (argument.count)
        kernel_argument_print(&argument, piece->bytes, json, text);
}

static void print_values(struct memory *memory, const struct piece *piece)
{
    struct text *text = &memory->listing.text;
    if (!piece->bytes) {
        text_append(text, "  only a digest of them was kept (--contents hashes)\n");
        return;
    }
    const size_t size = shown_size(memory, piece);
    if (memory->is_hex)
        print_hex(piece->bytes, size, text);
    else
        print_elements(memory, piece, size, false, text);
    if (size < piece->size)
        text_format(text, "  ... and %" PRIu64 " more bytes%s\n", piece->size - size,
                    options_has(memory->options, "full") ? "" : " (--full)");
}

static void print_json(struct memory *memory, const struct piece *piece)
{
    struct text *text = &memory->listing.text;
    text_append_char(text, '{');
    json_number(text, "call", piece->call->id);
    json_string(text, "entry_point", api_call_name(piece->call));
    json_string(text, "what", piece->what);
    json_string(text, "object", *piece->object ? piece->object : NULL);
    json_number(text, "offset", piece->offset);
    json_number(text, "size", piece->size);
    if (piece->bytes && memory->type.scalar) {
        json_key(text, "values");
        print_elements(memory, piece, shown_size(memory, piece), true, text);
    }
    text_append(text, "}\n");
}

static bool has_values(const struct memory *memory)
{
    return memory->is_hex || memory->type.scalar;
}

static void print_piece(struct memory *memory, const struct piece *piece)
{
    struct listing *listing = &memory->listing;
    struct text size = TEXT_INIT;
    print_size(piece->size, &size);
    if (listing->json) {
        print_json(memory, piece);
    } else if (has_values(memory)) {
        text_format(&listing->text, "%scall %" PRIu64 ", %s: %s %s%sfrom byte %" PRIu64 ", %s\n",
                    listing->count ? "\n" : "", piece->call->id, api_call_name(piece->call),
                    piece->what, piece->object, *piece->object ? " " : "", piece->offset,
                    size.bytes);
        print_values(memory, piece);
    } else {
        table_cell_format(listing->table, "%" PRIu64, piece->call->id);
        table_cell(listing->table, api_call_name(piece->call));
        table_cell(listing->table, piece->what);
        table_cell(listing->table, piece->object);
        table_cell_format(listing->table, "%" PRIu64, piece->offset);
        table_cell(listing->table, size.bytes);
    }
    text_release(&size);
    ++listing->count;
}

/* ---- finding them ---- */

/* The first memory object that the call is about: one that it uses, or makes. */
static uint64_t object_of(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < call->argument_count && i < info->parameter_count; ++i)
        if (info->parameters[i].role == API_ROLE_HANDLE &&
            info->parameters[i].kind == API_OBJECT_MEM)
            return call->arguments[i].bits;
    return info->return_kind == API_OBJECT_MEM ? call->result.bits : 0;
}

static enum status take_piece(struct memory *memory, struct piece *piece, struct error *error)
{
    const char *wanted = options_text(memory->options, "object");
    const char *picture = options_text(memory->options, "picture");
    const char *name = piece->handle ? trace_handle_name(&memory->names, piece->handle) : NULL;
    snprintf(piece->object, sizeof piece->object, "%s", name ? name : "");
    if (!memory->left || (wanted && strcmp(wanted, piece->object) != 0))
        return STATUS_OK;
    --memory->left;
    print_piece(memory, piece);
    if (!picture)
        return STATUS_OK;
    memory->left = 0;
    return show_picture_write(memory->names.trace, piece->call, piece->handle, piece->bytes,
                              piece->size, picture, error);
}

/* Whose bytes contents are. */
static const char *what_is(const struct api_content *content, const struct api_entry_info *info)
{
    switch (content->argument) {
    case API_ARGUMENT_RESULT:
        return "result";
    case API_ARGUMENT_HOST_WROTE:
        return "host wrote";
    case API_ARGUMENT_HOST_SEES:
        return "host sees";
    case API_ARGUMENT_HEADER:
        return "header";
    default:
        return content->argument < info->parameter_count ? info->parameters[content->argument].name
                                                         : "?";
    }
}

static enum status take_contents(struct memory *memory, const struct api_call *call,
                                 struct error *error)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct api_content *contents = NULL;
    size_t count = 0;
    enum status status =
        trace_contents(memory->names.trace, call->id, &memory->arena, &contents, &count, error);
    for (size_t i = 0; i < count && !status; ++i) {
        struct piece piece = {
            .call = call,
            .what = what_is(&contents[i], info),
            .handle = contents[i].argument <= API_ARGUMENT_RESULT ? object_of(call) : 0,
            .offset = contents[i].offset,
            .size = contents[i].size,
            .bytes = contents[i].bytes,
        };
        status = take_piece(memory, &piece, error);
    }
    return status;
}

static enum status take_launch(struct memory *memory, const struct api_call *call, bool after,
                               struct error *error)
{
    struct trace *trace = memory->names.trace;
    uint64_t *handles = NULL;
    size_t count = 0;
    enum status status =
        trace_launch_objects(trace, call->id, after, &memory->arena, &handles, &count, error);
    for (size_t i = 0; i < count && !status; ++i) {
        struct trace_memory content;
        status = trace_launch_memory(trace, call->id, after, handles[i], &memory->arena, &content,
                                     error);
        if (status)
            break;
        struct piece piece = {.call = call,
                              .what = after ? "left" : "found",
                              .handle = handles[i],
                              .size = content.size,
                              .bytes = content.bytes};
        status = take_piece(memory, &piece, error);
    }
    return status;
}

static enum status take_call(struct memory *memory, uint64_t id, struct error *error)
{
    struct api_call call;
    arena_reset(&memory->arena);
    memory->names.call_id = id;
    enum status status = trace_call(memory->names.trace, id, &memory->arena, &call, error);
    if (!status)
        status = take_contents(memory, &call, error);
    if (!status)
        status = take_launch(memory, &call, false, error);
    if (!status)
        status = take_launch(memory, &call, true, error);
    if (!status && memory->listing.text.size) {
        verb_print(&memory->listing.text);
        text_clear(&memory->listing.text);
    }
    return status;
}

static enum status take_all(struct memory *memory, struct error *error)
{
    const uint64_t from = options_number(memory->options, "from", 0);
    const uint64_t to = options_number(memory->options, "to", INT64_MAX);
    struct rows *rows = NULL;
    enum status status =
        rows_open_format(memory->names.trace, &rows, error,
                         "SELECT call FROM call_content WHERE call BETWEEN %lld AND %lld UNION"
                         " SELECT call FROM launch_content WHERE call BETWEEN %lld AND %lld"
                         " ORDER BY call",
                         (long long)from, (long long)to, (long long)from, (long long)to);
    while (memory->left && rows_next(rows, &status, error))
        status = take_call(memory, (uint64_t)rows_number(rows, 0), error);
    rows_close(rows);
    return status;
}

static enum status choose_type(struct memory *memory, struct error *error)
{
    const char *type = options_text(memory->options, "type");
    memory->is_hex = type && strcmp(type, "hex") == 0;
    if (!type || memory->is_hex)
        return STATUS_OK;
    memory->type = kernel_type_parse(type, strlen(type));
    return memory->type.scalar
               ? STATUS_OK
               : error_set(error, STATUS_INVALID,
                           "'%s' is not a type; types are as in OpenCL C, uint or float4, and hex",
                           type);
}

enum status show_memory(struct trace *trace, const struct options *options, struct error *error)
{
    static const struct table_column columns[] = {{"call", TABLE_RIGHT},   {"by", TABLE_LEFT},
                                                  {"what", TABLE_LEFT},    {"object", TABLE_LEFT},
                                                  {"offset", TABLE_RIGHT}, {"size", TABLE_RIGHT}};
    struct memory memory = {.options = options,
                            .names = {.trace = trace},
                            .left = options_number(options, "limit", UINT64_MAX)};
    enum status status =
        listing_open(&memory.listing, columns, sizeof columns / sizeof *columns, options, error);
    if (!status)
        status = choose_type(&memory, error);
    if (!status)
        status = take_all(&memory, error);
    arena_release(&memory.arena);
    return listing_close(&memory.listing, "no contents were kept of what was asked for", status,
                         error);
}
