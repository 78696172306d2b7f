import { AppError } from '../../model/errors';
import type { SectionLimits } from './allowance';
import { createDamage, Cursor } from './cursor';
import { readPackage } from './package-store';
import { readRevisionStore } from './revision-store';
import type { Section } from './section';

const sectionFile = 'e4525c7b8cd8a74daeb15378d02996d3';
const tableOfContents = 'a12ff43fd9ef764c9ee210ea5722765f';
const revisionStore = '3fdd9a101b91f549a5d01791edc8aed8';
const packaged = '2fe98d63d4a6c14b9a36b3fc2511a5b7';

/** Opens a section. Throws DOCUMENT_CORRUPT, DOCUMENT_ENCRYPTED or DOCUMENT_TOO_LARGE. */
export function openSection(bytes: Uint8Array, limits: SectionLimits): Section {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = new Cursor(data);
  const type = header.guid();
  if (type === tableOfContents)
    throw new AppError('FORMAT_UNSUPPORTED', 'The file is the table of contents of a OneNote notebook, not a section.');
  if (type !== sectionFile) throw createDamage('it has no header');
  header.take(32);
  const form = header.guid();
  if (form === revisionStore) return readRevisionStore(data, limits);
  if (form === packaged) return readPackage(data, limits);
  throw new AppError('FORMAT_UNSUPPORTED', 'The OneNote section has an unknown form of file.');
}
