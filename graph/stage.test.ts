import {
  ConfigurationError,
  errorText,
  ExtractionError,
  GraphLibraryError,
  PipelineError,
  ValueError,
} from './core/errors';
import { atPeerStage, runStage } from './stage';

const failing = (error: Error) => () => Promise.reject(error);

describe('errors in full', () => {
  test('have the message, the details on a line, and the cause on another', () => {
    const cause = new ValueError('why');
    expect(errorText(new GraphLibraryError('msg', { a: 1, b: 'x', c: ['y'] }, cause))).toBe(
      'msg\nDetails: a=1, b=x, c=["y"]\nCaused by: ValueError: why',
    );
    expect([errorText(new GraphLibraryError('m')), errorText(new RangeError('r')), errorText('text')]).toEqual([
      'm',
      'r',
      'text',
    ]);
  });
});

describe('a stage', () => {
  test('adds its name to foreign errors; library errors and cancellations pass unchanged', async () => {
    await expect(runStage('Extraction', failing(new RangeError('full')))).rejects.toMatchObject({
      name: 'PipelineError',
      details: { stage: 'Extraction', error: 'full' },
    });
    for (const error of [new ConfigurationError('c'), new PipelineError('p'), new DOMException('stop', 'AbortError')])
      await expect(runStage('Extraction', failing(error))).rejects.toBe(error);
    expect(await runStage('Extraction', () => 1)).toBe(1);
  });

  test('of the peer adds its name to every error, with its kind and whether nothing was extracted', async () => {
    const wrong = new ConfigurationError('no dot', { template: 'T' });
    await expect(atPeerStage('Template Loading', failing(wrong))).rejects.toMatchObject({
      name: 'PipelineError',
      details: { stage: 'Template Loading', error: 'no dot\nDetails: template=T', error_type: 'ConfigurationError' },
      cause: wrong,
    });
    await expect(atPeerStage('Extraction', failing(new ExtractionError('none')))).rejects.toMatchObject({
      details: { error_type: 'ExtractionError', reason: 'no_models_extracted' },
    });
    const inner = new PipelineError('already');
    await expect(atPeerStage('Export', failing(inner))).rejects.toBe(inner);
  });
});
