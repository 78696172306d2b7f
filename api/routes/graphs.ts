import { Type } from '@sinclair/typebox';
import { asGraphAppError, ConfigurationError, runPipeline, writeJson } from '../../graph';
import { AppError } from '../../model/errors';
import { templateOf } from '../../operators/graph/schema';
import { route } from '../route';

/** Rules run within the request, on the thread that answers all others: what is larger goes through a flow. */
const limits = { documentCharacters: 200_000, templateCharacters: 100_000, templateFields: 200 } as const;

const Attributes = Type.Record(Type.String(), Type.Unknown());

export const createGraph = route({
  method: 'POST',
  path: '/api/v1/graphs',
  summary: 'The knowledge graph of a document whose access list names you, by rules.',
  description:
    'Nothing is kept: the answer is the graph itself, as `graph.json` has it. The rules read labels and tables; a language model, and documents of more than 200,000 characters, need the operator `graph` in a flow. A template has up to 200 fields. A missing document and one that you may not read give the same answer.',
  tags: ['Documents'],
  auth: 'user',
  body: Type.Object(
    {
      document_id: Type.String({ minLength: 1, maxLength: 512, description: 'A document of the index.' }),
      template: Type.Union([Type.String({ minLength: 1, maxLength: limits.templateCharacters }), Type.Object({})], {
        description: 'A template or a JSON Schema, as an object, or as its YAML or JSON text; no dotted paths.',
      }),
    },
    { additionalProperties: false },
  ),
  replies: {
    200: Type.Object({
      nodes: Type.Array(Attributes),
      edges: Type.Array(Attributes),
      metadata: Attributes,
      graph: Attributes,
    }),
  },
  errors: [
    'VALIDATION_ERROR',
    'GRAPH_CONFIGURATION_INVALID',
    'GRAPH_EXTRACTION_FAILED',
    'GRAPH_VALUE_INVALID',
    'DOCUMENT_NOT_FOUND',
    'DOCUMENT_TOO_LARGE',
    'SEARCH_CONNECTION_FAILED',
  ],
  handler: async ({ body, user, services, signal }) => {
    try {
      const template = limitedTemplate(body.template);
      const document = await services.search.get(user, body.document_id);
      if (!document)
        throw new AppError('DOCUMENT_NOT_FOUND', 'Document not found.', {
          target: { type: 'field', name: 'document_id' },
        });
      if (document.content.length > limits.documentCharacters)
        throw new AppError(
          'DOCUMENT_TOO_LARGE',
          `The document has ${document.content.length} characters; up to ${limits.documentCharacters} are read here.`,
        );
      const { graph } = await runPipeline({
        source: document.content,
        template,
        options: { backend: 'rules' },
        sourceName: document.title,
        signal,
      });
      return JSON.parse([...writeJson(graph)].join('')) as never;
    } catch (error) {
      throw asGraphAppError(error);
    }
  },
});

function limitedTemplate(given: string | object) {
  const characters = typeof given === 'string' ? given.length : JSON.stringify(given).length;
  if (characters > limits.templateCharacters)
    throw new ConfigurationError(
      `The template has ${characters} characters; up to ${limits.templateCharacters} are read here`,
    );
  const template = templateOf(given);
  const fields = [...template.classes.values()].reduce((sum, one) => sum + one.fields.length, 0);
  if (fields > limits.templateFields)
    throw new ConfigurationError(`The template has ${fields} fields; up to ${limits.templateFields} are read here`);
  return template;
}
