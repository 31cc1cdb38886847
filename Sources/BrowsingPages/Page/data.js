"use strict";

// The data of the page. Rows are in chunks of JSON. They are read one after another, and the page can be used at the
// same time. A row is [group, key, value, …].

const head = JSON.parse(document.getElementById("head").textContent);
const isArchive = head.kind === "archive";
const chunkElements = document.getElementsByClassName("chunk");

/** For each row of the page, by index: its group, its chunk, and its position in the chunk. */
const rows = { group: [], chunk: [], position: [] };

/** The groups. `rows` has the indexes of a group's rows, `byKey` the index of the row with each key, and `incoming` the
    references to each key. `fieldNames` has the names of the columns, or else of the fields with references.
    `fieldNumbers` has the indexes of the latter. */
const groups = head.groups.map((group, index) => ({
  ...group, index, rows: [], byKey: new Map(), incoming: new Map(), fieldNumbers: new Map(),
  fieldNames: (group.columns ?? []).map((column) => column.name),
}));

// The parsed chunks by index. The most recently used chunk is the last one.
const chunkCache = new Map();
let cachedSize = 0;
const greatestCachedSize = 64 << 20;

function chunkAt(number) {
  let chunk = chunkCache.get(number);
  if (chunk !== undefined) {
    chunkCache.delete(number);
    chunkCache.set(number, chunk);
    return chunk.rows;
  }
  const json = chunkElements[number].textContent;
  chunk = { rows: JSON.parse(json), size: json.length };
  chunkCache.set(number, chunk);
  cachedSize += chunk.size;
  for (const [oldest, { size }] of chunkCache) {
    if (cachedSize <= greatestCachedSize || oldest === number) break;
    chunkCache.delete(oldest);
    cachedSize -= size;
  }
  return chunk.rows;
}

function rowAt(index) {
  return chunkAt(rows.chunk[index])[rows.position[index]];
}

/** Returns the index of the row that a reference refers to; undefined if the page does not contain the row. */
function find([group, key]) {
  return groups[group]?.byKey.get(key);
}

/** Calls a function with each reference in a value. */
function forEachReference(value, visit) {
  if (value === null || typeof value !== "object") return;
  if (value.r) visit(value.r);
  for (const reference of value.m ?? []) visit(reference);
  for (const part of value.a ?? value.o ?? value.p ?? []) forEachReference(part, visit);
}

/** Calls a function with each reference in a row, and with the index of the field that contains it. The index is -1 if
    the parts of the row have no names, as in an array. */
function forEachReferenceOfRow(row, visit) {
  const { columns, fieldNames, fieldNumbers } = groups[row[0]];
  if (columns) {
    for (let column = 2; column < row.length; column += 1) {
      forEachReference(row[column], (reference) => visit(reference, column - 2));
    }
    return;
  }
  const names = row[2]?.o;
  if (names === undefined) forEachReference(row[2], (reference) => visit(reference, -1));
  for (let at = 0; at < (names ?? []).length; at += 2) {
    forEachReference(names[at + 1], (reference) => {
      let field = fieldNumbers.get(names[at]);
      if (field === undefined) {
        field = fieldNames.push(names[at]) - 1;
        fieldNumbers.set(names[at], field);
      }
      visit(reference, field);
    });
  }
}

/** Calls a function with each text in a value that searches compare. */
function forEachText(value, visit) {
  if (value === null) return;
  if (typeof value !== "object") {
    visit(String(value));
    return;
  }
  const own = value.n !== undefined && value.b === undefined && value.s === undefined && value.m === undefined;
  for (const part of [value.s, value.d, value.u, value.l, value.x]) if (part !== undefined) visit(part);
  if (own) visit(String(value.n));
  if (value.v !== undefined) forEachText(value.v, visit);
  for (const part of value.a ?? value.o ?? value.p ?? []) forEachText(part, visit);
}

const timing = { read: 0, longestSlice: 0 };
let isRead = false;
let tellRead;
/** Resolves when all chunks have been read once. */
const read = new Promise((resolve) => { tellRead = resolve; });

