import { smb } from '../../model/source/kinds/smb';
import { testSource } from '../support/sources/contract';
import { openSmbFixtures } from '../support/sources/smb';

/** The source smb on Samba: the contract of every source. */
let fixtures: Awaited<ReturnType<typeof openSmbFixtures>>;
beforeAll(async () => {
  fixtures = await openSmbFixtures();
}, 5 * 60_000);
afterAll(() => fixtures.stop());

testSource(smb, () => fixtures.open());
