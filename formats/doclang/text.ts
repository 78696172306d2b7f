import type { DocumentBuilder, Placement } from '../../document/builder';
import type { GroupItem, ImageRef, NodeItem, Provenance, TextItem } from '../../document/model';
import { toCodeLanguage } from '../code/code-language';
import { listElements, type XmlElement } from '../xml/xml';
import { type Run, readRuns } from './inline';

/** Locations are in units of 1/512 of the page width and height; the format does not contain page sizes. */
export const resolution = 512;

/** The state of the reader. */
export interface Reading {
  builder: DocumentBuilder;
  page: number;
  /** Size of a page; in points if known. */
  size: { width: number; height: number };
  /** Returns the picture at a URI; undefined if it is not available. */
  imageAt: (uri: string) => ImageRef | undefined;
}

/** Text elements and the labels of their items. */
export const textLabels: Readonly<Record<string, TextItem['label']>> = {
  text: 'text',
  footnote: 'footnote',
  caption: 'caption',
  formula: 'formula',
  page_header: 'page_header',
  page_footer: 'page_footer',
  key: 'field_key',
  value: 'field_value',
  hint: 'field_hint',
  marker: 'marker',
};

/** Adds a paragraph: one item, or an inline group with its runs. Returns undefined if it is empty. */
export function addText(reading: Reading, element: XmlElement, parent: NodeItem): TextItem | GroupItem | undefined {
  const runs = readRuns(element.children);
  const [first] = runs;
  if (!first) return undefined;
  const isPlain = runs.length === 1 && first.kind !== 'code';
  const needsNoItem = !isPlain && element.name === 'text' && !listElements(element, 'checkbox')[0];
  if (needsNoItem) return addRuns(reading, runs, parent, readProvenance(reading, element, ''));
  const text = isPlain ? first.text : '';
  const styles = isPlain && first.kind === 'text' ? { formatting: first.formatting, hyperlink: first.hyperlink } : {};
  const item = addTextItem(reading.builder, element, text, {
    parent,
    ...styles,
    ...readProvenance(reading, element, text),
  });
  if (!isPlain) addRuns(reading, runs, item, readProvenance(reading, element, ''));
  return item;
}

function addTextItem(
  builder: DocumentBuilder,
  element: XmlElement,
  text: string,
  options: Parameters<DocumentBuilder['text']>[2],
): TextItem {
  if (element.name === 'heading') {
    const level = Number(element.attributes['level'] ?? 1);
    return level > 1 ? builder.heading(level - 1, text, options) : builder.text('title', text, options);
  }
  const checkbox = listElements(element, 'checkbox')[0];
  if (checkbox) {
    const isSet = checkbox.attributes['class'] === 'selected';
    return builder.text(isSet ? 'checkbox_selected' : 'checkbox_unselected', text, options);
  }
  const label = (textLabels[element.name] ?? 'text') as 'text';
  const isFurniture = element.name === 'page_header' || element.name === 'page_footer';
  return builder.text(label, text, { ...options, ...(isFurniture ? { layer: 'furniture' as const } : {}) });
}

/** Adds an inline group with one item per run. */
export function addRuns(
  { builder }: Reading,
  runs: readonly Run[],
  parent: NodeItem,
  place: Pick<Placement, 'prov'>,
): GroupItem {
  const group = builder.group('inline', { parent });
  for (const run of runs) {
    if (run.kind === 'code')
      builder.code(run.text, { parent: group, language: toCodeLanguage(run.language), ...place });
    else if (run.kind === 'formula') builder.text('formula', run.text, { parent: group, ...place });
    else
      builder.text('text', run.text, { parent: group, formatting: run.formatting, hyperlink: run.hyperlink, ...place });
  }
  return group;
}

/** Returns the boxes of an element on the current page; every four locations form one. */
export function readProvenance(
  { builder, page, size }: Reading,
  element: XmlElement,
  text: string,
): Pick<Placement, 'prov'> {
  const places = listElements(element, 'location').map(({ attributes }) => Number(attributes['value']));
  const prov: Provenance[] = [];
  for (let first = 0; first + 4 <= places.length; first += 4) {
    const [l = 0, t = 0, r = 0, b = 0] = places.slice(first, first + 4).map((place, index) => {
      const share = Math.min(Math.max(place || 0, 0), resolution) / resolution;
      return Math.round(1_000 * share * (index % 2 === 0 ? size.width : size.height)) / 1_000;
    });
    prov.push({ page_no: page, bbox: { l, t, r, b, coord_origin: 'TOPLEFT' }, charspan: [0, text.length] });
  }
  if (prov.length > 0) builder.page(page, size.width, size.height);
  return prov.length > 0 ? { prov } : {};
}
