/** Code to copy. Without the script, its text can be selected. */
import { Icon } from './icon.tsx';

/** `label` names it for screen readers. */
export const Snippet = ({ label, code }: { label: string; code: string }) => (
  <div class="snippet">
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{code}</code>
    </pre>
    <button class="copy" type="button" data-copy aria-label={`Copy: ${label}`}>
      <span class="copy-rest">
        <Icon name="copy" />
        <span class="copy-word">Copy</span>
      </span>
      <span class="copy-done">
        <Icon name="check" />
        <span class="copy-word">Copied</span>
      </span>
    </button>
  </div>
);

/** Text in which backticks mark code, as in the API's descriptions. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>
);
