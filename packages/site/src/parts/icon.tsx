/** Lucide icons, inline. They are decoration: everything they convey is also in words. */
import { icons } from './icons.gen.tsx';

/** The name of an icon. */
export type IconName = keyof typeof icons;

/** An icon in the colour of the surrounding text, and about its size. */
export const Icon = ({ name }: { name: IconName }) => {
  const Shapes = icons[name];
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <Shapes />
    </svg>
  );
};

/** The directory's mark: a catalogue card with a face. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path class="mark-card" d="M6 8a3 3 0 0 1 3-3h5l2.5 3H23a3 3 0 0 1 3 3v13a3 3 0 0 1-3 3H9a3 3 0 0 1-3-3z" />
    <path class="mark-face" d="M12.5 15v3M19.5 15v3M13 22h6" />
  </svg>
);
