import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { main } from '../main';
import { buildRunFolder } from './run-folder';

// Loading the readers of all formats is slow on a busy machine.
jest.setTimeout(60_000);

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-graph-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = (...parts: string[]) => path.join(folder, ...parts);
const text = (...parts: string[]) => readFileSync(at(...parts), 'utf8');
function write(name: string, content: unknown): string {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
}

/** Runs `docloom graph …` in this process. */
async function graph(...given: string[]): Promise<{ code: unknown; out: string; error: string }> {
  const [out, error]: [string[], string[]] = [[], []];
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => out.push(String(chunk)) > 0),
    jest.spyOn(process.stderr, 'write').mockImplementation((chunk) => error.push(String(chunk)) > 0),
  ];
  process.exitCode = 0;
  try {
    await main(['node', 'docloom', 'graph', ...given]);
    return { code: process.exitCode, out: out.join(''), error: error.join('') };
  } finally {
    process.exitCode = 0;
    for (const spy of spies) spy.mockRestore();
  }
}

const template = write('invoice.json', {
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['number'],
      fields: {
        number: { annotation: "<class 'str'>", description: 'Invoice number' },
        issued: { annotation: 'Optional[datetime.date]' },
        total: { annotation: "<class 'decimal.Decimal'>" },
        seller: { annotation: 'Optional[Party]', model: 'Party', edge_label: 'ISSUED_BY' },
        buyer: { annotation: 'Optional[Party]', model: 'Party', edge_label: 'SENT_TO' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
  },
});
const instance = {
  number: 'I-1',
  issued: '2024-01-31',
  total: '10.50',
  seller: { name: 'Acme' },
  buyer: { name: 'ACME' },
};
const input = write('input.json', [instance]);

describe('docloom graph', () => {
  test('describes its commands and their options', async () => {
    const { code, out } = await graph('--help');
    expect(code).toBe(0);
    for (const name of ['extract', 'build', 'inspect', 'merge', 'diff', 'template', '--profile', '--json'])
      expect(out).toContain(name);
  });

  test.each(['extract', 'build', 'inspect', 'merge', 'diff', 'template'])('%s has its own help', async (name) => {
    const { code, out } = await graph(name, '--help');
    expect(code).toBe(0);
    expect(out).toContain('--json');
  });

  test('exits with 2 on an unknown command or a missing argument', async () => {
    expect((await graph('draw')).code).toBe(2);
    expect((await graph('build', template)).code).toBe(2);
    expect((await graph('build', template, input)).code).toBe(2);
  });
});

describe('docloom graph build', () => {
  test('writes every file of both profiles', async () => {
    for (const [profile, other] of [
      ['spec', 'merge'],
      ['peer', 'create'],
    ] as const) {
      const { code, out } = await graph('build', template, input, '--profile', profile, '-o', at(profile), '--json');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        ok: true,
        node_count: 2,
        files: [
          'graph.json',
          'nodes.csv',
          'edges.csv',
          'graph.cypher',
          `graph.${other}.cypher`,
          'report.md',
          'graph.html',
          'stats.json',
        ],
      });
    }
    expect(parseCsv(text('spec', 'edges.csv'))).toEqual([
      ['source', 'target', 'type'],
      [expect.any(String), expect.any(String), 'ISSUED_BY'],
      [expect.any(String), expect.any(String), 'SENT_TO'],
    ]);
    expect(text('spec', 'graph.cypher')).toContain('CREATE (:Invoice');
    expect(text('spec', 'graph.merge.cypher')).toContain('MERGE (n:Invoice');
    // The peer has one edge for a pair: the last.
    expect(text('peer', 'edges.csv')).toMatch(/^"source","target","label"\n.*"SENT_TO"\n$/);
    expect(text('peer', 'graph.json').endsWith('}')).toBe(true);
  });

  test('computes the schema hash from the schema next to the template', async () => {
    const computeHash = (name: string) =>
      (JSON.parse(text(name, 'graph.json')) as { graph: Record<string, string> }).graph;
    write('invoice.schema.json', { type: 'object', title: 'Invoice' });
    await graph('build', template, input, '-o', at('schema'), '--format', 'json');
    expect(computeHash('schema')['template_schema_hash']).not.toBe(computeHash('spec')['template_schema_hash']);
    rmSync(at('invoice.schema.json'));
  });

  test('accepts the options of the peer and our own, and reports unknown ones', async () => {
    const options = write('options.json', { converter: { add_reverse_edges: true, colour: 'red' } });
    const { code, error } = await graph(
      'build',
      template,
      input,
      '--options',
      options,
      '-o',
      at('reverse'),
      '--format',
      'csv',
    );
    expect([code, error]).toEqual([0, "docloom: ignored unknown option 'colour'\n"]);
    expect(text('reverse', 'edges.csv')).toContain('reverse_SENT_TO');
    expect(existsSync(at('reverse', 'graph.json'))).toBe(false);
  });

  test('writes Parquet, GraphML, GEXF, Turtle and JSON-LD on request', async () => {
    const formats = ['parquet', 'graphml', 'gexf', 'turtle', 'jsonld'];
    const { out } = await graph('build', template, input, '-o', at('all'), '--json', '--format', ...formats);
    expect((JSON.parse(out) as { files: string[] }).files).toEqual([
      'graph.graphml',
      'graph.gexf',
      'graph.ttl',
      'graph.jsonld',
      'nodes.parquet',
      'edges.parquet',
      'stats.json',
    ]);
    expect(readFileSync(at('all', 'nodes.parquet')).subarray(0, 4).toString()).toBe('PAR1');
  });

  test.each<[string, () => string[]]>([
    ['a missing template', () => [at('none.json'), input]],
    ['a template that is not JSON', () => [write('bad.json', '{'), input]],
    ['an input that is a number', () => [template, write('number.json', '[1]')]],
    ['no instances', () => [template, write('empty.json', '[]')]],
    ['options of the wrong type', () => [template, input, '--options', write('wrong.json', { reverse_edges: 1 })]],
  ])('%s is an error with a code and no files', async (_case, value) => {
    const { code, out, error } = await graph('build', ...value(), '-o', at('nothing'), '--json');
    expect([1, 2]).toContain(code);
    expect(JSON.parse(out)).toMatchObject({ ok: false, code: expect.stringMatching(/^GRAPH_/) });
    expect(error).toMatch(/GRAPH_/);
    expect(existsSync(at('nothing'))).toBe(false);
  });
});

