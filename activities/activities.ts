import type { ConvertActivities } from '../model/conversion/task/activities';
import type { GraphActivities } from '../model/graph/activities';
import type { RightsActivities } from '../model/identity/sync';
import type { RunActivities } from '../model/run/activities';
import type { WebhookActivities } from '../model/webhook/activities';
import { createConvertActivities } from './conversion/tasks';
import type { ActivityDeps } from './deps';
import { createGraphActivities } from './graph/build';
import { createRightsActivities } from './identity/rights-activities';
import { createOperatorActivities } from './run/operator-activities';
import { createRunActivities } from './run/records';
import { createWebhookActivities } from './webhook/deliver';

/** All activities of a worker: those of the operators, and those that order and record runs, conversion tasks and graphs. */
export function createActivities(deps: ActivityDeps): {
  operatorActivities: ReturnType<typeof createOperatorActivities>;
  runActivities: RunActivities;
  convertActivities: ConvertActivities;
  graphActivities: GraphActivities;
  webhookActivities: WebhookActivities;
  rightsActivities: RightsActivities;
} {
  return {
    operatorActivities: createOperatorActivities(deps),
    runActivities: createRunActivities(deps),
    convertActivities: createConvertActivities(deps.conversion),
    graphActivities: createGraphActivities({ ...deps.graphs, env: deps.env }),
    webhookActivities: createWebhookActivities(deps.webhooks),
    rightsActivities: createRightsActivities(deps),
  };
}
