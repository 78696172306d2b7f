import { findNumber, type NumberFormat } from './numbers';

/** Kilograms per unit, by unit name. */
const kilograms: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      [
        1,
        'kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammi кг 公斤 千克',
      ],
      [0.001, 'g gr gram grams gramm gramme grammes gramo gramos grammi г 克'],
      [0.000001, 'mg milligram milligrams milligramm мг 毫克'],
      [1_000, 't to tonne tonnes tonnen tonelada toneladas tonnellate т 吨 噸'],
      [0.45359237, 'lb lbs pound pounds libra libras'],
      [0.5, 'pfund 斤'],
      [0.028349523125, 'oz ounce ounces unze unzen onza onzas'],
      [6.35029318, 'st stone stones'],
      [50.80234544, 'cwt'],
      [907.18474, 'ton tons'],
      [50, 'zentner ztr'],
    ] as const
  ).flatMap(([factor, names]) => names.split(' ').map((name) => [name, factor])),
);

/**
 * Parses a weight to kilograms. Adds up parts (`5 lb 3 oz`); a number without a unit counts as kilograms. Undefined when there is
 * no weight.
 */
export function weightToKilograms(text: string, format: NumberFormat = 'auto'): number | undefined {
  let unread = text;
  let sum: number | undefined;
  while (unread !== '') {
    const parsed = findNumber(unread, { format });
    if (!parsed) break;
    const unit = /^\s*(\p{L}+)\.?/u.exec(parsed.after);
    const name = unit?.[1]?.toLowerCase() ?? '';
    const factor = Object.hasOwn(kilograms, name) ? kilograms[name] : undefined;
    // After the first part, other words and numbers are unrelated.
    if (factor === undefined) return sum ?? (unit ? undefined : Number(parsed.decimal));
    sum = (sum ?? 0) + Number(parsed.decimal) * factor;
    unread = parsed.after.slice(unit?.[0].length ?? 0);
    // Another part follows: `5 lb 3 oz`, `5 kg and 300 g`.
    if (!/^\s*(?:and|und|et|y|e)?\s*\d/u.test(unread)) break;
  }
  return sum === undefined ? undefined : Number(sum.toPrecision(12));
}
