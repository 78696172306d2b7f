import type { ShownValue } from '../../ooxml/xlsx/cell-format';
import type { Message } from './message';

/** Units with their flag in a format, length in milliseconds, and names. */
const units = [
  { flag: 1, length: 604_800_000, short: 'w', long: 'week' },
  { flag: 2, length: 86_400_000, short: 'd', long: 'day' },
  { flag: 4, length: 3_600_000, short: 'h', long: 'hour' },
  { flag: 8, length: 60_000, short: 'm', long: 'minute' },
  { flag: 16, length: 1_000, short: 's', long: 'second' },
  { flag: 32, length: 1, short: 'ms', long: 'millisecond' },
] as const;
/** The units of a duration of zero: hours and minutes. */
const zeroRange: [number, number] = [2, 3];
const styles = { compact: 0, long: 2 } as const;

/** Formats a duration: `1:30:00`, `1h 30m` or `1 hour 30 minutes`. The value is in seconds. */
export function formatDuration(seconds: number, format: Message | undefined): ShownValue {
  if (!Number.isFinite(seconds)) return { text: '' };
  const [largest, smallest] = findUnitRange(format, seconds);
  let remainingMs = Math.round(Math.abs(seconds) * 1_000);
  const unitTexts = units.slice(largest, smallest + 1).map((unit, index) => {
    const isLast = largest + index === smallest;
    const count = isLast ? remainingMs / unit.length : Math.floor(remainingMs / unit.length);
    remainingMs -= count * unit.length;
    return { unit, count: isLast ? Math.round(count * 1_000) / 1_000 : count };
  });
  const sign = seconds < 0 ? '-' : '';
  return { text: sign + joinUnits(unitTexts, format?.number(7) ?? 1), value: seconds };
}

/** Returns the indexes of the largest and smallest unit. An automatic format uses the units that the value needs. */
function findUnitRange(format: Message | undefined, seconds: number): [number, number] {
  const find = (flag: number | undefined) => units.findIndex((unit) => unit.flag === flag);
  const [largest, smallest] = [find(format?.number(15)), find(format?.number(16))];
  if (format?.number(40) !== 1 && largest >= 0 && smallest >= largest) return [largest, smallest];
  const size = Math.round(Math.abs(seconds) * 1_000);
  const first = units.findIndex(({ length }) => size >= length);
  const last = units.findIndex(({ length }) => size % length === 0);
  return size === 0 ? zeroRange : [first, Math.max(first, last)];
}

function joinUnits(shown: readonly { unit: (typeof units)[number]; count: number }[], style: number): string {
  if (style === styles.compact)
    return shown
      .map(({ count, unit }, index) => (index === 0 || unit.flag < 4 ? String(count) : String(count).padStart(2, '0')))
      .join(':');
  return shown
    .map(({ count, unit }) =>
      style === styles.long ? `${count} ${unit.long}${count === 1 ? '' : 's'}` : `${count}${unit.short}`,
    )
    .join(' ');
}
