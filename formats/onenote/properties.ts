import type { NoteObject } from './section';

/** Kinds of objects (MS-ONE 2.1.13). */
export const kind = {
  outline: 0x6000c,
  element: 0x6000d,
  text: 0x6000e,
  picture: 0x60011,
  ink: 0x60014,
  elements: 0x60019,
  table: 0x60022,
  row: 0x60023,
  cell: 0x60024,
  title: 0x6002c,
  file: 0x60035,
} as const;

/** Properties (MS-ONE 2.1.12), without the bits of their type. */
export const property = {
  bold: 0x1c04,
  italic: 0x1c05,
  underline: 0x1c06,
  strikethrough: 0x1c07,
  superscript: 0x1c08,
  subscript: 0x1c09,
  left: 0x1c14,
  top: 0x1c15,
  numberFormat: 0x1c1a,
  content: 0x1c1f,
  children: 0x1c20,
  text: 0x1c22,
  list: 0x1c26,
  picture: 0x1c3f,
  isTime: 0x1c87,
  isDate: 0x1cb5,
  restart: 0x1cb7,
  cachedTitle: 0x1cf3,
  hasBorders: 0x1d5e,
  structure: 0x1d5f,
  pages: 0x1d63,
  file: 0x1d9b,
  fileName: 0x1d9c,
  pageLevel: 0x1dff,
  runStarts: 0x1e12,
  runStyles: 0x1e13,
  isLink: 0x1e14,
  isHidden: 0x1e16,
  address: 0x1e20,
  description: 0x1e58,
  style: 0x342c,
  styleName: 0x345a,
  narrowText: 0x3498,
} as const;

/** The names of objects or spaces; none if the property is missing. */
export function listNames({ properties }: NoteObject, id: number): readonly string[] {
  const value = properties.get(id);
  return Array.isArray(value) && typeof value[0] === 'string' ? (value as readonly string[]) : [];
}

/** Text in UTF-16 without the zero at its end; undefined if the property is missing. */
export function findText({ properties }: NoteObject, id: number): string | undefined {
  const value = properties.get(id);
  return Buffer.isBuffer(value) ? value.toString('utf16le').replace(/\0+$/, '') : undefined;
}

export function isSet({ properties }: NoteObject, id: number): boolean {
  return properties.get(id) === true;
}

export function findNumber({ properties }: NoteObject, id: number): number | undefined {
  const value = properties.get(id);
  return typeof value === 'number' ? value : undefined;
}

/** A number of single precision, such as a position in half inches; 0 if the property is missing. */
export function getPosition(object: NoteObject, id: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, findNumber(object, id) ?? 0);
  const position = view.getFloat32(0);
  return Number.isFinite(position) ? position : 0;
}
