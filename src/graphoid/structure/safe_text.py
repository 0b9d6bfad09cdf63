"""Text from elsewhere, made safe for where it goes: a terminal, a spreadsheet, a message."""

from __future__ import annotations

import re

_STEERING = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters but for tabs and ends of lines, which CSV can quote."""

_FORMULA = re.compile("'*[=+\\-@\t\r]")
"""How a cell begins that a spreadsheet would take for a formula, or one that was kept from it."""

# What may be long is bounded: the text may be anything, and a search must not go over it time and again.
_KEY = (
    r"(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"account[_-]?key|credentials?|signature|authorization)[\w-]{0,40}[\"']?\s{0,9}[=:]|"
    r"\b(?:user(?:name)?|uid|sig)\s{0,9}="
)
_VALUE = (
    r"(?:(?:basic|bearer)\s{1,9})?(?:'[^']{0,999}'|\"[^\"]{0,999}\"|\{[^}]{0,999}\}|"
    r"[^;\n]{1,999}?(?=;\s{0,9}[\w ]{1,40}=)|[^\s&;,)]+)"
)

_SECRETS = (
    (re.compile(r"(?<=:/)(/?)(?:[^\s@:/]{0,99}:[^@]{0,999}|[^\s@]{0,999})@(?:\S{0,999}@)?"), r"\1***@"),
    (re.compile(rf"(?i)({_KEY})(\s{{0,9}}){_VALUE}"), r"\1\2***"),
    (re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]+"), r"\1***"),
    (re.compile(r"(?i)(?<=user )\"[^\"]*\""), "***"),
)


def printable(text: str) -> str:
    r"""Return text that cannot disturb a terminal: characters that steer it are written out.

    >>> printable("\x1b[31mred\n")
    '\\x1b[31mred\\n'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _spell_out(c) for c in text)


def csv_cell(text: str) -> str:
    r"""Return text as a cell of a CSV file: no spreadsheet takes it for a formula, no terminal for an order.

    An apostrophe is put before what looks like a formula; numbers are left as they are.

    >>> csv_cell("=HYPERLINK(0)"), csv_cell("-1.5"), csv_cell("\x1b[31mred")
    ("'=HYPERLINK(0)", '-1.5', '\\x1b[31mred')
    """
    plain = _STEERING.sub(lambda c: _spell_out(c[0]), text)
    return f"'{plain}" if _FORMULA.match(plain) and not _is_number(plain) else plain


def from_csv_cell(cell: str) -> str:
    """Return the text that :func:`csv_cell` put an apostrophe before.

    >>> from_csv_cell("'=x"), from_csv_cell("'tis"), from_csv_cell(csv_cell("'=x"))
    ('=x', "'tis", "'=x")
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def scrub(text: str) -> str:
    """Return text without the credentials in it.

    >>> scrub("cannot connect to postgresql://me:secret@db/x with password=secret")
    'cannot connect to postgresql://***@db/x with password=***'
    """
    for secret, shown in _SECRETS:
        text = secret.sub(shown, text)
    return text


def _spell_out(character: str) -> str:
    return character.encode("unicode_escape", "backslashreplace").decode()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return text.strip() == text
