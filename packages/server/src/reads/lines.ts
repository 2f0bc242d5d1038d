/** Whether a client wants the entries of a list as lines: NDJSON instead of a JSON array. */
import Negotiator from 'negotiator';

/** The media type of lines. */
export const linesType = 'application/x-ndjson';

/** Whether an `Accept` header names lines, and prefers them to a JSON array. */
export const prefersLines = (accept: string | undefined): boolean =>
  accept !== undefined &&
  accept.toLowerCase().includes(linesType) &&
  new Negotiator({ headers: { accept } }).mediaType(['application/json', linesType]) === linesType;
