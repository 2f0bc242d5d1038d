/** Links to the other pages of a list. */
import { Icon } from './icon.tsx';
import { linkTo, to } from './href.ts';
import { number } from './words.ts';

type Page = { readonly before: number; readonly shown: number; readonly total: number };

/** Writes `25–48 of 1,200`. Returns undefined if the page has the whole list or nothing. */
export const rangeOf = ({ before, shown, total }: Page): string | undefined =>
  shown === 0 || shown === total ? undefined : `${number(before + 1)}–${number(before + shown)} of ${number(total)}`;

/** `previous` and `next` are paths made by `to`. */
export const Pager = ({ previous, next }: { previous: string | undefined; next: string | undefined }) => {
  if (next === undefined && previous === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {previous !== undefined && (
        <a class="button quiet" {...linkTo(to.absolute('', previous), 'prev')}>
          <Icon name="arrowLeft" />
          Previous page
        </a>
      )}
      {next !== undefined && (
        <a class="button quiet pager-next" {...linkTo(to.absolute('', next), 'next')}>
          Next page
          <Icon name="arrowRight" />
        </a>
      )}
    </nav>
  );
};
