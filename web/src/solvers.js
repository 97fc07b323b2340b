// Who can solve: the solver in the browser, and whatever a server offers. All give {solved, moves, values, nodes, seconds, lower, optimal}.

/** What a search was stopped by. */
export class Cancelled extends Error {}

let worker = null;
let number = 0;
const waiting = new Map();

function background() {
  if (worker) return worker;
  worker = new Worker(new URL(__WORKER__, document.baseURI), { type: "module" });
  worker.onmessage = ({ data }) => {
    if ("loading" in data) for (const job of waiting.values()) job.report({ loading: data.loading });
    const job = waiting.get(data.id);
    if (!job) return; // cancelled before
    if ("progress" in data) job.report(data.progress);
    else {
      waiting.delete(data.id);
      if (data.error) job.reject(new Error(data.error));
      else job.resolve(data.result);
    }
  };
  worker.onerror = (event) => {
    for (const job of waiting.values()) job.reject(new Error(event.message || "the solver could not be started"));
    waiting.clear();
    worker = null;
  };
  return worker;
}

/** Solve in the browser. report(progress) is told how it goes; `signal` cancels. */
export function solveHere(question, width, report, signal) {
  const id = ++number;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject, report });
    signal?.addEventListener("abort", () => {
      background().postMessage({ cancel: id });
      waiting.delete(id);
      reject(new Cancelled());
    });
    background().postMessage({ id, ...question.worker, width });
  });
}

/** Get the trained tables before they are needed. */
export function warmUp() {
  return solveHere({ worker: { puzzle: "cube3", state: null } }, 0, () => {});
}

// The server --------------------------------------------------------------------------------------------------------------

/** A JSON answer of the server, or an Error with its own words. */
export async function ask(path, body, method = body ? "POST" : "GET") {
  const options = { method, headers: body ? { "Content-Type": "application/json" } : {} };
  if (body) options.body = JSON.stringify(body);
  let response;
  try {
    response = await fetch(`api/${path}`, options);
  } catch {
    throw new Error("the server does not answer");
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || answer === null) throw new Error(answer?.error ?? `the server says ${response.status}`);
  return answer;
}

/** What the server offers, or null where there is none. */
export async function serverInfo() {
  try {
    const response = await fetch("api/info");
    const isJson = response.headers.get("Content-Type")?.includes("json");
    return response.ok && isJson ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Let an agent of the server solve: {agent, search, options, optimal} with the puzzle's name. */
export async function solveThere(question, puzzle, choice, report, signal) {
  const { job } = await ask("jobs", { puzzle, ...question.server, ...choice });
  const abort = () => ask(`jobs/${job}`, null, "DELETE").catch(() => {});
  signal?.addEventListener("abort", abort);
  for (;;) {
    const now = await ask(`jobs/${job}?wait=1`); // answers at once when the job ends
    if (now.status === "done") return now.result;
    if (now.status === "cancelled") throw new Cancelled();
    if (now.status === "failed") throw new Error(now.error ?? "the search failed");
    if (signal?.aborted) throw new Cancelled();
    report({ queued: now.status === "queued" ? (now.position ?? 0) : null, seconds: now.seconds, note: now.note });
  }
}
