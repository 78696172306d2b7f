// The tables of the documentation that are read from the product's lists. A table stands in a Markdown file between
// `<!-- table: NAME -->` and `<!-- end of table -->`; `node scripts/doc-tables.js` writes all of them anew, and
// test/docs.test.ts fails when one is out of date.
'use strict';
const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');

/** Every table as Markdown, by name. `lists` holds the lists under the names that the product gives them. */
function renderTables({ settings, errorCatalogue, operators, routes, commands, formats }) {
  return {
    settings: table(
      ['setting', 'default', 'meaning'],
      Object.entries(settings).map(([name, { default: value, oneOf, text, secret }]) => [
        code(name),
        value ? code(value) : '',
        `${text}${oneOf && oneOf.length > 1 ? ` One of ${oneOf.map(code).join(', ')}.` : ''}${secret ? ' Secret.' : ''}`,
      ]),
    ),
    errors: table(
      ['code', 'status', 'ends', 'tried again', 'meaning'],
      Object.entries(errorCatalogue).map(([name, { status, scope, retry, text }]) => [
        code(name),
        status,
        { document: 'the document', run: 'the run', request: 'the request' }[scope],
        { never: 'no', outage: 'until the service is back', few: 'a few times' }[retry],
        text,
      ]),
    ),
    operators: table(
      ['operator', 'category', 'rows', 'reads', 'adds', 'what it does'],
      operators.map(({ name, category, scope, reads, writes, summary }) => [
        `[${code(name)}](../operators/${name}/README.md)`,
        category,
        { source: 'makes them', row: 'batch by batch', table: 'all at once' }[scope],
        reads.map(code).join(', '),
        writes.map(code).join(', '),
        summary,
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
    commands: table(
      ['command', 'what it does'],
      commands.map(({ name, summary }) => [code(`docloom ${name}`), summary]),
    ),
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

function table(head, rows) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function code(text) {
  return `\`${text}\``;
}

/** The text with each of its marked tables replaced. Throws when a mark names no table. */
function replaceTables(text, tables) {
  return text.replace(/(<!-- table: ([a-z]+) -->\n)[\s\S]*?(<!-- end of table -->)/g, (_, start, name, end) => {
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
    ...at('bench'),
    ...operators.flatMap(({ name }) => at(path.join('operators', name))),
  ];
}

module.exports = { renderTables, replaceTables, documentationFiles };

if (require.main === module) {
  require('./build.js').build();
  const dist = (name) => require(path.join(root, 'dist', name));
  const tables = renderTables({
    ...dist('model/config'),
    ...dist('model/errors'),
    ...dist('operators/index'),
    ...dist('api/routes/index'),
    ...dist('cli/commands'),
    ...dist('formats/list'),
  });
  for (const name of documentationFiles()) {
    const before = readFileSync(path.join(root, name), 'utf8');
    const after = replaceTables(before, tables);
    if (after === before) continue;
    writeFileSync(path.join(root, name), after);
    process.stdout.write(`${name}: tables written\n`);
  }
}
