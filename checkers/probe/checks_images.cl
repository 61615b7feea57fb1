/* What stands in for functions that read and write images (reference/probe/insert_images.c) calls
 * these. Coordinates and sizes are as words: of one that is negative no size is larger. */

#if clerk_USES_IMAGES
/* The coordinates of a texel that is not there, as report.h says. */
clerk_SLOW void clerk_tell_texel(__global uint *report, uint8 who, uint what, uint site, uint count,
                                 uint x, uint y, uint z, uint width, uint height, uint depth)
{
    clerk_tell(report, who, what, site, count, (ulong)y << 32 | x, (ulong)height << 32 | width,
               (ulong)depth << 32 | z);
}

/* 1 = the texel is in the image. `type` and `count` are as in the record. */
clerk_CHECK uint clerk_in_image(__private struct clerk_k *clerk_k, uint type, uint argument, uint site,
                                uint count, uint x, uint y, uint z, uint width, uint height,
                                uint depth)
{
    if (x < width && y < height && z < depth)
        return 1;
    clerk_tell_texel(clerk_k->report, clerk_who(clerk_k->launch),
                     clerk_REPORT_TEXEL | argument << 8 | type << 16, site, count, x, y, z, width,
                     height, depth);
    return 0;
}

/* The layer of an array that a read with a sampler means: there always is one. */
clerk_CHECK int clerk_layer(int layer, int count)
{
    return clamp(layer, 0, count - 1);
}

/* The texel that a coordinate means, which is outside only if the coordinate is: rounding may have
 * led a product there. What is not a number counts as within. */
clerk_CHECK int clerk_texel(float at, int size, uint flags)
{
    const uint is_normalised = flags & clerk_SAMPLER_NORMALISED;
    const int texel = convert_int_sat_rtn(is_normalised ? at * (float)size : at);
    const uint is_beyond = at >= (is_normalised ? 1.0f : (float)size);
    return at < 0.0f ? min(texel, -1) : is_beyond ? max(texel, size) : clamp(texel, 0, size - 1);
}
#endif
