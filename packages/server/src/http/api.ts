/** Operation → function: the one table between the contract and the stories. Mounted through ts-rest. */
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer, type RequestValidationError } from '@ts-rest/express';
import type { Express } from 'express';
import { writeRoutes } from '@bot-directory/contract';
import { Failure } from '../base/failure.ts';
import { addIntegrations } from '../operations/add-integrations.ts';
import { addPost } from '../operations/add-post.ts';
import { addWebhook } from '../operations/add-webhook.ts';
import { removeWebhook } from '../operations/remove-webhook.ts';
import { submitBot } from '../operations/submit-bot.ts';
import { fieldErrors, refinedBodies, type InputRules, type Issue } from './inputs.ts';

/** What the operations use, together. */
export type OperationDeps = Parameters<typeof submitBot>[0] & Parameters<typeof addPost>[0] & Parameters<typeof addWebhook>[0];

/** Mounts every write. `deps` undefined: saving is not configured, which is said only of valid input. */
export const mountApi = (app: Express, rules: InputRules, deps: OperationDeps | undefined): void => {
  const body = refinedBodies(rules);
  const contract = initContract().router({
    submitBot: { ...writeRoutes.submitBot, body: body.submitBot },
    addIntegrations: { ...writeRoutes.addIntegrations, body: body.addIntegrations },
    addPost: { ...writeRoutes.addPost, body: body.addPost },
    addWebhook: { ...writeRoutes.addWebhook, body: body.webhook },
    removeWebhook: { ...writeRoutes.removeWebhook, body: body.webhook },
  });
  const saving = (): OperationDeps => {
    if (deps === undefined) throw new Failure('saving_not_configured', 'This service runs without a store, so nothing can be saved.');
    return deps;
  };
  const router = initServer().router(contract, {
    submitBot: async ({ body: { link, author, source_url, integrations, categories } }) => ({
      status: 200,
      body: await submitBot(saving(), { link, author: author ?? null, sourceUrl: source_url?.url ?? null, integrations, categories: categories ?? [] }),
    }),
    addIntegrations: async ({ params, body: { integrations } }) => ({ status: 200, body: await addIntegrations(saving(), params.slug, integrations) }),
    addPost: async ({ body: { url } }) => ({ status: 200, body: await addPost(saving(), url) }),
    addWebhook: async ({ body: { url } }) => ({ status: 200, body: await addWebhook(saving(), url) }),
    removeWebhook: async ({ body: { url } }) => ({ status: 200, body: await removeWebhook(saving(), url) }),
  });
  createExpressEndpoints(contract, router, app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _req, _res, next) => {
      next(invalidRequest(error));
    },
  });
};

const invalidRequest = ({ body, query, pathParams }: RequestValidationError): Failure => {
  const issues = [body, query, pathParams].flatMap((error): readonly Issue[] => error?.issues ?? []);
  return new Failure('invalid_request', 'A field is missing or not valid; `errors` names each one.', { errors: fieldErrors(issues) });
};
