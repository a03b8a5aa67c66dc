"""A provider of OpenID Connect that keeps to the standard, but for the lies that it is told to tell."""

import base64
import hashlib
import hmac
import json
import secrets
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote_plus, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

CLIENT, SECRET = "armarium of the library", "a secret: with % and +"


@dataclass
class Person:
    sub: str = "0815"
    name: str = "anna"
    groups: tuple[str, ...] = ("curators",)


@dataclass
class Forger:
    """What the provider says. A test changes it to let it lie."""

    issuer: str = ""
    person: Person = field(default_factory=Person)
    key: RSAKey | ECKey = field(default_factory=lambda: new_key("first"))
    published: list[dict[str, Any]] | None = None  # None: the key with which it signs
    claims: dict[str, Any] = field(default_factory=dict)  # instead of the true ones; None: left out
    description: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, str] = field(default_factory=dict)  # what a browser brings back, beside code and state
    forged: str = (
        ""  # none, hmac, garbage, other_key, foreign_algorithm, missing: what is wrong with the token
    )
    in_userinfo: bool = False  # name and groups are told there, and not in the token
    userinfo_sub: str = ""
    status: int = 200  # of the token endpoint
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def described(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorise?tenant=1",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "userinfo_endpoint": f"{self.issuer}/userinfo",
            **self.description,
        }

    def keys(self) -> list[dict[str, Any]]:
        shared = {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"}
        odd = [{"kty": "RSA", "kid": "broken", "n": "?", "e": 5}, shared, "no key"]
        return self.published if self.published is not None else [*odd, self.key.as_dict(private=False)]  # type: ignore[list-item]

    def authorised(self, asked: dict[str, str]) -> str:
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        joint = {"code": code, "state": asked["state"], **self.answer}
        return f"{asked['redirect_uri']}?{urlencode({k: v for k, v in joint.items() if v})}"

    def redeemed(self, form: dict[str, str]) -> dict[str, Any] | None:
        asked = self.codes.pop(form["code"], None)  # a code is good once
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked is None or challenge != asked["code_challenge"]:
            return None
        if form["redirect_uri"] != asked["redirect_uri"]:
            return None
        tokens = {"access_token": "opens userinfo", "token_type": "Bearer"}
        return tokens if self.forged == "missing" else {**tokens, "id_token": self.token(asked["nonce"])}

    def token(self, nonce: str) -> str:
        now = int(time.time())
        true = {"iss": self.issuer, "sub": self.person.sub, "aud": CLIENT, "exp": now + 300, "iat": now}
        told = {**true, "nonce": nonce, **({} if self.in_userinfo else self.profile()), **self.claims}
        claims = {name: value for name, value in told.items() if value is not None}
        if self.forged == "none":
            head, body = (_coded(json.dumps(part).encode()) for part in ({"alg": "none"}, claims))
            return f"{head}.{body}."
        if self.forged == "hmac":  # the public key taken for a shared secret
            parts = ({"alg": "HS256", "kid": self.key.kid}, claims)
            signed = ".".join(_coded(json.dumps(part).encode()) for part in parts)
            proof = hmac.digest(self.key.as_pem(private=False), signed.encode(), "sha256")
            return f"{signed}.{_coded(proof)}"
        if self.forged == "garbage":
            return "no.token.at.all"
        signing = new_key(str(self.key.kid)) if self.forged == "other_key" else self.key
        algorithm = "PS256" if self.forged == "foreign_algorithm" else str(self.key.alg)
        if self.forged == "foreign_algorithm":
            signing = RSAKey.import_key(
                {k: v for k, v in self.key.as_dict(private=True).items() if k != "alg"}
            )
        return jwt.encode({"alg": algorithm, "kid": signing.kid}, claims, signing, algorithms=[algorithm])

    def profile(self) -> dict[str, Any]:
        who = self.person
        return {
            "preferred_username": who.name,
            "name": who.name.title(),
            "email": f"{who.name}@example.org",
            "groups": list(who.groups),
        }

    def userinfo(self) -> dict[str, Any]:
        return {"sub": self.userinfo_sub or self.person.sub, **self.profile()}


def new_key(kid: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": kid, "alg": "RS256", "use": "sig"})


def _coded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _handler(forger: Forger) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path)
            forger.asked.append(path.path)
            if path.path == "/authorise":
                self.send_response(303)
                self.send_header("Location", forger.authorised(dict(parse_qsl(path.query))))
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif path.path == "/userinfo":
                good = self.headers["Authorization"] == "Bearer opens userinfo"
                self._say(200 if good else 401, forger.userinfo() if good else {})
            else:
                pages = {
                    "/.well-known/openid-configuration": forger.described(),
                    "/keys": {"keys": forger.keys()},
                }
                self._say(200 if path.path in pages else 404, pages.get(path.path, {}))

        def do_POST(self) -> None:
            forger.asked.append(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            tokens = forger.redeemed(form) if self._is_client() else None
            status = forger.status if tokens else 400
            self._say(status, tokens or {"error": "invalid_grant"})

        def _is_client(self) -> bool:
            kind, _, pair = self.headers.get("Authorization", "").partition(" ")
            name, _, secret = base64.b64decode(pair).decode().partition(":")
            return kind == "Basic" and (unquote_plus(name), unquote_plus(secret)) == (CLIENT, SECRET)

        def _say(self, status: int, told: dict[str, Any]) -> None:
            body = json.dumps(told).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Be silent: pytest shows enough."""

    return Handler


@contextmanager
def running_forger(context: ssl.SSLContext | None = None) -> Iterator[Forger]:
    forger = Forger()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(forger)) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https" if context else "http"
        forger.issuer = f"{scheme}://localhost:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield forger
        finally:
            server.shutdown()
            thread.join(60)
