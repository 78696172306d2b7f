import { toggle } from '../ooxml';
import { child, descendants, elements, textOf, type XmlElement } from '../xml';
import { addBlocks, createStory, type DocumentContext, endStory } from './blocks';
import { createRunReader } from './runs';

const stories = [
  { reference: 'w:headerReference', name: 'page header' },
  { reference: 'w:footerReference', name: 'page footer' },
] as const;

/** Adds each header and footer once: of the first page where a section has one of its own, else the usual one. */
export function addHeadersAndFooters(context: DocumentContext, body: XmlElement): void {
  const used = new Set<string>();
  const relations = context.office.relationships(context.office.mainPart);
  for (const section of sectionsOf(body)) {
    const wanted = toggle(section, 'w:titlePg') === true ? 'first' : 'default';
    for (const { reference, name } of stories) {
      const found = elements(section, reference).find(
        ({ attributes }) => (attributes['w:type'] ?? 'default') === wanted,
      );
      const part = relations.get(found?.attributes['r:id'] ?? '')?.target;
      if (part === undefined || used.has(part)) continue;
      used.add(part);
      addStory(context, part, name);
    }
  }
}

/** The properties of a section stand in its last paragraph, those of the last section at the end of the body. */
function sectionsOf(body: XmlElement): XmlElement[] {
  const inner = elements(body, 'w:p').flatMap((paragraph) => child(child(paragraph, 'w:pPr'), 'w:sectPr') ?? []);
  return [...inner, ...elements(body, 'w:sectPr')];
}

function addStory(context: DocumentContext, part: string, name: string): void {
  const root = context.office.xml(part);
  if (root === undefined) return;
  const hasText = descendants(root, 'w:t').some((text) => textOf(text).trim() !== '');
  if (!hasText && descendants(root, 'w:drawing').length + descendants(root, 'w:pict').length === 0) return;
  const layer = 'furniture';
  const group = context.builder.group('section', { name, layer });
  const runs = createRunReader(context.styles, context.office.relationships(part));
  const story = createStory(context, { part, runs, layer, root: () => group });
  addBlocks(story, root);
  endStory(story);
}
