import { AppError } from '../../model/errors';
import { effectiveConfig } from '../../model/flow/config';
import { ancestors, readGraph } from '../../model/flow/graph';
import type { Row } from '../../model/flow/row';
import type { OperatorContext } from '../operator';

type Context = OperatorContext<'sources'>;

/** Provider and configuration of an upstream ingest operator. */
export interface Origin {
  provider: string;
  config: Record<string, unknown>;
}

/** The sources that the rows of an operator may come from. Throws when the flow has none. */
export function originsOf({ run: { flow }, operator, configOf }: Context): Origin[] {
  const upstream = ancestors(readGraph(flow), operator);
  const origins = flow.flow
    .filter(({ type, name }) => type === 'ingest_source' && upstream.has(name))
    .map((ingest) => {
      const config = configOf?.(ingest.name) ?? effectiveConfig(flow, ingest);
      return { provider: typeof config['provider'] === 'string' ? config['provider'] : 'filesystem', config };
    });
  if (origins.length > 0) return origins;
  throw new AppError(
    'OPERATOR_CONFIGURATION_INVALID',
    `No 'ingest_source' stands before the operator '${operator}', so its documents cannot be read.`,
  );
}

/** Tries each source: a row does not record which of them listed it, and only one of them knows its path. */
export async function readBytes(
  row: Row,
  { services, signal }: Context,
  origins: readonly Origin[],
): Promise<Uint8Array> {
  let failure: unknown;
  for (const { provider, config } of origins) {
    try {
      return await services.sources.read(provider, row.path, config, signal);
    } catch (error) {
      signal.throwIfAborted();
      failure ??= error;
    }
  }
  throw failure;
}
