import { child, elements, type XmlElement } from '../../xml/xml';

/** What a cell's style makes of its number: a date, a span of time, or the number itself. */
type Meaning = 'number' | 'date' | 'duration';

/** Writes numbers of cells as text. */
export interface CellFormats {
  /** `raw` is the number as stored; `style` is the cell's style index. Dates come as `2026-03-01 14:30:00`. */
  format(raw: string, style: string | undefined): string;
}

const dayMs = 86_400_000;

/** Reads `xl/styles.xml`. `starts1904` tells that day 0 is 1904-01-01. */
export function readCellFormats(root: XmlElement | undefined, starts1904: boolean): CellFormats {
  const codes = new Map<string, string>();
  for (const { attributes } of elements(child(root, 'x:numFmts'), 'x:numFmt')) {
    codes.set(attributes['numFmtId'] ?? '', attributes['formatCode'] ?? '');
  }
  const styles = elements(child(root, 'x:cellXfs'), 'x:xf').map(({ attributes }) => attributes['numFmtId'] ?? '0');
  return createCellFormats(codes, styles, starts1904);
}

/** `codes` are the workbook's own formats by number; `styles` the number of the format of each style. */
export function createCellFormats(
  codes: ReadonlyMap<string, string>,
  styles: readonly string[],
  starts1904: boolean,
): CellFormats {
  const meanings = styles.map((id) => meaningOf(id, codes.get(id)));
  return {
    format(raw, style) {
      const meaning = meanings[Number(style ?? '0')] ?? 'number';
      const value = Number(raw);
      if (raw.trim() === '' || !Number.isFinite(value)) return raw;
      if (meaning === 'date') return dateText(value, starts1904) ?? numberText(raw);
      return meaning === 'duration' ? durationText(value) : numberText(raw);
    },
  };
}

/** Built-in numbers of ECMA-376 part 1, 18.8.30; 27 to 36 and 50 to 58 are dates in East Asian editions. */
function meaningOf(id: string, code: string | undefined): Meaning {
  const number = Number(id);
  if (code !== undefined) return meaningOfCode(code);
  if (number === 46) return 'duration';
  const isDate =
    (number >= 14 && number <= 22) ||
    (number >= 27 && number <= 36) ||
    (number >= 45 && number <= 47) ||
    (number >= 50 && number <= 58);
  return isDate ? 'date' : 'number';
}

/** Looks at the first section without quoted text, escapes, colours and locales. */
function meaningOfCode(code: string): Meaning {
  const section = code.split(';')[0]!.replaceAll(/"[^"]*"|\\.|_.|\*./g, '');
  if (/\[(?:h+|m+|s+)\]/i.test(section)) return 'duration';
  return /[dmyhs]/i.test(section.replaceAll(/\[[^\]]*\]/g, '').replaceAll(/general/gi, '')) ? 'date' : 'number';
}

/** The shortest decimal that reads back to the same number; stored integers stay integers. */
function numberText(raw: string): string {
  const text = raw.trim();
  if (/^-?\d+$/.test(text)) return text.replace(/^(-?)0+(?=\d)/, '$1');
  const value = Number(text);
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e16 || size < 1e-4)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Days since 1899-12-30, or 1904-01-01. Excel takes 1900 for a leap year, so the days before 1 March 1900 are one off. */
function dateText(serial: number, starts1904: boolean): string | undefined {
  let days = Math.floor(serial);
  const timeMs = Math.round((serial - days) * dayMs);
  if (serial >= 0 && serial < 1 && timeMs < dayMs) return clock(timeMs);
  if (serial > 0 && serial < 60 && !starts1904) days += 1;
  const epoch = starts1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const date = new Date(epoch + days * dayMs + timeMs);
  const year = date.getUTCFullYear();
  if (Number.isNaN(year) || year < 1 || year > 9999) return undefined;
  return `${date.toISOString().slice(0, 10)} ${clock(((date.getTime() % dayMs) + dayMs) % dayMs)}`;
}

function clock(ms: number): string {
  const [time, fraction] = new Date(ms).toISOString().slice(11, 23).split('.');
  return fraction === '000' ? time! : `${time}.${fraction}000`;
}

function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const pad = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${days < 0 ? '-' : ''}${Math.floor(seconds / 3600)}:${pad((seconds % 3600) / 60)}:${pad(seconds % 60)}`;
}
