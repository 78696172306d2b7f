import { createHash, hash } from 'node:crypto';
import { readFormats } from '../../model/conversion/request/formats';
import { listIdleOptions, findRefusal, computeSourcesLimit } from '../../model/conversion/request/policy';
import { noteMissingEngines, noteMissingOutputs } from '../../model/conversion/request/request-notes';
import type { TaskDescriptor, TaskType } from '../../model/conversion/task/task';
import { AppError, asAppError } from '../../model/errors';
import type { NewConversionTask, TaskSource, TaskTarget } from '../../services/conversion/ports';
import { hasTextModels } from '../../services/image/ocr-engines';
import { hasTableModel } from '../../services/image/slanet/table-model';
import { createUploads } from './body/uploads';
import { RequestError } from './http/request-error';
import type { ConversionExchange } from './http/route';
import { listRecognitionNotes } from './languages';
import { refuseUnreachable } from './reachable';
import { readFormRequest } from './read-form';
import { type ReadRequest, readJsonRequest, type RequestKind, omitNulls } from './read-request';

type Exchange = ConversionExchange<unknown, unknown>;

/** A submitted task, with its headers for every reply. */
export interface Submitted {
  task: TaskDescriptor;
  headers: Record<string, string>;
}

/** Reads and validates the request and submits its task. A rejected request leaves no stored files. */
export async function submitTask(exchange: Exchange, kind: RequestKind, sent: 'source' | 'file'): Promise<Submitted> {
  const { conversion, settings, context, newId } = exchange;
  const id = newId();
  const getKey = (index: number) => conversion.tasks.uploadKey(id, index);
  const contents = context.get('Idempotency-Key') === '' ? undefined : createHash('sha256');
  const uploads = createUploads(conversion.files, getKey, computeSourcesLimit(settings.policy), contents);
  let mayBeStored = false;
  try {
    const request =
      sent === 'source'
        ? await readJsonRequest(context, kind, { uploads, maxBytes: settings.maxJsonBytes, policy: settings.policy })
        : await readFormRequest(context, requireNotBatch(kind), {
            uploads,
            maxBytes: settings.maxUploadBytes,
            policy: settings.policy,
          });
    const languages = listRecognitionNotes(request.options, settings.modelsFolder);
    const newTask = createTask(exchange, { id, kind, sent, request });
    const conversionTask = contents
      ? { ...newTask, request_hash: computeRequestHash(newTask, contents.digest('hex')) }
      : newTask;
    await refuseUnreachable(conversion.guard, request, exchange.options.logger);
    mayBeStored = contents !== undefined;
    const task = await conversion.tasks.submit(conversionTask);
    // An earlier request with the same key has created the task.
    if (task.task_id !== id) await uploads.discard();
    const idle = [
      ...listIdleNotes(request, settings.policy),
      ...noteMissingEngines(request.options, {
        hasTextModels: hasTextModels(settings.modelsFolder),
        hasTableModel: hasTableModel(settings.modelsFolder),
      }),
      ...languages,
      ...(conversionTask.task_type === 'chunk'
        ? []
        : noteMissingOutputs(conversionTask.options.to_formats, conversionTask.target.kind)),
    ];
    return { task, headers: buildHeaders(task, { ...request, notes: [...request.notes, ...idle] }) };
  } catch (error) {
    // A database that stopped answering may have stored the task. A repeated request then gets that task, which needs its files;
    // otherwise the sweep removes them.
    if (!mayBeStored || asAppError(error).code === 'CONFLICT') await uploads.discard();
    throw error;
  }
}

function requireNotBatch(kind: RequestKind): Exclude<RequestKind, 'batch'> {
  if (kind === 'batch') throw new AppError('INTERNAL_ERROR', 'A batch is sent as JSON, not as a form.');
  return kind;
}

function createTask(
  { settings, conversion, tenant, context }: Exchange,
  input: { id: string; kind: RequestKind; sent: 'source' | 'file'; request: ReadRequest },
): NewConversionTask {
  const { id, kind, sent, request } = input;
  const { tasks } = conversion;
  const policy = { ...settings.policy, artifactStorage: tasks.keepsArtifacts };
  const isChunking = kind === 'hybrid' || kind === 'hierarchical';
  const target = request.target ?? getDefaultTarget(kind, tasks.keepsArtifacts, policy.targetKinds);
  const further = request.furtherTargets ?? [];
  for (const { kind: targetKind } of [target, ...further]) {
    const refusal = findRefusal(
      {
        options: request.options,
        sources: request.sources,
        target: targetKind,
        isChunking,
        counted: sent === 'file' ? 'files' : 'sources',
      },
      policy,
    );
    if (refusal !== undefined) throw new RequestError(422, refusal);
  }
  const taskType: TaskType = isChunking ? 'chunk' : 'convert';
  const key = context.get('Idempotency-Key');
  return {
    id,
    tenant,
    task_type: taskType,
    options: {
      ...request.options,
      from_formats: readFormats(settings.honourFromFormats ? request.options.from_formats : undefined),
    },
    ...(request.chunking ? { chunking: request.chunking } : {}),
    ...(isChunking ? { include_converted_doc: request.includeConvertedDoc } : {}),
    // The policy has rejected all other kinds.
    sources: request.sources as TaskSource[],
    target: omitNulls(target) as TaskTarget,
    ...(further.length > 0 ? { further_targets: further.map((item) => omitNulls(item) as TaskTarget) } : {}),
    callbacks: request.callbacks,
    ...(key === '' ? {} : { idempotency_key: key }),
  };
}

/** Hash of the request, with files identified by content rather than by storage key. */
function computeRequestHash({ id: _id, idempotency_key: _key, ...task }: NewConversionTask, contents: string): string {
  const sources = task.sources.map((source) => (source.kind === 'file' ? { ...source, key: '' } : source));
  return hash('sha256', JSON.stringify([contents, { ...task, sources }]));
}

/** The default target of results: the server's bucket if it has one, otherwise the reply. */
function getDefaultTarget(
  kind: RequestKind,
  keepsArtifacts: boolean,
  allowed: readonly string[],
): NonNullable<ReadRequest['target']> {
  if (kind === 'hybrid' || kind === 'hierarchical') return { kind: 'inbody' };
  const storesArtifacts = keepsArtifacts && (allowed.length === 0 || allowed.includes('presigned_url'));
  return { kind: storesArtifacts ? 'presigned_url' : 'inbody' };
}

function listIdleNotes(request: ReadRequest, policy: Exchange['settings']['policy']): string[] {
  const idle = listIdleOptions(request.options, policy);
  return idle.map((name) => `The option ${name} has no effect: this server has no model for it.`);
}

function buildHeaders(task: TaskDescriptor, { notes, isDeprecated }: ReadRequest): Record<string, string> {
  return {
    'X-Task-Id': task.task_id,
    ...(isDeprecated ? { Deprecation: 'true' } : {}),
    ...(notes.length === 0 ? {} : { Warning: notes.map((note) => `299 - "${note}"`).join(', ') }),
  };
}
