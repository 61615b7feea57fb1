"""Programs under clerk."""

import os
import subprocess
import sys

import pytest
from conftest import REDUCE

import clerk


def test_findings_and_report():
    done = clerk.run(REDUCE, device="reference")
    assert done.status == 0 and done.has_failed and "(right)" in done.stdout
    assert [finding.rule for finding in done.findings] == ["race-local"]
    assert "error: [race-local]" in done.report and "reduce.cl:13" in done.report


def test_findings_may_be_known():
    assert not clerk.run(REDUCE, device="reference", fail_on="never").has_failed


def test_status_input_and_environment(monkeypatch):
    program = "import os, sys; print(os.environ['WORD'] + sys.stdin.read()); sys.exit(3)"
    monkeypatch.setenv("WORD", "to ")
    done = clerk.run([sys.executable, "-c", program], input="you")
    assert (done.status, done.stdout, done.findings, done.has_failed) == (3, "to you\n", (), False)


def test_program_that_is_not_there():
    with pytest.raises(clerk.Error, match="/no/program"):
        clerk.run(["/no/program"])


@pytest.mark.parametrize("words, options, sentence", [
    ("true", {}, r"as \['true'\]"),
    (["true"], {"trace": "a.db"}, "output names the file"),
    (["true"], {"report": "a.json"}, "no option of clerk.run"),
    (["true"], {"cwd": "/no/directory"}, "cannot run '/no/directory': No such file"),
])
def test_what_cannot_be_run_is_refused_with_a_sentence(words, options, sentence):
    with pytest.raises(clerk.Error, match=sentence):
        clerk.run(words, **options)


def test_clerk_that_is_not_there(monkeypatch):
    monkeypatch.setenv("CLERK", "/no/clerk")
    with pytest.raises(clerk.Error, match="cannot run '/no/clerk': No such file"):
        clerk.run(["true"])


def test_a_program_that_takes_too_long_is_ended(tmp_path):
    with pytest.raises(subprocess.TimeoutExpired):
        clerk.run(["sh", "-c", "echo $$ >id; exec sleep 300"], cwd=tmp_path, timeout=2)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "id").read_text()), 0)
