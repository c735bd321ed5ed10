# SPDX-License-Identifier: Apache-2.0
"""The messages between the program and its workers, as src/worker/protocol.h lays them out: one
packet of a SEQPACKET socket each, little-endian, a header of 16 bytes before the content.

No I/O here, and nothing but the standard library. decode() trusts nothing: a packet that is not
exactly what its type implies is a WireError.
"""

import struct
from dataclasses import dataclass, field
from typing import List, Tuple

MAGIC = 0x5754584D  # "MXTW"
VERSION = 6
HEAD = struct.Struct("<IHHII")  # magic, version, type, length of the content, request
MESSAGE_MAX_BYTES = 64 << 10
TEXT_BYTES = 2048
PART_BYTES = 48 << 10
FACTS_MAX_BYTES = 1 << 20
MAX_PROBLEMS = 256
MAX_STEPS = 1024
MAX_DOCUMENTS = 512
MAX = 0xFFFFFFFF
FILLER = MAX  # as the id of a step
UNKNOWN_ERROR = (1 << 64) - 1  # error_ppb of what is not a number
BACKEND_BYTES = 24

DTYPES = ("float32", "bfloat16", "float16")
UNSUPPORTED, FAILED = 1, 2  # outcomes that a worker may answer with


class WireError(ValueError):
    """The packet is none of this protocol, or a value cannot be sent."""


@dataclass
class Attention:
    """See struct mxt_attention."""

    batch: int
    seq: int
    heads: int
    kv_heads: int
    head_dim: int
    causal: bool = True
    masked: bool = False
    repeated: bool = False
    window: int = 0
    dtype: str = "float32"
    backward: bool = False
    documents: Tuple[int, ...] = ()


@dataclass
class Gemm:
    """See struct mxt_gemm."""

    m: int
    n: int
    k: int
    lda: int
    ldb: int
    ldc: int
    trans_a: bool = False
    trans_b: bool = False
    accumulate: bool = False
    bias: bool = False
    batch: int = 0
    dtype: str = "float32"


@dataclass
class Prepare:
    id: int
    problem: object
    calls: int = 1
    share_ppm: int = 1000000


@dataclass
class Time:
    max_warm_ns: int
    target_ns: int
    steps: List[Tuple[int, int]] = field(default_factory=list)  # id or FILLER, filler's bytes


@dataclass
class Quit:
    pass


@dataclass
class Rank:
    id: int
    limit_ns: int


@dataclass
class Hello:
    facts_bytes: int


@dataclass
class Facts:
    data: bytes


@dataclass
class Prepared:
    id: int
    first_call_ns: int
    error_ppb: int
    bound_ppb: int
    bits: bytes
    backend: str
    repeatable: bool = False


@dataclass
class Timed:
    ns: int
    samples: int
    repeats: int


@dataclass
class Refused:
    outcome: int
    text: str


