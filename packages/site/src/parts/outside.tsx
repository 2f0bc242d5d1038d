/** Links to other sites. Anything but plain HTTPS is shown as text. */
import type { ComponentChildren } from 'preact';
import { isOutside, to } from './href.ts';
import { Icon } from './icon.tsx';

/** A link that is marked as going to another site, without endorsement. */
export const Outside = ({ url, children }: { url: string; children: ComponentChildren }) => {
  if (!isOutside(url)) return <span>{children}</span>;
  return (
    <a class="outside" href={to.outside(url)} rel="nofollow ugc noopener">
      {children}
      <Icon name="external" />
      <span class="hidden"> (another site)</span>
    </a>
  );
};
