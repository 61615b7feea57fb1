// Reservations of pipes: as races.cl.
//
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k uncommitted -g 8 -l 4 -a pipe:int[64] -a buf:int[8]=0
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k uncommitted_advised -g 8 -l 4 -a pipe:int[64] -a buf:int[8]=0 --print 1
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k unasked -g 2 -l 1 -a pipe:int[4]=2 -a buf:int[2]=9
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k unasked_advised -g 2 -l 1 -a pipe:int[6]=2 -a buf:int[2]=9 --print 1
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k twice -g 4 -l 4 -a pipe:int[16] -a buf:int[4]=0
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k twice_advised -g 4 -l 4 -a pipe:int[16] -a buf:int[4]=0 --print 1
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k beyond -g 4 -l 4 -a pipe:int[16]=2 -a buf:int[4]=0
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k beyond_advised -g 4 -l 4 -a pipe:int[16]=2 -a buf:int[4]=0 --print 1
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k another_size -g 4 -a pipe:int[16]=2 -a buf:int[4]=0
// $ clerk kernel pipes.cl --build -cl-std=CL3.0 -k another_size_advised -g 4 -a pipe:short[16]=2 -a buf:int[4]=0 --print 1

kernel void uncommitted(write_only pipe int to, global int *out)
{
    int packet = get_global_id(0);
    reserve_id_t id = reserve_write_pipe(to, 1);
    if (is_valid_reserve_id(id)) {
        write_pipe(to, id, 0, &packet);
        out[packet] = packet;
        if (packet % 2 == 0)
            commit_write_pipe(to, id);
    }
}

kernel void uncommitted_advised(write_only pipe int to, global int *out)
{
    int packet = get_global_id(0);
    reserve_id_t id = reserve_write_pipe(to, 1);
    if (is_valid_reserve_id(id)) {
        write_pipe(to, id, 0, &packet);
        out[packet] = packet;
        commit_write_pipe(to, id);
    }
}

kernel void unasked(read_only pipe int from, global int *out)
{
    reserve_id_t id = reserve_read_pipe(from, 3);
    read_pipe(from, id, 0, out + get_global_id(0));
    commit_read_pipe(from, id);
}

kernel void unasked_advised(read_only pipe int from, global int *out)
{
    reserve_id_t id = reserve_read_pipe(from, 3);
    if (is_valid_reserve_id(id)) {
        read_pipe(from, id, 0, out + get_global_id(0));
        commit_read_pipe(from, id);
    }
}

kernel void twice(write_only pipe int to, global int *out)
{
    int packet = 7;
    reserve_id_t id = reserve_write_pipe(to, 1);
    write_pipe(to, id, 0, &packet);
    commit_write_pipe(to, id);
    out[get_global_id(0)] = packet;
    commit_write_pipe(to, id);
}

kernel void twice_advised(write_only pipe int to, global int *out)
{
    int packet = 7;
    reserve_id_t id = reserve_write_pipe(to, 1);
    write_pipe(to, id, 0, &packet);
    out[get_global_id(0)] = packet;
    commit_write_pipe(to, id);
}

kernel void beyond(read_only pipe int from, global int *out)
{
    const uint i = get_local_id(0);
    reserve_id_t id = work_group_reserve_read_pipe(from, 4);
    read_pipe(from, id, i + 1, out + i);
    work_group_commit_read_pipe(from, id);
}

kernel void beyond_advised(read_only pipe int from, global int *out)
{
    const uint i = get_local_id(0);
    reserve_id_t id = work_group_reserve_read_pipe(from, 5);
    read_pipe(from, id, i + 1, out + i);
    work_group_commit_read_pipe(from, id);
}

kernel void another_size(read_only pipe short from, global int *out)
{
    short packet = 0;
    read_pipe(from, &packet);
    out[get_global_id(0)] = packet;
}

kernel void another_size_advised(read_only pipe short from, global int *out)
{
    short packet = 0;
    read_pipe(from, &packet);
    out[get_global_id(0)] = packet;
}
