/** Links to the other pages of a list. */
import { Icon } from './icon.tsx';
import { to } from './href.ts';

/** `next` and `first` are paths made by `to`. */
export const Pager = (props: {
  older: string;
  next: string | undefined;
  newest: string;
  first: string | undefined;
}) => {
  const { older, next, newest, first } = props;
  if (next === undefined && first === undefined) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {first !== undefined && (
        <a class="button quiet" href={to.absolute('', first)}>
          <Icon name="arrowLeft" />
          {newest}
        </a>
      )}
      {next !== undefined && (
        <a class="button quiet pager-next" rel="next" href={to.absolute('', next)}>
          {older}
          <Icon name="arrowRight" />
        </a>
      )}
    </nav>
  );
};
