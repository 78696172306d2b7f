import { getClassKey } from '../../model/entity/entity-fields';
import { asAppError, errorCatalogue } from '../../model/errors';
import type { Row, RowFailure } from '../../model/flow/row';
import { addUsage, createEmptyUsage, getUsageMetrics } from '../../model/llm/model-host';
import { createByteReader } from '../extract_operator/read-source';
import type { OperatorContext, OperatorResult } from '../operator';
import { mapConcurrently } from '../rows/parallel';
import { classifyByModel } from './classify-model';
import { type Choice, type Classification, createRuleClassifier } from './classify-rules';
import { type ClassifierConfig, getClassifierType, defaults } from './schema';

type Context = OperatorContext<'sources' | 'members' | 'converter' | 'llm' | 'documentClasses'>;

/** Adds the class to each row. If a document cannot be read or classified, only that document fails. */
export async function run(rows: readonly Row[], config: ClassifierConfig, context: Context): Promise<OperatorResult> {
  const usage = createEmptyUsage();
  const classify = createClassifier(config, context, (used) => addUsage(usage, used));
  const readText = createTextReader(rows, config, context);
  const threshold = config.confidence_threshold ?? defaults.threshold;
  const column = config.output_column ?? defaults.column;
  const maxConcurrent = config.provider_config?.max_concurrent_requests ?? 4;
  const outcomes = await mapConcurrently(
    rows,
    maxConcurrent,
    context,
    async (row, signal): Promise<Row | RowFailure> => {
      try {
        const { type, confidence, reasoning } = await classify(await readText(row, signal), signal);
        return {
          ...row,
          [column]: type === undefined || confidence < threshold ? null : type,
          ...(config.include_confidence === false ? {} : { classification_confidence: confidence }),
          ...(config.include_reasoning ? { classification_reasoning: reasoning } : {}),
        };
      } catch (error) {
        signal.throwIfAborted();
        const failure = asAppError(error);
        if (errorCatalogue[failure.code].scope !== 'document') throw failure;
        return { id: row.id, name: row.name, code: failure.code, message: failure.message };
      }
    },
  );
  const classified = outcomes.filter((outcome): outcome is Row => 'path' in outcome);
  const classifiedCount = classified.filter((row) => row[column] !== null).length;
  return {
    rows: classified,
    failed: outcomes.filter((outcome): outcome is RowFailure => !('path' in outcome)),
    metrics: {
      classified: classifiedCount,
      unclassified: classified.length - classifiedCount,
      ...getUsageMetrics(usage),
    },
  };
}

/** Returns a function that classifies a text. */
function createClassifier(
  config: ClassifierConfig,
  { services }: Context,
  onUsage: Parameters<Context['services']['llm']['chat']>[3],
): (text: string, signal: AbortSignal) => Classification | Promise<Classification> {
  const choices = listChoices(config, services);
  const type = getClassifierType(config);
  if (type === 'rules') return createRuleClassifier(choices);
  const settings = { type, provider_config: config.provider_config };
  return (text, signal) =>
    classifyByModel(text, choices, (request) => services.llm.chat(request, settings, signal, onUsage));
}

function listChoices(
  { document_types: requestedTypes }: ClassifierConfig,
  { documentClasses }: Context['services'],
): Choice[] {
  const classes = documentClasses.list();
  if (requestedTypes === undefined)
    return classes.map((documentClass) => ({
      name: documentClass.document_type,
      description: documentClass.document_description,
      known: documentClass,
    }));
  const entries = Array.isArray(requestedTypes)
    ? requestedTypes.map((name) => [name, ''] as const)
    : Object.entries(requestedTypes);
  return entries.map(([name, description]) => {
    const documentClass = classes.find(({ document_type }) => document_type === getClassKey(name));
    const choice = { name, description: description || (documentClass?.document_description ?? '') };
    return documentClass ? { ...choice, known: documentClass } : choice;
  });
}

/** Returns a function that reads the beginning of a row's text; a row without text is read from its source. */
function createTextReader(
  rows: readonly Row[],
  config: ClassifierConfig,
  context: Context,
): (row: Row, signal: AbortSignal) => Promise<string> {
  const maxCharacters = config.max_content_length ?? defaults.maxContentLength;
  let readBytes: ReturnType<typeof createByteReader> | undefined;
  return async (row, signal) => {
    const text = row[config.doc_column ?? 'content'];
    if (typeof text === 'string') return text.slice(0, maxCharacters);
    readBytes ??= createByteReader(rows, context);
    const bytes = await readBytes(row);
    const timeoutMs = (config.timeout ?? defaults.timeoutSeconds) * 1_000;
    const converted = await context.services.converter.convert({
      bytes,
      name: row.name,
      ...(row.mimetype === undefined ? {} : { mimetype: row.mimetype }),
      timeoutMs,
      signal,
    });
    return converted.text.slice(0, maxCharacters);
  };
}
