import type { Static, TObject } from '@sinclair/typebox';
import type { Client, ConversionClient } from '../client';

/** The services of a tool. Both clients act as the caller, so the caller's rights apply to every answer. */
export interface ToolContext {
  api: Client;
  conversion: ConversionClient;
  /** Aborts when the caller cancels the call or disconnects. */
  signal: AbortSignal;
  /** Reports progress to callers that requested it; `total` is absent while it is unknown. */
  progress: (done: number, total: number | undefined, message: string) => void;
}

/** One block of an answer. */
export type Content = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** The state of work that outlasts the call that started it. */
export interface WorkState {
  status: 'working' | 'completed' | 'failed' | 'cancelled';
  /** For people and models, with the progress so far. */
  message: string;
}

/** Long work of a tool, for clients that follow it as a task. Each function acts as its own caller. */
export interface LongWork<I = unknown> {
  /** Starts the work and returns its id, which contains everything that the other functions need. */
  start: (input: I, context: ToolContext) => Promise<string>;
  read: (id: string, context: ToolContext) => Promise<WorkState>;
  /** Waits for the end, with progress. Rejects if the work failed or was cancelled. */
  result: (id: string, context: ToolContext) => Promise<Content[]>;
  cancel: (id: string, context: ToolContext) => Promise<void>;
}

/** A tool as it is listed and called. */
export interface Tool {
  /** In snake_case; models call the tool by it. */
  name: string;
  title: string;
  /** For a model: the purpose of the tool, and which tool to call next. */
  description: string;
  input: TObject;
  /** The input as it is listed, if the server may lack something for a member. */
  describeInput?: (context: ToolContext) => Promise<TObject>;
  /** `read` changes nothing, `write` adds something, `destroy` ends or removes something. */
  effect: 'read' | 'write' | 'destroy';
  /** True if the call may reach servers outside of the installation. */
  isOpenWorld: boolean;
  run: (input: unknown, context: ToolContext) => Promise<Content[]>;
  /** Present if a client may call the tool as a task. */
  work?: LongWork;
}

interface Spec<I extends TObject> extends Omit<Tool, 'input' | 'run' | 'effect' | 'isOpenWorld' | 'work'> {
  input: I;
  effect?: Tool['effect'];
  isOpenWorld?: boolean;
  run: (input: Static<I>, context: ToolContext) => Promise<Content[]>;
  work?: LongWork<Static<I>>;
}

/** One tool; its input schema types the argument of `run`. Default: a read inside the installation. */
export function tool<I extends TObject>({ run, work, effect = 'read', isOpenWorld = false, ...facts }: Spec<I>): Tool {
  return {
    ...facts,
    effect,
    isOpenWorld,
    run: (input, context) => run(input as Static<I>, context),
    ...(work ? { work: { ...work, start: (input, context) => work.start(input as Static<I>, context) } } : {}),
  };
}
