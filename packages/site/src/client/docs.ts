/**
 * What a script adds to the API reference: copying, requests, and a box that shows only the sections with some words.
 */

const mostShown = 20_000;

/** Replaces `<slug>` in a path with the newest bot's slug. */
const withSlug = async (path: string): Promise<string> => {
  if (!path.includes('<slug>')) return path;
  const [bot] = (await (await fetch('/api/bots?limit=1')).json()) as { slug: string }[];
  return path.replace('<slug>', bot?.slug ?? 'none');
};

const startRun = (form: HTMLFormElement): void => {
  const [input, status, body] = ['input', 'output', 'pre'].map((name) => form.querySelector(name)) as [
    HTMLInputElement,
    Element,
    Element,
  ];
  const run = async (): Promise<void> => {
    input.value = await withSlug(input.value);
    const response = await fetch(input.value);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\n`).join('');
    status.textContent = `${response.status} ${response.statusText}`;
    body.textContent = `${headers}\n${isJson && text ? JSON.stringify(JSON.parse(text), null, 2) : text}`.slice(
      0,
      mostShown,
    );
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    status.textContent = 'Sending …';
    body.textContent = '';
    run().catch(() => (status.textContent = 'No response. Check the address and the connection.'));
  });
};

const startFilter = (box: HTMLInputElement): void => {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.contents li a')].map((link) => {
    const section = document.getElementById(link.hash.slice(1))?.closest('section');
    return { item: link.parentElement, section, text: `${link.textContent} ${section?.textContent}`.toLowerCase() };
  });
  box.addEventListener('input', () => {
    const words = box.value.toLowerCase().split(/\s+/);
    let found = 0;
    for (const { item, section, text } of links) {
      const isFound = words.every((word) => text.includes(word));
      if (isFound) found += 1;
      for (const one of [item, section]) one?.toggleAttribute('hidden', !isFound);
    }
    const said = document.querySelector('#said');
    if (said) said.textContent = `${found} found`;
  });
};

/** Adds a copy button. Runs before the site's script looks for copy buttons. */
const addCopy = (snippet: Element): void => {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', `Copy: ${snippet.firstElementChild?.getAttribute('aria-label')}`);
  button.dataset.copy = '';
  snippet.append(button);
};

// The script is deferred, so the document is complete.
document.querySelectorAll('.docs .snippet').forEach(addCopy);
document.querySelectorAll<HTMLFormElement>('[data-run]').forEach(startRun);
document.querySelectorAll<HTMLInputElement>('[data-filter]').forEach(startFilter);
