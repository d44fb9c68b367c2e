"""Drawn queries with windows in subqueries, WITH, the sides of UNION, conditions and QUALIFY; all give item, ts and q."""

from random import Random

import pyarrow as pa

FRAMES = [
    "", "ROWS 2 PRECEDING", "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING", "RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING",
    "GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES",
]  # fmt: skip


class Drawing:
    """One chance, and the queries that it draws."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.names = 0

    def table(self) -> pa.Table:
        """The table bids."""
        pick = self.chance.choice
        return pa.table(
            {
                "item": [pick("abc") for _ in range(12)],
                "ts": list(range(12)),
                "q": [pick([None, 1, 2, 3, 5]) for _ in range(12)],
            }
        )

    def query(self, depth: int) -> str:
        """A query with at most so many queries in one another."""
        pick, kind = self.chance.choice, self.chance.random()
        if depth and kind < 0.2:
            self.names += 1
            name = f"c{self.names}"
            return f"WITH {name} AS ({self.query(depth - 1)}) {self.select(0, name)}"
        if depth and kind < 0.4:
            joint = pick(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
            return f"{self.select(depth - 1)} {joint} {self.select(depth - 1)}"
        return self.select(depth)

    def select(self, depth: int, table: str = "bids") -> str:
        """One SELECT."""
        pick, chance = self.chance.choice, self.chance.random
        source = f"({self.query(depth - 1)}) s" if depth and chance() < 0.6 else table
        distinct = "DISTINCT " if chance() < 0.1 else ""
        text = f"SELECT {distinct}item, ts, {self.expression()} AS q FROM {source}"
        if chance() < 0.3:
            text += pick(
                [" WHERE ts > 2", " WHERE q IS NOT NULL", f" WHERE ts IN (SELECT ts FROM ({self.query(0)}) z)"]
            )
        if chance() < 0.2:
            text += f" QUALIFY {self.call()} {pick(['> 1', 'IS NULL'])}"
        return text

    def expression(self) -> str:
        """A value of each row."""
        return self.chance.choice(
            [
                self.call(), f"{self.call()} + ts", f"coalesce({self.call()}, 0) * 2", "q", "q + ts", "ts % 3",
                f"CASE WHEN {self.call()} > 3 THEN 1 ELSE q END",
            ]
        )  # fmt: skip

    def call(self) -> str:
        """A call over a window; what it gives does not depend on the order of ties."""
        pick = self.chance.choice
        if self.chance.random() < 0.25:
            rank = ["row_number() OVER (PARTITION BY item ORDER BY ts, q)", "rank() OVER (ORDER BY q NULLS LAST)"]
            return pick(
                [*rank, "lag(q) OVER (ORDER BY ts, item, q)", "lead(q, 2, -1) OVER (ORDER BY ts DESC, item, q)"]
            )
        keys, frame = pick(["", "PARTITION BY item ", "PARTITION BY ts % 2 "]), pick(FRAMES)
        order = pick(["ts", "ts DESC"]) if "RANGE" in frame else pick(["ts, item, q", "ts DESC, item, q"])
        condition = pick(["", " FILTER (WHERE ts > 3)"])
        return f"{pick(['sum', 'min', 'max', 'count', 'avg'])}(q){condition} OVER ({keys}ORDER BY {order} {frame})"
