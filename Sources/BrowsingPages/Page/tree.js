"use strict";

// A tree of values. A reference opens to the parts of its object, so that the tree of a graph with cycles is infinite.
// Items are created when their parent is opened.

const greatestChildren = 200;
const greatestLeaf = 4096;

class Tree {
  /** @param parts the parts at the first level, as returned by `fieldsOf`
      @param row the index of the row that has the parts, for the detection of cycles */
  constructor(parts, row, label) {
    this.nodes = new WeakMap();
    this.element = el("div", { role: "tree", class: "tree", "aria-label": label });
    const root = { level: 0, parts, path: row === undefined ? [] : [row], shown: 0 };
    this.append(root, null);
    this.element.querySelector("[role=treeitem]")?.setAttribute("tabindex", "0");
    this.element.addEventListener("click", (event) => this.click(event));
    this.element.addEventListener("keydown", (event) => this.press(event));
    this.element.addEventListener("focusin", (event) => this.focus(event.target.closest("[role=treeitem]")));
  }

  /** Adds items for the next children of a node after an item, or at the end if `after` is null. */
  append(node, after) {
    const items = [];
    const end = Math.min(node.shown + greatestChildren, node.parts.length);
    for (let position = node.shown; position < end; position += 1) {
      items.push(this.item({ ...node.parts[position], level: node.level + 1, path: node.path, position }, node));
    }
    node.shown = end;
    if (end < node.parts.length) {
      const rest = numbers.format(node.parts.length - end);
      const more = this.makeItem({ level: node.level + 1, more: node }, "more");
      more.append(el("span", { class: "link" }, `${rest} more`));
      items.push(more);
    }
    if (after === null) this.element.append(...items);
    else after.after(...items);
    return items;
  }

  makeItem(node, className) {
    const item = el("div", {
      role: "treeitem", class: `item ${className}`, tabindex: -1, "aria-level": node.level,
      "aria-setsize": node.setSize, "aria-posinset": node.position === undefined ? undefined : node.position + 1,
    });
    item.style.setProperty("--level", Math.min(node.level - 1, 24));
    this.nodes.set(item, node);
    return item;
  }

  item(node, parent) {
    node.setSize = parent.parts.length;
    if (node.leaf !== undefined) {
      const item = this.makeItem(node, "leaf");
      item.append(node.leaf());
      return item;
    }
    const item = this.makeItem(node, "");
    const { value } = node;
    const target = value?.r ? find(value.r) : undefined;
    node.row = target;
    node.opens = this.opens(value, target);
    if (node.opens) item.setAttribute("aria-expanded", "false");
    item.append(el("span", { class: "twist", "aria-hidden": "true" }));
    const name = node.key === undefined ? text(node.name, node.isIndex ? "name index" : "name") :
      el("span", { class: "name" }, inline(node.key, 60));
    item.append(name, inline(value));
    if (target !== undefined) {
      const row = rowAt(target);
      const sources = sourcesOf(row).count;
      if (node.path.includes(target)) {
        item.append(el("span", { class: "badge", title: "This object is further up in the tree" }, "↺ cycle"));
      } else if (isArchive && sources > 1 && !groups[row[0]].isValue) {
        const title = `Referenced by ${count(sources, "object")}`;
        item.append(el("span", { class: "badge", title }, `shared ×${numbers.format(sources)}`));
      }
    }
    const kind = node.column?.kind ?? kindOf(resolved(value));
    if (kind !== undefined) item.append(text(kind, "kind type"));
    return item;
  }

  opens(value, target) {
    if (target !== undefined) {
      const row = rowAt(target);
      if (!groups[row[0]].isValue) return true;
      return this.opens(row[2], undefined);
    }
    if (typeof value === "string") return value.length > greatestLine || value.includes("\n");
    if (value === null || typeof value !== "object") return false;
    if (value.s !== undefined || value.b !== undefined && value.n > 0) return true;
    return (value.a ?? value.o ?? value.p ?? value.m ?? []).length > 0;
  }

