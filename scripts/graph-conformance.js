// Compares the graph commands with a folder of cases of the Python graph library, under the profile `peer`:
//   node scripts/graph-conformance.js FOLDER [--verbose]
// A case is a folder with template.json and input.json (converter), args.json (merge), graph.input.json (exporters),
// inputs/ and expected.json (loader), config.json and result.json (runs with a scripted model). JSON is compared as JSON, CSV and
// Cypher as bytes, errors by class and keys of details.
'use strict';
const { existsSync, readdirSync, rmSync, statSync } = require('node:fs');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');

const [folder, flag] = process.argv.slice(2);
if (!folder || !existsSync(folder)) {
  process.stderr.write('usage: node scripts/graph-conformance.js FOLDER [--verbose]\n');
  process.exit(2);
}
const {
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
  difference,
  firstDifference,
  compareFile,
} = require('./graph-conformance-tools.js');
const { vectorGroup } = require('./graph-conformance-tables.js');
const { runCase } = require('./graph-conformance-runs.js');

async function converterCase(name, dir) {
  const output = path.join(work, name);
  const options = exists(dir, 'options.json') ? ['--options', path.join(dir, 'options.json')] : [];
  const { code, text } = await graph(
    'build',
    path.join(dir, 'template.json'),
    path.join(dir, 'input.json'),
    ...options,
    '--profile',
    'peer',
    '--json',
    '--output',
    output,
  );
  if (exists(dir, 'error.txt')) return note('converter', name, code === 0 ? 'an error was expected' : undefined);
  if (code !== 0) return note('converter', name, text);
  for (const file of ['graph.json', 'nodes.csv', 'edges.csv', 'graph.cypher', 'graph.create.cypher', 'report.md'])
    if (exists(dir, file)) compareFile('converter', `${name}/${file}`, path.join(dir, file), path.join(output, file));
  if (exists(dir, 'stats.json')) {
    const [want, have] = [json(dir, 'stats.json'), json(output, 'stats.json')];
    want.created_at = have.created_at;
    note('converter', `${name}/stats.json`, difference(want, have));
  }
}

/** Cases without a template: the writers alone. */
function handmadeCase(name, dir) {
  const { nodes, edges, graph: attributes = {} } = parsed(read(dir, 'graph.input.json'));
  const made = graphs.createGraph({ isMulti: false });
  for (const [key, attributes] of nodes) graphs.addNode(made, key, revived(attributes));
  for (const [source, target, attributes] of edges)
    graphs.addEdge(made, { source, target, attributes: floats(attributes) });
  made.attributes = attributes;
  const profile = 'peer';
  const files = {
    'graph.json': () => graphs.writeJson(made, { profile }),
    'nodes.csv': () => graphs.writeNodesCsv(made, { profile }),
    'edges.csv': () => graphs.writeEdgesCsv(made, { profile }),
    'graph.cypher': () => graphs.writeCypher(made, { profile, style: 'merge' }),
    'graph.create.cypher': () => graphs.writeCypher(made, { profile, style: 'create' }),
    'report.md': () => [graphs.graphReport(made, { profile, generatedAt: 'now', sourceModels: 1 })],
  };
  const errors = exists(dir, 'peer-errors.json') ? json(dir, 'peer-errors.json') : {};
  for (const [file, write] of Object.entries(files)) {
    if (!exists(dir, file) && !errors[file] && !errors[file.split('.')[0]]) continue;
    try {
      const shown = file.endsWith('.md') ? scrubbed : String;
      const text = shown([...write()].join(''));
      const want = exists(dir, file) ? shown(read(dir, file)) : undefined;
      const problem =
        want === undefined ? 'an error was expected' : text === want ? undefined : firstDifference(want, text);
      note('exporters', `${name}/${file}`, problem);
    } catch (error) {
      note('exporters', `${name}/${file}`, exists(dir, file) ? String(error) : undefined);
    }
  }
}

const { asPython, TypedValue } = graphs;
/** Digits that the file of the case has lost. */
const decimals = { 1.1: '1.10', '2.0': '2' };
/** What JSON could not hold was live when the peer wrote it; the names of the attributes tell what it was. */
const live = {
  nan: (text) => (text === 'nan' ? Number.NaN : text),
  inf: (text) => (text === 'inf' ? Number.POSITIVE_INFINITY : text),
  ninf: (text) => (text === '-inf' ? Number.NEGATIVE_INFINITY : text),
  tup: (list) => asPython(list, 'tuple'),
  d: (text) => new TypedValue('date', text),
  dec: (value) => new TypedValue('decimal', decimals[value.text ?? value] ?? String(value.text ?? value)),
  dt_mid: (text) => new TypedValue('datetime', text),
  dt_micro: (text) => new TypedValue('datetime', text),
  dt_tz: (text) => new TypedValue('datetime', text),
};
const revived = (attributes) =>
  Object.fromEntries(
    Object.entries(floats(attributes)).map(([key, value]) => [
      key,
      value !== null && live[key] ? live[key](value) : value,
    ]),
  );

/** `{"$float": "nan"}` stands for what JSON cannot hold. */
function floats(value) {
  if (Array.isArray(value)) return value.map(floats);
  if (typeof value !== 'object' || value === null || value instanceof graphs.TypedValue) return value;
  if (typeof value.$float === 'string') return Number(value.$float.replace('inf', 'Infinity').replace('nan', 'NaN'));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, floats(member)]));
}

