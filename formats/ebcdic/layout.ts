import { AppError } from '../../model/errors';
import { findCodePage, codePages } from './code-page';

/** A field of a record; `scale` is the number of decimal places. */
export interface Field {
  name: string;
  size: number;
  type: FieldType;
  scale: number;
}
/** How the bytes of a field are decoded; `skip` marks bytes that are not a column. */
const fieldTypes = ['text', 'packed_decimal', 'zoned_decimal', 'integer', 'unsigned_integer', 'skip'] as const;
/** Other names of field types. */
const spellings: Readonly<Record<string, FieldType>> = {
  string: 'text',
  char: 'text',
  character: 'text',
  alphanumeric: 'text',
  binary: 'integer',
};
export type FieldType = (typeof fieldTypes)[number];

/** One kind of record; `selector` is the value of its type field. */
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
  /** Bytes before the first record and after the last one. */
  headerSize: number;
  footerSize: number;
  /**
   * Comes before the type field and the fields of each record; its value is the length of all three. Undefined: records have a
   * fixed size.
   */
  lengthField: Field | undefined;
  /** Size of the type field before each record; 0 if there is only one kind. */
  typeSize: number;
  records: RecordLayout[];
}

const maxFields = 10_000;
/** Maximum size of the length field. */
const maxLengthSize = 16;
/** Maximum size of any other field. */
const maxFieldSize = 1_000_000;
const maxScale = 100;

/** Parses a layout file. Throws DOCUMENT_CORRUPT with the file and the location of the problem. */
export function parseLayout(bytes: Uint8Array, file: string): Layout {
  const createError = (problem: string) => new AppError('DOCUMENT_CORRUPT', `The layout '${file}' ${problem}.`);
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw createError('is not JSON');
  }
  const root = asObject(json);
  const declaredRecords = root?.['records'];
  if (root === undefined || !Array.isArray(declaredRecords) || declaredRecords.length === 0)
    throw createError('has no list of records');
  const named = typeof root['encoding'] === 'string' ? root['encoding'] : 'cp037';
  const codePage = findCodePage(named);
  if (codePage === undefined)
    throw createError(`names the unknown encoding '${named}'; expected one of ${codePages.join(', ')}`);
  const typeField = asObject(root['record_type_field']);
  const typeSize = typeField === undefined ? 0 : parseSize(typeField);
  if (typeSize === undefined) throw createError('has a record_type_field without a size');
  const lengthField = root['record_length_field'] ? parseField(root['record_length_field']) : undefined;
  if (root['record_length_field'] && (lengthField === undefined || lengthField.size > maxLengthSize)) {
    throw createError(`has a record_length_field without name, known type and a size of 1 to ${maxLengthSize}`);
  }
  const records = declaredRecords.map((record: unknown, index) => parseRecord(record, index, createError));
  const description = typeof root['description'] === 'string' ? root['description'] : '';
  const [headerSize, footerSize] = [root['header_size'] ?? 0, root['footer_size'] ?? 0];
  if (!isCount(headerSize) || !isCount(footerSize)) {
    throw createError('has a header_size or footer_size that is not a whole number from 0');
  }
  return { description, codePage, headerSize, footerSize, lengthField, typeSize, records };
}

function parseRecord(record: unknown, index: number, createError: (problem: string) => AppError): RecordLayout {
  const { name, selector, fields } = asObject(record) ?? {};
  if (!Array.isArray(fields) || fields.length === 0 || fields.length > maxFields)
    throw createError(`has no fields (1 to ${maxFields}) in records[${index}]`);
  const parsed = fields.map((value: unknown, at) => {
    const field = parseField(value);
    if (field) return field;
    throw createError(`has no field with name, size and a known type in records[${index}].fields[${at}]`);
  });
  return {
    name: typeof name === 'string' ? name : String(index + 1),
    selector: typeof selector === 'string' || typeof selector === 'number' ? String(selector) : undefined,
    fields: parsed,
    size: parsed.reduce((sum, { size }) => sum + size, 0),
  };
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function parseSize({ size }: Record<string, unknown>): number | undefined {
  return typeof size === 'number' && Number.isInteger(size) && size > 0 && size <= maxFieldSize ? size : undefined;
}

function parseField(value: unknown): Field | undefined {
  const members = asObject(value) ?? {};
  const { name, type = 'text', scale = 0 } = members;
  const size = parseSize(members);
  const fieldType = spellings[String(type)] ?? fieldTypes.find((candidate) => candidate === type);
  if (typeof name !== 'string' || size === undefined || fieldType === undefined) return undefined;
  if (typeof scale !== 'number' || !Number.isInteger(scale) || scale < 0 || scale > maxScale) return undefined;
  return { name, size, type: fieldType, scale };
}
