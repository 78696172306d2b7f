// What the parts of scripts/graph-conformance.js share: the built library and its command, files of cases, and what was found.
'use strict';
const { existsSync, mkdtempSync, readFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
require('./build.js').build();
const { main } = require('../dist/cli/main.js');
const graphs = require('../dist/graph/index.js');

/** The folder of what is written; removed at the end. */
const work = mkdtempSync(path.join(tmpdir(), 'graph-conformance-'));
/** One entry for each comparison; `problem` says what differs. */
const rows = [];
const read = (...parts) => readFileSync(path.join(...parts), 'utf8');
const json = (...parts) => JSON.parse(read(...parts));
const exists = (...parts) => existsSync(path.join(...parts));

/** Runs `docloom graph …` in this process. */
async function graph(...given) {
  const out = [];
  const { stdout, stderr } = process;
  const [writeOut, writeErr] = [stdout.write.bind(stdout), stderr.write.bind(stderr)];
  stdout.write = (text) => out.push(String(text)) > 0;
  stderr.write = () => true;
  process.exitCode = 0;
  try {
    await main(['node', 'docloom', 'graph', ...given]);
  } finally {
    stdout.write = writeOut;
    stderr.write = writeErr;
  }
  const code = process.exitCode;
  process.exitCode = 0;
  return { code, text: out.join('') };
}

function note(group, name, problem) {
  rows.push({ group, name, problem });
}

// The reports of the cases were read and written again as text, which changes line ends.
const scrubbed = (text) => text.replace(/\r\n/g, '\n').replace(/^(- \*\*Generated\*\*: ).*$/m, '$1<timestamp>');
const parsed = (text) => graphs.parseJsonText(text);

function compareFile(group, name, expected, actual) {
  const file = path.basename(expected);
  if (!existsSync(actual)) return note(group, name, `${file} was not written`);
  const [want, have] = [readFileSync(expected), readFileSync(actual)];
  if (file.endsWith('.json')) {
    const [left, right] = [parsed(want.toString()), parsed(have.toString())];
    return note(group, name, isDeepStrictEqual(left, right) ? undefined : difference(left, right));
  }
  const shown = file.endsWith('.md') ? scrubbed : String;
  const [left, right] = [shown(want.toString()), shown(have.toString())];
  note(group, name, left === right ? undefined : firstDifference(left, right));
}

function firstDifference(left, right) {
  const [a, b] = [left.split('\n'), right.split('\n')];
  const line = a.findIndex((text, index) => text !== b[index]);
  return `line ${line + 1}: expected ${a[line]}\n      got ${b[line]}`;
}

function difference(left, right, at = '') {
  if (isDeepStrictEqual(left, right)) return undefined;
  const isOpen = (value) => typeof value === 'object' && value !== null && !value.kind;
  if (!isOpen(left) || !isOpen(right)) return `${at || '/'}: expected ${show(left)}, got ${show(right)}`;
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const found = difference(left[key], right[key], `${at}/${key}`);
    if (found) return found;
  }
  return `${at}: types differ`;
}

const show = (value) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one));

const keys = (details) =>
  Object.keys(details ?? {})
    .sort()
    .join();
const countWords = (text) => text.split(/\s+/).filter((word) => word !== '').length;

module.exports = {
  graphs,
  work,
  rows,
  read,
  json,
  exists,
  graph,
  note,
  keys,
  parsed,
  scrubbed,
  show,
  difference,
  firstDifference,
  compareFile,
  countWords,
};
