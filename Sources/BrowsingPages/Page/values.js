"use strict";

// Values on one line, for tables, for trees, and for the titles of rows.

const greatestLine = 160;
/** Names of fields whose value is a title without the name. Values of typedstreams have names such as `$1`. */
const titleName = /^(display|full|short)?(name|title|label|subject|text)$|^\$\d+$/i;

/** Returns a short title of a row; an empty string if no value of the row is suitable. */
function titleOf(row, depth = 0) {
  const { columns } = groups[row[0]];
  if (columns) {
    let found = "";
    for (let index = 0; index < columns.length; index += 1) {
      const value = row[index + 2];
      const words = typeof value === "string" ? value : value?.s;
      if (words === undefined || isBlank(words)) continue;
      if (titleName.test(columns[index].name)) return shortened(words, 80);
      if (found === "") found = shortened(words, 80);
    }
    return found;
  }
  const title = titleOfValue(row[2], depth);
  return isBlank(title) ? "" : title;
}

/** True if a text has only white space. A link with this text would be invisible. */
function isBlank(words) {
  return !/\S/.test(words);
}

function titleOfValue(value, depth) {
  if (value === null) return "null";
  if (typeof value !== "object") return shortened(String(value), 80);
  if (value.s !== undefined) return shortened(value.s, 80);
  for (const part of [value.d, value.u, value.l, value.x]) if (part !== undefined) return shortened(part, 80);
  if (value.b !== undefined) return dataLine(value);
  if (value.n !== undefined && value.m === undefined) return String(value.n);
  if (value.a) return count(value.a.length, "element");
  if (value.p) return count(value.p.length / 2, "entry", "entries");
  if (value.o && depth < 2) {
    for (const isWanted of [(name) => titleName.test(name), () => true]) {
      for (let index = 0; index < value.o.length; index += 2) {
        if (!isWanted(value.o[index])) continue;
        const words = wordsOf(value.o[index + 1], depth + 1);
        if (words) return titleName.test(value.o[index]) ? words : `${value.o[index]}: ${words}`;
      }
    }
  }
  return "";
}

/** Returns the text of a string, or of the string that a reference refers to; undefined for other values. */
function wordsOf(value, depth) {
  if (typeof value === "string") return shortened(value, 80);
  if (value?.s) return shortened(value.s, 80);
  if (!value?.r) return undefined;
  const index = find(value.r);
  if (index === undefined) return undefined;
  const row = rowAt(index);
  const natural = row[2];
  return typeof natural === "string" || natural?.s ? titleOf(row, depth) : undefined;
}

/** Returns the value of the object for a reference to a string, a number or the like in an archive. Returns any other
    value itself. */
function resolved(value) {
  const index = value?.r && groups[value.r[0]]?.isValue ? find(value.r) : undefined;
  return index === undefined ? value : rowAt(index)[2];
}

/** Returns the type of a scalar; undefined for other values. */
function kindOf(value) {
  const names = { string: "string", number: "number", boolean: "boolean" };
  if (value === null || typeof value !== "object") return names[typeof value];
  if (value.b !== undefined) return "data";
  if (value.s !== undefined) return "string";
  if (value.d !== undefined) return "date";
  if (value.u !== undefined) return "uuid";
  if (value.l !== undefined) return "uri";
  return value.n !== undefined && value.m === undefined ? "number" : undefined;
}

function dataLine(value) {
  const size = count(value.n, "byte");
  if (value.i) return `picture, ${size}`;
  if (value.f) return `${value.f}, ${size}`;
  const start = Array.from(bytesOf(value.b.slice(0, 16)).subarray(0, 8)).map(hex).join(" ");
  return value.n === 0 ? "no bytes" : `${size}: ${start}${value.n > 8 ? " …" : ""}`;
}

