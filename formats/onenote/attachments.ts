import { getBaseName, type ReadLimits } from '../format';
import { openSection } from './open-section';
import { findPages, findRoot, role } from './pages';
import { listNames, findText, kind, property } from './properties';
import type { NoteObject, Section, Space } from './section';

/** Maximum number of objects, file nodes and data elements of a section together. */
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
    page ? listFilesOfPage(page, limits.maxDepth).flatMap((object) => findFile(page, object) ?? []) : [],
  );
}

function listFilesOfPage(page: Space, maxDepth: number): NoteObject[] {
  const files: NoteObject[] = [];
  const seen = new Set<NoteObject>();
  const visit = (object: NoteObject | undefined, depth: number): void => {
    if (object === undefined || seen.has(object) || depth > maxDepth) return;
    seen.add(object);
    if (object.kind === kind.file) files.push(object);
    for (const name of [...listNames(object, property.content), ...listNames(object, property.children)])
      visit(page.object(name), depth + 1);
  };
  visit(findRoot(page, role.content), 0);
  return files;
}

function findFile(page: Space, object: NoteObject): { name: string; bytes: Uint8Array } | undefined {
  const [container] = listNames(object, property.file);
  const bytes = container === undefined ? undefined : page.file(container);
  const name = getBaseName(findText(object, property.fileName) ?? '');
  return bytes && { name: name === '' ? 'file' : name, bytes };
}
