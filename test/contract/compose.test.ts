import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { readConfig, settings } from '../../model/config';

const root = path.join(__dirname, '..', '..');
const text = readFileSync(path.join(root, 'docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;

interface Service {
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  configs?: { source: string; target: string }[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  read_only?: boolean;
  privileged?: boolean;
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  configs: Record<string, { content: string }>;
}

const strings = { type: 'array', items: { type: 'string' }, minItems: 1 };
const duration = { type: 'string', pattern: '^\\d+(ms|s|m|h)$' };
const closed = (properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const getMap = (schema: unknown): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: schema,
  minProperties: 1,
});

/** The parts of the Compose Specification that the file uses, and no others: a misspelled key is an error. */
const service = closed(
  {
    image: { type: 'string', pattern: '^[a-z0-9./_-]+(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?$' },
    build: { type: 'string' },
    command: strings,
    restart: { enum: ['no', 'always', 'on-failure', 'unless-stopped'] },
    init: { type: 'boolean' },
    cap_drop: { const: ['ALL'] },
    cap_add: { type: 'array', items: { enum: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] } },
    security_opt: { const: ['no-new-privileges:true'] },
    read_only: { const: true },
    tmpfs: { type: 'array', items: { type: 'string', pattern: '^/' } },
    stop_grace_period: duration,
    environment: getMap({ type: 'string' }),
    ports: { type: 'array', items: { type: 'string', pattern: '^127\\.0\\.0\\.1:\\d+:\\d+$' } },
    volumes: { type: 'array', items: { type: 'string', pattern: '^[^:]+(:-[^}]+\\})?:/[^:]+(:ro)?$' } },
    configs: {
      type: 'array',
      items: closed({ source: { type: 'string' }, target: { type: 'string', pattern: '^/' } }, ['source', 'target']),
    },
    depends_on: getMap(
      closed({ condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] } }, [
        'condition',
      ]),
    ),
    ulimits: getMap(closed({ soft: { type: 'integer' }, hard: { type: 'integer' } }, ['soft', 'hard'])),
    healthcheck: closed(
      {
        test: {
          type: 'array',
          items: [{ enum: ['CMD', 'CMD-SHELL'] }],
          additionalItems: { type: 'string' },
          minItems: 2,
        },
        interval: duration,
        timeout: duration,
        retries: { type: 'integer', minimum: 1 },
        start_period: duration,
      },
      ['test'],
    ),
  },
  ['image'],
);
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'services'],
  patternProperties: { '^x-': {} },
  properties: {
    name: { type: 'string' },
    services: getMap(service),
    volumes: { type: 'object', additionalProperties: { type: 'null' } },
    configs: getMap(closed({ content: { type: 'string' } }, ['content'])),
  },
};

const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'docloom');
const input: Record<string, string> = {
  CONVERT_SERVE_API_KEY: 'k',
  JWT_SECRET_KEY: 'compose test secret, 32 characters or more',
  MONGODB_PASSWORD: 'p',
  LDAP_ADMIN_PASSWORD: 'p',
  POSTGRES_PASSWORD: 'p',
};

/** `${NAME:-default}` and `${NAME:?message}` as compose replaces them. */
function interpolate(value: string): string {
  return value.replaceAll(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_all, name: string, kind: string | undefined, rest: string) =>
      input[name] ?? (kind === '-' ? rest : `missing ${name}`),
  );
}

test('the file follows the compose schema', () => {
  const validate = new Ajv({ allErrors: true, strictTuples: false }).compile(schema);
  validate(compose);
  expect(validate.errors ?? []).toEqual([]);
});

test('an api and two workers run from the image that the Dockerfile makes', () => {
  expect(ours.map(([, { command, build }]) => [command, build])).toEqual([
    [['api'], '.'],
    [['worker'], '.'],
    [['worker'], '.'],
  ]);
  expect(existsSync(path.join(root, 'Dockerfile'))).toBe(true);
});

test.each(ours)('%s gets only valid settings that the configuration knows', (_name, { environment = {} }) => {
  const { NODE_OPTIONS: _, ...ofDocloom } = environment;
  expect(Object.keys(ofDocloom).filter((name) => !(name in settings))).toEqual([]);
  const config = readConfig(
    Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolate(value)])),
  );
  expect(config).toMatchObject({
    DOCLOOM_SOURCE_ROOTS: ['/documents'],
    DOCLOOM_DATA: '/data',
  });
});

test('only the api has the secrets of logins', () => {
  const secrets = Object.entries(settings).flatMap(([name, setting]) => ('only' in setting ? [name] : []));
  const holders = (name: string) =>
    ours.filter(([, { environment = {} }]) => name in environment).map(([service]) => service);
  expect(holders('JWT_SECRET_KEY')).toEqual(['api']);
  expect(secrets.flatMap(holders).filter((service) => service !== 'api')).toEqual([]);
});

test.each(ours)('%s finds its servers under the names of services', (_name, { environment = {} }) => {
  const hosts = [
    environment['TEMPORAL_ADDRESS']?.split(':')[0],
    new URL(interpolate(environment['MONGODB_URL'] ?? '')).hostname,
    environment['SEARCH_HOST'],
    ...(environment['LDAP_SERVER'] ? [new URL(environment['LDAP_SERVER']).hostname] : []),
  ];
  expect(hosts.filter((host) => !host || !(host in compose.services))).toEqual([]);
});

