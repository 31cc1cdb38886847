"use strict";

// The rows of an entity or of a class, in pages, in the order of any column.

const rowsPerPage = 100;
const greatestColumns = 12;

/** The columns of a table: those of the entity, or the keys that most of the first objects of a class have. */
function columnsOf(group) {
  if (group.columns) {
    const columns = group.columns.map((column, index) => ({ ...column, valueOf: (row) => row[index + 2] ?? null }));
    const isFirst = (column) => titleName.test(column.name);
    return [...columns.filter(isFirst), ...columns.filter((column) => !isFirst(column))];
  }
  const counts = new Map();
  for (const index of group.rows.slice(0, 200)) {
    const value = rowAt(index)[2];
    for (let at = 0; at < (value?.o ?? []).length; at += 2) {
      counts.set(value.o[at], (counts.get(value.o[at]) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return [{ name: "value", valueOf: (row) => row[2] }];
  const names = [...counts.keys()];
  const common = new Set([...names].sort((first, second) => counts.get(second) - counts.get(first))
    .slice(0, greatestColumns));
  const first = names.filter((name) => common.has(name) && titleName.test(name));
  const others = names.filter((name) => common.has(name) && !titleName.test(name));
  return [...first, ...others].map((name) => ({
    name,
    valueOf: ({ 2: value }) => {
      for (let at = 0; at < (value?.o ?? []).length; at += 2) if (value.o[at] === name) return value.o[at + 1];
      return null;
    },
  }));
}

// The order of the last table that was sorted.
let lastOrder = {};

/** The rows of a group in the order of a column, made in slices. */
async function orderOf(group, column, isDescending) {
  const name = `${group.index} ${column.place} ${isDescending}`;
  if (lastOrder.name === name) return lastOrder.order;
  const slice = new Slice();
  const keys = [];
  for (let at = 0; at < group.rows.length; at += 1) {
    const row = rowAt(group.rows[at]);
    keys.push(column.place < 0 ? sortingKey(row[1]) : sortingKey(column.valueOf(row)));
    if ((at & 255) === 255) await slice.rest();
  }
  const precedes = (first, second) => {
    const order = compareKeys(keys[first], keys[second]);
    // Nothing stays at the end in both directions.
    const isLast = keys[first] === undefined || keys[second] === undefined;
    return isDescending && !isLast ? -order : order;
  };
  let order = group.rows.map((_, index) => index);
  let other = new Array(order.length);
  const runLength = 1024;
  for (let start = 0; start < order.length; start += runLength) {
    const run = order.slice(start, start + runLength).sort(precedes);
    for (let at = 0; at < run.length; at += 1) order[start + at] = run[at];
    await slice.rest();
  }
  for (let width = runLength; width < order.length; width *= 2) {
    for (let start = 0; start < order.length; start += 2 * width) {
      const middle = Math.min(start + width, order.length);
      const end = Math.min(middle + width, order.length);
      let [left, right] = [start, middle];
      for (let to = start; to < end; to += 1) {
        const takesLeft = left < middle && (right >= end || precedes(order[left], order[right]) <= 0);
        other[to] = takesLeft ? order[left++] : order[right++];
        if ((to & 1023) === 1023) await slice.rest();
      }
    }
    [order, other] = [other, order];
  }
  timing.longestSlice = Math.max(timing.longestSlice, slice.longest);
  lastOrder = { name, order: order.map((index) => group.rows[index]) };
  return lastOrder.order;
}

function notesOf(group) {
  const notes = [];
  if (group.total === 0) {
    if (group.isUnreadable) notes.push("The objects cannot be read; the notes of the overview say why.");
    else if (group.isAbstract) notes.push("This entity is abstract: only entities that inherit from it have objects.");
    else notes.push("This entity has no objects.");
  }
  if (group.rows.length < group.total) {
    notes.push(`The page has the first ${numbers.format(group.rows.length)} of ${count(group.total, "row")}.`);
  }
  return notes;
}

async function tableView(group, options) {
  const columns = columnsOf(group).map((column, place) => ({ ...column, place }));
  const keyColumn = { name: isArchive ? "#" : "id", place: -1, valueOf: (row) => row[1] };
  const sorted = [keyColumn, ...columns].find((column) => column.name === options.get("sort"));
  const isDescending = options.get("order") === "descending";
  const order = sorted ? await orderOf(group, sorted, isDescending) : group.rows;
  const pageCount = Math.max(Math.ceil(order.length / rowsPerPage), 1);
  const page = Math.min(Math.max(Math.trunc(Number(options.get("page")) || 1), 1), pageCount);
  const start = (page - 1) * rowsPerPage;
  const shown = order.slice(start, start + rowsPerPage);

  const place = (changes) => {
    const all = { sort: options.get("sort"), order: options.get("order"), page, ...changes };
    const given = Object.entries(all).filter(([key, value]) => value && !(key === "page" && value === 1));
    return placeOfGroup(group, Object.fromEntries(given));
  };
  const headings = [keyColumn, ...columns].map((column) => {
    const isSorted = column === sorted;
    const isNext = isSorted && !isDescending;
    const address = place({ sort: column.name, order: isNext ? "descending" : undefined, page: 1 });
    return el("th", {
      scope: "col", "aria-sort": isSorted ? (isDescending ? "descending" : "ascending") : undefined,
      class: column.place < 0 ? "key" : undefined,
    }, el("a", { href: address, tabindex: -1, title: "Sort" }, text(column.name),
      isSorted ? el("span", { class: "arrow", "aria-hidden": "true" }, isDescending ? " ▼" : " ▲") : null));
  });
  const lines = shown.map((index) => {
    const row = rowAt(index);
    const keyCell = el("th", { scope: "row", class: "key" },
      el("a", { class: "link", href: placeOfRow(row), tabindex: -1 }, String(row[1])));
    const cells = columns.map((column) => {
      const value = column.valueOf(row);
      const isNumber = typeof value === "number";
      // Tables are mostly nothing, which is not to be what one sees.
      if (value === null) return el("td", { class: "nothing", "aria-label": "null", title: "null" }, "–");
      return el("td", { class: isNumber ? "right" : undefined }, linkToParts(value, row) ?? inline(value, 80));
    });
    return el("tr", {}, keyCell, ...cells);
  });
  const table = el("table", { role: "grid", "aria-rowcount": order.length, "aria-label": group.name },
    el("thead", {}, el("tr", {}, ...headings)), el("tbody", {}, ...lines));
  moveInGrid(table, place, page, pageCount);

  const step = (target, words, title) => target < 1 || target > pageCount || target === page
    ? el("span", { class: "step off", "aria-hidden": "true" }, words)
    : el("a", { class: "step", href: place({ page: target }), "aria-label": title, title }, words);
  const range = order.length === 0 ? "no rows" :
    `${numbers.format(start + 1)}–${numbers.format(start + shown.length)} of ${numbers.format(order.length)}`;
  const pager = el("nav", { class: "pager", "aria-label": "Pages" }, step(1, "«", "First page"),
    step(page - 1, "‹", "Page before"), el("span", { class: "number" }, range), step(page + 1, "›", "Next page"),
    step(pageCount, "»", "Last page"));
  const details = [group.parent === undefined ? null : `inherits from ${groups[group.parent].name}`,
    (group.ancestors ?? []).length > 0 ? `inherits from ${group.ancestors.join(", ")}` : null].filter(Boolean);
  return view(group.name, "table",
    el("header", { class: "title" }, heading(group.name), pager,
      details.length > 0 ? el("p", { class: "quiet" }, text(details.join("; "))) : null,
      ...notesOf(group).map((note) => el("p", { class: "note" }, note))),
    el("div", { class: "scroller" }, table));
}

/** A link for objects that a cell has only the number of: to the object, or to the row that has all of them. */
function linkToParts(value, row) {
  if (!value.m || value.m.length === 0) return undefined;
  if (value.m.length === 1) return link(value.m[0], 80);
  return el("a", { class: "link", href: placeOfRow(row), tabindex: -1 }, count(value.n ?? value.m.length, "object"));
}

/** Arrow keys go from cell to cell; the keys for pages turn them. */
function moveInGrid(table, place, page, pageCount) {
  const lines = [...table.rows];
  const cells = lines.map((line) => [...line.cells]);
  for (const cell of cells.flat()) cell.setAttribute("tabindex", "-1");
  for (const line of lines) line.setAttribute("role", "row");
  cells[Math.min(1, cells.length - 1)][0].setAttribute("tabindex", "0");
  const moveTo = (line, column) => {
    const cell = cells[Math.min(Math.max(line, 0), cells.length - 1)]?.[column];
    if (!cell) return;
    table.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("th, td");
    if (cell === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const line = cell.parentElement.rowIndex;
    const column = cell.cellIndex;
    switch (event.key) {
      case "ArrowDown": moveTo(line + 1, column); break;
      case "ArrowUp": moveTo(line - 1, column); break;
      case "ArrowLeft": moveTo(line, Math.max(column - 1, 0)); break;
      case "ArrowRight": moveTo(line, Math.min(column + 1, cells[0].length - 1)); break;
      case "Home": moveTo(line, 0); break;
      case "End": moveTo(line, cells[0].length - 1); break;
      case "PageDown": if (page < pageCount) go(place({ page: page + 1 })); break;
      case "PageUp": if (page > 1) go(place({ page: page - 1 })); break;
      case "Enter": (cell.querySelector("a") ?? cell.parentElement.querySelector("a"))?.click(); break;
      default: return;
    }
    event.preventDefault();
  });
  table.addEventListener("focusin", (event) => {
    const cell = event.target.closest("th, td");
    table.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell?.setAttribute("tabindex", "0");
  });
}
