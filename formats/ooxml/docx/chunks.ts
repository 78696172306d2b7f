import { iterateTexts } from '../../../document/all-texts';
import { appendDocument } from '../../../document/append';
import type { DoclingDocument } from '../../../document/model';
import { type ReadDocument, type ReadOptions, getExtension } from '../../format';
import type { XmlElement } from '../../xml/xml';
import type { OoxmlPackage } from '../package';
import { type InsertedDocuments, placeBelow, type Story } from './story';

const loaders: Readonly<Record<string, () => Promise<{ read: ReadDocument }>>> = {
  html: () => import('../../html/read'),
  htm: () => import('../../html/read'),
  xhtml: () => import('../../html/read'),
  txt: () => import('../../text/read'),
  mht: () => import('../../mhtml/read'),
  mhtml: () => import('../../mhtml/read'),
  rtf: () => import('../../rtf/read'),
};

const wordExtensions: ReadonlySet<string> = new Set(['docx', 'docm', 'dotx', 'dotm']);

/** Limits of all insertions of a document together and of each one. */
const chunkLimits = { documents: 200, expandedBytes: 64 * 1024 * 1024 };

/** Options of inserted documents. Only the outermost document inserts others, which prevents recursion. */
const insertedOptions = new WeakSet<ReadOptions>();

/**
 * Reads the documents that the main part inserts. An insertion is reported as omitted if it is unreadable, inside an inserted
 * document, or repeated.
 */
export async function readInserted(
  office: OoxmlPackage,
  options: ReadOptions,
  readWord: ReadDocument,
): Promise<InsertedDocuments> {
  const documents: InsertedDocuments = new Map();
  const targets = new Set<string>();
  for (const [id, { type, target, isExternal: external }] of office.relationships(office.mainPart)) {
    if (type !== 'aFChunk' || external) continue;
    const bytes = office.zip.read(target);
    const isAllowed =
      options.profile !== 'reference' &&
      !insertedOptions.has(options) &&
      !targets.has(target) &&
      targets.size < chunkLimits.documents;
    targets.add(target);
    const limits = { ...options.limits, maxExpandedBytes: chunkLimits.expandedBytes };
    const inner: ReadOptions = { ...options, limits, name: target };
    insertedOptions.add(inner);
    const document = bytes && isAllowed ? await readIfSupported(bytes, inner, readWord) : undefined;
    if (document) documents.set(id, document);
    else options.recordOmission?.('inserted document', readWords(bytes, target));
  }
  return documents;
}

async function readIfSupported(
  bytes: Uint8Array,
  options: ReadOptions,
  readWord: ReadDocument,
): Promise<DoclingDocument | undefined> {
  const extension = getExtension(options.name);
  const load = loaders[extension];
  if (!load && !wordExtensions.has(extension)) return undefined;
  try {
    return await (load ? (await load()).read : readWord)(bytes, options);
  } catch {
    // A damaged insertion does not fail the document; it is counted.
    return undefined;
  }
}

/** Reports documents that the main part references but does not show. */
export function reportUnshown(inserted: InsertedDocuments, recordOmission: ReadOptions['recordOmission']): void {
  for (const document of inserted.values())
    recordOmission?.('inserted document', [...iterateTexts(document)].join(' '));
}

/** Returns the text of a web page or plain text file without markup; empty for other files. */
function readWords(bytes: Uint8Array | undefined, name: string): string {
  if (!bytes || !/\.(?:html?|xhtml|txt|mht)$/i.test(name)) return '';
  const text = Buffer.from(bytes).toString('utf8');
  return text.replaceAll(/<[^>]*>/g, ' ');
}

/** Adds an inserted document at its position, once. */
export function addInserted(story: Story, chunk: XmlElement): void {
  const id = chunk.attributes['r:id'] ?? '';
  const { inserted, builder } = story.context;
  const document = inserted.get(id);
  if (document === undefined) return;
  inserted.delete(id);
  story.code.end();
  story.outline.endList();
  const place = placeBelow(story, story.outline.parent());
  const parent = builder.group('section', { name: 'inserted document', ...place });
  appendDocument(builder.document, { ...document, pages: {} }, parent);
}
