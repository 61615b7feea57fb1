#include "checkers/probe/texel.h"

static const char *const types[] = {
    [REPORT_IMAGE_1D] = "1D image", [REPORT_IMAGE_1D_ARRAY] = "1D image array",
    [REPORT_IMAGE_2D] = "2D image", [REPORT_IMAGE_2D_ARRAY] = "2D image array",
    [REPORT_IMAGE_3D] = "3D image",
};

bool texel_read(const uint32_t words[REPORT_RECORD_WORDS], struct texel *texel)
{
    const uint32_t type = words[REPORT_WORD_WHAT] >> 16 & 0xff;
    const uint32_t count = words[REPORT_WORD_BYTES];
    *texel = (struct texel){.coordinate_count = count & ~(uint32_t)REPORT_IMAGE_SAMPLED,
                            .is_sampled = (count & REPORT_IMAGE_SAMPLED) != 0,
                            .coordinates = {(int32_t)words[REPORT_WORD_OFFSET],
                                            (int32_t)words[REPORT_WORD_OFFSET + 1],
                                            (int32_t)words[REPORT_WORD_OTHER]},
                            .size = {words[REPORT_WORD_SIZE], words[REPORT_WORD_SIZE + 1],
                                     words[REPORT_WORD_OTHER + 1]}};
    if (type >= REPORT_IMAGES || texel->coordinate_count == 0 ||
        texel->coordinate_count > IMAGE_COORDINATES_MAX)
        return false;
    texel->type = types[type];
    return true;
}
