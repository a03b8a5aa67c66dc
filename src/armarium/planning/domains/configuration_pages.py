"""Pages of what a domain has: seed lists, configurations, and credentials, whose secrets never come out."""

from starlette.responses import Response

from armarium.core.crawl_order import RobotsPolicy
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.domains.model import (
    Configuration,
    CredentialKind,
    Domain,
    NewConfiguration,
    NewCredential,
    SeedList,
)
from armarium.planning.domains.pages import ADDRESS, EDIT, DomainsService
from armarium.planning.domains.rules import (
    Attributes,
    default_seeds,
    foreign_seeds,
    parse_form_fields,
    read_overrides,
    taken_apart,
    written,
)
from armarium.planning.domains.service import Domains
from armarium.planning.parsing import size_of, written_size
from armarium.web.form_values import FormReader
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest
from armarium.web.paging import Number, number_in
from armarium.web.posted import PostedForm
from armarium.web.routes import Router

pages = Router(prefix=f"{ADDRESS}/{{number}}")

ROBOTS_OPTIONS = (
    ("", message("As the profile says")),
    (RobotsPolicy.OBEY.value, message("Obey robots.txt")),
    (RobotsPolicy.IGNORE.value, message("Ignore robots.txt")),
    (RobotsPolicy.IGNORE_FOR_EMBEDS.value, message("Ignore robots.txt for embedded files only")),
)
JAVASCRIPT_OPTIONS = (("", message("As the profile says")), ("yes", message("Yes")), ("no", message("No")))


def whole(form: Form, name: str) -> int | None:
    """A number of a form; empty: none."""
    text = "".join(form.get(name).split())
    if not text:
        return None
    number = number_in(text)
    if number is None:
        raise Refused(message("This must be a whole number, or empty."), field=name)
    return number


# Seed lists -----------------------------------------------------------------------------------------


@pages.get("/seed-lists/new", dependencies=EDIT)
def new_seed_list_page(page: Page, number: Number, domains: DomainsService) -> Response:
    owner = domains.get(number)
    return show_seed_list(page, owner, None, filled(seeds=default_seeds(owner.name)))


