"""Machine code for wheels: each compiled entry point is written as an object file, and all of them become one library.

While ``PLUECKER_SHIP`` names a folder, every entry point that is compiled leaves two files there: its code, made of what
LLVM has optimised, for memory that may lie anywhere; and a line of the index, which says what its arguments are.
:func:`link` makes of the folders of all levels an extension module, which
:mod:`~pluecker.spatial.engine.compiled.shipped_code` finds.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types

from pluecker.spatial.engine.compiled.shipped_code import LIBRARY, name_of
from pluecker.spatial.engine.compiled.stamp import shipped_stamp
from pluecker.spatial.engine.compiled.symbols import SYMBOLS

__all__ = ["levels_here", "link", "write"]

HERE = Path(__file__).resolve().parent
MOST_RESULTS = 256  # words, as in entrances.c
LONG = ir.IntType(64)


class NotShipped(Exception):
    """Raised where a function takes or gives what only Numba converts."""


def item(kind: Any) -> str:
    """Describe a type, as entrances.c reads it.

    Raises:
        NotShipped: it has no description.
    """
    kind = types.unliteral(kind)
    if isinstance(kind, types.Array):
        return f"A{np.dtype(str(kind.dtype)).char}{kind.ndim}{kind.layout}{'w' if kind.mutable else 'r'}"
    if isinstance(kind, types.BaseTuple):
        return f"({''.join(map(item, kind))})"
    names = {types.intp: "i", types.float64: "d", types.boolean: "b", types.none: "n"}
    if kind in names:
        return names[kind]
    if str(kind) == "object of Python":
        return "o"
    raise NotShipped(f"{kind}")


def result_item(kind: Any) -> str:
    """Describe the type of a result, of which integers may be short; an array is copied, in C order."""
    if isinstance(kind, types.BaseNamedTuple) or (isinstance(kind, types.Array) and kind.layout != "C"):
        raise NotShipped(f"a {kind} is given back")
    if isinstance(kind, types.BaseTuple):
        return f"({''.join(map(result_item, kind))})"
    return "i" if isinstance(kind, types.Integer) and kind.signed and kind.bitwidth > 8 else item(kind)


def write(folder: str, function: Any, compiled: Any) -> None:
    """Write the code of a compiled entry point, and its line of the index, unless only Numba can call it."""
    about, context = compiled.fndesc, compiled.target_context
    try:
        takes, gives = "".join(map(item, about.argtypes)), result_item(about.restype)
    except NotShipped:
        return
    stamp = shipped_stamp(function)
    name = name_of(stamp, takes, gives)
    place = Path(folder)
    symbol = f"{name}_{place.name}"  # the same function has the same name in all levels
    module = binding.parse_bitcode(compiled.library._final_module.as_bitcode())
    module.link_in(binding.parse_assembly(str(with_words(symbol, about, context))))
    native = module.get_function(about.llvm_func_name)
    for value in (*module.functions, *module.global_variables):
        if not value.is_declaration and value.name not in (symbol, native.name):
            value.linkage = "internal"
    native.linkage, native.visibility = "external", "hidden"
    native.name = f"{symbol}_native"
    clean = binding.newpassmanagers.create_new_module_pass_manager()
    clean.add_global_dead_code_eliminate_pass()
    machine = target_machine()
    clean.run(
        module,
        binding.newpassmanagers.create_pass_builder(machine, binding.newpassmanagers.create_pipeline_tuning_options()),
    )
    record = {
        "function": f"{function.py_func.__module__}.{function.py_func.__qualname__}",
        "stamp": stamp,
        "takes": takes,
        "gives": gives,
        "name": name,
        "filled": list(compiled.library.names),
        "numbers": [value.name for value in module.global_variables if value.name in SYMBOLS],
    }
    place.mkdir(parents=True, exist_ok=True)
    for ending, data in (("o", machine.emit_object(module)), ("json", json.dumps(record).encode())):
        temporary = place / f"{name}.{os.getpid()}.{ending}.part"  # another topic may write the same piece
        temporary.write_bytes(data)
        temporary.replace(place / f"{name}.{ending}")


def with_words(name: str, about: Any, context: Any) -> Any:
    """Make LLVM's module of a function that calls the native one with words, and puts its results into others."""
    module = ir.Module(name)
    module.triple = binding.get_process_triple()
    kind = context.call_conv.get_function_type(about.restype, about.argtypes)
    native = ir.Function(module, kind, about.llvm_func_name)
    pointer = LONG.as_pointer()
    own = ir.Function(module, ir.FunctionType(ir.IntType(32), [pointer, pointer]), name)
    builder = ir.IRBuilder(own.append_basic_block())
    words, results = own.args
    result, error = (builder.alloca(each.pointee) for each in kind.args[:2])
    builder.store(ir.Constant(kind.args[0].pointee, None), result)
    arguments = []
    for k, argument in enumerate(kind.args[2:]):
        word = builder.load(builder.gep(words, [LONG(k)]))
        arguments.append(from_word(builder, word, argument))
    if len(arguments) != words_of("".join(map(item, about.argtypes))):
        raise AssertionError(f"{name} takes {len(arguments)} words, {about.argtypes}")
    status = builder.call(native, [result, error, *arguments])
    count = store_words(builder, builder.load(result), results, 0)
    if count > MOST_RESULTS:
        raise AssertionError(f"{name} gives {count} words")
    builder.ret(status)
    return module


