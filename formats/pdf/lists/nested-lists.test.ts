import { createDocument } from '../../../document/builder';
import { createNestedLists } from './nested-lists';

/** The items of a document in two columns, each with the number of lists around it. */
function nest(items: readonly { text: string; x: number; y: number; enumerated: boolean; column: number }[]) {
  const builder = createDocument('lists');
  const lists = createNestedLists(builder);
  for (const { text, x, y, enumerated, column } of items) {
    const box = { l: x, r: x + 120, b: y, t: y + 10 };
    const parent = lists.findGroup({ box, size: 10, enumerated }, `1 ${column}`);
    lists.setLastItem(builder.listItem(text, { parent, enumerated, marker: enumerated ? '1.' : '-' }));
  }
  const { texts, groups } = builder.document;
  const findDepth = (ref: string | undefined): number => {
    const node = [...texts, ...groups].find(({ self_ref: own }) => own === ref);
    return node ? findDepth(node.parent?.$ref) + (groups.some(({ self_ref: own }) => own === ref) ? 1 : 0) : 0;
  };
  return { depths: texts.map(({ self_ref: ref }) => findDepth(ref)), lists: groups.length };
}

test('a nested list goes on at the top of the next column, and the numbers after it stay in their list', () => {
  const { depths, lists } = nest([
    { text: 'first', x: 50, y: 120, enumerated: true, column: 0 },
    { text: 'one', x: 65, y: 105, enumerated: false, column: 0 },
    { text: 'two', x: 315, y: 700, enumerated: false, column: 1 },
    { text: 'second', x: 300, y: 685, enumerated: true, column: 1 },
    { text: 'three', x: 315, y: 670, enumerated: false, column: 1 },
  ]);
  expect(depths).toEqual([1, 2, 2, 1, 2]);
  expect(lists).toBe(3);
});

test('an item of the outermost list goes on with it at the top of the next column', () => {
  const { depths, lists } = nest([
    { text: 'first', x: 50, y: 120, enumerated: true, column: 0 },
    { text: 'one', x: 65, y: 105, enumerated: false, column: 0 },
    { text: 'second', x: 300, y: 700, enumerated: true, column: 1 },
    { text: 'two', x: 315, y: 685, enumerated: false, column: 1 },
  ]);
  expect(depths).toEqual([1, 2, 1, 2]);
  expect(lists).toBe(3);
});
