"""Whether work grows with the length of a text and not with its square, whatever the text is."""

import gc
import random
import time
from collections.abc import Callable, Iterator

LENGTHS = tuple(1 << power for power in range(3, 16))
APART = 16  # of two lengths that are compared
MOST = 3 * APART  # what is linear takes 16 times as long, what is quadratic 256 times
WORTH_A_LOOK = 0.015  # seconds; below, it is the clock that is measured

mixed = 3  # texts put together at random, for each work; ten times as many with `./test --all`


def _words(text: str) -> list[str]:
    return text.split("|")


# Words of the languages, some of them already put together as they once took too long.
CSS = _words(
    r"@import |@import /*(|@import'|/*|*/|*|url(|url('|url( |\75 rl(|'|\'|\"|(|)| |image-set(|src(|,|;|{|a"
    r"|type(|AlphaImageLoader(|src=|@namespace|\41 "
)
JS = _words(
    r"""'|"|`|${|}|{|(|)|[|]|/|/*|//|\|\'|\"|\`|=/[|=/|a|function|class A{};|let |const [|var a=|var a,|top"""
    "|this|location =|;|import|import a |import(|import.meta|export |from '|eval|(0,eval)(|return ("
    r"|async function|.postMessage|<!--|<a src=|url(|http://a.b/c|\u0041|'/a.html'|'/a'+|=>|window|{`${{|([{"
    "|['a.png',|,|new URL('a.js',import.meta.url)|importScripts("
    "|function a(b){|.src=a+|.src=a+'b.js'|.src.replace('a.js',"
)
HTML = _words(
    """<|</|>|<a |</a>|href=|href='|href="|'|"|=|/| |<!--|-->|<!---->|<!|<?|<![CDATA[|]]>|<script>"""
    "|</script>|<!--<script>|<style>|<style>@import /*|<svg>|</svg>|<math>|<g>|<g/>|</x>|<p>|<title>"
    "|<textarea>"
    "|<noscript>|<noscript><noframes>|<iframe srcdoc='|<base href=x>|<meta http-equiv=refresh content='"
    r"""|<link rel=stylesheet |&|&amp|&amp;|&#|style='url(|onclick='|onclick="'\'|srcset='|x=y |<head """
    "|<html |<form action=/a.html>|<!--[if x]>|<font |<annotation-xml |<object archive='"
    "|<param value='//a|<b>"
    "|<a b "
)
XML = _words(
    """<|</|>|<a|<a |<a>|</a>|a='|a="|'|"| |<!--|-->|<![CDATA[|]]>|<?|?>|<?xml-stylesheet |href=|href='"""
    "|<?xml-stylesheet href|<style>|</style>|<svg:style>|style='url(|<!DOCTYPE a [|]>|[|]|&|&amp;|&#|xmlns='"
    "|xmlns:a='|<b:a>|/>|<image href='|<item>|<link>|<entry>|<content type='html'>|&lt;a href=x&gt;|<url>"
    "|<loc>|_'a/b'<p"
)
DASH = _words(
    """<a>|</a>|a='|'|"|<!--|<Representation |</Representation>|<AdaptationSet>|</AdaptationSet>|<BaseURL>"""
    "|<AdaptationSet><Representation |<BaseURL>a/</BaseURL>|<BaseURL>  |media='|bandwidth='1'|bandwidth| |>"
    "|<SegmentTemplate media='$Number$'>|</SegmentTemplate>|<SegmentTimeline>|<S d='1'/>|<Representation/>"
)
HLS = _words(
    '#EXTM3U\n|#|#EXT-X-STREAM-INF:|URI="|"|,|A=|A|\n| |http://a/|\r|{$a}|{$b}/|{$|}|\n#EXT-X-DEFINE:|IMPORT="b"'
    '|NAME="a",VALUE="|\n#EXT-X-DEFINE:NAME="a",VALUE="{$a}{$a}aa"\n{$a}'
)
JSON = _words(r'{"|"|\"|"\"|{|[|]|:|,|\|a|/a.jpg|http://a.b/|1| |f(|/*|*/|//|a.|a["')
PDF = _words(r"/URI|/URI (|/URI(|(|)|\|<|41|/ObjStm|/ObjStm stream |/ObjStmstreamendstream|/URI (\(| ")
LINES = _words("a|\n| |http://a/|User-agent: a|Disallow: /|*|Sitemap: |#|:|\r|-->|.jpg")
FIELD = _words(r'<|>|<a>|;|; rel|; rel=|"|\|,| |=|a|/|url=|5;|.|5|charset|charset="')
SRCSET = _words("a| |,|(|)|1x|,http://|a,| a, (")
ADDRESS = _words(r"a|.|..|/|//|?|#|:|http://| |&|%2e|\|@|[|sid=|jsessionid=|www.|%|callback|=")


def assert_linear(run: Callable[[bytes], object], words: list[str]) -> None:
    """`run` takes time in proportion to the length of texts in which such words stand again and again."""
    collecting = gc.isenabled()
    gc.disable()  # it would go through everything that the tests before have left
    try:
        for chosen in _chosen(words):
            _compared(run, chosen, _again_and_again)
            if len(chosen) > 1:
                _compared(run, chosen, _one_behind_the_other)
    finally:
        if collecting:
            gc.enable()


def _chosen(words: list[str]) -> Iterator[tuple[str, ...]]:
    """Each word by itself, and words put together at random, the same ones each time."""
    yield from ((word,) for word in words)
    chance = random.Random(0)
    for _ in range(mixed):
        yield tuple(chance.choices(words, k=chance.randint(2, 4)))


Shape = Callable[[tuple[str, ...], int], str]


def _again_and_again(words: tuple[str, ...], length: int) -> str:
    text = "".join(words)
    return text * (length // len(text) + 1)


def _one_behind_the_other(words: tuple[str, ...], length: int) -> str:
    return "".join(word * (length // len(words) // len(word) + 1) for word in words)


def _compared(run: Callable[[bytes], object], words: tuple[str, ...], shape: Shape) -> None:
    """Beginning with few, so that what is worse than quadratic is found out, too, and not waited for."""

    def seconds(length: int) -> float:
        text = shape(words, length).encode()
        began = time.thread_time()
        run(text)
        return time.thread_time() - began

    taken: dict[int, float] = {}
    for length in LENGTHS:
        now = taken[length] = seconds(length)
        before = taken.get(length // APART, 0.0)
        if now > max(WORTH_A_LOOK, MOST * before) and length > APART * LENGTHS[0]:
            # Somebody else may have had the processor's caches: the best of three.
            now = min(now, seconds(length), seconds(length))
            before = max(before, seconds(length // APART))
            # What grows up to a bound, and behind it with the length only, is told by the longest texts.
            quarter = max(taken[length // 4], seconds(length // 4))
            if now <= MOST * quarter / 4:
                continue
            assert now <= max(WORTH_A_LOOK, MOST * before), (
                f"{words} ({shape.__name__}) takes {before:.4f} s, and {now / before:.0f} times that for a "
                f"text {APART} times as long, of {length} characters"
            )
