"""Replays as objects."""

import sys

import pytest

import clerk


def test_replay_is_equal(products):
    done = clerk.replay(products)
    assert done.is_equal and not done.differences and done.device == "clerk reference device"
    launch, = done.launches
    assert (launch.kernel, launch.verdict, launch.objects, launch.bytes) == ("multiply", "equal", 3, 600000)
    assert done.summary["compared_bytes"] == 200000


def test_replay_finds(raced):
    done = clerk.replay(raced)
    assert done.is_equal and [finding.rule for finding in done.findings] == ["race-local"]


def test_replay_over_a_driver(raced, has_driver):
    done = clerk.replay(raced, device="system", launch=next(iter(clerk.replay(raced).launches)).call)
    assert done.launches[0].kernel == "reduce" and not done.findings


def test_replay_differs(tmp_path):
    program = """
import numpy, pyopencl
context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
out = pyopencl.Buffer(context, pyopencl.mem_flags.WRITE_ONLY, 64)
pyopencl.Program(context, "kernel void half_of(global float *out) { out[get_global_id(0)] = 1e-38f / (1 + get_global_id(0)); }"
    ).build().half_of(queue, (16,), None, out)
pyopencl.enqueue_copy(queue, numpy.empty(16, numpy.float32), out)
"""
    clerk.run([sys.executable, "-c", program], output=tmp_path / "d.db", device="reference", contents="all")
    done = clerk.replay(tmp_path / "d.db", personality="ftz")
    assert not done.is_equal
    assert {difference.kind for difference in done.differences} == {"difference", "launch-difference"}
    left = next(difference for difference in done.differences if difference.kind == "launch-difference")
    assert left.kernel == "half_of" and left.object == "buffer#1" and left.type == "float*" and float(left.replayed) == 0
    assert done.launches[0].verdict == "different" and done.launches[0].differing_bytes > 0


def test_replay_that_cannot_be_says_why(products):
    with pytest.raises(clerk.Error, match="of the reference device, not of the system's"):
        clerk.replay(products, device="system", personality="ftz")
    with pytest.raises(clerk.Error, match="performs a recording once"):
        clerk.replay(products, personalities="ftz")
