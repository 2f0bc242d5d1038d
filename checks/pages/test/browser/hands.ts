/** How people use a page: by mouse, by touch, or with the keyboard alone. */
import type { Locator } from 'playwright-core';

/** What somebody does to a part of a page. */
export type Hands = {
  readonly press: (target: Locator) => Promise<void>;
  readonly write: (target: Locator, text: string) => Promise<void>;
  /** Chooses from a list by what it says. */
  readonly choose: (list: Locator, label: string) => Promise<void>;
};

export const mouse: Hands = {
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
  choose: async (list, label) => {
    await list.selectOption({ label });
  },
};

export const touch: Hands = { ...mouse, press: (target) => target.tap() };

/** Nothing but Tab, Enter, Space and letters. */
export const keyboard: Hands = {
  press: async (target) => {
    await tabTo(target);
    const isCheckbox = (await target.getAttribute('type')) === 'checkbox';
    await target.page().keyboard.press(isCheckbox ? 'Space' : 'Enter');
  },
  write: async (target, text) => {
    await tabTo(target);
    await target.page().keyboard.press('Control+A');
    await target.page().keyboard.type(text);
  },
  choose: async (list, label) => {
    await tabTo(list);
    await list.page().keyboard.type(label);
  },
};

/** Presses Tab as often as it should take, and then until the target has the focus. */
const tabTo = async (target: Locator): Promise<void> => {
  const { keyboard: keys } = target.page();
  const expected = await target.evaluate((element) => {
    const page = element.ownerDocument;
    const stops = [
      ...page.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex]'),
    ].filter((stop) => stop.tabIndex >= 0 && stop.checkVisibility());
    const at = stops.findIndex((stop) => stop === page.activeElement);
    return stops.findIndex((stop) => stop === element) - at;
  });
  for (let presses = 0; presses < expected; presses += 1) await keys.press('Tab');
  for (let presses = 0; presses < 300; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await keys.press('Tab');
  }
  throw new Error('the Tab key never got there');
};
