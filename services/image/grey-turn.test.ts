import { cutGrey, levelGrey, turnGrey } from './grey-turn';

const image = { pixels: Uint8Array.of(1, 2, 3, 4, 5, 6), width: 3, height: 2 };

test('images turn clockwise, and four turns restore them', () => {
  expect(turnGrey(image, 90)).toEqual({ pixels: Uint8Array.of(4, 1, 5, 2, 6, 3), width: 2, height: 3 });
  expect(turnGrey(image, 270)).toEqual({ pixels: Uint8Array.of(3, 6, 2, 5, 1, 4), width: 2, height: 3 });
  expect(turnGrey(turnGrey(image, 180), 180)).toEqual(image);
  expect(turnGrey(turnGrey(image, 90), 270)).toEqual(image);
});

test('a line that falls to the right is level after a rotation by its angle', () => {
  const [width, height, tilt] = [200, 100, 0.1];
  const pixels = Uint8Array.from({ length: width * height }, (_, index) =>
    Math.abs(Math.floor(index / width) - 50 - tilt * ((index % width) - 100)) < 2 ? 0 : 255,
  );
  const level = levelGrey({ pixels, width, height }, Math.atan(tilt));
  const row = level.pixels.subarray(50 * width + 10, 50 * width + width - 10);
  expect(Math.max(...row)).toBeLessThan(100);
});

test('a part of an image has its own pixels', () => {
  expect(cutGrey(image, { x0: 1, y0: 0, x1: 3, y1: 2 })).toEqual({
    pixels: Uint8Array.of(2, 3, 5, 6),
    width: 2,
    height: 2,
  });
});