def words_of(takes: str) -> int:
    """Count the words of arguments."""
    count, k = 0, 0
    while k < len(takes):
        if takes[k] == "A":
            count, k = count + 5 + 2 * int(takes[k + 2]), k + 4
        elif takes[k] not in "()":
            count += 1
        k += 1
    return count


def from_word(builder: Any, word: Any, kind: Any) -> Any:
    """Convert a word to an argument."""
    if isinstance(kind, ir.PointerType):
        return builder.inttoptr(word, kind)
    if isinstance(kind, ir.DoubleType):
        return builder.bitcast(word, kind)
    return word if kind == LONG else builder.trunc(word, kind)


def store_words(builder: Any, value: Any, results: Any, place: int) -> int:
    """Store a result in words from a place on; returns the place behind it."""
    kind = value.type
    if isinstance(kind, (ir.LiteralStructType, ir.ArrayType)):
        for k in range(len(kind.elements) if isinstance(kind, ir.LiteralStructType) else kind.count):
            place = store_words(builder, builder.extract_value(value, k), results, place)
        return place
    if isinstance(kind, ir.PointerType):
        value = builder.ptrtoint(value, LONG)
    elif isinstance(kind, ir.DoubleType):
        value = builder.bitcast(value, LONG)
    elif kind != LONG:  # a truth value, or a short integer
        value = builder.zext(value, LONG) if kind.width <= 8 else builder.sext(value, LONG)
    builder.store(value, builder.gep(results, [LONG(place)]))
    return place + 1


def target_machine() -> Any:
    """Make LLVM's description of the processor that is compiled for, for a library that may lie anywhere in memory."""
    target = binding.Target.from_triple(binding.get_process_triple())
    name, features = os.environ["NUMBA_CPU_NAME"], os.environ.get("NUMBA_CPU_FEATURES", "")
    return target.create_target_machine(cpu=name, features=features, opt=3, reloc="pic", codemodel="default")


# ----------------------------------------------------------------------------------------------------------- the library

TYPES = """#include <stddef.h>
#include <stdint.h>
typedef int (*Code)(int64_t *, int64_t *);
typedef struct { const char *name; Code code; void *address; } Piece;
typedef struct { const char *name; int64_t *place; } Number;
typedef struct { const char *name; const Piece *pieces; size_t count; } Level;
"""
# Processors of a level, as LLVM names them, and the instructions that they must have; the best level comes first.
V3, V4 = ("avx2", "fma", "bmi", "bmi2"), ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
LEVELS: dict[str, dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "x86_64": {"v4": ("x86-64-v4", "-prefer-256-bit", V3 + V4), "v3": ("x86-64-v3", "", V3)},
    "arm64": {"arm64": ("apple-m1" if sys.platform == "darwin" else "generic", "", ())},
}
MACHINES = {"amd64": "x86_64", "x86-64": "x86_64", "aarch64": "arm64"}


