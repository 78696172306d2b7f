import { templateToFile } from '../template/file';
import type { GraphTemplate } from '../template/model';
import { templateFrom, type TemplateFile } from '../template/template';
import { endsLabel, readPage, type SamplePage } from './rules';
import { joinHeads } from './table-rows';
import {
  buildClassName,
  collectPlainNames,
  type PlainNames,
  toFieldName,
  isKindOfDocument,
  isKindTitle,
  isLabel,
  kindOf,
  findTitleKind,
  noKind,
  toPlural,
  toRelationLabel,
  toSingular,
  splitCapitals,
  splitWords,
  trimLabel,
} from './template-names';
import { detectFieldType, detectTextType } from './template-types';

type ClassFile = TemplateFile['classes'][string];
type FieldFile = ClassFile['fields'][string];

/** A document from which a template is drafted. */
export interface TemplateSample {
  /** The file name without its extension. */
  name: string;
  markdown: string;
}

/** Limits of a draft that a person is to review. */
const maxClasses = 20;
const maxFields = 60;

/**
 * Drafts a template from samples of one kind of document. Fields of fewer than half of the samples are dropped. The root is named
 * by the titles of the samples if the product knows that kind, else by the common words of their names. Uses no model.
 */
export function templateFromSamples(samples: readonly TemplateSample[], root?: string): GraphTemplate {
  const rootName = root ?? detectKind(samples);
  const plainNames = collectPlainNames(samples.flatMap(({ markdown }) => listLabels(readPage(markdown))));
  const drafts = samples.map(({ markdown }) => templateToFile(templateFromSample(markdown, rootName, plainNames)));
  const [first] = drafts;
  if (!first || drafts.length === 1) return templateFrom(first ?? { root: rootName, classes: {} });
  return templateFrom({ root: first.root, classes: mergeClasses(drafts) });
}

const listLabels = ({ pairs, tables }: SamplePage) => [
  ...pairs.map(({ title }) => title),
  ...tables.flatMap(([head = []]) => head),
];

function detectKind(samples: readonly TemplateSample[]): string {
  const pages = samples.map(({ markdown }) => readPage(markdown));
  const findAgreed = (find: (page: SamplePage) => string | undefined) => {
    const [first, ...others] = pages.map(find);
    return others.every((other) => other === first) ? first : undefined;
  };
  const named =
    findAgreed(({ title }) => findTitleKind(title)) ?? findAgreed((page) => (isMessage(page) ? 'Message' : undefined));
  if (named !== undefined) return named;
  const kind = kindOf(samples.map(({ name }) => name));
  if (kind !== noKind) return kind;
  return findAgreed(({ title }) => (isKindOfDocument(title) ? trimLabel(title) : undefined)) ?? noKind;
}

const isMessage = ({ pairs }: SamplePage) => {
  const first = new Set(pairs.slice(0, 5).map(({ label }) => label));
  return first.has('from') && (first.has('to') || first.has('date') || first.has('subject'));
};

/** The classes and fields that at least half of the drafts have. Where their types differ, a field is text. */
function mergeClasses(drafts: readonly TemplateFile[]): Record<string, ClassFile> {
  const filesByClass = new Map<string, ClassFile[]>();
  for (const { classes } of drafts)
    for (const [name, classFile] of Object.entries(classes))
      filesByClass.set(name, [...(filesByClass.get(name) ?? []), classFile]);
  const keptClasses = new Map([...filesByClass].filter(([, drafted]) => drafted.length * 2 >= drafts.length));
  return Object.fromEntries(
    [...keptClasses].map(([name, drafted]) => {
      const fields = mergeFields(drafted, new Set(keptClasses.keys()));
      const ids = drafted.map((item) => item.graph_id_fields?.[0]).filter((id) => id !== undefined && id in fields);
      const [id] = ids.toSorted((item, other) => countValue(ids, other) - countValue(ids, item));
      return [name, { ...(id === undefined ? {} : { graph_id_fields: [id] }), fields }];
    }),
  );
}

const countValue = <T>(all: readonly T[], value: T) => all.filter((item) => item === value).length;

function mergeFields(drafted: readonly ClassFile[], keptNames: ReadonlySet<string>): Record<string, FieldFile> {
  const fields = new Map<string, FieldFile[]>();
  for (const item of drafted)
    for (const [field, body] of Object.entries(item.fields)) fields.set(field, [...(fields.get(field) ?? []), body]);
  const common = [...fields].flatMap(([field, bodies]): [string, FieldFile][] => {
    const [first] = bodies;
    const target = first?.model ?? undefined;
    if (!first || bodies.length * 2 < drafted.length || (target !== undefined && !keptNames.has(target))) return [];
    const types = new Set(bodies.map(({ type }) => type));
    if (types.size === 1 || target !== undefined) return [[field, first]];
    const isNumber = types.size === 2 && types.has('int') && types.has('decimal');
    return [[field, { ...first, type: isNumber ? 'decimal' : 'str' }]];
  });
  return Object.fromEntries(common);
}

