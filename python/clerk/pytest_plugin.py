"""clerk in pytest. Two ways, which may be used together:

The fixture `clerk` runs programs under clerk; a test fails with the report where clerk finds errors:

    def test_reduce(clerk):
        done = clerk.run(["./reduce", "reduce.cl"], device="reference")
        assert "right" in done.stdout

Tests that call OpenCL themselves, as by pyopencl, are checked one by one when pytest runs under clerk:

    clerk run --device reference -- pytest        or        pytest --clerk reference

A test fails with the report of what was found while it ran. What is enqueued and not waited for may be found, and told, in a
later one. `@pytest.mark.clerk(fail_on="warning", suppress="known.supp")` says what fails, and "never" nothing."""

import os
import pathlib
import sys
import tempfile

import pytest

from . import program
from .checked import report, run

_FINDINGS = "CLERK_FINDINGS"


_read = pytest.StashKey()  # of the file of findings, in bytes


def _new_findings(config):
    """The lines that came since the last question; none where pytest does not run under clerk."""
    path = os.environ.get(_FINDINGS)
    if not path or not os.path.exists(path):
        return b""
    with open(path, "rb") as findings:
        findings.seek(config.stash.get(_read, 0))
        found = findings.read()
        config.stash[_read] = findings.tell()
    return found


def pytest_addoption(parser):
    parser.addoption("--clerk", metavar="system|reference",
                     help="run these tests under clerk, on the system's devices or on clerk's own, and fail those in which "
                          "it finds errors")


def pytest_configure(config):
    config.addinivalue_line("markers", "clerk(**options): what fails the test, as fail_on='warning' (options of clerk report)")
    _new_findings(config)  # those of before are of no test


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Becomes clerk run of the same tests, since what comes between program and driver must be there from its start."""
    device = config.getoption("--clerk")
    if not device or _FINDINGS in os.environ:
        return
    command = [program.find(), "run", "--device", device, "--fail-on", "never", "--", sys.executable, "-m", "pytest",
               *map(str, config.invocation_params.args)]
    os.chdir(config.invocation_params.dir)
    os.execv(command[0], command)


class Checks:
    """The fixture: programs under clerk."""

    def __init__(self, options):
        self._options = options

    def run(self, command, **options):
        """clerk.run, which fails the test with the report if there are findings that fail."""
        __tracebackhide__ = True
        done = run(command, **{**self._options, **options})
        if done.has_failed:
            pytest.fail(done.report, pytrace=False)
        return done


def _options_of(item):
    return {name: value for mark in reversed(list(item.iter_markers("clerk"))) for name, value in mark.kwargs.items()}


@pytest.fixture
def clerk(request):
    """Runs programs under clerk, and fails the test where clerk finds errors: clerk.run([...], device="reference")."""
    return Checks(_options_of(request.node))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Under clerk run: what was found while the test, or its fixtures, ran fails it."""
    outcome = yield
    found = _new_findings(item.config)
    if not found:
        return
    with tempfile.TemporaryDirectory(prefix="clerk-") as directory:
        lines = pathlib.Path(directory, "found.json")
        lines.write_bytes(found)
        has_failed, text = report(lines, **_options_of(item))
    result = outcome.get_result()
    if has_failed and result.passed:
        result.outcome = "failed"
        result.longrepr = text
    else:
        result.sections.append(("clerk", text))
