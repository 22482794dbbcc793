"""The rules of purity and layout, each a function from one source file to the lines that break it.

Owns what import-linter and ruff cannot say. It reads sources and never imports them.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

FILE_LINES = 300
FUNCTION_LINES = 40
BANNED_WORDS = frozenset(
    [
        "common",
        "data",
        "handler",
        "handlers",
        "helper",
        "helpers",
        "info",
        "manager",
        "managers",
        "misc",
        "util",
        "utils",
    ]
)
# What a pure module may not call: each is a door to the outside or an accident of one process.
IMPURE_CALLS = frozenset(
    [
        "__import__",
        "breakpoint",
        "compile",
        "eval",
        "exec",
        "globals",
        "hash",
        "id",
        "input",
        "open",
        "print",
    ]
)
MUTABLE_CALLS = frozenset(
    ["bytearray", "defaultdict", "deque", "dict", "list", "set", "Counter", "OrderedDict"]
)
# A time, a size or a count under one of these endings is a whole number.
WHOLE_UNITS = ("_at", "_bytes", "_ms", "_ns", "_seq", "_tokens")

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
BLOCKS = ("body", "orelse", "finalbody")
SCOPES = FUNCTIONS | ast.Lambda


class Finding(NamedTuple):
    """One line that breaks a rule."""

    line: int
    what: str


Rule = Callable[[ast.Module], Iterator[Finding]]


def find_async(tree: ast.Module) -> Iterator[Finding]:
    """A pure module waits for nothing."""
    kinds = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)
    for node in ast.walk(tree):
        if isinstance(node, kinds):
            yield Finding(node.lineno, type(node).__name__)
        elif isinstance(node, ast.comprehension) and node.is_async:
            yield Finding(node.target.lineno, "async comprehension")


def find_impure_calls(tree: ast.Module) -> Iterator[Finding]:
    """A pure module opens nothing and asks nothing that differs between two runs."""
    yield from find_builtins(tree, IMPURE_CALLS - list_bound(tree))


def find_builtins(scope: ast.AST, names: frozenset[str]) -> Iterator[Finding]:
    """Find where a scope reads one of these builtins, and not its own `id` or `open`."""
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            yield Finding(node.lineno, f"{node.id}()")
        inner = names - list_bound(node) if isinstance(node, SCOPES) else names
        yield from find_builtins(node, inner)


def list_bound(scope: ast.AST) -> frozenset[str]:
    """Give the names that a scope binds itself: arguments, assignments, definitions, imports."""
    bound: set[str] = set()
    if isinstance(scope, FUNCTIONS | ast.Lambda):
        bound.update(node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg))
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop()
        if isinstance(node, FUNCTIONS | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        if not isinstance(node, SCOPES):
            pending.extend(ast.iter_child_nodes(node))
    return frozenset(bound)


def find_globals(tree: ast.Module) -> Iterator[Finding]:
    """A pure function writes to nothing outside itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield Finding(node.lineno, f"global {', '.join(node.names)}")


def find_mutable_containers(tree: ast.Module) -> Iterator[Finding]:
    """A pure module holds no value that a call could change (`__all__` is the language's)."""
    for statement in list_shared_statements(tree):
        value = getattr(statement, "value", None)
        if isinstance(statement, ast.Assign | ast.AnnAssign) and is_mutable(value):
            name = ast.unparse(
                statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            )
            if name != "__all__":
                yield Finding(statement.lineno, f"{name} is mutable")


def list_shared_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Give the statements of the module and its classes: their values live as long as it does."""
    blocks: list[list[ast.stmt]] = [tree.body]
    while blocks:
        for statement in blocks.pop():
            yield statement
            if not isinstance(statement, FUNCTIONS):
                blocks += [getattr(statement, field, []) for field in BLOCKS]


def is_mutable(value: ast.expr | None) -> bool:
    """Say whether an expression makes a list, dict, set or the like."""
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else ast.unparse(value.func)
        return name in MUTABLE_CALLS
    kinds = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    return isinstance(value, kinds)


def find_broad_excepts(tree: ast.Module) -> Iterator[Finding]:
    """A pure module swallows no bug."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            if re.search(r"\b(everything|Exception|BaseException)\b", caught):
                yield Finding(node.lineno, f"except {caught}")


def find_float_units(tree: ast.Module) -> Iterator[Finding]:
    """A time, size or count is a whole number: floats drift and do not compare."""
    for node in ast.walk(tree):
        for name, annotation in list_annotations(node):
            if name.endswith(WHOLE_UNITS) and re.search(r"\bfloat\b", ast.unparse(annotation)):
                yield Finding(annotation.lineno, f"{name} is a float")


def list_annotations(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Give each name that a node annotates."""
    if isinstance(node, ast.AnnAssign):
        yield ast.unparse(node.target), node.annotation
    elif isinstance(node, ast.arg) and node.annotation:
        yield node.arg, node.annotation
    elif isinstance(node, FUNCTIONS) and node.returns:
        yield node.name, node.returns


PURITY: tuple[Rule, ...] = (
    find_async,
    find_impure_calls,
    find_globals,
    find_mutable_containers,
    find_broad_excepts,
    find_float_units,
)


def find_long_functions(tree: ast.Module) -> Iterator[Finding]:
    """A function stops at forty lines; its docstring and decorators do not count."""
    for node in ast.walk(tree):
        if isinstance(node, FUNCTIONS):
            lines = count_lines(node)
            if lines > FUNCTION_LINES:
                yield Finding(node.lineno, f"{node.name} has {lines} lines")


def count_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines from `def` to the end, without the docstring."""
    end = function.end_lineno or function.lineno
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return end - function.lineno + 1
    return end - function.lineno + 1 - ((first.end_lineno or first.lineno) - first.lineno + 1)


def find_banned_classes(tree: ast.Module) -> Iterator[Finding]:
    """A class is named for what it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            words = {
                word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", node.name)
            }
            if words & BANNED_WORDS:
                yield Finding(node.lineno, f"class {node.name}")


LAYOUT: tuple[Rule, ...] = (find_long_functions, find_banned_classes)


def find_bad_name(path: Path) -> str | None:
    """Say what is wrong with the name of a file, if anything."""
    stem = path.stem
    if not re.fullmatch(r"_{0,2}[a-z][a-z0-9]*(_[a-z0-9]+)*_{0,2}", stem):
        return "not snake_case"
    banned = set(stem.split("_")) & BANNED_WORDS
    return f"banned word: {', '.join(sorted(banned))}" if banned else None


def find_american(source: str) -> Iterator[Finding]:
    """The word has two l's."""
    for number, line in enumerate(source.splitlines(), 1):
        if re.search(r"cancele[dr]|canceling", line, re.IGNORECASE):
            yield Finding(number, "cancelled has two l's")


def check(rules: tuple[Rule, ...], source: str) -> list[Finding]:
    """Give every finding of the rules in a source, in order of line."""
    tree = ast.parse(source)
    return sorted(finding for rule in rules for finding in rule(tree))


def find_silent_tests(tree: ast.Module) -> Iterator[Finding]:
    """A test says in one sentence what it shows."""
    functions = (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))
    for function in functions:
        if function.name.startswith("test_") and not ast.get_docstring(function):
            yield Finding(function.lineno, f"{function.name} says nothing")
