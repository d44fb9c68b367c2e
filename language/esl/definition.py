"""The outer form of an aggregate, read: its parameters, its tables, its blocks of statements.

::

    [CREATE] [ALGEBRAIC] [WINDOW] AGGREGATE name (parameter [type], ...) : type  [CALLED ON NULL INPUT]
    {
        TABLE name (column [type] [PRIMARY KEY], ...);                        ... any number
        INITIALIZE | ITERATE | EXPIRE | TERMINATE : [more of them :] { statement; ... }
    }
"""

from dataclasses import dataclass
from typing import Any

from inwindow.language.esl.kinds import Kind, read_kind
from inwindow.language.text import Source, Span, Token, Tokens, close_of, library, parsed, span_of, split, tokens_of
from inwindow.udaf.errors import UsageError

HOOKS = ("INITIALIZE", "ITERATE", "EXPIRE", "TERMINATE")


@dataclass(frozen=True)
class Named:
    """A parameter or a column."""

    name: str
    kind: Kind
    span: Span
    is_key: bool = False


@dataclass(frozen=True)
class Table:
    """A local table as it is declared."""

    name: str
    columns: tuple[Named, ...]
    span: Span


@dataclass(frozen=True)
class Statement:
    """A statement of a block: sqlglot's tree, and the condition of ``INSERT ... VALUES (...) WHERE``, which SQL has not."""

    tree: Any
    tokens: Tokens
    condition: Any = None

    @property
    def span(self) -> Span:
        return span_of(self.tokens)


@dataclass(frozen=True)
class Block:
    """The statements of one or several hooks."""

    hooks: tuple[str, ...]
    statements: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True)
class Definition:
    """An aggregate, read."""

    source: Source
    name: str
    span: Span
    header: str
    parameters: tuple[Named, ...]
    results: tuple[Named, ...]
    is_record: bool  # several columns, or one with a name
    algebraic: bool
    is_window: bool
    takes_nulls: bool
    tables: tuple[Table, ...]
    blocks: tuple[Block, ...]

    def block(self, hook: str) -> Block | None:
        """The block of a hook, by its name in ESL."""
        return next((block for block in self.blocks if hook in block.hooks), None)


def read_definition(source: Source, tokens: Tokens | None = None) -> Definition:
    """Read ``CREATE AGGREGATE``.

    >>> text = "AGGREGATE last(x Real) : Real { INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (x); } }"
    >>> definition = read_definition(Source(text, "iw.aggregate"))
    >>> definition.name, definition.blocks[0].hooks
    ('last', ('INITIALIZE', 'ITERATE'))
    """
    tokens = tokens_of(source) if tokens is None else tokens
    while tokens and tokens[-1].kind == "SEMICOLON":
        tokens = tokens[:-1]
    return _Reader(source, tokens).read()


def begins_definition(tokens: Tokens) -> bool:
    """Whether a statement is one of an aggregate."""
    for token in tokens:
        if token.says("AGGREGATE"):
            return True
        if not token.says("CREATE", "OR", "REPLACE", "ALGEBRAIC", "WINDOW"):
            return False
    return False


