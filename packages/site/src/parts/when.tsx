/** A date, the same for every reader. The script makes a recent one relative to the reader's day. */
import { date } from './words.ts';

/** Shows the date of an ISO 8601 instant. */
export const When = ({ at, id }: { at: string; id?: string }) => (
  <time dateTime={at} {...(id === undefined ? {} : { id })}>
    {date(at)}
  </time>
);
