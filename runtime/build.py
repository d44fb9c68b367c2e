"""Make the lane, the evaluator, and the driver or kernel for a step of the plan."""

from dataclasses import replace
from typing import Any

from inwindow.native._emit import ActiveExpiration, Emit
from inwindow.native._hooks import Delta, Recompute
from inwindow.native._two_stacks import MergePanes, TwoStacks
from inwindow.optimizer.delta import Delta as Undoing
from inwindow.optimizer.plan import UNDOING, Halo, Step
from inwindow.optimizer.recompute import Recompute as Recomputing
from inwindow.optimizer.tumble import Tumble
from inwindow.runtime.around import AroundHole, bare
from inwindow.runtime.around_afresh import Gathered, InOrder
from inwindow.runtime.around_by_hooks import ByEnteringAgain, ByStacks
from inwindow.runtime.around_by_kernels import ByPartials, ByResults
from inwindow.runtime.at_least import AtLeast, AtLeastAround, counting
from inwindow.runtime.buffer import Buffer
from inwindow.runtime.cascade import HookLevels, KernelLevels, Levels, PaneCascade
from inwindow.runtime.compiled_hooks import CEvaluator, LoopInput, NumbaEvaluator
from inwindow.runtime.evaluators import Evaluator, KernelEvaluator, KernelInput, KernelRecompute
from inwindow.runtime.guard import Guard
from inwindow.runtime.guarded import Guarded, GuardedEmitter
from inwindow.runtime.hole_lane import HoledLane
from inwindow.runtime.hooks import Answers, Arguments, HookEmitter, HookEvaluator
from inwindow.runtime.lanes import EmitLane, ExpirationLane, FrameLane, Lane, TumbleEmitLane
from inwindow.runtime.sentinel import Watched
from inwindow.runtime.shards import Continued, ContinuedHooks, ContinuedKernel, FromCarried, SlotsOfShard
from inwindow.udaf.compiled.c_hooks import CMachine
from inwindow.udaf.compiled.numba_hooks import NumbaMachine
from inwindow.udaf.contract import PUNT, Aggregate, base_of
from inwindow.udaf.derive.version import written_of
from inwindow.udaf.native import Machine, Native
from inwindow.windows.bounds import framing_of
from inwindow.windows.frontier import View
from inwindow.windows.holes import with_hole
from inwindow.windows.order_key import OrderKey
from inwindow.windows.panes import PaneRule, RowPanes
from inwindow.windows.slots import slots_of
from inwindow.windows.spec import Rows


def lane_of(step: Step, buffer: Buffer, key: OrderKey | None, *, every_row: bool, halo: Halo | None = None) -> Lane:
    """The lane of a step over a window; ``every_row`` if a tuple that emits nothing has a row, too."""
    window = step.case.window
    assert window is not None
    framing = with_hole(framing_of(window.frame, key), window)
    view, slides = View(window, framing, slots_of(window, key)), window.slide is not None
    if halo is not None:
        view, slides = replace(view, slots=SlotsOfShard(view.slots, buffer, buffer.plain(halo.mark))), True
    if window.active_expiration:
        return ExpirationLane(view, _emitter(step, buffer, ActiveExpiration, "expire"), slides)
    if not step.is_blocking:
        lane = TumbleEmitLane if step.strategy == "tumble" else EmitLane
        empty = step.case.traits.empty if every_row else None
        return lane(view, _emitter(step, buffer, Emit, "iterate", empty), slides)
    if step.case.in_runs:
        return HoledLane(view, around_hole(step, buffer), slides)
    panes = None
    if step.strategy == "pane-cascade":
        frame = window.frame
        assert isinstance(frame, Rows) and frame.lower is not None and frame.upper is not None
        panes = RowPanes(frame.lower, frame.upper, int(window.slide))  # type: ignore[arg-type]
    evaluator = evaluator_of(step, buffer, panes)
    if halo is not None and halo.carried is not None and step.name in halo.carried.columns:
        evaluator = FromCarried(step, evaluator, _continued(step, evaluator, buffer), buffer, halo, halo.carried)
    return FrameLane(view, evaluator, slides)


