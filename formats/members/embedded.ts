import { openCompound } from '../compound/compound';
import { listAttachments as listMsgAttachments } from '../compound/msg/attachments';
import { isCompoundFile } from '../detect';
import { getBaseName, type ReadLimits, type ReadOptions } from '../format';
import { readAttachments as readMailAttachments } from '../mail/eml/attachments';
import { listMessages } from '../mail/mbox/messages';
import { readOneNoteAttachments } from '../onenote/attachments';
import { listChartWorkbooks } from '../ooxml/unread';
import { listAttachments as listPdfAttachments } from '../pdf/attachments';
import { openZip } from '../zip/zip';

/** A file embedded in a document. */
export interface EmbeddedFile {
  name: string;
  bytes: Uint8Array;
}

/**
 * Returns the attachments of messages, notes and PDF files and the embedded documents of Office packages, by the name of the document's format.
 * Omits pictures in the text of a message and workbooks behind charts, because the document shows them.
 */
export async function listEmbeddedFiles(
  format: string,
  bytes: Uint8Array,
  options: Pick<ReadOptions, 'name' | 'limits'>,
): Promise<EmbeddedFile[]> {
  if (format === 'eml') return readMailAttachments(bytes, options);
  if (format === 'msg') return listMsgAttachments(bytes, options.name);
  if (format === 'pdf') return listPdfAttachments(bytes, options);
  if (format === 'onenote') return readOneNoteAttachments(bytes, options);
  if (format === 'mbox') {
    const files: EmbeddedFile[] = [];
    for (const [index, message] of listMessages(bytes, options).entries())
      for (const file of await readMailAttachments(message, options))
        files.push({ ...file, name: `message-${index + 1}/${file.name}` });
    return files;
  }
  return officeFormats.has(format) ? listPackagedFiles(bytes, options.limits) : [];
}

/** Returns the messages of a mailbox as files, in mailbox order. */
export function listMessageFiles(
  name: string,
  bytes: Uint8Array,
  limits: ReadLimits,
): { name: string; read: () => Uint8Array }[] {
  return listMessages(bytes, { name, limits }).map((message, index) => ({
    name: `message-${index + 1}.eml`,
    read: () => message,
  }));
}

const officeFormats: ReadonlySet<string> = new Set(['docx', 'xlsx', 'xlsb', 'pptx', 'vsdx']);

function listPackagedFiles(bytes: Uint8Array, limits: ReadLimits): EmbeddedFile[] {
  const zip = openZip(bytes, limits);
  const behindCharts = listChartWorkbooks(zip);
  const files: EmbeddedFile[] = [];
  for (const name of zip.names) {
    if (!/(?:^|\/)embeddings\//.test(name) || behindCharts.has(getBaseName(name))) continue;
    const content = zip.read(name);
    if (content === undefined) continue;
    const file = isCompoundFile(content) ? readObject(content, name) : { name: getBaseName(name), bytes: content };
    if (file) files.push(file);
  }
  return files;
}

/** The main streams of binary Office documents, with the extensions of their files. */
const officeStreams = [
  ['WordDocument', 'doc'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
  ['PowerPoint Document', 'ppt'],
] as const;

/** Extracts an OLE object: the file in its package, else the compound file itself if it is an Office document. */
function readObject(bytes: Uint8Array, name: string): EmbeddedFile | undefined {
  const object = openCompound(bytes, name);
  const native = object.stream('\u0001Ole10Native');
  if (native) return readNative(native);
  const stem = getBaseName(name).replace(/\.[^.]*$/, '');
  const contents = object.stream('CONTENTS');
  if (contents?.toString('latin1', 0, 5) === '%PDF-') return { name: `${stem}.pdf`, bytes: contents };
  const zipPackage = object.stream('Package');
  if (zipPackage) return { name: `${stem}.zip`, bytes: zipPackage };
  const document = officeStreams.find(([stream]) => object.stream(stream) !== undefined);
  return document && { name: `${stem}.${document[1]}`, bytes };
}

/** Parses the stream of the packager (MS-OLEDS 2.3.6): size, type, label, path, flags, path length, path, data length, data. */
function readNative(native: Buffer): EmbeddedFile | undefined {
  const readTextFrom = (at: number) => {
    const end = native.indexOf(0, at);
    return end < 0 ? undefined : { text: native.toString('latin1', at, end), next: end + 1 };
  };
  const label = readTextFrom(6);
  const file = label && readTextFrom(label.next);
  if (!file || file.next + 8 > native.length) return undefined;
  const at = file.next + 8 + native.readUInt32LE(file.next + 4);
  if (at + 4 > native.length) return undefined;
  const bytes = native.subarray(at + 4, at + 4 + native.readUInt32LE(at));
  return { name: getBaseName(label.text) || getBaseName(file.text) || 'object', bytes };
}
