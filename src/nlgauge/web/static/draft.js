// What is being edited is kept in this tab until it is sent, so that a reload loses nothing; seconds of typing and keys
// are counted beside it. Everything works without it.
"use strict";

(() => {
  const area = document.querySelector("textarea[data-draft]");
  if (!area || !area.form) return;
  const field = (name) => area.form.elements.namedItem(name);
  const claim = field("claim") || field("change");
  const prefix = "nlgauge-draft-";
  const name = prefix + (claim ? claim.value : "");
  const PAUSE = 5; // seconds after which nobody is typing any more
  let active = Number(field("active").value) || 0;
  let keys = Number(field("keys").value) || 0;
  let last = 0;
  const store = (act) => { try { return act(window.sessionStorage); } catch { return null; } };

  const keep = () => {
    field("active").value = active.toFixed(1);
    field("keys").value = String(keys);
    store((kept) => kept.setItem(name, JSON.stringify({ text: area.value, active, keys })));
  };
  const before = store((kept) => JSON.parse(kept.getItem(name) || "null"));
  // a page that came back with a mistake holds what was sent, which is newer than what was kept before it
  if (before && typeof before.text === "string" && area.value === area.dataset.original) {
    area.value = before.text;
    active = Number(before.active) || 0;
    keys = Number(before.keys) || 0;
  }
  store((kept) => {
    for (const other of Object.keys(kept)) if (other.startsWith(prefix) && other !== name) kept.removeItem(other);
  });
  const tick = (now) => {
    if (last && now - last < PAUSE * 1000) active += (now - last) / 1000;
    last = now;
  };
  area.addEventListener("keydown", (event) => {
    tick(event.timeStamp);
    if (!event.repeat && !["Shift", "Control", "Alt", "Meta"].includes(event.key)) keys += 1;
  });
  area.addEventListener("input", (event) => { tick(event.timeStamp); keep(); });
  const restore = document.getElementById("restore");
  restore.addEventListener("click", () => { area.value = area.dataset.original; keep(); area.focus(); });
  for (const part of area.form.querySelectorAll(".work .scripted")) part.hidden = false;
  keep();
})();
