import { createHash } from 'node:crypto';
import vm from 'node:vm';
import { parse } from 'parse5';
import { buildGraph } from '../build/build';
import { ValueError } from '../core/errors';
import { addEdge, addNode, createGraph } from '../core/knowledge-graph';
import { TypedValue } from '../core/value';
import { invoice, invoiceTemplate } from '../template/test-support';
import { graphHtml } from './html';

const getScripts = (html: string) =>
  [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)].map((match) => match[2] ?? '');

describe('the HTML view', () => {
  test('contains the graph as data, with decimals and dates, and a program that compiles', () => {
    const [data = '', program = ''] = getScripts(graphHtml(buildGraph(invoiceTemplate, [invoice]), 'Invoices'));
    const shown = JSON.parse(data) as { nodes: { title: string; attributes: object }[]; edges: object[] };
    expect(shown.nodes.map(({ title }) => title)).toEqual(['Acme', 'the  Söhne', '1', '2', 'INV-1']);
    expect(shown.nodes.at(-1)?.attributes).toMatchObject({ total: 1234.5, issued: '2024-01-31' });
    expect(shown.edges[0]).toEqual({ source: 4, target: 0, label: 'ISSUED_BY' });
    expect(() => new vm.Script(program)).not.toThrow();
  });

  test('document content cannot escape from the data, and only the script of the page may run', () => {
    const graph = createGraph();
    const bad = '</script><script>alert(1)</script><!--<img onerror=alert(1)>';
    addNode(graph, bad, { label: bad, [bad]: bad, value: new TypedValue('decimal', '1.5'), nan: Number.NaN });
    addEdge(graph, { source: bad, target: bad, attributes: { label: bad } });
    const html = graphHtml(graph, bad);
    expect(getScripts(html)).toHaveLength(2);
    expect(html).not.toContain('<img');
    expect(JSON.parse(getScripts(html)[0] ?? '')).toMatchObject({ nodes: [{ label: bad }], edges: [{ label: bad }] });
    const hash = createHash('sha256')
      .update(getScripts(html)[1] ?? '')
      .digest('base64');
    expect(html).toContain(`default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'`);
    expect(parse(html).childNodes).toHaveLength(2);
    expect(html).not.toMatch(/(?:src|href)=|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  test('an empty graph is a ValueError', () => {
    expect(() => graphHtml(createGraph())).toThrow(ValueError);
  });
});
