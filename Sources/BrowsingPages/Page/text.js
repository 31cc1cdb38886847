"use strict";

// Elements and text. Data becomes text nodes and nothing else, so that no name or value is ever read as markup.

/** Makes an element. Names of elements and attributes are constants; only `href` and the labels hold data. */
function el(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    // The page has no other addresses than its own places.
    if (key === "href" && !value.startsWith("#/")) throw new Error("not a place in this page");
    element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== undefined && child !== null) element.append(child);
  }
  return element;
}

// Controls, marks of direction and other characters that nobody sees. Joiners are left to the scripts that need them.
const hiddenCharacters = new RegExp(
  "[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ufdd0-\\ufdef\\ufffe\\uffff\\ud800-\\udfff" +
    "\\u{e0000}-\\u{e007f}]", "u");

function codePoint(character) {
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
}

/** Text for the title of a window, which has no elements. */
function seenText(words) {
  return [...words].map((character) => (hiddenCharacters.test(character) ? codePoint(character) : character)).join("");
}

/** Text with the numbers of characters that cannot be seen, and with a mark around what is looked for. */
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

/** Data as text of its own, whose direction turns nothing beside it. */
function text(value, className, needle) {
  return el("bdi", { class: className }, textNodes(value, needle));
}

/** The first characters of text, on one line. */
function shortened(value, limit) {
  const line = value.length > 4 * limit ? value.slice(0, 4 * limit) : value;
  const flat = line.replace(/[ \t\n\r]+/g, " ");
  if (flat.length <= limit && line.length === value.length) return flat;
  let end = Math.min(limit, flat.length);
  // Not between the halves of a character.
  if (end > 0 && (flat.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
  return flat.slice(0, end) + "…";
}

/** The form of text in which searches and sorting compare it. */
function folded(value) {
  return value.toLowerCase();
}

const numbers = new Intl.NumberFormat("en");

function count(number, noun, plural = noun + "s") {
  return numbers.format(number) + " " + (number === 1 ? noun : plural);
}

/** Makes a button with words. */
function button(words, press) {
  const element = el("button", { type: "button" }, words);
  element.addEventListener("click", press);
  return element;
}

/** The bytes of base64. */
function bytesOf(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

const hex = (byte) => byte.toString(16).padStart(2, "0");

/** Bytes as lines of sixteen: their place, their numbers, and what they are in ASCII. */
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

/** Lets the browser draw and take input before more work. */
function pause() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Says when a slice of work has taken its time. */
class Slice {
  constructor() {
    this.start = performance.now();
    this.longest = 0;
  }

  /** Pauses if the slice is over. */
  async rest() {
    const taken = performance.now() - this.start;
    if (taken < 8) return;
    this.longest = Math.max(this.longest, taken);
    await pause();
    this.start = performance.now();
  }
}
