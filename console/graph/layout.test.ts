import { layOut } from './layout';

const getPlace = (layout: ReturnType<typeof layOut>, name: string) => {
  const found = layout.nodes.find((node) => node.name === name);
  return found && [found.column, found.row];
};

describe('the layout of a flow', () => {
  test('a chain is a row', () => {
    const layout = layOut([
      { name: 'a', inputs: [] },
      { name: 'b', inputs: ['a'] },
      { name: 'c', inputs: ['b'] },
    ]);
    expect(layout).toMatchObject({ columns: 3, rows: 1 });
    expect(layout.edges).toEqual([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ]);
  });

  test('branches are below each other, and the operator that joins them comes after both', () => {
    const layout = layOut([
      { name: 'source', inputs: [] },
      { name: 'split', inputs: ['source'] },
      { name: 'left', inputs: ['split.yes'] },
      { name: 'right', inputs: ['split.no'] },
      { name: 'join', inputs: ['left', 'right'] },
    ]);
    expect(getPlace(layout, 'left')).toEqual([2, 0]);
    expect(getPlace(layout, 'right')).toEqual([2, 1]);
    expect(getPlace(layout, 'join')?.[0]).toBe(3);
    expect(layout.edges).toHaveLength(5);
  });

  test('no two nodes overlap in any flow', () => {
    const layout = layOut([
      { name: 'a', inputs: [] },
      { name: 'b', inputs: [] },
      ...['c', 'd', 'e'].map((name) => ({ name, inputs: ['a', 'b'] })),
    ]);
    expect(new Set(layout.nodes.map(({ column, row }) => `${column}/${row}`)).size).toBe(5);
  });

  test('cycles and unknown inputs do not cause endless loops', () => {
    const layout = layOut([
      { name: 'a', inputs: ['b', 'nothing'] },
      { name: 'b', inputs: ['a'] },
    ]);
    expect(layout.nodes).toHaveLength(2);
    expect(layOut([])).toEqual({ nodes: [], edges: [], columns: 0, rows: 0 });
  });
});
