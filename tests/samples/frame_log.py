"""An aggregate of plain hooks whose result is its frame."""


class Log:
    """Remembers the frame and refuses whatever a framework must not do."""

    def initialize(self, *row):
        assert not hasattr(self, "rows"), "initialize on an aggregate that has seen a tuple"
        self.rows = [row]

    def iterate(self, *row):
        self.rows.append(row)

    def expire(self, *row):
        assert len(self.rows) > 1, "the last tuple was inverted"
        assert self.rows.pop(0) == row, "not the oldest"

    def terminate(self):
        return tuple(self.rows)
