import { documentToJson, toMarkdown } from '../../document';
import { convertBytes } from '../../formats';
import { graphFromJson } from '../../graph';
import { AppError } from '../../model/errors';
import { validateFlow } from '../../model/flow/validation';
import { listProblems } from '../../model/validate';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { operators } from '../index';
import type { OperatorServices } from '../operator';
import { run } from './run';
import { config as schema, graph, type GraphConfig } from './schema';

const template = {
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', required: true, description: 'Invoice number' },
        total: { type: 'decimal' },
        seller: { model: 'Party', edge_label: 'ISSUED_BY' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
  },
};
const yaml = `
type: object
title: Invoice
x-graph-id-fields: [number]
properties:
  number: { type: string, description: Invoice number }
  seller: { $ref: '#/$defs/Party', x-edge-label: ISSUED_BY }
$defs:
  Party: { type: object, x-graph-id-fields: [name], properties: { name: { type: string } } }
`;
const invoice = (number: string, seller = 'Acme Ltd') =>
  `# Invoice\n\nInvoice number: ${number}\n\nTotal: 12.50 EUR\n\nSeller: ${seller}\n`;

type Chat = OperatorServices['llm']['chat'];

function fake(chat?: Chat) {
  const files = new Map<string, string>();
  const services = {
    files: {
      put: async (key: string, bytes: Uint8Array) => void files.set(key, new TextDecoder().decode(bytes)),
      async *list(prefix: string) {
        yield* [...files.keys()].filter((key) => key.startsWith(prefix));
      },
      get: async (key: string) => {
        const text = files.get(key);
        if (text === undefined) throw new AppError('TABLE_NOT_FOUND', `no file ${key}`);
        return new TextEncoder().encode(text);
      },
    },
    llm: { chat: chat ?? (async () => Promise.reject(new Error('no model may be asked'))) },
  } as unknown as OperatorServices;
  return { files, context: contextFor(services, { operator: 'facts' }) };
}
const getNodes = (text = '') =>
  [...graphFromJson(text, 'graph.json').nodes.values()]
    .map((node) => (node['name'] ?? node['number']) as string)
    .toSorted();

