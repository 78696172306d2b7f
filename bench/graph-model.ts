import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { chatModel, runPipeline, templateFrom } from '../graph';
import { createLlm } from '../services/llm/llm';

const chunkCount = 200;
const parallel = 8;
const wantedShare = 0.95;
/** The time a local model needs for about a hundred words; changed by `--delay`. */
const usualDelayMs = 2_000;

const template = templateFrom({
  root: 'Ledger',
  classes: {
    Ledger: {
      graph_id_fields: ['number'],
      fields: { number: { type: 'str' }, entries: { model: 'Entry', is_list: true, edge_label: 'HOLDS' } },
    },
    Entry: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, amount: { type: 'decimal' } } },
  },
});

/** A text of `count` chunks, each with its own entry. */
function ledgerText(count: number): string {
  const filler = 'The amount was counted twice, found right and written down in ink by the clerk of the day. '.repeat(
    22,
  );
  return Array.from({ length: count }, (_, index) => `Entry ${index} is of 12.50 EUR. ${filler}`).join('\n\n');
}

/** Runs the model in its own thread, like a server; `facts` describes the requests since the last call. */
async function startModel(delayMs: number) {
  const thread = new Worker(path.join(__dirname, 'support', 'delayed-model.js'), { workerData: { delayMs } });
  const [port] = (await once(thread, 'message')) as [number];
  const facts = async () => {
    const answer = once(thread, 'message');
    thread.postMessage('facts');
    const [found] = (await answer) as [{ asked: number; maxOpen: number; tookMs: number }];
    return found;
  };
  return { url: `http://127.0.0.1:${port}/v1`, facts, stop: () => thread.terminate() };
}

/**
 * Extracts 200 chunks, eight at a time, through the real llm service from a model that answers in two seconds. Returns
 * true if it reached 95 % of the rate that this model allows with eight requests at a time.
 */
export async function benchModel(delayMs = usualDelayMs): Promise<boolean> {
  const server = await startModel(delayMs);
  const llm = createLlm({ DOCLOOM_ALLOWED_HOSTS: ['127.0.0.1'], LOCALMODEL_HOST: server.url });
  const provider_config = { model_id: 'm', api_base: server.url, max_concurrent_requests: parallel };
  const never = new AbortController().signal;
  const model = chatModel((question, signal = never) =>
    llm.chat(question, { type: 'local_api', provider_config }, signal),
  );
  const extract = (count: number) =>
    runPipeline({
      source: ledgerText(count),
      template,
      model,
      options: {
        extraction_contract: 'direct',
        context_limit: 4_500,
        parallel_workers: parallel,
        gleaning_enabled: false,
      },
    });
  try {
    // Loading at the first request does not count.
    await extract(1);
    await server.facts();
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const { graph } = await extract(chunkCount);
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const cpuSeconds = (user + system) / 1_000_000;
    const { asked, maxOpen, tookMs } = await server.facts();
    const ideal = (Math.ceil(chunkCount / parallel) * delayMs) / 1000;
    const share = ideal / (tookMs / 1000);
    const isMet = share >= wantedShare && asked === chunkCount && graph.nodes.size === chunkCount + 1;
    process.stdout.write(
      `model: ${asked} chunks, at most ${maxOpen} at a time, ${(tookMs / 1000).toFixed(2)} s from the first question to the last answer (${ideal.toFixed(2)} s in theory), ${seconds.toFixed(2)} s with chunks and graph, ${cpuSeconds.toFixed(2)} s of processor: ${(share * 100).toFixed(1)} % of the rate, ${graph.nodes.size} nodes (target ${wantedShare * 100} %, ${isMet ? 'met' : 'MISSED'})\n`,
    );
    return isMet;
  } finally {
    llm.close();
    await server.stop();
  }
}
