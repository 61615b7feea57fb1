/* Pipes, for tests that mutate modules. */
kernel void read_some(read_only pipe int4 in, global int4 *out, uint index)
{
    int4 packet = 0;
    reserve_id_t id = reserve_read_pipe(in, 2);
    if (is_valid_reserve_id(id)) {
        read_pipe(in, id, index, &packet);
        commit_read_pipe(in, id);
    }
    read_pipe(in, out + get_global_id(0));
    out[0] += packet;
}

kernel void write_some(write_only pipe int out, global int *data)
{
    const uint i = (uint)get_local_id(0);
    local reserve_id_t ids[1];
    reserve_id_t id = work_group_reserve_write_pipe(out, 2);
    if (i == 0)
        ids[0] = id;
    barrier(CLK_LOCAL_MEM_FENCE);
    write_pipe(out, ids[0], i, data + i);
    work_group_commit_write_pipe(out, id);
    while (write_pipe(out, data) == 0)
        data[1] = (int)(get_pipe_num_packets(out) + get_pipe_max_packets(out));
}
