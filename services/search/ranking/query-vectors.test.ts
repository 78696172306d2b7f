import { createQueryVectors } from './query-vectors';

const config = { type: 'onnx', provider_config: { model_id: 'small' } };
const signal = new AbortController().signal;

function counting(fault?: () => Error | undefined) {
  const asked: string[] = [];
  const vectorsOf = createQueryVectors(() => ({
    embed: async ([text = '']) => {
      asked.push(text);
      const error = fault?.();
      if (error) throw error;
      return [[asked.length]];
    },
  }));
  return { asked, vectorsOf };
}

test('the same question of the same person is embedded once', async () => {
  const { asked, vectorsOf } = counting();
  const first = await vectorsOf('ann').embed(['tide'], config, signal);
  expect(await vectorsOf('ann').embed(['tide'], config, new AbortController().signal)).toEqual(first);
  expect(asked).toEqual(['tide']);
});

test('different people, texts and models share nothing', async () => {
  const { asked, vectorsOf } = counting();
  await vectorsOf('ann').embed(['tide'], config, signal);
  await vectorsOf('bob').embed(['tide'], config, signal);
  await vectorsOf('ann').embed(['ebb'], config, signal);
  await vectorsOf('ann').embed(['tide'], { ...config, provider_config: { model_id: 'large' } }, signal);
  expect(asked).toHaveLength(4);
});

test('a failure is not cached, and a running call of another request is not awaited', async () => {
  let error: Error | undefined = new Error('away');
  const { asked, vectorsOf } = counting(() => error);
  await expect(vectorsOf('ann').embed(['tide'], config, signal)).rejects.toThrow('away');
  error = undefined;
  const own = [new AbortController().signal, new AbortController().signal] as const;
  const running = own.map((signal) => vectorsOf('ann').embed(['tide'], config, signal));
  expect(await Promise.all(running)).toEqual([[[2]], [[3]]]);
  expect(asked).toHaveLength(3);
});

test('the oldest of more than a thousand questions is forgotten', async () => {
  const { asked, vectorsOf } = counting();
  for (let number = 0; number <= 1_000; number += 1) await vectorsOf('ann').embed([`q${number}`], config, signal);
  await vectorsOf('ann').embed(['q1000'], config, signal);
  expect(asked).toHaveLength(1_001);
  await vectorsOf('ann').embed(['q0'], config, signal);
  expect(asked).toHaveLength(1_002);
});
