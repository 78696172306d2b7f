import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  addNode,
  buildGraph,
  ConfigurationError,
  createGraph,
  ExtractionError,
  GraphLibraryError,
  graphFromJson,
  graphFromObject,
  PipelineError,
  refuseLossyExport,
  runPipeline,
  serializeGraph,
  templateFrom,
  ValueError,
  writeCypher,
  writeEdgesCsv,
  writeJson,
  writeNodesCsv,
} from '../../graph';
import { main } from '../main';
import { loadExport, writePieces } from './files';
import { loadTemplate } from './template-file';

// One test for each row of the specification's sections on graphs, in the same order and with the same name. Loading the
// readers of all formats is slow on a busy machine.
jest.setTimeout(60_000);

const folder = mkdtempSync(path.join(tmpdir(), 'docloom-specification-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const template = templateFrom({
  root: 'Invoice',
  classes: {
    Invoice: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', description: 'Invoice number' },
        issued: { type: 'date' },
        total: { type: 'decimal' },
        seller: { model: 'Party', edge_label: 'ISSUED_BY' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
  },
});
const instance = { number: '1', issued: '2024-01-31', total: '10.50', seller: { name: 'Acme' } };
const graph = buildGraph(template, [instance] as never);
const source = 'Invoice number: 1\nTotal: 10.50\nSeller: Acme\n';
const text = (pieces: Iterable<string>) => [...pieces].join('');
const json = JSON.parse(text(writeJson(graph))) as Record<'nodes' | 'edges', Record<string, unknown>[]> &
  Record<'metadata' | 'graph', Record<string, unknown>>;
const rules = (options: Record<string, unknown> = {}) =>
  runPipeline({ source, template, options: { backend: 'rules', ...options } });

async function cli(...given: string[]): Promise<unknown> {
  const spies = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write').mockReturnValue(true));
  process.exitCode = 0;
  await main(['node', 'docloom', 'graph', ...given]);
  const code = process.exitCode;
  process.exitCode = 0;
  for (const spy of spies) spy.mockRestore();
  return code;
}

describe('Graph extraction library options', () => {
  test('source: path of the input document', async () => {
    writeFileSync(path.join(folder, 'in.md'), source);
    writeFileSync(
      path.join(folder, 't.json'),
      JSON.stringify({ root: 'R', classes: { R: { fields: { total: { type: 'decimal' } } } } }),
    );
    const given = [path.join(folder, 'in.md'), '-t', path.join(folder, 't.json'), '-o', path.join(folder, 'run')];
    expect(await cli('extract', ...given)).toBe(0);
    expect(existsSync(path.join(folder, 'run', 'graph.json'))).toBe(true);
    expect(await cli('extract', path.join(folder, 'gone.md'), ...given.slice(1))).toBe(2);
  });

  test('template: dotted path of a typed template class', async () => {
    // That one is loaded is proved by test/integration/graph/graph-templates.test.ts, outside of jest's own modules.
    await expect(loadTemplate('nowhere.Template')).rejects.toThrow(ConfigurationError);
    await expect(loadTemplate('Template')).rejects.toMatchObject({ details: { type: 'Template' } });
    expect((await loadTemplate('invoice')).root).toBe('Invoice');
  });

  test('backend: llm or vlm', async () => {
    const model = { ask: () => Promise.resolve({ text: '{"number": "7"}' }) };
    const { pydantic_model } = await runPipeline({ source, template, model, options: { backend: 'llm' } });
    expect(pydantic_model).toEqual({ number: '7' });
    const pages = [{ page: 1, mediaType: 'image/png', base64: 'AA==' }];
    const seen = await runPipeline({ source, template, model, pages, options: { backend: 'vlm' } });
    expect([seen.pydantic_model, seen.contract.used]).toEqual([{ number: '7' }, 'pictures']);
    await expect(rules({ backend: 'other' })).rejects.toThrow(ConfigurationError);
  });

  test('inference: local or remote; the vlm backend supports local only', async () => {
    expect((await rules({ inference: 'remote' })).graph_metadata.node_count).toBe(2);
    await expect(rules({ backend: 'vlm', inference: 'remote' })).rejects.toThrow(
      /vlm supports only the inference local/,
    );
  });

  test('provider_override, model_override: provider and model selection', async () => {
    expect((await rules({ provider_override: 'ollama', model_override: 'm' })).graph_metadata.node_count).toBe(2);
    await expect(rules({ model_override: 1 })).rejects.toThrow(ConfigurationError);
  });

  test('processing_mode: one-to-one or many-to-one', async () => {
    for (const mode of ['one-to-one', 'many-to-one'])
      expect((await rules({ processing_mode: mode })).extracted_models).toHaveLength(1);
    await expect(rules({ processing_mode: 'all' })).rejects.toThrow(ConfigurationError);
  });

  test('use_chunking: chunk the document before extraction', async () => {
    const long = Array.from({ length: 50 }, (_, index) => `Paragraph ${index} of a long text.`).join('\n\n');
    const asked = async (use_chunking: boolean) => {
      let count = 0;
      const model = { ask: () => Promise.resolve({ text: `{"number": "1", "total": ${++count}}` }) };
      const options = { use_chunking, chunk_max_tokens: 32, gleaning_enabled: false, ...contract };
      await runPipeline({ source: long, template, model, options });
      return count;
    };
    const contract = { extraction_contract: 'direct', context_limit: 1_000, max_output_tokens: 700 };
    expect(await asked(false)).toBe(1);
    expect(await asked(true)).toBeGreaterThan(5);
  });

  test('docling_config: conversion configuration, for example vision', async () => {
    expect((await rules({ docling_config: 'vision' })).graph_metadata.node_count).toBe(2);
    await expect(rules({ docling_config: 'other' })).rejects.toThrow(ConfigurationError);
  });

  test('a run returns knowledge_graph (a directed graph) and pydantic_model (the extracted typed model)', async () => {
    const { knowledge_graph, pydantic_model, extracted_models } = await rules();
    expect([knowledge_graph.type, knowledge_graph.order, knowledge_graph.size]).toEqual(['directed', 2, 1]);
    expect(pydantic_model).toEqual({ number: '1', total: '10.50', seller: { name: 'Acme' } });
    expect(extracted_models).toEqual([pydantic_model]);
  });
});

describe('Errors', () => {
  test.each<[string, unknown]>([
    ['no graph export', { a: 1 }],
    ['empty', { nodes: [], edges: [] }],
    ['a malformed record', { nodes: ['a'], edges: [] }],
    ['an edge to a missing node', { nodes: [{ id: 'a' }], edges: [{ source: 'a', target: 'b' }] }],
  ])('the loader raises a configuration error when its input is %s', (_case, data) => {
    expect(() => graphFromObject(data)).toThrow(ConfigurationError);
  });

  test('the graph JSON exporter raises a value error for an empty graph', () => {
    expect(() => text(writeJson(createGraph()))).toThrow(ValueError);
  });

  test('a base error carries message and details, with ConfigurationError, ExtractionError, PipelineError', () => {
    for (const Kind of [ConfigurationError, ExtractionError, PipelineError]) {
      const error = new Kind('m', { a: 1 });
      expect(error).toBeInstanceOf(GraphLibraryError);
      expect([error.message, error.details]).toEqual(['m', { a: 1 }]);
    }
    expect(new ConfigurationError('m').retryable).toBe(false);
  });
});

describe('Versioning', () => {
  test('graph.format equals v2 in current exports', () => {
    expect(json.graph['format']).toBe('v2');
  });

  test('version 1 exports lack the top-level graph key and are still accepted by the loader', () => {
    const { nodes, edges, metadata } = json;
    expect(graphFromObject({ nodes, edges, metadata }).nodes.size).toBe(2);
  });
});

describe('Graph JSON (graph.json)', () => {
  test('nodes: objects with id, type, label and further attributes', () => {
    for (const node of json.nodes)
      expect(node).toMatchObject({ id: expect.any(String), type: 'entity', label: expect.any(String) });
    expect(json.nodes).toMatchObject([{ name: 'Acme' }, { number: '1' }]);
  });

  test('edges: objects with source, target, label (the key is edges, not links)', () => {
    const [party, invoice] = json.nodes.map(({ id }) => id);
    expect(json.edges).toEqual([{ source: invoice, target: party, label: 'ISSUED_BY' }]);
    expect('links' in json).toBe(false);
  });

  test('metadata: node_count and edge_count', () => {
    expect(json.metadata).toEqual({ node_count: 2, edge_count: 1 });
  });

  test('graph: format and the identity contract (id field map, template name, schema hash), restored when present', () => {
    const contract = {
      format: 'v2',
      template_name: 'Invoice',
      template_schema_hash: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      id_fields_map: { Invoice: ['number'], Party: ['name'] },
    };
    expect(json.graph).toEqual(contract);
    expect(graphFromObject(json).attributes).toEqual(contract);
  });

  test('serialized in memory, dates and decimals stay live, and the encoder spells them', () => {
    const [, invoice] = serializeGraph(graph).nodes;
    expect(invoice).toMatchObject({ issued: { kind: 'date' }, total: { kind: 'decimal', text: '10.50' } });
    expect(JSON.parse(JSON.stringify(invoice))).toMatchObject({ issued: '2024-01-31', total: 10.5 });
  });

  test('a parsed object and a file load with the same validation', () => {
    const bad = { nodes: [{ id: null }], edges: [] };
    expect(() => graphFromObject(bad)).toThrow(ConfigurationError);
    expect(() => graphFromJson(JSON.stringify(bad), 'graph.json')).toThrow(ConfigurationError);
    expect(graphFromJson(JSON.stringify(json), 'graph.json').nodes.size).toBe(graphFromObject(json).nodes.size);
  });

  test('a directory resolves to its graph.json, with a sibling provenance.json ledger', async () => {
    await writePieces(path.join(folder, 'dir/graph.json'), writeJson(graph));
    await writePieces(path.join(folder, 'dir/provenance.json'), ['{"version": 2, "document": {"document_id": "d"}}']);
    const loaded = await loadExport(path.join(folder, 'dir'), 'spec');
    expect([loaded.graph.nodes.size, loaded.ledger?.['document']]).toEqual([2, { document_id: 'd' }]);
  });

  test('CSV and Cypher outputs are rejected as lossy', () => {
    for (const name of ['nodes.csv', 'graph.cypher']) expect(() => refuseLossyExport(name)).toThrow(/lossy/);
  });
});

describe('CSV export', () => {
  test('nodes.csv with header id,label,type followed by node property columns', () => {
    expect(text(writeNodesCsv(graph)).split('\n')[0]).toBe('id,label,type,__class__,name,number,issued,total');
  });

  test('edges.csv with header source,target,type', () => {
    expect(text(writeEdgesCsv(graph)).split('\n')[0]).toBe('source,target,type');
  });
});

test('CSV and Cypher are Neo4j-compatible: ids are unique, every end is a node, labels and types are names', () => {
  // scripts/graph-neo4j.js loads both into a real server; this test checks what LOAD CSV and cypher-shell need.
  const rows = (pieces: Iterable<string>) => text(pieces).trimEnd().split('\n').slice(1);
  const ids = rows(writeNodesCsv(graph)).map((row) => row.split(',')[0]);
  expect(new Set(ids).size).toBe(2);
  for (const row of rows(writeEdgesCsv(graph))) {
    const [from, to, type] = row.split(',');
    expect([ids.includes(from), ids.includes(to), type]).toEqual([true, true, 'ISSUED_BY']);
  }
  expect(text(writeCypher(graph))).toContain('CREATE CONSTRAINT');
});

describe('Cypher export', () => {
  test('graph.cypher holds CREATE statements for nodes (label, properties) and relationships', () => {
    const script = text(writeCypher(graph));
    expect(script).toMatch(/^CREATE \(:Party \{id: "Party_\w+", .*name: "Acme"\}\);$/m);
    expect(script).toMatch(/^CREATE \(a\)-\[:ISSUED_BY\]->\(b\);$/m);
    const odd = createGraph();
    addNode(odd, 'a', { label: 'My `Label`', text: '"); DROP' });
    expect(text(writeCypher(odd))).toContain('CREATE (:`My ``Label```');
  });
});

describe('Converted-document export', () => {
  const run = async (name: string, ...flags: string[]) => {
    const given = [path.join(folder, 'in.md'), '-t', path.join(folder, 't.json'), '--format', 'json'];
    await cli('extract', ...given, '-o', path.join(folder, name), ...flags);
    return readdirSync(path.join(folder, name), { recursive: true })
      .map(String)
      .filter((file) => /converted|markdown/.test(file));
  };

  test('export_json and export_markdown default to true, export_per_page to false', async () => {
    expect((await run('defaults')).sort()).toEqual([
      'converted_document.json',
      'markdown',
      'markdown/full_document.md',
    ]);
    expect(await run('none', '--no-export-json', '--no-export-markdown')).toEqual([]);
  });

  test('markdown/pages/page_N.md, N is the page number', async () => {
    expect(await run('pages', '--export-per-page')).toContain('markdown/pages/page_1.md');
    expect(readFileSync(path.join(folder, 'pages/markdown/pages/page_1.md'), 'utf8')).toContain('Acme');
  });
});
