import type { Config } from '../../config';
import type { NetworkRules } from '../../network-rules';
import type { VisionEndpoint, VisionPlan } from '../../page/vision';

/** Connection to a speech model: the address of its transcriptions (OpenAI protocol). Contains keys. */
export type SpeechEndpoint = VisionEndpoint;

/** The settings that decide whether recordings are transcribed. */
export interface SpeechSettings {
  speech?: SpeechEndpoint;
  /** True when conversions may call models on other servers at all. */
  remoteServices: boolean;
  network: NetworkRules;
}

/** A piece of speech. Times are in seconds from the start of the recording. */
export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  /** Only from models that distinguish speakers. */
  speaker?: string;
}

/** The transcript of a recording. */
export interface Transcript {
  /** The whole text, for models that return no segments. */
  text: string;
  segments: SpokenSegment[];
}

/** Transcribes a recording. */
export type Transcribe = (recording: { bytes: Uint8Array; name: string; mimetype: string }) => Promise<Transcript>;

/** Kinds of recordings with their usual media types by extension. */
export const recordingTypes = {
  audio: {
    mp3: 'audio/mpeg',
    wav: 'audio/wav',
    m4a: 'audio/mp4',
    aac: 'audio/aac',
    ogg: 'audio/ogg',
    oga: 'audio/ogg',
    opus: 'audio/ogg',
    flac: 'audio/flac',
    wma: 'audio/x-ms-wma',
  },
  video: {
    mp4: 'video/mp4',
    m4v: 'video/mp4',
    mpeg: 'video/mpeg',
    mpg: 'video/mpeg',
    webm: 'video/webm',
    mov: 'video/quicktime',
    mkv: 'video/x-matroska',
    avi: 'video/x-msvideo',
    wmv: 'video/x-ms-wmv',
  },
} as const satisfies Record<string, Record<string, string>>;

const byExtension: ReadonlyMap<string, string> = new Map(
  Object.values(recordingTypes).flatMap((types) => Object.entries(types)),
);

/** The media type of a recording by its name; undefined for all other names. */
export function findRecordingType(name: string): string | undefined {
  return byExtension.get(/\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '');
}

/** True if the name or the media type is that of audio or video. */
export function isRecording({ name, mimetype }: { name: string; mimetype?: string | undefined }): boolean {
  return findRecordingType(name) !== undefined || /^(?:audio|video)\//i.test(mimetype ?? '');
}

/** Reads the speech model from the configuration; undefined if none is set. */
export function findSpeechEndpoint(config: Config): SpeechEndpoint | undefined {
  const { DOCLOOM_SPEECH_URL: url, DOCLOOM_SPEECH_API_KEY: key } = config;
  if (!url) return undefined;
  return {
    url,
    headers: key ? { Authorization: `Bearer ${key}` } : {},
    params: { model: config.DOCLOOM_SPEECH_MODEL },
    timeoutMs: config.DOCLOOM_SPEECH_SECONDS * 1_000,
    concurrency: 1,
    isConfigured: true,
  };
}

/** Adds the speech model to the models of a conversion, if the file is a recording and the server has one that it may use. */
export function addSpeech(
  plan: VisionPlan | undefined,
  settings: SpeechSettings,
  file: { name: string; mimetype?: string | undefined },
): VisionPlan | undefined {
  const { speech, remoteServices, network } = settings;
  if (!speech || !remoteServices || !isRecording(file)) return plan;
  return { ...(plan ?? { enrichments: {}, network }), speech };
}
