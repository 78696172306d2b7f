import type { NodeFact } from '../../model/graph/facts';
import { foldNodes } from './fold';

const createFact = (documentId: string, attributes: string): NodeFact => ({
  node: 'n',
  label: 'Part',
  documentId,
  attributes,
  passages: [],
  keys: [],
  text: '',
});

test.each(['constructor', 'toString', '__proto__'])('a property named %s is shown like any other', (property) => {
  const facts = ['first', 'second'].map((value, index) => createFact(`d${index}`, `{"${property}":"${value}"}`));
  const [node] = foldNodes(facts);
  expect(Object.entries(node?.properties ?? {})).toEqual([[property, 'first']]);
  expect(node?.others).toEqual([{ property, value: 'second', documents: ['d1'] }]);
});
