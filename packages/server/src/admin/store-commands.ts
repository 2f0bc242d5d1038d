/** The operator's commands about what processes know of their store: how large it was, and whose it is. */
import type { ModerationStore, Operator } from '../store/moderation/moderation-store.ts';
import type { Store } from '../redis/redis.ts';
import { forgetSettings, readSettings } from '../store/admission/note.ts';
import { confirm, showResult, showRows, type Terminal } from './terminal.ts';

type Deps = {
  readonly store: Store;
  readonly moderation: ModerationStore;
  readonly operator: Operator;
  readonly terminal: Terminal;
};

export const storeCommands = ({ store, moderation, operator, terminal }: Deps) => ({
  acceptEmpty: async (): Promise<void> => {
    const { had, has } = await moderation.size();
    await confirm(terminal, `The directory has ${has} bots and posts, and had ${had}. Accept that?`);
    await moderation.acceptSize(operator, has);
    showResult(terminal, { had, has }, `Accepted: the directory has ${has} bots and posts.`);
  },

  listSettings: async (): Promise<void> => {
    const rows = Object.entries(await readSettings(store)).map(([setting, value]) => ({ setting, value }));
    showRows(terminal, rows, 'No process has started on this store yet.');
  },

  forgetSettings: async (): Promise<void> => {
    await confirm(
      terminal,
      'The next process that starts decides the settings of this store. Forget the present ones?',
    );
    await moderation.record(operator, 'forget-settings');
    await forgetSettings(store);
    showResult(terminal, { settings: 'forgotten' }, 'Forgotten: the next process that starts notes its own settings.');
  },
});
