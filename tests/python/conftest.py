"""What the tests of the module share: recordings of programs that the suite has."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["CLERK_SOURCE"])
BUILD = pathlib.Path(os.environ["CLERK_BUILD"])
MULTIPLY = SOURCE / "docs/examples/multiply.py"
REDUCE = [BUILD / "examples/reduce", SOURCE / "docs/examples/reduce.cl"]

pytest_plugins = ["pytester"]


def _record(path, device, command):
    options = ["--device", device, "--contents", "all", "--fail-on", "never", "-o", path]
    ended = subprocess.run([BUILD / "bin/clerk", "run", *options, "--", *command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    return path


@pytest.fixture(scope="session")
def has_driver():
    if not any(pathlib.Path("/etc/OpenCL/vendors").glob("*.icd")):
        pytest.skip("there is no OpenCL driver in /etc/OpenCL/vendors (Debian: pocl-opencl-icd)")


@pytest.fixture(scope="session")
def products(tmp_path_factory, has_driver):
    """multiply.py over the system's driver"""
    return _record(tmp_path_factory.mktemp("products") / "m.db", "system", [sys.executable, MULTIPLY])


@pytest.fixture(scope="session")
def enqueued(tmp_path_factory):
    """launches that enqueue others on the device"""
    return _record(tmp_path_factory.mktemp("enqueued") / "e.db", "reference", [BUILD / "tests/enqueuing"])


@pytest.fixture(scope="session")
def raced(tmp_path_factory):
    """a reduction with a race, on the reference device"""
    return _record(tmp_path_factory.mktemp("raced") / "r.db", "reference", REDUCE)
