"""Rules of the source tree that no linter checks."""

import ast
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from types import FunctionType

import numpy as np
import pytest

import meldlab
from meldlab import compiling, gpu
from meldlab.cache import kernel_sources
from tests.picture import PICTURES, drawing, picture

SRC = Path(__file__).parents[1] / "src" / "meldlab"
SOURCES = sorted(SRC.rglob("*.py"))
KERNELS = [source for source in SOURCES if source.name.startswith("kernel")]
OURS = {"device_function", "gpu_kernel", "kernel"}  # of compiling and gpu
COMPILERS = OURS | {"njit", "jit", "vectorize", "guvectorize"}


@cache
def nodes(source: Path) -> tuple[ast.AST, ...]:
    """Return the syntax tree of a source as a list of nodes; each file is parsed once."""
    return tuple(ast.walk(ast.parse(source.read_text())))


@cache
def compiled(source: Path) -> tuple[ast.FunctionDef, ...]:
    """Return the functions of a source that are compiled: by a decorator, or by a call of one of our compilers."""
    calls = [node for node in nodes(source) if isinstance(node, ast.Call) and name_of(node) in OURS]
    passed = {argument.id for call in calls for argument in call.args if isinstance(argument, ast.Name)}
    functions = [node for node in nodes(source) if isinstance(node, ast.FunctionDef)]
    return tuple(each for each in functions if each.name in passed or COMPILERS & set(map(name_of, each.decorator_list)))


def num_arguments(function: ast.FunctionDef) -> int:
    """Return the number of parameters of a function, of every kind."""
    arguments = function.args
    return len([*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]) + bool(arguments.vararg) + bool(arguments.kwarg)


def ufuncs(source: Path) -> set[str]:
    """Return the functions of numpy for whole arrays, np.exp and its like, that a source calls."""
    calls = [node.func for node in nodes(source) if isinstance(node, ast.Call)]
    names = [call.attr for call in calls if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name) and call.value.id == "np"]
    return {name for name in names if isinstance(getattr(np, name), np.ufunc)}


def name_of(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def test_compilers_are_those_of_the_package() -> None:
    assert {name for module in (compiling, gpu) for name in module.__all__ if "kernel" in name or "function" in name} == OURS
    # Each of them compiles at least one kernel, so the rules below are not kept by looking at nothing.
    used = {name_of(decorator) for source in SOURCES for function in compiled(source) for decorator in function.decorator_list}
    assert used >= OURS


def test_kernels_live_in_kernel_files_only() -> None:
    assert [source for source in SOURCES if compiled(source) and source not in KERNELS] == []
    assert "deadwood" in [function.name for function in compiled(SRC / "melds" / "kernel.py")]


def test_kernels_are_chosen_by_kind_in_kernel_files_only() -> None:
    choosing = {source for source in SOURCES for node in nodes(source) if isinstance(node, ast.Call) and name_of(node) == "by_kind"}
    assert SRC / "gin" / "kernel_players.py" in choosing
    assert choosing <= set(KERNELS)


def test_no_kernel_takes_more_than_eight_arguments() -> None:
    functions = [(source, function) for source in KERNELS for function in compiled(source)]
    assert [f"{source.relative_to(SRC)}:{function.name}" for source, function in functions if num_arguments(function) > 8] == []


def test_kernels_compute_with_what_a_gpu_has_too() -> None:
    assert {source.relative_to(SRC): names for source in KERNELS if compiled(source) and (names := ufuncs(source))} == {}


def test_no_name_of_a_package_hides_one_of_its_modules() -> None:
    hidden = []
    for package in walk_packages(meldlab.__path__, "meldlab."):
        modules = iter_modules(import_module(package.name).__path__) if package.ispkg else ()
        hidden += [f"{package.name}.{each.name}" for each in modules if hides(package.name, each.name)]
    assert hidden == []


def hides(package: str, name: str) -> bool:
    """Tell whether a package has something else under the name of one of its modules."""
    return isinstance(getattr(import_module(package), name, None), FunctionType | type)


def imported(source: Path) -> set[Path]:
    """Return the files of the package that a source imports from."""
    found = set()
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("meldlab"):
            module = SRC.parent.joinpath(*(node.module or "").split("."))
            names = [module.with_suffix(".py"), module / "__init__.py", *(module / f"{each.name}.py" for each in node.names)]
            found |= {name for name in names if name.exists() and name.name != "__init__.py"}
    return found


def test_the_digest_of_compiled_code_covers_all_that_kernels_import() -> None:
    sources = set(kernel_sources())
    kernels = {source for source in SOURCES if compiled(source)}
    assert kernels <= sources
    assert {source for kernel in kernels for source in imported(kernel)} <= sources


def test_no_module_is_too_long_to_read() -> None:
    assert [str(source.relative_to(SRC)) for source in SOURCES if len(source.read_text().splitlines()) > 600] == []


SHARED_CLASS_NAMES = {  # names of classes in several packages, and what they mean in each
    "Advice": "what to do here, and its value",
    "Exchange": "of a card, or of a joker",
    "Location": "of cards, and the construct that names it",
    "Objective": "of a problem",
    "Outcome": "of a round, or of a claim",
    "Pass": "do nothing",
    "Phase": "of the play of a game",
    "Position": "of a game",
    "Report": "of a check, or of a reproduction",
    "Round": "one deal",
    "Rules": "of a game",
    "Score": "a node of the language, and the wins of a player",
    "SearchPlayer": "simulates games",
    "SearchResult": "of a search",
    "SearchWorkspace": "arrays that a search writes on",
    "Solution": "of a problem",
    "State": "of a game",
    "Step": "of a game, or of a turn",
    "StepResult": "of a vector environment",
    "View": "of a game",
    "Workspace": "arrays that a computation writes on",
}
SHAPES = {"BaseModel", "Strict", "RunResponse", "CandidateResponse"}  # of pydantic, and ours that have children


def test_a_class_name_means_one_thing_in_the_whole_house() -> None:
    rooms, shapes = defaultdict(list), list[str]()
    for source in SOURCES:
        for node in nodes(source):
            if isinstance(node, ast.ClassDef) and SHAPES & {ast.unparse(base) for base in node.bases}:
                shapes.append(node.name)
            elif isinstance(node, ast.ClassDef):
                rooms[node.name].append(str(source.relative_to(SRC)))
    # A shape in which the API answers may be called like what it tells, but no two of them alike.
    assert sorted(set(shapes)) == sorted(shapes)
    assert {name: places for name, places in rooms.items() if len(places) > 1}.keys() == SHARED_CLASS_NAMES.keys()


def test_no_room_for_odds_and_ends() -> None:
    words = {word for source in SOURCES for part in source.relative_to(SRC).with_suffix("").parts for word in part.split("_")}
    assert not {"utils", "util", "helpers", "helper", "common", "base", "misc", "tools", "stuff"} & words


def test_the_picture_of_the_house_shows_what_the_rooms_import() -> None:
    assert f"```text\n{picture()}\n```" in (SRC.parents[1] / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("name", PICTURES)
def test_the_drawings_of_the_house_show_what_the_rooms_import(name: str) -> None:
    assert (SRC.parents[1] / "docs" / "pictures" / name).read_text() == drawing(PICTURES[name])
