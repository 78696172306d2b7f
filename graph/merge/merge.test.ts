import { buildGraph } from '../build/build';
import { ConfigurationError } from '../core/errors';
import { edgesOf, type KnowledgeGraph } from '../core/knowledge-graph';
import { mergeNodeViews, mergeViews, weighProvenance } from '../core/provenance-views';
import { type Attributes, floatValue } from '../core/value';
import { templateFrom } from '../template/template';
import { invoice, invoiceTemplate } from '../template/test-support';
import { diffGraphs } from './diff';
import { areEquivalent, listConflictingFields, foldAttributes, joinTexts } from './fold';
import { mergeGraphs } from './merge';
import type { MergePolicy } from './policy';
import type { MergeInput } from './report';

const policy: MergePolicy = {
  precedence: 'input-order',
  conflicts: 'keep-first',
  combine_fields: ['description', 'summary'],
  description_max_length: 4096,
  rekey: null,
  strict_template_check: true,
  dry_run: false,
};

function getGraph(changes: Record<string, unknown> = {}): KnowledgeGraph {
  return buildGraph(invoiceTemplate, [{ ...invoice, ...changes }] as never);
}
function input(source: string, changes: Record<string, unknown> = {}, document = `document-${source}`): MergeInput {
  return { graph: getGraph(changes), source, ledger: ledger(document, `in/${source}.pdf`) };
}
const ledger = (document_id: string, source: string): Attributes => ({ version: 2, document: { document_id, source } });
const getNodes = (graph: KnowledgeGraph, label: string) =>
  [...graph.nodes.values()].filter((node) => node['label'] === label);

