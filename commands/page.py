"""A page of HTML that stands alone: no script, no font, no picture from elsewhere; light or dark as the reader has it."""

from html import escape

_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--card:#f6f8fa;--ink:#1f2328;--soft:#59636e;--line:#d0d7de;
--main:#0550ae;--area:#b6d5fb;--dot:#8c959f;--mark:#bc4c00}
@media(prefers-color-scheme:dark){:root{--ground:#0d1117;--card:#151b23;--ink:#f0f6fc;--soft:#9198a1;--line:#3d444d;
--main:#58a6ff;--area:#1b4480;--dot:#6e7681;--mark:#ffa657}}
body{margin:0 auto;padding:1.5rem;max-width:54rem;background:var(--ground);color:var(--ink);
font:16px/1.5 system-ui,'DejaVu Sans',sans-serif}
h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:0 0 .5rem}p{margin:.4rem 0}
code,pre{font:13px/1.45 ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace}
pre{overflow-x:auto;margin:.4rem 0}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1rem 1.2rem;margin:1.2rem 0}
table{border-collapse:collapse;margin:.4rem 0}td,th{padding:.1rem 1rem .1rem 0;text-align:left;vertical-align:top}
th{font-weight:600;color:var(--soft);white-space:nowrap}td.number{text-align:right}
.soft{color:var(--soft)}summary{cursor:pointer;color:var(--main)}svg{max-width:100%;height:auto}
""".strip()


def page(title: str, body: str, style: str = "") -> str:
    """The whole page.

    >>> page("A & B", "<p>so</p>").splitlines()[3]
    '<title>A &amp; B</title>'
    """
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n{body}\n</html>\n"
    )
