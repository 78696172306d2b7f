import type { User } from '../../../model/access';
import type { Send } from '../connection';
import { toDocument, type Hit, type Hits, shownFields } from '../hits';
import type { DocumentReply, HitNeighbour } from '../ports';
import { buildAccessRule } from '../request';

interface Asked {
  user: User;
  hits: readonly Hit[];
  documents: readonly DocumentReply[];
  distance: number;
}
/** A position of a record in its document. */
export interface Place {
  index: string;
  document: string;
  position: number;
}

/** The documents of the hits, each with its neighbours: the records before and after it in its document that the user may read. */
export async function loadNeighbours(
  send: Send,
  index: string,
  { user, hits, documents, distance }: Asked,
): Promise<DocumentReply[]> {
  const places = hits.map(findPlace);
  const around = await readAround(send, index, {
    user,
    places: places.filter((place) => place !== undefined),
    distance,
  });
  return addNeighbours(documents, { places, around, distance });
}

/** Adds to each document what is at most `distance` around its place; nothing if it has none. */
export function addNeighbours(
  documents: readonly DocumentReply[],
  {
    places,
    around,
    distance,
  }: {
    places: readonly (Place | undefined)[];
    around: readonly (Place & { id: string; content: string })[];
    distance: number;
  },
): DocumentReply[] {
  return documents.map((document, at) => {
    const place = places[at];
    if (!place) return { ...document, neighbours: { before: [], after: [] } };
    const near = around
      .filter((item) => item.index === place.index && item.document === place.document)
      .filter(({ position }) => position !== place.position && Math.abs(position - place.position) <= distance)
      .toSorted((item, other) => item.position - other.position);
    const toNeighbours = (some: typeof near): HitNeighbour[] =>
      some.map(({ id, content, position }) => ({ id, content, chunk_index: position }));
    return {
      ...document,
      neighbours: {
        before: toNeighbours(near.filter(({ position }) => position < place.position)),
        after: toNeighbours(near.filter(({ position }) => position > place.position)),
      },
    };
  });
}

/** The records that are at most `distance` from one of the places. */
async function readAround(
  send: Send,
  index: string,
  { user, places, distance }: { user: User; places: readonly Place[]; distance: number },
): Promise<(Place & { id: string; content: string })[]> {
  if (places.length === 0) return [];
  const should = places.map(({ index: name, document, position }) => ({
    bool: {
      filter: [
        { term: { _index: name } },
        { term: { document_id: { value: document } } },
        { range: { 'metadata.chunk_index': { gte: position - distance, lte: position + distance } } },
      ],
    },
  }));
  const hits = (await send({
    method: 'POST',
    path: `/${index}/_search`,
    query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
    body: {
      query: { bool: { filter: [buildAccessRule(user)], should, minimum_should_match: 1 } },
      size: should.length * (2 * distance + 1),
      _source: shownFields,
      track_total_hits: false,
    },
  })) as Hits | undefined;
  return (hits?.hits.hits ?? []).flatMap((hit) => {
    const place = findPlace(hit);
    return place ? [{ ...place, id: hit._id, content: toDocument(hit).content }] : [];
  });
}

/** Undefined for a record that is not a chunk of a document. */
export function findPlace({ _index: index, _source }: Pick<Hit, '_index' | '_source'>): Place | undefined {
  const { chunk_index: position, document_id: document } = (_source['metadata'] ?? {}) as Record<string, unknown>;
  return typeof position === 'number' && typeof document === 'string' ? { index, document, position } : undefined;
}
