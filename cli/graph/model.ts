import { Option } from 'commander';
import { readModelsFolder } from '../../embedded/paths';
import { chatModel, ConfigurationError, type LanguageModel, visionModel } from '../../graph';
import { readConfig } from '../../model/config';
import { countNouns } from '../../model/count-nouns';
import { buildNetworkRules } from '../../model/network-rules';
import { trimSlashes } from '../../model/trim-slashes';
import { createLlm } from '../../services/llm/llm';
import { createVision } from '../../services/llm/vision';
import { resolveOwnSecrets } from '../../services/run/secrets';

/** The language model for extraction, as named on the command line. */
export interface ModelChoice {
  provider?: string;
  modelId?: string;
  apiBase?: string;
  apiKey?: string;
}

/** The options of `ModelChoice`. */
export function createModelOptions(): Option[] {
  return [
    new Option('--provider <type>', 'type of the model host, for the backend llm').choices([
      'local_api',
      'gateway',
      'hosted',
    ]),
    new Option('--model-id <name>', 'name of the model on its host, for the backends llm and vlm'),
    new Option('--model <name>', 'the same as --model-id').hideHelp(),
    new Option('--api-base <url>', 'address of the model host; default: that of the configuration'),
    new Option('--api-key <reference>', 'key of the model host, as a reference such as ${DOCLOOM_SECRET_MODEL}'),
  ];
}

/** Counts tokens with the tokenizer of the chosen model if the models folder contains it, else with the bundled one. */
export async function createTokenCounter(
  { modelId = '' }: ModelChoice,
  env: Record<string, string | undefined>,
): Promise<(text: string) => number> {
  const { createTokenizers } = await import('../../services/embedding/tokenizers');
  const tokenizer = await createTokenizers({ modelsFolder: readModelsFolder(env) }).load(modelId);
  return (text) => tokenizer.count(text);
}

/** Opens the chosen model, with hosts and allowed addresses from the environment. The caller must close it. */
export function openGraphModel(
  { provider = 'local_api', modelId, apiBase, apiKey }: ModelChoice,
  env: Record<string, string | undefined>,
): { model: LanguageModel; close(): void } {
  const provider_config = {
    model_id: requireModelId(modelId, 'llm'),
    ...(apiBase === undefined ? {} : { api_base: apiBase }),
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
  };
  const llm = createLlm(readConfig(env));
  const settings = resolveOwnSecrets({ type: provider, provider_config }, env);
  const never = new AbortController().signal;
  const watch = watchAnswers(provider_config.model_id);
  const model = chatModel((question, signal = never) => watch.during(llm.chat(question, settings, signal)));
  return {
    model,
    close() {
      watch.stop();
      llm.close();
    },
  };
}

/** Writes a line to standard error whenever a model has answered no request for another `everyMs`. */
export function watchAnswers(
  modelId: string,
  write: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
  everyMs = 20_000,
): { during<T>(answer: Promise<T>): Promise<T>; stop(): void } {
  let open = 0;
  let since = Date.now();
  const say = () => {
    if (open === 0) return;
    const seconds = Math.round((Date.now() - since) / 1_000);
    write(`waiting for the model ${modelId}: no answer for ${seconds} s, ${countNouns(open, 'open request')}`);
  };
  const timer = setInterval(say, everyMs).unref();
  const restart = () => {
    since = Date.now();
    timer.refresh();
  };
  return {
    async during(answer) {
      if (open === 0) restart();
      open += 1;
      try {
        return await answer;
      } finally {
        open -= 1;
        restart();
      }
    },
    stop: () => clearInterval(timer),
  };
}

const visionTimeoutMs = 300_000;

/** Opens the chosen vision model over the OpenAI protocol, by default on the configured local host. The caller must close it. */
export function openPictureModel(
  { modelId, apiBase, apiKey }: ModelChoice,
  env: Record<string, string | undefined>,
): { model: LanguageModel; close(): void } {
  const name = requireModelId(modelId, 'vlm');
  const config = readConfig(env);
  const vision = createVision(buildNetworkRules(config));
  const { key } = resolveOwnSecrets({ key: apiKey }, env);
  const base = apiBase ?? `${trimSlashes(config.LOCALMODEL_HOST)}/v1`;
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const endpoint = {
    url: `${trimSlashes(base)}/chat/completions`,
    headers,
    params: { model: name, temperature: 0, max_tokens: 4_096 },
    timeoutMs: visionTimeoutMs,
    concurrency: 1,
    isConfigured: apiBase === undefined,
  };
  const never = new AbortController().signal;
  const model = visionModel((question, signal = never) => vision.ask(endpoint, question, signal));
  return { model, close: () => vision.close() };
}

function requireModelId(modelId: string | undefined, backend: string): string {
  if (modelId !== undefined) return modelId;
  throw new ConfigurationError(`The backend ${backend} needs a model: give its name with --model-id`, {
    option: '--model-id',
  });
}
