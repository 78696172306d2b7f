import { type Static, Type } from '@sinclair/typebox';
import { ConfigurationError } from '../../graph/core/errors';
import { getTemplate } from '../../graph/request';
import type { OperatorDefinition, OperatorProblem } from '../../model/flow/operator';
import { graphFormats } from '../../model/graph/graph-build';
import { resolutionModes } from '../../model/graph/pairs';
import { GraphLimit } from '../../model/graph/wire';
import { literals } from '../../model/literals';
import {
  ChatProviderConfig,
  findModelType,
  type ModelSettings,
  modelTypes,
  findUnknownMembers,
} from '../../model/llm/model-host';
import { createProblem } from '../problem';

/** Defaults of a configuration. */
export const defaults = { backend: 'rules', chunkMaxTokens: 512, contract: 'auto', provenance: 'off' } as const;

export const config = Type.Object(
  {
    template: Type.Union([Type.String({ minLength: 1, maxLength: 1_000_000 }), Type.Object({})], {
      description:
        'What to extract: a template or a JSON Schema, as an object or as YAML or JSON text. Dotted paths are not supported here.',
    }),
    backend: Type.Optional(
      literals(['rules', 'llm'], {
        default: defaults.backend,
        description: '`rules`: by labels and tables, without a model; `llm`: a language model of the `type`.',
      }),
    ),
    type: Type.Optional(
      literals(Object.keys(modelTypes), {
        description: 'What runs the model: `local_api`, `gateway` or `hosted`. Default: local_api.',
      }),
    ),
    provider_config: Type.Optional(ChatProviderConfig),
    graph_name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Instead of a graph of each document, one graph of this name of all documents in the document set of the flow. Each run updates it.',
      }),
    ),
    resolution: Type.Optional(
      literals(resolutionModes, {
        description:
          'With `graph_name`: whether nodes that mean the same thing are found after each update. Default: what the graph has, at first `off`.',
      }),
    ),
    limit: Type.Optional(
      Type.Object(GraphLimit.properties, {
        additionalProperties: false,
        description:
          'With `graph_name`: an update does not start if its estimate exceeds a limit, and stops when it reaches one.',
      }),
    ),
    formats: Type.Optional(
      Type.Array(literals(graphFormats.filter((format) => format !== 'parquet')), {
        uniqueItems: true,
        description:
          'Files of each graph: `graph.json`, which is always written, `csv` (`nodes.csv`, `edges.csv`), `cypher` (`graph.cypher`, `graph.merge.cypher`), `report`, `html`, `graphml`, `gexf`, `turtle` and `jsonld`.',
      }),
    ),
    chunk_max_tokens: Type.Optional(
      Type.Integer({
        minimum: 16,
        maximum: 1_000_000,
        default: defaults.chunkMaxTokens,
        description: 'Maximum tokens of a chunk that is sent to a model; a token is four characters.',
      }),
    ),
    extraction_contract: Type.Optional(
      literals(['direct', 'dense', 'auto'], {
        default: defaults.contract,
        description:
          'How the model is queried. `direct`: once for the whole document, or chunk by chunk if it does not fit the context; `dense`: first for the entities in the chunks, then for their fields; `auto`: `direct` if one answer can hold everything, else `dense`.',
      }),
    ),
    context_limit: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Maximum tokens of a request and its answer together.' }),
    ),
    provenance: Type.Optional(
      literals(['off', 'standard', 'detailed'], {
        default: defaults.provenance,
        description: 'How much evidence to keep on nodes and in `provenance.json`.',
      }),
    ),
    reverse_edges: Type.Optional(
      Type.Boolean({ default: false, description: 'Add a reverse edge for each edge, labelled `reverse_…`.' }),
    ),
  },
  { additionalProperties: true },
);
export type GraphConfig = Static<typeof config>;

