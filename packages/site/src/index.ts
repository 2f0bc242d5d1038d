export * from './types.ts';
export { page } from './page.tsx';