def evaluator_of(step: Step, buffer: Buffer, panes: PaneRule | None) -> Evaluator:
    """The evaluator of a step's strategy; with a sentinel, wrapped to be watched, unless it cannot be wrong."""
    if step.least is not None:
        within = evaluator_of(replace(step, least=None), buffer, panes)
        return AtLeast(within, evaluator_of(counting(step), buffer, panes), step.least)
    evaluator = _evaluator(step, buffer, panes)
    if step.failures is not None:
        return Guarded(evaluator, guard_of(step, buffer), answers_of(step), lambda: _naive(step, buffer))
    if step.sentinel is None or step.strategy not in UNDOING:
        return evaluator
    answers = answers_of(step)
    written = written_of(step.implementation.aggregate)
    naive = _driver("recompute", written, len(step.arguments), answers, step.case.traits.empty)
    return Watched(evaluator, step, step.sentinel, buffer, arguments_of(step, buffer), answers, naive)


def guard_of(step: Step, buffer: Buffer) -> Guard:
    """What hides bad tuples from a step's hooks."""
    mask = arguments_of(step, buffer).mask
    assert mask is not None and step.failures is not None
    return Guard(step, step.failures, buffer, mask)


def _naive(step: Step, buffer: Buffer) -> Evaluator:
    """Each frame afresh from its tuples, by the hooks that the user wrote."""
    answers = answers_of(step)
    written = written_of(step.implementation.aggregate)
    driver = _driver("recompute", written, len(step.arguments), answers, step.case.traits.empty)
    return HookEvaluator(driver, arguments_of(step, buffer), answers, evicts=True, undoes=False)


def _evaluator(step: Step, buffer: Buffer, panes: PaneRule | None) -> Evaluator:
    native = step.implementation.native
    if native is not None and native.saved is not None:
        made: Evaluator = native.saved.evaluator(step, buffer)
        return made
    if step.strategy == "pane-cascade":
        assert panes is not None
        return PaneCascade(panes, levels_of(step, buffer))
    strategy = step.strategy
    if strategy == "tumble" and step.case.frames_overlap:
        strategy = "recompute"  # frames of a RANGE slide may share the tuples at their edges: each is folded on its own
    evicts = strategy not in ("unbounded", "tumble")
    if step.implementation.native is not None:
        return _kernel_evaluator(step, buffer, evicts)
    if step.machine is not None:
        return _compiled_evaluator(step.machine, step, buffer, strategy)
    answers = answers_of(step)
    driver = _driver(strategy, step.prototype, len(step.arguments), answers, step.case.traits.empty)
    undoes = strategy != "recompute"
    return HookEvaluator(driver, arguments_of(step, buffer), answers, evicts=evicts, undoes=undoes)


def around_hole(step: Step, buffer: Buffer) -> AroundHole:
    """The evaluator of a step over frames with a hole."""
    if step.least is not None:
        within = around_hole(replace(step, least=None), buffer)
        return AtLeastAround(within, around_hole(counting(step), buffer), step.least)
    native, runs = step.implementation.native, step.case.runs
    alone = bare(step, Tumble() if native is not None else Recomputing())
    afresh = Gathered(step, buffer, lambda inner: _evaluator(alone, inner, None))
    if step.strategy == "recompute":
        return afresh
    moving = bare(step, Undoing())
    if native is not None and not step.case.traits.partials_slide:
        return InOrder(step, buffer, lambda inner: _evaluator(moving, inner, None), afresh)
    if native is not None:
        assert step.case.window is not None
        grows = step.case.window.is_unbounded_below
        evicts = [run != "before" or not grows for run in runs]
        joined, given = native.joined, input_of(step, buffer)
        if joined is None or (joined.may_overflow and not all(evicts)):
            return ByPartials(given, evicts)
        parts = [_part_of(step, part, buffer) for part in joined.parts]
        return ByResults(native, parts, evicts, lambda: ByPartials(given, evicts))
    answers = answers_of(step)
    if step.strategy == "two-stacks":
        empty = step.case.traits.empty
        return ByStacks(step.prototype, len(runs), arguments_of(step, buffer), answers, empty)

    def driver() -> Any:
        return _driver("delta", step.prototype, len(step.arguments), answers, step.case.traits.empty)

    compiled = None if step.machine is None else Gathered(step, buffer, lambda inner: _evaluator(moving, inner, None))
    return ByEnteringAgain(driver, arguments_of(step, buffer), answers, compiled)


