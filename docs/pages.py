"""The pages that are made, not written, into docs/generated: environments, algorithms, searches, the package's modules.

Environments come from the registry `PUZZLES`, algorithms from the folders of `agents` with a README, searches from `SEARCHES`,
modules from their docstrings. What is added to one of these lists has its page.
"""

import ast
import importlib
import inspect
import os
import re
import shutil
from pathlib import Path

import gymnasium as gym
import numpy as np
from PIL import Image

import rubiks_gym
from rubiks_gym import zoo
from rubiks_gym.puzzles import puzzle_from_name
from rubiks_gym.search import SEARCHES, search_options

ROOT = Path(__file__).parent.parent
ROOMS = "puzzles envs scrambles rewards observations exact exact.bench search ntuple zoo text sb3"
MODULES = ["rubiks_gym", *(f"rubiks_gym.{room}" for room in ROOMS.split())]
# Documents that stand elsewhere, by the page that shows them.
DOCUMENTS = {
    "README.md": "readme",
    "CONTRIBUTING.md": "contributing",
    "CHANGELOG.md": "changelog",
    "SECURITY.md": "security",
    "rubiks_gym/search/README.md": "searches/index",
    "rubiks_gym/play/README.md": "play",
    **{
        f"agents/{file.parent.name}/README.md": f"algorithms/{file.parent.name}"
        for file in sorted(ROOT.glob("agents/*/README.md"))
    },
    **{f"zoo/{name}/README.md": f"zoo/{name.replace('/', '-')}" for name in zoo.index() if (zoo.CHECKOUT / name).exists()},
}
SEARCH = """# {name}

{sentence}.

{documented}

## Options

| option | default |
|---|---|
{options}

## Calling it

By name, with any object that has a `puzzle` and `cost_to_go`, `policy` or both:

```python
from rubiks_gym.search import make_search

solve = make_search("{name}", agent)
found = solve(states)  # moves, solved, nodes, seconds
```

On a command line `--search {name}`, with options as `--option name=value`. The function itself is `{function}`.
"""
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#)([^)#\s]+)(#[^)]*)?\)")


def make(docs: Path) -> None:
    """Write all of them anew."""
    folder = docs / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    for kind in ("algorithms", "environments", "searches", "zoo", "api"):
        (folder / kind).mkdir(parents=True)
    for document, page in DOCUMENTS.items():
        text = (ROOT / document).read_text(encoding="utf-8")
        if page == "searches/index":
            text += "\n" + toctree(list(SEARCHES))
        if page.startswith("algorithms/"):
            text = explained(text, (ROOT / document).parent)
        (folder / f"{page}.md").write_text(lead(text, ROOT / document, folder / f"{page}.md", docs))
    (folder / "algorithms" / "index.md").write_text(algorithms())
    cards = [page.partition("/")[2] for page in DOCUMENTS.values() if page.startswith("zoo/")]
    (folder / "zoo" / "index.md").write_text("# Cards of the zoo\n\n" + toctree(cards))
    (folder / "environments" / "index.md").write_text(environments(folder / "environments"))
    for name in SEARCHES:
        (folder / "searches" / f"{name}.md").write_text(search(name))
    (folder / "api" / "index.md").write_text("# Reference\n\nWhat `pip install` installs.\n\n" + toctree(MODULES))
    for name in MODULES:
        (folder / "api" / f"{name}.md").write_text(module(name))


# Links ------------------------------------------------------------------------------------------------------------------


def lead_links(docs: Path, page: str, source: list[str]) -> None:
    """Sphinx has read a page of this folder: lead its links (those of generated pages are led already)."""
    if not page.startswith("generated/"):
        file = docs / f"{page}.md"
        source[0] = lead(source[0], file, file, docs)


