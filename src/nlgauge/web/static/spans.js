// Errors on the text itself, for those whose browser runs scripts: those marked so far are underlined, and what is being
// marked is shown from its first to its last word. The boxes and their places are marks.js's.
"use strict";

(() => {
  const areas = Array.from(document.querySelectorAll("#marks .boxes")).map((area) => ({
    boxes: Array.from(area.querySelectorAll("input")),
    words: Array.from(document.getElementById(area.dataset.text)?.querySelectorAll("span") || []),
    on: area.dataset.text === "text-0" ? "output" : "source",
    text: document.getElementById(area.dataset.text),
  }));
  const paint = () => {
    for (const { boxes, words } of areas) {
      const ticked = boxes.map((box, number) => (box.checked ? number : -1)).filter((number) => number >= 0);
      words.forEach((word, number) => {
        word.classList.toggle("within", ticked.length > 0 && number >= ticked[0] && number <= ticked[ticked.length - 1]);
      });
    }
  };
  for (const item of document.querySelectorAll("#errors-marked li")) {
    const area = areas.find((one) => one.on === item.dataset.on);
    if (!area) continue;
    area.boxes.forEach((box, number) => {
      const [, start, end] = box.value.split("-").map(Number);
      if (start < Number(item.dataset.end) && end > Number(item.dataset.start)) {
        area.words[number]?.classList.add("error", `error-${item.dataset.grade}`);
      }
    });
  }
  // Drawing over other words begins another error; this runs before marks.js ticks what was drawn over.
  document.addEventListener("mouseup", () => {
    const selection = window.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return;
    const node = selection.getRangeAt(0).commonAncestorContainer;
    if (!areas.some(({ text }) => text && text.contains(node))) return;
    for (const { boxes } of areas) for (const box of boxes) box.checked = false;
    keep(selection.getRangeAt(0), areas.find(({ text }) => text && text.contains(node)).text);
  }, true);
  // Where parts of words are marked, the very places that were drawn over go along, counted in characters of the text.
  const [exactly, exact, told] = ["exactly", "exact", "exact-shown"].map((name) => document.getElementById(name));
  const forget = () => { if (exact) exact.value = told.textContent = ""; };
  const keep = (range, text) => {
    forget();
    const before = document.createRange();
    before.selectNodeContents(text);
    before.setEnd(range.startContainer, range.startOffset);
    const drawn = range.toString();
    const start = Array.from(before.toString()).length + Array.from(drawn.slice(0, drawn.length - drawn.trimStart().length)).length;
    const end = start + Array.from(drawn.trim()).length;
    if (!exactly?.checked || end === start) return;
    exact.value = `${text.id.replace("text-", "")}-${start}-${end}`;
    told.textContent = drawn.trim();
  };
  for (const { text, boxes } of areas) {
    text?.addEventListener("click", () => { if (window.getSelection()?.isCollapsed) forget(); });
    boxes.forEach((box) => box.addEventListener("change", forget));
  }
  exactly?.addEventListener("change", forget);
  document.addEventListener("marks-cleared", forget);
  for (const { text, boxes } of areas) {
    const later = () => window.setTimeout(paint, 20);
    text?.addEventListener("click", later);
    boxes.forEach((box) => box.addEventListener("change", paint));
    document.addEventListener("mouseup", later);
  }
  document.addEventListener("marks-cleared", paint);
  // what the chosen kind means stands below it; the list of all kinds can be opened there too
  const kind = document.getElementById("category");
  const meaning = document.getElementById("category-meaning");
  kind?.addEventListener("change", () => {
    const about = Array.from(document.querySelectorAll(".kinds dd")).find((one) => one.dataset.kind === kind.value);
    if (meaning) meaning.textContent = about ? about.textContent : "";
  });
  paint();
})();
