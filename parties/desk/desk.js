"use strict";
// Shows what the program on this machine answers; forms and links are all that it sends.
// The key is kept by this very address, port and all; a page of another port cannot read it.
const KEY = "ppaurora-desk-key", VIEWS = ["you", "study", "list", "status", "result"];
const main = document.getElementById("main"), going = document.getElementById("going");
const bar = document.getElementById("bar");
let busy = false;

async function ask(path, body, more = {}) {
  const headers = { "X-Desk-Key": sessionStorage.getItem(KEY) || "", ...more };
  const answer = await fetch(path, { method: "POST", headers, body, credentials: "same-origin" });
  return answer.json();
}

function say(title, text) {
  const section = document.createElement("section"), heading = document.createElement("h2");
  const words = document.createElement("p");
  section.className = "alarming";
  section.setAttribute("role", "alert");
  heading.textContent = title;
  words.textContent = text;
  section.append(heading, words);
  main.replaceChildren(section);
}

function show(answer, view) {
  if (answer.refused) { say("No access", answer.refused); return; }
  if (answer.busy) { going.textContent = answer.busy; return; }
  main.innerHTML = answer.html;  // every text in it is escaped where it is made
  document.title = `${answer.title} - ppAURORA desk`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === "#" + view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const told = main.querySelector("[role=alert], [role=status]") || document.getElementById(answer.at);
  const heading = (told || main).querySelector("h2");
  if (heading) {
    // an alert is announced by itself; the sentences of what was done are told with its heading
    const sentences = told && told.matches("[role=status]") ? [...told.querySelectorAll("p")] : [];
    sentences.forEach((one, at) => { one.id = `told-${at}`; });
    if (sentences.length) heading.setAttribute("aria-describedby", sentences.map(one => one.id).join(" "));
    heading.tabIndex = -1;
    heading.focus();
  }
  for (const field of main.querySelectorAll("input[type=file]")) prepareFile(field);
}

async function during(work, view) {
  if (busy) return;
  busy = true;
  main.setAttribute("aria-busy", "true");
  going.textContent = "Working …";
  const timer = setInterval(async () => {
    const now = await ask("/progress", "").catch(() => ({}));
    if (!busy || !now.words) return;
    going.textContent = now.words;
    meter(now.done, now.total);
  }, 500);
  try {
    const answer = await work();
    going.textContent = "";
    show(answer, view);
  } catch (error) {
    going.textContent = "";
    say("The desk does not answer", "The program may have ended. Start it again, and open the address that it prints.");
  } finally {
    busy = false;
    clearInterval(timer);
    bar.hidden = true;
    main.removeAttribute("aria-busy");
  }
}

function meter(done, total) {
  bar.hidden = !total;
  if (total) { bar.max = total; bar.value = done; }
}

function viewNow() {
  const name = location.hash.slice(1);
  return VIEWS.includes(name) ? name : "you";
}

function request(view, action, fields) {
  return during(() => ask("/do", JSON.stringify({ view, do: action, fields })), view);
}

function prepareFile(field) {
  const area = field.closest(".drop");
  field.addEventListener("change", () => field.files[0] && give(field, field.files[0]));
  for (const name of ["dragover", "dragleave", "drop"]) {
    area.addEventListener(name, event => {
      event.preventDefault();
      area.classList.toggle("over", name === "dragover");
      if (name === "drop" && event.dataTransfer.files[0]) give(field, event.dataTransfer.files[0]);
    });
  }
}

async function give(field, file) {
  if (field.dataset.give === "bring") {
    request("study", "bring", { name: file.name, text: await file.slice(0, 1100000).text() });
    return;
  }
  during(() => new Promise((done, failed) => {  // the one way in which a browser tells progress
    const sending = new XMLHttpRequest();
    sending.open("POST", "/list");
    sending.setRequestHeader("X-Desk-Key", sessionStorage.getItem(KEY) || "");
    sending.setRequestHeader("X-List-Name", encodeURIComponent(file.name));
    sending.upload.onprogress = event => meter(event.loaded, event.total);
    sending.onload = () => { try { done(JSON.parse(sending.responseText)); } catch (error) { failed(error); } };
    sending.onerror = failed;
    sending.send(file);
  }), "list");
}

main.addEventListener("submit", event => {
  event.preventDefault();
  const form = event.target;
  request(viewNow(), form.dataset.do, Object.fromEntries(new FormData(form)));
});
addEventListener("dragover", event => event.preventDefault());
addEventListener("drop", event => event.preventDefault());
document.querySelector("nav").addEventListener("click", event => {
  if (event.target.hash === location.hash) request(viewNow(), "", {});
});
addEventListener("hashchange", () => { if (location.hash !== "#main") request(viewNow(), "", {}); });

(async () => {
  const token = location.hash.slice(1);
  if (token && token !== "main" && !VIEWS.includes(token)) {
    history.replaceState(null, "", "/");
    const answer = await ask("/enter", token).catch(() => ({ refused: "The desk does not answer." }));
    if (answer.refused) { say("No access", answer.refused); return; }
    sessionStorage.setItem(KEY, answer.key);
  }
  request(viewNow(), "", {});
})();
