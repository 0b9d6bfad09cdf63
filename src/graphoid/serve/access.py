"""Who may talk to the server: whoever has the token, from a page of the server itself.

The server listens on 127.0.0.1, which every program and every page in a browser of this machine can reach. So

- every request needs a secret. The address that is printed has the token; the script of the page keeps it for
  its own origin, and sends it as a header, which no other page can. The page itself, which has no data in it,
  is also given for a cookie, so that it can be loaded again; cookies are shared with other ports, and this
  one opens nothing else.
- the ``Host`` must be this machine by number or as localhost: a foreign name that was made to point here
  (DNS rebinding) is refused.
- an ``Origin`` must be that of the server: pages of others are refused, whatever they know.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from graphoid.errors import GraphoidError

if TYPE_CHECKING:
    from email.message import Message

TOKEN = "X-Graphoid-Token"  # noqa: S105 - the name of a header
"""The header that has the token."""

N_BYTES = 32
"""Of a secret: nobody guesses 256 bits."""


class Refused(GraphoidError):  # noqa: N818 - reads as what it says
    """A request that is not answered: a status of HTTP, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Access:
    """The secrets of a server, and its port, by which requests are let in."""

    def __init__(self, port: int) -> None:
        self.token = secrets.token_urlsafe(N_BYTES)
        self._cookie = secrets.token_urlsafe(N_BYTES)
        self._name = f"graphoid-{port}"
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.address = f"http://127.0.0.1:{port}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """What a browser is given with the page: no script sees it, and pages of others never send it."""
        return f"{self._name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def check_source(self, headers: Message) -> None:
        """Refuse a request that was meant for another host, or that a page of another origin makes."""
        hosts = headers.get_all("Host") or []
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            raise Refused(403, "this server answers to 127.0.0.1 and localhost alone.")
        for origin in headers.get_all("Origin") or []:
            if origin.lower().removeprefix("http://") not in self._hosts:
                raise Refused(403, "pages of other origins may not use this server.")

    def check_page(self, headers: Message, said: str | None) -> None:
        """Refuse the page to those who have neither the token, as said in the address, nor the cookie."""
        if said is not None and matches(said, self.token):
            return
        try:
            cookies = SimpleCookie("; ".join(headers.get_all("Cookie") or []))
        except CookieError:
            cookies = SimpleCookie()
        found = cookies.get(self._name)
        if found is None or not matches(found.value, self._cookie):
            raise Refused(403, "open the address that graphoid serve printed: it has the token.")

    def check_token(self, headers: Message) -> None:
        """Refuse a request without the token, or that the browser says comes from elsewhere."""
        if not matches(headers.get(TOKEN, ""), self.token):
            raise Refused(403, "open the address that graphoid serve printed: it has the token.")
        if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "pages of other origins may not use this server.")


def matches(said: str, secret: str) -> bool:
    """Return whether a secret was said, in a time that tells nothing about it."""
    return hmac.compare_digest(said.encode("utf-8", "replace"), secret.encode())
