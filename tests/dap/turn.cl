kernel void turn(read_only image2d_t from, write_only image2d_t to)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at.yx, read_imagef(from, at));
}
