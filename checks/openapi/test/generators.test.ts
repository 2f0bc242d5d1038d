/** Clients that other people's generators make of the document compile, and reach the running server. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { openApi } from '@bot-directory/contract';
import { operations } from '../src/document.ts';
import { newestCompiler } from '@bot-directory/check-runtimes/compilers';
import { run } from '@bot-directory/testing/run';
import axios from 'axios';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { generate } from 'orval';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';
import { generateApi } from 'swagger-typescript-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDirectory, type Directory } from '@bot-directory/testing/directory';
import { needs } from '@bot-directory/testing/needs';
import { program } from '../../../scripts/programs.mjs';

const folder = mkdtempSync(join(import.meta.dirname, '.generated-'));
const here = createRequire(import.meta.url);
const tsx = pathToFileURL(here.resolve('tsx')).href;
let directory: Directory;
beforeAll(async () => void (directory = await startDirectory()));
afterAll(async () => {
  await directory.stop();
  rmSync(folder, { recursive: true });
});

const document = openApi();
const input = join(folder, 'openapi.json');
writeFileSync(input, JSON.stringify(document));

/** Compiles a program together with the client that it imports, and runs it; returns its output. */
const compileAndRun = async (name: string, program: string): Promise<string> => {
  const home = join(folder, name);
  writeFileSync(join(home, 'main.ts'), program);
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    types: ['node'],
    allowImportingTsExtensions: true,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  };
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
  expect(await newestCompiler.compile(home)).toBe('');
  const { stdout, stderr } = await run(process.execPath, ['--import', tsx, join(home, 'main.ts')], {
    env: { ...process.env, BASE_URL: directory.baseUrl },
  });
  return stdout + stderr;
};

const home = (name: string): string => {
  mkdirSync(join(folder, name));
  return join(folder, name);
};

it('openapi-typescript with openapi-fetch', async () => {
  const types = await openapiTypescript(JSON.stringify(document));
  writeFileSync(join(home('openapi-fetch'), 'api.ts'), astToString(types));
  const printed = await compileAndRun(
    'openapi-fetch',
    `import createClient from 'openapi-fetch';
     import type { paths } from './api.ts';
     const client = createClient<paths>({ baseUrl: process.env.BASE_URL });
     const list = await client.GET('/api/bots', { params: { query: { limit: 5, sort: 'installs' } } });
     const names: string[] | undefined = list.data?.map((bot) => bot.name);
     const refused = await client.POST('/api/feed', { body: { url: 'https://elsewhere.example.com/' } });
     const code: string | undefined = refused.error?.code;
     console.log(names, code);`,
  );
  expect(printed).toBe('[] invalid_request\n');
});

it('hey-api', async () => {
  await createClient({ input, output: { path: home('hey-api') }, logs: { level: 'silent' } });
  const printed = await compileAndRun(
    'hey-api',
    `import { addPost, listBots } from './index.ts';
     import { client } from './client.gen.ts';
     client.setConfig({ baseUrl: process.env.BASE_URL });
     const list = await listBots({ query: { limit: 5, sort: 'installs' } });
     const names: string[] | undefined = list.data?.map((bot) => bot.name);
     const refused = await addPost({ body: { url: 'https://elsewhere.example.com/' } });
     const code: string | undefined = refused.error?.code;
     console.log(names, code);`,
  );
  expect(printed).toBe('[] invalid_request\n');
});

it('orval', async () => {
  await generate({
    input: { target: input },
    output: { target: join(home('orval'), 'api.ts'), client: 'fetch', baseUrl: directory.baseUrl },
  });
  const printed = await compileAndRun(
    'orval',
    `import { addPost, listBots } from './api.ts';
     const list = await listBots({ limit: 5, sort: 'installs' });
     const names: string[] = list.status === 200 ? list.data.map((bot) => bot.name) : [];
     const refused = await addPost({ url: 'https://elsewhere.example.com/' });
     console.log(names, refused.status === 400 ? refused.data.code : refused.status);`,
  );
  expect(printed).toBe('[] invalid_request\n');
});

