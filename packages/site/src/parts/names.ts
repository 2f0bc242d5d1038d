/** What the parts of a page name integrations by. It is apart from the names, which importers read without Preact. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { NameIntegration } from '../views.ts';
import { integrationName } from './integration-names.ts';

export const Names = createContext<NameIntegration>(integrationName);
export const useNames = (): NameIntegration => useContext(Names);
