"use strict";

// Elements and text. Data becomes text nodes or values of attributes, so that it is never parsed as markup.

/** Creates an element. Its name and the names of its attributes are constants. Only `href` and labels contain data. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    // Links lead only to places in this page.
    if (key === "href" && !value.startsWith("#/")) throw new Error("not a place in this page");
    element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null) element.append(child);
  }
  return element;
}

// Control characters, direction marks and other invisible characters. Joiners are not included, because some writing
// systems need them.
const hiddenCharacters = new RegExp(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufdd0-\\ufdef\\ufffe\\uffff\\ud800-\\udfff" +
    "\\u{e0000}-\\u{e007f}]", "u");

function codePoint(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

/** Returns text for the title of a window, with code points such as U+200B in place of invisible characters. */
function seenText(words) {
  return [...words].map((character) => (hiddenCharacters.test(character) ? codePoint(character) : character)).join("");
}

/** Returns nodes for text, with code points in place of invisible characters, and marks around matches of a search. */
function textNodes(text, needle) {
  const nodes = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") nodes.push(...marked(plain, needle));
    plain = "";
  };
  if (!hiddenCharacters.test(text)) return marked(text, needle);
  for (const character of text) {
    if (hiddenCharacters.test(character)) {
      flush();
      nodes.push(el("span", { class: "hidden" }, codePoint(character)));
    } else {
      plain += character;
    }
  }
  flush();
  return nodes;
}

function marked(text, needle) {
  if (!needle) return [text];
  const lower = folded(text);
  if (lower.length !== text.length) return [text];
  const nodes = [];
  let start = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, start)) {
    if (at > start) nodes.push(text.slice(start, at));
    nodes.push(el("mark", {}, text.slice(at, at + needle.length)));
    start = at + needle.length;
  }
  if (start < text.length) nodes.push(text.slice(start));
  return nodes;
}

/** Returns an element for data. The direction of its text does not affect the text around it. */
function text(value, className, needle) {
  return el("bdi", { class: className }, textNodes(value, needle));
}

/** Returns the first `limit` characters of a text, on one line. */
function shortened(value, limit) {
  const line = value.length > 4 * limit ? value.slice(0, 4 * limit) : value;
  const flat = line.replace(/[ \t\n\r]+/g, " ");
  if (flat.length <= limit && line.length === value.length) return flat;
  let end = Math.min(limit, flat.length);
  // Does not split a surrogate pair.
  if (end > 0 && (flat.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
  return flat.slice(0, end) + "…";
}

/** Returns the form of a text that searches, filters and sorting compare. */
function folded(value) {
  return value.toLowerCase();
}

const numbers = new Intl.NumberFormat("en");

function count(number, noun, plural = noun + "s") {
  return numbers.format(number) + " " + (number === 1 ? noun : plural);
}

/** Creates a button with a label. */
function button(words, press) {
  const element = el("button", { type: "button" }, words);
  element.addEventListener("click", press);
  return element;
}

/** Decodes base64. */
function bytesOf(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

const hex = (byte) => byte.toString(16).padStart(2, "0");

/** Returns lines for 16 bytes each: the offset, the bytes as hexadecimal numbers, and their characters in ASCII. */
function hexLines(bytes, start, end) {
  const lines = [];
  for (let line = start; line < end; line += 16) {
    const part = Array.from(bytes.subarray(line, Math.min(line + 16, end)));
    const digits = part.map(hex).join(" ").replace(/^(.{23}) /, "$1  ");
    const ascii = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    lines.push(line.toString(16).padStart(6, "0") + "  " + digits.padEnd(49) + "  " + ascii);
  }
  return lines.join("\n");
}

/** Lets the browser draw and handle input before work continues. */
function pause() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Divides long work into slices of about 8 milliseconds, with pauses between them. */
class Slice {
  constructor() {
    this.start = performance.now();
    this.longest = 0;
  }

  /** Pauses if the slice has taken 8 milliseconds or more. */
  async rest() {
    const taken = performance.now() - this.start;
    if (taken < 8) return;
    this.longest = Math.max(this.longest, taken);
    await pause();
    this.start = performance.now();
  }
}
