"use strict";

// Values on one line: in tables, in trees, and as the names of rows.

const greatestLine = 160;
/** Names that are shown without themselves; values of typedstreams have a number for a name. */
const titleName = /^(display|full|short)?(name|title|label|subject|text)$|^\$\d+$/i;

/** A short name of a row in words; empty if nothing in it would be one. */
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

/** True for white space, which would make an invisible link. */
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

/** The words of a value or of the string that it refers to; undefined if it is neither. */
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

/** The value of the object, if a reference of an archive leads to a string, a number or the like. */
function resolved(value) {
  const index = value?.r && groups[value.r[0]]?.isValue ? find(value.r) : undefined;
  return index === undefined ? value : rowAt(index)[2];
}

/** The type of a value without a model; undefined for references and containers, whose text says what they are. */
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

/** A value on one line. */
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

/** The entity or class of a row, and its number. */
function kindOfRow([group, key]) {
  return group === 0 && isArchive ? "top level" : `${groups[group]?.name} ${isArchive ? "#" : ""}${key}`;
}

/** A link to a row, with what the row is. Objects that are a value of their own are shown by it. */
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
  // Without a title, the entity and the number are the whole link, and have its colour.
  const parts = title === "" ? [text(kind)] :
    [text(shortened(title, limit), undefined, needle), " ", text(kind, "kind")];
  return el("a", { class: "link", href: address, tabindex: -1 }, ...parts);
}

/** A picture. The generator names its format only if the bytes begin like one of four that hold no programs. */
function picture(value, className) {
  const formats = { __proto__: null, png: "image/png", jpeg: "image/jpeg", gif: "image/gif", webp: "image/webp" };
  const format = formats[value.i];
  const image = el("img", { class: className, alt: `${value.i} picture, ${count(value.n, "byte")}`, loading: "lazy" });
  if (format !== undefined) image.src = `data:${format};base64,${value.b}`;
  return image;
}

/** What sorting compares: a number or folded text; undefined for nothing, which comes last. */
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
