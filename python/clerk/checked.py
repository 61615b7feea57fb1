"""Programs under clerk."""

import dataclasses
import os
import pathlib
import subprocess
import tempfile

from . import program
from .trace import finding_of


@dataclasses.dataclass(frozen=True)
class Checked:
    """What a program did under clerk."""

    status: int
    """the program's exit status; 128 + N where signal N killed it"""
    stdout: str
    """the program's"""
    stderr: str
    """the program's, and behind it what clerk says"""
    findings: tuple
    """a Finding each"""
    has_failed: bool
    """there are findings that fail: errors, or what fail_on says"""
    report: str
    """the findings as clerk prints them"""


def report(path, **options):
    """Whether the findings in the file fail (fail_on, strict, suppress, baseline: options of clerk report), and their
    report. Lines of JSON, as `clerk run --findings` or `--report FILE.json` writes them."""
    status, text = program.run(["report", path, *program.option_words({"color": "never", **options})])
    return status == 1, text


_JUDGED = ("fail_on", "strict", "suppress", "baseline", "max_per_rule")
_OWN = {"trace": "output names the file to record into", "report": "the report is in what clerk.run returns"}
_GRACE = 5  # seconds


def _perform(words, input, timeout, **options):
    """The exit status, standard output and standard error of the program clerk."""
    try:
        process = subprocess.Popen(words, stdin=None if input is None else subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace", **options)
    except OSError as failure:
        raise program.Error(f"cannot run '{failure.filename}': {failure.strerror}") from failure
    with process:
        try:
            said = process.communicate(input, timeout)
        except BaseException:
            process.terminate()  # clerk passes that on; the program would outlive a clerk that is killed
            try:
                process.wait(_GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return process.returncode, *said


def run(command, output=None, env=None, cwd=None, input=None, timeout=None, **options):
    """Runs a program under clerk, as `clerk run [options] -- command` does, and returns what it came to. `output` is the file to
    record into, None: nothing is recorded. `env` replaces the environment; a program that takes more than `timeout` seconds is
    ended, which is told by subprocess.TimeoutExpired.
    The options are those of clerk run with underscores: device="reference", checks="usual", probes=True, fail_on="warning",
    suppress="known.supp" ... Raises Error where clerk could not start the program or was ended."""
    if isinstance(command, (str, os.PathLike)):
        raise program.Error(f"the command is a list of words, as [{os.fspath(command)!r}]")
    for name in _OWN.keys() & options.keys():
        raise program.Error(f"{name} is no option of clerk.run: {_OWN[name]}")
    with tempfile.TemporaryDirectory(prefix="clerk-") as directory:
        found = pathlib.Path(directory, "report.json")
        judged = {name: options.pop(name) for name in _JUDGED if name in options}
        options |= {"trace": output and os.path.abspath(output), "report": found, "max_per_rule": 0, "fail_on": "never"}
        words = [program.find(), "run", *program.option_words(options), "--", *map(os.fspath, command)]
        status, stdout, stderr = _perform(words, input, timeout, env=env, cwd=cwd)
        if not found.exists():
            raise program.Error(stderr.strip() or f"clerk run ended with status {status}")
        has_failed, text = report(found, **judged)
        findings = tuple(finding_of(line) for line in program.lines(["report", found, "--json", "--max-per-rule", "0",
                                                                     "--fail-on", "never"]) if "message" in line)
    return Checked(status, stdout, stderr, findings, has_failed, text)