@pages.post("/seed-lists/new", dependencies=EDIT)
def add_seed_list(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    name, seeds, comments = form.get("name"), form.get("seeds"), form.get("comments")
    try:
        made = domains.configurations.add_seed_list(page.actor, number, name, seeds, comments=comments)
    except Refused as refusal:
        return show_seed_list(page, domains.get(number), None, form.refuse(refusal))
    text = message("The seed list %(name)s is created.", name=made.name)
    return seeds_done(page, domains.get(number), made, text)


@pages.get("/seed-lists/{which}", dependencies=EDIT)
def seed_list_page(page: Page, number: Number, which: Number, domains: DomainsService) -> Response:
    found = domains.configurations.seed_list(number, which)
    form = filled(name=found.name, seeds=found.seeds, comments=found.comments, seen=found.edition)
    return show_seed_list(page, domains.get(number), found, form)


@pages.post("/seed-lists/{which}", dependencies=EDIT)
def change_seed_list(
    page: Page, number: Number, which: Number, form: PostedForm, domains: DomainsService
) -> Response:
    kept, seen = domains.configurations, number_in(form.get("seen"))
    values = {name: form.get(name) for name in ("name", "seeds", "comments")}
    try:
        saved = kept.change_seed_list(page.actor, number, which, **values, seen=seen)
    except Refused as refusal:
        found = kept.seed_list(number, which)
        return show_seed_list(page, domains.get(number), found, form.refuse(refusal))
    return seeds_done(page, domains.get(number), saved, message("The seed list is saved."))


def seeds_done(page: PageRequest, owner: Domain, saved: SeedList, text: Message) -> Response:
    """Seeds of other domains are allowed, and often a slip: they are named."""
    kind = "good"
    if others := foreign_seeds(saved.seeds, owner.name):
        kind = "warning"
        text = message(
            "The seed list is saved. %(count)s of its seeds belong to other domains than %(name)s; the "
            "first: %(seed)s",
            count=len(others),
            name=owner.name,
            seed=others[0][:200],
        )
    return page.done(f"{ADDRESS}/{owner.id}/configurations", text, kind)


def show_seed_list(page: PageRequest, owner: Domain, found: SeedList | None, form: Form) -> Response:
    return page.show("planning/domains_seed_list.html", form, domain=owner, seed_list=found)


# Configurations -------------------------------------------------------------------------------------


@pages.get("/configurations/new", dependencies=EDIT)
def new_configuration_page(page: Page, number: Number, domains: DomainsService) -> Response:
    lists = domains.configurations.seed_lists(number)
    form = filled(active="yes", seed_lists=[str(one.id) for one in lists[:1]])
    return show_configuration(page, domains, number, None, form)


@pages.post("/configurations/new", dependencies=EDIT)
def add_configuration(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    try:
        made = domains.configurations.add(page.actor, number, settled(form))
    except Refused as refusal:
        refused = form.refuse(refusal, several=["seed_lists"])
        return show_configuration(page, domains, number, None, refused)
    text = message("The configuration %(name)s is created.", name=made.name)
    return page.done(f"{ADDRESS}/{number}/configurations", text)


@pages.get("/configurations/{which}", dependencies=EDIT)
def configuration_page(page: Page, number: Number, which: Number, domains: DomainsService) -> Response:
    found = domains.configurations.get(number, which)
    return show_configuration(page, domains, number, found, form_of(found))


@pages.post("/configurations/{which}", dependencies=EDIT)
def change_configuration(
    page: Page, number: Number, which: Number, form: PostedForm, domains: DomainsService
) -> Response:
    seen = number_in(form.get("seen"))
    try:
        domains.configurations.change(page.actor, number, which, settled(form), seen=seen)
    except Refused as refusal:
        refused = form.refuse(refusal, several=["seed_lists"])
        found = domains.configurations.get(number, which)
        return show_configuration(page, domains, number, found, refused)
    return page.done(f"{ADDRESS}/{number}/configurations", message("The configuration is saved."))


@pages.post("/configurations/{which}/default", dependencies=EDIT)
def make_default(page: Page, number: Number, which: Number, domains: DomainsService) -> Response:
    domains.configurations.make_default(page.actor, number, which)
    return page.done(
        f"{ADDRESS}/{number}/configurations", message("The default configuration has been changed.")
    )


def settled(form: Form) -> NewConfiguration:
    """What the form says, or a refusal of all that is wrong."""
    robots = form.get("robots")
    chosen = tuple(number for one in form.chosen("seed_lists") if (number := number_in(one)) is not None)
    with FormReader(form) as read:
        attributes = Attributes(
            max_hops=read.checked(lambda: whole(form, "max_hops"), None),
            robots=RobotsPolicy(robots) if robots in set(RobotsPolicy) else None,
            javascript={"yes": True, "no": False}.get(form.get("javascript")),
        )
        return NewConfiguration(
            name=form.get("name"),
            profile=whole(form, "profile") or 0,
            seed_lists=chosen,
            max_objects=read.checked(lambda: whole(form, "max_objects"), None),
            max_bytes=read.checked(lambda: size_of(form, "max_bytes"), None),
            overrides=read.checked(lambda: read_overrides(form.get("overrides"), attributes), {}),
            comments=form.get("comments"),
            active=form.ticked("active"),
        )


def form_of(found: Configuration) -> Form:
    attributes, rest = taken_apart(found.overrides)
    scripts = {True: "yes", False: "no", None: ""}[attributes.javascript]
    return filled(
        name=found.name,
        profile=found.profile,
        seed_lists=[str(number) for number in found.seed_lists],
        max_objects="" if found.max_objects is None else str(found.max_objects),
        max_bytes=written_size(found.max_bytes),
        max_hops="" if attributes.max_hops is None else str(attributes.max_hops),
        robots=attributes.robots.value if attributes.robots else "",
        javascript=scripts,
        overrides=written(rest),
        comments=found.comments,
        active="yes" if found.active else None,
        seen=found.edition,
    )


def show_configuration(
    page: PageRequest, domains: Domains, number: int, found: Configuration | None, form: Form
) -> Response:
    profiles = domains.configurations.profiles()
    if found is not None and found.profile not in dict(profiles):
        profiles = [(found.profile, found.profile_name), *profiles]
    lists = domains.configurations.seed_lists(number)
    return page.show(
        "planning/domains_configuration.html",
        form,
        domain=domains.get(number),
        configuration=found,
        profiles=profiles,
        list_options=[(str(one.id), one.name, one.comments) for one in lists],
        robots_options=ROBOTS_OPTIONS,
        javascript_options=JAVASCRIPT_OPTIONS,
    )


# Credentials ----------------------------------------------------------------------------------------

KIND_OPTIONS = (
    (CredentialKind.BASIC.value, message("Basic: the browser asks for name and password")),
    (CredentialKind.DIGEST.value, message("Digest: the same, by another method")),
    (CredentialKind.FORM.value, message("A form on a page")),
)


@pages.get("/credentials/new", dependencies=EDIT)
def new_credential_page(page: Page, number: Number, domains: DomainsService) -> Response:
    return show_credential(page, domains.get(number), filled(kind=CredentialKind.BASIC.value))


@pages.post("/credentials/new", dependencies=EDIT)
def add_credential(page: Page, number: Number, form: PostedForm, domains: DomainsService) -> Response:
    try:
        domains.credentials.add(page.actor, number, credential_of(form))
    except Refused as refusal:
        form.values["fields"] = None  # secrets are not sent back, not even to whoever typed them
        return show_credential(page, domains.get(number), form.refuse(refusal))
    text = message("The credential is stored, encrypted. It cannot be shown again.")
    return page.done(f"{ADDRESS}/{number}/configurations", text)


@pages.post("/credentials/{which}/active", dependencies=EDIT)
def change_credential(
    page: Page, number: Number, which: Number, form: PostedForm, domains: DomainsService
) -> Response:
    domains.credentials.set_active(page.actor, number, which, form.get("active") == "yes")
    return page.done(f"{ADDRESS}/{number}/configurations", message("The credential has been changed."))


def credential_of(form: Form) -> NewCredential:
    kind = form.get("kind")
    if kind not in set(CredentialKind):
        raise Refused(message("Choose how the site asks for the credential."), field="kind")
    return NewCredential(
        kind=CredentialKind(kind),
        realm=form.get("realm").strip(),
        user_name=form.get("user_name").strip(),
        password=form.get("password"),
        login_url=form.get("login_url").strip(),
        fields=parse_form_fields(form.get("fields")) if kind == CredentialKind.FORM else {},
    )


def show_credential(page: PageRequest, owner: Domain, form: Form) -> Response:
    return page.show("planning/domains_credential.html", form, domain=owner, kind_options=KIND_OPTIONS)
