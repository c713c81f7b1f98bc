"""The steps by which Numba compiles a kernel, where they differ from its own: what kernels do not need is left out.

With :mod:`~pluecker.spatial.engine.compiled.numba_internals`, whose table has the reasons,
:mod:`~pluecker.spatial.engine.compiled.numba_quickened` and :mod:`~pluecker.spatial.engine.compiled.numba_cache` the only
file with private parts of Numba.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba import _dynfunc
from numba.core.compiler import Flags
from numba.core.compiler_machinery import register_pass
from numba.core.ir_utils import build_definitions
from numba.core.lowering import Lower
from numba.core.ssa import reconstruct_ssa
from numba.core.transforms import canonicalize_cfg
from numba.core.typed_passes import NativeLowering, PreLowerStripPhis
from numba.core.untyped_passes import IRProcessing, ReconstructSSA

__all__ = ["settled", "shorten"]


class PartLower(Lower):
    """Numba asks LLVM for the size of each variable, by a module for each, for debuggers; here it is once for a type."""

    sizes: ClassVar[dict[Any, int]] = {}

    def __init__(self, context: Any, *arguments: Any, **named: Any) -> None:
        super().__init__(context, *arguments, **named)
        self.context.get_abi_sizeof = self.size_of  # of a copy of the context, that is for this function alone

    def size_of(self, kind: Any) -> int:
        """Return the size of a type in bytes."""
        if kind not in self.sizes:
            self.sizes[kind] = type(self.context).get_abi_sizeof(self.context, kind)
        return self.sizes[kind]


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Makes LLVM's code of a part, and tells Numba what has to be linked where it is called."""

    _name = "pluecker_part_lowering"
    lowering_class = PartLower

    def run_pass(self, state: Any) -> bool:
        super().run_pass(state)
        library, lowered = state.library, state["cr"]
        library.finalize()
        about, environment = lowered.fndesc, lowered.env
        nowhere = _dynfunc.make_function(about.lookup_module(), about.qualname, about.doc, 0, environment, (library,))
        state.targetctx.insert_user_function(nowhere, about, [library])
        state["cr"] = lowered._replace(cfunc=nowhere)
        about.typemap = about.calltypes = None  # half of the memory; nobody asks for them behind this step
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartProcessing(IRProcessing):
    """Numba finds where each variable lives, four times before types are known; kernels need it once, at the end."""

    _name = "pluecker_part_processing"

    def run_pass(self, state: Any) -> bool:
        state.func_ir.blocks = canonicalize_cfg(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class PartSSA(ReconstructSSA):
    """Numba's conversion to static single assignment form, without its liveness analysis."""

    _name = "pluecker_part_ssa"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class PartStripPhis(PreLowerStripPhis):
    """Numba's removal of phi nodes at the end of static single assignment form, without its liveness analysis."""

    _name = "pluecker_part_strip_phis"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


STEPS: dict[type, type] = {
    NativeLowering: PartLowering,
    IRProcessing: PartProcessing,
    ReconstructSSA: PartSSA,
    PreLowerStripPhis: PartStripPhis,
}


class Settled(Flags):
    """Options of a compilation that nothing changes any more: one object for all compilations that have the same.

    Numba finds by them what it has compiled, and lists them for those who follow its steps. To compare or to list some takes
    50 microseconds, each time anew: a tenth of all the time to compile.
    """

    def __init__(self, flags: Any) -> None:
        super().__init__(flags)
        self.listed = super().values()

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def copy(self) -> Settled:
        """Return the object itself, as nothing changes it."""
        return self

    def values(self) -> Any:
        """Return all options by their names, as listed once."""
        return self.listed


SETTLED: dict[str, Settled] = {}


def settled(flags: Any) -> Settled:
    """Return the one object for options that are equal to these."""
    return SETTLED.setdefault(flags.summary(), Settled(flags))


# Steps of Numba's compiler for what kernels do not have: closures, comprehensions, arrays in expressions, ``with``; and a
# copy of all that is known of a function, for those who want to read it.
LEFT_OUT = (
    "AnnotateTypes",
    "WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "InlineOverloads",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "NopythonRewrites", "RewriteDynamicRaises",
)  # fmt: skip


def shorten(pipeline: Any) -> None:
    """Reduce a pipeline of Numba's compiler to the steps that kernels need."""
    kept = [step for step in pipeline.passes if step[0].__name__ not in LEFT_OUT]
    pipeline.passes = [(STEPS.get(step, step), text) for step, text in kept]
    pipeline._ENFORCING = False  # after each step Numba finds again where each variable lives
    pipeline.finalize()
