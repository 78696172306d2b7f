import type { OperatorContext, OperatorModule } from '../../operators/operator';
import type { Pulse } from '../conduct';

/** The arguments of an operator's code. */
export interface Prepared {
  config: Record<string, unknown>;
  module: OperatorModule;
  context: OperatorContext;
  pulse: Pulse;
}
