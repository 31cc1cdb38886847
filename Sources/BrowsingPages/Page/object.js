"use strict";

// One object: its fields as a tree, and what leads to it.

const greatestSources = 100;

/** The names of the fields of a row that lead to another. */
function fieldsThatLead(row, [group, key]) {
  const names = [];
  for (const field of fieldsOf(row)) {
    let leads = false;
    const visit = (reference) => { leads ||= reference[0] === group && reference[1] === key; };
    forEachReference(field.value, visit);
    if (field.key !== undefined) forEachReference(field.key, visit);
    if (!leads) continue;
    names.push(field.key === undefined ? (field.isIndex ? `[${field.name}]` : field.name) : `[${keyWords(field.key)}]`);
    if (names.length === 3) break;
  }
  return names;
}

function keyWords(key) {
  const index = key?.r ? find(key.r) : undefined;
  return index === undefined ? titleOfValue(key, 2) : titleOf(rowAt(index), 2);
}

function sourcesList(row) {
  const sources = sourcesOf(row);
  const list = el("ul", { class: "sources" });
  let shown = 0;
  const more = el("button", { type: "button" });
  const add = () => {
    const first = list.children.length;
    for (const index of sources.slice(shown, shown + greatestSources)) {
      const source = rowAt(index);
      const place = link([source[0], source[1]]);
      place.setAttribute("tabindex", "0");
      const names = fieldsThatLead(source, row).flatMap((name) => [text(name, "name"), " "]);
      list.append(el("li", {}, place, el("span", { class: "aside" }, ...names)));
    }
    shown = Math.min(shown + greatestSources, sources.length);
    more.hidden = shown === sources.length;
    more.textContent = `${numbers.format(sources.length - shown)} more`;
    if (first > 0) list.children[first]?.querySelector("a")?.focus();
  };
  more.addEventListener("click", add);
  add();
  moveInList(list, "a");
  return el("section", { class: "leads" },
    el("h2", {}, "Who leads here ", el("span", { class: "quiet" }, numbers.format(sources.length))),
    sources.length === 0 ? el("p", { class: "quiet" }, "Nothing in this page leads to this object.") : list, more);
}

function objectView(index) {
  const row = rowAt(index);
  const group = groups[row[0]];
  const title = titleOf(row);
  const name = `${group.name} ${isArchive ? "#" : ""}${row[1]}`;
  const tree = new Tree(fieldsOf(row), index, `Fields of ${name}`);
  tree.openFirst(1, isArchive ? 60 : 0);
  const value = row[2];
  const isPicture = group.columns === undefined && value?.i;
  return view(title === "" ? name : `${shortened(title, 60)} – ${name}`, "object",
    el("header", { class: "title" }, heading(title === "" ? name : title),
      el("p", { class: "quiet" }, el("a", { class: "link", href: placeOfGroup(group) }, text(group.name)), " ",
        el("span", { class: "number" }, `${isArchive ? "#" : ""}${row[1]}`))),
    isPicture ? el("p", {}, picture(value, "picture")) : null,
    tree.element, sourcesList(row));
}

/** The whole graph of an archive, from its top. */
function treeView() {
  const index = find([0, 0]);
  if (index === undefined) return messageView("The archive has no top.");
  const tree = new Tree(fieldsOf(rowAt(index)), index, "Objects of the archive");
  tree.openFirst(3, 40);
  return view("Objects", "object", el("header", { class: "title" }, heading("Objects"),
    el("p", { class: "quiet" }, "From the top of the archive. A shared object opens at each place that leads to it.")),
  tree.element);
}
