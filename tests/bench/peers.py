#!/usr/bin/env python3
"""Measures the operations of rankguard in NumPy and SimPy on the same machine, and prints both with their ratios as a Markdown table.

    pip install numpy simpy                        # Python 3.9 or newer
    cargo build --release
    python3 tests/bench/peers.py                   # prints the table
    python3 tests/bench/peers.py --write-readme    # puts it into README.md, between its two markers

First it proves that it computes the same: `rankguard bench --export` writes a small case with its results, and every operation below must
reproduce them. Then it measures each operation at the sizes of `rankguard bench --quick`, and takes the shortest of several processor
times, as rankguard does. NumPy runs on one thread, and so does rankguard here. Judging has two forms: the loop over pairs that the paper's times suggest, and one product over all
rows at once, as a NumPy programmer would write it with some thought.
"""
import os

for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import argparse
import datetime
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
import simpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
SHOWN = 10


# -- the operations --------------------------------------------------------------------------------------------------------------------


def log_sigmoid(margin):
    return np.minimum(margin, 0.0) - np.log1p(np.exp(-np.abs(margin)))


def weight(x, kappa):
    """t and alpha of the differences X: alpha = sigma(kappa t), t = sqrt(n) mean / sd."""
    t = math.sqrt(len(x)) * np.mean(x) / np.std(x, ddof=1)
    return t, 1.0 / (1.0 + math.exp(-kappa * t)) if kappa * t > -700 else 0.0


def session_score(session, theta):
    """S(q, theta) = sum of rho log sigma(s_i - s_j), pair by pair."""
    documents, preferences = session
    score = 0.0
    for winner, loser, rho in preferences:
        margin = np.dot(documents[winner], theta) - np.dot(documents[loser], theta)
        score -= rho * np.logaddexp(0.0, -margin)  # of single numbers, one call is the fastest
    return score


def judge_by_loops(sessions, theta, received, kappa):
    x = np.array([session_score(session, received) - session_score(session, theta) for session in sessions])
    t, alpha = weight(x, kappa)
    return t, alpha, theta + np.float32(alpha) * (received - theta)


class History:
    """All sessions stacked: one product scores every row under several models."""

    def __init__(self, sessions):
        self.rows = np.concatenate([documents for documents, _ in sessions])
        first = np.cumsum([0] + [len(documents) for documents, _ in sessions])
        pairs = [(start + winner, start + loser, rho) for start, (_, preferences) in zip(first, sessions) for winner, loser, rho in preferences]
        self.winner = np.array([pair[0] for pair in pairs])
        self.loser = np.array([pair[1] for pair in pairs])
        self.rho = np.array([pair[2] for pair in pairs])
        counts = np.array([len(preferences) for _, preferences in sessions])
        self.n_sessions, self.with_pairs = len(sessions), np.flatnonzero(counts)
        self.starts = (np.cumsum(counts) - counts)[self.with_pairs]

    def judge(self, theta, received, kappa):
        """Judges models in turn. Margins of linear models are mixed as the weights are, so every model is scored once."""
        scores = self.rows @ np.stack([theta, *received]).T
        margins = scores[self.winner] - scores[self.loser]
        own, verdicts = margins[:, 0].astype(np.float64), []
        for nth, other in enumerate(received, 1):
            margin = margins[:, nth].astype(np.float64)
            terms = self.rho * (log_sigmoid(margin) - log_sigmoid(own))
            x = np.zeros(self.n_sessions)
            x[self.with_pairs] = np.add.reduceat(terms, self.starts)
            t, alpha = weight(x, kappa)
            theta, own = theta + np.float32(alpha) * (other - theta), own + alpha * (margin - own)
            verdicts.append((t, alpha))
        return verdicts, theta


def preferences_of(clicks):
    """Pairs of a clicked position and an examined one without a click. Users examine one position below their last click."""
    clicked = np.flatnonzero(clicks)
    if len(clicked) == 0:
        return []
    examined = min(clicked[-1] + 2, len(clicks))
    return [(winner, loser) for winner in clicked for loser in range(examined) if not clicks[loser]]


