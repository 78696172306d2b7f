// The tables of the documentation that are read from the product's lists. A table is in a Markdown file between
// `<!-- table: NAME -->` and `<!-- end of table -->`; `node scripts/doc-tables.js` writes all of them again, and
// test/contract/docs.test.ts fails when one is out of date. It also writes the names of `from_formats` and the generated part of
// the Python client.
'use strict';
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');

/** Every table as Markdown, by name. `lists` holds the lists under the names that the product gives them. */
function renderTables(lists) {
  const { settings, errorCatalogue, operators, routes, commands, formats, commonColumns = {} } = lists;
  const { conversionRoutes = [], ConvertOptions = { properties: {} }, tools = [], sourceKinds = [] } = lists;
  return {
    settings: table(
      ['setting', 'default', 'meaning'],
      Object.entries(settings).map(([name, { default: value, oneOf, text, secret, aliases, switches }]) => [
        code(name),
        value ? code(value) : '',
        `${text}${oneOf && oneOf.length > 1 ? ` One of ${oneOf.map(code).join(', ')}.` : ''}${secret ? ' Secret.' : ''}${aliases ? ` Also read as ${aliases.map(code).join(', ')}.` : ''}${switches ? ` Where it is not set, ${Object.keys(switches).map(code).join(', ')} count, each true or false.` : ''}`,
      ]),
    ),
    errors: table(
      ['code', 'status', 'ends', 'tried again', 'meaning'],
      Object.entries(errorCatalogue).map(([name, { status, scope, retry, text }]) => [
        code(name),
        status,
        { document: 'the document', run: 'the run', request: 'the request' }[scope],
        { outage: 'until the service is back', few: 'a few times' }[retry] ?? 'no',
        text,
      ]),
    ),
    operators: table(
      ['operator', 'category', 'rows', 'reads', 'adds', 'what it does', 'tests', 'sample flow', 'rows a second'],
      operators.map(({ name, category, scope, reads, writes, summary }) => [
        `[${code(name)}](../operators/${name}/README.md)`,
        category,
        { source: 'makes them', row: 'batch by batch', table: 'all at once' }[scope],
        reads.map(code).join(', '),
        writes.map(code).join(', '),
        summary,
        getTests(name),
        getSample(name),
        getFigure(name),
      ]),
    ),
    routes: table(
      ['route', 'token', 'what it does'],
      routes.map(({ method, path: address, auth, summary }) => [
        code(`${method} ${address}`),
        auth === 'user' ? 'yes' : 'no',
        summary,
      ]),
    ),
    conversion_routes: table(
      ['route', 'key', 'what it does'],
      conversionRoutes.map(({ method, path: address, needsKey, summary }) => [
        code(`${method} ${address}`),
        needsKey ? 'yes' : 'no',
        summary,
      ]),
    ),
    conversion_options: table(
      ['option', 'values', 'default', 'meaning'],
      Object.entries(ConvertOptions.properties).map(([name, schema]) => [
        code(name),
        valuesOfOption(schema),
        getDefault(schema.default),
        `${schema.deprecated ? 'Deprecated. ' : ''}${schema.description || ''}`,
      ]),
    ),
    sources: table(
      ['`provider`', 'what it lists', 'access list', 'a document has changed when this has'],
      sourceKinds.map(({ name, aliases, summary, access, version }) => [
        [name, ...aliases].map(code).join(', '),
        summary,
        access,
        version,
      ]),
    ),
    source_rights: table(
      ['`provider`', 'right', 'what grants it'],
      sourceKinds.flatMap(({ name, rights }) =>
        Object.entries(rights).map(([right, needs]) => [code(name), code(right), needs]),
      ),
    ),
    commands: table(
      ['command', 'what it does'],
      commands.map(({ name, summary }) => [code(`docloom ${name}`), summary]),
    ),
    tools: table(
      ['tool', 'changes', 'what it does'],
      tools.map(({ name, effect, description }) => [
        code(name),
        { read: 'nothing', write: 'adds', destroy: 'ends' }[effect],
        description,
      ]),
    ),
    ...Object.fromEntries(operators.flatMap((operator) => operatorTables(operator, commonColumns))),
    formats: table(
      ['format', 'extensions', 'name'],
      formats.map(({ name, label, extensions }) => [
        label,
        extensions.map((extension) => code(`.${extension}`)).join(', '),
        code(name),
      ]),
    ),
  };
}

