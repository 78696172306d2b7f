import { findChild, listDescendants, listElements, joinText, type XmlElement } from '../../xml/xml';
import { readToggle } from '../package';
import { addBlocks } from './blocks';
import { createRunReader } from './runs';
import { createStory, type DocumentContext, endStory } from './story';

const stories = [
  { reference: 'w:headerReference', name: 'page header' },
  { reference: 'w:footerReference', name: 'page footer' },
] as const;

/** Adds each header and footer once, including those of the first page and of even pages if a section has them. */
export function addHeadersAndFooters(context: DocumentContext, body: XmlElement): void {
  const used = new Set<string>();
  const relations = context.office.relationships(context.office.mainPart);
  const settings = context.office.related(context.office.mainPart, 'settings');
  const hasEven = settings !== undefined && readToggle(context.office.xml(settings), 'w:evenAndOddHeaders') === true;
  // A section without a header of a kind continues the one of the previous section.
  const current = new Map<string, string | undefined>();
  for (const section of listSections(body)) {
    const kinds = [
      ...(readToggle(section, 'w:titlePg') === true ? ['first'] : []),
      'default',
      ...(hasEven ? ['even'] : []),
    ];
    for (const { reference, name } of stories) {
      for (const { attributes } of listElements(section, reference)) {
        current.set(`${name} ${attributes['w:type'] ?? 'default'}`, relations.get(attributes['r:id'] ?? '')?.target);
      }
      for (const kind of kinds) {
        const part = current.get(`${name} ${kind}`);
        if (part === undefined || used.has(part)) continue;
        used.add(part);
        addStory(context, part, name);
      }
    }
  }
}

/**
 * Returns the section properties. Those of a section are in its last paragraph, those of the last section at the end of the
 * body.
 */
function listSections(body: XmlElement): XmlElement[] {
  const inner = listElements(body, 'w:p').flatMap(
    (paragraph) => findChild(findChild(paragraph, 'w:pPr'), 'w:sectPr') ?? [],
  );
  return [...inner, ...listElements(body, 'w:sectPr')];
}

function addStory(context: DocumentContext, part: string, name: string): void {
  const root = context.office.xml(part);
  if (root === undefined || !hasContent(root)) return;
  const layer = 'furniture';
  const group = context.builder.group('section', { name, layer });
  const runs = createRunReader(context.styles, context.office.relationships(part));
  const story = createStory(context, { part, runs, layer, root: () => group });
  addBlocks(story, root);
  endStory(story);
}

/** False for a header that contains only a page number in a field or content control, or only a text watermark. */
function hasContent(root: XmlElement): boolean {
  const isControl = ({ name }: XmlElement) => name === 'w:sdt' || name === 'w:fldSimple';
  const has = (texts: XmlElement[], sign: RegExp) => texts.some((text) => sign.test(joinText(text)));
  return (
    has(listDescendants(root, 'w:t', isControl), /\S/) ||
    has(listDescendants(root, 'w:t'), /[^\s\d]/) ||
    listDescendants(root, 'w:drawing').length + listDescendants(root, 'v:imagedata').length > 0
  );
}
