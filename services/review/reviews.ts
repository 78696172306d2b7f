import type { Collection, Filter } from 'mongodb';
import type { User } from '../../model/access';
import { iterateBatches } from '../../model/lists/batches';
import type { Conversion } from '../../model/review/conversion';
import type { DoubtCode } from '../../model/review/quality';
import type { ReviewReply } from '../../model/review/wire';
import { getDocumentKey } from '../run/failures';
import type { RunRecord } from '../run/run-record';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

export type ReviewState = ReviewReply['state'];

/**
 * A document with a doubtful conversion, and the decision of a person about it. `id` identifies the document within its job in all
 * runs; `version` its content, to which alone the decision applies. `found_at`: when this content was first found doubtful.
 */
export interface Review extends ReviewReply {
  job_id: string;
}

/** Selects reviews. `everyone` is set for administrators. */
export interface ReviewFilter {
  everyone?: boolean;
  ids?: readonly string[];
  state?: ReviewState;
  flow_id?: string;
  code?: DoubtCode;
}

/** Documents to look at, over all runs. Writes are keyed by job and document. */
export interface Reviews {
  /** Records doubtful documents, and removes those that are no longer doubtful. */
  record(run: RunRecord, operator: string, conversions: readonly Conversion[]): Promise<void>;
  /** Latest first. */
  list(
    user: User,
    filter: ReviewFilter,
    page: { limit: number; offset: number },
  ): Promise<{ items: Review[]; total: number }>;
  /** Only of runs of the user's own. */
  get(user: User, id: string): Promise<Review | undefined>;
  /** Records a decision about this content. Returns how many documents it concerns. */
  decide(user: User, filter: ReviewFilter & { version?: string }, state: ReviewState): Promise<number>;
  /** Deletes the reviews of these documents of the job. Returns their number. */
  forget(jobId: string, documentIds: readonly string[]): Promise<number>;
  /** Deletes the reviews of all documents of the job, or of the flow. */
  forgetJob(jobOrFlowId: string): Promise<void>;
}

type Stored = Omit<Review, 'id'> & { _id: string; codes: DoubtCode[] };

/** Documents that are deleted at a time. */
const batchSize = 1_000;

/** Stores the review queue in MongoDB. */
export function createReviews(mongo: Mongo): Reviews {
  const reviews = mongo.collection<Stored>('reviews');
  const whenReady = createWhenReady(async () => {
    await reviews.createIndex({ owner: 1, state: 1, found_at: -1 });
    await reviews.createIndex({ job_id: 1 });
    await reviews.createIndex({ flow_id: 1 });
  });
  return {
    record: (run, operator, conversions) =>
      whenReady(async () => {
        await record(reviews, { run, operator, conversions });
      }),
    list: (user, filter, { limit, offset }) =>
      whenReady(() =>
        readPage(reviews, buildFilter(user, filter), { sort: { found_at: -1, _id: 1 }, limit, offset }, readStored),
      ),
    get: (user, id) =>
      guard(async () => {
        const review = await reviews.findOne({ _id: id, owner: user.username });
        return review ? readStored(review) : undefined;
      }),
    decide: (user, { version, ...filter }, state) =>
      whenReady(async () => {
        const mongoFilter = { ...buildFilter(user, filter), ...(version === undefined ? {} : { version }) };
        const decision =
          state === 'open'
            ? { state, decided_at: null, decided_by: null }
            : { state, decided_at: new Date().toISOString(), decided_by: user.username };
        return (await reviews.updateMany(mongoFilter, { $set: decision })).matchedCount;
      }),
    forget: (jobId, documentIds) =>
      whenReady(async () => {
        let forgotten = 0;
        for (const batch of iterateBatches(documentIds, batchSize)) {
          const keys = batch.map((id) => getDocumentKey(jobId, id));
          forgotten += (await reviews.deleteMany({ _id: { $in: keys } })).deletedCount;
        }
        return forgotten;
      }),
    forgetJob: (id) =>
      whenReady(async () => {
        await reviews.deleteMany({ $or: [{ job_id: id }, { flow_id: id }] });
      }),
  };
}

/** Repeating it changes nothing: a decision stays until the content of the document changes. */
async function record(
  reviews: Collection<Stored>,
  { run, operator, conversions }: { run: RunRecord; operator: string; conversions: readonly Conversion[] },
): Promise<void> {
  const { job_id, flow_id, flow_name, owner, job_run_id } = run;
  const listKeys = (some: readonly Conversion[]) => some.map(({ id }) => getDocumentKey(job_id, id));
  const undoubted = conversions.filter(({ doubts, isCorrected }) => doubts.length === 0 && !isCorrected);
  if (undoubted.length > 0) await reviews.deleteMany({ _id: { $in: listKeys(undoubted) } });
  const corrected = conversions.filter(({ isCorrected }) => isCorrected);
  if (corrected.length > 0) await reviews.updateMany({ _id: { $in: listKeys(corrected) } }, { $set: { job_run_id } });
  const doubtful = conversions.filter(({ doubts, isCorrected }) => doubts.length > 0 && !isCorrected);
  if (doubtful.length === 0) return;
  const undecided = { state: 'open' as const, decided_at: null, decided_by: null, found_at: new Date().toISOString() };
  await reviews.bulkWrite(
    doubtful.flatMap(({ id, name, version, pages, confidence, doubts }) => {
      const _id = getDocumentKey(job_id, id);
      const codes = doubts.map(({ code }) => code);
      const origin = { job_id, document_id: id, name, flow_id, flow_name, owner, job_run_id, operator };
      return [
        { updateOne: { filter: { _id, version: { $ne: version } }, update: { $set: { ...undecided, version } } } },
        {
          updateOne: {
            filter: { _id },
            update: {
              $set: { ...origin, pages, confidence, doubts, codes },
              $setOnInsert: { ...undecided, version },
            },
            upsert: true,
          },
        },
      ];
    }),
    { ordered: true },
  );
}

function buildFilter(user: User, { everyone, ids, state, flow_id, code }: ReviewFilter): Filter<Stored> {
  return {
    ...(everyone ? {} : { owner: user.username }),
    ...(ids ? { _id: { $in: [...ids] } } : {}),
    ...(state === undefined ? {} : { state }),
    ...(flow_id === undefined ? {} : { flow_id }),
    ...(code === undefined ? {} : { codes: code }),
  };
}

function readStored({ _id, codes: _codes, ...review }: Stored): Review {
  return { id: _id, ...review };
}