def known_levels() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return the levels of processors of this kind; none of a kind that is not known."""
    machine = platform.machine().lower()
    return LEVELS.get(MACHINES.get(machine, machine), {})


def levels_here() -> dict[str, tuple[str, str]]:
    """Return the levels whose instructions this processor has, the best one first: its name to LLVM, and its features."""
    here = binding.get_host_cpu_features()
    known = known_levels().items()
    return {level: (name, features) for level, (name, features, needs) in known if all(map(here.get, needs))}


def link(folders: dict[str, Path], out: Path) -> Path:
    """Make the extension module and its index of the folders of all levels, the best one first; returns its path."""
    out.mkdir(parents=True, exist_ok=True)
    records = {level: {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
               for level, folder in folders.items()}  # fmt: skip
    objects = [folders[level] / f"{name}.o" for level, own in records.items() for name in own]
    every = {name: record for own in records.values() for name, record in own.items()}
    table, listed, module = out / "table.c", out / "objects.txt", out / LIBRARY.name
    table.write_text(table_of(records, sorted({name for record in every.values() for name in record["numbers"]})))
    listed.write_text("\n".join(map(str, objects)))
    options = [
        "-O2",
        "-DNDEBUG",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        f"-I{sysconfig.get_paths()['include']}",
        *of_system(),
    ]
    sources = [str(HERE / "entrances.c"), str(table), f"@{listed}"]
    subprocess.run([os.environ.get("CC", "cc"), *options, *sources, "-o", str(module), "-lm"], check=True)
    index: dict[str, list[list[Any]]] = {}
    for record in every.values():
        parts = [record[key] for key in ("stamp", "takes", "gives", "name", "filled")]
        index.setdefault(record["function"], []).append(parts)
    whole = {"library": hashlib.sha256(module.read_bytes()).hexdigest(), "functions": index}
    (out / "index.json").write_text(json.dumps(whole, indent=0, sort_keys=True))
    table.unlink()
    listed.unlink()
    return module


def of_system() -> list[str]:
    """Return options of the C compiler that systems differ in."""
    if sys.platform == "darwin":
        return ["-undefined", "dynamic_lookup"]
    if sys.platform == "win32":  # by clang or gcc; not tried
        return [f"-L{sys.base_prefix}/libs", f"-lpython{sys.version_info[0]}{sys.version_info[1]}"]
    return ["-s", "-Wl,--build-id=none"]  # nothing that differs from build to build


def table_of(records: dict[str, dict[str, Any]], numbers: list[str]) -> str:
    """Write the source of the table of all pieces, numbers and levels."""
    lines = [TYPES]
    for level, own in records.items():
        lines += [f"int {n}_{level}(int64_t *, int64_t *); extern char {n}_{level}_native[];" for n in own]
        pieces = ", ".join(f'{{"{n}", {n}_{level}, {n}_{level}_native}}' for n in own)
        lines.append(f"static const Piece pieces_of_{level}[] = {{{pieces}}};")
    lines += [f"int64_t {name};" for name in numbers]
    places = ", ".join(f'{{"{n}", &{n}}}' for n in numbers)
    lines.append(f"const Number numbers[] = {{{places}}};")
    listed = ", ".join(f'{{"{level}", pieces_of_{level}, {len(own)}}}' for level, own in records.items())
    lines.append(f"const Level levels[] = {{{listed}}};")
    lines.append(f"const size_t number_count = {len(numbers)}, level_count = {len(records)};")
    lines.append("int runs_here(size_t k) {")
    for k, level in enumerate(records):
        has = " && ".join(f'__builtin_cpu_supports("{what}")' for what in known_levels()[level][2]) or "1"
        lines.append(f"    if (k == {k}) return {has};")
    return "\n".join([*lines, "    return 0;", "}", ""])
