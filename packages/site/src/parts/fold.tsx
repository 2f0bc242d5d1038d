/** A part of a page that is closed until somebody wants it. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

type Props = {
  readonly icon: Parameters<typeof Icon>[0]['name'];
  readonly title: string;
  readonly id?: string;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
};

/** Shows its title, and the rest on demand. */
export const Fold = ({ icon, title, id, isOpen = false, children }: Props) => (
  <details class="fold" open={isOpen} {...(id === undefined ? {} : { id })}>
    <summary>
      <Icon name={icon} />
      {title}
    </summary>
    <div class="fold-body">{children}</div>
  </details>
);
