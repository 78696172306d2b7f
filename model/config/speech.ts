import type { Setting } from './setting';

/** The speech model of conversions. */
export const speechSettings = {
  DOCLOOM_SPEECH_URL: {
    kind: 'text',
    text: 'Transcriptions URL (OpenAI protocol) of a speech model, such as http://127.0.0.1:8000/v1/audio/transcriptions: transcribes audio and video files. The service uses it only with CONVERT_SERVE_ENABLE_REMOTE_SERVICES.',
  },
  DOCLOOM_SPEECH_API_KEY: { kind: 'text', secret: true, text: 'Bearer token for DOCLOOM_SPEECH_URL.' },
  DOCLOOM_SPEECH_MODEL: { kind: 'text', default: 'whisper-1', text: 'Name of the model at DOCLOOM_SPEECH_URL.' },
  DOCLOOM_SPEECH_SECONDS: {
    kind: 'integer',
    default: '600',
    minimum: 1,
    text: 'Timeout in seconds for the transcription of a file.',
  },
} as const satisfies Record<string, Setting>;
