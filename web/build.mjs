// Builds the page into rubiks_gym/play/static: the solver by AssemblyScript, everything else by esbuild. `make web` runs this after
// web/export.py. Files carry a hash of their content in their names, so that they may be kept for ever.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const out = join(root, "rubiks_gym", "play", "static");
const suite = JSON.parse(readFileSync(join(here, "build", "suite.json"), "utf8"));
const files = []; // what the service worker keeps

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "tables"), { recursive: true });

/** Write content under its name with a hash in it; returns that name. */
function put(name, content) {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  const hashed = name.replace(/\.(\w+)$/, `-${hash}.$1`);
  writeFileSync(join(out, hashed), content);
  files.push(hashed);
  return hashed;
}

async function bundle(entry, define) {
  const { outputFiles } = await build({
    entryPoints: [join(here, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: ["es2022"],
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    logLevel: "warning",
  });
  return outputFiles[0].contents;
}

const source = readFileSync(join(here, "assembly", "beam.ts"), "utf8");
let beam;
const compiled = await asc.main(
  ["beam.ts", "--outFile", "beam.wasm", "-O3", "--noAssert", "--runtime", "minimal", "--enable", "simd", "--use", "abort=", "--disableWarning", "201"],
  {
    readFile: (name) => (name === "beam.ts" ? source : null),
    writeFile: (name, content) => name === "beam.wasm" && (beam = content),
    listFiles: () => [],
  },
);

if (compiled.error) throw new Error(`${compiled.error.message}\n${compiled.stderr}`);

const wasm = put("beam.wasm", beam);
const worker = put("worker.js", await bundle("worker.js", { __WASM__: wasm }));
const app = put("app.js", await bundle("main.js", { __WORKER__: worker, __VERSION__: suite.version }));
const style = put("style.css", await bundle("style.css", {}));
const page = readFileSync(join(here, "src", "index.html"), "utf8").replace("%STYLE%", style).replace("%APP%", app);
writeFileSync(join(out, "index.html"), page);
for (const name of ["icon.svg", "manifest.webmanifest"]) copyFileSync(join(here, "src", name), join(out, name));
const version = createHash("sha256").update([page, ...files].join()).digest("hex").slice(0, 12);
const kept = ["./", "icon.svg", "manifest.webmanifest", ...files];
const keeper = readFileSync(join(here, "src", "sw.js"), "utf8").replace("__FILES__", JSON.stringify(kept)).replace("__VERSION__", version);
writeFileSync(join(out, "sw.js"), keeper);
const { name } = suite.tables;
copyFileSync(join(root, "rubiks_gym", "ntuple", "trained", `${name}.npz`), join(out, "tables", `${name}.npz`));
console.log(`rubiks_gym/play/static: ${files.join(" ")}`);
