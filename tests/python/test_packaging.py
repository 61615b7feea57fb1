"""What is installed is what pyproject.toml says."""

import configparser
import importlib.metadata
import re
import subprocess
import tomllib

from conftest import BUILD, SOURCE

import clerk.trace

PROJECT = tomllib.loads((SOURCE / "python/pyproject.toml").read_text())["project"]


def test_version_is_the_programs():
    version = subprocess.run([BUILD / "bin/clerk", "--version"], capture_output=True, text=True).stdout
    assert PROJECT["version"] == importlib.metadata.version("clerk") == re.search(r"\d+\.\d+\.\d+", version)[0]


def test_entry_points_are_the_projects():
    points = configparser.ConfigParser()
    points.read(SOURCE / "python/entry_points.txt")
    assert {group: dict(points[group]) for group in points.sections()} == PROJECT["entry-points"]


def test_metadata_is_the_projects():
    metadata = importlib.metadata.metadata("clerk")
    assert metadata["Summary"] == PROJECT["description"] and metadata["Requires-Python"] == PROJECT["requires-python"]


def test_all_modules_are_installed():
    assert {path.name for path in (BUILD / "lib/python3/dist-packages/clerk").glob("*.py")} == \
           {path.name for path in (SOURCE / "python/clerk").glob("*.py")}


def test_constants_are_those_of_c():
    store = (SOURCE / "trace/store.h").read_text()
    assert clerk.trace.NEWEST_VERSION == int(re.search(r"STORE_VERSION = (\d+)", store)[1])
    assert clerk.trace.APPLICATION_ID == int(re.search(r"STORE_APPLICATION_ID = (\w+)", store)[1], 16)
