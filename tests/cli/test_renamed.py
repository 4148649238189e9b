"""The table of renamed options: every old name stands for an option that its command has."""

import pytest
import typer

from meldlab.cli.app import COMMANDS, build_app
from meldlab.cli.renamed import RENAMED_OPTIONS, current_names


def options_of(command: tuple[str, ...]) -> set[str]:
    found = typer.main.get_command(build_app(*COMMANDS))
    for name in command:
        found = found.commands[name]  # type: ignore[attr-defined]
    return {option for parameter in found.params for option in parameter.opts}


@pytest.mark.parametrize("command", RENAMED_OPTIONS)
def test_renamed_options_exist_and_old_ones_do_not(command: tuple[str, ...]) -> None:
    options, table = options_of(command), RENAMED_OPTIONS[command]
    assert not table.keys() & options
    # gin train and gin exploit share a table; the options of training that exploit lacks are rejected by typer.
    assert set(table.values()) & options
    if command != ("gin", "exploit"):
        assert set(table.values()) <= options


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gin train --learn policy --against simple,past", "gin train --algorithm ppo --opponents simple,snapshot"),
        ("gin train --wide=8 --save past", "gin train --hidden-size=8 --save past"),
        ("gin exploit policy --steps 5", "gin exploit policy --total-steps 5"),
        ("gin arena simple random --games 4", "gin arena simple random --games 4"),
        ("tune best --fresh 20 --games 10", "tune best --test-games 20 --games 10"),
        ("tune watch 3 --every 5", "runs show --watch 3 --every 5"),
        ("tune watch --once --store s", "runs show --store s"),
    ],
)
def test_current_names_rewrites_options_and_values(old: str, new: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert current_names(old.split()) == new.split()
    assert capsys.readouterr().err.startswith("note: ") == (old != new)
