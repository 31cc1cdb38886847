"use strict";

// The views of the page, the sidebar, and the keyboard shortcuts. A place is defined in data.js.

const main = document.getElementById("main");
const sidebar = document.getElementById("sidebar");
const searchField = document.getElementById("search");
const listButton = document.getElementById("list-button");

function heading(words) {
  return el("h1", { tabindex: -1 }, text(shortened(words, 200)));
}

function view(title, className, ...children) {
  const element = el("article", { class: className }, ...children);
  return { element, title };
}

function messageView(words) {
  return view(words, "message", heading(words), el("p", {}, el("a", { class: "link", href: "#/" }, "Overview")));
}

function go(place) {
  location.hash = place;
}

/** Lets the up and down arrow keys move the focus between the elements of a list that match a selector. */
function moveInList(list, selector) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const places = [...list.querySelectorAll(selector)];
    const target = places[places.indexOf(document.activeElement.closest(selector)) + step];
    if (target) {
      target.focus();
      target.scrollIntoView({ block: "nearest" });
    }
    event.preventDefault();
  });
}

function overview() {
  const facts = el("dl", { class: "facts" });
  for (const [name, value] of head.facts) facts.append(el("dt", {}, text(name)), el("dd", {}, text(value)));
  const notes = head.notes.map((note) => el("li", {}, text(note)));
  const listed = groups.filter((group) => group.rows.length < group.total && isRead).flatMap((group) =>
    notesOf(group).map((note) => el("li", {}, text(`${group.name}: ${note}`))));
  const note = emptyNote();
  return view("", "overview", el("header", { class: "title" }, heading(head.title)), facts,
    note === undefined ? null : el("p", { class: "note" }, note),
    isArchive ? el("p", {}, el("a", { class: "button", href: "#/tree" }, "Objects as a tree")) : null,
    groupsTable(),
    notes.length + listed.length > 0
      ? el("section", {}, el("h2", {}, "Notes"), el("ul", { class: "notes" }, ...notes, ...listed)) : null,
    el("section", { class: "keys" }, el("h2", {}, "Keys"), el("dl", { class: "facts" },
      ...[["/", "search"],
        ["↑ ↓ ← →", "move in lists, tables and trees; → opens, ← closes; ↑ leads to the filters"],
        ["Enter", "follow a link"], ["Page Up, Page Down", "turn the pages of a table"],
        ["Backspace, Alt ←", "back"]].flatMap(([key, words]) => [
        el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]))));
}

/** Returns a table of the first entities or classes. It has their properties or superclasses, which the sidebar does
    not have. */
