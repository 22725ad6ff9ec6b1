// “I cannot judge this” beside fields of its question: choosing the one undoes the other. Without it the page says so.
"use strict";

(() => {
  for (const box of document.querySelectorAll("input[type=checkbox][data-cannot]")) {
    const name = box.dataset.cannot;
    const others = Array.from(box.form.elements).filter((part) =>
      part !== box && (part.name === name || part.name.startsWith(`${name}-`)));
    const answered = () => { box.checked = false; };
    for (const part of others) for (const kind of ["input", "change"]) part.addEventListener(kind, answered);
    for (const slider of document.querySelectorAll(`input[type=range][data-for="${name}"]`)) {
      for (const kind of ["input", "change", "pointerup"]) slider.addEventListener(kind, answered);
    }
    box.addEventListener("change", () => {
      if (!box.checked) return;
      for (const part of others) {
        if (part.type === "radio") part.checked = false;
        else if (part.value) {
          part.value = "";
          part.dispatchEvent(new Event("input")); // a slider follows its number
          box.checked = true;
        }
      }
    });
  }
})();
