"use strict";

// The search in all values. It runs in slices, so that it does not block typing.

const greatestResults = 300;
let searchNumber = 0;

/** Returns the first match in a row: the name of the field, and the text around the match. */
function match(row, needle) {
  if (`${row[1]}` === needle || `#${row[1]}` === needle) return { name: isArchive ? "#" : "id", around: `${row[1]}` };
  const { columns } = groups[row[0]];
  let found;
  const search = (name, value) => forEachText(value, (words) => {
    if (found !== undefined) return;
    const at = folded(words).indexOf(needle);
    if (at < 0) return;
    const start = at < 40 ? 0 : at - 40;
    found = { name, around: (start > 0 ? "…" : "") + shortened(words.slice(start), 140) };
  });
  for (let column = 2; column < row.length && found === undefined; column += 1) {
    const value = row[column];
    if (columns || !value?.o) {
      search(columns ? columns[column - 2]?.name ?? "" : "value", value);
    } else {
      for (let at = 0; at < value.o.length && found === undefined; at += 2) {
        if (folded(value.o[at]).includes(needle)) found = { name: "key", around: value.o[at] };
        else search(value.o[at], value.o[at + 1]);
      }
    }
  }
  return found;
}

const greatestTables = 20;

/** Returns links to the tables of the results, which can be sorted and filtered there. If the search began at a table
    with filters, a link leads to that table, too. */
function tablesOf(words, foundIn, { table }) {
  const tables = [...foundIn].filter(([group]) => isListed(group))
    .sort(([, first], [, second]) => second - first).slice(0, greatestTables);
  const linkTo = (group, href, note) => el("a", { class: "link", href }, text(shortened(group.name, 60)), " ", note);
  const links = tables.map(([group, found]) =>
    linkTo(group, placeOfGroup(group, { search: words }), numbers.format(found)));
  if (table && table.filtered().length > 0) {
    links.push(linkTo(table.group, table.place({ search: words, page: 1 }), "with its filters"));
  }
  return tables.length > 0 ? [el("p", { class: "tables" }, "As a table:", ...links)] : [];
}

/** Returns advice for a search without results: the searched values, hints, and a button that clears the search. */
function searchAdvice(words, { place, table }) {
  const [parts, names] = isArchive ? ["values, keys and numbers", "classes"] : ["values and ids", "entities"];
  const objects = count(rows.chunk.length, "object");
  const lines = [`Searched: all ${parts} of ${objects}, and the names of ${names}.`];
  for (const group of groups.filter((one) => one.rows.length < one.total).slice(0, greatestTables)) {
    lines.push(...notesOf(group).map((note) => `${group.name}: ${note}`));
  }
  lines.push("Data is searched if it was opened as an archive or a property list, and long text in its first 64 KB.");
  if (/\S\s+\S/.test(words)) lines.push("The words are searched for as one text: try one of them.");
  if (table && table.filtered().length > 0) {
    const columns = table.filtered().map((column) => `${column.name} ${column.words}`).join(", ");
    lines.push(`The search is in all objects. Filters are active in the table of ${table.group.name}: ${columns}`);
  }
  const end = () => {
    searchField.value = "";
    go(place);
  };
  return [el("ul", {}, ...lines.map((line) => el("li", {}, text(line)))), button("Clear the search", end)];
}

function searchView(words) {
  const needle = folded(words);
  const number = searchNumber += 1;
  const state = el("p", { class: "quiet", role: "status" }, "Searching …");
  const list = el("ul", { class: "results" });
  const more = el("div", { class: "advice" });
  const made = view(`Search for ${words}`, "search",
    el("header", { class: "title" }, heading("Search"), state, more), list);
  const origin = searchOrigin;
  const run = async () => {
    const slice = new Slice();
    let found = 0;
    const foundIn = new Map();
    const named = groups.filter((group) => isListed(group) && folded(group.name).includes(needle));
    for (const group of named) {
      list.append(el("li", {}, el("a", { class: "link", href: placeOfGroup(group) }, text(group.name, "", needle)), " ",
        el("span", { class: "kind" }, groupWord)));
    }
    for (let index = 0; index < rows.chunk.length; index += 1) {
      if (number !== searchNumber) return;
      const row = rowAt(index);
      const place = match(row, needle);
      if (place !== undefined) {
        found += 1;
        const group = groups[row[0]];
        foundIn.set(group, (foundIn.get(group) ?? 0) + 1);
        if (found <= greatestResults) {
          const kind = isArchive && group.isValue
            ? [" ", text(shortened(`${group.name} #${row[1]}`, 60), "kind")] : [];
          list.append(el("li", {}, link([row[0], row[1]]), ...kind, el("div", { class: "aside" },
            text(place.name, "name"), " ", text(place.around, "", needle))));
        }
      }
      if ((index & 31) === 31) {
        const before = slice.start;
        await slice.rest();
        if (slice.start !== before) {
          state.textContent = `${count(found, "match", "matches")}, ${numbers.format(index + 1)} of ` +
            `${count(rows.chunk.length, "object")} searched …`;
        }
      }
    }
    const first = found > greatestResults ? `, the first ${greatestResults} are shown` : "";
    const total = count(found + named.length, "match", "matches");
    state.replaceChildren(total, " for “", text(shortened(words, 60)), `”${first}.`);
    state.setAttribute("data-done", "");
    const isNone = list.children.length === 0;
    more.replaceChildren(...isNone ? searchAdvice(words, origin) : tablesOf(words, foundIn, origin));
    timing.longestSlice = Math.max(timing.longestSlice, slice.longest);
    list.querySelector("a")?.setAttribute("tabindex", "0");
  };
  for (const element of list.querySelectorAll("a")) element.setAttribute("tabindex", "0");
  moveInList(list, "a");
  if (needle === "") state.textContent = "Type text to search for.";
  else read.then(run);
  return made;
}
