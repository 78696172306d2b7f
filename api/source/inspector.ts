import { sourceRights } from '../../model/source/kind';
import { findSourceKind, listSourceSecrets } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import type { CheckReader, SourceInspector } from '../../operators/inspection';
import type { ConnectionsStore } from '../../services/connection/store';
import { createFairSlots } from '../../services/pacing/fair-slots';
import type { CheckedRight } from '../../services/source/check';
import type { SourceChecks } from '../../services/source/sources';
import { openConfig, usesWorkerSecrets } from '../connection/open-config';

/** Services for the checks. */
export interface SourceInspectorDeps {
  sources: SourceChecks;
  /** Sources without hidden files, for all users except administrators; defaults to `sources`. */
  openSources?: SourceChecks;
  connections?: Pick<ConnectionsStore, 'open'>;
}

/** Bounds the memory: each check holds a listing and one document. */
const maxParallelChecks = 4;

/** At most four checks run at the same time; users take turns. */
export function createSourceInspector({
  sources,
  openSources = sources,
  connections,
}: SourceInspectorDeps): SourceInspector {
  const slots = createFairSlots(maxParallelChecks);
  const resolve = (config: Record<string, unknown>, person: CheckReader | undefined) =>
    openConfig(config, { person, connections }, { schema: ingestSource.config, ...listSourceSecrets(config) });
  return {
    async check(config, reader, signal) {
      if (usesWorkerSecrets(config)) return listUnknownRights(config);
      const release = await slots.take(reader?.username ?? '', signal);
      try {
        const chosen = reader?.seesHidden ? sources : openSources;
        return await chosen.check(await resolve(config, reader), signal, reader && [reader]);
      } finally {
        release();
      }
    },
  };
}

function listUnknownRights(config: Record<string, unknown>): CheckedRight[] {
  const rights = findSourceKind(config)?.rights ?? {};
  const message = 'The source uses secrets of the worker, which the api does not know; its server was not contacted.';
  return sourceRights.flatMap((right) => {
    const needs = rights[right];
    return needs === undefined ? [] : [{ right, needs, outcome: 'unknown' as const, message }];
  });
}
