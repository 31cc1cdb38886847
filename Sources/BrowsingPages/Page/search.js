"use strict";

// Search in all values, in slices, so that typing goes on meanwhile.

const greatestResults = 300;
let searchNumber = 0;

/** The first text of a row that has what is looked for: the field's name and the text around it. */
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

function searchView(words) {
  const needle = folded(words);
  const number = searchNumber += 1;
  const state = el("p", { class: "quiet", role: "status" }, "Searching …");
  const list = el("ul", { class: "results" });
  const made = view(`Search for ${words}`, "search", el("header", { class: "title" }, heading("Search"), state), list);
  const run = async () => {
    const slice = new Slice();
    let found = 0;
    for (const group of groups) {
      if (!folded(group.name).includes(needle) || !isListed(group)) continue;
      list.append(el("li", {}, el("a", { class: "link", href: placeOfGroup(group) }, text(group.name, "", needle)), " ",
        el("span", { class: "kind" }, groupWord)));
    }
    for (let index = 0; index < rows.chunk.length; index += 1) {
      if (number !== searchNumber) return;
      const row = rowAt(index);
      const place = match(row, needle);
      if (place !== undefined) {
        found += 1;
        if (found <= greatestResults) {
          const group = groups[row[0]];
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
    const first = found > greatestResults ? `, the first ${greatestResults} are here` : "";
    state.replaceChildren(count(found, "match", "matches"), " for “", text(shortened(words, 60)), `”${first}.`);
    state.setAttribute("data-done", "");
    timing.longestSlice = Math.max(timing.longestSlice, slice.longest);
    list.querySelector("a")?.setAttribute("tabindex", "0");
  };
  for (const element of list.querySelectorAll("a")) element.setAttribute("tabindex", "0");
  moveInList(list, "a");
  if (needle === "") state.textContent = "Type what to look for.";
  else read.then(run);
  return made;
}
