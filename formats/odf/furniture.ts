import type { GroupItem, Provenance } from '../../document/model';
import { findChild, listDescendants, listElements, joinText, type XmlElement, type XmlNode } from '../xml/xml';
import { addBlocks } from './blocks';
import { readLine, type OdfContext } from './context';

/** Names for the parts of a master page that every text page repeats. */
const stories: Readonly<Record<string, string>> = {
  'style:header': 'page header',
  'style:header-first': 'page header',
  'style:header-left': 'page header',
  'style:footer': 'page footer',
  'style:footer-first': 'page footer',
  'style:footer-left': 'page footer',
};
/** Fields that change on every page. A header with only such fields has no content. */
const fields: ReadonlySet<string> = new Set([
  'text:page-number',
  'text:page-count',
  'text:sheet-name',
  'text:date',
  'text:time',
]);

/** Adds headers and footers of the pages of a text or spreadsheet once, as furniture. */
export function addPageFurniture(context: OdfContext): void {
  const added = new Set<string>();
  for (const master of listUsedMasters(context)) {
    for (const story of listElements(master)) {
      const name = stories[story.name];
      if (name === undefined || story.attributes['style:display'] === 'false' || !hasContent(story)) continue;
      const key = `${name} ${readLine(story)}`;
      if (added.has(key)) continue;
      added.add(key);
      const parent = context.builder.group('section', { name, layer: 'furniture' });
      // Spreadsheets have three regions side by side.
      const regions = listElements(story).filter((element) => element.name.startsWith('style:region-'));
      for (const region of regions.length > 0 ? regions : [story])
        addBlocks(context, listElements(region), { parent, layer: 'furniture' });
    }
  }
}

function listMasters(context: OdfContext): XmlElement[] {
  return listElements(findChild(context.office.styles, 'office:master-styles'), 'style:master-page');
}

/** Returns the master of the first page, masters named by styles of the content, and their successors. */
function listUsedMasters(context: OdfContext): XmlElement[] {
  const masters = listMasters(context);
  const byName = new Map(masters.map((master) => [master.attributes['style:name'] ?? '', master]));
  const styles = listElements(findChild(context.office.content, 'office:automatic-styles'), 'style:style');
  const named = styles.flatMap(({ attributes }) => byName.get(attributes['style:master-page-name'] ?? '') ?? []);
  const used = new Set<XmlElement>();
  for (const first of [...masters.slice(0, 1), ...named]) {
    let master: XmlElement | undefined = first;
    while (master !== undefined && !used.has(master)) {
      used.add(master);
      master = byName.get(master.attributes['style:next-style-name'] ?? '');
    }
  }
  return masters.filter((master) => used.has(master));
}

/** True for pictures, and for words other than fields such as the page number. */
function hasContent(story: XmlElement): boolean {
  const readWords = (node: XmlNode): string => {
    if (typeof node === 'string') return node;
    return fields.has(node.name) ? '' : node.children.map(readWords).join(' ');
  };
  return /[\p{L}\p{N}]/u.test(readWords(story)) || listDescendants(story, 'draw:image').length > 0;
}

/** Adds the content that a slide shows in addition to its own shapes. */
export type AddSlideFurniture = (slide: XmlElement, parent: GroupItem, prov: (length: number) => Provenance[]) => void;

/** Header and footer of a slide: their name in attributes, their declaration and their label. */
const slideFields = [
  { role: 'header', decl: 'presentation:header-decl', label: 'page_header' },
  { role: 'footer', decl: 'presentation:footer-decl', label: 'page_footer' },
] as const;

/**
 * Adds the header and footer of each slide, and the text of its master once, as furniture. Placeholders of the master are
 * skipped, since their text is a hint for the author. Text typed into the header or footer of the master appears on every slide.
 */
export function createSlideFurniture(context: OdfContext): AddSlideFurniture {
  const { builder, office, styles } = context;
  const masters = new Map(listMasters(context).map((master) => [master.attributes['style:name'], master]));
  const seen = new Set<XmlElement>();
  return ({ attributes }, parent, prov) => {
    const addText = (label: 'page_header' | 'page_footer', text: string) => {
      if (/[\p{L}\p{N}]/u.test(text))
        builder.text(label, text, { parent, layer: 'furniture', prov: prov(text.length) });
    };
    const properties = findChild(
      styles.find('drawing-page', attributes['draw:style-name']),
      'style:drawing-page-properties',
    );
    const visibleFields = slideFields.filter(
      ({ role }) => properties?.attributes[`presentation:display-${role}`] !== 'false',
    );
    for (const { role, decl, label } of visibleFields) {
      const name = attributes[`presentation:use-${role}-name`];
      const element = listElements(office.body, decl).find(
        (declaration) => declaration.attributes['presentation:name'] === name,
      );
      if (name !== undefined && element) addText(label, joinText(element).trim());
    }
    const master = masters.get(attributes['draw:master-page-name']);
    const hidesMaster = properties?.attributes['presentation:background-objects-visible'] === 'false';
    if (master === undefined || hidesMaster || seen.has(master)) return;
    seen.add(master);
    for (const text of listShapeTexts(master)) addText('page_header', text);
    for (const { role, label } of visibleFields) for (const text of listShapeTexts(master, role)) addText(label, text);
  };
}

/** Returns the texts of the shapes with this role; without a role, of those that are not placeholders. */
function listShapeTexts(master: XmlElement, role?: string): string[] {
  return listElements(master).flatMap((shape) => {
    if (!shape.name.startsWith('draw:') || shape.attributes['presentation:class'] !== role) return [];
    if (shape.name === 'draw:g') return listShapeTexts(shape);
    return [listDescendants(shape, 'text:p').map(readLine).join('\n').trim()];
  });
}
