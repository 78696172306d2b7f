import { AppError } from '../model/errors';
import type { Environment } from './paths';

/** The servers that can be brought up on one machine. */
export type ServerName = 'temporal' | 'mongo' | 'search' | 'ldap' | 's3';

/** Where a server came from; `environment` means that it was given and nothing was started. */
export type Origin = 'environment' | 'path' | 'cache' | 'download' | 'build';

/** Programs that a download or a build needs. */
export type Tool = 'go' | 'java' | 'mvn' | 'pip3';

/** What every step of finding, fetching and starting gets. */
export interface Context {
  dataDir: string;
  cacheDir: string;
  env: Environment;
  log: (line: string) => void;
}

/** A server found or made: the file on PATH, or the folder in the cache. */
export interface Installation {
  origin: Origin;
  path: string;
}

/** One way to get a server. `run` fills an empty folder, which is renamed into the cache when it succeeded. */
export interface InstallStep {
  origin: 'download' | 'build';
  /** What it does, as in "downloads the release archive". */
  text: string;
  size: string;
  time: string;
  needs: readonly Tool[];
  /** Addresses that must answer for the step to work; `docloom doctor` asks them. */
  asks?: readonly string[];
  run(folder: string, context: Context): Promise<void>;
}

/** How to start a server. */
export interface Launch {
  command: string;
  args: string[];
  env: Environment;
  cwd?: string;
  /** What clients need besides the addresses: secrets that were made for this start. */
  settings?: Record<string, string>;
  /** Only for root: the user that the process becomes. */
  uid?: number;
  gid?: number;
}

/** Ports by role; `main` is the one that clients use. */
export type Ports = { main: number } & Record<string, number>;

/** One embedded server: how it is named, found, fetched, started and asked whether it is ready. */
export interface ServerRecipe {
  name: ServerName;
  title: string;
  version: string;
  /** Setting whose presence means that the server is given; its siblings are handed through with it. */
  setting: string;
  siblings: readonly string[];
  /** Host and port in the given address, or undefined when it cannot be told (service records). */
  givenAddress(env: Environment): { host: string; port: number } | undefined;
  /** Usual ports; another free one is taken where one is in use. */
  ports: Ports;
  /** Folder in the cache. */
  folder: string;
  /** A usable installation outside the cache. */
  findOnPath?(env: Environment): string | undefined;
  /** The recipe of the version that wrote what the data folder holds, where only that version can go on with it. */
  forData?(dataDir: string): ServerRecipe;
  /** In the order in which they are tried. */
  steps: readonly InstallStep[];
  /** True when that installation needs a Java that it does not bring along. */
  runsOnJava?(installation: Installation): boolean;
  launch(installation: Installation, ports: Ports, context: Context): Promise<Launch>;
  isReady(ports: Ports, installation: Installation, context: Context): Promise<boolean>;
  /** What clients need to reach it, under the names of the settings. */
  addresses(ports: Ports, installation: Installation, context: Context): Record<string, string>;
}

/** EMBEDDED_SERVER_FAILED with the server's name in front. */
export function serverError(title: string, message: string, cause?: unknown): AppError {
  return new AppError('EMBEDDED_SERVER_FAILED', `${title}: ${message}`, {}, cause);
}
