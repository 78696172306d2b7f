import type { Setting } from './setting';

/** The connection to Temporal, and the data sent to it. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: { kind: 'text', default: '127.0.0.1:7233', text: 'Host and port of the Temporal frontend.' },
  TEMPORAL_TLS: { kind: 'boolean', default: 'false', text: 'Use TLS for Temporal; its certificate is verified.' },
  TEMPORAL_TLS_CA: {
    kind: 'text',
    text: 'File (PEM) with the authorities that the certificate of Temporal may come from. Default: the public ones.',
  },
  TEMPORAL_NAMESPACE: { kind: 'text', default: 'default', text: 'Temporal namespace.' },
  TEMPORAL_UI_ADDRESS: {
    kind: 'text',
    default: 'http://127.0.0.1:8233',
    text: 'Address of the Temporal UI, for links.',
  },
  DOCLOOM_TASK_QUEUE: {
    kind: 'text',
    default: 'docloom',
    text: 'Prefix of the Temporal task queues; the identity of the installation follows it.',
  },
  DOCLOOM_WORKER_QUEUES: {
    kind: 'list',
    default: '',
    text: 'Task queues that a worker polls: flow, cpu, io, graph, convert, webhook. Empty: all of them. Together the workers of an installation must poll all.',
  },
  DOCLOOM_WORKER_BUILD: {
    kind: 'text',
    text: 'Name of the build of this worker, such as a release or an image tag. Workers with it form a Temporal worker deployment: a run stays with the build that started it, and new runs go to the current build (see docs/operations.md). Empty: any worker continues any run.',
  },
  DOCLOOM_PAYLOAD_KEYS: {
    kind: 'list',
    default: '',
    secret: true,
    text: 'Keys (32 bytes in base64 each) that encrypt the payloads of runs in Temporal: the first encrypts, all of them decrypt.',
  },
} as const satisfies Record<string, Setting>;