/** A class while it is drafted: the values of its fields decide what identifies it. */
interface Draft {
  fields: Record<string, FieldFile>;
  values: Map<string, readonly string[]>;
  /** Of all samples, so that a label has the same name in each. */
  plainNames: PlainNames;
}

/**
 * Drafts a template from a sample document, for a person to review: labelled values become fields, tables with headers become
 * listed classes, and sections with labelled values become classes if their title can name one. Uses no model.
 */
export function templateFromSample(markdown: string, root = noKind, plainNames?: PlainNames): GraphTemplate {
  const read = readPage(markdown);
  const createDraft = (): Draft => ({
    fields: {},
    values: new Map(),
    plainNames: plainNames ?? collectPlainNames(listLabels(read)),
  });
  const page = { ...read, tables: read.tables.map(joinHeadLines) };
  const rootName = buildClassName(root);
  const own = createDraft();
  const classes: Record<string, ClassFile> = {};
  const listed = page.tables.flatMap((rows, index) =>
    isListing(rows) ? [{ rows, title: page.tableTitles[index] }] : [],
  );
  const dataRows = new Set(
    page.tables
      .filter((rows) => isListing(rows) || isSeries(rows))
      .flat()
      .map((row) => JSON.stringify(row)),
  );
  const pairs = page.pairs.filter(
    ({ label, title, value }) => label !== '' && !dataRows.has(JSON.stringify([title, value])),
  );
  const sections = listSections({ ...page, pairs });
  const inSections = new Set(sections.flatMap((section) => section.pairs));
  for (const pair of pairs) if (!inSections.has(pair)) addField(own, pair.title, [pair.value]);
  const add = (name: string, draft: Draft, isList: boolean) =>
    addClass({ classes, own, rootName }, { name, draft, isList });
  for (const section of sections) {
    const inner = createDraft();
    for (const { title, value } of section.pairs) addField(inner, title, [value]);
    add(trimLabel(section.title), inner, false);
  }
  for (const { rows, title = '' } of listed) {
    const [head = [], ...body] = rows;
    if (isSummary(rows)) {
      head.forEach((label, index) => addField(own, label, [body[0]?.[index] ?? '']));
      continue;
    }
    const inner = createDraft();
    head.forEach((label, index) =>
      addField(
        inner,
        label,
        body.map((cells) => cells[index] ?? ''),
      ),
    );
    add(nameRows(head, title === page.title ? '' : title), inner, true);
  }
  const ids = chooseRootId(rootName, own);
  return templateFrom({ root: rootName, classes: { [rootName]: { ...ids, fields: own.fields }, ...classes } });
}

interface Drafting {
  classes: Record<string, ClassFile>;
  own: Draft;
  rootName: string;
}

function addClass(
  { classes, own, rootName }: Drafting,
  { name: title, draft, isList }: { name: string; draft: Draft; isList: boolean },
): void {
  const name = buildClassName(title);
  const field = toFieldName(isList ? toPlural(title) : title);
  const isTaken = name === rootName || classes[name] !== undefined || own.fields[field] !== undefined;
  if (isTaken || Object.keys(draft.fields).length === 0 || Object.keys(classes).length >= maxClasses) return;
  classes[name] = { ...(isList ? chooseRowId(title, draft) : chooseSectionId(draft)), fields: draft.fields };
  own.fields[field] = { model: name, edge_label: toRelationLabel(title), ...(isList ? { is_list: true } : {}) };
}

function addField({ fields, values, plainNames }: Draft, title: string, cellValues: readonly string[]): void {
  if (!isLabel(title) || Object.keys(fields).length >= maxFields) return;
  const names = [trimLabel(title), title].map((label) => toFieldName(label, plainNames));
  const name = names.find((candidate) => fields[candidate] === undefined);
  const isRepeated = names.some((candidate) => fields[candidate]?.description === title);
  if (name === undefined || name === '' || isRepeated) return;
  fields[name] = { type: detectFieldType(name, cellValues), description: title };
  values.set(name, cellValues);
}

const byNumber = /(?:^|_)(?:id|no|nr|n|number|code|key|sku|article)$/;
const byName = /(?:^|_)(?:name|title)$/;
/** The name of a document's subject, which can identify it. Other names in it, such as that of a spouse, cannot. */
const ownName =
  /^(?:(?:full|last|company|document|project|file|student|patient|employee|applicant|customer)_)?(?:name|title)$/;
const elsewhere = /(?:^|_)(?:tel|telephone|phone|fax|mobile|page|zip|post|postal|account|bank)_/;
const toIdFields = (name: string | undefined) => (name === undefined ? {} : { graph_id_fields: [name] });

/** The number of the document itself identifies it, else another number, else its name. Without any, all its values do. */
function chooseRootId(root: string, { values }: Draft) {
  const numbers = [...values.keys()].filter((name) => byNumber.test(name) && !elsewhere.test(name));
  const kind = new Set(toFieldName(root).split('_'));
  const idName = numbers.find((name) => name.split('_').some((word) => kind.has(word)));
  return toIdFields(idName ?? numbers[0] ?? [...values.keys()].find((name) => ownName.test(name)));
}