  /** Returns the parts that a node opens to. */
  parts(node) {
    let { value } = node;
    if (node.row !== undefined) {
      const row = rowAt(node.row);
      if (!groups[row[0]].isValue) return fieldsOf(row);
      value = row[2];
    }
    if (typeof value === "string") return [textLeaf(value)];
    if (value.s !== undefined) {
      return [textLeaf(value.s), noteLeaf(`The first ${numbers.format(value.s.length)} of ${count(value.n, "byte")}.`)];
    }
    if (value.b !== undefined) {
      const opened = value.v === undefined ? [] : partsOf(value.v) ?? [{ name: value.f, value: value.v }];
      return value.i ? [{ leaf: () => picture(value, "picture") }, hexLeaf(value)] : [...opened, hexLeaf(value)];
    }
    const parts = partsOf(value);
    if (value.m && value.n > value.m.length) {
      parts.push(noteLeaf(`The first ${numbers.format(value.m.length)} of ${count(value.n, "object")}.`));
    }
    return parts;
  }

  open(item) {
    const node = this.nodes.get(item);
    if (node.more) {
      const [first] = this.append(node.more, item);
      item.remove();
      this.moveTo(first);
      return;
    }
    if (item.getAttribute("aria-expanded") !== "false") return;
    item.setAttribute("aria-expanded", "true");
    const path = node.row === undefined ? node.path : [...node.path, node.row];
    this.append({ level: node.level, parts: this.parts(node), path, shown: 0 }, item);
  }

  close(item) {
    if (item.getAttribute("aria-expanded") !== "true") return;
    item.setAttribute("aria-expanded", "false");
    const { level } = this.nodes.get(item);
    while (item.nextElementSibling && this.nodes.get(item.nextElementSibling).level > level) {
      item.nextElementSibling.remove();
    }
  }

  /** Opens the items of the first levels until the tree has more than `limit` items. */
  openFirst(levels, limit) {
    for (let level = 1; level <= levels; level += 1) {
      for (const item of [...this.element.children]) {
        if (this.element.children.length > limit) return;
        const node = this.nodes.get(item);
        if (node.level !== level || !node.opens || node.path.includes(node.row)) continue;
        // Items that open to a text or to bytes stay closed.
        const value = node.row === undefined ? node.value : rowAt(node.row)[2];
        if (typeof value === "object" && value?.s === undefined && value?.b === undefined) this.open(item);
      }
    }
  }

  click(event) {
    const item = event.target.closest("[role=treeitem]");
    if (item === null || event.target.closest("a") || String(getSelection()) !== "") return;
    this.moveTo(item);
    if (item.getAttribute("aria-expanded") === "true") this.close(item);
    else this.open(item);
  }

  press(event) {
    const item = event.target.closest("[role=treeitem]");
    if (item === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = item.getAttribute("aria-expanded") === "true";
    switch (event.key) {
      case "ArrowDown": this.moveTo(item.nextElementSibling); break;
      case "ArrowUp": this.moveTo(item.previousElementSibling); break;
      case "Home": this.moveTo(this.element.firstElementChild); break;
      case "End": this.moveTo(this.element.lastElementChild); break;
      case "ArrowRight":
        if (isOpen) this.moveTo(item.nextElementSibling);
        else this.open(item);
        break;
      case "ArrowLeft":
        if (isOpen) this.close(item);
        else this.moveTo(this.parent(item));
        break;
      case " ":
        if (isOpen) this.close(item);
        else this.open(item);
        break;
      case "Enter": {
        const place = item.querySelector("a.link");
        if (place) place.click();
        else if (isOpen) this.close(item);
        else this.open(item);
        break;
      }
      default: return;
    }
    event.preventDefault();
  }

  parent(item) {
    const { level } = this.nodes.get(item);
    let before = item.previousElementSibling;
    while (before && this.nodes.get(before).level >= level) before = before.previousElementSibling;
    return before;
  }

  moveTo(item) {
    if (!item) return;
    item.focus();
    item.scrollIntoView({ block: "nearest" });
  }

  focus(item) {
    if (!item) return;
    for (const other of this.element.querySelectorAll("[tabindex='0']")) other.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
  }
}

function textLeaf(value) {
  return { leaf: () => el("pre", { class: "text long" }, text(value)) };
}

function noteLeaf(words) {
  return { leaf: () => el("span", { class: "quiet" }, words) };
}

function hexLeaf(value) {
  return {
    leaf: () => {
      const bytes = bytesOf(value.b);
      const shown = Math.min(bytes.length, greatestLeaf);
      const note = shown < value.n ? `The first ${numbers.format(shown)} of ${count(value.n, "byte")}.` : "";
      return el("div", {}, el("pre", { class: "code" }, hexLines(bytes, 0, shown)), note && el("p", {}, note));
    },
  };
}
