import { AppError } from '../../model/errors';

/** A part of a DjVu file (DjVu 3 specification, 8.2). */
export interface Chunk {
  /** Four letters: `INFO`, `TXTz`, …; for a form, those of its kind: `FORM:DJVU`. */
  id: string;
  /** Where the chunk starts in the file. */
  at: number;
  /** Without the identifier of a form. */
  data: Buffer;
  /** Where `data` starts in the file. */
  dataAt: number;
  /** True if the file ends within the chunk. */
  isCut: boolean;
}

const magic = 'AT&T';

/** Returns the form that encloses the file. Throws DOCUMENT_CORRUPT if there is none. */
export function openForm(bytes: Uint8Array, name: string): Chunk {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = buffer.toString('latin1', 0, 4) === magic ? 4 : 0;
  const [form] = readChunks({ data: buffer.subarray(start), dataAt: start }, 1);
  if (!form?.id.startsWith('FORM:')) throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a DjVu file.`);
  return form;
}

/** Returns the chunks in a form, at most `maxChunks`. Ends where the file is cut off or damaged. */
export function readChunks({ data, dataAt }: Pick<Chunk, 'data' | 'dataAt'>, maxChunks: number): Chunk[] {
  const chunks: Chunk[] = [];
  let next = 0;
  while (next + 8 <= data.length && chunks.length < maxChunks) {
    const id = data.toString('latin1', next, next + 4);
    if (!/^[\w &]{4}$/.test(id)) break;
    // Identifier and length have four bytes each; a form adds the four letters of its kind.
    const length = data.readUInt32BE(next + 4);
    const end = next + 8 + length;
    const isForm = id === 'FORM' && length >= 4;
    const start = next + (isForm ? 12 : 8);
    chunks.push({
      id: isForm ? `FORM:${data.toString('latin1', next + 8, next + 12)}` : id,
      at: dataAt + next,
      data: data.subarray(start, end),
      dataAt: dataAt + start,
      isCut: end > data.length,
    });
    // Chunks begin at even offsets of the file.
    next = end + ((dataAt + end) % 2);
  }
  return chunks;
}
