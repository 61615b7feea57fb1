/* What OpenCL C 3.0, 6.15.17.5, leaves undefined, each with the nearest correct kernel. */

// covers: A18 F12
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k uncommitted -g 8 -l 4 -a pipe:int[64] --schedule asc
kernel void uncommitted(write_only pipe int out)
{
    int packet = (int)get_global_id(0);
    reserve_id_t id = reserve_write_pipe(out, 2);
    if (is_valid_reserve_id(id)) {
        write_pipe(out, id, 0, &packet);
        write_pipe(out, id, 1, &packet);
        if (packet % 2 == 0)
            commit_write_pipe(out, id);
    }
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k committed -g 8 -l 4 -a pipe:int[64]
kernel void committed(write_only pipe int out)
{
    int packet = (int)get_global_id(0);
    reserve_id_t id = reserve_write_pipe(out, 2);
    if (is_valid_reserve_id(id)) {
        write_pipe(out, id, 0, &packet);
        if (packet % 2 == 0)
            write_pipe(out, id, 1, &packet);
        commit_write_pipe(out, id);
    }
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k group_uncommitted -g 8 -l 4 -a pipe:int[4]=iota -a buf:int[8]=9 --print 1 --schedule asc
kernel void group_uncommitted(read_only pipe int in, global int *out)
{
    reserve_id_t id = work_group_reserve_read_pipe(in, 4);
    if (is_valid_reserve_id(id))
        read_pipe(in, id, get_local_id(0), out + get_global_id(0));
}

/* The second work-group gets nothing, and does not look. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k unasked -g 2 -l 1 -a pipe:int[4]=iota -a buf:int[2]=9 --print 1 --schedule asc
kernel void unasked(read_only pipe int in, global int *out)
{
    reserve_id_t id = reserve_read_pipe(in, 3);
    out[get_global_id(0)] = read_pipe(in, id, 0, out + get_global_id(0));
    commit_read_pipe(in, id);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k asked -g 2 -l 1 -a pipe:int[4]=iota -a buf:int[2]=9 --print 1 --schedule asc
kernel void asked(read_only pipe int in, global int *out)
{
    reserve_id_t id = reserve_read_pipe(in, 3);
    if (is_valid_reserve_id(id)) {
        read_pipe(in, id, 0, out + get_global_id(0));
        commit_read_pipe(in, id);
    }
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k other_pipe -g 1 -a pipe:int[4]=iota -a pipe:int[4]=iota -a buf:int[1] --schedule asc
kernel void other_pipe(read_only pipe int a, read_only pipe int b, global int *out)
{
    reserve_id_t id = reserve_read_pipe(a, 1);
    read_pipe(b, id, 0, out);
    commit_read_pipe(a, id);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k twice -g 4 -l 4 -a pipe:int[16] --schedule asc
kernel void twice(write_only pipe int out)
{
    int packet = 7;
    reserve_id_t id = reserve_write_pipe(out, 1);
    write_pipe(out, id, 0, &packet);
    commit_write_pipe(out, id);
    write_pipe(out, id, 0, &packet);
    commit_write_pipe(out, id);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k beyond -g 4 -l 4 -a pipe:int[16]=iota -a buf:int[4]=0 --print 1 --schedule asc
kernel void beyond(read_only pipe int in, global int *out)
{
    const uint i = (uint)get_local_id(0);
    reserve_id_t id = work_group_reserve_read_pipe(in, 4);
    read_pipe(in, id, i + 1, out + i);
    work_group_commit_read_pipe(in, id);
}

/* The pipe's packets have 4 bytes. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k another_size -g 4 -a pipe:int[16]=iota -a buf:int[4]=0 --print 1 --schedule asc
kernel void another_size(read_only pipe short in, global int *out)
{
    short packet;
    out[get_global_id(0)] = read_pipe(in, &packet);
}

/* A18: by all work-items of the group, of the sub-group, and with the same arguments. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k divergent -g 4 -l 4 -a pipe:int[16] --schedule asc
kernel void divergent(write_only pipe int out)
{
    if (get_local_id(0) != 3)
        work_group_reserve_write_pipe(out, 4);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k differing -g 4 -l 4 -a pipe:int[16] --schedule asc
kernel void differing(write_only pipe int out)
{
    reserve_id_t id = work_group_reserve_write_pipe(out, get_local_id(0) + 1);
    work_group_commit_write_pipe(out, id);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k sub_divergent -g 4 -l 4 --sub-group-size 2 -a pipe:int[16] --schedule asc
kernel void sub_divergent(write_only pipe int out)
{
    if (get_local_id(0) != 3)
        sub_group_reserve_write_pipe(out, 2);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k sub_differing -g 4 -l 4 --sub-group-size 2 -a pipe:int[16] --schedule asc
kernel void sub_differing(write_only pipe int out)
{
    sub_group_reserve_write_pipe(out, 1 + (get_local_id(0) == 2));
}

/* Whole sub-groups may part. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k sub_groups_part -g 8 -l 8 --sub-group-size 2 -a pipe:int[16]
kernel void sub_groups_part(write_only pipe int out)
{
    int packet = 1;
    if (get_sub_group_id() % 2 == 0) {
        reserve_id_t id = sub_group_reserve_write_pipe(out, 2);
        write_pipe(out, id, get_sub_group_local_id(), &packet);
        sub_group_commit_write_pipe(out, id);
    }
}

/* Values that nobody wrote decide; and a packet that nobody wrote. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k undefined -g 2 -l 2 -a pipe:int[8]=iota -a buf:uint[1] -a buf:int[2] --schedule asc
kernel void undefined(read_only pipe int in, global const uint *index, global int *out)
{
    reserve_id_t id = reserve_read_pipe(in, 2);
    read_pipe(in, id, *index, out + get_global_id(0));
    commit_read_pipe(in, id);
}

/* Nobody writes to the pipe while this kernel runs. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k waits -g 4 -l 4 -a pipe:int[2]=iota -a buf:int[4] --schedule asc
kernel void waits(read_only pipe int in, global int *out)
{
    int packet;
    while (read_pipe(in, &packet) != 0)
        ;
    out[get_global_id(0)] = packet;
}

/* A kernel that is enqueued here has reservations of its own. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k passed_on -g 1 -a pipe:int[4] -a buf:int[1]=1 --schedule asc
kernel void passed_on(write_only pipe int out, global int *data)
{
    reserve_id_t id = reserve_write_pipe(out, 1);
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1),
                   ^{ write_pipe(out, id, 0, data); });
    commit_write_pipe(out, id);
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k of_a_child -g 1 -a pipe:int[4] -a buf:int[1]=1 --schedule asc
kernel void of_a_child(write_only pipe int out, global int *data)
{
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
        reserve_id_t id = reserve_write_pipe(out, 1);
        write_pipe(out, id, 0, data);
        if (*data == 0)
            commit_write_pipe(out, id);
    });
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k of_a_child -g 1 -a pipe:int[4] -a buf:int[1]=0 --schedule asc

/* The work-items of a group share its reservation; all write the same packet. */
// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k same_packet -g 4 -l 4 -a pipe:int[4] --schedule asc
kernel void same_packet(write_only pipe int out)
{
    int packet = (int)get_global_id(0);
    reserve_id_t id = work_group_reserve_write_pipe(out, 2);
    if (is_valid_reserve_id(id)) {
        write_pipe(out, id, get_local_id(0) / 2, &packet);
        work_group_commit_write_pipe(out, id);
    }
}

// $ clerk kernel misuse.cl --build -cl-std=CL3.0 -k own_packet -g 4 -l 4 -a pipe:int[4] --schedule asc
kernel void own_packet(write_only pipe int out)
{
    int packet = (int)get_global_id(0);
    reserve_id_t id = work_group_reserve_write_pipe(out, get_local_size(0));
    if (is_valid_reserve_id(id)) {
        write_pipe(out, id, get_local_id(0), &packet);
        work_group_commit_write_pipe(out, id);
    }
}
