// A message without loading the page anew: the same form is sent, and the page that follows takes the place of this one.
// Without scripts the browser does that by itself. What a page shows is always what the server has stored.
"use strict";

(() => {
  const page = document.getElementById("main");

  const shown = (chat, words) => {
    const list = chat.querySelector(".turns") || chat.querySelector(".talk").appendChild(document.createElement("ol"));
    list.className = "turns";
    const empty = chat.querySelector(".empty");
    if (empty) empty.remove();
    const turn = document.createElement("li");
    turn.className = "turn judge";
    const speaker = turn.appendChild(document.createElement("span"));
    speaker.className = "speaker";
    speaker.textContent = chat.dataset.you;
    const said = turn.appendChild(document.createElement("div"));
    said.className = "words";
    said.dir = "auto";
    said.textContent = words;
    list.appendChild(turn);
  };

  const note = (chat, words, role) => {
    const told = document.createElement("p");
    told.className = role === "alert" ? "failure" : "hint";
    told.setAttribute("role", role);
    told.textContent = words;
    chat.appendChild(told);
    told.scrollIntoView({ block: "nearest" });
    return told;
  };

  const send = async (event) => {
    const form = event.target;
    const chat = form.closest(".chat");
    const field = form.querySelector("textarea");
    if (!chat || (field && !field.value.trim())) return; // the server says what lacks
    event.preventDefault();
    const body = new URLSearchParams(new FormData(form));
    for (const one of chat.querySelectorAll("form")) one.hidden = true;
    if (field) shown(chat, field.value.trim());
    const waiting = note(chat, chat.dataset.writing, "status");
    try {
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin" });
      const next = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!next.getElementById("main")) throw new Error("no page");
      if (!next.querySelector(".chat .turns")) return void location.assign(answer.url);
      document.title = next.title;
      page.replaceChildren(...next.getElementById("main").childNodes);
      ready();
      const goOn = page.querySelector("textarea, .retry button, .end button");
      if (goOn) goOn.focus();
      const last = page.querySelector(".turns > :last-child");
      if (last) last.scrollIntoView({ block: "nearest" });
    } catch {
      waiting.remove();
      note(chat, chat.dataset.lost, "alert");
    }
  };

  const ready = () => {
    for (const hint of page.querySelectorAll(".chat .scripted")) hint.hidden = false;
    const list = page.querySelector(".turns");
    if (list) list.setAttribute("aria-live", "polite");
    for (const form of page.querySelectorAll("form.say, form.retry")) {
      form.addEventListener("submit", send);
      const field = form.querySelector("textarea");
      if (!field) continue;
      field.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        form.requestSubmit();
      });
    }
  };

  ready();
})();
