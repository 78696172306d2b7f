import type { VisionPlan } from '../../model/page/vision';
import type { VisionWork } from './vision-models';

/** The work of the models of a plan. Most documents have no plan, so the clients of models are loaded when one needs them. */
export async function openVision(
  plan: VisionPlan | undefined,
  options: { keepsPictures: boolean },
): Promise<VisionWork> {
  if (!plan) return { reading: {}, drawing: {}, enrich: async () => [] };
  const { openVision } = await import('./vision-models');
  return openVision(plan, options);
}
