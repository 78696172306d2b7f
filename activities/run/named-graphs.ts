import { getTemplate } from '../../graph/request';
import { AppError, asAppError, errorCatalogue } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import { getRunPeople } from '../../model/run/rights';
import type { GraphConfig } from '../../operators/graph/schema';
import { findOperator } from '../../operators/index';
import type { NewCorpusGraph } from '../../services/graph/graphs';
import type { GraphRecord } from '../../services/graph/store';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';
import { readSetIds } from './document-sets';
import { resolveConfig } from './snapshots';

type Deps = Pick<ActivityDeps, 'services' | 'env' | 'graphs'>;

/**
 * Creates the graphs of all documents that the operators of a run name, or applies their settings; the owner of the run owns them.
 * A graph that is impossible is a warning, because the run has done its work. An outage is thrown: the end of the run is repeated
 * when it is over.
 */
export async function followNamedGraphs(
  deps: Deps,
  run: RunRecord,
): Promise<{ created: string[]; warnings: string[] }> {
  const created: string[] = [];
  const warnings: string[] = [];
  const names = new Set<string>();
  for (const { name, config } of listNamedGraphs(run)) {
    try {
      if (names.has(config.graph_name))
        throw new AppError('CONFLICT', 'Another operator of the flow builds a graph of this name.');
      names.add(config.graph_name);
      const id = await deps.graphs.updates.followFlow(await buildNamedGraph(deps, run, { name, config }));
      if (id !== undefined) created.push(id);
    } catch (error) {
      const { code, message } = asAppError(error);
      if (errorCatalogue[code].retry === 'outage') throw error;
      warnings.push(`'${name}' cannot build the graph '${config.graph_name}' (${code}): ${message}`);
    }
  }
  return { created, warnings };
}

/** An operator of a flow that names a graph. */
interface NamedGraph {
  name: string;
  /** With unresolved secrets, which each update resolves. */
  config: GraphConfig & { graph_name: string };
}

function listNamedGraphs({ snapshot: { flow } }: RunRecord): NamedGraph[] {
  return flow.flow.flatMap((operator) => {
    const config = buildEffectiveConfig(flow, operator) as GraphConfig;
    const { graph_name } = config;
    if (operator.type !== 'graph' || graph_name === undefined) return [];
    return [{ name: operator.name, config: { ...config, graph_name } }];
  });
}

async function buildNamedGraph(deps: Deps, run: RunRecord, { name, config }: NamedGraph): Promise<NewCorpusGraph> {
  const { owner } = run;
  const operator = findOperator('graph');
  // Everybody on whose behalf the run acts must be allowed to use its secrets; updates ask only the owner.
  if (operator) resolveConfig(run, name, operator, deps.env);
  const [setId = ''] = Object.values(await readSetIds(deps, run));
  const set = await deps.services.documentSets.find(owner, { id: setId });
  if (!set) throw new AppError('DOCUMENT_SET_NOT_FOUND', 'The run has written no document set.');
  const { template, graph_name, limit = null, resolution, provider_config } = config;
  return {
    name: graph_name,
    owner,
    owner_groups: getRunPeople(run).find(({ username }) => username === owner)?.groups ?? [],
    readers: [],
    source: { name: set.name, document_set_id: set.id },
    template: getTemplate(template).root,
    given: template,
    options: buildOptions(config),
    limit,
    is_dry_run: false,
    auto_update: true,
    ...(resolution === undefined ? {} : { resolution }),
    ...(config.backend === 'llm' ? { provider_config: JSON.stringify(provider_config) } : {}),
  };
}

/** The options of a graph that the settings of the operator stand for. */
function buildOptions(config: GraphConfig): GraphRecord['options'] {
  const { backend = 'rules', type, chunk_max_tokens, extraction_contract, context_limit, reverse_edges } = config;
  const { model_id, max_tokens } = config.provider_config ?? {};
  const all = {
    backend,
    ...(backend === 'llm' ? { type, model_id, max_output_tokens: max_tokens } : {}),
    chunk_max_tokens,
    extraction_contract,
    context_limit,
    reverse_edges,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
