// Serves the survey's page without a network. It never sees an answer before it is disguised, and
// keeps none: only pages and files that anyone may read.

const CACHE = "privet-survey-DIGEST";

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method !== "GET" || new URL(url).pathname.includes("/results")) return;
  event.respondWith(
    fetch(event.request).catch(async () => {
      const cached = await (await caches.open(CACHE)).match(event.request);
      return cached ?? Response.error();
    }),
  );
});
