// A cube is entered by painting its unfolded sides: choose a colour, click the stickers. With the keyboard: arrows, and a colour's letter.

import { COLOURS, FACES } from "./cube.js";

const UNSET = 6;
const KEYS = "wrgyob";
// Where the sides lie in the net: row and column, in sides.
const PLACE = { U: [0, 1], L: [1, 0], F: [1, 1], R: [1, 2], B: [1, 3], D: [2, 1] };
const NAMES = { U: "up", R: "right", F: "front", D: "down", L: "left", B: "back" };

/** A painter inside an element. onChange(colours, missing) is told of every change; missing counts unpainted stickers. */
export function makePainter(element, cube, colours, onChange) {
  const { size } = cube;
  const perFace = size * size;
  let chosen = 0;
  colours = [...colours];
  element.replaceChildren();

  const palette = document.createElement("div");
  palette.className = "palette";
  palette.setAttribute("role", "radiogroup");
  palette.setAttribute("aria-label", "Colour to paint with");
  const swatches = [...COLOURS, "none"].map((name, colour) => {
    const swatch = document.createElement("button");
    swatch.type = "button";
    swatch.className = `swatch colour${colour}`;
    swatch.setAttribute("role", "radio");
    swatch.setAttribute("aria-label", colour === UNSET ? "no colour" : name);
    swatch.title = colour === UNSET ? "no colour (Delete)" : `${name} (${KEYS[colour].toUpperCase()})`;
    swatch.addEventListener("click", () => choose(colour));
    palette.append(swatch);
    return swatch;
  });

  const net = document.createElement("div");
  net.className = `net net${size}`;
  net.setAttribute("role", "group");
  net.setAttribute("aria-label", "The six sides, unfolded");
  const cells = colours.map((_, number) => {
    const face = FACES[Math.floor(number / perFace)];
    const [row, column] = [Math.floor((number % perFace) / size), number % size];
    const isCentre = size === 3 && number % perFace === 4;
    const cell = document.createElement("button");
    cell.type = "button";
    cell.tabIndex = number === 0 ? 0 : -1;
    cell.style.gridRow = PLACE[face][0] * size + row + 1;
    cell.style.gridColumn = PLACE[face][1] * size + column + 1;
    cell.dataset.at = `${PLACE[face][0] * size + row},${PLACE[face][1] * size + column}`;
    cell.dataset.name = isCentre ? `${NAMES[face]}, centre` : `${NAMES[face]}, row ${row + 1}, column ${column + 1}`;
    cell.dataset.facelet = number;
    if (isCentre) cell.textContent = face;
    cell.addEventListener("click", () => put(number, chosen));
    cell.addEventListener("keydown", (event) => key(event, number));
    net.append(cell);
    return cell;
  });

  const row = document.createElement("div");
  row.className = "row";
  const clear = document.createElement("button");
  clear.type = "button";
  clear.textContent = "Clear all";
  clear.addEventListener("click", () => {
    colours = colours.map((_, i) => (size === 3 && i % perFace === 4 ? Math.floor(i / perFace) : UNSET));
    refresh();
  });
  row.append(clear);
  element.append(palette, net, row);

  function choose(colour) {
    chosen = colour;
    swatches.forEach((swatch, i) => swatch.setAttribute("aria-checked", String(i === colour)));
  }

  function put(number, colour) {
    colours[number] = colour;
    refresh();
  }

  function key(event, number) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const colour = event.key === "Delete" ? UNSET : event.key.length === 1 ? KEYS.indexOf(event.key.toLowerCase()) : -1;
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (colour >= 0) {
      choose(colour === UNSET ? chosen : colour);
      put(number, colour);
    } else if (step) {
      let [r, c] = cells[number].dataset.at.split(",").map(Number);
      for (let i = 0; i < 4 * size; i++) {
        [r, c] = [(r + step[0] + 3 * size) % (3 * size), (c + step[1] + 4 * size) % (4 * size)];
        const next = cells.findIndex((cell) => cell.dataset.at === `${r},${c}`);
        if (next >= 0) {
          cells.forEach((cell, j) => (cell.tabIndex = j === next ? 0 : -1));
          cells[next].focus();
          break;
        }
      }
    } else if (event.key !== " " && event.key !== "Enter") return;
    else put(number, chosen);
    event.preventDefault();
    event.stopPropagation();
  }

  function refresh() {
    show();
    onChange(colours, colours.filter((colour) => colour === UNSET).length);
  }

  function show() {
    cells.forEach((cell, i) => {
      cell.className = `facelet colour${colours[i]}`;
      cell.setAttribute("aria-label", `${cell.dataset.name}: ${COLOURS[colours[i]] ?? "no colour"}`);
    });
  }

  choose(0);
  show();
  return {
    set(next) {
      colours = [...next];
      show();
    },
  };
}