class _Reader:
    def __init__(self, source: Source, tokens: Tokens) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0

    def read(self) -> Definition:
        """Read the whole definition."""
        if not self.tokens:
            raise UsageError(
                f"{self.source.speaker}: the text is empty: write CREATE AGGREGATE name(next Real) : Real {{ ... }}"
            )
        words = self.words("CREATE", "OR", "REPLACE", "ALGEBRAIC", "WINDOW")
        self.expect("AGGREGATE", "an aggregate begins with CREATE [ALGEBRAIC] [WINDOW] AGGREGATE")
        name = self.name("the aggregate's name")
        parameters = self.listed("the parameters", "(next Real)")
        results, is_record = self.results()
        takes_nulls = self.null_input()
        header = self.source.on_one_line(Span(self.tokens[0].span.start, self.tokens[self.at - 1].span.end))
        tables, blocks = self.body()
        if not any({"INITIALIZE", "ITERATE"} & {*block.hooks} for block in blocks):
            raise self.error(
                f"{name.text} has neither INITIALIZE nor ITERATE, so it never sees a tuple: write both, or INITIALIZE: ITERATE: "
                "{ ... }",
                name,
            )
        definition = Definition(
            self.source, name.text, name.span, header, parameters, results, is_record, "ALGEBRAIC" in words, "WINDOW" in words,
            takes_nulls, tables, blocks,
        )  # fmt: skip
        for one, other in (("INITIALIZE", "ITERATE"), ("ITERATE", "INITIALIZE")):
            block = definition.block(one)
            if block is not None and definition.block(other) is None:
                raise self.error(
                    f"{name.text} has {one} but no {other}: write {other}: {{ }} if nothing is done there, or INITIALIZE: ITERATE: "
                    "{ ... } if both do the same",
                    block.span,
                )
        return definition

    def error(self, message: str, at: Token | Span | None = None) -> UsageError:
        span = at.span if isinstance(at, Token) else at
        return self.source.error(f"{self.source.speaker}: {message}", span or self.here())

    def here(self) -> Span:
        """The token that comes next; the end of the text behind the last one."""
        if self.at < len(self.tokens):
            return self.tokens[self.at].span
        end = self.tokens[-1].span.end
        return Span(end, end)

    def next(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def words(self, *words: str) -> set[str]:
        found = set()
        while (token := self.next()) is not None and token.says(*words):
            found.add(token.text.upper())
            self.at += 1
        return found

    def expect(self, text: str, why: str) -> Token:
        """The next token must be this word or sign."""
        token = self.next()
        if token is None or not (token.says(text) or token.text == text):
            raise self.error(f"{why}; {text} is missing here")
        self.at += 1
        return token

    def name(self, what: str) -> Token:
        token = self.next()
        if token is None or not (token.kind == "IDENTIFIER" or token.text[:1].isalpha() or token.text[:1] == "_"):
            raise self.error(f"{what} is missing here")
        self.at += 1
        return token

    def brackets(self, what: str, example: str, opens: str = "(") -> tuple[Tokens, Span]:
        """What stands in brackets that open here."""
        token = self.next()
        if token is None or token.text != opens:
            raise self.error(f"{what}: write {example}")
        close = self.closing(self.at) if opens == "{" else close_of(self.tokens, self.at)
        if close is None:
            raise self.error(f"this {opens} is not closed", token)
        inside = self.tokens[self.at + 1 : close]
        self.at = close + 1
        return inside, Span(token.span.start, self.tokens[close].span.end)

    def closing(self, at: int) -> int | None:
        depth = 0
        for index in range(at, len(self.tokens)):
            depth += (self.tokens[index].kind == "L_BRACE") - (self.tokens[index].kind == "R_BRACE")
            if depth == 0:
                return index
        return None

    def listed(self, what: str, example: str) -> tuple[Named, ...]:
        """``(name [type] [PRIMARY KEY], ...)``."""
        inside, span = self.brackets(what, example)
        if not inside:
            raise self.error(f"{what}: none is there: write {example}", span)
        found: list[Named] = []
        for tokens in split(inside):
            if not tokens:
                raise self.error(f"{what}: a name is missing between the commas", span)
            first, rest = tokens[0], tokens[1:]
            if not (first.kind == "IDENTIFIER" or first.text[:1].isalpha() or first.text[:1] == "_"):
                raise self.error(f"{what}: {first.text} is no name", first)
            is_key = bool(rest) and rest[-1].says("PRIMARY KEY")
            kind = read_kind(self.source, rest[: len(rest) - is_key])
            if any(one.name.casefold() == first.text.casefold() for one in found):
                raise self.error(f"{what}: {first.text} is there twice", first)
            found.append(Named(first.text, kind, first.span, is_key))
        return tuple(found)

    def results(self) -> tuple[tuple[Named, ...], bool]:
        """``: type``, or ``: (name type, ...)``."""
        self.expect(":", "behind the parameters stands the type of the result, as in (next Real) : Real")
        if (token := self.next()) is not None and token.text == "(":
            results = self.listed("the columns of the result", ": (low Real, high Real)")
            untyped = next((one for one in results if not one.kind), None)
            if untyped is not None:
                raise self.error(
                    f"the column {untyped.name} of the result lacks its type: write {untyped.name} Real", untyped.span
                )
            return results, True
        first = self.name("the type of the result")
        tokens = [first]
        if (token := self.next()) is not None and token.text == "(":
            close = close_of(self.tokens, self.at)
            tokens = [first, *self.tokens[self.at : (close or self.at) + 1]]
            self.at = (close or self.at) + 1
        return (Named("", read_kind(self.source, tokens), first.span),), False

    def null_input(self) -> bool:
        """``CALLED ON NULL INPUT``: hooks see tuples with a NULL, too (SQL's words for it)."""
        if not self.words("CALLED"):
            return False
        for word in ("ON", "NULL", "INPUT"):
            self.expect(word, "it is CALLED ON NULL INPUT")
        return True

    def body(self) -> tuple[tuple[Table, ...], tuple[Block, ...]]:
        self.brackets_open()
        tables: list[Table] = []
        blocks: list[Block] = []
        while (token := self.next()) is not None and token.kind != "R_BRACE":
            if token.kind == "SEMICOLON":
                self.at += 1
            elif token.says("TABLE"):
                tables.append(self.table(tables))
            else:
                blocks.append(self.block(blocks))
        self.expect("}", "the aggregate ends with }")
        if self.next() is not None:
            raise self.error("the aggregate has ended before this: iw.aggregate takes one; a Catalog runs scripts")
        return tuple(tables), tuple(blocks)

    def brackets_open(self) -> None:
        self.expect("{", "behind the type of the result stands { TABLE ...; INITIALIZE: { ... } ITERATE: { ... } }")

    def table(self, before: list[Table]) -> Table:
        self.at += 1
        name = self.name("the table's name")
        if any(one.name.casefold() == name.text.casefold() for one in before):
            raise self.error(f"the table {name.text} is declared twice", name)
        if name.says("RETURN"):
            raise self.error("RETURN is where results go, and cannot be a table", name)
        columns = self.listed(f"the columns of {name.text}", f"TABLE {name.text}(total Real, n Int)")
        keys = [column for column in columns if column.is_key]
        if len(keys) > 1:
            raise self.error("a key of one column is all that a local table has: drop a PRIMARY KEY", keys[1].span)
        return Table(name.text, columns, name.span)

    def block(self, before: list[Block]) -> Block:
        hooks: list[str] = []
        start = self.here()
        while True:
            word = self.name("INITIALIZE, ITERATE, EXPIRE or TERMINATE")
            if not word.says(*HOOKS):
                raise self.error(
                    f"{word.text} is not expected here: write TABLE, INITIALIZE, ITERATE, EXPIRE or TERMINATE", word
                )
            if any(word.text.upper() in one for one in (hooks, *(block.hooks for block in before))):
                raise self.error(f"{word.text.upper()} is there twice: put all its statements in one block", word)
            hooks.append(word.text.upper())
            self.expect(":", f"{word.text.upper()} is followed by a colon, as in {word.text.upper()}: {{ ... }}")
            if (token := self.next()) is not None and token.kind == "L_BRACE":
                break
        inside, span = self.brackets("a block", "ITERATE: { ... }", "{")
        return Block(tuple(hooks), tuple(self.statements(inside)), Span(start.start, span.end))

    def statements(self, tokens: Tokens) -> list[Statement]:
        found, current = [], list[Token]()
        for token in [*tokens, Token("SEMICOLON", ";", self.here())]:
            if token.kind != "SEMICOLON":
                current.append(token)
            elif current:
                found.append(self.statement(current))
                current = []
        return found

    def statement(self, tokens: list[Token]) -> Statement:
        tokens = [
            Token("LTE", t.text, t.span) if t.text == "≤" else Token("GTE", t.text, t.span) if t.text == "≥" else t
            for t in tokens
        ]
        if not tokens[0].says("INSERT", "UPDATE", "DELETE"):
            raise self.error(
                f"{tokens[0].text.upper()} is no statement of an aggregate: write INSERT, UPDATE or DELETE on its tables, or "
                "INSERT INTO RETURN ...",
                tokens[0],
            )
        condition, rest = None, tokens
        values = next((at for at, token in enumerate(tokens) if token.says("VALUES")), None)
        if tokens[0].says("INSERT") and values is not None:
            where = next(
                (
                    at
                    for at in range(values, len(tokens))
                    if tokens[at].kind == "WHERE" and self.is_outer(tokens, values, at)
                ),
                None,
            )
            if where is not None:
                if where + 1 == len(tokens):
                    raise self.error("WHERE lacks its condition", tokens[where])
                condition, rest = parsed(self.source, tokens[where + 1 :]), tokens[:where]
        tree = parsed(self.source, rest)
        if not isinstance(tree.this, (library().exp.Table, library().exp.Schema)):
            raise self.error(
                "which table? write INSERT INTO t ..., UPDATE t SET ... or DELETE FROM t ...", span_of(tokens)
            )
        if isinstance(tree, library().exp.Insert) and tree.expression is None:
            raise self.error("INSERT INTO ... is followed by VALUES (...) or SELECT ...", span_of(tokens))
        return Statement(tree, tokens, condition)

    def is_outer(self, tokens: list[Token], first: int, at: int) -> bool:
        depth = sum((t.kind == "L_PAREN") - (t.kind == "R_PAREN") for t in tokens[first:at])
        return depth == 0
