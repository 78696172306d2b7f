import { AppError } from '../../model/errors';
import type { ReadOptions } from '../format';
import type { Bookmark } from '../pdf/geometry/page';
import { expandBzz } from './bzz';
import { type Chunk, openForm, readChunks } from './chunks';
import { type Component, readDirectory } from './directory';
import { readOutline } from './outline';

/** An opened DjVu document. */
export interface DjvuDocument {
  readonly pageCount: number;
  readonly bookmarks: readonly Bookmark[];
  /** The chunks of a page; `pageNo` starts at 1. Throws DOCUMENT_CORRUPT if the page is missing. */
  page(pageNo: number): Chunk[];
  /** The bytes of a chunk, expanded if the last letter of its name is `z`. Throws DOCUMENT_CORRUPT or DOCUMENT_TOO_LARGE. */
  expand(chunk: Chunk): Buffer;
  /** True once all chunks together expanded to more bytes than the limit. */
  isTooLarge(): boolean;
}

/** A page has some tens of chunks; one with links to thousands of others is damaged. */
const maxChunksOfPage = 2000;
const pageForm = 'FORM:DJVU';

/**
 * Opens a document of one or more pages. The pages may be in files next to it. Throws DOCUMENT_CORRUPT, DOCUMENT_TOO_LARGE, or
 * FORMAT_UNSUPPORTED for files without pages.
 */
export function openDocument(
  bytes: Uint8Array,
  { name, limits, related, warn }: Pick<ReadOptions, 'name' | 'limits' | 'related' | 'warn'>,
): DjvuDocument {
  const form = openForm(bytes, name);
  let expanded = 0;
  const isTooLarge = () => expanded > limits.maxExpandedBytes;
  const take = (size: number): void => {
    expanded += size;
    if (isTooLarge())
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' expands to more than ${limits.maxExpandedBytes} bytes.`);
  };
  const expand = ({ id, data, isCut }: Chunk): Buffer => {
    if (isCut) throw new AppError('DOCUMENT_CORRUPT', 'The file is cut off within the page.');
    return id.endsWith('z') ? expandBzz(data, take) : data;
  };
  if (form.id === pageForm)
    return { pageCount: 1, bookmarks: [], page: () => readChunks(form, maxChunksOfPage), expand, isTooLarge };
  if (form.id !== 'FORM:DJVM')
    throw new AppError('FORMAT_UNSUPPORTED', `'${name}' is a part of a DjVu document, or an image without text.`);
  const chunks = readChunks(form, limits.maxEntries);
  const forms = new Map(chunks.map((chunk) => [chunk.at, chunk]));
  const pages = listPages(chunks, { maxComponents: limits.maxEntries, take, warn });
  if (pages.length > 0 && pages.every(({ at }) => at === undefined) && !related)
    throw new AppError(
      'FORMAT_UNSUPPORTED',
      `'${name}' contains only the list of its pages, which are in other files; save it as one file.`,
    );
  return {
    pageCount: pages.length,
    bookmarks: findBookmarks(chunks, pages, { take, warn, maxDepth: limits.maxDepth }),
    page(pageNo) {
      const { at, file } = pages[pageNo - 1] as Component;
      const page = at === undefined ? openSeparatePage(file, related) : forms.get(at);
      if (page?.id !== pageForm) throw new AppError('DOCUMENT_CORRUPT', `The page (${file}) is missing.`);
      return readChunks(page, maxChunksOfPage);
    },
    expand,
    isTooLarge,
  };
}

type OpenContext = Pick<ReadOptions, 'warn'> & { take: (size: number) => void };

/**
 * Returns the pages of the directory, without those at the place of an earlier one. Without a directory, returns the pages in
 * the order of the file.
 */
function listPages(
  chunks: readonly Chunk[],
  { maxComponents, take, warn }: OpenContext & { maxComponents: number },
): Component[] {
  const directory = chunks.find(({ id }) => id === 'DIRM');
  try {
    if (!directory) throw new AppError('DOCUMENT_CORRUPT', 'The directory of the pages is missing.');
    const pages = readDirectory(directory.data, { maxComponents, take }).filter(({ isPage }) => isPage);
    const byPlace = new Map(pages.toReversed().map((page) => [page.at ?? page.file, page]));
    return pages.filter((page) => byPlace.get(page.at ?? page.file) === page);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    const forms = chunks.filter(({ id }) => id === pageForm);
    if (forms.length === 0) throw error;
    warn?.(`${error.message} The pages are in the order of the file, and some may be missing.`);
    return forms.map(({ at }, index) => {
      const number = String(index + 1);
      return { isPage: true, id: number, file: number, title: number, at };
    });
  }
}

function findBookmarks(
  chunks: readonly Chunk[],
  pages: readonly Component[],
  { take, warn, maxDepth }: OpenContext & { maxDepth: number },
): Bookmark[] {
  const outline = chunks.find(({ id }) => id === 'NAVM');
  if (!outline) return [];
  try {
    return readOutline(expandBzz(outline.data, take), pages, maxDepth);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DOCUMENT_CORRUPT') throw error;
    warn?.(`${error.message} The outline is not used for the headings.`);
    return [];
  }
}

/** Opens a page in a separate file. */
function openSeparatePage(file: string, related: ReadOptions['related']): Chunk | undefined {
  const bytes = related?.(file);
  return bytes && openForm(bytes, file);
}