/** The sample flow that uses the operator and has the fewest others; a link that counts from docs/. */
function getSample(type) {
  const folder = path.join(root, 'samples', 'flows');
  const [first] = readdirSync(folder)
    .map((file) => ({ file, flow: JSON.parse(readFileSync(path.join(folder, file), 'utf8')).flow }))
    .filter(({ flow }) => flow.some((operator) => operator.type === type))
    .sort((one, other) => one.flow.length - other.flow.length || (one.file < other.file ? -1 : 1));
  return first ? `[${first.file.replace('.json', '')}](../samples/flows/${first.file})` : '';
}

/** Links to the tests in the folder of the operator, that of its `run` first. */
function getTests(name) {
  const folder = path.join(root, 'operators', name);
  if (!existsSync(folder)) return '';
  const tests = readdirSync(folder).filter((file) => file.endsWith('.test.ts'));
  const inOrder = [
    ...tests.filter((file) => file === 'run.test.ts'),
    ...tests.filter((file) => file !== 'run.test.ts'),
  ];
  return inOrder.map((file) => `[${file.replace('.test.ts', '')}](../operators/${name}/${file})`).join(', ');
}

/** What bench/operators.js measured last; an operator that only hands on is not worth a number. */
function getFigure(name) {
  const file = path.join(root, 'bench', 'operators.json');
  const figure = JSON.parse(readFileSync(file, 'utf8')).operators[name];
  if (!figure) return '';
  return figure.rows_per_second > 1e6 ? 'over 1,000,000' : figure.rows_per_second.toLocaleString('en');
}

/** For the README of an operator: `config:<name>` from its schema, `columns:<name>` from what it reads and writes. */
function operatorTables({ name, config, reads, writes, columns = {} }, commonColumns) {
  const facts = { ...commonColumns, ...columns };
  const column = (kind) => (column) => [
    code(column),
    kind,
    facts[column] ? facts[column].type : '',
    facts[column] ? facts[column].description : '',
  ];
  const members = listMembers(config, '');
  const rows = [...reads.map(column('read')), ...writes.map(column('written'))];
  return [
    [
      `config:${name}`,
      members.length === 0
        ? 'There is nothing to configure.'
        : table(['setting', 'values', 'default', 'meaning'], members),
    ],
    [
      `columns:${name}`,
      rows.length === 0
        ? 'It reads and writes no particular column.'
        : table(['column', 'is', 'type', 'what it holds'], rows),
    ],
  ];
}

/** A row for each member of an object schema, members of members after it, with a dot. */
function listMembers(schema, prefix) {
  return Object.entries(schema.properties || {}).flatMap(([name, member]) => [
    [
      code(prefix + name) + ((schema.required || []).includes(name) ? ' (required)' : ''),
      listValues(member),
      member.default === undefined ? '' : code(JSON.stringify(member.default)),
      member.description || '',
    ],
    ...listMembers(member, `${prefix + name}.`),
  ]);
}

function listValues({ anyOf, const: constant, type, items, minimum, maximum, exclusiveMinimum, maxLength }) {
  if (constant !== undefined) return code(JSON.stringify(constant));
  if (anyOf) return [...new Set(anyOf.map(listValues))].join(', ');
  if (type === 'array') return `list of ${items && (items.type || items.anyOf) ? listValues(items) : 'values'}`;
  if (type === 'integer' || type === 'number') {
    const from = minimum === undefined ? exclusiveMinimum : minimum;
    const range = [from === undefined ? '' : `${from}`, maximum === undefined ? '' : `${maximum}`];
    if (range[0] === '' && range[1] === '') return type;
    return range[1] === '' ? `${type}, from ${range[0]}` : `${type}, ${range[0] || '…'} to ${range[1]}`;
  }
  if (type === 'string' && maxLength) return `string, up to ${maxLength} characters`;
  return type || 'anything';
}

/** Words are listed where they are few; what they are is in the reference otherwise. */
function valuesOfOption({ type, enum: words, anyOf, items }) {
  if (words) return words.length > 12 ? 'a word' : words.map(code).join(', ');
  if (anyOf) return `${valuesOfOption(anyOf.find((one) => one.type !== 'null'))} or null`;
  if (type === 'array') return `list of ${items.enum && items.enum.length <= 12 ? valuesOfOption(items) : 'values'}`;
  return type || 'object';
}