describe('docloom graph inspect', () => {
  test('describes an export given as a file or a folder, with the ledger next to it', async () => {
    write('spec/provenance.json', { version: 2, document: { document_id: 'd1', source: 'a' } });
    const { code, out } = await graph('inspect', at('spec'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ok: true,
      path: at('spec', 'graph.json'),
      format: 'v2',
      node_count: 2,
      edge_types: { ISSUED_BY: 1, SENT_TO: 1 },
      document_id: 'd1',
      problems: [],
    });
    expect((await graph('inspect', at('peer', 'graph.json'))).out).toContain('2 nodes, 1 edges');
  });

  test('prefers the folder docling_graph, and loads graphs whose ledger cannot be read', async () => {
    write('run/graph.json', { nodes: [{ id: 'outer' }], edges: [] });
    write('run/docling_graph/graph.json', { nodes: [{ id: 'inner' }], edges: [] });
    write('run/docling_graph/provenance.json', '{"version": "x"}');
    const { out } = await graph('inspect', at('run'), '--json');
    expect(JSON.parse(out)).toMatchObject({ node_ids: ['inner'], document_id: null });
  });

  const corrupt: [string, () => string, string[]][] = [
    ['a missing path', () => at('gone.json'), ['path']],
    ['an empty folder', () => (mkdirSync(at('void'), { recursive: true }), at('void')), ['directory', 'expected']],
    ['CSV', () => write('x.CSV', 'a'), ['hint', 'path']],
    ['Cypher', () => write('x.cypher', 'a'), ['hint', 'path']],
    ['no JSON', () => write('text.json', 'hello'), ['path']],
    ['an empty file', () => write('zero.json', ''), ['path']],
    ['a byte order mark', () => write('bom.json', '\uFEFF{"nodes": [{"id": 1}], "edges": []}'), ['path']],
    ['a list', () => write('list.json', '[1]'), ['found', 'source']],
    ['no edges', () => write('edges.json', { nodes: [] }), ['found', 'source']],
    ['nodes that are not a list', () => write('nodes.json', { nodes: {}, edges: [] }), ['source']],
    ['no nodes', () => write('none.json', { nodes: [], edges: [] }), ['source']],
    ['a node without an id', () => write('id.json', { nodes: [{ label: 'A' }], edges: [] }), ['node', 'source']],
    ['an id that is null', () => write('null.json', { nodes: [{ id: null }], edges: [] }), ['node', 'source']],
    [
      'an edge without an end',
      () => write('end.json', { nodes: [{ id: 1 }], edges: [{ source: 1 }] }),
      ['edge', 'source'],
    ],
    [
      'an edge to a node that is missing, or whose id has another type',
      () => write('dangling.json', { nodes: [{ id: 1 }], edges: [{ source: 1, target: '1' }] }),
      ['edge_source', 'edge_target', 'source'],
    ],
  ];
  test.each(corrupt)('refuses %s', async (_case, value, keys) => {
    const { code, out } = await graph('inspect', value(), '--json');
    const { error, details } = JSON.parse(out) as { error: string; details: Record<string, unknown> };
    expect([code, error, Object.keys(details).sort()]).toEqual([2, 'ConfigurationError', keys]);
  });
});

