/** Code to copy. Without the script its text is there to be selected. */
import { Icon } from './icon.tsx';

/** `label` names it for those who can't see where it stands. */
export const Snippet = ({ label, code }: { label: string; code: string }) => (
  <div class="snippet">
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>{code}</code>
    </pre>
    <button class="copy" type="button" data-copy aria-label={`Copy: ${label}`}>
      <span class="copy-rest">
        <Icon name="copy" />
        Copy
      </span>
      <span class="copy-done">
        <Icon name="check" />
        Copied
      </span>
    </button>
  </div>
);

/** Text in which backticks mark code, as the API's descriptions have it. */
export const Prose = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>
);
