"""A script: many statements, one after the other."""

from inwindow.language.esl.definition import begins_definition
from inwindow.language.text import Source, Token, Tokens, depths, tokens_of


def statements(source: Source) -> list[Tokens]:
    """The statements of a script: each ends with a semicolon, or with the closing brace of an aggregate.

    >>> text = "CREATE AGGREGATE a(x Int) : Int { ITERATE: { ; } } SELECT 1; CREATE STREAM s(t int) ORDER BY t; SOURCE 'p';"
    >>> [statement[0].text + " " + statement[1].text for statement in statements(Source(text))]
    ['CREATE AGGREGATE', 'SELECT 1', 'CREATE STREAM']
    """
    found: list[list[Token]] = [[]]
    tokens = tokens_of(source)
    for token, depth in zip(tokens, depths(tokens), strict=True):
        if token.kind == "SEMICOLON" and depth <= 0:
            found.append([])
            continue
        found[-1].append(token)
        if token.kind == "R_BRACE" and depth <= 0 and begins_definition(found[-1]):
            found.append([])
    whole: list[Tokens] = []
    for statement in filter(None, found):
        if statement[0].says("SOURCE") and whole and whole[-1][0].says("CREATE"):
            whole[-1] = [*whole[-1], *statement]  # the paper has a semicolon before SOURCE
        else:
            whole.append(statement)
    return whole
