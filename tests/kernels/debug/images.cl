// Images, samplers and pipes: what they are, their texels, who wrote these, and pictures of them.
//
// $ clerk debug images.cl --build=-cl-std=CL3.0 --kernel turn -g 4,4 -l 4,4 -a image2d:rgba:unorm_int8[4x4]=iota -a image2d:rg:float[6x4] -a sampler:normalized,repeat,linear -a image2d_array:r:unsigned_int16[3x2x2/2]=iota -a image1d_array:bgra:unorm_int8[4x2]=iota --batch images.commands
// $ clerk debug images.cl --build=-cl-std=CL3.0 --kernel take -g 4 -l 4 -a pipe:long[4] -a pipe:long[6] --batch pipes.commands
kernel void turn(read_only image2d_t from, write_only image2d_t to, sampler_t smooth,
                 read_only image2d_array_t layers, read_only image1d_array_t lines)
{
    const int2 at = (int2)(get_global_id(0), get_global_id(1));
    const float4 color = read_imagef(from, smooth, convert_float2(at) / 4);
    const uint4 layer = read_imageui(layers, (int4)(at % 2, 1, 0));
    write_imagef(to, at.yx, color * layer.x);
}

kernel void take(write_only pipe long to, read_only pipe long from)
{
    const long packet = get_global_id(0);
    write_pipe(to, &packet);
}