function coercionCase(name, dir) {
  const loaded = graphs.graphFromJson(read(dir, 'graph.json'), 'graph.json', { profile: 'peer' });
  for (const [key, attributes] of loaded.nodes) loaded.nodes.set(key, revived(attributes));
  for (const version of readdirSync(dir).filter((one) => one.startsWith('pandas'))) {
    for (const { file, write } of [
      { file: 'nodes.csv', write: graphs.writeNodesCsv },
      { file: 'edges.csv', write: graphs.writeEdgesCsv },
    ]) {
      const [want, have] = [read(dir, version, file), [...write(loaded, { profile: 'peer' })].join('')];
      note('exporters', `${name}/${version}/${file}`, want === have ? undefined : firstDifference(want, have));
    }
  }
}

/** What the peer only crashes on must be refused, or be read; it needs no class of its own. */
const crashes = new Set(['TypeError', 'UnicodeDecodeError', 'AttributeError', 'ValueError', 'RecursionError']);

async function loaderCase(name, file, want) {
  const { code, text } = await graph('inspect', file, '--profile', 'peer', '--json');
  if (want.ok) {
    if (code !== 0) return note('loader', name, `refused: ${text}`);
    const report = JSON.parse(text);
    const counts = want.nodes ? [want.nodes.length, want.edges.length] : [want.node_ids.length, report.edge_count];
    const have = [report.node_count, report.edge_count];
    if (!isDeepStrictEqual(counts, have)) return note('loader', name, `expected ${counts.join()}, got ${have.join()}`);
    if (want.ledger !== undefined && (want.ledger ?? null) !== report.document_id)
      return note('loader', name, `ledger: expected ${want.ledger}, got ${report.document_id}`);
    return note('loader', name, undefined);
  }
  if (crashes.has(want.error)) return note('loader (the peer crashes)', name, undefined);
  if (code === 0) return note('loader', name, 'accepted');
  const { error, details } = JSON.parse(text);
  const same = error === want.error && keys(details) === keys(want.details);
  note(
    'loader',
    name,
    same ? undefined : `expected ${want.error} ${keys(want.details)}, got ${error} ${keys(details)}`,
  );
}

async function loaderGroup(dir) {
  for (const [name, want] of Object.entries(json(dir, 'expected.json')))
    if (exists(dir, 'inputs', `${name}.json`)) await loaderCase(name, path.join(dir, 'inputs', `${name}.json`), want);
  for (const [name, want] of Object.entries(json(dir, 'expected-files.json')))
    await loaderCase(`files/${name}`, path.join(dir, 'files', name), want);
}

async function mergeCase(name, dir) {
  const { inputs, policy, template } = json(dir, 'args.json');
  const base = path.join(dir, '..', 'inputs');
  const output = path.join(work, `merge-${name}`);
  // Reports name the inputs as they were given.
  if (existsSync(base)) process.chdir(base);
  const schema = template && path.resolve(dir, '../../01-invoice/template.json');
  const flags = Object.entries(policy).flatMap(([key, value]) => {
    if (key === 'strict_template_check') return value ? [] : ['--no-strict-template-check'];
    if (key === 'rekey') return value === null ? [] : [value ? '--rekey' : '--no-rekey'];
    if (key === 'dry_run') return value ? ['--dry-run'] : [];
    const text = key === 'alias_decisions' ? path.join(base, value) : [value].flat().join(',');
    return [`--${key.replace(/_/g, '-')}`, text];
  });
  const { code, text } = await graph(
    'merge',
    ...inputs,
    ...flags,
    ...(template ? ['--template', schema] : []),
    '--profile',
    'peer',
    '--json',
    '--output',
    output,
  );
  if (exists(dir, 'error.json')) {
    const want = json(dir, 'error.json');
    if (code === 0 || text === '') return note('merge', name, 'no error was printed');
    const { error, details } = JSON.parse(text);
    const same = error === want.error && keys(details) === keys(want.details);
    return note('merge', name, same ? undefined : `expected ${want.error} ${keys(want.details)}, got ${text}`);
  }
  if (code !== 0) return note('merge', name, text);
  for (const file of ['graph.json', 'merge_report.json', 'nodes.csv', 'edges.csv']) {
    if (exists(dir, file)) compareFile('merge', `${name}/${file}`, path.join(dir, file), path.join(output, file));
  }
}

async function visit(dir, name) {
  const has = (file) => exists(dir, file);
  if (has('template.json') && has('input.json')) return converterCase(name, dir);
  if (has('graph.input.json')) return handmadeCase(name, dir);
  if (has('pandas-3.1.1')) return coercionCase(name, dir);
  if (has('expected.json') && has('inputs')) return loaderGroup(dir);
  if (has('fold-rules.json')) return vectorGroup(dir);
  if (has('config.json') && has('result.json')) return runCase(path.basename(dir), dir);
  if (has('args.json')) return mergeCase(path.basename(dir), dir);
  for (const entry of readdirSync(dir).sort()) {
    const inner = path.join(dir, entry);
    if (statSync(inner).isDirectory()) await visit(inner, name ? `${name}/${entry}` : entry);
  }
}

async function run() {
  await visit(path.resolve(folder), '');
  rmSync(work, { recursive: true, force: true });
  const groups = new Map();
  for (const { group, problem } of rows) {
    const counts = groups.get(group) ?? { passed: 0, failed: 0 };
    counts[problem === undefined ? 'passed' : 'failed']++;
    groups.set(group, counts);
  }
  for (const { group, name, problem } of rows)
    if (problem !== undefined || flag === '--verbose')
      process.stdout.write(
        `${problem === undefined ? 'ok  ' : 'FAIL'} ${group} ${name}${problem ? `\n      ${problem}` : ''}\n`,
      );
  for (const [group, { passed, failed }] of groups)
    process.stdout.write(`${group}: ${passed} passed, ${failed} failed\n`);
  process.exitCode = rows.some(({ problem }) => problem !== undefined) || rows.length === 0 ? 1 : 0;
}

void run();
