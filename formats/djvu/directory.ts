import { AppError } from '../../model/errors';
import { expandBzz } from './bzz';
import { createCursor } from './cursor';

/** A part of a document: a page, or data that pages share. */
export interface Component {
  isPage: boolean;
  /** The name that links and the outline use. */
  id: string;
  /** The file of the component, for documents in several files. */
  file: string;
  title: string;
  /** Where the component starts in the file; undefined for documents in several files. */
  at: number | undefined;
}

/** Bits of the flags of a component. */
const flagBits = { hasFile: 0x80, hasTitle: 0x40, kind: 0x3f } as const;
const pageKind = 1;

/** Reads the directory of a document with several pages (DjVu 3 specification, 8.3.2). Throws DOCUMENT_CORRUPT. */
export function readDirectory(
  data: Buffer,
  { maxComponents, take }: { maxComponents: number; take: (bytes: number) => void },
): Component[] {
  const part = 'The directory of the pages';
  const head = createCursor(data, part);
  const isBundled = (head.number(1) & 0x80) !== 0;
  const count = head.number(2);
  if (count > maxComponents)
    throw new AppError('DOCUMENT_TOO_LARGE', `The document has ${count} components; the limit is ${maxComponents}.`);
  const offsets = Array.from({ length: count }, () => (isBundled ? head.number(4) : undefined));
  const names = createCursor(expandBzz(data.subarray(3 + (isBundled ? 4 * count : 0)), take), part);
  // Skips the sizes, which are also in the components.
  names.take(3 * count);
  const flags = Array.from({ length: count }, () => names.number(1));
  return flags.map((flag, index) => {
    const id = names.text();
    const file = (flag & flagBits.hasFile) === 0 ? id : names.text();
    const title = (flag & flagBits.hasTitle) === 0 ? id : names.text();
    return { isPage: (flag & flagBits.kind) === pageKind, id, file, title, at: offsets[index] };
  });
}
