import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { contract } from '@bot-directory/contract';
import type { EventReads } from '../api/events.ts';
import { apiReads, mountApi } from '../api/routes.ts';
import { Directory } from '../directory/directory.ts';
import { createHeadWriter } from '../http/node-internals.ts';
import { bindOperations } from '../operations/index.ts';
import { createReads } from '../reads/reads.ts';
import { paths } from './start-web.ts';

const baseUrl = 'https://bots.example.com';
const directory = new Directory({ store: undefined, baseUrl });
/** Reads that are never made. */
const events = {} as EventReads;
const answer = createReads({
  rows: apiReads,
  context: { directory, baseUrl, categories: [], events },
  paths,
  directory,
  headers: [],
  writeHead: createHeadWriter(5_000),
  form: '',
  onError: (error) => {
    throw error;
  },
});

/** Whether a request is answered before Express. */
const isAnswered = (method: string, url: string): boolean => {
  const req = Object.assign(new IncomingMessage(new Socket()), { method, url });
  return answer(req, new ServerResponse(req), 'req_1', () => undefined);
};

/** Method and path of each route of the API on Express. */
const mounted = (): string[] => {
  const app = express();
  const rules = {
    template: { host: 'templates.example' },
    social: { host: 'social.example', aliases: [] },
    categories: [],
    webhook: { allowedNetworks: [] },
  };
  const operations = bindOperations(rules, undefined);
  mountApi(app, { operations, events: undefined, categories: [], limit: [], ending: new AbortController().signal });
  return app.router.stack.flatMap(({ route }) =>
    (route?.stack ?? []).map(({ method }) => `${method.toUpperCase()} ${route?.path}`),
  );
};

describe.each(Object.entries(contract))('The route %s', (_name, { method, path, metadata }) => {
  it('is answered before Express if its metadata says so, and is otherwise mounted with ts-rest', () => {
    const isBefore = metadata.beforeExpress === true;
    expect(isAnswered(method, path.replace(':slug', 'a-bot'))).toBe(isBefore);
    expect(mounted().includes(`${method} ${path}`)).toBe(!isBefore);
  });
});
