import { describe, expect, it } from 'vitest';
import * as errors from './errors.ts';

describe('instanceof', () => {
  it('tells the classes of this package apart, by their code', () => {
    const error: unknown = new errors.SignatureError('x');
    expect(error).toBeInstanceOf(errors.WebhookError);
    expect(error).toBeInstanceOf(errors.SignatureError);
    expect(error).not.toBeInstanceOf(errors.InvalidJsonError);
    for (const other of [null, undefined, 'x', {}, new Error('x'), { code: 'invalid_signature' }])
      expect(other instanceof errors.WebhookError).toBe(false);
  });

  it('of a user’s own subclass holds only for its own instances', () => {
    class Mine extends errors.SignatureError {}
    class MyOwn extends errors.WebhookError {
      static override readonly code = 'my_own';
      constructor() {
        super('mine', 400);
      }
    }
    class MySub extends MyOwn {}
    const others = [new Error('x'), new errors.InvalidJsonError(), new errors.SignatureError()];
    for (const one of [...others, new errors.WebhookError('x', 500)])
      for (const kind of [Mine, MyOwn, MySub]) expect(one instanceof kind, `${String(one)} ${kind.name}`).toBe(false);
    expect(new Mine()).toBeInstanceOf(Mine);
    expect(new Mine()).toBeInstanceOf(errors.SignatureError);
    expect(new MyOwn()).toBeInstanceOf(MyOwn);
    expect(new MyOwn()).toBeInstanceOf(errors.WebhookError);
    expect(new MySub()).toBeInstanceOf(MyOwn);
    expect(new MyOwn()).not.toBeInstanceOf(MySub);
  });
});
