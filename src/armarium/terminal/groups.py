"""Groups of commands: whole sentences in their help, names of before, and proposals for what was misspelt."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NoReturn

import typer
from typer._click.exceptions import BadParameter, MissingParameter, NoSuchOption, UsageError
from typer._click.shell_completion import CompletionItem
from typer.core import TyperGroup

from armarium.core.spelling import close, proposed

LONG = 10_000  # letters: no first sentence of a help text is cut
PLACE = {verb: place for place, verb in enumerate(("list", "show", "add", "edit", "remove"))}


class CommandGroup(TyperGroup):
    """Commands that belong together: `list`, `show`, `add`, `edit`, `remove` and the verbs of their kind."""

    #: What commands were called before, and what they are called now; several words lead into another group.
    old_names: ClassVar[Mapping[str, str]] = {}
    #: The command that is meant if something else than the name of one stands there.
    usual: ClassVar[str] = ""

    def summaries(self, ctx: Any) -> Iterable[tuple[str, str]]:
        """Each command that is shown, with the first sentence of its help."""
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                yield name, command.get_short_help_str(LONG)

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs that every group has come first, in the same order everywhere."""
        return sorted(super().list_commands(ctx), key=lambda name: PLACE.get(name, len(PLACE)))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        if rows := list(self.summaries(ctx)):
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=text)
            for name, text in self.summaries(ctx)
            if name.startswith(incomplete)
        ]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if self.usual and not (args and self._names_a_command(ctx, args[0])):
            args = [self.usual, *args]
        return super().parse_args(ctx, args)

    def _names_a_command(self, ctx: Any, word: str) -> bool:
        known = (*self.list_commands(ctx), *self.old_names)
        return word in (*known, *ctx.help_option_names) or bool(close(word, known))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if self.get_command(ctx, word) is None and word in self.old_names:
            args = [*self.old_names[word].split(), *args[1:]]
        found = self.get_command(ctx, args[0])
        if found is not None or ctx.resilient_parsing:
            return (args[0] if found else None), found, args[1:]
        if word.startswith("-"):
            self.parse_args(ctx, args)  # says which options there are
        text = f"There is no command “{word}” here."
        raise UsageError(f"{text}{proposed(word, (name for name, _ in self.summaries(ctx)))}", ctx=ctx)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            explain(error)


def group(text: str, *, old_names: Mapping[str, str] | None = None, usual: str = "") -> typer.Typer:
    """A group of commands with this help."""
    kind = type("Group", (CommandGroup,), {"old_names": old_names or {}, "usual": usual})
    return typer.Typer(cls=kind, no_args_is_help=True, rich_markup_mode=None, help=text)


# What was misspelt ----------------------------------------------------------------------------------


def explain(error: UsageError) -> NoReturn:
    """The same error in words for people: what is wrong, where, and what may be given."""
    if isinstance(error, NoSuchOption):
        text = f"There is no option {error.option_name} here."
        near = proposed(error.option_name, error.possibilities or ())
        raise UsageError(text + near.replace("“", "").replace("”", ""), ctx=error.ctx) from error
    if isinstance(error, MissingParameter) and error.param is not None and not error.message:
        raise UsageError(_missing(error.param), ctx=error.ctx) from error
    if isinstance(error, BadParameter) and not isinstance(error, MissingParameter):
        text = _wrong_value(error) if error.param or error.param_hint else error.message
        if text:
            raise UsageError(text, ctx=error.ctx) from error
    raise error


#: What pydantic calls it, by which typer reads what was typed, and what people read.
WRONG = {
    "int_parsing": "“{input}” is not a whole number",
    "int_from_float": "“{input}” is not a whole number",
    "int_type": "“{input}” is not a whole number",
    "int_parsing_size": "“{input}” is too large",
    "float_parsing": "“{input}” is not a number",
    "greater_than_equal": "{input} is too small; the smallest is {ge}",
    "greater_than": "{input} is too small; it must be more than {gt}",
    "less_than_equal": "{input} is too large; the largest is {le}",
    "less_than": "{input} is too large; it must be less than {lt}",
    "bool_parsing": "“{input}” is neither yes nor no",
}


def _wrong_value(error: BadParameter) -> str:
    """Empty: what the error says is a sentence of ours."""
    problems = getattr(error.__cause__, "errors", None)
    if error.param is None or problems is None:
        return ""
    first = problems()[0]
    name, typed = _called(error.param), first["input"]
    if choices := error.param.type_descriptor.choices:
        known = [str(getattr(one, "value", one)) for one in choices]
        return f"{name}: there is no “{typed}”.{proposed(str(typed), known)} Allowed: {', '.join(known)}."
    if error.param.type_descriptor.is_datetime:
        return f"{name}: “{typed}” is not a date. Write it as 2026-12-31."
    if first["type"] in WRONG:
        return f"{name}: {WRONG[first['type']].format(input=typed, **first.get('ctx', {}))}."
    return f"{name}: “{typed}” cannot be used. {str(first['msg']).removeprefix('Value error, ')}."


def _missing(param: Any) -> str:
    allowed = [str(getattr(one, "value", one)) for one in param.type_descriptor.choices or ()]
    words = (f"{_called(param)} is missing.", param.help or "", f"Allowed: {', '.join(allowed)}.")
    return " ".join(word for word in words[: 3 if allowed else 2] if word)


def _called(param: Any) -> str:
    """As people type it: `--state`, or the name of an argument."""
    if param.param_type_name == "option":
        return str(param.opts[0])
    return str(param.display_name_raw).upper()
