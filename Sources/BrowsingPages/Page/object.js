"use strict";

// The view of an object: its fields as a tree, and the references to it.

/** The numbers of referring objects per field, and of fields, that are shown before a button shows all. */
const greatestSources = 20;
const greatestSourceFields = 50;

/** Returns the indexes or keys of the first three parts of a row that contain a reference to another row. */
function partsThatRefer(row, [group, key]) {
  const names = [];
  for (const field of fieldsOf(row)) {
    let leads = false;
    const visit = (reference) => { leads ||= reference[0] === group && reference[1] === key; };
    forEachReference(field.value, visit);
    if (field.key !== undefined) forEachReference(field.key, visit);
    if (!leads) continue;
    names.push(field.key === undefined ? `[${field.name}]` : `[${keyWords(field.key)}]`);
    if (names.length === 3) break;
  }
  return names;
}

function keyWords(key) {
  const index = key?.r ? find(key.r) : undefined;
  return index === undefined ? titleOfValue(key, 2) : titleOf(rowAt(index), 2);
}

/** Returns the rows that refer to a row, by group and field: `{group, field, name, rows}`, sorted by group name. */
function sourcesByField(row) {
  const { pairs } = sourcesOf(row);
  const found = new Map();
  for (let at = 0; at < pairs.length; at += 2) {
    const [index, field] = [pairs[at], pairs[at + 1]];
    const group = groups[rows.group[index]];
    const id = `${group.index} ${field}`;
    if (!found.has(id)) found.set(id, { group, field, name: group.fieldNames[field] ?? "", rows: [] });
    found.get(id).rows.push(index);
  }
  return [...found.values()].sort((first, second) => first.group === second.group ? first.field - second.field :
    first.group.name < second.group.name ? -1 : 1);
}

/** Appends an element for each of the first values. Returns a button that appends all other elements, in slices. */
function appendFirst(list, values, limit, make, words) {
  const more = el("button", { type: "button" }, `Show all ${numbers.format(values.length)}`, words);
  list.append(...values.slice(0, limit).map(make));
  more.hidden = values.length <= limit;
  more.addEventListener("click", async () => {
    more.hidden = true;
    const slice = new Slice();
    for (let at = limit; at < values.length; at += 1) {
      list.append(make(values[at]));
      if (at === limit) list.lastElementChild.querySelector("a").focus();
      await slice.rest();
    }
  });
  return more;
}

function sourcesList(row) {
  const item = (index, field) => {
    const source = rowAt(index);
    const place = link([source[0], source[1]]);
    place.setAttribute("tabindex", "0");
    const parts = field === -1 ? partsThatRefer(source, row).flatMap((name) => [text(name, "name"), " "]) : [];
    return el("li", {}, place, parts.length > 0 ? el("span", { class: "aside" }, ...parts) : null);
  };
  const section = ({ group, field, name, rows: sources }) => {
    const places = el("ul");
    const words = el("span", { class: "unseen" }, ` objects: ${group.name} ${name}`);
    const more = appendFirst(places, sources, greatestSources, (index) => item(index, field), words);
    return el("section", {}, el("h3", {}, text(group.name), " ", text(name, "name"), " ",
      el("span", { class: "number" }, numbers.format(sources.length))), places, more);
  };
  const list = el("div", { class: "sources" });
  const more = appendFirst(list, sourcesByField(row), greatestSourceFields, section, " fields");
  moveInList(list, "a");
  const { count: total } = sourcesOf(row);
  return el("section", { class: "leads" },
    el("h2", {}, "Referenced by ", el("span", { class: "quiet" }, numbers.format(total))),
    total === 0 ? el("p", { class: "quiet" }, "No object in this page refers to this one.") : list, more);
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

/** Returns the view of an archive's graph of objects, as a tree that begins at the top level. */
function treeView() {
  const index = find([0, 0]);
  if (index === undefined) return messageView("The archive has no $top.");
  const tree = new Tree(fieldsOf(rowAt(index)), index, "Objects of the archive");
  tree.openFirst(3, 40);
  return view("Objects", "object", el("header", { class: "title" }, heading("Objects"),
    el("p", { class: "quiet" }, "From the top of the archive. A shared object can be opened at each reference to it.")),
  tree.element);
}
