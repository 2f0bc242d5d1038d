import { afterEach, expect, it, vi } from 'vitest';
import { startOnce } from '../src/client/once.ts';

class Form {
  constructor(readonly method: string) {}
}
const [page, window_] = [new EventTarget(), new EventTarget()];

/** Whether the browser would send the form. */
const isSent = (form: Form): boolean =>
  page.dispatchEvent(Object.defineProperty(new Event('submit', { cancelable: true }), 'target', { value: form }));

afterEach(() => vi.unstubAllGlobals());

it('sends a form that writes once while its answer is on its way, and again when its page comes back', () => {
  vi.stubGlobal('HTMLFormElement', Form);
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', window_.addEventListener.bind(window_));
  startOnce();
  const [publish, report, search] = [new Form('post'), new Form('post'), new Form('get')];
  expect([isSent(publish), isSent(publish), isSent(report)]).toEqual([true, false, true]);
  expect([isSent(search), isSent(search)]).toEqual([true, true]);
  window_.dispatchEvent(new Event('pageshow'));
  expect([isSent(publish), isSent(publish)]).toEqual([true, false]);
});
