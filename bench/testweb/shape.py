"""How big the parts of a site are, and how its addresses look: all of it follows from the parameters."""

import math
from collections import defaultdict
from random import Random

from bench.testweb.model import LIST_LENGTH, OUTSIDE_HOSTS, SHARED_FILES
from bench.testweb.web import Web
from bench.testweb.words import pick

Hung = defaultdict[int, list[tuple[str, str, str]]]


class Shape:
    def __init__(self, web: Web, host: int) -> None:
        self.web = web
        self.host = host
        self.origin = web.origin(host)
        chance = web.chance("site", host)
        self.title = web.words.title(chance, 2, 3).title()
        self.charset, self.in_header = _charset(chance.random())
        self.style = int(chance.random() * 3)  # how addresses of articles look
        self.edge = host % 20 == 0
        pages = web.parameters.pages
        self.sections: list[str] = []
        wanted = max(1, min(12, round(math.sqrt(pages) / 3)))
        while len(self.sections) < wanted:
            section = pick(chance, web.words.rare)
            if section not in self.sections:
                self.sections.append(section)
        self.static = ["about.html", "contact.html", "downloads/"] if pages >= 12 else []
        self._count_articles(pages)
        self.articles = [self._article(chance, number) for number in range(self.article_count)]
        self._count_others(pages)
        self.shared = sorted({int(chance.random() * SHARED_FILES) for _ in range(6)})
        self.hung = self._hang_on(chance)

    def _count_articles(self, pages: int) -> None:
        """Articles fill what home, lists and static pages leave; notes make the number exact."""
        fixed, count, articles = 1 + len(self.static), len(self.sections), pages

        def lists(of: int) -> int:
            lengths = (len(range(section, of, count)) for section in range(count))
            return sum(max(1, math.ceil(length / LIST_LENGTH)) + 1 for length in lengths)

        while articles > 0 and fixed + lists(articles) + articles > pages:
            articles -= 1
        self.article_count = articles
        self.notes = pages - fixed - lists(articles) - articles

    def _count_others(self, pages: int) -> None:
        def share(part: int, least: int) -> int:
            return max(least, pages // part)

        self.images = self.article_count * 4 // 5
        self.documents, self.orphans, self.private = share(50, 1), share(50, 1), share(100, 1)
        self.old, self.away, self.chains = share(40, 2), share(40, 2), share(200, 1)
        self.moved, self.missing, self.interfaces = share(200, 1), share(40, 2), share(20, 1)

    def _article(self, chance: Random, number: int) -> str:
        section = self.sections[number % len(self.sections)]
        slug = "-".join(self.web.words.title(chance, 2, 6).split())
        return (
            f"/{section}/{2005 + number % 19}/{number % 12 + 1:02d}/{slug}-{number}.html",
            f"/{section}/{slug}-{number}/",
            f"/article.php?id={number}&cat={section}",
        )[self.style]

    def image_path(self, number: int) -> str:
        return f"/media/{2005 + number % 19}/img-{number:05d}.{'jpg' if number % 3 else 'png'}"

    def missing_path(self, number: int) -> str:
        rare = self.web.words.rare
        return f"/missing/{rare[number * 31 % len(rare)]}-{number}.html"

    def target(self, number: int, salt: int) -> str:
        """An article to lead to."""
        return self.articles[(number * 7919 + salt) % self.article_count] if self.articles else "/"

    def other(self, number: int) -> int:
        """A host that is not this one: another site, or one outside."""
        sites = self.web.sites
        if sites > 1 and number % 4:
            return (self.host + 1 + number * 17 % (sites - 1)) % sites
        return sites + (self.host + number) % OUTSIDE_HOSTS

    def list_pages(self, section: int) -> int:
        articles = len(range(section, self.article_count, len(self.sections)))
        return max(1, math.ceil(articles / LIST_LENGTH))

    def in_sitemaps(self) -> list[str]:
        orphans = [f"/archive/orphan-{number}.html" for number in range(self.orphans)]
        return ["/", *(f"/{section}/" for section in self.sections), *self.articles, *orphans]

    def sitemaps(self) -> int:
        return math.ceil(len(self.in_sitemaps()) / 1000)

    def _hang_on(self, chance: Random) -> Hung:
        """What hangs on which article, so that every URL is linked from somewhere."""
        hung: Hung = defaultdict(list)
        if not self.article_count:
            return hung
        for number in range(self.images):
            on, path = hung[number % self.article_count], self.image_path(number)
            on.append(("img", "html", path))
            if number % 5 == 0:
                on.append(("srcset", "srcset", path.replace(".", "@2x.", 1)))
        bodies = [f"/docs/report-{number}.pdf" for number in range(self.documents)]
        bodies += [f"/private/{number}.html" for number in range(self.private)]
        bodies += [f"/old/{number}" for number in range(self.old)]
        bodies += [f"/go?to={number}" for number in range(self.away)]
        bodies += [f"/r/{number}/1" for number in range(self.chains)]
        bodies += [f"/moved/{number}.html" for number in range(self.moved)]
        bodies += [self.missing_path(number) for number in range(self.missing)]
        things = [("body", "html", href) for href in bodies]
        things += [("js", "js", f"/api/related/{number}.json") for number in range(self.interfaces)]
        for thing in things:
            hung[int(chance.random() * self.article_count)].append(thing)
        return hung


def _charset(share: float) -> tuple[str, bool]:
    """And whether the header says it, or a meta element alone."""
    if share < 0.85:
        return "utf-8", share < 0.70
    return ("iso-8859-1", True) if share < 0.95 else ("windows-1252", False)
