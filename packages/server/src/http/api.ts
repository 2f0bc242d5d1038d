/** Operation → function: the one table between the contract and the stories. Mounted through ts-rest. */
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer, type RequestValidationError } from '@ts-rest/express';
import type { Express } from 'express';
import { deliveryRoutes, limits, writeRoutes } from '@bot-directory/contract';
import type { Failure } from '../base/failure.ts';
import { displayText } from '../domain/display-text.ts';
import { addIntegrations } from '../operations/add-integrations.ts';
import { addPost } from '../operations/add-post.ts';
import { addWebhook } from '../operations/add-webhook.ts';
import { getWebhookStatus } from '../operations/get-webhook-status.ts';
import { removeWebhook } from '../operations/remove-webhook.ts';
import { reportBot } from '../operations/report-bot.ts';
import { submitBot } from '../operations/submit-bot.ts';
import type { SigningKeys } from '../store/signing-keys.ts';
import { bodyErrors, configured, invalidInput, queryErrors, refinedBodies, type InputRules } from './inputs.ts';

/** What the operations use, together. */
export type OperationDeps = Parameters<typeof submitBot>[0] &
  Parameters<typeof addPost>[0] &
  Parameters<typeof addWebhook>[0] &
  Parameters<typeof getWebhookStatus>[0] &
  Parameters<typeof reportBot>[0] & { readonly signingKeys: SigningKeys };

/** Mounts them. `deps` undefined: saving is not configured, which is said only of valid input. */
export const mountApi = (app: Express, rules: InputRules, deps: OperationDeps | undefined): void => {
  const body = refinedBodies(rules);
  const contract = initContract().router({
    submitBot: { ...writeRoutes.submitBot, body: body.submitBot },
    addIntegrations: { ...writeRoutes.addIntegrations, body: body.addIntegrations },
    reportBot: writeRoutes.reportBot,
    addPost: { ...writeRoutes.addPost, body: body.addPost },
    addWebhook: { ...writeRoutes.addWebhook, body: body.newWebhook },
    removeWebhook: { ...writeRoutes.removeWebhook, body: body.webhook },
    listWebhookKeys: deliveryRoutes.listWebhookKeys,
    getWebhookStatus: { ...deliveryRoutes.getWebhookStatus, query: body.webhook },
  });
  const saving = (): OperationDeps => configured(deps);
  const router = initServer().router(contract, {
    submitBot: async ({ body: { link, author, source_url, integrations, categories } }) => ({
      status: 200,
      body: await submitBot(saving(), {
        link,
        author: author ?? null,
        sourceUrl: source_url?.url ?? null,
        integrations,
        categories: categories ?? [],
      }),
    }),
    addIntegrations: async ({ params, body: { integrations } }) => ({
      status: 200,
      body: await addIntegrations(saving(), params.slug, integrations),
    }),
    reportBot: async ({ params, body: { reason, text = '' } }) => ({
      status: 200,
      body: await reportBot(saving(), params.slug, { reason, text: displayText(text, limits.reportLength) }),
    }),
    addPost: async ({ body: { url } }) => ({ status: 200, body: await addPost(saving(), url) }),
    addWebhook: async ({ body: { url, secret } }) => ({ status: 200, body: await addWebhook(saving(), url, secret) }),
    removeWebhook: async ({ body: { url } }) => ({ status: 200, body: await removeWebhook(saving(), url) }),
    getWebhookStatus: async ({ query: { url } }) => ({ status: 200, body: await getWebhookStatus(saving(), url) }),
    listWebhookKeys: async () => ({
      status: 200,
      body: {
        keys: (await saving().signingKeys()).map(({ id, publicKey }) => ({
          id,
          algorithm: 'ed25519' as const,
          public_key: publicKey,
        })),
      },
    }),
  });
  createExpressEndpoints(contract, router, app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _req, _res, next) => {
      next(invalidRequest(error));
    },
  });
};

const invalidRequest = ({ body, query, pathParams }: RequestValidationError): Failure => {
  return invalidInput([...bodyErrors(body?.issues ?? pathParams?.issues ?? []), ...queryErrors(query?.issues ?? [])]);
};
