import type { SourceProvider } from '../../../model/source/list';
import type { SourceEntry } from '../../../services/source/source';
import type { SourceChecks, Sources } from '../../../services/source/sources';

/** A source on its real server, empty at first, with ways to change it from outside. */
export interface SourceFixture {
  provider: SourceProvider;
  /** May reach the server. */
  sources: Sources & SourceChecks;
  /** May reach no private address; absent where the source has no address. */
  strict?: Sources & SourceChecks;
  config: Record<string, unknown>;
  /** Keys are names with `/` between folders. */
  put(key: string, text: string): Promise<void>;
  remove(key: string): Promise<void>;
  keyOf(entry: SourceEntry): string;
  /** Puts an access list into a folder (`` for the top level); absent if a source has no such lists. */
  putAccess?(folder: string, list: object | string): Promise<void>;
  /** The configuration of a place that does not exist. */
  missing: Record<string, unknown>;
  /** The configuration with a password that is wrong; absent where the source has none. */
  wrongSignIn?: Record<string, unknown>;
  close(): Promise<void>;
}

/** Configurations with another member in `connection_params`. */
export function withParams(config: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  return { ...config, connection_params: { ...(config['connection_params'] as object), ...more } };
}
