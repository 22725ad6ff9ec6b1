// Small conveniences of the dashboard; every page works without them.
"use strict";

// Copying: buttons appear only where the browser can copy.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const words = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value.trim());
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = words; }, 2000);
    });
  }
}

// Fresh numbers: the same page is fetched and its numbers put in place, unless somebody is reading or typing there.
const live = document.getElementById("live");
const auto = document.getElementById("auto");
if (live && auto) {
  auto.closest("[hidden]").hidden = false;
  const busy = () =>
    document.hidden || !auto.checked || live.contains(document.activeElement) || String(getSelection()) !== "" ||
    live.querySelector("details[open]");
  setInterval(async () => {
    if (busy()) return;
    const address = location.pathname;
    const answer = await fetch(address, { redirect: "manual" }).catch(() => null);
    if (!answer || !answer.ok) return; // asked to log in again, or out of reach: the page stays as it is
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
    if (fresh && !busy()) live.replaceChildren(...fresh.childNodes);
  }, 30000);
}
