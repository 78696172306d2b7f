import { findTextRegions, growBox, isSideways, measureSlope, type TextMap } from './text-regions';

function drawMap(width: number, height: number, probability: (x: number, y: number) => number): TextMap {
  const values = Float32Array.from({ length: width * height }, (_, index) =>
    probability(index % width, Math.floor(index / width)),
  );
  return { values, width, height };
}

test('each connected region of probable text is found, and none that is faint or a speck', () => {
  const map = drawMap(100, 60, (x, y) => {
    if (x >= 10 && x < 70 && y >= 10 && y < 16) return 0.9;
    if (x >= 20 && x < 60 && y >= 40 && y < 46) return 0.4;
    return x >= 80 && x < 82 && y >= 10 && y < 12 ? 0.9 : 0;
  });
  expect(findTextRegions(map, 10).map(({ box }) => box)).toEqual([{ x0: 10, y0: 10, x1: 70, y1: 16 }]);
});

test('no more regions are returned than the limit, whatever the map shows', () => {
  const map = drawMap(200, 200, (x, y) => (x % 5 < 3 && y % 5 < 3 ? 1 : 0));
  expect(findTextRegions(map, 1_000_000)).toHaveLength(1_600);
  expect(findTextRegions(map, 7)).toHaveLength(7);
  expect(
    findTextRegions(
      drawMap(64, 64, () => Number.NaN),
      7,
    ),
  ).toEqual([]);
});

test('the box of a line has room around the core, in proportion to the height', () => {
  const map = drawMap(300, 60, (x, y) => (x >= 50 && x < 250 && y >= 20 && y < 30 ? 0.95 : 0));
  const [region] = findTextRegions(map, 10);
  const { x0, y0, x1, y1 } = growBox(region!, map, 0);
  expect([x0, y0, x1, y1].map(Math.round)).toEqual([42, 12, 258, 38]);
});

test('lines that fall to the right have a positive slope, and are level after a rotation by it', () => {
  const tilt = 0.04;
  const map = drawMap(600, 200, (x, y) => (x >= 40 && x < 560 && Math.abs(y - 60 - tilt * x) < 6 ? 1 : 0));
  const regions = findTextRegions(map, 10);
  const slope = measureSlope(regions);
  expect(slope).toBeCloseTo(tilt, 2);
  const height = (angle: number) => {
    const { y0, y1 } = growBox(regions[0]!, map, angle);
    return y1 - y0;
  };
  expect(height(slope)).toBeLessThan(0.75 * height(0));
  expect(measureSlope([])).toBe(0);
});

test('a page with lines that run downwards lies on its side', () => {
  const across = drawMap(200, 200, (x, y) => (x > 20 && x < 180 && y % 40 < 8 ? 1 : 0));
  const down = drawMap(200, 200, (x, y) => (y > 20 && y < 180 && x % 40 < 8 ? 1 : 0));
  expect([across, down].map((map) => isSideways(findTextRegions(map, 50)))).toEqual([false, true]);
  expect(isSideways([])).toBe(false);
});