it('axios, alone and in clients of orval and swagger-typescript-api, sends arrays that select what a repeated parameter does', async () => {
  const submit = (link: string, categories: string[], integrations: string[]) =>
    axios.post(`${directory.baseUrl}/api/bots/submit`, { link, categories, integrations });
  await submit('https://templates.example.com/bot/meeting-notes', ['SEO'], ['slack', 'gmail']);
  await submit('https://templates.example.com/bot/invoice-chaser', ['Finance'], ['slack', 'gmail']);
  await submit('https://templates.example.com/bot/weekly-seo-report', ['Marketing'], ['slack']);
  const params = { category: ['Marketing', 'SEO'], integration: ['slack', 'gmail'] };
  const repeated = Object.entries(params).flatMap(([name, values]) => values.map((value) => [name, value]));
  const response = await fetch(`${directory.baseUrl}/api/bots?${new URLSearchParams(repeated)}`);
  const selected = (await response.json()) as { slug: string }[];
  expect(selected.map(({ slug }) => slug)).toEqual(['meeting-notes-and-actions']);

  const sent = await axios.get<unknown>(`${directory.baseUrl}/api/bots`, { params });
  expect(decodeURIComponent(String(sent.request.path))).toContain('category[]=');
  expect(sent.data).toEqual(selected);

  await generate({
    input: { target: input },
    output: { target: join(home('orval-axios'), 'api.ts'), client: 'axios-functions', baseUrl: directory.baseUrl },
  });
  const printed = await compileAndRun(
    'orval-axios',
    `import { listBots } from './api.ts';
     const { data } = await listBots(${JSON.stringify(params)});
     console.log(JSON.stringify(data.map((bot) => bot.slug)));`,
  );
  expect(printed).toBe('["meeting-notes-and-actions"]\n');

  await generateApi({
    input,
    output: home('swagger-typescript-api'),
    fileName: 'api.ts',
    httpClientType: 'axios',
    silent: true,
  });
  const alsoPrinted = await compileAndRun(
    'swagger-typescript-api',
    `import { Api } from './api.ts';
     const { api } = new Api({ baseURL: process.env.BASE_URL ?? '' });
     const { data } = await api.listBots(${JSON.stringify(params)});
     console.log(JSON.stringify(data.map((bot) => bot.slug)));`,
  );
  expect(alsoPrinted).toBe(printed);
});

it("quicktype's Python reads the list", needs('python3-dateutil'), async () => {
  const submitted = await axios.post(`${directory.baseUrl}/api/bots/submit`, {
    link: 'https://templates.example.com/bot/support-triage',
    categories: ['Support'],
  });
  const listSchema = new JSONSchemaInput(undefined);
  const { Bot } = document.components?.schemas ?? {};
  await listSchema.addSource({ name: 'Bots', schema: JSON.stringify({ type: 'array', items: Bot }) });
  const inputData = new InputData();
  inputData.addInput(listSchema);
  const { lines } = await quicktype({ inputData, lang: 'python', rendererOptions: { 'python-version': '3.7' } });
  const folder = home('quicktype');
  writeFileSync(join(folder, 'api.py'), lines.join('\n'));
  writeFileSync(
    join(folder, 'main.py'),
    `import json, os, urllib.request
from api import bots_from_dict
with urllib.request.urlopen(os.environ['BASE_URL'] + '/api/bots?category=Support') as response:
    for bot in bots_from_dict(json.load(response)):
        print(bot.slug, bot.install_count, bot.created_at.tzname())
`,
  );
  const { stdout, stderr } = await run(program('python3-dateutil'), [join(folder, 'main.py')], {
    env: { ...process.env, BASE_URL: directory.baseUrl },
  });
  expect(stdout + stderr).toBe(`${(submitted.data as { slug: string }).slug} 0 UTC\n`);
});

/** Generates Java; returns its folder. */
const generateJava = async (name: string): Promise<string> => {
  const folder = home(name);
  const outputPath = join(folder, 'output');
  const generator = dirname(here.resolve('@openapi-generator-plus/java-cxf-client-generator/package.json'));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ inputPath: input, outputPath, generator, package: 'com.example' }));
  const generate = join(dirname(here.resolve('openapi-generator-plus/package.json')), 'bin/ogplus.js');
  expect(await run(process.execPath, [generate, '--config', config])).toMatchObject({ code: 0 });
  return outputPath;
};

it("openapi-generator-plus makes Java with each operation's name", async () => {
  const interfaces = join(await generateJava('java'), 'com/example/spec');
  const text = readdirSync(interfaces).map((name) => readFileSync(join(interfaces, name), 'utf8'));
  const names = [...text.join('').matchAll(/operationId = "(\w+)"/g)].map(([, name]) => name);
  expect(names.toSorted()).toEqual(operations.map(({ name }) => name).toSorted());
});

/** Prints what the JDK's own parser finds wrong in the Java files below a folder, and the number of operations. */
const parser = `
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import javax.tools.*;
class Main {
  public static void main(String[] folders) throws Exception {
    var compiler = ToolProvider.getSystemJavaCompiler();
    var errors = new DiagnosticCollector<JavaFileObject>();
    var count = new int[1];
    var operations = new TreeScanner<Void, Void>() {
      public Void visitAnnotation(AnnotationTree annotation, Void nothing) {
        if (annotation.getAnnotationType().toString().endsWith(".Operation")) count[0]++;
        return null;
      }
    };
    try (var files = compiler.getStandardFileManager(errors, null, null); var paths = Files.walk(Path.of(folders[0]))) {
      var java = paths.filter(path -> path.toString().endsWith(".java")).toArray(Path[]::new);
      var task = (JavacTask) compiler.getTask(null, files, errors, null, null, files.getJavaFileObjects(java));
      operations.scan(task.parse(), null);
    }
    errors.getDiagnostics().forEach(System.out::println);
    System.out.println(count[0]);
  }
}`;

it("a JDK parses openapi-generator-plus's Java", needs('java', 'javac'), async () => {
  const output = await generateJava('parsed-java');
  const main = join(output, '../Main.java');
  writeFileSync(main, parser);
  const { stdout, stderr } = await run(program('java'), [main, output]);
  expect(stdout + stderr).toBe(`${operations.length}\n`);
});
