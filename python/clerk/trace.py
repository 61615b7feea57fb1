"""A recorded run, read through the tables that docs/TRACE_FORMAT.md describes. What these hold in clerk's own encoding
(the arguments of kernels) and what clerk computes from them (equal findings as one, lines of sources) the program tells."""

import ctypes
import dataclasses
import functools
import heapq
import itertools
import pathlib
import re
import sqlite3
import urllib.parse

from . import elements, program

APPLICATION_ID = 0x636C726B
"""`PRAGMA application_id` of a trace."""
NEWEST_VERSION = 7
"""The newest version of the schema that this module knows; it reads all from 1 on."""

_SYNTHETIC = 4  # of the flags: made by clerk itself
_RESULT, _HOST_WROTE, _HOST_SEES, _HEADER = 16, 17, 18, 19  # of the arguments in call_content
_ENCODED_RAW, _ENCODED_ZSTD = 0, 1
_PIECE_MAX = 1 << 28  # bytes of one row of content
_NAME = re.compile(r"(?:^|, )(\w+) (?:=|->) ")  # in the arguments of a call
_ID_MAX = 2**63 - 1


@dataclasses.dataclass(frozen=True)
class Run:
    """The process that was recorded. Times are in ns, sizes in bytes; None is what the trace does not tell."""

    path: pathlib.Path
    """the trace"""
    program: str
    command: str
    directory: str
    process: int
    state: str
    """recording, complete, recovered (the process was killed), stopped (recording failed) or trimmed (a part)"""
    calls: int
    """of the application's own"""
    failed_calls: int
    threads: int
    duration_ns: int
    facts: dict
    """all facts about the trace and its machine: text by name"""


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of the application's. Times are in ns since the trace's start."""

    id: int
    """from 1, in the order in which calls began"""
    thread: int
    """from 1"""
    name: str
    """the entry point"""
    arguments: str
    """as a person reads them"""
    result: str | None
    """in words: CL_SUCCESS, a handle; None: it never returned"""
    failed: bool
    """it returned an error code"""
    begin_ns: int
    end_ns: int | None
    """None: it never returned"""
    flags: int
    """a sum that docs/TRACE_FORMAT.md explains"""

    @property
    def duration_ns(self):
        """ns, or None where the call never returned"""
        return None if self.end_ns is None else self.end_ns - self.begin_ns


@dataclasses.dataclass(frozen=True)
class Object:
    """An OpenCL object."""

    id: int
    kind: str
    """platform, device, context, command-queue, memory object, sampler, program, kernel, event ..."""
    name: str
    """buffer#3, as in findings"""
    label: str | None
    """what a device, kernel or buffer says of itself"""
    handle: int
    """unsigned, 64 bits"""
    parent: int | None
    """the id of the object that it was made of"""
    created_call: int | None
    """None: before the recording"""
    released_call: int | None
    """None: never"""


@dataclasses.dataclass(frozen=True)
class Argument:
    """What a launch's kernel was given: one of `object`, `value`, `local`, `address`; none of them for NULL, for an
    argument that was not set and for a structure, whose first bytes are in `data`."""

    name: str | None
    type: str | None
    """as OpenCL C has it: float*, uint, image2d_t; None: not known"""
    plain_type: str | None = None
    """the same where the program has named the type: float4* of vec*; None: it has not, or it is not known"""
    object: str | None = None
    """the name of the memory object, sampler ..."""
    size: int | None = None
    """of that, in bytes, where it is a buffer"""
    value: object = None
    """an int or a float, or a list of them for a vector"""
    local: int | None = None
    """bytes of local memory"""
    address: int | None = None
    """of shared virtual memory"""
    data: str | None = None
    """bytes in hexadecimal"""


@dataclasses.dataclass(frozen=True)
class Launch:
    """An NDRange that was enqueued. Sizes are in work-items; the times are the device's, in ns, and None where neither
    the program nor `clerk run --profile` asked for them."""

    call: int
    thread: int
    kernel: str | None
    queue: str | None
    global_size: tuple
    """of 1 to 3 ints"""
    local_size: tuple | None
    """None: chosen by the device"""
    global_offset: tuple
    """as many ints as global_size has"""
    result: str | None
    queued_ns: int | None
    submit_ns: int | None
    start_ns: int | None
    end_ns: int | None
    complete_ns: int | None
    """of what it enqueued as well"""
    duration_ns: int | None
    arguments: tuple
    """an Argument each"""
    child: int | None = None
    """of a kernel that another one enqueued on the device: its number in the recording; `call` is the launch that it
    belongs to"""
    parent: int | None = None
    """the number of the child that enqueued it; None: the launch itself did, or it is no child"""


