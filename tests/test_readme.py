"""What the documents say works: Python runs, commands run or are at least understood, links lead somewhere."""

import re
import shlex
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import pytest

import agents
from results import records
from rubiks_gym import files, zoo
from rubiks_gym.exact import bench
from tests import commands

ROOT = Path(__file__).parent.parent
ROOMS = ("agents", "docs", "examples", "results", "rubiks_gym", "train", "zoo")
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]  # CHANGELOG.md tells of names that are gone
DOCUMENTS += sorted(
    file for room in ROOMS for file in (ROOT / room).rglob("*.md") if not {"generated", "_build"} & set(file.parts)
)
FAST = ("rubiks-gym", "python -m rubiks_gym", "python -m train.tabular", "python -m train.evaluate")
FAST += ("python -m train.many tabular", "python -m train.many davi --preset hanoi", "python -m results.campaign")
FAST += ("python -m train.td_ntuple --preset hanoi", "python -m train.davi --preset hanoi-4-3 --config.iterations")
FAST += ("python -m train.general_ntuple --puzzle permutation-examples/ivy.gap",)
TRAINS = ("train.davi", "train.tabular", "train.td_ntuple", "train.general_ntuple")


# What needs a cluster, goes on for ever or belongs to a fresh clone: some of its words, and where the like of it is run.
ELSEWHERE = {
    "make setup": (".ci/run", "make lint"),
    "make lint": (".ci/run", "make lint"),
    "make test": (".ci/run", "make test"),
    "make demo": ("tests/test_packaging.py", '"demo.py --walk-batches'),
    "make play": ("tests/page_pictures.py", '"play", "--no-open"'),
    "rubiks-gym play": ("tests/test_packaging.py", "def test_installed_from_the_wheel_the_page_is_served"),
    "pip install": ("tests/test_packaging.py", "def fresh("),
    "torchrun": ("tests/test_several_machines.py", '"torch.distributed.run"'),
    "ray start": ("tests/campaign_hosts.py", '"start"'),
    "python -m results.campaign --ray": ("tests/test_campaign.py", '"results.campaign", *words, "--ray", "local"'),
    "python -m train.many --ray": ("tests/test_campaign.py", '"train.many", *words, "--ray", "local"'),
    "rubiks-gym solve --optimal": ("tests/test_cli.py", 'rubiks("solve", "--optimal"'),
    "python -m train.zoo": ("tests/test_zoo.py", '"train.zoo"'),
    "python -m results --measure": ("tests/test_results.py", "def test_measuring_refuses"),
    "python -m results": ("tests/test_results.py", "def test_the_documents_say_what_the_records_say"),
    "python -m results.dashboard": ("tests/test_wandb.py", "results.dashboard"),
    "python -m wandb": ("tests/test_wandb.py", "sweep"),
}


def names(files):
    return [file.relative_to(ROOT).as_posix() for file in files]


def sentences(file):
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", file.read_text(), flags=re.DOTALL | re.MULTILINE)


def blocks(file, language):
    return re.findall(rf"^```{language}\n(.*?)^```", file.read_text(), re.DOTALL | re.MULTILINE)


def lines(text):
    """The commands of a shell block, as lists of words, without comments; lines that end with \\ go on."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        while words:
            end = next((i for i, word in enumerate(words) if word.endswith(";")), len(words) - 1)
            yield [word.removesuffix(";") for word in words[: end + 1]]
            words = words[end + 1 :]


def takes_seconds(words, folder):
    """The rule of what is run: the solver, learners on tiny puzzles, evaluations and campaigns of the runs that are there.

    Runs are there if a command before has made them. All the rest takes minutes, goes on for ever, or belongs to a fresh clone.
    """
    told = " ".join(words)
    if any(word in words for word in ("--optimal", "--ray")) or told.startswith("rubiks-gym play"):
        return False
    runs = re.findall(r"(?:campaigns/[\w.-]+/)?runs/\S+", told)
    there = all(any(folder.glob(run)) for run in runs) or any(program in told for program in TRAINS)
    return told.startswith(FAST) and there


def remarks(text):
    """What stands behind the # of each command of a shell block, in the order of `lines`."""
    for line in text.replace("\\\n", " ").splitlines():
        remark = (re.findall(r"\s# (.*)$", line) or [""])[0]
        yield from [remark] * len(list(lines(line)))


