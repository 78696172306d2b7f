// Reads what the graph commands write with the Python graph library's own loader:
//   node scripts/graph-peer.js [CACHE-FOLDER]
// The library comes from PyPI into an environment in the cache folder (default ~/.cache/docloom/graph-peer), without the
// packages for page models, which are replaced by empty ones: reading needs none. Exit code 0: all read; 1: something was
// refused; 3: the environment cannot be made here, with the reason.
'use strict';
const { spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const path = require('node:path');
const { emptyModules } = require('./empty-modules.js');

const version = '1.9.1';
const cache = path.resolve(process.argv[2] ?? path.join(homedir(), '.cache/docloom/graph-peer'));
const python = path.join(cache, 'env/bin/python');
const docloom = path.join(__dirname, '..', 'bin/docloom');
const needs = [
  'networkx',
  'pydantic',
  'pandas',
  'rich',
  'typer',
  'pyyaml',
  'docling-core',
  'requests',
  'python-dotenv',
];

const stubbed = [
  'docling',
  'torch',
  'litellm',
  'aiofiles',
  'tenacity',
  'transformers',
  'rdflib',
  'linkml_runtime',
  'semchunk',
  'tree_sitter',
  'huggingface_hub',
  'tiktoken',
];

const reader = `
import sys, json, logging
from pathlib import Path
${emptyModules(stubbed, 'name')}logging.disable(logging.CRITICAL)
from docling_graph.core.importers.graph_json import load_graph_input
for name in sys.argv[1:]:
    try:
        graph, ledger, _ = load_graph_input(Path(name))
        print(json.dumps({'name': name, 'nodes': graph.number_of_nodes(), 'edges': graph.number_of_edges(), 'ledger': ledger is not None}))
    except Exception as error:
        print(json.dumps({'name': name, 'error': f'{type(error).__name__}: {error}'}))
`;

function call(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return { ok: status === 0, stdout: stdout ?? '', reason: error?.message ?? (stderr ?? '').trim().split('\n').at(-1) };
}

function environment() {
  if (existsSync(path.join(cache, `ready-${version}`))) return undefined;
  mkdirSync(cache, { recursive: true });
  const made = call('python3', ['-m', 'venv', path.join(cache, 'env')]);
  if (!made.ok) return made.reason;
  for (const packages of [['--no-deps', `docling-graph==${version}`], needs]) {
    const installed = call(python, ['-m', 'pip', 'install', '-q', ...packages], { timeout: 600_000 });
    if (!installed.ok) return installed.reason;
  }
  writeFileSync(path.join(cache, `ready-${version}`), '');
  return undefined;
}

const sample = `# Invoice
Invoice number: INV-1
Issued: 31 January 2024
Total: 1,234.50 EUR
Seller: Köln & Söhne "Ltd"

| Article | Price | Quantity |
|---|---|---|
| Widget | 1,000.00 | 3 |
| Gadget | 234.50 | 1 |
`;

const template = {
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['invoice_number'],
      fields: {
        invoice_number: { type: 'str' },
        issued: { type: 'date' },
        total: { type: 'decimal' },
        rates: { type: 'float', is_list: true },
        seller: { model: 'Party', edge_label: 'ISSUED_BY' },
        buyer: { model: 'Party', edge_label: 'SENT_TO' },
        articles: { model: 'Article', is_list: true, edge_label: 'CONTAINS' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, note: { type: 'str' } } },
    Article: { graph_id_fields: ['article'], fields: { article: { type: 'str' }, price: { type: 'decimal' } } },
  },
};
const instance = {
  invoice_number: '北京-1',
  issued: '2024-01-31',
  total: '12345678901234567890.10',
  rates: [1.0, 2.5],
  seller: { name: 'Acme', note: 'a\n"b' },
  buyer: { name: 'ACME', note: '=1+1' },
  articles: [
    { article: '-1.5', price: '1' },
    { article: '15', price: null },
  ],
};

