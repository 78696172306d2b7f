import { AppError } from '../../model/errors';
import { reply } from '../http/route';

/** Where a person who logs in comes from, and how they asked. */
interface LoginPlace {
  header: (name: string) => string | undefined;
  baseUrl: string;
  redirectAfter: string | undefined;
}

/**
 * Sends a browser in which a login failed back to the application, with the reason in the query; otherwise a person would read
 * JSON. Programs get the error.
 */
export async function explainInBrowser<T>({ header, baseUrl, redirectAfter }: LoginPlace, work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !header('Accept')?.includes('text/html')) throw error;
    const target = new URL(redirectAfter ?? '/console/login', baseUrl);
    target.searchParams.set('login_error', getReason(error));
    return reply(307, '', { Location: target.href });
  }
}

/** One of few words: texts of the provider never reach a page. */
function getReason({ code }: AppError): 'expired' | 'refused' | 'unavailable' {
  if (code === 'VALIDATION_ERROR') return 'expired';
  return code === 'UNAUTHORIZED' || code === 'FORBIDDEN' ? 'refused' : 'unavailable';
}
