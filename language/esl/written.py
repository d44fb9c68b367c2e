"""Make an aggregate's class: write its source as one would write it by hand, and run it."""

import ast
import hashlib
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inwindow.language.esl import scalar, select, truth
from inwindow.language.esl.changes import spares_newest
from inwindow.language.esl.definition import Definition, Named, Statement, Table
from inwindow.language.esl.hooks import Method
from inwindow.language.esl.names import Names, class_name
from inwindow.language.esl.scope import Context, Readers, Value
from inwindow.language.esl.tables import (
    Given,
    Keyed,
    NotKeyed,
    Nullable,
    Stored,
    Window,
    kept_keys,
    stored_tables,
    written_table,
)
from inwindow.language.esl.trees import attribute, constant, method, name, names_in, untyped
from inwindow.language.text import library
from inwindow.udaf.contract import Aggregate

_LONGEST = 70  # characters of a statement in explain
_HOOKS = ("INITIALIZE", "ITERATE", "EXPIRE", "TERMINATE")


@dataclass(frozen=True)
class Outside:
    """The names of the catalog that an aggregate may use: other aggregates, and tables as rows."""

    aggregates: Mapping[str, type[Aggregate]]
    tables: Mapping[str, tuple[Sequence[Named], Sequence[Any]]]
    base: type[Aggregate] | None = None


NOTHING = Outside({}, {})


def made_class(definition: Definition, outside: Outside = NOTHING) -> type[Aggregate]:
    """The class of an aggregate."""
    as_lists: set[str] = set()
    nullable: Nullable = frozenset()
    while True:
        writer = _Writer(definition, outside, nullable, as_lists)
        try:
            module = writer.module()
        except NotKeyed as error:
            as_lists.add(str(error).casefold())
            continue
        if writer.null_columns <= nullable:
            made = _compiled(definition, ast.unparse(ast.fix_missing_locations(module)), writer.given)
            made.gives_rows = writer.gives_rows
            made.explained = writer.explained
            return made
        nullable |= writer.null_columns


def _compiled(definition: Definition, source: str, given: Mapping[str, Any]) -> Any:
    """Run the source; it is put into linecache, so that readers of hooks find it."""
    source = source.replace("\n    def ", "\n\n    def ").replace("\n\n\n    def ", "\n\n    def ") + "\n"
    key = hashlib.sha256(source.encode()).hexdigest()[:12]
    file = f"<aggregate {class_name(definition.name)} {key}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"__name__": f"inwindow_aggregate_{key}", **given}
    exec(compile(source, file, "exec", dont_inherit=True), space)
    made: Any = space[class_name(definition.name)]
    made.source = source
    return made


def _class_name(own: str, wish: str, taken: Names) -> str:
    """The name of another aggregate's class in the code of this one."""
    name_, number = f"Base{wish}" if wish == own else wish, 1
    while name_ in taken.taken:
        number += 1
        name_ = f"{wish}{number}"
    taken.taken.add(name_)
    return name_


