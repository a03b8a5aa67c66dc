"""Canaille, a provider of OpenID Connect, with one person in one group: a program that a test starts.

It prints its port and then reads the address to which it may send browsers back. It is not imported: it lives
in the folder of peers, which has versions of its own.
"""

import os
import socket
import sys
from typing import Any

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "true"  # the loopback of a test

from canaille import create_app
from canaille.app import models
from joserfc import jwk
from werkzeug.serving import make_server

from armarium.core import clock

CLIENT, SECRET = "armarium", "SecretOfArmariumAtCanaille"


def configuration(port: int) -> dict[str, object]:
    key = jwk.generate_key("RSA", 2048)
    key.ensure_kid()
    everybody = {"READ": ["user_name", "groups"], "PERMISSIONS": ["edit_self", "use_oidc"], "WRITE": []}
    return {
        "SECRET_KEY": "only for a test",
        "SERVER_NAME": f"localhost:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "TRUSTED_HOSTS": ["localhost"],
        "CANAILLE": {
            "DATABASE": "memory",
            "JAVASCRIPT": False,
            "TIMEZONE": "UTC",
            "ACL": {"DEFAULT": everybody},
        },
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
    }


def furnish(app: Any, back: str) -> None:
    with app.backend.session():
        anna = models.User(
            user_name="anna",
            formatted_name="Anna Maier",
            family_name="Maier",
            emails=["anna@example.org"],
            password="a secret at canaille",
        )
        app.backend.save(anna)
        app.backend.save(models.Group(display_name="curators", members=[anna]))
        client = models.Client(
            client_id=CLIENT,
            client_name="Armarium",
            redirect_uris=[back],
            client_id_issued_at=clock.now(),
            client_secret=SECRET,
            grant_types=["authorization_code"],
            response_types=["code"],
            scope=["openid", "profile", "email", "groups"],
            token_endpoint_auth_method="client_secret_basic",
        )
        app.backend.save(client)
        client.audience = [client]
        app.backend.save(client)


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    app = create_app(configuration(listening.getsockname()[1]))
    tell(str(listening.getsockname()[1]))
    furnish(app, sys.stdin.readline().strip())
    tell("ready")
    make_server("127.0.0.1", 0, app, threaded=True, fd=listening.fileno()).serve_forever()


main()
