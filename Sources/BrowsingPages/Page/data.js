"use strict";

// The data of the page. Rows are in chunks of JSON, which are read one after another while the page can already be
// used. A row is [group, key, value, …].

const head = JSON.parse(document.getElementById("head").textContent);
const isArchive = head.kind === "archive";
const chunkElements = document.getElementsByClassName("chunk");

/** Tables about all rows, by the number of the row in the page. */
const rows = { group: [], chunk: [], position: [] };

/** Per group: the numbers of its rows, the row of each key, what refers to each key, and its fields that refer to
    objects, by number and by name. */
const groups = head.groups.map((group, index) => ({
  ...group, index, rows: [], byKey: new Map(), incoming: new Map(), fieldNumbers: new Map(),
  fieldNames: (group.columns ?? []).map((column) => column.name),
}));

// Chunks that were read, by number, the one that was used last at the end.
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

/** The number of the row that a reference leads to; undefined if the page does not have it. */
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

/** Calls a function with each reference in a row, and with the number of the field that has it; -1 in rows whose parts
    have no names of their own, such as arrays. */
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

/** Calls a function with each text of a value in which people search. */
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
/** Is kept when all chunks have been read once. */
const read = new Promise((resolve) => { tellRead = resolve; });

/** Reads all chunks once, in slices, and notes where rows are and what leads to them. */
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

/** The number of rows that refer to a row, and these rows, each followed by the number of the field that refers. */
function sourcesOf(row) {
  return groups[row[0]].incoming.get(row[1]) ?? noSources;
}

/** The names and values of a row's parts: `{name, value}`, or `{key, value}` where the name is a value itself. */
function fieldsOf(row) {
  const { columns } = groups[row[0]];
  if (columns) return columns.map((column, index) => ({ name: column.name, value: row[index + 2] ?? null, column }));
  return partsOf(row[2]) ?? [{ name: "value", value: row[2] }];
}

/** The parts of an array or a dictionary; undefined for other values. */
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

/** True for the groups of lists: not the top of an archive, which is the tree, and not entities that have no objects
    because they are abstract. */
function isListed(group) {
  return isArchive ? group.index > 0 && group.total > 0 : group.total > 0 || !group.isAbstract;
}

/** The number of a group's objects; a question mark if they could not be read. */
function totalOf(group) {
  return group.isUnreadable && group.total === 0 ? "?" : numbers.format(group.total);
}

/** A sentence for a page without objects; undefined for others. */
function emptyNote() {
  if (groups.some((group) => group.isUnreadable || isListed(group) && group.total > 0)) return undefined;
  return isArchive ? "The archive has no objects." : "The store has no objects.";
}

// Places in the page.

const groupNames = new Map();
for (const group of groups) {
  let name = group.name;
  for (let number = 2; groupNames.has(name); number += 1) name = `${group.name}~${number}`;
  group.id = name;
  groupNames.set(name, group.index);
}

const groupWord = isArchive ? "class" : "entity";

// A reference may not be encoded if it has half a character, which the generator does not write.
const encoded = (name) => encodeURIComponent(name.toWellFormed ? name.toWellFormed() : name);

function placeOfGroup(group, options = {}) {
  const query = new URLSearchParams(options).toString();
  return `#/${groupWord}/${encoded(group.id)}` + (query === "" ? "" : "?" + query);
}

function placeOfRow([group, key]) {
  if (isArchive) return group === 0 ? "#/tree" : `#/object/${key}`;
  return `#/entity/${encoded(groups[group].id)}/row/${key}`;
}
