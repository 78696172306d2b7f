import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chooseFreePort } from '../ports';
import type { Ports, ServerRecipe } from '../server';

/** Ports of the last start of a data folder, by server and role, including api and worker. */
type KeptPorts = Record<string, Record<string, number>>;

/** The ports of a server: those of the last start in this data folder, else the default ones, else any free ones. */
export async function choosePorts(recipe: ServerRecipe, dataDir: string): Promise<Ports> {
  const storedPorts = readStoredPorts(dataDir, recipe.name);
  const ports: Ports = { main: 0 };
  for (const [role, defaultPort] of Object.entries(recipe.ports))
    ports[role] = await chooseFreePort(storedPorts[role] ?? defaultPort);
  return ports;
}

/** The ports of `name` at the last start; empty at the first start. */
export function readStoredPorts(dataDir: string, name: string): Record<string, number> {
  return readPorts(dataDir)[name] ?? {};
}

/** Stores the ports for the next start. */
export function storePorts(dataDir: string, name: string, ports: Record<string, number>): void {
  const file = buildPortsPath(dataDir);
  writeFileSync(`${file}.part`, `${JSON.stringify({ ...readPorts(dataDir), [name]: ports }, null, 2)}\n`);
  renameSync(`${file}.part`, file);
}

function readPorts(dataDir: string): KeptPorts {
  try {
    return JSON.parse(readFileSync(buildPortsPath(dataDir), 'utf8')) as KeptPorts;
  } catch {
    return {};
  }
}

function buildPortsPath(dataDir: string): string {
  return path.join(dataDir, 'ports.json');
}
