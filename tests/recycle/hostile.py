"""Programs that mean harm: each breaks one limit, and none may break anything else.

``python -m tests.recycle.hostile`` runs them one after the other and prints, as JSON, how each ended.
"""

import json
import time
from dataclasses import dataclass
from itertools import islice, product
from string import ascii_uppercase

from meldlab.errors import BadText
from meldlab.recycle.check import check_program
from meldlab.recycle.language.limits import Limits
from meldlab.recycle.machine import kernel_layout as k
from meldlab.recycle.machine.machine import Machine

CARDS = "(create deck (game iloc S) (deck (A (A, B, C, D, E, F, G, H)) (B (A, B, C, D, E, F, G, H))))"
THOUSAND = "(create deck (game iloc S) (deck " + "".join(f"({key} (A, B, C, D, E, F, G, H, I, J))" for key in "ABC") + "))"
ZEROS = "(set (game points P) (((A : A) 1)))"


def names(many: int) -> list[str]:
    """Return so many different names."""
    return ["".join(letters) for letters in islice(product(ascii_uppercase, repeat=3), many)]


def game(item: str, choice: bool = False, deck: str = CARDS, players: int = 1, before: str = "(turn pass)") -> str:
    """Return a game that does one thing: at once, or as an option."""
    phase = f"(choice ({item}))" if choice else f"(do ({item}))"
    return f"(game (setup (create players {players}) {deck}) (do ({before})) {phase} (scoring max 1))"


def many_times(body: str, tens: int = 4, source: str = "(game iloc S)", last: int = 10) -> str:
    """Bind 'L to 64 cards times a power of ten, the ``last`` of which may be another factor, and do something with it."""
    for level in range(tens):
        name, inner = f"'L{'X' * level}", "'L" + "X" * (level + 1) if level + 1 < tens else source
        body = f"(let (union {' '.join([inner] * (10 if level else last))}) {name} {body})"
    return body


FOREVER = "(repeat 2000000000 {})"
KEYS = names(200)
AWARDS = "".join(f"(({key} : Z) 1) " for key in KEYS)
MATCHING = f"(create deck (game vloc NEVER) (deck {''.join(f'({key} (Z))' for key in KEYS)} (Q ({', '.join(names(1900))}))))"
UPDATED = f"((== (game sto NO) 1) {MATCHING})"


@dataclass(frozen=True)
class Attack:
    """A program and the status that must stop it."""

    name: str
    text: str
    status: int
    limits: Limits = Limits()  # noqa: RUF009  # frozen


