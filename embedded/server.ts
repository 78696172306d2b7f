import { AppError } from '../model/errors';
import type { Environment } from './paths';

/** The servers that can run on one machine. */
export type ServerName = 'temporal' | 'mongo' | 'search' | 'ldap' | 's3';

/** The origin of a server; `environment` means that it was configured and nothing was started. */
export type Origin = 'environment' | 'path' | 'cache' | 'download' | 'build';

/** Programs needed for a download or a build. */
export type Tool = 'go' | 'java' | 'mvn' | 'pip3';

/** Context for finding, installing and starting servers. */
export interface Context {
  dataDir: string;
  cacheDir: string;
  env: Environment;
  log: (line: string) => void;
}

/** An installed server: the file on PATH, or the folder in the cache. */
export interface Installation {
  origin: Origin;
  path: string;
}

/** One way to install a server. `run` fills an empty folder, which is moved into the cache on success. */
export interface InstallStep {
  origin: 'download' | 'build';
  /** Describes the step, as in "downloads the release archive". */
  text: string;
  size: string;
  time: string;
  needs: readonly Tool[];
  /** Addresses that the step needs; `docloom doctor` checks them. */
  asks?: readonly string[];
  run(folder: string, context: Context): Promise<void>;
}

/** The command that starts a server. */
export interface Launch {
  command: string;
  args: string[];
  env: Environment;
  cwd?: string;
  /** Settings for clients in addition to the addresses: secrets generated for this start. */
  settings?: Record<string, string>;
  /** Only for root: the user to switch to. */
  uid?: number;
  gid?: number;
}

/** Ports by role; clients use `main`. */
export type Ports = { main: number } & Record<string, number>;

/** An embedded server: how to find, install and start it, and how to check that it is ready. */
export interface ServerRecipe {
  name: ServerName;
  title: string;
  version: string;
  /** If this setting is present, the server is configured externally. `siblings` are passed through with it. */
  setting: string;
  siblings: readonly string[];
  /** Host and port of the configured address; undefined if they cannot be determined (service records). */
  givenAddress(env: Environment): { host: string; port: number } | undefined;
  /** Default ports. A port in use is replaced with a free one. */
  ports: Ports;
  /** Its folder in the cache. */
  folder: string;
  /** A usable installation outside the cache. */
  findOnPath?(env: Environment): string | undefined;
  /** The recipe of the version that wrote the data folder, if only that version can read it. */
  forData?(dataDir: string): ServerRecipe;
  /** Tried in this order. */
  steps: readonly InstallStep[];
  /** True when the installation needs an external Java. */
  runsOnJava?(installation: Installation): boolean;
  launch(installation: Installation, ports: Ports, context: Context): Promise<Launch>;
  isReady(ports: Ports, installation: Installation, context: Context): Promise<boolean>;
  /** The addresses for clients, keyed by setting. */
  addresses(ports: Ports, installation: Installation, context: Context): Record<string, string>;
}

/** Creates an EMBEDDED_SERVER_FAILED error; the message starts with the server's name. */
export function createServerError(title: string, message: string, cause?: unknown): AppError {
  return new AppError('EMBEDDED_SERVER_FAILED', `${title}: ${message}`, {}, cause);
}