def _continued(step: Step, whole: Evaluator, buffer: Buffer) -> Continued:
    if isinstance(whole, KernelEvaluator):
        return ContinuedKernel(whole)
    answers, aggregate = answers_of(step), step.implementation.aggregate
    driver = _driver(step.strategy, aggregate, len(step.arguments), answers, step.case.traits.empty)
    return ContinuedHooks(arguments_of(step, buffer), answers, aggregate, driver)


def levels_of(step: Step, buffer: Buffer) -> Levels:
    """The two levels of a step's cascade; the first reads held tuples."""
    return KernelLevels(input_of(step, buffer)) if step.implementation.native else _hook_levels(step, buffer)


# Built-ins with a kernel


def _kernel_evaluator(step: Step, buffer: Buffer, evicts: bool) -> Evaluator:
    native = step.implementation.native
    assert native is not None
    if native.reads == "objects":
        driver = native.kernel(evicts)
        return HookEvaluator(driver, arguments_of(step, buffer), answers_of(step), evicts=evicts, undoes=True)
    evaluator = KernelRecompute if step.strategy == "recompute" else KernelEvaluator
    return evaluator(input_of(step, buffer), evicts)


def input_of(step: Step, buffer: Buffer) -> KernelInput:
    """The held columns that a step's kernel reads."""
    native = step.implementation.native
    assert native is not None
    if native.reads == "marks":
        return KernelInput(buffer, native, [buffer.marks(step.arguments, step.condition)], None)
    if native.reads == "firsts":
        return KernelInput(buffer, native, [], None)
    if native.reads == "values":
        columns = [buffer.plain(name, native.input_of(at), step.condition) for at, name in enumerate(step.arguments)]
        return KernelInput(buffer, native, columns, None)
    mask = buffer.seen(() if native.reads == "all" else step.arguments, step.condition)
    columns = [buffer.plain(name, native.input_of(at), None) for at, name in enumerate(step.arguments)]
    return KernelInput(buffer, native, columns, mask)


def _part_of(step: Step, part: Native, buffer: Buffer) -> KernelInput:
    whole = step.implementation.native
    everyone = whole is not None and whole.reads == "all" and part.reads == "marks"  # tuples with a NULL count, too
    arguments = () if everyone else step.arguments
    implementation = replace(step.implementation, native=part)
    return input_of(replace(step, arguments=arguments, implementation=implementation), buffer)


# Compiled hooks


def _compiled_evaluator(machine: Machine, step: Step, buffer: Buffer, strategy: str) -> Evaluator:
    columns = [buffer.plain(name, kind) for name, kind in zip(step.arguments, machine.inputs, strict=True)]
    masked = None if step.failures is None else step.name
    inputs = LoopInput(buffer, columns, buffer.seen(step.arguments, step.condition, masked))
    evicts, undoes = strategy not in ("unbounded", "tumble"), strategy != "recompute"
    if isinstance(machine, CMachine):
        return CEvaluator(machine.driver(step.prototype, afresh=not undoes), inputs, evicts=evicts, undoes=undoes)
    assert isinstance(machine, NumbaMachine)
    answers, prototype = answers_of(step), step.prototype

    def driver() -> Any:
        return _driver(strategy, prototype, len(step.arguments), answers, step.case.traits.empty)

    looks = _rebases(strategy, prototype)
    return NumbaEvaluator(
        driver,
        arguments_of(step, buffer),
        answers,
        inputs,
        machine,
        prototype,
        evicts=evicts,
        undoes=undoes,
        looks=looks,
    )


