"""Run the notebook, cell by cell, without Jupyter: python -m tests.notebook writes what its cells print and draw into it.

The cells are plain Python, so they need no kernel; a test runs them too, and holds what they print against what is stored.
"""

import base64
import contextlib
import io
import json
from pathlib import Path

import matplotlib as mpl

NOTEBOOK = Path(__file__).parent.parent / "examples" / "from_gym_make_to_a_solved_cube.ipynb"


def run(notebook):
    """What each code cell prints, and the pictures it shows, as [(text, [png bytes])]."""
    mpl.use("Agg")
    from matplotlib import pyplot

    names, found = {"__name__": "__main__"}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        pictures, printed = [], io.StringIO()

        def show(kept=pictures):
            for number in pyplot.get_fignums():
                file = io.BytesIO()
                pyplot.figure(number).savefig(file, format="png", dpi=70, bbox_inches="tight")
                kept.append(file.getvalue())
            pyplot.close("all")

        pyplot.show = show
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), "cell", "exec"), names)
        found.append((printed.getvalue(), pictures))
    return found


def stored(cell):
    """What a code cell is said to have printed, and how many pictures it shows."""
    texts = ["".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream"]
    return "".join(texts), sum(output["output_type"] == "display_data" for output in cell["outputs"])


def outputs(text, pictures):
    """The same as a notebook stores it."""
    lines = [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}] if text else []
    drawn = [{"image/png": base64.b64encode(png).decode()} for png in pictures]
    return lines + [{"output_type": "display_data", "metadata": {}, "data": each} for each in drawn]


def main():
    notebook = json.loads(NOTEBOOK.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, made) in enumerate(zip(code, run(notebook), strict=True), 1):
        cell["outputs"], cell["execution_count"] = outputs(*made), number
    NOTEBOOK.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
