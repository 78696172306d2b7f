import { createDocument, type DocumentBuilder } from '../../document/builder';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { readHtml } from '../html/tree';
import { getLocalName } from '../xml/xml';
import { parseXmlDocument } from '../xml/xml-document';
import { type Fact, readFacts } from './facts';

const prefixes = {
  'http://www.xbrl.org/2003/instance': 'xbrli',
  'http://www.xbrl.org/2003/linkbase': 'link',
  'http://xbrl.org/2006/xbrldi': 'xbrldi',
  'http://www.w3.org/2001/XMLSchema-instance': 'xsi',
};

/** Reads the title from the cover facts, then the notes (facts that contain a page), then all numbers as keys and values. */
export const read: ReadDocument = (bytes, options) => {
  const { name, limits } = options;
  const instance = parseXmlDocument(bytes, options, { prefixes });
  if (getLocalName(instance.name) !== 'xbrl') {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is not an XBRL instance: its root element is <${instance.name}>.`,
    );
  }
  const builder = createDocument(getStem(name));
  const facts = readFacts(instance);
  addTitle(builder, facts);
  for (const fact of facts) if (isPage(fact)) readHtml(fact.text, builder, { name, limits, furniture: 'none' });
  addNumbers(builder, facts);
  return builder.document;
};

function addTitle(builder: DocumentBuilder, facts: readonly Fact[]): void {
  const parts = ['DocumentType', 'EntityRegistrantName', 'DocumentPeriodEndDate'].map(
    (factName) => facts.find(({ name }) => getLocalName(name) === factName)?.text ?? '',
  );
  const title = parts.filter((text) => text !== '').join(' ');
  if (title !== '') builder.text('title', title);
}

/** True for a fact that contains HTML. */
function isPage({ unit, text, name }: Fact): boolean {
  return unit === '' && (name.endsWith('TextBlock') || /<[a-z][^>]*>/i.test(text));
}

interface GraphCell {
  label: 'key' | 'value';
  cell_id: number;
  text: string;
  orig: string;
}

/** Adds the numeric facts as keys and values. The labels are those of the reference, such as `currency` for any unit. */
function addNumbers({ document }: DocumentBuilder, facts: readonly Fact[]): void {
  const cells: GraphCell[] = [];
  const links: { label: 'to_value'; source_cell_id: number; target_cell_id: number }[] = [];
  /** Returns the id of the new cell. */
  const addCell = (label: GraphCell['label'], text: string, orig: string): number =>
    cells.push({ label, cell_id: cells.length, text, orig }) - 1;
  const addValue = (key: number, value: string, orig: string) =>
    links.push({ label: 'to_value', source_cell_id: key, target_cell_id: addCell('value', value, orig) });
  const dimensionsByKey: [key: number, dimension: string][] = [];
  for (const { name, text, period, unit, decimals, dimensions } of facts) {
    if (unit === '') continue;
    const key = addCell('key', getLocalName(name), name);
    addValue(key, `value: ${text}`, 'value');
    addValue(key, period === '' ? '' : `period: ${period}`, 'period');
    addValue(key, `currency: ${unit}`, 'unit');
    addValue(key, decimals === '' ? '' : `decimals: ${decimals}`, 'decimals');
    for (const [axis, member] of dimensions) dimensionsByKey.push([key, `${axis}: ${member}`]);
  }
  // Dimensions come last, so that the other cells have the same numbers as in the reference, which omits dimensions.
  for (const [key, dimension] of dimensionsByKey) addValue(key, dimension, 'dimension');
  if (cells.length === 0) return;
  const self_ref = `#/key_value_items/${document.key_value_items.length}`;
  document.body.children.push({ $ref: self_ref });
  document.key_value_items.push({
    self_ref,
    parent: { $ref: document.body.self_ref },
    children: [],
    content_layer: 'body',
    meta: null,
    label: 'key_value_region',
    prov: [],
    captions: [],
    references: [],
    footnotes: [],
    image: null,
    graph: { cells, links },
  });
}
