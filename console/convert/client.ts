import { createConversionClient } from '../../client/conversion';
import { sendWithSession } from '../api';

/** The conversion service of this server, as the user of the session. */
export const conversion = createConversionClient({ baseUrl: location.origin, fetch: sendWithSession });