def log_probability(scores, ranking):
    """log P(R | D) of Plackett-Luce, by the definition."""
    scores, total = scores.copy(), 0.0
    for document in ranking:
        top = scores.max()
        total += scores[document] - top - math.log(np.exp(scores - top).sum())
        scores[document] = -np.inf
    return total


def rho_of(scores, ranking, winner, loser):
    """rho = P(R*) / (P(R) + P(R*)), where R* has the two exchanged."""
    exchanged = ranking.copy()
    exchanged[winner], exchanged[loser] = ranking[loser], ranking[winner]
    return 1.0 / (1.0 + math.exp(min(700.0, log_probability(scores, ranking) - log_probability(scores, exchanged))))


def gradient_of(rows, theta, ranking, clicks):
    """The preferences of a session with their rho, and its PDGD gradient."""
    scores = (rows @ theta).astype(np.float64)
    preferences = [(winner, loser, rho_of(scores, ranking, winner, loser)) for winner, loser in preferences_of(clicks)]
    weights = np.zeros(len(ranking))
    for winner, loser, rho in preferences:
        p = 1.0 / (1.0 + math.exp(scores[ranking[loser]] - scores[ranking[winner]]))
        weights[winner] += rho * p * (1 - p)
        weights[loser] -= rho * p * (1 - p)
    return preferences, weights @ rows[ranking]


def search(rows, grades, theta, eta, chances, rng):
    """Draws a ranking by the model and clicks by the grades, and learns from them."""
    scores = (rows @ theta).astype(np.float64)
    keys = scores + rng.gumbel(size=len(scores))
    top = np.argpartition(-keys, min(SHOWN, len(keys)) - 1)[:SHOWN]
    ranking = top[np.argsort(-keys[top])]
    clicks = rng.random(len(ranking)) < chances[grades[ranking]]
    _, gradient = gradient_of(rows, theta, ranking, clicks)
    return (theta + eta * gradient).astype(np.float32), ranking, clicks


def fltrust(sessions, queries, theta, received, eta):
    """The factor by which theta moves towards a received model: a replay of the history says in which direction and how far."""
    moving = theta
    for query, ranking, clicks in sessions:
        _, gradient = gradient_of(queries[query], moving, ranking, clicks)
        moving = (moving + eta * gradient).astype(np.float32)
    g, r = received.astype(np.float64) - theta, moving.astype(np.float64) - theta
    return np.linalg.norm(r) / np.linalg.norm(g) if np.dot(g, r) > 0 else 0.0


def evaluate(queries, models):
    """The mean nDCG@10 of each model. Of equal scores the later document comes first."""
    discounts = 1.0 / np.log2(np.arange(2, SHOWN + 2))
    total, n_queries = np.zeros(len(models)), 0
    for rows, grades in queries:
        gains = 2.0 ** grades - 1.0
        ideal = np.sort(gains)[::-1][:SHOWN]
        if ideal[0] == 0:
            continue
        scores = rows @ models.T
        scores, gains = scores[::-1], gains[::-1]
        k = min(SHOWN, len(gains))
        top = np.argpartition(-scores, k - 1, axis=0)[:k] if k < len(gains) else np.tile(np.arange(k)[:, None], (1, len(models)))
        order = np.argsort(-np.take_along_axis(scores, top, axis=0), axis=0, kind="stable")
        ranked = gains[np.take_along_axis(top, order, axis=0)]
        total += discounts[:k] @ ranked / (ideal @ discounts[:k])
        n_queries += 1
    return total / n_queries


def timeline(n_nodes, n_searches, rng):
    """Nodes that search at random moments and send seven messages each time. Returns the number of events."""
    world, done = simpy.Environment(), {"searches": 0, "events": 0}

    def arrive(_):
        done["events"] += 1

    def node():
        while True:
            yield world.timeout(rng.exponential(1800.0))
            done["searches"] += 1
            done["events"] += 1
            rng.integers(n_nodes, size=7)
            for delay in rng.lognormal(math.log(0.08), 0.6, size=7):
                world.timeout(delay).callbacks.append(arrive)

    for _ in range(n_nodes):
        world.process(node())
    while done["searches"] < n_searches:
        world.step()
    return done["events"]


# -- the proof that they compute the same ------------------------------------------------------------------------------------------------


