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
    options = ["run", "--device", device, "--fail-on", "never", "--", sys.executable, "-m", "pytest"]
    os.chdir(config.invocation_params.dir)
    try:
        path = program.find()
        os.execvp(path, [path, *options, *map(str, config.invocation_params.args)])
    except program.Error as failure:
        raise pytest.UsageError(f"--clerk {device}: {failure}") from failure
    except OSError as failure:
        raise pytest.UsageError(f"--clerk {device}: cannot run '{path}': {failure.strerror}") from failure


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


def _judged(found, options):
    """Whether the lines fail a test, and the text to show. Options that clerk report refuses fail it as well."""
    with tempfile.TemporaryDirectory(prefix="clerk-") as directory:
        lines = pathlib.Path(directory, "found.json")
        lines.write_bytes(found)
        try:
            return report(lines, **options)
        except program.Error as failure:
            return True, str(failure)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Under clerk run: what was found while the test, or its fixtures, ran fails it."""
    found = _new_findings(item.config)
    has_failed, text = _judged(found, _options_of(item)) if found else (False, None)
    is_told = has_failed and call.excinfo is None
    if is_told:
        # As if the test itself had failed: to pytest's own marks, as xfail, it is the same.
        try:
            pytest.fail(text, pytrace=False)
        except pytest.fail.Exception:
            call.excinfo = pytest.ExceptionInfo.from_current()
    outcome = yield
    if text and not is_told:
        outcome.get_result().sections.append(("clerk", text))