function getDefault(value) {
  const text = JSON.stringify(value) || '';
  return text.length > 40 ? 'all' : code(text);
}

/** Longer cells continue in a note below the table; test/contract/docs.test.ts has the limit for all tables. */
const longestCell = 300;

function table(head, rows) {
  const notes = [];
  const getCell = (cell) => {
    const text = String(cell).replaceAll('\n', ' ');
    if (text.length <= longestCell) return text.replaceAll('|', '\\|');
    const [start, rest] = splitCell(text);
    notes.push(`(${notes.length + 1}) … ${rest}`);
    return `${start} … (${notes.length})`.replaceAll('|', '\\|');
  };
  const line = (cells) => `| ${cells.map(getCell).join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...rows.map(line)];
  return [lines.join('\n'), ...notes].join('\n\n');
}

/** Splits at the end of a sentence, else after a comma. */
function splitCell(text) {
  const most = text.slice(0, longestCell - 30);
  const at = Math.max(most.lastIndexOf('. '), most.lastIndexOf('; ')) + 1 || most.lastIndexOf(', ') + 1;
  return [text.slice(0, at), text.slice(at).trimStart()];
}

function code(text) {
  return `\`${text}\``;
}

/** The text with each of its marked tables replaced, except in examples of Markdown. Throws when a mark names no table. */
function replaceTables(text, tables) {
  const marked = /^ *````md\n[\s\S]*?\n *````$|(<!-- table: ([a-z_:]+) -->\n)[\s\S]*?(<!-- end of table -->)/gm;
  return text.replace(marked, (whole, start, name, end) => {
    if (start === undefined) return whole;
    if (!(name in tables)) throw new Error(`There is no table '${name}'; there are ${Object.keys(tables).join(', ')}.`);
    return `${start}\n${tables[name]}\n\n${end}`;
  });
}

/** The Markdown files that people read, as paths from the root. */
function documentationFiles() {
  const at = (folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.join(folder, name));
  const operators = readdirSync(path.join(root, 'operators'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return [
    ...at('.'),
    ...at('docs'),
    ...at('docs/how-to'),
    ...at('bench'),
    ...operators.flatMap(({ name }) => at(path.join('operators', name))),
  ];
}

module.exports = { renderTables, replaceTables, documentationFiles };

/** Writes the names of `from_formats`. Names keep their place; new ones come last. Returns true if the file changed. */
function writeInputFormats() {
  const dist = (name) => require(path.join(root, 'dist', name));
  const { inputFormats } = dist('model/conversion/request/input-formats');
  const { unreadFormats } = dist('model/conversion/request/formats');
  const names = new Set([...dist('formats/list').formats.map(dist('formats/format').getServiceName), ...unreadFormats]);
  const ordered = [...new Set([...inputFormats.filter((name) => names.has(name)), ...names])];
  const file = path.join(root, 'model/conversion/request/input-formats.ts');
  const before = readFileSync(file, 'utf8');
  const list = ordered.map((name) => `  '${name}',\n`).join('');
  const after = before.replace(/\[\n[^\]]*\]/, () => `[\n${list}]`);
  if (after !== before) writeFileSync(file, after);
  return after !== before;
}

/** Builds the product again; modules of the earlier build are forgotten. */
function rebuild() {
  for (const name of Object.keys(require.cache))
    if (name.startsWith(path.join(root, 'dist'))) delete require.cache[name];
  require('./build.js').build();
}

if (require.main === module) {
  require('./build.js').build();
  if (writeInputFormats()) {
    process.stdout.write('model/conversion/request/input-formats.ts: names written\n');
    rebuild();
  }
  const dist = (name) => require(path.join(root, 'dist', name));
  const tables = renderTables({
    ...dist('model/config'),
    ...dist('model/errors'),
    ...dist('operators/index'),
    ...dist('api/routes'),
    ...dist('api/conversion/index'),
    ...dist('model/conversion/request/options'),
    ...dist('cli/commands'),
    ...dist('model/source/list'),
    ...dist('formats/list'),
    ...dist('mcp/tools'),
    ...dist('model/flow/columns'),
  });
  for (const name of documentationFiles()) {
    const before = readFileSync(path.join(root, name), 'utf8');
    const after = replaceTables(before, tables);
    if (after === before) continue;
    writeFileSync(path.join(root, name), after);
    process.stdout.write(`${name}: tables written\n`);
  }
  require('./python-client.js').writePythonClient();
}
