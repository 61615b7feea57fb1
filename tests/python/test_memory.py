"""Contents of memory as arrays."""

import shutil
import sqlite3
import sys

import numpy
import pytest
from conftest import BUILD

import clerk
from clerk import elements

VECTORS = """
import numpy, pyopencl
context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
flags = pyopencl.mem_flags
text = '''typedef struct { int a; float b; } pair;
kernel void widen(global const float3 *in, global double *out, global pair *pairs, short4 by, local int *tile) {
    out[get_global_id(0)] = in[get_global_id(0)].y * by.s1; pairs[get_global_id(0)].a = 1; pairs[get_global_id(0)].b = 2; }'''
kernel = pyopencl.Program(context, text).build().widen
given = numpy.arange(8 * 4, dtype=numpy.float32)
source = pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
result = pyopencl.Buffer(context, flags.WRITE_ONLY, 64)
pairs = pyopencl.Buffer(context, flags.WRITE_ONLY, 64)
kernel(queue, (8,), (4,), source, result, pairs, numpy.array([1, 2, 3, 4], numpy.int16), pyopencl.LocalMemory(16))
large = numpy.zeros(1 << 20, numpy.uint8)
held = pyopencl.Buffer(context, flags.READ_WRITE, large.nbytes)
pyopencl.enqueue_copy(queue, held, numpy.arange(1 << 20).astype(numpy.uint8))
pyopencl.enqueue_copy(queue, large, held)
"""


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "v.db"
    done = clerk.run([sys.executable, "-c", VECTORS], output=path, device="reference", contents="all")
    assert done.status == 0, done.stderr
    return path


def test_arrays_have_the_kernels_types(products):
    with clerk.open(products) as trace:
        a, b = (next(trace.memory(object=name, what="host_ptr")).array() for name in ("buffer#1", "buffer#2"))
        product, = trace.memory(object="buffer#3", what="ptr")
        assert product.type == "float*" and product.array().dtype == numpy.float32 and product.array().shape == (50000,)
        assert (a * b == product.array()).all()
        assert not product.array().flags.writeable
        call, = trace.launches()
        left, = trace.memory(call=call.call, object="buffer#3", what="left")
        assert left.kernel == "multiply" and (left.array() == product.array()).all()
        assert product.array("uchar4").shape == (50000, 4)
        with pytest.raises(clerk.Error, match="'flaot' is no scalar or vector"):
            product.array("flaot")
        assert numpy.random.default_rng(1).random(50000, dtype=numpy.float32).tobytes() == a.tobytes()


def test_vectors_have_components(vectors):
    with clerk.open(vectors) as trace:
        launch, = trace.launches()
        assert [given.type for given in launch.arguments] == ["float3*", "double*", "pair*", "short4", "int*"]
        assert launch.arguments[3].value == [1, 2, 3, 4] and launch.arguments[4].local == 16
        found, = trace.memory(object="buffer#1", what="found")
        assert found.array().shape == (8, 3) and (found.array()[:, 1] == numpy.arange(1, 32, 4)).all()
        left, = trace.memory(object="buffer#2", what="left")
        assert left.array().dtype == numpy.float64 and (left.array() == 2 * numpy.arange(1, 32, 4)).all()


def test_structures_are_bytes(vectors):
    with clerk.open(vectors) as trace:
        left, = trace.memory(object="buffer#3", what="left")
        assert left.type == "pair*" and left.array().dtype == numpy.uint8
        pairs = numpy.frombuffer(left.bytes(), [("a", "i4"), ("b", "f4")])
        assert (pairs["a"] == 1).all() and (pairs["b"] == 2).all()


def test_pieces_are_joined(vectors):
    with clerk.open(vectors) as trace:
        written, read = trace.memory(object="buffer#4", what="ptr")
        assert written.size == read.size == 1 << 20 and written.type is None
        assert (written.array() == numpy.arange(1 << 20).astype(numpy.uint8)).all() and written.bytes() == read.bytes()


def test_memory_is_what_the_program_shows(vectors, products):
    for path in (vectors, products):
        with clerk.open(path) as trace:
            told = {(piece.call, piece.what, piece.object, piece.offset, piece.size) for piece in trace.memory()}
        lines = clerk.program.lines(["show", path, "memory", "--json"])
        assert told == {tuple(line[key] for key in ("call", "what", "object", "offset", "size")) for line in lines}


def test_memory_is_in_the_order_of_the_calls(vectors):
    with clerk.open(vectors) as trace:
        calls = [piece.call for piece in trace.memory()]
        launch, = trace.launches()
    assert calls == sorted(calls) and calls[0] < launch.call < calls[-1]


def test_shared_memory_has_the_kernels_type(tmp_path):
    clerk.run([BUILD / "tests/replay_svm"], output=tmp_path / "s.db", device="reference", contents="all")
    with clerk.open(tmp_path / "s.db") as trace:
        launch, = trace.launches()
        first = launch.arguments[0]
        left, = trace.memory(what="left", object=f"0x{first.address:x}")
    assert (first.name, first.type, left.type, left.size) == ("list", "node*", "node*", 128)


def test_digests_alone_have_no_bytes(tmp_path):
    done = clerk.run([sys.executable, "-c", VECTORS], output=tmp_path / "h.db", device="reference", contents="hashes")
    assert done.status == 0
    with clerk.open(tmp_path / "h.db") as trace:
        left, = trace.memory(object="buffer#2", what="left")
        assert not left.is_kept
        with pytest.raises(clerk.Error, match="only a digest"):
            left.array()


@pytest.mark.parametrize("change", ["bytes = x'00', encoding = 0", "bytes = x'00'", "size = -1", "size = 1 << 40", "encoding = 7"])
def test_damaged_contents_are_refused(products, tmp_path, change):
    path = tmp_path / "d.db"
    shutil.copy(products, path)
    database = sqlite3.connect(path)
    database.execute(f"UPDATE content SET {change}")
    database.commit()
    database.close()
    with clerk.open(path) as trace, pytest.raises(clerk.Error, match="is damaged"):
        next(trace.memory()).array()


@pytest.mark.parametrize("name, type_name, components", [("float*", "f4", 1), ("uchar16*", "u1", 16), ("half", "f2", 1)])
def test_types_are_known(name, type_name, components):
    assert elements.parse(name) == (type_name, components)


@pytest.mark.parametrize("name", [None, "", "pair*", "image2d_t", "float5*", "float**"])
def test_types_are_not_known(name):
    assert elements.parse(name) is None


@pytest.mark.parametrize("name, type_name", elements._SCALARS.items())
def test_scalars_have_the_programs_sizes(products, name, type_name):
    with clerk.open(products) as trace:
        call = next(trace.launches()).call
    line = next(clerk.program.lines(["show", products, "memory", "--from", str(call), "--type", name, "--json"]))
    assert len(line["values"]) == 1024 // numpy.dtype(type_name).itemsize  # it shows the first KiB
