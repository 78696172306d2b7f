// Loads graphs into a real Neo4j: by its driver, and by running every statement of graph.cypher in both styles: node
// scripts/graph-neo4j.js [CACHE-FOLDER] [--load FOLDER [WAY…]] With --load, it loads the files that
// bench/graph-large.ts wrote into FOLDER instead, and prints seconds and peak memory of each way: import (nodes.csv and
// edges.csv with neo4j-admin database import), csv (the same with LOAD CSV), load (graph.json with docloom graph load)
// and cypher (every statement of graph.cypher). Without a way, all but the last. The server (community edition, in one
// Java process) comes from Maven into the cache folder (default ~/.cache/docloom/graph-neo4j, 150 MB); it needs Java 17
// and mvn. Exit code 0: success; 1: a check failed; 3: the server cannot be started here, with the reason.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { createServer } = require('node:http');
const { createInterface } = require('node:readline');
const { homedir, tmpdir } = require('node:os');
const path = require('node:path');

const version = '5.26.0';
const argv = process.argv.slice(2);
const [loaded, ...given] = argv.includes('--load') ? argv.splice(argv.indexOf('--load')).slice(1) : [];
const ways = given.length > 0 ? given : ['import', 'csv', 'load'];
const cache = path.resolve(argv[0] ?? path.join(homedir(), '.cache/docloom/graph-neo4j'));
const docloom = path.join(__dirname, '..', 'bin/docloom');

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>docloom</groupId>
<artifactId>neo4j</artifactId><version>1</version><dependencies><dependency><groupId>org.neo4j.test</groupId>
<artifactId>neo4j-harness</artifactId><version>${version}</version></dependency></dependencies></project>`;

// Without a setting, the harness has a page cache of 8 MB, with which a large graph is read from the disk again and again.
const launcher = `import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.harness.Neo4jBuilders;
import org.neo4j.io.ByteUnit;
import java.nio.file.Path;
public class Launcher {
  public static void main(String[] given) throws Exception {
    var database = Neo4jBuilders.newInProcessBuilder(Path.of(given[0])).withDisabledServer()
      .withConfig(GraphDatabaseSettings.pagecache_memory, ByteUnit.mebiBytes(${loaded ? 1024 : 64})).build();
    System.out.println("READY " + database.boltURI());
    Thread.currentThread().join();
  }
}
`;

// Opens an existing database, which the harness cannot.
const openFolder = `import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import java.nio.file.Path;
public class OpenFolder {
  public static void main(String[] given) throws Exception {
    int port;
    try (var socket = new java.net.ServerSocket(0)) { port = socket.getLocalPort(); }
    new DatabaseManagementServiceBuilder(Path.of(given[0])).setConfig(BoltConnector.enabled, true)
      .setConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", port)).build();
    System.out.println("READY bolt://127.0.0.1:" + port);
    Thread.currentThread().join();
  }
}
`;

function call(program, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return {
    ok: status === 0,
    stdout: stdout ?? '',
    reason: error?.message ?? `${stderr ?? ''}${stdout ?? ''}`.trim().split('\n').at(-1),
  };
}

function fetchServer() {
  const lib = path.join(cache, `lib-${version}`);
  mkdirSync(cache, { recursive: true });
  writeFileSync(path.join(cache, 'Launcher.java'), launcher);
  writeFileSync(path.join(cache, 'OpenFolder.java'), openFolder);
  if (existsSync(path.join(cache, `ready-${version}`))) return undefined;
  writeFileSync(path.join(cache, 'pom.xml'), pom);
  const args = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${lib}`];
  const fetched = call('mvn', args, { cwd: cache, timeout: 600_000 });
  if (!fetched.ok) return fetched.reason;
  writeFileSync(path.join(cache, `ready-${version}`), '');
  return undefined;
}

/** The server's address; it ends with this process. */
async function start(folder, launcherName = 'Launcher') {
  const opens = ['java.base/java.nio', 'java.base/java.lang'].map((name) => `--add-opens=${name}=ALL-UNNAMED`);
  const classpath = path.join(cache, `lib-${version}`, '*');
  const child = spawn(
    'java',
    [loaded ? '-Xmx2g' : '-Xmx512m', ...opens, '-cp', classpath, path.join(cache, `${launcherName}.java`), folder],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const address = /READY (\S+)/.exec(text)?.[1];
    if (address) return { address, child };
  }
  throw new Error('the server ended before it was ready');
}

/** The statements of a script: cut at semicolons that are in no text, without comments. */
function getStatements(script) {
  const statements = [];
  let current = '';
  for (const [token] of script.matchAll(/"(?:[^"\\]|\\.)*"|`[^`]*`|\/\/[^\n]*\n|[^]/g)) {
    if (token.startsWith('//')) continue;
    if (token !== ';') current += token;
    else {
      statements.push(current.trim());
      current = '';
    }
  }
  return statements;
}

