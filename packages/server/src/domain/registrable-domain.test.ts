import { expect, it } from 'vitest';
import { registrableDomain } from './registrable-domain.ts';

it.each([
  ['hooks.example.com', 'example.com'],
  ['a.b.c.example.co.uk', 'example.co.uk'],
  ['example.com', 'example.com'],
  ['customer.github.io', 'customer.github.io'],
  ['deep.customer.github.io', 'customer.github.io'],
  ['github.io', 'github.io'],
  ['xn--bcher-kva.example.org', 'example.org'],
  ['203.0.113.7', '203.0.113.7'],
  ['[2606:4700::1]', '[2606:4700::1]'],
])('%s belongs to %s', (host, domain) => {
  expect(registrableDomain(host)).toBe(domain);
});
