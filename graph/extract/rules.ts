import { type Attributes, isEmpty, isRecord } from '../core/value';
import type { GraphTemplate, TemplateClass, TemplateField } from '../template/model';
import { getClass } from '../template/template';
import { createDateReader, type DateReader } from './document-dates';
import { findFullName, getLabel, getLabels, mostOfValue, omitItem, omitNote } from './field-labels';
import { findDate, findDecimal, fitAnswer, type Fitted } from './fit-answer';
import { findLoosePairs, splitKnownLabels } from './loose-pairs';
import { readRows } from './table-rows';
import { toSingular } from './template-names';
import { findTypedPairs } from './typed-pairs';

/**
 * Extracts from Markdown without a model: lines of the form `Label: value`, two-column tables, and tables whose headers match the
 * fields of a listed class; and values below or beside a label that the template knows. A label matches a field by name, by
 * description, by one of its other labels, or by one of these after the class name. Finds only labelled values, titles and addresses.
 */
export function extractWithRules(template: GraphTemplate, markdown: string): Fitted {
  const page = readKnownPage(template, markdown);
  const root = getClass(template, template.root);
  const answer: Attributes = {};
  for (const field of root.fields.filter(({ model }) => !model)) {
    const labelled =
      findLabelled(root, field, page) ?? nameInParts(root, field, page) ?? findUnlabelled(root, field, page, markdown);
    if (labelled !== undefined) answer[field.name] = labelled;
  }
  const latest = findLatest(root, answer);
  for (const field of root.fields.filter(({ model }) => model)) {
    const value = readModel(template, field, { ...page, latest }) ?? findPersonInParts(template, field, page);
    if (value !== undefined) answer[field.name] = value;
  }
  return fitAnswer(template, template.root, answer);
}

/** A page with its reader of dates, and the last date of the document. */
interface KnownPage extends SamplePage {
  dates: DateReader;
  latest?: string;
}

function findLatest(root: TemplateClass, answer: Attributes): string | undefined {
  const dates = root.fields.flatMap(({ name, type }) => {
    const value = type === 'date' ? answer[name] : undefined;
    return typeof value === 'string' ? (findDate(value) ?? []) : [];
  });
  return dates.sort().at(-1);
}

/** The page with its pairs: first those written as pairs, then those that only a template can recognize. */
function readKnownPage(template: GraphTemplate, markdown: string): KnownPage {
  const knownLabels = new Set([...template.classes.values()].flatMap((templateClass) => templateClass.fields.flatMap((field) => [...getLabels(templateClass, field)]))); // prettier-ignore
  const isKnown = (title: string) => knownLabels.has(getLabel(title));
  const page = readPage(markdown, isKnown);
  const near = [...findLoosePairs(markdown, page.tables), ...findTypedPairs(markdown, page.tables, isKnown)];
  const loose = near.flatMap(({ title, value }): Pair[] => {
    const label = getLabel(title);
    return knownLabels.has(label) ? [{ label, title, value: normalizeText(value), section: '', sectionTitle: '' }] : [];
  });
  return { ...page, pairs: [...page.pairs, ...loose], dates: createDateReader(markdown) };
}

/**
 * Values that documents show without a label: the title, the name above a CV, the only mail address, the only date at
 * the beginning.
 */