ATTACKS = [
    # --- the trail, by instructions that write more than there are cards
    Attack("shuffle of a computed list", game(many_times("(shuffle 'L)", last=13), choice=True), k.OUT_OF_TRAIL),
    Attack(
        "move from a computed list",
        game(many_times("(repeat 20 (move (bottom 'L) (top (game vloc T))))", last=13), choice=True),
        k.OUT_OF_TRAIL,
    ),
    Attack(
        "forget from a computed list",
        game(
            many_times(
                "(repeat 3 (forget (bottom (union 'L 'L 'L 'L))))",
                3,
                "(game mem M)",
            ),
            choice=True,
            before="(all (game iloc S) 'C (repeat 3 (remember 'C (top (game mem M)))))",
        ),
        k.OUT_OF_TRAIL,
    ),
    Attack(
        "update of a point map",
        game(
            f"(do ((repeat 990000 (inc (game sto X))) (update (game points P) ({AWARDS})) {UPDATED}))",
            choice=True,
            before=f"(set (game points P) ({AWARDS}))",
        ),
        k.OUT_OF_TRAIL,
    ),
    Attack(
        "sort of a computed list",
        game("(repeat 1000000 (set (game sto X) (size (sort (game iloc S) using (game points P)))))", choice=True, before=ZEROS),
        k.OUT_OF_TRAIL,
    ),
    # --- time
    *(
        Attack(f"{name}, for ever", game(text, before=ZEROS), k.OVERWORKED)
        for name, text in {
            "shuffle": many_times(FOREVER.format("(shuffle 'L)")),
            "shuffle of a location": FOREVER.format("(shuffle (game iloc S))"),
            "sum": many_times(FOREVER.format("(set (game sto X) (sum 'L using (game points P)))")),
            "best": many_times(FOREVER.format("(set (game sto X) (score (max 'L using (game points P)) using (game points P)))"), 3),
            "scoremax": many_times(FOREVER.format("(set (game sto X) (scoremax 'L using (game points P)))"), 3),
            "range": FOREVER.format("(set (game sto X) (size (filter (range 1 .. 400000) 'N (== 1 2))))"),
            "subsets": FOREVER.format("(set (game sto X) (size (subsets (top 15 (game iloc S)))))"),
            "runs": FOREVER.format("(set (game sto X) (size (runs all 1 (game iloc S) using (game points P))))"),
            "run": FOREVER.format("(set (game sto X) (size (run top 1 (game iloc S) using (game points P))))"),
            "partition": FOREVER.format("(set (game sto X) (size (partition A (game iloc S))))"),
            "union": many_times(FOREVER.format("(set (game sto X) (size (union 'L 'L)))"), 3),
            "intersect": many_times(FOREVER.format("(set (game sto X) (size (intersect 'L 'L)))"), 2),
            "top": many_times(FOREVER.format("(set (game sto X) (size (top 5 'L)))"), 3),
            "points": FOREVER.format("(set (game points P) (((A : (game str N)) 1)))"),
            "faro": FOREVER.format("(shuffle faro (game iloc S) (game iloc S))"),
        }.items()
    ),
    Attack(
        "card at an index, for ever",
        game(
            FOREVER.format("(set (game sto X) (size (filter (top 1 (game iloc S)) 'C (== (cardatt A (999 (game iloc S))) A))))"),
            deck=THOUSAND,
        ),
        k.OVERWORKED,
    ),
    Attack(
        "indexed locations, for ever",
        game(
            FOREVER.format("(set (game sto X) (+ (size (game vloc I 900)) (size (indexed game vloc I))))"),
            before="(all (range 1 .. 900) 'N (set (game sto Y) (size (game vloc I 'N))))",
        ),
        k.OVERWORKED,
    ),
    Attack(
        "forget, for ever",
        game(
            FOREVER.format("(all (top 1 (game iloc S)) 'C (do ((remember 'C (bottom (game mem M))) (forget 'C))))"),
            deck=THOUSAND,
            before="(all (top 999 (game iloc S)) 'C (remember 'C (top (game mem M))))",
        ),
        k.OVERWORKED,
    ),
    Attack(
        "move within a computed list, for ever",
        game(many_times(FOREVER.format("(move (bottom 'L) (top (game iloc S)))"))),
        k.OVERWORKED,
    ),
    Attack(
        "update, for ever",
        game(FOREVER.format(f"(update (game points P) ({AWARDS}))"), before=f"(set (game points P) ({AWARDS}))"),
        k.OVERWORKED,
    ),
    Attack(
        "a game of decisions that each take long",
        "(game (setup (create players 1) " + CARDS + ") (stage player (end (== 1 2))"
        " (choice ((repeat 100000 (set (game sto X) 1))))) (scoring max 1))",
        k.OVERLONG,
        Limits(game_work=20_000_000),
    ),
    Attack(
        "a game of options that each take long to find",
        "(game (setup (create players 1) " + CARDS + ") (stage player (end (== 1 2))"
        " (choice ((any (range 1 .. 3000) 'N (set (game sto X) (sum (game iloc S) using (game points P))))))) (scoring max 1))",
        k.OVERLONG,
        Limits(game_work=20_000_000),
    ),
    # --- every other room
    Attack("options", game("(any (range 1 .. 60000) 'N (set (game sto X) 'N))", choice=True), k.OUT_OF_OPTIONS),
    Attack(
        "path",
        game("(any (range 1 .. 3) 'A (any (range 1 .. 3) 'B (any (range 1 .. 3) 'C (turn pass))))", choice=True),
        k.OUT_OF_PATH,
        Limits(branches=2),
    ),
    Attack("cards", game(f"(repeat 100 {CARDS})", before="(turn pass)"), k.OUT_OF_CARDS),
    Attack("awards", game("(update (game points P) (((A : A) 1) ((A : B) 1) ((A : C) 1)))"), k.OUT_OF_AWARDS, Limits(awards=2)),
    Attack("lists", game(many_times("(shuffle 'L)", 5)), k.OUT_OF_LISTS),
    Attack("all subsets", game("(set (game sto X) (size (subsets (game iloc S))))"), k.TOO_MANY_SUBSETS),
    Attack("locations", game("(all (range 1 .. 2000) 'N (set (game sto X) (size (game vloc I 'N))))"), k.OUT_OF_LOCATIONS),
    Attack("memories", game("(repeat 3000 (remember (top (game iloc S)) (top (game mem M))))"), k.OUT_OF_MEMORIES),
    Attack(
        "move from a memory",
        game("(let (game mem M) 'L (move (top 'L) (top (game vloc T))))", before="(remember (top (game iloc S)) (top (game mem M)))"),
        k.FROM_MEMORY,
    ),
    Attack("forget what nobody remembers", game("(all (top 1 (game iloc S)) 'C (forget 'C))"), k.NO_MEMORY),
    Attack(
        "points beyond 32 bits",
        game(
            "(set (game sto X) (score (top (game iloc S)) using (game points P)))",
            before="(set (game points P) (((A : H) 2147483647) ((B : H) 1)))",
        ),
        k.TOO_LARGE,
    ),
    Attack(
        "computed points beyond 32 bits",
        game(
            "(set (game sto X) (scoremax (game iloc S) using (game points P)))",
            before="(do ((set (game sto N) 2147483647) (set (game points P) (((A : H) (game sto N)) ((B : H) (game sto N))))))",
        ),
        k.TOO_LARGE,
    ),
]


def ended(attack: Attack) -> dict[str, object]:
    """Play one game, then check by playing; return status, codes and the seconds of work each took, or why it was refused."""
    start = time.process_time()
    try:
        games = Machine.compile(attack.text, limits=attack.limits).random_games(games=1, seed=1)
    except BadText as problem:
        return {"name": attack.name, "refused": str(problem), "seconds": time.process_time() - start}
    played = time.process_time()
    codes = [diagnostic.code for diagnostic in check_program(attack.text, limits=attack.limits).diagnostics]
    seconds = {"seconds": played - start, "check_seconds": time.process_time() - played}
    return {"name": attack.name, "status": int(games.statuses[0]), "codes": codes, **seconds}


if __name__ == "__main__":
    Machine.compile(game("(turn pass)")).random_games(games=1, seed=1)
    for attack in ATTACKS:
        print(json.dumps(ended(attack)), flush=True)
