/** What became of an attempt, in words for the owner of the endpoint. */
import { failureSentences, type DeliveryFailure } from '@bot-directory/contract';

type Attempted =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly failure: DeliveryFailure;
      readonly status?: number;
      readonly redirectHost?: string;
    };

/** Whether a client that follows redirects would follow this one. */
export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** A sentence about the endpoint. */
export const attemptInWords = (outcome: Attempted): string => {
  if (outcome.kind === 'delivered') return `It responded with ${outcome.status}.`;
  const { failure, status, redirectHost } = outcome;
  if (status === undefined) return failureSentences[failure];
  if (!isRedirect(status)) return `It responded with ${status}, not with a 2xx status.`;
  const leads = redirectHost === undefined ? '' : `, which leads to ${redirectHost}`;
  return `It responded with the redirect ${status}${leads}. Redirects are not followed: use the final address.`;
};
