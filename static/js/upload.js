// Sends a form with files while showing how far it is; Cancel stops it. The server sees the same
// form as without JavaScript, and answers the same: a redirect, or the page with what is wrong.
import { readable } from "./dropzone.js";
import { announce, enhance } from "./enhance.js";

const parts = (form) => ({
  box: form.querySelector("[data-progress]"),
  bar: form.querySelector("[data-progress] progress"),
  text: form.querySelector("[data-progress-text]"),
  share: form.querySelector("[data-progress-share]"),
});

const busy = (form, on) => {
  parts(form).box.hidden = !on;
  for (const button of form.querySelectorAll("[type=submit]")) button.disabled = on;
};

const progress = (form, names) => (event) => {
  const { bar, text, share } = parts(form);
  if (!event.lengthComputable) return;
  const percent = Math.floor((event.loaded / event.total) * 100);
  bar.value = percent;
  share.textContent = `${percent} %`;
  text.textContent =
    percent < 100 ? `Uploading ${names}: ${readable(event.loaded)} of ${readable(event.total)}` : `${names} is there; the server reads it`;
};

const replacePage = (html) => {
  const answer = new DOMParser().parseFromString(html, "text/html").getElementById("main");
  if (!answer) return announce("The server's answer could not be read. Try again.");
  const main = document.getElementById("main");
  main.replaceChildren(...answer.childNodes);
  window.htmx?.process(main);
  enhance(main);
};

const jsonOf = (request) => {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return {};
  }
};

const follow = (form, request) => {
  busy(form, false);
  if (request.getResponseHeader("content-type")?.includes("json")) {
    const answer = jsonOf(request);
    if (answer.location) return location.assign(answer.location);
    return announce(answer.message ?? `The server answered ${request.status}.`);
  }
  const sent = new URL(form.action, location.href).href;
  if (request.status < 400 && request.responseURL !== sent) return location.assign(request.responseURL);
  replacePage(request.responseText);
};

const send = (form, submitter) => {
  const request = new XMLHttpRequest();
  const body = new FormData(form, submitter);
  const files = [...body.values()].filter((value) => value instanceof File && value.name);
  const names = files.length > 1 ? `${files[0].name} and ${files.length - 1} more` : (files[0]?.name ?? "");
  const failed = (text) => () => {
    busy(form, false);
    announce(text);
  };
  request.open("POST", form.action);
  request.setRequestHeader("x-csrftoken", body.get("csrfmiddlewaretoken") ?? "");
  request.setRequestHeader("x-requested-with", "XMLHttpRequest");
  request.upload.addEventListener("progress", progress(form, names));
  request.addEventListener("load", () => follow(form, request));
  request.addEventListener("error", failed("The upload broke off. Check the connection and send it again."));
  request.addEventListener("abort", failed("Upload cancelled. Nothing was kept."));
  form.querySelector("[data-upload-cancel]").addEventListener("click", () => request.abort(), { once: true });
  busy(form, true);
  parts(form).bar.value = 0;
  parts(form).text.textContent = `Uploading ${names}`;
  request.send(body);
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-upload]") || !parts(form).box) return;
  if (form.querySelector("input[type=file]").files.length === 0) return;
  event.preventDefault();
  send(form, event.submitter);
});
