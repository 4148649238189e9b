"""First request: correctness and timings of the old and the new way on one GPU. python benchmarks/before/try1.py"""

import os
import subprocess
import sys
import time

BEGUN = time.perf_counter()
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "src")]
os.environ["PYTHONPATH"] = os.path.join(HERE, "..", "..", "src")
os.environ.setdefault("MELDLAB_CACHE", "/tmp/meldlab-cache-try")
LIMIT = float(os.environ.get("LIMIT", "112"))


def at():
    return time.perf_counter() - BEGUN


def say(*words):
    print(f"[{at():6.1f}]", *words, flush=True)


def guarded(name, function):
    try:
        return function()
    except Exception as problem:  # one failing part must not hide the others
        import traceback

        say("FAILED", name, type(problem).__name__, str(problem)[:600])
        traceback.print_exc(limit=4)


def main():
    clock = time.perf_counter
    begun = clock()
    import numba
    import numpy as np

    say("import numba", round(clock() - begun, 2), numba.__version__, np.__version__, sys.version.split()[0], os.cpu_count(), "cores")
    begun = clock()
    from meldlab.gpu import gpu_name, use_gpu

    cuda = use_gpu()
    import numba_cuda

    say("use_gpu", round(clock() - begun, 2), gpu_name(), "numba-cuda", numba_cuda.__version__)
    begun = clock()
    from meldlab.waiting import Waiting, solver_cuda
    from meldlab.waiting.solution import Solution

    say("import waiting", round(clock() - begun, 2))
    known = {3: 17.5142727492, 4: 38.6612233676, 5: 50.2104206592, 7: 27.3927720466, 8: 34.1894024709, 9: 21.2873574458, 10: 23.0505173345}

    def run(cards, grid=None, tries=None, margin=None, verbose=False, maxregs=None):
        """One solve by hand, timed by phase."""
        game = Waiting(cards)
        game.large, game.small
        solver_cuda.GRID = grid or (132 * 8, 256)
        first, many = tries or (3, 3)
        share = 0.25 if margin is None else margin
        cuda.synchronize()
        t0 = clock()
        work = solver_cuda._Work(cuda, game)
        if maxregs:
            import types

            kernels = types.SimpleNamespace(**vars(work.kernels))
            kernels.lower = cuda.jit(max_registers=maxregs)(work.kernels.lower.py_func)
            work.kernels = kernels
            kernels.lower[solver_cuda.GRID](0, 0, 1, 0.0, 1.0, work.values, work.patterns[0][2], work._notes())
            cuda.synchronize()
            t0 = clock()
        cuda.synchronize()
        t1 = clock()
        up, values, small = cuda.to_device, work.values, game.small
        work.kernels.list_hands[solver_cuda.GRID](values.hands, solver_cuda.Numbering(small.classes, small.renamings, *map(up, small[2:])))
        cuda.synchronize()
        t2 = clock()
        leftovers, limit = game.goal.leftovers(game.aces)
        work.kernels.mark_goals[solver_cuda.GRID](values.expected, values.hands, up(leftovers), limit)
        cuda.synchronize()
        t3 = clock()
        work.tell_all()
        cuda.synchronize()
        t4 = clock()
        sweeps, gap, each, changes = 0, 0.0, [], []
        while sweeps < 60:
            s0 = clock()
            change, mean = work.lower(many if sweeps < first else 1, gap)
            each.append(clock() - s0)
            changes.append(change)
            sweeps, gap = sweeps + 1, share * mean
            if change <= 1e-12:
                break
        t5 = clock()
        residual = work.check()
        t6 = clock()
        sums = work.sums()
        t7 = clock()
        import math

        mean = math.fsum(sums.totals) / game.hands
        wrong = "" if abs(mean - known[cards]) < 1e-9 and residual <= 1e-12 else "  <<<< WRONG"
        say(
            f"{cards:2} cards grid {solver_cuda.GRID} tries {(first, many)} margin {share} regs {maxregs}: solving {t6 - t0:.3f} s = arrays {t1 - t0:.3f} "
            f"list {t2 - t1:.3f} goals {t3 - t2:.3f} tell {t4 - t3:.3f} {sweeps} sweeps {t5 - t4:.3f} check {t6 - t5:.3f}; sums {t7 - t6:.3f}; "
            f"residual {residual:.1e} mean {mean:.10f} max {sums.worsts.max():.10f} goals {sums.zeros.sum():,}{wrong}"
        )
        if verbose:
            say("   sweeps ms:", " ".join(f"{1000 * x:.0f}" for x in each))
            say("   changes:", " ".join(f"{x:.0e}" for x in changes))
        return work

    if "one" in sys.argv:
        return run(int(sys.argv[-1]))
    say("compiling: 3 cards")
    guarded("3", lambda: run(3))
    for name in ("list_hands", "mark_goals", "forget", "tell_all", "lower", "check", "summarise"):
        kernel = getattr(__import__("meldlab.waiting.kernel_cuda", fromlist=["x"]), name)
        guarded(name, lambda kernel=kernel, name=name: say(name, "registers", list(kernel.get_regs_per_thread().values()), "cache", kernel.stats))
    for cards in (3, 4, 5, 7, 8, 9):
        guarded(str(cards), lambda cards=cards: run(cards, verbose=cards in (7, 8)))

    def ten():
        work = run(10, verbose=True)
        game = work.game
        begun = clock()
        cold = np.empty(game.small.classes)
        work.values.expected.copy_to_host(cold)
        say(f"copy into untouched memory {clock() - begun:.2f} s")
        begun = clock()
        work.values.expected.copy_to_host(cold)
        say(f"copy into touched memory {clock() - begun:.2f} s")
        begun = clock()
        warm = np.empty(game.small.classes)
        warm.fill(0.0)
        say(f"touching memory, one thread {clock() - begun:.2f} s")
        begun = clock()
        with cuda.pinned(warm):
            middle = clock()
            work.values.expected.copy_to_host(warm)
            end = clock()
        say(f"pinning touched memory {middle - begun:.2f} s, copy {end - middle:.2f} s, unpinning {clock() - end:.2f} s")
        if os.environ.get("CPUSUM"):
            begun = clock()
            summary = Solution(game, warm, 0.0, 0, 0.0, "cuda").summary()
            say(f"summary on the CPU, compiled in it {clock() - begun:.2f} s, mean {summary.mean:.10f}")
            begun = clock()
            Solution(game, warm, 0.0, 0, 0.0, "cuda").summary()
            say(f"summary on the CPU again {clock() - begun:.2f} s")

    guarded("ten", ten)

    def old():
        import solver_before

        solver_before.solve_on_gpu(Waiting(3))
        for cards in (8, 10):
            begun = clock()
            solution = solver_before.solve_on_gpu(Waiting(cards))
            say(f"OLD {cards} cards: {solution.seconds:.3f} s, {solution.sweeps} sweeps, residual {solution.residual:.1e}, by the clock {clock() - begun:.2f}")

    guarded("old", old)
    variants = [
        (8, dict(margin=0.1)), (8, dict(margin=0.5)), (8, dict(margin=1.0)),
        (8, dict(tries=(1, 3))), (8, dict(tries=(6, 2))), (8, dict(tries=(10, 2))), (8, dict(tries=(8, 3))),
        (9, dict(grid=(132 * 4, 256))), (9, dict(grid=(132 * 32, 256))), (9, dict(grid=(132 * 16, 128))), (9, dict(grid=(132 * 4, 512))),
        (9, dict(grid=(132 * 8, 256), maxregs=64)), (9, dict(grid=(132 * 8, 256), maxregs=56)), (9, dict(grid=(132 * 8, 256), maxregs=40)),
        (10, dict(grid=(132 * 64, 256))), (10, dict(grid=(132 * 3, 256))),
    ]  # fmt: skip
    for cards, options in variants:
        if at() > LIMIT - 40:
            say("no time for", cards, options)
            continue
        guarded(str(options), lambda cards=cards, options=options: run(cards, verbose=cards == 10, **options))


def by_the_clock():
    for name in ("first", "second"):
        left = LIMIT - at()
        if left < 12:
            say("no time for the command line")
            return
        begun = time.perf_counter()
        command = [sys.executable, "-m", "meldlab", "waiting", "solve", "--cards", "10", "--device", "cuda"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=left, check=False)
        say(f"command line, {name} time: {time.perf_counter() - begun:.2f} s by the clock, status {done.returncode}")
        print(done.stdout, done.stderr[-800:], flush=True)


if __name__ == "__main__":
    by_the_clock() if "cli" in sys.argv else main()