/** Reads all chunks once, in slices, and records the positions of rows and the references to them. */
async function readAll(progress) {
  const start = performance.now();
  const slice = new Slice();
  for (let number = 0; number < chunkElements.length; number += 1) {
    const chunk = chunkAt(number);
    for (let position = 0; position < chunk.length; position += 1) {
      const row = chunk[position];
      const index = rows.chunk.length;
      rows.group.push(row[0]);
      rows.chunk.push(number);
      rows.position.push(position);
      const group = groups[row[0]];
      group.rows.push(index);
      group.byKey.set(row[1], index);
      forEachReferenceOfRow(row, ([target, key], field) => {
        const incoming = groups[target]?.incoming;
        if (incoming === undefined) return;
        const sources = incoming.get(key);
        if (sources === undefined) {
          incoming.set(key, { count: 1, pairs: [index, field] });
          return;
        }
        const { pairs } = sources;
        const isSameRow = pairs[pairs.length - 2] === index;
        if (!isSameRow) sources.count += 1;
        if (!isSameRow || pairs[pairs.length - 1] !== field) pairs.push(index, field);
      });
      if ((position & 63) === 63) await slice.rest();
    }
    progress(rows.chunk.length, head.rows);
    await slice.rest();
  }
  timing.read = performance.now() - start;
  timing.longestSlice = slice.longest;
  isRead = true;
  tellRead();
}

const noSources = { count: 0, pairs: [] };

/** Returns `count`, the number of rows that refer to a row, and `pairs`, a flat array: for each field that refers to
    the row, the index of the field's row, then the index of the field. */
function sourcesOf(row) {
  return groups[row[0]].incoming.get(row[1]) ?? noSources;
}

/** Returns the parts of a row: `{name, value}`, or `{key, value}` if the key may be a value of any kind. */
function fieldsOf(row) {
  const { columns } = groups[row[0]];
  if (columns) return columns.map((column, index) => ({ name: column.name, value: row[index + 2] ?? null, column }));
  return partsOf(row[2]) ?? [{ name: "value", value: row[2] }];
}

/** Returns the parts of an array, a dictionary or a to-many relationship; undefined for other values. */
function partsOf(value) {
  if (value === null || typeof value !== "object") return undefined;
  if (value.a) return value.a.map((part, index) => ({ name: `${index}`, value: part, isIndex: true }));
  if (value.m) return value.m.map((part, index) => ({ name: `${index}`, value: { r: part }, isIndex: true }));
  const parts = [];
  for (let index = 0; index < (value.o ?? []).length; index += 2) {
    parts.push({ name: value.o[index], value: value.o[index + 1] });
  }
  if (value.o) return parts;
  for (let index = 0; index < (value.p ?? []).length; index += 2) {
    parts.push({ key: value.p[index], value: value.p[index + 1] });
  }
  return value.p ? parts : undefined;
}

/** True if a group is listed. The top level of an archive is not listed, because the tree shows it. Classes and
    abstract entities without objects are not listed either. */
function isListed(group) {
  return isArchive ? group.index > 0 && group.total > 0 : group.total > 0 || !group.isAbstract;
}

/** Returns the number of a group's objects as text; a question mark if no object could be read. */
function totalOf(group) {
  return group.isUnreadable && group.total === 0 ? "?" : numbers.format(group.total);
}

/** Returns a note for a page without objects; undefined if there are objects, or if some could not be read. */
function emptyNote() {
  if (groups.some((group) => group.isUnreadable || isListed(group) && group.total > 0)) return undefined;
  return isArchive ? "The archive has no objects." : "The store has no objects.";
}

// Places. A place is the fragment of the page's URL, such as `#/entity/Note/row/3`. It identifies a view.

const groupNames = new Map();
for (const group of groups) {
  let name = group.name;
  for (let number = 2; groupNames.has(name); number += 1) name = `${group.name}~${number}`;
  group.id = name;
  groupNames.set(name, group.index);
}

const groupWord = isArchive ? "class" : "entity";

// `encodeURIComponent` throws for an unpaired surrogate. The data of the page has none, but typed text may.
const encoded = (name) => encodeURIComponent(name.toWellFormed ? name.toWellFormed() : name);

function placeOfGroup(group, options = {}) {
  const query = new URLSearchParams(options).toString();
  return `#/${groupWord}/${encoded(group.id)}` + (query === "" ? "" : "?" + query);
}

function placeOfRow([group, key]) {
  if (isArchive) return group === 0 ? "#/tree" : `#/object/${key}`;
  return `#/entity/${encoded(groups[group].id)}/row/${key}`;
}
