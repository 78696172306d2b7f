import { hash } from 'node:crypto';
import { isFinal } from '../../model/run/run';
import type { WebhookEvent } from '../../model/webhook/wire';
import type { RunRecord, RunsStore } from '../run/run-record';
import type { WebhookEngine } from './engine';
import type { WebhookRecord, Webhooks } from './store';

/** An event that webhooks of `owner` may subscribe to. The same `key` of the same event is announced once. */
export interface Announcement {
  event: Exclude<WebhookEvent, 'ping'>;
  owner: string;
  key: string;
  data: Record<string, unknown>;
}

/** Sends events to webhooks. */
export interface Announcer {
  announce(announcement: Announcement): Promise<void>;
  /** Sends a message to this webhook, regardless of its events, and returns the id of the message. */
  ping(webhook: WebhookRecord, key: string): Promise<string>;
  /** Starts deliveries that were not started, and removes old messages. */
  sweep(now: Date): Promise<void>;
}

/** After this time, a delivery without an attempt counts as not started, because Temporal was unavailable. */
const startedWithinMs = 60_000;
const keptMs = 7 * 24 * 60 * 60 * 1_000;
/** Deliveries that a sweep starts. */
const maxPerSweep = 1_000;

/** Stores a message per webhook, then starts its delivery; a message whose start fails is started by the sweep. */
export function createAnnouncer(
  webhooks: Pick<Webhooks, 'listSubscribed' | 'addDelivery' | 'listPending' | 'removeBefore'>,
  engine: Pick<WebhookEngine, 'deliver'>,
): Announcer {
  const send = async ({ webhook_id }: WebhookRecord, event: WebhookEvent, key: string, data: object) => {
    const delivery_id = hash('sha256', JSON.stringify([webhook_id, event, key])).slice(0, 32);
    const created_at = new Date().toISOString();
    const payload = JSON.stringify({ event, delivery_id, webhook_id, created_at, data });
    await webhooks.addDelivery({
      delivery_id,
      webhook_id,
      event,
      status: 'pending',
      created_at,
      attempts: [],
      payload,
    });
    // Best effort: the sweep starts missed deliveries.
    await engine.deliver(delivery_id).catch(() => undefined);
    return delivery_id;
  };
  return {
    async announce({ event, owner, key, data }) {
      for (const webhook of await webhooks.listSubscribed(owner, event)) await send(webhook, event, key, data);
    },
    ping: (webhook, key) => send(webhook, 'ping', key, {}),
    async sweep(now) {
      const subtract = (ms: number) => new Date(now.getTime() - ms).toISOString();
      for (const id of await webhooks.listPending(subtract(startedWithinMs), maxPerSweep)) await engine.deliver(id);
      await webhooks.removeBefore(subtract(keptMs));
    },
  };
}

/** Returns the store, changed so that it announces each run when its final state is recorded. */
export function announceRuns(store: RunsStore, announcer: Pick<Announcer, 'announce'>): RunsStore {
  const updateStore = store.update.bind(store);
  const update: RunsStore['update'] = async (runId, change) => {
    const run = await updateStore(runId, change);
    if (run && change.status !== undefined && isFinal(change.status) && run.status === change.status)
      await announcer.announce({ event: 'run.ended', owner: run.owner, key: runId, data: pickEndFacts(run) });
    return run;
  };
  // Methods of a store may be on its prototype, which copying its members would lose.
  return Object.assign(store, { update });
}

function pickEndFacts({
  job_run_id,
  flow_id,
  flow_name,
  project_id,
  status,
  totals,
  started_at,
  ended_at,
  sample,
}: RunRecord) {
  const facts = { job_run_id, flow_id, flow_name, project_id, status, totals, started_at, ended_at };
  return sample ? { ...facts, sample } : facts;
}
