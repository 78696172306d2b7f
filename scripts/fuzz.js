// `npm run fuzz`: sends generated requests to every operation of the OpenAPI document, by schemathesis (a Python program, fetched
// from PyPI into the cache folder). Fails on a 500, on a status that the operation does not declare, and on a reply that its schema
// does not allow. Options: --examples N (default 200) requests per operation, --workers N, --document pipeline or conversion (default:
// both); all others are schemathesis', among them --seed N and --include-path-regex EXPRESSION.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const version = '4.32.5';
const checks =
  'no_internal_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance';
const documents = { pipeline: '/api/v1/openapi.json', conversion: '/openapi.json' };
const root = path.join(__dirname, '..');
const cache = path.resolve(process.env.DOCLOOM_CACHE?.trim() || path.join(os.homedir(), '.cache', 'docloom'));

/** The program, after fetching it when it is not there. */
function schemathesis() {
  const folder = path.join(cache, `schemathesis-${version}`);
  const program = path.join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  const run = (command, args) => {
    const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit ${status}`}`);
  };
  process.stderr.write(`fetching schemathesis ${version} into ${folder}\n`);
  rmSync(folder, { recursive: true, force: true });
  run('python3', ['-m', 'venv', folder]);
  run(path.join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`]);
  return program;
}

/** Databases and indexes of its own, also on servers that the environment names. */
function surroundings(data) {
  const mark = `fuzz_${randomBytes(4).toString('hex')}`;
  const mongo = process.env.MONGODB_URL ? new URL(process.env.MONGODB_URL) : undefined;
  if (mongo) mongo.pathname = `/${mark}`;
  return {
    ...process.env,
    ...(mongo ? { MONGODB_URL: mongo.href } : {}),
    DOCLOOM_DATA: path.join(data, 'data'),
    DOCLOOM_TASK_QUEUE: mark,
    DOCLOOM_STORAGE: 'folder',
    DOCLOOM_SOURCE_ROOTS: path.join(data, 'source'),
    SEARCH_DEFAULT_INDEX: mark,
    JWT_SECRET_KEY: randomBytes(32).toString('hex'),
    DS_LOG_LEVEL: 'ERROR',
  };
}

/** Starts the product; gives the address of its api and what stops it. */
async function start(env) {
  const child = spawn(process.execPath, [path.join(root, 'bin', 'docloom'), 'up', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let text = '';
  const api = await new Promise((resolve, reject) => {
    child.stdout.on('data', (part) => {
      text += part;
      if (text.trimEnd().endsWith('}')) resolve(JSON.parse(text).api);
    });
    void ended.then((code) => reject(new Error(`docloom up ended with ${code}`)));
  });
  return {
    api,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Removes what a run left on servers that the environment names; those that were started for it are gone with their data. */
async function tidy(env) {
  if (process.env.TEMPORAL_ADDRESS) {
    const { Client, Connection } = require('@temporalio/client');
    const connection = await Connection.connect({ address: env.TEMPORAL_ADDRESS });
    const { schedule, workflow } = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE });
    const isOurs = (queue) => queue?.startsWith(`${env.DOCLOOM_TASK_QUEUE}-`);
    for await (const { scheduleId } of schedule.list()) {
      const handle = schedule.getHandle(scheduleId);
      const { action } = await handle.describe().catch(() => ({}));
      if (isOurs(action?.taskQueue)) await handle.delete();
    }
    for await (const { workflowId, taskQueue } of workflow.list({ query: "ExecutionStatus = 'Running'" })) {
      // One that has ended meanwhile cannot be terminated, and need not be.
      if (isOurs(taskQueue))
        await workflow
          .getHandle(workflowId)
          .terminate()
          .catch(() => {});
    }
    await connection.close();
  }
  if (process.env.MONGODB_URL) {
    const { MongoClient } = require('mongodb');
    const client = new MongoClient(env.MONGODB_URL);
    for (const { name } of await client.db().listCollections().toArray()) await client.db().collection(name).drop();
    await client.close();
  }
}

/** Ours taken out of the arguments; the rest is for schemathesis. */
function getOptions(args) {
  const rest = [...args];
  const take = (name, fallback) => {
    const place = rest.indexOf(name);
    return place < 0 ? fallback : rest.splice(place, 2)[1];
  };
  const only = take('--document', undefined);
  if (only !== undefined && !(only in documents))
    throw new Error(`--document is '${only}'; it must be one of ${Object.keys(documents).join(', ')}.`);
  const examples = take('--examples', '200');
  // More workers than one make the program itself stumble at times ("inconsistent results" of its generators).
  const workers = take('--workers', '1');
  return {
    addresses: only === undefined ? Object.values(documents) : [documents[only]],
    options: ['--max-examples', examples, '--workers', workers, ...rest],
  };
}

async function main() {
  const { addresses, options } = getOptions(process.argv.slice(2));
  const program = schemathesis();
  const data = mkdtempSync(path.join(os.tmpdir(), 'docloom-fuzz-'));
  const env = surroundings(data);
  const source = path.join(data, 'source');
  mkdirSync(source);
  writeFileSync(path.join(source, 'a.txt'), 'A document.\n');
  const { api, stop } = await start(env);
  const surroundingsOfHooks = {
    FUZZ_API: api,
    FUZZ_SOURCE: source,
    SCHEMATHESIS_HOOKS: path.join(__dirname, 'fuzz_hooks.py'),
  };
  const fixed = [
    '--mode',
    'all',
    '--request-timeout',
    '150',
    '--continue-on-failure',
    '--suppress-health-check',
    'all',
  ];
  try {
    for (const address of addresses) {
      const args = ['run', `${api}${address}`, '--checks', checks, '--phases', 'examples,coverage,fuzzing'];
      const child = spawn(program, [...args, ...fixed, ...options], {
        env: { ...env, ...surroundingsOfHooks },
        stdio: 'inherit',
        cwd: data,
      });
      const code = await new Promise((resolve) => child.once('exit', (given) => resolve(given ?? 1)));
      if (code !== 0) process.exitCode = code;
    }
  } finally {
    await stop();
    await tidy(env);
    rmSync(data, { recursive: true, force: true });
  }
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
