import type { Artifact } from '../../model/conversion/task/result';
import type { DocumentRecord, NewDocumentRecord } from './record';
import { guard, type Mongo } from '../storage/mongo';
import type { SealedCollection } from '../storage/rotation';

/** What documents of tasks gave. Everything is found by its id: one task's documents cost nothing to another. */
export interface ConversionDocuments {
  putDocument(task: string, document: NewDocumentRecord): Promise<void>;
  getDocument(task: string, index: number): Promise<DocumentRecord | undefined>;
  /** In the order of the sources, of these places; those that are not done are left out. */
  documents(task: string, indexes: readonly number[]): Promise<DocumentRecord[]>;
  /** Notes where the files of a document are. */
  setUploads(task: string, index: number, uploads: readonly Artifact[]): Promise<void>;
  /** Forgets the documents before `count`. */
  removeDocuments(task: string, count: number): Promise<void>;
}

const page = 500;

/** The documents in MongoDB; signatures and passwords in their addresses are encrypted. */
export function createConversionDocuments(mongo: Mongo): ConversionDocuments {
  const documents = mongo.collection<DocumentRecord>('conversion_documents');
  const { sealer } = mongo;
  const opened = ({ source_uri, uploads, ...rest }: DocumentRecord): DocumentRecord => ({
    ...rest,
    ...sealer.open({ source_uri, uploads }, placeOf(rest._id)),
  });
  return {
    putDocument: (task, document) =>
      guard(async () => {
        const _id = documentId(task, document.index);
        const { source_uri, uploads } = document;
        const sealed = sealer.seal({ source_uri, uploads }, placeOf(_id));
        await documents.replaceOne({ _id }, { ...document, ...sealed, task }, { upsert: true });
      }),
    getDocument: (task, index) =>
      guard(async () => {
        const document = await documents.findOne({ _id: documentId(task, index) });
        return document ? opened(document) : undefined;
      }),
    documents: (task, indexes) =>
      guard(async () => {
        const found: DocumentRecord[] = [];
        for (let from = 0; from < indexes.length; from += page) {
          const ids = indexes.slice(from, from + page).map((index) => documentId(task, index));
          found.push(...(await documents.find({ _id: { $in: ids } }).toArray()).map(opened));
        }
        return found.toSorted((one, other) => one.index - other.index);
      }),
    setUploads: (task, index, uploads) =>
      guard(async () => {
        const _id = documentId(task, index);
        const sealed = sealer.seal({ uploads: [...uploads] }, placeOf(_id));
        await documents.updateOne({ _id }, { $set: sealed });
      }),
    removeDocuments: (task, count) =>
      guard(async () => {
        for (let from = 0; from < count; from += page) {
          const length = Math.min(page, count - from);
          const ids = Array.from({ length }, (_, place) => documentId(task, from + place));
          await documents.deleteMany({ _id: { $in: ids } });
        }
      }),
  };
}

/** The places of a task's documents. */
export function allIndexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function documentId(task: string, index: number): string {
  return `${task}/${index}`;
}

/** Where documents of tasks hold secrets. */
export const sealedTaskDocuments: SealedCollection = {
  collection: 'conversion_documents',
  fields: { source_uri: 'value', uploads: 'value' },
  placeOf: ({ _id }) => placeOf(_id),
};

function placeOf(id: string): string {
  return `conversion_documents/${id}`;
}