describe('a merge', () => {
  test('of a graph with itself is the graph', () => {
    const { graph, report } = mergeGraphs([input('a'), input('a')]);
    expect(report.duplicates_absorbed).toEqual(['a']);
    expect(diffGraphs(getGraph(), graph)).toEqual({
      addedNodes: [],
      removedNodes: [],
      changedNodes: [],
      addedEdges: [],
      removedEdges: [],
      changedEdges: [],
    });
  });

  test('does not change its inputs', () => {
    const first = input('a');
    const before = JSON.stringify([...first.graph.nodes]);
    mergeGraphs([first, input('b', { total: '9', lines: [] })], { conflicts: 'keep-all' });
    expect(JSON.stringify([...first.graph.nodes])).toBe(before);
  });

  test('fills empty fields, keeps the first value and reports contradictions', () => {
    const { graph, report } = mergeGraphs([input('a', { issued: null }), input('b', { total: '9' })]);
    const [root] = getNodes(graph, 'Invoice');
    expect(root).toMatchObject({ merged_from: [{ source: 'a' }, { source: 'b' }] });
    expect(root?.['issued']).toBeTruthy();
    expect(report.field_conflicts).toMatchObject([{ field: 'total', dropped_source: 'b' }]);
    expect(report.nodes_folded).toBe(5);
  });

  test('keeps all values on request', () => {
    const { graph } = mergeGraphs([input('a'), input('b', { total: '9' })], { conflicts: 'keep-all' });
    expect(getNodes(graph, 'Invoice')).toMatchObject([{ __conflicts__: [{ field: 'total', source: 'b' }] }]);
  });

  test('creates nodes for contradictions on request, once even when merged again', () => {
    const inputs = [input('a'), input('b', { total: '9' })];
    const { graph, report } = mergeGraphs(inputs, { conflicts: 'variants' });
    expect(report.conflict_variants).toBe(1);
    expect(getNodes(graph, 'InvoiceVariant')).toMatchObject([{ type: 'variant', variant_document_id: 'document-b' }]);
    const again = mergeGraphs([{ graph, source: 'merged' }, ...inputs.slice(1)], { conflicts: 'variants' });
    expect(getNodes(again.graph, 'InvoiceVariant')).toHaveLength(1);
  });

  test('prefers the fullest node on request', () => {
    const { graph } = mergeGraphs([input('a', { issued: null }), input('b', { total: '9' })], {
      precedence: 'richest',
    });
    expect(JSON.stringify(getNodes(graph, 'Invoice')[0]?.['total'])).toBe('9');
  });

  test('keeps two relations between one pair, which the peer cannot', () => {
    const same = { seller: { name: 'Acme' }, buyer: null };
    const other = { seller: null, buyer: { name: 'Acme' } };
    const labels = (profile: 'spec' | 'peer') => {
      const inputs = [input('a', same), input('b', other)].map((mergeInput) => ({ ...mergeInput }));
      const { graph, report } = mergeGraphs(inputs, { profile });
      return [edgesOf(graph).length, report.edge_label_conflicts.length];
    };
    expect(labels('spec')).toEqual([4, 0]);
    expect(labels('peer')).toEqual([3, 1]);
  });

  test('keeps lines of unrelated documents apart, and merges parties', () => {
    const lines = [{ position: 1, description: 'x', kind: 'service' }, invoice.lines[1]];
    const { graph, report } = mergeGraphs([input('a'), input('b', { number: 'INV-2', lines })]);
    expect(report.cross_document_splits.map(({ reason }) => reason)).toEqual(['field-conflict', 'same-class-conflict']);
    expect(getNodes(graph, 'Line')).toHaveLength(4);
    expect(getNodes(graph, 'Party')).toHaveLength(2);
  });

  test('keeps roots apart that share only a file name', () => {
    const scan = (folder: string): MergeInput => ({
      graph: getGraph({ number: 'scan' }),
      source: folder,
      ledger: ledger(`document-${folder}`, `${folder}/scan.pdf`),
    });
    const { graph, report } = mergeGraphs([scan('a'), scan('b')]);
    expect(report.root_skolemized).toHaveLength(1);
    expect(getNodes(graph, 'Invoice')).toHaveLength(2);
    expect(mergeGraphs([{ ...scan('a'), ledger: undefined }, scan('b')]).report.warnings.join()).toMatch(
      /no provenance/,
    );
  });

  test.each<[string, () => unknown]>([
    ['nothing', () => mergeGraphs([])],
    ['unknown options', () => mergeGraphs([input('a')], { precedence: 'last' })],
    [
      'other templates',
      () => {
        const template = templateFrom({ root: 'A', classes: { A: { fields: { n: { type: 'str' } } } } });
        return mergeGraphs([input('a'), { graph: buildGraph(template, [{ n: '1' }]), source: 'b' }]);
      },
    ],
    [
      'new ids without a known identity contract',
      () => {
        const graph = getGraph();
        graph.attributes = {};
        return mergeGraphs([{ graph, source: 'a' }], { rekey: true });
      },
    ],
  ])('of %s is a ConfigurationError', (_case, merge) => {
    expect(merge).toThrow(ConfigurationError);
  });

  test('recomputes ids of older exports if a template names the identifying fields', () => {
    const graph = getGraph();
    graph.attributes = {};
    const [key, attributes] = [...graph.nodes].find(([, one]) => one['label'] === 'Line') ?? [];
    graph.nodes.delete(key ?? '');
    graph.nodes.set('old', { ...attributes, id: 'old' });
    for (const [id, edge] of graph.edges) if (edge.target === key) graph.edges.set(id, { ...edge, target: 'old' });
    const { report, graph: merged } = mergeGraphs([{ graph, source: 'a' }], { template: invoiceTemplate });
    expect(report).toMatchObject({ identity_source: 'template', rekeyed: true, rekeyed_changed: 1 });
    expect([...merged.nodes.keys()]).toContain(key);
  });
});

