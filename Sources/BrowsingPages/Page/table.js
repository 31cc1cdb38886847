"use strict";

// The table of an entity or a class. It shows the filtered rows in pages, sorted by any column.

const rowsPerPage = 100;
const greatestColumns = 12;

/** Returns the columns of a table: those of the entity, or the keys that are most frequent in the first objects of the
    class. Columns with titles come first. */
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

// The row order of the table that was sorted last.
let lastOrder = {};

/** Returns the rows of a group, sorted by a column. Sorts in slices. */
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
    // Rows without a value are last in both directions.
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

/** Returns a link for a cell with a to-many relationship: to the object if there is only one, or else to the row, which
    lists all objects. Returns undefined for other cells. */
function linkToParts(value, row) {
  if (!value.m || value.m.length === 0) return undefined;
  if (value.m.length === 1) return link(value.m[0], 80);
  return el("a", { class: "link", href: placeOfRow(row), tabindex: -1 }, count(value.n ?? value.m.length, "object"));
}

/** Returns advice for filters that together keep no row: each filter with its error and its syntax. */
function adviceFor(filters) {
  const lines = filters.map(({ name, words, mistake, help }) => el("li", {}, text(name, "name"), " ",
    text(shortened(words, 60)), mistake ? el("span", { class: "wrong" }, " ", text(mistake)) : null,
    help ? el("div", { class: "quiet" }, help) : null));
  const words = lines.length === 1 ? "No row meets this filter:" : "No row meets all of these filters:";
  return [el("p", {}, words), el("ul", {}, ...lines)];
}

/** The table of a group. Each column has a filter field below its heading. */
class Table {
  constructor(group, options) {
    this.group = group;
    this.options = options;
    const key = {
      name: isArchive ? "#" : "id", id: "#", kind: "number",
      valueOf: ({ 1: number }) => typeof number === "string" ? { n: number } : number,
    };
    this.columns = [key, ...columnsOf(group)].map((column, index) => {
      const id = column.id ?? column.name;
      const words = options.get(`filter.${id}`) ?? "";
      return { ...column, id, place: index - 1, words, type: filterTypeOf(column, group) };
    });
    this.sorted = this.columns.find((column) => column.id === options.get("sort"));
    this.isDescending = options.get("order") === "descending";
    this.page = Math.max(Math.trunc(Number(options.get("page")) || 1), 1);
    this.search = options.get("search") ?? "";
    this.runs = 0;
    this.links = new Map();
    this.fields = new Map();
    this.lines = el("tbody");
    this.pager = el("nav", { class: "pager", "aria-label": "Pages" });
    this.state = el("span", { role: "status" });
    this.clear = button("Clear the filters", () => this.clearFilters());
    this.clearSearch = button("Clear the search", () => this.endSearch());
    this.kept = el("p", { class: "kept" }, this.state);
    this.advice = el("div", { class: "advice" });
    this.element = el("table", { role: "grid", "aria-label": group.name }, el("thead", {},
      el("tr", { role: "row" }, ...this.columns.map((column) => this.heading(column))),
      group.rows.length === 0 ? null : el("tr", { role: "row", class: "filters" },
        ...this.columns.map((column) => this.filterCell(column)))), this.lines);
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.element.addEventListener("focusin", (event) => {
      if (!(event.target instanceof HTMLInputElement)) this.mark(event.target.closest("th, td"));
    });
  }

  /** Returns the place of the same table with other options, such as the order or the page. */
  place(changes = {}) {
    const { options, page, search } = this;
    const all = { sort: options.get("sort"), order: options.get("order"), page, search, ...changes };
    const given = Object.entries(all).filter(([key, value]) => value && !(key === "page" && value === 1));
    const filters = this.filtered().map((column) => [`filter.${column.id}`, column.words]);
    return placeOfGroup(this.group, [...given, ...filters]);
  }

  /** Returns the columns that have a filter. */
  filtered() {
    return this.columns.filter((column) => column.words.trim() !== "");
  }

