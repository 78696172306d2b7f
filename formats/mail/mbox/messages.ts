import { AppError } from '../../../model/errors';
import type { ReadOptions } from '../../format';

/** Splits a mailbox at lines that begin with `From ` after an empty line. Within a message such lines are quoted with `>`. */
export function listMessages(bytes: Uint8Array, { name, limits }: Pick<ReadOptions, 'name' | 'limits'>): Buffer[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const starts = [...text.matchAll(/(?:^|\r?\n\r?\n)From [^\n]*(?:\n|$)/g)];
  if (starts.length === 0 || starts[0]!.index !== 0)
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is not a mailbox: it does not begin with a line \`From …\`.`);
  if (starts.length > limits.maxEntries) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' contains ${starts.length} messages; the limit is ${limits.maxEntries}.`,
    );
  }
  return starts.map((start, at) => {
    const message = text.slice(start.index + start[0].length, starts[at + 1]?.index);
    return Buffer.from(message.replaceAll(/^>(>*From )/gm, '$1'), 'latin1');
  });
}
