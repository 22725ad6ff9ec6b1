// Sliders for those whose browser runs scripts; without it the number is typed. What is sent is always the number field,
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
})();