def near(what, got, want, tolerance):
    got, want = np.asarray(got, dtype=np.float64), np.asarray(want, dtype=np.float64)
    if got.shape != want.shape or not np.all(np.abs(got - want) <= tolerance * np.maximum(1.0, np.abs(want))):
        sys.exit(f"peers.py: {what} differs from rankguard's, so its times mean nothing:\n{got}\n{want}")


def verify(case):
    d = case["d"]
    rows = lambda numbers: np.array(numbers, dtype=np.float32).reshape(-1, d)
    theta, received = np.array(case["theta"], dtype=np.float32), [np.array(model, dtype=np.float32) for model in case["received"]]
    sessions = [(rows(session["documents"]), session["preferences"]) for session in case["evidence"]]
    verdicts, after = History(sessions).judge(theta, received, case["kappa"])
    near("t in one product", [t for t, _ in verdicts], case["rankguard"]["t"], 1e-4)
    near("alpha in one product", [alpha for _, alpha in verdicts], case["rankguard"]["alpha"], 1e-4)
    near("the merged model", after, case["rankguard"]["theta"], 1e-5)
    looped = theta
    for model, want in zip(received, case["rankguard"]["alpha"]):
        _, alpha, looped = judge_by_loops(sessions, looped, model, case["kappa"])
        near("alpha by loops", alpha, want, 1e-4)
    queries = [rows(query["rows"]) for query in case["train"]]
    for played in case["searches"]:
        preferences, gradient = gradient_of(queries[played["query"]], theta, np.array(played["ranking"]), np.array(played["clicks"]))
        near("rho", [rho for _, _, rho in preferences], [rho for _, _, rho in played["preferences"]], 1e-5)
        near("the gradient", gradient, played["gradient"], 1e-5)
    replayed = [(session["query"], np.array(session["ranking"]), np.array(session["clicks"])) for session in case["sessions"]]
    moved = theta
    for model, want in zip(received, case["fltrust"]["alpha"]):
        factor = fltrust(replayed, queries, moved, model, case["eta"])
        near("FLTrust's factor", factor, want, 1e-4)
        moved = (moved + factor * (model.astype(np.float64) - moved)).astype(np.float32)
    test = [(rows(query["rows"]), np.array(query["grades"])) for query in case["test"]]
    near("nDCG", evaluate(test, np.stack(received)), case["ndcg"], 1e-6)


# -- their times -------------------------------------------------------------------------------------------------------------------------


def shortest(work, patience=1.5):
    best, spent, n = math.inf, 0.0, 0
    while n < 2 or spent < patience and n < 50:
        start = time.process_time()
        work()
        elapsed = time.process_time() - start
        best, spent, n = min(best, elapsed), spent + elapsed, n + 1
        if elapsed > 5.0:
            break
    return best


def made_sessions(n_sessions, n_rows, n_pairs, d, rng):
    """Sessions with as many rows and pairs in all as rankguard's history has."""
    sessions = []
    for nth in range(n_sessions):
        rows = max(2, round(n_rows * (nth + 1) / n_sessions) - round(n_rows * nth / n_sessions))
        pairs = round(n_pairs * (nth + 1) / n_sessions) - round(n_pairs * nth / n_sessions)
        sessions.append((rng.random((rows, d), dtype=np.float32), [(i % rows, (i + 1) % rows, 0.5) for i in range(pairs)]))
    return sessions


class Ours:
    """What `rankguard bench` measured."""

    def __init__(self, report):
        self.report = report

    def row(self, group, what, **size):
        fits = lambda row: row["group"] == group and row["what"] == what and all(row["size"].get(name) == value for name, value in size.items())
        return next(row for row in self.report["rows"] if fits(row))


def judging(ours, rng):
    for history in (100, 1000, 10000):
        row = ours.row("judge", "RankGuard linear", d=136, history=history, waiting=7)
        sessions = made_sessions(history, row["size"]["rows"], row["size"]["pairs"], 136, rng)
        stacked = History(sessions)
        theta, *received = (rng.standard_normal((8, 136)) * 0.01).astype(np.float32)
        name = f"judge a model, history {history:,}, 7 waiting"
        yield name, "NumPy, one product", shortest(lambda: stacked.judge(theta, received, 4.0)) / 7, row["seconds"]
        if history <= 1000:
            loops = shortest(lambda: judge_by_loops(sessions, theta, received[0], 4.0))
            yield name, "NumPy, loop over pairs", loops, row["seconds"]


