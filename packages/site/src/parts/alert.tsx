/** The result of a form, above it. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'error' | 'warning' | 'success';
const icons: Readonly<Record<Kind, IconName>> = { error: 'warning', warning: 'warning', success: 'check' };

/** A box that screen readers announce, and that the script focuses. */
export const Alert = ({ kind, title, children }: { kind: Kind; title: string; children?: ComponentChildren }) => (
  <div class={`alert alert-${kind}`} role={kind === 'success' ? 'status' : 'alert'} tabIndex={-1} data-focus>
    <Icon name={icons[kind]} />
    <div>
      <p class="alert-title">{title}</p>
      {children}
    </div>
  </div>
);