def lead(text: str, origin: Path, page: Path, docs: Path) -> str:
    """A document's links, which are relative to its file in the checkout, for a page of the site.

    A document that has a page is linked to it, a picture is shown from where it is; of any other file the place is told.
    """

    def led(match: re.Match) -> str:
        picture, words, target, anchor = match.groups()
        file = (origin.parent / target).resolve()
        if not file.exists():
            return match[0]  # Sphinx will say so
        inside = file.relative_to(ROOT).as_posix()
        if picture:
            return f"![{words}]({os.path.relpath(file, page.parent)})"
        shown = docs / "generated" / f"{DOCUMENTS[inside]}.md" if inside in DOCUMENTS else file
        if inside in DOCUMENTS or (docs in file.parents and file.suffix == ".md"):
            return f"[{words}]({os.path.relpath(shown, page.parent)}{anchor or ''})"
        if file.is_dir() and f"{inside}/README.md" in DOCUMENTS:
            shown = docs / "generated" / f"{DOCUMENTS[f'{inside}/README.md']}.md"
            return f"[{words}]({os.path.relpath(shown, page.parent)})"
        place = f"`{inside}`"
        return place if words.strip("`") in (inside, file.name) else f"{words} ({place})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)  # code stays as it is
    return "".join(part if part.startswith("```") else _LINK.sub(led, part) for part in parts)


def toctree(pages, hidden: bool = False) -> str:
    """A table of contents of pages beside this one; hidden where a table links to them already."""
    return ":::{toctree}\n:maxdepth: 1\n" + ":hidden:\n" * hidden + "\n" + "\n".join(pages) + "\n:::\n"


# Registries -------------------------------------------------------------------------------------------------------------


def algorithms() -> str:
    """The list of algorithms: their pages are their READMEs."""
    names = [page.partition("/")[2] for page in DOCUMENTS.values() if page.startswith("algorithms/")]
    told = (
        "Each page says which paper it builds, how to use it, what differs and why, and what it reaches, with the command "
        "beside every number. The learners are used from a checkout: `agents` and `train` are no part of what pip installs."
    )
    return f"# Algorithms\n\n{told}\n\n{toctree(names)}"


def explained(text: str, agent: Path) -> str:
    """An algorithm's README with the docstrings of its modules before the results: equations, and what differs."""
    told = ["## How it works\n\nAs the modules say it; equations have the paper's letters."]
    for name in ("learner", "nx", "chasenet", "network", "agent"):
        if (file := agent / f"{name}.py").exists():
            told.append(f"### {name}.py\n\n{ast.get_docstring(ast.parse(file.read_text(encoding='utf-8')))}")
    before, mark, after = text.partition("\n## Results\n")
    return "\n\n".join([before.rstrip(), *told, mark.strip() + "\n" + after.lstrip("\n")])


def environments(folder: Path) -> str:
    """The list of environments; writes a page and a picture of each."""
    rows = ["| | id | puzzles | actions | states | time limit |", "|---|---|---|---|---|---|"]
    for entry in rubiks_gym.PUZZLES.values():
        page, puzzle = entry.id.lower(), puzzle_from_name(entry.examples[0])
        (folder / f"{page}.md").write_text(environment(entry, puzzle, folder))
        cells = [f"![{entry.id}]({page}.png){{width=130px}}", f"[{entry.id}]({page}.md)"]
        cells += [", ".join(f"`{name}`" for name in entry.examples[:2]), str(puzzle.n_actions), states_of(puzzle)]
        rows.append(f"| {' | '.join(cells)} | {entry.max_episode_steps} |")
    pages = [entry.id.lower() for entry in rubiks_gym.PUZZLES.values()]
    told = "Actions and states are those of the first puzzle named. Each page is the docstring of the environment.\n\n"
    return "# Environments\n\n" + told + "\n".join(rows) + "\n\n" + toctree(pages, hidden=True)


def states_of(puzzle) -> str:
    """How many states there are, as long as a reader can take the number in."""
    n = puzzle.n_states
    if not n:
        return "not known"
    mantissa, exponent = f"{n:.2e}".split("e+")
    return f"{n:,}" if n < 10**20 else f"{mantissa} * 10<sup>{exponent}</sup>"


