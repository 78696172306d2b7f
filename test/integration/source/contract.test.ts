import { sourceKinds } from '../../../model/source/list';
import { sourceFixtures } from '../../support/sources';
import { testSource } from '../../support/sources/contract';

/** Every source on its real server, except those whose servers need packages of Debian (test/sources). */
describe.each(sourceKinds.map((kind) => [kind.name, kind] as const).filter(([name]) => name in sourceFixtures))(
  '%s',
  (name, kind) => {
    testSource(kind, sourceFixtures[name as keyof typeof sourceFixtures]);
  },
);
