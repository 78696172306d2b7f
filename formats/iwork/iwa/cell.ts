import type { ShownValue } from '../../ooxml/xlsx/cell-format';
import type { IwaFormat } from './cell-format';

/** The data that the numbers in the cells of a table refer to. */
export interface CellTexts {
  plain: ReadonlyMap<number, string>;
  rich: ReadonlyMap<number, string>;
  /** Always returns a format: cells without one get a plain format. */
  format: (key: number | undefined) => IwaFormat;
}

/** A cell with a value. */
export interface IwaCell extends ShownValue {
  /** True if the cell is stored in a form that this reader does not know. */
  isUnknown?: true;
  /** Number of its comment in the list of the table. */
  comment: number | undefined;
}

/** Flags and widths of the members of a cell, in storage order. The members after `comment` are not needed. */
const members = [
  ['decimal', 16],
  ['double', 8],
  ['seconds', 8],
  ['plain', 4],
  ['rich', 4],
  ['cellStyle', 4],
  ['textStyle', 4],
  ['conditionalStyle', 4],
  ['conditionalRule', 4],
  ['formula', 4],
  ['control', 4],
  ['formulaError', 4],
  ['suggestion', 4],
  ['numberFormat', 4],
  ['currencyFormat', 4],
  ['dateFormat', 4],
  ['durationFormat', 4],
  ['textFormat', 4],
  ['booleanFormat', 4],
  ['comment', 4],
] as const;
type Member = (typeof members)[number][0];

const kinds = { number: 2, text: 3, date: 5, boolean: 6, duration: 7, rich: 9, currency: 10 } as const;
/** Dates count from 2001. */
const appleEpoch = Date.UTC(2001, 0, 1);

/** The members of a cell of version 4 (2013 to 2014) in storage order, each with its flag. */
const earlierMembers: readonly (readonly [flag: number, name: Member | undefined, width: number])[] = [
  [0x2, 'cellStyle', 4],
  [0x80, 'textStyle', 4],
  [0x400, 'conditionalStyle', 4],
  [0x800, 'conditionalRule', 4],
  [0x4, 'numberFormat', 4],
  [0x8, 'formula', 4],
  [0x100, 'formulaError', 4],
  [0x200, 'rich', 4],
  [0x1000, 'comment', 4],
  [0x2000, undefined, 4],
  [0x10, 'plain', 4],
  [0x20, 'double', 8],
  [0x40, 'seconds', 8],
];
/** Later versions have a format for each kind of value; in version 4, one format stands for all of these. */
const sameFormat = ['currencyFormat', 'dateFormat', 'durationFormat'] as const;

/** Reads a packed cell of version 4 or 5. Formulas have their cached result; cells of other versions are empty. */
export function readCell(bytes: Uint8Array, texts: CellTexts): IwaCell {
  const empty = { text: '', comment: undefined };
  if (bytes[0] !== 5 && bytes[0] !== 4) return { ...empty, isUnknown: true };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const places = bytes[0] === 5 ? findPlaces(view) : findEarlierPlaces(view);
  if (!places) return { ...empty, isUnknown: true };
  const readKey = (name: Member) => (places[name] === undefined ? undefined : view.getUint32(places[name], true));
  const double = (name: Member) => (places[name] === undefined ? undefined : view.getFloat64(places[name], true));
  const comment = readKey('comment');
  const readNumber = () =>
    places.decimal === undefined ? double('double') : Number(formatDecimalText(bytes, places.decimal));
  const shownText = showValue(bytes[1] ?? 0, { key: readKey, double, number: readNumber, texts });
  return { ...shownText, comment };
}

interface CellValues {
  key: (name: Member) => number | undefined;
  double: (name: Member) => number | undefined;
  number: () => number | undefined;
  texts: CellTexts;
}

function showValue(kind: number, { key, double, number, texts }: CellValues): ShownValue {
  const none = { text: '' };
  switch (kind) {
    case kinds.number:
    case kinds.currency: {
      const value = number();
      const format = key('currencyFormat') ?? key('numberFormat');
      return value === undefined ? none : texts.format(format).number(value);
    }
    case kinds.text:
      return { text: texts.plain.get(key('plain') ?? -1) ?? '' };
    case kinds.date: {
      const seconds = double('seconds');
      return seconds === undefined ? none : texts.format(key('dateFormat')).date(appleEpoch + seconds * 1_000);
    }
    case kinds.boolean: {
      const value = double('double');
      return value === undefined ? none : { text: value > 0 ? 'TRUE' : 'FALSE' };
    }
    case kinds.duration: {
      const value = double('double');
      return value === undefined ? none : texts.format(key('durationFormat')).duration(value);
    }
    case kinds.rich:
      return { text: texts.rich.get(key('rich') ?? -1) ?? '' };
    default:
      return none;
  }
}

/** Returns the offsets of the members; undefined if the cell is too short for them. */
function findPlaces(view: DataView): Partial<Record<Member, number>> | undefined {
  const flags = view.getUint32(8, true);
  const places: Partial<Record<Member, number>> = {};
  let at = 12;
  for (const [index, [name, width]] of members.entries()) {
    if ((flags & (1 << index)) === 0) continue;
    if (at + width > view.byteLength) return undefined;
    places[name] = at;
    at += width;
  }
  return places;
}

/** Returns the offsets of the members of a cell of version 4; undefined if the cell is too short for them. */
function findEarlierPlaces(view: DataView): Partial<Record<Member, number>> | undefined {
  const flags = view.getUint32(4, true);
  const places: Partial<Record<Member, number>> = {};
  let at = 12;
  for (const [flag, name, width] of earlierMembers) {
    if ((flags & flag) === 0) continue;
    if (at + width > view.byteLength) return undefined;
    if (name) places[name] = at;
    at += width;
  }
  if (places.numberFormat !== undefined) for (const name of sameFormat) places[name] = places.numberFormat;
  return places;
}

/** Formats an IEEE 128-bit decimal in binary encoding: an integer and a power of ten. */
function formatDecimalText(cell: Uint8Array, at: number): string {
  const bytes = cell.subarray(at, at + 16);
  const exponent = (((bytes[15]! & 0x7f) << 7) | (bytes[14]! >> 1)) - 6_176;
  let digits = BigInt(bytes[14]! & 1);
  for (let place = 13; place >= 0; place--) digits = digits * 256n + BigInt(bytes[place]!);
  return `${(bytes[15]! & 0x80) === 0 ? '' : '-'}${digits}e${exponent}`;
}
