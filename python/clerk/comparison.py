"""Replays of a recording, as objects."""

import dataclasses

from . import program
from .trace import Finding, finding_of


@dataclasses.dataclass(frozen=True)
class Difference:
    """Something that came out otherwise than in the recording (or, with `golden`, than in the reference outputs)."""

    kind: str
    """difference (of what was read back), launch-difference (of what a launch left in memory) or status (of a call)"""
    call: int
    function: str
    """the entry point"""
    kernel: str | None
    object: str | None
    """the memory object"""
    offset: int | None
    """of the first byte that differs, in bytes"""
    differing_bytes: int | None
    type: str | None
    """as a kernel declares the elements, where it is known"""
    recorded: object
    """the element as it was recorded, in words; of a status its name"""
    replayed: object
    """the element as it is now"""
    json: dict
    """the whole line, as clerk replay --json prints it"""


@dataclasses.dataclass(frozen=True)
class LaunchComparison:
    """What a launch left in memory, beside what it left in the recording (--contents all or hashes)."""

    call: int
    kernel: str
    verdict: str
    """equal, close (within --ulp or --relative) or different"""
    objects: int
    differing_objects: int
    bytes: int
    differing_bytes: int


@dataclasses.dataclass(frozen=True)
class Comparison:
    """What a replay came to."""

    is_equal: bool
    """nothing differs; findings do not count"""
    device: str
    """the name of the one that performed the calls"""
    differences: tuple
    """a Difference each"""
    launches: tuple
    """a LaunchComparison each, of recordings with --contents all or hashes"""
    findings: tuple
    """a Finding each: what the reference device found"""
    summary: dict
    """the counts of the last line of clerk replay --json: calls, launches, compared_reads, compared_bytes ..."""


_DIFFERENCES = ("difference", "launch-difference", "status")


def _difference_of(line):
    return Difference(line["kind"], line["call"], line.get("function"), line.get("kernel") or None,
                      line.get("object") or None, line.get("offset"), line.get("differing_bytes"), line.get("type"),
                      line.get("recorded"), line.get("replayed"), line)


def _launch_of(line):
    return LaunchComparison(*(line[field.name] for field in dataclasses.fields(LaunchComparison)))


def replay(path, device="reference", **options):
    """Performs the recorded run again and returns the Comparison. `device` is "reference" or "system"; the options are those
    of clerk replay with underscores: ulp=4, relative="1e-5", launch=117, launches="1-900", kernel="sum", golden="ref.db",
    personality="ftz", shard="2/8" ... Raises Error with clerk's sentence where the run cannot be replayed there."""
    words = ["replay", path, "--json", *program.option_words({"device": device, "max_per_rule": 0, **options})]
    *lines, summary = program.lines(words)
    if summary.get("kind") != "summary":
        raise program.Error("clerk.replay performs a recording once: --personalities and --merge are for the program")
    differences = tuple(_difference_of(line) for line in lines if line.get("kind") in _DIFFERENCES)
    launches = tuple(_launch_of(line) for line in lines if line.get("kind") == "launch")
    findings = tuple(finding_of(line) for line in lines if "message" in line)
    return Comparison(not differences, summary["device"], differences, launches, findings, summary)
