// Fields for the search of an agent and its options, as the server describes them.

let serial = 0;

/** Elements for an agent: the search, and its options that are set apart from what suits the agent. */
export function optionFields(info, agent) {
  const fields = document.createElement("div");
  fields.className = "fields";
  const search = document.createElement("select");
  search.name = "search";
  search.append(new Option(agent.search ? `what suits it (${agent.search})` : "what suits it", ""));
  search.append(...info.searches.map(({ name, summary }) => Object.assign(new Option(name, name), { title: summary })));
  const about = document.createElement("p");
  about.className = "hint";
  const show = () => {
    const chosen = info.searches.find(({ name }) => name === search.value);
    about.textContent = chosen?.summary ?? "";
    const options = Object.entries({ ...chosen?.options, ...info.common }).filter(([, { type }]) => type !== "numbers");
    fields.replaceChildren(...options.map(([name, option]) => field(name, option)));
  };
  search.addEventListener("change", show);
  const optimal = document.createElement("input");
  optimal.type = "checkbox";
  optimal.name = "optimal";
  const proof = agent.puzzle.startsWith("rubik3x3") ? [labelled("Prove a shortest one (slow)", optimal, "check")] : [];
  show();
  const more = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = "Options";
  more.append(summary, fields);
  return [labelled("Search", search), ...proof, about, more];
}

function field(name, { type, default: usual, help, choices }) {
  let input;
  if (type === "bool" || type === "choice") {
    input = document.createElement("select");
    const values = type === "bool" ? ["true", "false"] : choices;
    input.append(new Option(usual === null || usual === undefined ? "as suits" : `as usual (${usual})`, ""), ...values.map((value) => new Option(value, value)));
  } else {
    input = document.createElement("input");
    input.type = type === "int" || type === "float" ? "number" : "text";
    if (type === "float") input.step = "any";
    input.placeholder = usual ?? "as suits";
  }
  input.dataset.option = name;
  input.dataset.type = type;
  if (help) input.title = help;
  return labelled(name.replaceAll("_", " "), input);
}

function labelled(text, input, className = "") {
  const label = document.createElement("label");
  input.id = `field${++serial}`;
  label.htmlFor = input.id;
  label.className = className;
  const words = document.createElement("span");
  words.textContent = text;
  label.append(...(className === "check" ? [input, words] : [words, input]));
  return label;
}

/** What is set in such fields: {search, options, optimal}. */
export function readOptions(element) {
  const options = {};
  for (const input of element.querySelectorAll("[data-option]")) {
    if (input.value === "") continue;
    const { type, option } = input.dataset;
    options[option] = type === "int" || type === "float" ? Number(input.value) : type === "bool" ? input.value === "true" : input.value;
  }
  const search = element.querySelector("[name=search]")?.value || null;
  return { search, options, optimal: element.querySelector("[name=optimal]")?.checked ?? false };
}
