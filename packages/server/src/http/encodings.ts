/** Which encodings a client accepts, in the order in which we prefer them. */
import Negotiator from 'negotiator';

export type Encoding = 'identity' | 'gzip' | 'br';

const ours = ['br', 'gzip', 'identity'] as const;
const onlyPlain: readonly Encoding[] = ['identity'];
const remembered = new Map<string, readonly Encoding[]>();
const [maxRemembered, maxRememberedLength] = [200, 100];

/** Our encodings that an `Accept-Encoding` header accepts, smallest result first. The last is always identity. */
export const acceptedEncodings = (header: string | undefined): readonly Encoding[] => {
  if (header === undefined || header === '') return onlyPlain;
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const named = new Negotiator({ headers: { 'accept-encoding': header } }).encodings([...ours]);
  const accepted = ours.filter((name) => name === 'identity' || named.includes(name));
  if (header.length <= maxRememberedLength) {
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(header, accepted);
  }
  return accepted;
};
