#!/bin/sh
# Every published figure of the searching players of RECYCLE: run it in the root of the repository, all of it or the parts named.
#
#     sh benchmarks/recycle_figures.sh OUT [library] [analysed] [searched] [players] [racing] [tutorial]
#
# OUT gets the pages and tables. Files of the repository are replaced by library, analysed and searched; the tables of players and racing
# are for docs/recycle-players.md and docs/search.md. CPU seconds of each part, with kernels compiled, are in its first line.
set -eu
out=$1
shift
mkdir -p "$out"
store="$out/runs.sqlite"

library() { # 100 s: src/meldlab/analysis/library.csv
    games=$(cd src/meldlab/recycle/library && ls ./*.rcy | sed 's|^./||; s|.rcy$||' | LC_ALL=C sort)
    meldlab recycle compare $games --quick --seed 0 --store "$store" --out "$out/library" >"$out/library.txt"
    cp "$out/library/comparison.csv" src/meldlab/analysis/library.csv
}

analysed() { # 100 s: docs/analysed; after library, whose marks the pages show
    meldlab recycle analyse block_rummy --quick --seed 0 --store "$store" --out "$out/block_rummy"
    meldlab recycle analyse gin_rummy --quick --seed 0 --store "$store" --out "$out/gin_rummy"
    meldlab recycle analyse leduc_poker --seed 0 --store "$store" --out "$out/leduc_poker"
    for game in block_rummy gin_rummy leduc_poker; do cp "$out/$game/index.html" "docs/analysed/$game.html"; done
}

searched() { # 60 s: docs/searched/blackjack.html, docs/pictures/search-front, both games of docs/search.md
    meldlab recycle search blackjack --vary SEATS=1..6 --vary ROUNDS=0..8 --maximise drama --require "fairness > 0.95" \
        --require "decisions < 40" --trials 30 --games 40 --simulations 10 --seed 1 --store "$store" --out "$out/blackjack"
    meldlab recycle search leduc_poker --vary BET=1..4 --vary RAISES=1..5 --maximise drama --require "fairness > 0.9" \
        --games 100 --simulations 200 --seed 1 --store "$store" --out "$out/leduc_search"
    cp "$out/blackjack/index.html" docs/searched/blackjack.html
    for kind in svg csv; do cp "$out/blackjack/figures/front.$kind" "docs/pictures/search-front.$kind"; done
}

players() { # 240 s: the tables of docs/recycle-players.md
    python benchmarks/recycle_against_random.py >"$out/against_random.md"
    meldlab recycle arena block_rummy ismcts:40 mcts:40 --games 40 --seed 1 >"$out/one_tree.txt"
}

racing() { # 60 s: common deals and racing in docs/search.md
    python benchmarks/racing_variants.py >"$out/racing.txt"
}

tutorial() { # 2 s: the console block of docs/recycle-tutorial.md
    python -m tests.docs.rewriting docs/recycle-tutorial.md
}

for part in ${*:-library analysed searched players racing tutorial}; do $part; done