class Reader:
    """A walk over the content of a packet."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def number(self, form):
        size = struct.calcsize(form)
        if len(self.data) - self.at < size:
            raise WireError("a message is shorter than its content")
        (value,) = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return value

    def u32(self):
        return self.number("<I")

    def i32(self):
        return self.number("<i")

    def u64(self):
        return self.number("<Q")

    def i64(self):
        return self.number("<q")

    def ranged(self, least, most):
        value = self.u32()
        if not least <= value <= most:
            raise WireError("a value is out of range")
        return value

    def flag(self):
        return self.ranged(0, 1) == 1

    def fixed(self, size):
        if len(self.data) - self.at < size:
            raise WireError("a message is shorter than its content")
        self.at += size
        return self.data[self.at - size:self.at]

    def blob(self, least, most):
        return self.fixed(self.ranged(least, most))

    def end(self):
        if self.at != len(self.data):
            raise WireError("a message is longer than its content")


def read_attention(reader):
    batch, seq, heads, kv_heads, head_dim = (reader.i32() for _ in range(5))
    causal, masked, repeated = reader.flag(), reader.flag(), reader.flag()
    window = reader.i32()
    dtype = DTYPES[reader.ranged(0, len(DTYPES) - 1)]
    backward = reader.flag()
    documents = tuple(reader.i32() for _ in range(reader.ranged(0, MAX_DOCUMENTS)))
    problem = Attention(batch, seq, heads, kv_heads, head_dim, causal, masked, repeated, window,
                        dtype, backward, documents)
    check_attention(problem)
    return problem


def check_attention(problem):
    sizes = (problem.batch, problem.seq, problem.heads, problem.kv_heads, problem.head_dim,
             *problem.documents)
    if min(sizes) < 1 or problem.window < 0 or problem.heads % problem.kv_heads != 0:
        raise WireError("a problem has a dimension out of range")
    if problem.repeated and problem.kv_heads != problem.heads:
        raise WireError("a problem has a dimension out of range")
    if problem.documents and (problem.batch != 1 or sum(problem.documents) != problem.seq):
        raise WireError("a problem has a dimension out of range")


def read_gemm(reader):
    sizes = [reader.i64() for _ in range(6)]
    flags = [reader.flag() for _ in range(4)]
    batch = reader.i32()
    problem = Gemm(*sizes, *flags, batch, DTYPES[reader.ranged(0, len(DTYPES) - 1)])
    check_gemm(problem)
    return problem


def check_gemm(problem):
    least = (problem.m if problem.trans_a else problem.k,
             problem.k if problem.trans_b else problem.n, problem.n)
    leading = (problem.lda, problem.ldb, problem.ldc)
    if min(problem.m, problem.n, problem.k) < 1 or problem.batch < 0 or any(
            ld < rows for ld, rows in zip(leading, least)):
        raise WireError("a problem has a dimension out of range")


def read_prepare(reader):
    number = reader.ranged(0, MAX_PROBLEMS - 1)
    kind = reader.ranged(0, 1)
    calls, share_ppm = reader.u32(), reader.u32()
    problem = read_gemm(reader) if kind == 1 else read_attention(reader)
    return Prepare(number, problem, calls, share_ppm)


def read_step(reader):
    number, filler_bytes = reader.u32(), reader.u64()
    if number >= MAX_PROBLEMS and number != FILLER:
        raise WireError("a step names no problem")
    return number, filler_bytes


def read_time(reader):
    max_warm_ns, target_ns = reader.u64(), reader.u64()
    steps = [read_step(reader) for _ in range(reader.ranged(1, MAX_STEPS))]
    return Time(max_warm_ns, target_ns, steps)


def read_prepared(reader):
    number = reader.ranged(0, MAX_PROBLEMS - 1)
    first_call_ns, error_ppb, bound_ppb = reader.u64(), reader.u64(), reader.u64()
    bits, backend = reader.fixed(32), reader.fixed(BACKEND_BYTES)
    text = backend.split(b"\0", 1)[0]
    if len(text) == BACKEND_BYTES or any(not 0x21 <= byte <= 0x7E for byte in text):
        raise WireError("a backend that is no word")
    return Prepared(number, first_call_ns, error_ppb, bound_ppb, bits, text.decode("ascii"),
                    reader.flag())


def read_refused(reader):
    outcome = reader.ranged(UNSUPPORTED, FAILED)
    return Refused(outcome, reader.blob(0, TEXT_BYTES).decode("utf-8", "replace"))


def write_attention(problem):
    return struct.pack(f"<5i3Ii3I{len(problem.documents)}i", problem.batch, problem.seq,
                       problem.heads, problem.kv_heads, problem.head_dim, problem.causal,
                       problem.masked, problem.repeated, problem.window,
                       DTYPES.index(problem.dtype), problem.backward, len(problem.documents),
                       *problem.documents)


def write_gemm(problem):
    return struct.pack("<6q4IiI", problem.m, problem.n, problem.k, problem.lda, problem.ldb,
                       problem.ldc, problem.trans_a, problem.trans_b, problem.accumulate,
                       problem.bias, problem.batch, DTYPES.index(problem.dtype))


def write_prepare(message):
    gemm = isinstance(message.problem, Gemm)
    head = struct.pack("<IIII", message.id, gemm, message.calls, message.share_ppm)
    return head + (write_gemm if gemm else write_attention)(message.problem)


def write_time(message):
    head = struct.pack("<QQI", message.max_warm_ns, message.target_ns, len(message.steps))
    return head + b"".join(struct.pack("<IQ", *step) for step in message.steps)


def write_prepared(message):
    backend = message.backend.encode("ascii").ljust(BACKEND_BYTES, b"\0")
    return struct.pack(f"<IQQQ32s{BACKEND_BYTES}sI", message.id, message.first_call_ns,
                       message.error_ppb, message.bound_ppb, message.bits, backend,
                       message.repeatable)


def write_blob(data):
    return struct.pack("<I", len(data)) + data


def clip_text(text):
    """As bytes that fit; a character is not cut in two."""
    return text.encode("utf-8", "replace")[:TEXT_BYTES].decode("utf-8", "ignore").encode("utf-8")


# Type number, class, how its content is read and written.
LAYOUTS = (
    (1, Prepare, read_prepare, write_prepare),
    (2, Time, read_time, write_time),
    (3, Quit, lambda reader: Quit(), lambda message: b""),
    (4, Rank, lambda reader: Rank(reader.ranged(0, MAX_PROBLEMS - 1), reader.u64()),
     lambda message: struct.pack("<IQ", message.id, message.limit_ns)),
    (17, Hello, lambda reader: Hello(reader.ranged(1, FACTS_MAX_BYTES)),
     lambda message: struct.pack("<I", message.facts_bytes)),
    (18, Facts, lambda reader: Facts(reader.blob(1, PART_BYTES)),
     lambda message: write_blob(message.data)),
    (19, Prepared, read_prepared, write_prepared),
    (20, Timed, lambda reader: Timed(reader.u64(), reader.ranged(1, MAX), reader.ranged(1, MAX)),
     lambda message: struct.pack("<QII", message.ns, message.samples, message.repeats)),
    (21, Refused, read_refused,
     lambda message: struct.pack("<I", message.outcome) + write_blob(clip_text(message.text))),
)
BY_NUMBER = {number: (read, write) for number, _, read, write in LAYOUTS}
BY_CLASS = {kind: number for number, kind, _, _ in LAYOUTS}


def encode(message, request=0):
    """The packet of a message; WireError when a value does not fit."""
    number = BY_CLASS[type(message)]
    try:
        content = BY_NUMBER[number][1](message)
    except (struct.error, ValueError) as error:
        raise WireError(f"a message cannot be sent: {error}") from error
    if HEAD.size + len(content) > MESSAGE_MAX_BYTES:
        raise WireError("a message is larger than a packet may be")
    return HEAD.pack(MAGIC, VERSION, number, len(content), request) + content


def decode(packet):
    """(message, request) of a packet."""
    if len(packet) < HEAD.size:
        raise WireError("a message is shorter than its header")
    magic, version, number, length, request = HEAD.unpack_from(packet)
    if magic != MAGIC:
        raise WireError("bad magic")
    if version != VERSION:
        raise WireError("another version of the protocol: its program is not this one")
    if number not in BY_NUMBER:
        raise WireError("a message of an unknown type")
    if length != len(packet) - HEAD.size:
        raise WireError("a message whose length is not the one that it states")
    reader = Reader(packet[HEAD.size:])
    message = BY_NUMBER[number][0](reader)
    reader.end()
    return message, request
