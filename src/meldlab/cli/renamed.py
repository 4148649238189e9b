"""Renamed commands and options: names of version 0.1 that are accepted for one version.

>>> current_names(["gin", "train", "--learn=values", "--against", "self,past", "--steps", "9"])[:3]
['gin', 'train', '--algorithm=td']
"""

import sys
from collections.abc import Mapping, Sequence

TRAINING = {
    "--learn": "--algorithm",
    "--against": "--opponents",
    "--adviser": "--prior",
    "--start": "--init-from",
    "--tables": "--num-envs",
    "--shares": "--env-shares",
    "--measure": "--evaluate",
    "--games": "--eval-games",
    "--wide": "--hidden-size",
    "--deep": "--num-layers",
    "--rate": "--learning-rate",
    "--mixing": "--ent-coef",
    "--batch": "--minibatch-size",
    "--steps": "--total-steps",
    "--rounds": "--rollout-rounds",
    "--seats": "--train-seats",
}
RENAMED_OPTIONS: Mapping[tuple[str, ...], Mapping[str, str]] = {
    ("gin", "compute"): {"--loops": "--iterations"},
    ("gin", "exploit"): TRAINING,
    ("gin", "review"): {"--worlds": "--determinizations", "--least": "--min-loss"},
    ("gin", "train"): TRAINING,
    ("recycle", "migrate"): {"--certain": "--force"},
    ("recycle", "search"): {"--fresh": "--test-games", "--keep": "--require"},
    ("reproduce",): {"--anew": "--recompute"},
    ("tune", "best"): {"--fresh": "--test-games"},
}
"""By command, the option of today for each old one."""
RENAMED_VALUES: Mapping[str, Mapping[str, str]] = {
    "--algorithm": {"policy": "ppo", "values": "td"},
    "--opponents": {"past": "snapshot"},
}
"""By option, the value of today for each old one; also within values separated by commas."""
RENAMED_COMMANDS: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("tune", "watch", "--once"): ("runs", "show"),
    ("tune", "watch"): ("runs", "show", "--watch"),
}
"""The words of today for each old command: two words at the start, then options anywhere."""


def current_names(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of a command line with the options and values of today; print a note on stderr if there were old ones."""
    arguments, notes = _current_command(arguments)
    options = next((table for command, table in RENAMED_OPTIONS.items() if tuple(arguments[: len(command)]) == command), {})
    changed, option = list[str](), ""
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if name.startswith("--"):
            option = options.get(name, name)
            notes |= {name: option} if option != name else {}
            changed.append(option + equals + (_current_value(option, value, notes) if options else value))
        else:
            changed.append(_current_value(option, argument, notes) if options else argument)
            option = ""
    if notes:
        renamed = ", ".join(f"{old} is now {new}" for old, new in notes.items())
        print(f"note: {renamed}; the old names are accepted for one version", file=sys.stderr)
    return changed


def _current_command(arguments: Sequence[str]) -> tuple[Sequence[str], dict[str, str]]:
    """Return the arguments with the command of today, and the old one with its new name if it has changed."""
    for old, new in RENAMED_COMMANDS.items():
        if tuple(arguments[:2]) == old[:2] and set(old) <= set(arguments):
            return [*new, *(word for word in arguments[2:] if word not in old)], {" ".join(old): " ".join(new)}
    return arguments, {}


def _current_value(option: str, value: str, notes: dict[str, str]) -> str:
    table = RENAMED_VALUES.get(option, {})
    parts = value.split(",")
    notes |= {part: table[part] for part in parts if part in table}
    return ",".join(table.get(part, part) for part in parts)
