import type { Collection } from 'mongodb';
import { findDifferences, type FlowVersionContent, getVersionContent } from '../../model/flow/version/versions';
import { type Mongo, createWhenReady } from '../storage/mongo';
import type { FlowRecord, FlowVersion, FlowVersionInfo } from './ports';

/** Limits of the stored earlier versions of each flow. */
const maxVersions = 100;
const maxBytes = 20_000_000;
/** Maximum paths of differences listed in a version. */
const maxPaths = 20;
const maxPathLength = 500;

/** The version of a stored flow: its number, author and time. Absent in records last changed before versions were introduced. */
export interface StoredVersion {
  number: number;
  on: string;
  by: string;
  /** Paths of the differences from the previous version; the first 20. */
  changes: string[];
  /** Number of differences, including those that are not listed. */
  changed: number;
  restored_from?: number;
}

interface KeptVersion extends StoredVersion {
  _id: string;
  flow_id: string;
  /** JSON text, because keys may contain dots and dollar signs. Secrets are masked before it is stored. */
  content: string;
  bytes: number;
}

type Versioned = FlowRecord & { version?: StoredVersion };

/** Earlier versions of flows, in a separate collection. The current version is the flow itself. */
export class FlowVersions {
  private readonly kept: Collection<KeptVersion>;
  private readonly whenReady;

  constructor(mongo: Mongo) {
    this.kept = mongo.collection<KeptVersion>('flow_versions');
    this.whenReady = createWhenReady(() => this.kept.createIndex({ flow_id: 1, number: -1 }));
  }

  /**
   * Stores the version that is about to be replaced and returns the next one; returns the current one if the content is
   * unchanged. The order makes it safe: a version is stored before it is overwritten, and storing it twice changes nothing.
   */
  async next(before: Versioned, after: FlowRecord, restoredFrom?: number): Promise<StoredVersion> {
    const current = getVersion(before);
    const content = getVersionContent(before);
    const differences = findDifferences(content, getVersionContent(after));
    if (differences.length === 0) return current;
    await this.whenReady();
    const text = JSON.stringify(content);
    const _id = `${before.flow_id}/${current.number}`;
    const version = { ...current, flow_id: before.flow_id, content: text, bytes: Buffer.byteLength(text) };
    await this.kept.replaceOne({ _id }, version, { upsert: true });
    await this.trim(before.flow_id);
    return {
      number: current.number + 1,
      on: after.modified_on,
      by: after.modified_by,
      changes: differences.slice(0, maxPaths).map(({ path }) => path.slice(0, maxPathLength)),
      changed: differences.length,
      ...(restoredFrom === undefined ? {} : { restored_from: restoredFrom }),
    };
  }

  /** Newest first, the current version included. */
  async list(flow: Versioned, { limit, offset }: { limit: number; offset: number }) {
    await this.whenReady();
    const current = getVersion(flow);
    const earlier = { flow_id: flow.flow_id, number: { $lt: current.number } };
    const total = 1 + (await this.kept.countDocuments(earlier));
    const items = offset === 0 && limit > 0 ? [buildInfo(current, true)] : [];
    const left = limit - items.length;
    if (left <= 0) return { items, total };
    const page = this.kept.find(earlier, { projection: { content: 0 } }).sort({ number: -1 });
    const versions = await page
      .skip(Math.max(0, offset - 1))
      .limit(left)
      .toArray();
    return { items: [...items, ...versions.map((version) => buildInfo(version, false))], total };
  }

  /** Undefined if the flow has no version with this number. */
  async get(flow: Versioned, number: number): Promise<FlowVersion | undefined> {
    const current = getVersion(flow);
    if (number === current.number) return { ...buildInfo(current, true), content: getVersionContent(flow) };
    const version = await this.kept.findOne({ _id: `${flow.flow_id}/${number}` });
    if (!version || number > current.number) return undefined;
    return { ...buildInfo(version, false), content: JSON.parse(version.content) as FlowVersionContent };
  }

  /** Removes the earlier versions of these flows. */
  async forget(flowIds: readonly string[]): Promise<void> {
    if (flowIds.length > 0) await this.kept.deleteMany({ flow_id: { $in: [...flowIds] } });
  }

  /** Removes the oldest versions beyond the limits. The newest one stays, whatever its size. */
  private async trim(flowId: string): Promise<void> {
    const versions = await this.kept
      .find({ flow_id: flowId }, { projection: { bytes: 1 } })
      .sort({ number: -1 })
      .toArray();
    const excessIds: string[] = [];
    let bytes = 0;
    for (const [index, version] of versions.entries()) {
      bytes += version.bytes;
      if (index >= maxVersions || (index > 0 && bytes > maxBytes)) excessIds.push(version._id);
    }
    if (excessIds.length > 0) await this.kept.deleteMany({ _id: { $in: excessIds } });
  }
}

function getVersion({ version, modified_on, modified_by }: Versioned): StoredVersion {
  return version ?? { number: 1, on: modified_on, by: modified_by, changes: [], changed: 0 };
}

function buildInfo(
  { number, on, by, changes, changed, restored_from }: StoredVersion,
  isCurrent: boolean,
): FlowVersionInfo {
  return {
    version: number,
    saved_on: on,
    saved_by: by,
    changes,
    total_changes: changed,
    is_current: isCurrent,
    ...(restored_from === undefined ? {} : { restored_from }),
  };
}
