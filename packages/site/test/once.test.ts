import { afterEach, expect, it, vi } from 'vitest';
import { startOnce } from '../src/client/once.ts';

class Form {
  busy: string | null = null;
  readonly setAttribute = (_name: string, value: string): void => void (this.busy = value);
  readonly removeAttribute = (): void => void (this.busy = null);
  constructor(readonly method: string) {}
}
const page = new EventTarget();
const window_ = new EventTarget();

/** Returns whether the browser would send the form. */
const isSent = (form: Form): boolean =>
  page.dispatchEvent(Object.defineProperty(new Event('submit', { cancelable: true }), 'target', { value: form }));

afterEach(() => vi.unstubAllGlobals());

it('sends a form that writes once until its response is there, and again when its page comes back', () => {
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', window_.addEventListener.bind(window_));
  const navigation = new EventTarget();
  vi.stubGlobal('navigation', navigation);
  startOnce();
  const publish = new Form('post');
  const report = new Form('post');
  const search = new Form('get');
  expect([isSent(publish), isSent(publish), isSent(report)]).toEqual([true, false, true]);
  expect([isSent(search), isSent(search)]).toEqual([true, true]);
  window_.dispatchEvent(new Event('pageshow'));
  expect([isSent(publish), isSent(publish)]).toEqual([true, false]);
  // The visitor pressed Stop.
  navigation.dispatchEvent(new Event('navigateerror'));
  expect(publish.busy).toBeNull();
  expect([isSent(publish), isSent(publish)]).toEqual([true, false]);
  expect([publish.busy, search.busy]).toEqual(['true', null]);
});
