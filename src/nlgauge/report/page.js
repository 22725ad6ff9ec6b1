// Tables are sorted by a click on their heads and saved as CSV, plots are saved as SVG, wide tables say that they scroll.
"use strict";

function shown(cell) {
  const copy = cell.cloneNode(true);
  copy.querySelectorAll(".hidden").forEach((part) => part.remove());
  copy.querySelectorAll(".ci").forEach((part) => part.replaceWith(` [${part.textContent}]`));
  return copy.textContent.trim();
}

function numeral(text) {
  const plain = text.replace(/\u2212/g, "-").replace(/,(?=\d{3})/g, "");
  const found = plain.match(/^[<\s]*([+-]?\d*\.?\d+)/);
  return found ? Number(found[1]) : NaN;
}

function inOrder(a, b) {
  const [x, y] = [numeral(a), numeral(b)];
  if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y) || a.localeCompare(b);
  return x - y;
}

function button(label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "tool";
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

function save(element, ending, type, body) {
  const section = element.closest("section") || document;
  const title = section.querySelector("h2, h1").textContent.trim();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([body], { type }));
  link.download = `${title.replace(/\W+/g, "-").toLowerCase()}.${ending}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function toolsAfter(element, ...parts) {
  const bar = document.createElement("p");
  bar.className = "tools";
  bar.append(...parts);
  element.after(bar);
}

function sortable(table) {
  const heads = table.tHead ? [...table.tHead.rows[0].cells] : [];
  const body = table.tBodies[0];
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || !body) return;
    function sort() {
      const rising = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const rows = [...body.rows].map((row) => [row.cells[column] ? shown(row.cells[column]) : "", row]);
      rows.sort(([a], [b]) => (rising ? inOrder(a, b) : inOrder(b, a)));
      rows.forEach(([, row]) => body.append(row));
    }
    head.tabIndex = 0;
    head.classList.add("sort");
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort();
    });
  });
}

document.querySelectorAll(".scroll").forEach((box) => {
  const table = box.querySelector("table");
  if (!table) return;
  const hint = document.createElement("span");
  hint.textContent = "scrolls sideways \u2192";
  const quoted = (cell) => `"${shown(cell).replace(/"/g, '""')}"`;
  const lines = () => [...table.rows].map((row) => [...row.cells].map(quoted).join(",") + "\n");
  toolsAfter(box, hint, button("CSV", () => save(box, "csv", "text/csv", lines().join(""))));
  const fit = () => { hint.hidden = box.scrollWidth <= box.clientWidth + 1; };
  fit();
  addEventListener("resize", fit);
  sortable(table);
});

document.querySelectorAll("figure svg[role=img]").forEach((drawing) => {
  toolsAfter(drawing, button("SVG", () => {
    const copy = drawing.cloneNode(true);
    const style = document.createElementNS(drawing.namespaceURI, "style");
    style.textContent = document.querySelector("style").textContent;
    copy.setAttribute("xmlns", drawing.namespaceURI);
    copy.prepend(style);
    save(drawing, "svg", "image/svg+xml", copy.outerHTML);
  }));
});
