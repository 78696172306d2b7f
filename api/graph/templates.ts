import { buffer } from 'node:stream/consumers';
import { Type } from '@sinclair/typebox';
import {
  chatModel,
  describeTemplate,
  type GraphTemplate,
  improveTemplate,
  templateFromSamples,
  templateOfClass,
  type TemplateSample,
  templateToFile,
} from '../../graph';
import { toGraphFailure } from '../../graph/failure';
import { AppError, errorCatalogue } from '../../model/errors';
import { GraphTemplateDraft, GraphTemplateRequest, GraphTemplates } from '../../model/graph/wire-templates';
import { listDocumentClasses } from '../../services/operator/document-classes';
import { documentSetPolicy, read } from '../http/policies';
import { route } from '../http/route';
import { asGraphError } from './request';
import { loadSource, type SourceContext } from './source';

/** Number of documents to read from a set when none are named. */
const defaultSamples = 5;
/** Number of characters of a document that are read: drafts use only its beginning. */
const maxCharacters = 100_000;

export const listGraphTemplates = route({
  method: 'GET',
  path: '/api/v1/graphs/templates',
  summary: 'Templates for the document classes that ship with the product.',
  query: Type.Object({
    document_type: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: 'Only that of this class.' }),
    ),
  }),
  replies: { 200: GraphTemplates },
  handler: ({ query: { document_type: documentType } }) => ({
    templates: listDocumentClasses()
      .filter(({ document_type }) => documentType === undefined || document_type === documentType)
      .map((item) => ({
        document_type: item.document_type,
        description: item.document_description,
        template: templateToFile(templateOfClass(item)),
      })),
  }),
});

export const draftGraphTemplate = route({
  method: 'POST',
  path: '/api/v1/graphs/template',
  scope: 'read',
  audit: 'read',
  summary: 'Drafts a template from up to ten documents of one kind that you may read.',
  description:
    'Labelled values become fields, tables and sections become classes; of several documents, what at least half of them have. Up to 100,000 characters of each are read. If the operator set DOCLOOM_TEMPLATE_MODEL, that model improves the draft. Review the draft before you build a graph with it.',
  body: GraphTemplateRequest,
  replies: { 200: GraphTemplateDraft },
  errors: [
    'VALIDATION_ERROR',
    'GRAPH_CONFIGURATION_INVALID',
    'DOCUMENT_NOT_FOUND',
    'DOCUMENT_SET_NOT_FOUND',
    'DOCUMENT_TOO_LARGE',
    'SEARCH_CONNECTION_FAILED',
    'SEARCH_BUSY',
    'GRAPH_EXTRACTION_FAILED',
    'EXTERNAL_SERVICE_ERROR',
    'SERVICE_UNAVAILABLE',
    'TOO_MANY_REQUESTS',
  ],
  handler: async ({ body, ...context }) => {
    const samples = await readSamples(body, context);
    const drafted = asGraphError(() => templateFromSamples(samples, body.root));
    const usesModel = body.use_model ?? context.services.templateModel.isConfigured;
    if (!usesModel) refuseEmpty(drafted, samples.length);
    const { template, model } = usesModel
      ? await improveDraft(drafted, samples, { isRequired: body.use_model === true, context })
      : { template: drafted, model: null };
    refuseEmpty(template, samples.length);
    return {
      root: template.root,
      samples: samples.map(({ name }) => name),
      template: templateToFile(template),
      markdown: describeTemplate(template),
      model,
    };
  },
});

/** Has the model of the operator improve a draft. If it fails and is not required, the draft stays as it is. */
async function improveDraft(
  draft: GraphTemplate,
  samples: readonly TemplateSample[],
  {
    isRequired,
    context: { user, services, signal },
  }: { isRequired: boolean; context: SourceContext & { signal: AbortSignal } },
): Promise<{ template: GraphTemplate } & Pick<GraphTemplateDraft, 'model'>> {
  const drafting = services.templateModel.open(user.username);
  try {
    const model = chatModel((question, over = signal) => drafting.ask(question, over));
    let template = draft;
    let failure: AppError | undefined;
    try {
      template = await improveTemplate({ model, signal }, samples, draft);
    } catch (error) {
      failure = toGraphFailure(error);
    }
    signal.throwIfAborted();
    if (failure && isRequired) throw hideModelAddress(failure);
    const { requests, inputTokens: input_tokens, outputTokens: output_tokens, cost } = drafting.usage;
    const error = failure ? { error: { code: failure.code, message: errorCatalogue[failure.code].text } } : {};
    const usage = { requests, input_tokens, output_tokens, cost };
    return { template, model: { improved: !failure, usage, ...error } };
  } finally {
    drafting.close();
  }
}

/** The failure as the caller may see it: messages of model hosts reveal the address that the operator configured. */
function hideModelAddress(failure: AppError): AppError {
  if (failure.code === 'GRAPH_EXTRACTION_FAILED') return failure;
  const message = `The model that improves templates failed (${failure.code}).`;
  return new AppError('EXTERNAL_SERVICE_ERROR', message, {}, failure);
}

async function readSamples(body: GraphTemplateRequest, context: SourceContext): Promise<TemplateSample[]> {
  const { document_ids: named, document_set_id: setId, text } = body;
  if (text !== undefined && named === undefined && setId === undefined) return [{ name: 'text', markdown: text }];
  if (text !== undefined || (named === undefined && setId === undefined))
    throw new AppError(
      'VALIDATION_ERROR',
      "Samples have one source: expected 'document_ids', with 'document_set_id' where a set holds them, or 'document_set_id' alone, or 'text'.",
      { target: { type: 'field', name: 'document_ids' } },
    );
  const ids = named ?? (await listFirstDocuments(setId ?? '', context));
  const samples: TemplateSample[] = [];
  for (const document_id of ids) {
    const request = { document_id, ...(setId === undefined ? {} : { document_set_id: setId }), template: {} };
    const { source, content } = await loadSource(request, context);
    const input = await content();
    const bytes = input instanceof Uint8Array ? Buffer.from(input) : await buffer(input);
    samples.push({ name: getStem(source.name), markdown: bytes.toString('utf8').slice(0, maxCharacters) });
  }
  return samples;
}

/** The first documents of a set that the user may read. */
async function listFirstDocuments(setId: string, context: SourceContext): Promise<string[]> {
  const { user, services } = context;
  await read(documentSetPolicy, setId, context);
  const setColumns = await services.documentSets.listColumns(user, setId, {});
  const columns = ['id', 'document_id'].filter((name) => setColumns.includes(name));
  const ids = new Set<string>();
  if (columns.length > 0)
    for await (const page of services.documentSets.readAll(user, setId, columns)) {
      for (const { id, document_id } of page) ids.add(String(document_id ?? id));
      if (ids.size >= defaultSamples) break;
    }
  if (ids.size > 0) return [...ids].slice(0, defaultSamples);
  throw new AppError('DOCUMENT_NOT_FOUND', 'The document set has no document that you may read.', {
    target: { type: 'field', name: 'document_set_id' },
  });
}

/** The name of a file without its extension. */
function getStem(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

function refuseEmpty({ root, classes }: GraphTemplate, samples: number): void {
  if ((classes.get(root)?.fields.length ?? 0) > 0) return;
  const what =
    samples === 1 ? 'The sample has nothing labelled' : `The ${samples} samples have nothing labelled in common`;
  throw new AppError('GRAPH_CONFIGURATION_INVALID', `${what}: no 'Label: value', no table with headings.`, {
    target: { type: 'field', name: 'document_ids' },
  });
}