def check_told(words, remark):
    """A command that is not run is marked as long with the record that it produced, or a test runs the like of it."""
    told = " ".join(words)
    if remark.startswith("long, record "):
        study, name = re.match(r"long, record (\w+) ([\w-]+)", remark).groups()
        if study == "bench":
            assert bench.known(name), f"{told}: no cubes are recorded in {name}"
            return
        made = [record for record in records.read(records.AUTHORS / f"{study}.jsonl") if records.usable(record)]
        of_run = [record for record in made if f"{record['run']['name']}-s{record['seed']}" == name]
        assert of_run, f"{told}: there is no record of {study} {name}"
        if "--run.folder" in words:
            assert all(settings(words) == settings_of(record) for record in of_run), f"{told} did not make {study} {name}"
    else:
        starts = [start for start in ELSEWHERE if set(start.split()) <= set(words)]
        assert starts, f"{told} is not run: mark it as long, with its record"
        for file, text in (ELSEWHERE[start] for start in starts):
            assert text in (ROOT / file).read_text(), f"{told}: {file} has no {text}"


def settings(words):
    """What a training command trains, whatever it calls the folder."""
    options = {name.removeprefix("--"): value for name, value in pairwise(words) if name.startswith("--")}
    return {"run.seed": "0"} | {name: value for name, value in options.items() if name != "run.folder"}


def settings_of(record):
    """The same of what was recorded."""
    changed = {f"config.{name.replace('_', '-')}": str(value) for name, value in record["run"]["changed"].items()}
    return {"preset": record["run"]["preset"], "run.seed": str(record["seed"]), **changed}


def stand_in(words, folder):
    """In place of the run that a long command makes, an agent of the same learner and puzzle that is trained already."""
    told = dict(pairwise(words))
    if not {"--preset", "--run.folder"} <= set(told) or words[:2] != ["python", "-m"]:
        return
    learner = words[2].removeprefix("train.")
    puzzle, *_ = import_module(f"agents.{learner}.config").PRESETS[told["--preset"]]
    name = f"zoo:{learner}/{puzzle}" if f"{learner}/{puzzle}" in zoo.index() else f"{learner}:{puzzle}"
    if name.startswith("zoo:") or name in agents.PRETRAINED:
        agent = agents.load(name)
        files.save(folder / told["--run.folder"] / "checkpoints" / "1.npz", agents.describe(agent), agent.arrays())


def run(words, folder, **env):
    """Run a command in a folder of its own, where the packages of this checkout are found."""
    start = {"rubiks-gym": ["-m", "rubiks_gym"], "python": []}[words[0]]
    return commands.run(*start, *words[1:], cwd=folder, env={"PYTHONPATH": str(ROOT), "COLUMNS": "1000", **env})


def globbed(words, folder):
    """Words with file names in place of patterns, as the shell hands them on."""
    found = [sorted(map(str, folder.glob(word))) if "*" in word else [word] for word in words]
    return [word for each in found for word in each]


@cache
def help_of(*words):
    done = run([*words, "--help"], ROOT)
    assert done.returncode == 0, f"{' '.join(words)} --help: {done.stderr}"
    return done.stdout