function findUnlabelled(
  root: TemplateClass,
  { name, type }: TemplateField,
  { title }: SamplePage,
  markdown: string,
): string | undefined {
  if (type === 'date') return root.fields.filter((field) => field.type === 'date').length === 1 ? findOnlyDate(markdown.slice(0, maxOfBeginning)) : undefined; // prettier-ignore
  if (name === 'title') return title === '' ? undefined : title;
  if (name === 'full_name') return isPersonName(title) ? title : undefined;
  if (name !== 'email') return undefined;
  const addresses = new Set(
    markdown.slice(0, 20_000).match(/(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu),
  );
  return addresses.size === 1 ? [...addresses][0] : undefined;
}

/** `Minutes for October 5, 2011` at the beginning dates the document. */
const maxOfBeginning = 200;

function findOnlyDate(text: string): string | undefined {
  const written = text.match(
    /\b(?:\d{4}-\d\d-\d\d|\d\d?\.\s?\d\d?\.\s?\d{4}|\d\d?(?:st|nd|rd|th|\.)? [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d\d?(?:st|nd|rd|th)?, \d{4})\b/g,
  );
  const dates = new Set((written ?? []).flatMap((value) => findDate(value) ?? []));
  return dates.size === 1 ? [...dates][0] : undefined;
}

const isPersonName = (title: string) =>
  /^\p{Lu}[\p{L}'.\u2019-]*(?: \p{Lu}[\p{L}'.\u2019-]*){1,3}$/u.test(title) &&
  /\p{Ll}/u.test(title) &&
  !/resume|curriculum|vitae|information|experience|application|profile|\bcv\b/i.test(title);

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

/** The labelled values and tables of a Markdown text, in order. */
export function readPage(markdown: string, isKnown: (title: string) => boolean = () => false): SamplePage {
  const page: SamplePage = { pairs: [], tables: [], tableTitles: [], title: '', firstHeading: '' };
  let [section, sectionTitle] = ['', ''];
  const note = (label: string, value: string) => {
    const title = [label, omitNote(label), omitItem(label), omitItem(omitNote(label))].find(isKnown) ?? label;
    page.pairs.push({ label: getLabel(title), title: omitColon(title), value, section, sectionTitle });
  };
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
    if (cells?.length === 2 && !cells.every(endsLabel)) note(cells[0] ?? '', cells[1] ?? '');
    else for (const [title, value] of listCellPairs(cells ?? [])) note(title, value);
    const heading = /^#+\s+(.*)$/.exec(line)?.[1];
    if (heading) {
      [section, sectionTitle] = [getLabel(heading), normalizeText(heading)];
      page.firstHeading ||= section;
      page.title ||= sectionTitle;
    }
    const plain = line.replace(/^#+\s+|\*\*|__/g, '');
    const several = cells ? undefined : splitKnownLabels(plain, isKnown);
    for (const { title, value } of several ?? []) note(normalizeText(title), normalizeText(value));
    const pair = /^\s*(?:[-*]\s+|:)?([^:|]{1,50}):\s+(\S.*)$/.exec(plain);
    if (!cells && !several && pair) note(normalizeText(pair[1] ?? ''), normalizeText(pair[2] ?? ''));
  }
  return page;
}

/** `Label:` next to its value, and `Label: value` in one cell, as in forms laid out as tables. */
function listCellPairs(cells: readonly string[]): [string, string][] {
  return cells.flatMap((cell, index): [string, string][] => {
    const value = cells[index + 1] ?? '';
    if (endsLabel(cell)) return value !== '' && !endsLabel(value) ? [[cell, value]] : [];
    const [, title = '', inlineValue = ''] = /^([^:|\d]{1,50}):\s+(\S.*)$/.exec(cell) ?? [];
    return inlineValue === '' ? [] : [[title, inlineValue]];
  });
}

// With \s* or .* before its end, a regular expression reads a long text again from each of its characters.
/** True for a cell that ends with a colon. */
export const endsLabel = (cell: string): boolean => cell.trimEnd().endsWith(':') && /\p{L}/u.test(cell);

const omitColon = (title: string) => (title.endsWith(':') ? title.slice(0, -1).trimEnd() : title);

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

function normalizeText(text: string): string {
  return text
    .replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity)
    .replace(/(?<![\\*\p{L}\p{N}])\*([^*\s](?:[^*]*[^*\s])?)\*(?![*\p{L}\p{N}])/gu, '$1')
    .replace(/\\([\\`*_{}[\]()#+.!|-])/g, '$1')
    .trim();
}

function findLabelled(
  templateClass: TemplateClass,
  field: TemplateField,
  { pairs, dates }: Pick<KnownPage, 'pairs' | 'dates'>,
): string | string[] | undefined {
  const read = (value: string) =>
    field.type === 'date'
      ? dates.read(pickRangeDate(field.name, value, dates))
      : isNumber(field)
        ? getAmount(value)
        : value;
  // A head beside another head is no date and no number.
  const fits = ({ value }: Pair) =>
    field.type === 'date' ? findDate(read(value)) !== undefined : !isNumber(field) || findDecimal(read(value)) !== undefined; // prettier-ignore
  // The first label that occurs: its own name comes before a general one such as `date`.
  const matchingPairs = [...getLabels(templateClass, field)].flatMap((label) =>
    pairs.filter((pair) => pair.label === label),
  );
  const value = (matchingPairs.find(fits) ?? matchingPairs[0])?.value;
  if (value === undefined || value === '') return undefined;
  return field.isList ? value.split(/[,;]/).map((item) => item.trim()) : read(value);
}

/** A name whose parts have a label each, for a field that is labelled as a name. */
function nameInParts(owner: TemplateClass, field: TemplateField, { pairs }: SamplePage): string | undefined {
  const labels = getLabels(owner, field);
  return labels.has('name') || labels.has('fullname') ? findFullName(pairs) : undefined;
}

function findPersonInParts(
  template: GraphTemplate,
  field: TemplateField,
  { pairs }: SamplePage,
): Attributes | undefined {
  const isNamed = (field.labels ?? []).some((label) => /^(?:name|full name)$/.test(label));
  const [id] = getClass(template, field.model ?? '').idFields;
  const name = isNamed && !field.isList && id === 'name' ? findFullName(pairs) : undefined;
  return name === undefined ? undefined : { name };
}

const isNumber = ({ type }: TemplateField) => type === 'decimal' || type === 'int' || type === 'float';

/** Of `1 March 2025 to 31 March 2025`, the second date is for a field named like an end, the first for others. */
function pickRangeDate(name: string, value: string, dates: DateReader): string {
  const isDate = (text: string) => findDate(dates.read(text)) !== undefined;
  if (value.length > mostOfValue || isDate(value)) return value;
  const parts = value.split(/\s+(?:to|until|through|bis|au|-|\u2013|\u2014)\s+/i);
  if (parts.length !== 2 || !parts.every(isDate)) return value;
  return parts[/(?:^|_)(?:end|to|until)(?:_|$)/.test(name) ? 1 : 0] ?? value;
}

/** The number in a value with a single number and words after it, such as `£950 per month` or `30 years`. */
function getAmount(value: string): string {
  if (value.length > mostOfValue || findDecimal(value) !== undefined) return value;
  const numberText = /^(\P{N}{0,4}\p{N}[\p{N}.,' \u00a0]*?)\s*\p{L}[^\p{N}]*$/u.exec(value.trim())?.[1];
  return numberText !== undefined && findDecimal(numberText) !== undefined ? numberText : value;
}

function readModel(
  template: GraphTemplate,
  field: TemplateField,
  page: KnownPage,
): Attributes | Attributes[] | undefined {
  const target = getClass(template, field.model ?? '');
  if (field.isList) {
    const root = getClass(template, template.root);
    const totals = new Set(root.fields.flatMap((field) => [...getLabels(root, field)]));
    const { dates, latest } = page;
    const rows = page.tables.flatMap((table) => readRows(target, table, { totals, dates, latest }));
    if (rows.length > 0) return rows;
    // A document may also name people and parties only once, beside a label.
    const named = target.isDocumentScoped ? undefined : readSection(template, target, field, page);
    return named && [named];
  }
  return readSection(template, target, field, page);
}

// `Seller: Acme`, `Seller name: Acme`, or `Name: Acme` under the heading Seller.
function readSection(
  template: GraphTemplate,
  target: TemplateClass,
  field: TemplateField,
  page: KnownPage,
): Attributes | undefined {
  const fieldNames = [field.name, ...(field.labels ?? [])];
  const names = [...fieldNames, ...(field.isList ? fieldNames.map(toSingular) : [])]
    .map(getLabel)
    // `Chairperson` is a label of its own, not `Chair` followed by something.
    .sort((value, other) => other.length - value.length);
  const { dates } = page;
  const near = page.pairs.flatMap((pair) => {
    if (names.includes(pair.section)) return [pair];
    const labelName = names.find((name) => pair.label.startsWith(name));
    return labelName === undefined ? [] : [{ ...pair, label: pair.label.slice(labelName.length) }];
  });
  if (near.length === 0) return undefined;
  const answer: Attributes = {};
  for (const inner of target.fields) {
    if (!inner.model) {
      const value =
        findLabelled(target, inner, { pairs: near, dates }) ??
        (target.idFields[0] === inner.name ? removeNamed(near) : undefined);
      if (value !== undefined) answer[inner.name] = value;
      continue;
    }
    const component = getClass(template, inner.model);
    if (component.isEntity || inner.isList) continue;
    const parts = component.fields.flatMap((part) => {
      const value = part.model ? undefined : findLabelled(component, part, { pairs: near, dates });
      return value === undefined ? [] : [[part.name, value] as const];
    });
    if (parts.length > 0) answer[inner.name] = Object.fromEntries(parts);
  }
  return Object.values(answer).some((value) => isRecord(value) || !isEmpty(value)) ? answer : undefined;
}

const removeNamed = (pairs: readonly Pair[]) => pairs.find(({ label }) => label === '')?.value;