describe('aliases', () => {
  const parties = (names: string[]) => ({ seller: { name: names[0] }, buyer: names[1] ? { name: names[1] } : null });
  const inputs = [
    input('a', parties(['Acme Industries'])),
    input('b', { number: 'I-2', lines: [], ...parties(['Acme']) }),
  ];

  test('are proposed, and merged when a person has confirmed them', () => {
    const { report } = mergeGraphs(inputs);
    expect(report.alias_candidates).toMatchObject([
      { class: 'Party', keep_display: 'Acme', merge_displays: ['Acme Industries'], similarity: 0.4211, confirm: false },
    ]);
    const decisions = report.alias_candidates.map((stub) => ({ ...stub, confirm: true })) as never[];
    const decided = mergeGraphs(inputs, { aliasDecisions: decisions });
    expect(decided.report.alias_stats).toMatchObject({ confirmed: 1, merged: 1 });
    expect(getNodes(decided.graph, 'Party')).toHaveLength(1);
    expect(getNodes(decided.graph, 'Party')[0]).toHaveProperty('merged_aliases');
  });

  test('that nobody proposed, or that are linked side by side, stay two and are reported', () => {
    const unknown = [{ class: 'Party', keep_id: 'x', merge_ids: ['y'], confirm: true }];
    expect(mergeGraphs(inputs, { aliasDecisions: unknown }).report.ignored_alias_decisions).toHaveLength(1);
    const lists = templateFrom({
      root: 'R',
      classes: {
        R: { graph_id_fields: ['n'], fields: { n: { type: 'str' }, items: { model: 'I', is_list: true } } },
        I: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
      },
    });
    const candidate = buildGraph(lists, [{ n: '1', items: [{ name: 'Comfort' }, { name: 'Comfort plus' }] }] as never);
    const proposed = mergeGraphs([{ graph: candidate, source: 'a' }]).report.alias_candidates;
    const aliasDecisions = proposed.map((stub) => ({ ...stub, confirm: true })) as never[];
    const { graph, report } = mergeGraphs([{ graph: candidate, source: 'a' }], { aliasDecisions });
    expect(report.alias_stats).toMatchObject({ confirmed: 1, merged: 0, vetoed_sibling: 1 });
    expect(getNodes(graph, 'I')).toHaveLength(2);
  });
});

describe('folding', () => {
  test.each([
    ['x', 'X ', true],
    ['059/987 65 40', '059/9876540', true],
    [1, floatValue(1), true],
    ['1', 1, false],
    [[1, { a: 1 }], [1, { a: 1 }], true],
  ])('%p and %p', (left, right, expected) => {
    expect(areEquivalent(left as never, right as never)).toBe(expected);
  });

  test('unites lists, of objects by content, and joins texts by sentences', () => {
    const kept: Attributes = { id: 'n', list: [1], objects: [{ a: 1 }], description: 'A. B.' };
    const more = { list: [2, 1], objects: [{ a: 1 }, { a: 2 }], description: 'B. C.' };
    expect(foldAttributes(kept, more, { policy, source: 's' })).toEqual([]);
    expect(kept).toEqual({ id: 'n', list: [1, 2], objects: [{ a: 1 }, { a: 2 }], description: 'A. B. C.' });
    expect(listConflictingFields({ a: 1, l: [1] }, { a: 2, l: 'x', b: 3 }, policy)).toEqual(['a', 'l']);
  });

  test('cuts a joined text after a sentence, by code points', () => {
    expect(joinTexts('Long sentence one. Two.', 'More text here. And more.', 30)).toBe('Long sentence one. Two.');
    expect(joinTexts('😀😀', '😀😀😀', 4)).toBe('😀😀 😀');
  });
});

describe('sources of nodes', () => {
  const view = (document_id: string, chunks: number[]) => ({ document_id, match: 'verbatim', chunks, pages: [1] });

  test('is united within a document and kept apart between documents', () => {
    expect(mergeViews(view('a', [3]), view('a', [1]))).toEqual({ ...view('a', [1, 3]) });
    expect(mergeViews(view('a', [3]), view('b', [1]))).toMatchObject({ multi_document: true, sources: [{}, {}] });
    expect(mergeViews({ status: 'unresolved' }, view('b', [1]))).toEqual(view('b', [1]));
    expect(mergeViews(view('a', [1]), { document_id: 'a', scope: 'document' })).toEqual({
      document_id: 'a',
      scope: 'document',
    });
  });

  test('lists at most eight documents and counts the others', () => {
    const all = Array.from({ length: 10 }, (_, index) => view(`d${index}`, [index]));
    const merged = all.reduce((left, right) => mergeNodeViews(left, right) as never);
    expect(merged).toMatchObject({ multi_document: true, sources_omitted: 2 });
    expect(weighProvenance(merged)).toBe(8);
  });
});
