import { type Attributes, isEmpty, isRecord } from '../core/value';
import type { GraphTemplate, TemplateClass, TemplateField } from '../template/model';
import { getClass } from '../template/template';
import { createDateReader, type DateReader } from './document-dates';
import { findFullName, normalizeLabel, collectLabels, maxValueLength, omitItem, omitNote } from './field-labels';
import { findDate, findDecimal, fitAnswer, type Fitted } from './fit-answer';
import { findLoosePairs, findPhrasePairs, splitKnownLabels } from './loose-pairs';
import { findRecords, readRecords } from './records';
import { readRows } from './table-rows';
import { toSingular } from './template-names';
import { findTypedPairs, isIdentifier } from './typed-pairs';

/**
 * Extracts from Markdown without a model: lines of the form `Label: value`, two-column tables, and tables whose headers match the
 * fields of a listed class; and values below or beside a label that the template knows. A label matches a field by name, by
 * description, by one of its other labels, or by one of these after the class name. Finds only labelled values, titles and addresses.
 */
export function extractWithRules(template: GraphTemplate, markdown: string): Fitted {
  const { page, records } = readKnownPage(template, markdown);
  const root = getClass(template, template.root);
  const answer: Attributes = { ...records };
  for (const field of root.fields.filter(({ model }) => !model)) {
    const labelled =
      findLabelled(root, field, page) ??
      findNameInParts(root, field, page) ??
      findUnlabelled(root, field, page, markdown);
    if (labelled !== undefined) answer[field.name] = labelled;
  }
  const latest = findLatest(root, answer);
  for (const field of root.fields.filter(({ model, name }) => model && answer[name] === undefined)) {
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

/**
 * The page with its pairs: first those written as pairs, then those that only a template can recognize. The entries of lists
 * that are written as blocks of pairs are apart: what they say is not about the whole document.
 */
function readKnownPage(template: GraphTemplate, markdown: string): { page: KnownPage; records: Attributes } {
  const classes = [...template.classes.values()];
  const knownLabels = new Set(
    classes.flatMap((owner) => owner.fields.flatMap((field) => [...collectLabels(owner, field)])),
  );
  const isKnown = (title: string) => knownLabels.has(normalizeLabel(title));
  const page = readPage(markdown, isKnown);
  const dates = createDateReader(markdown);
  const { answer, used } = readLists(template, page.pairs, dates);
  const inRecords = new Set([...used].map(({ label, value }) => `${label} ${value}`));
  const nearby = [
    ...findLoosePairs(markdown, page.tables),
    ...findTypedPairs(markdown, page.tables, isKnown),
    ...findPhrasePairs(markdown, isKnown),
  ];
  const loose = nearby.flatMap(({ title, value }): Pair[] => {
    const label = normalizeLabel(title);
    return knownLabels.has(label) && !inRecords.has(`${label} ${value}`)
      ? [{ label, title, value: normalizeText(value), section: '', sectionTitle: '' }]
      : [];
  });
  const pairs = page.pairs.filter((pair) => !used.has(pair));
  return { page: { ...page, pairs: [...pairs, ...loose], dates }, records: answer };
}

/** The lists of the root whose entries are blocks of pairs, and the pairs of these. */
function readLists(
  template: GraphTemplate,
  pairs: readonly Pair[],
  dates: DateReader,
): { answer: Attributes; used: ReadonlySet<Pair> } {
  const answer: Attributes = {};
  const used = new Set<Pair>();
  const records = findRecords(pairs);
  for (const { name, model, isList } of getClass(template, template.root).fields) {
    if (!model || !isList || records.length === 0) continue;
    const target = getClass(template, model);
    const entries = readRecords(target, records, (field, record) =>
      findLabelled(target, field, { pairs: record, dates }),
    );
    if (entries.rows.length === 0) continue;
    answer[name] = entries.rows;
    for (const pair of entries.used) used.add(pair);
  }
  return { answer, used };
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
  if (type === 'date') {
    const dates = root.fields.filter((field) => field.type === 'date');
    return dates.length === 1 ? findOnlyDate(markdown.slice(0, beginningLength)) : undefined;
  }
  if (name === 'title') return title === '' ? undefined : title;
  if (name === 'full_name') return isPersonName(title) ? title : undefined;
  if (name !== 'email') return undefined;
  const addresses = new Set(
    markdown
      .slice(0, maxScannedForMail)
      .match(/(?<![\p{L}\p{N}._+-])[\p{L}\p{N}._+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu),
  );
  return addresses.size === 1 ? [...addresses][0] : undefined;
}

const maxScannedForMail = 20_000;

/** `Minutes for October 5, 2011` at the beginning dates the document. */
const beginningLength = 200;

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
  /** The number of its block of lines; absent in tables. */
  block?: number;
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
  let heading: [string, string] = ['', ''];
  let [section, sectionTitle] = heading;
  let block: number | undefined = 0;
  let blocks = 0;
  const note = (label: string, value: string) => {
    const title = [label, omitNote(label), omitItem(label), omitItem(omitNote(label))].find(isKnown) ?? label;
    page.pairs.push({ label: normalizeLabel(title), title: omitColon(title), value, section, sectionTitle, block });
  };
  let table: string[][] | undefined;
  for (const line of joinWrapped(markdown.split(/\r?\n/))) {
    const cells = /^\s*\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split(/(?<!\\)\|/)
      .map((cell) => normalizeText(omitBold(cell)));
    const isLoneLabel = !cells && line.length <= maxLoneLabelLength && endsLabel(line);
    if (line.trim() === '' || line.startsWith('#') || isLoneLabel) {
      blocks++;
      [section, sectionTitle] = isLoneLabel ? [normalizeLabel(line), omitColon(normalizeText(line))] : heading;
    }
    block = cells ? undefined : blocks;
    if (!cells) table = undefined;
    else if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
    else if (table) table.push(cells);
    else {
      page.tables.push((table = [cells]));
      page.tableTitles.push(sectionTitle);
    }
    if (cells?.length === 2 && !cells.every(endsLabel)) note(cells[0] ?? '', cells[1] ?? '');
    else for (const [title, value] of listCellPairs(cells ?? [])) note(title, value);
    const newHeading = /^#+\s+(.*)$/.exec(line)?.[1];
    if (newHeading) {
      heading = [normalizeLabel(newHeading), normalizeText(newHeading)];
      [section, sectionTitle] = heading;
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

/** A line such as `Physician:` is a heading for the lines below it, up to the next blank line. */
const maxLoneLabelLength = 55;

/** A line of this length may have been broken at the edge of the page. */
const minWrappedLength = 60;

/** The lines, with a long `Label: value` and the lines of its block below that have no label as one line. */
function joinWrapped(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const [at, line] of lines.entries()) {
    const isText =
      line.trim() !== '' && !/^\s*(?:[-*+#|>`<!]|\d+[.)]\s)/.test(line) && !/^[^:]{1,50}:(?:\s|$)/.test(line);
    const isLong = (lines[at - 1]?.length ?? 0) >= minWrappedLength;
    if (isOpen && isLong && isText) joined.push(`${joined.pop() ?? ''} ${line.trim()}`);
    else {
      joined.push(line);
      isOpen = /^[^:|]{1,50}:\s+\S/.test(line);
    }
  }
  return joined;
}

/** `Label:` next to its value, and `Label: value` in one cell, as in forms laid out as tables. */
function listCellPairs(cells: readonly string[]): [string, string][] {
  return cells.flatMap((cell, index): [string, string][] => {
    const value = cells[index + 1] ?? '';
    if (endsLabel(cell)) return value !== '' && !endsLabel(value) ? [[cell, value]] : [];
    const [, title = '', inlineValue = ''] = /^([^:|\d]{1,50}):\s+(\S.*)$/.exec(cell) ?? [];
    // Marks of a heading or an item at the beginning of a cell are not part of the label.
    return inlineValue === '' ? [] : [[title.replace(/^(?:#{2,}\s+)?(?:[-*]\s+)?/, ''), inlineValue]];
  });
}

/**
 * True for a cell that ends with a colon. Not one regular expression: with `\s*` or `.*` before its end, it would read a long text again
 * from each of its characters.
 */
export const endsLabel = (cell: string): boolean => cell.trimEnd().endsWith(':') && /\p{L}/u.test(cell);

const omitColon = (title: string) => (title.endsWith(':') ? title.slice(0, -1).trimEnd() : title);

/** Without the marks of bold text; escaped asterisks, powers such as `2**3**4`, and names such as `a__b__c` stay. */
const omitBold = (text: string) =>
  text
    .replace(/(?<![\\*\p{N}])\*{2,3}([^*\s](?:[^*]*[^*\s\\])?)\*{2,3}(?!\*)/gu, '$1')
    .replace(/(?<![\\_\p{L}\p{N}])__([^_\s](?:[^_]*[^_\s\\])?)__(?![_\p{L}\p{N}])/gu, '$1');

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
  const read = (value: string) => {
    if (field.type === 'date') return dates.read(pickRangeDate(field.name, value, dates));
    return isNumber(field) ? extractAmount(value) : value;
  };
  // A head beside another head is neither a date nor a number.
  const fits = ({ value }: Pair) => {
    if (field.type === 'date') return findDate(read(value)) !== undefined;
    return !isNumber(field) || findDecimal(read(value)) !== undefined;
  };
  // The first label that occurs: its own name comes before a general one such as `date`.
  const matchingPairs = [...collectLabels(templateClass, field)].flatMap((label) =>
    pairs.filter((pair) => pair.label === label),
  );
  const value = (matchingPairs.find(fits) ?? matchingPairs[0])?.value;
  if (value === undefined || value === '') return undefined;
  if (value.includes('\n')) return read(value.replaceAll('\n', ', '));
  return field.isList ? value.split(/[,;]/).map((item) => item.trim()) : read(value);
}

/** A name whose parts have a label each, for a field that is labelled as a name. */
function findNameInParts(owner: TemplateClass, field: TemplateField, { pairs }: SamplePage): string | undefined {
  const labels = collectLabels(owner, field);
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
  if (value.length > maxValueLength || isDate(value)) return value;
  const parts = value.split(/\s+(?:to|until|through|bis|au|-|\u2013|\u2014)\s+/i);
  if (parts.length !== 2 || !parts.every(isDate)) return value;
  return parts[/(?:^|_)(?:end|to|until)(?:_|$)/.test(name) ? 1 : 0] ?? value;
}

/** The number in a value with a single number and words after it, such as `£950 per month` or `30 years`. */
function extractAmount(value: string): string {
  if (value.length > maxValueLength || findDecimal(value) !== undefined) return value;
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
    const totals = new Set(root.fields.flatMap((field) => [...collectLabels(root, field)]));
    const { dates, latest } = page;
    const rows = page.tables.flatMap((table) => readRows(target, table, { totals, dates, latest }));
    if (rows.length > 0) return rows;
    // A document may also name people and parties only once, beside a label.
    const named = target.isDocumentScoped ? undefined : readSection(template, target, field, page);
    return named && splitIdentifiers(target, named);
  }
  return readSection(template, target, field, page);
}

/** `Invoices: INV-8821, INV-8834` are two. */
function splitIdentifiers(target: TemplateClass, named: Attributes): Attributes[] {
  const [id = ''] = target.idFields;
  const value = named[id];
  const parts = typeof value === 'string' ? value.split(/[,;]\s*/) : [];
  return parts.length > 1 && parts.every(isIdentifier) ? parts.map((part) => ({ ...named, [id]: part })) : [named];
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
    .map(normalizeLabel)
    // `Chairperson` is a separate label, not `Chair` followed by something.
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
        (target.idFields[0] === inner.name ? findOwnValue(near) : undefined);
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

/** The value of the label of the thing itself: of several lines, such as a party with its address, the first. */
const findOwnValue = (pairs: readonly Pair[]) => pairs.find(({ label }) => label === '')?.value.split('\n', 1)[0];
