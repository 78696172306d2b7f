import { buildGraph } from '../build/build';
import { runPipeline } from '../pipeline';
import { invoice, invoiceTemplate } from '../template/test-support';
import { writeCypher } from '../write/cypher';
import { writeJson } from '../write/json';
import { graphReport } from '../write/report';
import { fromGraphology, toGraphology } from './graphology';
import { addEdge, addNode, createGraph } from './knowledge-graph';
import { graphStatistics } from './statistics';

const text = (pieces: Iterable<string>) => [...pieces].join('');

describe('the graph of the context', () => {
  test('is a directed graph of graphology with nodes, edges and the identity contract', async () => {
    const source = 'Number: INV-1\nSeller: Acme\nBuyer: Beta';
    const { knowledge_graph: graph } = await runPipeline({
      source,
      template: invoiceTemplate,
      options: { backend: 'rules' },
    });
    expect([graph.type, graph.multi, graph.order, graph.size]).toEqual(['directed', false, 3, 2]);
    expect(graph.getAttribute('template_name')).toBe('Invoice');
    expect(graph.mapEdges((_edge, { label }) => label as string)).toEqual(['ISSUED_BY', 'SENT_TO']);
  });

  test('is a multigraph when two relations join one pair', () => {
    const same = buildGraph(invoiceTemplate, [{ ...invoice, buyer: { name: 'ACME' } }] as never);
    const graph = toGraphology(same);
    expect([graph.multi, graph.size]).toEqual([true, 4]);
  });

  test('is accepted by every writer, and can be read back', () => {
    const own = buildGraph(invoiceTemplate, [invoice] as never);
    const graph = toGraphology(own);
    expect(text(writeJson(graph))).toBe(text(writeJson(own)));
    expect(text(writeCypher(graph))).toBe(text(writeCypher(own)));
    expect(graphReport(graph)).toBe(graphReport(own));
    expect(graphStatistics(graph)).toEqual(graphStatistics(own));
    expect(fromGraphology(graph).attributes).toEqual(own.attributes);
  });

  test('keeps ids apart that differ in type only', () => {
    const own = createGraph();
    for (const key of [1, '1', true]) addNode(own, key, { id: key, label: 'N' });
    addEdge(own, { source: 1, target: '1', attributes: { label: 'L' } });
    expect(toGraphology(own).nodes()).toEqual(['number:1', '1', 'true']);
  });
});