  heading(column) {
    const isSorted = column === this.sorted;
    const order = this.isDescending ? "descending" : "ascending";
    const link = el("a", { tabindex: -1, title: "Sort" }, text(column.name),
      isSorted ? el("span", { class: "arrow", "aria-hidden": "true" }, this.isDescending ? " ▼" : " ▲") : null);
    this.links.set(column, link);
    return el("th", {
      scope: "col", tabindex: -1, "aria-sort": isSorted ? order : undefined,
      class: column.place < 0 ? "key" : undefined,
    }, link);
  }

  filterCell(column) {
    const field = el("input", {
      type: "search", size: 6, "aria-label": `Filter ${column.name}`, title: filterHelp[column.type],
      placeholder: filterExamples[column.type], autocomplete: "off", spellcheck: "false",
    });
    field.value = column.words;
    field.addEventListener("input", () => {
      column.words = field.value;
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.filter(), 150);
    });
    this.fields.set(column, field);
    return el("td", { class: column.place < 0 ? "key" : undefined }, field);
  }

  /** Applies the typed filters. Replaces the entry in the browser's history: going back once leaves the table. */
  filter() {
    clearTimeout(this.typing);
    this.page = 1;
    if (this.element.isConnected) renamePlace(this.place());
    return this.fill();
  }

  clearFilters() {
    for (const column of this.columns) {
      column.words = "";
      this.fields.get(column).value = "";
    }
    this.fields.get(this.columns[0])?.focus();
    return this.filter();
  }

  endSearch() {
    this.search = "";
    this.fields.get(this.columns[0])?.focus();
    return this.filter();
  }

  /** Fills the table with the rows that match the search and the filters. A later call cancels earlier ones. */
  async fill() {
    const run = this.runs += 1;
    const { group, sorted } = this;
    const filters = [];
    const needle = folded(this.search);
    if (needle !== "") {
      const keeps = (row) => match(row, needle) !== undefined;
      filters.push({ name: "any value", words: this.search, keeps, valueOf: (row) => row });
    }
    for (const column of this.columns) {
      const filter = readFilter(column.words, column.type);
      this.fields.get(column)?.setAttribute("aria-invalid", String(filter?.mistake !== undefined));
      const { id, name, words, type } = column;
      const valueOf = (row) => resolved(column.valueOf(row));
      if (filter) filters.push({ ...filter, column: id, name, words, help: filterHelp[type], valueOf });
    }
    const kept = filters.length === 0 ? group.rows : await keptRows(group, filters, () => run === this.runs);
    const order = kept && sorted ? await orderOf(group, sorted, this.isDescending) : group.rows;
    if (run !== this.runs) return;
    const isKept = new Set(kept === group.rows ? [] : kept);
    this.show(kept === group.rows ? order : order.filter((index) => isKept.has(index)), filters);
  }

  /** Shows the current page of the rows in `order`. */
  show(order, filters) {
    const { group } = this;
    this.pageCount = Math.max(Math.ceil(order.length / rowsPerPage), 1);
    this.page = Math.min(this.page, this.pageCount);
    const start = (this.page - 1) * rowsPerPage;
    const shown = order.slice(start, start + rowsPerPage);
    this.lines.replaceChildren(...shown.map((index) => this.line(rowAt(index))));
    this.element.setAttribute("aria-rowcount", order.length);
    for (const [column, link] of this.links) {
      const isNext = column === this.sorted && !this.isDescending;
      link.setAttribute("href", this.place({ sort: column.id, order: isNext ? "descending" : undefined, page: 1 }));
    }
    this.mark((this.lines.rows[0] ?? this.element.rows[0]).cells[0]);

    const step = (target, words, title) => target < 1 || target > this.pageCount || target === this.page
      ? el("span", { class: "step off", "aria-hidden": "true" }, words)
      : el("a", { class: "step", href: this.place({ page: target }), "aria-label": title, title }, words);
    const range = order.length === 0 ? "no rows" :
      `${numbers.format(start + 1)}–${numbers.format(start + shown.length)} of ${numbers.format(order.length)}`;
    this.pager.replaceChildren(step(1, "«", "First page"), step(this.page - 1, "‹", "Previous page"),
      el("span", { class: "number" }, range), step(this.page + 1, "›", "Next page"),
      step(this.pageCount, "»", "Last page"));

    this.kept.hidden = filters.length === 0;
    const kept = filters.length === 0 ? [] : [`${numbers.format(order.length)} of ${count(group.rows.length, "row")}`];
    if (this.search !== "") kept.push(" for “", text(shortened(this.search, 60)), "”");
    this.state.replaceChildren(...kept);
    const isNone = order.length === 0 && filters.length > 0;
    this.advice.replaceChildren(...isNone ? adviceFor(filters) : []);
    this.clear.hidden = this.filtered().length === 0;
    this.clearSearch.hidden = this.search === "";
    (isNone ? this.advice : this.kept).append(this.clear, this.clearSearch);
  }

  line(row) {
    const cells = this.columns.slice(1).map((column) => {
      const value = column.valueOf(row);
      // Many cells of a table are null. A dash is less prominent than the word.
      if (value === null) return el("td", { class: "nothing", tabindex: -1, "aria-label": "null", title: "null" }, "–");
      const className = kindOf(value) === "number" ? "right" : undefined;
      return el("td", { class: className, tabindex: -1 }, linkToParts(value, row) ?? inline(value, 80));
    });
    const key = el("a", { class: "link", href: placeOfRow(row), tabindex: -1 }, String(row[1]));
    return el("tr", { role: "row" }, el("th", { scope: "row", class: "key", tabindex: -1 }, key), ...cells);
  }

  /** Makes a cell the target of the Tab key. */
  mark(cell) {
    this.element.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell?.setAttribute("tabindex", "0");
  }

  moveTo(line, column) {
    const { rows: lines } = this.element;
    const cell = lines[Math.min(Math.max(line, 0), lines.length - 1)].cells[column];
    if (!cell) return;
    const field = cell.querySelector("input");
    if (!field) this.mark(cell);
    (field ?? cell).focus();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Handles a key. Arrow keys, Home and End move to another cell or filter field. Page Up and Page Down change the
      page. Enter follows a link or applies the filters. */
  press(event) {
    const cell = event.target.closest("th, td");
    if (cell === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const line = cell.parentElement.rowIndex;
    const column = cell.cellIndex;
    const isTyping = event.target instanceof HTMLInputElement;
    if (isTyping && !["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    const last = this.columns.length - 1;
    switch (event.key) {
      case "ArrowDown": this.moveTo(line + 1, column); break;
      case "ArrowUp": this.moveTo(line - 1, column); break;
      case "ArrowLeft": this.moveTo(line, Math.max(column - 1, 0)); break;
      case "ArrowRight": this.moveTo(line, Math.min(column + 1, last)); break;
      case "Home": this.moveTo(line, 0); break;
      case "End": this.moveTo(line, last); break;
      case "PageDown": if (this.page < this.pageCount) go(this.place({ page: this.page + 1 })); break;
      case "PageUp": if (this.page > 1) go(this.place({ page: this.page - 1 })); break;
      case "Enter":
        if (isTyping) this.filter();
        else (cell.querySelector("a") ?? cell.parentElement.querySelector("a"))?.click();
        break;
      default: return;
    }
    event.preventDefault();
  }
}

async function tableView(group, options) {
  const table = new Table(group, options);
  await table.fill();
  const details = [group.parent === undefined ? null : `inherits from ${groups[group.parent].name}`,
    (group.ancestors ?? []).length > 0 ? `inherits from ${group.ancestors.join(", ")}` : null].filter(Boolean);
  const made = view(group.name, "table",
    el("header", { class: "title" }, heading(group.name), table.kept, table.pager,
      details.length > 0 ? el("p", { class: "quiet" }, text(details.join("; "))) : null,
      ...notesOf(group).map((note) => el("p", { class: "note" }, note))),
    el("div", { class: "scroller" }, table.element, table.advice));
  return { ...made, table };
}
