"""Programs under clerk."""

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