class _Writer:
    """One attempt to write the class, with the columns that are known to be nullable so far."""

    def __init__(self, definition: Definition, outside: Outside, nullable: Nullable, as_lists: set[str]) -> None:
        self.definition = definition
        self.outside = outside
        self.null_columns: set[tuple[str, str]] = set()
        self.imports: set[tuple[str, str]] = set()
        classes = Names()
        own = class_name(definition.name)
        self.called = {key: _class_name(own, kind.__name__, classes) for key, kind in outside.aggregates.items()}
        self.given: dict[str, Any] = {self.called[key]: kind for key, kind in outside.aggregates.items()}
        fields = Names()
        self.tables: dict[str, Stored] = stored_tables(definition, nullable, as_lists, fields)
        self.names = Names(fields.taken)
        named = {one.name.casefold(): self.names.fresh(one.name) for one in definition.parameters}
        self.parameters = {
            key: Value(name(called), one.kind, definition.takes_nulls)
            for (key, called), one in zip(named.items(), definition.parameters, strict=True)
        }
        self.fields = list(named.values())
        for key, table in self.tables.items():
            if isinstance(table, Keyed):
                kept = {named[one] for one in kept_keys(definition, table, table.key)}
                self.tables[key] = replace(table, kept=frozenset(kept))
        self.methods: dict[str, Method] = {}
        if self.is_window:
            self.tables["inwindow"] = self._window()
        self._add_given()

    @property
    def gives_rows(self) -> bool:
        """Whether TERMINATE returns many rows: then the result is a list of them."""
        return "TERMINATE" in self.methods and self.methods["TERMINATE"].lists

    @property
    def is_window(self) -> bool:
        tables = {table.name.casefold() for table in self.definition.tables}
        return self.definition.is_window or "inwindow" in tables or self.definition.block("EXPIRE") is not None

    def _window(self) -> Window:
        its = self.definition
        declared = next((table for table in its.tables if table.name.casefold() == "inwindow"), None)
        columns = self._window_columns(declared)
        deletes = [
            (hook, one.tree) for block in its.blocks for one in block.statements for hook in block.hooks
            if one.tree.key == "delete" and written_table(one.tree).name.casefold() == "inwindow"
        ]  # fmt: skip
        bare = Window("inwindow", columns, frozenset(), tuple(self.fields))
        taking = [tree for hook, tree in deletes if not spares_newest(tree, bare, self._context(hook))]
        return replace(
            bare,
            nullable=frozenset({("inwindow", "")}) if its.takes_nulls else frozenset(),
            may_be_empty=bool(taking),
            loses_in_expire=any(hook == "EXPIRE" for hook, _ in deletes),
            spares=len(taking) < len(deletes),
        )

    def _window_columns(self, declared: Table | None) -> tuple[Named, ...]:
        """The user's names with the types of the arguments (the paper's footnote 4)."""
        its = self.definition
        if declared is None:
            return its.parameters
        if len(declared.columns) != len(its.parameters):
            raise its.source.error(
                f"{its.name}: inwindow has {len(declared.columns)} columns, and the aggregate takes {len(its.parameters)} values: "
                "it holds the arguments, one column for each",
                declared.span,
            )
        for column, parameter in zip(declared.columns, its.parameters, strict=True):
            if column.kind and parameter.kind and column.kind.python != parameter.kind.python:
                raise its.source.error(
                    f"{its.name}: {column.name} is {column.kind.ddl}, and the argument that fills it, {parameter.name}, is "
                    f"{parameter.kind.ddl}: give both the same type",
                    column.span,
                )
        pairs = zip(declared.columns, its.parameters, strict=True)
        return tuple(Named(column.name, column.kind or parameter.kind, column.span) for column, parameter in pairs)

    def _add_given(self) -> None:
        """Tables of the catalog, where the aggregate has none of that name and speaks of it."""
        spoken = {
            one.name.casefold() for block in self.definition.blocks for statement in block.statements
            for one in statement.tree.find_all(library().exp.Table)
        }  # fmt: skip
        for key, (columns, rows) in self.outside.tables.items():
            if key in spoken and key not in self.tables:
                known = self.names.fresh(key).upper()
                self.tables[key] = Given(key, tuple(columns), constant=known)
                self.given[known] = tuple(rows)

    def _context(self, hook: str) -> Context:
        its = self.definition
        parameters = {} if hook == "TERMINATE" else self.parameters
        names = Names(self.names.taken | self.given.keys())
        return Context(
            its.source,
            Readers(scalar.value, truth.holds, select.read),
            its.name,
            hook,
            self.tables,
            parameters,
            self.outside.aggregates,
            names,
            its.span,
            called=self.called,
        )

    def module(self) -> ast.Module:
        """Imports and the class."""
        body = [self._method(hook) for hook in _HOOKS if self._is_written(hook)]
        methods = [one for one in [self._init(), *body] if one is not None]
        self._check_answers()
        if any(_reads_window(one) for one in methods):
            annotation = attribute(name("iw"), "InWindow")
            methods.insert(0, ast.AnnAssign(ast.Name("inwindow", ast.Store()), annotation, None, 1))
        its = self.definition
        base = attribute(name("iw"), "WindowAggregate" if self.is_window else "Aggregate")
        docstring = ast.Expr(constant(self._docstring()))
        class_ = ast.ClassDef(class_name(its.name), [base], self._keywords(), [docstring, *methods], [])
        _Unused().visit(untyped(class_))
        return ast.Module([*self._imports(names_in(class_)), class_], [])

    def _is_written(self, hook: str) -> bool:
        """A block shared with INITIALIZE is ``iterate`` alone; an empty TERMINATE is none."""
        block = self.definition.block(hook)
        if block is None or hook == "TERMINATE" and not block.statements:
            return False
        return not (hook == "INITIALIZE" and "ITERATE" in block.hooks)

    def _method(self, hook: str) -> ast.stmt:
        block = self.definition.block(hook)
        assert block is not None
        context = self._context(hook)
        block_ = self.methods[hook] = Method(self.definition, block, context)
        start = self._starts() if hook == "INITIALIZE" else []
        written = block_.written(hook.lower(), [] if hook == "TERMINATE" else self.fields, start)
        self.imports |= context.imports
        self.null_columns |= context.null_columns
        return written

    def _starts(self) -> list[ast.stmt]:
        return [start for table in self.tables.values() if (start := table.start()) is not None]

    def _init(self) -> ast.stmt | None:
        """Where one block is for all tuples, tables are made beforehand."""
        starts = [] if self._is_written("INITIALIZE") else self._starts()
        if not starts:
            return None
        return method("__init__", [], starts, constant(None))

    def _check_answers(self) -> None:
        its = self.definition
        answering = [hook for hook, method in self.methods.items() if method.answers]
        if not answering:
            raise its.source.error(
                f"{its.name}: nothing is returned: write INSERT INTO RETURN ... in TERMINATE or ITERATE", its.span
            )
        if "TERMINATE" not in self.methods:
            return
        if "TERMINATE" not in answering:
            block = its.block("TERMINATE")
            assert block is not None
            raise its.source.error(
                f"{its.name}: TERMINATE returns nothing: write INSERT INTO RETURN ... at its end", block.span
            )
        for hook in ("INITIALIZE", "ITERATE"):
            if hook in answering:
                block = its.block(hook)
                assert block is not None
                raise its.source.error(
                    f"{its.name}: TERMINATE gives the result of each tuple, so what {hook} returns would not be "
                    "seen: drop one of both",
                    block.span,
                )

    @property
    def explained(self) -> tuple[tuple[str, str], ...]:
        """What explain says: where the tables are, and what each statement costs."""
        tables = [f"{table.name}: {table.told}" for table in self._told_tables]
        costs = [
            f"{' and '.join(hook.capitalize() for hook in method.block.hooks)}, {cost}: {_shortened(self.definition, one)}"
            for method in self.methods.values() for one, cost in method.costs
        ]  # fmt: skip
        return (*(("table", one) for one in tables), *(("statement", one) for one in costs))

    @property
    def _told_tables(self) -> list[Stored]:
        return [table for key, table in self.tables.items() if key != "inwindow" or self._window_is_read()]

    def _docstring(self) -> str:
        its = self.definition
        tables = [f"    {table.name:<10} {table.told}" for table in self._told_tables]
        end = "." if not its.header.endswith(".") else ""
        header = its.header if its.header.upper().startswith("CREATE") else f"CREATE {its.header}"
        return header + end + ("\n\n" + "\n".join(tables) + "\n    " if tables else "")

    def _window_is_read(self) -> bool:
        return any(_reads_window(ast.Module(method.body, [])) for method in self.methods.values())

    def _keywords(self) -> list[ast.keyword]:
        its, found = self.definition, []
        kinds = [(one.name, one.kind.ddl) for one in its.results]
        if its.is_record:
            fields = ",".join(f"`{key.replace('`', '``')}`:{ddl}" for key, ddl in kinds)
            one = f"struct<{fields}>"
        else:
            one = kinds[0][1]
        if self.gives_rows:
            found.append(ast.keyword("returns", constant(f"array<{one}>")))
        elif its.is_record or its.results[0].kind.python == "decimal":
            found.append(ast.keyword("returns", constant(one)))
        if its.algebraic:
            found.append(ast.keyword("algebraic", constant(True)))
        if its.takes_nulls:
            found.append(ast.keyword("nulls", constant("pass")))
        if self.outside.base is not None and self.is_window:
            known = f"Base{class_name(its.name)}"
            self.given[known] = self.outside.base
            found.append(ast.keyword("base", name(known)))
        return found

    def _imports(self, spoken: set[str]) -> list[ast.stmt]:
        by_module: dict[str, list[str]] = {}
        for module, one in sorted(self.imports):
            if module and one in spoken:
                by_module.setdefault(module, []).append(one)
        froms: list[ast.stmt] = [
            ast.ImportFrom(module, [ast.alias(one) for one in names], 0) for module, names in sorted(by_module.items())
        ]
        return [*froms, ast.Import([ast.alias("inwindow", "iw")])]


def _shortened(definition: Definition, statement: Statement) -> str:
    text = definition.source.on_one_line(statement.span)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _reads_window(tree: ast.AST) -> bool:
    return any(isinstance(one, ast.Attribute) and one.attr == "inwindow" for one in ast.walk(tree))


class _Unused(ast.NodeTransformer):
    """Loop variables that nobody reads are called ``_``."""

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            for loop in node.generators:
                for one in ast.walk(loop.target):
                    if isinstance(one, ast.Name) and one.id not in read:
                        one.id = "_"
        return node
