import { type Static, Type } from '@sinclair/typebox';
import { type AccessList, toStalePrincipal } from '../access-list';

/** Settings of ingest_source: how old access lists may be, and what happens when they are older. */
export const freshnessSettings = {
  access_sync_minutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_440,
      description:
        'How old access lists may be: they are read again after this time without a run, and changed in the index in place. By default, runs alone read them.',
    }),
  ),
  when_access_stale: Type.Optional(
    Type.Union([Type.Literal('deny'), Type.Literal('serve')], {
      default: 'deny',
      description:
        'With `access_sync_minutes`, if access lists could not be read for `access_stale_hours`. `deny`: nobody may read the documents until they are read again. `serve`: the earlier lists apply, and the access sync reports their age.',
    }),
  ),
  access_stale_hours: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 720,
      default: 24,
      description:
        'When access lists are too old; never less than twice `access_sync_minutes`. Longer than the longest run, which does not count as read until it ends.',
    }),
  ),
};
const schema = Type.Object(freshnessSettings);
type Settings = Static<typeof schema>;

/** The settings of a flow with their defaults; undefined if access lists are not kept up to date between runs. */
export interface Freshness {
  everyMinutes: number;
  /** Absent if stale lists apply. */
  closesAfterMinutes?: number;
}

/** Reads the settings; the configuration has been validated. */
export function readFreshness(config: Record<string, unknown>): Freshness | undefined {
  const {
    access_sync_minutes: everyMinutes,
    when_access_stale: whenStale = 'deny',
    access_stale_hours: hours = 24,
  } = config as Settings;
  if (typeof everyMinutes !== 'number') return undefined;
  if (whenStale === 'serve') return { everyMinutes };
  return { everyMinutes, closesAfterMinutes: Math.max(hours * 60, everyMinutes * 2) };
}

/** The list of a document whose job closes its documents when its lists are too old; otherwise unchanged. */
export function closeWhenStale<T extends AccessList>(list: T, jobId: string, freshness: Freshness | undefined): T {
  if (freshness?.closesAfterMinutes === undefined) return list;
  const denied = [...new Set([...(list.denied_principals ?? []), toStalePrincipal(jobId)])].toSorted();
  return { ...list, denied_principals: denied };
}
