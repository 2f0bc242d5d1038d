/**
 * The process. It listens for signals before it loads the service, which takes a third of a second: until then a
 * SIGTERM to process 1 of a container would be lost, and any other process would end without its own exit code.
 */

/** Before anything is served, nothing has to be finished. */
let stop: (signal: NodeJS.Signals) => void = () => process.exit(0);
// SIGHUP comes from a terminal that closes, or from someone who means “read the settings again”: after a stop, a
// supervisor starts the process with its new settings.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, (name) => stop(name));
// Without a listener, Node opens its debugger to everyone on this machine.
process.on('SIGUSR1', () => undefined);

const { run } = await import('./app/run.ts');
stop = run();

export {};
