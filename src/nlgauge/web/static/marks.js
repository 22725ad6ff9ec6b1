// Comfort for those whose browser runs scripts; everything works without it. Tapping a word of a text, or drawing over
// several, ticks their boxes below; arrow keys move between the boxes of a text; the completion code can be copied.
"use strict";

(() => {
  const show = (root) => {
    for (const part of root.querySelectorAll(".scripted")) part.hidden = false;
    for (const part of root.querySelectorAll(".plain")) part.hidden = true;
  };

  const wrap = (text, boxes) => {
    const words = [];
    const content = text.textContent;
    const pieces = document.createDocumentFragment();
    let done = 0;
    // Places are counted in characters of the text, of which a script's strings may need two units each.
    let character = 0;
    let unit = 0;
    const unitOf = (wanted) => {
      for (; character < wanted; character += 1) unit += content.codePointAt(unit) > 0xffff ? 2 : 1;
      return unit;
    };
    for (const box of boxes) {
      const [, first, last] = box.value.split("-").map(Number);
      const start = unitOf(first);
      const end = unitOf(last);
      pieces.append(content.slice(done, start));
      const word = document.createElement("span");
      word.textContent = content.slice(start, end);
      pieces.append(word);
      words.push(word);
      done = end;
    }
    pieces.append(content.slice(done));
    text.replaceChildren(pieces);
    text.classList.add("can-mark");
    return words;
  };

  const enable = (area) => {
    const boxes = Array.from(area.querySelectorAll("input"));
    const text = document.getElementById(area.dataset.text);
    if (!text || !boxes.length) return;
    const words = wrap(text, boxes);
    const place = new Map(words.map((word, number) => [word, number]));
    const paint = () => words.forEach((word, number) => word.classList.toggle("on", boxes[number].checked));
    const set = (from, to, value) => {
      for (let k = from; k <= to; k += 1) boxes[k].checked = value;
      paint();
    };
    paint();
    area.addEventListener("change", paint);
    document.addEventListener("marks-cleared", paint);

    text.addEventListener("click", (event) => {
      const selection = window.getSelection();
      if (selection && !selection.isCollapsed) return;
      const number = place.get(event.target);
      if (number !== undefined) set(number, number, !boxes[number].checked);
    });
    const drawn = () => {
      const selection = window.getSelection();
      if (!selection || selection.isCollapsed || !selection.rangeCount) return;
      const range = selection.getRangeAt(0);
      if (!text.contains(range.commonAncestorContainer)) return;
      const touched = words.map((word, number) => [word, number]).filter(([word]) => range.intersectsNode(word));
      // a range that only borders on a word does not mean it
      const meant = touched.filter(([word]) => {
        const inner = document.createRange();
        inner.selectNodeContents(word);
        return range.compareBoundaryPoints(Range.END_TO_START, inner) < 0 && range.compareBoundaryPoints(Range.START_TO_END, inner) > 0;
      });
      if (!meant.length) return;
      const numbers = meant.map(([, number]) => number);
      set(numbers[0], numbers[numbers.length - 1], !numbers.every((number) => boxes[number].checked));
      selection.removeAllRanges();
    };
    document.addEventListener("mouseup", () => window.setTimeout(drawn, 0));

    // One stop for the Tab key, arrows within: dozens of words would be dozens of stops.
    const stop = (number) => boxes.forEach((box, k) => { box.tabIndex = k === number ? 0 : -1; });
    stop(0);
    area.addEventListener("keydown", (event) => {
      const number = boxes.indexOf(event.target);
      const forward = getComputedStyle(area).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
      const backward = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
      const moves = { [forward]: 1, [backward]: -1, ArrowDown: 1, ArrowUp: -1 };
      const last = boxes.length - 1;
      const next = event.key === "Home" ? 0 : event.key === "End" ? last : number + (moves[event.key] || 0);
      if (number < 0 || next === number || next < 0 || next > last) return;
      event.preventDefault();
      stop(next);
      boxes[next].focus();
    });
    area.addEventListener("focusin", (event) => {
      const number = boxes.indexOf(event.target);
      if (number >= 0) stop(number);
    });
  };

  const marks = document.getElementById("marks");
  if (marks) {
    show(marks);
    for (const area of marks.querySelectorAll(".boxes")) enable(area);
    document.getElementById("clear-marks").addEventListener("click", () => {
      for (const box of marks.querySelectorAll(".boxes input")) box.checked = false;
      document.dispatchEvent(new Event("marks-cleared"));
    });
  }

  const copy = document.getElementById("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(document.getElementById("code").textContent);
        copy.textContent = copy.dataset.done;
      } catch {
        window.getSelection().selectAllChildren(document.getElementById("code"));
      }
    });
  }
})();
