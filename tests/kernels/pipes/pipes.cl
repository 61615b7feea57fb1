/* Pipes used as they are meant to be: packets come out in the order of their reservations. */

// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k take -g 8 -l 4 -a pipe:int[8]=iota -a buf:int[8] --print 1 --schedule asc
kernel void take(read_only pipe int in, global int *out)
{
    int packet = -1;
    if (read_pipe(in, &packet) == 0)
        out[get_global_id(0)] = packet;
}

/* The last work-items find the pipe empty. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k take_some -g 6 -a pipe:ushort4[4]=iota -a buf:int[6] -a buf:ushort4[6]=9 --print 1 --print 2 --schedule asc
kernel void take_some(read_only pipe ushort4 in, global int *results, global ushort4 *out)
{
    results[get_global_id(0)] = read_pipe(in, out + get_global_id(0));
}

/* The room that packets leave is for the next ones once all before them are committed. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k give -g 6 -a pipe:int[4] -a buf:int[6] -a buf:uint[3] --print 1 --print 2 --schedule asc
kernel void give(write_only pipe int out, global int *results, global uint *numbers)
{
    int packet = (int)get_global_id(0);
    results[packet] = write_pipe(out, &packet);
    if (packet == 5) {
        numbers[0] = get_pipe_num_packets(out);
        numbers[1] = get_pipe_max_packets(out);
        numbers[2] = is_valid_reserve_id(reserve_write_pipe(out, 1));
    }
}

/* Reservations of a work-item, committed in another order than they were made. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k out_of_order -g 1 -a pipe:char3[4] -a buf:uint[4] --print 1 --schedule asc
kernel void out_of_order(write_only pipe char3 out, global uint *numbers)
{
    char3 packet = (char3)(1, 2, 3);
    reserve_id_t first = reserve_write_pipe(out, 2);
    reserve_id_t second = reserve_write_pipe(out, 1);
    write_pipe(out, second, 0, &packet);
    write_pipe(out, first, 1, &packet);
    write_pipe(out, first, 0, &packet);
    write_pipe(out, first, 0, &packet);
    numbers[0] = get_pipe_num_packets(out);
    commit_write_pipe(out, second);
    numbers[1] = get_pipe_num_packets(out);
    write_pipe(out, &packet);
    numbers[2] = get_pipe_num_packets(out);
    commit_write_pipe(out, first);
    numbers[3] = get_pipe_num_packets(out);
}

/* One reservation for each work-group, taken from both ends of it. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k groups -g 12 -l 4 -a pipe:float2[12]=iota -a buf:float2[12] --print 1 --schedule asc
kernel void groups(read_only pipe float2 in, global float2 *out)
{
    const uint size = get_local_size(0);
    reserve_id_t id = work_group_reserve_read_pipe(in, size);
    if (is_valid_reserve_id(id)) {
        read_pipe(in, id, size - 1 - get_local_id(0), out + get_global_id(0));
        barrier(CLK_LOCAL_MEM_FENCE);
        work_group_commit_read_pipe(in, id);
    }
}

/* One for each sub-group, the last of which is smaller; helpers get the pipe and the ID. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k sub_groups -g 10 -l 10 --sub-group-size 4 -a pipe:long[10]=iota -a buf:long[10] --print 1 --schedule asc
void read_own(read_only pipe long in, reserve_id_t id, private long *packet)
{
    read_pipe(in, id, get_sub_group_local_id(), packet);
}

kernel void sub_groups(read_only pipe long in, global long *out)
{
    reserve_id_t id = sub_group_reserve_read_pipe(in, get_sub_group_size());
    long packet = -1;
    if (is_valid_reserve_id(id)) {
        read_own(in, id, &packet);
        sub_group_commit_read_pipe(in, id);
    }
    out[get_global_id(0)] = packet;
}

/* A packet of more bytes than the device moves at once, half of it never written. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k large -g 2 -a pipe:double16[2] -a buf:int[2] --print 1 --schedule asc
kernel void large(write_only pipe double16 out, global int *results)
{
    double16 packet;
    packet.lo = (double8)(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0);
    results[get_global_id(0)] = write_pipe(out, &packet);
}

/* An ID that is none; loops that go on by what a pipe says. */
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k loops -g 4 -a pipe:uint[8]=iota -a buf:uint[4] --print 1 --schedule asc
kernel void loops(read_only pipe uint in, global uint *sums)
{
    uint sum = 0;
    uint packet;
    while (read_pipe(in, &packet) == 0)
        sum += packet;
    if (is_valid_reserve_id(CLK_NULL_RESERVE_ID))
        sum = 1000;
    sums[get_global_id(0)] = sum;
}
