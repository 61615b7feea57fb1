"""Recordings of OpenCL programs that clerk made, as objects and NumPy arrays.

    import clerk
    clerk.run(["./app"], output="app.db")                 # records, checks, and tells what was found
    with clerk.open("app.db") as trace:
        for launch in trace.launches():
            print(launch.kernel, launch.global_size, launch.duration_ns)
        product = next(trace.memory(object="buffer#3", what="ptr")).array()    # dtype float32, shape (n,)
    clerk.replay("app.db", device="system", ulp=4).is_equal

Times are in nanoseconds, sizes and offsets in bytes unless a docstring says otherwise. Only what gives arrays needs NumPy.
In pytest the fixture `clerk` runs programs and fails where clerk finds something; see clerk.pytest_plugin."""

from .checked import Checked, run
from .comparison import Comparison, Difference, LaunchComparison, replay
from .program import Error
from .trace import Argument, Call, Finding, Launch, Memory, Object, Run, Trace

__all__ = ["Argument", "Call", "Checked", "Comparison", "Difference", "Error", "Finding", "Launch", "LaunchComparison",
           "Memory", "Object", "Run", "Trace", "open", "replay", "run"]


def open(path):
    """Opens a recording for reading: a Trace, to be used in a `with` statement. What a killed program left is recovered
    first. Raises Error with a sentence where it is no trace, is damaged, or is of a newer version than this module reads."""
    return Trace(path)
