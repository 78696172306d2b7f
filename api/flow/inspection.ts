import type { FlowAlert } from '../../model/flow/validation';
import type { FlowDefinition, FlowOperator } from '../../model/flow/flow';
import { effectiveConfig } from '../../model/flow/config';
import { ancestors, readGraph } from '../../model/flow/graph';
import { AppError, asAppError } from '../../model/errors';
import { describeEmbedding, getIndexEmbedding, isSameEmbedding } from '../../model/llm/index-embedding';
import { embeddings } from '../../operators/embeddings/schema';
import { ingestSource } from '../../operators/ingest_source/schema';
import type { CheckReader, SourceInspector } from '../source/inspector';
import { getSearchTarget, vectordb } from '../../operators/vectordb/schema';
import type { Embedder } from '../../services/embedding/embedder';
import type { CheckedRight } from '../../services/source/check';
import type { IndexInspector } from '../../services/search/search';

/** The additional checks of a deep validation. */
export interface FlowInspection {
  /**
   * Contacts the servers named in the flow, for at most 15 s. Skips operators in `skip`, which are known to be invalid. Some
   * sources check the rights of `reader`.
   */
  inspect(
    flow: FlowDefinition,
    skip: ReadonlySet<string>,
    signal: AbortSignal,
    reader?: CheckReader,
  ): Promise<{ errors: FlowAlert[]; warnings: FlowAlert[] }>;
}

/** Services for an inspection. */
export interface InspectionDeps {
  search: IndexInspector;
  embedder: Pick<Embedder, 'embed'>;
  sources: SourceInspector;
}

const limitMs = 15_000;
const requestTimeoutSeconds = 10;

/**
 * Inspects from the machine of the api without changing anything: reads indexes, tries the rights that each source needs, embeds one
 * word. A worker elsewhere may see other folders and hosts; the messages mention this.
 */
export function createFlowInspection(deps: InspectionDeps): FlowInspection {
  return {
    async inspect(flow, skip, requested, reader) {
      const signal = AbortSignal.any([requested, AbortSignal.timeout(limitMs)]);
      const places = flow.flow.flatMap((operator, index) =>
        skip.has(operator.name) ? [] : [getPlace(flow, operator, index)],
      );
      const checked = places.filter(({ config }) => !usesSecrets(config));
      const dimensions = new Map<string, number>();
      const [rights, models] = await Promise.all([
        Promise.all(
          getPlaces(checked, ingestSource.name).map((place) => checkSource(place, deps.sources, signal, reader)),
        ),
        Promise.all(getPlaces(checked, embeddings.name).map((place) => checkModel(place, deps, dimensions, signal))),
      ]);
      const late = await Promise.all(
        getPlaces(checked, vectordb.name).map((place) => checkIndex(flow, place, deps, { dimensions, signal })),
      );
      const inspected: readonly string[] = [ingestSource.name, embeddings.name, vectordb.name];
      const unchecked = places
        .filter(({ config, operator }) => usesSecrets(config) && inspected.includes(operator.type))
        .map((place) =>
          alert(
            place,
            'NOT_CHECKED',
            `'${place.operator.name}' uses secrets of the worker, which the api does not know; its servers were not asked.`,
          ),
        );
      return {
        errors: [...rights.flatMap(({ errors }) => errors), ...models.flat(), ...late.flat()],
        warnings: [...unchecked, ...rights.flatMap(({ warnings }) => warnings)],
      };
    },
  };
}

interface Place {
  operator: FlowOperator;
  index: number;
  config: Record<string, unknown>;
}

function getPlace(flow: FlowDefinition, operator: FlowOperator, index: number): Place {
  return { operator, index, config: effectiveConfig(flow, operator) };
}

function usesSecrets(config: Record<string, unknown>): boolean {
  return JSON.stringify(config).includes('${DOCLOOM_SECRET_');
}

function alert({ operator, index }: Place, message_code: string, message: string, rest = ''): FlowAlert {
  return {
    message_code,
    message,
    node_name: operator.name,
    operator: operator.type,
    pointer: `/flow/${index}/config${rest}`,
  };
}

/** Runs a check and returns its failure as a finding. An aborted request ends all checks. */
async function finding(
  place: Place,
  rest: string,
  signal: AbortSignal,
  work: () => Promise<FlowAlert[]>,
): Promise<FlowAlert[]> {
  try {
    return await work();
  } catch (error) {
    const isLate = signal.aborted && (signal.reason as { name?: string } | undefined)?.name === 'TimeoutError';
    if (signal.aborted && !isLate) throw error;
    const { code, message } = isLate
      ? new AppError('SERVICE_UNAVAILABLE', `There was no answer within ${limitMs / 1_000} s.`)
      : asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    return [alert(place, code, `Seen from the api: ${message}`, rest)];
  }
}

