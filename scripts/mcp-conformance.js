// `npm run conformance:mcp`: runs the published conformance suite of the Model Context Protocol against /mcp of a running API, named with
// --server (default: http://127.0.0.1:8080), as the user of DOCLOOM_TOKEN. The suite comes from npm into the cache folder. It sends no
// token, so a proxy on this machine adds it. Fails if a check fails; warnings are only printed.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const { createServer, request } = require('node:http');
const os = require('node:os');
const path = require('node:path');

const version = '0.1.16';
/** The scenarios that need no server written for the suite. */
const scenarios = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'server-sse-polling',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const cache = path.resolve(process.env.DOCLOOM_CACHE?.trim() || path.join(os.homedir(), '.cache', 'docloom'));

/** The suite, and a Node that can run it: 22 or later. */
function installSuite() {
  const folder = path.join(cache, `mcp-conformance-${version}`);
  const suite = path.join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
  const isOld = Number(process.versions.node.split('.')[0]) < 22;
  const node = isOld ? path.join(folder, 'node_modules', 'node', 'bin', 'node') : process.execPath;
  if (existsSync(suite) && existsSync(node)) return { node, suite };
  process.stderr.write(`fetching @modelcontextprotocol/conformance ${version} into ${folder}\n`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private": true}\n');
  const packages = [`@modelcontextprotocol/conformance@${version}`, ...(isOld ? ['node@22'] : [])];
  const { status } = spawnSync('npm', ['install', '--loglevel=error', ...packages], { cwd: folder, stdio: [0, 2, 2] });
  if (status !== 0) throw new Error(`npm install failed with exit code ${status}`);
  return { node, suite };
}

/** Passes requests on with the token. Host and Origin stay as they are: the suite tests what the api does with them. */
function startProxy(server, token) {
  const { hostname, port } = new URL(server);
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const sent = request({ hostname, port, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    asked.pipe(sent);
  });
  return new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(proxy)));
}

/** Runs one scenario and returns the number of its failed checks. */
function runScenario({ node, suite }, url, name) {
  const child = spawn(node, [suite, 'server', '--url', url, '--scenario', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (part) => (text += part));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      const [line, failed] = /^Passed: .*?(\d+) failed.*$/m.exec(text) ?? [`ended with exit code ${code}`, '1'];
      process.stdout.write(`${name}: ${line}\n`);
      if (failed !== '0') process.stdout.write(text);
      resolve(Number(failed));
    });
  });
}

async function main() {
  const at = process.argv.indexOf('--server');
  const server = at < 0 ? 'http://127.0.0.1:8080' : (process.argv[at + 1] ?? '');
  const token = process.env.DOCLOOM_TOKEN;
  if (!token) throw new Error('Put a token into DOCLOOM_TOKEN: DOCLOOM_TOKEN=$(docloom token --user NAME)');
  const programs = installSuite();
  const proxy = await startProxy(server, token);
  try {
    let failed = 0;
    const url = `http://127.0.0.1:${proxy.address().port}/mcp`;
    for (const name of scenarios) failed += await runScenario(programs, url, name);
    process.exitCode = failed === 0 ? 0 : 1;
  } finally {
    proxy.close();
  }
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
