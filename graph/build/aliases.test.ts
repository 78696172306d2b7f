import * as fc from 'fast-check';
import { addNode, createGraph } from '../core/knowledge-graph';
import { listAliasCandidates } from './aliases';

const fields = new Map([['Part', ['code']]]);
function getGraph(codes: readonly string[]) {
  const graph = createGraph();
  for (const [index, code] of codes.entries()) addNode(graph, `n${index}`, { __class__: 'Part', code });
  return graph;
}

/** The definition of the rule: compares all pairs. */
function byComparing(codes: readonly string[]): [keep: string, merge: string[]][] {
  const digits = (text: string) => (text.match(/\d+/g) ?? []).join();
  const groups = new Map<number, string[]>();
  for (const [at, longer] of codes.entries()) {
    const bases = codes.flatMap((text, index) =>
      text.length >= 4 && text.length < longer.length && digits(text) === digits(longer) && longer.includes(text)
        ? [index]
        : [],
    );
    const [base] = bases;
    if (base !== undefined && bases.length === 1) groups.set(base, [...(groups.get(base) ?? []), `n${at}`]);
  }
  return [...groups].sort(([a], [b]) => a - b).map(([index, merge]) => [`n${index}`, merge]);
}

test('the result equals that of comparing all pairs', () => {
  const code = fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 9 });
  fc.assert(
    fc.property(fc.array(code, { maxLength: 40 }), (codes) => {
      const found = listAliasCandidates(getGraph(codes), fields).map(({ keep, merge }) => [keep, merge]);
      expect(found).toEqual(byComparing(codes));
    }),
    { numRuns: 300 },
  );
});

test('many nodes are compared in linear time', () => {
  // Comparing all pairs would take minutes.
  const codes = Array.from({ length: 60_000 }, (_, index) => `part${index}`);
  const words = Array.from(
    { length: 60_000 },
    (_, index) => `word${String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')}z`,
  );
  expect(listAliasCandidates(getGraph([...codes, ...words, 'part7 long']), fields)).toMatchObject([
    { keep: 'n7', merge: ['n120000'] },
  ]);
});
