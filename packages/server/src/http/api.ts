/** Operation → function: the one table between the contract and the operations. Mounted through ts-rest. */
import { initContract } from '@ts-rest/core';
import { createExpressEndpoints, initServer, type RequestValidationError } from '@ts-rest/express';
import type { Express } from 'express';
import { deliveryRoutes, writeRoutes } from '@bot-directory/contract';
import type { Failure } from '../base/failure.ts';
import type { SigningKeys } from '../store/signing-keys.ts';
import { bodyErrors, configured, invalidInput, queryErrors, refinedBodies, type InputRules } from './inputs.ts';
import { createOperations, type OperationDeps } from './operations.ts';

/** What the routes need. */
export type ApiDeps = OperationDeps & { readonly signingKeys: SigningKeys };

/** Mounts the routes. `deps` undefined: saving is not configured, which is reported only for valid input. */
export const mountApi = (app: Express, rules: InputRules, deps: ApiDeps | undefined): void => {
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
  const operations = createOperations(deps);
  const router = initServer().router(contract, {
    submitBot: async ({ body }) => ok(await operations.submitBot(body)),
    addIntegrations: async ({ params, body }) => ok(await operations.addIntegrations(params.slug, body)),
    reportBot: async ({ params, body }) => ok(await operations.reportBot(params.slug, body)),
    addPost: async ({ body }) => ok(await operations.addPost(body)),
    addWebhook: async ({ body }) => ok(await operations.addWebhook(body)),
    removeWebhook: async ({ body }) => ok(await operations.removeWebhook(body)),
    getWebhookStatus: async ({ query }) => ok(await operations.getWebhookStatus(query)),
    listWebhookKeys: async () => {
      const keys = await configured(deps).signingKeys();
      return ok({
        keys: keys.map(({ id, publicKey }) => ({ id, algorithm: 'ed25519' as const, public_key: publicKey })),
      });
    },
  });
  createExpressEndpoints(contract, router, app, {
    logInitialization: false,
    requestValidationErrorHandler: (error, _req, _res, next) => {
      next(invalidRequest(error));
    },
  });
};

const ok = <Body>(body: Body) => ({ status: 200 as const, body });

const invalidRequest = ({ body, query, pathParams }: RequestValidationError): Failure => {
  return invalidInput([...bodyErrors(body?.issues ?? pathParams?.issues ?? []), ...queryErrors(query?.issues ?? [])]);
};
