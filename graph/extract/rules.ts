import { findDate, findDecimal, fitAnswer, type Fitted } from './fit-answer';
import { singular } from './template-names';
import { getClass } from '../template/template';
import type { GraphTemplate, TemplateClass, TemplateField } from '../template/model';
import { type Attributes, isEmpty, isRecord } from '../core/value';

/**
 * Extracts from Markdown without a model: lines of the form `Label: value`, two-column tables, and tables whose headers match the
 * fields of a listed class. A label matches a field by name, by description, by one of its other labels, or by one of these after
 * the class name. Finds only labelled values.
 */
export function extractWithRules(template: GraphTemplate, markdown: string): Fitted {
  const page = readPage(markdown);
  const root = getClass(template, template.root);
  const answer: Attributes = {};
  for (const field of root.fields) {
    const value = field.model ? readModel(template, field, page) : findLabelled(root, field, page.pairs);
    if (value !== undefined) answer[field.name] = value;
    else if (field.name === 'title' && page.title !== '') answer[field.name] = page.title;
  }
  return fitAnswer(template, template.root, answer);
}

interface Pair {
  label: string;
  /** The label as written. */
  title: string;
  value: string;
  /** The heading above, normalized as a label, and as written. */
  section: string;
  sectionTitle: string;
}
/** The labelled values of a text. */
export interface SamplePage {
  pairs: Pair[];
  tables: string[][][];
  /** The heading above each table, as written. */
  tableTitles: string[];
  /** The first heading as written; empty when there is none. */
  title: string;
  /** Normalized as a label; empty when there is no heading. */
  firstHeading: string;
}

// `Invoice #`, `Invoice №` and `Invoice number` are the same label as `Invoice no.`, and another than `Invoice`.
const getLabel = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('_', ' ')
    .replace(/#|\u2116|\bn\u00b0|\b(?:number|nr|num)\b/g, ' no ')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The labelled values and tables of a Markdown text, in order. */
export function readPage(markdown: string): SamplePage {
  const page: SamplePage = { pairs: [], tables: [], tableTitles: [], title: '', firstHeading: '' };
  let [section, sectionTitle] = ['', ''];
  const note = (title: string, value: string) =>
    page.pairs.push({ label: getLabel(title), title: title.replace(/\s*:$/, ''), value, section, sectionTitle });
  let table: string[][] | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const cells = /^\s*\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split(/(?<!\\)\|/)
      .map(normalizeText);
    if (!cells) table = undefined;
    else if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
    else if (table) table.push(cells);
    else {
      page.tables.push((table = [cells]));
      page.tableTitles.push(sectionTitle);
    }
    if (cells?.length === 2) note(cells[0] ?? '', cells[1] ?? '');
    else for (const [title, value] of cellPairs(cells ?? [])) note(title, value);
    const heading = /^#+\s+(.*)$/.exec(line)?.[1];
    if (heading) {
      [section, sectionTitle] = [getLabel(heading), normalizeText(heading)];
      page.firstHeading ||= section;
      page.title ||= sectionTitle;
    }
    const pair = /^\s*(?:[-*]\s+)?([^:|]{1,50}):\s+(\S.*)$/.exec(line.replace(/\*\*|__/g, ''));
    if (!cells && pair) note(normalizeText(pair[1] ?? ''), normalizeText(pair[2] ?? ''));
  }
  return page;
}

/** `Label:` next to its value, and `Label: value` in one cell, as in forms laid out as tables. */
function cellPairs(cells: readonly string[]): [string, string][] {
  return cells.flatMap((cell, index): [string, string][] => {
    const value = cells[index + 1] ?? '';
    if (endsLabel(cell)) return value !== '' && !endsLabel(value) ? [[cell, value]] : [];
    const [, title = '', own = ''] = /^([^:|\d]{1,50}):\s+(\S.*)$/.exec(cell) ?? [];
    return own === '' ? [] : [[title, own]];
  });
}

