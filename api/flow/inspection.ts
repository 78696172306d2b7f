import { AppError, asAppError } from '../../model/errors';
import { buildEffectiveConfig } from '../../model/flow/config';
import type { FlowDefinition, FlowOperator } from '../../model/flow/flow';
import type { FlowAlert } from '../../model/flow/validation';
import { createTimeLimit } from '../../model/time/time-limit';
import { findOperator } from '../../operators/index';
import type { CheckReader, Finding, Inspected, Inspection, InspectionServices } from '../../operators/inspection';
import { usesWorkerSecrets } from '../connection/open-config';

/** The additional checks of a deep validation. */
export interface FlowInspection {
  /**
   * Contacts the servers named in the flow, for at most 15 s. Skips operators in `skip`, which are known to be invalid. Some
   * sources check the rights of `reader`.
   */
  inspect(
    flow: FlowDefinition,
    skip: ReadonlySet<string>,
    signal: AbortSignal,
    reader?: CheckReader,
  ): Promise<{ errors: FlowAlert[]; warnings: FlowAlert[] }>;
}

const limitMs = 15_000;

/**
 * Inspects from the machine of the api without changing anything, as each operator declares in `inspection`. A worker elsewhere may
 * see other folders and hosts; the messages mention this.
 */
export function createFlowInspection(services: InspectionServices): FlowInspection {
  return {
    async inspect(flow, skip, requested, reader) {
      const signal = AbortSignal.any([requested, createTimeLimit(limitMs)]);
      const results = new Map<string, Promise<Inspected>>();
      const places = flow.flow.flatMap((operator, index) => listPlaces(flow, operator, index, skip));
      const run = ({ operator, config, inspection }: Place) => {
        const context = { flow, operator, config, services, reader, signal, resultOf: findResult };
        return catchFailure(inspection, signal, () => inspection.inspect(context));
      };
      function findResult(name: string): Promise<Inspected | undefined> {
        const place = places.find(({ operator, config }) => operator.name === name && !usesWorkerSecrets(config));
        if (!place) return Promise.resolve(undefined);
        const result = results.get(name) ?? run(place);
        results.set(name, result);
        return result;
      }
      const inspected = await Promise.all(places.map(({ operator }) => findResult(operator.name)));
      const listAlerts = (part: 'errors' | 'warnings') =>
        places.flatMap((place, index) => (inspected[index]?.[part] ?? []).map((finding) => toAlert(place, finding)));
      return {
        errors: listAlerts('errors'),
        warnings: [
          ...places.filter(({ config }) => usesWorkerSecrets(config)).map(createNotCheckedAlert),
          ...listAlerts('warnings'),
        ],
      };
    },
  };
}

interface Place {
  operator: FlowOperator;
  index: number;
  config: Record<string, unknown>;
  inspection: Inspection;
}

function listPlaces(flow: FlowDefinition, operator: FlowOperator, index: number, skip: ReadonlySet<string>): Place[] {
  const inspection = findOperator(operator.type)?.inspection;
  return inspection && !skip.has(operator.name)
    ? [{ operator, index, config: buildEffectiveConfig(flow, operator), inspection }]
    : [];
}

function toAlert({ operator, index }: Omit<Place, 'inspection'>, { code, message, pointer }: Finding): FlowAlert {
  return {
    message_code: code,
    message,
    node_name: operator.name,
    operator: operator.type,
    pointer: `/flow/${index}/config${pointer}`,
  };
}

function createNotCheckedAlert(place: Place): FlowAlert {
  const message = `'${place.operator.name}' uses secrets of the worker, which the api does not know; its servers were not contacted.`;
  return toAlert(place, { code: 'NOT_CHECKED', message, pointer: '' });
}

/** Runs an inspection and returns its failure as a finding. An aborted request ends all inspections. */
async function catchFailure(
  { pointer }: Inspection,
  signal: AbortSignal,
  work: () => Promise<Inspected>,
): Promise<Inspected> {
  try {
    return await work();
  } catch (error) {
    const isLate = signal.aborted && (signal.reason as { name?: string } | undefined)?.name === 'TimeoutError';
    if (signal.aborted && !isLate) throw error;
    const { code, message } = isLate
      ? new AppError('SERVICE_UNAVAILABLE', `There was no answer within ${limitMs / 1_000} s.`)
      : asAppError(error, 'EXTERNAL_SERVICE_ERROR');
    return { errors: [{ code, message: `Seen from the api: ${message}`, pointer }] };
  }
}
