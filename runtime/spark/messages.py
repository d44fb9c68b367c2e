"""Parts of Spark's messages: the sentence, and the names in it."""

import re
from typing import Any


def message_of(error: Any) -> str:
    """Spark's message without its plan, and without positions in SQL text that the user did not write."""
    message = str(error).strip().split("\n")[0]
    return re.sub(r"\s*SQLSTATE: \w+|;?\s*\(?line \d+,? pos \d+\)?;?.*$", "", message).strip().rstrip(";.")


def unquoted(name: str) -> str:
    """A name in a message of Spark's: `` `trade`.`price` `` or ``"price"``.

    >>> unquoted("`trade`.`price`"), unquoted('"odd`name"')
    ('trade.price', 'odd`name')
    """
    if name.startswith('"'):
        return name.strip('"')
    return re.sub(r"`((?:[^`]|``)*)`", lambda match: match[1].replace("``", "`"), name)
