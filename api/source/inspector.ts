import { listConnectionNames, findUsableConnection } from '../../model/connection/connection';
import { sourceRights } from '../../model/source/kind';
import { findSourceKind, listSourceSecrets } from '../../model/source/list';
import { ingestSource } from '../../operators/ingest_source/schema';
import type { CheckReader, SourceInspector } from '../../operators/inspection';
import type { ConnectionsStore } from '../../services/connection/store';
import { createFairSlots } from '../../services/pacing/fair-slots';
import { resolveSecrets } from '../../services/run/secrets';
import type { CheckedRight } from '../../services/source/check';
import type { SourceChecks } from '../../services/source/sources';

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
  const resolve = async (config: Record<string, unknown>, reader: CheckReader | undefined) => {
    const names = listConnectionNames(config);
    const people = reader ? [reader] : [];
    const opened = names.length > 0 && reader && connections ? await connections.open(names, people) : [];
    const getConnection = (name: string) => findUsableConnection(opened, name, people);
    return resolveSecrets(
      config,
      {},
      { schema: ingestSource.config, ...listSourceSecrets(config), connection: getConnection },
    );
  };
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

/** True if the configuration names secrets in the environment of the worker. */
export function usesWorkerSecrets(config: Record<string, unknown>): boolean {
  return JSON.stringify(config).includes('${DOCLOOM_SECRET_');
}

function listUnknownRights(config: Record<string, unknown>): CheckedRight[] {
  const rights = findSourceKind(config)?.rights ?? {};
  const message = 'The source uses secrets of the worker, which the api does not know; its server was not contacted.';
  return sourceRights.flatMap((right) => {
    const needs = rights[right];
    return needs === undefined ? [] : [{ right, needs, outcome: 'unknown' as const, message }];
  });
}
