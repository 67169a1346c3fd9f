// The charts of the page Groups, drawn by uPlot from the JSON API.
(() => {
  "use strict";

  const colours = (n) => getComputedStyle(document.documentElement).getPropertyValue(n).trim();
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const grouped = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
  let drawn = [];

  const axis = (more) => Object.assign({
    stroke: colours("--quiet"), font: "12px system-ui, sans-serif",
    grid: { stroke: colours("--line"), width: 1 }, ticks: { stroke: colours("--line"), width: 1 },
  }, more);

  function draw(box, history, field, unit) {
    const series = history.groups.map((g, i) => ({
      label: g.group, stroke: colours("--s" + ((i % 8) + 1)), width: 1.75, dash: i >= 8 ? [6, 4] : undefined, points: { show: false },
      value: (_, v) => (v == null ? "–" : grouped.format(v) + unit),
    }));
    const options = {
      width: Math.max(240, box.clientWidth), height: 240, cursor: { points: { size: 6 } },
      scales: { y: { range: (_, low, high) => [0, Math.max(1, high * 1.08)] } },
      axes: [axis({ values: (_, vs) => vs.map((v) => clock.format(v * 1000)), space: 70 }), axis({ size: 56, values: (_, vs) => vs.map((v) => grouped.format(v) + (unit.trim() === "s" ? " s" : "")) })],
      series: [{ label: "Time", value: "{YYYY}-{MM}-{DD} {HH}:{mm}:{ss}" }, ...series],
    };
    box.replaceChildren();
    const data = [history.at, ...history.groups.map((g) => g[field])];
    drawn.push({ box, plot: new uPlot(options, data, box) });
  }

  function note(box, text) {
    const p = document.createElement("p");
    p.className = "quiet";
    p.textContent = text;
    box.replaceChildren(p);
  }

  async function load() {
    for (const d of drawn) d.plot.destroy();
    drawn = [];
    const section = document.querySelector("[data-history]");
    if (!section) return;
    const boxes = [...section.querySelectorAll("[data-chart]")];
    for (const b of boxes) note(b, "Loading …");
    let history;
    try {
      const answer = await fetch(section.dataset.history, { headers: { "X-Requested-With": "XMLHttpRequest" } });
      if (!answer.ok) throw new Error(answer.statusText);
      history = await answer.json();
    } catch {
      for (const b of boxes) note(b, "The past can't be read just now.");
      return;
    }
    if (history.at.length < 2) {
      for (const b of boxes) note(b, "There is nothing to draw yet: Score leaves one point each time it runs.");
      return;
    }
    for (const b of boxes) {
      const unit = b.dataset.chart === "score" && section.dataset.mode === "drain" ? " s" : "";
      draw(b, history, b.dataset.chart, unit);
      b.setAttribute("role", "img");
      b.setAttribute("aria-label", b.parentElement.querySelector("figcaption").textContent + ", one line for each of " + history.groups.map((g) => g.group).join(", "));
    }
  }

  addEventListener("resize", () => {
    for (const d of drawn) d.plot.setSize({ width: Math.max(240, d.box.clientWidth), height: 240 });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", load);
  document.addEventListener("htmx:historyRestore", load);
  document.addEventListener("htmx:afterSwap", (e) => { if (e.detail.target === document.body) load(); });
  load();
})();
