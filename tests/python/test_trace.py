"""Runs, calls, objects, launches and findings of recordings."""

import os
import shutil
import sqlite3
import subprocess
import sys

import pytest
from conftest import BUILD, MULTIPLY

import clerk


def test_run_tells_of_the_process(products):
    with clerk.open(products) as trace:
        assert trace.run.state == "complete" and trace.run.threads == 1 and trace.run.failed_calls == 0
        assert trace.run.command == f"{sys.executable} {MULTIPLY}"
        assert trace.run.calls == sum(1 for _ in trace.calls()) > 20
        assert list(trace.runs()) == [trace.run]


def test_runs_are_those_of_one_name(tmp_path):
    program = "import subprocess; [subprocess.run(['clinfo', '--list']) for _ in range(3)]"
    if not shutil.which("clinfo"):
        pytest.skip("clinfo is not installed (Debian: clinfo)")
    clerk.run([sys.executable, "-c", program], output=tmp_path / "a.db", device="reference")
    shutil.copy(tmp_path / "a.2.db", tmp_path / "a.b.db")
    with clerk.open(tmp_path / "a.2.db") as trace:
        assert [run.path.name for run in trace.runs()] == ["a.2.db", "a.db", "a.3.db"]


def test_calls_are_chosen(products):
    with clerk.open(products) as trace:
        launch, = trace.calls("clEnqueueNDRange*")
        assert launch.result == "CL_SUCCESS" and not launch.failed
        assert launch.duration_ns == launch.end_ns - launch.begin_ns > 0
        assert [call.id for call in trace.calls(first=launch.id, last=launch.id)] == [launch.id]
        assert len(list(trace.calls(with_clerks_own=True))) > trace.run.calls


def test_objects_have_lives(products):
    with clerk.open(products) as trace:
        buffers = [held for held in trace.objects("memory object")]
        assert [held.name for held in buffers] == ["buffer#1", "buffer#2", "buffer#3"]
        assert all(held.created_call < held.released_call and held.label == "200000 bytes" for held in buffers)
        call = next(trace.calls(first=buffers[0].created_call))
        assert call.name == "clCreateBuffer" and int(call.result, 16) == buffers[0].handle


def test_children_come_after_their_launch(enqueued):
    with clerk.open(enqueued) as trace:
        first, *others = trace.launches()
        assert (first.kernel, first.child, first.parent) == ("root", None, None)
        children = [launch for launch in others if launch.call == first.call]
        assert [(child.child, child.parent) for child in children] == \
            [(1, None), (2, None), (3, None), (4, 1), (5, 1), (6, 2), (7, 2), (8, 3), (9, 3)]
        assert {child.kernel for child in children} == {"block of root", "block of branch"}
        assert (children[3].global_size, children[3].local_size, children[3].global_offset) == ((8,), (4,), (3,))


def test_launches_have_typed_arguments(products, raced):
    with clerk.open(products) as trace:
        launch, = trace.launches()
        assert (launch.kernel, launch.global_size, launch.local_size, launch.global_offset) == ("multiply", (50000,), None, (0,))
        assert [(given.name, given.type, given.object, given.size) for given in launch.arguments] == [
            (name, "float*", f"buffer#{i}", 200000) for i, name in enumerate(["a", "b", "product"], 1)]
        assert not list(trace.launches("other"))
    with clerk.open(raced) as trace:
        launch, = trace.launches("reduce")
        assert launch.local_size == (64,)


def test_findings_have_places(raced):
    with clerk.open(raced) as trace:
        finding, = trace.findings()
        assert (finding.rule, finding.severity, finding.kernel) == ("race-local", "error", "reduce")
        assert finding.count > 1 and finding.call == next(trace.launches()).call
        assert finding.json["places"][0]["line"] == 13


def test_killed_run_is_recovered(tmp_path, monkeypatch):
    path = tmp_path / "k.db"
    monkeypatch.setenv("OPENCL_LAYERS", str(BUILD / "lib/clerk/libclerk_layer.so"))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(BUILD / "share/clerk/vendors"))
    monkeypatch.setenv("CLERK_TRACE", str(path))
    victim = "import os, pyopencl, signal; pyopencl.get_platforms(); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", victim])
    monkeypatch.undo()
    assert os.path.exists(f"{path}.spool"), "nothing is left to be recovered"
    with clerk.open(path) as trace:
        assert trace.run.state == "recovered" and next(trace.calls("clGetPlatformIDs")).result == "CL_SUCCESS"


CALLS = {  # how they were kept, by the first version that kept them so
    1: ["INSERT INTO call SELECT id, thread, name, begin_ns, end_ns, result, arguments, failed, flags, entry, record FROM now.call"],
    3: ["INSERT INTO call_form SELECT * FROM now.call_form", "INSERT INTO call_row SELECT * FROM now.call_row"],
}
SINCE = {"meta": 1, "machine": 1, "content": 1, "call_content": 1, "object": 1, "program": 1, "kernel": 1, "launch": 1,
         "launch_content": 2}


@pytest.mark.parametrize("version", range(1, clerk.trace.NEWEST_VERSION))
def test_older_versions_are_read(products, tmp_path, version):
    path = tmp_path / "old.db"
    schema = subprocess.run([BUILD / "tests/schema_of", str(version)], capture_output=True, text=True, check=True).stdout
    database = sqlite3.connect(path)
    database.executescript(schema)
    database.execute("ATTACH ? AS now", (str(products),))
    for statement in CALLS[3 if version >= 3 else 1]:
        database.execute(statement)
    for table in (table for table, since in SINCE.items() if since <= version):
        columns = ", ".join(name for name, in database.execute("SELECT name FROM pragma_table_info(?, 'main')", (table,)))
        database.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM now.{table}")
    database.commit()
    database.close()
    with clerk.open(products) as now, clerk.open(path) as trace:
        assert trace.version == version
        for listed in ("calls", "objects", "launches", "findings"):
            assert list(getattr(trace, listed)()) == list(getattr(now, listed)())
        kept = [piece for piece in now.memory() if version >= 2 or piece.what not in ("found", "left")]
        assert list(trace.memory()) == kept
        assert [piece.bytes() for piece in trace.memory()] == [piece.bytes() for piece in kept]


def changed(path, copy, sql):
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as database:
        database.execute(sql)
    database.close()
    return copy


def test_newer_version_is_refused_by_the_module(products, tmp_path, monkeypatch):
    path = changed(products, tmp_path / "n.db", "PRAGMA user_version = 99")
    with pytest.raises(clerk.Error, match="99"):
        clerk.open(path)
    monkeypatch.setenv("CLERK", "/bin/true")  # a newer program, which reads it
    with pytest.raises(clerk.Error, match="version 99 of the format of traces; this module reads 1 to 7"):
        clerk.open(path)


def test_what_is_no_trace_is_refused(products, tmp_path, monkeypatch):
    with pytest.raises(clerk.Error, match="evil"):
        clerk.open(changed(products, tmp_path / "v.db", "CREATE VIEW evil AS SELECT 1"))
    with pytest.raises(clerk.Error, match="cannot open"):
        clerk.open(tmp_path / "none.db")
    monkeypatch.setenv("CLERK", "/no/clerk")
    with pytest.raises(clerk.Error, match="cannot run '/no/clerk'"):
        clerk.open(products)


def test_trace_is_not_written(products):
    with clerk.open(products) as trace, pytest.raises(sqlite3.OperationalError):
        trace.database.execute("DELETE FROM meta")
