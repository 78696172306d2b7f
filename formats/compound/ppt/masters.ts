import type { DocumentBuilder } from '../../../document/builder';
import type { GroupItem } from '../../../document/model';
import { type ArtRecord, findChild, readChildren } from '../art-records';
import type { Presentation } from './records';
import { listShapes } from './shapes';

/** Slide, list of masters, and the entry of a master in it (MS-PPT 2.5.1, 2.4.14.1, 2.4.14.2). */
const records = { slideAtom: 0x3ef, list: 0xff0, ofMasters: 1, entry: 0x3f3 } as const;
/** Offsets in the slide atom; the first flag means that the slide shows the text of its master. */
const slideAtom = { master: 12, flags: 20, length: 22, showsMaster: 1 } as const;

/** Adds the text of a slide's master. */
export type AddMasterTexts = (
  slide: ArtRecord,
  page: { builder: DocumentBuilder; group: GroupItem; pageNo: number },
) => void;

/**
 * Adds the text of a master, which appears on every slide that uses it, as furniture of the first such slide. Placeholders are
 * skipped, since their text is a hint for the author.
 */
export function createMasterTexts({ document, persisted }: Presentation, maxDepth: number): AddMasterTexts {
  const masters = new Map<number, number>();
  const list = findChild(document, records.list, records.ofMasters);
  for (const { type, data } of list === undefined ? [] : readChildren(list))
    if (type === records.entry && data.length >= 16) masters.set(data.readUInt32LE(12), data.readUInt32LE(0));
  const seen = new Set<number>();
  return (slide, { builder, group, pageNo }) => {
    const atom = findChild(slide, records.slideAtom)?.data;
    if (atom === undefined || atom.length < slideAtom.length) return;
    const id = atom.readUInt32LE(slideAtom.master);
    if (seen.has(id) || (atom.readUInt16LE(slideAtom.flags) & slideAtom.showsMaster) === 0) return;
    seen.add(id);
    const master = persisted(masters.get(id) ?? -1);
    if (master === undefined) return;
    for (const { text, isPlaceholder } of listShapes(master, [], maxDepth)) {
      if (isPlaceholder || text === undefined) continue;
      const lines = text.paragraphs
        .map((paragraph) => paragraph.text)
        .join('\n')
        .trim();
      const bbox = { l: 0, t: 0, r: 0, b: 0, coord_origin: 'TOPLEFT' as const };
      const prov = [{ page_no: pageNo, bbox, charspan: [0, lines.length] as [number, number] }];
      if (/[\p{L}\p{N}]/u.test(lines)) builder.text('page_header', lines, { parent: group, layer: 'furniture', prov });
    }
  };
}
