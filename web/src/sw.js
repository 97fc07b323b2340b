// The page works without a connection once it has been open: its files are kept when it is installed, the tables when they are first
// asked for. What belongs to a server (api/) is never kept.

const FILES = __FILES__;
const CACHE = "page-__VERSION__";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const tidy = async () => {
    for (const name of await caches.keys()) if (name.startsWith("page-") && name !== CACHE) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(tidy());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const scope = self.registration.scope;
  if (request.method !== "GET" || !request.url.startsWith(scope) || request.url.startsWith(`${scope}api/`)) return;
  if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match("./")));
  else if (request.url.startsWith(`${scope}tables/`)) event.respondWith(kept("tables", request));
  else event.respondWith(kept(CACHE, request));
});

/** What is in the cache; else it is fetched and kept, and what it replaces is dropped. */
async function kept(name, request) {
  const cache = await caches.open(name);
  const known = await cache.match(request);
  if (known) return known;
  const response = await fetch(request);
  if (response.status === 200) {
    if (name === "tables") for (const old of await cache.keys()) await cache.delete(old);
    await cache.put(request, response.clone());
  }
  return response;
}