@dataclasses.dataclass(frozen=True)
class Finding:
    """What clerk found; findings that are equal are one."""

    rule: str
    severity: str
    """error, warning or note"""
    message: str
    call: int | None
    kernel: str | None
    count: int
    """how often it was seen"""
    json: dict
    """the whole finding, as clerk show --json prints it"""


@dataclasses.dataclass(frozen=True)
class Memory:
    """Bytes that a call gave or got, or that a launch found or left in a memory object."""

    call: int
    what: str
    """the name of the call's parameter; result (what a call that maps returned); host wrote, host sees (shared memory
    before and after the call); header; found or left (by a launch)"""
    object: str | None
    """the name of the memory object; of shared virtual memory that a launch reaches its address, "0x..."; None: not known,
    or none"""
    kernel: str | None
    """of a launch"""
    offset: int
    """in bytes: in the memory of the parameter (from the start of the object, of what launches found and left)"""
    size: int
    """in bytes"""
    type: str | None
    """as the kernels that get this object declare the argument ("float4*"); None where none does, or several do otherwise"""
    is_kept: bool
    """False: only digests were recorded (--contents hashes)"""
    _trace: object = dataclasses.field(repr=False, compare=False)
    _digests: tuple = dataclasses.field(repr=False, compare=False)

    def bytes(self):
        """All `size` of them, as bytes."""
        data = b"".join(map(self._trace._content, self._digests))
        if len(data) != self.size:
            raise program.Error(f"'{self._trace.path}' is damaged: of a content of {self.size} bytes there are {len(data)}")
        return data

    def array(self, type=None):
        """A read-only NumPy array of the elements. `type` is one of OpenCL C ("float", "uint4"), by default that of the
        kernels; where neither is known the elements are bytes.

        Shape: (n,) of scalars, (n, components) of vectors; texels of images follow each other row by row. The dtype is the
        one of OpenCL's size: float is float32, long int64, half float16; bytes are uint8."""
        if type and not elements.parse(type):
            raise program.Error(f"'{type}' is no scalar or vector of OpenCL C, as uint or float4")
        return elements.array(self.bytes(), type or self.type)


def _sizes(text, default=None):
    return tuple(int(number) for number in re.findall(r"\d+", text)) if text else default


@functools.cache
def _zstd():
    try:
        library = ctypes.CDLL("libzstd.so.1")
    except OSError as failure:
        raise program.Error(f"libzstd, by which traces are compressed, cannot be loaded: {failure}") from failure
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    return library


def _what_is(argument, arguments):
    others = {_RESULT: "result", _HOST_WROTE: "host wrote", _HOST_SEES: "host sees", _HEADER: "header"}
    names = _NAME.findall(arguments)
    return others.get(argument) or (names[argument] if argument < len(names) else "?")


def _joined(rows, key_size):
    """Rows of a key, offset, size, digest and whether the bytes are there: by their keys, those that follow each other as
    one (offset, size, digests, is_kept)."""
    for key, group in itertools.groupby(rows, lambda row: row[:key_size]):
        pieces = []
        for offset, size, digest, is_kept in (row[key_size:] for row in group):
            if not pieces or pieces[-1][0] + pieces[-1][1] != offset:
                pieces.append([offset, 0, [], True])
            last = pieces[-1]
            last[1] += size
            last[2].append(digest)
            last[3] = last[3] and bool(is_kept)
        yield key, pieces


def finding_of(line):
    """The Finding that a line of JSON is."""
    return Finding(line["rule"], line["severity"], line["message"], line.get("call"), line.get("kernel"),
                   line.get("count", 1), line)