def made_query(n_documents, d, rng):
    return rng.random((n_documents, d), dtype=np.float32), rng.integers(0, 5, n_documents)


def learning(ours, rng):
    row = ours.row("search", "linear", d=136)
    queries = [made_query(row["size"]["documents"], 136, rng) for _ in range(200)]
    chances, theta = np.array([0.0, 0.2, 0.4, 0.8, 1.0]), np.zeros(136, dtype=np.float32)
    sessions = []

    def searches():
        sessions.clear()
        for query, (rows, grades) in enumerate(queries):
            _, ranking, clicks = search(rows, grades, theta, 0.1, chances, rng)
            sessions.append((query, ranking, clicks))

    yield "a search", "NumPy", shortest(searches) / len(queries), row["seconds"]
    row = ours.row("judge", "FLTrust linear", d=136, history=100, waiting=1)
    features, model = [rows for rows, _ in queries], rng.standard_normal(136).astype(np.float32)
    replay = shortest(lambda: fltrust(sessions[:100], features, theta, model, 0.1))
    yield "judge a model by FLTrust, history 100", "NumPy, replay", replay, row["seconds"]


def evaluation(ours, rng):
    row = ours.row("evaluation", "linear", d=136)
    n_queries = round(row["size"]["documents"] / 120)
    queries = [made_query(120, 136, rng) for _ in range(n_queries)]
    models = rng.standard_normal((80, 136)).astype(np.float32)
    pieces = n_queries * 120 * 80
    yield "evaluate, per document and model (80 models)", "NumPy", shortest(lambda: evaluate(queries, models)) / pieces, row["seconds"]


def clock(ours, rng):
    for n_nodes, n_searches in ((1_000, 5_000), (10_000, 10_000)):
        row = ours.row("timeline", "network alone", nodes=n_nodes)
        n_events = []
        seconds = shortest(lambda: n_events.append(timeline(n_nodes, n_searches, rng)))
        yield f"an event of the virtual clock, {n_nodes:,} nodes", "SimPy", seconds / n_events[-1], row["seconds"]


# -- the table ---------------------------------------------------------------------------------------------------------------------------


def show(seconds):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(lines, report):
    head = (
        f"Measured on {datetime.date.today():%Y-%m-%d} with one thread on {report['processor']}, {report['cores']} cores, "
        f"{report['instructions']}; Python {sys.version.split()[0]}, NumPy {np.__version__}, SimPy {simpy.__version__}; d = 136.\n\n"
        "| operation | peer | its time | rankguard | ratio |\n|---|---|---|---|---|\n"
    )
    ratio = lambda value: f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    cell = lambda operation, peer, theirs, ours: f"| {operation} | {peer} | {show(theirs)} | {show(ours)} | {ratio(theirs / ours)} |\n"
    return head + "".join(cell(*line) for line in lines)


def write_readme(text):
    path = ROOT / "README.md"
    readme = path.read_text(encoding="utf-8")
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def bench(program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.json"
        subprocess.run([program, "bench", *arguments, path], check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/rankguard", help="the rankguard to compare with")
    parser.add_argument("--verify", action="store_true", help="only show that the operations compute the same")
    parser.add_argument("--write-readme", action="store_true", help="put the table into README.md")
    arguments = parser.parse_args()
    verify(bench(arguments.program, "--export"))
    print("The peers compute what rankguard computes.", file=sys.stderr)
    if arguments.verify:
        return
    groups = [argument for group in ("judge", "search", "evaluation", "timeline") for argument in ("--group", group)]
    ours, rng = Ours(bench(arguments.program, "--quick", *groups, "--json")), np.random.default_rng(1)
    lines = [line for part in (judging, learning, evaluation, clock) for line in part(ours, rng)]
    text = table(lines, ours.report)
    print(text)
    if arguments.write_readme:
        write_readme(text)


if __name__ == "__main__":
    main()
