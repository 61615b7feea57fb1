// -cl-std=CL2.0
constant sampler_t fixed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void handles(read_only image2d_t in, write_only image3d_t deep, sampler_t given,
                    read_only pipe int4 packets, queue_t queue, global int *out,
                    read_write image2d_array_t layers)
{
    event_t copied = 0;
    float4 texel = read_imagef(in, fixed, (int2)(0, 0));
    int x = 5;
    void (^block)(int) = ^(int q) {
        int y = x;
        out[q] = y;
    };
    block(3);
    enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{
        out[x] = 2;
    });
    clk_event_t event = create_user_event();
    reserve_id_t reserved = reserve_read_pipe(packets, 1);
    out[1] = (int)texel.x;
}
