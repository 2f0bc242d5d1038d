/**
 * Stops with one clear line if the project cannot run. It is imported first and written for old Nodes; every other
 * script may use what Node 20.19 has.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** @param {string} line */
const stop = (line) => {
  console.error(line);
  process.exit(1);
};

if (major < 20 || (major === 20 && minor < 19)) {
  stop('Node 20.19 or newer is needed; this is ' + process.version + '. Get it from https://nodejs.org.');
}
if (process.platform === 'win32') {
  stop('Redis does not run on Windows itself: run this inside WSL (https://learn.microsoft.com/windows/wsl).');
}
