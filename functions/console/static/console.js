// Times in the reader's zone, updates that stay out of the way, and what to do when
// the server is gone. Everything works without this file, too.
(() => {
  "use strict";

  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

  // The server's text is UTC, and stays as the title.
  function localise(within) {
    for (const t of within.querySelectorAll("time[datetime]:not([data-local])")) {
      const at = new Date(t.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const today = at.toDateString() === new Date().toDateString();
      t.textContent = (today ? "" : day.format(at) + " ") + clock.format(at);
      t.dataset.local = "yes";
    }
    for (const z of within.querySelectorAll("[data-zone]")) z.textContent = "in your zone, " + zone;
  }

  let paused = false;
  function enliven(within) {
    localise(within);
    for (const b of within.querySelectorAll("[data-pause]")) {
      b.hidden = false;
      b.setAttribute("aria-pressed", String(paused));
      b.textContent = paused ? "Resume updates" : "Pause updates";
    }
    const at = new URL(location.href);
    if (at.searchParams.has("done")) { // said once is enough: a reload says it no more
      at.searchParams.delete("done");
      history.replaceState(history.state, "", at);
    }
    const news = within.querySelector("[data-focus]:not([data-told])");
    if (news) {
      news.dataset.told = "yes"; // or each refresh would take the focus away again
      news.focus();
    }
  }

  document.addEventListener("click", (e) => {
    const b = e.target.closest("[data-pause]");
    if (!b) return;
    paused = !paused;
    enliven(document);
  });

  const live = (e) => e.detail.elt?.hasAttribute?.("data-live");
  const lost = () => document.getElementById("lost");

  document.addEventListener("htmx:configRequest", (e) => {
    e.detail.headers["X-Requested-With"] = "XMLHttpRequest"; // the proxy then answers 401, not a redirect to a sign-in page
  });
  document.addEventListener("htmx:beforeRequest", (e) => {
    if (live(e) && (paused || document.hidden)) e.preventDefault();
  });
  // A form that somebody has open is theirs: it is not replaced under their hands.
  document.addEventListener("htmx:oobBeforeSwap", (e) => {
    const t = e.detail.target;
    if (t?.classList.contains("changes") && (t.querySelector("details[open]") || t.contains(document.activeElement))) e.detail.shouldSwap = false;
  });
  document.addEventListener("htmx:oobAfterSwap", (e) => localise(document.getElementById(e.detail.target.id) ?? document));
  document.addEventListener("htmx:afterSettle", () => enliven(document));
  document.addEventListener("htmx:sendError", () => say("The console can't be reached. What you see is as it was; this goes on trying."));
  document.addEventListener("htmx:responseError", (e) => {
    if (e.detail.xhr.status === 401) say("Your sign-in has ended. Load the page again to sign in.");
  });
  document.addEventListener("htmx:afterOnLoad", (e) => {
    if (e.detail.xhr.status < 400 && lost()) lost().hidden = true;
  });
  function say(text) {
    const l = lost();
    if (!l) return;
    if (l.textContent !== text) l.textContent = text;
    l.hidden = false;
  }

  const icon = document.querySelector("link[rel=icon]");
  if (icon) icon.href = new URL(icon.href).href; // the address may change under a relative one

  enliven(document);
})();