# Python classes


def _driver(strategy: str, prototype: Aggregate, width: int, answers: Answers, empty: Any) -> Any:
    fields, mode, snapshot = _record_fields(prototype, width), answers.mode, answers.snapshot
    empty = answers.plain(empty)
    if strategy == "two-stacks":
        return TwoStacks(prototype, result=mode, empty=empty, snapshot=snapshot)
    if strategy == "recompute":
        return Recompute(prototype, result=mode, empty=empty, record_fields=fields, snapshot=snapshot)
    rebase = _rebases(strategy, prototype)
    # Unbounded and tumble are delta without tuples to undo.
    return Delta(prototype, result=mode, empty=empty, punt=PUNT, record_fields=fields, snapshot=snapshot, rebase=rebase)


def _rebases(strategy: str, prototype: Aggregate) -> bool:
    """Whether floats are watched. Derived sums of floats need it not: they are exact, and recover from a NaN."""
    traits = prototype._traits
    return strategy == "delta" and traits is not None and traits.rebase and not traits.derived


def _hook_levels(step: Step, buffer: Buffer) -> Levels:
    aggregate = step.implementation.aggregate
    traits, answers = step.case.traits, answers_of(step)
    if traits.has_merge:
        tumble = Delta(aggregate, result="state", punt=PUNT)
        window: Any = MergePanes(
            aggregate,
            result=answers.mode,
            empty=answers.plain(traits.empty),
            punt=PUNT,
            snapshot=answers.snapshot,
            rebase=traits.rebase and not traits.derived,
        )
    else:
        base = base_of(aggregate)
        tumble = Delta(base, result="object", record_fields=_record_fields(base, 1))
        window = _driver("delta" if traits.has_expire else "recompute", aggregate, 1, answers, traits.empty)
    return HookLevels(aggregate, tumble, window, arguments_of(step, buffer), answers, columnar=not traits.has_merge)


def _emitter(step: Step, buffer: Buffer, driver: Any, hook: str, empty: Any = None) -> HookEmitter:
    prototype = step.prototype
    fields = _record_fields(prototype, len(step.arguments))
    answers = answers_of(step, hook)
    running = driver(prototype, punt=PUNT, record_fields=fields, snapshot=answers.snapshot)
    expires = driver is ActiveExpiration or (fields is None and "expire" in type(prototype)._traits.hooks)  # type: ignore[union-attr]
    if step.failures is not None:
        guard = guard_of(step, buffer)
        return GuardedEmitter(running, arguments_of(step, buffer), answers, guard, expires=expires, empty=empty)
    return HookEmitter(running, arguments_of(step, buffer), answers, expires=expires, empty=empty)


def arguments_of(step: Step, buffer: Buffer) -> Arguments:
    """The held values that a step's hooks are called with."""
    required = step.arguments if step.case.traits.nulls == "skip" else ()
    masked = None if step.failures is None else step.name
    is_masked = required or step.condition is not None or masked is not None
    mask = buffer.seen(required, step.condition, masked) if is_masked else None
    return Arguments(buffer, [buffer.objects(name) for name in step.arguments], mask)


def answers_of(step: Step, hook: str = "terminate") -> Answers:
    return Answers(hook, step.implementation.result, step.zone)


def _record_fields(prototype: Aggregate, width: int) -> tuple[str, ...] | None:
    traits = prototype._traits
    assert traits is not None
    if not traits.reads_inwindow:
        return None
    if traits.arity is not None:
        return traits.parameters
    *named, rest = traits.parameters  # def iterate(self, first, *rest)
    return (*named, *(f"{rest}_{index}" for index in range(width - len(named))))