describe('graph', () => {
  test('with a graph of all documents, rows pass unchanged and no document gets a graph', async () => {
    const { files, context } = fake();
    const rows = [documentRow('a', invoice('A-1'))];
    expect(await run(rows, { template, graph_name: 'invoices', backend: 'llm' }, context)).toEqual({ rows });
    expect(files.size).toBe(0);
  });

  test('a graph of all documents needs one document set in the flow, and only such a graph has a limit', () => {
    const sink = { type: 'document_set', config: { document_set_name: 's' }, depends_on: ['facts'] };
    const check = (config: object, ...sinks: string[]) => {
      const flow = [
        { type: 'ingest_source', name: 'in', config: { provider: 'filesystem', connection_params: { paths: ['/'] } } },
        { type: 'extract_operator', name: 'read', depends_on: ['in'], config: {} },
        { type: 'graph', name: 'facts', depends_on: ['read'], config: { template, ...config } },
        ...sinks.map((name) => ({ ...sink, name })),
      ];
      return validateFlow({ flow_name: 'f', flow }, operators).errors.map(({ message }) => message);
    };
    const rule = "'facts' builds a graph of the document set that the flow writes; expected one document_set, found";
    expect(check({ graph_name: 'g', limit: { documents: 1 }, resolution: 'rules' }, 's')).toEqual([]);
    expect(check({ graph_name: 'g' })).toEqual([`${rule} none.`]);
    expect(check({ graph_name: 'g' }, 's', 't')).toEqual([`${rule} s, t.`]);
    expect(check({}, 's', 't')).toEqual([]);
    expect(check({ limit: { documents: 1 } }, 's')).toEqual([
      "'limit' is for one graph of all documents; it needs 'graph_name'.",
    ]);
    expect(check({ graph_name: 'g', resolution: 'model' }, 's')).toEqual([
      'The resolution model needs the backend llm.',
    ]);
    expect(graph.validate({ template, graph_name: 'g', formats: ['csv'] })).toMatchObject([
      { severity: 'warning', pointer: '/formats' },
    ]);
    expect(graph.validate({ template, formats: ['csv'] })).toEqual([]);
    expect(check({ graph_name: '' }, 's')).not.toEqual([]);
    expect(check({ graph_name: 'x'.repeat(201) }, 's')).not.toEqual([]);
    expect(check({ graph_name: 'g', limit: { documents: -1 } }, 's')).not.toEqual([]);
  });

  test('each document has its graph under a key of job, document and operator; rows keep their columns', async () => {
    const { files, context } = fake();
    const rows = [
      documentRow('a', invoice('A-1')),
      documentRow('b', invoice('B-2', 'Zeta'), { allowed_users: ['bob'] }),
    ];
    const result = await run(rows, { template }, context);
    expect(result.rows).toEqual([
      { ...rows[0], graph_ref: 'graphs/job/a/facts/graph.json', graph_nodes: 2, graph_edges: 1 },
      { ...rows[1], graph_ref: 'graphs/job/b/facts/graph.json', graph_nodes: 2, graph_edges: 1 },
    ]);
    expect(result).toMatchObject({
      failed: [],
      warnings: [],
      metrics: { graphs: 2, graph_nodes: 4, graph_edges: 2 },
    });
    expect([...files.keys()]).toEqual(['graphs/job/a/facts/graph.json', 'graphs/job/b/facts/graph.json']);
    expect(getNodes(files.get('graphs/job/b/facts/graph.json'))).toEqual(['B-2', 'Zeta']);
  });

  test('a retry overwrites with the same bytes; csv, cypher and evidence are written on request', async () => {
    const { files, context } = fake();
    const config: GraphConfig = { template, formats: ['csv', 'cypher'], provenance: 'standard' };
    await run([documentRow('a', invoice('A-1'))], config, context);
    const first = new Map(files);
    for (const key of files.keys()) files.set(key, 'half of it');
    await run([documentRow('a', invoice('A-1'))], config, context);
    expect(files).toEqual(first);
    const names = [...files.keys()].map((key) => key.replace('graphs/job/a/facts/', ''));
    expect(names).toEqual([
      'graph.json',
      'nodes.csv',
      'edges.csv',
      'graph.cypher',
      'graph.merge.cypher',
      'provenance.json',
    ]);
    expect(files.get('graphs/job/a/facts/graph.cypher')).toContain('ISSUED_BY');
    expect(files.get('graphs/job/a/facts/edges.csv')).toMatch(/^source,target,type/);
  });

  test('JSON Schema as YAML is a template too, and gives the same nodes', async () => {
    const { files, context } = fake();
    await run([documentRow('a', invoice('A-1'))], { template: yaml }, context);
    expect(getNodes(files.get('graphs/job/a/facts/graph.json'))).toEqual(['A-1', 'Acme Ltd']);
  });

  test('the full document is used while it matches content; text that was masked since then does not return', async () => {
    const { files, context } = fake();
    const bytes = new TextEncoder().encode(invoice('A-1', 'Secret Ltd'));
    const { document } = await convertBytes({ bytes, name: 'a.md' });
    files.set('documents/a.json', documentToJson(document));
    const content = toMarkdown(document);
    const row = documentRow('a', content, { document_ref: 'documents/a.json' });
    await run([row], { template, provenance: 'standard' }, context);
    expect(files.get('graphs/job/a/facts/graph.json')).toContain('Secret Ltd');
    await run([{ ...row, content: content.replace('Secret', '[MASKED]') }], { template }, context);
    expect(files.get('graphs/job/a/facts/graph.json')).not.toContain('Secret');
    await run([{ ...row, id: 'a_1', document_id: 'a', content: invoice('C-1', 'Chunk Ltd') }], { template }, context);
    expect(getNodes(files.get('graphs/job/a_1/facts/graph.json'))).toEqual(['C-1', 'Chunk Ltd']);
  });

  test('a document with a broken full document fails alone, one without facts continues without a graph', async () => {
    const { files, context } = fake();
    files.set('documents/broken.json', '{"schema_name": ');
    const rows = [
      documentRow('broken', 'x', { document_ref: 'documents/broken.json' }),
      documentRow('plain', 'Nothing is labelled here.'),
      documentRow('empty', undefined),
      documentRow('gone', invoice('G-1'), { document_ref: 'documents/gone.json' }),
    ];
    const { rows: kept, failed, warnings } = await run(rows, { template }, context);
    expect(failed).toEqual([expect.objectContaining({ id: 'broken', name: 'broken.md' })]);
    expect(kept.map((row) => [row.id, row['graph_ref'] === null, row['graph_nodes']])).toEqual([
      ['plain', true, 0],
      ['empty', true, 0],
      ['gone', false, 2],
    ]);
    expect(warnings).toEqual(['2 documents without anything that the template describes got no graph.']);
  });

  test('an unavailable store ends the part, so that it is retried', async () => {
    const { context } = fake();
    context.services.files.put = async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'no store');
    };
    await expect(run([documentRow('a', invoice('A-1'))], { template }, context)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    });
  });

  test('a cancelled run writes nothing more', async () => {
    const { files, context } = fake();
    const signal = AbortSignal.abort();
    await expect(run([documentRow('a', invoice('A-1'))], { template }, { ...context, signal })).rejects.toThrow(
      /abort/i,
    );
    expect(files.size).toBe(0);
  });
});

