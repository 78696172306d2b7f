import { Type } from '@sinclair/typebox';
import { AppError } from '../../../model/errors';
import { DriveItem, itemMembers, toItem } from './drive-item';
import { type Graph, toLink } from './graph-api';
import type { ChangePage } from './item';

const Changed = Type.Intersect([
  DriveItem,
  Type.Object({
    parentReference: Type.Optional(Type.Object({ id: Type.Optional(Type.String({ maxLength: 512 })) })),
  }),
]);
const Answer = Type.Object({
  value: Type.Array(Changed),
  '@odata.nextLink': Type.Optional(Type.String({ maxLength: 20_000 })),
  '@odata.deltaLink': Type.Optional(Type.String({ maxLength: 20_000 })),
});

/** A drive to follow. */
interface FollowedDrive {
  graph: Graph;
  driveId: string;
  signal: AbortSignal;
}

/**
 * A page of the delta query of a drive, which covers all of its folders. The cursor is the link that the server gives; a link to
 * another server is refused.
 */
export async function readGraphChanges(
  { graph, driveId, signal }: FollowedDrive,
  cursor: string | undefined,
): Promise<ChangePage | undefined> {
  const first = graph.buildUrl(`/drives/${encodeURIComponent(driveId)}/root/delta`, {
    $select: `${itemMembers},parentReference,deleted,root`,
    $top: '200',
  });
  const page = await graph.read(cursor === undefined ? first : toLink(graph, cursor), Answer, signal);
  if (!page) return undefined;
  const { value, '@odata.nextLink': next, '@odata.deltaLink': last } = page;
  const link = next ?? last;
  if (link === undefined)
    throw new AppError('INVALID_RESPONSE', `${graph.place} does not say where the changes of a drive continue.`);
  return {
    items: value.flatMap((entry) => {
      const parent = entry.parentReference?.id;
      return toItem(entry).map((item) => ({ ...item, parents: parent === undefined ? [] : [parent] }));
    }),
    gone: value.filter(({ deleted }) => deleted).map(({ id }) => id),
    cursor: link,
    isLast: next === undefined,
  };
}

/** The items that the drive no longer contains. */
export async function confirmGone(
  { graph, driveId, signal }: FollowedDrive,
  ids: readonly string[],
): Promise<readonly string[]> {
  const paths = ids.map((id) => `/drives/${encodeURIComponent(driveId)}/items/${encodeURIComponent(id)}?$select=id`);
  const answers = await graph.readBatch(paths, Type.Object({ id: Type.String() }), signal);
  return ids.filter((_id, index) => {
    const answer = answers[index]!;
    return 'status' in answer && (answer.status === 404 || answer.status === 410);
  });
}
