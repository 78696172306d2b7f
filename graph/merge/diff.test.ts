import { buildGraph } from '../build/build';
import { invoice, invoiceTemplate } from '../template/test-support';
import { writeJson } from '../write/json';
import { graphFromJson } from '../write/read-json';
import { diffGraphs } from './diff';

const before = buildGraph(invoiceTemplate, [invoice]);

describe('the difference of two graphs', () => {
  test('is empty between a graph and its file read back', () => {
    const again = graphFromJson(
      [...writeJson(buildGraph(invoiceTemplate, [{ ...invoice, total: null }]))].join(''),
      'x',
    );
    const none = {
      addedNodes: [],
      removedNodes: [],
      changedNodes: [],
      addedEdges: [],
      removedEdges: [],
      changedEdges: [],
    };
    expect(diffGraphs(again, graphFromJson([...writeJson(again)].join(''), 'x'))).toEqual(none);
    expect(diffGraphs(buildGraph(invoiceTemplate, [{ ...invoice, total: null }]), again)).toEqual(none);
  });

  test('lists additions, removals and changes', () => {
    const after = buildGraph(invoiceTemplate, [
      { ...invoice, rate: 3, buyer: null, lines: [...invoice.lines, { position: 3 }] },
    ]);
    const diff = diffGraphs(before, after);
    const label = (key: unknown) => (before.nodes.get(key as string) ?? after.nodes.get(key as string))?.['label'];
    expect(diff.addedNodes.map(label)).toEqual(['Line']);
    expect(diff.removedNodes.map(label)).toEqual(['Party']);
    expect(diff.changedNodes.map(({ changes }) => changes.map(({ attribute }) => attribute))).toEqual([['rate']]);
    expect(diff.addedEdges.map((edge) => edge.label)).toEqual(['CONTAINS']);
    expect(diff.removedEdges.map((edge) => edge.label)).toEqual(['SENT_TO']);
    expect(diff.changedEdges).toEqual([]);
  });
});