function getPlaces(places: readonly Place[], type: string): Place[] {
  return places.filter(({ operator }) => operator.type === type);
}

/** Denied rights are errors, except that of access lists: documents whose list cannot be used fail one by one. */
async function checkSource(
  place: Place,
  sources: SourceInspector,
  signal: AbortSignal,
  reader: CheckReader | undefined,
): Promise<Record<'errors' | 'warnings', FlowAlert[]>> {
  let rights: CheckedRight[] = [];
  const errors = await finding(place, '/connection_params', signal, async () => {
    rights = await sources.check(place.config, reader, signal);
    return rights.filter(({ right }) => right !== 'access').flatMap((right) => findAlerts(place, right));
  });
  const warnings = rights.filter(({ right }) => right === 'access').flatMap((right) => findAlerts(place, right));
  return { errors, warnings };
}

function findAlerts(place: Place, { outcome, code, message }: CheckedRight): FlowAlert[] {
  if (outcome !== 'denied') return [];
  const text = `Seen from the api: ${message}`;
  return [alert(place, code ?? 'SOURCE_UNREADABLE', text, '/connection_params')];
}

function checkModel(
  place: Place,
  { embedder }: InspectionDeps,
  dimensions: Map<string, number>,
  signal: AbortSignal,
): Promise<FlowAlert[]> {
  return finding(place, '/provider_config', signal, async () => {
    const provider = (place.config['provider_config'] ?? {}) as Record<string, unknown>;
    const config = {
      ...place.config,
      provider_config: { ...provider, max_retries: 0, timeout: requestTimeoutSeconds },
    };
    const [vector] = await embedder.embed(['probe'], config, signal);
    if (vector) dimensions.set(place.operator.name, vector.length);
    return [];
  });
}

function checkIndex(
  flow: FlowDefinition,
  place: Place,
  { search }: InspectionDeps,
  { dimensions, signal }: { dimensions: ReadonlyMap<string, number>; signal: AbortSignal },
): Promise<FlowAlert[]> {
  return finding(place, '/index_name', signal, async () => {
    const { config } = place;
    const name = String(config['index_name']);
    const maker = embedderBefore(flow, place);
    const given = config['vector_dimension'];
    const made = maker && dimensions.get(maker.name);
    const expected = made ?? (typeof given === 'number' ? given : undefined);
    const alerts: FlowAlert[] = [];
    if (typeof given === 'number' && made !== undefined && made !== given) {
      const message = `vector_dimension is ${given}; the model of '${maker?.name}' gives vectors of ${made} dimensions.`;
      alerts.push(alert(place, 'EMBEDDING_DIMENSION_MISMATCH', message, '/vector_dimension'));
    }
    const facts = await search.describeIndex(name, getSearchTarget(config), signal);
    const wrong = (code: string, message: string) => [...alerts, alert(place, code, message, '/index_name')];
    if (!facts) {
      const { engine } = (config['provider_config'] ?? {}) as { engine?: unknown };
      // An existing index already has its engine.
      if (typeof engine === 'string') await search.checkEngine(engine, getSearchTarget(config), signal);
      return alerts;
    }
    if (facts.lacks.length > 0)
      return wrong(
        'SEARCH_INDEX_ERROR',
        `The index '${name}' was not made by Docloom: it lacks ${facts.lacks.join(', ')}.`,
      );
    if (expected === undefined) return alerts;
    if (facts.dimension === undefined)
      return wrong('SEARCH_INDEX_ERROR', `The index '${name}' was made without vectors; choose another index_name.`);
    if (facts.dimension !== expected)
      return wrong(
        'EMBEDDING_DIMENSION_MISMATCH',
        `The index '${name}' holds vectors of ${facts.dimension} dimensions; those of the flow have ${expected}.`,
      );
    const own = maker && getIndexEmbedding(effectiveConfig(flow, maker));
    if (own && facts.embedding && !isSameEmbedding(own, facts.embedding))
      return wrong(
        'SEARCH_INDEX_ERROR',
        `The index '${name}' holds vectors of the embedder ${describeEmbedding(facts.embedding)}; the flow has ${describeEmbedding(own)}.`,
      );
    return alerts;
  });
}

/** The only embeddings operator whose vectors reach the operator; undefined if there is none or more than one. */
function embedderBefore(flow: FlowDefinition, { operator, config }: Place): FlowOperator | undefined {
  const before = ancestors(readGraph(flow), operator.name);
  const column = config['embeddings_column'] ?? 'embeddings';
  const matches = flow.flow.filter(
    (other) =>
      other.type === embeddings.name &&
      before.has(other.name) &&
      (effectiveConfig(flow, other)['embeddings_column'] ?? 'embeddings') === column,
  );
  return matches.length === 1 ? matches[0] : undefined;
}