const template = {
  root: 'Werk',
  classes: {
    Werk: {
      graph_id_fields: ['kürzel'],
      fields: {
        kürzel: { type: 'str' },
        total: { type: 'decimal' },
        big: { type: 'int' },
        float: { type: 'float' },
        mixed: { type: 'any', is_list: true },
        seller: { model: 'Party', edge_label: 'issued by/ünit' },
        buyer: { model: 'Party', edge_label: '1st' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, address: { model: 'Address' } } },
    Address: { is_entity: false, fields: { city: { type: 'str' } } },
  },
};
const input =
  '[{"kürzel": "A\\"\\\\\\n`;// x", "total": "10.50", "big": 9223372036854775808, "float": 1e-7, "mixed": [1, "a", null],' +
  ' "seller": {"name": "Köln; \'q\'", "address": {"city": "c"}}, "buyer": {"name": "köln; \'Q\'"}}]';

async function compare(folder, address) {
  const at = (name) => path.join(folder, name);
  writeFileSync(at('template.json'), JSON.stringify(template));
  writeFileSync(at('input.json'), input);
  const built = call(process.execPath, [
    docloom,
    'graph',
    'build',
    at('template.json'),
    at('input.json'),
    '-o',
    at('out'),
  ]);
  if (!built.ok) throw new Error(`docloom graph build: ${built.reason}`);
  const neo4j = require('neo4j-driver');
  const driver = neo4j.driver(address);
  const ask = async (query) => {
    const { records } = await driver.executeQuery(query);
    return records.map((record) => Number(record.get(0)));
  };
  let isRight = true;
  const tell = async (what) => {
    const [[nodes], [relationships]] = [
      await ask('MATCH (n) RETURN count(n)'),
      await ask('MATCH ()-[r]->() RETURN count(r)'),
    ];
    isRight &&= nodes === 2 && relationships === 2;
    process.stdout.write(`${what}: ${nodes} nodes, ${relationships} relationships\n`);
  };
  try {
    for (const [file, times] of [
      ['graph.cypher', 1],
      ['graph.merge.cypher', 2],
    ]) {
      await ask('MATCH (n) DETACH DELETE n RETURN 0');
      for (let time = 0; time < times; time++)
        for (const statement of getStatements(readFileSync(at(`out/${file}`), 'utf8')))
          await driver.executeQuery(statement);
      await tell(`${file}, ${times} times`);
    }
    await ask('MATCH (n) DETACH DELETE n RETURN 0');
    for (let time = 0; time < 2; time++) {
      const loaded = call(process.execPath, [docloom, 'graph', 'load', at('out'), '--uri', address]);
      if (!loaded.ok) throw new Error(`docloom graph load: ${loaded.reason}`);
    }
    await tell('docloom graph load, 2 times');
    await ask('MATCH (n) DETACH DELETE n RETURN 0');
    const isSame = await importCsv(driver, at('out'));
    await tell(`nodes.csv and edges.csv by LOAD CSV, texts ${isSame ? 'as they were' : 'CHANGED'}`);
    isRight &&= isSame;
    return isRight ? 0 : 1;
  } finally {
    await driver.close();
  }
}

/** Imports both files as a user would, from an address, and tells whether the texts are those of graph.json. */
async function importCsv(driver, folder) {
  const server = createServer((request, response) =>
    response.end(readFileSync(path.join(folder, path.basename(request.url)))),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    const load = (query, file) =>
      driver.executeQuery(`LOAD CSV WITH HEADERS FROM $url AS row ${query}`, { url: `${base}/${file}` });
    await load('CREATE (n:Imported) SET n = row', 'nodes.csv');
    const link =
      'MATCH (a:Imported {id: row.source}), (b:Imported {id: row.target}) CREATE (a)-[:IS {type: row.type}]->(b)';
    await load(link, 'edges.csv');
    const { records } = await driver.executeQuery('MATCH (n:Imported) RETURN n.id AS id, properties(n) AS found');
    const found = new Map(records.map((record) => [record.get('id'), record.get('found')]));
    const { nodes } = JSON.parse(readFileSync(path.join(folder, 'graph.json'), 'utf8'));
    const texts = ['id', 'label', 'kürzel', 'name'];
    return nodes.every((node) =>
      texts.every((key) => {
        const [want, have] = [node[key] ?? undefined, found.get(node.id)?.[key] ?? undefined];
        if (want !== have)
          process.stderr.write(`${key}: expected ${JSON.stringify(want)}, got ${JSON.stringify(have)}\n`);
        return want === have;
      }),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Runs a program; `mb` is its peak memory, sampled while it runs. */
async function watch(program, args, env) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const watched = watchMemory(child.pid);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => (text = (text + piece).slice(-4_000)));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${path.basename(program)} ended with ${code}: ${text}`);
  return watched();
}

function watchMemory(pid) {
  let mb = 0;
  const look = () => {
    try {
      mb = Math.max(mb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
    } catch {
      // The process has ended.
    }
  };
  const timer = setInterval(look, 200);
  return () => {
    look();
    clearInterval(timer);
    return mb;
  };
}

/** Loads large files in each way; true if every way loaded the same numbers of nodes and relationships. */
async function loadLarge(folder, target) {
  const results = [];
  for (const way of ways) {
    const data = path.join(target, way);
    mkdirSync(data, { recursive: true });
    const began = performance.now();
    const imported = way === 'import' ? await importOffline(folder, data) : undefined;
    const seconds = (performance.now() - began) / 1_000;
    const { address, child } = await start(data, imported === undefined ? 'Launcher' : 'OpenFolder');
    const driver = require('neo4j-driver').driver(address);
    try {
      const server = watchMemory(child.pid);
      const from = performance.now();
      const mb = imported ?? (await loadOnline[way](folder, { driver, address }));
      const spent = imported === undefined ? (performance.now() - from) / 1_000 : seconds;
      const count = async (query) => Number((await driver.executeQuery(query)).records[0].get(0));
      const found = [await count('MATCH (n) RETURN count(n)'), await count('MATCH ()-[r]->() RETURN count(r)')];
      const memory = `${mb === undefined ? '' : `${mb.toFixed(0)} MB of the loader, `}${server().toFixed(0)} MB of the server`;
      process.stdout.write(`${way}: ${found[0]} nodes, ${found[1]} relationships, ${spent.toFixed(1)} s, ${memory}\n`);
      results.push(found.join());
    } finally {
      await driver.close();
      child.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    }
  }
  return new Set(results).size === 1;
}

const loadOnline = {
  load: (folder, { address }) => watch(process.execPath, [docloom, 'graph', 'load', folder, '--uri', address]),
  csv: (folder, { driver }) => loadCsv(driver, folder),
  cypher: (folder, { driver }) => runScript(driver, path.join(folder, 'graph.cypher')),
};

/** As docs/graph.md describes: the first lines of the files name the columns for the importer. */
async function importOffline(folder, data) {
  const files = [
    ['nodes.csv', '^id,label,type', 'id:ID,:LABEL,type'],
    ['edges.csv', '^source,target,type', ':START_ID,:END_ID,:TYPE'],
  ];
  for (const [name, pattern, line] of files) {
    const command = `sed '1s/${pattern}/${line}/' "$1" > "$2"`;
    await watch('sh', ['-c', command, 'sh', path.join(folder, name), path.join(data, name)], {});
  }
  const classpath = path.join(cache, `lib-${version}`, '*');
  const options = [
    '--multiline-fields=true',
    `--report-file=${path.join(data, 'import.report')}`,
    '--max-off-heap-memory=1g',
    '--overwrite-destination',
  ];
  const from = [`--nodes=${path.join(data, 'nodes.csv')}`, `--relationships=${path.join(data, 'edges.csv')}`];
  const env = { NEO4J_HOME: data, NEO4J_CONF: data };
  const tool = ['-Xmx1g', '-cp', classpath, 'org.neo4j.cli.AdminTool', 'database', 'import', 'full', 'neo4j'];
  return watch('java', [...tool, ...options, ...from], env);
}

/** Runs a query that makes its own transactions. */
async function runAlone(driver, query, parameters) {
  const session = driver.session();
  try {
    await session.run(query, parameters);
  } finally {
    await session.close();
  }
}

async function loadCsv(driver, folder) {
  const server = createServer((request, response) =>
    createReadStream(path.join(folder, path.basename(request.url))).pipe(response),
  );
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const load = (query, file) =>
    runAlone(
      driver,
      `LOAD CSV WITH HEADERS FROM $url AS row CALL { WITH row ${query} } IN TRANSACTIONS OF 20000 ROWS`,
      { url: `http://127.0.0.1:${server.address().port}/${file}` },
    );
  try {
    await driver.executeQuery('CREATE CONSTRAINT IF NOT EXISTS FOR (n:Imported) REQUIRE n.id IS UNIQUE');
    await load('CREATE (n:Imported) SET n = row', 'nodes.csv');
    const ends = 'MATCH (a:Imported {id: row.source}) MATCH (b:Imported {id: row.target})';
    await load(`${ends} CREATE (a)-[:IS {type: row.type}]->(b)`, 'edges.csv');
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Runs a script whose statements end with a semicolon at the end of a line, a thousand in each transaction. */
async function runScript(driver, file) {
  const session = driver.session();
  let [statement, batch] = ['', []];
  const flush = async () => {
    const statements = batch;
    batch = [];
    await session.executeWrite((transaction) => Promise.all(statements.map((one) => transaction.run(one))));
  };
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      if (line.startsWith('//') || line === '') continue;
      statement += `${line}\n`;
      if (!line.endsWith(';')) continue;
      const whole = statement.trim().slice(0, -1);
      statement = '';
      if (whole.startsWith('CREATE CONSTRAINT')) await driver.executeQuery(whole);
      else batch.push(whole);
      if (batch.length >= 1_000) await flush();
    }
    await flush();
  } finally {
    await session.close();
  }
}

async function run() {
  const missing = fetchServer();
  if (missing) {
    process.stdout.write(`Neo4j cannot be brought up here, so nothing was loaded: ${missing}\n`);
    return 3;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'graph-neo4j-'));
  try {
    if (loaded) return (await loadLarge(path.resolve(loaded), folder)) ? 0 : 1;
    const { address, child } = await start(path.join(folder, 'data'));
    try {
      return await compare(folder, address);
    } finally {
      child.kill('SIGKILL');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

void run().then((code) => process.exit(code));
