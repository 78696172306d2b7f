import type { OperatorContext, OperatorModule } from '../../operators/operator';
import type { Pulse } from '../conduct';

/** What the code of an operator is called with. */
export interface Prepared {
  config: Record<string, unknown>;
  module: OperatorModule;
  context: OperatorContext;
  pulse: Pulse;
}
