"""Whether a syntax tree belongs to the code that runs.

A file may have changed since its import, and a decorator may have replaced a hook by another function. So the tree is compiled
again, and compared with the function's bytecode.
"""

import ast
import copy
from types import CodeType, FunctionType, ModuleType

from inwindow.udaf.source.names import codes_of


def is_code_of(tree: ast.FunctionDef, function: FunctionType) -> bool:
    """Whether the tree gives the function's code when it is compiled where it stood: its class mangles names, and a function
    around it gives it free variables."""
    code = function.__code__
    bare = copy.copy(tree)
    bare.returns = None
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    within = ast.ClassDef(owner if owner.isidentifier() else "_", [], [], [bare], [])
    cells = [ast.Assign([ast.Name(name, ast.Store())], ast.Constant(None)) for name in code.co_freevars]
    around = ast.parse("def around(): pass").body[0]
    assert isinstance(around, ast.FunctionDef)
    is_global = within.name not in code.co_freevars  # a class of a module names itself by a global
    around.body = [*cells, *([ast.Global([within.name])] if is_global else []), within]
    there = [name for name in code.co_names if name in function.__globals__]
    modules = [name for name in there if isinstance(function.__globals__[name], ModuleType)]
    for imported in ([], modules, there):  # Python compiles a call of what the same file imports in a way of its own
        imports: list[ast.stmt] = [ast.Import([ast.alias(name)]) for name in imported]
        module = ast.fix_missing_locations(ast.Module([*imports, around], []))
        try:
            compiled = compile(module, "<hook>", "exec", code.co_flags & _FUTURE, dont_inherit=True)
        except (SyntaxError, ValueError):
            return False
        if any(_same(found, code) for found in codes_of(compiled) if found.co_name == code.co_name):
            return True
    return False


_FUTURE = 0x1FF0000  # the flags of `from __future__ import ...`


def _same(one: CodeType, other: CodeType) -> bool:
    if (one.co_code, one.co_names, one.co_varnames, one.co_freevars, one.co_argcount) != (
        other.co_code, other.co_names, other.co_varnames, other.co_freevars, other.co_argcount,
    ):  # fmt: skip
        return False
    if len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        _same(a, b)
        if isinstance(a, CodeType) and isinstance(b, CodeType)
        else type(a) is type(b) and repr(a) == repr(b)
        for a, b in zip(one.co_consts, other.co_consts, strict=True)
    )