describe('graph with a language model', () => {
  const model: GraphConfig = { template, backend: 'llm', type: 'gateway', provider_config: { model_id: 'm' } };

  test('the configured model is called, and its usage is in the metrics', async () => {
    const questions: unknown[] = [];
    const { files, context } = fake(async (request, settings, _signal, onUsage) => {
      questions.push(settings);
      onUsage?.({ requests: 1, inputTokens: 10, outputTokens: 5, cost: 0, fromCache: 0 });
      expect(request.messages.at(-1)?.content).toContain('prose');
      const text = JSON.stringify({ number: 'M-1', seller: { name: 'Found Ltd' }, invented: 1 });
      return { text, isTruncated: false, value: undefined };
    });
    const { rows, metrics } = await run([documentRow('a', 'All in prose.')], model, context);
    expect(rows).toEqual([expect.objectContaining({ graph_nodes: 2, graph_edges: 1 })]);
    expect(getNodes(files.get('graphs/job/a/facts/graph.json'))).toEqual(['Found Ltd', 'M-1']);
    expect(questions[0]).toEqual({ type: 'gateway', provider_config: { model_id: 'm' } });
    expect(metrics).toMatchObject({ model_requests: questions.length, model_input_tokens: 10 * questions.length });
    expect(metrics?.['graph_problems']).toBeGreaterThan(0);
  });

  test('an answer in prose gives a document without a graph; an unavailable host ends the part with its own code', async () => {
    const prose = fake(async () => ({ text: 'I cannot.', isTruncated: false, value: undefined }));
    const { rows } = await run([documentRow('a', 'text')], model, prose.context);
    expect(rows).toEqual([expect.objectContaining({ graph_ref: null })]);
    const away = fake(async () => Promise.reject(new AppError('LOCALMODEL_CONNECTION_FAILED', 'away')));
    await expect(run([documentRow('a', 'text')], model, away.context)).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
    });
  });
});

describe('graph after a crash', () => {
  const model: GraphConfig = {
    template,
    backend: 'llm',
    type: 'gateway',
    provider_config: { model_id: 'm', max_concurrent_requests: 1 },
    chunk_max_tokens: 16,
    // The whole and an answer do not fit: chunk by chunk.
    extraction_contract: 'direct',
    context_limit: 4_100,
  };
  const pages = Array.from({ length: 6 }, (_, page) => `Page ${page} is a paragraph of some length, in prose.`);
  const rows = ['a', 'b'].map((id) => documentRow(id, pages.map((text) => `${id}: ${text}`).join('\n\n')));

  test('no finished chunk is sent again for any document; another run sends all', async () => {
    const requests: string[] = [];
    let left = 8;
    const { files, context } = fake(async ({ messages }) => {
      const [page = ''] = /[ab]: Page \d/.exec(messages.at(-1)?.content ?? '') ?? [];
      if (left-- <= 0) throw new AppError('LOCALMODEL_CONNECTION_FAILED', 'killed');
      requests.push(page);
      return { text: JSON.stringify({ number: page }), isTruncated: false, value: undefined };
    });
    await expect(run(rows, model, context)).rejects.toMatchObject({ code: 'LOCALMODEL_CONNECTION_FAILED' });
    const before = requests.length;
    expect(before).toBe(8);
    left = 1_000;
    const { rows: done } = await run(rows, model, context);
    expect(done.map((row) => row['graph_ref'])).toEqual(['a', 'b'].map((id) => `graphs/job/${id}/facts/graph.json`));
    expect(requests.toSorted()).toEqual(['a', 'b'].flatMap((id) => pages.map((_, page) => `${id}: Page ${page}`)));
    expect([...files.keys()].filter((key) => key.startsWith(`run/${context.run.runId}/.graph/`))).toHaveLength(12);
    await run(rows, model, { ...context, run: { ...context.run, runId: 'another' } });
    expect(requests).toHaveLength(24);
  });
});

