import { endsLabel, readPage, type SamplePage } from './rules';
import { templateToFile } from '../template/file';
import { templateFrom, type TemplateFile } from '../template/template';
import type { GraphTemplate } from '../template/model';
import { type Attributes, type GraphValue, isRecord, TypedValue } from '../core/value';

type ClassFile = TemplateFile['classes'][string];
type FieldFile = ClassFile['fields'][string];

/** A document from which a template is drafted. */
export interface TemplateSample {
  /** The file name without its extension. */
  name: string;
  markdown: string;
}

/**
 * Drafts a template from samples of one kind of document. Fields of fewer than half of the samples are dropped, and the root
 * is named by the common words of the sample names. Uses no model.
 */
export function templateFromSamples(samples: readonly TemplateSample[], root?: string): GraphTemplate {
  const rootName = root ?? kindOf(samples.map(({ name }) => name));
  const drafts = samples.map(({ markdown }) => templateToFile(templateFromSample(markdown, rootName)));
  const [first] = drafts;
  if (!first || drafts.length === 1) return templateFrom(first ?? { root: rootName, classes: {} });
  const classes = mergedClasses(drafts);
  return templateFrom({ root: first.root, classes });
}

/** The kind of the documents with these names: their common words, without numbers and codes. */
export function kindOf(names: readonly string[]): string {
  const [first = [], ...others] = names.map(kindWords);
  const known = others.map((one) => new Set(one.map((word) => word.toLowerCase())));
  const common = first.filter((word) => known.every((one) => one.has(word.toLowerCase())));
  return common.length > 0 ? common.join(' ') : 'Document';
}

