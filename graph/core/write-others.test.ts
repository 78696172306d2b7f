import { SaxesParser } from 'saxes';
import { writeJsonLd, writeTurtle } from '../write/rdf';
import { writeGexf, writeGraphml } from '../write/xml';
import { ValueError } from './errors';
import { addEdge, addNode, createGraph } from './knowledge-graph';
import { floatValue, TypedValue } from './value';

const text = (pieces: Iterable<string>) => [...pieces].join('');
const graph = createGraph();
const bad = 'a"<&>\n\u0001b';
const price = new TypedValue('decimal', '1.50');
addNode(graph, '1', { id: '1', label: 'La bel', type: 'entity', text: bad, count: 1, price, list: ['x', 'y'] });
addNode(graph, 1, { label: 'Number', count: 2.5, at: new TypedValue('date', '2024-01-31'), none: null });
for (const label of ['A', 'B/c'])
  addEdge(graph, { source: '1', target: 1, attributes: { label, weight: floatValue(2) } });

function elements(xml: string): { name: string; attributes: Record<string, string>; text: string }[] {
  const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => found.push({ name, attributes, text: '' }));
  parser.on('text', (more) => {
    const last = found.at(-1);
    if (last) last.text += more;
  });
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(xml).close();
  return found;
}

describe('GraphML and GEXF', () => {
  test('are well-formed, keep parallel edges, types and ids of another type', () => {
    const xml = elements(text(writeGraphml(graph)));
    expect(xml.filter(({ name }) => name === 'node').map(({ attributes }) => attributes['id'])).toEqual(['1', '1_']);
    expect(xml.filter(({ name }) => name === 'edge').map(({ attributes }) => attributes['target'])).toEqual([
      '1_',
      '1_',
    ]);
    const keys = xml.filter(({ name }) => name === 'key').map(({ attributes }) => attributes);
    expect(keys.find((key) => key['attr.name'] === 'count')).toMatchObject({ for: 'node', 'attr.type': 'double' });
    expect(keys.find((key) => key['attr.name'] === 'weight')).toMatchObject({ for: 'edge', 'attr.type': 'double' });
    expect(xml.find(({ text }) => text.startsWith('a"'))?.text.trimEnd()).toBe('a"<&>\n\ufffdb');
  });

  test('GEXF has labels and values', () => {
    const xml = elements(text(writeGexf(graph)));
    expect(xml.filter(({ name }) => name === 'edge').map(({ attributes }) => attributes['label'])).toEqual([
      'A',
      'B/c',
    ]);
    expect(xml.filter(({ name }) => name === 'attvalue').map(({ attributes }) => attributes['value'])).toContain(
      '["x", "y"]',
    );
  });
});

describe('RDF', () => {
  test('Turtle has classes, typed literals, edges and their properties', () => {
    const turtle = text(writeTurtle(graph, { base: 'https://example.org/' }));
    expect(turtle).toContain('<https://example.org/node/1> a <https://example.org/class/La%20bel> ;');
    expect(turtle).toContain('<https://example.org/property/text> "a\\"<&>\\n\\u0001b" ;');
    expect(turtle).toContain('"1.50"^^xsd:decimal');
    expect(turtle).toContain('"2024-01-31"^^xsd:date');
    expect(turtle).toContain(
      '<https://example.org/node/1> <https://example.org/property/B%2Fc> <https://example.org/node/number/1> .',
    );
    expect(turtle).toContain('[] a rdf:Statement ; rdf:subject <https://example.org/node/1>');
  });

  test('JSON-LD has the same nodes and relations', () => {
    const [first, second] = JSON.parse(text(writeJsonLd(graph))) as Record<string, unknown>[];
    expect(first).toMatchObject({
      '@id': 'urn:docloom:node/1',
      'urn:docloom:property/A': [{ '@id': 'urn:docloom:node/number/1' }],
      'urn:docloom:property/list': [{ '@value': 'x' }, { '@value': 'y' }],
    });
    expect(second?.['@type']).toEqual(['urn:docloom:class/Number']);
  });
});

test.each([writeGraphml, writeGexf, writeTurtle, writeJsonLd])('an empty graph is a ValueError for %p', (write) => {
  expect(() => text(write(createGraph()))).toThrow(ValueError);
});
