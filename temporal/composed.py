"""Several operators of a query as one, for streams: there a second operator would get its rows too late.

::

    watermark        before -------- now
    rows          [=====|==============|====)      cut at both: all operators run on the part in between
    windows       hold the tuples that they see at the watermark, for the next turn
    istream       holds the rows that reach the watermark, and sees in the next turn whether they continue

A row of a relation is emitted when it ends, so a following operator would see it only after its time. Here the operators share a
state, and each piece of time goes through all of them. Aggregates fold rows in the order of a piece.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from inwindow.optimizer.plan import Pass
from inwindow.runtime.operation import NUMBER, Advanced, Operation, Turn
from inwindow.runtime.operations import carried_out
from inwindow.runtime.reserved import PREFIX
from inwindow.runtime.stitching import stitched
from inwindow.runtime.stream.replay_stream import Stream
from inwindow.temporal.aggregate import Holding
from inwindow.temporal.changes import Changes
from inwindow.temporal.join import Join
from inwindow.temporal.project import Project
from inwindow.temporal.relation import ENDS, SINCE, UNTIL, values_of
from inwindow.temporal.rstream import Rstream
from inwindow.temporal.shared_keys import column_of, schemas_of, shared_keys
from inwindow.temporal.stitched import Stitched, cut, still_held
from inwindow.temporal.tree import Tree
from inwindow.temporal.union import Union
from inwindow.temporal.where import Where
from inwindow.temporal.window import Windowed
from inwindow.udaf.errors import UsageError
from inwindow.windows.spec import Order

_STAGE = f"{PREFIX}stage"
_WHERE = "temporal.run"


def run_tree(tree: Tree, data: Sequence[Any]) -> Any:
    """A query on its data; on a stream one operator runs as it is, and several as one."""
    return carried_out(*Composed.of(tree, data)) if is_composed(tree, data) else tree.run(data)


def is_composed(tree: Tree, data: Sequence[Any]) -> bool:
    """Whether operators share a state: several that hold rows, on a stream."""
    holding = [node for node in _nodes(tree) if node.operation is not None and _holds(node)]
    return len(holding) > 1 and any(isinstance(one, Stream) or getattr(one, "isStreaming", False) for one in data)


def _holds(node: Tree) -> bool:
    assert node.operation is not None
    return node.operation.keys(*(one.schema for one in node.inputs)) is not None


def _nodes(tree: Tree) -> list[Tree]:
    """All nodes of a tree, inputs first."""
    found: dict[int, Tree] = {}
    for node in [*(below for one in tree.inputs for below in _nodes(one)), tree]:
        found.setdefault(id(node), node)
    return list(found.values())


def _filtered(tree: Tree) -> Tree:
    """What is below filters."""
    return _filtered(tree.inputs[0]) if isinstance(tree.operation, Where) else tree


def _numbered(tree: Tree) -> tuple[Tree, list[int]]:
    """The tree with its inputs renumbered, and their old numbers."""
    leaves = [node for node in _nodes(tree) if node.operation is None]
    made = {id(node): replace(node, number=number) for number, node in enumerate(leaves)}

    def again(node: Tree) -> Tree:
        if id(node) not in made:
            made[id(node)] = replace(node, inputs=tuple(map(again, node.inputs)))
        return made[id(node)]

    return again(tree), [node.number for node in leaves]


@dataclass(frozen=True)
class Composed(Operation):
    """A tree of operators; an input that is a stream of tuples has its time as ``since``."""

    tree: Tree
    times: tuple[str | None, ...]  # for inputs of tuples: the name of their time in the tree
    name = "run"
    steps = "all operators on one piece of time after the other"
    holds = "what all operators hold: rows that have not ended, tuples that windows see, and open results"

    @classmethod
    def of(cls, tree: Tree, data: Sequence[Any]) -> tuple[Any, ...]:
        """The operation and its data; steps on single rows are done before it."""
        inputs: list[Any] = []
        known: dict[int, Tree] = {}

        def leaf(schema: pa.Schema, given: Any) -> Tree:
            inputs.append(given)
            return Tree(None, (), schema, len(inputs) - 1)

        def moved(node: Tree) -> Tree:
            below = tuple(known.get(id(one)) or moved(one) for one in node.inputs)
            if node.operation is None:
                made = leaf(node.schema, data[node.number])
            elif len(below) == 1 and below[0].operation is None and UNTIL in node.schema.names and not _holds(node):
                made = leaf(node.schema, carried_out(node.operation, inputs[below[0].number]))
            else:
                made = replace(node, inputs=below)
            known[id(node)] = made
            return made

        whole = _numbered(moved(tree))
        used = [inputs[number] for number in whole[1]]
        times: list[str | None] = [None] * len(used)
        for node in _nodes(whole[0]):
            below = _filtered(node.inputs[0]) if isinstance(node.operation, Windowed) else node
            if isinstance(node.operation, Windowed) and below.operation is None:
                times[below.number] = node.operation.time()
        for number, (time, schema) in enumerate(zip(times, schemas_of(whole[0], len(used)), strict=True)):
            if time is not None:
                named = {SINCE if name == time else name: name for name in schema.names}
                used[number] = carried_out(Project.of(named), used[number])
        return cls(whole[0], tuple(times)), *used

    def over(self, *sides: Any) -> "Composed":
        """Aggregates follow the session's settings."""

        def planned(node: Tree) -> Tree:
            operation = node.operation
            if isinstance(operation, Holding):
                operation = replace(operation, planning=sides[0].session.planning)
            return replace(node, operation=operation, inputs=tuple(map(planned, node.inputs)))

        return replace(self, tree=planned(self.tree))

    def keys(self, *schemas: pa.Schema) -> list[tuple[str, ...]] | None:
        """The keys that all operators share: rows that differ in them never meet."""
        return shared_keys(self.tree, len(schemas))

    def source(self, name: str, schemas: tuple[pa.Schema, ...]) -> tuple[int, str] | None:
        """The input's column from which a result's column comes, through all operators."""
        found = column_of(self.tree, name)
        return None if found is None else (found[0], SINCE if self.times[found[0]] == found[1] else found[1])

    def work(self, *schemas: pa.Schema) -> Pass:
        """The steps of all operators."""
        steps = [
            step
            for node in _nodes(self.tree)
            if node.operation is not None
            for step in node.operation.work(*(one.schema for one in node.inputs)).steps
        ]
        return Pass((), (Order(self.time()),), tuple(steps), None, None, False)

    def as_text(self) -> str:
        """All operators, one after the other."""
        return "; ".join(node.operation.as_text() for node in _nodes(self.tree) if node.operation is not None)

    def run(self, *tables: pa.Table) -> pa.Table:
        """One operator after the other."""
        return self.tree.run([self._named(number, table) for number, table in enumerate(tables)])

    def _named(self, number: int, table: pa.Table) -> pa.Table:
        time = self.times[number]
        return table.rename_columns([time or name if name == SINCE else name for name in table.column_names])

    def check_stream(self, *schemas: pa.Schema) -> None:
        """Check that each operator's result at an instant depends only on the rows that hold then, or on earlier tuples."""
        for node in _nodes(self.tree):
            if node.operation is not None:
                self._check(node.operation, node)

    def _check(self, operation: Operation, node: Tree) -> None:
        schemas = [one.schema for one in node.inputs]
        if isinstance(operation, (Windowed, Stitched, Changes)):
            operation.check_stream(*schemas)
        elif not isinstance(operation, (Join, Where, Union, Project, Rstream)):
            raise UsageError(
                f"{operation.where} in a query of several operators on a stream: its rows would be cut wherever the watermark "
                "happened to be: do it with the result"
            )
        looks_at_ends = isinstance(operation, Where) and not operation.looks_only_at(
            schemas[0], values_of(schemas[0]) if UNTIL in schemas[0].names else schemas[0].names
        )
        if looks_at_ends or (isinstance(operation, Join) and operation.looks_at_ends):
            raise UsageError(
                f"{operation.where} in a query of several operators on a stream looks at since or until, and rows are cut wherever "
                "the watermark happens to be: look at other columns"
            )

    def advance(self, turn: Turn) -> Advanced:
        """One piece of time."""
        piece = _Piece(self, turn)
        rows = piece.of(self.tree)
        opened = rows.slice(0, 0)
        if UNTIL in rows.column_names:
            matched = tuple(name for name in rows.column_names if name not in ENDS)
            compared: tuple[str, ...] = ()
            if isinstance(self.tree.operation, Stitched):
                schemas = [one.schema for one in self.tree.inputs]
                matched = self.tree.operation.matched(*schemas)
                compared = self.tree.operation.compared(*schemas)
            before = piece.before.get(_RESULT)
            rows, opened = stitched(before, rows, turn.since, turn.until, matched, compared)
        return Advanced(rows, _packed({**piece.held, _RESULT: opened}), piece.stay)


