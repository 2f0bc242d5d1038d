/** The result of a form, above it. */
import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

type Kind = 'error' | 'warning' | 'success';
const icons: Readonly<Record<Kind, IconName>> = { error: 'warning', warning: 'warning', success: 'check' };

type AlertProps = { kind: Kind; title: string; id?: string; children?: ComponentChildren };

/** A box that screen readers announce, and that the script focuses. */
export const Alert = ({ kind, title, id, children }: AlertProps) => (
  <div
    class={`alert alert-${kind}`}
    role={kind === 'success' ? 'status' : 'alert'}
    tabIndex={-1}
    data-focus
    {...(id === undefined ? {} : { id })}
  >
    <Icon name={icons[kind]} />
    <div>
      <p class="alert-title">{title}</p>
      {children}
    </div>
  </div>
);