/** One folder for every way in which the commands write a graph. */
function writeAll(folder) {
  const at = (name) => path.join(folder, name);
  writeFileSync(at('sample.md'), sample);
  writeFileSync(at('template.json'), JSON.stringify(template));
  writeFileSync(at('input.json'), JSON.stringify([instance]));
  const written = [];
  const graph = (output, ...args) => {
    const { ok, reason } = call(process.execPath, [docloom, 'graph', ...args, '--output', at(output)]);
    if (!ok) throw new Error(`docloom graph ${args[0]}: ${reason}`);
    written.push(at(output));
  };
  for (const profile of ['spec', 'peer']) {
    graph(`build-${profile}`, 'build', at('template.json'), at('input.json'), '--profile', profile);
    const evidence = ['--provenance', 'detailed', '--profile', profile];
    graph(`extract-${profile}`, 'extract', at('sample.md'), '--template', at('template.json'), ...evidence);
    const inputs = [at(`build-${profile}`), at(`extract-${profile}`)];
    graph(`merge-${profile}`, 'merge', ...inputs, '--conflicts', 'variants', '--profile', profile);
  }
  return written;
}

/** The same of a model that answers by the contract dense, and of one that sees pages: their evidence has other kinds. */
async function askAll(folder) {
  require('./build.js').build();
  const graphs = require('../dist/graph/index.js');
  const nodes = [
    { i: 1, path: '', ids: { invoice_number: 'INV-7' } },
    { i: 2, path: 'seller', ids: { name: 'Not in the text' }, p: 1, c: 1 },
    { i: 3, path: 'articles[]', ids: { article: 'Widget' }, p: 1 },
  ];
  const answers = { dense_skeleton: { nodes }, dense_fill: { items: [{ total: '1.50' }] }, page_extraction: instance };
  const model = { hasStructuredOutput: true, ask: async ({ name }) => ({ text: JSON.stringify(answers[name] ?? {}) }) };
  const pages = [{ page: 1, mediaType: 'image/png', base64: 'AA==' }];
  const ways = { dense: { extraction_contract: 'dense', chunk_max_tokens: 16 }, seen: { backend: 'vlm' } };
  const written = [];
  for (const profile of ['spec', 'peer'])
    for (const [way, options] of Object.entries(ways)) {
      const output = path.join(folder, `${way}-${profile}`);
      const given = { source: sample, template: graphs.templateFrom(template), model, pages, sourceName: 'sample.md' };
      const made = await graphs.runPipeline({ ...given, options: { ...options, provenance: 'detailed', profile } });
      mkdirSync(output);
      writeFileSync(path.join(output, 'graph.json'), [...graphs.writeJson(made.graph, { profile })].join(''));
      writeFileSync(path.join(output, 'provenance.json'), graphs.jsonText(made.provenance, { nonFinite: 'null' }));
      written.push(output);
    }
  return written;
}

async function run() {
  const missing = environment();
  if (missing) {
    process.stdout.write(`The Python library cannot be installed here, so nothing was compared: ${missing}\n`);
    return 3;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'graph-peer-'));
  try {
    const folders = [...writeAll(folder), ...(await askAll(folder))];
    const { ok, stdout, reason } = call(python, ['-c', reader, ...folders]);
    if (!ok) throw new Error(`the Python library does not start: ${reason}`);
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    // A ledger that is there must be one that the library can read.
    const wrong = results.filter(
      ({ name, error, ledger }) => error || ledger !== existsSync(path.join(name, 'provenance.json')),
    );
    for (const { name, nodes, edges, ledger, error } of results) {
      const said = error ?? `${nodes} nodes, ${edges} edges, ledger ${ledger ? 'read' : 'none'}`;
      process.stdout.write(`${path.basename(name)}: ${said}\n`);
    }
    return wrong.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void run().then((code) => (process.exitCode = code));
