import { AppError } from '../../model/errors';
import { expandBzz } from './bzz';
import { createCursor } from './cursor';

/** A part of a document: a page, or something that pages share. */
export interface Component {
  isPage: boolean;
  /** Links and the outline name pages by this. */
  id: string;
  /** The file of the component, for documents in several files. */
  file: string;
  title: string;
  /** Where the component starts in the file; undefined for documents in several files. */
  at: number | undefined;
}

const [hasFile, hasTitle, kindBits, pageKind] = [0x80, 0x40, 0x3f, 1];

/** Reads the directory of a document with several pages (DjVu 3 specification, 8.3.2). Throws DOCUMENT_CORRUPT. */
export function readDirectory(
  data: Buffer,
  { maxComponents, take }: { maxComponents: number; take: (bytes: number) => void },
): Component[] {
  const what = 'The directory of the pages';
  const head = createCursor(data, what);
  const isBundled = (head.number(1) & 0x80) !== 0;
  const count = head.number(2);
  if (count > maxComponents)
    throw new AppError('DOCUMENT_TOO_LARGE', `The document has ${count} components; the limit is ${maxComponents}.`);
  const places = Array.from({ length: count }, () => (isBundled ? head.number(4) : undefined));
  const rest = createCursor(expandBzz(data.subarray(3 + (isBundled ? 4 * count : 0)), take), what);
  // The sizes are also in the components.
  rest.take(3 * count);
  const flags = Array.from({ length: count }, () => rest.number(1));
  return flags.map((flag, index) => {
    const id = rest.text();
    const file = (flag & hasFile) === 0 ? id : rest.text();
    const title = (flag & hasTitle) === 0 ? id : rest.text();
    return { isPage: (flag & kindBits) === pageKind, id, file, title, at: places[index] };
  });
}