test('a store that cannot save the result of a chunk ends the part with its own code', async () => {
  const { context } = fake(async () => ({ text: '{"number": "1"}', isTruncated: false, value: undefined }));
  context.services.files.put = () => Promise.reject(new AppError('STORAGE_ERROR', 'full'));
  const config: GraphConfig = { template, backend: 'llm', type: 'gateway', provider_config: { model_id: 'm' } };
  await expect(run([documentRow('a', 'text')], config, context)).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
});

describe('the configuration of graph', () => {
  const findings = (config: Record<string, unknown>) =>
    validateFlow(
      {
        flow_name: 'f',
        flow: [
          { type: 'ingest_source', name: 'in', config: { connection_params: { paths: ['x'] } } },
          { type: 'extract_operator', name: 'extract', config: {}, depends_on: ['in'] },
          { type: 'graph', name: 'facts', config, depends_on: ['extract'] },
          { type: 'document_set', name: 'set', config: { document_set_name: 's' }, depends_on: ['facts'] },
        ],
      },
      operators,
    );
  const pointers = (config: Record<string, unknown>) => findings(config).errors.map(({ pointer }) => pointer);

  test('a valid configuration has no errors and no warnings', () => {
    expect(findings({ template })).toEqual({ errors: [], warnings: [] });
    expect(findings({ template: yaml })).toEqual({ errors: [], warnings: [] });
  });

  test('problems of a template are reported by JSON pointer', () => {
    const wrong = structuredClone(template) as {
      classes: Record<string, { fields: object; graph_id_fields: unknown }>;
    };
    wrong.classes['Party'] = { graph_id_fields: 'name', fields: {} };
    expect(pointers({ template: wrong })).toContain('/flow/2/config/template/classes/Party/graph_id_fields');
    expect(pointers({})).toEqual(['/flow/2/config']);
    for (const given of [
      { ...template, root: 'Missing' },
      { type: 'object' },
      { type: 'object', properties: { a: { $ref: '#/$defs/A' } } },
      'root: [',
      'just words',
      { root: 'A', classes: { A: { is_entity: false, fields: { a: { type: 'str' } } } } },
    ])
      expect({ given, pointers: pointers({ template: given }) }).toEqual({
        given,
        pointers: ['/flow/2/config/template'],
      });
  });

  test('names of templates are rejected: nothing is loaded from a path', () => {
    for (const name of ['shop.invoice.Template', 'templates/invoice.yaml', 'Invoice'])
      expect(graph.validate({ template: name })).toEqual([
        expect.objectContaining({ pointer: '/template', message: expect.stringContaining('a name') }),
      ]);
  });

  test('a model needs its name; an invalid template ends the run before a document is read', async () => {
    expect(graph.validate({ template, backend: 'llm' })).toEqual([
      expect.objectContaining({ severity: 'error', pointer: '/provider_config' }),
    ]);
    expect(listProblems(schema, { template, backend: 'vlm' })).not.toEqual([]);
    await expect(run([documentRow('a', 'x')], { template: 'a.b' }, fake().context)).rejects.toMatchObject({
      code: 'OPERATOR_CONFIGURATION_INVALID',
    });
  });
});
