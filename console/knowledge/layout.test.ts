import { findBorder, box, placeNodes } from './layout';

const star = (leaves: number) => ({
  ids: ['middle', ...Array.from({ length: leaves }, (_, index) => `leaf ${index}`)],
  edges: Array.from({ length: leaves }, (_, index) => ({ source: 'middle', target: `leaf ${index}` })),
});

test.each([0, 1, 2, 12, 119])(
  'no two boxes of a centre with %i leaves overlap, and all are inside the drawing',
  (leaves) => {
    const { ids, edges } = star(leaves);
    const { at, width, height } = placeNodes(ids, edges);
    const points = ids.map((id) => at.get(id)!);
    expect(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
    for (const [index, point] of points.entries()) {
      expect(point.x - box.width / 2).toBeGreaterThanOrEqual(0);
      expect(point.y - box.height / 2).toBeGreaterThanOrEqual(0);
      expect(point.x + box.width / 2).toBeLessThanOrEqual(width);
      expect(point.y + box.height / 2).toBeLessThanOrEqual(height);
      for (const other of points.slice(index + 1)) {
        const isApart = Math.abs(point.x - other.x) >= box.width || Math.abs(point.y - other.y) >= box.height;
        expect(isApart).toBe(true);
      }
    }
  },
);

test('the same graph gives the same drawing, and an empty graph gives a drawing too', () => {
  const { ids, edges } = star(20);
  expect(placeNodes(ids, edges)).toEqual(placeNodes(ids, edges));
  expect(placeNodes([], []).at.size).toBe(0);
  expect(placeNodes(['a'], [{ source: 'a', target: 'a' }]).at.size).toBe(1);
});

test('a line leaves its box at the border', () => {
  const from = { x: 100, y: 100 };
  expect(findBorder(from, { x: 500, y: 100 })).toEqual({ x: 100 + box.width / 2, y: 100 });
  expect(findBorder(from, { x: 100, y: 0 })).toEqual({ x: 100, y: 100 - box.height / 2 });
  expect(findBorder(from, from)).toEqual(from);
});
