#include "reference/compiler/binary.h"

#include "reference/compiler/validate.h"
#include "reference/spirv/walker.h"

#include <string.h>
#include <xxhash.h>

static const char magic[8] = {'c', 'l', 'e', 'r', 'k', 'b', 'i', 'n'};

/* Versions: 1 had no sources. */
enum { VERSION = 2 };

struct header {
    char magic[8];
    uint32_t version, type;
    uint64_t spirv_size;
    uint64_t digest; /* see digest_of */
};

/* XXH3, 64 bits, of all that is after the header, SPIR-V and then sources; type and size of the
 * SPIR-V are the seed. */
static uint64_t digest_of(const struct header *header, const void *body, size_t size)
{
    return XXH3_64bits_withSeed(body, size, header->spirv_size << 16 ^ header->type);
}

void binary_write(const struct binary *binary, struct text *text)
{
    struct text body = TEXT_INIT;
    text_append_n(&body, binary->spirv, binary->spirv_size);
    sources_write(binary->sources, &body);
    struct header header = {
        .version = VERSION, .type = binary->type, .spirv_size = binary->spirv_size};
    header.digest = digest_of(&header, body.bytes, body.size);
    memcpy(header.magic, magic, sizeof(magic));
    text_append_n(text, &header, sizeof(header));
    text_append_n(text, body.bytes, body.size);
    text->failed |= body.failed;
    text_release(&body);
}

bool binary_read(const void *bytes, size_t size, struct binary *binary)
{
    struct header header;
    if (size < sizeof(header))
        return false;
    memcpy(&header, bytes, sizeof(header));
    const uint8_t *body = (const uint8_t *)bytes + sizeof(header);
    const size_t body_size = size - sizeof(header);
    if (memcmp(header.magic, magic, sizeof(magic)) != 0 || header.version != VERSION ||
        header.spirv_size > body_size || header.digest != digest_of(&header, body, body_size) ||
        !spv_walker_is_spirv(body, header.spirv_size))
        return false;
    struct sources *sources = NULL;
    if (!sources_read(body + header.spirv_size, body_size - header.spirv_size, &sources))
        return false;
    *binary = (struct binary){
        .spirv = body, .spirv_size = header.spirv_size, .type = header.type, .sources = sources};
    return true;
}