class Trace:
    """A recorded run, open for reading; clerk.open makes one. Iterators read rows as they are asked for, in the order of
    the calls. It is a context manager, and of one thread, as sqlite3's connections are."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        # Recovers what a killed process left, and refuses what is no trace before anything of it is used.
        program.run(["show", self.path, "summary", "--json"])
        self._database = sqlite3.connect(f"file:{urllib.parse.quote(str(self.path.resolve()))}?mode=ro", uri=True)
        self._database.execute("PRAGMA trusted_schema = OFF")
        self._database.execute("PRAGMA query_only = ON")
        try:
            self._check_version()
        except program.Error:
            self.close()
            raise

    def _check_version(self):
        (application,), = self._database.execute("PRAGMA application_id")
        (self.version,), = self._database.execute("PRAGMA user_version")
        if application != APPLICATION_ID or not 1 <= self.version <= NEWEST_VERSION:
            raise program.Error(f"'{self.path}' has version {self.version} of the format of traces; this module reads 1 to "
                                f"{NEWEST_VERSION}")

    def close(self):
        self._database.close()

    def __enter__(self):
        return self

    def __exit__(self, *failure):
        self.close()

    @property
    def database(self):
        """The read-only sqlite3.Connection, for queries of your own (docs/TRACE_FORMAT.md)."""
        return self._database

    # ---- the run ----

    @functools.cached_property
    def run(self):
        """The Run of this trace."""
        facts = dict(self._database.execute("SELECT name, value FROM machine UNION ALL SELECT name, value FROM meta"))
        def count(name, sql):
            return int(facts[name]) if name in facts else self._database.execute(sql).fetchone()[0]

        own = f"FROM call WHERE NOT flags & {_SYNTHETIC}"
        return Run(self.path, facts.get("program"), facts.get("command"), facts.get("directory"),
                   int(facts.get("process") or 0), facts.get("state"), count("calls", f"SELECT count(*) {own}"),
                   count("failed_calls", f"SELECT count(*) {own} AND failed"),
                   count("threads", f"SELECT count(DISTINCT thread) {own}"),
                   count("duration_ns", "SELECT ifnull(max(ifnull(end_ns, begin_ns)), 0) FROM call"), facts)

    def runs(self):
        """The Run of this trace, and those of the other processes that recorded under its name (app.2.db, app.3.db ...)."""
        yield self.run
        asked_for = self.run.facts.get("asked_for") or self.path.name
        stem, dot, suffix = pathlib.PurePath(asked_for).name.rpartition(".")
        pattern = re.compile(rf"{re.escape(stem)}(?:\.(\d+))?{re.escape(dot + suffix)}" if dot else
                             rf"{re.escape(suffix)}(?:\.(\d+))?")
        others = [(int(match[1] or 1), other) for other in self.path.parent.iterdir()
                  if (match := pattern.fullmatch(other.name)) and other.name != self.path.name]
        for _, other in sorted(others):
            with Trace(other) as trace:
                if trace.run.facts.get("asked_for") == self.run.facts.get("asked_for"):
                    yield trace.run

    # ---- lists ----

    def calls(self, name=None, first=1, last=None, with_clerks_own=False):
        """A Call for each. `name` is an entry point, which may hold * and ?; `first` and `last` are ids."""
        rows = self._database.execute(
            "SELECT id, thread, name, arguments, result, failed, begin_ns, end_ns, flags FROM call"
            " WHERE id BETWEEN ? AND ? AND (? IS NULL OR name GLOB ?) AND (? OR NOT flags & ?) ORDER BY id",
            (first, _ID_MAX if last is None else last, name, name, with_clerks_own, _SYNTHETIC))
        for row in rows:
            yield Call(row[0], row[1], row[2], row[3] or "", row[4], bool(row[5]), *row[6:])

    def objects(self, kind=None):
        """An Object for each, in the order in which they appeared."""
        rows = self._database.execute(
            "SELECT id, kind, name, label, handle, parent, created_call, released_call FROM object"
            " WHERE ? IS NULL OR kind = ? ORDER BY id", (kind, kind))
        for row in rows:
            yield Object(*row[:4], row[4] % 2**64, *row[5:])

    def launches(self, kernel=None):
        """A Launch for each NDRange that was enqueued, or each of those of a kernel's name. What a launch enqueued on the
        device comes after it."""
        for line in program.lines(["show", self.path, "launches", "--json"]):
            if kernel in (None, line["kernel"]):
                yield self._launch_of(line)

    @staticmethod
    def _launch_of(line):
        arguments = tuple(Argument(**{"data" if name == "bytes" else name: value for name, value in argument.items()})
                          for argument in line["arguments"] or [])
        sizes = _sizes(line["global_size"], ())
        return Launch(line["call"], line["thread"], line["kernel"], line["queue"], sizes, _sizes(line["local_size"]),
                      _sizes(line["global_offset"], (0,) * len(sizes)), line["result"], line["queued_ns"],
                      line["submit_ns"], line["start_ns"], line["end_ns"], line["complete_ns"], line["duration_ns"],
                      arguments, line["child"], line["parent"])

    def findings(self):
        """A Finding for each that is in the trace; replay finds more (clerk.replay)."""
        for line in program.lines(["show", self.path, "findings", "--json"]):
            yield finding_of(line)

    # ---- memory ----

    def memory(self, call=None, object=None, what=None):
        """A Memory for each piece of memory whose bytes or digests were recorded: of one call, of one object by its name, of
        one parameter; all of them otherwise. Those of launches are there after --contents all or hashes."""
        wanted = (0, _ID_MAX) if call is None else (call, call)
        pieces = heapq.merge(self._of_calls(wanted), self._of_launches(wanted), key=lambda piece: piece.call)
        for piece in pieces:
            if object in (None, piece.object) and what in (None, piece.what):
                yield piece

    def _of_calls(self, wanted):
        rows = self._database.execute(
            "SELECT call, argument, offset, call_content.size, digest, EXISTS (SELECT 1 FROM content AS kept"
            " WHERE kept.digest = call_content.digest) FROM call_content WHERE call BETWEEN ? AND ?"
            " ORDER BY call, argument, offset, call_content.rowid", wanted)
        for (call, argument), pieces in _joined(rows, 2):
            arguments, result = self._database.execute(
                "SELECT ifnull(arguments, ''), ifnull(result, '') FROM call WHERE id = ?", (call,)).fetchone()
            held = self._object_of(call, f"{arguments} {result}") if argument <= _RESULT else None
            for offset, size, digests, is_kept in pieces:
                yield Memory(call, _what_is(argument, arguments), held, None, offset, size, self._type_of(held, None), is_kept,
                             self, tuple(digests))

    def _of_launches(self, wanted):
        if self.version < 2:
            return
        rows = self._database.execute(
            "SELECT call, moment, object, kernel, offset, size, digest, bytes_kept = 'yes' FROM launch_content_view"
            " WHERE call BETWEEN ? AND ?", wanted)
        for (call, moment, held, kernel), pieces in _joined(rows, 4):
            for offset, size, digests, is_kept in pieces:
                yield Memory(call, "left" if moment == "after" else "found", held, kernel, offset, size,
                             self._type_of(held, call), is_kept, self, tuple(map(bytes.fromhex, digests)))

    def _object_of(self, call, words):
        """The first memory object whose handle is among the words."""
        for handle in re.findall(r"\b0x[0-9a-f]+", words):
            signed = (int(handle, 16) + 2**63) % 2**64 - 2**63
            row = self._database.execute(
                "SELECT name FROM object WHERE handle = ? AND kind = 'memory object' AND ifnull(created_call, 0) <= ?"
                " AND ifnull(released_call, ?) >= ? ORDER BY id DESC LIMIT 1", (signed, call, call, call)).fetchone()
            if row:
                return row[0]
        return None

    @functools.cached_property
    def _types(self):
        """The types that kernels declare for an object: of each launch by (call, object), of all by (None, object)."""
        types = {}
        for launch in self.launches():
            for argument in launch.arguments:
                held = argument.object or (argument.address and f"0x{argument.address:x}")
                for call in (None, launch.call) if held else ():
                    types.setdefault((call, held), set()).add(
                        argument.plain_type if elements.parse(argument.plain_type) else argument.type)
        return types

    def _type_of(self, held, call):
        types = self._types.get((call, held)) or self._types.get((None, held)) or ()
        return next(iter(types)) if len(types) == 1 else None

    def _content(self, digest):
        row = self._database.execute("SELECT size, encoding, bytes FROM content WHERE digest = ?", (digest,)).fetchone()
        if not row:
            raise program.Error("only a digest of these bytes was recorded (--contents hashes)")
        size, encoding, stored = row
        if encoding == _ENCODED_RAW:
            return stored
        if encoding != _ENCODED_ZSTD or not 0 <= size <= _PIECE_MAX:
            raise program.Error(f"'{self.path}' is damaged: a content is stored in a way that is not known")
        made = ctypes.create_string_buffer(size)
        if _zstd().ZSTD_decompress(made, size, stored, len(stored)) != size:
            raise program.Error(f"'{self.path}' is damaged: a content cannot be unpacked")
        return made.raw
