// What OpenCL C leaves to the implementation, and what the device does: docs/IMPLEMENTATION_DEFINED.md.
//
// $ clerk kernel choices.cl -k numbers -g 1 -a float=1e20 -a float=1e-40 -a int=0x1000001 -a buf:int[9] --print 3 --checks usual,-unspecified-result --build -cl-std=CL3.0
// $ clerk kernel choices.cl -k printed -g 1 -a float=inf -a float=nan -a buf:int[1] --build -cl-std=CL3.0
// $ clerk kernel choices.cl -k sizes -g 1 --build -cl-std=CL3.0
// $ clerk kernel choices.cl -k inner -g 1 -a 'image1d:r:signed_int32[4]=iota' -a buf:int4[1] --print 1 --build -cl-std=CL3.0

#pragma unknown words OPENCL

kernel void numbers(float large, float tiny, int wide, global int *out)
{
    out[0] = (int)large;
    out[1] = (int)-large;
    out[2] = (int)(large - large * INFINITY);
    out[3] = (int)(uint)-large;
    out[4] = mul24(wide, 3);
    out[5] = native_sin(large) == sin(large) && native_divide(1.0f, large) == 1.0f / large;
    out[6] = native_sqrt(tiny) == sqrt(tiny) && native_sqrt(tiny) > 0.0f;
    out[7] = as_short2(0x10002).x;
    out[8] = __OPENCL_VERSION__;
}

kernel void printed(float infinite, float nothing, global int *out)
{
    printf("%f %F %f %F %d\n", infinite, -infinite, nothing, nothing, printf("%s", "") == 0);
    printf("%d\n", out != 0);
}

kernel void sizes(void)
{
    printf("%d %d %d %d %d %d\n", (int)sizeof(bool), (int)sizeof(event_t), (int)sizeof(sampler_t), (int)sizeof(queue_t),
           (int)sizeof(clk_event_t), (int)sizeof(reserve_id_t));
    printf("%d\n", (int)sizeof(image2d_t));
}

kernel void inner(read_only image1d_t from, global int4 *out)
{
    {
        const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
        *out = read_imagei(from, edge, 100);
    }
}
