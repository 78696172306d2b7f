import { ExtractionError } from '../core/errors';
import { nodeId } from '../core/identity';
import { edgesOf } from '../core/knowledge-graph';
import type { Attributes } from '../core/value';
import { getClass, templateFrom } from '../template/template';
import { invoice, invoiceTemplate } from '../template/test-support';
import { buildGraph } from './build';

const labels = (graph: ReturnType<typeof buildGraph>) => edgesOf(graph).map(({ attributes }) => attributes['label']);

describe('building', () => {
  test('entities become nodes, children before their owner; components stay inside', () => {
    const graph = buildGraph(invoiceTemplate, [invoice]);
    expect([...graph.nodes.values()].map(({ label }) => label)).toEqual(['Party', 'Party', 'Line', 'Line', 'Invoice']);
    expect([...graph.nodes.values()][0]).toMatchObject({ name: 'Acme', address: { city: 'Köln' } });
    expect(labels(graph)).toEqual(['ISSUED_BY', 'SENT_TO', 'CONTAINS', 'CONTAINS']);
  });

  test('the graph has the attributes of the identity contract', () => {
    const { attributes } = buildGraph(invoiceTemplate, [invoice]);
    expect(attributes).toMatchObject({
      format: 'v2',
      template_name: 'Invoice',
      template_schema_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
      id_fields_map: { Invoice: ['number'], Party: ['name'], Address: [], Line: ['position'] },
    });
  });

  test('two relations between the same pair are two edges, except for the peer, which keeps the last label', () => {
    const same = { ...invoice, buyer: { name: 'ACME' } };
    expect(labels(buildGraph(invoiceTemplate, [same]))).toEqual(['ISSUED_BY', 'SENT_TO', 'CONTAINS', 'CONTAINS']);
    expect(labels(buildGraph(invoiceTemplate, [same], { profile: 'peer' }))).toEqual([
      'SENT_TO',
      'CONTAINS',
      'CONTAINS',
    ]);
  });

  test('a relation is an edge and not an attribute; the peer keeps a null for it', () => {
    const [seller] = buildGraph(invoiceTemplate, [invoice]).nodes.values();
    const root = (profile: 'spec' | 'peer') =>
      [...buildGraph(invoiceTemplate, [invoice], { profile }).nodes.values()].at(-1);
    expect(seller).toHaveProperty('address');
    expect(Object.keys(root('spec') ?? {})).not.toEqual(expect.arrayContaining(['seller']));
    expect(root('peer')).toMatchObject({ seller: null });
  });

  test('an instance with a known identity fills empty fields and overwrites nothing', () => {
    const graph = buildGraph(invoiceTemplate, [
      invoice,
      { ...invoice, issued: null, paid: true, seller: { name: 'acme', vat_id: 'DE9' } },
    ]);
    const nodes = [...graph.nodes.values()];
    expect(nodes).toHaveLength(5);
    expect(nodes[0]).toMatchObject({ name: 'Acme', vat_id: 'DE9', address: { city: 'Köln' } });
    expect(nodes.at(-1)).toMatchObject({ paid: false });
  });

  test('an instance nested in one of the same identity fills empty fields, except for the peer', () => {
    const person = templateFrom({
      root: 'P',
      classes: {
        P: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, age: { type: 'int' }, boss: { model: 'P' } } },
      },
    });
    const instance = { name: 'Ann', boss: { name: 'Bob', boss: { name: 'ann', age: 41 } } };
    const getAge = (profile: 'spec' | 'peer') =>
      [...buildGraph(person, [instance] as never, { profile }).nodes.values()].find(({ name }) => name === 'Ann')?.[
        'age'
      ];
    expect([getAge('spec'), getAge('peer')]).toEqual([41, null]);
  });

  test('reverse edges never replace real ones', () => {
    const graph = buildGraph(invoiceTemplate, [invoice], { reverseEdges: true });
    expect(labels(graph)).toHaveLength(8);
    expect(labels(graph)).toContain('reverse_CONTAINS');
  });

  test('an empty input throws an ExtractionError with the reason', () => {
    expect(() => buildGraph(invoiceTemplate, [])).toThrow(ExtractionError);
    expect(() => buildGraph(invoiceTemplate, [])).toThrow(
      expect.objectContaining({ details: { reason: 'no_models_extracted' } }),
    );
  });

  test('a template with cycles builds; an edge from a node to itself is left out', () => {
    const template = templateFrom({
      root: 'Person',
      classes: {
        Person: { graph_id_fields: ['name'], fields: { name: {}, boss: { model: 'Person' }, age: { type: 'int' } } },
      },
    });
    const graph = buildGraph(template, [{ name: 'Élodie', boss: { name: 'elodie', boss: { name: 'Bob' } } }]);
    expect([...graph.nodes.values()].map(({ name }) => name)).toEqual(['Bob', 'Élodie']);
    expect(labels(graph)).toEqual(['boss']);
  });

  test('fields called id, label and type do not hide those of the node', () => {
    const template = templateFrom({
      root: 'R',
      classes: { R: { graph_id_fields: ['id'], fields: { id: {}, label: {}, type: {} } } },
    });
    const [node] = buildGraph(template, [{ id: 'x', label: 'L', type: 'T' }]).nodes.values();
    expect(node).toMatchObject({ id: expect.stringMatching(/^R_/), label: 'R', id_: 'x', label_: 'L', type_: 'T' });
  });

  test('a bounded class keeps its fullest instances and reports the others', () => {
    const template = templateFrom({
      root: 'R',
      classes: {
        R: { graph_id_fields: ['n'], fields: { n: {}, items: { model: 'I', is_list: true } } },
        I: { graph_id_fields: ['n'], graph_max_instances: 1, fields: { n: {}, note: {} } },
      },
    });
    const instance: Attributes = { n: 'r', items: [{ n: 'a' }, { n: 'b', note: 'full' }] };
    const graph = buildGraph(template, [instance]);
    expect([...graph.nodes.values()].map(({ n }) => n)).toEqual(['b', 'r']);
    expect(graph.attributes['demoted_nodes']).toMatchObject([
      { class: 'I', identity: { n: 'a' }, reason: 'cardinality_bound' },
    ]);
    expect(buildGraph(template, [instance], { bounds: false }).nodes.size).toBe(3);
  });

  test('entries that only a closed catalogue contains are dropped, unless all would be', () => {
    const items = { model: 'I', is_list: true, reference_closed_catalog: true, edge_label: 'CHOICE' };
    const template = templateFrom({
      root: 'R',
      classes: {
        R: { graph_id_fields: ['n'], fields: { n: {}, choices: items, used: { model: 'I' } } },
        I: { graph_id_fields: ['n'], fields: { n: {} } },
      },
    });
    const build = (used: object | null) =>
      buildGraph(template, [{ n: 'r', choices: [{ n: 'a' }, { n: 'b' }], used } as never]);
    expect([...build({ n: 'b' }).nodes.values()].map(({ n }) => n)).toEqual(['b', 'r']);
    expect(build({ n: 'b' }).attributes['closed_catalog_drops']).toEqual({ CHOICE: 1 });
    expect(build(null).nodes.size).toBe(3);
  });
});

describe('identity', () => {
  const party = getClass(invoiceTemplate, 'Party');
  const line = getClass(invoiceTemplate, 'Line');

  test('names are equal if they differ in article, case, accents or spaces only', () => {
    expect(nodeId(party, { name: 'The  acmé' })).toBe(nodeId(party, { name: 'Acme' }));
    expect(nodeId(party, { name: 'Acme' })).toBe('Party_df33a814cbd9dca0');
  });

  test.each([
    ['-5', '5'],
    ['10.5', '105'],
    ['北京', '上海'],
    ['ий', 'ии'],
  ])('%s and %s are two nodes, and one for the peer', (left, right) => {
    expect(nodeId(line, { position: left })).not.toBe(nodeId(line, { position: right }));
    expect(nodeId(line, { position: left }, 'peer')).toBe(nodeId(line, { position: right }, 'peer'));
  });

  test('both profiles give the same id to plain values', () => {
    expect(nodeId(line, { position: 'Run-1' })).toBe(nodeId(line, { position: 'run_1' }, 'peer'));
  });
});
