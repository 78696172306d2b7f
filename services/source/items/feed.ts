import { AppError } from '../../../model/errors';
import type { ChangePage, Item } from './item';
import type { KnownItems, KnownPlace, Step } from './known-items';

/** The change feed of a drive. */
export interface ChangeFeed {
  /** Names the drive in messages. */
  place: string;
  /** Identifies the drive and the account. */
  key: readonly string[];
  /** The credentials of the account: another account may see other items. */
  secret: string;
  /** A page of changes; without a cursor, of everything. Undefined if the server no longer knows the cursor. */
  read(cursor: string | undefined): Promise<ChangePage | undefined>;
  /** The ids of items that the server confirms as deleted, each by a separate request. */
  confirmGone(ids: readonly string[]): Promise<readonly string[]>;
}

/** The items of a drive as of now. */
export interface CurrentItems {
  /** The items in a folder. Throws CONNECTION_ERROR if another run has started to read the whole drive again. */
  listChildren(folderId: string): Promise<Item[]>;
}

/** A drive is read as a whole again after this time, in case a server forgot to report a change. */
const wholeAfterMs = 7 * 24 * 60 * 60_000;
const maxPages = 1_000_000;
const maxEmptyPages = 1_000;
const maxItems = 2_000_000;
/** Errors by which servers refuse a cursor that they do not understand. */
const cursorRefusals: readonly string[] = ['EXTERNAL_SERVICE_ERROR', 'INVALID_RESPONSE', 'SOURCE_UNREADABLE'];

/**
 * Requests the changes since the last time, and returns the updated items of the drive. Reads everything the first
 * time.
 */
export async function catchUp(feed: ChangeFeed, knownItems: KnownItems, signal: AbortSignal): Promise<CurrentItems> {
  const place = await knownItems.open(feed.key, feed.secret);
  const generation = await readChanges(feed, place, signal);
  return {
    async listChildren(folderId) {
      const children = await place.listChildren(generation, folderId);
      if ((await place.readGeneration()) === generation) return children;
      throw new AppError('CONNECTION_ERROR', `${feed.place} is being read as a whole again by another run.`);
    },
  };
}

async function readChanges(feed: ChangeFeed, place: KnownPlace, signal: AbortSignal): Promise<string> {
  const seenCursors = new Set<string>();
  let emptyPages = 0;
  let itemCount = 0;
  let isRestarted = false;
  for (let count = 0; count < maxPages; count += 1) {
    signal.throwIfAborted();
    const step = await claim(place, isRestarted, signal);
    const page = await readPage(feed, step, { place, isRestarted });
    if (!page) {
      await place.release(step);
      if (isRestarted || step.cursor === undefined)
        throw new AppError('SOURCE_NOT_FOUND', `${feed.place} does not exist.`);
      await place.restart();
      isRestarted = true;
      seenCursors.clear();
      continue;
    }
    itemCount += page.items.length;
    if (itemCount > maxItems)
      throw new AppError('SOURCE_TOO_LARGE', `${feed.place} has more than ${maxItems} items or changes.`);
    await place.write(step, page.items, page.gone);
    const isFinished = await place.finish(step, page.cursor, page.isLast);
    if (page.isLast) return step.generation;
    if (!isFinished) continue;
    emptyPages = page.items.length + page.gone.length === 0 ? emptyPages + 1 : 0;
    if (seenCursors.has(page.cursor) || emptyPages > maxEmptyPages) break;
    seenCursors.add(page.cursor);
  }
  await place.restart();
  throw new AppError('INVALID_RESPONSE', `The changes of ${feed.place} do not end: they repeat themselves.`);
}

async function claim(place: KnownPlace, isRestarted: boolean, signal: AbortSignal): Promise<Step> {
  const step = await place.claim(signal);
  if (isRestarted || Date.now() - step.startedAt.getTime() <= wholeAfterMs) return step;
  await place.restart();
  return await place.claim(signal);
}

/** The page after the cursor of the step; undefined if the server no longer accepts it. */
async function readPage(
  feed: ChangeFeed,
  step: Step,
  { place, isRestarted }: { place: KnownPlace; isRestarted: boolean },
): Promise<ChangePage | undefined> {
  try {
    const page = await feed.read(step.cursor);
    if (!page || page.gone.length === 0) return page;
    // A reported deletion is not trusted alone: the item itself is requested.
    return { ...page, gone: await feed.confirmGone(page.gone) };
  } catch (error) {
    await place.release(step);
    const isRefused = error instanceof AppError && cursorRefusals.includes(error.code);
    if (isRefused && step.cursor !== undefined && !isRestarted) return undefined;
    throw error;
  }
}
