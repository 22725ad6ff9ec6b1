// Sliders and keys for those whose browser runs scripts; without it the number is typed. What is sent is always the number field,
// so a slider that nobody touched is no answer.
"use strict";

(() => {
  for (const slider of document.querySelectorAll("input[type=range][data-for]")) {
    const field = document.getElementById(slider.dataset.for);
    if (!field) continue;
    const touched = () => slider.classList.remove("untouched");
    const follow = () => {
      const value = Number(field.value.replace(",", "."));
      const answered = field.value.trim() !== "" && Number.isFinite(value);
      slider.classList.toggle("untouched", !answered);
      if (answered) {
        slider.value = String(value);
        slider.removeAttribute("aria-valuetext");
      } else {
        slider.setAttribute("aria-valuetext", slider.dataset.open);
      }
    };
    const take = () => {
      touched();
      field.value = slider.value;
      slider.removeAttribute("aria-valuetext");
    };
    slider.addEventListener("input", take);
    slider.addEventListener("change", take);
    // a click on the very middle changes nothing that a browser reports, but is an answer
    slider.addEventListener("pointerup", take);
    field.addEventListener("input", follow);
    slider.hidden = false;
    follow();
  }

  // A digit chooses the point of the question that has the focus, or of the first without an answer; not where one types.
  const questions = Array.from(document.querySelectorAll("fieldset.scale")).map((part) =>
    Array.from(part.querySelectorAll("input[type=radio]")));
  const typing = (part) => part.matches("textarea, select, input:not([type=radio]):not([type=range])");
  document.addEventListener("keydown", (event) => {
    const at = document.activeElement;
    if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey || (at && typing(at))) return;
    const points = questions.find((radios) => radios.includes(at)) ||
      questions.find((radios) => radios.length > 0 && !radios.some((radio) => radio.checked));
    // the number that stands beside a point, where points have numbers; else its place
    const point = points?.find((radio) => radio.value === event.key && radio.labels[0]?.querySelector(".value")) ||
      (points?.some((radio) => radio.labels[0]?.querySelector(".value")) ? null : points?.[Number(event.key) - 1]);
    if (!point) return;
    event.preventDefault();
    point.focus();
    point.click();
  });
  for (const hint of document.querySelectorAll(".keys")) hint.hidden = questions.length === 0;
})();
