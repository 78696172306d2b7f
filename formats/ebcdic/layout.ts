import { AppError } from '../../model/errors';
import { codePageNamed, codePages } from './code-page';

/** A field of a record; `scale` counts the digits behind the point. */
export interface Field {
  name: string;
  size: number;
  type: FieldType;
  scale: number;
}
const fieldTypes = ['text', 'packed_decimal', 'zoned_decimal', 'binary'] as const;
type FieldType = (typeof fieldTypes)[number];

/** One kind of record; `selector` is what its type field holds. */
export interface RecordLayout {
  name: string;
  selector: string | undefined;
  fields: Field[];
  size: number;
}
/** How the bytes of a file are laid out. */
export interface Layout {
  description: string;
  codePage: string;
  /** Bytes before the fields of each record that tell its kind; 0 where there is one kind. */
  typeSize: number;
  records: RecordLayout[];
}

const maxFields = 10_000;

/** Reads a layout file. Throws DOCUMENT_CORRUPT naming the file and the place when it is none. */
export function parseLayout(bytes: Uint8Array, file: string): Layout {
  const wrong = (what: string) => new AppError('DOCUMENT_CORRUPT', `The layout '${file}' ${what}.`);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw wrong('is no JSON');
  }
  const root = objectOf(json);
  const given = root?.['records'];
  if (root === undefined || !Array.isArray(given) || given.length === 0) throw wrong('has no list of records');
  const named = typeof root['encoding'] === 'string' ? root['encoding'] : 'cp037';
  const codePage = codePageNamed(named);
  if (codePage === undefined) throw wrong(`names the encoding '${named}'; known are ${codePages.join(', ')}`);
  const typeField = objectOf(root['record_type_field']);
  const typeSize = typeField === undefined ? 0 : sizeOf(typeField);
  if (typeSize === undefined) throw wrong('has a record_type_field without a size');
  const records = given.map((record: unknown, index) => {
    const { name, selector, fields } = objectOf(record) ?? {};
    if (!Array.isArray(fields) || fields.length === 0 || fields.length > maxFields) {
      throw wrong(`has no fields (1 to ${maxFields}) in records[${index}]`);
    }
    const parsed = fields.map((field: unknown, at) => {
      const found = fieldOf(field);
      if (found === undefined)
        throw wrong(`has no field with name, size and a known type in records[${index}].fields[${at}]`);
      return found;
    });
    return {
      name: typeof name === 'string' ? name : String(index + 1),
      selector: typeof selector === 'string' || typeof selector === 'number' ? String(selector) : undefined,
      fields: parsed,
      size: parsed.reduce((sum, { size }) => sum + size, 0),
    };
  });
  const description = typeof root['description'] === 'string' ? root['description'] : '';
  return { description, codePage, typeSize, records };
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function sizeOf({ size }: Record<string, unknown>): number | undefined {
  return typeof size === 'number' && Number.isInteger(size) && size > 0 && size <= 1_000_000 ? size : undefined;
}

function fieldOf(value: unknown): Field | undefined {
  const given = objectOf(value) ?? {};
  const { name, type = 'text', scale = 0 } = given;
  const size = sizeOf(given);
  const spelled = ['string', 'char', 'character', 'alphanumeric'].includes(String(type)) ? 'text' : type;
  const known = fieldTypes.find((candidate) => candidate === spelled);
  if (typeof name !== 'string' || size === undefined || known === undefined) return undefined;
  if (typeof scale !== 'number' || !Number.isInteger(scale) || scale < 0 || scale > 100) return undefined;
  return { name, size, type: known, scale };
}
