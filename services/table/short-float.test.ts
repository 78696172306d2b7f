import { check, float, property } from 'fast-check';
import { roundToShortFloat } from './short-float';

test('a single becomes its original short number', () => {
  for (const short of [0, 0.1, -0.25, 0.05123401, 1, 12345.678, -3e-7, 16777216])
    expect(roundToShortFloat(Math.fround(short))).toBe(short);
});

/** The number of significant digits in its text. */
const getDigits = (value: number) => value.toExponential().replace(/e.*|[-.]/g, '').length;

test('every float32 survives its short form', () => {
  const singles = float({ noNaN: true, noDefaultInfinity: true });
  const { counterexample } = check(
    property(singles, (value) => {
      const short = roundToShortFloat(value);
      return Math.fround(short) === value && (Object.is(short, value) || getDigits(short) <= 9);
    }),
    { numRuns: 2_000 },
  );
  expect(counterexample).toBeNull();
});
