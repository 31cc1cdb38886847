"use strict";

// The filters of columns: the text in the filter field of a column selects the rows that the table shows.

const filterHelp = {
  text: "Text that the value contains · =Ada: the whole text · !=Ada: another text · =: no value · !=: any value",
  number: "5: equal · >5, >=5, <5, <=5, !=5 · 5..9: from 5 to 9 · =: no value · !=: any value",
  date: "2026, 2026-06, 2026-06-30 or 2026-06-30T12:30, in UTC: within it · >2026-06, >=, <, <=, != · " +
    "2026-01..2026-06: from the first to the end of the last · =: no value · !=: any value",
};
const filterExamples = { text: "contains", number: ">5", date: "2026-06" };

/** Returns the type of a column's filter, by the column's type in the model, or else by its first value. */
function filterTypeOf(column, group) {
  let { kind } = column;
  for (let at = 0; kind === undefined && at < Math.min(group.rows.length, 200); at += 1) {
    const value = resolved(column.valueOf(rowAt(group.rows[at])));
    kind = value?.m || value?.a ? "number" : kindOf(value);
  }
  if (kind === "date") return "date";
  return /^(number|integer\d+|decimal|double|float|to many .*)$/.test(kind) ? "number" : "text";
}

/** Returns the number that filters compare: a number, its digits as text, or the number of objects, elements or bytes;
    undefined for other values. */
function numberOf(value) {
  if (typeof value === "number") return value;
  if (value?.m || value?.a) return value.n ?? (value.m ?? value.a).length;
  return value?.s === undefined ? value?.n : undefined;
}

/** Returns a function that compares a value with the number in a text; undefined if the text is not a number. */
function numberOrder(words) {
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(words)) return undefined;
  const isInteger = (digits) => /^-?\d+$/.test(digits);
  const number = Number(words);
  return (value) => {
    const own = numberOf(value);
    if (own === undefined || Number.isNaN(Number(own))) return undefined;
    // JavaScript numbers do not represent every large integer exactly.
    const isLarge = !Number.isSafeInteger(Number(own)) || !Number.isSafeInteger(number);
    if (isLarge && isInteger(own) && isInteger(words)) return Math.sign(Number(BigInt(own) - BigInt(words)));
    return Math.sign(Number(own) - number);
  };
}

/** Returns a function that compares a date with the date in a text, or with the year, month, day, hour or minute;
    undefined if the text is not a date. */
function dateOrder(words) {
  const pattern = /^(-?\d{1,8})((?:-\d\d(?:-\d\d(?:[T ]\d\d(?::\d\d(?::\d\d(?:\.\d+)?)?)?)?)?)?)Z?$/i;
  const [, year, rest] = pattern.exec(words) ?? [];
  if (year === undefined) return undefined;
  const end = rest.toUpperCase().replace(" ", "T").replace(/(\.\d*?)0*$/, "$1").replace(/\.$/, "");
  return (value) => {
    const [, ownYear, ownRest] = /^(-?\d+)(.*)Z$/.exec(value?.d ?? "") ?? [];
    if (ownYear === undefined) return undefined;
    if (Number(ownYear) !== Number(year)) return Math.sign(Number(ownYear) - Number(year));
    const ownEnd = ownRest.slice(0, end.length);
    return ownEnd === end ? 0 : ownEnd < end ? -1 : 1;
  };
}

/** Returns the text that filters compare. For a container or opened data, it includes all nested texts. */
function filteredText(value) {
  if (value === null || value === undefined) return "";
  if (value.r) {
    const index = find(value.r);
    return `${index === undefined ? "" : titleOf(rowAt(index))} ${kindOfRow(value.r)}`;
  }
  if (value.m) return count(numberOf(value), "object");
  const parts = value.b === undefined ? [] : [dataLine(value)];
  forEachText(value, (words) => parts.push(words));
  return parts.join("\n");
}

const comparisons = {
  "=": (order) => order === 0, "!=": (order) => order !== 0, "<": (order) => order < 0,
  "<=": (order) => order <= 0, ">": (order) => order > 0, ">=": (order) => order >= 0,
};

/** Parses the text of a filter. Returns undefined if it keeps all rows. In the result, `keeps` is a function that is
    true for the values to show, `needle` is the text that these contain, and `mistake` is an error in the filter. */
function readFilter(words, type) {
  const pattern = type === "text" ? /^(!?=)?\s*(.*)$/s : /^(!?=|[<>]=?)?\s*(.*)$/s;
  const [, operator, operand] = pattern.exec(words.trim());
  if (operand === "") {
    if (operator !== "=" && operator !== "!=") return undefined;
    const isNothing = (value) => value === null || value === undefined || value === "" ||
      typeof value === "object" && numberOf(value) === 0;
    return { keeps: operator === "=" ? isNothing : (value) => !isNothing(value) };
  }
  const needle = folded(operand);
  const contains = (value) => folded(filteredText(value)).includes(needle);
  if (type === "text") {
    if (operator === undefined) return { keeps: contains, needle };
    const isEqual = (value) => folded(filteredText(value)) === needle;
    return { keeps: operator === "=" ? isEqual : (value) => !isEqual(value) };
  }
  const orderOf = type === "date" ? dateOrder : numberOrder;
  const order = orderOf(operand);
  if (operator !== undefined) {
    if (order !== undefined) return { keeps: (value) => comparisons[operator](order(value)) };
    const expected = type === "date" ? "a date such as 2026-06-30" : "a number";
    return { keeps: () => false, mistake: `“${shortened(operand, 40)}” is not ${expected}` };
  }
  if (order !== undefined) return { keeps: (value) => order(value) === 0 || type === "date" && contains(value) };
  const [, first, last] = /^(.*?)\.\.(.*)$/s.exec(operand) ?? [operand, "", ""];
  const [from, to] = [orderOf(first.trim()), orderOf(last.trim())];
  if (from && to) return { keeps: (value) => from(value) >= 0 && to(value) <= 0 };
  return { keeps: contains, needle };
}

// The rows that the last filters kept. Narrower filters test only these rows.
let lastKept = { filters: [] };

/** Counts the work of filters: the number of runs, and the number of rows that were tested. */
const filterWork = { runs: 0, rows: 0 };

/** True if each row that `filters` keep is certain to be kept by `others`, too. */
function areNarrower(filters, others) {
  return others.every((other) => filters.some((filter) => filter.column === other.column &&
    (filter.words === other.words || other.needle !== undefined && filter.needle?.includes(other.needle))));
}

/** Returns the rows of a group that all filters keep, in the order of the page. Stops and returns undefined if
    `isWanted` returns false. */
async function keptRows(group, filters, isWanted) {
  filterWork.runs += 1;
  const isNarrower = lastKept.group === group && areNarrower(filters, lastKept.filters);
  const candidates = isNarrower ? lastKept.rows : group.rows;
  const slice = new Slice();
  const kept = [];
  for (let at = 0; at < candidates.length; at += 1) {
    const row = rowAt(candidates[at]);
    filterWork.rows += 1;
    if (filters.every((filter) => filter.keeps(filter.valueOf(row)))) kept.push(candidates[at]);
    if ((at & 63) === 63) {
      await slice.rest();
      if (!isWanted()) return undefined;
    }
  }
  timing.longestSlice = Math.max(timing.longestSlice, slice.longest);
  lastKept = { group, filters, rows: kept };
  return kept;
}