/** True for a cell that ends with a colon. */
export const endsLabel = (cell: string): boolean => /\p{L}.*:\s*$/u.test(cell);

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function normalizeText(text: string): string {
  return text
    .replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity)
    .replace(/\\([\\`*_{}[\]()#+.!|-])/g, '$1')
    .trim();
}

function getLabels(templateClass: TemplateClass, field: TemplateField): Set<string> {
  const own = [field.name, ...(field.description ? [field.description] : []), ...(field.labels ?? [])];
  return new Set(own.flatMap((label) => [label, `${templateClass.name} ${label}`]).map(getLabel));
}

function findLabelled(
  templateClass: TemplateClass,
  field: TemplateField,
  pairs: readonly Pair[],
): string | string[] | undefined {
  // The first label that occurs: its own name comes before a general one such as `date`.
  const label = [...getLabels(templateClass, field)].find((wanted) => pairs.some((pair) => pair.label === wanted));
  const value = pairs.find((pair) => pair.label === label)?.value;
  if (value === undefined || value === '') return undefined;
  if (field.isList) return value.split(/\s*[,;]\s*/);
  return field.type === 'date' ? dateOfRange(field.name, value) : isNumber(field) ? amountIn(value) : value;
}

const isNumber = ({ type }: TemplateField) => type === 'decimal' || type === 'int' || type === 'float';

/** Of `1 March 2025 to 31 March 2025`, the second date is for a field named like an end, the first for others. */
function dateOfRange(name: string, value: string): string {
  if (findDate(value) !== undefined) return value;
  const dates = value.split(/\s+(?:to|until|through|bis|au|-|\u2013|\u2014)\s+/i);
  if (dates.length !== 2 || dates.some((date) => findDate(date) === undefined)) return value;
  return dates[/(?:^|_)(?:end|to|until)(?:_|$)/.test(name) ? 1 : 0] ?? value;
}

/** The number of `£950 per month` or `30 years`: that of a value with a single number and words after it. */
function amountIn(value: string): string {
  if (findDecimal(value) !== undefined) return value;
  const found = /^(\P{N}{0,4}\p{N}[\p{N}.,' \u00a0]*?)\s*\p{L}[^\p{N}]*$/u.exec(value.trim())?.[1];
  return found !== undefined && findDecimal(found) !== undefined ? found : value;
}

function readModel(
  template: GraphTemplate,
  field: TemplateField,
  page: SamplePage,
): Attributes | Attributes[] | undefined {
  const target = getClass(template, field.model ?? '');
  if (field.isList) {
    const rows = page.tables.flatMap((table) => readTable(target, table));
    if (rows.length > 0) return rows;
    // People and parties are also named once, beside a label.
    const named = target.isDocumentScoped ? undefined : readSection(template, target, field, page);
    return named && [named];
  }
  return readSection(template, target, field, page);
}

// The first row names the fields. It must contain the id field, or else two other fields.
function readTable(target: TemplateClass, [head = [], ...rows]: string[][]): Attributes[] {
  const columns = head.map((cell) => {
    const label = getLabel(cell);
    return target.fields.find((field) => !field.model && getLabels(target, field).has(label));
  });
  const matchingColumns = columns.filter((field) => field !== undefined);
  const isKnown = matchingColumns.some(({ name }) => target.idFields.includes(name))
    ? matchingColumns.length >= 1
    : matchingColumns.length >= 2;
  if (!isKnown) return [];
  return rows.map((cells) =>
    Object.fromEntries(columns.flatMap((field, index) => (field ? [[field.name, cells[index] ?? '']] : []))),
  );
}

// `Seller: Acme`, `Seller name: Acme`, or `Name: Acme` under the heading Seller.
function readSection(
  template: GraphTemplate,
  target: TemplateClass,
  field: TemplateField,
  page: SamplePage,
): Attributes | undefined {
  const given = [field.name, ...(field.labels ?? [])];
  const names = [...given, ...(field.isList ? given.map(singular) : [])]
    .map(getLabel)
    // `Chairperson` is that label, not `Chair` with something behind it.
    .sort((one, other) => other.length - one.length);
  const near = page.pairs.flatMap((pair) => {
    if (names.includes(pair.section)) return [pair];
    const own = names.find((name) => pair.label.startsWith(name));
    return own === undefined ? [] : [{ ...pair, label: pair.label.slice(own.length) }];
  });
  if (near.length === 0) return undefined;
  const answer: Attributes = {};
  for (const inner of target.fields) {
    if (!inner.model) {
      const value =
        findLabelled(target, inner, near) ?? (target.idFields[0] === inner.name ? unnamed(near) : undefined);
      if (value !== undefined) answer[inner.name] = value;
      continue;
    }
    const component = getClass(template, inner.model);
    if (component.isEntity || inner.isList) continue;
    const parts = component.fields.flatMap((part) => {
      const value = part.model ? undefined : findLabelled(component, part, near);
      return value === undefined ? [] : [[part.name, value] as const];
    });
    if (parts.length > 0) answer[inner.name] = Object.fromEntries(parts);
  }
  return Object.values(answer).some((value) => isRecord(value) || !isEmpty(value)) ? answer : undefined;
}

const unnamed = (pairs: readonly Pair[]) => pairs.find(({ label }) => label === '')?.value;
