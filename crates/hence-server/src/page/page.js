// What the page does with script: new decisions show as they come, sliders show their value, choices need no button.
"use strict";

const live = document.querySelector("[data-live]");

async function renew() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    // Whoever stands on a link of the list with the keyboard keeps the place.
    const stood = live.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const known = new Set([...live.querySelectorAll("a.row")].map((row) => row.getAttribute("href")));
    if (fresh) live.replaceChildren(...fresh.childNodes);
    for (const row of live.querySelectorAll("a.row")) {
        if (!known.has(row.getAttribute("href"))) row.classList.add("new");
        if (stood && row.getAttribute("href") === stood) row.focus();
    }
    const state = page.querySelector(".state");
    if (state) document.querySelector(".state")?.replaceWith(state);
}

if (live && !new URLSearchParams(location.search).has("offset")) {
    const source = new EventSource(`/page/changes?after=${live.dataset.after}`);
    let due = false, renews = false;
    source.addEventListener("transaction", async () => {
        due = true;
        if (renews) return;
        renews = true;
        // However fast transactions come, what is new shows after 150 ms.
        while (due) {
            await new Promise((over) => setTimeout(over, 150));
            due = false;
            await renew().catch(() => {});
        }
        renews = false;
    });
    addEventListener("pagehide", () => source.close());
}

for (const field of document.querySelectorAll("[data-submit]")) {
    field.addEventListener("change", () => field.form.requestSubmit());
}

for (const slider of document.querySelectorAll("input[type=range][data-for]")) {
    const field = document.getElementById(slider.dataset.for);
    slider.hidden = false;
    slider.addEventListener("input", () => { field.value = slider.value; });
    field.addEventListener("input", () => { slider.value = field.value; });
}

for (const shown of document.querySelectorAll("output[for]")) {
    const field = document.getElementById(shown.htmlFor.value);
    field?.addEventListener("input", () => { shown.value = field.value; });
}

// A link to a folded step unfolds what it is in.
function unfold() {
    const id = location.hash.slice(1);
    let at = id ? document.getElementById(id) : null;
    const target = at;
    for (; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
    target?.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", unfold);
unfold();