/** Words of a name: split at signs and at capitals after small letters. A word with a digit, or of two letters, is a code. */
function kindWords(name: string): string[] {
  return words(name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')).filter((word) => !/\d/.test(word) && word.length > 2);
}

/** The classes and fields that at least half of the drafts have. Where their types differ, a field is text. */
function mergedClasses(drafts: readonly TemplateFile[]): Record<string, ClassFile> {
  const isCommon = (count: number) => count * 2 >= drafts.length;
  const found = new Map<string, ClassFile[]>();
  for (const { classes } of drafts)
    for (const [name, one] of Object.entries(classes)) found.set(name, [...(found.get(name) ?? []), one]);
  const kept = new Map([...found].filter(([, drafted]) => isCommon(drafted.length)));
  return Object.fromEntries(
    [...kept].map(([name, drafted]) => {
      const fields = new Map<string, FieldFile[]>();
      for (const one of drafted)
        for (const [field, body] of Object.entries(one.fields)) fields.set(field, [...(fields.get(field) ?? []), body]);
      const common = [...fields].flatMap(([field, bodies]): [string, FieldFile][] => {
        const [first] = bodies;
        const target = first?.model ?? undefined;
        if (!first || bodies.length * 2 < drafted.length || (target !== undefined && !kept.has(target))) return [];
        const types = new Set(bodies.map(({ type }) => type));
        return [[field, types.size > 1 && target === undefined ? { ...first, type: 'str' } : first]];
      });
      return [name, classFile(Object.fromEntries(common))];
    }),
  );
}

/**
 * Drafts a template from a sample document, for a person to review: labelled values become fields, tables with headers become
 * listed classes, and sections with labelled values become classes. Uses no model.
 */
export function templateFromSample(markdown: string, root = 'Document'): GraphTemplate {
  const page = readPage(markdown);
  const classes: Record<string, ClassFile> = {};
  const rootName = className(root);
  const fields: Record<string, FieldFile> = {};
  const listed = page.tables.filter((table) => isListing(table));
  const inTables = new Set(listed.flat().map((row) => JSON.stringify(row)));
  const isRow = ({ title, value }: { title: string; value: string }) => inTables.has(JSON.stringify([title, value]));
  const own = page.pairs.filter((pair) => pair.label !== '' && !isOwnSection(page, pair.section) && !isRow(pair));
  for (const { title, value } of own) addField(fields, title, value);
  for (const section of getSections(page)) {
    const inner: Record<string, FieldFile> = {};
    for (const { title, value } of section.pairs) addField(inner, title, value);
    addClass(classes, fields, { title: section.title, fields: inner, isList: false });
  }
  for (const [head = [], ...rows] of listed) {
    const inner: Record<string, FieldFile> = {};
    head.forEach((title, index) => addField(inner, title, rows[0]?.[index] ?? ''));
    if (Object.keys(inner).length > 0)
      addClass(classes, fields, { title: getTableTitle(head), fields: inner, isList: true });
  }
  return templateFrom({ root: rootName, classes: { [rootName]: classFile(fields), ...classes } });
}

/** Derives a template from an instance: objects become classes, lists of objects become listed classes. */
export function templateFromInstance(instance: Attributes, root = 'Document'): GraphTemplate {
  const classes: Record<string, ClassFile> = {};
  const rootName = className(root);
  readInstance(classes, rootName, [instance]);
  return templateFrom({ root: rootName, classes });
}

function readInstance(classes: Record<string, ClassFile>, name: string, instances: readonly Attributes[]): void {
  const fields: Record<string, FieldFile> = {};
  // Added first, so that the root comes first.
  classes[name] = { fields };
  for (const instance of instances) {
    for (const [key, value] of Object.entries(instance)) {
      const items = Array.isArray(value) ? value : [value];
      const objects = items.filter(isRecord);
      if (objects.length === 0) {
        fields[key] ??= { ...scalarField(items.find((item) => item !== null) ?? null), ...asListed(value) };
        continue;
      }
      const target = freeName(classes, className(singular(key)), objects);
      fields[key] = { model: target, edge_label: getLabel(key), ...asListed(value) };
      readInstance(classes, target, objects);
    }
  }
  const merged = classFile(fields);
  classes[name] = merged;
}

// The same fields under another key are the same class.
function freeName(classes: Record<string, ClassFile>, name: string, objects: readonly Attributes[]): string {
  const keys = (fields: object) => Object.keys(fields).sort().join();
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}${count}`;
    const known = classes[candidate];
    if (!known || keys(known.fields) === keys(objects[0] ?? {})) return candidate;
  }
}

const asListed = (value: GraphValue) => (Array.isArray(value) ? { is_list: true } : {});

function scalarField(value: GraphValue): FieldFile {
  if (typeof value === 'boolean') return { type: 'bool' };
  if (typeof value === 'number' || typeof value === 'bigint')
    return { type: typeof value === 'bigint' || Number.isInteger(value) ? 'int' : 'float' };
  if (value instanceof TypedValue) return { type: 'float' };
  return typeof value === 'string' ? { type: isoType(value) } : { type: 'any' };
}

const isoType = (text: string): 'date' | 'datetime' | 'str' => {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return 'date';
  return /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? 'datetime' : 'str';
};

function addClass(
  classes: Record<string, ClassFile>,
  owner: Record<string, FieldFile>,
  { title, fields, isList }: { title: string; fields: Record<string, FieldFile>; isList: boolean },
): void {
  const name = className(isList ? singular(title) : title);
  const field = fieldName(isList ? `${singular(title)}s` : title);
  if (classes[name] || owner[field] || Object.keys(fields).length === 0) return;
  classes[name] = classFile(fields);
  owner[field] = { model: name, edge_label: getLabel(field), ...(isList ? { is_list: true } : {}) };
}

// Fields named like a number, code or name identify the class; otherwise the first text field does.
function classFile(fields: Record<string, FieldFile>): ClassFile {
  const scalars = Object.entries(fields).filter(([, { model, is_list }]) => !model && !is_list);
  const byName = /(^|_)(id|no|nr|number|code|key|sku|article)$/;
  const found =
    scalars.find(([name]) => byName.test(name)) ??
    scalars.find(([name]) => /(^|_)(name|title)$/.test(name)) ??
    scalars.find(([, { type }]) => type === 'str') ??
    scalars[0];
  return { ...(found ? { graph_id_fields: [found[0]] } : {}), fields };
}

function addField(fields: Record<string, FieldFile>, title: string, value: string): void {
  const name = fieldName(title);
  // A label is a few words; everything else is a sentence that holds a colon.
  if (name === '' || fields[name] || !/\p{L}{2}/u.test(title) || words(title).length > mostLabelWords) return;
  fields[name] = { type: typeOfText(value), description: title };
}

const mostLabelWords = 6;

const money = /^[^\d\s-]{0,4}\s*-?\d{1,3}([.,' ]?\d{3})*([.,]\d{1,2})\s*([A-Z]{3}|[€$£%])?$/;
const days = /^(\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}\.? \p{L}+ \d{4}|\p{L}+ \d{1,2}, \d{4})$/u;

function typeOfText(text: string): 'date' | 'decimal' | 'int' | 'str' {
  const value = text.trim();
  if (days.test(value)) return 'date';
  if (/^-?[1-9]\d{0,8}$|^0$/.test(value)) return 'int';
  return money.test(value) ? 'decimal' : 'str';
}

interface Section {
  title: string;
  pairs: SamplePage['pairs'];
}

// A section after the first heading with at least two labelled values.
function getSections(page: SamplePage): Section[] {
  const found = new Map<string, Section>();
  for (const pair of page.pairs) {
    if (!isOwnSection(page, pair.section)) continue;
    const section = found.get(pair.section) ?? { title: pair.sectionTitle, pairs: [] };
    found.set(pair.section, section);
    section.pairs.push(pair);
  }
  return [...found.values()];
}

function isOwnSection(page: SamplePage, section: string): boolean {
  return (
    section !== '' && section !== page.firstHeading && page.pairs.filter((one) => one.section === section).length > 1
  );
}

// A two-column table is a list if its header describes the numbers below; otherwise it contains labels and values.
function isListing([head = [], ...rows]: readonly string[][]): boolean {
  if (head.length < 2 || rows.length === 0) return false;
  // Labels next to their values, laid out as a table.
  if ([head, ...rows].filter((cells) => cells.some(endsLabel)).length * 2 > rows.length + 1) return false;
  // A header names its columns: most of its cells hold words, each another.
  const titles = head.filter((cell) => fieldName(cell) !== '' && typeOfText(cell) === 'str');
  if (titles.length * 2 <= head.length || new Set(titles).size < titles.length) return false;
  if (head.length > 2) return true;
  return typeOfText(head[1] ?? '') === 'str' && rows.every(([, value = '']) => typeOfText(value) !== 'str');
}

// A table is named by the first column that has a name; `No.` and `#` only number its rows.
const getTableTitle = (head: readonly string[]) =>
  head.find((cell) => /\p{L}{3}/u.test(cell) && !numbering.test(cell.trim())) ?? 'Row';
const numbering = /^(no|nr|pos|position|line|item no|num)\.?$/i;
const words = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];
const fieldName = (text: string) =>
  words(text)
    .join('_')
    .toLowerCase()
    .replace(/^(?=\d)/, 'n_');
const getLabel = (text: string) => `HAS_${words(text).join('_').toUpperCase()}`;
const singular = (text: string) => (/[^s]s$/i.test(text) && text.length > 3 ? text.slice(0, -1) : text);

function className(text: string): string {
  const name = words(text)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return name.replace(/^(?=\d)/, 'N') || 'Document';
}