/** Returns an element that shows a value on one line. */
function inline(value, limit = greatestLine, needle = "") {
  if (value === null || value === undefined) return el("span", { class: "nothing" }, "null");
  if (typeof value === "string") {
    if (value === "") return el("span", { class: "nothing" }, "empty string");
    return text(shortened(value, limit), "text", needle);
  }
  if (typeof value === "boolean") return el("span", { class: "word" }, value ? "true" : "false");
  if (typeof value === "number") return el("span", { class: "number" }, ...textNodes(String(value), needle));
  if (value.s !== undefined) return text(shortened(value.s, limit) + "…", "text", needle);
  if (value.d !== undefined) return text(value.d, "number", needle);
  if (value.u !== undefined) return text(value.u, "code", needle);
  if (value.l !== undefined) return text(shortened(value.l, limit), "text", needle);
  if (value.x !== undefined) return el("span", { class: "wrong" }, "unreadable: ", text(shortened(value.x, limit)));
  if (value.r) return link(value.r, limit);
  if (value.b !== undefined) {
    return value.i ? picture(value, "thumbnail") : el("span", { class: "code quiet" }, dataLine(value));
  }
  if (value.m) return el("span", { class: "quiet" }, count(value.n ?? value.m.length, "object"));
  if (value.a) return el("span", { class: "quiet" }, count(value.a.length, "element"));
  if (value.o) return el("span", { class: "quiet" }, count(value.o.length / 2, "field"));
  if (value.p) return el("span", { class: "quiet" }, count(value.p.length / 2, "entry", "entries"));
  return text(String(value.n), "number", needle);
}

/** Returns the name of the entity or class of a row, and its key. */
function kindOfRow([group, key]) {
  return group === 0 && isArchive ? "top level" : `${groups[group]?.name} ${isArchive ? "#" : ""}${key}`;
}

/** Returns a link to a row, with its title, its entity or class, and its key. In an archive, a link to a string, a
    number or the like shows the value. */
function link(reference, limit = greatestLine, needle = "") {
  const [group, key] = reference;
  const index = find(reference);
  const name = groups[group]?.name;
  if (index === undefined) {
    const where = name === undefined ? `#${key}` : `${name} ${key}`;
    return el("span", { class: "wrong" }, "→ ", text(where), " (not in this page)");
  }
  const row = rowAt(index);
  const title = titleOf(row);
  const address = placeOfRow(reference);
  if (isArchive && groups[group].isValue) {
    return el("a", { class: "link value", href: address, tabindex: -1 }, inline(row[2], limit, needle));
  }
  const kind = shortened(kindOfRow(reference), 60);
  // Without a title, the entity or class and the key are the whole link, and have its colour.
  const parts = title === "" ? [text(kind)] :
    [text(shortened(title, limit), undefined, needle), " ", text(kind, "kind")];
  return el("a", { class: "link", href: address, tabindex: -1 }, ...parts);
}

/** Returns an image. The generator names the format only if the bytes begin like one of four formats that contain no
    scripts. */
function picture(value, className) {
  const formats = { __proto__: null, png: "image/png", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };
  const format = formats[value.i];
  const image = el("img", { class: className, alt: `${value.i} picture, ${count(value.n, "byte")}`, loading: "lazy" });
  if (format !== undefined) image.src = `data:${format};base64,${value.b}`;
  return image;
}

/** Returns the key for sorting a value: a number or a folded text; undefined for a missing value, which is last. */
function sortingKey(reference) {
  const value = resolved(reference);
  if (value === null || value === undefined) return undefined;
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value === "string") return folded(value.slice(0, 200));
  if (value.m || value.a) return value.n ?? (value.m ?? value.a).length;
  if (value.r) {
    const index = find(value.r);
    return index === undefined ? undefined : folded(titleOf(rowAt(index)) || String(value.r[1]).padStart(12));
  }
  if (value.b !== undefined) return value.n;
  for (const part of [value.s, value.d, value.u, value.l]) if (part !== undefined) return folded(part.slice(0, 200));
  const number = Number(value.n);
  return Number.isNaN(number) ? undefined : number;
}

function compareKeys(first, second) {
  if (first === second) return 0;
  if (first === undefined) return 1;
  if (second === undefined) return -1;
  if (typeof first !== typeof second) return typeof first === "number" ? -1 : 1;
  return first < second ? -1 : 1;
}