_RESULT = -1  # the stage of open results


class _Piece:
    """The results of all operators between two watermarks, and what they hold for the next turn."""

    def __init__(self, composed: Composed, turn: Turn) -> None:
        self.turn = turn
        self.numbers = {id(node): number for number, node in enumerate(_nodes(composed.tree))}
        self.before = {} if turn.open is None else _unpacked(turn.open)
        self.held: dict[int, pa.Table] = {}
        self.made: dict[int, pa.Table] = {}
        self.tables = [
            composed._named(number, table.drop_columns([NUMBER])) for number, table in enumerate(turn.tables)
        ]
        self.stay = [
            still_held(table, turn) if UNTIL in table.column_names else np.zeros(len(table), dtype=bool)
            for table in self.tables
        ]

    def of(self, node: Tree) -> pa.Table:
        """The rows of a node: of a relation, those that hold in the piece; of a stream, those in it."""
        number = self.numbers[id(node)]
        if number not in self.made:
            self.made[number] = self._made(node, number)
        return self.made[number]

    def _made(self, node: Tree, number: int) -> pa.Table:
        operation = node.operation
        if operation is None:
            table = self.tables[node.number]
            return self._cut(table) if UNTIL in table.column_names else table
        tables = [self.of(one) for one in node.inputs]
        if isinstance(operation, Windowed):
            seen, self.held[number] = operation.goes_on(self._with_before(number, tables[0]), self.turn.until)
            return self._cut(seen)
        if isinstance(operation, Changes):
            (table,) = tables
            self.held[number] = table.filter(pa.array(still_held(table, self.turn)))
            given = self._with_before(number, table)
            return operation.between([given], self.turn.since, self.turn.until).rows
        return operation.run(*tables)

    def _with_before(self, number: int, table: pa.Table) -> pa.Table:
        before = self.before.get(number)
        return table if before is None else pa.concat_tables([before, table.cast(before.schema)])

    def _cut(self, table: pa.Table) -> pa.Table:
        """The part of a relation in the piece; with a lag, a row may begin after the piece."""
        table = cut(table, self.turn.since, self.turn.until, _WHERE)
        return table.filter(pc.fill_null(pc.less(table.column(SINCE), table.column(UNTIL)), True))


# What operators hold is one table, for the state of a bucket: each has columns of its own, and NULLs in those of the others.


def _packed(held: dict[int, pa.Table]) -> pa.Table:
    fields = {f"{number}_{field.name}": field.type for number, table in held.items() for field in table.schema}
    schema = pa.schema([(_STAGE, pa.int32()), *fields.items()])
    parts = []
    for number, table in held.items():
        own = dict(zip((f"{number}_{name}" for name in table.column_names), table.columns, strict=True))
        stage = pa.array(np.full(len(table), number, dtype=np.int32))
        columns = [own.get(name, pa.nulls(len(table), kind)) for name, kind in fields.items()]
        parts.append(pa.table([stage, *columns], schema=schema))
    return pa.concat_tables(parts)


def _unpacked(packed: pa.Table) -> dict[int, pa.Table]:
    numbers: dict[int, list[str]] = {}
    for name in packed.column_names[1:]:
        numbers.setdefault(int(name.partition("_")[0]), []).append(name)
    found = {}
    for number, names in numbers.items():
        own = packed.filter(pc.equal(packed.column(_STAGE), number)).select(names)
        found[number] = own.rename_columns([name.partition("_")[2] for name in names])
    return found