def environment(entry, puzzle, folder: Path) -> str:
    """A page from a docstring, with a picture of a scrambled state and the spaces as `gym.make` gives them."""
    env = gym.make(entry.id)
    state = puzzle.walk(np.array([7], np.uint64), np.array([12]))[0]
    picture = f"{entry.id.lower()}.png"
    Image.fromarray(puzzle.image(state)).save(folder / picture)
    own = type(env.unwrapped)
    text = inspect.getdoc(own if own.__name__ != "PuzzleEnv" else type(puzzle)) or ""
    first, _, rest = text.partition("\n")
    facts = [
        ("action space", f"`{env.action_space}`"),
        ("observation space", f"`{env.observation_space}`"),
        ("states", states_of(puzzle)),
        ("make", f'`gym.make("{entry.id}")`, `gym.make_vec("{entry.id}", num_envs=1024)`'),
        ("puzzle", ", ".join(f"`{name}`" for name in entry.examples)),
    ]
    rows = "\n".join(f"| {name} | {value} |" for name, value in facts)
    # A table needs an empty line before it, which docstrings leave out after a sentence.
    rest = re.sub(r"(^[^|\n].*\n)(\|.*\n\|---)", r"\1\n\2", rest, flags=re.MULTILINE)
    return f"# {entry.id}\n\n{first}\n\n![A scrambled state]({picture})\n\n| | |\n|---|---|\n{rows}\n{rest}\n"


def search(name: str) -> str:
    """A page on a search: what it does, its options and their defaults, how to call it."""
    function, _, description = SEARCHES[name]
    options = "\n".join(f"| `{option}` | `{default!r}` |" for option, default in search_options(name).items())
    return SEARCH.format(
        name=name,
        sentence=f"{description[0].upper()}{description[1:]}",
        documented=markdown(inspect.getdoc(function)),
        options=options,
        function=f"{function.__module__}.{function.__name__}",
    )


# Modules ----------------------------------------------------------------------------------------------------------------


def module(name: str) -> str:
    """A page on a module: its docstring, and everything public in it."""
    found = importlib.import_module(name)
    names = getattr(found, "__all__", None) or [
        key for key, value in vars(found).items() if not key.startswith("_") and getattr(value, "__module__", None) == name
    ]
    parts = [f"# {name}\n\n{markdown(inspect.getdoc(found))}\n", f":::{{py:module}} {name}\n:::\n"]
    for key in names:
        value = getattr(found, key)
        if inspect.isclass(value):
            parts.append(documented_class(key, value))
        elif callable(value):
            parts.append(f"::::{{py:function}} {key}{signature(value)}\n\n{markdown(inspect.getdoc(value))}\n::::\n")
    return "\n".join(parts)


def documented_class(key: str, value: type) -> str:
    """A class and its own public methods and properties."""
    members = []
    for name, member in vars(value).items():
        function = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(member, property) and not name.startswith("_") and inspect.getdoc(member):
            members.append(f":::{{py:property}} {name}\n\n{markdown(inspect.getdoc(member))}\n:::\n")
        elif inspect.isfunction(function) and not name.startswith("_") and inspect.getdoc(function):
            skip_first = not isinstance(member, staticmethod)
            head = f"{name}{signature(function, skip_first)}"
            members.append(f":::{{py:method}} {head}\n\n{markdown(inspect.getdoc(function))}\n:::\n")
    return f"::::{{py:class}} {key}{signature(value)}\n\n{markdown(inspect.getdoc(value))}\n\n" + "\n".join(members) + "::::\n"


def signature(of, skip_first: bool = False) -> str:
    """Arguments with their defaults; types are told in words, where the docstring has them."""
    try:
        parameters = list(inspect.signature(of).parameters.values())[skip_first:]
    except (TypeError, ValueError):
        return "()"
    plain = []
    for p in parameters:
        default = p.default if isinstance(p.default, int | float | str | type(None) | tuple) else ...
        p = p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else default)
        plain.append(p)
    return str(inspect.Signature(plain)).replace("Ellipsis", "...")


def markdown(text: str | None) -> str:
    """A docstring as Markdown: lists of arguments become lists."""
    lines, inside = [], False
    for line in (text or "").splitlines():
        if line in ("Args:", "Returns:", "Raises:"):
            inside = True
            lines.append(f"\n**{ {'Args:': 'Arguments', 'Returns:': 'Returns', 'Raises:': 'Raises'}[line] }**\n")
        elif inside and (entry := re.match(r"    (\*{0,2}\w+): (.*)", line)):
            lines.append(f"- `{entry[1]}`: {entry[2]}")
        elif inside and line.startswith("     "):
            lines.append(f"  {line.strip()}")
        else:
            inside = inside and line.startswith(" ")
            lines.append(line)
    return "\n".join(lines)
