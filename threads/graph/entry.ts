import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MessagePort } from 'node:worker_threads';
import { documentFromJson } from '../../document/json/json';
import {
  type Attributes,
  chatModel,
  exportTexts,
  ExtractionError,
  jsonText,
  type LanguageModel,
  parseJsonText,
  type PipelineContext,
  type PipelineInput,
  runPipeline,
  statisticsText,
  visionModel,
  writeJson,
} from '../../graph';
import { toGraphFailure } from '../../graph/failure';
import { toPipelineOptions, getTemplate } from '../../graph/request';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { defaultGraphFormats, type GraphFile, graphFormats } from '../../model/graph/graph-build';
import type { GraphOptions } from '../../model/graph/wire';
import type { GraphAnswer, GraphTask, ThreadCall, ThreadFailure, ThreadReply } from '../../services/graph/builder';
import { writeGraphParquet } from '../../services/table/parquet-file';

type Call = ThreadCall extends infer One ? (One extends ThreadCall ? Omit<One, 'id'> : never) : never;

/** Entry of a graph thread: builds files from sources and a template. Never throws; returns failures as a code and a message. */
export async function buildGraphFiles({ port, ...task }: GraphTask & { port: MessagePort }): Promise<GraphAnswer> {
  try {
    const pipeline = await runPipeline(buildInput(task, createCaller(port)));
    const files = await writeFiles(pipeline, task);
    const { nodes, edges } = pipeline.graph;
    return { facts: { nodes: nodes.size, edges: edges.size, problems: pipeline.problems.length, files } };
  } catch (error) {
    return { failure: toFailure(error) };
  } finally {
    port.close();
  }
}

/** Sends a call to the thread at the other end of the port and waits for its reply. */
function createCaller(port: MessagePort): (call: Call) => Promise<unknown> {
  const waiting = new Map<number, (reply: ThreadReply) => void>();
  let last = 0;
  port.on('message', (reply: ThreadReply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  return (call) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, (reply) => {
        if ('value' in reply) return resolve(reply.value);
        const { code, message, retryAfterMs } = reply.failure;
        reject(new AppError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs }));
      });
      port.postMessage({ ...call, id });
    });
}

function buildInput(task: Omit<GraphTask, 'port'>, call: (call: Call) => Promise<unknown>): PipelineInput {
  const text = new TextDecoder().decode(task.source);
  const { template } = JSON.parse(task.template) as { template: string | object };
  return {
    source: task.sourceType === 'document' ? documentFromJson(text, { trusted: true }) : text,
    template: getTemplate(template),
    options: toPipelineOptions(task.options),
    model: createModel(task.options, call),
    sourceName: task.sourceName,
    convertedAt: task.createdAt.slice(0, 19),
    finished: new Map([...task.finished].map(([key, checkpoint]) => [key, parseJsonText(checkpoint) as Attributes])),
    onChunkDone: (key, result) =>
      call({ hook: 'done', argument: { key, text: jsonText(result) } }).then(() => undefined),
  };
}

type Answer = Promise<{ text: string; isTruncated: boolean }>;

function createModel({ backend }: GraphOptions, call: (call: Call) => Promise<unknown>): LanguageModel {
  if (backend === 'vlm') return visionModel((argument) => call({ hook: 'see', argument }) as Answer);
  return chatModel((argument) => call({ hook: 'ask', argument }) as Answer);
}

async function writeFiles(context: PipelineContext, task: GraphTask): Promise<GraphFile[]> {
  const { graph, provenance, extracted_models: models } = context;
  const { folder, options, createdAt } = task;
  if (graph.nodes.size === 0) throw createNothingFoundError(context.problems);
  const facts = { profile: options.profile ?? 'spec', sourceModels: models.length, createdAt };
  const formats = ['json', ...(options.formats ?? defaultGraphFormats)];
  const written: Omit<GraphFile, 'bytes'>[] = [];
  const write = async (name: string, pieces: Iterable<string>) =>
    pipeline(Readable.from(pieces), createWriteStream(path.join(folder, name)));
  for (const format of graphFormats.filter((graphFormat) => formats.includes(graphFormat))) {
    if (format === 'parquet') {
      const rows = JSON.parse([...writeJson(graph)].join('')) as Record<'nodes' | 'edges', Row[]>;
      for (const name of await writeGraphParquet(folder, rows)) written.push({ name, format });
      continue;
    }
    for (const [name, pieces] of exportTexts(format, graph, facts)) {
      await write(name, pieces);
      written.push({ name, format });
    }
  }
  const otherFiles: [string, string][] = [
    ...(provenance ? [['provenance.json', writeIndented(provenance)] as [string, string]] : []),
    ['models.json', writeIndented(models)],
    ['stats.json', statisticsText(graph, facts)],
  ];
  for (const [name, text] of otherFiles) {
    await write(name, [text]);
    written.push({ name });
  }
  return Promise.all(
    written.map(async (file) => ({ ...file, bytes: (await stat(path.join(folder, file.name))).size })),
  );
}

function writeIndented(value: Parameters<typeof jsonText>[0]): string {
  return jsonText(value, { indent: 2, nonFinite: 'null' });
}

function createNothingFoundError(problems: string[]): ExtractionError {
  return new ExtractionError('Nothing of the template was found in the source', {
    reason: 'no_models_extracted',
    problems,
  });
}

/**
 * Converts an error into the form that crosses the thread boundary. "Nothing found" is final; other extraction failures may be
 * retried.
 */
function toFailure(error: unknown): ThreadFailure {
  const isEmpty = error instanceof ExtractionError && error.details['reason'] === 'no_models_extracted';
  const { code, message, details } = toGraphFailure(error);
  const { retryAfterMs } = details;
  return {
    code,
    message,
    ...(isEmpty ? { isFinal: true } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
