import { expect, it } from 'vitest';
import { withoutPorts } from './clients.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['203.0.113.7:51234,10.0.0.1:80', '203.0.113.7, 10.0.0.1'],
  ['[2001:db8::1]:443', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['2001:db8::1', '2001:db8::1'],
  ['unknown, 203.0.113.7', 'unknown, 203.0.113.7'],
  ['', ''],
])('%s is %s', (header, addresses) => {
  expect(withoutPorts(header)).toBe(addresses);
});
