"""The pytest plugin, in runs of pytest of its own."""

import os
import subprocess
import sys

import pytest
from conftest import BUILD, REDUCE

IN_PROCESS = """
import numpy, pyopencl, pytest

@pytest.fixture(scope="module")
def queue():
    return pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))

def launch(queue, count):
    out = pyopencl.Buffer(queue.context, pyopencl.mem_flags.WRITE_ONLY, 64 * 4)
    text = "kernel void fill(global int *out) { out[get_global_id(0)] = 1; }"
    pyopencl.Program(queue.context, text).build().fill(queue, (count,), None, out)
    queue.finish()

def test_before(queue):
    launch(queue, 64)

def test_beyond(queue):
    launch(queue, 65)

@pytest.mark.clerk(fail_on="never")
def test_known(queue):
    launch(queue, 66)

@pytest.mark.xfail
def test_expected(queue):
    launch(queue, 67)

@pytest.mark.clerk(fail_onn="never")
def test_misspelt(queue):
    launch(queue, 68)

def test_after(queue):
    launch(queue, 63)
"""


@pytest.fixture
def pytester(pytester, monkeypatch):
    monkeypatch.setenv("CLERK_CACHE", os.environ["CLERK_CACHE"])
    return pytester


def test_fixture_fails_with_the_report(pytester):
    reduce, kernel = map(str, REDUCE)
    pytester.makepyfile(f"""
        def test_raced(clerk):
            clerk.run([{reduce!r}, {kernel!r}], device="reference")
        def test_right(clerk):
            done = clerk.run([{reduce!r}, {kernel.replace("reduce.cl", "reduce_fixed.cl")!r}], device="reference")
            assert "(right)" in done.stdout
        import pytest
        @pytest.mark.clerk(fail_on="never")
        def test_known(clerk):
            assert clerk.run([{reduce!r}, {kernel!r}], device="reference").findings
    """)
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(passed=2, failed=1)
    done.stdout.fnmatch_lines(["*_ test_raced _*", "error: [[]race-local[]] *", "*reduce.cl:13*", "*1 failed, 2 passed*"])
    assert "pytest_plugin.py" not in done.stdout.str()


def outcome_of(pytester, *command):
    pytester.makepyfile(IN_PROCESS)
    ended = subprocess.run([*command, "-p", "no:cacheprovider"], capture_output=True, text=True, cwd=pytester.path)
    assert "2 failed, 3 passed, 1 xfailed" in ended.stdout, ended.stdout + ended.stderr
    assert "_ test_beyond _" in ended.stdout and "[bounds-global]" in ended.stdout and "in fill" in ended.stdout
    assert "_ test_misspelt _" in ended.stdout and "unknown option '--fail-onn'" in ended.stdout
    return ended


def test_tests_under_clerk_run_are_checked(pytester):
    ended = outcome_of(pytester, str(BUILD / "bin/clerk"), "run", "--device", "reference", "--", sys.executable, "-m", "pytest")
    assert ended.returncode == 1


def test_option_runs_tests_under_clerk(pytester):
    ended = outcome_of(pytester, sys.executable, "-m", "pytest", "--clerk", "reference")
    assert ended.returncode == 1 and "clerk: " in ended.stderr


def test_option_without_clerk_is_refused(pytester, monkeypatch):
    monkeypatch.setenv("CLERK", "/no/clerk")
    done = pytester.runpytest_subprocess("--clerk", "reference")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["ERROR: --clerk reference: cannot run '/no/clerk': No such file*"])


def test_findings_of_before_are_of_no_test(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    script = f"{REDUCE[0]} {REDUCE[1]} && {sys.executable} -m pytest -p no:cacheprovider"
    ended = subprocess.run([BUILD / "bin/clerk", "run", "--device", "reference", "--", "sh", "-c", script], capture_output=True,
                           text=True, cwd=pytester.path)
    assert "1 passed" in ended.stdout and "race-local" in ended.stderr and ended.returncode == 99


def test_plain_tests_are_not_checked(pytester):
    pytester.makepyfile("def test_nothing(): pass")
    done = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    done.assert_outcomes(passed=1)
    assert "clerk: " not in done.stderr.str()
