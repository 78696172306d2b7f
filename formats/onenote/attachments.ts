import { getBaseName, type ReadLimits } from '../format';
import { openSection } from './open-section';
import { findPages, findRoot, role } from './pages';
import { getNames, getText, kind, property } from './properties';
import type { NoteObject, Section, Space } from './section';

/** The most objects, file nodes and data elements of a section together. */
const maxParts = 2_000_000;

/** Opens a section with the limits of readers. */
export function openNotes(bytes: Uint8Array, { maxExpandedBytes }: Pick<ReadLimits, 'maxExpandedBytes'>): Section {
  return openSection(bytes, { maxParts, maxBytes: maxExpandedBytes });
}

/** Returns the files attached to the pages, in the order of the pages. */
export function readOneNoteAttachments(
  bytes: Uint8Array,
  { limits }: { limits: Pick<ReadLimits, 'maxExpandedBytes' | 'maxDepth'> },
): { name: string; bytes: Uint8Array }[] {
  return findPages(openNotes(bytes, limits)).flatMap((page) =>
    page ? listFilesOfPage(page, limits.maxDepth).flatMap((object) => getFile(page, object) ?? []) : [],
  );
}

function listFilesOfPage(page: Space, maxDepth: number): NoteObject[] {
  const files: NoteObject[] = [];
  const seen = new Set<NoteObject>();
  const visit = (object: NoteObject | undefined, depth: number): void => {
    if (object === undefined || seen.has(object) || depth > maxDepth) return;
    seen.add(object);
    if (object.kind === kind.file) files.push(object);
    for (const name of [...getNames(object, property.content), ...getNames(object, property.children)])
      visit(page.object(name), depth + 1);
  };
  visit(findRoot(page, role.content), 0);
  return files;
}

function getFile(page: Space, object: NoteObject): { name: string; bytes: Uint8Array } | undefined {
  const [container] = getNames(object, property.file);
  const bytes = container === undefined ? undefined : page.file(container);
  const name = getBaseName(getText(object, property.fileName) ?? '');
  return bytes && { name: name === '' ? 'file' : name, bytes };
}
