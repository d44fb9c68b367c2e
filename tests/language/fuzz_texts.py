"""Broken scripts, many: ``python tests/language/fuzz_texts.py 100000``. Never a traceback of Python's, never a hang.

Words of the papers' aggregates and statements are dropped, doubled, swapped and put in elsewhere. Each text is read and compiled;
what comes out is a class, a reading, or a message.
"""

import random
import sys
import time
from datetime import datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pyarrow as pa
from samples import esl_statements, esl_texts

import inwindow as iw
from inwindow.language.cql.marks import take_marks
from inwindow.language.script import statements
from inwindow.language.sql.statement import read
from inwindow.language.text import Source, parsed, tokens_of

AGGREGATES = [text for name, text in vars(esl_texts).items() if name.isupper()]
QUERIES = [text for name, text in vars(esl_statements).items() if name.isupper()]
CQL = [
    "Select Istream(Close.item_id) From Close[Now], Open[Range 5 Hours] Where Close.item_id = Open.item_id",
    "Select user_id From Register[Partition By user_id Rows 1] Where user_id Not In (Select * From Deregister)",
]
WORDS = [token.text for text in (*AGGREGATES, *QUERIES, *CQL) for token in tokens_of(Source(text))]
WORDS += [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "'",
    "`",
    "/*",
    "--",
    "NULL",
    "WITH",
    "UNION",
    "JOIN",
    "EXISTS",
    "1e999",
    "🙂",
    "\\",
]


def broken(text: str, chance: random.Random) -> str:
    """The text with some words dropped, doubled, swapped, put in."""
    words = text.replace("(", " ( ").replace(")", " ) ").replace(";", " ; ").split()
    for _ in range(chance.randint(0, 4)):
        at, other = chance.randrange(len(words) + 1), chance.randrange(len(words) + 1)
        match chance.randrange(4):
            case 0:
                del words[at : at + chance.randint(1, 3)]
            case 1:
                words[at:at] = [chance.choice(WORDS)]
            case 2:
                words[at:at] = words[other : other + 3]
            case _:
                words[at : at + 1] = [chance.choice(WORDS)]
        words = words or [";"]
    return " ".join(words)


def catalog() -> iw.Catalog:
    """Streams of few rows under the papers' names."""
    at = pa.array([datetime(2006, 11, 5, 9, minute) for minute in range(3)])
    words, numbers = ["a", "b", "a"], [1, 2, 1]
    table = pa.table({
        "itemID": numbers, "item_id": numbers, "user_id": words, "sellerID": words, "buyerID": words, "bidderID": words,
        "price": [1.0, 2.0, 3.0], "start_time": at, "current_time": at, "bid_time": at, "tagid": words,
        "tagtype": ["item", "ap", "item"], "tagtime": at, "ts": at,
    })  # fmt: skip
    names = ("port4445", "port4446", "port4447", "src", "tag_readings")
    made = iw.Catalog(dict.fromkeys(names, table))
    made.run(esl_statements.EXAMPLE_1 + esl_texts.AVG + esl_texts.DECAY_ONLINE_AVG + esl_texts.ITEM_ALARM)
    for name in ("Open", "Close", "Register", "Deregister"):
        made.run(
            f"CREATE STREAM {name}(item_id int, user_id string, price real, ts timestamp) ORDER BY ts SOURCE 'src'"
        )
    made.run(
        "CREATE STREAM tag_readings(tagid string, tagtype string, tagtime timestamp) ORDER BY tagtime SOURCE 'tag_readings'"
    )
    return made


def one(chance: random.Random, known: iw.Catalog) -> str:
    """Read or run one text; what came out."""
    kind = chance.randrange(5)
    text = broken(chance.choice((AGGREGATES, QUERIES, CQL, [*QUERIES, *AGGREGATES], CQL)[kind]), chance)
    try:
        if kind == 0:
            iw.aggregate(text)
        elif kind == 1:
            for tokens in statements(Source(text, "fuzz")):
                read(
                    Source(text[tokens[0].span.start : tokens[-1].span.end]),
                    {"item_alarm"},
                    {"sum", "min"},
                    is_all=True,
                )
        elif kind == 3:
            known.run(text)
        elif kind == 4:
            known.cql(text)
        else:
            source = Source(text, "fuzz")
            parsed(source, take_marks(source, tokens_of(source)).tokens)
    except iw.InWindowError as error:
        return "refused, with its place" if "(line " in str(error) else "refused"
    except Exception as error:
        print(f"\n{type(error).__name__}: {error}\n{text}", flush=True)
        return f"TRACEBACK {type(error).__name__}"
    return "taken"


def main(count: int, seed: int = 0) -> dict[str, int]:
    """Many of them."""
    chance, found, slowest, known = random.Random(seed), dict[str, int](), 0.0, catalog()
    for number in range(count):
        known = catalog() if number % 500 == 0 else known  # what is dropped comes back
        start = time.process_time()
        outcome = one(chance, known)
        slowest = max(slowest, time.process_time() - start)
        found[outcome] = found.get(outcome, 0) + 1
    print(found, f"slowest {slowest:.2f} s of CPU time")
    return found


if __name__ == "__main__":
    sys.exit(any(outcome.startswith("TRACEBACK") for outcome in main(int(sys.argv[1]), int((*sys.argv, 0)[2]))))
