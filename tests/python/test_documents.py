"""The notebook gives what it shows, cell by cell, and docs/PYTHON.md is true."""

import ast
import json
import re
import shutil
import sys

import pytest
from conftest import MULTIPLY, REDUCE, SOURCE

EXAMPLES = SOURCE / "docs/examples"


@pytest.fixture
def reader(tmp_path, monkeypatch, has_driver):
    """The directory of who reads: examples, and a program with its recording."""
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    shutil.copy(REDUCE[0], tmp_path)
    (tmp_path / "app").write_text(f"#!/bin/sh\nexec {sys.executable} {MULTIPLY}\n")
    (tmp_path / "app").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def value_of(source, names):
    """Executes the cell; what its last line gives, as a notebook shows it."""
    *statements, last = ast.parse(source).body
    exec(compile(ast.Module(statements, []), "cell", "exec"), names)
    return repr(eval(compile(ast.Expression(last.value), "cell", "eval"), names))


def test_notebook_gives_what_it_shows(reader):
    names = {}
    cells = [cell for cell in json.loads((EXAMPLES / "multiply.ipynb").read_text())["cells"] if cell["cell_type"] == "code"]
    assert sum(len(cell["source"]) for cell in cells) == 10
    for cell in cells:
        shown = "".join(cell["outputs"][0]["data"]["text/plain"])
        assert value_of("".join(cell["source"]), names) == shown


def test_manual_is_true(reader, products, pytester, monkeypatch, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```$", (SOURCE / "docs/PYTHON.md").read_text(), re.M | re.S)
    reading, recording, testing = blocks
    shutil.copy(products, reader / "app.db")
    monkeypatch.chdir(reader)
    names = {}
    exec(reading, names)
    assert names["product"].shape == (50000,) and str(MULTIPLY) in capsys.readouterr().out
    exec(recording, names)
    assert names["done"].status == 0 and names["replayed"].is_equal
    pytester.makepyfile(testing)
    for file in (REDUCE[0], REDUCE[1]):
        shutil.copy(file, pytester.path)
    monkeypatch.chdir(pytester.path)
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(failed=1)
    shutil.copy(EXAMPLES / "reduce_fixed.cl", pytester.path / "reduce.cl")
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