def check_understood(words):
    """A command that is not run: what it names is there, and its help knows every option."""
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), f"no target {words[1]}"
    elif words[0] == "pip":
        extras = set(re.findall(r"^(\w+) = \[", (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
        assert words[1] == "install" and set(re.findall(r"\[(\w+)\]", words[-1])) <= extras
    elif words[0] in ("cd", "export", "git", "ray", "source"):
        assert len(words) > 1
    else:
        if words[0] == "torchrun":
            words = ["python", *words[words.index("-m") :]]
        assert words[0] in ("rubiks-gym", "python"), f"unknown program {words[0]}"
        program = words[:2] if words[0] == "rubiks-gym" else words[:3] if words[1] == "-m" else words[:2]
        told = help_of(*program)
        if program[-1] == "train.many":  # its presets are those of the learner
            told += help_of("python", "-m", f"train.{words[3]}")
        for word in words[len(program) :]:
            if word.startswith("--"):
                assert re.search(rf"{re.escape(word.split('=')[0])}\b", told), f"{' '.join(program)} has no option {word}"
        for option, value in pairwise(words):
            if option in ("--preset", "--search", "--measure") and not value.isupper():  # PRESET stands for any
                assert re.search(rf"(?<![\w-]){re.escape(value)}(?![\w-])", told), f"{option} {value} is not in the help"


@pytest.mark.parametrize("file", DOCUMENTS, ids=names(DOCUMENTS))
def test_python_blocks_run(file, tmp_path):
    parts = blocks(file, "python")
    for block in ["\n".join(parts)] if file.parent.name == "tutorials" else parts:  # a tutorial goes on from block to block
        done = run(["python", "-c", block], tmp_path)
        assert done.returncode == 0, f"{block}\n{done.stderr}"


@pytest.mark.parametrize("file", DOCUMENTS, ids=names(DOCUMENTS))
def test_commands_run_or_are_understood(file, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    env = {}
    for block in blocks(file, "bash"):
        for words, remark in zip(lines(block), remarks(block), strict=True):
            if words[0] == "export":
                env |= dict(word.split("=") for word in words[1:])
            elif takes_seconds(words, tmp_path):
                done = run(globbed(words, tmp_path), tmp_path, **env)
                assert done.returncode == 0, f"{' '.join(words)}\n{done.stderr}"
            else:
                check_understood(words)
                if "zoo" not in file.parts:  # a card is the record of its training itself
                    check_told(words, remark)
                    stand_in(words, tmp_path)


@pytest.mark.parametrize("file", DOCUMENTS, ids=names(DOCUMENTS))
def test_commands_within_sentences_are_understood(file):
    for span in re.findall(r"`((?:python -m|rubiks-gym|make|pip install) [^`]+)`", sentences(file)):
        check_understood([word for word in shlex.split(span) if word != "..."])


@pytest.mark.parametrize("file", DOCUMENTS, ids=names(DOCUMENTS))
def test_links_lead_somewhere(file):
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", sentences(file)):
        assert link.startswith("https://") or (file.parent / link).exists(), f"{file.name} links to {link}"


@pytest.mark.parametrize("file", DOCUMENTS, ids=names(DOCUMENTS))
def test_blocks_say_what_language_they_are_in(file):
    fences = re.findall(r"^```(.*)$", file.read_text(), re.MULTILINE)
    assert set(fences[::2]) <= {"bash", "python", "text"} and not any(fences[1::2])


def test_shell_lines_are_read_as_the_shell_reads_them():
    block = 'python -m a --x 1 \\\n  --y "R U F\'"   # a remark\nmake demo; make test\n'
    assert list(lines(block)) == [["python", "-m", "a", "--x", "1", "--y", "R U F'"], ["make", "demo"], ["make", "test"]]


def test_what_is_not_run_is_marked_with_the_record_that_it_made():
    train = "python -m train.davi --preset 2x2 --run.folder runs/a"
    check_told(train.split(), "long, record davi 2x2-s0; a remark")
    check_told(["make", "demo"], "")
    for wrong, remark in (
        (train, ""),
        (train, "long, not recorded"),
        (train, "long, record davi 9x9-s0"),
        (train, "long, record davi hanoi-10-3-s0"),
        (f"{train} --config.iterations 7", "long, record davi 2x2-s0"),
        (f"{train} --run.seed 1", "long, record davi 2x2-s0"),
        ("rubiks-gym solve --agent runs/c", ""),
        ("python -m results.campaign --agents runs/c", ""),
    ):
        with pytest.raises(AssertionError):
            check_told(wrong.split(), remark)
    block = "make demo; make test  # both\npython -m train.davi \\\n  --preset 2x2  # long, record davi 2x2-s0\nmake lint\n"
    assert list(remarks(block)) == ["both", "both", "long, record davi 2x2-s0", ""]


def test_only_what_takes_seconds_is_run(tmp_path):
    assert takes_seconds(["rubiks-gym", "solve", "--random", "1"], tmp_path)
    assert takes_seconds(["python", "-m", "train.tabular", "--run.folder", "runs/a"], tmp_path)
    train = ["python", "-m", "train.davi", "--preset", "2x2", "--run.folder", "runs/a"]
    assert not takes_seconds(train, tmp_path)
    assert not takes_seconds(["rubiks-gym", "solve", "--agent", "runs/a", "--random", "1"], tmp_path)
    stand_in(train, tmp_path)
    assert takes_seconds(["rubiks-gym", "solve", "--agent", "runs/a", "--random", "1"], tmp_path)


@pytest.mark.parametrize(
    "wrong", [["make", "tea"], ["rubiks-gym", "solve", "--fast"], ["rm", "-r", "."], ["pip", "install", ".[gpu]"],
              ["rubiks-gym", "solve", "--search", "dfs"]],
)  # fmt: skip
def test_what_is_not_there_is_noticed(wrong):
    with pytest.raises(AssertionError):
        check_understood(wrong)