test('a service that others wait for has a health check', () => {
  const problems = Object.entries(compose.services).flatMap(([name, { depends_on = {} }]) =>
    Object.entries(depends_on)
      .filter(
        ([other, { condition }]) =>
          !compose.services[other] || (condition === 'service_healthy' && !compose.services[other].healthcheck),
      )
      .map(([other, { condition }]) => `${name} needs ${other}: ${condition}`),
  );
  expect(problems).toEqual([]);
});

test('no port of the host is used twice', () => {
  const ports = Object.values(compose.services).flatMap(({ ports: mappings = [] }) =>
    mappings.map((mapping) => mapping.split(':').at(-2)),
  );
  expect(new Set(ports).size).toBe(ports.length);
  expect(ports).toContain('8080');
});

test('every named volume and config is declared and used', () => {
  const all = Object.values(compose.services);
  const volumes = all
    .flatMap(({ volumes: mounts = [] }) => mounts.map((mount) => mount.split(':')[0] ?? ''))
    .filter((name) => /^[a-z]/.test(name));
  expect([...new Set(volumes)].toSorted((a, b) => a.localeCompare(b))).toEqual(
    Object.keys(compose.volumes).toSorted((a, b) => a.localeCompare(b)),
  );
  expect(all.flatMap(({ configs = [] }) => configs.map(({ source }) => source))).toEqual(Object.keys(compose.configs));
});

test('no password is in the file', () => {
  const secrets = Object.values(compose.services).flatMap(({ environment = {} }) =>
    Object.entries(environment).filter(([name]) => /PASS|PWD|SECRET/.test(name)),
  );
  expect(secrets.length).toBeGreaterThan(0);
  expect(secrets.filter(([, value]) => !/^\$\{\w+:\?[^}]+\}$/.test(value))).toEqual([]);
  // Passwords in addresses.
  expect(text.match(/:\/\/[^/@\s]*:(?!\$\{\w+:\?)[^/@\s]*@/g)).toBeNull();
});

const others = Object.entries(compose.services).filter(([, { image }]) => image !== 'docloom');

test.each(ours)('%s, which does not start as root, has no capability', (_name, { cap_add: added, build }) => {
  expect([added, build]).toEqual([undefined, '.']);
});

test.each(others)('%s has an image with a fixed version', (_name, { image }) => {
  expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z]+)?(@sha256:[0-9a-f]{64})?$/);
});

describe.each(Object.entries(compose.services))('%s', (_name, service) => {
  test('has the least rights: no capabilities, no new privileges, a read-only file system', () => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], read_only: true });
  });
});

/** Keys that give a container the rights of its host, or settings and images that the file does not show. */
const forbidden =
  /privileged|network_mode|pid|ipc|uts|userns_mode|devices|device_cgroup_rules|cgroup|env_file|extends|sysctls|user|group_add|volumes_from|runtime/;

test('no service has rights of its host, in any of the spellings of compose', () => {
  for (const [name, service] of Object.entries(compose.services)) {
    expect([name, Object.keys(service).filter((key) => new RegExp(`^(?:${forbidden.source})$`).test(key))]).toEqual([
      name,
      [],
    ]);
    // The socket of the container engine, and folders of the host.
    const mounts = service.volumes ?? [];
    expect([
      name,
      mounts.filter((mount) => /docker\.sock|^\/(?:proc|sys|dev|etc|run|var|root)?(?:\/|:)/.test(mount)),
    ]).toEqual([name, []]);
  }
  expect(text).not.toMatch(/^include:|x-docker|!reset|!override/m);
  expect(
    Object.keys(parse(text) as object).filter(
      (key) => !['name', 'services', 'volumes', 'configs'].includes(key) && !key.startsWith('x-'),
    ),
  ).toEqual([]);
});

test('every image is built from, or is, one with a fixed version', () => {
  const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
  const stages = new Set([...dockerfile.matchAll(/^FROM .* AS (\S+)$/gim)].map(([, stage]) => stage));
  const images = [...dockerfile.matchAll(/^(?:FROM|COPY --from=)\s*(?:--\S+\s+)*(\S+)/gim)].map(([, image]) => image);
  const others = images.filter((image) => image !== undefined && !stages.has(image));
  expect(others.length).toBeGreaterThan(0);
  for (const image of others) expect(image).toMatch(/:v?\d+(\.\d+)*(-[a-z0-9]+)*(@sha256:[0-9a-f]{64})?$/);
  expect(dockerfile).not.toMatch(/ADD\s+https?:|curl[^\n]*\|\s*(?:ba)?sh|:latest/);
});

test('every server with a password or a key gets one', () => {
  const { environment = {} } = compose.services['api'] ?? {};
  expect(environment['MONGODB_URL']).toMatch(/^mongodb:\/\/docloom:\$\{MONGODB_PASSWORD:\?/);
  expect(environment['CONVERT_SERVE_API_KEY']).toMatch(/^\$\{CONVERT_SERVE_API_KEY:\?/);
  expect(compose.services['mongo']?.environment).toHaveProperty('MONGO_INITDB_ROOT_PASSWORD');
});

test('the image copies what bin/docloom needs and does not run as root', () => {
  const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
  const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
  for (const part of ['node_modules', 'dist', 'bin', 'package.json']) expect(last).toContain(`/app/${part}`);
  expect(last).toMatch(/^USER node$/m);
  // With tsconfig.json in place bin/docloom would want to compile, which the user may not.
  expect(last).not.toContain('tsconfig.json');
  expect(last).toMatch(/^HEALTHCHECK /m);
});
