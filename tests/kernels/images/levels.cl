// The levels of mipmapped images: which one a level of detail means, and that each is memory of its own.

// The texels of the levels are 0 to 15, 16 to 19, and 20.
kernel void details(read_only image2d_t image, sampler_t sampler, global const float *lods, global float *to)
{
    const int i = (int)get_global_id(0);
    to[i] = read_imagef(image, sampler, (float2)(0.1f), lods[i]).x;
}
// Of the lower left corner: 0, 16 and 20.
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 6 -l 6 -a 'image2d:r:float[4x4/3]=iota' -a sampler:normalized,linear_levels -a 'buf:float[6]=-1,0.25,0.5,0.75,1.5,9' -a 'buf:float[6]' --print 3
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 6 -l 6 -a 'image2d:r:float[4x4/3]=iota' -a sampler:normalized -a 'buf:float[6]=-1,0.25,0.5,0.75,1.5,9' -a 'buf:float[6]' --print 3

// A sampler that has no normalised coordinates is for images of one level.
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4/3]=iota' -a sampler:clamp -a 'buf:float[1]=1' -a 'buf:float[1]'
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4]=iota' -a sampler:clamp -a 'buf:float[1]=1' -a 'buf:float[1]'

// Nobody wrote the level of detail.
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4/3]=iota' -a sampler:normalized -a 'buf:float[1]' -a 'buf:float[1]'

// A level that nobody wrote.
// $ clerk kernel levels.cl -k details --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4/3]' -a sampler:normalized -a 'buf:float[1]=1' -a 'buf:float[1]'

kernel void own(write_only image2d_t image)
{
    write_imagef(image, (int2)(0), (int)get_global_id(0), (float4)(get_global_id(0) + 100));
}
// $ clerk kernel levels.cl -k own --build -cl-std=CL3.0 -g 3 -l 3 -a 'image2d:r:float[4x4/3]=iota' --print 0

// One level too many, and of an image of one level.
// $ clerk kernel levels.cl -k own --build -cl-std=CL3.0 -g 4 -l 4 -a 'image2d:r:float[4x4/3]=iota'
// $ clerk kernel levels.cl -k own --build -cl-std=CL3.0 -g 2 -l 2 -a 'image2d:r:float[4x4]=iota'

kernel void shared(write_only image2d_t image)
{
    write_imagef(image, (int2)(1, 0), 1, (float4)((float)get_global_id(0)));
}
// $ clerk kernel levels.cl -k shared --build -cl-std=CL3.0 -g 2 -l 2 -a 'image2d:r:float[4x4/3]=iota'

kernel void beyond(write_only image2d_t image)
{
    write_imagef(image, (int2)(2, 0), 1, (float4)(1));
}
// $ clerk kernel levels.cl -k beyond --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4/3]=iota'

kernel void count(read_only image2d_t image, write_only image1d_array_t other, global int *to)
{
    to[0] = get_image_num_mip_levels(image);
    to[1] = get_image_num_mip_levels(other);
    to[2] = get_image_width(image);
}
// $ clerk kernel levels.cl -k count --build -cl-std=CL3.0 -g 1 -l 1 -a 'image2d:r:float[4x4/3]=iota' -a 'image1d_array:r:float[4x4]=0' -a 'buf:int[3]' --print 2