describe('docloom graph merge and diff', () => {
  const other = { ...instance, number: 'I-2', buyer: { name: 'Beta' } };

  test('merge writes one graph, its report and the ledgers', async () => {
    await graph('build', template, write('other.json', other), '-o', at('other'), '--format', 'json');
    const { code, out } = await graph('merge', at('spec'), at('other'), '-o', at('merged'), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ ok: true, report: { nodes_folded: 1, node_count: 4, edge_count: 4 } });
    expect(JSON.parse(text('merged', 'merge_report.json'))).toMatchObject({ identity_source: 'v2_export' });
    expect(JSON.parse(text('merged', 'provenance', 'manifest.json'))).toMatchObject({
      documents: [{ ledger: 'd1.json' }, { ledger: null }],
    });
    expect((await graph('inspect', at('merged'))).code).toBe(0);
  });

  test('merge exits with 2 without inputs or for graphs of different templates; a dry run writes the report only', async () => {
    expect((await graph('merge', '-o', at('m1'))).code).toBe(2);
    const simple = write('simple.json', {
      root: 'A',
      classes: { A: { graph_id_fields: ['n'], fields: { n: { type: 'str' } } } },
    });
    await graph('build', simple, write('a.json', { n: '1' }), '-o', at('simple'), '--format', 'json');
    const refused = await graph('merge', at('spec'), at('simple'), '-o', at('m2'), '--json');
    expect([refused.code, JSON.parse(refused.out)]).toMatchObject([
      2,
      { error: 'ConfigurationError', details: { schema_hashes: {} } },
    ]);
    const dry = await graph(
      'merge',
      at('spec'),
      at('simple'),
      '-o',
      at('m3'),
      '--no-strict-template-check',
      '--dry-run',
    );
    expect([dry.code, existsSync(at('m3', 'graph.json')), existsSync(at('m3', 'merge_report.json'))]).toEqual([
      0,
      false,
      true,
    ]);
  });

  test('diff lists additions, removals and changes, and reports them in its exit code on request', async () => {
    const { code, out } = await graph('diff', at('spec'), at('other'), '--exit-code');
    expect(code).toBe(1);
    expect(out).toMatch(/^- node Invoice_/m);
    expect(out).toMatch(/^\+ edge Invoice_\w+ -SENT_TO-> Party_/m);
    const same = await graph('diff', at('spec'), at('spec'), '--json', '--exit-code');
    expect([same.code, JSON.parse(same.out)]).toMatchObject([0, { equal: true }]);
  });
});

const sample = '# Invoice\nInvoice number: I-9\nIssued: 31 January 2024\nTotal: 1,234.50 EUR\nSeller: Acme Ltd\n';

