/* Turns an image round. What is wrong: one column is left out. */
kernel void mirror(read_only image2d_t from, write_only image2d_t to)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int last = get_image_width(from) - 1;
    if (x < last)
        write_imagef(to, (int2)(last - x, y), read_imagef(from, (int2)(x, y)));
}
