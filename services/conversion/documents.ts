import type { Artifact } from '../../model/conversion/task/result';
import { iterateBatches } from '../../model/lists/batches';
import { guard, type Mongo } from '../storage/mongo';
import type { SealedCollection } from '../storage/sealing/rotation';
import type { DocumentRecord, NewDocumentRecord } from './record';

/** Results of the documents of tasks. */
export interface ConversionDocuments {
  putDocument(task: string, document: NewDocumentRecord): Promise<void>;
  getDocument(task: string, index: number): Promise<DocumentRecord | undefined>;
  /** The documents at these indexes, in the order of the sources. Unfinished ones are left out. */
  listDocuments(task: string, indexes: readonly number[]): Promise<DocumentRecord[]>;
  /** Records where the files of a document were uploaded. */
  setUploads(task: string, index: number, uploads: readonly Artifact[]): Promise<void>;
  /** Deletes the documents with indexes below `count`. */
  removeDocuments(task: string, count: number): Promise<void>;
}

/** Documents per query. */
const pageSize = 500;

/** Stores the documents in MongoDB. Signatures and passwords in their addresses are encrypted. */
export class MongoConversionDocuments implements ConversionDocuments {
  private readonly records;
  private readonly sealer;
  private readonly unseal = ({ source_uri, uploads, ...record }: DocumentRecord): DocumentRecord => ({
    ...record,
    ...this.sealer.open({ source_uri, uploads }, formatPlace(record._id)),
  });

  constructor(mongo: Mongo) {
    this.records = mongo.collection<DocumentRecord>('conversion_documents');
    const { sealer } = mongo;
    this.sealer = sealer;
  }

  putDocument(task: string, document: NewDocumentRecord) {
    return guard(async () => {
      const _id = buildDocumentId(task, document.index);
      const { source_uri, uploads } = document;
      const sealed = this.sealer.seal({ source_uri, uploads }, formatPlace(_id));
      await this.records.replaceOne({ _id }, { ...document, ...sealed, task }, { upsert: true });
    });
  }

  getDocument(task: string, index: number) {
    return guard(async () => {
      const document = await this.records.findOne({ _id: buildDocumentId(task, index) });
      return document ? this.unseal(document) : undefined;
    });
  }

  listDocuments(task: string, indexes: readonly number[]) {
    return guard(async () => {
      const records: DocumentRecord[] = [];
      for (const batch of iterateBatches(indexes, pageSize)) {
        const ids = batch.map((index) => buildDocumentId(task, index));
        records.push(...(await this.records.find({ _id: { $in: ids } }).toArray()).map(this.unseal));
      }
      return records.toSorted((documentRecord, other) => documentRecord.index - other.index);
    });
  }

  setUploads(task: string, index: number, uploads: readonly Artifact[]) {
    return guard(async () => {
      const _id = buildDocumentId(task, index);
      const sealed = this.sealer.seal({ uploads: [...uploads] }, formatPlace(_id));
      await this.records.updateOne({ _id }, { $set: sealed });
    });
  }

  removeDocuments(task: string, count: number) {
    return guard(async () => {
      for (let from = 0; from < count; from += pageSize) {
        const length = Math.min(pageSize, count - from);
        const ids = Array.from({ length }, (_, place) => buildDocumentId(task, from + place));
        await this.records.deleteMany({ _id: { $in: ids } });
      }
    });
  }
}

/** The indexes of all documents of a task. */
export function listIndexes(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function buildDocumentId(task: string, index: number): string {
  return `${task}/${index}`;
}

/** The encrypted members of tasks' documents. */
export const sealedTaskDocuments: SealedCollection = {
  collection: 'conversion_documents',
  fields: { source_uri: 'value', uploads: 'value' },
  formatPlace: ({ _id }) => formatPlace(_id),
};

function formatPlace(id: string): string {
  return `conversion_documents/${id}`;
}