describe('docloom graph extract and template', () => {
  test('extract writes graph, evidence and document, without a model', async () => {
    const source = write('sample.md', sample);
    const { code, out } = await graph(
      'extract',
      source,
      '-t',
      template,
      '-o',
      at('extracted'),
      '--export-per-page',
      '--json',
    );
    expect([code, JSON.parse(out)]).toMatchObject([0, { node_count: 2, edge_count: 1, has_ledger: true }]);
    for (const file of [
      'converted_document.json',
      'markdown/full_document.md',
      'markdown/pages/page_1.md',
      'models.json',
    ])
      expect(existsSync(at('extracted', file))).toBe(true);
    expect(JSON.parse(text('extracted', 'provenance.json'))).toMatchObject({ document: { source: 'sample.md' } });
    expect(text('extracted', 'graph.cypher')).toContain('total: 1234.5');
  });

  test('extract names the stage of every error as the peer does, and creates one folder per run', async () => {
    const peer = async (...given: string[]) => {
      const { out } = await graph('extract', ...given, '--profile', 'peer', '--json');
      return JSON.parse(out) as { error: string; details: Record<string, unknown> };
    };
    const gone = await peer(at('gone.md'), '-t', 'Template');
    expect(gone).toMatchObject({
      error: 'PipelineError',
      details: { stage: 'Input Normalization', error_type: 'ConfigurationError' },
    });
    const { details } = await peer(write('some.md', 'text'), '-t', 'Template');
    expect(Object.keys(details).sort()).toEqual(['error', 'error_type', 'stage']);
    expect(details['stage']).toBe('Template Loading');
    const named = buildRunFolder('My Document (2024).pdf', new Date('2024-01-31T01:02:03Z'));
    expect(named).toBe('My_Document__2024__pdf_20240131_010203');
    expect(buildRunFolder('x'.repeat(300), new Date(0))).toHaveLength(163 + '_19700101_000000'.length);
  });

  test('extract rejects a graph as source, vlm with remote, and a missing model', async () => {
    const to = ['-t', template, '-o', at('refused'), '--json'];
    const codes = async (...given: string[]) => {
      const { code, out } = await graph('extract', ...given, ...to);
      return [code, (JSON.parse(out) as { error: string }).error];
    };
    expect(await codes(at('spec', 'graph.json'))).toEqual([2, 'ConfigurationError']);
    expect(await codes(at('sample.md'), '--backend', 'llm')).toEqual([2, 'ConfigurationError']);
    const remote = write('remote.json', { inference: 'remote' });
    expect(await codes(at('sample.md'), '--backend', 'vlm', '--options', remote)).toEqual([2, 'ConfigurationError']);
    expect(await codes(write('prose.md', 'Nothing labelled here.'))).toEqual([1, 'ExtractionError']);
  });

  test('template derives a template from a sample that extracts the facts of the sample', async () => {
    const derived = await graph('template', at('sample.md'), '-o', at('made.yaml'));
    expect(derived.code).toBe(0);
    expect(derived.out).toMatch(
      /^From 1 sample:\n {2}Invoice, known by invoice_number: .*\nWritten to .*made\.yaml\.\n$/s,
    );
    const both = await graph('template', at('sample.md'), at('sample.md'), '-o', at('both.yaml'));
    expect(both.out).toContain('From 2 samples:');
    expect((await graph('template', at('made.yaml'), at('both.yaml'), '--describe')).code).toBe(2);
    const { out } = await graph('extract', at('sample.md'), '-t', at('made.yaml'), '-o', at('made'), '--json');
    expect(JSON.parse(out)).toMatchObject({ node_count: 1 });
    expect(text('made', 'models.json')).toContain('"I-9"');
    expect((await graph('template', write('one.json', instance), '--json')).out).toContain('"ok": true');
    expect((await graph('template', write('none.md', 'Nothing.'))).code).toBe(2);
  });

  test('template describes one template and lists the problems of another', async () => {
    expect((await graph('template', template, '--describe')).out).toContain('- Invoice `ISSUED_BY` Party (one)');
    const wrong = write('wrong.yaml', 'root: A\nclasses: {A: {fields: {b: {model: B}}}}');
    const { code, error } = await graph('template', wrong, '--describe');
    expect(code).toBe(2);
    expect(error).toContain("A.b names the class 'B', which does not exist");
  });
});

test('a folder that cannot be created is reported on one line, and no partial output remains', async () => {
  const template = write('disk/template.json', { root: 'A', classes: { A: { fields: { name: { type: 'str' } } } } });
  const input = write('disk/input.json', { name: 'x' });
  const file = write('disk/file', 'text');
  const { code, error } = await graph('build', template, input, '--output', file);
  expect([code, error.trim().split('\n')]).toEqual([
    2,
    [expect.stringMatching(/^docloom: A file or folder cannot be used: E\w+: .*disk\/file/)],
  ]);
  expect(await graph('build', template, input, '--output', at('disk', 'out'))).toMatchObject({ code: 0 });
  expect(readdirSync(at('disk', 'out')).filter((name) => name.startsWith('.'))).toEqual([]);
});