function groupsTable() {
  const listed = listedGroups("").slice(0, 200);
  if (listed.length === 0) return null;
  const lines = listed.map((group) => el("tr", {},
    el("th", { scope: "row" },
      el("a", { class: "link", href: placeOfGroup(group) }, text(shortened(group.name, 80)))),
    el("td", { class: "right number" }, totalOf(group)),
    el("td", { class: "quiet" }, text(shortened(
      (group.columns?.map((column) => column.name) ?? group.ancestors ?? []).join(", "), 120)))));
  return el("section", {}, el("h2", {}, isArchive ? "Classes" : "Entities"), el("div", { class: "plain" },
    el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "name"),
      el("th", { scope: "col", class: "right" }, isArchive ? "objects" : "rows"),
      el("th", { scope: "col" }, isArchive ? "inherits from" : "attributes and relationships"))),
    el("tbody", {}, ...lines))));
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Returns the view for a place. */
async function viewOf(place) {
  const [path, query = ""] = place.replace(/^#?\/?/, "").split("?", 2);
  const parts = path.split("/").map(decoded);
  if (path === "") return overview();
  if (parts[0] === "search") return searchView(parts.slice(1).join("/"));
  if (!isRead) await read;
  if (isArchive && parts[0] === "tree") return treeView();
  if (isArchive && parts[0] === "object") {
    for (const group of groups) {
      const index = group.index === 0 ? undefined : group.byKey.get(Number(parts[1]));
      if (index !== undefined) return objectView(index);
    }
    return messageView("No such object in this page");
  }
  const number = parts[0] === groupWord ? groupNames.get(parts[1]) : undefined;
  if (number === undefined) return messageView(`No such ${groupWord} in this page`);
  const group = groups[number];
  if (parts[2] === "row") {
    const key = parts[3] ?? "";
    const index = group.byKey.get(key) ?? group.byKey.get(Number(key));
    return index === undefined ? messageView("No such object in this page") : objectView(index);
  }
  return tableView(group, new URLSearchParams(query));
}

// The views that were shown last, by place. Going back shows them again in the same state.
const shownViews = new Map();
let shownPlace;
/** The last view that was not a search, and its place. */
let searchOrigin = { place: "#/" };
let showNumber = 0;

async function show() {
  const place = location.hash || "#/";
  const number = showNumber += 1;
  if (shownPlace !== undefined && shownViews.has(shownPlace)) {
    const shown = shownViews.get(shownPlace);
    shown.scroll = main.scrollTop;
    shown.inner = main.querySelector(".scroller")?.scrollTop;
    shown.focused = main.contains(document.activeElement) ? document.activeElement : undefined;
  }
  let made = shownViews.get(place);
  const isNew = made === undefined;
  if (isNew) {
    const waiting = setTimeout(() => {
      if (number === showNumber) main.replaceChildren(el("p", { class: "quiet", role: "status" }, "Reading …"));
    }, 150);
    made = await viewOf(place);
    clearTimeout(waiting);
    if (number !== showNumber) return;
  }
  shownViews.delete(place);
  if (isRead) shownViews.set(place, made);
  if (shownViews.size > 12) shownViews.delete(shownViews.keys().next().value);
  shownPlace = place;
  made.place = place;
  if (!place.startsWith("#/search/")) searchOrigin = made;
  main.replaceChildren(made.element);
  document.title = seenText(made.title === "" ? head.title : `${shortened(made.title, 80)} – ${head.title}`);
  markPlace(place);
  const [, searched] = /^#\/search\/(.*)/.exec(place) ?? [];
  if (document.activeElement !== searchField) searchField.value = searched === undefined ? "" : decoded(searched);
  sidebar.classList.remove("open");
  listButton.setAttribute("aria-expanded", "false");
  main.scrollTop = made.scroll ?? 0;
  const scroller = main.querySelector(".scroller");
  if (scroller) scroller.scrollTop = made.inner ?? 0;
  if (document.activeElement === searchField || sidebar.contains(document.activeElement)) return;
  const target = made.focused ?? made.element.querySelector("[tabindex='0']") ?? made.element.querySelector("h1");
  target?.focus({ preventScroll: !isNew });
}

/** Changes the place of the current view without a new entry in the browser's history. */
function renamePlace(place) {
  const shown = shownViews.get(shownPlace);
  shownViews.delete(shownPlace);
  shownViews.set(place, shown);
  shownPlace = place;
  shown.place = place;
  history.replaceState(null, "", place);
}

// The list of entities or classes in the sidebar.

const list = document.getElementById("groups");
const greatestListed = 500;

/** Returns the names of the listed ancestors of an entity, topmost first, then its own name. Sorted by these names, an
    entity follows its ancestors. */
function lineOf(group) {
  const line = [group.name];
  let { parent } = group;
  for (let level = 0; parent !== undefined && level < 8; level += 1) {
    if (isListed(groups[parent])) line.unshift(groups[parent].name);
    parent = groups[parent].parent;
  }
  return line;
}

/** Returns the listed groups whose names contain a text, in the order of the sidebar. */
function listedGroups(filter) {
  const needle = folded(filter);
  const listed = groups.filter((group) => isListed(group) && folded(group.name).includes(needle));
  if (isArchive) {
    listed.sort((first, second) => Number(first.isKind ?? 0) - Number(second.isKind ?? 0) ||
      second.total - first.total || (first.name < second.name ? -1 : 1));
    return listed;
  }
  const lines = new Map(listed.map((group) => [group, lineOf(group).join("\0")]));
  return listed.sort((first, second) => (lines.get(first) < lines.get(second) ? -1 : 1));
}

/** Returns the reason why the list is empty and, if it is filtered, a button that clears the filter. */
function noGroups(filter) {
  if (filter === "") return [isArchive ? emptyNote() : "The model has no entities."];
  const field = document.getElementById("filter");
  const clear = button("Clear the filter", () => {
    field.value = "";
    fillList("");
    field.focus();
  });
  return [`No ${groupWord} has “`, text(shortened(filter, 60)), "” in its name. ", clear];
}

function fillList(filter) {
  const listed = listedGroups(filter);
  const items = listed.slice(0, greatestListed).map((group) => {
    const className = group.isKind ? "native" : group.total === 0 ? "empty" : undefined;
    const item = el("li", {}, el("a", { href: placeOfGroup(group), class: className },
      text(shortened(group.name, 120)), el("span", { class: "number" }, totalOf(group))));
    item.style.setProperty("--level", filter === "" ? lineOf(group).length - 1 : 0);
    return item;
  });
  const rest = listed.length - items.length;
  if (rest > 0) items.push(el("li", { class: "quiet" }, `${numbers.format(rest)} more; filter to see them`));
  if (items.length === 0) {
    items.push(el("li", { class: "quiet" }, ...noGroups(filter)));
  }
  list.replaceChildren(...items);
  markPlace(location.hash || "#/");
}

/** Marks the link in the sidebar to a place, or to the entity of the row at the place. */
function markPlace(place) {
  const [, group] = /^(#\/[^/?]*(?:\/[^/?]*)?)/.exec(place) ?? [];
  for (const link of document.querySelectorAll("#sidebar a")) {
    if (link.getAttribute("href") === group) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function start() {
  document.getElementById("title").append(text(shortened(head.title, 80)));
  document.title = seenText(head.title);
  const filter = document.getElementById("filter");
  filter.setAttribute("aria-label", isArchive ? "Filter classes" : "Filter entities");
  filter.placeholder = isArchive ? "Filter classes" : "Filter entities";
  document.getElementById("list-title").textContent = isArchive ? "Classes" : "Entities";
  listButton.textContent = isArchive ? "Classes" : "Entities";
  filter.addEventListener("input", () => fillList(filter.value));
  if (isArchive) document.getElementById("tree-link").hidden = false;
  moveInList(sidebar, "a, input");
  fillList("");

  let typing;
  searchField.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      const place = `#/search/${encoded(searchField.value)}`;
      // A search has one entry in the browser's history, so that going back once leaves it.
      if (location.hash.startsWith("#/search/")) location.replace(place);
      else go(place);
    }, 120);
  });
  searchField.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter" && event.key !== "Escape") return;
    (main.querySelector(".results a") ?? main.querySelector("[tabindex='0']") ?? main.querySelector("h1"))?.focus();
    event.preventDefault();
  });
  listButton.addEventListener("click", () => {
    const isOpen = sidebar.classList.toggle("open");
    listButton.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) filter.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !isTyping) {
      searchField.focus();
      searchField.select();
      event.preventDefault();
    } else if (event.key === "Backspace" && !isTyping) {
      history.back();
      event.preventDefault();
    }
  });
  addEventListener("hashchange", show);

  const progress = document.getElementById("progress");
  const told = (done, all) => {
    progress.value = all === 0 ? 1 : done / all;
    progress.hidden = done >= all;
  };
  readAll(told).then(() => {
    document.documentElement.setAttribute("data-read", "");
    progress.hidden = true;
  });
  show();
}

start();