function chooseSectionId({ values }: Draft) {
  const names = [...values.keys()];
  return toIdFields(
    names.find((name) => byNumber.test(name) && !elsewhere.test(name)) ?? names.find((name) => byName.test(name)),
  );
}

/** Of rows, only a column whose values differ can identify. The column that named the class, a number or a name come first. */
function chooseRowId(title: string, { values }: Draft) {
  const distinct = [...values].flatMap(([name, columnValues]) => {
    const filled = columnValues.filter((value) => value.trim() !== '');
    return filled.length === columnValues.length && new Set(filled).size === filled.length ? [name] : [];
  });
  const fieldTitle = toFieldName(title);
  const prefers = [(name: string) => byNumber.test(name) || name === fieldTitle, (name: string) => byName.test(name)];
  return toIdFields(prefers.map((matches) => distinct.find(matches)).find((name) => name !== undefined));
}

interface Section {
  title: string;
  pairs: SamplePage['pairs'];
}

/** The sections after the first heading with at least two labelled values, whose title can name a class. */
function listSections(page: SamplePage): Section[] {
  const sections = new Map<string, Section>();
  for (const pair of page.pairs) {
    if (pair.section === '' || pair.section === page.firstHeading || !isKindTitle(pair.sectionTitle)) continue;
    if (!isLabel(pair.title)) continue;
    const section = sections.get(pair.section) ?? { title: pair.sectionTitle, pairs: [] };
    sections.set(pair.section, section);
    section.pairs.push(pair);
  }
  return [...sections.values()].filter(({ pairs }) => pairs.length > 1);
}

/** A table with a header. One of two columns only if the header describes the numbers below; else it holds labels and values. */
function isListing([head = [], ...rows]: readonly string[][]): boolean {
  if (head.length < 2 || rows.length === 0) return false;
  // Labels next to their values, laid out as a table.
  if ([head, ...rows].filter((cells) => cells.some(endsLabel)).length * 2 > rows.length + 1) return false;
  // A header names its columns: most of its cells hold a label, each another.
  const titles = head.filter((cell) => isLabel(cell) && detectTextType(cell) === 'str');
  if (titles.length * 2 <= head.length || new Set(titles).size < titles.length) return false;
  if (head.length > 2) return true;
  return detectTextType(head[1] ?? '') === 'str' && rows.every(([, value = '']) => detectTextType(value) !== 'str');
}

/** A table whose column heads are in two lines, with the numbers of its rows below. */
function joinHeadLines(table: string[][]): string[][] {
  const [upper = [], lower = [], ...rows] = table;
  const [both] = rows.length > 0 && upper.length > 2 ? joinHeads(upper, lower) : [];
  const isData = rows.some((row) => row.some((cell) => /\d/.test(cell)));
  return both && isData && lower.every(isLabel) ? [both.row.map((cell) => cell.trim()), ...rows] : table;
}

/** Several heads above one row of numbers and dates: facts of the document, such as its totals. */
function isSummary([, row = [], ...more]: readonly string[][]): boolean {
  return more.length === 0 && row.length > 1 && row.every((cell) => detectTextType(cell) !== 'str');
}

const minSeries = 8;
const maxLabelledRows = 40;

/** Two columns of which the first is data too: a long table, or one with a number in nearly every row. */
function isSeries(rows: readonly string[][]): boolean {
  if (rows[0]?.length !== 2 || rows.filter(([label = '']) => endsLabel(label)).length * 2 > rows.length) return false;
  const numbers = rows.filter(([, value = '']) => ['int', 'decimal'].includes(detectTextType(value)));
  return rows.length > maxLabelledRows || (rows.length >= minSeries && numbers.length * 5 >= rows.length * 4);
}

/** Words that describe a value, not the subject of the row. */
const properties =
  /^(?:no|nr|pos|position|line|num|#|id|key|code|name|title|date|day|month|year|time|status|state|type|kind|class|category|group|description|details|value|amount|total|sum|quantity|qty|unit|price|comment|notes?|remarks?|text|number|index|rank|checked|label|row|column|field|from|to|x|y)$/i;
const numbering = /[\s_-]*(?:\b|_)(?:no|nr|num|number|id|code|key|name|title)\.?$/i;

/**
 * The class of a table's rows: named by a heading in the plural, else by the first column that is more than a property,
 * else by a column with the number or name of something.
 */
function nameRows(head: readonly string[], heading: string): string {
  const title = trimLabel(heading);
  const last = splitWords(title).at(-1) ?? '';
  if (isKindTitle(title) && splitWords(title).length < 4 && toSingular(last) !== last) return toSingularTitle(title);
  const labels = head.map((cell) => splitCapitals(trimLabel(cell)));
  const names = labels.filter((label) => isKindTitle(label) && splitWords(label).length < 4);
  const things = names.map((label) => label.replace(numbering, '').trim());
  const kindLabel = things.find((label) => /\p{L}{3}/u.test(label) && !properties.test(splitWords(label).at(-1) ?? ''));
  return kindLabel === undefined ? 'Entry' : toSingularTitle(kindLabel);
}

const toSingularTitle = (title: string) => title.replace(/\p{L}+$/u, (word) => toSingular(word));
