#include "checkers/probe/reply.h"

#include "trace/base/pack.h"

void reply_pack(const struct facts *facts, const struct checked *checked, struct text *text)
{
    struct text packed = TEXT_INIT;
    facts_pack(facts, &packed);
    pack_bytes(text, packed.bytes, packed.size);
    text_clear(&packed);
    if (checked)
        checked_pack(checked, &packed);
    pack_bytes(text, packed.bytes, packed.size);
    text->failed |= packed.failed;
    text_release(&packed);
}

bool reply_unpack(const void *bytes, size_t size, struct facts *facts, struct checked *checked)
{
    struct unpacker from = {.at = bytes, .left = size};
    size_t facts_size, checked_size;
    const void *facts_bytes = unpack_bytes(&from, &facts_size);
    const void *checked_bytes = unpack_bytes(&from, &checked_size);
    *facts = (struct facts){0};
    *checked = (struct checked){
        .reason = "its program was loaded as a binary, so its source is not known"};
    if (!from.failed && from.left == 0 && facts_unpack(facts_bytes, facts_size, facts) &&
        (checked_size == 0 || checked_unpack(checked_bytes, checked_size, checked)))
        return true;
    facts_release(facts);
    checked_release(checked);
    return false;
}
