"""Types of OpenCL C as NumPy's."""

import re

_SCALARS = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
    "half": "f2", "float": "f4", "double": "f8",
}
_TYPE = re.compile(rf"({'|'.join(_SCALARS)})(2|3|4|8|16)?\s*\*?")


def parse(name):
    """What `name` ("float*", "uint4", "half3*") is in memory: the name of NumPy's type of a component ("f4"), and the
    number of components. None for what is no number or vector of numbers (structures, images)."""
    match = _TYPE.fullmatch(name or "")
    return (_SCALARS[match[1]], int(match[2] or 1)) if match else None


def array(data, name):
    """The bytes as a read-only array of whole elements, a copy of nothing: of scalars of shape (n,), of vectors of shape
    (n, components). Bytes behind the last whole element are left out. A type that is not known gives uint8."""
    import numpy

    type_name, components = parse(name) or ("u1", 1)
    stored = 4 if components == 3 else components  # OpenCL C 3.0, 6.3.5: the size of a 3-component vector
    dtype = numpy.dtype(type_name)
    count = len(data) // (dtype.itemsize * stored)
    flat = numpy.frombuffer(data, dtype, count * stored)
    return flat if components == 1 else flat.reshape(count, stored)[:, :components]