/** The model used by the backend `llm`. */
export function readModelSettings({
  type,
  provider_config,
}: Pick<GraphConfig, 'type' | 'provider_config'>): ModelSettings {
  return { type: findModelType(type ?? '') ?? 'local_api', provider_config };
}

export const graph = {
  name: 'graph',
  label: 'Knowledge graph',
  category: 'Extract',
  scope: 'row',
  queue: 'cpu',
  needs: ['files', 'llm'],
  reads: ['id', 'name', 'content'],
  writes: ['graph_ref', 'graph_nodes', 'graph_edges'],
  columns: {
    graph_ref: {
      type: 'string',
      description:
        "The files-store key of the document's graph.json; null if nothing in the document matches the template.",
      indexed: false,
    },
    graph_nodes: { type: 'int32', description: 'Number of nodes of the graph.', indexed: false },
    graph_edges: { type: 'int32', description: 'Number of edges of the graph.', indexed: false },
  },
  config,
  summary:
    'Builds a knowledge graph of each document, or one of all documents, with a template, by rules or a language model.',
  validate,
  leavesOut: ({ graph_name: name }) => (name === undefined ? [] : ['graph_ref', 'graph_nodes', 'graph_edges']),
  place: {
    exactlyOne: {
      type: 'document_set',
      applies: ({ graph_name: name }) => name !== undefined,
      messageCode: 'GRAPH_SET_NOT_CLEAR',
      message: (operator, found) =>
        `'${operator}' builds a graph of the document set that the flow writes; expected one document_set, found ${found.length === 0 ? 'none' : found.join(', ')}.`,
    },
  },
} as const satisfies OperatorDefinition;

function validate(input: Record<string, unknown>): OperatorProblem[] {
  const problems = findTemplateProblems(input['template']);
  const settings = input['provider_config'];
  if (input['backend'] === 'llm' && (settings as { model_id?: unknown } | undefined)?.model_id === undefined)
    problems.push(
      createProblem('The backend llm needs provider_config.model_id, the name of the model.', '/provider_config'),
    );
  if (input['graph_name'] === undefined)
    for (const member of ['resolution', 'limit'].filter((name) => input[name] !== undefined))
      problems.push(
        createProblem(`'${member}' is for one graph of all documents; it needs 'graph_name'.`, '/graph_name'),
      );
  else if (input['formats'] !== undefined)
    // A warning, because stored flows may have both.
    problems.push({
      severity: 'warning',
      messageCode: 'GRAPH_FORMATS_NOT_WRITTEN',
      message: "'formats' has no effect with 'graph_name': it is for the files of a graph of each document.",
      pointer: '/formats',
    });
  if (input['resolution'] === 'model' && input['backend'] !== 'llm')
    problems.push(createProblem('The resolution model needs the backend llm.', '/resolution'));
  return [...problems, ...findUnknownMembers(ChatProviderConfig, settings, '/provider_config')];
}

function findTemplateProblems(template: unknown): OperatorProblem[] {
  // The schema reports values that are neither text nor object.
  if (typeof template !== 'string' && (typeof template !== 'object' || template === null)) return [];
  try {
    getTemplate(template);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const listed = error.details['problems'];
    if (!Array.isArray(listed)) return [createProblem(`${error.message}.`, '/template')];
    // A pointer cannot name a place inside a text.
    return listed.map((problem) => locateTemplateProblem(String(problem), typeof template === 'object'));
  }
}

/** Turns `/entities/0 has no name` into a problem at that pointer. Problems of the whole template begin with `/` and a blank. */
function locateTemplateProblem(problem: string, hasPlaces: boolean): OperatorProblem {
  const [, place = '', text = problem] = /^(\/\S*) (.*)$/s.exec(problem) ?? [];
  if (hasPlaces && place.length > 1) return createProblem(`The template is invalid: ${text}.`, `/template${place}`);
  return createProblem(`The template is invalid: ${place === '/' ? text : problem}.`, '/template');
}
